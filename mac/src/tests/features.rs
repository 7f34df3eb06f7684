//! A kernel's stated needs are what its file enables; the compiler sees to it (`Needs::enabled_by`) in all tables but
//! these.
//! `WEGMAN_REQUIRE_KERNELS` is the catalogue's test.

use super::SECRET;
use super::kernels::{Layer, enabled_in};
use crate::cipher::{Aes128, aes};
use crate::cpu::Cpu;
use crate::parts::MASKS;
use crate::rows::Row;
use crate::umac::packet;
use crate::{pmac, umac};
use std::collections::BTreeSet;

/// A layer in this crate.
fn layer<K>(
    name: &'static str,
    rows: &'static [Row<K>],
    file: &'static str,
    folders: &'static [&'static str],
) -> Layer {
    let here = Row::fitting(rows, Cpu::detect());
    let here = here.map(|row| (row.name, row.needs.names().collect())).collect();
    Layer { name, file, folders, here }
}

#[test]
fn needs_are_what_the_files_enable() {
    layer("AES", aes::ROWS, "src/cipher/aes.rs", &["src/cipher/aes"]).check();
    let folders = &["src/umac/packet", "src/umac/l1_nh"];
    layer("UMAC", packet::ROWS, "src/umac/packet.rs", folders).check();
}

/// A key joins parts in registers only if its own `Cpu` has what that needs.
#[test]
fn parts_are_joined_with_the_features_of_the_key() {
    for (kernel, cpu) in umac::Key::<8>::kernels(Cpu::detect()) {
        let masked = umac::Key::<8>::with_cpu(cpu, &SECRET).joins_masked();
        assert_eq!(masked, cpu.meets(MASKS), "UMAC, {kernel}");
    }
    for (kernel, cpu) in pmac::Key::<Aes128, 16>::kernels(Cpu::detect()) {
        let masked = pmac::Key::<Aes128, 16>::with_cpu(cpu, &SECRET).joins_masked;
        assert_eq!(masked, cpu.meets(MASKS), "PMAC, {kernel}");
    }
}

/// No row needs it, so it is compared here.
#[test]
fn parts_enable_what_was_detected() {
    let cpu = include_str!("../cpu.rs").split_once("cpufeatures::new!(byte_masks, \"");
    let (detected, _) = cpu.and_then(|(_, rest)| rest.split_once("\")")).expect("one place");
    let detected = detected.split("\", \"").map(str::to_owned).collect();
    assert_eq!(enabled_in(include_str!("../parts.rs")), detected);
    assert_eq!(MASKS.names().map(str::to_owned).collect::<BTreeSet<_>>(), detected);
}
