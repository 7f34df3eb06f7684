//! Looks for the system libraries the bench compares with. None has to be there.
//!
//! Emits `cfg(has_...)` for each one whose file in `src/rivals` compiles, which it does where the library's headers are.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/rivals");
    let out = std::env::var("OUT_DIR").expect("Cargo sets it");
    println!("cargo::rustc-link-search=native={out}");
    for (file, links) in [
        ("nettle.c", &["nettle"][..]),
        ("openssl.c", &["crypto"]),
        ("gcrypt.c", &["gcrypt"]),
        ("ipsec_mb.c", &["IPSec_MB"]),
        ("cryptopp.cc", &["cryptopp", "stdc++"]),
    ] {
        let (library, extension) = file.split_once('.').expect("a source file");
        println!("cargo::rustc-check-cfg=cfg(has_{library})");
        let mut code = cc::Build::new();
        let code = code.cpp(extension == "cc").file(format!("src/rivals/{file}"));
        let code = code.cargo_metadata(false).cargo_warnings(false).cargo_output(false);
        if code.try_compile(&format!("wegman_bench_{library}")).is_ok() {
            println!("cargo::rustc-cfg=has_{library}");
            println!("cargo::rustc-link-lib=static=wegman_bench_{library}");
            links.iter().for_each(|link| println!("cargo::rustc-link-lib={link}"));
        }
    }
}
