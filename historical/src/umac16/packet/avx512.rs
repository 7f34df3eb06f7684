//! Whole messages in 512-bit registers. From the sums of level 1 to the tag, each stream has a 128-bit lane, four
//! streams in a register; in POLY-32, each stream has a 64-bit lane. docs/lanes.md draws the registers.

use super::avx2::products as products_of_four;
use super::{Kernels, Key, Tags};
use crate::l1_nh16::avx512::{
    add_products, four_sums, lanes, lanes_of_two, load_short, neighbours,
};
use crate::umac16::l3::P19;
use crate::umac16::poly32::{LIMIT32, P32};
use crate::umac16::{CHUNK, L1Key, MAX_STREAMS};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::buffer::not_last;
use wegman::hazmat::pads::Blocks;
use wegman::hazmat::pads::{four_blocks, part};
use wegman::hazmat::simd::{load128, load256, load512, store128, store512};

/// Groups of four streams.
const GROUPS: usize = MAX_STREAMS / 4;

pub(super) const fn kernels<const STREAMS: usize>() -> Kernels {
    Kernels {
        tag: tag::<STREAMS>,
        tag_of_chunks: tag_of_chunks::<STREAMS>,
        hash: hash::<STREAMS>,
        hash_of_chunks: hash_of_chunks::<STREAMS>,
        absorb: absorb::<STREAMS>,
        // For whole tags only: these numbers of streams are all that keys have.
        tag8: if STREAMS.is_power_of_two() { Some(tag8::<STREAMS>) } else { None },
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
    if message.len() > 64 {
        // The pad comes first: its rounds finish long before level 1. After level 1 they would wait for room in the
        // schedulers, as everything after the sums does.
        let pad = number::<STREAMS>(pad::<STREAMS>(key, block, start));
        return tagged::<STREAMS>(bytes(pad ^ hash_of_chunk::<STREAMS>(key, message)), tag);
    }
    let hash = hash_of_64::<STREAMS>(key, message);
    tagged::<STREAMS>(_mm_xor_si128(pad::<STREAMS>(key, block, start), hash), tag)
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
    let pad = number::<STREAMS>(pad::<STREAMS>(key, block, start)); // as in `tag`
    tagged::<STREAMS>(bytes(pad ^ hash_of_chunks::<STREAMS>(key, message)), tag)
}

#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn pad<const STREAMS: usize>(key: &Key, block: u128, start: usize) -> __m128i {
    if STREAMS > 4 {
        part::<4>(&key.rounds, block, start)
    } else {
        part::<2>(&key.rounds, block, start)
    }
}

/// Returns or stores a tag, as `Kernels::tag` says.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn tagged<const STREAMS: usize>(both: __m128i, tag: &mut [u8; 16]) -> u64 {
    if STREAMS > 4 {
        store128(tag, both);
        return 0;
    }
    _mm_cvtsi128_si64(both) as u64
}

#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn bytes(number: u128) -> __m128i {
    _mm_set_epi64x((number >> 64) as i64, number as i64)
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn hash<const STREAMS: usize>(key: &Key, message: &[u8]) -> u128 {
    match message.len() {
        ..=64 => number::<STREAMS>(hash_of_64::<STREAMS>(key, message)),
        _ => hash_of_chunk::<STREAMS>(key, message),
    }
}

/// The hash of a message of more than 64 bytes and at most a chunk. Kept out of line: otherwise the compiler moves the
/// hash of short messages out of line instead.
#[inline(never)]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn hash_of_chunk<const STREAMS: usize>(key: &Key, message: &[u8]) -> u128 {
    number::<STREAMS>(hash_of_words::<STREAMS>(key, sums::<STREAMS>(&key.l1, message)))
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn hash_of_chunks<const STREAMS: usize>(key: &Key, message: &[u8]) -> u128 {
    number::<STREAMS>(hash_of_words::<STREAMS>(key, words_of_chunks::<STREAMS>(key, message)))
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn tag8<const STREAMS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut Tags,
) {
    let (groups, _) = messages.as_chunks::<4>();
    let first = hashes4::<STREAMS>(key, &groups[0]);
    let last = hashes4::<STREAMS>(key, &groups[1]);
    let order = load512(const { &order_of_tags::<STREAMS>() });
    let (places, _) = tags.as_chunks_mut::<64>();
    if STREAMS > 4 {
        let masks = _mm512_broadcast_i32x4(load128(&key.mask));
        let pads = aes(&key.rounds, [four_blocks(blocks, 0), four_blocks(blocks, 4)]);
        for ((place, pads), [low, high]) in places.iter_mut().zip(pads).zip([first, last]) {
            let hashes = _mm512_permutex2var_epi8(low, order, high);
            store512(place, _mm512_ternarylogic_epi64::<0x96>(hashes, masks, pads));
        }
        return;
    }
    let [a, b, c, d, e, f, g, h, ..] = key.mask;
    let masks = match STREAMS {
        1 => _mm512_set1_epi16(i16::from_le_bytes([a, b])),
        2 => _mm512_set1_epi32(i32::from_le_bytes([a, b, c, d])),
        _ => _mm512_set1_epi64(i64::from_le_bytes([a, b, c, d, e, f, g, h])),
    };
    let [pads] = aes(&key.rounds, [four_blocks(blocks, 0)]);
    let hashes = _mm512_permutex2var_epi8(first[0], order, last[0]);
    store512(&mut places[0], _mm512_ternarylogic_epi64::<0x96>(hashes, masks, pads));
}

/// The bytes of a register as a number, the first byte lowest. For at most four streams, only the lower half.
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
        *state = _mm256_cvtepu32_epi64(load128(y));
    }
    let Some((first, others)) = chunks.split_first() else { return };
    let mut words = sums::<STREAMS>(black_box(&key.l1), first);
    absorb_chunks::<STREAMS>(key, &mut states, &mut words, others);
    for ((g, y), state) in groups.iter_mut().enumerate().zip(states) {
        let state = reduced(poly(&key.poly[g], state, words[g]));
        store128(y, _mm256_cvtepi64_epi32(state));
    }
}

/// The hash of a message of at most 64 bytes.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn hash_of_64<const STREAMS: usize>(key: &Key, message: &[u8]) -> __m128i {
    let words = words_of_64::<STREAMS>(key, message);
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
    _mm_xor_si128(_mm512_castsi512_si128(bytes), load128(&key.mask))
}

/// Level 3 of a word of each stream in 64-bit lanes: the bytes of the hash.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn hash_of_words<const STREAMS: usize>(key: &Key, words: [__m256i; GROUPS]) -> __m128i {
    let first = products_of_four(&key.digits_apart[0], words[0]);
    let all = if STREAMS > 4 {
        _mm_unpacklo_epi64(first, products_of_four(&key.digits_apart[1], words[1]))
    } else {
        first
    };
    _mm_xor_si128(all, load128(&key.mask))
}

/// Level 1 of a message of at most 64 bytes: a word in each 128-bit lane. The x and y of both units are copied to all
/// 128-bit lanes. Each lane has a stream, so only its four neighbours are left to add.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn words_of_64<const STREAMS: usize>(key: &Key, message: &[u8]) -> [__m512i; GROUPS] {
    let units = load_short(message);
    let x0 = _mm512_shuffle_i64x2::<0x00>(units, units);
    let y0 = _mm512_shuffle_i64x2::<0x55>(units, units);
    let x1 = _mm512_shuffle_i64x2::<0xaa>(units, units);
    let y1 = _mm512_shuffle_i64x2::<0xff>(units, units);
    // If there is no second unit, its keys must not count.
    let second = if message.len() > 32 { !0 } else { 0 };
    let bits = _mm512_set1_epi32(8 * message.len() as i32);
    let mut words = [_mm512_setzero_si512(); GROUPS];
    for (keys, word) in key.first_keys.iter().zip(&mut words).take(STREAMS.div_ceil(4)) {
        let sum = |x, i: usize| _mm512_add_epi16(x, load512(&keys[i]));
        let one = _mm512_madd_epi16(sum(x0, 0), sum(y0, 1));
        let two = _mm512_maskz_madd_epi16(second, sum(x1, 2), sum(y1, 3));
        let four = _mm512_add_epi32(one, two);
        let two = _mm512_add_epi32(four, _mm512_shuffle_epi32::<0x4e>(four));
        let all = _mm512_add_epi32(two, _mm512_shuffle_epi32::<0xb1>(two));
        *word = _mm512_add_epi32(all, bits);
    }
    words
}

/// Levels 1 and 2 of a message of more than a chunk: a word of each stream in 64-bit lanes.
///
/// # Bounds
/// Out: below p32, by [`reduced`].
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn words_of_chunks<const STREAMS: usize>(key: &Key, message: &[u8]) -> [__m256i; GROUPS] {
    let (chunks, last) = not_last(message);
    // POLY starts at 1. A step from 0 with the word 1 gives 1.
    let mut states = [_mm256_setzero_si256(); GROUPS];
    let mut before = [_mm256_set1_epi64x(1); GROUPS];
    absorb_chunks::<STREAMS>(key, &mut states, &mut before, chunks);
    let last = sums::<STREAMS>(black_box(&key.l1), last);
    let mut words = [_mm256_setzero_si256(); GROUPS];
    for (g, word) in words.iter_mut().enumerate().take(STREAMS.div_ceil(4)) {
        let y = poly(&key.poly[g], states[g], before[g]);
        *word = reduced(last_of_poly(&key.poly[g], y, last[g]));
    }
    words
}

/// Levels 1 and 2 of whole chunks. Level 2 of a chunk comes after level 1 of the next chunk, so that its chain of
/// multiplications never waits for unfinished sums: `before` has the words that POLY has still to take.
///
/// # Bounds
/// In and out: accumulators below 2^33 and words below 2^32, as [`poly`] needs and gives them.
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
    let mut take = |now: [__m256i; GROUPS]| {
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

/// A level-1 word of each stream in 64-bit lanes, below 2^32.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn sums<const STREAMS: usize>(key: &L1Key, chunk: &[u8]) -> [__m256i; GROUPS] {
    words_of_lanes(lanes::<STREAMS>(key.steps(), chunk), chunk.len())
}

/// The words, below 2^32, from the sums of level 1 of a message of `length` bytes.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn words_of_lanes<const STREAMS: usize>(
    totals: [__m512i; STREAMS],
    length: usize,
) -> [__m256i; GROUPS] {
    let bits = _mm_set1_epi32(8 * length as i32);
    let mut words = [_mm256_setzero_si256(); GROUPS];
    for (words, totals) in words.iter_mut().zip(totals.chunks(4)) {
        *words = _mm256_cvtepu32_epi64(_mm_add_epi32(four_sums(totals), bits));
    }
    words
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
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
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
/// In: accumulators below 2^33, words below 2^32. Out: below 2^34, for [`reduced`]. As in [`poly`], the sum before the
/// fold is below 2^53, so either product is below 2^33. `twice` may wrap around below zero. It is added to a word over
/// the limit only, which is at least what `twice` subtracts, so the total is not negative and below 2^33 + 2^32.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
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
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
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
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn reduced(y: __m256i) -> __m256i {
    let y = fold(y);
    _mm256_min_epu64(y, _mm256_sub_epi64(y, _mm256_set1_epi64x(P32.into())))
}

/// Level 3 of a 32-bit word in each 128-bit lane: 16 bits in each, without the masks.
///
/// # Bounds
/// In: any word in the lowest 32 bits of each 128-bit lane; the other bits are ignored. Digits are below 2^16 and keys
/// below 2^19, so a product is below 2^35 and the sum of two below 2^36. The fold (2^19 = 1 mod p) leaves less than
/// 2^19 + 2^17, which is below 2 p. A difference below zero wraps around to a large 32-bit number, so the minimum is
/// the reduced number, below p. The upper half of each 64-bit lane is zero.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn products(keys: &[[u64; 2]; 4], words: __m512i) -> __m512i {
    // The lower digit goes to the lower half of the 128-bit lane, the upper digit to the upper half.
    let spread = _mm512_broadcast_i32x4(_mm_setr_epi8(
        0, 1, -1, -1, -1, -1, -1, -1, 2, 3, -1, -1, -1, -1, -1, -1,
    ));
    let both = _mm512_mul_epu32(_mm512_shuffle_epi8(words, spread), load512(keys));
    let sum = _mm512_add_epi64(both, _mm512_shuffle_epi32::<0x4e>(both));
    let p = _mm512_set1_epi64(P19 as i64);
    let folded = _mm512_add_epi64(_mm512_srli_epi64::<19>(sum), _mm512_and_si512(sum, p));
    _mm512_min_epu32(folded, _mm512_sub_epi32(folded, p))
}

/// The hashes of four messages of at most 64 bytes, without the masks. Each message has a 128-bit lane. In it, each of
/// four streams has the lower half of a 32-bit lane.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn hashes4<const STREAMS: usize>(key: &Key, messages: &[&[u8]; 4]) -> [__m512i; GROUPS] {
    let [a, b, c, d] = messages.map(|message| load_short(message));
    // `ab` and `cd`: the x of the first and of the second units of two messages; then the same for y.
    let (ab, cd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d));
    let (x0, x1) = (_mm512_shuffle_i64x2::<0x88>(ab, cd), _mm512_shuffle_i64x2::<0xdd>(ab, cd));
    let (ab, cd) = (_mm512_shuffle_i64x2::<0xdd>(a, b), _mm512_shuffle_i64x2::<0xdd>(c, d));
    let (y0, y1) = (_mm512_shuffle_i64x2::<0x88>(ab, cd), _mm512_shuffle_i64x2::<0xdd>(ab, cd));
    let [a, b, c, d] = messages.map(|message| 8 * message.len() as i32);
    let bits = _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3),
        _mm512_castsi128_si512(_mm_setr_epi32(a, b, c, d)),
    );
    // If there is no second unit, its keys must not count.
    let second = _mm512_cmpgt_epu32_mask(bits, _mm512_set1_epi32(8 * 32));
    let mut hashes = [_mm512_setzero_si512(); GROUPS];
    for (g, hashes) in hashes.iter_mut().enumerate().take(STREAMS.div_ceil(4)) {
        // List `i` of stream `t`.
        let sum = |block, i: usize, t: usize| {
            _mm512_add_epi16(block, _mm512_broadcast_i32x4(load128(&key.first_keys[g][i][t])))
        };
        let mut totals = [_mm512_setzero_si512(); 4];
        for (t, total) in totals.iter_mut().enumerate().take(STREAMS - 4 * g) {
            let two = _mm512_maskz_madd_epi16(second, sum(x1, 2, t), sum(y1, 3, t));
            *total = add_products(two, sum(x0, 0, t), sum(y0, 1, t));
        }
        let words = _mm512_add_epi32(neighbours(totals), bits);
        *hashes = products_of_lanes(&key.digits_apart[g], words);
    }
    hashes
}

/// Level 3 of a word of each of four streams in every 128-bit lane: 16 bits in each 32-bit lane, without the masks.
///
/// # Bounds
/// In: any 32 bits in each 32-bit lane. As in [`products`], the sum of two products is below 2^36, and the fold leaves
/// less than 2^19 + 2^17, which is below 2 p and fits in the lower half of its 64-bit lane. Out: below p in each 32-bit
/// lane.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn products_of_lanes(keys: &[[u64; 4]; 2], words: __m512i) -> __m512i {
    // `sum(0)` has streams 0 and 1 in the halves of each 128-bit lane, `sum(1)` has streams 2 and 3.
    let sum = |i: usize| {
        let digit = |j: i8| {
            let (a, b) = (8 * i as i8 + 2 * j, 8 * i as i8 + 4 + 2 * j);
            let spread =
                _mm_setr_epi8(a, a + 1, -1, -1, -1, -1, -1, -1, b, b + 1, -1, -1, -1, -1, -1, -1);
            _mm512_shuffle_epi8(words, _mm512_broadcast_i32x4(spread))
        };
        let keys = |j: usize| {
            let two: &[u64; 2] = &keys[j].as_chunks().0[i];
            _mm512_broadcast_i32x4(load128(two))
        };
        let low = _mm512_mul_epu32(digit(0), keys(0));
        let sum = _mm512_madd52lo_epu64(low, digit(1), keys(1));
        let p = _mm512_set1_epi64(P19 as i64);
        _mm512_add_epi64(_mm512_srli_epi64::<19>(sum), _mm512_and_si512(sum, p))
    };
    // The upper halves are zero, so one register holds the lower halves of both.
    let (first, last) = (_mm512_castsi512_ps(sum(0)), _mm512_castsi512_ps(sum(1)));
    let folded = _mm512_castps_si512(_mm512_shuffle_ps::<0x88>(first, last));
    _mm512_min_epu32(folded, _mm512_sub_epi32(folded, _mm512_set1_epi32(P19 as i32)))
}

/// The places of the tags' bytes in two registers of [`hashes4`]. The registers have the first and the last four
/// messages or, for more than four streams, the first and the last four streams of four messages.
const fn order_of_tags<const STREAMS: usize>() -> [u8; 64] {
    let mut order = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (message, stream) = (i / (2 * STREAMS) % 8, i / 2 % STREAMS);
        let register = if STREAMS > 4 { stream / 4 } else { message / 4 };
        // Big-endian.
        order[i] = (64 * register + 16 * (message % 4) + 4 * (stream % 4) + 1 - i % 2) as u8;
        i += 1;
    }
    order
}

/// The pads' blocks, encrypted.
#[inline]
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,avx512vnni,bmi2,aes,vaes"
)]
fn aes<const L: usize>(rounds: &[[u8; 16]; 11], blocks: [__m512i; L]) -> [__m512i; L] {
    let round = |i: usize| _mm512_broadcast_i32x4(load128(&rounds[i]));
    let mut states = blocks.map(|block| _mm512_xor_si512(block, round(0)));
    for i in 1..10 {
        states = states.map(|state| _mm512_aesenc_epi128(state, round(i)));
    }
    states.map(|state| _mm512_aesenclast_epi128(state, round(10)))
}
