//! A kernel's stated needs are what its file enables; of PMAC's the compiler sees to it (`Needs::enabled_by`).
//! `WEGMAN_REQUIRE_KERNELS` is the catalogue's test.

use super::SECRET;
use crate::cipher::{Aes128, aes};
use crate::cpu::{Cpu, FEATURES};
use crate::parts::MASKS;
use crate::umac::packet;
use crate::{pmac, umac};
use std::collections::BTreeSet;
use std::path::Path;
use wegman_reference::kernels::{Layer, enabled_in, has};

/// A layer in this crate, and the kernels that this machine can run.
fn layer(
    name: &'static str,
    here: impl Iterator<Item = (&'static str, Cpu)>,
    file: &'static str,
    folders: &'static [&'static str],
) -> Layer {
    let here = here.map(|(name, cpu)| (name, cpu.features().collect())).collect();
    Layer { name, root: Path::new(env!("CARGO_MANIFEST_DIR")), file, folders, here }
}

#[test]
fn needs_are_what_the_files_enable() {
    let cpu = Cpu::detect();
    layer("AES", aes::ROWS.kernels(cpu), "src/cipher/aes.rs", &["src/cipher/aes"]).check();
    let folders = &["src/umac/packet", "src/umac/l1_nh"];
    layer("UMAC", packet::ROWS.kernels(cpu), "src/umac/packet.rs", folders).check();
}

/// PMAC's rows enable what they need, but one could be lost.
#[test]
fn no_row_of_pmac_is_left_out() {
    let here = pmac::Key::<Aes128, 16>::kernels(Cpu::detect());
    layer("PMAC", here, "src/pmac/sum.rs", &[]).check_none_is_left_out();
}

#[test]
fn features_are_those_that_the_standard_library_detects() {
    let all = FEATURES.iter().map(|(name, _)| *name);
    assert_eq!(
        Cpu::detect().features().collect::<Vec<_>>(),
        all.filter(|name| has(name)).collect::<Vec<_>>()
    );
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
