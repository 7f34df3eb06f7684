//! Those families of `wegman_yardstick::universal` that the papers' tables measure, in plain code, each under a key for messages of up to 4096 bytes,
//! the block that UMAC of 1999 hashes at once.
//!
//! | name | what |
//! |---|---|
//! | `NH32`, `NH16`, `MH32`, `MH16` | NH and MH of one output in words of their own size, compiled as `MMH32` is |
//! | `NHT-32`, `NHT2-32` | NH of words of 32 bits twice: one level, and two as in UMAC-STD |
//! | `NHX-w/t`, `NHSX-w/t` | t times NH of words of w = 8, 16, 32, 64 bits, and its signed form |
//! | `MMH32`, `MMH16` | MH and a reduction |
//! | `Bucket-32/140` | words of 32 bits into 140 buckets, every word visiting every bucket |
//! | `Bucket-32/140-indexed` | the same with the key's buckets as places in memory, as the paper means it: not constant time |
//! | `CRC-64` | modulo x^64 + x^4 + x^3 + x + 1 |
//!
//! Converting the message's bytes to words, zero-padded to a whole pair, is timed with the hash.

mod bucket;
mod linear;
mod nh;
mod products;

use crate::engine::{Engine, Group, random_bytes};
use std::cell::RefCell;
use std::sync::LazyLock;
use wegman_reference::umac_rfc4418::zero_pad;
use wegman_reference::universal as oracle;

/// The longest message.
const LONGEST: usize = 4096;

/// What every word and length here is.
const TAKEN: &str = "a message the family takes";

/// One of them by name, in upper case.
pub fn find(name: &str) -> Option<Engine> {
    let places = [nh::find, products::find, bucket::find, linear::find];
    places.into_iter().find_map(|find| find(name))
}

/// A family that takes words of `W` bytes.
fn family<const W: usize, T: 'static>(
    name: &str,
    // Not a function pointer: a call for each word would cost more than the hash.
    word: impl Fn([u8; W]) -> T + 'static,
    hash: impl Fn(&[T]) -> u128 + 'static,
    definition: impl Fn(&[u64]) -> u128 + 'static,
) -> Engine {
    let scratch = RefCell::new(Vec::new());
    of_bytes(name, move |message| {
        let mut words = scratch.borrow_mut();
        words.clear();
        let (whole, rest) = message.as_chunks();
        words.extend(whole.iter().copied().map(&word));
        if !rest.is_empty() {
            words.push(word(std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0))));
        }
        if words.len() % 2 == 1 {
            words.push(word([0; W]));
        }
        hash(&words)
    })
    .checked_by(move |_, message| {
        let words = oracle::words(8 * W as u32, &zero_pad(message, 2 * W));
        definition(&words).to_le_bytes()
    })
}

fn of_bytes(name: &str, hash: impl Fn(&[u8]) -> u128 + 'static) -> Engine {
    let hash = move |_, message: &[u8]| hash(message);
    Engine::unlisted(Group::OneMessage, name, "portable", hash).up_to(LONGEST)
}

fn wide_32(word: [u8; 4]) -> u64 {
    u32::from_le_bytes(word).into()
}

/// A key of words of w bits. The families borrow theirs, so it stays to the end of the program.
fn key(w: u32, count: usize) -> &'static [u64] {
    oracle::words(w, &random_bytes(count)).leak()
}

/// A key of words of 32 bits for the longest message.
fn key_32() -> &'static [u64] {
    static KEY: LazyLock<&[u64]> = LazyLock::new(|| key(32, LONGEST));
    &KEY
}

/// A key of words of 16 bits for the longest message.
fn key_16() -> &'static [u64] {
    static KEY: LazyLock<&[u64]> = LazyLock::new(|| key(16, LONGEST));
    &KEY
}

fn narrow<T>(key: &[u64], word: fn(u64) -> T) -> &'static [T] {
    key.iter().map(|&wide| word(wide)).collect::<Vec<T>>().leak()
}

/// Two hashes of 64 bits as one number.
fn two(hashes: [u128; 2]) -> u128 {
    hashes[0] | hashes[1] << 64
}
