//! The operations of NEON for NH (RFC 4418, section 5.2.2) in [`halves`](super::halves).
#![allow(unsafe_code)]

use super::{Four, UnitKey};
use crate::ends::slide;
use crate::simd::load128;
use core::arch::aarch64::*;

pub(crate) type Register = uint8x16_t;

/// The sums of all streams so far, each in four lanes: those of the lower products of a unit and of the upper ones.
/// There are two sets of them, for units in turn, because some cores add to a sum only after several cycles; but four
/// streams have one set and wait for no sum.
#[derive(Clone, Copy)]
pub(crate) struct Sums<const STREAMS: usize>([[[uint64x2_t; 2]; STREAMS]; 2]);

impl<const STREAMS: usize> Sums<STREAMS> {
    const SETS: usize = if STREAMS <= 2 { 2 } else { 1 };

    #[inline]
    #[target_feature(enable = "neon")]
    pub(crate) fn zero() -> Self {
        Sums([[[vdupq_n_u64(0); 2]; STREAMS]; 2])
    }
}

/// Adds a unit, whose halves are `x` and `y`.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn add_unit<const STREAMS: usize>(
    Sums(sets): &mut Sums<STREAMS>,
    turn: usize,
    key: &UnitKey,
    x: Register,
    y: Register,
) {
    let (x, y) = (vreinterpretq_u32_u8(x), vreinterpretq_u32_u8(y));
    for (t, [lower, upper]) in sets[turn % Sums::<STREAMS>::SETS].iter_mut().enumerate() {
        let a = vaddq_u32(x, load_key(&key[t]));
        let b = vaddq_u32(y, load_key(&key[t + 1]));
        *lower = vmlal_u32(*lower, vget_low_u32(a), vget_low_u32(b));
        *upper = vmlal_high_u32(*upper, a, b);
    }
}

/// The sums of streams 0 and 1, and of streams 2 and 3; 0 for streams that are not there.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn pairs<const STREAMS: usize>(Sums(sets): Sums<STREAMS>) -> [uint64x2_t; 2] {
    let lanes = |t: usize| {
        if t >= STREAMS {
            return vdupq_n_u64(0);
        }
        let [lower, upper] = sets[0][t];
        let all = vaddq_u64(lower, upper);
        if Sums::<STREAMS>::SETS == 1 {
            return all;
        }
        let [lower, upper] = sets[1][t];
        vaddq_u64(all, vaddq_u64(lower, upper))
    };
    // Hidden, because what is added next would make four instructions of this one.
    [0, 2].map(|t| hidden(vpaddq_u64(lanes(t), lanes(t + 1))))
}

/// The register as it is, hidden from the compiler, which would reorder sums.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn hidden(register: uint64x2_t) -> uint64x2_t {
    #[cfg(not(miri))] // Miri has no assembly
    let register = {
        let same;
        // SAFETY: the assembly is a comment; it executes nothing.
        unsafe {
            core::arch::asm!(
                "/* {0:v} */",
                inout(vreg) register => same,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        same
    };
    register
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn words_of(pair: uint64x2_t) -> [u64; 2] {
    [vgetq_lane_u64::<0>(pair), vgetq_lane_u64::<1>(pair)]
}

#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn register(number: u128) -> Register {
    let (low, high) = (vcreate_u64(number as u64), vcreate_u64((number >> 64) as u64));
    vreinterpretq_u8_u64(vcombine_u64(low, high))
}

/// 16 bytes. Those of a message are its words only on a little-endian machine.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn load(bytes: &[u8; 16]) -> Register {
    load128(bytes)
}

#[inline]
#[target_feature(enable = "neon")]
fn load_key(words: &Four) -> uint32x4_t {
    vreinterpretq_u32_u8(load128(words))
}

/// The block moved down by `shift` bytes, fewer than 64.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn slid(block: &[u8; 16], shift: usize) -> Register {
    shuffle(load(block), slide(shift))
}

/// The bytes of a register in another order.
#[inline]
#[target_feature(enable = "neon")]
pub(crate) fn shuffle(bytes: Register, order: &[u8; 16]) -> Register {
    vqtbl1q_u8(bytes, load(order))
}
