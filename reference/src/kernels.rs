//! Checks that the needs which a kernel's row states are the features that its file enables, for the tests of every
//! crate that has kernels.
//!
//! A row that states less than its file enables would run on machines that lack the instruction;
//! one that states more would never run on machines that have it. Neither shows in any tag.

use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::ARCH;
use std::path::Path;

type Names = BTreeSet<String>;

/// A layer with one file for each kernel, in the source below `root`.
pub struct Layer {
    /// Its name in messages.
    pub name: &'static str,
    /// The crate's folder.
    pub root: &'static Path,
    /// The file with its rows.
    pub file: &'static str,
    /// The folders with the kernels and what they share.
    pub folders: &'static [&'static str],
    /// The rows that this machine can run, with the names of the features they need.
    pub here: Vec<(&'static str, Vec<&'static str>)>,
}

/// Files that serve several architectures, and their row on each.
const OF_SEVERAL: [(&str, &[(&str, &str)]); 2] = [
    ("halves", &[("x86_64", "sse"), ("aarch64", "neon"), ("wasm32", "simd128")]),
    ("x128", &[("x86_64", "sse"), ("aarch64", "armv8")]),
];

impl Layer {
    /// Compares the needs of every row with the features that its files enable, and both with the rows of the program.
    ///
    /// # Panics
    /// If they differ.
    pub fn check(&self) {
        let rows = rows_of(&read(&self.root.join(self.file)));
        assert!(!rows.is_empty(), "{}: no rows found in {}", self.name, self.file);
        // One row for each file, one file for each row, and the same features.
        let mut files = self.files();
        // A file that enables nothing and has no row is no kernel: the keys in the order of lanes.
        files.retain(|name, features| !features.is_empty() || rows.contains_key(name));
        assert_eq!(rows, files, "{}: rows (left) and kernel files (right)", self.name);
        self.check_none_is_left_out();
    }

    /// Compares the rows in the source with those of the program. Prints the rows that this machine cannot run.
    ///
    /// # Panics
    /// If they differ, or if the program lacks a row whose needs this machine has.
    pub fn check_none_is_left_out(&self) {
        let source = read(&self.root.join(self.file));
        let rows = rows_of(&source);
        // The program has the needs that the source states.
        for (name, needs) in &self.here {
            let needs = names(needs.iter().copied());
            assert_eq!(rows.get(*name), Some(&needs), "{}: row {name}", self.name);
        }
        let here: Vec<&str> = self.here.iter().map(|(name, _)| *name).collect();
        eprintln!("{}: runs {}", self.name, here.join(", "));
        for (name, needs) in rows {
            if !here.contains(&name.as_str()) {
                eprintln!("{}: does NOT run {name}, which needs {needs:?}", self.name);
                // `aes` is a feature of x86 and of ARM.
                let before = source.split(&format!("name: \"{name}\"")).next().unwrap_or_default();
                let of = before.rsplit_once("target_arch = \"");
                let elsewhere = of.is_some_and(|(_, arch)| !arch.starts_with(ARCH));
                let lacks = !needs.iter().all(|need| has(need));
                assert!(elsewhere || lacks, "{}: no row {name}", self.name);
            }
        }
    }

    /// The features that the files of each kernel enable.
    fn files(&self) -> BTreeMap<String, Names> {
        let mut files = BTreeMap::<String, Names>::new();
        for folder in self.folders {
            let folder =
                std::fs::read_dir(self.root.join(folder)).expect("a layer has a folder of kernels");
            let paths = folder.map(|file| file.expect("a readable entry").path());
            for path in paths.filter(|path| path.extension().is_some_and(|is| is == "rs")) {
                let name = path.file_stem().expect("a file has a name").to_str().expect("text");
                let source = read(&path);
                match OF_SEVERAL.iter().find(|(file, _)| *file == name) {
                    None => files.entry(name.into()).or_default().extend(enabled_in(&source)),
                    Some((_, rows)) => {
                        for (arch, row) in *rows {
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

/// Whether this machine has a feature: asked by the standard library and not by the code under test.
/// `false` for features of other architectures.
#[must_use]
pub fn has(feature: &str) -> bool {
    #[allow(unused_macros, reason = "other architectures")]
    macro_rules! has {
        ($detected:ident: $($name:tt)*) => {
            $(if feature == $name { return std::arch::$detected!($name); })*
        };
    }
    #[cfg(target_arch = "x86_64")]
    has!(is_x86_feature_detected: "sse2" "ssse3" "avx2" "avx512f" "avx512bw" "avx512vl" "avx512ifma" "avx512vbmi"
        "avx512vnni" "bmi2" "aes" "vaes" "pclmulqdq" "vpclmulqdq" "sse4a");
    #[cfg(target_arch = "aarch64")]
    has!(is_aarch64_feature_detected: "neon" "aes");
    cfg!(target_feature = "simd128") && feature == "simd128"
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
    names.into_iter().map(str::to_owned).collect()
}

/// The text between the first `start` and the next `end`, and the text after it.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<(&'a str, &'a str)> {
    text.split_once(start)?.1.split_once(end)
}

fn without_comments(source: &str) -> String {
    let lines = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// All features in a source's `#[target_feature(enable = "a,b", enable = "c")]`, and in `row!("a,b")`, which writes such
/// attributes.
#[must_use]
pub fn enabled_in(source: &str) -> BTreeSet<String> {
    let source = without_comments(source)
        .replace("\nrow!(\"", "\n#[target_feature(enable = \"")
        .replace("\");", "\")]");
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

/// The same, with those for one architecture alone.
fn enabled_on(arch: &str, source: &str) -> Names {
    let start = format!("#[cfg_attr(target_arch = \"{arch}\", target_feature(");
    let row = format!("#[cfg(target_arch = \"{arch}\")]\nrow!(");
    let others = source.replace(&row, "#[this]\nrow!(").replace(")]\nrow!(", ")]\nother!(");
    enabled_in(&others.replace(&start, "#[target_feature("))
}

/// The rows in a source, each written `Row { name: "...", needs: Needs::listed("a,b"), ... }` or, by a macro that enables
/// them, `row! { name: "...", needs: "a,b", ... }`.
fn rows_of(source: &str) -> BTreeMap<String, Names> {
    let source = without_comments(source);
    let mut rest = source.as_str();
    let mut rows = BTreeMap::new();
    while let Some((name, after)) = between(rest, "name: \"", "\"") {
        let (_, needs) = after.split_once("needs: ").expect("needs follow the name");
        let quoted = needs.strip_prefix("Needs::listed(").unwrap_or(needs).strip_prefix('"');
        let (list, after) =
            quoted.map_or(("", needs), |list| list.split_once('"').expect("its end"));
        let is_read = quoted.is_some() || needs.starts_with("Needs::NONE");
        assert!(is_read, "this test can't read the needs of {name}");
        rest = after;
        let list = list.split(',').filter(|feature| !feature.is_empty());
        let previous = rows.insert(name.to_owned(), list.map(str::to_owned).collect());
        assert!(previous.is_none(), "two rows are named {name}");
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(enabled_in("\nrow!(\"avx2,aes\");\n"), names(["avx2", "aes"]));
        let rows_of_two = "#[cfg(target_arch = \"x86_64\")]\nrow!(\"sse2\");\n\
                           #[cfg(target_arch = \"aarch64\")]\nrow!(\"neon\");\n";
        assert_eq!(enabled_on("aarch64", rows_of_two), names(["neon"]));

        let layer = r#"
            struct Row { name: &'static str, needs: Needs }
            const ROWS: &[Row] = &[
                Row { name: "portable", needs: Needs::NONE, kernels: [portable::nh::<1>, portable::nh::<2>] },
                #[cfg(target_arch = "x86_64")]
                Row {
                    name: "avx512",
                    needs: Needs::listed("avx512f,avx512bw"),
                    nh: avx512::nh,
                },
                row! { name: "avx2", needs: "avx2", avx2 },
            ];
        "#;
        let expected = [
            ("portable", names([])),
            ("avx512", names(["avx512f", "avx512bw"])),
            ("avx2", names(["avx2"])),
        ];
        assert_eq!(rows_of(layer), expected.map(|(name, needs)| (name.to_owned(), needs)).into());
    }
}
