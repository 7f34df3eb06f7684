//! Whole messages (draft of October 2000, section 6): the operations of flow.rs, in 512-bit registers up to the sums of
//! level 1, and in 256-bit registers from there on. docs/lanes.md draws them.

use super::avx2::hash_of_words as hash_of_group;
use super::flow::row;
use super::{ByStreams, FOURS, Functions, Key, Lazy};
use crate::l1_nh16::avx512::{four_sums, lanes, lanes_of_two, load_short};
use crate::l1_nh16::by_streams;
use crate::umac16::l3::P19;
use crate::umac16::poly32::{LIMIT32, P32};
use crate::umac16::{CHUNK, L1Key, MAX_STREAMS};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman::hazmat::buffer::not_last;
use wegman::hazmat::pads::pad_from;
use wegman::hazmat::simd::{load128, load256, load512, store128};

row!(__m512i, "avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes");

/// The hash of a message of at most 64 bytes. The x and y of both units are copied
/// to all 128-bit lanes. Each of these has a stream, so only its four neighbours are left to add.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes")]
fn hash_of_64<const STREAMS: usize>(key: &Key, message: &[u8]) -> __m128i {
    let units = load_short(message);
    let x0 = _mm512_shuffle_i64x2::<0x00>(units, units);
    let y0 = _mm512_shuffle_i64x2::<0x55>(units, units);
    let x1 = _mm512_shuffle_i64x2::<0xaa>(units, units);
    let y1 = _mm512_shuffle_i64x2::<0xff>(units, units);
    // If there is no second unit, its keys must not count.
    let second = if message.len() > 32 { !0 } else { 0 };
    let bits = _mm512_set1_epi32(8 * message.len() as i32);
    let mut words = [_mm512_setzero_si512(); FOURS];
    for (keys, word) in key.first_keys.iter().zip(&mut words).take(STREAMS.div_ceil(4)) {
        let sum = |x, i: usize| _mm512_add_epi16(x, load512(&keys[i]));
        let one = _mm512_madd_epi16(sum(x0, 0), sum(y0, 1));
        let two = _mm512_maskz_madd_epi16(second, sum(x1, 2), sum(y1, 3));
        let four = _mm512_add_epi32(one, two);
        let two = _mm512_add_epi32(four, _mm512_shuffle_epi32::<0x4e>(four));
        let all = _mm512_add_epi32(two, _mm512_shuffle_epi32::<0xb1>(two));
        *word = _mm512_add_epi32(all, bits);
    }
    let order = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    let words = if STREAMS > 4 {
        _mm512_permutex2var_epi64(words[0], order, words[1])
    } else {
        _mm512_permutexvar_epi32(
            _mm512_setr_epi32(0, 0, 4, 4, 8, 8, 12, 12, 0, 0, 0, 0, 0, 0, 0, 0),
            words[0],
        )
    };
    hash_of_all::<STREAMS>(key, words)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes")]
fn hash_of_words<const STREAMS: usize>(key: &Key, words: [__m256i; FOURS]) -> __m128i {
    hash_of_all::<STREAMS>(key, _mm512_inserti64x4::<1>(_mm512_castsi256_si512(words[0]), words[1]))
}

/// Level 3 of a word in the lower half of each 64-bit lane: the bytes of the hash. For at most four streams it takes
/// registers half as wide, which are faster.
///
/// # Bounds
/// Those of `products` of avx2.rs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes")]
fn hash_of_all<const STREAMS: usize>(key: &Key, words: __m512i) -> __m128i {
    if STREAMS <= 4 {
        return hash_of_group::<4>(key, [_mm512_castsi512_si256(words); FOURS]);
    }
    let low = _mm512_and_si512(words, _mm512_set1_epi64(0xffff));
    let high = _mm512_srli_epi32::<16>(words);
    let sum = _mm512_add_epi64(
        _mm512_mul_epu32(low, load512(&key.digits[0])),
        _mm512_mul_epu32(high, load512(&key.digits[1])),
    );
    let p = _mm512_set1_epi64(P19 as i64);
    let folded = _mm512_add_epi64(_mm512_srli_epi64::<19>(sum), _mm512_and_si512(sum, p));
    let hash = _mm512_min_epu32(folded, _mm512_sub_epi32(folded, p));
    // Big-endian.
    let order = _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
    _mm_xor_si128(_mm_shuffle_epi8(_mm512_cvtepi64_epi16(hash), order), load128(&key.mask))
}

/// Levels 1 and 2 of whole chunks. Level 2 of a chunk comes after level 1 of the next chunk, so that its chain of
/// multiplications never waits for unfinished sums: `before` has the words that POLY has still to take.
///
/// # Bounds
/// In and out: accumulators below 2^33 and words below 2^32, as [`poly`] needs and gives them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes")]
fn absorb_chunks<const STREAMS: usize>(
    key: &Key,
    states: &mut [__m256i; FOURS],
    before: &mut [__m256i; FOURS],
    chunks: &[[u8; CHUNK]],
) {
    let mut take = |now: [__m256i; FOURS]| {
        for (g, (state, before)) in
            states.iter_mut().zip(&mut *before).enumerate().take(STREAMS.div_ceil(4))
        {
            *state = poly(&key.poly[g], *state, *before);
            *before = now[g];
        }
    };
    let (twos, one) = chunks.as_chunks::<2>();
    for [first, second] in twos {
        // Hidden from the compiler, which would load the whole key ahead of the loop and spill it.
        let l1 = black_box(&key.l1);
        let [first, second] = lanes_of_two::<STREAMS>(l1.steps(), [first, second]);
        let (first, second) = (words_of_lanes(first, CHUNK), words_of_lanes(second, CHUNK));
        take(first);
        take(second);
    }
    for chunk in one {
        take(sums::<STREAMS>(black_box(&key.l1), chunk));
    }
}

/// A word of POLY-32 in each of four streams, including the limit rule.
///
/// # Bounds
/// In: accumulators below 2^33, words below 2^32, one in each 64-bit lane. Out: accumulators below 2^32 + 5 * 2^21,
/// which is below 2^33. The rule subtracts at most 5 + 2^29 - 1, less than a word over the limit. The multiplication
/// reads 52 bits of its factors, which is all of them: keys and squares are below 2^32, accumulators below 2^33. So k y
/// is below 2^65, and the bits above its low 52 are a number below 2^13. 2^52 = 5 * 2^20 mod p32, so these bits fold to
/// less than 5 * 2^33. The low 52 bits, the word and the folded bits sum to less than 2^52 + 2^32 + 5 * 2^33, which is
/// below 2^53.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes")]
fn poly(keys: &[[u64; 4]; 3], y: __m256i, m: __m256i) -> __m256i {
    let [k, square, less] = [0, 1, 2].map(|i| load256(&keys[i]));
    let over = _mm256_cmpge_epu64_mask(m, _mm256_set1_epi64x(LIMIT32.into()));
    let k = _mm256_mask_mov_epi64(k, over, square);
    let m = _mm256_mask_sub_epi64(m, over, m, less);
    let low = _mm256_madd52lo_epu64(m, k, y);
    let high = _mm256_madd52hi_epu64(_mm256_setzero_si256(), k, y);
    fold(_mm256_madd52lo_epu64(low, high, _mm256_set1_epi64x(5 << 20)))
}

/// [`poly`] for the last word of a message, which the tag waits for: everything but the addition of the word is done
/// before the word arrives.
///
/// # Bounds
/// In: accumulators below 2^33, words below 2^32. Out: below 2^34, for [`reduce32`]. As in [`poly`], the sum before the
/// fold is below 2^53, so either product is below 2^33. `twice` may wrap around below zero. It is added to a word over
/// the limit only, which is at least what `twice` subtracts, so the total is not negative and below 2^33 + 2^32.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes")]
fn last_of_poly(keys: &[[u64; 4]; 3], y: __m256i, m: __m256i) -> __m256i {
    let [k, square, less] = [0, 1, 2].map(|i| load256(&keys[i]));
    let zero = _mm256_setzero_si256();
    let times = |k| {
        let low = _mm256_madd52lo_epu64(zero, k, y);
        let high = _mm256_madd52hi_epu64(zero, k, y);
        fold(_mm256_madd52lo_epu64(low, high, _mm256_set1_epi64x(5 << 20)))
    };
    let (once, twice) = (times(k), _mm256_sub_epi64(times(square), less));
    let over = _mm256_cmpge_epu64_mask(m, _mm256_set1_epi64x(LIMIT32.into()));
    _mm256_add_epi64(m, _mm256_mask_mov_epi64(once, over, twice))
}

/// Folds the bits above the low 32: 2^32 = 5 mod p32.
///
/// # Bounds
/// In: below 2^53. Out: below 2^32 + 5 * 2^21, because the bits above the low 32 are a number below 2^21.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes")]
fn fold(y: __m256i) -> __m256i {
    let low = _mm256_and_si256(y, _mm256_set1_epi64x(u32::MAX.into()));
    _mm256_madd52lo_epu64(low, _mm256_srli_epi64::<32>(y), _mm256_set1_epi64x(5))
}

/// The numbers below p32 that are equal to accumulators mod p32.
///
/// # Bounds
/// In: below 2^53. Out: below p32. The fold leaves less than 2^32 + 5 * 2^21, which is below 2 p32. A difference below
/// zero wraps around to a large number, so the minimum is the reduced number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes")]
fn reduce32(y: __m256i) -> __m256i {
    let y = fold(y);
    _mm256_min_epu64(y, _mm256_sub_epi64(y, _mm256_set1_epi64x(P32.into())))
}
