//! The needs that a row states are the features that its file enables; of POLYVAL the compiler sees to it
//! (`Needs::enabled_by`).

use std::path::Path;
use wegman::Cpu;
use wegman::hazmat::rows::Row;
use wegman_reference::kernels::Layer;

#[test]
fn needs_are_what_the_files_enable() {
    fn layer<K>(
        name: &'static str,
        rows: &'static [Row<K>],
        file: &'static str,
        folders: &'static [&'static str],
    ) -> Layer {
        let here = Row::fitting(rows, Cpu::detect());
        let here = here.map(|row| (row.name, row.needs.names().collect())).collect();
        Layer { name, root: Path::new(env!("CARGO_MANIFEST_DIR")), file, folders, here }
    }
    layer("pieces", crate::pieces::ROWS, "src/pieces.rs", &["src/pieces"]).check();
    let (file, folder) = ("src/hash127/sum.rs", &["src/hash127/sum"]);
    layer("hash127", crate::hash127::sum::ROWS, file, folder).check();
}
