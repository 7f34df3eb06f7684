//! Whole messages (draft of October 2000, section 6) in 256-bit registers: the operations of flow.rs. docs/lanes.md draws
//! them.

use super::flow::row;
use super::{ByStreams, FOURS, Functions, Key, Lazy};
use crate::l1_nh16::avx2::{four_sums, lanes, tail};
use crate::l1_nh16::by_streams;
use crate::umac16::l3::P19;
use crate::umac16::poly32::LIMIT32;
use crate::umac16::{CHUNK, L1Key, MAX_STREAMS};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman::hazmat::buffer::{not_last, short_number};
use wegman::hazmat::pads::pad_from;
use wegman::hazmat::simd::{load128, load256, store128};

use self::poly as last_of_poly;

row!(__m256i, "avx2,aes");

/// The hash of a message of at most 64 bytes.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn hash_of_64<const STREAMS: usize>(key: &Key, message: &[u8]) -> __m128i {
    hash_of_words::<STREAMS>(key, words_of_64::<STREAMS>(key, message))
}

/// Level 3 of a word in the lower half of each 64-bit lane: the bytes of the hash.
#[inline]
#[target_feature(enable = "avx2,aes")]
pub(super) fn hash_of_words<const STREAMS: usize>(key: &Key, words: [__m256i; FOURS]) -> __m128i {
    let of_group =
        |g: usize| products(key.digits.each_ref().map(|k| &k.as_chunks().0[g]), words[g]);
    let all = if STREAMS > 4 { _mm_unpacklo_epi64(of_group(0), of_group(1)) } else { of_group(0) };
    _mm_xor_si128(all, load128(&key.mask))
}

/// Level 1 of a message of at most 64 bytes: the x and y of both units are copied to both 128-bit lanes. Each of these
/// lanes has a stream.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn words_of_64<const STREAMS: usize>(key: &Key, message: &[u8]) -> [__m256i; FOURS] {
    let [x0, y0, x1, y1] = blocks(message).map(|block| _mm256_broadcastsi128_si256(block));
    // If there is no second unit, its keys must not count.
    let second = _mm256_set1_epi32(-i32::from(message.len() > 32));
    let bits = _mm256_set1_epi32(8 * message.len() as i32);
    let mut words = [_mm256_setzero_si256(); FOURS];
    for (keys, word) in key.first_keys.iter().zip(&mut words).take(STREAMS.div_ceil(4)) {
        let two_streams = |i: usize| {
            let sum =
                |x, list: usize| _mm256_add_epi16(x, load256(&keys[list].as_chunks::<2>().0[i]));
            let one = _mm256_madd_epi16(sum(x0, 0), sum(y0, 1));
            let two = _mm256_madd_epi16(sum(x1, 2), sum(y1, 3));
            _mm256_add_epi32(one, _mm256_and_si256(two, second))
        };
        let first = two_streams(0);
        let last = if STREAMS > 2 { two_streams(1) } else { _mm256_setzero_si256() };
        // Streams 0 and 2 alternate in the lower 128-bit lane, streams 1 and 3 in the upper one.
        let both = _mm256_add_epi32(
            _mm256_unpacklo_epi32(first, last),
            _mm256_unpackhi_epi32(first, last),
        );
        let all = _mm256_add_epi32(both, _mm256_shuffle_epi32::<0x4e>(both));
        let order = _mm256_setr_epi32(0, 0, 4, 4, 1, 1, 5, 5);
        *word = _mm256_permutevar8x32_epi32(_mm256_add_epi32(all, bits), order);
    }
    words
}

/// Loads at most 64 bytes, followed by zeroes.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn blocks(message: &[u8]) -> [__m128i; 4] {
    let zero = _mm_setzero_si128();
    let (whole, _) = message.as_chunks::<16>();
    let block = |i: usize| load128(&whole[i]);
    match message.len() {
        0..16 => {
            let bytes = short_number(message);
            [_mm_set_epi64x((bytes >> 64) as i64, bytes as i64), zero, zero, zero]
        }
        16 => [block(0), zero, zero, zero],
        17..=32 => [block(0), tail(message), zero, zero],
        33..=48 => [block(0), block(1), tail(message), zero],
        _ => [block(0), block(1), block(2), tail(message)],
    }
}

/// Levels 1 and 2 of whole chunks. Level 2 of a chunk comes after level 1 of the next chunk: `before` has the words
/// that POLY has still to take.
///
/// # Bounds
/// In and out: accumulators and words below 2^32, as [`poly`] needs and gives them.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn absorb_chunks<const STREAMS: usize>(
    key: &Key,
    states: &mut [__m256i; FOURS],
    before: &mut [__m256i; FOURS],
    chunks: &[[u8; CHUNK]],
) {
    for chunk in chunks {
        // Hidden from the compiler, which would load the key ahead of the loop and spill it.
        let now = sums::<STREAMS>(black_box(&key.l1), chunk);
        for (g, (state, before)) in
            states.iter_mut().zip(&mut *before).enumerate().take(STREAMS.div_ceil(4))
        {
            *state = poly(&key.poly[g], *state, *before);
            *before = now[g];
        }
    }
}

/// A word of POLY-32 in each of four streams, including the limit rule.
///
/// # Bounds
/// In: accumulators and words below 2^32, one in each 64-bit lane. Out: accumulators below 2^32. The rule subtracts at
/// most 5 + 2^29 - 1, less than a word over the limit. The product plus the word is at most (2^32 - 1)^2 + 2^32 - 1,
/// which is below 2^64. The first fold leaves at most 6 (2^32 - 1): at most 5 is above the low 32 bits. So the second
/// fold leaves less than 2^32 + 25. The third has nothing to fold below 2^32; from 2^32 on it leaves less than 25 + 5.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn poly(keys: &[[u64; 4]; 3], y: __m256i, m: __m256i) -> __m256i {
    let over = _mm256_cmpgt_epi64(m, _mm256_set1_epi64x(i64::from(LIMIT32) - 1));
    let k = _mm256_blendv_epi8(load256(&keys[0]), load256(&keys[1]), over);
    let m = _mm256_sub_epi64(m, _mm256_and_si256(load256(&keys[2]), over));
    fold(fold(fold(_mm256_add_epi64(_mm256_mul_epu32(k, y), m))))
}

/// Folds the bits above the low 32: 2^32 = 5 mod p32.
///
/// # Bounds
/// In: any 64 bits in each lane. Out: at most 2^32 - 1 + 5 n, where n is the number above the low 32 bits. As n is at
/// most 2^32 - 1, that is never more than 6 (2^32 - 1).
#[inline]
#[target_feature(enable = "avx2,aes")]
fn fold(y: __m256i) -> __m256i {
    let low = _mm256_and_si256(y, _mm256_set1_epi64x(u32::MAX.into()));
    _mm256_add_epi64(low, _mm256_mul_epu32(_mm256_srli_epi64::<32>(y), _mm256_set1_epi64x(5)))
}

/// The numbers below p32 that are equal to accumulators mod p32.
///
/// # Bounds
/// In: below 2^32. Out: below p32. Subtracting p32 adds 5 mod 2^32, and from p32 on that is the smaller number.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn reduce32(y: __m256i) -> __m256i {
    _mm256_min_epu32(y, _mm256_add_epi64(y, _mm256_set1_epi64x(5)))
}

/// Level 3 of a 32-bit word in the lower half of each 64-bit lane: eight bytes, without the masks.
///
/// # Bounds
/// In: any 32 bits in the lower half of each lane; the upper half is ignored. Digits are below 2^16 and keys below
/// 2^19, so a product is below 2^35 and the sum of two below 2^36. The fold (2^19 = 1 mod p) leaves less than
/// 2^19 + 2^17, which is below 2 p. A difference below zero wraps around to a large 32-bit number, so the minimum is
/// the reduced number, below p. The upper half of each lane is zero.
#[inline]
#[target_feature(enable = "avx2,aes")]
fn products(keys: [&[u64; 4]; 2], words: __m256i) -> __m128i {
    let low = _mm256_and_si256(words, _mm256_set1_epi64x(0xffff));
    let high = _mm256_srli_epi32::<16>(words);
    let sum = _mm256_add_epi64(
        _mm256_mul_epu32(low, load256(keys[0])),
        _mm256_mul_epu32(high, load256(keys[1])),
    );
    let p = _mm256_set1_epi64x(P19 as i64);
    let folded = _mm256_add_epi64(_mm256_srli_epi64::<19>(sum), _mm256_and_si256(sum, p));
    let hash = _mm256_min_epu32(folded, _mm256_sub_epi32(folded, p));
    // Big-endian, from the lowest two bytes of each lane.
    let order = _mm256_setr_epi8(
        1, 0, 9, 8, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, //
        -1, -1, -1, -1, 1, 0, 9, 8, -1, -1, -1, -1, -1, -1, -1, -1,
    );
    let bytes = _mm256_shuffle_epi8(hash, order);
    _mm_or_si128(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes))
}
