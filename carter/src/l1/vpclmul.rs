//! Levels 1 and 2 in 256-bit registers: the x of two pairs in one, their y in another. The rest is as in avx512.rs.
//!
//! A message of at most 64 bytes has no y but their keys. Each x is in both lanes, the key of x added to one and the sum
//! of the keys of x and y to the other: one product makes A and C.
//!
//! `SITE` is as in clmul.rs.
#![allow(unsafe_code)]

use super::{Ahead, BLOCK, GROUP, Key, PartialSums, SHORT};
use crate::field::pclmul;
use crate::field::vpclmul::{
    Wide, alone, beside, fold, from_three, load, lower, of_halves, plus_product, reduce, twice,
    upper,
};
use crate::rows::pclmul::{bytes_from, few_bytes, pad, prefetch, store};
use crate::rows::vpclmul::{pads8, store2, twice_from};
use crate::rows::{EightTags, PacketKernels, block_ahead, block_and_order, end_of};
use core::arch::x86_64::*;
use core::hint::black_box;
use wegman::Tag;
use wegman::cipher::Block;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::buffer::not_last;
use wegman::hazmat::pads::Blocks;

/// Karatsuba's three sums of products, of two pairs side by side.
type Sums = [__m256i; 3];

/// How many blocks ahead the kernel prefetches.
const AHEAD: usize = 6;

// Callers, each with copies of its own.
const STREAM: u8 = 0;
const ONE: u8 = 1;
const MORE: u8 = 2;
const EIGHT_SHORT: u8 = 3;
const EIGHT_ANY: u8 = 4;
pub(super) const FAR_BLOCKS: u8 = 5;

pub(super) const fn kernels<const ROUNDS: usize>() -> PacketKernels<Key> {
    PacketKernels {
        tag: tag::<ROUNDS>,
        tag8: Some((tag8::<ROUNDS>, BLOCK)),
        ahead: Ahead { tag: tag::<0>, encrypt: None },
    }
}

#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn absorb(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]) {
    let y = absorb_lanes::<0, STREAM>(key, two_lanes(partial), blocks);
    *partial = PartialSums::ZERO;
    // SAFETY: 32 bytes are written to the first 32 of 64 bytes; no alignment is required.
    unsafe { _mm256_storeu_si256(partial.0.as_mut_ptr().cast(), y) };
}

#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
pub(super) fn finish(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128 {
    let level_1 = if last.len() > SHORT {
        let sums = last_block::<0, STREAM>(key, last, end_of(last));
        plus_length(from_three(sums), key, length)
    } else {
        let pclmul::Wide { low, middle, high } = short::<0, STREAM>(key, last, length).joined();
        Wide { low: alone(low), middle: alone(middle), high: alone(high) }
    };
    pclmul::number(fold(reduce(plus_product(level_1, two_lanes(partial), twice(&key.r)))))
}

#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    // Jumps to functions that call no other: across calls, vectors would go through memory.
    if message.len() <= SHORT {
        let short = short::<ROUNDS, ONE>(key, message, message.len() as u64);
        let hash = pclmul::reduce_by(pclmul::load(&key.modulus), short.joined());
        store(tag, _mm_xor_si128(pad::<ROUNDS>(key, block), hash));
    } else if message.len() <= BLOCK {
        tag_of_block::<ROUNDS>(key, block, message, tag);
    } else {
        tag_of_blocks::<ROUNDS>(key, block, message, tag);
    }
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_block<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    // The pad first: it is ready before the products are.
    let pad = black_box(pad::<ROUNDS>(key, block));
    let hash = folded(of_block::<ROUNDS, ONE>(key, message));
    store(tag, _mm_xor_si128(pad, hash));
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag_of_blocks<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    let pad = black_box(pad::<ROUNDS>(key, block));
    let (blocks, last) = not_last(message);
    let y = absorb_lanes::<ROUNDS, ONE>(key, _mm256_setzero_si256(), blocks);
    let sums = last_block::<ROUNDS, MORE>(key, last, end_of(message));
    let wide = plus_length(from_three(sums), key, message.len() as u64);
    store(tag, _mm_xor_si128(pad, folded(plus_product(wide, y, twice(&key.r)))));
}

#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    longest: usize,
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    // As in `tag`.
    if longest > SHORT {
        tag8_of_any::<ROUNDS>(key, messages, blocks, tags);
    } else {
        tag8_of_short::<ROUNDS>(key, messages, blocks, tags);
    }
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_short<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    let pads = black_box(pads8::<ROUNDS>(key, blocks));
    let ((messages, _), (tags, _)) = (messages.as_chunks(), tags.as_chunks_mut());
    for (([one, other], tags), pads) in messages.iter().zip(tags).zip(&pads) {
        // Hidden from the compiler, which would load keys before the loop and spill them.
        let key = black_box(key);
        let one = short::<ROUNDS, EIGHT_SHORT>(key, one, one.len() as u64);
        let other = short::<ROUNDS, MORE>(key, other, other.len() as u64);
        store2(tags, one.reduced_beside(&other), *pads);
    }
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn tag8_of_any<const ROUNDS: usize>(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: &Blocks,
    tags: &mut EightTags,
) {
    let pads = black_box(pads8::<ROUNDS>(key, blocks));
    let mut lanes = [_mm256_setzero_si256(); EIGHT];
    for (lanes, message) in lanes.iter_mut().zip(messages) {
        let key = black_box(key);
        *lanes = if message.len() > SHORT {
            reduce(of_block::<ROUNDS, EIGHT_ANY>(key, message))
        } else {
            let short = short::<ROUNDS, EIGHT_ANY>(key, message, message.len() as u64);
            alone(pclmul::reduce(short.joined()))
        };
    }
    let (tags, _) = tags.as_chunks_mut();
    let (pairs, _) = black_box(&lanes).as_chunks();
    for i in 0..EIGHT / 2 {
        let [one, other] = &pairs[i];
        store2(&mut tags[i], folded_beside(one, other), pads[i]);
    }
}

/// The sums of the lanes of each of two registers, one sum in each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn folded_beside(one: &__m256i, other: &__m256i) -> __m256i {
    _mm256_xor_si256(
        beside(lower(*one), lower(*other)),
        _mm256_permute2x128_si256::<0x31>(*one, *other),
    )
}

/// The hash of a message of 65 to 2048 bytes, unreduced, in two lanes to be added up.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn of_block<const ROUNDS: usize, const SITE: u8>(key: &Key, message: &[u8]) -> Wide {
    let sums = last_block::<ROUNDS, SITE>(key, message, end_of(message));
    plus_length(from_three(sums), key, message.len() as u64)
}

/// The reduced sum of the two lanes.
#[inline]
#[target_feature(enable = "avx2,pclmulqdq")]
fn folded(Wide { low, middle, high }: Wide) -> __m128i {
    pclmul::reduce(pclmul::Wide { low: fold(low), middle: fold(middle), high: fold(high) })
}

/// Levels 1 and 2 of blocks, none of which is the message's last.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
pub(super) fn absorb_lanes<const ROUNDS: usize, const SITE: u8>(
    key: &Key,
    mut y: __m256i,
    blocks: &[[u8; BLOCK]],
) -> __m256i {
    let r = twice(&key.r);
    for (i, block) in blocks.iter().enumerate() {
        // Hidden from the compiler, which would load the whole key before the loop and spill it.
        let k = &black_box(key).k;
        let sums = match block_ahead(blocks, i, AHEAD) {
            Some(ahead) => whole(k, block, |at| prefetch::<GROUP>(&ahead.as_chunks().0[at])),
            None => whole(k, block, |_| ()),
        };
        y = reduce(plus_product(from_three(sums), y, r));
    }
    y
}

/// Level 1 of a whole block. `meanwhile` is called with the number of each group.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn whole(k: &[u8; BLOCK], block: &[u8; BLOCK], meanwhile: impl Fn(usize)) -> Sums {
    let mut sums = [_mm256_setzero_si256(); 3];
    for (i, (group, keys)) in block.as_chunks().0.iter().zip(k.as_chunks().0).enumerate() {
        meanwhile(i);
        add_group(&mut sums, keys, group);
    }
    sums
}

/// The products of a last block of any length, in a message that ends with the block `end`.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn last_block<const ROUNDS: usize, const SITE: u8>(key: &Key, last: &[u8], end: &Block) -> Sums {
    let (groups, rest) = last.as_chunks::<GROUP>();
    let mut keys = key.k.as_chunks::<GROUP>().0.iter();
    let mut sums = [_mm256_setzero_si256(); 3];
    for (group, keys) in groups.iter().zip(&mut keys) {
        add_group(&mut sums, keys, group);
    }
    // No keys are left behind a whole block.
    let Some(keys) = keys.next() else { return sums };
    if let Some((x, y)) = rest.split_first_chunk::<SHORT>() {
        // Zeroes behind the end.
        let key = |i: usize| load(&keys.as_chunks().0[i]);
        for j in 0..2 {
            let x = _mm256_xor_si256(load(&x.as_chunks().0[j]), key(j));
            let y = if y.is_empty() {
                key(2 + j)
            } else {
                _mm256_xor_si256(two_at(rest, SHORT + 32 * j), key(2 + j))
            };
            add(&mut sums, x, y);
        }
        return sums;
    }
    let key = |i: usize| pclmul::load(&keys.as_chunks().0[i]);
    let (whole, few) = rest.as_chunks();
    let mut add = |j: usize, x: __m128i| {
        let (x, y) = (_mm_xor_si128(x, key(j)), key(4 + j));
        let both = of_halves(beside(x, y));
        let numbers = [lower(both), upper(both), pclmul::of_halves(_mm_xor_si128(x, y))];
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum = _mm256_xor_si256(*sum, alone(number));
        }
    };
    for (j, block) in whole.iter().enumerate() {
        add(j, pclmul::load(block));
    }
    if !few.is_empty() {
        add(whole.len(), bytes_from(16 - few.len(), end));
    }
    sums
}

/// The blocks at `at` and behind it, of 16 bytes or more, with zeroes behind their end.
#[inline]
#[target_feature(enable = "avx2")]
fn two_at(bytes: &[u8], at: usize) -> __m256i {
    let ((a, order_of_a), (b, order_of_b)) =
        (block_and_order(bytes, at), block_and_order(bytes, at + 16));
    _mm256_shuffle_epi8(
        beside(pclmul::load(a), pclmul::load(b)),
        beside(pclmul::load(order_of_a), pclmul::load(order_of_b)),
    )
}

/// Adds the products of a group.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn add_group(sums: &mut Sums, keys: &[u8; GROUP], group: &[u8; GROUP]) {
    let sum = |i: usize| {
        let at = |bytes: &[u8; GROUP]| load(&bytes.as_chunks().0[i]);
        _mm256_xor_si256(at(group), at(keys))
    };
    add(sums, sum(0), sum(2));
    add(sums, sum(1), sum(3));
}

/// Adds the products of two pairs, keys added.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn add(sums: &mut Sums, x: __m256i, y: __m256i) {
    for (sum, number) in sums.iter_mut().zip([x, y, _mm256_xor_si256(x, y)]) {
        *sum = _mm256_xor_si256(*sum, of_halves(number));
    }
}

/// The hash of at most 64 bytes, unreduced.
#[derive(Clone, Copy)]
struct Short {
    /// A in the lower lane and C in the upper one, each with a product of the length.
    both: __m256i,
    /// A + B.
    more: __m128i,
    /// B.
    high: __m128i,
}

/// The hash of a message that ends with `last`, at most 64 bytes: one group, whose y are their keys alone.
#[inline]
#[target_feature(enable = "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq")]
fn short<const ROUNDS: usize, const SITE: u8>(key: &Key, last: &[u8], length: u64) -> Short {
    let count = last.len();
    let product =
        |j: usize, x: __m256i| of_halves(_mm256_xor_si256(x, load_keys(&key.of_pairs[j])));
    let whole = |j: usize| product(j, twice(last[16 * j..].first_chunk().expect("a whole block")));
    let end = |j: usize| {
        let block = end_of(last);
        product(j, twice_from(16 * (j + 1) - count, block))
    };
    let plus = |a, b| _mm256_xor_si256(a, b);
    let a_and_c = if count > 48 {
        plus(plus(whole(0), whole(1)), plus(whole(2), end(3)))
    } else if count > 32 {
        plus(plus(whole(0), whole(1)), end(2))
    } else if count > 16 {
        plus(whole(0), end(1))
    } else if count == 16 {
        whole(0)
    } else if count > 0 {
        product(0, _mm256_broadcastsi128_si256(few_bytes(last)))
    } else {
        _mm256_setzero_si256()
    };
    let high = pclmul::load(&key.of_zero[count.div_ceil(16).min(4)]);
    let both = plus(a_and_c, of_length(key, length));
    Short { both, more: _mm_xor_si128(lower(a_and_c), high), high }
}

impl Short {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn joined(self) -> pclmul::Wide {
        let Short { both, more, high } = self;
        pclmul::Wide { low: lower(both), middle: _mm_xor_si128(upper(both), more), high }
    }

    /// Reduces this hash and another one, a lane each.
    #[inline]
    #[target_feature(enable = "avx2,vpclmulqdq")]
    fn reduced_beside(&self, other: &Short) -> __m256i {
        let upper = beside(upper(self.both), upper(other.both));
        reduce(Wide {
            low: beside(lower(self.both), lower(other.both)),
            middle: _mm256_xor_si256(upper, beside(self.more, other.more)),
            high: beside(self.high, other.high),
        })
    }
}

/// The products of the length with the two halves of its key, one in each lane. Out: degree at most 126.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn of_length(key: &Key, length: u64) -> __m256i {
    let length = _mm256_set1_epi64x(length as i64);
    _mm256_clmulepi64_epi128::<0x00>(length, load_keys(&key.halves_of_length))
}

/// Adds the length times its key in the lower lane.
#[inline]
#[target_feature(enable = "avx2,vpclmulqdq")]
fn plus_length(Wide { low, middle, high }: Wide, key: &Key, length: u64) -> Wide {
    let products = of_length(key, length);
    Wide {
        low: _mm256_xor_si256(low, alone(lower(products))),
        middle: _mm256_xor_si256(middle, alone(upper(products))),
        high,
    }
}

/// Y as two partial sums, one in each lane.
#[inline]
#[target_feature(enable = "avx2")]
fn two_lanes(partial: &PartialSums) -> __m256i {
    let (halves, _) = partial.0.as_flattened().as_chunks();
    _mm256_xor_si256(load(&halves[0]), load(&halves[1]))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_keys(keys: &[Block; 2]) -> __m256i {
    load(keys.as_flattened().first_chunk().expect("two blocks"))
}
