//! A kernel's stated needs are what its file enables, and the kernels that must have run did.
//!
//! A row that states less than its file enables would run on machines that lack the instruction;
//! one that states more would never run on machines that have it. Neither shows in any tag.

use crate::carter::l1::Hash;
use crate::cipher::aes;
use crate::cpu::Cpu;
use crate::pmac::sum;
use crate::umac::l1_nh::Nh;
use crate::umac::l1_nh16::Nh16;
use crate::umac::packet::Packet;
use crate::umac16;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Names = BTreeSet<String>;

/// A layer with one kernel a file: the file with its rows, the folders with the kernels and what they share, and what
/// `all` yields on this machine.
struct Layer {
    name: &'static str,
    file: &'static str,
    folders: &'static [&'static str],
    here: fn() -> Vec<(&'static str, Names)>,
}

const LAYERS: &[Layer] = &[
    Layer {
        name: "AES",
        file: "src/cipher/aes.rs",
        folders: &["src/cipher/aes"],
        here: || {
            let rows = aes::rows(Cpu::detect());
            rows.map(|(name, needs)| (name, names(needs.names()))).collect()
        },
    },
    Layer {
        name: "NH",
        file: "src/umac/l1_nh.rs",
        folders: &["src/umac/l1_nh"],
        here: || {
            let rows = Nh::all(Cpu::detect(), 1);
            rows.map(|row| (row.name(), names(row.needs().names()))).collect()
        },
    },
    Layer {
        name: "NH of 16-bit words",
        file: "src/umac/l1_nh16.rs",
        folders: &["src/umac/l1_nh16"],
        here: || {
            let rows = Nh16::all(Cpu::detect());
            rows.map(|row| (row.name(), names(row.needs().names()))).collect()
        },
    },
    #[cfg(feature = "yardstick")]
    Layer {
        name: "NH of the STD sets",
        file: "src/umac_1999/nh.rs",
        folders: &["src/umac_1999/nh"],
        here: || {
            let rows = crate::umac_1999::nh::Nh::all(Cpu::detect());
            rows.map(|row| (row.name(), names(row.needs().names()))).collect()
        },
    },
    #[cfg(feature = "yardstick")]
    Layer {
        name: "pieces",
        file: "src/yardstick/pieces.rs",
        folders: &["src/yardstick/pieces"],
        here: || {
            let rows = crate::yardstick::pieces::rows(Cpu::detect(), true);
            rows.map(|(name, needs)| (name, names(needs.names()))).collect()
        },
    },
    #[cfg(feature = "yardstick")]
    Layer {
        name: "POLYVAL",
        file: "src/carter/rows.rs",
        folders: &["src/yardstick/polyval/hash", "src/carter/field", "src/carter/rows"],
        here: || {
            let rows = crate::yardstick::polyval::hash::Hash::all(Cpu::detect());
            rows.map(|row| (row.name(), names(row.needs().names()))).collect()
        },
    },
    #[cfg(feature = "yardstick")]
    Layer {
        name: "hash127",
        file: "src/yardstick/hash127/sum.rs",
        folders: &["src/yardstick/hash127/sum"],
        here: || {
            let rows = crate::yardstick::hash127::sum::Sum::all(Cpu::detect());
            rows.map(|row| (row.name(), names(row.needs().names()))).collect()
        },
    },
    Layer {
        name: "packet",
        file: "src/umac/packet.rs",
        folders: &["src/umac/packet"],
        here: || {
            let rows = Packet::rows(Cpu::detect());
            rows.map(|(name, needs)| (name, names(needs.names()))).collect()
        },
    },
    Layer {
        name: "packet of 16-bit words",
        file: "src/umac16/packet.rs",
        folders: &["src/umac16/packet"],
        here: || {
            let rows = umac16::packet::Packet::rows(Cpu::detect());
            rows.map(|(name, needs)| (name, names(needs.names()))).collect()
        },
    },
    Layer {
        name: "Carter",
        file: "src/carter/rows.rs",
        folders: &["src/carter/l1", "src/carter/field", "src/carter/rows"],
        here: || {
            let rows = Hash::all(Cpu::detect());
            rows.map(|row| (row.name(), names(row.needs().names()))).collect()
        },
    },
    Layer {
        name: "block sum",
        file: "src/pmac/sum.rs",
        folders: &["src/pmac/sum"],
        here: || {
            let rows = sum::rows(Cpu::detect(), true);
            rows.map(|(name, needs)| (name, names(needs.names()))).collect()
        },
    },
];

/// Files that serve two architectures, and their rows on each.
const OF_TWO: [(&str, [(&str, &str); 2]); 2] = [
    ("clmul", [("x86_64", "pclmul"), ("aarch64", "pmull")]),
    ("aes", [("x86_64", "aesni"), ("aarch64", "armv8")]),
];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

impl Layer {
    /// The needs of every row, also of those that this architecture or machine has not: from the
    /// source, since what is configured away is nowhere else.
    fn rows(&self) -> BTreeMap<String, Names> {
        rows_of(&read(&path(self.file)))
    }

    /// The features that the files of each kernel enable.
    fn files(&self) -> BTreeMap<String, Names> {
        let mut files = BTreeMap::<String, Names>::new();
        for folder in self.folders {
            let folder = std::fs::read_dir(path(folder)).expect("a layer has a folder of kernels");
            let paths = folder.map(|file| file.expect("a readable entry").path());
            for path in paths.filter(|path| path.extension().is_some_and(|is| is == "rs")) {
                let name = path.file_stem().expect("a file has a name").to_str().expect("text");
                let source = read(&path);
                match OF_TWO.iter().find(|(file, _)| *file == name) {
                    None => files.entry(name.into()).or_default().extend(enabled_in(&source)),
                    Some((_, rows)) => {
                        for (arch, row) in rows {
                            let features = enabled_on(arch, &source);
                            files.entry((*row).into()).or_default().extend(features);
                        }
                    }
                }
            }
        }
        files
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
    names.into_iter().map(str::to_owned).collect()
}

/// What lies between the first `start` and the next `end`, and what comes after.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<(&'a str, &'a str)> {
    text.split_once(start)?.1.split_once(end)
}

fn without_comments(source: &str) -> String {
    source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// All features in a source's `#[target_feature(enable = "a,b", enable = "c")]`.
fn enabled_in(source: &str) -> Names {
    let source = without_comments(source);
    let mut rest = source.as_str();
    let mut features = Names::new();
    while let Some((attribute, after)) = between(rest, "#[target_feature(", ")]") {
        rest = after;
        let mut attribute = attribute;
        while let Some((list, after)) = between(attribute, "enable = \"", "\"") {
            attribute = after;
            features.extend(list.split(',').map(|name| name.trim().to_owned()));
        }
    }
    features
}

/// The same with those for one architecture alone.
fn enabled_on(arch: &str, source: &str) -> Names {
    let start = format!("#[cfg_attr(target_arch = \"{arch}\", target_feature(");
    enabled_in(&source.replace(&start, "#[target_feature("))
}

/// The rows in a source, each written `Row { name: "...", needs: Needs::A.and(Needs::B), ... }`.
fn rows_of(source: &str) -> BTreeMap<String, Names> {
    let source = without_comments(source);
    let mut rest = source.as_str();
    let mut rows = BTreeMap::new();
    while let Some((name, after)) = between(rest, "name: \"", "\"") {
        // Up to the next field, which begins after a comma.
        let (needs, after) = between(after, "needs:", ",").expect("needs follow the name");
        rest = after;
        assert!(needs.contains("Needs::"), "{name}: this test can't read the needs `{needs}`");
        let constants = needs.split("Needs::").skip(1).map(|constant| {
            let end = constant.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(constant.len());
            constant[..end].to_ascii_lowercase()
        });
        let previous =
            rows.insert(name.to_owned(), constants.filter(|name| name != "none").collect());
        assert!(previous.is_none(), "two rows are named {name}");
    }
    rows
}

#[test]
fn the_parsers_work() {
    let kernel = r#"
        //! Uses #[target_feature(enable = "doc")].
        // #[target_feature(enable = "comment")]
        #[target_feature(enable = "avx512f,avx512bw")]
        #[inline]
        pub fn a() {}
        #[target_feature(enable = "aes", enable = "vaes")]
        fn b() {}
        #[target_feature(
            enable = "sse2, ssse3"
        )]
        fn c() {}
    "#;
    let expected = names(["avx512f", "avx512bw", "aes", "vaes", "sse2", "ssse3"]);
    assert_eq!(enabled_in(kernel), expected);
    assert_eq!(enabled_in("pub fn plain() {}"), Names::new());
    let of_two = r#"
        #[cfg_attr(target_arch = "x86_64", target_feature(enable = "sse2,pclmulqdq"))]
        #[cfg_attr(target_arch = "aarch64", target_feature(enable = "neon,aes"))]
        fn d() {}
    "#;
    assert_eq!(enabled_in(of_two), Names::new());
    assert_eq!(enabled_on("aarch64", of_two), names(["neon", "aes"]));

    let layer = r#"
        struct Row { name: &'static str, needs: Needs }
        const ROWS: &[Row] = &[
            Row { name: "portable", needs: Needs::NONE, nh: [portable::nh::<1>, portable::nh::<2>] },
            #[cfg(target_arch = "x86_64")]
            Row {
                name: "avx512",
                needs: Needs::AVX512F.and(Needs::AVX512BW),
                nh: avx512::nh,
            },
        ];
    "#;
    let expected = [("portable", names([])), ("avx512", names(["avx512f", "avx512bw"]))];
    assert_eq!(rows_of(layer), expected.map(|(name, needs)| (name.to_owned(), needs)).into());
}

#[test]
fn needs_are_what_the_files_enable() {
    for layer in LAYERS {
        let rows = layer.rows();
        assert!(!rows.is_empty(), "{}: no rows found in {}", layer.name, layer.file);
        // One row a file, one file a row, and the same features.
        assert_eq!(rows, layer.files(), "{}: rows (left) and kernel files (right)", layer.name);
        // What the source says is what the program has.
        for (name, needs) in (layer.here)() {
            assert_eq!(rows.get(name), Some(&needs), "{}: row {name}", layer.name);
        }
    }
}

/// Every row whose needs are met is one that the other tests walk over; the rest is reported. With
/// `WEGMAN_REQUIRE_KERNELS=avx2,vaes` it fails if one of those is not among them.
#[test]
fn the_required_kernels_run_here() {
    let mut ran = Names::new();
    for layer in LAYERS {
        let here: Vec<&str> = (layer.here)().into_iter().map(|(name, _)| name).collect();
        eprintln!("{}: ran {}", layer.name, here.join(", "));
        for (name, needs) in layer.rows() {
            if !here.contains(&name.as_str()) {
                eprintln!("{}: did NOT run {name}, which needs {needs:?}", layer.name);
            }
        }
        // Packets need no row of their own: the layers do their work one by one. AES in software is
        // the crate's.
        let portable = !["packet", "packet of 16-bit words", "AES"].contains(&layer.name);
        assert_eq!(here.first() == Some(&"portable"), portable, "{}: the last resort", layer.name);
        ran.extend(names(here));
    }
    let required = std::env::var("WEGMAN_REQUIRE_KERNELS").unwrap_or_default();
    let missing: Vec<&str> = required
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty() && !ran.contains(*name))
        .collect();
    assert!(missing.is_empty(), "required but not run here: {missing:?}, of {:?}", Cpu::detect());
}
