//! A kernel's stated needs are what its file enables; of PMAC's the compiler sees to it (`Needs::enabled_by`).
//! `WEGMAN_REQUIRE_KERNELS` is the catalogue's test.

use crate::cipher::aes;
use crate::cpu::Cpu;
use crate::rows::Row;
use crate::umac::{l1_nh, packet};
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
    layer("NH", l1_nh::ROWS, "src/umac/l1_nh.rs", &["src/umac/l1_nh"]).check();
    layer("packets", packet::ROWS, "src/umac/packet.rs", &["src/umac/packet"]).check();
}

/// Where no packet row fits, the first parts of AVX-512 are enough for the avx512 row of NH, and the tags are the same.
/// Skylake-X and Cascade Lake, which have AVX2 too, take the packets of AVX2.
#[test]
fn nh_in_wide_registers_without_packets() {
    let needs = |rows: &[Row<l1_nh::Kernels>]| {
        rows.iter().find(|row| row.name == "avx512").map(|row| row.needs)
    };
    let Some(needs) = needs(l1_nh::ROWS) else { return };
    let cpu = Cpu::detect();
    if !cpu.meets(needs) {
        eprintln!("NOT run: this machine has no AVX-512");
        return;
    }
    let few = cpu.only(needs.and(crate::cpu::Needs::AES).and(crate::cpu::Needs::SSE2));
    assert!(Row::best(packet::ROWS, few).is_none(), "packets need more than NH");
    let (old, new) = (
        crate::umac::Key::<16>::with_cpu(few, &super::SECRET),
        crate::umac::Key::<16>::with_cpu(cpu, &super::SECRET),
    );
    let portable = crate::umac::Key::<16>::with_cpu(Cpu::PORTABLE, &super::SECRET);
    assert_eq!(old.kernel(), "avx512");
    let mut random = wegman_reference::inputs::Random(77);
    let message = random.message(20_000);
    for length in (0..300).chain([1023, 1024, 1025, 2048, 4097, 20_000]) {
        let nonce = crate::nonce::Nonce::counter(length as u64);
        let tag = portable.tag_under(&nonce, &message[..length]);
        assert_eq!(old.tag_under(&nonce, &message[..length]), tag, "{length} bytes");
        assert_eq!(new.tag_under(&nonce, &message[..length]), tag, "{length} bytes");
    }
}
