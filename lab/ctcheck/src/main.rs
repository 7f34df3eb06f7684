//! Runs the library on secrets (`make ctcheck`). A branch or an address that depends on one is an error with its stack
//! trace. Under valgrind, user keys, hash keys, messages and tags are undefined memory; lengths, positions and nonces are
//! not.
//!
//! | argument | what |
//! |---|---|
//! | none | everything, under valgrind |
//! | `kernels` | names the kernels of this machine, or of the one valgrind imitates |
//! | `leak-branch`, `leak-address` | what must be found, with a tag's byte, under valgrind |
//! | `trace [--first\|--leaks] KERNEL...` | instruction by instruction, where valgrind executes no code: see `trace` |
//!
//! What this cannot find: instructions whose own time depends on their operands. Sums are edited on the portable row only,
//! with a cipher that makes the keys' fingerprints public; no cipher here has blocks of 8 bytes.

mod cases;
mod catalogue;
mod leaks;
mod segments;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod step;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod trace;
mod universal;
mod unlisted;
mod valgrind;
mod verify;
mod watch;

use leaks::{LEAKS, leaking};
use std::collections::BTreeSet;
use std::process::ExitCode;
use wegman_catalogue::{ALGORITHMS, Cpu};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        // Those of this machine, each once.
        ["kernels"] => {
            let all = ALGORITHMS.iter().flat_map(|algorithm| algorithm.kernels(Cpu::detect()));
            let names: BTreeSet<&str> = all.map(|(name, _)| name).collect();
            names.iter().for_each(|name| println!("{name}"));
        }
        ["leak-branch"] => watch::by_valgrind(&leaking(&LEAKS[..1])),
        ["leak-address"] => watch::by_valgrind(&leaking(&LEAKS[1..2])),
        #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
        ["trace", words @ ..] => {
            return trace::main(words).unwrap_or_else(|error| {
                eprintln!("wegman-ctcheck: {error:#}");
                ExitCode::from(2)
            });
        }
        [] => {
            assert!(valgrind::is_running(), "without valgrind nobody watches: make ctcheck");
            watch::by_valgrind(&watch::all(false));
        }
        _ => {
            eprintln!("wegman-ctcheck: kernels, leak-branch, leak-address, trace or nothing");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}
