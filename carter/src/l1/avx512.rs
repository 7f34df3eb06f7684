//! Levels 1 and 2 in 512-bit registers: the x of four pairs in one, their y in another.
//!
//! ```text
//! load     x0 x1 x2 x3   and   y0 y1 y2 y3, add the keys; z = x + y
//! multiply the two halves of each lane of x, of y and of z; add the products to a sum each
//! ```
//!
//! The four pairs stay apart until the end of the message: level 2 is linear, so each lane has its own partial Y.
#![allow(unsafe_code)]

use super::vpclmul::{FAR_BLOCKS, absorb_lanes as absorb_lanes_of_256};
use super::{Ahead, BLOCK, GROUP, Key, PartialSums, SHORT};
use crate::field::avx512::{
    Wide, fold, fold4, four, four_of, from_three, load, load_64, number, plus_product, quad, reduce,
};
use crate::field::{pclmul, vpclmul};
use crate::rows::EightTags;
use crate::rows::avx512::{
    encrypt_words, load_short, load_short_16, load_short_twice, pads8, store4,
};
use crate::rows::pclmul::{pad, prefetch, store};
use crate::rows::{PacketKernels, block_ahead, end_of, order_of_shift};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman::Tag;
use wegman::cipher::Block;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::buffer::not_last;
use wegman::hazmat::pads::Blocks;

pub(super) const fn kernels<const ROUNDS: usize>() -> PacketKernels<Key> {
    PacketKernels {
        tag: tag::<ROUNDS>,
        tag8: Some((tag8::<ROUNDS>, BLOCK)),
        ahead: Ahead { tag: tag::<0>, encrypt: Some(encrypt_words::<ROUNDS, Key>) },
    }
}

/// In place of the number of rounds: streams have a copy of their own of what whole messages call.
const STREAM: usize = usize::MAX;

/// How many blocks ahead the kernel prefetches.
const AHEAD: usize = 1;

/// More blocks come from memory. For those the kernel in 256-bit registers has more reads under way at a time, and reads
/// a quarter more in a second.
const FAR: usize = if cfg!(test) { 600 } else { (32 << 20) / BLOCK };

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn absorb(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]) {
    let y = absorb_lanes::<STREAM>(key, load_partial(partial), blocks);
    // SAFETY: 64 bytes are written to 64 bytes; no alignment is required.
    unsafe { _mm512_storeu_si512(partial.0.as_mut_ptr().cast(), y) };
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn finish(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128 {
    number(fold(finish_lanes::<true>(key, load_partial(partial), last, length)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    // Jumps to functions that call no other: across calls, vectors would go through memory.
    if message.len() <= SHORT {
        // No branch: the lengths of packets can't be predicted. The pad first, here and below: it takes longer than the
        // hash.
        let pad = black_box(pad::<ROUNDS>(key, block));
        let hash = pclmul::reduce_by(load(&key.modulus), short(key, message));
        store(tag, _mm_xor_si128(pad, hash));
    } else if message.len() <= BLOCK {
        tag_of_block::<ROUNDS>(key, block, message, tag);
    } else {
        tag_of_blocks::<ROUNDS>(key, block, message, tag);
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_block<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    // The pad first: it is ready before the products are.
    let pad = pad::<ROUNDS>(key, block);
    let y = _mm512_setzero_si512();
    let hash = fold(finish_lanes::<false>(key, y, message, message.len() as u64));
    store(tag, _mm_xor_si128(pad, hash));
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_blocks<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    let pad = black_box(pad::<ROUNDS>(key, block));
    let (blocks, last) = not_last(message);
    let y = absorb_lanes::<ROUNDS>(key, _mm512_setzero_si512(), blocks);
    let hash = fold(finish_lanes::<true>(key, y, last, message.len() as u64));
    store(tag, _mm_xor_si128(pad, hash));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    longest: usize,
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    // As in `tag`.
    let shortest = messages.iter().map(|message| message.len()).fold(longest, usize::min);
    if longest > SHORT {
        tag8_of_any::<ROUNDS>(key, messages, blocks, tags);
    } else if shortest.div_ceil(16) == longest.div_ceil(16) && longest > 0 {
        tag8_of_like::<ROUNDS>(key, messages, shortest, longest, blocks, tags);
    } else {
        tag8_of_short::<ROUNDS>(key, messages, blocks, tags);
    }
}

/// Messages of as many pairs.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_like<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    shortest: usize,
    longest: usize,
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    let pads = black_box(pads8::<ROUNDS>(key, blocks));
    let ((messages, _), (tags, _)) = (messages.as_chunks(), tags.as_chunks_mut());
    for ((messages, tags), pads) in messages.iter().zip(tags).zip(&pads) {
        let hashes = hash_of_4_like::<ROUNDS>(black_box(key), messages, shortest, longest);
        store4(tags, hashes, *pads);
    }
}

/// Messages of at most 64 bytes.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_short<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    let pads = black_box(pads8::<ROUNDS>(key, blocks));
    let ((messages, _), (tags, _)) = (messages.as_chunks(), tags.as_chunks_mut());
    for ((messages, tags), pads) in messages.iter().zip(tags).zip(&pads) {
        store4(tags, hash_of_4_short::<ROUNDS>(black_box(key), messages), *pads);
    }
}

/// Messages of at most 2048 bytes.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_any<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    let pads = black_box(pads8::<ROUNDS>(key, blocks));
    let zero = _mm512_setzero_si512();
    let mut lanes = [zero; EIGHT];
    for (lanes, message) in lanes.iter_mut().zip(messages) {
        *lanes = finish_lanes::<false>(black_box(key), zero, message, message.len() as u64);
    }
    let ((lanes, _), (tags, _)) = (lanes.as_chunks(), tags.as_chunks_mut());
    for ((lanes, tags), pads) in lanes.iter().zip(tags).zip(&pads) {
        store4(tags, fold4(*lanes), *pads);
    }
}

/// Levels 1 and 2 of blocks, none of which is the message's last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn absorb_lanes<const ROUNDS: usize>(key: &Key, mut y: __m512i, blocks: &[[u8; BLOCK]]) -> __m512i {
    if blocks.len() > FAR {
        return absorb_far(key, y, blocks);
    }
    let r = quad(&key.r);
    for (i, block) in blocks.iter().enumerate() {
        // Hidden from the compiler, which would load the whole key before the loop and spill it.
        let k = &black_box(key).k;
        let sums = match block_ahead(blocks, i, AHEAD) {
            Some(ahead) => whole(k, block, |at| prefetch::<256>(&ahead.as_chunks().0[at])),
            None => whole(k, block, |_| ()),
        };
        y = reduce(plus_product(from_three(sums), y, r));
    }
    y
}

/// The products of the length with the two halves of its key, one in each lane. Out: degree at most 126.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn of_length(key: &Key, length: u64) -> __m256i {
    let length = _mm256_set1_epi64x(length as i64);
    _mm256_clmulepi64_epi128::<0x00>(length, load_32(&key.halves_of_length))
}

/// The hash of at most 64 bytes, unreduced: one group, whose y are their keys alone. The x of all four pairs are
/// multiplied, two in a register of 256 bits: beside 512 bits a third of the vector units would rest.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn short(key: &Key, message: &[u8]) -> pclmul::Wide {
    let (keys, _) = key.k.as_chunks();
    let two = |bytes: __m256i, i: usize| {
        let x = _mm256_xor_si256(bytes, vpclmul::load(&keys[i]));
        let z = _mm256_xor_si256(x, vpclmul::load(&keys[2 + i]));
        (vpclmul::of_halves(x), vpclmul::of_halves(z))
    };
    let [first, second] = load_short_twice(message);
    let ((a, c), (d, f)) = (two(first, 0), two(second, 1));
    let (a, c) = (_mm256_xor_si256(a, d), _mm256_xor_si256(c, f));
    // A in the lower lane, C in the upper one.
    let straight = _mm256_blend_epi32::<0xf0>(a, c);
    let crossed = _mm256_permute2x128_si256::<0x21>(a, c);
    let a_and_c = _mm256_xor_si256(straight, crossed);
    let all = _mm256_xor_si256(a_and_c, of_length(key, message.len() as u64));
    let pairs = message.len().div_ceil(16).min(4);
    let [low, middle] = &key.of_missing[pairs];
    let a_and_middle = _mm_xor_si128(vpclmul::lower(a_and_c), load(middle));
    pclmul::Wide {
        low: _mm_xor_si128(vpclmul::lower(all), load(low)),
        middle: _mm_xor_si128(vpclmul::upper(all), a_and_middle),
        high: load(&key.of_zero[pairs]),
    }
}

/// The hash of a message, given its last block, as four partial sums, one in each lane. `AFTER`: blocks came before
/// the last one, and `y` is their level 2; otherwise `y` is ignored.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn finish_lanes<const AFTER: bool>(key: &Key, y: __m512i, last: &[u8], length: u64) -> __m512i {
    let mut sums = [_mm512_setzero_si512(); 3];
    let (twice, mut rest) = last.as_chunks::<{ 2 * GROUP }>();
    let (keys_of_two, _) = key.k.as_chunks();
    for (groups, keys) in twice.iter().zip(keys_of_two) {
        sums = plus_two(sums, groups, keys);
    }
    let (keys, _) = key.k.as_chunks();
    let mut at = 2 * twice.len();
    if let Some((group, behind)) = rest.split_first_chunk() {
        let (x, y) = keyed(group, &keys[at]);
        sums = plus(sums, x, y);
        rest = behind;
        at += 1;
    }
    if !rest.is_empty() {
        let (x, y) = rest.split_at(rest.len().min(GROUP / 2));
        let pairs = _bzhi_u32(0xff, 2 * x.len().div_ceil(16) as u32) as __mmask8;
        let (keys, _) = keys[at].as_chunks::<64>();
        let x = _mm512_maskz_xor_epi64(pairs, load_short(x), load_64(&keys[0]));
        let y = _mm512_maskz_xor_epi64(pairs, load_short(y), load_64(&keys[1]));
        sums = plus(sums, x, y);
    }
    let mut wide = from_three(sums);
    if AFTER {
        wide = plus_product(wide, y, quad(&key.r));
    }
    reduce(plus_length(key, wide, length))
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn absorb_far(key: &Key, y: __m512i, blocks: &[[u8; BLOCK]]) -> __m512i {
    let upper = _mm512_extracti64x4_epi64::<1>(y);
    let two = _mm256_xor_si256(_mm512_castsi512_si256(y), upper);
    _mm512_zextsi256_si512(absorb_lanes_of_256::<0, FAR_BLOCKS>(key, two, blocks))
}

/// Level 1 of a whole block. `meanwhile` is called with the number of each two groups.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn whole(k: &[u8; BLOCK], block: &[u8; BLOCK], meanwhile: impl Fn(usize)) -> Sums {
    let mut sums = [_mm512_setzero_si512(); 3];
    for (i, (groups, keys)) in block.as_chunks().0.iter().zip(k.as_chunks().0).enumerate() {
        meanwhile(i);
        sums = plus_two(sums, groups, keys);
    }
    sums
}

/// The three sums of products of Karatsuba's method, for four pairs side by side.
type Sums = [__m512i; 3];

/// Adds the products of a group that has its keys added.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn plus([a, b, c]: Sums, x: __m512i, y: __m512i) -> Sums {
    let z = _mm512_xor_si512(x, y);
    [
        _mm512_xor_si512(a, _mm512_clmulepi64_epi128::<0x01>(x, x)),
        _mm512_xor_si512(b, _mm512_clmulepi64_epi128::<0x01>(y, y)),
        _mm512_xor_si512(c, _mm512_clmulepi64_epi128::<0x01>(z, z)),
    ]
}

/// Adds the products of two groups.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn plus_two(sums: Sums, groups: &[u8; 2 * GROUP], keys: &[u8; 2 * GROUP]) -> Sums {
    let ((groups, _), (keys, _)) = (groups.as_chunks(), keys.as_chunks());
    let (x, y) = keyed(&groups[0], &keys[0]);
    let (u, v) = keyed(&groups[1], &keys[1]);
    plus(plus(sums, x, y), u, v)
}

/// The x and the y of a group with their keys added.
#[inline]
#[target_feature(enable = "avx512f")]
fn keyed(group: &[u8; GROUP], key: &[u8; GROUP]) -> (__m512i, __m512i) {
    let ((parts, _), (keys, _)) = (group.as_chunks(), key.as_chunks());
    let sum = |i: usize| _mm512_xor_si512(load_64(&parts[i]), load_64(&keys[i]));
    (sum(0), sum(1))
}

/// Adds the length times its key in the lowest lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,pclmulqdq,vpclmulqdq")]
fn plus_length(key: &Key, wide: Wide, length: u64) -> Wide {
    let products = of_length(key, length);
    let low = _mm512_zextsi128_si512(_mm256_castsi256_si128(products));
    let middle = _mm512_zextsi128_si512(_mm256_extracti128_si256::<1>(products));
    Wide {
        low: _mm512_xor_si512(wide.low, low),
        middle: _mm512_xor_si512(wide.middle, middle),
        high: wide.high,
    }
}

/// The hashes of four messages of at most 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_4_short<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; 4]) -> __m512i {
    // Hidden from the compiler, which would gather the lengths: that takes as long as two messages.
    let [m, n, o, p] = *messages;
    let messages = [black_box(m), black_box(n), black_box(o), black_box(p)];
    assert!(messages.iter().all(|message| message.len() <= SHORT), "at most 64 bytes each");
    let (keys, _) = key.k.as_chunks::<64>();
    let (of_x, of_y) = (load_64(&keys[0]), load_64(&keys[1]));
    let (mut a, mut c) = ([_mm512_setzero_si512(); 4], [_mm512_setzero_si512(); 4]);
    for i in 0..4 {
        let pairs = 2 * messages[i].len().div_ceil(16) as u32;
        let mask = _bzhi_u32(0xff, pairs) as __mmask8;
        let x = _mm512_maskz_xor_epi64(mask, load_short(messages[i]), of_x);
        let z = _mm512_maskz_xor_epi64(mask, x, of_y);
        a[i] = _mm512_clmulepi64_epi128::<0x01>(x, x);
        c[i] = _mm512_clmulepi64_epi128::<0x01>(z, z);
    }
    let [e, f, g, h] =
        [0, 1, 2, 3].map(|i| load(&key.of_zero[messages[i].len().div_ceil(16).min(4)]));
    finish_4(key, lengths_of_4(&messages), [fold4(a), four(e, f, g, h), fold4(c)])
}

/// The hashes of four messages of as many pairs, 1 to 4: block after block of all four, one in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_4_like<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; 4],
    shortest: usize,
    longest: usize,
) -> __m512i {
    let (mut a, mut c) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    let mut add = |bytes: __m512i, [x, z]: &[Block; 2]| {
        let [x, z] = [quad(x), quad(z)].map(|key| _mm512_xor_si512(bytes, key));
        a = _mm512_xor_si512(a, _mm512_clmulepi64_epi128::<0x01>(x, x));
        c = _mm512_xor_si512(c, _mm512_clmulepi64_epi128::<0x01>(z, z));
    };
    let before = (longest.div_ceil(16) - 1).min(3);
    let (keys, [last, ..]) = key.of_pairs.split_at(before) else { unreachable!("1 to 4 pairs") };
    for (j, keys) in keys.iter().enumerate() {
        add(blocks_of_4(messages, 16 * j), keys);
    }
    // Messages of one length share the order that moves their ends, and the length.
    let behind = 16 * (before + 1);
    let from = |length: usize| order_of_shift(behind.saturating_sub(length));
    let (order, lengths) = if shortest == longest {
        (quad(from(longest)), _mm512_set1_epi64(longest as i64))
    } else {
        let order = |i: usize| from(messages[i].len());
        (four_of([order(0), order(1), order(2), order(3)]), lengths_of_4(messages))
    };
    if shortest < 16 {
        let bytes = |i: usize| load_short_16(messages[i]);
        add(four(bytes(0), bytes(1), bytes(2), bytes(3)), last);
    } else {
        let end = |i: usize| end_of(messages[i]);
        let ends = four_of([end(0), end(1), end(2), end(3)]);
        add(_mm512_shuffle_epi8(ends, order), last);
    }
    let b = quad(&key.of_zero[before + 1]);
    finish_4(key, lengths, [a, b, c])
}

/// The block at `at` of each message.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn blocks_of_4(messages: &[&[u8]; 4], at: usize) -> __m512i {
    let shortest =
        messages.iter().fold(usize::MAX, |shortest, message| shortest.min(message.len()));
    assert!(at + 16 <= shortest, "a whole block of each");
    let block = |i: usize| {
        // SAFETY: 16 bytes are read at `at`, by the line above.
        unsafe { _mm_loadu_si128(messages[i].as_ptr().add(at).cast()) }
    };
    four(block(0), block(1), block(2), block(3))
}

/// The lengths of four messages, in the lower halves of the lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn lengths_of_4(messages: &[&[u8]; 4]) -> __m512i {
    let [s, t, u, v] = [0, 1, 2, 3].map(|i| messages[i].len() as i64);
    _mm512_setr_epi64(s, 0, t, 0, u, 0, v, 0)
}

/// The hashes of four messages of at most 64 bytes from their sums of products. Their lengths are in the lower halves of
/// the lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn finish_4(key: &Key, lengths: __m512i, sums: Sums) -> __m512i {
    let wide = from_three(sums);
    let key = quad(&key.length);
    let (low, middle) = (
        _mm512_clmulepi64_epi128::<0x00>(lengths, key),
        _mm512_clmulepi64_epi128::<0x10>(lengths, key),
    );
    reduce(Wide {
        low: _mm512_xor_si512(wide.low, low),
        middle: _mm512_xor_si512(wide.middle, middle),
        high: wide.high,
    })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_partial(partial: &PartialSums) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is required.
    unsafe { _mm512_loadu_si512(partial.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_32(blocks: &[Block; 2]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is required.
    unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }
}
