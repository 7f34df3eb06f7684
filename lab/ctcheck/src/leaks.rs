//! Deliberate leaks of a tag's byte, which must be found after every kernel.
#![allow(unsafe_code)]

use crate::cases::{Case, Cases};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    _MM_HINT_T0, _mm_prefetch, _mm256_i32gather_epi32, _mm256_set1_epi32, _mm256_set1_epi64x,
    _mm256_testz_si256, _mm512_set1_epi64, _mm512_test_epi64_mask,
};
use std::hint::black_box;
use wegman::Cpu;

/// One way to leak.
pub struct Leak {
    pub name: &'static str,
    /// A word of what must be reported.
    pub found_as: &'static str,
    pub leak: fn(u8),
    /// Whether this machine has the instructions.
    pub runs: fn() -> bool,
}

pub static LEAKS: &[Leak] = &[
    leak("a branch on a byte", "jump", leak_by_branch, || true),
    leak("an index into a table", "address", leak_by_address, || true),
    leak("a division", "divides", divide, || true),
    #[cfg(target_arch = "x86_64")]
    leak("a prefetch", "address", prefetch, || true),
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the machine has the instructions.
    leak("a branch on a register of 256 bits", "jump", |b| unsafe { branch_on_256_bits(b) }, avx2),
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
    leak("a gather", "may not occur", |b| unsafe { gather(b) }, avx2),
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
    leak("a branch on a mask of AVX-512", "jump", |b| unsafe { branch_on_mask(b) }, avx512),
];

const fn leak(
    name: &'static str,
    found_as: &'static str,
    leak: fn(u8),
    runs: fn() -> bool,
) -> Leak {
    Leak { name, found_as, leak, runs }
}

#[cfg(target_arch = "x86_64")]
fn avx2() -> bool {
    is_x86_feature_detected!("avx2")
}

#[cfg(target_arch = "x86_64")]
fn avx512() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// A tag that leaks in each of these ways, after each kernel.
pub fn leaking(leaks: &'static [Leak]) -> Vec<Case> {
    let mut cases = Cases { are_traced: true, all: Vec::new() };
    for name in ["UMAC-64", "Carter-128", "PMAC-AES128"] {
        let found = wegman_catalogue::find(name).expect("it is listed");
        for Leak { name, leak, .. } in leaks.iter().filter(|leak| (leak.runs)()) {
            let (of, rows) = (found.clone(), found.kernels(Cpu::detect()));
            cases.add(format!("{}, {name}", of.name), rows, move |cpu, secret, message| {
                let key = of.key(cpu, &secret[..of.key_bytes], *of.tag_bytes.end());
                let tag = key.expect("its lengths").tag(of.counter(7).as_ref(), &message[..100]);
                leak(tag.expect("its nonce").to_bytes()[3]);
                Vec::new()
            });
        }
    }
    cases.all
}

#[inline(never)]
fn leak_by_branch(byte: u8) {
    if byte & 1 == 1 {
        black_box(());
        std::thread::yield_now();
    }
}

#[inline(never)]
fn leak_by_address(byte: u8) {
    let table = black_box([7u8; 256]);
    black_box(table[usize::from(byte)]);
}

#[inline(never)]
fn divide(byte: u8) {
    black_box(black_box(1_000_003_u32) / (u32::from(byte) + 1));
}

#[inline(never)]
#[cfg(target_arch = "x86_64")]
fn prefetch(byte: u8) {
    let table = black_box([7_i8; 256]);
    // SAFETY: of any address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(table.as_ptr().wrapping_add(usize::from(byte))) };
}

#[inline(never)]
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn branch_on_256_bits(byte: u8) {
    let bit = _mm256_set1_epi64x(i64::from(byte & 1));
    if _mm256_testz_si256(bit, bit) == 0 {
        std::thread::yield_now();
    }
}

#[inline(never)]
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn gather(byte: u8) {
    let table = black_box([7_i32; 256]);
    let places = _mm256_set1_epi32(i32::from(byte));
    // SAFETY: each place is below 256.
    let found = unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr(), places) };
    black_box(found);
}

#[inline(never)]
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn branch_on_mask(byte: u8) {
    let bit = _mm512_set1_epi64(i64::from(byte & 1));
    if _mm512_test_epi64_mask(bit, bit) != 0 {
        std::thread::yield_now();
    }
}
