//! Levels 1 and 2 in 512-bit registers: the x of four pairs in one, their y in another.
//!
//! ```text
//! load     x0 x1 x2 x3   and   y0 y1 y2 y3, add the keys; z = x + y
//! multiply the two halves of each lane of x, of y and of z; add the products to a sum each
//! ```
//!
//! The four pairs stay apart until the end of the message: level 2 is linear, so each lane has its own partial Y.
#![allow(unsafe_code)]

use super::{Ahead, BLOCK, GROUP, Key, PartialSums};
use crate::field::avx512::{
    Wide, fold, fold4, four, from_three, load, load_64, number, plus_product, reduce,
};
use crate::field::pclmul;
use crate::rows::EightTags;
use crate::rows::PacketKernels;
use crate::rows::avx512::{
    encrypt_words, load_short, load_short_16, pad, pads8, prefetch, store, store8,
};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman::cipher::Block;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::buffer::not_last;
use wegman::hazmat::pads::Blocks;

pub(super) const fn kernels<const ROUNDS: usize>() -> PacketKernels<Key> {
    PacketKernels {
        tag: tag::<ROUNDS>,
        tag8: tag8::<ROUNDS>,
        ahead: Ahead { tag: tag::<0>, encrypt: encrypt_words::<ROUNDS, Key> },
    }
}

/// How many blocks ahead the kernel prefetches, for messages too long for the caches.
const AHEAD: usize = 6;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn absorb(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]) {
    let y = absorb_lanes(key, load_partial(partial), blocks);
    // SAFETY: 64 bytes are written to 64 bytes; no alignment is required.
    unsafe { _mm512_storeu_si512(partial.0.as_mut_ptr().cast(), y) };
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn finish(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128 {
    number(fold(finish_lanes::<true>(key, load_partial(partial), last, length)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    // Each arm is a jump to a function that calls no other: across calls, vectors would go through memory.
    match message.len() {
        ..=16 => tag_of_16::<ROUNDS>(key, block, message, tag),
        17..=64 => tag_of_64::<ROUNDS>(key, block, message, tag),
        65..=BLOCK => tag_of_block::<ROUNDS>(key, block, message, tag),
        _ => tag_of_blocks::<ROUNDS>(key, block, message, tag),
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_16<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    store(tag, _mm_xor_si128(pad::<ROUNDS>(key, block), hash_of_16(key, message)));
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_64<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    store(tag, _mm_xor_si128(pad::<ROUNDS>(key, block), fold(reduce(short(key, message)))));
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_block<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    let y = _mm512_setzero_si512();
    let hash = fold(finish_lanes::<false>(key, y, message, message.len() as u64));
    store(tag, _mm_xor_si128(pad::<ROUNDS>(key, block), hash));
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_blocks<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    let hash = fold(hash_in_lanes(key, message));
    store(tag, _mm_xor_si128(pad::<ROUNDS>(key, block), hash));
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    longest: usize,
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    // As in `tag`. If the lengths were read here, the compiler would gather them, which is slow.
    match longest {
        1..=16 => tag8_of_16::<ROUNDS>(key, messages, blocks, tags),
        _ => tag8_of_64::<ROUNDS>(key, messages, blocks, tags),
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_16<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    let pads = pads8::<ROUNDS>(key, blocks);
    let (messages, _) = messages.as_chunks();
    let hashes = [hash_of_4_in_lanes(key, &messages[0]), hash_of_4_in_lanes(key, &messages[1])];
    store8(tags, hashes, pads);
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_64<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    let pads = pads8::<ROUNDS>(key, blocks);
    let (messages, _) = messages.as_chunks();
    let hashes = [hash_of_4_short(key, &messages[0]), hash_of_4_short(key, &messages[1])];
    store8(tags, hashes, pads);
}

/// The hash of a message as four partial sums, one in each lane.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_in_lanes(key: &Key, message: &[u8]) -> __m512i {
    let length = message.len() as u64;
    if message.len() <= BLOCK {
        return finish_lanes::<false>(key, _mm512_setzero_si512(), message, length);
    }
    let (blocks, last) = not_last(message);
    let y = absorb_lanes(key, _mm512_setzero_si512(), blocks);
    finish_lanes::<true>(key, y, last, length)
}

/// Levels 1 and 2 of blocks, none of which is the message's last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn absorb_lanes(key: &Key, mut y: __m512i, blocks: &[[u8; BLOCK]]) -> __m512i {
    let r = _mm512_broadcast_i32x4(load(&key.r));
    for (i, block) in blocks.iter().enumerate() {
        // Hidden from the compiler, which would load the whole key before the loop and spill it.
        let k = &black_box(key).k;
        let sums = match blocks.get(i + AHEAD) {
            Some(ahead) if blocks.len() > 512 => {
                whole(k, block, |at| prefetch(&ahead.as_chunks().0[at]))
            }
            _ => whole(k, block, |_| ()),
        };
        y = reduce(plus_product(from_three(sums), y, r));
    }
    y
}

/// The hash of at most 16 bytes: one pair, whose y is its key alone.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_16(key: &Key, message: &[u8]) -> __m128i {
    let bytes = load_short_16(message);
    // An empty message has no pairs.
    let pair = if message.is_empty() { 0 } else { 0xf };
    let bytes = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(bytes), bytes);
    let x_and_z = _mm256_maskz_xor_epi64(pair, bytes, load_32(&key.of_first));
    let a_and_c = _mm256_clmulepi64_epi128::<0x01>(x_and_z, x_and_z);
    let b = load(&key.of_zero[message.len().min(1)]);
    let sums = _mm256_xor_si256(a_and_c, of_length(key, message.len() as u64));
    let low = _mm256_castsi256_si128(sums);
    let middle = _mm_xor_si128(
        _mm_xor_si128(_mm256_castsi256_si128(a_and_c), b),
        _mm256_extracti128_si256::<1>(sums),
    );
    pclmul::reduce(pclmul::Wide { low, middle, high: b })
}

/// The products of the length with the two halves of its key, one in each lane. Out: degree at most 126.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn of_length(key: &Key, length: u64) -> __m256i {
    let length = _mm256_set1_epi64x(length as i64);
    _mm256_clmulepi64_epi128::<0x00>(length, load_32(&key.halves_of_length))
}

/// The hash of 17 to 64 bytes, unreduced: one group, whose y are their keys alone.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn short(key: &Key, message: &[u8]) -> Wide {
    let pairs = message.len().div_ceil(16).min(4);
    let mask = _bzhi_u32(0xff, 2 * pairs as u32) as __mmask8;
    let (keys, _) = key.k.as_chunks::<64>();
    let x = _mm512_maskz_xor_epi64(mask, load_short(message), load_64(&keys[0]));
    let z = _mm512_maskz_xor_epi64(mask, x, load_64(&keys[1]));
    let a = _mm512_clmulepi64_epi128::<0x01>(x, x);
    let b = _mm512_zextsi128_si512(load(&key.of_zero[pairs]));
    let c = _mm512_clmulepi64_epi128::<0x01>(z, z);
    plus_length(key, from_three([a, b, c]), message.len() as u64)
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
        wide = plus_product(wide, y, _mm512_broadcast_i32x4(load(&key.r)));
    }
    reduce(plus_length(key, wide, length))
}

/// Level 1 of a whole block. `meanwhile` is called with the index of each 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn whole(k: &[u8; BLOCK], block: &[u8; BLOCK], meanwhile: impl Fn(usize)) -> Sums {
    let mut sums = [_mm512_setzero_si512(); 3];
    let groups = block.as_chunks().0.iter().zip(k.as_chunks().0);
    for (i, (groups, keys)) in groups.enumerate() {
        for j in 0..4 {
            meanwhile(4 * i + j);
        }
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

/// The hashes of four messages of 1 to 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_4_short(key: &Key, messages: &[&[u8]; 4]) -> __m512i {
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
    finish_4(key, messages, [fold4(a), four(e, f, g, h), fold4(c)])
}

/// The hashes of four messages of 1 to 16 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_4_in_lanes(key: &Key, messages: &[&[u8]; 4]) -> __m512i {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| load_short_16(messages[i]));
    let bytes = four(a, b, c, d);
    let [x, z] =
        [0, 1].map(|i| _mm512_xor_si512(bytes, _mm512_broadcast_i32x4(load(&key.of_first[i]))));
    let a = _mm512_clmulepi64_epi128::<0x01>(x, x);
    let b = _mm512_broadcast_i32x4(load(&key.of_zero[1]));
    let c = _mm512_clmulepi64_epi128::<0x01>(z, z);
    finish_4(key, messages, [a, b, c])
}

/// The hashes of four messages of 1 to 64 bytes from their sums of products.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn finish_4(key: &Key, messages: &[&[u8]; 4], sums: Sums) -> __m512i {
    let [s, t, u, v] = [0, 1, 2, 3].map(|i| messages[i].len() as i64);
    let lengths = _mm512_setr_epi64(s, 0, t, 0, u, 0, v, 0);
    let wide = from_three(sums);
    let key = _mm512_broadcast_i32x4(load(&key.length));
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
