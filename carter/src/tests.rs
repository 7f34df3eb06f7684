//! Carter on every kernel against the oracle, which is bitwise and shares no code with it.

mod basis;

use crate::hazmat::{InvalidLast, Segment};
use crate::key::{BLOCK, PartialSums};
use crate::rows::{self, Functions};
use crate::{Cipher, Key, field};
use std::path::Path;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::hazmat::pads::{Ahead, PADS};
use wegman::hazmat::raw::{Nonce, hash_and_pads};
use wegman::hazmat::rows::Row;
use wegman::{Aes128, Aes256, Cpu, NonceOf, Tag};
use wegman_reference::carter as oracle;
use wegman_reference::inputs::{Placed, Random};
use wegman_reference::kernels::Layer;

const SECRET: [u8; 32] = *b"a secret of thirty-two bytes all";

fn secret<C: Cipher>() -> &'static [u8] {
    &SECRET[..C::KEY_BYTES]
}

/// A key for each kernel of this machine.
fn keys<C: Cipher, const N: usize, const L: usize>() -> Vec<Key<C, N, L>> {
    Key::<C, N, L>::kernels(Cpu::detect())
        .map(|(name, cpu)| {
            let key = Key::from_slice_with_cpu(cpu, secret::<C>()).unwrap();
            assert_eq!(key.kernel(), name);
            key
        })
        .collect()
}

/// Lengths at which something changes: pairs, groups, blocks.
fn edges() -> Vec<usize> {
    let ends = [128, 256, 1024, BLOCK - 128, BLOCK, BLOCK + 128, 2 * BLOCK, 3 * BLOCK, 8 * BLOCK];
    let near = ends.iter().flat_map(|end| end - 17..=end + 17);
    let mut lengths: Vec<usize> = (0..=130).chain(near).collect();
    lengths.extend([4096 + 64, 5000, 9999]);
    lengths
}

#[test]
fn no_row_is_left_out() {
    let here = rows::ROWS.fitting(Cpu::detect());
    Layer {
        name: "Carter",
        root: Path::new(env!("CARGO_MANIFEST_DIR")),
        file: "src/rows.rs",
        folders: &[],
        here: here.map(|row| (row.name, row.needs.names().collect())).collect(),
    }
    .check_none_is_left_out();
}

#[test]
fn every_length_on_every_kernel() {
    let keys = keys::<Aes128, 16, 12>();
    let names: Vec<_> = keys.iter().map(Key::kernel).collect();
    eprintln!("kernels of Carter: {names:?}");
    let mut random = Random(1);
    let message = random.message(5000);
    let placed = Placed::new(&message);
    let expected = oracle::Keys::new(secret::<Aes128>(), 16);
    for length in 0..=5000 {
        let nonce: [u8; 12] = random.bytes();
        let tag = oracle::tag_with(&expected, 16, &nonce, &message[..length]);
        for key in &keys {
            let part = placed.at(length * 7 + 1, length);
            let got = key.tag(NonceOf::from(nonce), part).to_bytes();
            assert_eq!(got.as_slice(), tag, "{length} bytes, {}", key.kernel());
            for head in [0, 1, 12, 16, 63, 64, 65].map(|head| length.min(head)) {
                let (first, rest) = part.split_at(head);
                for parts in [&[first, rest][..], &[&first[..head / 2], &first[head / 2..], rest]] {
                    let got = key.tag_parts(NonceOf::from(nonce), parts).to_bytes();
                    assert_eq!(got.as_slice(), tag, "{head} of {length} bytes, {}", key.kernel());
                }
            }
        }
    }
}

/// The contract of the catalogue has streams and wrong tags.
#[test]
fn every_tag_nonce_and_cipher() {
    fn check<C: Cipher, const N: usize, const L: usize>() {
        let keys = keys::<C, N, L>();
        let mut random = Random(2);
        let message = random.message(8 * BLOCK + 17);
        let expected = oracle::Keys::new(secret::<C>(), N);
        for length in edges() {
            let (bytes, message): ([u8; L], _) = (random.bytes(), &message[..length]);
            let tag = oracle::tag_with(&expected, N, &bytes, message);
            let nonce = || NonceOf::from(bytes);
            for key in &keys {
                let name = key.kernel();
                let got = key.tag(nonce(), message);
                assert_eq!(got.to_bytes().as_slice(), tag, "{length} bytes, {name}");
                let (head, rest) = message.split_at(length.min(64));
                assert_eq!(key.tag_parts(nonce(), &[head, rest]), got, "{length} bytes, {name}");
                // With a pad made ahead.
                let (mut ahead, carter) = (Ahead::default(), hash_and_pads(key));
                let encrypt =
                    |words: &mut _, count| HashAndPads::<N>::encrypt(carter, words, count);
                let pad = ahead.pad(&Nonce::from(bytes), 16, encrypt);
                assert_eq!(
                    HashAndPads::<N>::tag_with_pad(carter, pad, message),
                    got,
                    "{length} bytes, {name}"
                );
            }
        }
    }
    check::<Aes128, 16, 16>();
    check::<Aes128, 12, 12>();
    check::<Aes128, 8, 16>();
    check::<Aes256, 16, 12>();
    check::<Aes256, 12, 16>();
    check::<Aes256, 8, 12>();
}

/// Long messages: levels 1 and 2 of many blocks, with prefetching, and of so many that some rows take other registers.
#[test]
fn many_blocks() {
    let message = Random(3).message(700 * BLOCK + 100);
    let nonce = [9; 16];
    for blocks in [550, 700] {
        let message = &message[..blocks * BLOCK + 100];
        let expected = oracle::tag(secret::<Aes128>(), 16, &nonce, message);
        for key in keys::<Aes128, 16, 16>() {
            assert_eq!(key.tag(nonce.into(), message).to_bytes().as_slice(), expected);
            let mut stream = key.stream();
            stream.update(&message[..1000]);
            stream.update(&message[1000..]);
            assert_eq!(stream.finish(nonce.into()).to_bytes().as_slice(), expected);
        }
    }
}

/// The orders that move blocks.
#[test]
fn ends_of_messages() {
    let bytes: [u8; 80] = core::array::from_fn(|i| i as u8 + 1);
    for length in 16..=80 {
        for at in 0..=length + 40 {
            let (block, order) = crate::kernel::block_and_order(&bytes[..length], at);
            let expected: [u8; 16] =
                core::array::from_fn(|i| if at + i < length { bytes[at + i] } else { 0 });
            let moved = order.map(|i| if i < 16 { block[usize::from(i)] } else { 0 });
            assert_eq!(moved, expected, "{length} bytes, block at {at}");
        }
        assert_eq!(crate::kernel::end_of(&bytes[..length])[15], length as u8);
    }
}

/// One kernel continues where another stopped, and a third finishes: each reads all four partial sums of Y.
#[test]
fn kernels_in_turn() {
    let message = Random(7).message(5 * BLOCK + 100);
    let (blocks, last) = message.as_chunks();
    let key = Key::<Aes128, 16, 12>::from_slice(secret::<Aes128>()).unwrap();
    let key = &hash_and_pads(&key).key;
    let rows: Vec<_> = rows::ROWS.fitting(Cpu::detect()).collect();
    let hash = |rows: [&Row<Functions>; 3]| {
        let mut partial = PartialSums::ZERO;
        rows[0].functions.absorb(key, &mut partial, &blocks[..3]);
        rows[1].functions.absorb(key, &mut partial, &blocks[3..]);
        rows[2].functions.finish(key, &partial, last, message.len() as u64)
    };
    let expected = hash([rows[0]; 3]);
    for &first in &rows {
        for &second in &rows {
            for &third in &rows {
                let case = [first, second, third];
                assert_eq!(hash(case), expected, "{:?}", case.map(|row| row.name));
            }
        }
    }
}

/// The blocks that were asked for are the same on every kernel.
#[test]
fn pads() {
    let words: [u64; 2 * PADS] = core::array::from_fn(|i| i as u64);
    let keys = keys::<Aes256, 16, 12>();
    let mut expected = words;
    HashAndPads::<16>::encrypt(hash_and_pads(&keys[0]), &mut expected, PADS);
    for key in &keys {
        for count in 1..=PADS {
            let mut words = words;
            HashAndPads::<16>::encrypt(hash_and_pads(key), &mut words, count);
            assert_eq!(words[..2 * count], expected[..2 * count], "{}", key.kernel());
        }
    }
}

/// Messages that some rows take side by side (the catalogue tests others): as many blocks each, of one length and of
/// several. Equal messages have different tags, so that each place is checked.
#[test]
fn batches_of_like_messages() {
    let text = Random(8).message(BLOCK + 64);
    let nonce = |i: usize| NonceOf::<12>::counter(1000 + i as u64);
    let edges = [255, 256, 257, 1500, BLOCK - 1, BLOCK, BLOCK + 1];
    for key in keys::<Aes128, 16, 12>() {
        for length in (0..=200).chain(edges) {
            let in_last_block = length.saturating_sub(1) % 16 + 1;
            for shortened in [1, in_last_block] {
                let messages: [&[u8]; 19] = core::array::from_fn(|i| {
                    let length = length - (5 * i % shortened).min(length);
                    &text[i..i + length]
                });
                for count in [8, 9, 16, 19] {
                    let mut tags = vec![Tag::from([0; 16]); count];
                    assert_eq!(key.tag_many(nonce(0), &messages[..count], &mut tags), Ok(()));
                    for (i, (message, tag)) in messages.iter().zip(&tags).enumerate() {
                        let name = key.kernel();
                        assert_eq!(*tag, key.tag(nonce(i), message), "{name}, {length}, {i}");
                    }
                }
            }
        }
    }
}

/// Nonces of a batch carry from every byte into the one above.
#[test]
fn nonces_carry_in_batches() {
    fn check<const L: usize>() {
        for key in keys::<Aes128, 16, L>() {
            for ones in 1..L {
                let mut first = [0xff; L];
                first[..L - ones].fill(7);
                first[L - 1] = 0xfc;
                let mut tags = [Tag::from([0; 16]); 8];
                assert_eq!(key.tag_many(first.into(), &[&b"message"[..]; 8], &mut tags), Ok(()));
                let mut nonce = NonceOf::from(first);
                for tag in tags {
                    assert_eq!(tag, key.tag(nonce.to_bytes().into(), b"message"), "{nonce:?}");
                    nonce = nonce.next().expect("not the last");
                }
            }
        }
    }
    check::<12>();
    check::<16>();
}

/// Products and reductions in plain code.
#[test]
fn field() {
    let mut random = Random(5);
    let special = [0, 1, 2, 3, u128::MAX, 1 << 127, 1 << 63, 1 << 64, (1 << 64) - 1];
    let numbers: Vec<u128> = special.into_iter().chain((0..60).map(|_| random.wide())).collect();
    for &a in &numbers {
        for &b in &numbers {
            assert_eq!(field::multiply(a, b).reduce(), oracle::dot(a, b), "{a:x} {b:x}");
            let (a, b) = (a as u64, b as u64);
            let bits = (0..64).filter(|i| b >> i & 1 == 1);
            let product = bits.fold(0, |sum, i| sum ^ u128::from(a) << i);
            assert_eq!(field::product(a, b), product, "{a:x} {b:x}");
        }
    }
}

/// The table has the kernels that this machine must have, according to the standard library.
#[test]
fn required_kernels() {
    let rows: Vec<&str> = rows::ROWS.fitting(Cpu::detect()).map(|row| row.name).collect();
    assert_eq!(rows[0], "portable");
    #[cfg(target_arch = "x86_64")]
    {
        use std::is_x86_feature_detected as has;
        let narrow = has!("ssse3") && has!("aes") && has!("pclmulqdq");
        let wide = has!("avx2") && has!("bmi2") && has!("vaes") && has!("vpclmulqdq");
        assert_eq!(rows.contains(&"pclmul"), narrow);
        assert_eq!(rows.contains(&"vpclmul"), narrow && wide);
    }
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    assert_eq!(rows.contains(&"pmull"), std::arch::is_aarch64_feature_detected!("pmull"));
}

#[cfg(feature = "parallel")]
#[test]
fn threads() {
    let message = Random(6).message(2100 * BLOCK + 1000);
    let nonce = || NonceOf::<16>::counter(1);
    for key in keys::<Aes128, 16, 16>() {
        let expected = key.tag(nonce(), &message);
        for cut in [0, 1, BLOCK, 600 * BLOCK + 5] {
            let mut stream = key.stream();
            stream.update(&message[..cut]);
            stream.update_rayon(&message[cut..]);
            assert_eq!(stream.finish(nonce()), expected, "{cut}, {}", key.kernel());
        }
    }
}

/// Segments of any lengths, joined in either order of the two joins.
#[test]
fn segments() {
    let message = Random(7).message(40 * BLOCK + 100);
    let nonce = || NonceOf::<12>::counter(1);
    for key in keys::<Aes128, 16, 12>() {
        for length in [0, 1, BLOCK, BLOCK + 1, 5 * BLOCK, 40 * BLOCK + 100] {
            let whole = length.saturating_sub(1) / BLOCK;
            let (blocks, last) = message[..length].split_at(whole * BLOCK);
            let (blocks, _) = blocks.as_chunks();
            let expected = Ok(key.tag(nonce(), &message[..length]));
            for cut in 0..=whole {
                let (one, rest) = blocks.split_at(cut);
                let (two, three) = rest.split_at(rest.len() / 3);
                let [one, two, three] = [one, two, three].map(|part| Segment::new(&key, part));
                let left = one.clone().then(&two).then(&three);
                assert_eq!(left.tag(nonce(), last), expected, "{length}, {cut}");
                let right = one.then(&two.then(&three));
                assert_eq!(right.tag(nonce(), last), expected, "{length}, {cut}");
                // Not the end of a message.
                assert_eq!(left.tag(nonce(), &message[..BLOCK + 1]), Err(InvalidLast));
                if whole > 0 {
                    assert_eq!(left.tag(nonce(), b""), Err(InvalidLast));
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "segments of one key")]
fn segments_of_two_keys_panic() {
    let [one, other] = [1, 2].map(|byte| Key::<Aes128, 16, 12>::new(&[byte; 16]));
    let _ = Segment::new(&one, &[]).then(&Segment::new(&other, &[]));
}
