//! The operations of NEON and the AES instructions of ARMv8 for packets (RFC 4418, section 5) in 128-bit registers,
//! [`x128`](super::x128).

use crate::aligned::Aligned;
use crate::simd::load128;
use crate::umac::MAX_STREAMS;
use crate::umac::l1_nh::neon::hidden;
use crate::umac::l3_inner::{self, Signed36, Sum54};
use core::arch::aarch64::*;
use zeroize::Zeroize;

pub(super) use crate::simd::{store128 as store, store128 as store_bytes};
pub(super) use crate::umac::l1_nh::neon::{
    Register, Sums, load, pairs, register, shuffle, words_of,
};

/// Two words of 64 bits.
pub(super) type Pair = uint64x2_t;

// Level 3.

/// The keys of level 3, with its constants beside them. Otherwise the compiler would rebuild the constants in general
/// registers for each message.
#[derive(Clone, Copy)]
pub(crate) struct Keys {
    /// The byte shuffles that bring digits 0 and 1, then digits 2 and 3, of two words to lanes of 32 bits, each times
    /// 256, those of the two words side by side.
    digits: [[u8; 16]; 2],
    five: [u64; 2],
    above: [u64; 2],
    /// The byte shuffle of two hashes, in lanes of 64 bits, to bytes of a tag.
    order: [u8; 16],
    /// Of streams 0 and 1, then of streams 2 and 3.
    pairs: [OfPair; 2],
}

/// The keys of two streams.
#[derive(Clone, Copy)]
struct OfPair {
    /// The keys without their lower eight bits, in the order of the digits.
    upper: [[u32; 4]; 2],
    /// The lower eight bits, in the order of the words.
    lower: [u16; 8],
}

impl Keys {
    pub(crate) const ZERO: Keys = {
        const N: u8 = 0xff; // gives a zero
        Keys {
            digits: [
                [N, 0, 1, N, N, 8, 9, N, N, 2, 3, N, N, 10, 11, N],
                [N, 4, 5, N, N, 12, 13, N, N, 6, 7, N, N, 14, 15, N],
            ],
            five: [5; 2],
            above: [!0 << 36; 2],
            order: [3, 2, 1, 0, 11, 10, 9, 8, N, N, N, N, N, N, N, N],
            pairs: [OfPair { upper: [[0; 4]; 2], lower: [0; 8] }; 2],
        }
    };

    pub(crate) fn new(l3: &[l3_inner::Key; MAX_STREAMS]) -> Keys {
        let of_pair = |of: &[l3_inner::Key; 2]| OfPair {
            upper: [0, 1].map(|half| {
                core::array::from_fn(|i| (of[i % 2].of_digit(2 * half + i / 2).0 >> 8) as u32)
            }),
            lower: core::array::from_fn(|i| of[i / 4].of_digit(i % 4).0 as u16 & 0xff),
        };
        let (pairs, _) = l3.as_chunks();
        Keys { pairs: [of_pair(&pairs[0]), of_pair(&pairs[1])], ..Keys::ZERO }
    }
}

impl Zeroize for Keys {
    fn zeroize(&mut self) {
        let Keys { pairs, digits: _, five: _, above: _, order: _ } = self; // the others are constants
        for OfPair { upper, lower } in pairs {
            upper.as_flattened_mut().zeroize();
            lower.zeroize();
        }
    }
}

/// Level 3 of two words up to the reduction: 5 and the sum of the digits times their keys, for each word.
///
/// # Bounds
/// In: any words of 64 bits. A digit d is below 2^16 and its key 2^8 k + l below 2^36, so that each sum is below 2^54,
/// and with 5 below 2^54 + 5. The products 2^8 d * k are of numbers below 2^32. The products d l are below 2^24, and so
/// the sum of two is a number of 32 bits.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn sums_of_digits(keys: &Keys, p: usize, words: Pair) -> Sum54<Pair> {
    let OfPair { upper, lower } = &keys.pairs[p];
    let digits = |i: usize| {
        let bytes = vqtbl1q_u8(vreinterpretq_u8_u64(words), load(&keys.digits[i]));
        vreinterpretq_u32_u8(bytes)
    };
    let (a, b) = (digits(0), digits(1));
    let (of_a, of_b) = (words_at(&upper[0]), words_at(&upper[1]));
    // Two chains, for cores that add to a sum only after several cycles.
    let first = vmlal_u32(pair(&keys.five), vget_low_u32(a), vget_low_u32(of_a));
    let first = vmlal_high_u32(first, a, of_a);
    let last = vmull_u32(vget_low_u32(b), vget_low_u32(of_b));
    let last = vmlal_high_u32(last, b, of_b);
    let words = vreinterpretq_u16_u64(words);
    let lower = vreinterpretq_u16_u8(load128(lower));
    let products =
        (vmull_u16(vget_low_u16(words), vget_low_u16(lower)), vmull_high_u16(words, lower));
    Sum54(vaddq_u64(first, hidden(vpadalq_u32(last, vpaddq_u32(products.0, products.1)))))
}

/// The reduction mod p36, as that of sse.rs, which has the bounds: what counts is the lower 32 bits of each lane, less 5
/// where the lane is negative.
///
/// # Bounds
/// The bits above the low 36 are 2^36 u; shifted down by 36 and by 34 they are u and 4 u.
#[inline]
#[target_feature(enable = "neon,aes")]
fn folded(keys: &Keys, Sum54(sums): Sum54<Pair>) -> Signed36<Pair> {
    let above = pair(&keys.above);
    let upper = vandq_u64(sums, above);
    Signed36(vsraq_n_u64::<34>(vsraq_n_u64::<36>(vorrq_u64(sums, above), upper), upper))
}

/// The hash of two streams, as bytes of a tag; zeroes above them. A negative lane of [`folded`] is 5 too high.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn hash_of_two(keys: &Keys, sums: Sum54<Pair>) -> Register {
    let Signed36(lanes) = folded(keys, sums);
    let less = vandq_u64(vcltzq_s64(vreinterpretq_s64_u64(lanes)), pair(&keys.five));
    shuffle(as_block(vsubq_u64(lanes, less)), &keys.order)
}

/// The hash of four streams, or the hashes of two messages.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn hash_of_four(keys: &Keys, a: Sum54<Pair>, b: Sum54<Pair>) -> Register {
    let a = vreinterpretq_u32_u64(folded(keys, a).0);
    let b = vreinterpretq_u32_u64(folded(keys, b).0);
    let (lower, upper) = (vuzp1q_u32(a, b), vuzp2q_u32(a, b));
    let less = vandq_u32(vcltzq_s32(vreinterpretq_s32_u32(upper)), vdupq_n_u32(5));
    vrev32q_u8(vreinterpretq_u8_u32(vsubq_u32(lower, less)))
}

// Registers.

/// AES of blocks side by side.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn encrypt<const L: usize>(
    rounds: &Aligned<[[u8; 16]; 11]>,
    blocks: [Register; L],
) -> [Register; L] {
    // The instruction adds a round key before the round.
    let mut states = blocks;
    for round in &rounds[..9] {
        let round = load(round);
        states = states.map(|state| vaesmcq_u8(vaeseq_u8(state, round)));
    }
    let (before, last) = (load(&rounds[9]), load(&rounds[10]));
    states.map(|state| veorq_u8(vaeseq_u8(state, before), last))
}

/// Adds a message's length in bits to both words.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn plus_bits(words: Pair, bytes: usize) -> Pair {
    vaddq_u64(words, vdupq_n_u64(8 * bytes as u64))
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn pair_of([a, b]: [u64; 2]) -> Pair {
    vcombine_u64(vcreate_u64(a), vcreate_u64(b))
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn xor(a: Register, b: Register) -> Register {
    veorq_u8(a, b)
}

/// The first eight bytes twice.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn twice(bytes: Register) -> Register {
    as_block(vdupq_laneq_u64::<0>(vreinterpretq_u64_u8(bytes)))
}

/// Four words of 32 bits, each in the lower half of a lane.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn apart(words: Register) -> [Register; 2] {
    let words = vreinterpretq_u32_u8(words);
    [vzip1q_u32(words, words), vzip2q_u32(words, words)].map(|words| vreinterpretq_u8_u32(words))
}

/// The bytes of a register as a number, the first byte lowest.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn whole_number(bytes: Register) -> u128 {
    let [low, high] = words_of(vreinterpretq_u64_u8(bytes));
    u128::from(high) << 64 | u128::from(low)
}

/// The first eight bytes as a number.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn number(bytes: Register) -> u64 {
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(bytes))
}

/// Two words as a block: the same register.
#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn as_block(words: Pair) -> Register {
    vreinterpretq_u8_u64(words)
}

#[inline]
#[target_feature(enable = "neon,aes")]
pub(super) fn pair(words: &[u64; 2]) -> Pair {
    vreinterpretq_u64_u8(load128(words))
}

#[inline]
#[target_feature(enable = "neon,aes")]
fn words_at(words: &[u32; 4]) -> uint32x4_t {
    vreinterpretq_u32_u8(load128(words))
}
