//! The basis of constant time and of short-lived secrets: selection by mask, comparison, wiping. Depends on no module.

use subtle::{Choice, ConstantTimeEq};

/// All ones for true, zero for false. The value is hidden from the compiler, which would otherwise turn a selection by
/// mask into a branch.
#[inline(always)]
pub fn mask(choice: bool) -> u64 {
    hidden(u64::from(choice).wrapping_neg())
}

/// The same number. What the standard library has for this goes through memory, which would double the time of a step of
/// POLY.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
#[allow(unsafe_code)]
#[inline(always)]
fn hidden(mut number: u64) -> u64 {
    // SAFETY: the assembly is a comment; it executes nothing.
    unsafe {
        core::arch::asm!(
            "/* {} */",
            inout(reg) number,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    number
}

/// The same place, and the compiler does not know which it is.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
#[allow(unsafe_code)]
#[inline(always)]
pub(crate) fn hidden_place<T>(place: &mut T) -> &mut T {
    let mut pointer = core::ptr::from_mut(place);
    // SAFETY: as above, and the pointer is the reference's.
    unsafe {
        core::arch::asm!("/* {} */", inout(reg) pointer, options(nostack, preserves_flags));
        &mut *pointer
    }
}

/// Miri has no assembly, and other machines have it in other versions of Rust.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
#[inline(always)]
fn hidden(number: u64) -> u64 {
    core::hint::black_box(number)
}

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
#[inline(always)]
pub(crate) fn hidden_place<T>(place: &mut T) -> &mut T {
    place
}

/// [`mask`] with 128 bits.
#[inline(always)]
pub fn wide_mask(choice: bool) -> u128 {
    let mask = mask(choice);
    u128::from(mask) << 64 | u128::from(mask)
}

/// Whether two slices of the same length are equal. The time depends on the length alone. `subtle` compares slices
/// byte by byte, at five cycles a byte; for a tag that takes longer than the MAC of a short message. This function
/// compares eight bytes at a time.
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

/// Overwrites values that were secret for a moment, in whole registers: `zeroize` writes byte by byte, which would take
/// longer than the MAC. Kernels leave on the stack what the compiler spills, such as a batch's sums, which no code can
/// overwrite. Types that live longer wipe themselves on drop.
pub fn wipe<T: Copy + Default, const L: usize>(values: &mut [T; L]) {
    *values = [T::default(); L];
    // The compiler must assume that the zeroes are read.
    core::hint::black_box(values);
}
