//! The secrets, and how results computed from them become public.

use crate::valgrind::{self, hide, is_hidden, reveal};
use wegman::Tag;
use wegman::cipher::Block;

/// The secret of keys of 16 bytes.
pub const SECRET: [u8; 16] = *b"sixteen byte key";

/// Around everything that is cut into parts, and beyond the switch of level 2.
pub const LENGTHS: [usize; 28] = [
    0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 257, 511, 512, 513, 1023, 1024, 1025, 2048,
    2049, 3000, 4095, 4096, 4097, 8193, 17413,
];

/// The longest message.
pub const LONGEST: usize = (1 << 24) + 1025;

/// Makes a tag public, after a check that it was secret until now: if it was not, the secret was lost
/// on the way and nothing was checked.
pub fn revealed<const N: usize>(tag: Tag<N>) -> [u8; N] {
    let mut bytes = tag.to_bytes();
    reveal_secret(&mut bytes, N);
    bytes
}

/// The same of bytes of which the first `secret` must be secret.
pub fn reveal_secret(bytes: &mut [u8], secret: usize) {
    let is_checked = !valgrind::is_running() || is_hidden(&bytes[..secret]);
    assert!(is_checked, "a result does not depend on the secret");
    reveal(bytes);
}

/// The outcome of a verification is public, but not its reason.
pub fn revealed_outcome<E>(outcome: &Result<(), E>) -> bool {
    revealed_flag(outcome.is_ok())
}

/// Makes a flag public.
pub fn revealed_flag(flag: bool) -> bool {
    let mut flag = [u8::from(flag)];
    reveal(&mut flag);
    flag[0] == 1
}

/// Makes a block public, after the same check.
pub fn revealed_block(mut block: Block) -> Block {
    reveal_secret(&mut block, 16);
    block
}

/// The bytes 1, 2, 3, ...
pub fn secret<const N: usize>() -> [u8; N] {
    std::array::from_fn(|i| i as u8 + 1)
}

/// Bytes, hidden.
pub fn hidden<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    hide(&mut bytes);
    bytes
}

/// A message to work with, and the same in public.
pub struct Messages {
    pub hidden: Vec<u8>,
    pub public: Vec<u8>,
}

impl Messages {
    /// The hidden one is watched from here on.
    pub fn new() -> Messages {
        let public: Vec<u8> =
            (0..LONGEST as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        let mut hidden = public.clone();
        hide(&mut hidden);
        Messages { hidden, public }
    }
}
