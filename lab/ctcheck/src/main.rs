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

use leaks::{leak, leak_by_address, leak_by_branch};
use secrets::Messages;
use std::collections::BTreeSet;
use wegman_catalogue::{ALGORITHMS, Cpu};

fn main() {
    match std::env::args().nth(1).as_deref() {
        // Those of this machine, each once.
        Some("kernels") => {
            let all = ALGORITHMS.iter().flat_map(|algorithm| algorithm.kernels(Cpu::detect()));
            let names: BTreeSet<&str> = all.map(|(name, _)| name).collect();
            names.iter().for_each(|name| println!("{name}"));
        }
        Some("leak-branch") => leak(leak_by_branch),
        Some("leak-address") => leak(leak_by_address),
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
