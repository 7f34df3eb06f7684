//! Packets (RFC 4418, section 5) in 512-bit registers: the operations of flow.rs. docs/lanes.md draws the registers. With
//! one or two streams, each lane of 128 bits has the words of both; with three or four, each lane has one.
//!
//! Beyond what flow.rs says:
//!
//! 7. The last step of level 2 runs in these registers. Before the last word is known, both of its possible results are
//!    prepared, in limbs of 52 bits.
//! 8. Eight messages of two streams go through level 1 as two groups of four. A register holds word pairs of four
//!    messages, so no sum across a register is needed. In level 3 each of the eight messages has a lane.
//!
//! Sums of level 1 are mod 2^64 by definition: they wrap, and have no bounds.

use super::arranged::QUADS;
use super::flow::{caller::*, lines_to_prefetch, prefetch, row};
use super::sse::{number, whole_number};
use super::{Arranged, ByStreams, Functions, Hold, Key, PadOf, SHORT, Tags, Whole, Words};
use crate::batch::EIGHT;
use crate::buffer::not_last;
use crate::pads::Blocks;
use crate::pads::x86::{four_blocks, pad_from};
use crate::simd::{
    hidden, load128, load256, load512, now128, now256, now512, store128, store128 as store_bytes,
    store256, store512,
};
use crate::umac::MAX_STREAMS;
use crate::umac::l1_nh::avx512::{
    first_unit, four_in_lanes, four_lanes, four_whole_lanes, lanes, lanes_of_eight, load_short,
    load_units, short_lanes, totals, whole_lanes, with_second_unit,
};
use crate::umac::l1_nh::{self, CHUNK, UNIT, in_two};
use crate::umac::l2_poly::{self, LIMIT64, Lazy, Reduced, State, step64};
use crate::umac::l3_inner::{self, Mod36};
use core::arch::x86_64::*;
use core::hint::black_box;
use core::iter;
use core::mem::MaybeUninit;

// Quads of the table: four words each.
/// Level 1, two streams: the words for the x of a message's first two units, two quads, then for their y.
const UNITS: usize = 0;
/// Level 3, four streams: digits 0 and 1 of each, two quads, then digits 2 and 3.
const PAIRED: usize = UNITS + 4;
/// Level 2, two quads each: the lower limbs of k and k^2 of each stream, their upper limbs, the same of 2^52 times them,
/// what is added, then what stands for the product with the first word, for most words and for those at the limit.
const LIMBS: usize = PAIRED + 4;
/// Level 1 of a batch: the key words for the first 64 bytes of two messages side by side, four quads for each of two
/// streams.
const LANES: usize = LIMBS + 14;
/// Level 3 of a batch: the keys of all streams, for each digit.
const DIGITS: usize = LANES + 8;
/// The same for the first two streams alone, two digits a quad.
const DIGITS_OF_TWO: usize = DIGITS + 4;
/// The same, each key twice, two quads a digit.
const DIGITS_TWICE: usize = DIGITS_OF_TWO + 2;
/// As `LIMBS`, for the first two streams alone, a quad each: k of both streams, then k^2 of both.
const LIMBS_OF_TWO: usize = DIGITS_TWICE + 8;
const _: () = assert!(LIMBS_OF_TWO + 7 <= QUADS);

pub(super) type OfStreams = __m512i;
pub(super) type Register = __m128i;
pub(super) const PAD_FIRST: bool = false;
pub(super) const HOLD: Option<Hold> = Some(Hold { copy: hold });

row!("avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes");

pub(super) fn arrange(
    l1: &l1_nh::Key,
    l2: &[l2_poly::Key; MAX_STREAMS],
    l3: &[l3_inner::Key; MAX_STREAMS],
    arranged: &mut Arranged,
) {
    let table = &mut arranged.table;
    let mut put = |quad: usize, words: &[u32]| {
        let (pairs, _) = words.as_chunks::<2>();
        for (word, [low, high]) in table.as_flattened_mut()[4 * quad..].iter_mut().zip(pairs) {
            *word = u64::from(*high) << 32 | u64::from(*low);
        }
    };
    put(UNITS, l1.two_units().as_flattened().as_flattened());
    for t in 0..2 {
        put(LANES + 4 * t, l1.lanes(t).as_flattened());
    }
    let of_digit = |t: usize, d: usize| l3[t].of_digit(d).0;
    for (t, key) in l2.iter().enumerate() {
        let number = key.in_limbs();
        let [added, [usual, over]] =
            [number.added, number.first].map(|two| two.map(|Reduced(n)| n));
        let quads = [
            number.limbs[0],
            number.limbs[1],
            number.shifted[0],
            number.shifted[1],
            added,
            [usual; 2],
            [over; 2],
        ];
        for (i, two) in quads.into_iter().enumerate() {
            table[LIMBS + 2 * i + t / 2][2 * (t % 2)..][..2].copy_from_slice(&two);
            if t < 2 {
                [table[LIMBS_OF_TWO + i][t], table[LIMBS_OF_TWO + i][2 + t]] = two;
            }
        }
        for half in 0..2 {
            let two = [of_digit(t, 2 * half), of_digit(t, 2 * half + 1)];
            table[PAIRED + 2 * half + t / 2][2 * (t % 2)..][..2].copy_from_slice(&two);
        }
    }
    for d in 0..4 {
        for t in 0..MAX_STREAMS {
            table[DIGITS + d][t] = of_digit(t, d);
            table[DIGITS_TWICE + 2 * d + t / 2][2 * (t % 2)..][..2].fill(of_digit(t, d));
        }
        for t in 0..2 {
            table[DIGITS_OF_TWO + d / 2][2 * (d % 2) + t] = of_digit(t, d);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn hold(message: &[u8], place: &mut MaybeUninit<[u8; SHORT]>) {
    store512(place.write([0; SHORT]), load_short(message));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn words<const STREAMS: usize>(
    key: &l1_nh::Key,
    chunk: &[u8],
    words: &mut [u64; MAX_STREAMS],
) {
    *words = scalars::<STREAMS>(words_of_chunk::<STREAMS, WORDS>(key, None, chunk));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn tag8<const STREAMS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut Tags,
) {
    if STREAMS > 2 {
        // The pads wait in the places of the tags.
        let [first, last] = pads8::<STREAMS>(key, blocks);
        store512(&mut tags[0], first);
        store512(&mut tags[1], last);
        for (four, tags) in messages.as_chunks().0.iter().zip(tags) {
            tag4::<STREAMS>(key, four, tags);
        }
        return;
    }
    let [pads, _] = pads8::<STREAMS>(key, blocks);
    // Each is at most 64: all are the bytes of a number, which goes to a register at once.
    let bytes = messages.iter().rev().fold(0, |all, message| all << 8 | message.len() as i64);
    let lengths = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(bytes));
    let bits = _mm512_slli_epi64::<3>(lengths);
    let second = _mm512_cmpgt_epu64_mask(lengths, _mm512_set1_epi64(UNIT as i64));
    let words = if second == 0 {
        words_of_one_unit(key, messages, bits)
    } else {
        words_of_two_units(key, messages, bits, second)
    };
    // Level 3 of a stream: eight messages in eight lanes.
    let stream = |t: usize| {
        residues8(words[t], |i| _mm512_set1_epi64(key.arranged.table[DIGITS + i][t] as i64)).0
    };
    // Each lane has the hash of the first stream in its lower half and that of the second in its upper half.
    let both = match STREAMS {
        1 => stream(0),
        _ => _mm512_mask_shuffle_epi32::<0xa0>(stream(0), 0xaaaa, stream(1)),
    };
    store512(&mut tags[0], tags8::<STREAMS>(key, both, pads));
}

/// Level 1 of eight messages of at most a unit each, for one or two streams.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn words_of_one_unit(key: &Key, m: &[&[u8]; EIGHT], bits: __m512i) -> [__m512i; 2] {
    let units = [
        load_units(m[0], m[4]),
        load_units(m[1], m[5]),
        load_units(m[2], m[6]),
        load_units(m[3], m[7]),
    ];
    let first =
        |t: usize, i: usize| _mm512_set1_epi64(key.arranged.table[LANES + 4 * t + i][0] as i64);
    let [a, b] = lanes_of_eight(units, first);
    let in_order = |sums: __m512i| _mm512_shuffle_i64x2::<0xd8>(sums, sums);
    [_mm512_add_epi64(in_order(a), bits), _mm512_add_epi64(in_order(b), bits)]
}

/// The same of at most two units each. `second`: which messages have a second unit.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn words_of_two_units(
    key: &Key,
    m: &[&[u8]; EIGHT],
    bits: __m512i,
    second: __mmask8,
) -> [__m512i; 2] {
    let both = |t: usize, i: usize| _mm512_broadcast_i64x4(quad(key, LANES + 4 * t + i));
    let units = [load_short(m[0]), load_short(m[1]), load_short(m[2]), load_short(m[3])];
    let first = lanes_of_eight(units, both);
    let units = [load_short(m[4]), load_short(m[5]), load_short(m[6]), load_short(m[7])];
    let last = lanes_of_eight(units, both);
    // The sums of the first units, in the order of the messages, and those of the second units, or 0 for a message without
    // one.
    let one = |t: usize| _mm512_shuffle_i64x2::<0x88>(first[t], last[t]);
    let two = |t: usize| _mm512_maskz_shuffle_i64x2::<0xdd>(second, first[t], last[t]);
    let all = |t: usize| _mm512_add_epi64(_mm512_add_epi64(one(t), two(t)), bits);
    [all(0), all(1)]
}

/// The tags of four messages of at most 64 bytes and three or four streams, in place of their pads.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn tag4<const STREAMS: usize>(key: &Key, messages: &[&[u8]; 4], tags: &mut [u8; 64]) {
    let bytes = messages.iter().rev().fold(0, |all, message| all << 8 | message.len() as i32);
    let lengths = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes));
    let second = _mm256_cmpgt_epu64_mask(lengths, _mm256_set1_epi64x(UNIT as i64));
    // All loads first, so that the chains run side by side.
    let units = messages.map(|message| now512(load_short(message)));
    let sums = units.map(|units| first_unit(&key.l1, units));
    let [a, b, c, d] = if second == 0 {
        sums
    } else {
        core::array::from_fn(|i| with_second_unit(&key.l1, sums[i], units[i], messages[i].len()))
    };
    let bits = _mm256_slli_epi64::<3>(lengths);
    let Mod36(first) = hashes_of_two(key, a, b, _mm256_castsi256_si128(bits));
    let Mod36(last) = hashes_of_two(key, c, d, _mm256_extracti128_si256::<1>(bits));
    // A stream a lane, and in it the hashes of messages 0, 2, 1, 3.
    let hashes = _mm512_mask_shuffle_epi32::<0xa0>(first, 0xaaaa, last);
    let in_order = _mm512_setr_epi32(0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15);
    let hashes = _mm512_permutexvar_epi32(in_order, hashes);
    let pads = load512(tags);
    store512(tags, tags8::<STREAMS>(key, hashes, pads));
}

/// Level 3 of two messages and four streams, from the sums of level 1 and the lengths in bits. Each lane of 128 bits has
/// the hashes of its stream, one in each half.
///
/// # Bounds
/// In: any bits; the words are sums mod 2^64. Out: as [`residues8`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn hashes_of_two(key: &Key, a: __m512i, b: __m512i, bits: __m128i) -> Mod36<__m512i> {
    let words = _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let words = _mm512_add_epi64(words, _mm512_broadcast_i32x4(bits));
    residues8(words, |d| quads2(key, DIGITS_TWICE + 2 * d))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn words8<const STREAMS: usize>(key: &Key, messages: &[&[u8]; EIGHT], out: &mut Words) {
    words8_by::<STREAMS, WORDS8, WORDS8_OF_CHUNKS>(key, messages, out);
}

/// The same for these callers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn words8_by<const STREAMS: usize, const CALLER: u8, const OF_CHUNKS: u8>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    out: &mut Words,
) {
    // The end of the loop is hidden from the compiler, which then keeps the loop small and inlines what it calls.
    let (messages, out) = (black_box(&messages[..]), black_box(&mut out.0[..]));
    for (i, message) in messages.iter().enumerate() {
        let key = hidden(key); // its keys are loaded for each message anew, instead of kept on the stack
        let words = match message.len() {
            ..=CHUNK => words_of_chunk::<STREAMS, CALLER>(&key.l1, None, message),
            _ => {
                let (head, rest) = message.split_first_chunk().expect("more than a chunk");
                words_of_chunks::<STREAMS, OF_CHUNKS>(key, head, rest).0
            }
        };
        if STREAMS <= 2 {
            store128(&mut out.as_chunks_mut::<2>().0[i], _mm512_castsi512_si128(words));
        } else {
            let first = _mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6);
            let words = _mm512_castsi512_si256(_mm512_permutexvar_epi64(first, words));
            store256(&mut out.as_chunks_mut::<4>().0[i], words);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn inner8<const STREAMS: usize>(
    key: &Key,
    words: &Words,
    blocks: &Blocks,
    tags: &mut Tags,
) {
    let keys = |i: usize| {
        if STREAMS <= 2 {
            let (two, _) = key.arranged.table[DIGITS_OF_TWO + i / 2].as_chunks::<2>();
            let [first, second] = two[i % 2].map(|key| key as i64);
            _mm512_broadcast_i32x4(_mm_set_epi64x(second, first))
        } else {
            _mm512_broadcast_i64x4(quad(key, DIGITS + i))
        }
    };
    let (words, _) = words.0.as_chunks::<8>();
    // The lower halves of sixteen lanes, in order.
    let lower = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let pads = pads8::<STREAMS>(key, blocks);
    for (i, (tags, pads)) in tags.iter_mut().zip(pads).enumerate().take(STREAMS.div_ceil(2)) {
        let Mod36(first) = residues8(load512(&words[2 * i]), keys);
        let Mod36(second) = residues8(load512(&words[2 * i + 1]), keys);
        let hashes = _mm512_permutex2var_epi32(first, lower, second);
        store512(tags, tags8::<STREAMS>(key, hashes, pads));
    }
}

/// Level 1 of a message of at most 64 bytes, without a branch on its length. One or two streams: their words side by
/// side, in both lanes of 128 bits of the lower half; the upper half is unspecified. More: each lane is full of a stream's
/// word.
///
/// # Bounds
/// Out: any 64 bits.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn short_words<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    message: &[u8],
) -> __m512i {
    let units = [0, 2].map(|quad| quads2(key, UNITS + quad));
    let sums = short_lanes::<STREAMS, CALLER>(&key.l1, units, message);
    let bits = _mm512_set1_epi64(8 * message.len() as i64);
    if STREAMS <= 2 {
        let sums =
            _mm256_add_epi64(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64::<1>(sums));
        let more = _mm256_add_epi64(sums, _mm512_castsi512_si256(bits));
        let words = _mm256_add_epi64(more, _mm256_permute4x64_epi64::<0x4e>(sums));
        _mm512_castsi256_si512(words)
    } else {
        let more = _mm512_add_epi64(sums, bits);
        _mm512_add_epi64(more, _mm512_shuffle_epi32::<0x4e>(sums))
    }
}

/// Level 1 of at most a chunk, as [`short_words`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn words_of_chunk<const STREAMS: usize, const CALLER: u8>(
    key: &l1_nh::Key,
    head: Option<&[u8; SHORT]>,
    chunk: &[u8],
) -> __m512i {
    words_beside::<STREAMS, CALLER>(key, head, chunk, || ())
}

/// The same beside something else: `meanwhile` is as in l1_nh/avx512.rs.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn words_beside<const STREAMS: usize, const CALLER: u8>(
    key: &l1_nh::Key,
    head: Option<&[u8; SHORT]>,
    chunk: &[u8],
    meanwhile: impl FnMut(),
) -> __m512i {
    let length = head.map_or(0, |head| head.len()) + chunk.len();
    let bits = _mm512_set1_epi64(8 * length as i64);
    _mm512_add_epi64(
        bits,
        match STREAMS {
            1 => totals(lanes::<1, CALLER>(key, head, chunk, meanwhile)),
            2 => totals(lanes::<2, CALLER>(key, head, chunk, meanwhile)),
            // The sums of lanes side by side cost more than what the others save of a few units.
            _ if CALLER & AMD > 0 && length > 14 * UNIT => {
                over_lanes(four_in_lanes(lanes::<4, CALLER>(key, head, chunk, meanwhile)))
            }
            _ => over_lanes(four_lanes::<CALLER>(key, head, chunk, meanwhile)),
        },
    )
}

/// The same of a whole chunk.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn whole_words<const STREAMS: usize>(
    key: &l1_nh::Key,
    chunk: &[u8; CHUNK],
    meanwhile: impl Fn(usize),
) -> __m512i {
    words_of_whole::<STREAMS, WORDS>(key, in_two(chunk), meanwhile)
}

/// The same for this caller.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn words_of_whole<const STREAMS: usize, const CALLER: u8>(
    key: &l1_nh::Key,
    chunk: l1_nh::InTwo<'_>,
    meanwhile: impl Fn(usize),
) -> __m512i {
    let key = hidden(key); // its words are loaded anew, not kept on the stack
    _mm512_add_epi64(
        _mm512_set1_epi64(8 * CHUNK as i64),
        match STREAMS {
            1 => totals(whole_lanes::<1>(key, chunk, meanwhile)),
            2 => totals(whole_lanes::<2>(key, chunk, meanwhile)),
            _ if CALLER & AMD > 0 => {
                over_lanes(four_in_lanes(whole_lanes::<4>(key, chunk, meanwhile)))
            }
            _ => over_lanes(four_whole_lanes(key, chunk, meanwhile)),
        },
    )
}

/// The sum of a lane of 128 bits, in both its halves.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn over_lanes(sums: __m512i) -> __m512i {
    _mm512_add_epi64(sums, _mm512_shuffle_epi32::<0x4e>(sums))
}

/// Numbers as [`short_words`] has words. One by one: a wider load would wait for words that were stored a moment ago.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn of_scalars<const STREAMS: usize>(words: [u64; MAX_STREAMS]) -> __m512i {
    let lane = |t: usize| words[t] as i64;
    if STREAMS <= 2 {
        _mm512_broadcast_i32x4(_mm_set_epi64x(lane(1), lane(0)))
    } else {
        let four = _mm256_setr_epi64x(lane(0), lane(1), lane(2), lane(3));
        let order = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
        _mm512_permutexvar_epi64(order, _mm512_castsi256_si512(four))
    }
}

/// Levels 1 and 2 of a message of more than a chunk and at most `NEAR` bytes, as [`short_words`].
///
/// The words are few enough for POLY-64. Level 2 of a chunk comes after level 1 of the next chunk, here and in `absorb`:
/// its chain of multiplications never waits for unfinished sums and overlaps with the vector code. The last word is the
/// exception, for which nothing comes later: what it is added to is prepared beside level 1 of the last chunk.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn words_of_chunks<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    head: &[u8; SHORT],
    rest: &[u8],
) -> Reduced<__m512i> {
    let (first, rest) = rest.split_first_chunk().expect("more than a chunk");
    let (chunks, last) = not_last(rest);
    let (mut y, mut before) = (None, None);
    for chunk in iter::once((head, first)).chain(chunks.iter().map(in_two)) {
        // The compiler would put the products behind the branch, and what they are made of on the stack.
        let now = now512(words_of_whole::<STREAMS, CALLER>(&key.l1, chunk, |_| ()));
        if let Some(words) = before.replace(now) {
            y = Some(step64::<STREAMS>(&key.l2, y, scalars::<STREAMS>(words)));
        }
    }
    let before = before.expect("more than a chunk");
    let y = y.map(|y| step64::<STREAMS>(&key.l2, Some(y), scalars::<STREAMS>(before)));
    let key = hidden(key); // its words are loaded anew, not kept on the stack
    if STREAMS <= 2 {
        use of_two::{limb_products, plus_word, reduce64};
        let limbs = |i: usize| quad(key, LIMBS_OF_TWO + i);
        let y = match y {
            None => plus_word(Lazy(limbs(5)), Reduced(limbs(6)), _mm512_castsi512_si256(before)),
            Some([Lazy(a), Lazy(b), ..]) => {
                Lazy(_mm256_broadcastsi128_si256(_mm_set_epi64x(b as i64, a as i64)))
            }
        };
        let mut products = _mm256_setzero_si256();
        let meanwhile = || products = now256(limb_products([0, 1, 2, 3, 4].map(limbs), y).0);
        let last = words_beside::<STREAMS, CALLER>(&key.l1, None, last, meanwhile);
        let usual = Lazy(_mm256_permute4x64_epi64::<0x44>(products));
        let over = Reduced(_mm256_permute4x64_epi64::<0xee>(reduce64(Lazy(products)).0));
        let word = plus_word(usual, over, _mm512_castsi512_si256(last));
        Reduced(_mm512_castsi256_si512(reduce64(word).0))
    } else {
        use of_four::{limb_products, plus_word, reduce64};
        let limbs = |i: usize| quads2(key, LIMBS + 2 * i);
        let y = match y {
            None => plus_word(Lazy(limbs(5)), Reduced(limbs(6)), before),
            Some(y) => Lazy(of_scalars::<STREAMS>(y.map(|Lazy(y)| y))),
        };
        let mut products = _mm512_setzero_si512();
        let meanwhile = || products = now512(limb_products([0, 1, 2, 3, 4].map(limbs), y).0);
        let last = words_beside::<STREAMS, CALLER>(&key.l1, None, last, meanwhile);
        let usual = Lazy(_mm512_shuffle_epi32::<0x44>(products));
        let over = Reduced(_mm512_shuffle_epi32::<0xee>(reduce64(Lazy(products)).0));
        reduce64(plus_word(usual, over, last))
    }
}

/// Level 2 of the last words, in registers of one width.
macro_rules! level_2 {
    ($module:ident: $vector:ident, $($function:ident as $name:ident),*) => {
        mod $module {
            use super::{LIMIT64, Lazy, Reduced};
            use core::arch::x86_64::{$vector as Vector, $($function as $name),*};

            /// What [`InLimbs`](super::l2_poly::InLimbs) says of accumulators; both products of each stream side by side.
            /// Lanes of 64 bits, for two streams a and b, for four, and what each product adds to the limbs of a sum:
            ///
            /// ```text
            /// y    ya    yb   | ya      yb             y0    y0     | y1    y1     | ...
            /// n    ka    kb   | ka^2    kb^2           k0    k0^2   | k1    k1^2   | ...
            /// out  usual of a, of b | over of a, of b  usual, over of 0 | of 1 | ...
            ///
            ///         2^104    2^52     1
            /// n0 l             upper    lower          l: the low 52 bits of y, h: those above
            /// n1 l    upper    lower
            /// m0 h             upper    lower
            /// m1 h             lower
            /// ```
            ///
            /// # Bounds
            /// In: lazy accumulators, y = l + 2^52 h with h below 2^12. The limbs of a key number n are n0 and n1, those of
            /// 2^52 n are m0 and m1, the first below 2^52 and the second below 2^12. n y = n l + 2^52 n h mod p. The lowest
            /// limb of the sum is two lower parts, below 2^53. The next is two parts below 2^52, one below 2^12 (the upper
            /// part of m0 h) and one below 2^24 (m1 h). The third is the upper part of n1 l, below 2^12; 2^104 = 59 * 2^40
            /// mod p, and its product with that is below 2^58: its lower part makes the lowest limb at most 3 * 2^52, its
            /// upper part is below 2^6. So the second limb is below 2^54. What it has above its lowest 12 bits is below
            /// 2^42; as a multiple of 2^64 = 59 it adds less than 2^48 to the lowest limb, which stays below 2^54. The sum
            /// with the 12 bits, moved up, and with what is added, which is below p64: [`plus`] twice. Out: lazy.
            #[inline]
            #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
            pub(super) fn limb_products(
                [n0, n1, m0, m1, added]: [Vector; 5],
                Lazy(y): Lazy<Vector>,
            ) -> Lazy<Vector> {
                let high = right::<52>(y); // a multiplication takes the lower 52 bits of y
                let lowest = low_52(low_52(zero(), y, n0), high, m0);
                let second = high_52(low_52(zero(), y, n1), y, n0);
                let more = low_52(high_52(zero(), high, m0), high, m1);
                let third = high_52(zero(), y, n1);
                let folds = all(59 << 40);
                let lowest = low_52(lowest, third, folds);
                let second = add(add(second, more), high_52(zero(), third, folds));
                let above = right::<12>(second);
                let lowest = low_52(lowest, above, all(59));
                plus(plus(lowest, left::<52>(second)).0, added)
            }

            /// A step of POLY-64: adds a word to `usual`, or to `over` if it is at or above the limit.
            ///
            /// # Bounds
            /// A word below the limit is below 2^64 - 2^32, and `over` is below p64, so [`plus`] takes either sum.
            #[inline]
            #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
            pub(super) fn plus_word(
                usual: Lazy<Vector>,
                over: Reduced<Vector>,
                word: Vector,
            ) -> Lazy<Vector> {
                let is_over = at_least(word, all(LIMIT64 as i64));
                plus(blend(is_over, usual.0, over.0), word)
            }

            /// A sum mod p64.
            ///
            /// # Bounds
            /// In: the sum is below 2^65 - 59, as it is if one number is below 2^64 - 59. Out: below 2^64. If the sum
            /// carries, less than 2^64 - 59 is left, and 59 more do not carry again.
            #[inline]
            #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
            fn plus(a: Vector, b: Vector) -> Lazy<Vector> {
                let sum = add(a, b);
                let carried = less(sum, b);
                Lazy(add_where(sum, carried, sum, all(59)))
            }

            /// The numbers below p64: those from p64 on and 59 wrap around to what is above p64.
            #[inline]
            #[target_feature(enable = "avx512f,avx512vl,avx512ifma")]
            pub(super) fn reduce64(Lazy(y): Lazy<Vector>) -> Reduced<Vector> {
                Reduced(least(y, add(y, all(59))))
            }
        }
    };
}

level_2!(of_two: __m256i, _mm256_setzero_si256 as zero, _mm256_set1_epi64x as all, _mm256_add_epi64 as add,
    _mm256_mask_add_epi64 as add_where, _mm256_srli_epi64 as right, _mm256_slli_epi64 as left,
    _mm256_madd52lo_epu64 as low_52, _mm256_madd52hi_epu64 as high_52, _mm256_cmplt_epu64_mask as less,
    _mm256_cmpge_epu64_mask as at_least, _mm256_mask_blend_epi64 as blend, _mm256_min_epu64 as least);
level_2!(of_four: __m512i, _mm512_setzero_si512 as zero, _mm512_set1_epi64 as all, _mm512_add_epi64 as add,
    _mm512_mask_add_epi64 as add_where, _mm512_srli_epi64 as right, _mm512_slli_epi64 as left,
    _mm512_madd52lo_epu64 as low_52, _mm512_madd52hi_epu64 as high_52, _mm512_cmplt_epu64_mask as less,
    _mm512_cmpge_epu64_mask as at_least, _mm512_mask_blend_epi64 as blend, _mm512_min_epu64 as least);

/// The words of [`words_of_chunk`] as numbers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn scalars<const STREAMS: usize>(words: __m512i) -> [u64; MAX_STREAMS] {
    let low = _mm512_castsi512_si128(words);
    let first = |lane: __m128i| _mm_cvtsi128_si64(lane) as u64;
    if STREAMS <= 2 {
        return [first(low), _mm_extract_epi64::<1>(low) as u64, 0, 0];
    }
    [
        first(low),
        first(_mm512_extracti32x4_epi32::<1>(words)),
        first(_mm512_extracti32x4_epi32::<2>(words)),
        first(_mm512_extracti32x4_epi32::<3>(words)),
    ]
}

/// Level 3 of one word for each stream, as [`short_words`] has them: the hashes, as bytes of a tag.
///
/// # Bounds
/// In: any words. Digits are below 2^16 and keys below 2^36, so both fit in the 52 bits that the multiplication reads, and a
/// product is below 2^52: its low 52 bits are all of it. Four are summed, below 2^54. Out: below p36 before the low 32
/// bits are taken.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn l3_hash<const STREAMS: usize>(key: &Key, words: __m512i) -> __m128i {
    let zero = _mm512_setzero_si512();
    let hashes = if STREAMS <= 2 {
        let words = _mm512_castsi512_si256(words);
        let zero = _mm256_setzero_si256();
        let (low, high) = (const { &digits_in_turn(0) }, const { &digits_in_turn(1) });
        let (low, high) =
            (_mm256_shuffle_epi8(words, load256(low)), _mm256_shuffle_epi8(words, load256(high)));
        let sums = _mm256_madd52lo_epu64(zero, low, quad(key, DIGITS_OF_TWO));
        let sums = _mm256_madd52lo_epu64(sums, high, quad(key, DIGITS_OF_TWO + 1));
        let sums = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
        let order = _mm_setr_epi8(3, 2, 1, 0, 11, 10, 9, 8, -1, -1, -1, -1, -1, -1, -1, -1);
        _mm_shuffle_epi8(_mm512_castsi512_si128(mod36(_mm512_zextsi128_si512(sums)).0), order)
    } else {
        let (low, high) = (const { &digits_of([0, 1, 0, 1]) }, const { &digits_of([2, 3, 2, 3]) });
        let (low, high) =
            (_mm512_shuffle_epi8(words, load512(low)), _mm512_shuffle_epi8(words, load512(high)));
        let sums = _mm512_madd52lo_epu64(zero, low, quads2(key, PAIRED));
        let sums = over_lanes(_mm512_madd52lo_epu64(sums, high, quads2(key, PAIRED + 2)));
        let hashes = _mm512_permutexvar_epi8(load512(const { &ENDS }), mod36(sums).0);
        _mm512_castsi512_si128(hashes)
    };
    _mm_xor_si128(hashes, load128(&key.arranged.mask))
}

/// Of two words in both lanes of 128 bits: digit `2 half` of each, then the next digit of each.
const fn digits_in_turn(half: usize) -> [u8; 32] {
    let mut order = [0x80; 32];
    let mut lane = 0;
    while lane < 4 {
        order[8 * lane] = (8 * (lane % 2) + 4 * half + 2 * (lane / 2)) as u8;
        order[8 * lane + 1] = order[8 * lane] + 1;
        lane += 1;
    }
    order
}

/// The order of a byte shuffle that brings each lane of 64 bits its digit of the word that fills its lane of 128 bits.
const fn digits_of(digits: [u8; 4]) -> [u8; 64] {
    let mut order = [0x80; 64];
    let mut lane = 0;
    while lane < 8 {
        (order[8 * lane], order[8 * lane + 1]) = (2 * digits[lane % 4], 2 * digits[lane % 4] + 1);
        lane += 1;
    }
    order
}

/// The order of a byte shuffle that brings the low 32 bits of every 16 bytes together, the highest byte first.
const ENDS: [u8; 64] = {
    let mut order = [0; 64];
    let mut i = 0;
    while i < 16 {
        order[i] = (16 * (i / 4) + 3 - i % 4) as u8;
        i += 1;
    }
    order
};

/// The pad, made where it is asked for: above 64 bytes, its rounds run beside level 1.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn pad<const STREAMS: usize>(
    rounds: &[[u8; 16]; 11],
    block: u128,
    start: usize,
) -> __m128i {
    now128(pad_from::<STREAMS>(rounds, block, start))
}

/// Folds the bits above the low 36 and subtracts p once if the result is at least p, as `l3_inner::mod36` does.
///
/// # Bounds
/// In: any 64 bits in each lane; level 3's sums are below 2^54. Out: below p. The bits above the low 36 are a number
/// below 2^28, so five times that number is below 2^52, and the fold leaves less than 2^36 + 5 * 2^28, which is below
/// 2 p. A difference below zero wraps around to more than 2^63, so the minimum is the reduced number.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn mod36(sums: __m512i) -> Mod36<__m512i> {
    let low = _mm512_and_si512(sums, _mm512_set1_epi64((1 << 36) - 1));
    let folded = _mm512_madd52lo_epu64(low, _mm512_srli_epi64::<36>(sums), _mm512_set1_epi64(5));
    let less = _mm512_sub_epi64(folded, _mm512_set1_epi64((1 << 36) - 5));
    Mod36(_mm512_min_epu64(folded, less))
}

/// As in sse.rs. The compiler would take both from their registers before.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
pub(super) fn xor(a: __m128i, b: __m128i) -> __m128i {
    now128(_mm_xor_si128(a, b))
}

/// Level 3 of eight words, without the masks; `keys` gives the keys of a digit.
///
/// # Bounds
/// In: any words of 64 bits. As in [`l3_hash`], the sums are below 2^54; the reduction is that of [`mod36`]. Out: the
/// low half of a lane is a hash, and the high half is below 2^4.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn residues8(words: __m512i, keys: impl Fn(usize) -> __m512i) -> Mod36<__m512i> {
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
    mod36(_mm512_add_epi64(even, odd))
}

/// The tags: the hashes of all streams in order, as bytes, xored with their masks and pads.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn tags8<const STREAMS: usize>(key: &Key, hashes: __m512i, pads: __m512i) -> __m512i {
    let masks = if STREAMS <= 2 {
        _mm512_set1_epi64(i64::from_le_bytes(key.arranged.mask.as_chunks().0[0]))
    } else {
        _mm512_broadcast_i32x4(load128(&key.arranged.mask))
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
        return encrypt(&key.arranged.rounds, [four_blocks(blocks, 0), four_blocks(blocks, 4)]);
    }
    let [pads] = encrypt(&key.arranged.rounds, [four_blocks(blocks, 0)]);
    // Eight pads of 32 bits are in two blocks, those of 64 bits in four.
    if STREAMS == 1 {
        [_mm512_cvtepu32_epi64(_mm512_castsi512_si256(pads)), pads]
    } else {
        [pads; 2]
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn encrypt<const L: usize>(rounds: &[[u8; 16]; 11], blocks: [__m512i; L]) -> [__m512i; L] {
    let round = |i: usize| _mm512_broadcast_i32x4(load128(&rounds[i]));
    let mut states = blocks.map(|block| _mm512_xor_si512(block, round(0)));
    for i in 1..10 {
        states = states.map(|state| _mm512_aesenc_epi128(state, round(i)));
    }
    states.map(|state| _mm512_aesenclast_epi128(state, round(10)))
}

/// Quads `i` and `i + 1` of the key's table.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn quads2(key: &Key, i: usize) -> __m512i {
    let quads: &[[u64; 4]; 2] = key.arranged.table[i..].first_chunk().expect("two more quads");
    load512(quads)
}

/// Quad `i` of the key's table.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes")]
fn quad(key: &Key, i: usize) -> __m256i {
    load256(&key.arranged.table[i])
}
