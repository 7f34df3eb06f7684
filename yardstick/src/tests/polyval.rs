//! Polyval-AES on every kernel against the oracle, which is bitwise and shares no code with it.

use crate::polyval::Key;
use crate::polyval::hash::CHUNK;
use wegman::{Cpu, NonceOf, NoncesExhausted, Tag};
use wegman_reference::inputs::{Placed, Random};
use wegman_reference::{carter, polyval_aes as oracle};

const SECRET: &[u8; 16] = b"sixteen byte key";

/// A key for each kernel of this machine.
fn keys<const L: usize>() -> Vec<Key<L>> {
    Key::<L>::kernels(Cpu::detect())
        .map(|(name, cpu)| {
            let key = Key::from_slice_with_cpu(cpu, SECRET).unwrap();
            assert_eq!(key.kernel(), name);
            key
        })
        .collect()
}

/// The oracle's tag, from its hash of all chunks before the last, which need not be computed again for each length.
struct Oracle {
    h: u128,
    pad_key: Vec<u8>,
}

impl Oracle {
    fn new() -> Oracle {
        let part = |number| carter::stream(SECRET, 129, number, 16);
        Oracle { h: carter::number(&part(2)), pad_key: part(0) }
    }

    /// POLYVAL's state before each block of the padded message.
    fn states(&self, message: &[u8]) -> Vec<u128> {
        let mut y = 0;
        let step = |block: &[u8]| {
            let before = y;
            y = carter::dot(y ^ carter::number(block), self.h);
            before
        };
        message.chunks_exact(16).map(step).collect()
    }

    fn tag(&self, states: &[u128], nonce: &[u8], message: &[u8]) -> Vec<u8> {
        let whole = (message.len() / 16).min(states.len() - 1);
        let blocks = oracle::blocks(message);
        let hash = blocks[16 * whole..]
            .chunks(16)
            .fold(states[whole], |y, block| carter::dot(y ^ carter::number(block), self.h));
        let pad = carter::pad(&self.pad_key, nonce);
        hash.to_le_bytes().iter().zip(pad).map(|(hash, pad)| hash ^ pad).collect()
    }
}

#[test]
fn every_length_on_every_kernel() {
    fn check<const L: usize>(lengths: impl Iterator<Item = usize>) {
        let keys = keys::<L>();
        let names: Vec<_> = keys.iter().map(Key::kernel).collect();
        eprintln!("kernels of Polyval-AES: {names:?}");
        let mut random = Random(1);
        let message = random.message(5016);
        let placed = Placed::new(&message[..5000]);
        let oracle = Oracle::new();
        let states = oracle.states(&message);
        for length in lengths {
            let bytes: [u8; L] = random.bytes();
            let tag = oracle.tag(&states, &bytes, &message[..length]);
            if length % 500 < 3 {
                assert_eq!(tag, oracle::tag(SECRET, &bytes, &message[..length]));
            }
            let nonce = || NonceOf::from(bytes);
            for key in &keys {
                let part = placed.at(length * 7 + 1, length);
                let got = key.tag(nonce(), part);
                assert_eq!(got.to_bytes().as_slice(), tag, "{length} bytes, {}", key.kernel());
                // Eight copies, for kernels that take eight messages.
                let mut tags = [Tag::from([0; 16]); 8];
                assert_eq!(key.tag_many(nonce(), &[part; 8], &mut tags), Ok(()));
                assert_eq!(tags[0], got, "{length} bytes, {}", key.kernel());
            }
        }
    }
    check::<12>(0..=5000);
    check::<16>((0..=5000).step_by(37).chain(0..=130));
}

/// Long messages, with prefetching.
#[test]
fn many_chunks() {
    let message = Random(3).message(1300 * CHUNK + 100);
    let nonce = [9; 16];
    let expected = oracle::tag(SECRET, &nonce, &message);
    for key in keys::<16>() {
        assert_eq!(key.tag(nonce.into(), &message).to_bytes().as_slice(), expected);
    }
}

/// Batches of all sizes, of messages of like and unlike lengths, and the carries of nonces.
#[test]
fn batches() {
    let mut random = Random(4);
    let text = random.message(3 * CHUNK);
    for key in keys::<12>() {
        for longest in [0, 1, 16, 17, 64, 65, 200, CHUNK, 3 * CHUNK] {
            for count in (0..=17).chain([63, 64, 65]) {
                let first = (1 << 16) - random.word() % 70;
                let nonce = |i| NonceOf::counter(first + i as u64);
                let messages: Vec<&[u8]> = (0..count)
                    .map(|_| {
                        let length = random.word() as usize % (longest + 1);
                        let all = random.word().is_multiple_of(4);
                        &text[..if all { longest } else { length }]
                    })
                    .collect();
                let mut tags = vec![Tag::from([0; 16]); count];
                assert_eq!(key.tag_many(nonce(0), &messages, &mut tags), Ok(()));
                let mut packets = Vec::new();
                for (i, (message, tag)) in messages.iter().zip(&tags).enumerate() {
                    assert_eq!(*tag, key.tag(nonce(i), message), "{longest}, {count}, {i}");
                    packets.push((nonce(i), *message, *tag));
                }
                let mut valid = vec![false; count];
                assert_eq!(key.verify_many(&packets, &mut valid), Ok(()));
                assert!(valid.iter().all(|valid| *valid));
                if count > 2 {
                    packets[2].2 = Tag::from(packets[2].2.to_bytes().map(|byte| !byte));
                    assert!(key.verify_many(&packets, &mut valid).is_err());
                    let wrong: Vec<usize> = (0..count).filter(|&i| !valid[i]).collect();
                    assert_eq!(wrong, [2]);
                }
            }
        }
        let last = NonceOf::from([0xff; 12]);
        let mut tags = [Tag::from([7; 16]); 2];
        assert_eq!(key.tag_many(last, &[b"a", b"b"], &mut tags), Err(NoncesExhausted));
        assert!(tags.iter().all(|tag| tag.to_bytes() == [7; 16]));
    }
}
