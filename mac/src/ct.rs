//! What constant time and short-lived secrets rest on: choices by mask, comparison, wiping. A leaf.

use subtle::{Choice, ConstantTimeEq};

/// All ones for true. The compiler is kept from knowing that: it has made branches of choices by mask.
#[inline(always)]
pub fn mask(choice: bool) -> u64 {
    core::hint::black_box(u64::from(choice).wrapping_neg())
}

/// [`mask`] with 128 bits.
#[inline(always)]
pub fn wide_mask(choice: bool) -> u128 {
    let mask = mask(choice);
    u128::from(mask) << 64 | u128::from(mask)
}

/// Whether two slices of one length are equal, in time that depends on the length alone. `subtle` compares slices byte
/// by byte, at five cycles a byte, which for a tag takes longer than a short message's MAC. This takes eight bytes at
/// a time.
///
/// # Panics
/// If the lengths differ.
#[inline]
pub fn equal(a: &[u8], b: &[u8]) -> Choice {
    assert_eq!(a.len(), b.len(), "slices of one length");
    let ((a, last_of_a), (b, last_of_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let words = a.iter().zip(b).map(|(a, b)| u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b));
    let last = last_of_a.iter().zip(last_of_b).map(|(a, b)| u64::from(a ^ b));
    words.chain(last).fold(0, |all, difference| all | difference).ct_eq(&0)
}

/// Overwrites what was secret for a moment, in whole registers. `zeroize` writes byte by byte, which would take longer
/// than the MAC. What lives longer wipes itself when dropped.
pub fn wipe<T: Copy + Default, const L: usize>(values: &mut [T; L]) {
    *values = [T::default(); L];
    // The compiler must believe that somebody reads them.
    core::hint::black_box(values);
}
