//! The field's functions on a basis. They are linear or bilinear code: xors, shifts and carry-less products, without a
//! branch. So their values on a basis decide all values, and are compared here for every row that this machine has.

use crate::field::{self, Wide, clmul};
use wegman_reference::carter as oracle;

/// x^(i - 128), for i from 0 to 319.
fn powers() -> Vec<u128> {
    const X_MINUS_128: u128 = (1 << 127) | (1 << 124) | (1 << 121) | (1 << 114) | 1;
    let powers = std::iter::successors(Some(X_MINUS_128), |power| Some(oracle::mul(*power, 2)));
    let powers: Vec<u128> = powers.take(320).collect();
    assert_eq!((powers[128], powers[129], powers[255]), (1, 2, 1 << 127));
    powers
}

/// A number whose three parts begin at x^0, x^64 and x^128, with one bit of `parts`, and what it is reduced to.
fn parts(bit: usize, powers: &[u128]) -> ([u128; 3], u128) {
    let mut parts = [0; 3];
    parts[bit / 128] = 1 << (bit % 128);
    (parts, powers[64 * (bit / 128) + bit % 128])
}

/// All pairs of bits, as numbers.
fn pairs() -> impl Iterator<Item = (u128, u128)> {
    (0..128).flat_map(|i| (0..128).map(move |j| (1 << i, 1 << j)))
}

#[test]
fn plain_code() {
    let powers = powers();
    assert_eq!(Wide::default().reduce(), 0);
    for (bit, power) in powers[..256].iter().enumerate() {
        let wide = match bit {
            0..128 => Wide { low: 1 << bit, high: 0 },
            _ => Wide { low: 0, high: 1 << (bit - 128) },
        };
        assert_eq!(wide.reduce(), *power, "x^{bit}");
    }
    for (a, b) in pairs() {
        assert_eq!(field::dot(a, b), oracle::dot(a, b), "{a:x} {b:x}");
    }
}

/// What a row does with three parts, and with two factors, in each of its lanes.
struct Row {
    name: &'static str,
    lanes: usize,
    reduce: fn([u128; 3], usize) -> Vec<u128>,
    dot: fn(u128, u128, usize) -> Vec<u128>,
}

fn check(row: &Row) {
    let powers = powers();
    for lane in 0..row.lanes {
        // The bits of one lane do not get into another.
        let alone = |value| {
            let mut lanes = vec![0; row.lanes];
            lanes[lane] = value;
            lanes
        };
        for bit in 0..384 {
            let (parts, expected) = parts(bit, &powers);
            assert_eq!(
                (row.reduce)(parts, lane),
                alone(expected),
                "{}: bit {bit}, lane {lane}",
                row.name
            );
        }
        for (a, b) in pairs() {
            let expected = alone(oracle::dot(a, b));
            assert_eq!((row.dot)(a, b, lane), expected, "{}: {a:x} {b:x}, lane {lane}", row.name);
        }
    }
}

fn block(number: u128) -> [u8; 16] {
    number.to_le_bytes()
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![allow(unsafe_code)]
    use super::*;
    use crate::field::{avx512, vpclmul};

    fn narrow_reduce(parts: [u128; 3], _: usize) -> Vec<u128> {
        // SAFETY: the test has asked for the instructions.
        unsafe {
            let [low, middle, high] = parts.map(|part| clmul::load(&block(part)));
            vec![clmul::number(clmul::reduce(clmul::Wide { low, middle, high }))]
        }
    }

    fn narrow_dot(a: u128, b: u128, _: usize) -> Vec<u128> {
        // SAFETY: the test has asked for the instructions.
        unsafe {
            let zero = clmul::zero();
            let zero = clmul::Wide { low: zero, middle: zero, high: zero };
            let wide = clmul::plus_product(zero, clmul::load(&block(a)), clmul::load(&block(b)));
            vec![clmul::number(clmul::reduce(wide))]
        }
    }

    /// In one of several lanes of 16 bytes.
    fn in_lane<const BYTES: usize>(number: u128, lane: usize) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[16 * lane..][..16].copy_from_slice(&block(number));
        bytes
    }

    fn double_reduce(parts: [u128; 3], lane: usize) -> Vec<u128> {
        // SAFETY: the test has asked for the instructions.
        unsafe {
            let [low, middle, high] = parts.map(|part| vpclmul::load(&in_lane(part, lane)));
            let lanes = vpclmul::reduce(vpclmul::Wide { low, middle, high });
            [vpclmul::lower(lanes), vpclmul::upper(lanes)].map(|lane| clmul::number(lane)).to_vec()
        }
    }

    fn double_dot(a: u128, b: u128, lane: usize) -> Vec<u128> {
        // SAFETY: the test has asked for the instructions.
        unsafe {
            let zero = vpclmul::load(&[0; 32]);
            let zero = vpclmul::Wide { low: zero, middle: zero, high: zero };
            let (a, b) = (vpclmul::load(&in_lane(a, lane)), vpclmul::load(&in_lane(b, lane)));
            let lanes = vpclmul::reduce(vpclmul::plus_product(zero, a, b));
            [vpclmul::lower(lanes), vpclmul::upper(lanes)].map(|lane| clmul::number(lane)).to_vec()
        }
    }

    /// The four lanes: each is folded alone, with the others cleared.
    #[target_feature(enable = "avx512f,avx512vl")]
    fn four(lanes: core::arch::x86_64::__m512i) -> Vec<u128> {
        use core::arch::x86_64::_mm512_maskz_mov_epi64;
        let one = |lane: u32| {
            avx512::number(avx512::fold(_mm512_maskz_mov_epi64(3u8 << (2 * lane), lanes)))
        };
        (0..4).map(one).collect()
    }

    fn quad_reduce(parts: [u128; 3], lane: usize) -> Vec<u128> {
        // SAFETY: the test has asked for the instructions.
        unsafe {
            let [low, middle, high] = parts.map(|part| avx512::load_64(&in_lane(part, lane)));
            four(avx512::reduce(avx512::Wide { low, middle, high }))
        }
    }

    fn quad_dot(a: u128, b: u128, lane: usize) -> Vec<u128> {
        // SAFETY: the test has asked for the instructions.
        unsafe {
            let (a, b) = (avx512::load_64(&in_lane(a, lane)), avx512::load_64(&in_lane(b, lane)));
            let once = avx512::reduce(avx512::product(a, b));
            let zero = avx512::load_64(&[0; 64]);
            let zero = avx512::Wide { low: zero, middle: zero, high: zero };
            let again = avx512::reduce(avx512::plus_product(zero, a, b));
            assert_eq!(four(once), four(again));
            four(once)
        }
    }

    #[test]
    fn every_row() {
        let narrow = Row { name: "pclmul", lanes: 1, reduce: narrow_reduce, dot: narrow_dot };
        let double = Row { name: "vpclmul", lanes: 2, reduce: double_reduce, dot: double_dot };
        let quad = Row { name: "avx512", lanes: 4, reduce: quad_reduce, dot: quad_dot };
        let has_wide = std::arch::is_x86_feature_detected!("vpclmulqdq");
        if std::arch::is_x86_feature_detected!("pclmulqdq") {
            check(&narrow);
        }
        if has_wide && std::arch::is_x86_feature_detected!("avx2") {
            check(&double);
        }
        let has_avx512 = std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512vl");
        if has_wide && has_avx512 {
            check(&quad);
        }
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod arm {
    #![allow(unsafe_code)]
    use super::*;

    fn reduce([low, middle, high]: [u128; 3], _: usize) -> Vec<u128> {
        // SAFETY: the test has asked for the instructions.
        unsafe {
            let [low, middle, high] = [low, middle, high].map(|part| clmul::load(&block(part)));
            vec![clmul::number(clmul::reduce(clmul::Wide { low, middle, high }))]
        }
    }

    fn dot(a: u128, b: u128, _: usize) -> Vec<u128> {
        // SAFETY: the test has asked for the instructions.
        unsafe {
            let zero = clmul::zero();
            let zero = clmul::Wide { low: zero, middle: zero, high: zero };
            let wide = clmul::plus_product(zero, clmul::load(&block(a)), clmul::load(&block(b)));
            vec![clmul::number(clmul::reduce(wide))]
        }
    }

    #[test]
    fn every_row() {
        if std::arch::is_aarch64_feature_detected!("aes") {
            check(&Row { name: "pmull", lanes: 1, reduce, dot });
        }
    }
}
