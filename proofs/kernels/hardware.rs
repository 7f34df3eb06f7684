//! Instructions as the kernels write them, one function for each: hardware.py runs each on a processor, and its IR in the
//! machine. The program takes runs from its input, each the number of a function and 192 bytes of arguments, and
//! writes 64 bytes for each.
#![allow(unsafe_op_in_unsafe_fn)]
use core::ptr::{read_unaligned, write_unaligned};
use std::io::{Read, Write, stdin, stdout};

type Form = unsafe extern "C" fn(arguments: *const u8, out: *mut u8);

/// Of each a name, the features it needs, its arguments, and what it computes of them.
macro_rules! forms {
    ($(form!($name:ident, $features:literal, ($($x:ident: $t:ty),*), $value:expr);)*) => {
        $(
            #[unsafe(no_mangle)]
            #[target_feature(enable = $features)]
            pub unsafe extern "C" fn $name(arguments: *const u8, out: *mut u8) {
                let mut at = arguments;
                $(let $x = read_unaligned(at.cast::<$t>()); at = at.add(64);)*
                let _ = at;
                write_unaligned(out.cast(), $value);
            }
        )*
        pub const FORMS: &[Form] = &[$($name),*];
    };
}

fn main() {
    let (mut run, mut out) = ([0; 1 + 192], [0; 64]);
    while stdin().read_exact(&mut run).is_ok() {
        out.fill(0);
        // SAFETY: hardware.py asks only for what this processor has.
        unsafe { FORMS[usize::from(run[0])](run[1..].as_ptr(), out.as_mut_ptr()) };
        stdout().write_all(&out).unwrap();
    }
}

#[cfg(target_arch = "x86_64")]
use x86::FORMS;
#[cfg(target_arch = "x86_64")]
mod x86 {
use super::{Form, read_unaligned, write_unaligned};
use core::arch::x86_64::*;
use core::hint::black_box;
forms! {
form!(aesenc, "aes", (a: __m128i, b: __m128i), _mm_aesenc_si128(a, b));
form!(aesenclast, "aes", (a: __m128i, b: __m128i), _mm_aesenclast_si128(a, b));
form!(aesenc_256, "vaes,avx2", (a: __m256i, b: __m256i), _mm256_aesenc_epi128(a, b));
form!(aesenclast_256, "vaes,avx2", (a: __m256i, b: __m256i), _mm256_aesenclast_epi128(a, b));
form!(aesenc_512, "vaes,avx512f", (a: __m512i, b: __m512i), _mm512_aesenc_epi128(a, b));
form!(aesenclast_512, "vaes,avx512f", (a: __m512i, b: __m512i), _mm512_aesenclast_epi128(a, b));
form!(clmul_00, "pclmulqdq", (a: __m128i, b: __m128i), _mm_clmulepi64_si128::<0x00>(a, b));
form!(clmul_01, "pclmulqdq", (a: __m128i, b: __m128i), _mm_clmulepi64_si128::<0x01>(a, b));
form!(clmul_10, "pclmulqdq", (a: __m128i, b: __m128i), _mm_clmulepi64_si128::<0x10>(a, b));
form!(clmul_11, "pclmulqdq", (a: __m128i, b: __m128i), _mm_clmulepi64_si128::<0x11>(a, b));
form!(clmul_256_00, "vpclmulqdq,avx2", (a: __m256i, b: __m256i), _mm256_clmulepi64_epi128::<0x00>(a, b));
form!(clmul_256_01, "vpclmulqdq,avx2", (a: __m256i, b: __m256i), _mm256_clmulepi64_epi128::<0x01>(a, b));
form!(clmul_256_10, "vpclmulqdq,avx2", (a: __m256i, b: __m256i), _mm256_clmulepi64_epi128::<0x10>(a, b));
form!(clmul_256_11, "vpclmulqdq,avx2", (a: __m256i, b: __m256i), _mm256_clmulepi64_epi128::<0x11>(a, b));
form!(clmul_512_00, "vpclmulqdq,avx512f", (a: __m512i, b: __m512i), _mm512_clmulepi64_epi128::<0x00>(a, b));
form!(clmul_512_01, "vpclmulqdq,avx512f", (a: __m512i, b: __m512i), _mm512_clmulepi64_epi128::<0x01>(a, b));
form!(clmul_512_10, "vpclmulqdq,avx512f", (a: __m512i, b: __m512i), _mm512_clmulepi64_epi128::<0x10>(a, b));
form!(clmul_512_11, "vpclmulqdq,avx512f", (a: __m512i, b: __m512i), _mm512_clmulepi64_epi128::<0x11>(a, b));
form!(pshufb, "ssse3", (a: __m128i, b: __m128i), _mm_shuffle_epi8(a, b));
form!(pshufb_256, "avx2", (a: __m256i, b: __m256i), _mm256_shuffle_epi8(a, b));
form!(pshufb_512, "avx512bw", (a: __m512i, b: __m512i), _mm512_shuffle_epi8(a, b));
form!(permute, "avx512vbmi", (a: __m512i, b: __m512i), _mm512_permutexvar_epi8(a, b));
form!(permute_two, "avx512vbmi", (a: __m512i, b: __m512i, c: __m512i), _mm512_permutex2var_epi8(a, b, c));
form!(madd52lo_256, "avx512ifma,avx512vl", (a: __m256i, b: __m256i, c: __m256i), _mm256_madd52lo_epu64(a, b, c));
form!(madd52hi_256, "avx512ifma,avx512vl", (a: __m256i, b: __m256i, c: __m256i), _mm256_madd52hi_epu64(a, b, c));
form!(madd52lo_512, "avx512ifma", (a: __m512i, b: __m512i, c: __m512i), _mm512_madd52lo_epu64(a, b, c));
form!(madd52hi_512, "avx512ifma", (a: __m512i, b: __m512i, c: __m512i), _mm512_madd52hi_epu64(a, b, c));
form!(pmaddwd, "sse2", (a: __m128i, b: __m128i), _mm_madd_epi16(a, b));
form!(pmaddwd_256, "avx2", (a: __m256i, b: __m256i), _mm256_madd_epi16(a, b));
form!(pmaddwd_512, "avx512bw", (a: __m512i, b: __m512i), _mm512_madd_epi16(a, b));
form!(bzhi_64, "bmi2", (a: u64, b: u32), _bzhi_u64(a, b));
form!(bzhi_32, "bmi2", (a: u32, b: u32), _bzhi_u32(a, b));
form!(masked_bytes, "avx512bw", (a: __m512i, b: u64, c: __m512i), _mm512_mask_loadu_epi8(a, b, black_box(&raw const c).cast()));
form!(masked_words, "avx512f", (a: __m512i, b: u8, c: __m512i), _mm512_mask_loadu_epi64(a, b, black_box(&raw const c).cast()));
form!(stored_bytes, "avx512bw", (a: __m512i, b: u64, c: __m512i), {
    let mut c = c;
    _mm512_mask_storeu_epi8(black_box(&raw mut c).cast(), b, a);
    c
});
form!(least_64, "avx512f", (a: __m512i, b: __m512i), _mm512_min_epu64(a, b));
form!(least_32, "avx2", (a: __m256i, b: __m256i), _mm256_min_epu32(a, b));
form!(sum_of_lanes, "avx512f", (a: __m512i), _mm512_reduce_add_epi64(a));
form!(all_lanes, "avx512f", (a: __m512i), _mm512_reduce_or_epi64(a));
form!(ternary_32, "avx512f", (a: __m512i, b: __m512i, c: __m512i), _mm512_ternarylogic_epi32::<0x96>(a, b, c));
form!(ternary_64, "avx512f", (a: __m512i, b: __m512i, c: __m512i), _mm512_ternarylogic_epi64::<0x96>(a, b, c));
form!(swapped, "sse2", (a: u64, b: u32, c: u128), [a.swap_bytes().into(), b.swap_bytes().into(), c.swap_bytes()]);
form!(rotated, "sse2", (a: u64, b: u32, c: u32), [a.rotate_left(c), a.rotate_right(c), b.rotate_left(c).into()]);
form!(counted, "sse2", (a: u64, b: u32), [a.leading_zeros(), a.trailing_zeros(), b.count_ones()]);
form!(limited, "sse2", (a: u64, b: u64), [a.saturating_sub(b), a.min(b), a.max(b)]);
form!(overflow, "sse2", (a: u64, b: u64), [a.checked_add(b).unwrap_or(1), a.checked_sub(b).unwrap_or(2)]);
}
}

#[cfg(target_arch = "aarch64")]
use arm::FORMS;
#[cfg(target_arch = "aarch64")]
mod arm {
use super::{Form, read_unaligned, write_unaligned};
use core::arch::aarch64::*;
use core::hint::black_box;
forms! {
form!(aese, "aes", (a: uint8x16_t, b: uint8x16_t), vaeseq_u8(a, b));
form!(aesmc, "aes", (a: uint8x16_t), vaesmcq_u8(a));
form!(aes_round, "aes", (a: uint8x16_t, b: uint8x16_t), vaesmcq_u8(vaeseq_u8(a, b)));
form!(pmull, "aes", (a: u64, b: u64), vmull_p64(a, b));
form!(pmull_upper, "aes", (a: poly64x2_t, b: poly64x2_t), vmull_high_p64(a, b));
form!(tbl1, "neon", (a: uint8x16_t, b: uint8x16_t), vqtbl1q_u8(a, b));
form!(ld2, "neon", (a: [u32; 8]), vld2q_u32(black_box(&raw const a).cast()));
form!(ld2r, "neon", (a: [u64; 2]), vld2q_dup_u64(black_box(&raw const a).cast()));
form!(uaddlp, "neon", (a: uint32x4_t), vpaddlq_u32(a));
}
}
