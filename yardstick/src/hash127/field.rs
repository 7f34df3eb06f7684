//! Numbers modulo 2^127 - 1. They are kept at most p, so that p itself stands for 0, too, until
//! [`canonical`].

/// 2^127 - 1.
pub(super) const P: u128 = (1 << 127) - 1;

/// At most p, for x at most 2^128 - 2.
#[inline]
pub(super) fn fold(x: u128) -> u128 {
    debug_assert!(x < u128::MAX);
    (x & P) + (x >> 127)
}

/// At most p, for x of either sign, at least 1 - 2^127.
#[inline]
pub(super) fn fold_signed(x: i128) -> u128 {
    debug_assert!(x > i128::MIN);
    // 2^127 less for a negative one, which is 1 less.
    (x as u128 & P) - (x as u128 >> 127)
}

/// The sum of two numbers at most p.
#[inline]
pub(super) fn add(a: u128, b: u128) -> u128 {
    debug_assert!(a <= P && b <= P);
    fold(a + b)
}

/// The product of two numbers at most p. 2^128 is 2 modulo p.
#[inline]
pub(super) fn mul(a: u128, b: u128) -> u128 {
    debug_assert!(a <= P && b <= P);
    let (a1, a0) = (a >> 64, u128::from(a as u64)); // a1 and b1 are below 2^63
    let (b1, b0) = (b >> 64, u128::from(b as u64));
    let middle = a0 * b1 + a1 * b0; // at most 2^128 - 3 2^64 + 2
    let (low, carry) = (a0 * b0).overflowing_add(middle << 64);
    // (2^63 - 1)^2 + 2^64 - 3 + 1, at most 2^126 - 1.
    let high = a1 * b1 + (middle >> 64) + u128::from(carry);
    // `low` folded is at most 2^127.
    fold((low & P) + (low >> 127) + 2 * high)
}

/// Below p, for x at most p.
pub(super) fn canonical(x: u128) -> u128 {
    debug_assert!(x <= P);
    (x + ((x + 1) >> 127)) & P
}
