//! wegman.h by itself: every compiler takes it, and the library exports what it declares.

use crate::compilers::{Language, compilers, folder, here, library, run, tool};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
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
    let text =
        String::from_utf8(text).unwrap().replace("WEGMAN_STATUS_", "WEGMAN_").replace('`', "");
    by_sentences(&by_use(&text))
}

/// Puts the types in the order in which functions name them: cbindgen sorts them by their names in Rust.
fn by_use(text: &str) -> String {
    let begin = text.find("/*\n What a function returns").expect("the first type");
    let end = text.find("#ifdef __cplusplus").expect("the end of the types");
    let functions = &text[end..];
    let mut types: Vec<_> = text[begin..end].trim_end().split("\n\n/*").collect();
    types.sort_by_key(|one| {
        let name = one
            .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
            .find(|word| word.starts_with("wegman_"));
        functions.find(&format!("{} ", name.expect("a name")))
    });
    let types: Vec<_> = types.iter().map(|one| one.trim_start_matches("/*")).collect();
    format!("{}/*{}\n\n{functions}", &text[..begin], types.join("\n\n/*"))
}

/// Puts each sentence of a comment on lines of its own, because the macro's arguments break its lines anywhere. Lines that
/// are indented further, such as code, stay.
fn by_sentences(text: &str) -> String {
    let (mut made, mut paragraph) = (String::new(), String::new());
    let mut margin = None;
    for line in text.lines() {
        let rest = margin.as_deref().and_then(|margin: &str| line.strip_prefix(margin));
        if let Some(rest) = rest.filter(|rest| !rest.is_empty() && !rest.starts_with([' ', '*'])) {
            paragraph += rest;
            paragraph.push(' ');
            continue;
        }
        for sentence in std::mem::take(&mut paragraph).split_inclusive(". ") {
            made += &filled(sentence, margin.as_deref().unwrap_or_default());
        }
        made += line;
        made.push('\n');
        match line.trim_start() {
            "/*" => margin = Some(line.replace("/*", " ")),
            "*/" => margin = None,
            _ => {}
        }
    }
    made
}

/// Lines of up to 110 characters after a margin.
fn filled(sentence: &str, margin: &str) -> String {
    let (mut lines, mut width) = (String::new(), 0);
    for word in sentence.split_whitespace() {
        if width == 0 || width + 1 + word.len() > 110 {
            lines += if width == 0 { "" } else { "\n" };
            lines += margin;
            width = margin.len();
        } else {
            lines.push(' ');
            width += 1;
        }
        lines += word;
        width += word.len();
    }
    lines + "\n"
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
    let exported = |library: PathBuf| -> BTreeSet<_> {
        let arguments = ["--defined-only".into(), "--extern-only".into(), library.into()];
        let symbols = run(&nm, &arguments, b"");
        let names = symbols.lines().filter_map(|line| line.split_whitespace().nth(2));
        names.filter(|name| name.starts_with("wegman_")).map(str::to_owned).collect()
    };
    assert_eq!(declared, exported(library()));
    let by_name = ["carter128", "key", "stream", "algorithm", "kernel"];
    let by_name = by_name.map(|group| format!("wegman_{group}_"));
    let mut small = declared;
    small.retain(|name| !by_name.iter().any(|group| name.starts_with(group)));
    assert!(small.len() <= 80, "{} functions", small.len());
    assert_eq!(small, exported(library().with_file_name("libwegman.a")));
}
