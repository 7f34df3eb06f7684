//! A kernel's stated needs are what its file enables; of PMAC's the compiler sees to it (`Needs::enabled_by`).
//! `WEGMAN_REQUIRE_KERNELS` is the catalogue's test.

use crate::cipher::aes;
use crate::cpu::Cpu;
use crate::rows::Row;
use crate::umac::packet;
use std::path::Path;
use wegman_reference::kernels::Layer;

/// A layer in this crate.
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

#[test]
fn needs_are_what_the_files_enable() {
    layer("AES", aes::ROWS, "src/cipher/aes.rs", &["src/cipher/aes"]).check();
    let folders = &["src/umac/packet", "src/umac/l1_nh"];
    layer("UMAC", packet::ROWS, "src/umac/packet.rs", folders).check();
}
