//! The operations of SSSE3 and AES-NI for packets (RFC 4418, section 5) in 128-bit registers, [`x128`](super::x128).
#![allow(unsafe_code)]

use crate::aligned::Aligned;
use crate::umac::l3_inner::{self, Mod36, Signed36, Sum54};
use crate::umac::{MAX_STREAMS, l1_nh::sse::aligned};
use core::arch::x86_64::*;
use zeroize::Zeroize;

pub(super) use crate::simd::{load128 as pair, store128 as store, store128 as store_bytes};

pub(super) use crate::umac::l1_nh::sse::{
    Register, Sums, load, pairs, register, shuffle, words_of,
};

/// Two words of 64 bits.
pub(super) type Pair = Register;

// Level 3.

/// The keys of level 3: of streams 0 and 1, and of streams 2 and 3.
#[derive(Clone, Copy)]
pub(crate) struct Keys([OfPair; 2]);

/// The keys of two streams.
#[derive(Clone, Copy)]
struct OfPair {
    /// The lower 32 bits of the keys of digit 0, of digit 2, of digit 1 and of digit 3.
    lower: [Aligned<[u64; 2]>; 4],
    /// The upper four bits, in the order of the words' digits.
    upper: Aligned<[u16; 8]>,
    /// What each sum begins with: 5, and what the signed digits lack.
    begin: Aligned<[u64; 2]>,
}

impl Keys {
    pub(crate) const ZERO: Keys = Keys(
        [OfPair { lower: [Aligned([0; 2]); 4], upper: Aligned([0; 8]), begin: Aligned([0; 2]) }; 2],
    );

    pub(crate) fn new(l3: &[l3_inner::Key; MAX_STREAMS]) -> Keys {
        let of_pair = |[a, b]: &[l3_inner::Key; 2]| {
            let keys = |i: usize| [a.of_digit(i), b.of_digit(i)];
            let upper = |Mod36(key): Mod36<u64>| (key >> 32) as u16;
            let all =
                |key: &l3_inner::Key| -> u64 { (0..4).map(|i| key.of_digit(i).0 >> 32).sum() };
            OfPair {
                lower: [0, 2, 1, 3].map(|i| Aligned(keys(i).map(|Mod36(key)| key & 0xffff_ffff))),
                upper: Aligned(core::array::from_fn(|i| upper(keys(i % 4)[i / 4]))),
                begin: Aligned([a, b].map(|key| 5 + (all(key) << (15 + 32)))),
            }
        };
        let (pairs, _) = l3.as_chunks();
        Keys([of_pair(&pairs[0]), of_pair(&pairs[1])])
    }
}

impl Zeroize for Keys {
    fn zeroize(&mut self) {
        let Keys(pairs) = self;
        for OfPair { lower, upper, begin } in pairs {
            lower.iter_mut().for_each(|keys| keys.0.zeroize());
            upper.0.zeroize();
            begin.0.zeroize();
        }
    }
}

/// Level 3 of two words up to the reduction: 5 and the sum of the digits times their keys, for each word.
///
/// # Bounds
/// In: any words of 64 bits. A digit d is below 2^16 and its key k + 2^32 h below 2^36, so each sum is below 2^54, and
/// with 5 below 2^54 + 5. The products d k are below 2^48. The products d h are of signed numbers, d - 2^15 and h below
/// 2^4: those of two digits are above -2^20 and below 2^20, as 32-bit numbers. They count 2^32 each; mod 2^64 their
/// sign is lost, and `begin` has 2^15 h 2^32 for each digit in their stead.
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn sums_of_digits(keys: &Keys, p: usize, words: Pair) -> Sum54<Pair> {
    let OfPair { lower, upper, begin } = &keys.0[p];
    // Digits 0 and 2, and digits 1 and 3. A product is of the lower half of a lane.
    let even = _mm_and_si128(words, _mm_set1_epi32(0xffff));
    let odd = _mm_srli_epi32::<16>(words);
    let half = |lanes| _mm_shuffle_epi32::<0xf5>(lanes);
    let signed = _mm_xor_si128(words, _mm_set1_epi16(i16::MIN));
    let upper = _mm_madd_epi16(signed, aligned(upper));
    let sums = [
        _mm_mul_epu32(even, aligned(&lower[0])),
        _mm_mul_epu32(odd, aligned(&lower[2])),
        _mm_mul_epu32(half(even), aligned(&lower[1])),
        _mm_mul_epu32(half(odd), aligned(&lower[3])),
    ];
    let upper =
        _mm_add_epi64(_mm_slli_epi64::<32>(upper), _mm_and_si128(upper, _mm_set1_epi64x(!0 << 32)));
    let upper = _mm_add_epi64(upper, aligned(begin));
    let lower = _mm_add_epi64(_mm_add_epi64(sums[0], sums[1]), _mm_add_epi64(sums[2], sums[3]));
    Sum54(_mm_add_epi64(lower, upper))
}

/// The reduction mod p36 = 2^36 - 5, but for 5 to be subtracted where the lane is negative. Only the lower 32 bits of
/// the result count.
///
/// # Bounds
/// In: s + 5. With u the bits above the low 36, below 2^18 + 1, it is equal to r = (the low 36) + 5 u mod p36, below 2^36 +
/// 5 * (2^18 + 1), which is below 2 p36. Out: r - 2^36. If that is not negative, r - 5 is at least p36, and r - 5 - p36 is
/// the result. If it is negative, r - 5 is, which has the lower 32 bits of r - 2^36, less 5. (An r below 5 would stand for
/// r - 5 + p36, but then s + 5 would have been below 5.)
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
fn folded(Sum54(sums): Sum54<Pair>) -> Signed36<Pair> {
    let above = _mm_srli_epi64::<36>(sums);
    let low = _mm_or_si128(sums, _mm_set1_epi64x(!0 << 36));
    Signed36(_mm_add_epi64(_mm_add_epi64(low, above), _mm_slli_epi64::<2>(above)))
}

/// The hash of two streams, as bytes of a tag; zeroes above them.
///
/// # Bounds
/// The highest three bits of a lane of [`folded`] are equal: 5 or 0 is subtracted.
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn hash_of_two(_: &Keys, sums: Sum54<Pair>) -> Register {
    let Signed36(lanes) = folded(sums);
    let less = _mm_and_si128(_mm_srli_epi64::<61>(lanes), _mm_set1_epi64x(5));
    let order = _mm_setr_epi8(3, 2, 1, 0, 11, 10, 9, 8, -1, -1, -1, -1, -1, -1, -1, -1);
    _mm_shuffle_epi8(_mm_sub_epi32(lanes, less), order)
}

/// The hash of four streams, or the hashes of two messages. Bounds: as [`hash_of_two`].
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn hash_of_four(_: &Keys, a: Sum54<Pair>, b: Sum54<Pair>) -> Register {
    let (a, b) = (_mm_castsi128_ps(folded(a).0), _mm_castsi128_ps(folded(b).0));
    let lower = _mm_castps_si128(_mm_shuffle_ps::<0x88>(a, b));
    let upper = _mm_castps_si128(_mm_shuffle_ps::<0xdd>(a, b));
    let less = _mm_and_si128(_mm_srli_epi32::<29>(upper), _mm_set1_epi32(5));
    let order = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    _mm_shuffle_epi8(_mm_sub_epi32(lower, less), order)
}

// Registers.

/// AES of blocks side by side.
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn encrypt<const L: usize>(
    rounds: &Aligned<[[u8; 16]; 11]>,
    blocks: [Register; L],
) -> [Register; L] {
    let round = |i: usize| {
        // SAFETY: 16 bytes are read from 16 bytes; they are a multiple of 16 bytes behind an aligned beginning.
        unsafe { _mm_load_si128(rounds.0[i].as_ptr().cast()) }
    };
    let mut states = blocks.map(|block| _mm_xor_si128(block, round(0)));
    for i in 1..10 {
        let round = round(i);
        states = states.map(|state| _mm_aesenc_si128(state, round));
    }
    let last = round(10);
    states.map(|state| _mm_aesenclast_si128(state, last))
}

/// Adds a message's length in bits to both words.
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn plus_bits(words: Pair, bytes: usize) -> Pair {
    _mm_add_epi64(words, _mm_set1_epi64x(8 * bytes as i64))
}

#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn pair_of([a, b]: [u64; 2]) -> Pair {
    _mm_set_epi64x(b as i64, a as i64)
}

#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn xor(a: Register, b: Register) -> Register {
    _mm_xor_si128(a, b)
}

/// The first eight bytes twice.
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn twice(bytes: Register) -> Register {
    _mm_unpacklo_epi64(bytes, bytes)
}

/// Four words of 32 bits, each in the lower half of a lane.
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn apart(words: Register) -> [Register; 2] {
    [_mm_unpacklo_epi32(words, words), _mm_unpackhi_epi32(words, words)]
}

/// The bytes of a register as a number, the first byte lowest.
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn whole_number(bytes: Register) -> u128 {
    let [low, high] = words_of(bytes);
    u128::from(high) << 64 | u128::from(low)
}

/// Two words as a block: the same register.
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn as_block(words: Pair) -> Register {
    words
}

/// The first eight bytes as a number.
#[inline]
#[target_feature(enable = "sse2,ssse3,aes")]
pub(super) fn number(bytes: Register) -> u64 {
    _mm_cvtsi128_si64(bytes) as u64
}
