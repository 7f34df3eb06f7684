//! NULL for every pointer of every function: a program made from the header calls each of them, one NULL at a time.

use crate::compilers::{Compiler, Language, compilers, folder, libraries, run};
use crate::header::{Function, functions};
use std::fmt::Write;
use std::fs;
use std::process::Command;

/// Something valid for a parameter. Objects are made new for each call, since a call may free them.
fn argument(parameter: &str) -> String {
    let name = parameter.rsplit(['*', ' ']).next().unwrap().split('[').next().unwrap();
    let stars = parameter.matches('*').count();
    let object = |prefix: &str| {
        let word = parameter.split_whitespace().find(|word| word.starts_with(prefix));
        word.map(|word| word.trim_end_matches('*').to_owned())
    };
    if parameter.contains("*const *") {
        return "segments".into();
    }
    if stars == 2 {
        return "(void *)&result".into();
    }
    if parameter.starts_with("wegman_store") {
        return "store".into();
    }
    if let Some(kind) = object("wegman_") {
        return match &kind[..] {
            "wegman_bytes" => "&piece".into(),
            "wegman_counts" | "wegman_algorithm" => "(void *)memory".into(),
            kind => format!("new_{kind}()"),
        };
    }
    match name {
        "algorithm" | "mac" => "\"UMAC-64\"".into(),
        "kernel" if parameter.starts_with("const") => "\"portable\"".into(),
        "user" => "NULL".into(), // whatever the caller wants
        "encoded" if parameter.starts_with("const") => "encoded".into(),
        "sealing" | "opening" => format!("{name}.bytes"),
        "sealing_length" | "opening_length" => format!("{}.length", &name[..7]),
        _ if stars == 1 || parameter.contains('[') => "(void *)memory".into(),
        "count" => "1".into(),
        "tag_length" | "tags_length" => "8".into(),
        "nonce_length" => "8".into(),
        "initiator" => "true".into(),
        "exponent" => "40".into(),
        "size" => "sizeof memory".into(),
        _ => "16".into(),
    }
}

fn is_pointer(parameter: &str) -> bool {
    parameter.contains('*') || parameter.contains('[') || parameter.starts_with("wegman_store")
}

/// What NULL gives: nothing for what frees or clears and for what has no way to fail; WEGMAN_OK where it means "none".
fn wanted(function: &Function, parameter: &str) -> Option<&'static str> {
    if !function.result.contains("wegman_status") {
        return None;
    }
    let is_context = parameter == "void *user";
    let is_default = function.name == "wegman_key_new_with" && parameter.contains("*kernel");
    Some(if is_context || is_default { "WEGMAN_OK" } else { "WEGMAN_NULL" })
}

fn program_of(functions: &[Function]) -> (String, usize) {
    let (mut body, mut calls) = (String::new(), 0);
    for function in functions {
        for null in 0..function.parameters.len() {
            let parameter = &function.parameters[null];
            if !is_pointer(parameter) {
                continue;
            }
            let arguments: Vec<_> = (function.parameters.iter().enumerate())
                .map(|(i, parameter)| if i == null { "NULL".into() } else { argument(parameter) })
                .collect();
            let call = format!("{}({})", function.name, arguments.join(", "));
            let is_object = |parameter: &String| parameter.contains("**out");
            let gives = function.parameters.iter().position(is_object).filter(|out| *out != null);
            let status = wanted(function, parameter);
            if gives.is_some() {
                body.push_str("    result = memory;\n");
            }
            match status {
                Some(status) => writeln!(body, "    GIVES({status}, {call});").unwrap(),
                None if function.result == "void" => writeln!(body, "    {call};").unwrap(),
                None => writeln!(body, "    CHECK({call} == 0);").unwrap(),
            }
            // Whoever does not look at the status finds no object, not what was there before.
            if gives.is_some() && status == Some("WEGMAN_NULL") {
                body.push_str("    CHECK(result == NULL);\n");
            }
            calls += 1;
        }
    }
    let program = format!(
        "#include \"nulls.h\"\n\nint main(void) {{\n    prepare();\n{body}    return 0;\n}}\n"
    );
    (program, calls)
}

fn compiled(compiler: &Compiler, source: &str) -> std::path::PathBuf {
    let folder = folder();
    fs::write(folder.join("nulls.c"), source).unwrap();
    let mut command = Command::new(&compiler.command);
    command.current_dir(crate::compilers::here());
    // The program passes NULL on purpose.
    command.args(["-std=c99", "-g", "-w"]);
    command.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    command.args(["-Iinclude", "-Itests/c_library/c"]).arg(folder.join("nulls.c"));
    command.arg("-o").arg(folder.join("nulls")).args(libraries());
    command.args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("nulls")
}

#[test]
fn null_is_an_error_or_nothing_in_every_place() {
    let functions = functions();
    let (source, calls) = program_of(&functions);
    assert!(calls > 200, "only {calls} pointers");
    for compiler in compilers(Language::C99) {
        // What is made for a call that fails is not freed.
        let program = compiled(&compiler, &source);
        let environment = ["ASAN_OPTIONS=detect_leaks=0".into(), program.into_os_string()];
        let env = crate::compilers::tool("env", "coreutils").unwrap();
        run(&env, &environment, b"");
    }
}
