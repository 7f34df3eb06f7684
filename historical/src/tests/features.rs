//! A kernel's stated needs are what its file enables. `WEGMAN_REQUIRE_KERNELS` is the catalogue's test.

use crate::{l1_nh16, umac_1999::nh, umac16};
use std::path::Path;
use wegman::Cpu;
use wegman::hazmat::rows::Row;
use wegman_reference::kernels::Layer;

/// A layer in this crate.
fn layer<F: 'static>(
    name: &'static str,
    here: impl Iterator<Item = &'static Row<F>>,
    file: &'static str,
    folders: &'static [&'static str],
) -> Layer {
    let here = here.map(|row| (row.name, row.needs.names().collect())).collect();
    Layer { name, root: Path::new(env!("CARGO_MANIFEST_DIR")), file, folders, here }
}

#[test]
fn needs_are_what_the_files_enable() {
    let cpu = Cpu::detect();
    let (file, folder) = ("src/l1_nh16.rs", &["src/l1_nh16"]);
    layer("NH of 16-bit words", l1_nh16::ROWS.fitting(cpu), file, folder).check();
    let (file, folder) = ("src/umac16/packet.rs", &["src/umac16/packet"]);
    layer("packets of 16-bit words", umac16::packet::ROWS.fitting(cpu), file, folder).check();
    let (file, folder) = ("src/umac_1999/nh.rs", &["src/umac_1999/nh"]);
    layer("NH of the STD sets", nh::ROWS.fitting(cpu), file, folder).check();
}
