//! The field's functions on a basis. They are linear or bilinear code: xors, shifts and carry-less products, without a
//! branch. So their values on a basis decide all values, and are compared here for every row that this machine has.

use crate::field::{self, Wide};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::lanes::{Lanes, Parts};
use crate::rows;
use wegman::Cpu;
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

/// What a row does with three parts, and with two factors, in each of its lanes. All lanes are compared: the bits of one
/// do not get into another.
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
))]
#[inline(always)]
fn check<R: Lanes>(isa: R) {
    let powers = powers();
    let in_lane = |number: u128, lane: usize| {
        let mut blocks = [[0; 16]; 4];
        blocks[lane] = number.to_le_bytes();
        blocks
    };
    for lane in 0..R::WIDTH {
        for bit in 0..384 {
            let (parts, expected) = parts(bit, &powers);
            let [low, middle, high] = [0, 1, 2].map(|i| in_lane(parts[i], lane));
            let [low, middle, high] = [
                isa.load(low.as_flattened()),
                isa.load(middle.as_flattened()),
                isa.load(high.as_flattened()),
            ];
            let mut got = [[0; 16]; 4];
            isa.store(&mut got, isa.reduce(Parts { low, middle, high }));
            assert_eq!(got, in_lane(expected, lane), "bit {bit}, lane {lane} of {}", R::WIDTH);
        }
        for (a, b) in pairs() {
            let (x, y) = (in_lane(a, lane), in_lane(b, lane));
            let zero = Parts { low: isa.zero(), middle: isa.zero(), high: isa.zero() };
            let wide =
                isa.plus_product(zero, isa.load(x.as_flattened()), isa.load(y.as_flattened()));
            let mut got = [[0; 16]; 4];
            isa.store(&mut got, isa.reduce(wide));
            let expected = in_lane(oracle::dot(a, b), lane);
            assert_eq!(got, expected, "{a:x} {b:x}, lane {lane} of {}", R::WIDTH);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
#[allow(unsafe_code)]
fn every_row() {
    use crate::x86::{Avx512, Pclmul, Vpclmul};
    let rows: Vec<&str> = rows::ROWS.fitting(Cpu::detect()).map(|row| row.name).collect();
    // SAFETY: this machine has what the rows of its table need.
    unsafe {
        if rows.contains(&"pclmul") {
            check(Pclmul::new());
        }
        if rows.contains(&"vpclmul") {
            check(Vpclmul::new());
        }
        if rows.contains(&"avx512") {
            check(Avx512::new());
        }
    }
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
#[test]
#[allow(unsafe_code)]
fn every_row() {
    if rows::ROWS.fitting(Cpu::detect()).any(|row| row.name == "pmull") {
        // SAFETY: this machine has what the row needs.
        check(unsafe { crate::armv8::Pmull::new() });
    }
}
