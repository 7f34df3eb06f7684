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

use super::{CHUNK, GROUP, Key, MOST, Powers};
use core::hint::black_box;
use wegman_carter::hazmat::lanes::{Lanes, Parts, Single as _};

/// How many chunks before its turn a chunk is prefetched, for messages too long for the caches.
const PREFETCH: usize = 4;

/// The three sums of products of Karatsuba's method.
type Sums<L> = [<L as Lanes>::Register; 3];

#[inline(always)]
pub(super) fn absorb<L: Lanes>(lanes: L, key: &Key, y: &mut u128, chunks: &[[u8; CHUNK]]) {
    let single = lanes.single();
    let sum = absorb_chunks(lanes, key, single.load(&y.to_le_bytes()), chunks);
    *y = single.number(sum);
}

#[inline(always)]
pub(super) fn finish<L: Lanes>(lanes: L, key: &Key, y: u128, last: &[u8], bits: u64) -> u128 {
    let single = lanes.single();
    let y = lanes.alone(single.load(&y.to_le_bytes()));
    single.number(finish_from(lanes, key, y, last, bits))
}

/// Y after chunks, none of which is the message's last.
#[inline(always)]
pub(super) fn absorb_chunks<L: Lanes>(
    lanes: L,
    key: &Key,
    mut y: L::One,
    chunks: &[[u8; CHUNK]],
) -> L::One {
    for (i, chunk) in chunks.iter().enumerate() {
        // Hidden from the compiler, which would load the whole key before the loop and spill it.
        let key = black_box(key);
        let in_lanes = lanes.alone(y);
        let sums = match chunks.get(i + PREFETCH) {
            Some(later) if chunks.len() > 1024 => {
                whole::<L, true>(lanes, key, in_lanes, chunk, later)
            }
            _ => whole::<L, false>(lanes, key, in_lanes, chunk, chunk),
        };
        y = lanes.folded(lanes.reduce(lanes.of_three(sums)));
    }
    y
}

/// The products of a whole chunk.
#[inline(always)]
fn whole<L: Lanes, const PREFETCH: bool>(
    lanes: L,
    key: &Key,
    y: L::Register,
    chunk: &[u8; CHUNK],
    later: &[u8; CHUNK],
) -> Sums<L> {
    let mut sums = [lanes.zero(); 3];
    let mut groups = chunk.as_chunks().0.iter().zip(key.powers_from(MOST));
    if PREFETCH {
        for line in later.as_chunks().0 {
            lanes.prefetch(line);
        }
    }
    let first = groups.next();
    for (group, powers) in groups {
        sums = plus_group(lanes, sums, lanes.zero(), group, &powers);
    }
    if let Some((group, powers)) = first {
        sums = plus_group(lanes, sums, y, group, &powers);
    }
    sums
}

/// The hash of a message, given its last chunk.
#[inline(always)]
pub(super) fn finish_from<L: Lanes>(
    lanes: L,
    key: &Key,
    mut y: L::Register,
    last: &[u8],
    bits: u64,
) -> L::One {
    let mut sums = [lanes.zero(); 3];
    let mut powers = key.powers_from(last.len().div_ceil(16) + 1);
    let (groups, rest) = last.as_chunks();
    for (group, powers) in groups.iter().zip(&mut powers) {
        sums = plus_group(lanes, sums, y, group, &powers);
        y = lanes.zero();
    }
    if !rest.is_empty()
        && let Some(powers) = powers.next()
    {
        if L::WIDTH == 4 {
            let (x, w) = rest.split_at(rest.len().min(GROUP / 2));
            let x = lanes.xor(lanes.load_some(x), y);
            sums = plus(lanes, sums, x, lanes.load_some(w), &powers, 0);
        } else {
            let mut group = [0; GROUP];
            group[..rest.len()].copy_from_slice(rest);
            sums = plus_group(lanes, sums, y, &group, &powers);
        }
    }
    let parts = plus_length(lanes, key, lanes.of_three(sums), bits);
    lanes.folded(lanes.reduce(parts))
}

/// Adds the length block times H to the lowest lane. The lower half of that block is zero.
#[inline(always)]
pub(super) fn plus_length<L: Lanes>(
    lanes: L,
    key: &Key,
    Parts { low, middle, high }: Parts<L::Register>,
    bits: u64,
) -> Parts<L::Register> {
    let single = lanes.single();
    let (length, h) = (single.halves(bits, bits), single.spread(key.h()));
    Parts {
        low,
        middle: lanes.xor(middle, lanes.alone(single.lower(length, h))),
        high: lanes.xor(high, lanes.alone(single.upper(length, h))),
    }
}

/// Adds the products of a group, with `y` added to its first blocks.
#[inline(always)]
fn plus_group<L: Lanes>(
    lanes: L,
    mut sums: Sums<L>,
    y: L::Register,
    group: &[u8; GROUP],
    powers: &Powers,
) -> Sums<L> {
    let (first, second) = group.split_at(GROUP / 2);
    for j in 0..4 / L::WIDTH {
        let at = 16 * L::WIDTH * j;
        let (mut x, w) = (lanes.load(&first[at..]), lanes.load(&second[at..]));
        if j == 0 {
            x = lanes.xor(x, y);
        }
        sums = plus(lanes, sums, x, w, powers, at);
    }
    sums
}

/// Adds the products of the blocks of a group from byte `at` on and of their partners.
#[inline(always)]
fn plus<L: Lanes>(
    lanes: L,
    [low, high, crossed]: Sums<L>,
    x: L::Register,
    w: L::Register,
    powers: &Powers,
    at: usize,
) -> Sums<L> {
    let (of_x, of_w) = powers.powers.split_at(GROUP / 2);
    let (of_x, of_w) = (lanes.load(&of_x[at..]), lanes.load(&of_w[at..]));
    let (halves, of_halves) = (lanes.sums_of_halves(x, w), lanes.load(&powers.sums[at..]));
    let of_low = lanes.xor(lanes.lower(x, of_x), lanes.lower(w, of_w));
    let of_high = lanes.xor(lanes.upper(x, of_x), lanes.upper(w, of_w));
    let both = lanes.xor(lanes.lower(halves, of_halves), lanes.upper(halves, of_halves));
    [lanes.xor(low, of_low), lanes.xor(high, of_high), lanes.xor(crossed, both)]
}
