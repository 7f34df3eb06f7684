//! Levels 1 and 2 in 128-bit registers of x86 (row `pclmul`) or ARMv8 (row `pmull`): each pair in two registers.
//!
//! A number `SITE` differs from caller to caller: each has a copy of the function of its own, which becomes a part of it.
//! Across calls, vectors would go through memory.

use super::{Ahead, BLOCK, GROUP, Key, PartialSums, SHORT};
use crate::field::clmul::{
    Register, Wide, from_three, load, number, of_halves, of_word, plus_pairs, plus_product, reduce,
    reduce_by, xor, zero,
};
use crate::rows::clmul::{
    block_at, bytes_from, pad, prefetch, spread, spread_few, spread_from, store, with_two,
};
use crate::rows::{PacketKernels, Tag8, block_ahead, end_of};
use core::hint::black_box;
use wegman::Tag;
use wegman::cipher::Block;
use wegman::hazmat::buffer::not_last;

/// Karatsuba's three sums of products.
type Sums = [Register; 3];

/// How many blocks ahead the kernel prefetches. A block takes as long here as memory does.
const AHEAD: usize = 1;

// Callers, each with copies of its own.
const STREAM: u8 = 0;
const ONE: u8 = 1;
const MORE: u8 = 2;
#[cfg_attr(target_arch = "x86_64", allow(dead_code))]
pub(super) const EACH_OF_8: u8 = 3;

pub(super) const fn kernels<const ROUNDS: usize>(
    tag8: Option<(Tag8<Key>, usize)>,
) -> PacketKernels<Key> {
    PacketKernels { tag: tag::<ROUNDS>, tag8, ahead: Ahead { tag: tag::<0>, encrypt: None } }
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
pub(super) fn absorb(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]) {
    *partial = PartialSums::from(number(absorb_blocks::<0, STREAM>(key, sum(partial), blocks)));
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
pub(super) fn finish(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128 {
    let level_1 = of_block::<0, STREAM>(key, last, length);
    number(reduce(plus_product(level_1, sum(partial), load(&key.r))))
}

#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tag<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    if message.len() <= SHORT {
        let short = short::<ROUNDS, ONE>(key, message, message.len() as u64);
        let hash = reduce_by(load(&key.modulus), short);
        store(tag, xor(pad::<ROUNDS>(key, block), hash));
    } else if message.len() <= BLOCK {
        tag_of_block::<ROUNDS>(key, block, message, tag);
    } else {
        tag_of_blocks::<ROUNDS>(key, block, message, tag);
    }
}

/// The hash, unreduced, of a message of `length` bytes that ends with `last`, its last block.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
pub(super) fn of_block<const ROUNDS: usize, const SITE: u8>(
    key: &Key,
    last: &[u8],
    length: u64,
) -> Wide {
    if last.len() > SHORT {
        let sums = last_block::<ROUNDS, SITE>(key, last, end_of(last));
        plus_length(from_three(sums), key, length)
    } else {
        short::<ROUNDS, SITE>(key, last, length)
    }
}

#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tag_of_block<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    // The pad first: it is ready before the products are.
    let pad = black_box(pad::<ROUNDS>(key, block));
    let sums = last_block::<ROUNDS, ONE>(key, message, end_of(message));
    let wide = plus_length(from_three(sums), key, message.len() as u64);
    store(tag, xor(pad, reduce(wide)));
}

#[inline(never)]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn tag_of_blocks<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Tag<16>) {
    let pad = black_box(pad::<ROUNDS>(key, block));
    let (blocks, last) = not_last(message);
    let y = absorb_blocks::<ROUNDS, ONE>(key, zero(), blocks);
    let sums = last_block::<ROUNDS, MORE>(key, last, end_of(message));
    let wide = plus_length(from_three(sums), key, message.len() as u64);
    store(tag, xor(pad, reduce(plus_product(wide, y, load(&key.r)))));
}

/// Levels 1 and 2 of blocks, none of which is the message's last.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn absorb_blocks<const ROUNDS: usize, const SITE: u8>(
    key: &Key,
    mut y: Register,
    blocks: &[[u8; BLOCK]],
) -> Register {
    let r = load(&key.r);
    for (i, block) in blocks.iter().enumerate() {
        // Hidden from the compiler, which would load keys before the loop and spill them.
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
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn whole(k: &[u8; BLOCK], block: &[u8; BLOCK], meanwhile: impl Fn(usize)) -> Sums {
    let mut sums = [zero(); 3];
    for (i, (group, keys)) in block.as_chunks().0.iter().zip(k.as_chunks().0).enumerate() {
        meanwhile(i);
        add_group(&mut sums, keys, group);
    }
    sums
}

/// The products of a last block of any length, in a message that ends with the block `end`.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,aes,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn last_block<const ROUNDS: usize, const SITE: u8>(key: &Key, last: &[u8], end: &Block) -> Sums {
    let (groups, rest) = last.as_chunks::<GROUP>();
    let mut keys = key.k.as_chunks::<GROUP>().0.iter();
    let mut sums = [zero(); 3];
    for (group, keys) in groups.iter().zip(&mut keys) {
        add_group(&mut sums, keys, group);
    }
    // No keys are left behind a whole block.
    let Some(keys) = keys.next() else { return sums };
    let key = |i: usize| load(&keys.as_chunks().0[i]);
    if rest.len() >= SHORT {
        // Zeroes behind the end.
        let at = |i: usize| xor(block_at(rest, 16 * i), key(i));
        for j in [0, 2] {
            sums = plus_pairs(sums, [at(j), at(j + 1)], [at(4 + j), at(5 + j)]);
        }
        return sums;
    }
    let (whole, few) = rest.as_chunks();
    let mut add = |j: usize, x: Register| {
        let (x, y) = (xor(x, key(j)), key(4 + j));
        for (sum, number) in sums.iter_mut().zip([x, y, xor(x, y)]) {
            *sum = xor(*sum, of_halves(number));
        }
    };
    for (j, block) in whole.iter().enumerate() {
        add(j, load(block));
    }
    if !few.is_empty() {
        add(whole.len(), bytes_from(16 - few.len(), end));
    }
    sums
}

/// Adds the products of a group.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn add_group(sums: &mut Sums, keys: &[u8; GROUP], group: &[u8; GROUP]) {
    let sum = |i: usize| {
        let at = |bytes: &[u8; GROUP]| load(&bytes.as_chunks().0[i]);
        xor(at(group), at(keys))
    };
    for j in [0, 2] {
        *sums = plus_pairs(*sums, [sum(j), sum(j + 1)], [sum(4 + j), sum(5 + j)]);
    }
}

/// The hash, unreduced, of a message that ends with `last`, at most 64 bytes: one group, whose y are their keys alone.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,ssse3,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn short<const ROUNDS: usize, const SITE: u8>(key: &Key, last: &[u8], length: u64) -> Wide {
    let count = last.len();
    let whole = |j: usize| {
        let block = last[16 * j..].first_chunk().expect("a whole block");
        with_two(spread(block), &key.of_pairs[j])
    };
    let end = |j: usize| {
        let block = end_of(last);
        with_two(spread_from(16 * (j + 1) - count, block), &key.of_pairs[j])
    };
    let plus = |[a, c]: [Register; 2], [d, f]: [Register; 2]| [xor(a, d), xor(c, f)];
    let [a, c] = if count > 48 {
        plus(plus(whole(0), whole(1)), plus(whole(2), end(3)))
    } else if count > 32 {
        plus(plus(whole(0), whole(1)), end(2))
    } else if count > 16 {
        plus(whole(0), end(1))
    } else if count == 16 {
        whole(0)
    } else if count > 0 {
        with_two(spread_few(last), &key.of_pairs[0])
    } else {
        [zero(); 2]
    };
    let b = load(&key.of_zero[count.div_ceil(16).min(4)]);
    plus_length(from_three([a, b, c]), key, length)
}

/// Adds the length times its key.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
fn plus_length(Wide { low, middle, high }: Wide, key: &Key, length: u64) -> Wide {
    let [of_low, of_high] = of_word(length, load(&key.length));
    Wide { low: xor(low, of_low), middle: xor(middle, of_high), high }
}

/// Y itself.
#[inline]
#[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2"))]
#[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon"))]
fn sum(PartialSums([a, b, c, d]): &PartialSums) -> Register {
    xor(xor(load(a), load(b)), xor(load(c), load(d)))
}
