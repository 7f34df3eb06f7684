//! [`wipe`]: for what is secret for a moment only. What lives longer wipes itself when dropped.

/// Overwrites what was secret for a moment, as `zeroize` does but in whole registers: that crate
/// writes byte by byte, which would take longer than the MAC.
pub(crate) fn wipe<T: Copy + Default, const L: usize>(values: &mut [T; L]) {
    *values = [T::default(); L];
    // The compiler must believe that somebody looks.
    core::hint::black_box(values);
}
