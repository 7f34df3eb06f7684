//! The needs that a row states are the features that its file enables. Of POLYVAL one list is both, but for the file of
//! AVX-512's packets; and a row could be lost.

use crate::hash127::sum;
use crate::polyval::hash;
use std::collections::BTreeSet;
use std::path::Path;
use wegman::Cpu;
use wegman::hazmat::rows::Rows;
use wegman_reference::kernels::{Layer, enabled_in};

fn layer<F>(
    name: &'static str,
    rows: &'static Rows<F>,
    file: &'static str,
    folders: &'static [&'static str],
) -> Layer {
    let here = rows.fitting(Cpu::detect());
    let here = here.map(|row| (row.name, row.needs.names().collect())).collect();
    Layer { name, root: Path::new(env!("CARGO_MANIFEST_DIR")), file, folders, here }
}

#[test]
fn needs_are_what_the_files_enable() {
    layer("hash127", &sum::ROWS, "src/hash127/sum.rs", &["src/hash127/sum"]).check();
}

#[test]
fn no_row_of_polyval_is_left_out() {
    layer("POLYVAL", &hash::ROWS, "src/polyval/hash.rs", &[]).check_none_is_left_out();
}

#[test]
fn polyvals_packets_enable_what_their_row_needs() {
    let enabled = enabled_in(include_str!("../polyval/hash/avx512.rs"));
    for row in hash::ROWS.fitting(Cpu::detect()) {
        if row.name == "avx512" {
            assert_eq!(row.needs.names().map(str::to_owned).collect::<BTreeSet<_>>(), enabled);
        }
    }
}
