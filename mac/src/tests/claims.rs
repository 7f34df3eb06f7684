//! What PMAC's paper claims beyond tags of bytes, against the oracle: messages and tags of any number of
//! bits, blocks of 64 bits, edits, recovery, segments, and the cipher that keeps the length.

mod ciphers;
mod edits;
mod segments;

use crate::bits::Bits;
use crate::cipher::{Aes, Aes128, Aes192, Aes256, BlockCipher, Invertible, Keyed};
use crate::cpu::Cpu;
use crate::pmac::Key;
use crate::pmac::hazmat::{EditError, LengthPreserving, key_with_tag_bits, recover};
use crate::tag::{InvalidLength, Tag};
use des::TdesEde3;
use des::cipher::{BlockCipherEncrypt, KeyInit};
use wegman_reference::aes;
use wegman_reference::inputs::Random;
use wegman_reference::pmac::bits as oracle;

/// Blocks of 64 bits.
type Des = Keyed<TdesEde3>;

type Encrypts = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// A block cipher as the oracle takes it.
struct Oracle {
    e: Encrypts,
    /// Bits of a block.
    n: usize,
}

impl Oracle {
    fn tag(&self, message: &[u8], bits: usize, tag_bits: usize) -> Vec<u8> {
        oracle::pmac_bytes(&*self.e, self.n, message, bits, tag_bits)
    }
}

/// A cipher that the oracle can use too.
trait Known: Invertible {
    fn oracle(secret: &[u8]) -> Oracle;
}

impl<C> Known for Aes<C>
where
    Aes<C>: Invertible,
{
    fn oracle(secret: &[u8]) -> Oracle {
        let aes = aes::Aes::new(secret);
        let e = Box::new(move |block: &[u8]| aes.encrypt(block.try_into().unwrap()).to_vec());
        Oracle { e, n: 128 }
    }
}

impl Known for Des {
    fn oracle(secret: &[u8]) -> Oracle {
        let des = TdesEde3::new_from_slice(secret).expect("24 bytes");
        let e = Box::new(move |block: &[u8]| {
            let mut block = block.try_into().expect("8 bytes");
            des.encrypt_block(&mut block);
            block.to_vec()
        });
        Oracle { e, n: 64 }
    }
}

fn secret<C: BlockCipher>() -> Vec<u8> {
    Random(50).message(C::KEY_BYTES)
}

/// A key of each row of this machine, the portable one first.
fn keys<C: BlockCipher, const N: usize>() -> Vec<Key<C, N>> {
    let key = |(name, cpu)| {
        let key = Key::from_slice_with_cpu(cpu, &secret::<C>()).expect("the cipher's length");
        assert_eq!(key.kernel(), name);
        key
    };
    Key::<C, N>::kernels(Cpu::detect()).map(key).collect()
}

fn random_bits(random: &mut Random, count: usize) -> Vec<bool> {
    (0..count).map(|_| random.word() & 1 == 1).collect()
}

/// Bits in bytes; the last byte's other bits are those of `unused`.
fn in_bytes(bits: &[bool], unused: u8) -> Vec<u8> {
    let mut bytes = oracle::bytes_of(bits);
    if let Some(last) = bytes.last_mut().filter(|_| !bits.len().is_multiple_of(8)) {
        *last |= unused & 0xff >> (bits.len() % 8);
    }
    bytes
}

// Messages of any number of bits.

fn check_bits<C: Known, const N: usize>(counts: impl Iterator<Item = usize>) {
    let oracle = C::oracle(&secret::<C>());
    let keys = keys::<C, N>();
    let message = random_bits(&mut Random(51), 9000);
    for count in counts {
        let expected = oracle.tag(&in_bytes(&message[..count], 0), count, 8 * N);
        for unused in [0, 0xff] {
            let bytes = in_bytes(&message[..count], unused);
            for key in &keys {
                let case = format_args!("{key:?}, {count} bits, {unused:#x}");
                let tag = key.tag_bits(Bits::new(&bytes, count as u64).unwrap());
                assert_eq!(tag.to_bytes().as_slice(), expected, "{case}");
                let mut stream = key.stream();
                stream.update(&bytes[..bytes.len() / 3]);
                stream.update(&bytes[bytes.len() / 3..]);
                let tag = stream.tag_without((8 * bytes.len() - count) as u32);
                assert_eq!(tag.to_bytes().as_slice(), expected, "{case}, stream");
            }
        }
    }
}

/// Around the buffer of a stream and the groups of the kernels.
fn edges() -> impl Iterator<Item = usize> {
    [512, 1024].into_iter().flat_map(|bytes| 8 * bytes - 10..=8 * bytes + 10)
}

#[test]
fn messages_of_any_number_of_bits() {
    check_bits::<Aes128, 16>((0..=1100).chain(edges()));
    check_bits::<Aes128, 5>((0..=300).step_by(7));
    check_bits::<Aes192, 16>((0..=1100).step_by(11).chain(edges().step_by(3)));
    check_bits::<Aes256, 16>((0..=1100).step_by(13).chain(edges().step_by(3)));
    check_bits::<Des, 8>((0..=600).chain(edges().step_by(5)));
}

#[test]
fn bits_are_in_as_many_bytes_as_they_need() {
    for bytes in 0..=5 {
        for bits in (0..=50).chain([u64::MAX - 7, u64::MAX]) {
            let right = (bits as u128) <= 8 * bytes && bits as u128 + 8 > 8 * bytes;
            let result = Bits::new(&[0xff; 5][..bytes as usize], bits);
            assert_eq!(result.map(Bits::len).ok(), right.then_some(bits), "{bits} in {bytes}");
        }
    }
}

#[test]
#[should_panic(expected = "bits of the last byte")]
fn a_stream_can_not_leave_out_a_byte() {
    let key = Key::<Aes128, 16>::new(&[0; 16]);
    let mut stream = key.stream();
    stream.update(b"two");
    _ = stream.tag_without(8);
}

#[test]
#[should_panic(expected = "an empty message has no last byte")]
fn a_stream_can_not_leave_out_what_is_not_there() {
    _ = Key::<Aes128, 16>::new(&[0; 16]).stream().tag_without(1);
}

// Tags of any number of bits.

fn check_tag_bits<C: Known, const N: usize>() {
    let oracle = C::oracle(&secret::<C>());
    let new = |cpu, bits| key_with_tag_bits::<C, N>(cpu, &secret::<C>(), bits);
    for tag_bits in 8 * N - 7..=8 * N {
        for count in [0, 64, 77, 400] {
            let message = in_bytes(&random_bits(&mut Random(52), count), 0xff);
            let expected = oracle.tag(&message, count, tag_bits);
            for (name, cpu) in Key::<C, N>::kernels(Cpu::detect()) {
                let case = format_args!("{name}, {tag_bits} bits");
                let key = new(cpu, tag_bits).expect("it takes these bits");
                assert_eq!(key.kernel(), name);
                let tag = key.tag_bits(Bits::new(&message, count as u64).unwrap());
                assert_eq!(tag.to_bytes().as_slice(), expected, "{case}");
                if count % 8 > 0 {
                    continue;
                }
                assert_eq!(key.tag(&message), tag, "{case}");
                let mut tags = [Tag::from([0xff; N]); 20];
                key.tag_many(&[message.as_slice(); 20], &mut tags);
                assert_eq!(tags, [tag; 20], "{case}, batch");
                // A bit that is no part of the tag must be zero.
                for bit in 0..8 * N {
                    let mut other = tag.to_bytes();
                    other[bit / 8] ^= 0x80 >> (bit % 8);
                    assert!(key.verify(&message, &Tag::from(other)).is_err(), "{case}, {bit}");
                }
            }
        }
    }
    for tag_bits in (0..=8 * N - 8).chain(8 * N + 1..=140).chain([usize::MAX]) {
        assert_eq!(new(Cpu::detect(), tag_bits).err(), Some(InvalidLength), "{N}, {tag_bits}");
    }
    for length in (0..40).filter(|length| *length != C::KEY_BYTES) {
        let key = key_with_tag_bits::<C, N>(Cpu::detect(), &vec![1; length], 8 * N);
        assert_eq!(key.err(), Some(InvalidLength), "a secret of {length} bytes");
    }
}

macro_rules! for_tags_of {
    ($($bytes:literal)* bytes, $check:ident::<$cipher:ty>) => {
        $($check::<$cipher, $bytes>();)*
    };
}

#[test]
fn tags_of_any_number_of_bits() {
    for_tags_of!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 bytes, check_tag_bits::<Aes128>);
    for_tags_of!(1 2 3 4 5 6 7 8 bytes, check_tag_bits::<Des>);
}

// Recovery.

/// The bits of a message without block number `lost`, from 1, and that block.
fn without(message: &[bool], lost: usize, n: usize) -> (Vec<bool>, Vec<bool>) {
    let (before, after) = message.split_at(n * (lost - 1));
    let (block, after) = after.split_at(n);
    ([before, after].concat(), block.to_vec())
}

fn check_recovery<C: Known, const N: usize>(counts: impl Iterator<Item = usize>) {
    let oracle = C::oracle(&secret::<C>());
    let n = oracle.n;
    let message = random_bits(&mut Random(53), 5000);
    for count in counts {
        let message = &message[..count];
        for key in &keys::<C, N>() {
            let bytes = in_bytes(message, 0xff);
            let tag = key.tag_bits(Bits::new(&bytes, count as u64).unwrap());
            for lost in 1..=count / n {
                let (others, block) = without(message, lost, n);
                let bits = others.len();
                let others = in_bytes(&others, 0xff);
                let others = Bits::new(&others, bits as u64).unwrap();
                let found = recover(key, &tag, lost as u64, others).unwrap();
                let case = format_args!("{key:?}, block {lost} of {count} bits");
                assert_eq!(oracle::bits_of(found.as_ref(), n), block, "{case}");

                let mut wrong = tag.to_bytes();
                wrong[lost % N] ^= 1;
                let found = recover(key, &Tag::from(wrong), lost as u64, others).unwrap();
                let (before, after) = (n * (lost - 1), n * lost);
                let found = oracle::bits_of(found.as_ref(), n);
                let other = [&message[..before], &found, &message[after..]].concat();
                let its_tag = oracle.tag(&in_bytes(&other, 0), count, n);
                assert_eq!(its_tag, wrong, "{case}: another block, another tag");
            }
            // Where there is no whole block to be lost.
            let others = &bytes[..bytes.len().saturating_sub(N)];
            let blocks = (others.len() / N) as u64;
            for lost in [0, blocks + 2, blocks + 3, 1 << 57, 1 << 61, u64::MAX] {
                let found = recover(key, &tag, lost, Bits::from(others));
                assert_eq!(found.err(), Some(EditError::Range), "block {lost} of {count} bits");
            }
        }
    }
}

#[test]
fn a_lost_block_comes_back() {
    let ends = |n: usize| [n, n + 1, n + 7, n + 8, 2 * n - 1, 2 * n, 2 * n + 1, 5 * n + 3, 8 * n];
    check_recovery::<Aes128, 16>(ends(128).into_iter().chain([0, 100, 4096, 4100]));
    check_recovery::<Aes256, 16>(ends(128).into_iter());
    check_recovery::<Des, 8>(ends(64).into_iter().chain([1000]));
    let short = key_with_tag_bits::<Aes128, 16>(Cpu::detect(), &secret::<Aes128>(), 127).unwrap();
    let found = recover(&short, &Tag::from([0; 16]), 1, Bits::from(&[][..]));
    assert_eq!(found.err(), Some(EditError::ShortTag));
}

// The cipher that keeps the length.

/// The tag of a message, and what follows its first block xored with E(tag), E(tag + 1), ...
fn enciphered(one: &Oracle, other: &Oracle, message: &[bool]) -> Vec<u8> {
    let n = one.n;
    let tag = one.tag(&in_bytes(message, 0), message.len(), n);
    let first = tag.iter().fold(0, |number: u128, byte| number << 8 | u128::from(*byte));
    let number = |i| first.wrapping_add(i as u128) << (128 - n);
    let stream = (0..message.len() / n).flat_map(|i| (other.e)(&number(i).to_be_bytes()[..n / 8]));
    let stream = stream.collect::<Vec<u8>>();
    let stream = oracle::bits_of(&stream, 8 * stream.len());
    let rest = message[n..].iter().zip(stream).map(|(bit, of_stream)| bit ^ of_stream);
    [tag, oracle::bytes_of(&rest.collect::<Vec<bool>>())].concat()
}

fn check_length_preserving<C: Known, const N: usize>(counts: impl Iterator<Item = usize>)
where
    C::Key: for<'a> TryFrom<&'a [u8]>,
{
    let secrets = [54, 55].map(|seed| Random(seed).message(C::KEY_BYTES));
    let [one, other] = secrets.each_ref().map(|secret| C::oracle(secret));
    let [pmac, counter] = secrets
        .each_ref()
        .map(|secret| C::Key::try_from(secret).unwrap_or_else(|_| panic!("the cipher's length")));
    let cipher = LengthPreserving::<C, N>::new(&pmac, &counter);
    let message = random_bits(&mut Random(56), 9000);
    for count in counts {
        let bits = &message[..count];
        let expected = enciphered(&one, &other, bits);
        for unused in [0, 0xff] {
            let mut bytes = in_bytes(bits, unused);
            assert_eq!(cipher.encrypt_bits(&mut bytes, count as u64), Ok(()));
            assert_eq!(bytes, expected, "{count} bits");
            if let Some(last) = bytes.last_mut().filter(|_| count % 8 > 0) {
                *last |= unused & 0xff >> (count % 8);
            }
            assert_eq!(cipher.decrypt_bits(&mut bytes, count as u64), Ok(()));
            assert_eq!(bytes, in_bytes(bits, 0), "{count} bits back");
        }
        if count % 8 == 0 {
            let mut bytes = in_bytes(bits, 0);
            assert_eq!(cipher.encrypt(&mut bytes), Ok(()));
            assert_eq!(bytes, expected, "{count} bits");
            // Any string is a ciphertext.
            let mut bytes = in_bytes(bits, 0);
            assert_eq!(cipher.decrypt(&mut bytes), Ok(()));
            let message = oracle::bits_of(&bytes, count);
            assert_eq!(enciphered(&one, &other, &message), in_bytes(bits, 0), "{count} bits");
        }
    }
    for count in 0..8 * N {
        let mut bytes = in_bytes(&message[..count], 0);
        let before = bytes.clone();
        assert_eq!(cipher.encrypt_bits(&mut bytes, count as u64), Err(InvalidLength), "{count}");
        assert_eq!(cipher.decrypt_bits(&mut bytes, count as u64), Err(InvalidLength), "{count}");
        if count % 8 == 0 {
            assert_eq!(cipher.encrypt(&mut bytes), Err(InvalidLength), "{count}");
            assert_eq!(cipher.decrypt(&mut bytes), Err(InvalidLength), "{count}");
        }
        assert_eq!(bytes, before, "{count} bits: changed all the same");
    }
    for bits in [0, 8 * N as u64, 8 * 20 + 1, u64::MAX] {
        let mut bytes = [7; 20];
        assert_eq!(cipher.encrypt_bits(&mut bytes, bits), Err(InvalidLength), "{bits} in 20");
        assert_eq!(cipher.decrypt_bits(&mut bytes, bits), Err(InvalidLength), "{bits} in 20");
        assert_eq!(bytes, [7; 20]);
    }
}

#[test]
fn ciphertexts_are_as_long_as_their_messages() {
    check_length_preserving::<Aes128, 16>((128..=400).chain([4096, 4097, 8200]));
    check_length_preserving::<Aes256, 16>((128..=400).step_by(17));
    check_length_preserving::<Des, 8>((64..=300).step_by(3));
}

// On-line and parallel.

/// Whatever the threads and the pieces, the tag is the serial one.
#[cfg(feature = "parallel")]
#[test]
fn any_number_of_threads_gives_the_serial_tag() {
    fn check<C: BlockCipher, const N: usize>(message: &[u8]) {
        let keys = keys::<C, N>();
        let mut rows = keys.iter().cycle();
        let expected = rows.next().expect("there is a portable row").tag(message);
        for threads in [1, 2, 3, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for cuts in [&[][..], &[7, 1 << 18], &[512, (1 << 18) + 513], &[message.len() - 1]] {
                let key = rows.next().expect("again from the first");
                let (mut stream, mut rest) = (key.stream(), message);
                for &cut in cuts {
                    let (piece, after) = rest.split_at(cut);
                    pool.install(|| stream.update_rayon(piece));
                    rest = after;
                }
                pool.install(|| stream.update_rayon(rest));
                assert_eq!(stream.tag(), expected, "{key:?}, {threads} threads, {cuts:?}");
            }
        }
    }
    let message = Random(57).message((5 << 18) + 1234);
    check::<Aes128, 16>(&message);
    check::<Aes128, 16>(&message[..5 << 18]);
    check::<Des, 8>(&message[..(1 << 18) + 5555]);
}
