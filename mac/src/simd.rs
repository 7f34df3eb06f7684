//! Loads and stores of whole registers of x86 and ARM, at any address: where most kernels touch memory.
#![allow(unsafe_code)]

use crate::aligned::Aligned;
#[cfg(target_arch = "aarch64")]
use core::arch::aarch64::*;
#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

/// Numbers side by side.
///
/// # Safety
/// Any bytes are a value, and a value has no other bytes.
pub unsafe trait Plain {}
// SAFETY: a number.
unsafe impl Plain for u8 {}
// SAFETY: a number.
unsafe impl Plain for u16 {}
// SAFETY: a number.
unsafe impl Plain for u32 {}
// SAFETY: a number.
unsafe impl Plain for u64 {}
// SAFETY: nothing is between the elements of an array.
unsafe impl<T: Plain, const L: usize> Plain for [T; L] {}
// SAFETY: nothing is behind four words of 32 bits.
unsafe impl Plain for Aligned<[u32; 4]> {}

macro_rules! moves {
    ($features:literal $register:ty: $load:ident by $from:ident, $store:ident by $to:ident) => {
        /// A register from memory.
        ///
        /// # Safety
        /// Call it only on a machine with this feature, as a row of kernels ensures.
        #[inline]
        #[must_use]
        #[target_feature(enable = $features)]
        pub fn $load<T: Plain>(from: &T) -> $register {
            const { assert!(size_of::<T>() == size_of::<$register>()) };
            // SAFETY: as many bytes are read as there are; no alignment is asked for.
            unsafe { $from(core::ptr::from_ref(from).cast()) }
        }

        /// A register to memory.
        ///
        /// # Safety
        /// Call it only on a machine with this feature, as a row of kernels ensures.
        #[inline]
        #[target_feature(enable = $features)]
        pub fn $store<T: Plain>(to: &mut T, register: $register) {
            const { assert!(size_of::<T>() == size_of::<$register>()) };
            // SAFETY: as many bytes are written as there are; no alignment is asked for.
            unsafe { $to(core::ptr::from_mut(to).cast(), register) }
        }
    };
}

#[cfg(target_arch = "aarch64")]
moves!("neon" uint8x16_t: load128 by vld1q_u8, store128 by vst1q_u8);
#[cfg(target_arch = "x86_64")]
moves!("sse2" __m128i: load128 by _mm_loadu_si128, store128 by _mm_storeu_si128);
#[cfg(target_arch = "x86_64")]
moves!("avx" __m256i: load256 by _mm256_loadu_si256, store256 by _mm256_storeu_si256);
#[cfg(target_arch = "x86_64")]
moves!("avx512f" __m512i: load512 by _mm512_loadu_si512, store512 by _mm512_storeu_si512);
