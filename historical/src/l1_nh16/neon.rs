//! NH with 16-bit words (draft of October 2000, section 6.1) in 128-bit registers: the x of a unit in one, its y in
//! another.

use super::{STEP, Step, UNIT, padded};
use core::arch::aarch64::*;
use wegman::hazmat::simd::{Plain, load128};

#[target_feature(enable = "neon")]
pub(super) fn nh<const STREAMS: usize>(key: &[Step], chunk: &[u8], sums: &mut [u32]) {
    let (units, rest) = chunk.as_chunks::<UNIT>();
    let mut totals = [vdupq_n_s32(0); STREAMS];
    for (units, lists) in units.chunks(STEP).zip(key) {
        for (i, unit) in units.iter().enumerate() {
            add_unit(&mut totals, lists, i, unit);
        }
    }
    if !rest.is_empty() || units.is_empty() {
        let i = units.len();
        add_unit(&mut totals, &key[i / STEP], i % STEP, &padded(rest));
    }
    for (sum, total) in sums.iter_mut().zip(totals) {
        *sum = vaddvq_s32(total) as u32;
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn add_unit<const STREAMS: usize>(
    totals: &mut [int32x4_t; STREAMS],
    lists: &Step,
    i: usize,
    unit: &[u8; UNIT],
) {
    let (halves, _) = unit.as_chunks::<16>();
    let (x, y) = (load(&halves[0]), load(&halves[1]));
    for (t, total) in totals.iter_mut().enumerate() {
        let a = vaddq_s16(x, load(&lists[t][i]));
        let b = vaddq_s16(y, load(&lists[t + 1][i]));
        *total = vmlal_s16(*total, vget_low_s16(a), vget_low_s16(b));
        *total = vmlal_high_s16(*total, a, b);
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn load<T: Plain>(words: &T) -> int16x8_t {
    vreinterpretq_s16_u8(load128(words))
}
