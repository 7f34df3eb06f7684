//! Classes of instructions: every engine held to one of them, as on a machine that has no more. So the tables of
//! machines without AVX-512 can be made on one that has it.
//!
//! Ours takes a smaller [`Cpu`]. Libraries look at the processor themselves, some before `main`, so a class is
//! measured in a process of its own, with variables that they read ([`Class::command`]); others are told when they
//! are set up (`rivals/`). What a library then reports is checked. Engines that can't be restricted are left out of the
//! classes that have less than they may use.

use crate::named::named;
use std::process::Command;
use wegman::Cpu;
use wegman::cpu::Needs;

named! {
    /// The instructions of a kind of machine, the smallest first. SHA instructions are in all of them: machines of each
    /// class have them.
    pub enum Class {
        /// Vectors of 128 bits, AES, carry-less products; no AVX.
        Sse = "sse",
        /// And vectors of 256 bits: Haswell to Comet Lake, Zen 1 and 2.
        Avx2 = "avx2",
        /// And AES and carry-less products on them: Zen 3, Alder Lake.
        Vaes256 = "vaes256",
        /// All that the machine has.
        Avx512 = "avx512",
    }
}

/// Names the class to a process that is held to it.
const VARIABLE: &str = "WEGMAN_BENCH_CLASS";

impl Class {
    /// What makes the class, beside smaller ones. Every row that needs a feature without a place here needs one of these,
    /// too.
    fn adds(self) -> Needs {
        match self {
            Class::Sse => Needs::SSSE3.and(Needs::AES).and(Needs::PCLMULQDQ),
            Class::Avx2 => Needs::AVX2.and(Needs::BMI2),
            Class::Vaes256 => Needs::VAES.and(Needs::VPCLMULQDQ),
            Class::Avx512 => Needs::AVX512F.and(Needs::AVX512BW).and(Needs::AVX512VL),
        }
    }

    fn larger(self) -> impl Iterator<Item = Class> {
        Class::ALL.into_iter().filter(move |&class| class > self)
    }

    /// This machine without what larger classes have.
    pub fn cpu(self) -> Cpu {
        self.larger().fold(Cpu::detect(), |cpu, class| cpu.without(class.adds()))
    }

    /// Whether this machine has what makes the class.
    pub fn is_here(self) -> bool {
        let mut up_to_it = Class::ALL.into_iter().filter(|&class| class <= self);
        cfg!(target_arch = "x86_64") && up_to_it.all(|class| Cpu::detect().meets(class.adds()))
    }

    /// The class that this process is held to, if it is.
    pub fn of_process() -> Option<Class> {
        let name = std::env::var(VARIABLE).ok()?;
        Class::ALL.into_iter().find(|class| class.name() == name)
    }

    /// This program once more with the same arguments, held to the class by variables that libraries read before `main`.
    pub fn command(self) -> std::io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(std::env::args_os().skip(1)).env(VARIABLE, self.name());
        if self < Class::Avx512 {
            let [leaf_1, leaf_7] = self.hidden_from_openssl();
            command.env("OPENSSL_ia32cap", format!("~{leaf_1:#x}:~{leaf_7:#x}"));
            // All that Nettle has code for; some distant version may look for more.
            command.env("NETTLE_FAT_OVERRIDE", "vendor:intel,aesni,sha_ni,pclmul");
            // The copies of the C library, which others call.
            let hidden: Vec<&str> = self.larger().map(|class| class.beyond().0).collect();
            command.env("GLIBC_TUNABLES", format!("glibc.cpu.hwcaps={}", hidden.join(",")));
        }
        Ok(command)
    }

    /// The bits of CPUID that OpenSSL must not see, of two leaves.
    pub fn hidden_from_openssl(self) -> [u64; 2] {
        let hidden = |leaf: usize| self.larger().flat_map(move |class| class.beyond().1[leaf]);
        [0, 1].map(|leaf| hidden(leaf).fold(0, |all, bit| all | 1 << bit))
    }

    /// What a class has beyond smaller ones: without these the C library is in a smaller one; and the bits of CPUID:
    /// registers EDX and ECX of leaf 1, then EBX and ECX of leaf 7, the first one lower.
    fn beyond(self) -> (&'static str, [&'static [u32]; 2]) {
        match self {
            Class::Sse => ("", [&[], &[]]),
            // FMA, XOP, MOVBE, AVX, F16C; BMI1, AVX2, BMI2, ADX.
            Class::Avx2 => {
                ("-AVX2,-AVX,-FMA,-BMI1,-BMI2,-MOVBE", [&[44, 43, 54, 60, 61], &[3, 5, 8, 19]])
            }
            // VAES, VPCLMULQDQ, and GFNI, which came with them.
            Class::Vaes256 => ("-VAES,-VPCLMULQDQ", [&[], &[41, 42, 40]]),
            // F, DQ, IFMA, PF, ER, CD, BW, VL; VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ.
            Class::Avx512 => (
                "-AVX512F,-AVX512BW,-AVX512VL,-AVX512DQ,-AVX512CD",
                [&[], &[16, 17, 21, 26, 27, 28, 30, 31, 33, 38, 43, 44, 46]],
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wegman_catalogue::ALGORITHMS;

    #[test]
    fn a_larger_class_hides_less() {
        for pair in Class::ALL.windows(2) {
            let [small, large] = [pair[0], pair[1]];
            assert!(small < large);
            let names = |class: Class| -> Vec<&str> { class.cpu().features().collect() };
            assert!(names(small).iter().all(|name| names(large).contains(name)));
            let [of_small, of_large] = [small, large].map(Class::hidden_from_openssl);
            assert!((0..2).all(|i| of_small[i] & of_large[i] == of_large[i]));
            assert!(of_small != of_large, "{small}, {large}");
            assert!(small.is_here() || !large.is_here());
        }
        assert_eq!(Class::Avx512.cpu(), Cpu::detect());
        assert_eq!(Class::Avx512.hidden_from_openssl(), [0, 0]);
        let all = [0x3040_1800_0000_0000, 0x5f42_dc2b_0128];
        assert_eq!(Class::Sse.hidden_from_openssl(), all);
        let rows = ALGORITHMS.iter().flat_map(|one| one.kernels(Class::Sse.cpu()));
        assert!(rows.into_iter().all(|(row, _)| !row.contains("avx") && !row.starts_with('v')));
    }
}
