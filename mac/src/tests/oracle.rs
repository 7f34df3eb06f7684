//! Level 2 and the block sums of PMAC, one by one so that a failure names the level, and the tags of every row,
//! against the oracle. The rows come from the tables, so that a new row is covered automatically.

use super::{POLYS, SECRET, for_every_length};
use crate::cipher::{Aes128, Aes192, Aes256, Block, BlockCipher, CipherBlock};
use crate::cpu::Cpu;
use crate::nonce::Nonce;
use crate::pmac;
use crate::pmac::offset::Offsets;
use crate::umac;
use crate::umac::MAX_STREAMS;
use crate::umac::kdf::{Kdf, Rfc4418};
use crate::umac::l2_poly;
use wegman_reference::aes::Aes;
use wegman_reference::inputs::Random;
use wegman_reference::pmac as oracle_pmac;
use wegman_reference::umac_rfc4418 as oracle;

// Level 2.

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
    let mut keys = [l2_poly::Key::default(); MAX_STREAMS];
    l2_poly::Key::derive(&mut keys, &Kdf::<Rfc4418>::new(Cpu::detect(), &SECRET));
    for (fill, (name, word)) in FILLS.iter().enumerate() {
        // One fill for each stream: every derived key is used.
        let key = &keys[fill];
        let oracle_key = oracle::l2_key(&SECRET, fill);
        let mut random = Random(6);
        let mut state = l2_poly::State::new();
        let mut words = Vec::new();
        for count in 1..=SWITCH + 8 {
            words.push(word(&mut random, count));
            state.absorb_words(&[*key; MAX_STREAMS], &[words[count as usize - 1]]);
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
            assert_eq!(state.finish(key, 0).0, expected, "{name}, {count} words");
        }
    }
}

// PMAC's steps.

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
    let lengths =
        [-1500, -1, 0, 1, 1023, 1024, 1025, 2048, 2049].map(|d| (SWITCH as isize + d) as usize);
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
        assert_eq!(tag.as_slice(), expected[lengths.len() - 1], "{name}, all at once");
    }
}

#[test]
fn umac_at_16_mib() {
    for_every_length!(check_umac_at_16_mib);
}

type OraclePmac = fn(key: &[u8], message: &[u8], tag_len: usize) -> Vec<u8>;

/// Every length up to a little more than a group of 64 blocks (1024 bytes), then lengths around later edges of blocks,
/// of streams' buffers (512 bytes) and of groups. The first block is a number, as a packet's, or lies in parts.
fn check_pmac<C: BlockCipher, const N: usize>(oracle: OraclePmac) {
    let secret = Random(14).message(C::KEY_BYTES);
    let mut message = Random(15).message(8200);
    message[..8].fill(0);
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
            for head in [0, 1, 12, 15, 16, 17].map(|head| head.min(length)) {
                let (head, rest) = message.split_at(head);
                let (first, second) = head.split_at(length % (head.len() + 1));
                for parts in [&[head, rest][..], &[first, &[], second, rest]] {
                    let tag = key.tag_parts(parts).to_bytes();
                    assert_eq!(tag.as_slice(), expected, "{key:?}, {length}: {head:?}");
                }
            }
            #[cfg(feature = "session")]
            if let Some((block, message)) = message.split_first_chunk::<16>() {
                let tag = key.tag_after(u128::from_be_bytes(*block) as u64, message);
                assert_eq!(
                    tag.to_bytes().as_slice(),
                    expected,
                    "{key:?}, {length}, after a number"
                );
                for head in [0, 1, 12, 15, 16, 17].map(|head| head.min(message.len())) {
                    let (number, parts) =
                        (u128::from_be_bytes(*block) as u64, message.split_at(head));
                    let tag = crate::session::PacketMac::tag_packet_parts(
                        key,
                        number,
                        &[parts.0, parts.1],
                    );
                    let tag = tag.to_bytes();
                    assert_eq!(tag.as_slice(), expected, "{key:?}, {length}, behind {head} bytes");
                }
            }
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
fn pmac_of_aes() {
    check_pmac_tag_lengths::<Aes128>(oracle_pmac::pmac_aes);
    check_pmac_tag_lengths::<Aes192>(oracle_pmac::pmac_aes);
    check_pmac_tag_lengths::<Aes256>(oracle_pmac::pmac_aes);
}
