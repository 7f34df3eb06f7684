//! wegman.h by itself: every compiler takes it, and the library exports what it declares.

use crate::compilers::{Language, compilers, folder, here, library, run, tool};
use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// A function of the header: what it returns, its name, and its parameters.
#[derive(Clone, Debug)]
pub struct Function {
    pub result: String,
    pub name: String,
    pub parameters: Vec<String>,
}

/// All functions that the header declares.
pub fn functions() -> Vec<Function> {
    let header = fs::read_to_string(here().join("include/wegman.h")).unwrap();
    let mut text = String::new();
    let mut rest = &header[..];
    while let Some(begin) = rest.find("/*") {
        text.push_str(&rest[..begin]);
        rest = &rest[begin + rest[begin..].find("*/").unwrap() + 2..];
    }
    text.push_str(rest);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let text = lines.collect::<Vec<_>>().join(" ");
    let mut functions = Vec::new();
    for declaration in text.split(';') {
        let words = declaration.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = words.rsplit('}').next().unwrap();
        let Some((before, after)) = words.split_once('(') else { continue };
        if words.contains("typedef") || !before.contains("wegman_") {
            continue;
        }
        let before = before.replace("WEGMAN_MUST_USE", "").replace("extern \"C\" {", "");
        let at = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap() + 1;
        let parameters = after.trim_end_matches(')').split(',').map(|one| one.trim().to_owned());
        functions.push(Function {
            result: before[..at].trim().to_owned(),
            name: before[at..].to_owned(),
            parameters: parameters.filter(|one| one != "void" && !one.is_empty()).collect(),
        });
    }
    functions
}

/// The header as it is made from the sources.
fn made() -> String {
    let sources = folder().join("expanded.rs");
    fs::write(&sources, expanded()).unwrap();
    let config = cbindgen::Config::from_file(here().join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_src(sources).with_config(config).generate();
    let mut text = Vec::new();
    bindings.unwrap().write(&mut text);
    // The enum's name is no part of its constants' names, and comments in C have no markup.
    String::from_utf8(text).unwrap().replace("WEGMAN_STATUS_", "WEGMAN_").replace('`', "")
}

/// The library's text after its macros: what the compiler compiles.
fn expanded() -> Vec<u8> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["rustc", "--quiet", "--locked", "--lib", "--profile=check", "--manifest-path"]);
    // A stable compiler shows it, but asks whether one knows that the form of what it shows may change.
    cargo
        .arg(here().join("Cargo.toml"))
        .args(["--", "-Zunpretty=expanded"])
        .env("RUSTC_BOOTSTRAP", "1");
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn it_is_what_the_sources_say() {
    let file = here().join("include/wegman.h");
    if std::env::var_os("WEGMAN_UPDATE").is_some() {
        fs::write(&file, made()).unwrap();
    }
    // Not assert_eq: nobody reads two headers in one line.
    let is_same = fs::read_to_string(file).unwrap() == made();
    assert!(is_same, "wegman.h is not what the sources say: run scripts/capi header");
}

#[test]
fn every_compiler_takes_it_without_a_warning() {
    for (language, source, standard) in
        [(Language::C99, "header.c", "-std=c99"), (Language::Cpp11, "header.cpp", "-std=c++11")]
    {
        for compiler in compilers(language) {
            let file = folder().join(source);
            fs::write(&file, "#include \"wegman.h\"\n#include \"wegman.h\"\n").unwrap();
            let mut command = Command::new(&compiler.command);
            command.args([standard, "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]);
            let output = command
                .arg("-fsyntax-only")
                .arg("-I")
                .arg(here().join("include"))
                .arg(file)
                .output();
            let output = output.unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && text.is_empty(), "{command:?}\n{text}");
        }
    }
}

#[test]
fn it_declares_what_the_library_exports_and_nothing_else() {
    let declared: BTreeSet<_> = functions().into_iter().map(|function| function.name).collect();
    assert!(declared.len() > 80, "only {declared:?}");
    let Some(nm) = tool("nm", "binutils") else { return };
    let symbols =
        run(&nm, &["--defined-only".into(), "--extern-only".into(), library().into()], b"");
    let exported = symbols.lines().filter_map(|line| line.split_whitespace().nth(2));
    let exported: BTreeSet<_> =
        exported.filter(|name| name.starts_with("wegman_")).map(str::to_owned).collect();
    assert_eq!(declared, exported);
}
