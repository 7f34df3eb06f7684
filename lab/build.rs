//! Looks for the system libraries the bench compares with. None has to be there.
//!
//! Emits `cfg(has_...)` for each one found and its version; the code that uses it links it.

fn main() {
    for library in ["nettle", "openssl", "gcrypt", "sodium", "ipsec_mb", "cryptopp", "tomcrypt"] {
        println!("cargo::rustc-check-cfg=cfg(has_{library})");
    }
    println!("cargo::rerun-if-changed=build.rs");
    rivals::find();
    tables();
}

/// The tables of the lab, as the slice `FILES` of their names and texts.
fn tables() {
    println!("cargo::rerun-if-changed=tables");
    let files = std::fs::read_dir("tables").expect("lab/tables");
    let mut files: Vec<_> = files.map(|file| file.expect("lab/tables").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    let file = |path: &std::path::PathBuf| {
        let name = path.file_stem().expect("it has one");
        let path = std::fs::canonicalize(path).expect("it was listed");
        format!("({name:?}, include_str!({path:?})),")
    };
    let list: String = files.iter().map(file).collect();
    let out = std::env::var("OUT_DIR").expect("Cargo sets it");
    let list = format!("static FILES: &[(&str, &str)] = &[{list}];");
    std::fs::write(format!("{out}/tables.rs"), list).expect("OUT_DIR can be written to");
}

mod rivals {
    /// Versions whose interfaces are those the bench declares.
    pub fn find() {
        println!("cargo::rerun-if-changed=src/rivals");
        by_pkg_config("nettle", "nettle", "3.1", "4");
        by_pkg_config("openssl", "libcrypto", "3", "5");
        by_pkg_config("gcrypt", "libgcrypt", "1.8", "2");
        by_pkg_config("sodium", "libsodium", "1.0.12", "2");
        // These need a few lines of C or C++ around their own interfaces.
        let cryptopp = version("libcrypto++", "8", "10").or(version("libcryptopp", "8", "10"));
        if let Some(version) = cryptopp {
            if compiles(cc::Build::new().cpp(true).file("src/rivals/cryptopp.cpp"), "vmac") {
                found("cryptopp", &version);
            } else {
                println!("cargo::warning=Crypto++ {version} is there but does not compile");
            }
        }
        if let Some(version) = version("libtomcrypt", "1.17", "2") {
            if compiles(cc::Build::new().file("src/rivals/tomcrypt.c"), "tomcrypt") {
                found("tomcrypt", &version);
            } else {
                println!("cargo::warning=LibTomCrypt {version} is there but does not compile");
            }
        }
        // Its packages have no file for pkg-config, so the presence of its header must suffice.
        if compiles(cc::Build::new().file("src/rivals/ipsec_mb.c"), "ipsec_mb") {
            found("ipsec_mb", "1"); // the library itself says which
        }
    }

    fn by_pkg_config(library: &str, package: &str, from: &str, below: &str) {
        if let Some(version) = version(package, from, below) {
            found(library, &version);
        }
    }

    /// The version of a package, if it is there and in the range.
    fn version(package: &str, from: &str, below: &str) -> Option<String> {
        let mut config = pkg_config::Config::new();
        let config = config.range_version(from..below).cargo_metadata(false);
        let there = config.probe(package).ok()?;
        for path in there.link_paths {
            println!("cargo::rustc-link-search=native={}", path.display());
        }
        Some(there.version)
    }

    /// Whether the code around a library compiles, which it does where the headers are.
    fn compiles(code: &mut cc::Build, name: &str) -> bool {
        let out = std::env::var("OUT_DIR").expect("Cargo sets it");
        println!("cargo::rustc-link-search=native={out}");
        let code = code.cargo_metadata(false).cargo_warnings(false).cargo_output(false);
        code.try_compile(&format!("wegman_bench_{name}")).is_ok()
    }

    fn found(library: &str, version: &str) {
        println!("cargo::rustc-cfg=has_{library}");
        println!("cargo::rustc-env={}_VERSION={version}", library.to_uppercase());
    }
}
