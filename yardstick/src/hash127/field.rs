//! Numbers modulo p = 2^127 - 1, for the polynomial of hash127 (Bernstein, "The hash127 library interface").

use zeroize::DefaultIsZeroes;

/// The modulus, 2^127 - 1.
pub(super) const P: u128 = (1 << 127) - 1;

/// A number from 0 to p. So 0 has two forms, 0 and p, until [`canonical`] makes p 0.
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub(super) struct UpToP(u128);

impl DefaultIsZeroes for UpToP {}

impl UpToP {
    /// The number `x`, which is at most p.
    #[inline]
    pub(super) fn new(x: u128) -> UpToP {
        debug_assert!(x <= P);
        UpToP(x)
    }

    #[inline]
    pub(super) fn value(self) -> u128 {
        self.0
    }
}

/// The same number modulo p, reduced once.
///
/// # Bounds
/// In: `x` at most 2^128 - 2. Above p, `x` is 2^127 + y with y at most 2^127 - 2, and y + 1 is at most p.
#[inline]
pub(super) fn fold(x: u128) -> UpToP {
    debug_assert!(x < u128::MAX);
    UpToP::new((x & P) + (x >> 127))
}

/// The same number modulo p, reduced once, for `x` of either sign.
///
/// # Bounds
/// In: `x` from -p to p. The low 127 bits of a negative `x` are x + 2^127, one more than x + p.
#[inline]
pub(super) fn fold_signed(x: i128) -> UpToP {
    debug_assert!(x > i128::MIN);
    // The top bit is the sign.
    UpToP::new((x as u128 & P) - (x as u128 >> 127))
}

/// The sum modulo p.
///
/// # Bounds
/// The sum of `a` and `b` is at most 2^128 - 2, which is what [`fold`] takes.
#[inline]
pub(super) fn add(UpToP(a): UpToP, UpToP(b): UpToP) -> UpToP {
    fold(a + b)
}

/// -x modulo p.
#[inline]
pub(super) fn minus(UpToP(x): UpToP) -> UpToP {
    UpToP::new(P - x)
}

/// The product modulo p. The upper 128 bits of the full product count twice, since 2^128 = 2 mod p.
///
/// # Bounds
/// The comments at each line have the steps.
#[inline]
pub(super) fn mul(UpToP(a): UpToP, UpToP(b): UpToP) -> UpToP {
    let (a1, a0) = (a >> 64, u128::from(a as u64)); // a1 and b1 are at most 2^63 - 1
    let (b1, b0) = (b >> 64, u128::from(b as u64));
    let middle = a0 * b1 + a1 * b0; // at most 2 (2^64 - 1) (2^63 - 1) = 2^128 - 3 2^64 + 2
    let (low, carry) = (a0 * b0).overflowing_add(middle << 64);
    // At most (2^63 - 1)^2 + (2^64 - 3) + 1 = 2^126 - 1.
    let high = a1 * b1 + (middle >> 64) + u128::from(carry);
    debug_assert!(high >> 126 == 0);
    // The first two terms are at most 2^127 together, the last is at most 2^127 - 2: `fold` takes the sum.
    fold((low & P) + (low >> 127) + 2 * high)
}

/// The one form of a number that is below p.
///
/// # Bounds
/// Out: below p. Only p itself changes, to 0.
pub(super) fn canonical(UpToP(x): UpToP) -> u128 {
    (x + ((x + 1) >> 127)) & P
}
