//! Packets in 512-bit registers. After level 1 of a single message, 256-bit registers are enough.
//!
//! Eight messages go through level 1 as two groups of four. A register holds word pairs of four messages, so that no
//! sum across a register is needed. In level 3 each of the eight messages has a lane.
#![allow(unsafe_code)]

use super::{Kernels, Key, Tags, Words};
use crate::batch::EIGHT;
use crate::buffer::not_last;
use crate::pads::x86::{four_blocks, part};
use crate::pads::{Blocks, PADS};
use crate::umac::MAX_STREAMS;
use crate::umac::l1_nh::CHUNK;
use crate::umac::l1_nh::avx512::{lanes, load_short, prefetch, short_lanes, totals, whole};
use crate::umac::l2_poly::{self, State, poly64, reduce64};
use core::arch::x86_64::*;
use core::hint::black_box;

pub(super) const fn kernels<const STREAMS: usize>() -> Kernels {
    Kernels {
        absorb: absorb::<STREAMS>,
        hash: hash::<STREAMS>,
        tag: tag::<STREAMS>,
        pad: pad::<STREAMS>,
        inner: inner::<STREAMS>,
        tag8: tag8::<STREAMS>,
        words8: words8::<STREAMS>,
        inner8: inner8::<STREAMS>,
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn hash<const STREAMS: usize>(key: &Key, message: &[u8]) -> u128 {
    if message.len() > CHUNK {
        return hash_of_chunks::<STREAMS>(key, message);
    }
    number::<STREAMS>(products::<STREAMS>(key, words::<STREAMS>(key, message)))
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn hash_of_chunks<const STREAMS: usize>(key: &Key, message: &[u8]) -> u128 {
    number::<STREAMS>(products::<STREAMS>(key, words_of_chunks::<STREAMS>(key, message)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn tag<const STREAMS: usize>(
    key: &Key,
    block: u128,
    start: usize,
    message: &[u8],
    tag: &mut [u8; 16],
) -> u64 {
    let words = if message.len() > CHUNK {
        words_of_chunks::<STREAMS>(key, message)
    } else {
        words::<STREAMS>(key, message)
    };
    let hash = products::<STREAMS>(key, words);
    let pad = part::<STREAMS>(&key.arranged.rounds, block, start);
    let both = _mm_xor_si128(pad, hash);
    if STREAMS > 2 {
        // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
        unsafe { _mm_storeu_si128(tag.as_mut_ptr().cast(), both) };
    }
    _mm_cvtsi128_si64(both) as u64
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn pad<const STREAMS: usize>(key: &Key, block: u128, start: usize) -> u128 {
    number::<STREAMS>(part::<STREAMS>(&key.arranged.rounds, block, start))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn inner<const STREAMS: usize>(key: &Key, words: &[u64; MAX_STREAMS]) -> u128 {
    debug_assert!(STREAMS > 2 || words[3] >> 56 == 0, "products_of_two needs a byte of zero");
    // One by one: a wider load would wait for words that were stored a moment ago.
    let [a, b, c, d] = words.map(|word| word as i64);
    number::<STREAMS>(products::<STREAMS>(key, _mm256_setr_epi64x(a, b, c, d)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn tag8<const STREAMS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut Tags,
) {
    let [low, high] = pads8::<STREAMS>(key, blocks);
    let [a, b, c, d, e, f, g, h] = messages.map(|message| message.len() as i64);
    let lengths = _mm512_setr_epi64(a, b, c, d, e, f, g, h);
    let second = _mm512_cmpgt_epu64_mask(lengths, _mm512_set1_epi64(32));
    let bits = _mm512_slli_epi64::<3>(lengths);
    let (groups, _) = messages.as_chunks::<4>();
    let (first, last) = (nh4::<STREAMS>(key, &groups[0]), nh4::<STREAMS>(key, &groups[1]));
    // Level 3 of a stream: eight messages in eight lanes.
    let stream = |t: usize| {
        // The sums of the first units, in the order of the messages, and those of the second units, or 0 for a message
        // without one.
        let one = _mm512_shuffle_i64x2::<0x88>(first[t], last[t]);
        let two = _mm512_maskz_shuffle_i64x2::<0xdd>(second, first[t], last[t]);
        let words = _mm512_add_epi64(_mm512_add_epi64(one, two), bits);
        products8(words, |i| _mm512_set1_epi64(key.arranged.digits[i][t] as i64))
    };
    // Two streams: each lane has the hash of the first in its lower half and that of the second in its upper half.
    let both = |t: usize| {
        if t + 1 < STREAMS {
            _mm512_mask_shuffle_epi32::<0xa0>(stream(t), 0xaaaa, stream(t + 1))
        } else {
            stream(t)
        }
    };
    let (tags, _) = tags.as_chunks_mut();
    if STREAMS <= 2 {
        return store(&mut tags[0], tagged::<STREAMS>(key, both(0), low));
    }
    let (a, b) = (both(0), both(2));
    let first = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), b);
    let last = _mm512_permutex2var_epi64(a, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), b);
    store(&mut tags[0], tagged::<STREAMS>(key, first, low));
    store(&mut tags[1], tagged::<STREAMS>(key, last, high));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn words8<const STREAMS: usize>(key: &Key, messages: &[&[u8]; EIGHT], out: &mut Words) {
    for (i, message) in messages.iter().enumerate() {
        let key = black_box(key); // as in l1_nh/avx512.rs
        let words = match message.len() {
            ..=CHUNK => words::<STREAMS>(key, message),
            _ => words_of_chunks::<STREAMS>(key, message),
        };
        if STREAMS <= 2 {
            let place: &mut [u64; 2] = &mut out.0.as_chunks_mut().0[i];
            // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
            unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), _mm256_castsi256_si128(words)) };
        } else {
            let place: &mut [u64; 4] = &mut out.0.as_chunks_mut().0[i];
            // SAFETY: 32 bytes are written to 32 bytes; no alignment is asked for.
            unsafe { _mm256_storeu_si256(place.as_mut_ptr().cast(), words) };
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn inner8<const STREAMS: usize>(key: &Key, words: &Words, blocks: &Blocks, tags: &mut Tags) {
    let keys = |i: usize| {
        if STREAMS <= 2 {
            let [first, second] = key.arranged.digits_of_two[i].map(|key| key as i64);
            _mm512_broadcast_i32x4(_mm_set_epi64x(second, first))
        } else {
            let [a, b, c, d] = key.arranged.digits[i].map(|key| key as i64);
            _mm512_broadcast_i64x4(_mm256_setr_epi64x(a, b, c, d))
        }
    };
    let (words, _) = words.0.as_chunks();
    // The lower halves of sixteen lanes, in order.
    let lower = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let pads = pads8::<STREAMS>(key, blocks);
    let tags = tags.as_chunks_mut().0.iter_mut().zip(pads);
    for (i, (tags, pads)) in tags.enumerate().take(STREAMS.div_ceil(2)) {
        let first = products8(load(&words[2 * i]), keys);
        let second = products8(load(&words[2 * i + 1]), keys);
        let hashes = _mm512_permutex2var_epi32(first, lower, second);
        store(tags, tagged::<STREAMS>(key, hashes, pads));
    }
}

/// Level 1 of a message of at most a chunk: one word for each stream.
///
/// # Bounds
/// Out: any 64 bits in the lanes of streams, at most 8 * 1024, the length in bits, in the others.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn words<const STREAMS: usize>(key: &Key, message: &[u8]) -> __m256i {
    match message.len() {
        ..=64 => sums(message, short_lanes::<STREAMS>(&key.l1, message)),
        _ => sums(message, lanes::<STREAMS, false>(&key.l1, message)),
    }
}

/// Levels 1 and 2 of a message of more than a chunk and at most `LONGEST` bytes.
///
/// # Bounds
/// The accumulators `y` are lazy: any 64 bits, as [`poly64`] takes and gives them. Out: below p64 in the lanes of
/// streams, by [`reduce64`]; 1 in the others.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn words_of_chunks<const STREAMS: usize>(key: &Key, message: &[u8]) -> __m256i {
    let (chunks, last) = not_last(message);
    // The words are few enough for POLY-64, whose accumulators stay in registers here. Level 2 of a chunk comes after
    // level 1 of the next chunk, here and in `absorb`: its chain of multiplications never waits for unfinished sums
    // and overlaps with the vector code.
    let mut y = [1; MAX_STREAMS];
    let mut before: Option<[u64; MAX_STREAMS]> = None;
    for i in 0..=chunks.len() {
        let now = match chunks.get(i) {
            Some(chunk) => {
                let l1 = black_box(&key.l1); // as in l1_nh/avx512.rs
                sums(chunk, whole::<STREAMS, false>(l1, chunk, |_| ()))
            }
            None => sums(last, lanes::<STREAMS, false>(&key.l1, last)),
        };
        if let Some(before) = before.replace(stored(now)) {
            poly::<STREAMS>(&key.l2, &mut y, &before);
        }
    }
    before.iter().for_each(|last| poly::<STREAMS>(&key.l2, &mut y, last));
    let [a, b, c, d] = y.map(|y| reduce64(y) as i64);
    _mm256_setr_epi64x(a, b, c, d)
}

/// POLY-64 takes a word of each stream.
///
/// # Bounds
/// In and out: lazy accumulators, any 64 bits.
#[inline(always)] // a call would save and reload the registers of level 1
fn poly<const STREAMS: usize>(
    keys: &[l2_poly::Key; MAX_STREAMS],
    y: &mut [u64; MAX_STREAMS],
    words: &[u64; MAX_STREAMS],
) {
    for t in 0..STREAMS {
        y[t] = poly64(&keys[t], y[t], words[t]);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn absorb<const STREAMS: usize>(key: &Key, state: &mut State, chunks: &[[u8; CHUNK]]) {
    // Chunks that do not fit in a core's own caches are prefetched.
    let far = chunks.len() > 1024;
    let mut before: Option<[u64; MAX_STREAMS]> = None;
    for (i, chunk) in chunks.iter().enumerate() {
        let l1 = black_box(&key.l1); // as in l1_nh/avx512.rs
        let lanes = match chunks.get(i + 12) {
            Some(ahead) if far => {
                whole::<STREAMS, false>(l1, chunk, |step| prefetch(&ahead.as_chunks().0[step]))
            }
            _ => whole::<STREAMS, false>(l1, chunk, |_| ()),
        };
        if let Some(before) = before.replace(stored(sums(chunk, lanes))) {
            state.absorb_row(&key.l2, &before[..STREAMS]);
        }
    }
    if let Some(before) = before {
        state.absorb_row(&key.l2, &before[..STREAMS]);
    }
}

/// The level-1 hashes: the sum over all lanes of each stream, plus the length in bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn sums<const STREAMS: usize>(message: &[u8], lanes: [__m512i; STREAMS]) -> __m256i {
    _mm256_add_epi64(totals(lanes), _mm256_set1_epi64x(8 * message.len() as i64))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn stored(words: __m256i) -> [u64; MAX_STREAMS] {
    let mut four = [0; MAX_STREAMS];
    // SAFETY: 32 bytes are written to 32 bytes; no alignment is asked for.
    unsafe { _mm256_storeu_si256(four.as_mut_ptr().cast(), words) };
    four
}

/// Level 1 of four messages of at most 64 bytes, without their lengths. For each stream, the lanes are the sums of the
/// first units of two messages, of the second units of these two, then the same for the other two messages.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn nh4<const STREAMS: usize>(key: &Key, messages: &[&[u8]; 4]) -> [__m512i; STREAMS] {
    let m = messages.map(|message| load_short(message));
    // `even`: words 0 and 1 of each half unit of two messages. `odd`: words 2 and 3.
    let (even01, odd01) = (_mm512_unpacklo_epi64(m[0], m[1]), _mm512_unpackhi_epi64(m[0], m[1]));
    let (even23, odd23) = (_mm512_unpacklo_epi64(m[2], m[3]), _mm512_unpackhi_epi64(m[2], m[3]));
    // The even x of both units of all messages, the y that multiply them; then the same for odd.
    let halves = [
        _mm512_shuffle_i64x2::<0x88>(even01, even23),
        _mm512_shuffle_i64x2::<0xdd>(even01, even23),
        _mm512_shuffle_i64x2::<0x88>(odd01, odd23),
        _mm512_shuffle_i64x2::<0xdd>(odd01, odd23),
    ];
    core::array::from_fn(|t| {
        let sum = |i: usize| _mm512_add_epi32(halves[i], load_words(&key.arranged.lanes[t][i]));
        let (a, b, c, d) = (sum(0), sum(1), sum(2), sum(3));
        let products = |x, y| {
            let upper = _mm512_mul_epu32(_mm512_srli_epi64::<32>(x), _mm512_srli_epi64::<32>(y));
            _mm512_add_epi64(_mm512_mul_epu32(x, y), upper)
        };
        _mm512_add_epi64(products(a, b), products(c, d))
    })
}

/// Level 3 of one word for each stream.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn products<const STREAMS: usize>(key: &Key, words: __m256i) -> __m128i {
    let hash =
        if STREAMS <= 2 { products_of_two(key, words) } else { products_of_four(key, words) };
    _mm_xor_si128(hash, block_of(&key.arranged.mask))
}

/// Level 3 of two words, without the masks: two hashes in the low eight bytes. Byte shuffles spread the words' digits
/// over the lanes.
///
/// # Bounds
/// In: any words of 64 bits in lanes 0 and 1; the top byte of lane 3 is zero, as `spread` needs it. Digits are below
/// 2^16 and keys below 2^36, so both fit in the 52 bits that the multiplication reads, and a product is below 2^52: its
/// low 52 bits are all of it. A lane sums two products, below 2^53; the sum of two lanes is below 2^54. Out: below p36
/// before the low 32 bits are taken.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn products_of_two(key: &Key, words: __m256i) -> __m128i {
    /// Brings digit `d` of the two words to lanes 0 and 1, and digit `d + 1` to lanes 2 and 3. The other bytes of a
    /// lane are copies of byte 31 of the words, which is zero.
    const fn spread(d: i8) -> [i8; 32] {
        let mut bytes = [31; 32];
        let mut lane = 0;
        while lane < 4 {
            let first = 8 * (lane as i8 % 2) + 2 * (d + lane as i8 / 2);
            (bytes[8 * lane], bytes[8 * lane + 1]) = (first, first + 1);
            lane += 1;
        }
        bytes
    }
    static LOW: [i8; 32] = spread(0);
    static HIGH: [i8; 32] = spread(2);
    let digits = |order: &[i8; 32]| {
        // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
        let order = unsafe { _mm256_loadu_si256(order.as_ptr().cast()) };
        _mm256_permutexvar_epi8(order, words)
    };
    let keys = |i: usize| {
        let keys: &[u64; 4] = &key.arranged.digits_of_two.as_flattened().as_chunks().0[i];
        // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
        unsafe { _mm256_loadu_si256(keys.as_ptr().cast()) }
    };
    let (low, high) = (digits(&LOW), digits(&HIGH));
    let sums = _mm256_madd52lo_epu64(_mm256_setzero_si256(), low, keys(0));
    let sums = _mm256_madd52lo_epu64(sums, high, keys(1));
    let sums = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
    let order = _mm_setr_epi8(3, 2, 1, 0, 11, 10, 9, 8, -1, -1, -1, -1, -1, -1, -1, -1);
    _mm_shuffle_epi8(_mm256_castsi256_si128(mod36(_mm256_castsi128_si256(sums))), order)
}

/// Level 3 of four words, without the masks: four hashes. One multiplication takes a digit of all four words.
///
/// # Bounds
/// In: any words of 64 bits. As in [`products_of_two`], a product is below 2^52. The even digits' sum and the odd
/// digits' sum have two products each, below 2^53; the sum of both is below 2^54. Out: below p36 before the low 32 bits
/// are taken.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn products_of_four(key: &Key, words: __m256i) -> __m128i {
    let keys = |i: usize| {
        // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
        unsafe { _mm256_loadu_si256(key.arranged.digits[i].as_ptr().cast()) }
    };
    let low = _mm256_set1_epi64x(0xffff);
    let digits = [
        _mm256_and_si256(words, low),
        _mm256_and_si256(_mm256_srli_epi64::<16>(words), low),
        _mm256_and_si256(_mm256_srli_epi64::<32>(words), low),
        _mm256_srli_epi64::<48>(words),
    ];
    let zero = _mm256_setzero_si256();
    let even = _mm256_madd52lo_epu64(zero, digits[0], keys(0));
    let odd = _mm256_madd52lo_epu64(zero, digits[1], keys(1));
    let even = _mm256_madd52lo_epu64(even, digits[2], keys(2));
    let odd = _mm256_madd52lo_epu64(odd, digits[3], keys(3));
    let order = _mm256_setr_epi8(
        3, 2, 1, 0, 11, 10, 9, 8, -1, -1, -1, -1, -1, -1, -1, -1, //
        -1, -1, -1, -1, -1, -1, -1, -1, 3, 2, 1, 0, 11, 10, 9, 8,
    );
    let hash = _mm256_shuffle_epi8(mod36(_mm256_add_epi64(even, odd)), order);
    _mm_or_si128(_mm256_castsi256_si128(hash), _mm256_extracti128_si256::<1>(hash))
}

/// Folds the bits above the low 36 and subtracts p once if the result is at least p, as `l3_inner::mod36` does.
///
/// # Bounds
/// In: any 64 bits in each lane; level 3's sums are below 2^54. Out: below p. The bits above the low 36 are a number
/// below 2^28, so five times that number is below 2^52, and the fold leaves less than 2^36 + 5 * 2^28, which is below
/// 2 p. A difference below zero wraps around to more than 2^63, so the minimum is the reduced number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn mod36(sums: __m256i) -> __m256i {
    let low = _mm256_and_si256(sums, _mm256_set1_epi64x((1 << 36) - 1));
    let folded = _mm256_madd52lo_epu64(low, _mm256_srli_epi64::<36>(sums), _mm256_set1_epi64x(5));
    let less = _mm256_sub_epi64(folded, _mm256_set1_epi64x((1 << 36) - 5));
    _mm256_min_epu64(folded, less)
}

/// Level 3 of eight words, without the masks; `keys` gives the keys of a digit.
///
/// # Bounds
/// In: any words of 64 bits. As in [`products_of_four`], the sums are below 2^54; the reduction is that of [`mod36`].
/// Out: below p36 in each lane. So the low half of a lane is a hash, and the high half is below 2^4.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn products8(words: __m512i, keys: impl Fn(usize) -> __m512i) -> __m512i {
    let digit = |i: i8| {
        let (a, b, zero) = (2 * i, 2 * i + 1, -1);
        _mm512_broadcast_i32x4(_mm_setr_epi8(
            a,
            b,
            zero,
            zero,
            zero,
            zero,
            zero,
            zero, //
            a + 8,
            b + 8,
            zero,
            zero,
            zero,
            zero,
            zero,
            zero,
        ))
    };
    let digits = [
        _mm512_and_si512(words, _mm512_set1_epi64(0xffff)),
        _mm512_shuffle_epi8(words, digit(1)),
        _mm512_shuffle_epi8(words, digit(2)),
        _mm512_srli_epi64::<48>(words),
    ];
    let zero = _mm512_setzero_si512();
    let even = _mm512_madd52lo_epu64(zero, digits[0], keys(0));
    let odd = _mm512_madd52lo_epu64(zero, digits[1], keys(1));
    let even = _mm512_madd52lo_epu64(even, digits[2], keys(2));
    let odd = _mm512_madd52lo_epu64(odd, digits[3], keys(3));
    let sums = _mm512_add_epi64(even, odd);
    let low = _mm512_and_si512(sums, _mm512_set1_epi64((1 << 36) - 1));
    let folded = _mm512_madd52lo_epu64(low, _mm512_srli_epi64::<36>(sums), _mm512_set1_epi64(5));
    let less = _mm512_sub_epi64(folded, _mm512_set1_epi64((1 << 36) - 5));
    _mm512_min_epu64(folded, less)
}

/// The tags: the hashes of all streams in order, as bytes, xored with their masks and pads.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn tagged<const STREAMS: usize>(key: &Key, hashes: __m512i, pads: __m512i) -> __m512i {
    let masks = if STREAMS <= 2 {
        _mm512_set1_epi64(i64::from_le_bytes(key.arranged.mask.as_chunks().0[0]))
    } else {
        _mm512_broadcast_i32x4(block_of(&key.arranged.mask))
    };
    let order =
        _mm512_broadcast_i32x4(_mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    let hashes = _mm512_xor_si512(_mm512_shuffle_epi8(hashes, order), masks);
    _mm512_xor_si512(hashes, pads)
}

/// The pads of eight messages, each at the place of its tag.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn pads8<const STREAMS: usize>(key: &Key, blocks: &Blocks) -> [__m512i; 2] {
    if STREAMS > 2 {
        return aes(&key.arranged.rounds, [four_blocks(blocks, 0), four_blocks(blocks, 4)]);
    }
    let [pads] = aes(&key.arranged.rounds, [four_blocks(blocks, 0)]);
    // Eight pads of 32 bits are in two blocks, those of 64 bits in four.
    if STREAMS == 1 {
        [_mm512_cvtepu32_epi64(_mm512_castsi512_si256(pads)), pads]
    } else {
        [pads; 2]
    }
}

/// Sixteen blocks at a time, enough to hide the latency of a round.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn encrypt(key: &Key, blocks: &mut [u64; 2 * PADS], count: usize) {
    for blocks in blocks.as_chunks_mut::<32>().0.iter_mut().take(count.div_ceil(16)) {
        let (parts, _) = blocks.as_chunks_mut();
        let states = aes(&key.arranged.rounds, [0, 1, 2, 3].map(|i| load(&parts[i])));
        parts.iter_mut().zip(states).for_each(|(part, state)| store(part, state));
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(crate) fn aes<const L: usize>(rounds: &[[u8; 16]; 11], blocks: [__m512i; L]) -> [__m512i; L] {
    let round = |i: usize| _mm512_broadcast_i32x4(block_of(&rounds[i]));
    let mut states = blocks.map(|block| _mm512_xor_si512(block, round(0)));
    for i in 1..10 {
        states = states.map(|state| _mm512_aesenc_epi128(state, round(i)));
    }
    states.map(|state| _mm512_aesenclast_epi128(state, round(10)))
}

/// The bytes of a register as a number, the first byte lowest. For one or two streams, only the lower half.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn number<const STREAMS: usize>(bytes: __m128i) -> u128 {
    let low = u128::from(_mm_cvtsi128_si64(bytes) as u64);
    if STREAMS <= 2 {
        return low;
    }
    u128::from(_mm_extract_epi64::<1>(bytes) as u64) << 64 | low
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn block_of(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(crate) fn load(words: &[u64; 8]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn load_words(words: &[u32; 8]) -> __m512i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    _mm512_broadcast_i64x4(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn store(words: &mut [u64; 8], register: __m512i) {
    // SAFETY: 64 bytes are written to 64 bytes; no alignment is asked for.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), register) };
}
