//! AES (FIPS 197, section 5.1) in WebAssembly's vectors, which have no instruction for it: bitsliced, eight blocks side by
//! side.
//!
//! ```text
//! state = block xor key_0
//! for each round r but the last:  state = MixColumns(ShiftRows(SubBytes(state))) xor key_r
//! state = ShiftRows(SubBytes(state)) xor key_last
//! ```
//!
//! The kernels depart from this:
//!
//! 1. Bit `j` of a byte of plane `b` is bit `b` of that byte of block `j`. So SubBytes is a circuit of gates.
//! 2. AES has its bytes by columns. The first ShiftRows puts them by rows, and there they stay: byte `4 row + column`. So
//!    ShiftRows is a shuffle of bytes, and MixColumns rotates rows by shuffles of words.
//! 3. The constant of SubBytes is part of the round keys.
//! 4. Where blocks depend on each other, as in a chain, one takes as long as eight.
//!
//! # Registers
//!
//! A register has 16 bytes, `|` between them or between words of four. `transpose` swaps bits between two registers:
//!
//! ```text
//! blocks     j:   byte 0 | byte 1 | ... | byte 15                        one block in each of eight registers
//! swap 4     the upper four bits of each byte of j and the lower four of j + 4       j = 0 1 2 3
//! swap 2     of each half byte: the upper two bits of j and the lower two of j + 2   j = 0 1 4 5
//! swap 1     of each two bits: the upper bit of j and the lower one of j + 1         j = 0 2 4 6
//! planes     b:   bit b of byte 0 of blocks 7 6 .. 0 | bit b of byte 1 of blocks 7 6 .. 0 | ...
//! ```
//!
//! In a plane, the four words are the rows of the state. A number is the place of a byte before the shuffle:
//!
//! ```text
//! BY_ROWS      0 4 8 12 | 1 5 9 13 | 2 6 10 14 | 3 7 11 15               columns to rows, and back
//! ShiftRows    0 1 2 3  | 5 6 7 4  | 10 11 8 9 | 15 12 13 14             row r rotates by r bytes
//! MixColumns   a0       | a1       | a2        | a3                      rows of one plane
//! next         a1       | a2       | a3        | a0
//! both         a0 + a1  | a1 + a2  | a2 + a3   | a3 + a0                 + is xor
//! out          next + (both, two rows on) + both of plane b - 1          twice `both`: bit 7 goes to bits 0, 1, 3 and 4
//! ```

use super::Rounds;
use crate::cipher::Block;
use core::arch::wasm32::*;
use core::hint::black_box;

/// As many blocks as a byte has bits.
const BLOCKS: usize = 8;

type Planes = [v128; 8];

/// By rows, as AES has its bytes by columns.
const BY_ROWS: v128 = u8x16(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);

#[target_feature(enable = "simd128")]
pub(super) fn expand(key: &[u8]) -> Rounds {
    let mut rounds = Rounds::expand(key, |word| {
        let mut planes = [u32x4_splat(0); 8];
        planes[0] = u32x4_splat(word);
        planes = transpose(planes);
        planes = transpose(sub_bytes(&planes));
        u32x4_extract_lane::<0>(planes[0]) ^ 0x6363_6363
    });
    for (i, (key, planes)) in rounds.keys.iter().zip(&mut rounds.planes).enumerate() {
        // The S-box's constant stays the same in ShiftRows and in MixColumns, so it is added with the round key. The first
        // round key is added before the bytes lie by rows.
        let key = if i == 0 { load(key) } else { v128_xor(by_rows(load(key)), u8x16_splat(0x63)) };
        for (b, plane) in planes.iter_mut().enumerate() {
            let bit = u8x16_splat(1 << b);
            store(plane, u8x16_eq(v128_and(key, bit), bit));
        }
    }
    rounds
}

#[target_feature(enable = "simd128")]
pub(super) fn encrypt(rounds: &Rounds, blocks: &mut [Block]) {
    for eight in blocks.chunks_mut(BLOCKS) {
        let mut planes = [u32x4_splat(0); 8];
        for (plane, block) in planes.iter_mut().zip(&*eight) {
            *plane = load(block);
        }
        side_by_side(rounds, &mut planes);
        for (plane, block) in planes.iter().zip(eight) {
            store(block, by_rows(*plane));
        }
    }
}

#[target_feature(enable = "simd128")]
pub(super) fn chain(rounds: &Rounds, sum: &mut Block, blocks: &[Block]) {
    let mut state = load(sum);
    for block in blocks {
        let mut planes = [u32x4_splat(0); 8];
        planes[0] = v128_xor(state, load(block));
        side_by_side(rounds, &mut planes);
        state = by_rows(planes[0]);
    }
    store(sum, state);
}

/// Encrypts eight blocks. Afterwards their bytes lie by rows.
#[inline(never)]
#[target_feature(enable = "simd128")]
fn side_by_side(rounds: &Rounds, blocks: &mut Planes) {
    let [first, middle @ .., last] = &rounds.planes[..=rounds.count] else {
        unreachable!("eleven keys or more")
    };
    let mut planes = transpose(*blocks);
    add_key(&mut planes, first);
    // Engines make a shuffle by a constant in five instructions, one by a variable in three.
    let rows = black_box(u8x16(0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14));
    let mut order = u8x16_swizzle(BY_ROWS, rows);
    for key in middle {
        planes = mix_columns(&sub_bytes(&planes).map(|plane| u8x16_swizzle(plane, order)));
        add_key(&mut planes, key);
        order = rows;
    }
    planes = sub_bytes(&planes).map(|plane| u8x16_swizzle(plane, order));
    add_key(&mut planes, last);
    *blocks = transpose(planes);
}

/// From eight blocks to planes, and back.
#[inline]
#[target_feature(enable = "simd128")]
fn transpose(planes: Planes) -> Planes {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = planes;
    // The compiler would not unroll a loop.
    macro_rules! swap {
        ($distance:literal $mask:literal: $($a:ident $b:ident),*) => {$(
            let difference = v128_and(v128_xor(u64x2_shr($a, $distance), $b), u8x16_splat($mask));
            $a = v128_xor($a, u64x2_shl(difference, $distance));
            $b = v128_xor($b, difference);
        )*};
    }
    swap!(4 0x0f: a e, b f, c g, d h);
    swap!(2 0x33: a c, b d, e g, f h);
    swap!(1 0x55: a b, c d, e f, g h);
    [a, b, c, d, e, f, g, h]
}

/// Each bit of the key is the same for all blocks.
#[inline]
#[target_feature(enable = "simd128")]
fn add_key(planes: &mut Planes, key: &[Block; 8]) {
    for (plane, key) in planes.iter_mut().zip(key) {
        *plane = v128_xor(*plane, load(key));
    }
}

/// The S-box without its constant 0x63: the circuit of Boyar and Peralta ("A new combinational logic minimization technique
/// with applications to cryptology", SEA 2010, figures 5 to 7) with the names there. Its first bit is the highest.
#[inline]
#[target_feature(enable = "simd128")]
fn sub_bytes(planes: &Planes) -> Planes {
    macro_rules! gate {
        ($a:ident ^ $b:ident) => {
            v128_xor($a, $b)
        };
        ($a:ident & $b:ident) => {
            v128_and($a, $b)
        };
    }
    macro_rules! gates {
        ($($to:ident = $a:ident $with:tt $b:ident;)*) => {
            $(let $to = gate!($a $with $b);)*
        };
    }
    let [x7, x6, x5, x4, x3, x2, x1, x0] = *planes;
    gates! {
        y14 = x3 ^ x5; y13 = x0 ^ x6; y9 = x0 ^ x3; y8 = x0 ^ x5; t0 = x1 ^ x2; y1 = t0 ^ x7; y4 = y1 ^ x3;
        y12 = y13 ^ y14; y2 = y1 ^ x0; y5 = y1 ^ x6; y3 = y5 ^ y8; t1 = x4 ^ y12; y15 = t1 ^ x5; y20 = t1 ^ x1;
        y6 = y15 ^ x7; y10 = y15 ^ t0; y11 = y20 ^ y9; y7 = x7 ^ y11; y17 = y10 ^ y11; y19 = y10 ^ y8; y16 = t0 ^ y11;
        y21 = y13 ^ y16; y18 = x0 ^ y16;

        t2 = y12 & y15; t3 = y3 & y6; t4 = t3 ^ t2; t5 = y4 & x7; t6 = t5 ^ t2; t7 = y13 & y16; t8 = y5 & y1;
        t9 = t8 ^ t7; t10 = y2 & y7; t11 = t10 ^ t7; t12 = y9 & y11; t13 = y14 & y17; t14 = t13 ^ t12; t15 = y8 & y10;
        t16 = t15 ^ t12; t17 = t4 ^ t14; t18 = t6 ^ t16; t19 = t9 ^ t14; t20 = t11 ^ t16; t21 = t17 ^ y20;
        t22 = t18 ^ y19; t23 = t19 ^ y21; t24 = t20 ^ y18; t25 = t21 ^ t22; t26 = t21 & t23; t27 = t24 ^ t26;
        t28 = t25 & t27; t29 = t28 ^ t22; t30 = t23 ^ t24; t31 = t22 ^ t26; t32 = t31 & t30; t33 = t32 ^ t24;
        t34 = t23 ^ t33; t35 = t27 ^ t33; t36 = t24 & t35; t37 = t36 ^ t34; t38 = t27 ^ t36; t39 = t29 & t38;
        t40 = t25 ^ t39; t41 = t40 ^ t37; t42 = t29 ^ t33; t43 = t29 ^ t40; t44 = t33 ^ t37; t45 = t42 ^ t41;
        z0 = t44 & y15; z1 = t37 & y6; z2 = t33 & x7; z3 = t43 & y16; z4 = t40 & y1; z5 = t29 & y7; z6 = t42 & y11;
        z7 = t45 & y17; z8 = t41 & y10; z9 = t44 & y12; z10 = t37 & y3; z11 = t33 & y4; z12 = t43 & y13; z13 = t40 & y5;
        z14 = t29 & y2; z15 = t42 & y9; z16 = t45 & y14; z17 = t41 & y8;

        t46 = z15 ^ z16; t47 = z10 ^ z11; t48 = z5 ^ z13; t49 = z9 ^ z10; t50 = z2 ^ z12; t51 = z2 ^ z5; t52 = z7 ^ z8;
        t53 = z0 ^ z3; t54 = z6 ^ z7; t55 = z16 ^ z17; t56 = z12 ^ t48; t57 = t50 ^ t53; t58 = z4 ^ t46; t59 = z3 ^ t54;
        t60 = t46 ^ t57; t61 = z14 ^ t57; t62 = t52 ^ t58; t63 = t49 ^ t58; t64 = z4 ^ t59; t65 = t61 ^ t62;
        t66 = z1 ^ t63; s0 = t59 ^ t63; s6 = t56 ^ t62; s7 = t48 ^ t60; t67 = t64 ^ t65; s3 = t53 ^ t66; s4 = t51 ^ t66;
        s5 = t47 ^ t65; s1 = t64 ^ s3; s2 = t55 ^ t67;
    }
    [s7, s6, s5, s4, s3, s2, s1, s0]
}

/// Each byte is twice that of its row and the next, xor the other three.
#[inline]
#[target_feature(enable = "simd128")]
fn mix_columns(planes: &Planes) -> Planes {
    let next = planes.map(|plane| i32x4_shuffle::<1, 2, 3, 0>(plane, plane));
    let both: Planes = core::array::from_fn(|b| v128_xor(planes[b], next[b]));
    core::array::from_fn(|b| {
        let others = v128_xor(next[b], i32x4_shuffle::<2, 3, 0, 1>(both[b], both[b]));
        let mixed = v128_xor(others, both[(b + 7) % 8]);
        // The polynomial 0x11b.
        if matches!(b, 1 | 3 | 4) { v128_xor(mixed, both[7]) } else { mixed }
    })
}

#[inline]
#[target_feature(enable = "simd128")]
fn by_rows(block: v128) -> v128 {
    u8x16_swizzle(block, BY_ROWS)
}

#[inline]
#[target_feature(enable = "simd128")]
fn load(block: &Block) -> v128 {
    let [low, high] = halves(block).map(u64::from_le_bytes);
    u64x2(low, high)
}

#[inline]
#[target_feature(enable = "simd128")]
fn store(block: &mut Block, state: v128) {
    let (low, high) = block.split_at_mut(8);
    low.copy_from_slice(&u64x2_extract_lane::<0>(state).to_le_bytes());
    high.copy_from_slice(&u64x2_extract_lane::<1>(state).to_le_bytes());
}

fn halves(block: &Block) -> [[u8; 8]; 2] {
    let (halves, _) = block.as_chunks();
    [halves[0], halves[1]]
}
