//! POLYVAL (RFC 8452, section 3) over carry-less products: one body for registers of one, two and four lanes.
//!
//! ```text
//! each chunk       Y = (Y + X_0) H^64 + X_1 H^63 + ... + X_63 H
//! the last blocks  (Y + X_0) H^(n+1) + ... + X_(n-1) H^2 + length H
//! ```
//!
//! The kernels depart from this:
//!
//! 1. Blocks are taken in groups of eight, X0 X1 X2 X3 and their partners W0 W1 W2 W3. Each lane has one X and its W.
//! 2. Karatsuba's method adds up three sums of products. The sums of halves of an X and its W share a register that holds
//!    no half of anything else: (X.low + X.high, W.low + W.high).
//! 3. The lanes of a chunk are reduced, then added up, and then added to the first block of the next chunk.
//! 4. The group of that block is multiplied last, so the other groups do not wait for it.
//!
//! # Registers
//!
//! `|` separates lanes of 128 bits. A group has 128 bytes; the key has its powers of H, P for each X and Q for each W, in
//! the same places:
//!
//! ```text
//! group      X0 X1 X2 X3   W0 W1 W2 W3
//! avx512     X0 | X1 | X2 | X3     W0 | W1 | W2 | W3                     `plus` once
//! vpclmul    X0 | X1               W0 | W1                               then X2 | X3 and W2 | W3
//! one lane   X0                    W0                                    then X1 and W1, ...
//! ```
//!
//! Y is added to X0 of the first group. In each lane, where L and U are the lower and the upper half:
//!
//! ```text
//! low       + X.L P.L + W.L Q.L
//! high      + X.U P.U + W.U Q.U
//! halves    X.L + X.U , W.L + W.U                                        the key has those of P and Q
//! crossed   + (X.L + X.U) (P.L + P.U) + (W.L + W.U) (Q.L + Q.U)
//! the sum   low + x^64 (low + high + crossed) + x^128 high               reduced, then the lanes are added
//! ```

use super::{CHUNK, GROUP, Key, MOST, Powers};
use core::hint::black_box;
use wegman_carter::hazmat::lanes::{Lanes, Parts, Single as _};

/// How many chunks before its turn a chunk is prefetched, for messages too long for the caches.
const PREFETCH: usize = 4;

/// The three sums of products of Karatsuba's method.
type Sums<L> = [<L as Lanes>::Register; 3];

#[inline(always)]
pub(super) fn absorb<L: Lanes>(isa: L, key: &Key, y: &mut u128, chunks: &[[u8; CHUNK]]) {
    let single = isa.single();
    let sum = absorb_chunks(isa, key, single.load(&y.to_le_bytes()), chunks);
    *y = single.number(sum);
}

#[inline(always)]
pub(super) fn finish<L: Lanes>(isa: L, key: &Key, y: u128, last: &[u8], bits: u64) -> u128 {
    let single = isa.single();
    let y = isa.alone(single.load(&y.to_le_bytes()));
    single.number(finish_from(isa, key, y, last, bits))
}

/// Y after chunks, none of which is the message's last.
#[inline(always)]
pub(super) fn absorb_chunks<L: Lanes>(
    isa: L,
    key: &Key,
    mut y: L::One,
    chunks: &[[u8; CHUNK]],
) -> L::One {
    for (i, chunk) in chunks.iter().enumerate() {
        // Hidden from the compiler, which would load the whole key before the loop and spill it.
        let key = black_box(key);
        let in_lanes = isa.alone(y);
        let sums = match chunks.get(i + PREFETCH) {
            Some(later) if chunks.len() > 1024 => {
                whole::<L, true>(isa, key, in_lanes, chunk, later)
            }
            _ => whole::<L, false>(isa, key, in_lanes, chunk, chunk),
        };
        y = isa.sum_of_lanes(isa.reduce(isa.of_three(sums)));
    }
    y
}

/// The products of a whole chunk.
#[inline(always)]
fn whole<L: Lanes, const PREFETCH: bool>(
    isa: L,
    key: &Key,
    y: L::Register,
    chunk: &[u8; CHUNK],
    later: &[u8; CHUNK],
) -> Sums<L> {
    let mut sums = [isa.zero(); 3];
    let mut groups = chunk.as_chunks().0.iter().zip(key.powers_from(MOST));
    if PREFETCH {
        for line in later.as_chunks().0 {
            isa.prefetch(line);
        }
    }
    let first = groups.next();
    for (group, powers) in groups {
        sums = plus_group(isa, sums, isa.zero(), group, &powers);
    }
    if let Some((group, powers)) = first {
        sums = plus_group(isa, sums, y, group, &powers);
    }
    sums
}

/// The hash of a message, given its last chunk.
#[inline(always)]
pub(super) fn finish_from<L: Lanes>(
    isa: L,
    key: &Key,
    mut y: L::Register,
    last: &[u8],
    bits: u64,
) -> L::One {
    let mut sums = [isa.zero(); 3];
    let mut powers = key.powers_from(last.len().div_ceil(16) + 1);
    let (groups, rest) = last.as_chunks();
    for (group, powers) in groups.iter().zip(&mut powers) {
        sums = plus_group(isa, sums, y, group, &powers);
        y = isa.zero();
    }
    if !rest.is_empty()
        && let Some(powers) = powers.next()
    {
        if L::WIDTH == 4 {
            let (x, w) = rest.split_at(rest.len().min(GROUP / 2));
            let x = isa.xor(isa.load_some(x), y);
            sums = plus(isa, sums, x, isa.load_some(w), &powers, 0);
        } else {
            let mut group = [0; GROUP];
            group[..rest.len()].copy_from_slice(rest);
            sums = plus_group(isa, sums, y, &group, &powers);
        }
    }
    let parts = plus_length(isa, key, isa.of_three(sums), bits);
    isa.sum_of_lanes(isa.reduce(parts))
}

/// Adds the length block times H to the lowest lane. The lower half of that block is zero.
#[inline(always)]
pub(super) fn plus_length<L: Lanes>(
    isa: L,
    key: &Key,
    Parts { low, middle, high }: Parts<L::Register>,
    bits: u64,
) -> Parts<L::Register> {
    let single = isa.single();
    let (length, h) = (single.halves(bits, bits), single.spread(key.h()));
    Parts {
        low,
        middle: isa.xor(middle, isa.alone(single.lower(length, h))),
        high: isa.xor(high, isa.alone(single.upper(length, h))),
    }
}

/// Adds the products of a group, with `y` added to its first blocks.
#[inline(always)]
fn plus_group<L: Lanes>(
    isa: L,
    mut sums: Sums<L>,
    y: L::Register,
    group: &[u8; GROUP],
    powers: &Powers,
) -> Sums<L> {
    let (first, second) = group.split_at(GROUP / 2);
    for j in 0..4 / L::WIDTH {
        let at = 16 * L::WIDTH * j;
        let (mut x, w) = (isa.load(&first[at..]), isa.load(&second[at..]));
        if j == 0 {
            x = isa.xor(x, y);
        }
        sums = plus(isa, sums, x, w, powers, at);
    }
    sums
}

/// Adds the products of the blocks of a group from byte `at` on and of their partners.
#[inline(always)]
fn plus<L: Lanes>(
    isa: L,
    [low, high, crossed]: Sums<L>,
    x: L::Register,
    w: L::Register,
    powers: &Powers,
    at: usize,
) -> Sums<L> {
    let (of_x, of_w) = powers.powers.split_at(GROUP / 2);
    let (of_x, of_w) = (isa.load(&of_x[at..]), isa.load(&of_w[at..]));
    let (halves, of_halves) = (isa.sums_of_halves(x, w), isa.load(&powers.sums[at..]));
    let of_low = isa.xor(isa.lower(x, of_x), isa.lower(w, of_w));
    let of_high = isa.xor(isa.upper(x, of_x), isa.upper(w, of_w));
    let both = isa.xor(isa.lower(halves, of_halves), isa.upper(halves, of_halves));
    [isa.xor(low, of_low), isa.xor(high, of_high), isa.xor(crossed, both)]
}
