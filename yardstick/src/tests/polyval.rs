//! Polyval-AES on every kernel against the oracle, which is bitwise and shares no code with it.

use crate::polyval::Key;
use crate::polyval::hash::CHUNK;
use wegman::{Cpu, NonceOf};
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
