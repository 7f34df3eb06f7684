//! The needs of POLYVAL's rows are the features that its files enable. The rows and the field are Carter's, so this
//! reads the sources of two crates and is not in the package. That the program has the needs which the source states
//! is tested beside the rows, in `wegman-carter`.

use std::path::Path;
use wegman_reference::kernels::Layer;

#[test]
fn polyvals_needs_are_what_the_files_enable() {
    Layer {
        name: "POLYVAL",
        root: Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")),
        file: "carter/src/rows.rs",
        folders: &["yardstick/src/polyval/hash", "carter/src/field", "carter/src/rows"],
        here: Vec::new(),
    }
    .check_sources();
}
