//! NH in 128-bit registers: the x of a unit in one, its y in another.
//!
//! ```text
//! load     x0 x1 x2 x3   and   y0 y1 y2 y3
//! then for each stream: add the keys, multiply the lower two pairs of words and add their products
//! to one register, multiply the upper two pairs and add their products to another register
//! ```
//!
//! The keys of stream `t` start `t` registers later. So the key of a stream's y is the key of the next
//! stream's x, and every key is loaded once for each unit. Each stream has two registers of sums, so that
//! neither multiplication waits for the other.
#![allow(unsafe_code)]

use super::{Key, UNIT, padded, parts};
use core::arch::aarch64::*;

#[target_feature(enable = "neon")]
pub(super) fn nh<const STREAMS: usize, const SIGNED: bool>(
    key: &Key,
    message: &[u8],
    sums: &mut [u64],
) {
    for (part, sums) in parts::<STREAMS>(message, sums) {
        let (units, rest) = part.as_chunks::<UNIT>();
        let mut totals = [[vdupq_n_u64(0); 2]; STREAMS];
        for (i, unit) in units.iter().enumerate() {
            add_unit::<STREAMS, SIGNED>(&mut totals, key, i, unit);
        }
        if !rest.is_empty() || units.is_empty() {
            add_unit::<STREAMS, SIGNED>(&mut totals, key, units.len(), &padded(rest));
        }
        for (sum, [lower, upper]) in sums.iter_mut().zip(totals) {
            *sum = vaddvq_u64(vaddq_u64(lower, upper));
        }
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn add_unit<const STREAMS: usize, const SIGNED: bool>(
    totals: &mut [[uint64x2_t; 2]; STREAMS],
    key: &Key,
    i: usize,
    unit: &[u8; UNIT],
) {
    let (halves, _) = unit.as_chunks::<16>();
    let (x, y) = (load(&halves[0]), load(&halves[1]));
    let keys = &key.words.as_chunks::<4>().0[2 * i..][..STREAMS + 1];
    for (t, [lower, upper]) in totals.iter_mut().enumerate() {
        let a = vaddq_u32(x, load_key(&keys[t]));
        let b = vaddq_u32(y, load_key(&keys[t + 1]));
        if SIGNED {
            let (a, b) = (vreinterpretq_s32_u32(a), vreinterpretq_s32_u32(b));
            let product = vmull_s32(vget_low_s32(a), vget_low_s32(b));
            *lower = vaddq_u64(*lower, vreinterpretq_u64_s64(product));
            *upper = vaddq_u64(*upper, vreinterpretq_u64_s64(vmull_high_s32(a, b)));
        } else {
            *lower = vmlal_u32(*lower, vget_low_u32(a), vget_low_u32(b));
            *upper = vmlal_high_u32(*upper, a, b);
        }
    }
}

/// Four words of the message. Their bytes are numbers only on a little-endian machine.
#[inline]
#[target_feature(enable = "neon")]
fn load(bytes: &[u8; 16]) -> uint32x4_t {
    // SAFETY: 16 bytes are read from 16 bytes, with the alignment of a byte.
    vreinterpretq_u32_u8(unsafe { vld1q_u8(bytes.as_ptr()) })
}

#[inline]
#[target_feature(enable = "neon")]
fn load_key(words: &[u32; 4]) -> uint32x4_t {
    // SAFETY: four words are read from four words, with the alignment of a word.
    unsafe { vld1q_u32(words.as_ptr()) }
}
