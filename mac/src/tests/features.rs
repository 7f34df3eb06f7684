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

#[cfg(feature = "historical")]
#[test]
fn needs_are_what_the_historical_files_enable() {
    use crate::historical::{l1_nh16, umac_1999::nh, umac16};

    let (file, folder) = ("src/historical/l1_nh16.rs", &["src/historical/l1_nh16"]);
    layer("NH of 16-bit words", l1_nh16::ROWS, file, folder).check();
    let (file, folder) = ("src/historical/umac16/packet.rs", &["src/historical/umac16/packet"]);
    layer("packets of 16-bit words", umac16::packet::ROWS, file, folder).check();
    let (file, folder) = ("src/historical/umac_1999/nh.rs", &["src/historical/umac_1999/nh"]);
    layer("NH of the STD sets", nh::ROWS, file, folder).check();
}
