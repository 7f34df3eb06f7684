//! Constant time, seen from outside: the library runs in several processes under different secrets, instruction by
//! instruction, and each must execute the same instructions at the same addresses of memory (`make ctcheck`). The
//! processor itself executes them, so this sees the kernels that valgrind does not know: AVX-512, VAES, VPCLMULQDQ.
//!
//! What a secret is: the key's bytes and the message's. What is compared, before each instruction: its address, the stack
//! pointer, the addresses of its operands in memory, and the numbers that it divides. Gathers and scatters, whose addresses
//! are in vectors, and `pdep` and `pext`, which are slow for some operands on old processors, may not occur.
//!
//! What this cannot find: a branch that none of the secrets takes, and instructions whose own time depends on their
//! operands. The secrets are random, all zeroes, all ones, and for UMAC such that outputs of NH lie on the limit of
//! POLY-64, where a reduction could have a branch.
//!
//! `wegman-cttrace [KERNEL...]` watches these kernels, or all of the machine; with `--first`, up to the first finding.
//! `wegman-cttrace --leaks [KERNEL...]` lets a tag of each kernel leak in each way, and fails if one is not found.
#![cfg_attr(not(all(target_os = "linux", target_arch = "x86_64")), allow(dead_code))]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod cases;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod leaks;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod step;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod watch;

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> anyhow::Result<std::process::ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--secrets", number, what, kernels @ ..] => {
            watch::run_watched(number.parse()?, *what == "leaks", kernels)?;
            Ok(std::process::ExitCode::SUCCESS)
        }
        ["--leaks", kernels @ ..] => watch::leaks_are_found(kernels),
        ["--first", kernels @ ..] => watch::nothing_is_found(kernels, true),
        kernels => watch::nothing_is_found(kernels, false),
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() -> std::process::ExitCode {
    eprintln!("wegman-cttrace: traces are for Linux on x86-64");
    std::process::ExitCode::from(2)
}
