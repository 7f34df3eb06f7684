//! The needs that a row states are the features that its file enables. Of POLYVAL one list is both, but for the file of
//! AVX-512's packets; and a row could be lost.

use std::collections::BTreeSet;
use std::path::Path;
use wegman::Cpu;
use wegman_reference::kernels::{Layer, enabled_in};

#[test]
fn needs_are_what_the_files_enable() {
    let here = crate::hash127::sum::ROWS.fitting(Cpu::detect());
    Layer {
        name: "hash127",
        root: Path::new(env!("CARGO_MANIFEST_DIR")),
        file: "src/hash127/sum.rs",
        folders: &["src/hash127/sum"],
        here: here.map(|row| (row.name, row.needs.names().collect())).collect(),
    }
    .check();
}

#[test]
fn no_row_of_polyval_is_left_out() {
    let here = crate::polyval::hash::ROWS.fitting(Cpu::detect());
    Layer {
        name: "POLYVAL",
        root: Path::new(env!("CARGO_MANIFEST_DIR")),
        file: "src/polyval/hash.rs",
        folders: &[],
        here: here.map(|row| (row.name, row.needs.names().collect())).collect(),
    }
    .check_none_is_left_out();
}

#[test]
fn polyvals_packets_enable_what_their_row_needs() {
    let enabled = enabled_in(include_str!("../polyval/hash/avx512.rs"));
    for row in crate::polyval::hash::ROWS.fitting(Cpu::detect()) {
        if row.name == "avx512" {
            assert_eq!(row.needs.names().map(str::to_owned).collect::<BTreeSet<_>>(), enabled);
        }
    }
}
