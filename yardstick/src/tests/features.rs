//! The needs that a row states are the features that its file enables; of POLYVAL one list is both.

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
