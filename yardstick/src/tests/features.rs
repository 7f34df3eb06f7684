//! The needs that a row states are the features that its file enables; of POLYVAL one list is both, but a row could be
//! lost.

use std::path::Path;
use wegman::Cpu;
use wegman_reference::kernels::Layer;

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
