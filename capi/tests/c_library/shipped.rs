//! What others get: an installation, libraries that name no folder of this machine, files that name their licence.

use crate::compilers::{Language, compilers, folder, here, libraries, program, tool};
use crate::header::functions;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with all programs of this machine but Rust's: root has others than whoever built.
fn programs() -> PathBuf {
    let programs = folder();
    for folder in env::split_paths(&env::var_os("PATH").unwrap()) {
        for program in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = program.file_name();
            if !["cargo", "rustc", "rustup"].iter().any(|rust| name == *rust) {
                // The first one of a name is the one that is found.
                let _ = symlink(program.path(), programs.join(name));
            }
        }
    }
    programs
}

#[test]
fn what_was_built_is_installed_without_rust() {
    if tool("make", "make").is_none() {
        return;
    }
    let (programs, root) = (programs(), folder());
    let _ = fs::remove_dir_all(root.join("usr"));
    let install = |target: &Path| {
        let mut make = Command::new("make");
        make.current_dir(here().join("..")).arg("install").env("PATH", &programs);
        make.env("CARGO_TARGET_DIR", target).env("DESTDIR", &root).env("PREFIX", "/usr");
        make.env_remove("LIBDIR").output().unwrap()
    };
    let refused = install(&folder());
    assert!(!refused.status.success());
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.contains("run 'make capi' first"), "{said}");
    assert!(!root.join("usr").exists());
    let [library, _] = libraries();
    let target = library.parent().unwrap().parent().unwrap();
    let output = install(target);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for file in [
        "include/wegman.h",
        "lib/libwegman.a",
        "lib/libwegman.so",
        "lib/libwegman-catalogue.a",
        "lib/libwegman-catalogue.so",
        "lib/pkgconfig/wegman.pc",
        "lib/pkgconfig/wegman-catalogue.pc",
        "lib/cmake/wegman/wegman-config.cmake",
        "lib/cmake/wegman/wegman-config-version.cmake",
        "share/man/man3/wegman.3",
    ] {
        assert!(fs::metadata(root.join("usr").join(file)).unwrap().len() > 100, "{file}");
    }
}

#[test]
fn the_libraries_name_no_folder_of_this_machine() {
    let [library, _] = libraries();
    let cargo = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo = cargo.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo"))).unwrap();
    let target = library.parent().unwrap().parent().unwrap();
    let folders = [cargo, here().parent().unwrap().to_owned(), target.to_owned()];
    for file in ["libwegman.so", "libwegman.a", "libwegman-catalogue.so", "libwegman-catalogue.a"] {
        let file = library.with_file_name(file);
        let text = fs::read(&file).unwrap();
        let text = String::from_utf8_lossy(&text);
        for folder in &folders {
            let folder = folder.to_str().unwrap();
            assert!(!text.contains(folder), "{} names {folder}", file.display());
        }
    }
}

/// They lie beside the sources of others.
#[test]
fn what_others_copy_names_its_licence() {
    for file in ["include/wegman.h", "openssh/umac.c", "../examples/cpp/wegman.hpp"] {
        let text = fs::read_to_string(here().join(file)).unwrap();
        // In two parts, which `reuse lint` does not take for this file's licence.
        let licence = concat!("SPDX-License", "-Identifier: ", env!("CARGO_PKG_LICENSE"));
        assert!(text.lines().next().unwrap().contains(licence), "{file}");
    }
}

/// In bytes, with some room for other compilers.
#[test]
#[cfg(target_arch = "x86_64")]
fn the_library_is_small() {
    let [library, _] = libraries();
    for (file, most) in [("libwegman.so", 1_195_000), ("libwegman.a", 2_000_000)] {
        let size = fs::metadata(library.with_file_name(file)).unwrap().len();
        assert!(size <= most, "{file} has {size} bytes");
    }
    // A program that has only UMAC-64, all of it.
    let source = folder().join("small.c");
    let names = functions().into_iter().map(|function| function.name);
    let names: Vec<_> = names.filter(|name| name.starts_with("wegman_umac64_")).collect();
    let used = names.iter().map(|name| format!("(void (*)(void)){name}")).collect::<Vec<_>>();
    let (count, used) = (used.len(), used.join(", "));
    let text = format!(
        "#include <wegman.h>\nvoid (*const volatile used[{count}])(void) = {{{used}}};\n\
         int main(void) {{ return used[0] == used[1]; }}\n"
    );
    fs::write(&source, text).unwrap();
    for compiler in compilers(Language::C99).into_iter().take(1) {
        let options = ["-Wl,--gc-sections", "-Wl,--strip-all"];
        let program = program(&compiler, &options, &[source.to_str().unwrap()]);
        let size = fs::metadata(program).unwrap().len();
        assert!(size <= 605_000, "a program with UMAC-64 has {size} bytes");
    }
}
