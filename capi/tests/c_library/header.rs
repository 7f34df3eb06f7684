//! wegman.h by itself: every compiler takes it, and the library exports what it declares.

use crate::compilers::{Language, compilers, folder, here, libraries, run, tool};
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
fn it_declares_what_the_libraries_export_and_nothing_else() {
    let declared: BTreeSet<_> = functions().into_iter().map(|function| function.name).collect();
    assert!(declared.len() > 80, "only {declared:?}");
    let Some(nm) = tool("nm", "binutils") else { return };
    let mut count = 0;
    let mut exported = BTreeSet::new();
    for library in libraries() {
        let arguments = ["--defined-only".into(), "--extern-only".into(), library.into()];
        let symbols = run(&nm, &arguments, b"");
        let names: Vec<_> =
            symbols.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
        // libwegman is the first one: a small library has a small interface.
        assert!(count > 0 || names.len() <= 80, "{} functions", names.len());
        count += names.len();
        exported.extend(names.into_iter().map(str::to_owned));
    }
    assert_eq!(exported.len(), count, "both libraries have a function of one name");
    assert_eq!(declared, exported);
}

#[test]
fn each_function_has_a_manual_page_that_is_about_something() {
    let Some(awk) = tool("awk", "mawk") else { return };
    let pages = folder();
    let out = format!("out={}", pages.display());
    let arguments = ["-v", &out, "-v", "version=1", "-f", "man.awk", "include/wegman.h"];
    let output = Command::new(awk).current_dir(here()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut named = BTreeSet::new();
    for page in fs::read_dir(pages).unwrap() {
        let page = fs::read_to_string(page.unwrap().path()).unwrap();
        let (_, name) = page.split_once(".SH NAME\n").unwrap();
        let (names, about) = name.lines().next().unwrap().split_once(" \\- ").unwrap();
        assert!(about.len() > 10, "{name}");
        for name in names.split(", ").filter(|name| *name != "wegman") {
            let declaration = page.split_once(&format!(".SS {name}\n.nf\n")).unwrap().1;
            assert!(declaration.split_once(';').unwrap().0.contains(&format!("{name}(")), "{name}");
            assert!(named.insert(name.to_owned()), "{name}");
        }
    }
    assert_eq!(named, functions().into_iter().map(|function| function.name).collect());
}
