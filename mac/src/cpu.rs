//! Which instructions a kernel may use. Knows no MAC and no kernel.
//!
//! [`Cpu`] is a set of features that this machine has. Only [`Cpu::detect`] makes a non-empty set, and every other
//! method only removes features, so a kernel chosen from a `Cpu` never runs an instruction that the machine lacks.

use core::fmt;

/// The CPU features that a kernel needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Needs(u32);

macro_rules! features {
    ($($(#[$about:meta])* $name:ident = $bit:literal $text:literal,)*) => {
        /// Every known feature, by its name in `#[target_feature(enable = "...")]`.
        pub(crate) const FEATURES: &[(&str, Needs)] = &[$(($text, Needs::$name)),*];

        impl Needs {
            /// No features: what portable rows need.
            pub const NONE: Needs = Needs(0);
            $($(#[$about])* pub const $name: Needs = Needs(1 << $bit);)*
        }
    };
}

features! {
    /// x86: 128-bit integer vectors.
    SSE2 = 0 "sse2",
    /// x86: byte shuffles.
    SSSE3 = 1 "ssse3",
    /// x86: 256-bit integer vectors.
    AVX2 = 2 "avx2",
    /// x86: 512-bit vectors.
    AVX512F = 3 "avx512f",
    /// x86: 512-bit vectors of bytes and 16-bit words.
    AVX512BW = 4 "avx512bw",
    /// x86: AVX-512 instructions on 128- and 256-bit vectors.
    AVX512VL = 5 "avx512vl",
    /// x86: products of 52-bit numbers, accumulated, in 512-bit vectors.
    AVX512IFMA = 9 "avx512ifma",
    /// x86: shuffles of bytes across 512-bit vectors.
    AVX512VBMI = 10 "avx512vbmi",
    /// x86: sums of products of 16-bit numbers, accumulated, in 512-bit vectors.
    AVX512VNNI = 12 "avx512vnni",
    /// x86: bit field instructions on general registers.
    BMI2 = 11 "bmi2",
    /// x86 or ARM: AES rounds on 128-bit vectors; ARM: carry-less products, too.
    AES = 6 "aes",
    /// x86: AES rounds on 256-bit vectors (512-bit ones together with [`AVX512F`](Self::AVX512F)).
    VAES = 7 "vaes",
    /// x86: carry-less products in 128-bit vectors.
    PCLMULQDQ = 13 "pclmulqdq",
    /// x86: carry-less products in 256-bit vectors (512-bit ones together with [`AVX512F`](Self::AVX512F)).
    VPCLMULQDQ = 14 "vpclmulqdq",
    /// x86: what AMD's processors have, and Intel's lack.
    SSE4A = 16 "sse4a",
    /// ARM: 128-bit vectors.
    NEON = 8 "neon",
    /// WebAssembly: 128-bit vectors.
    SIMD128 = 15 "simd128",
}

impl Needs {
    /// Both sets together.
    #[must_use]
    pub const fn and(self, other: Needs) -> Needs {
        Needs(self.0 | other.0)
    }

    /// The features in a list as `#[target_feature]` has it.
    #[must_use]
    pub const fn listed(list: &str) -> Needs {
        let (list, mut all, mut start, mut end) = (list.as_bytes(), 0, 0, 0);
        while end <= list.len() {
            if end == list.len() || list[end] == b',' {
                let mut i = 0;
                while !is_at(FEATURES[i].0.as_bytes(), list, start, end) {
                    i += 1; // ends with a panic if there is no such feature
                }
                all |= FEATURES[i].1.0;
                start = end + 1;
            }
            end += 1;
        }
        Needs(all)
    }

    /// These needs, if they are the features in a list. A table of rows calls it where a constant is computed, so a
    /// difference is an error of the compiler.
    #[must_use]
    pub const fn enabled_by(self, list: &str) -> Needs {
        let all = Needs::listed(list);
        assert!(self.0 == all.0, "a row's needs are the features that its functions enable");
        self
    }

    /// Whether these needs include all of `others`.
    #[must_use]
    pub const fn include(self, others: Needs) -> bool {
        others.0 & !self.0 == 0
    }

    /// The features' names, as `#[target_feature]` spells them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        FEATURES.iter().filter(move |(_, one)| one.0 & self.0 != 0).map(|&(name, _)| name)
    }
}

const fn is_at(name: &[u8], list: &[u8], start: usize, end: usize) -> bool {
    let mut i = 0;
    while i < name.len() && start + i < end && name[i] == list[start + i] {
        i += 1;
    }
    i == name.len() && start + i == end
}

impl fmt::Debug for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}

/// The features of this machine, or some of them. The set can only shrink.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Cpu(u32);

impl Cpu {
    /// No features: every key made with it uses portable kernels. Their AES is the crate `aes`, which asks the machine
    /// itself and uses its AES instructions.
    pub const PORTABLE: Cpu = Cpu(0);

    /// The features of this machine. Nothing else queries it, but for how parts of messages are copied
    /// (`parts.rs`): what a key says of its features proves nothing to a safe function.
    #[must_use]
    pub fn detect() -> Cpu {
        Cpu(detect::features().iter().filter(|(_, has)| *has).fold(0, |set, (one, _)| set | one.0))
    }

    /// This set without the given features.
    #[must_use]
    pub const fn without(self, needs: Needs) -> Cpu {
        Cpu(self.0 & !needs.0)
    }

    /// The features that are both in this set and in the given one.
    #[must_use]
    pub const fn only(self, needs: Needs) -> Cpu {
        Cpu(self.0 & needs.0)
    }

    /// Whether this set has every feature of `needs`.
    #[must_use]
    pub const fn meets(self, needs: Needs) -> bool {
        needs.0 & !self.0 == 0
    }

    /// The names of the features, as `#[target_feature]` spells them.
    pub fn features(self) -> impl Iterator<Item = &'static str> {
        Needs(self.0).names()
    }
}

impl fmt::Debug for Cpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.features()).finish()
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use detect::has_byte_masks;

#[cfg(target_arch = "x86_64")]
mod detect {
    use super::Needs;

    cpufeatures::new!(sse2, "sse2");
    cpufeatures::new!(byte_masks, "avx512f", "avx512bw", "bmi2");
    cpufeatures::new!(ssse3, "ssse3");
    cpufeatures::new!(avx2, "avx2");
    cpufeatures::new!(avx512f, "avx512f");
    cpufeatures::new!(avx512bw, "avx512bw");
    cpufeatures::new!(avx512vl, "avx512vl");
    cpufeatures::new!(avx512ifma, "avx512ifma");
    cpufeatures::new!(avx512vbmi, "avx512vbmi");
    cpufeatures::new!(bmi2, "bmi2");
    cpufeatures::new!(aes, "aes");
    cpufeatures::new!(pclmulqdq, "pclmulqdq");

    /// Features that `cpufeatures` 0.3.1 does not know, and two (VAES, VPCLMULQDQ) that it does not report on
    /// the many processors without 512-bit registers. CPUID costs thousands of cycles in a virtual machine, so it is
    /// asked once.
    #[cfg(not(miri))]
    mod cpuid {
        use core::arch::x86_64::{__cpuid, __cpuid_count};
        use core::sync::atomic::{AtomicU32, Ordering};

        const VAES: u32 = 1 << 9;
        const VPCLMULQDQ: u32 = 1 << 10;
        const VNNI: u32 = 1 << 11;
        /// Of another register, where the first has no bit that is asked for.
        const SSE4A: u32 = 1 << 6;
        /// No answer yet: this bit of the register is reserved.
        const UNKNOWN: u32 = 1 << 26;
        static ANSWER: AtomicU32 = AtomicU32::new(UNKNOWN);

        /// AVX2 shows that the operating system saves 256-bit registers.
        pub(super) fn vaes() -> bool {
            super::avx2::get() && answer() & VAES != 0
        }

        /// As for VAES.
        pub(super) fn vpclmulqdq() -> bool {
            super::avx2::get() && answer() & VPCLMULQDQ != 0
        }

        /// AVX-512 shows that the operating system saves 512-bit registers.
        pub(super) fn vnni() -> bool {
            super::avx512f::get() && answer() & VNNI != 0
        }

        pub(super) fn sse4a() -> bool {
            answer() & SSE4A != 0
        }

        fn answer() -> u32 {
            match ANSWER.load(Ordering::Relaxed) {
                UNKNOWN => {
                    let answer = ask();
                    ANSWER.store(answer, Ordering::Relaxed);
                    answer
                }
                answer => answer,
            }
        }

        /// Register ECX of CPUID leaf 7 and of leaf 1 of those that AMD defined, the known bits only.
        #[allow(unsafe_code)]
        #[allow(unused_unsafe, reason = "safe functions since Rust 1.94")]
        fn ask() -> u32 {
            const AMD: u32 = 0x8000_0000;
            // SAFETY: every processor of this architecture has the instruction.
            let ecx = |leaf: u32| unsafe {
                let last = __cpuid(leaf & AMD).eax;
                if last >= leaf { __cpuid_count(leaf, 0).ecx } else { 0 }
            };
            ecx(7) & (VAES | VPCLMULQDQ | VNNI) | ecx(AMD + 1) & SSE4A
        }
    }

    /// Miri has no CPUID; it has the features that the build enables.
    #[cfg(miri)]
    mod cpuid {
        pub(super) fn vaes() -> bool {
            cfg!(target_feature = "vaes")
        }

        pub(super) fn vpclmulqdq() -> bool {
            cfg!(target_feature = "vpclmulqdq")
        }

        pub(super) fn vnni() -> bool {
            false
        }

        pub(super) fn sse4a() -> bool {
            cfg!(target_feature = "sse4a")
        }
    }

    /// Whether this machine loads and stores 64 bytes under a mask.
    #[inline]
    pub(crate) fn has_byte_masks() -> bool {
        byte_masks::get()
    }

    pub(super) fn features() -> [(Needs, bool); 15] {
        [
            (Needs::SSE2, sse2::get()),
            (Needs::SSSE3, ssse3::get()),
            (Needs::AVX2, avx2::get()),
            (Needs::AVX512F, avx512f::get()),
            (Needs::AVX512BW, avx512bw::get()),
            (Needs::AVX512VL, avx512vl::get()),
            (Needs::AVX512IFMA, avx512ifma::get()),
            (Needs::AVX512VBMI, avx512vbmi::get()),
            (Needs::AVX512VNNI, cpuid::vnni()),
            (Needs::BMI2, bmi2::get()),
            (Needs::AES, aes::get()),
            (Needs::VAES, cpuid::vaes()),
            (Needs::PCLMULQDQ, pclmulqdq::get()),
            (Needs::VPCLMULQDQ, cpuid::vpclmulqdq()),
            (Needs::SSE4A, cpuid::sse4a()),
        ]
    }
}

#[cfg(target_arch = "aarch64")]
mod detect {
    use super::Needs;

    cpufeatures::new!(aes, "aes");

    pub(super) fn features() -> [(Needs, bool); 2] {
        // NEON is in the AArch64 baseline of every target for which Rust has an operating system.
        [(Needs::NEON, cfg!(target_feature = "neon")), (Needs::AES, aes::get())]
    }
}

#[cfg(target_arch = "wasm32")]
mod detect {
    use super::Needs;

    pub(super) fn features() -> [(Needs, bool); 1] {
        // A program that uses them does not even load where they are missing.
        [(Needs::SIMD128, cfg!(target_feature = "simd128"))]
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "wasm32")))]
mod detect {
    use super::Needs;

    pub(super) fn features() -> [(Needs, bool); 0] {
        []
    }
}
