//! The families of universal hash functions: the oracle at random shapes, what is refused,
//! and the theorems at sizes where every key and every pair of messages can be tried. Known answers are in the
//! crate `wegman-answers`.

#[path = "universal/errors.rs"]
mod errors;
#[path = "universal/oracle.rs"]
mod oracle;
#[path = "universal/theorems.rs"]
mod theorems;

use wegman_reference::universal as reference;
use wegman_yardstick::universal::{InvalidInput, Nh, Nht, Nht2, Sign};

/// Signs as the oracle knows them.
fn of_oracle(sign: Sign) -> reference::Sign {
    match sign {
        Sign::Unsigned => reference::Sign::Unsigned,
        Sign::Signed => reference::Sign::Signed,
        other => panic!("the oracle does not know {other:?}"),
    }
}

fn nh(sign: Sign, w: u32, key: &[u64], message: &[u64]) -> u128 {
    Nh::new(sign, w, key).unwrap().hash(message).unwrap()
}

fn nht<const T: usize>(sign: Sign, w: u32, key: &[u64], message: &[u64]) -> [u128; T] {
    let mut out = [0; T];
    Nht::new(sign, w, T, key).unwrap().hash(message, &mut out).unwrap();
    out
}

fn nht2(sign: Sign, w: u32, k: &[u64], l: &[u64], message: &[u64]) -> [u128; 2] {
    Nht2::new(sign, w, k, l).unwrap().hash(message).unwrap()
}

/// Numbers that look random and are the same in every run (splitmix64).
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.word() as usize % limit
    }

    /// Words of w bits; every fourth is one of the extremes.
    fn words(&mut self, w: u32, length: usize) -> Vec<u64> {
        let top = u64::MAX >> (64 - w);
        let extremes = [0, 1, top, top / 2, top / 2 + 1].map(|word| word & top);
        let word = |_| match self.below(4) {
            0 => extremes[self.below(5)],
            _ => self.word() & top,
        };
        (0..length).map(word).collect()
    }

    /// Numbers below p; every fourth is one of the extremes.
    fn words_below(&mut self, p: u64, length: usize) -> Vec<u64> {
        let word = |_| match self.below(8) {
            0 => 0,
            1 => p - 1,
            _ => self.word() % p,
        };
        (0..length).map(word).collect()
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.word() as u8).collect()
    }
}

/// There is this error and no value.
fn refused<T: std::fmt::Debug>(result: Result<T, InvalidInput>, error: InvalidInput) {
    assert_eq!(result.err(), Some(error));
}
