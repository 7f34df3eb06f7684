//! Whole messages in 512-bit registers. From the sums of level 1 to the tag a stream has a 128-bit lane,
//! four streams a register; within POLY-32 a 64-bit lane. docs/lanes.md draws them.
#![allow(unsafe_code)]

use super::{Kernels, Key};
use crate::buffer::not_last;
use crate::umac::l1_nh16::avx512::{four_sums, lanes, load_front};
use crate::umac::packet::avx512::part;
use crate::umac16::l3::P19;
use crate::umac16::poly32::{LIMIT32, P32};
use crate::umac16::{CHUNK, MAX_STREAMS};
use core::arch::x86_64::*;
use core::hint::black_box;

/// Four streams each.
const GROUPS: usize = MAX_STREAMS / 4;

pub(super) const fn kernels<const STREAMS: usize>() -> Kernels {
    Kernels {
        tag: tag::<STREAMS>,
        tag_of_chunks: tag_of_chunks::<STREAMS>,
        hash: hash::<STREAMS>,
        hash_of_chunks: hash_of_chunks::<STREAMS>,
        absorb: absorb::<STREAMS>,
    }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn tag<const STREAMS: usize>(
    key: &Key,
    block: u128,
    start: usize,
    message: &[u8],
    tag: &mut [u8; 16],
) -> u64 {
    tagged::<STREAMS>(key, words::<STREAMS>(key, message), block, start, tag)
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn tag_of_chunks<const STREAMS: usize>(
    key: &Key,
    block: u128,
    start: usize,
    message: &[u8],
    tag: &mut [u8; 16],
) -> u64 {
    tagged::<STREAMS>(key, words_of_chunks::<STREAMS>(key, message), block, start, tag)
}

/// Level 3 and the pad.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn tagged<const STREAMS: usize>(
    key: &Key,
    words: [__m512i; GROUPS],
    block: u128,
    start: usize,
    tag: &mut [u8; 16],
) -> u64 {
    let hash = hash_of_words::<STREAMS>(key, words);
    if STREAMS > 4 {
        let both = _mm_xor_si128(part::<4>(&key.rounds, block, start), hash);
        // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
        unsafe { _mm_storeu_si128(tag.as_mut_ptr().cast(), both) };
        return 0;
    }
    _mm_cvtsi128_si64(_mm_xor_si128(part::<2>(&key.rounds, block, start), hash)) as u64
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn hash<const STREAMS: usize>(key: &Key, message: &[u8]) -> u128 {
    number::<STREAMS>(hash_of_words::<STREAMS>(key, words::<STREAMS>(key, message)))
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn hash_of_chunks<const STREAMS: usize>(key: &Key, message: &[u8]) -> u128 {
    number::<STREAMS>(hash_of_words::<STREAMS>(key, words_of_chunks::<STREAMS>(key, message)))
}

/// The bytes of a register as a number, the first one lowest; of few streams only the lower half.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn number<const STREAMS: usize>(bytes: __m128i) -> u128 {
    let low = u128::from(_mm_cvtsi128_si64(bytes) as u64);
    if STREAMS <= 4 {
        return low;
    }
    u128::from(_mm_extract_epi64::<1>(bytes) as u64) << 64 | low
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn absorb<const STREAMS: usize>(key: &Key, y: &mut [u32; MAX_STREAMS], chunks: &[[u8; CHUNK]]) {
    let (groups, _) = y.as_chunks_mut::<4>();
    let mut states = [_mm256_setzero_si256(); GROUPS];
    for (state, y) in states.iter_mut().zip(&*groups) {
        // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
        *state = _mm256_cvtepu32_epi64(unsafe { _mm_loadu_si128(y.as_ptr().cast()) });
    }
    let Some((first, others)) = chunks.split_first() else { return };
    let mut words = sums::<STREAMS>(key, first);
    absorb_chunks::<STREAMS>(key, &mut states, &mut words, others);
    for ((g, y), state) in groups.iter_mut().enumerate().zip(states) {
        let state = reduced(poly(&key.poly[g], state, words[g]));
        // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
        unsafe { _mm_storeu_si128(y.as_mut_ptr().cast(), _mm256_cvtepi64_epi32(state)) };
    }
}

/// Level 1 of a message of at most a chunk, a word in each lane.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn words<const STREAMS: usize>(key: &Key, message: &[u8]) -> [__m512i; GROUPS] {
    match message.len() {
        ..=64 => words_of_64::<STREAMS>(key, message),
        _ => words_of_chunk::<STREAMS>(key, message),
    }
}

/// Level 3: the bytes of the hash.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn hash_of_words<const STREAMS: usize>(key: &Key, words: [__m512i; GROUPS]) -> __m128i {
    // Big-endian, from the lowest two bytes of each lane.
    let order = _mm512_zextsi128_si512(_mm_setr_epi8(
        1, 0, 17, 16, 33, 32, 49, 48, 65, 64, 81, 80, 97, 96, 113, 112,
    ));
    let first = products(&key.digits[0], words[0]);
    let bytes = if STREAMS > 4 {
        _mm512_permutex2var_epi8(first, order, products(&key.digits[1], words[1]))
    } else {
        _mm512_permutexvar_epi8(order, first)
    };
    _mm_xor_si128(_mm512_castsi512_si128(bytes), block_of(&key.mask))
}

/// Level 1 of a message of at most 64 bytes, a word in each lane: the x and y of both units go to all
/// lanes, which have a stream each, so that nothing but four neighbours is left to add.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn words_of_64<const STREAMS: usize>(key: &Key, message: &[u8]) -> [__m512i; GROUPS] {
    let units = load_front(message);
    let x0 = _mm512_shuffle_i64x2::<0x00>(units, units);
    let y0 = _mm512_shuffle_i64x2::<0x55>(units, units);
    let x1 = _mm512_shuffle_i64x2::<0xaa>(units, units);
    let y1 = _mm512_shuffle_i64x2::<0xff>(units, units);
    // Without its second unit, that unit's keys must not count.
    let second = if message.len() > 32 { !0 } else { 0 };
    let bits = _mm512_set1_epi32(8 * message.len() as i32);
    let mut words = [_mm512_setzero_si512(); GROUPS];
    for (keys, word) in key.front.iter().zip(&mut words).take(STREAMS.div_ceil(4)) {
        let sum = |x, i: usize| _mm512_add_epi16(x, load(keys[i].as_flattened()));
        let one = _mm512_madd_epi16(sum(x0, 0), sum(y0, 1));
        let two = _mm512_maskz_madd_epi16(second, sum(x1, 2), sum(y1, 3));
        let four = _mm512_add_epi32(one, two);
        let two = _mm512_add_epi32(four, _mm512_shuffle_epi32::<0x4e>(four));
        let all = _mm512_add_epi32(two, _mm512_shuffle_epi32::<0xb1>(two));
        *word = _mm512_add_epi32(all, bits);
    }
    words
}

/// Level 1 of a message of at most a chunk, a word in each lane.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn words_of_chunk<const STREAMS: usize>(key: &Key, message: &[u8]) -> [__m512i; GROUPS] {
    let totals = lanes::<STREAMS>(key.l1.steps(), message);
    let bits = _mm512_set1_epi32(8 * message.len() as i32);
    let order = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    let mut words = [_mm512_setzero_si512(); GROUPS];
    for (word, totals) in words.iter_mut().zip(totals.chunks(4)) {
        let four = _mm512_castsi128_si512(four_sums(totals));
        *word = _mm512_add_epi32(_mm512_permutexvar_epi32(order, four), bits);
    }
    words
}

/// Levels 1 and 2 of a message of more than a chunk, a word in each lane.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn words_of_chunks<const STREAMS: usize>(key: &Key, message: &[u8]) -> [__m512i; GROUPS] {
    let (chunks, last) = not_last(message);
    // One step from 0 with the word 1 comes to 1, where POLY begins.
    let mut states = [_mm256_setzero_si256(); GROUPS];
    let mut before = [_mm256_set1_epi64x(1); GROUPS];
    absorb_chunks::<STREAMS>(key, &mut states, &mut before, chunks);
    let last = sums::<STREAMS>(key, last);
    let order = _mm512_setr_epi32(0, 0, 0, 0, 2, 2, 2, 2, 4, 4, 4, 4, 6, 6, 6, 6);
    let mut words = [_mm512_setzero_si512(); GROUPS];
    for (g, word) in words.iter_mut().enumerate().take(STREAMS.div_ceil(4)) {
        let y = poly(&key.poly[g], states[g], before[g]);
        let y = reduced(poly(&key.poly[g], y, last[g]));
        *word = _mm512_permutexvar_epi32(order, _mm512_castsi256_si512(y));
    }
    words
}

/// Levels 1 and 2 of whole chunks. Level 2 of a chunk comes after level 1 of the next, so that its chain
/// of multiplications never waits for sums under way: `before` has the words that are still to be taken.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn absorb_chunks<const STREAMS: usize>(
    key: &Key,
    states: &mut [__m256i; GROUPS],
    before: &mut [__m256i; GROUPS],
    chunks: &[[u8; CHUNK]],
) {
    for chunk in chunks {
        let now = sums::<STREAMS>(key, chunk);
        for (g, (state, before)) in
            states.iter_mut().zip(&mut *before).enumerate().take(STREAMS.div_ceil(4))
        {
            *state = poly(&key.poly[g], *state, *before);
            *before = now[g];
        }
    }
}

/// A level-1 word of each stream in 64-bit lanes.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn sums<const STREAMS: usize>(key: &Key, chunk: &[u8]) -> [__m256i; GROUPS] {
    // Hidden, or the compiler loads the whole key ahead of a loop over chunks and spills it.
    let l1 = black_box(&key.l1);
    let totals = lanes::<STREAMS>(l1.steps(), chunk);
    let bits = _mm_set1_epi32(8 * chunk.len() as i32);
    let mut words = [_mm256_setzero_si256(); GROUPS];
    for (words, totals) in words.iter_mut().zip(totals.chunks(4)) {
        *words = _mm256_cvtepu32_epi64(_mm_add_epi32(four_sums(totals), bits));
    }
    words
}

/// A word of POLY-32 in each of four streams, the limit rule included. In: accumulators below 2^33, words
/// below 2^32. Out: accumulators below 2^33.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn poly(keys: &[[u64; 4]; 3], y: __m256i, m: __m256i) -> __m256i {
    let [k, square, less] = [0, 1, 2].map(|i| {
        // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
        unsafe { _mm256_loadu_si256(keys[i].as_ptr().cast()) }
    });
    let over = _mm256_cmpge_epu64_mask(m, _mm256_set1_epi64x(LIMIT32.into()));
    let k = _mm256_mask_mov_epi64(k, over, square);
    let m = _mm256_mask_sub_epi64(m, over, m, less);
    // k y is below 2^65, so what is above its lower 52 bits is below 2^13. 2^52 = 5 * 2^20 mod p.
    let low = _mm256_madd52lo_epu64(m, k, y);
    let high = _mm256_madd52hi_epu64(_mm256_setzero_si256(), k, y);
    // Below 2^53.
    fold(_mm256_madd52lo_epu64(low, high, _mm256_set1_epi64x(5 << 20)))
}

/// Folds the bits above 32. In: below 2^53. Out: below 2^32 + 5 * 2^21.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn fold(y: __m256i) -> __m256i {
    let low = _mm256_and_si256(y, _mm256_set1_epi64x(u32::MAX.into()));
    _mm256_madd52lo_epu64(low, _mm256_srli_epi64::<32>(y), _mm256_set1_epi64x(5))
}

/// The numbers below p32 that are equal to accumulators mod p32.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn reduced(y: __m256i) -> __m256i {
    let y = fold(y);
    // Below zero wraps around to a large number.
    _mm256_min_epu64(y, _mm256_sub_epi64(y, _mm256_set1_epi64x(P32.into())))
}

/// Level 3 of a 32-bit word in each lane: 16 bits in each, without the masks.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn products(keys: &[[u64; 2]; 4], words: __m512i) -> __m512i {
    // The lower digit to the lower half of the lane, the upper one to the upper.
    let spread = _mm512_broadcast_i32x4(_mm_setr_epi8(
        0, 1, -1, -1, -1, -1, -1, -1, 2, 3, -1, -1, -1, -1, -1, -1,
    ));
    let both = _mm512_mul_epu32(_mm512_shuffle_epi8(words, spread), load(keys.as_flattened()));
    let sum = _mm512_add_epi64(both, _mm512_shuffle_epi32::<0x4e>(both));
    // Below 2^36, so a fold leaves less than 2^19 + 2^17, which is below 2 p.
    let p = _mm512_set1_epi64(P19 as i64);
    let folded = _mm512_add_epi64(_mm512_srli_epi64::<19>(sum), _mm512_and_si512(sum, p));
    // Below zero wraps around to a large number; the upper half of each is zero.
    _mm512_min_epu32(folded, _mm512_sub_epi32(folded, p))
}

#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn block_of(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// A register of numbers.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn load<T: Copy>(numbers: &[T]) -> __m512i {
    assert!(size_of_val(numbers) == 64);
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(numbers.as_ptr().cast()) }
}
