//! The families of universal hash functions: the oracle at random shapes, what is refused,
//! and the theorems at sizes where every key and every pair of messages can be tried. Known answers are in the
//! crate `wegman-answers`.

#[path = "universal/errors.rs"]
mod errors;
#[path = "universal/oracle.rs"]
mod oracle;
#[path = "universal/theorems.rs"]
mod theorems;

use wegman_reference::inputs::Random;
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

fn below(random: &mut Random, limit: usize) -> usize {
    random.upto(limit - 1)
}

/// Words of w bits; every fourth is one of the extremes.
fn words(random: &mut Random, w: u32, length: usize) -> Vec<u64> {
    let top = u64::MAX >> (64 - w);
    let extremes = [0, 1, top, top / 2, top / 2 + 1].map(|word| word & top);
    let word = |_| match random.upto(3) {
        0 => extremes[random.upto(4)],
        _ => random.word() & top,
    };
    (0..length).map(word).collect()
}

/// Numbers below p; every fourth is one of the extremes.
fn words_below(random: &mut Random, p: u64, length: usize) -> Vec<u64> {
    let word = |_| match random.upto(7) {
        0 => 0,
        1 => p - 1,
        _ => random.word() % p,
    };
    (0..length).map(word).collect()
}

/// There is this error and no value.
fn refused<T: std::fmt::Debug>(result: Result<T, InvalidInput>, error: InvalidInput) {
    assert_eq!(result.err(), Some(error));
}
