//! Eight messages in registers of ARMv8: their pads side by side, the rest as in clmul.rs.

use super::Key;
use super::clmul::{EACH_OF_8, of_block};
use crate::field::pmull::{load, reduce_by, xor};
use crate::rows::EightTags;
use crate::rows::pmull::{pads8, store};
use core::hint::black_box;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::pads::Blocks;

#[target_feature(enable = "neon,aes")]
pub(super) fn tag8<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    _: usize,
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    let pads = pads8::<ROUNDS>(key, blocks);
    for ((message, tag), pad) in messages.iter().zip(tags).zip(&pads) {
        // Hidden from the compiler, which would load keys before the loop and spill them.
        let key = black_box(key);
        let wide = of_block::<ROUNDS, EACH_OF_8>(key, message, message.len() as u64);
        store(tag, xor(*pad, reduce_by(load(&key.modulus), wide)));
    }
}
