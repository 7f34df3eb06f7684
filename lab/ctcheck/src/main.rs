//! Runs the library on secrets that valgrind watches (`make ctcheck`): user keys, hash keys, messages
//! and tags are undefined memory to it; lengths, positions and nonces are not. A branch or an address
//! that depends on a secret is an error with its stack trace.
//!
//! `wegman-ctcheck kernels` names the kernels of this machine, or of the one valgrind imitates.
//! `wegman-ctcheck leak-branch` and `leak-address` do what must be found, with a tag's byte.
//!
//! What this cannot find: instructions whose own time depends on their operands, and code of kernels
//! that valgrind does not execute. Sums are edited on the portable row only, with a cipher that makes
//! the keys' fingerprints public; no cipher here has blocks of 8 bytes.

mod aes;
mod catalogue;
mod edits;
mod historical;
mod leaks;
mod secrets;
mod segments;
mod universal;
mod valgrind;
mod verify;
mod yardstick;

use leaks::{Leak, leak};
use secrets::Messages;
use wegman::{Aes128, Cpu};
use wegman_historical::umac_1999::Std60;
use wegman_historical::{Umac1999, Umac2000, umac_2000};

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("kernels") => print_kernels(),
        Some("leak-branch") => leak(Leak::Branch),
        Some("leak-address") => leak(Leak::Address),
        Some(other) => {
            eprintln!("wegman-ctcheck: {other}? kernels, leak-branch, leak-address or nothing");
            std::process::exit(2);
        }
        None => {
            assert!(valgrind::is_running(), "without valgrind nobody watches: make ctcheck");
            check_all();
        }
    }
}

/// The kernels of this machine, each once.
fn print_kernels() {
    let cpu = Cpu::detect();
    let mut all: Vec<_> = wegman::umac::Key::<8>::kernels(cpu)
        .chain(wegman::pmac::Key::<Aes128, 16>::kernels(cpu))
        .chain(wegman_carter::Carter128::<Aes128, 12>::kernels(cpu))
        .chain(Umac2000::kernels(cpu, &umac_2000::Parameters::UMAC16))
        .chain(Umac1999::<Std60>::kernels(cpu))
        .map(|(name, _)| name)
        .collect();
    all.sort_unstable();
    all.dedup();
    all.iter().for_each(|name| println!("{name}"));
}

fn check_all() {
    let messages = Messages::new();
    for check in [
        catalogue::check,
        verify::check,
        historical::check,
        yardstick::check,
        universal::check,
        aes::check,
        segments::check,
        edits::check,
    ] {
        check(&messages);
    }
}
