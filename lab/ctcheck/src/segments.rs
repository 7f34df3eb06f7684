//! PMAC of bits, its segments, and a lost block found again; and what compares keys: sums, their edits, and the cipher that
//! keeps lengths.

use crate::cases::{Cases, SECRET};
use crate::valgrind::reveal;
use std::ops::Range;
use wegman::cipher::{Block, BlockCipher, CipherBlock, Invertible};
use wegman::pmac::hazmat::{LengthPreserving, Segment, Sum, recover};
use wegman::{Aes128, Aes192, Aes256, Bits, Cpu, InvalidLength, pmac};

/// Lengths in bits: none, parts of a byte, of a block and of a group.
const BITS: [u64; 12] =
    [0, 1, 8, 127, 128, 129, 256, 1000, 8 * 500 + 3, 8 * 512, 8 * 1500 - 1, 9999];

/// Any places of the kernels' groups.
const STARTS: [u64; 7] = [0, 1, 30, 31, 32, 77, 1 << 40];

/// The first bits of a message.
fn bits(bytes: &[u8], bits: u64) -> Bits<'_> {
    Bits::new(&bytes[..bits.div_ceil(8) as usize], bits).expect("as many bytes as the bits need")
}

/// Bits, segments and a lost block.
pub fn add(cases: &mut Cases) {
    add_cipher::<Aes128>("segments, AES128", cases);
    add_cipher::<Aes192>("segments, AES192", cases);
    add_cipher::<Aes256>("segments, AES256", cases);
}

fn add_cipher<C: Invertible<Block = Block>>(name: &str, cases: &mut Cases) {
    let rows = pmac::Key::<C, 16>::kernels(Cpu::detect());
    let (lengths, starts) =
        if cases.are_traced { (&BITS[10..11], &STARTS[..1]) } else { (&BITS[..], &STARTS[..]) };
    cases.add(name, rows, move |cpu, secret, message| {
        let secret = &secret[..C::KEY_BYTES];
        let key = pmac::Key::<C, 16>::from_slice_with_cpu(cpu, secret).expect("its length");
        lengths.iter().flat_map(|&length| of_length(&key, message, length, starts)).collect()
    });
}

fn of_length<C: Invertible<Block = Block>>(
    key: &pmac::Key<C, 16>,
    message: &[u8],
    length: u64,
    starts: &[u64],
) -> Vec<Vec<u8>> {
    let whole = bits(message, length);
    let tag = key.tag_bits(whole);
    let mut stream = key.stream();
    stream.update(&message[..length.div_ceil(8) as usize]);
    let streamed = stream.tag_without((length.wrapping_neg() % 8) as u32);
    let mut results = vec![tag.to_bytes().to_vec(), streamed.to_bytes().to_vec()];

    // In one piece and in two.
    for &start in starts {
        let (front, back) = message.split_at((length / 3 / 128 * 16) as usize);
        let after = front.len() as u64 / 16;
        let front = Segment::new(key, start, Bits::from(front)).expect("short");
        let back = Segment::new(key, start + after, bits(back, length - 128 * after));
        let (front, back) = (received(&front), received(&back.expect("short")));
        let all = [
            Segment::new(key, start, whole).expect("short"),
            front.then(&back).expect("side by side"),
            Segment::combine(&mut [back, front]).expect("side by side"),
        ];
        // Without a whole block there is no sum, and the padding of the end is known.
        let sums = all.iter().filter(|segment| segment.bits() >= 128);
        results.extend(sums.map(|segment| segment.to_bytes()[SUM].to_vec()));
    }
    for lost in [1, 3, 33].into_iter().filter(|lost| 128 * lost <= length) {
        let (front, back) = (16 * (lost - 1) as usize, 16 * lost as usize);
        let others = [&message[..front], &message[back..2000]].concat();
        let found = recover(key, &tag, lost, bits(&others, length - 128));
        results.push(found.expect("a whole block").into());
    }
    results
}

/// The place of the key's fingerprint in an encoded segment; it is public.
const FINGERPRINT: Range<usize> = 12..20;
/// The place of its sum.
const SUM: Range<usize> = 36..52;

/// The segment as sent to another machine, which may compare keys.
fn received(segment: &Segment) -> Segment {
    let mut bytes = segment.to_bytes();
    reveal(&mut bytes[FINGERPRINT]);
    Segment::from_bytes(&bytes[..]).expect("well formed")
}

/// AES that makes the fingerprint of a sum's key public, because the library compares fingerprints by
/// branches. The sums are those of the portable row, as for any other cipher.
struct Watched<const SOFTWARE: bool>(Aes128);

/// What is encrypted to the fingerprint of [`SECRET`]: `E(0) / x^2`.
fn fingerprint() -> Block {
    let mut l = [0; 16];
    Aes128::new(SECRET.first_chunk().expect("16 bytes")).encrypt(&mut l);
    l.halve().halve()
}

impl<const SOFTWARE: bool> BlockCipher for Watched<SOFTWARE> {
    type Key = [u8; 16];
    type Block = Block;
    const KEY_BYTES: usize = 16;

    fn from_slice(cpu: Cpu, key: &[u8]) -> Result<Self, InvalidLength> {
        Aes128::from_slice(if SOFTWARE { Cpu::PORTABLE } else { cpu }, key).map(Watched)
    }

    fn encrypt(&self, block: &mut Block) {
        let mut public = *block;
        reveal(&mut public);
        self.0.encrypt(block);
        if public == fingerprint() {
            reveal(block);
        }
    }

    fn encrypt_many(&self, blocks: &mut [Block]) {
        self.0.encrypt_many(blocks);
    }
}

impl<const SOFTWARE: bool> Invertible for Watched<SOFTWARE> {
    fn decrypt(&self, block: &mut Block) {
        self.0.decrypt(block);
    }
}

/// Sums and their edits, and the cipher that keeps lengths, both under [`Watched`] AES: of the machine, or of the crate.
pub fn add_edits<const SOFTWARE: bool>(cases: &mut Cases) {
    let of = if SOFTWARE { "with AES of the crate" } else { "with AES of the machine" };
    let rows = [(of, Cpu::PORTABLE)];
    cases.add("sums and edits", rows, |_, secret, message| {
        let secret = secret.first_chunk().expect("16 bytes");
        let key = pmac::Key::<Watched<SOFTWARE>, 16>::new(secret);
        BITS.iter().flat_map(|&length| edited(&key, message, length)).collect()
    });
    cases.add("length-preserving", rows, |_, secret, message| {
        let keys = [&secret[..16], &secret[16..32]].map(|key| key.try_into().expect("16 bytes"));
        let cipher = LengthPreserving::<Watched<SOFTWARE>, 16>::new(keys[0], keys[1]);
        let mut results = Vec::new();
        for length in BITS.into_iter().filter(|&bits| bits >= 128) {
            let mut record = message[..length.div_ceil(8) as usize].to_vec();
            cipher.encrypt_bits(&mut record, length).expect("a block at least");
            // Of a part of a byte, the other bits are known.
            results.push(record[..length as usize / 8].to_vec());
            cipher.decrypt_bits(&mut record, length).expect("a block at least");
            results.push(record[..length as usize / 8].to_vec());
        }
        results
    });
}

/// The tags of sums of these bits after edits. The old bytes do not matter here.
fn edited<const SOFTWARE: bool>(
    key: &pmac::Key<Watched<SOFTWARE>, 16>,
    message: &[u8],
    length: u64,
) -> Vec<Vec<u8>> {
    let whole = bits(message, length);
    let segment = Segment::new(key, 0, whole).expect("short");
    let mut results = vec![segment.tag(key).expect("whole").to_bytes().to_vec()];
    let mut add = |sum: &Sum| results.push(sum.tag(key).expect("its key").to_bytes().to_vec());
    let old = |window: Range<u64>| &message[window.start as usize..window.end as usize];
    for mut sum in [
        Sum::new(key, whole),
        Sum::from_tag(key, &key.tag_bits(whole), length).expect("a whole tag"),
        Sum::from_segment(key, &segment).expect("whole"),
    ] {
        add(&sum);
        for (at, len) in [(0, 1), (3, 130), (length / 2, length / 3), (length / 3, 0)] {
            if at + len <= length {
                let window = old(sum.replace_window(at, len));
                sum.replace(key, at, bits(&message[100..], len), window).expect("inside");
                add(&sum);
            }
        }
        for len in [0, 3, 8 * 40, 8 * 600 + 1] {
            let window = old(sum.append_window());
            sum.append(key, bits(&message[7..], len), window).expect("short");
            add(&sum);
        }
        for len in [length + 64, length, length / 2, 0] {
            let window = old(sum.truncate_window(len));
            sum.truncate(key, len, window).expect("shorter");
            add(&sum);
        }
    }
    results
}
