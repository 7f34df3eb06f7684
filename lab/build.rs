//! Looks for the system libraries the bench compares with. None has to be there.
//!
//! Emits `cfg(has_...)` for each one found and its version; the code that uses it links it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/rivals");
    for library in ["nettle", "openssl", "gcrypt", "ipsec_mb", "cryptopp"] {
        println!("cargo::rustc-check-cfg=cfg(has_{library})");
    }
    // Versions whose interfaces are those the bench declares.
    found("nettle", version("nettle", "3.1", "4"));
    found("openssl", version("libcrypto", "3", "5"));
    found("gcrypt", version("libgcrypt", "1.8", "2"));
    // These need a few lines of C or C++ around their own interfaces.
    let cryptopp = version("libcrypto++", "8", "10").or(version("libcryptopp", "8", "10"));
    if cryptopp.is_some() {
        if compiles(cc::Build::new().cpp(true).file("src/rivals/cryptopp.cpp"), "vmac") {
            found("cryptopp", cryptopp);
        } else {
            println!("cargo::warning=Crypto++ is there but does not compile");
        }
    }
    // Its packages have no file for pkg-config, so the presence of its header must suffice.
    if compiles(cc::Build::new().file("src/rivals/ipsec_mb.c"), "ipsec_mb") {
        found("ipsec_mb", Some("1".to_owned())); // the library itself says which
    }
}

/// The version of a package, if it is there and in the range.
fn version(package: &str, from: &str, below: &str) -> Option<String> {
    let mut config = pkg_config::Config::new();
    let there = config.range_version(from..below).cargo_metadata(false).probe(package).ok()?;
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

fn found(library: &str, version: Option<String>) {
    if let Some(version) = version {
        println!("cargo::rustc-cfg=has_{library}");
        println!("cargo::rustc-env={}_VERSION={version}", library.to_uppercase());
    }
}
