//! Levels 1 and 2 in 512-bit registers: the x of four pairs in one, their y in another.
//!
//! ```text
//! load     x0 x1 x2 x3   and   y0 y1 y2 y3, add the keys; z = x + y
//! multiply the two halves of each part of x, of y and of z, and add the products to a sum each
//! ```
//!
//! The four pairs stay apart up to the end of the message: level 2 is linear, so each lane has a Y of its own.
#![allow(unsafe_code)]

use super::{BLOCK, Eight, GROUP, Kernels, Key, LANES, Lanes};
use crate::buffer::not_last;
use crate::cipher::Block;
use crate::umac::pdf::PADS;
use core::arch::x86_64::*;
use core::hint::black_box;

pub(super) const fn kernels<const ROUNDS: usize>() -> Kernels {
    Kernels {
        tag: tag::<ROUNDS>,
        tag_with_pad: tag::<0>,
        tag8: tag8::<ROUNDS>,
        encrypt: encrypt_words::<ROUNDS>,
    }
}

/// Blocks ahead of the one under way that are asked for where they are in no cache.
const AHEAD: usize = 6;

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn absorb(key: &Key, lanes: &mut Lanes, blocks: &[[u8; BLOCK]]) {
    let y = absorb_lanes(key, load_lanes(lanes), blocks);
    // SAFETY: 64 bytes are written to 64 bytes; no alignment is asked for.
    unsafe { _mm512_storeu_si512(lanes.0.as_mut_ptr().cast(), y) };
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn finish(key: &Key, lanes: &Lanes, last: &[u8], length: u64) -> u128 {
    let hash = fold(finish_lanes::<true>(key, load_lanes(lanes), last, length));
    let high = _mm_extract_epi64::<1>(hash) as u64;
    u128::from(high) << 64 | u128::from(_mm_cvtsi128_si64(hash) as u64)
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
    // Each a jump to a function that needs no other: vectors go to and from functions through memory.
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
    messages: &[&[u8]; LANES],
    longest: usize,
    tags: &mut Eight,
) {
    // As in `tag`. The compiler would gather the lengths, slowly, were they looked at here.
    match longest {
        1..=16 => tag8_of_16::<ROUNDS>(key, messages, tags),
        17..=64 => tag8_of_64::<ROUNDS>(key, messages, tags),
        _ => tag8_of_any::<ROUNDS>(key, messages, tags),
    }
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_16<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; LANES], tags: &mut Eight) {
    let pads = pads8::<ROUNDS>(key, tags);
    let (messages, _) = messages.as_chunks();
    let hashes = [hash_of_4_in_lanes(key, &messages[0]), hash_of_4_in_lanes(key, &messages[1])];
    store8(tags, hashes, pads);
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_64<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; LANES], tags: &mut Eight) {
    let pads = pads8::<ROUNDS>(key, tags);
    let (messages, _) = messages.as_chunks();
    let hashes = [hash_of_4_short(key, &messages[0]), hash_of_4_short(key, &messages[1])];
    store8(tags, hashes, pads);
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_any<const ROUNDS: usize>(key: &Key, messages: &[&[u8]; LANES], tags: &mut Eight) {
    let (messages, _) = messages.as_chunks();
    let hashes = [hash_of_4(key, &messages[0]), hash_of_4(key, &messages[1])];
    store8(tags, hashes, pads8::<ROUNDS>(key, tags));
}

/// The pads of eight nonces.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn pads8<const ROUNDS: usize>(key: &Key, blocks: &Eight) -> [__m512i; 2] {
    let (blocks, _) = blocks.as_flattened().as_chunks();
    let mut pads = [load_64(&blocks[0]), load_64(&blocks[1])];
    encrypt_wide::<ROUNDS, 2>(&key.rounds, &mut pads);
    pads
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn store8(tags: &mut Eight, hashes: [__m512i; 2], pads: [__m512i; 2]) {
    let (tags, _) = tags.as_flattened_mut().as_chunks_mut();
    for i in 0..2 {
        store_64(&mut tags[i], _mm512_xor_si512(hashes[i], pads[i]));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn encrypt_words<const ROUNDS: usize>(key: &Key, words: &mut [u64; 2 * PADS], count: usize) {
    for words in words.as_chunks_mut::<32>().0.iter_mut().take(count.div_ceil(16)) {
        let (words, _) = words.as_chunks_mut::<8>();
        let mut blocks = [_mm512_setzero_si512(); 4];
        for (block, words) in blocks.iter_mut().zip(&*words) {
            // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
            *block = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
        }
        encrypt_wide::<ROUNDS, 4>(&key.rounds, &mut blocks);
        for (block, words) in blocks.iter().zip(words) {
            // SAFETY: 64 bytes are written to 64 bytes; no alignment is asked for.
            unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), *block) };
        }
    }
}

/// The hash of a message in four parts, to be added up.
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

/// Levels 1 and 2 of blocks of which none is the message's last.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn absorb_lanes(key: &Key, mut y: __m512i, blocks: &[[u8; BLOCK]]) -> __m512i {
    let r = _mm512_broadcast_i32x4(load(&key.r));
    for (i, block) in blocks.iter().enumerate() {
        // Hidden, or the compiler loads the whole key ahead of the loop and spills it.
        let k = &black_box(key).k;
        let sums = match blocks.get(i + AHEAD) {
            Some(ahead) if blocks.len() > 512 => {
                whole(k, block, |at| prefetch(&ahead.as_chunks().0[at]))
            }
            _ => whole(k, block, |_| ()),
        };
        y = reduce(plus_product(sums.wide(), y, r));
    }
    y
}

/// The hash of at most 16 bytes: one pair, of whose y the key alone counts.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_16(key: &Key, message: &[u8]) -> __m128i {
    // SAFETY: what the mask leaves out is not read.
    let bytes = unsafe {
        let mask = _bzhi_u32(0xffff, message.len() as u32) as __mmask16;
        _mm_maskz_loadu_epi8(mask, message.as_ptr().cast())
    };
    // An empty message has no pair.
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
    let modulus = _mm_set_epi64x(0, 0xc2 << 56);
    let t = _mm_clmulepi64_si128::<0x00>(low, modulus);
    let middle = _mm_xor_si128(_mm_xor_si128(middle, t), _mm_shuffle_epi32::<0x4e>(low));
    let t = _mm_clmulepi64_si128::<0x00>(middle, modulus);
    _mm_xor_si128(_mm_xor_si128(b, t), _mm_shuffle_epi32::<0x4e>(middle))
}

/// The products of the length and the two halves of its key, a lane each.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn of_length(key: &Key, length: u64) -> __m256i {
    let length = _mm256_set1_epi64x(length as i64);
    _mm256_clmulepi64_epi128::<0x00>(length, load_32(&key.halves_of_length))
}

/// The hash of 17 to 64 bytes, unreduced: a group whose y are zeroes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn short(key: &Key, message: &[u8]) -> Wide {
    let pairs = message.len().div_ceil(16).min(4);
    let mask = _bzhi_u32(0xff, 2 * pairs as u32) as __mmask8;
    let (keys, _) = key.k.as_chunks::<64>();
    let x = _mm512_maskz_xor_epi64(mask, load_front(message), load_64(&keys[0]));
    let z = _mm512_maskz_xor_epi64(mask, x, load_64(&keys[1]));
    let a = _mm512_clmulepi64_epi128::<0x01>(x, x);
    let b = _mm512_zextsi128_si512(load(&key.of_zero[pairs]));
    let c = _mm512_clmulepi64_epi128::<0x01>(z, z);
    plus_length(key, Sums { a, b, c }.wide(), message.len() as u64)
}

/// The hash of a message of which at most a block is left, in four parts to be added up. There were blocks before it,
/// or else `y` does not count.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn finish_lanes<const AFTER: bool>(key: &Key, y: __m512i, last: &[u8], length: u64) -> __m512i {
    let mut sums = Sums::zero();
    let (twice, mut rest) = last.as_chunks::<{ 2 * GROUP }>();
    let (keys_of_two, _) = key.k.as_chunks();
    for (groups, keys) in twice.iter().zip(keys_of_two) {
        sums = sums.plus_two(groups, keys);
    }
    let (keys, _) = key.k.as_chunks();
    let mut at = 2 * twice.len();
    if let Some((group, behind)) = rest.split_first_chunk() {
        let (x, y) = keyed(group, &keys[at]);
        sums = sums.plus(x, y);
        rest = behind;
        at += 1;
    }
    if !rest.is_empty() {
        let (x, y) = rest.split_at(rest.len().min(GROUP / 2));
        let pairs = _bzhi_u32(0xff, 2 * x.len().div_ceil(16) as u32) as __mmask8;
        let (keys, _) = keys[at].as_chunks::<64>();
        let x = _mm512_maskz_xor_epi64(pairs, load_front(x), load_64(&keys[0]));
        let y = _mm512_maskz_xor_epi64(pairs, load_front(y), load_64(&keys[1]));
        sums = sums.plus(x, y);
    }
    let mut wide = sums.wide();
    if AFTER {
        wide = plus_product(wide, y, _mm512_broadcast_i32x4(load(&key.r)));
    }
    reduce(plus_length(key, wide, length))
}

/// Level 1 of a whole block. `meanwhile` is called with the place of each 64 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn whole(k: &[u8; BLOCK], block: &[u8; BLOCK], meanwhile: impl Fn(usize)) -> Sums {
    let mut sums = Sums::zero();
    let groups = block.as_chunks().0.iter().zip(k.as_chunks().0);
    for (i, (groups, keys)) in groups.enumerate() {
        for j in 0..4 {
            meanwhile(4 * i + j);
        }
        sums = sums.plus_two(groups, keys);
    }
    sums
}

/// Karatsuba's three sums of products, of four pairs side by side.
#[derive(Clone, Copy)]
struct Sums {
    a: __m512i,
    b: __m512i,
    c: __m512i,
}

impl Sums {
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn zero() -> Sums {
        let zero = _mm512_setzero_si512();
        Sums { a: zero, b: zero, c: zero }
    }

    /// Adds the products of a group, its keys added already.
    #[inline]
    #[target_feature(enable = "avx512f,vpclmulqdq")]
    fn plus(self, x: __m512i, y: __m512i) -> Sums {
        let z = _mm512_xor_si512(x, y);
        Sums {
            a: _mm512_xor_si512(self.a, _mm512_clmulepi64_epi128::<0x01>(x, x)),
            b: _mm512_xor_si512(self.b, _mm512_clmulepi64_epi128::<0x01>(y, y)),
            c: _mm512_xor_si512(self.c, _mm512_clmulepi64_epi128::<0x01>(z, z)),
        }
    }

    /// Adds the products of two groups.
    #[inline]
    #[target_feature(enable = "avx512f,vpclmulqdq")]
    fn plus_two(self, groups: &[u8; 2 * GROUP], keys: &[u8; 2 * GROUP]) -> Sums {
        let ((groups, _), (keys, _)) = (groups.as_chunks(), keys.as_chunks());
        let (x, y) = keyed(&groups[0], &keys[0]);
        let (u, v) = keyed(&groups[1], &keys[1]);
        self.plus(x, y).plus(u, v)
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn wide(self) -> Wide {
        let Sums { a, b, c } = self;
        Wide { low: a, middle: _mm512_xor_si512(_mm512_xor_si512(a, b), c), high: b }
    }
}

/// The halves of a group with their keys added.
#[inline]
#[target_feature(enable = "avx512f")]
fn keyed(group: &[u8; GROUP], key: &[u8; GROUP]) -> (__m512i, __m512i) {
    let ((parts, _), (keys, _)) = (group.as_chunks(), key.as_chunks());
    let sum = |i: usize| _mm512_xor_si512(load_64(&parts[i]), load_64(&keys[i]));
    (sum(0), sum(1))
}

/// A product in three parts, 64 bits apart, in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Wide {
    pub(crate) low: __m512i,
    pub(crate) middle: __m512i,
    pub(crate) high: __m512i,
}

/// Adds a b.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
fn plus_product(wide: Wide, a: __m512i, b: __m512i) -> Wide {
    let crossed = _mm512_xor_si512(
        _mm512_clmulepi64_epi128::<0x01>(a, b),
        _mm512_clmulepi64_epi128::<0x10>(a, b),
    );
    Wide {
        low: _mm512_xor_si512(wide.low, _mm512_clmulepi64_epi128::<0x00>(a, b)),
        middle: _mm512_xor_si512(wide.middle, crossed),
        high: _mm512_xor_si512(wide.high, _mm512_clmulepi64_epi128::<0x11>(a, b)),
    }
}

/// Adds the length times its key to the first lane.
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

/// Times x^-128 in the field, in each lane; as in pclmul.rs.
#[inline]
#[target_feature(enable = "avx512f,vpclmulqdq")]
pub(crate) fn reduce(Wide { low, middle, high }: Wide) -> __m512i {
    let modulus = _mm512_set1_epi64(0xc2 << 56);
    let t = _mm512_clmulepi64_epi128::<0x00>(low, modulus);
    let low = _mm512_shuffle_epi32::<0x4e>(low);
    let middle = _mm512_xor_si512(_mm512_xor_si512(middle, t), low);
    let t = _mm512_clmulepi64_epi128::<0x00>(middle, modulus);
    let middle = _mm512_shuffle_epi32::<0x4e>(middle);
    _mm512_xor_si512(_mm512_xor_si512(high, t), middle)
}

/// The sum of the four lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn fold(lanes: __m512i) -> __m128i {
    let upper = _mm512_extracti64x4_epi64::<1>(lanes);
    let two = _mm256_xor_si256(_mm512_castsi512_si256(lanes), upper);
    _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two))
}

/// The sums of the lanes of four registers, a lane each.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn fold4([a, b, c, d]: [__m512i; 4]) -> __m512i {
    let halves = |a: __m512i, b: __m512i| {
        _mm512_xor_si512(_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0xee>(a, b))
    };
    let (t, u) = (halves(a, b), halves(c, d));
    _mm512_xor_si512(_mm512_shuffle_i64x2::<0x88>(t, u), _mm512_shuffle_i64x2::<0xdd>(t, u))
}

/// The hashes of four messages of any length.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_4(key: &Key, messages: &[&[u8]; 4]) -> __m512i {
    let mut hashes = [_mm512_setzero_si512(); 4];
    for (hash, message) in hashes.iter_mut().zip(messages) {
        *hash = hash_in_lanes(black_box(key), message);
    }
    fold4(hashes)
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
        let x = _mm512_maskz_xor_epi64(mask, load_front(messages[i]), of_x);
        let z = _mm512_maskz_xor_epi64(mask, x, of_y);
        a[i] = _mm512_clmulepi64_epi128::<0x01>(x, x);
        c[i] = _mm512_clmulepi64_epi128::<0x01>(z, z);
    }
    let [e, f, g, h] =
        [0, 1, 2, 3].map(|i| load(&key.of_zero[messages[i].len().div_ceil(16).min(4)]));
    finish_4(key, messages, Sums { a: fold4(a), b: four(e, f, g, h), c: fold4(c) })
}

/// The hashes of four messages of 1 to 16 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn hash_of_4_in_lanes(key: &Key, messages: &[&[u8]; 4]) -> __m512i {
    let bytes = |message: &[u8]| {
        let mask = _bzhi_u32(0xffff, message.len() as u32) as __mmask16;
        // SAFETY: what the mask leaves out is not read.
        unsafe { _mm_maskz_loadu_epi8(mask, message.as_ptr().cast()) }
    };
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| bytes(messages[i]));
    let bytes = four(a, b, c, d);
    let [x, z] =
        [0, 1].map(|i| _mm512_xor_si512(bytes, _mm512_broadcast_i32x4(load(&key.of_first[i]))));
    let a = _mm512_clmulepi64_epi128::<0x01>(x, x);
    let b = _mm512_broadcast_i32x4(load(&key.of_zero[1]));
    let c = _mm512_clmulepi64_epi128::<0x01>(z, z);
    finish_4(key, messages, Sums { a, b, c })
}

/// The hashes of four messages of 1 to 64 bytes from their sums of products.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn finish_4(key: &Key, messages: &[&[u8]; 4], sums: Sums) -> __m512i {
    let [s, t, u, v] = [0, 1, 2, 3].map(|i| messages[i].len() as i64);
    let lengths = _mm512_setr_epi64(s, 0, t, 0, u, 0, v, 0);
    let wide = sums.wide();
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
#[target_feature(enable = "avx512f,avx512vl")]
pub(crate) fn four(a: __m128i, b: __m128i, c: __m128i, d: __m128i) -> __m512i {
    let lower = _mm512_castsi256_si512(_mm256_set_m128i(b, a));
    _mm512_inserti64x4::<1>(lower, _mm256_set_m128i(d, c))
}

/// The pad, AES of a block. Without rounds the block is the pad already.
#[inline]
#[target_feature(enable = "aes,avx512vl")]
fn pad<const ROUNDS: usize>(key: &Key, block: u128) -> __m128i {
    let block = _mm_set_epi64x((block >> 64) as i64, block as i64);
    if ROUNDS == 0 { block } else { encrypt::<ROUNDS>(&key.rounds, block) }
}

/// AES of one block.
#[inline]
#[target_feature(enable = "aes,avx512vl")]
pub(crate) fn encrypt<const ROUNDS: usize>(rounds: &[Block; 15], block: __m128i) -> __m128i {
    let mut state = _mm_xor_si128(block, load(&rounds[0]));
    for round in &rounds[1..ROUNDS] {
        state = _mm_aesenc_si128(state, load(round));
    }
    _mm_aesenclast_si128(state, load(&rounds[ROUNDS]))
}

/// AES of four blocks in each of `W` registers.
#[inline]
#[target_feature(enable = "avx512f,vaes")]
pub(crate) fn encrypt_wide<const ROUNDS: usize, const W: usize>(
    rounds: &[Block; 15],
    states: &mut [__m512i; W],
) {
    let key = |i: usize| _mm512_broadcast_i32x4(load(&rounds[i]));
    for state in &mut *states {
        *state = _mm512_xor_si512(*state, key(0));
    }
    for i in 1..ROUNDS {
        for state in &mut *states {
            *state = _mm512_aesenc_epi128(*state, key(i));
        }
    }
    for state in states {
        *state = _mm512_aesenclast_epi128(*state, key(ROUNDS));
    }
}

/// At most 64 bytes, then zeroes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
pub(crate) fn load_front(bytes: &[u8]) -> __m512i {
    debug_assert!(bytes.len() <= 64);
    let mask = _bzhi_u64(!0, bytes.len() as u32);
    // SAFETY: what the mask leaves out is not read.
    unsafe { _mm512_maskz_loadu_epi8(mask, bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_lanes(lanes: &Lanes) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(lanes.0.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_32(blocks: &[Block; 2]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(blocks.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn load_64(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_64(bytes: &mut [u8; 64], value: __m512i) {
    // SAFETY: 64 bytes are written to 64 bytes; no alignment is asked for.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), value) };
}

#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes are read from 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
pub(crate) fn store(block: &mut Block, value: __m128i) {
    // SAFETY: 16 bytes are written to 16 bytes; no alignment is asked for.
    unsafe { _mm_storeu_si128(block.as_mut_ptr().cast(), value) };
}

/// Asks for 64 bytes that will be read before long.
#[inline]
pub(crate) fn prefetch(bytes: &[u8; 64]) {
    #[allow(unused_unsafe)] // newer compilers call it safe
    // SAFETY: the instruction changes nothing that a program sees, whatever the address.
    unsafe {
        _mm_prefetch::<_MM_HINT_T2>(bytes.as_ptr().cast());
    };
}
