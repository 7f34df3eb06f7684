//! Levels 1 and 2 (docs/carter.md) over carry-less products, and whole messages: one body for registers of one, two and
//! four lanes.
//!
//! ```text
//! for each block:  Y = dot(Y, r) xor the sum of dot(a xor ka, b xor kb) over the block's pairs (a, b)
//! tag = Y xor dot(length, kL) xor E(nonce)
//! ```
//!
//! The kernels depart from this (the registers are drawn below):
//!
//! 1. x, y and x xor y take the place of a and b: by Karatsuba's trick, three sums of products stand for all of a block's.
//! 2. Sums of products are reduced once a block.
//! 3. Each lane has pairs of its own, and its own part of Y, since level 2 is linear.
//! 4. Up to 64 bytes, every y is its key alone, and sums of these keys' products come from a table.
//! 5. The pad is encrypted beside the hash.
//!
//! # Registers
//!
//! `|` separates lanes. Level 1 takes a group of 128 bytes, which is eight parts of 16 bytes:
//!
//! ```text
//! x0 x1 x2 x3   y0 y1 y2 y3            each a lower and an upper half of 64 bits
//! ```
//!
//! Level 1 adds the products (x.low + y.low X) (x.high + y.high X), where X is the field's x^64 and each half has its key
//! added. Karatsuba's trick computes each of them from three products of 64 bits. With z = x + y:
//!
//! ```text
//! A = x.low x.high      B = y.low y.high      C = z.low z.high       product = A + X (A + B + C) + X^2 B
//! ```
//!
//! In each product, the two factors are the halves of one 128-bit lane, because x_j and y_j are 64 bytes apart. So nothing
//! is shuffled, and `z` is one xor. A, B and C are summed over the block and combined once.
//!
//! | kernel | pairs side by side | level 2 |
//! |---|---|---|
//! | portable | one; a 64-bit product takes 16 products of numbers that use one bit in four | one accumulator Y |
//! | pclmul, pmull | one, x in one register and y in another | one Y |
//! | vpclmul | two | two lanes of Y |
//! | avx512 | four | four lanes of Y |
//!
//! Level 2 is linear, so each lane has its own Y, and the lanes are added at the end. For a group in 512-bit registers:
//!
//! ```text
//! vmovdqu64 x, [message]      vpxorq x, x, [key]                 the same for y, 64 bytes further on
//! vpxorq    z, x, y
//! vpclmulqdq x, x, x, 1       and y, z                            lower half times upper half
//! vpternlogq A, A, x, x'      x' is the next group's product; B, C in the same way
//! ```
//!
//! On Zen 4 a carry-less product takes two cycles, whatever the register's width. Three products for 128 bytes take six
//! cycles, 0.047 cycles a byte. Level 2 takes six products more for each block of 2048 bytes, which makes 0.053. The xors
//! compete for the same pipes.
//!
//! In a message of at most 64 bytes, each y is zero, so with its key added it is the key itself. B is then the sum of the
//! products of these keys' halves. The prepared key stores that sum for each number of pairs (`of_zero`). vpclmul has x and
//! z of a pair in the two lanes of a register, so one instruction computes A and C. avx512 does not branch on the length:
//! two 256-bit registers have the x of all four pairs, and the kernel subtracts the known contribution of absent pairs
//! (`of_missing`).
//!
//! avx512 hashes eight messages of up to 64 bytes in two groups of four, one pair of each at a time, if all have the same
//! number of pairs. Otherwise each message has registers of its own, and `across` sums the lanes of four, a to d:
//!
//! ```text
//! t = (a0 | a1 | b0 | b1) xor (a2 | a3 | b2 | b3)             u in the same way from c and d
//! a | b | c | d = (t0 | t2 | u0 | u2) xor (t1 | t3 | u1 | u3)
//! ```
//!
//! pclmul has no function for eight messages, because carry-less products are the limit either way.

use crate::key::{BLOCK, GROUP, Key, PartialSums};
use crate::lanes::{Lanes, Pairs, Parts, Single as _};
use core::hint::black_box;
use wegman::cipher::Block;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::buffer::{not_last, short_number, slide};
use wegman::hazmat::pads::Blocks;

/// Bytes of the x of a group: a shorter message has no y but their keys.
pub(crate) const SHORT: usize = 64;

/// More blocks come from memory.
#[cfg(target_arch = "x86_64")]
pub(crate) const FAR: usize = if cfg!(test) { 600 } else { (32 << 20) / BLOCK };

/// Karatsuba's three sums of products.
type Sums<R> = [<R as Lanes>::Register; 3];

/// The registers of a row: what its functions do with them, and where it differs from the others.
pub(crate) trait Registers: Lanes {
    /// The registers for short messages.
    type Pairs: Pairs<One = Self::One, Single = Self::Single>;

    /// How many blocks lie from a block to the one prefetched beside it.
    const PREFETCH: usize = 1;
    /// Whether two groups of a block go through the loop at a time.
    const TWICE: bool = true;
    /// Whether eight messages side by side take less time than one by one.
    const EIGHT: bool = true;
    /// Whether short messages of as many pairs have a kernel of their own.
    const ALIKE: bool = false;
    fn pairs(self) -> Self::Pairs;

    /// Levels 1 and 2 of blocks, none of which is the message's last.
    #[inline(always)]
    fn absorb(self, key: &Key, y: Self::Register, blocks: &[[u8; BLOCK]]) -> Self::Register {
        absorb_blocks(self, key, y, blocks)
    }

    /// The hash, unreduced, of a message of `length` bytes that ends with `last`, at most 64 bytes: one group, whose y are
    /// their keys alone.
    #[inline(always)]
    fn short(self, key: &Key, last: &[u8], length: u64) -> Parts<Self::One> {
        let pairs = self.pairs();
        let (all, more, high) = short_in_turn(pairs, key, last, length);
        let [low, c] = pairs.both(all);
        Parts { low, middle: self.single().xor(c, more), high }
    }

    /// Adds the products of the last group, if it is not whole: its x, 1 to 64 bytes, and its y, the bytes from number `at`
    /// on, if any. An x of fewer than 64 bytes is the end of `bytes`, which are 16 or more.
    #[inline(always)]
    fn rest(
        self,
        sums: Sums<Self>,
        keys: &[u8; GROUP],
        x: &[u8],
        bytes: &[u8],
        at: usize,
    ) -> Sums<Self> {
        rest_in_blocks(self, sums, keys, x, bytes, at)
    }

    /// The hashes of as many messages as there are lanes, of at most 64 bytes each.
    #[inline(always)]
    fn short4(self, key: &Key, messages: &[&[u8]]) -> Self::Register {
        let zero = self.single().zero();
        let (mut low, mut middle, mut high) = ([zero; 4], [zero; 4], [zero; 4]);
        for (i, message) in messages.iter().enumerate() {
            let parts = self.short(key, message, message.len() as u64);
            (low[i], middle[i], high[i]) = (parts.low, parts.middle, parts.high);
        }
        let [low, middle, high] = [self.join(&low), self.join(&middle), self.join(&high)];
        self.reduce(Parts { low, middle, high })
    }

    /// The same of messages of as many pairs, 1 to 4.
    #[inline(always)]
    fn alike4(self, key: &Key, messages: &[&[u8]], _: (usize, usize)) -> Self::Register {
        self.short4(key, messages)
    }
}

#[inline(always)]
pub(crate) fn absorb(
    isa: impl Registers,
    key: &Key,
    partial: &mut PartialSums,
    blocks: &[[u8; BLOCK]],
) {
    let y = isa.absorb(key, y_of(isa, partial), blocks);
    *partial = PartialSums::ZERO;
    isa.store(&mut partial.0, y);
}

#[inline(always)]
pub(crate) fn finish(
    isa: impl Registers,
    key: &Key,
    partial: &PartialSums,
    last: &[u8],
    length: u64,
) -> u128 {
    let level_1 = level_1_of_end(isa, key, last, length);
    let parts = isa.plus_product(level_1, y_of(isa, partial), isa.spread(&key.r));
    isa.single().number(hash(isa, parts))
}

#[inline(always)]
pub(crate) fn tag_of_short<R: Registers, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    block: u128,
    message: &[u8],
    tag: &mut Block,
) {
    let (single, length) = (isa.single(), message.len() as u64);
    let modulus = single.spread(&key.modulus);
    let (pad, hash) = if R::WIDTH == 4 {
        // No branch waits for the length, and the pad takes longer than the hash.
        let pad = black_box(single.pad::<ROUNDS>(&key.rounds, block));
        (pad, single.reduce_by(modulus, isa.short(key, message, length)))
    } else {
        let hash = single.reduce_by(modulus, isa.short(key, message, length));
        (single.pad::<ROUNDS>(&key.rounds, block), hash)
    };
    single.store(core::slice::from_mut(tag), single.xor(pad, hash));
}

/// The tag of a message of more than 64 bytes: its first ones, and the rest, which may lie elsewhere. If `MORE`, it has more
/// than a block.
#[inline(always)]
pub(crate) fn tag_of_long<R: Registers, const ROUNDS: usize, const MORE: bool>(
    isa: R,
    key: &Key,
    block: u128,
    head: &[u8; SHORT],
    rest: &[u8],
    tag: &mut Block,
) {
    let (single, length) = (isa.single(), (SHORT + rest.len()) as u64);
    // The pad first: it is ready before the products are.
    let mut pad = single.pad::<ROUNDS>(&key.rounds, block);
    if MORE || R::WIDTH < 4 {
        pad = black_box(pad);
    }
    let parts = if MORE {
        let (first, more) = rest.split_at(BLOCK - SHORT);
        let (blocks, last) = not_last(more);
        let y = isa.reduce(level_1_after(isa, key, head, first));
        let y = isa.absorb(key, y, blocks);
        let from = rest.len() - last.len();
        let parts = level_1(isa, [isa.zero(); 3], key.k.as_chunks().0, rest, from);
        isa.plus_product(parts, y, isa.spread(&key.r))
    } else {
        level_1_after(isa, key, head, rest)
    };
    let parts = plus_length(isa, key, parts, length);
    single.store(core::slice::from_mut(tag), single.xor(pad, hash(isa, parts)));
}

/// Eight messages of at most 2048 bytes.
pub(crate) const ANY: u8 = 0;
/// Of at most 64 bytes.
pub(crate) const FEW: u8 = 1;
/// Of at most 64 bytes, and as many pairs.
pub(crate) const ALIKE: u8 = 2;

/// The tags of eight messages of a kind. `range` is the lengths of the shortest and of the longest if they are alike.
#[inline(always)]
pub(crate) fn tag8<R: Registers, const ROUNDS: usize, const KIND: u8>(
    isa: R,
    key: &Key,
    messages: &[&[u8]; EIGHT],
    range: (usize, usize),
    blocks: &Blocks,
    tags: &mut [Block; EIGHT],
) {
    let pads = black_box(isa.pads8::<ROUNDS>(&key.rounds, blocks));
    let mut lanes = [isa.zero(); EIGHT];
    if KIND == ANY {
        for (lanes, message) in lanes.iter_mut().zip(messages) {
            let parts = level_1_of_end(isa, black_box(key), message, message.len() as u64);
            *lanes = isa.reduce(parts);
        }
    }
    for (i, pads) in pads.as_ref().iter().enumerate() {
        // Hidden from the compiler, which would load keys before the loop and spill them.
        let key = black_box(key);
        let places = R::WIDTH * i..R::WIDTH * (i + 1);
        let messages = &messages[places.clone()];
        let hashes = match KIND {
            ANY => isa.across(&lanes[places.clone()]),
            ALIKE => isa.alike4(key, messages, range),
            _ => isa.short4(key, messages),
        };
        isa.store(&mut tags[places], isa.xor(hashes, *pads));
    }
}

/// Y in the lanes.
#[inline(always)]
fn y_of<R: Registers>(isa: R, partial: &PartialSums) -> R::Register {
    let parts = partial.0.chunks_exact(R::WIDTH);
    parts.fold(isa.zero(), |y, part| isa.xor(y, isa.load(part.as_flattened())))
}

/// The reduced sum of all lanes.
#[inline(always)]
fn hash<R: Registers>(isa: R, parts: Parts<R::Register>) -> R::One {
    // Three sums take longer in four lanes than the reduction of all.
    if R::WIDTH == 4 {
        isa.sum_of_lanes(isa.reduce(parts))
    } else {
        let (low, middle) = (isa.sum_of_lanes(parts.low), isa.sum_of_lanes(parts.middle));
        isa.single().reduce(Parts { low, middle, high: isa.sum_of_lanes(parts.high) })
    }
}

/// Levels 1 and 2 of blocks.
#[inline(always)]
pub(crate) fn absorb_blocks<R: Registers>(
    isa: R,
    key: &Key,
    mut y: R::Register,
    blocks: &[[u8; BLOCK]],
) -> R::Register {
    let (r, zero) = (isa.spread(&key.r), [isa.zero(); 3]);
    for (i, block) in blocks.iter().enumerate() {
        // Hidden from the compiler, which would load keys before the loop and spill them.
        let (keys, _) = black_box(key).k.as_chunks();
        let (groups, _) = block.as_chunks();
        let sums = match block_to_prefetch(blocks, i, R::PREFETCH) {
            Some(later) => whole::<R, true>(isa, zero, keys, groups, later.as_chunks().0),
            None => whole::<R, false>(isa, zero, keys, groups, groups),
        };
        y = isa.reduce(isa.plus_product(isa.of_three(sums), y, r));
    }
    y
}

/// Adds the products of whole groups.
#[inline(always)]
fn whole<R: Registers, const PREFETCH: bool>(
    isa: R,
    mut sums: Sums<R>,
    keys: &[[u8; GROUP]],
    groups: &[[u8; GROUP]],
    later: &[[u8; GROUP]],
) -> Sums<R> {
    let each = if R::TWICE { 2 } else { 1 };
    let (twice, left) = groups.split_at(groups.len() / each * each);
    let parts = twice.chunks_exact(each).zip(keys.chunks_exact(each));
    for (i, (groups, keys)) in parts.enumerate() {
        if PREFETCH {
            for line in later[each * i..][..each].as_flattened().as_chunks().0 {
                isa.prefetch(line);
            }
        }
        for (group, keys) in groups.iter().zip(keys) {
            let (x, y) = group.split_at(SHORT);
            sums = plus_group::<R, false>(isa, sums, keys, x, y, 0);
        }
    }
    if let [group] = left {
        let (x, y) = group.split_at(SHORT);
        sums = plus_group::<R, false>(isa, sums, &keys[twice.len()], x, y, 0);
    }
    sums
}

/// The hash, unreduced, of a message of `length` bytes, any number, that ends with `last`, its last block.
#[inline(always)]
fn level_1_of_end<R: Registers>(isa: R, key: &Key, last: &[u8], length: u64) -> Parts<R::Register> {
    if last.len() > SHORT {
        let parts = level_1(isa, [isa.zero(); 3], key.k.as_chunks().0, last, 0);
        return plus_length(isa, key, parts, length);
    }
    let Parts { low, middle, high } = isa.short(key, last, length);
    Parts { low: isa.alone(low), middle: isa.alone(middle), high: isa.alone(high) }
}

/// Level 1, unreduced, of a block of more than 64 bytes: its first ones, and the rest.
#[inline(always)]
fn level_1_after<R: Registers>(
    isa: R,
    key: &Key,
    head: &[u8; SHORT],
    rest: &[u8],
) -> Parts<R::Register> {
    let (keys, zero) = (key.k.as_chunks().0, [isa.zero(); 3]);
    if rest.len() < SHORT {
        return isa.of_three(isa.rest(zero, &keys[0], head, rest, 0));
    }
    let sums = plus_group::<R, false>(isa, zero, &keys[0], head, rest, 0);
    // An even number of groups is left of a whole block, for the loop that takes two.
    if R::TWICE && rest.len() >= SHORT + GROUP {
        let (x, y) = (&rest[SHORT..], &rest[2 * SHORT..]);
        let sums = plus_group::<R, false>(isa, sums, &keys[1], x, y, 0);
        return level_1(isa, sums, &keys[2..], rest, SHORT + GROUP);
    }
    level_1(isa, sums, &keys[1..], rest, SHORT)
}

/// Level 1, unreduced, of groups from byte `from` on, the last one perhaps not whole, behind others with these sums. The
/// bytes before are for a short end, whose load begins in them.
#[inline(always)]
fn level_1<R: Registers>(
    isa: R,
    sums: Sums<R>,
    keys: &[[u8; GROUP]],
    bytes: &[u8],
    from: usize,
) -> Parts<R::Register> {
    let (groups, rest) = bytes[from..].as_chunks();
    let mut sums = whole::<R, false>(isa, sums, keys, groups, groups);
    // No keys are left behind a whole block.
    if !rest.is_empty() {
        let (x, at) = (&rest[..rest.len().min(SHORT)], bytes.len() - rest.len() + SHORT);
        sums = isa.rest(sums, &keys[groups.len()], x, bytes, at);
    }
    isa.of_three(sums)
}

/// Adds the product of a message's length.
#[inline(always)]
fn plus_length<R: Registers>(
    isa: R,
    key: &Key,
    Parts { low, middle, high }: Parts<R::Register>,
    length: u64,
) -> Parts<R::Register> {
    let pairs = isa.pairs();
    let [of_low, of_high] = pairs.both(pairs.of_word(length, &key.halves_of_length));
    Parts {
        low: isa.xor(low, isa.alone(of_low)),
        middle: isa.xor(middle, isa.alone(of_high)),
        high,
    }
}

/// Adds the products of a group: its x, and its y, the bytes from number `at` on. `END` says that y may end early.
#[inline(always)]
fn plus_group<R: Registers, const END: bool>(
    isa: R,
    mut sums: Sums<R>,
    keys: &[u8; GROUP],
    x: &[u8],
    bytes: &[u8],
    at: usize,
) -> Sums<R> {
    let (of_x, of_y) = keys.split_at(SHORT);
    let x = |i| keyed(isa, x, of_x, i);
    let y = |i| if END { keyed_end(isa, bytes, at, of_y, i) } else { keyed(isa, bytes, of_y, i) };
    if R::WIDTH > 1 {
        for i in 0..4 / R::WIDTH {
            sums = plus_pair(isa, sums, x(i), y(i));
        }
        return sums;
    }
    for i in [0, 2] {
        sums = plus_pairs(isa, sums, [x(i), x(i + 1)], [y(i), y(i + 1)]);
    }
    sums
}

/// Register number `i` of these bytes, with the keys.
#[inline(always)]
fn keyed<R: Registers>(isa: R, bytes: &[u8], keys: &[u8], i: usize) -> R::Register {
    let at = 16 * R::WIDTH * i;
    isa.xor(isa.load(&bytes[at..]), isa.load(&keys[at..]))
}

/// Adds the products of a register of pairs, keys added.
#[inline(always)]
pub(crate) fn plus_pair<R: Registers>(
    isa: R,
    [a, b, c]: Sums<R>,
    x: R::Register,
    y: R::Register,
) -> Sums<R> {
    let z = isa.of_halves(isa.xor(x, y));
    [isa.xor(a, isa.of_halves(x)), isa.xor(b, isa.of_halves(y)), isa.xor(c, z)]
}

/// The same of two registers.
#[inline(always)]
fn plus_pairs<R: Registers>(
    isa: R,
    [a, b, c]: Sums<R>,
    x: [R::Register; 2],
    y: [R::Register; 2],
) -> Sums<R> {
    let (x, y) = (isa.apart(x), isa.apart(y));
    let z = isa.of_two([isa.xor(x[0], y[0]), isa.xor(x[1], y[1])]);
    [isa.xor(a, isa.of_two(x)), isa.xor(b, isa.of_two(y)), isa.xor(c, z)]
}

#[inline(always)]
fn rest_in_blocks<R: Registers>(
    isa: R,
    mut sums: Sums<R>,
    keys: &[u8; GROUP],
    x: &[u8],
    bytes: &[u8],
    at: usize,
) -> Sums<R> {
    if x.len() == SHORT {
        return plus_group::<R, true>(isa, sums, keys, x, bytes, at);
    }
    let (single, (keys, _)) = (isa.single(), keys.as_chunks::<16>());
    let (whole, few) = x.as_chunks();
    for (j, block) in whole.iter().enumerate() {
        sums = plus_one(isa, sums, single.spread(block), [&keys[j], &keys[4 + j]]);
    }
    if !few.is_empty() {
        let (j, order) = (whole.len(), slide(16 - few.len()));
        let x = single.shuffle(single.spread(end_of(bytes)), single.spread(order));
        sums = plus_one(isa, sums, x, [&keys[j], &keys[4 + j]]);
    }
    sums
}

/// Register number `i` of the bytes from number `at` on and zeroes behind them, with the keys.
#[inline(always)]
fn keyed_end<R: Registers>(isa: R, bytes: &[u8], at: usize, keys: &[u8], i: usize) -> R::Register {
    let (single, from) = (isa.single(), 16 * R::WIDTH * i);
    let keys = isa.load(&keys[from..]);
    if at >= bytes.len() || (bytes.len() < 16 && i > 0) {
        return keys;
    }
    if bytes.len() < 16 {
        let number = short_number(bytes);
        let first = single.halves(number as u64, (number >> 64) as u64);
        return isa.xor(isa.alone(first), keys);
    }
    let (mut blocks, mut orders) = ([single.zero(); 4], [single.zero(); 4]);
    for j in 0..R::WIDTH {
        let (block, order) = block_and_order(bytes, at + from + 16 * j);
        (blocks[j], orders[j]) = (single.spread(block), single.spread(order));
    }
    isa.xor(isa.shuffle(isa.join(&blocks), isa.join(&orders)), keys)
}

/// Adds the products of a pair whose y is its key alone.
#[inline(always)]
fn plus_one<R: Registers>(
    isa: R,
    [a, b, c]: Sums<R>,
    x: R::One,
    [of_x, of_y]: [&Block; 2],
) -> Sums<R> {
    let single = isa.single();
    let (x, y) = (single.xor(x, single.spread(of_x)), single.spread(of_y));
    let [x, y, z] = [single.of_halves(x), single.of_halves(y), single.of_halves(single.xor(x, y))];
    [isa.xor(a, isa.alone(x)), isa.xor(b, isa.alone(y)), isa.xor(c, isa.alone(z))]
}

/// The hash of at most 64 bytes: A and C, each with a product of the length; A + B; B.
#[inline(always)]
pub(crate) fn short_in_turn<P: Pairs>(
    isa: P,
    key: &Key,
    last: &[u8],
    length: u64,
) -> (P::Both, P::One, P::One) {
    let count = last.len();
    let sums = if count > 48 {
        let two = isa.plus(whole_part(isa, key, last, 0), whole_part(isa, key, last, 1));
        isa.plus(two, isa.plus(whole_part(isa, key, last, 2), last_part(isa, key, last, 3)))
    } else if count > 32 {
        let two = isa.plus(whole_part(isa, key, last, 0), whole_part(isa, key, last, 1));
        isa.plus(two, last_part(isa, key, last, 2))
    } else if count > 16 {
        isa.plus(whole_part(isa, key, last, 0), last_part(isa, key, last, 1))
    } else if count == 16 {
        whole_part(isa, key, last, 0)
    } else if count > 0 {
        isa.with_two(isa.part_of(short_number(last)), &key.of_pairs[0])
    } else {
        isa.nothing()
    };
    let single = isa.single();
    let b = single.spread(&key.of_zero[count.div_ceil(16).min(4)]);
    let all = isa.plus(sums, isa.of_word(length, &key.halves_of_length));
    let [a, _] = isa.both(sums);
    (all, single.xor(a, b), b)
}

/// The products of part `j`.
#[inline(always)]
fn whole_part<P: Pairs>(isa: P, key: &Key, last: &[u8], j: usize) -> P::Both {
    let block = last[16 * j..].first_chunk().expect("a whole block");
    isa.with_two(isa.part(block), &key.of_pairs[j])
}

/// The products of the last part, number `j`, behind another.
#[inline(always)]
fn last_part<P: Pairs>(isa: P, key: &Key, last: &[u8], j: usize) -> P::Both {
    let part = isa.part_from(16 * (j + 1) - last.len(), end_of(last));
    isa.with_two(part, &key.of_pairs[j])
}

/// Where to load the block at `at` of 16 bytes or more that may end in it or before it, and the order that moves it to its
/// place.
///
/// # Panics
/// If there are fewer than 16 bytes.
#[inline(always)] // as part of the kernels
#[allow(unsafe_code)]
pub(crate) fn block_and_order(bytes: &[u8], at: usize) -> (&Block, &'static Block) {
    assert!(bytes.len() >= 16, "16 bytes or more");
    let from = at.min(bytes.len() - 16);
    // SAFETY: `from` has 16 bytes behind it, by the two lines above.
    let block = unsafe { &*bytes.as_ptr().add(from).cast() };
    (block, slide((at - from).min(16)))
}

/// The last 16 bytes.
///
/// # Panics
/// If there are fewer.
#[inline(always)]
pub(crate) fn end_of(bytes: &[u8]) -> &Block {
    // Not `last_chunk`: the compiler would ask whether there is an address 0 in it.
    block_and_order(bytes, bytes.len()).0
}

/// The block `distance` blocks behind block number `i`, to be prefetched, in a message too long for a core's own caches.
#[inline(always)]
pub(crate) fn block_to_prefetch<const N: usize>(
    blocks: &[[u8; N]],
    i: usize,
    distance: usize,
) -> Option<&[u8; N]> {
    if blocks.len() > LONG / N { blocks.get(i + distance) } else { None }
}

/// Longer messages do not fit in a core's own caches.
const LONG: usize = 1 << 20;
