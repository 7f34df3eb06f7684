//! Packets (RFC 4418, section 5) in 256-bit registers: the operations of flow.rs. Level 1 has a stream in each lane, for
//! two streams in one register or four in two.
//!
//! Beyond what flow.rs says (docs/lanes.md draws both):
//!
//! 6. Level 3 multiplies in parts: the digits by the lower 32 bits of their keys, and their bytes by the upper four bits,
//!    whose products land 32 bits higher, as they should. A byte shuffle brings each digit to the lower half of its lane
//!    and its two bytes, as words of 16 bits, to the upper half. (sse.rs and armv8.rs divide keys in other ways.)
//!
//! Sums of level 1 are mod 2^64 by definition: they wrap, and have no bounds.

use super::flow::{caller::*, lines_to_prefetch, prefetch, row};
use super::sse::{number, whole_number, xor};
use super::{Arranged, ByStreams, Functions, Hold, Key, PadOf, SHORT, Tags, Whole, Words};
use crate::batch::EIGHT;
use crate::buffer::not_last;
use crate::pads::Blocks;
use crate::pads::x86::{pad_from as pad, two_blocks};
use crate::simd::{load128, load256, store128, store128 as store_bytes, store256};
use crate::umac::MAX_STREAMS;
use crate::umac::l1_nh::avx2::{Sums, lanes, short_lanes, whole_lanes};
use crate::umac::l1_nh::{self, CHUNK, in_two};
use crate::umac::l2_poly::{self, Reduced, State, reduce64, step64};
use crate::umac::l3_inner::{self, Mod36, Signed36, Sum54};
use core::arch::x86_64::*;
use core::hint::black_box;
use core::iter;

// Quads of the table, in twos: the lower 32 bits of four keys, then their upper four bits, once for each byte of a digit.
/// Digits 0 and 1 of two streams, a stream a lane; then digits 2 and 3.
const BOTH: usize = 0;
/// Each digit, of streams 0 2 1 3: one message.
const FOUR: usize = BOTH + 4;
/// Each digit, of streams 0 0 1 1: two messages.
const TWO: usize = FOUR + 8;

type OfStreams = __m256i;
type Register = __m128i;
const PAD_FIRST: bool = false;
const HOLD: Option<Hold> = None;

row!("avx2,bmi2,aes");

pub(super) fn arrange(
    _: &l1_nh::Key,
    _: &[l2_poly::Key; MAX_STREAMS],
    l3: &[l3_inner::Key; MAX_STREAMS],
    arranged: &mut Arranged,
) {
    let table = &mut arranged.table;
    let mut fill = |quad: usize, keys: [Mod36<u64>; 4]| {
        table[quad] = keys.map(|Mod36(key)| key & 0xffff_ffff);
        table[quad + 1] = keys.map(|Mod36(key)| (key >> 32 | key >> 32 << 24) << 32);
    };
    let key = |t: usize, d: usize| l3[t].of_digit(d);
    for d in 0..4 {
        fill(FOUR + 2 * d, [0, 2, 1, 3].map(|t| key(t, d)));
        fill(TWO + 2 * d, [0, 0, 1, 1].map(|t| key(t, d)));
    }
    for d in [0, 2] {
        fill(BOTH + d, [key(0, d), key(0, d + 1), key(1, d), key(1, d + 1)]);
    }
}

#[target_feature(enable = "avx2,bmi2,aes")]
fn words<const STREAMS: usize>(key: &l1_nh::Key, chunk: &[u8], words: &mut [u64; MAX_STREAMS]) {
    *words = scalars::<STREAMS>(words_of_chunk::<STREAMS, WORDS>(key, None, chunk));
}

#[target_feature(enable = "avx2,bmi2,aes")]
fn tag8<const STREAMS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut Tags,
) {
    let hashes = hashes8::<STREAMS>(key, messages);
    tags8::<STREAMS>(tags, hashes, pads8::<STREAMS>(key, blocks));
}

#[target_feature(enable = "avx2,bmi2,aes")]
fn inner8<const STREAMS: usize>(key: &Key, words: &Words, blocks: &Blocks, tags: &mut Tags) {
    let hashes = inner_hashes8::<STREAMS>(key, words);
    tags8::<STREAMS>(tags, hashes, pads8::<STREAMS>(key, blocks));
}

#[target_feature(enable = "avx2,bmi2,aes")]
fn words8<const STREAMS: usize>(key: &Key, messages: &[&[u8]; EIGHT], out: &mut Words) {
    // As in `hashes8`, the end of the loop is hidden from the compiler.
    let (messages, out) = (black_box(&messages[..]), black_box(&mut out.0[..]));
    for (i, message) in messages.iter().enumerate() {
        let words = match message.len() {
            ..=64 => short_words::<STREAMS, WORDS8>(key, message),
            65..=CHUNK => words_of_chunk::<STREAMS, WORDS8>(&key.l1, None, message),
            _ => {
                let (head, rest) = message.split_first_chunk().expect("more than a chunk");
                words_of_chunks::<STREAMS, WORDS8_OF_CHUNKS>(key, head, rest).0
            }
        };
        // In order.
        let words = _mm256_permute4x64_epi64::<0xd8>(words);
        if STREAMS <= 2 {
            store128(&mut out.as_chunks_mut::<2>().0[i], _mm256_castsi256_si128(words));
        } else {
            store256(&mut out.as_chunks_mut::<4>().0[i], words);
        }
    }
}

/// Level 1 of a message of at most 64 bytes: its [`summed`] words.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn short_words<const STREAMS: usize, const CALLER: u8>(key: &Key, message: &[u8]) -> __m256i {
    summed::<STREAMS>(short_lanes::<STREAMS, CALLER>(&key.l1, message), message.len())
}

/// The same of at most a chunk.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn words_of_chunk<const STREAMS: usize, const CALLER: u8>(
    key: &l1_nh::Key,
    head: Option<&[u8; SHORT]>,
    chunk: &[u8],
) -> __m256i {
    let length = head.map_or(0, |head| head.len()) + chunk.len();
    summed::<STREAMS>(lanes::<STREAMS, CALLER>(key, head, chunk), length)
}

/// The same of a whole chunk.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn whole_words<const STREAMS: usize>(
    key: &l1_nh::Key,
    chunk: &[u8; CHUNK],
    meanwhile: impl Fn(usize),
) -> __m256i {
    words_of_whole::<STREAMS>(key, in_two(chunk), meanwhile)
}

#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn words_of_whole<const STREAMS: usize>(
    key: &l1_nh::Key,
    chunk: l1_nh::InTwo<'_>,
    meanwhile: impl Fn(usize),
) -> __m256i {
    let key = black_box(key); // its words are loaded anew, not kept on the stack
    summed::<STREAMS>(whole_lanes::<STREAMS>(key, chunk, meanwhile), CHUNK)
}

/// Levels 1 and 2 of a message of more than a chunk.
///
/// # Bounds
/// Out: 0 for unused streams.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn words_of_chunks<const STREAMS: usize, const CALLER: u8>(
    key: &Key,
    head: &[u8; SHORT],
    rest: &[u8],
) -> Reduced<__m256i> {
    let (first, rest) = rest.split_first_chunk().expect("more than a chunk");
    let (chunks, last) = not_last(rest);
    // Level 2 of a chunk comes after level 1 of the next, here and in `absorb`: its chain of multiplications never waits
    // for unfinished sums and overlaps with the vector code. Words and accumulators stay in registers.
    let (mut y, mut before) = (None, None);
    for chunk in iter::once((head, first)).chain(chunks.iter().map(in_two)) {
        let now = scalars::<STREAMS>(words_of_whole::<STREAMS>(&key.l1, chunk, |_| ()));
        if let Some(words) = before.replace(now) {
            y = Some(step64::<STREAMS>(&key.l2, y, words));
        }
    }
    let last = scalars::<STREAMS>(words_of_chunk::<STREAMS, CALLER>(&key.l1, None, last));
    if let Some(words) = before {
        y = Some(step64::<STREAMS>(&key.l2, y, words));
    }
    let words = step64::<STREAMS>(&key.l2, y, last).map(reduce64).map(|Reduced(y)| y);
    Reduced(of_scalars::<STREAMS>(words))
}

/// The words from the sums of level 1. One pair of streams: the word of a stream in both halves of its lane. Two pairs:
/// the words of streams 0 2 1 3.
///
/// # Bounds
/// Out: any 64 bits.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn summed<const STREAMS: usize>([a, b]: Sums, length: usize) -> __m256i {
    let words = if STREAMS <= 2 {
        _mm256_add_epi64(a, _mm256_shuffle_epi32::<0x4e>(a))
    } else {
        _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
    };
    _mm256_add_epi64(words, _mm256_set1_epi64x(8 * length as i64))
}

/// Words as numbers, stream after stream: those of [`summed`]. Of one pair, the last two are
/// copies.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn scalars<const STREAMS: usize>(words: __m256i) -> [u64; MAX_STREAMS] {
    let (low, high) = (_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
    [
        _mm_cvtsi128_si64(low),
        _mm_cvtsi128_si64(high),
        _mm_extract_epi64::<1>(low),
        _mm_extract_epi64::<1>(high),
    ]
    .map(|word| word as u64)
}

/// Numbers as [`summed`] has words.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn of_scalars<const STREAMS: usize>(words: [u64; MAX_STREAMS]) -> __m256i {
    let [a, b, c, d] = words.map(|word| word as i64);
    if STREAMS <= 2 { _mm256_setr_epi64x(a, a, b, b) } else { _mm256_setr_epi64x(a, c, b, d) }
}

/// Level 3 of one word for each stream: the hashes, as bytes of a tag.
///
/// # Bounds
/// In: any words. Out: below p36 before the lower 32 bits are taken; [`sums_of_digits`] and [`folded`] say why.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn l3_hash<const STREAMS: usize>(key: &Key, words: __m256i) -> __m128i {
    // Each lane has its hashes where the other lane has zeroes.
    let (sums, order) = if STREAMS <= 2 {
        static ORDERS: [[u8; 32]; 2] = [spread([0, 1]), spread([2, 3])];
        let of = |half: usize| times(key, BOTH + 2 * half, words, &ORDERS[half]);
        let sums = _mm256_add_epi64(of(0), of(1));
        let order = _mm256_setr_epi8(
            3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, //
            -1, -1, -1, -1, 3, 2, 1, 0, -1, -1, -1, -1, -1, -1, -1, -1,
        );
        (Sum54(_mm256_add_epi64(sums, _mm256_shuffle_epi32::<0x4e>(sums))), order)
    } else {
        let order = _mm256_setr_epi8(
            3, 2, 1, 0, -1, -1, -1, -1, 11, 10, 9, 8, -1, -1, -1, -1, //
            -1, -1, -1, -1, 3, 2, 1, 0, -1, -1, -1, -1, 11, 10, 9, 8,
        );
        (sums_of_digits(key, FOUR, words), order)
    };
    let Signed36(less) = folded(sums);
    let hashes = _mm256_sub_epi32(less, _mm256_and_si256(_mm256_srli_epi64::<61>(less), five()));
    let bytes = _mm256_shuffle_epi8(hashes, order);
    let bytes = _mm_or_si128(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes));
    _mm_xor_si128(bytes, load128(&key.arranged.mask))
}

/// The sums of four words' digits times the keys from quad `quad` on, a word a lane.
///
/// # Bounds
/// In: any words. Out: four products below 2^16 * 2^36.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn sums_of_digits(key: &Key, quad: usize, words: __m256i) -> Sum54<__m256i> {
    static ORDERS: [[u8; 32]; 4] = [spread([0; 2]), spread([1; 2]), spread([2; 2]), spread([3; 2])];
    let of = |d: usize| times(key, quad + 2 * d, words, &ORDERS[d]);
    Sum54(_mm256_add_epi64(_mm256_add_epi64(of(0), of(1)), _mm256_add_epi64(of(2), of(3))))
}

/// The order of a byte shuffle that brings digit `even` to the even lanes of 64 bits and digit `odd` to the odd ones: the
/// digit to the lower half, its bytes, as words of 16 bits, to the upper half.
const fn spread([even, odd]: [u8; 2]) -> [u8; 32] {
    let mut order = [0x80; 32];
    let mut lane = 0;
    while lane < 4 {
        // Both digits are of the word in their own lane. Where one word fills two lanes, that is the same.
        let digit = 8 * (lane as u8 % 2) + 2 * if lane % 2 == 0 { even } else { odd };
        (order[8 * lane], order[8 * lane + 1]) = (digit, digit + 1);
        (order[8 * lane + 4], order[8 * lane + 6]) = (digit, digit + 1);
        lane += 1;
    }
    order
}

/// A digit of each word, as `order` spreads it, times the keys in two quads.
///
/// # Bounds
/// The lower halves multiply to less than 2^16 * 2^32. The bytes of the upper half times 2^32 h and 2^40 h, h being the
/// key's upper four bits, sum to the digit times 2^32 h, below 2^52: as signed numbers of 16 bits all are positive. The
/// lower half's sum is zero, since the quad has zeroes there. Out: the digit times the key.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn times(key: &Key, quad: usize, words: __m256i, order: &[u8; 32]) -> __m256i {
    let digits = _mm256_shuffle_epi8(words, load256(order));
    let (lower, upper) =
        (load256(&key.arranged.table[quad]), load256(&key.arranged.table[quad + 1]));
    _mm256_add_epi64(_mm256_mul_epu32(digits, lower), _mm256_madd_epi16(digits, upper))
}

/// Folds the bits above the low 36 (2^36 = 5 mod p36) and subtracts p36.
///
/// # Bounds
/// The bits above are a number below 2^18: folded, the sum is below 2^36 + 5 * 2^18, which is below 2 p36. Out: negative if
/// the folded sum is below p36; else the reduced number. The lower 32 bits of a negative one are those of the reduced
/// number plus 5, since p36 + 5 is a multiple of 2^32.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn folded(Sum54(sums): Sum54<__m256i>) -> Signed36<__m256i> {
    // The low 36 bits less 2^36, and 5.
    let low = _mm256_or_si256(sums, _mm256_set1_epi64x(!0 << 36));
    let low = _mm256_add_epi64(low, five());
    Signed36(_mm256_add_epi64(low, _mm256_mul_epu32(_mm256_srli_epi64::<36>(sums), five())))
}

#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn five() -> __m256i {
    _mm256_set1_epi64x(5)
}

/// The hashes of eight messages of at most 64 bytes, as bytes of tags: 8 bytes each for one or two streams, in two
/// registers, otherwise 16 bytes.
#[inline(never)] // several callers
#[target_feature(enable = "avx2,bmi2,aes")]
pub(super) fn hashes8<const STREAMS: usize>(key: &Key, messages: &[&[u8]; EIGHT]) -> [__m256i; 4] {
    let mut words = [_mm256_setzero_si256(); EIGHT];
    // The end of the loop is hidden from the compiler, which then keeps the loop small and inlines what it calls.
    for (message, words) in black_box(&messages[..]).iter().zip(&mut words) {
        let sums = short_lanes::<STREAMS, TAG8>(&key.l1, message);
        *words = if STREAMS <= 2 {
            // The length joins one half of each lane. Neighbours' halves are added below.
            let bits = _mm_cvtsi64_si128(8 * message.len() as i64);
            _mm256_add_epi64(sums[0], _mm256_broadcastsi128_si256(bits))
        } else {
            summed::<STREAMS>(sums, message.len())
        };
    }
    if STREAMS <= 2 {
        for i in 0..4 {
            let (a, b) = (words[2 * i], words[2 * i + 1]);
            words[i] = _mm256_add_epi64(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
        }
    }
    let mut hashes = [_mm256_setzero_si256(); 4];
    let (twos, _) = words.as_chunks();
    for ([a, b], hashes) in twos.iter().zip(&mut hashes).take(registers::<STREAMS>()) {
        *hashes = hashes_of_two::<STREAMS>(key, *a, *b);
    }
    hashes
}

/// The hashes of eight messages from their words, as [`hashes8`].
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
pub(super) fn inner_hashes8<const STREAMS: usize>(key: &Key, words: &Words) -> [__m256i; 4] {
    let mut hashes = [_mm256_setzero_si256(); 4];
    let (twos, _) = words.0.as_chunks::<4>();
    let twos = twos.as_chunks::<2>().0.iter().take(registers::<STREAMS>());
    for (two, hashes) in twos.zip(&mut hashes) {
        let [a, b] = two.each_ref().map(|words| {
            let words = if STREAMS <= 2 {
                // Words that were stored as two registers a moment ago are loaded as two.
                let (halves, _) = words.as_chunks::<2>();
                _mm256_set_m128i(load128(&halves[1]), load128(&halves[0]))
            } else {
                load256(words)
            };
            _mm256_permute4x64_epi64::<0xd8>(words)
        });
        *hashes = hashes_of_two::<STREAMS>(key, a, b);
    }
    hashes
}

/// How many registers the tags of eight messages fill.
const fn registers<const STREAMS: usize>() -> usize {
    if STREAMS <= 2 { 2 } else { 4 }
}

/// Level 3 of two registers of words, in order as bytes of tags. One or two streams: each register has the words of two
/// messages, streams 0 0 1 1. More: those of one message, streams 0 2 1 3.
///
/// # Bounds
/// As those of [`l3_hash`]. The highest three bits of a lane of [`folded`] are equal: 5 or 0 is subtracted.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn hashes_of_two<const STREAMS: usize>(key: &Key, a: __m256i, b: __m256i) -> __m256i {
    let key = black_box(key); // its words are loaded anew, not kept on the stack
    let quad = if STREAMS <= 2 { TWO } else { FOUR };
    let halves = |words| _mm256_castsi256_ps(folded(sums_of_digits(key, quad, words)).0);
    let (a, b) = (halves(a), halves(b));
    let low = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(a, b));
    let high = _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(a, b));
    // As in `l3_hash`: 5 less where the upper half is negative.
    let five = _mm256_and_si256(_mm256_srli_epi32::<29>(high), _mm256_set1_epi32(5));
    let in_order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    let hashes = _mm256_permutevar8x32_epi32(_mm256_sub_epi32(low, five), in_order);
    let turned = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    let hashes = _mm256_shuffle_epi8(hashes, _mm256_broadcastsi128_si256(turned));
    let mask = if STREAMS <= 2 {
        _mm256_set1_epi64x(i64::from_le_bytes(key.arranged.mask.as_chunks().0[0]))
    } else {
        _mm256_broadcastsi128_si256(load128(&key.arranged.mask))
    };
    _mm256_xor_si256(hashes, mask)
}

/// The pads of eight messages, each at the place of its tag.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn pads8<const STREAMS: usize>(key: &Key, blocks: &Blocks) -> [__m256i; 4] {
    let mut states = [_mm_setzero_si128(); EIGHT];
    let (states, _) = states.split_at_mut(count_of_blocks::<STREAMS>());
    for (i, two) in states.as_chunks_mut().0.iter_mut().enumerate() {
        let blocks = two_blocks(blocks, 2 * i as i64);
        *two = [_mm256_castsi256_si128(blocks), _mm256_extracti128_si256::<1>(blocks)];
    }
    encrypt(&black_box(key).arranged.rounds, states);
    let mut pads = [_mm256_setzero_si256(); 4];
    for ([a, b], pads) in states.as_chunks().0.iter().zip(&mut pads) {
        *pads = _mm256_set_m128i(*b, *a);
    }
    placed::<STREAMS>(pads)
}

/// How many blocks the pads of eight messages are in.
const fn count_of_blocks<const STREAMS: usize>() -> usize {
    match STREAMS {
        1 => 2,
        2 => 4,
        _ => 8,
    }
}

/// Moves pads of four bytes to places of eight.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
pub(super) fn placed<const STREAMS: usize>(mut pads: [__m256i; 4]) -> [__m256i; 4] {
    if STREAMS == 1 {
        let (low, high) = (_mm256_castsi256_si128(pads[0]), _mm256_extracti128_si256::<1>(pads[0]));
        (pads[0], pads[1]) = (_mm256_cvtepu32_epi64(low), _mm256_cvtepu32_epi64(high));
    }
    pads
}

/// Stores the tags of eight messages.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
pub(super) fn tags8<const STREAMS: usize>(
    tags: &mut Tags,
    hashes: [__m256i; 4],
    pads: [__m256i; 4],
) {
    let (tags, _) = tags.as_flattened_mut().as_chunks_mut::<32>();
    for i in 0..registers::<STREAMS>() {
        store256(&mut tags[i], _mm256_xor_si256(hashes[i], pads[i]));
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi2,aes")]
fn encrypt(rounds: &[[u8; 16]; 11], states: &mut [__m128i]) {
    for state in &mut *states {
        *state = _mm_xor_si128(*state, load128(&rounds[0]));
    }
    for round in &rounds[1..10] {
        let round = load128(round);
        for state in &mut *states {
            *state = _mm_aesenc_si128(*state, round);
        }
    }
    for state in states {
        *state = _mm_aesenclast_si128(*state, load128(&rounds[10]));
    }
}
