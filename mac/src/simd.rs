//! Loads and stores of whole registers of x86 and ARM, at any address: where most kernels touch memory. And what keeps the
//! compiler from moving them.
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

/// The same place, which the compiler does not know to be the same: it loads what is there where it is used, and not once
/// before a loop, to keep it on the stack. (`black_box` stores the address and loads it again.)
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
#[expect(
    clippy::pointers_in_nomem_asm_block,
    reason = "nothing is read or written through it there"
)]
pub fn hidden<T>(place: &T) -> &T {
    #[cfg_attr(miri, expect(unused_mut))] // Miri has no assembly
    let mut pointer = core::ptr::from_ref(place);
    // SAFETY: the assembly is a comment, and the pointer is the reference's.
    unsafe {
        #[cfg(not(miri))]
        core::arch::asm!("/* {} */", inout(reg) pointer, options(nomem, nostack, preserves_flags));
        &*pointer
    }
}

macro_rules! moves {
    ($features:literal $register:ty: $load:ident by $from:ident, $store:ident by $to:ident $(, $now:ident in $class:ident)?) => {
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

        $(
            /// Has the register made before what follows, instead of where it is used.
            ///
            /// # Safety
            /// Call it only on a machine with this feature, as a row of kernels ensures.
            #[inline]
            #[must_use]
            #[target_feature(enable = $features)]
            pub fn $now(register: $register) -> $register {
                #[cfg_attr(miri, expect(unused_mut))] // Miri has no assembly
                let mut register = register;
                #[cfg(not(miri))]
                // SAFETY: the assembly is a comment; it executes nothing.
                unsafe {
                    core::arch::asm!("/* {} */", inout($class) register, options(nomem, nostack, preserves_flags));
                }
                register
            }
        )?
    };
}

#[cfg(target_arch = "aarch64")]
moves!("neon" uint8x16_t: load128 by vld1q_u8, store128 by vst1q_u8);
#[cfg(target_arch = "x86_64")]
moves!("sse2" __m128i: load128 by _mm_loadu_si128, store128 by _mm_storeu_si128, now128 in xmm_reg);
#[cfg(target_arch = "x86_64")]
moves!("avx" __m256i: load256 by _mm256_loadu_si256, store256 by _mm256_storeu_si256, now256 in ymm_reg);
#[cfg(target_arch = "x86_64")]
moves!("avx512f" __m512i: load512 by _mm512_loadu_si512, store512 by _mm512_storeu_si512, now512 in zmm_reg);

/// The operations of a kernel's registers: no more than an instruction or a few, and only instructions of these features, which
/// the row has.
#[cfg_attr(feature = "hazmat", macro_export, doc(hidden))] // `hazmat::simd` shows it
macro_rules! operations {
    ($features:literal: $($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),*) -> $out:ty { $($code:tt)* })*) => {$(
        $(#[$doc])*
        #[inline(always)]
        $vis fn $name(self, $($arg: $type),*) -> $out {
            const { assert!($crate::cpu::Needs::listed(Self::FEATURES).include($crate::cpu::Needs::listed($features))) };
            #[inline]
            #[target_feature(enable = $features)]
            fn operation($($arg: $type),*) -> $out {
                $($code)*
            }
            // SAFETY: `self` shows that the machine has the features.
            unsafe { operation($($arg),*) }
        }
    )*};
}

pub(crate) use operations;
