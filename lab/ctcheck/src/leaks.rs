//! Deliberate leaks of a tag's byte, which must be found after every kernel.
#![allow(unsafe_code)]

use crate::cases::{Case, Cases};
use std::hint::black_box;
use wegman::Cpu;

/// A way to leak: its name, a word of what must be reported, and what it does.
pub type Leak = (&'static str, &'static str, fn(u8));

/// Those that every machine has.
pub static LEAKS: [Leak; 3] = [
    ("a branch on a byte", "jump", leak_by_branch),
    ("an index into a table", "address", leak_by_address),
    ("a division", "divides", divide),
];

/// A tag that leaks in each of these ways, after each kernel.
pub fn leaking(leaks: &[Leak]) -> Vec<Case> {
    let mut cases = Cases { are_traced: true, all: Vec::new() };
    for name in ["UMAC-64", "Carter-128", "PMAC-AES128"] {
        let found = wegman_catalogue::find(name).expect("it is listed");
        for &(name, _, leak) in leaks {
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

/// Those that need instructions of this machine, where it has them.
#[cfg(target_arch = "x86_64")]
pub mod wide {
    use super::Leak;
    use std::arch::x86_64::*;
    use std::hint::black_box;

    pub fn leaks() -> impl Iterator<Item = Leak> {
        let [avx2, avx512] =
            [is_x86_feature_detected!("avx2"), is_x86_feature_detected!("avx512f")];
        let all: [(bool, Leak); 4] = [
            (true, ("a prefetch", "address", prefetch)),
            // SAFETY: only those that the machine has the instructions for are handed out.
            (avx2, ("a branch on a register of 256 bits", "jump", |b| unsafe { branch_on_ymm(b) })),
            // SAFETY: as above.
            (avx2, ("a gather", "may not occur", |b| unsafe { gather(b) })),
            // SAFETY: as above.
            (avx512, ("a branch on a mask of AVX-512", "jump", |b| unsafe { branch_on_mask(b) })),
        ];
        all.into_iter().filter(|(runs, _)| *runs).map(|(_, leak)| leak)
    }

    fn prefetch(byte: u8) {
        let table = black_box([7_i8; 256]);
        // SAFETY: of any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(table.as_ptr().wrapping_add(usize::from(byte))) };
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn branch_on_ymm(byte: u8) {
        let bit = _mm256_set1_epi64x(i64::from(byte & 1));
        if _mm256_testz_si256(bit, bit) == 0 {
            std::thread::yield_now();
        }
    }

    #[inline(never)]
    #[target_feature(enable = "avx2")]
    fn gather(byte: u8) {
        let table = black_box([7_i32; 256]);
        let places = _mm256_set1_epi32(i32::from(byte));
        // SAFETY: each place is below 256.
        let found = unsafe { _mm256_i32gather_epi32::<4>(table.as_ptr(), places) };
        black_box(found);
    }

    #[inline(never)]
    #[target_feature(enable = "avx512f")]
    fn branch_on_mask(byte: u8) {
        let bit = _mm512_set1_epi64(i64::from(byte & 1));
        if _mm512_test_epi64_mask(bit, bit) != 0 {
            std::thread::yield_now();
        }
    }
}
