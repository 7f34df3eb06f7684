//! Every row of every layer, and every tag, against the oracle. Layers are compared one by one, so
//! that a failure names the layer. The rows come from `all`, so that a new row is covered automatically.

use super::{POLYS, SECRET};
use crate::cipher::{Aes128, Aes192, Aes256, Block, BlockCipher, CipherBlock};
use crate::cpu::Cpu;
use crate::nonce::Nonce;
use crate::pads;
use crate::pmac;
use crate::pmac::offset::Offsets;
use crate::umac;
use crate::umac::MAX_STREAMS;
use crate::umac::kdf::{Index, Kdf, Rfc4418};
use crate::umac::l1_nh::{self, CHUNK, Nh, UNIT};
use crate::umac::{l2_poly, l3_inner};
use wegman_reference::aes::Aes;
use wegman_reference::inputs::Random;
use wegman_reference::pmac as oracle_pmac;
use wegman_reference::umac_rfc4418 as oracle;

// Key and pad derivation.

#[test]
fn kdf() {
    let indices =
        [(Index::Pad, 0), (Index::L1, 1), (Index::L2, 2), (Index::L3, 3), (Index::L3Mask, 4)];
    for secret in [SECRET, [0; 16], [0xff; 16]] {
        let kdf = Kdf::<Rfc4418>::new(Cpu::detect(), &secret);
        for (index, number) in indices {
            // Blocks and parts of blocks, then the longest string that UMAC derives: the L1 key.
            for length in (0..=100).chain([1072]) {
                let mut out = vec![0; length];
                kdf.fill(index, &mut out);
                assert_eq!(out, oracle::kdf(&secret, number, length), "index {number}, {length}");
            }
        }
        let mut block = [7; 16];
        kdf.pad_key().encrypt(&mut block);
        assert_eq!(block, Aes::new(&oracle::pad_key(&secret)).encrypt(&[7; 16]));
    }
}

#[test]
fn pdf() {
    fn check<const N: usize>(nonce: &[u8]) {
        let aes = Kdf::<Rfc4418>::new(Cpu::detect(), &SECRET).pad_key();
        let (block, start) = pads::block(&Nonce::new(nonce).unwrap(), N);
        let pad: [u8; N] = pads::first_bytes(pads::pad(&aes, block, start));
        assert_eq!(pad.as_slice(), oracle::pdf(&SECRET, nonce, N), "{nonce:02x?}, {N} bytes");
    }
    let mut random = Random(1);
    for length in 1..=16 {
        let mut nonce = random.message(length);
        // Every value of the low bits, below higher bits that must not change.
        for last in (0x00..=0x07).chain(0x7c..=0x83).chain(0xfc..=0xff) {
            nonce[length - 1] = last;
            check::<4>(&nonce);
            check::<8>(&nonce);
            check::<12>(&nonce);
            check::<16>(&nonce);
        }
    }
}

// Level 1.

fn nh_rows(streams: usize) -> impl Iterator<Item = Nh> {
    Nh::all(Cpu::detect(), streams)
}

/// The key of `streams` streams, and each stream's part of it as the oracle derives it.
fn l1_keys(streams: usize) -> (l1_nh::Key, Vec<[u8; CHUNK]>) {
    let key = l1_nh::Key::derive(&Kdf::<Rfc4418>::new(Cpu::detect(), &SECRET), streams);
    (key, (0..streams).map(|stream| oracle::l1_key(&SECRET, stream)).collect())
}

/// Chunks that take the additions and the products to both ends of their ranges, and a random chunk.
fn l1_chunks() -> [Vec<u8>; 5] {
    let key = oracle::l1_key(&SECRET, 0);
    let words = |word: fn(u32) -> u32| {
        let of_key = |k: &[u8; 4]| word(u32::from_be_bytes(*k)).to_le_bytes();
        key.as_chunks().0.iter().flat_map(of_key).collect()
    };
    [
        vec![0; CHUNK],
        vec![0xff; CHUNK],
        words(|k| k.wrapping_neg()), // each sum of words is 2^32, which is 0
        words(|k| !k),               // each sum is 2^32 - 1, so each product is the largest
        Random(2).message(CHUNK),
    ]
}

#[test]
fn l1_last_chunk_of_every_length() {
    for streams in 1..=MAX_STREAMS {
        let (key, oracle_keys) = l1_keys(streams);
        for chunk in l1_chunks() {
            for length in 0..=CHUNK {
                // At every distance from a 32-byte boundary, since kernels load 16 to 64 bytes.
                let shift = length / 32 % 32;
                let moved = [&vec![0xa5; shift], &chunk[..length]].concat();
                let last = &moved[shift..];
                let expected: Vec<u64> =
                    oracle_keys.iter().map(|key| oracle::l1_hash(key, last)).collect();
                for row in nh_rows(streams) {
                    let mut sums = vec![0xdead; streams]; // old contents must not count
                    row.last(&key, last, &mut sums);
                    let name = row.name();
                    assert_eq!(sums, expected, "{name}, {streams} streams, {length} bytes");
                }
            }
        }
    }
}

#[test]
fn l1_whole_chunks() {
    let mut message = l1_chunks().concat();
    message.extend(Random(3).message(35 * CHUNK));
    let (chunks, []) = message.as_chunks::<CHUNK>() else { panic!("whole chunks") };
    for streams in 1..=MAX_STREAMS {
        let (key, oracle_keys) = l1_keys(streams);
        for count in 1..=40 {
            let hashes = |chunk: &[u8; CHUNK]| {
                let chunk = *chunk;
                oracle_keys.iter().map(move |key| oracle::l1_hash(key, &chunk))
            };
            let expected: Vec<u64> = chunks[..count].iter().flat_map(hashes).collect();
            for row in nh_rows(streams) {
                let mut sums = vec![0xdead; count * streams];
                row.nh(&key, chunks[..count].as_flattened(), &mut sums);
                sums.iter_mut().for_each(|sum| *sum = sum.wrapping_add(8 * CHUNK as u64));
                assert_eq!(sums, expected, "{}, {streams} streams, {count} chunks", row.name());
            }
        }
    }
}

/// The kernels promise more than `last` and `chunk` need: several chunks, the last of which is shorter.
#[test]
fn nh_of_every_number_of_units() {
    let message = Random(4).message(100 * UNIT); // three chunks and four units
    let (units, []) = message.as_chunks::<UNIT>() else { panic!("whole units") };
    for streams in 1..=MAX_STREAMS {
        let (key, oracle_keys) = l1_keys(streams);
        for count in 1..=units.len() {
            let chunks = units[..count].as_flattened().chunks(CHUNK);
            let expected: Vec<u64> = chunks
                .flat_map(|chunk| oracle_keys.iter().map(move |key| oracle::nh(key, chunk)))
                .collect();
            for row in nh_rows(streams) {
                let mut sums = vec![0xdead; expected.len()];
                row.nh(&key, units[..count].as_flattened(), &mut sums);
                assert_eq!(sums, expected, "{}, {streams} streams, {count} units", row.name());
            }
        }
    }
}

// Level 2.

#[test]
fn l2_poly_of_random_and_edge_words() {
    let mut random = Random(5);
    for poly in &POLYS {
        for _ in 0..2000 {
            let k = random.wide() & poly.key_mask;
            let y = poly.random_word(&mut random) % poly.prime();
            poly.check(k, y, poly.random_word(&mut random));
            // Only one random word in 2^32 is over the limit, so this word is made to be.
            poly.check(k, y, poly.largest_word() - (random.word() >> 32) as u128);
        }
    }
}

/// The word at a given place of a sequence.
type Fill = fn(&mut Random, u64) -> u64;

const FILLS: [(&str, Fill); 4] = [
    ("random", |random, _| random.word()),
    ("zero", |_, _| 0),
    ("all ones", |_, _| u64::MAX), // over both limits, everywhere
    // One word in five over the limit, at changing places of its pair.
    ("mixed", |random, i| if i % 5 == 0 { random.word() | !0 << 32 } else { random.word() }),
];

#[test]
fn l2_states_around_the_switch() {
    const SWITCH: u64 = oracle::POLY64_OUTPUTS as u64;
    let counts = [1, 2, 3, SWITCH - 1, SWITCH, SWITCH + 1, SWITCH + 2, SWITCH + 3, SWITCH + 8];
    let keys = l2_poly::Key::derive(&Kdf::<Rfc4418>::new(Cpu::detect(), &SECRET), MAX_STREAMS);
    for (fill, (name, word)) in FILLS.iter().enumerate() {
        // One fill for each stream: every derived key is used.
        let key = &keys[fill];
        let oracle_key = oracle::l2_key(&SECRET, fill);
        let mut random = Random(6);
        let mut state = l2_poly::State::new();
        let mut words = Vec::new();
        for count in 1..=SWITCH + 8 {
            words.push(word(&mut random, count));
            state.absorb_row(&[*key; MAX_STREAMS], &[words[count as usize - 1]]);
            if !counts.contains(&count) {
                continue;
            }
            // The rule that one chunk skips level 2 belongs to the caller, not to this state.
            let expected = if count == 1 {
                let k64 = super::value(&oracle::k64(&oracle_key));
                POLYS[0].expected(k64, 1, words[0].into())
            } else {
                u128::from_be_bytes(oracle::l2_hash(&oracle_key, &words))
            };
            assert_eq!(state.finish(key, 0), expected, "{name}, {count} words");
        }
    }
}

// Level 3.

#[test]
fn l3_of_random_and_edge_inputs() {
    let mut random = Random(7);
    let keys = (0..20).map(|_| random.bytes()).chain([[0xff; 64], [0; 64]]).collect::<Vec<_>>();
    let words: Vec<u128> = (0..20)
        .map(|_| random.wide())
        .chain([0, 1, u128::MAX, u64::MAX.into(), !0 << 64, 0xffff << 112])
        .collect();
    for key in &keys {
        for &word in &words {
            for mask in [[0; 4], [0xff; 4], random.bytes()] {
                let hash = l3_inner::Key::from_bytes(key, &mask).hash(word).to_be_bytes();
                let expected = oracle::l3_hash(key, &mask, &word.to_be_bytes());
                assert_eq!(hash, expected, "{word:#x}, key {key:02x?}");
            }
        }
    }
}

#[test]
fn l3_keys_of_every_stream() {
    for streams in 1..=MAX_STREAMS {
        let keys = l3_inner::Key::derive(&Kdf::<Rfc4418>::new(Cpu::detect(), &SECRET), streams);
        for (stream, key) in keys[..streams].iter().enumerate() {
            let (l3_key, mask) = (oracle::l3_key(&SECRET, stream), oracle::mask(&SECRET, stream));
            for word in [0, 1, u128::MAX, Random(8).wide()] {
                let expected = oracle::l3_hash(&l3_key, &mask, &word.to_be_bytes());
                assert_eq!(key.hash(word).to_be_bytes(), expected, "stream {stream} of {streams}");
            }
        }
    }
}

// PMAC's layers.

/// Doubling and halving are linear code, so a basis decides them; and so do steps of powers of two for the Gray walk.
#[test]
fn doubling_on_a_basis() {
    for bit in 0..128 {
        let one = (1u128 << bit).to_be_bytes();
        assert_eq!(one.double(), oracle_pmac::double(&one), "bit {bit}");
        assert_eq!(one.halve(), oracle_pmac::halve(&one), "bit {bit}");
        assert_eq!(one.double().halve(), one);
        let offsets = Offsets::new(&one);
        for power in 0..63 {
            assert_eq!(
                offsets.step(1 << power),
                &oracle_pmac::l_power(&one, power),
                "{bit}, {power}"
            );
        }
    }
    for bit in 0..64 {
        // Modulo x^64 + x^4 + x^3 + x + 1, whose inverse of x is x^63 + x^3 + x^2 + 1.
        let one: [u8; 8] = (1u64 << bit).to_be_bytes();
        let doubled: u64 = if bit == 63 { 0b1_1011 } else { 1 << (bit + 1) };
        let halved: u64 = if bit == 0 { 1 << 63 | 0b1101 } else { 1 << (bit - 1) };
        assert_eq!((one.double(), one.halve()), (doubled.to_be_bytes(), halved.to_be_bytes()));
    }
    assert_eq!([0; 16].double(), [0; 16]);
    assert_eq!([0; 8].halve(), [0; 8]);
}

#[test]
fn offsets() {
    let mut random = Random(9);
    // L with a bit that is shifted out at the left, at the right, at both ends and at neither end.
    let first_bit = (1u128 << 127).to_be_bytes();
    let last_bit = 1u128.to_be_bytes();
    for l in [[0xff; 16], first_bit, last_bit, random.bytes(), random.bytes(), random.bytes()] {
        let offsets = Offsets::new(&l);
        assert_eq!(offsets.of(0), [0; 16]);
        assert_eq!(*offsets.inverse(), oracle_pmac::halve(&l));
        assert_eq!(oracle_pmac::double(offsets.inverse()), l);

        // From one number to the next the Gray code changes one bit, which is a high bit at powers of two.
        let around_powers = (2..=59).flat_map(|e| (1u64 << e) - 3..=(1 << e) + 3);
        for i in (1..=2000).chain(around_powers) {
            let expected = oracle_pmac::offset(&l, i);
            assert_eq!(offsets.of(i), expected, "block {i}");
            let before = oracle_pmac::offset(&l, i - 1);
            assert_eq!(before.xor(offsets.step(i)), expected, "step to block {i}");
        }
    }
}

/// Where a sum may begin: everywhere in a kernel's groups of 32 and 64, and at large numbers, so that many bits
/// of the Gray code change.
fn firsts() -> impl Iterator<Item = u64> {
    let far = [(1 << 20) - 3, (1 << 32) - 100, (1 << 32) + 1, (1 << 59) - 7, 0x0123_4567_89ab_cdef];
    (1..=66).chain(far)
}

fn check_sum<C: BlockCipher<Block = Block>>(secret: &[u8], oracle_cipher: &oracle_pmac::Cipher) {
    let kernels = pmac::Key::<C, 16>::kernels(Cpu::detect());
    let keys: Vec<_> = kernels
        .map(|(name, cpu)| {
            let key =
                pmac::Key::<C, 16>::from_slice_with_cpu(cpu, secret).expect("the cipher's length");
            assert_eq!(key.kernel(), name);
            key
        })
        .collect();
    let message = Random(10).message(200 * 16);
    let blocks: &[Block] = message.as_chunks().0;
    let before = [0x5a; 16]; // a sum adds to the old contents
    for first in firsts() {
        let mut expected = before;
        for count in 0..=blocks.len() {
            if count > 0 {
                let block = &blocks[count - 1];
                let part = oracle_pmac::sum(oracle_cipher, first + count as u64 - 1, block);
                expected = expected.xor(&part);
            }
            for key in &keys {
                let mut sum = before;
                key.add(first, &blocks[..count], &mut sum);
                assert_eq!(sum, expected, "{key:?}, {count} blocks from {first}");
            }
        }
    }
}

#[test]
fn block_sums() {
    let secret: [u8; 32] = Random(11).bytes();
    let aes = |length: usize| Aes::new(&secret[..length]);
    let (aes128, aes192, aes256) = (aes(16), aes(24), aes(32));
    check_sum::<Aes128>(&secret[..16], &|block| aes128.encrypt(block));
    check_sum::<Aes192>(&secret[..24], &|block| aes192.encrypt(block));
    check_sum::<Aes256>(&secret, &|block| aes256.encrypt(block));
}

// Tags.

/// The switch from POLY-64 to POLY-128, in whole messages: below it, on it, one byte, one chunk
/// and two chunks after it, and where the last pair of words is half empty or full.
fn check_umac_at_16_mib<const N: usize>() {
    const SWITCH: usize = 1 << 24;
    let nonce = [0, 9, 8, 7];
    let message = Random(13).message(SWITCH + 2049);
    let lengths = [
        SWITCH - 1,
        SWITCH,
        SWITCH + 1,
        SWITCH + 1024,
        SWITCH + 1025,
        SWITCH + 2048,
        SWITCH + 2049,
    ];
    let expected = lengths.map(|length| oracle::umac(&SECRET, &message[..length], &nonce, N));
    for (name, cpu) in umac::Key::<N>::kernels(Cpu::detect()) {
        let key = umac::Key::<N>::with_cpu(cpu, &SECRET);
        let mut stream = key.stream();
        let mut taken = 0;
        for (&length, expected) in lengths.iter().zip(&expected) {
            stream.update(&message[taken..length]);
            taken = length;
            let tag = stream.tag_under(&Nonce::from(nonce)).to_bytes();
            assert_eq!(tag.as_slice(), expected, "{name}, {length} bytes in a stream");
        }
        let tag = key.tag_under(&Nonce::from(nonce), &message).to_bytes();
        assert_eq!(tag.as_slice(), expected[6], "{name}, all at once");
    }
}

#[test]
fn umac32_at_16_mib() {
    check_umac_at_16_mib::<4>();
}

#[test]
fn umac64_at_16_mib() {
    check_umac_at_16_mib::<8>();
}

#[test]
fn umac96_at_16_mib() {
    check_umac_at_16_mib::<12>();
}

#[test]
fn umac128_at_16_mib() {
    check_umac_at_16_mib::<16>();
}

type OraclePmac = fn(key: &[u8], message: &[u8], tag_len: usize) -> Vec<u8>;

/// Every length up to a little more than a group of 64 blocks (1024 bytes), then lengths around later edges of blocks,
/// of streams' buffers (512 bytes) and of groups.
fn check_pmac<C: BlockCipher, const N: usize>(oracle: OraclePmac) {
    let secret = Random(14).message(C::KEY_BYTES);
    let message = Random(15).message(8200);
    let edges = [2048, 2560, 3072, 4096, 8192];
    let around = edges
        .into_iter()
        .flat_map(|edge| [edge - 17, edge - 16, edge - 15, edge - 1])
        .chain(edges.into_iter().flat_map(|edge| edge..=edge + 1));
    let kernels = pmac::Key::<C, N>::kernels(Cpu::detect());
    let keys: Vec<_> = kernels
        .map(|(_, cpu)| {
            pmac::Key::<C, N>::from_slice_with_cpu(cpu, &secret).expect("the cipher's length")
        })
        .collect();
    for length in (0..=1100).chain(around) {
        let message = &message[..length];
        let expected = oracle(&secret, message, N);
        for key in &keys {
            assert_eq!(key.tag(message).to_bytes().as_slice(), expected, "{key:?}, {length} bytes");
        }
    }
}

/// The shortest tag, the longest tag, and a length between that is not a power of two.
fn check_pmac_tag_lengths<C: BlockCipher>(oracle: OraclePmac) {
    check_pmac::<C, 4>(oracle);
    check_pmac::<C, 9>(oracle);
    check_pmac::<C, 16>(oracle);
}

#[test]
fn pmac_aes128() {
    check_pmac_tag_lengths::<Aes128>(oracle_pmac::pmac_aes);
}

#[test]
fn pmac_aes192() {
    check_pmac_tag_lengths::<Aes192>(oracle_pmac::pmac_aes);
}

#[test]
fn pmac_aes256() {
    check_pmac_tag_lengths::<Aes256>(oracle_pmac::pmac_aes);
}
