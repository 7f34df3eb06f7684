//! Compilers, and what they compile. What is not installed is said; with `CI` in the environment it must be.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C99,
    Cpp11,
}

#[derive(Clone, Debug)]
pub struct Compiler {
    pub command: PathBuf,
    pub language: Language,
}

/// The program of that name, or `None` and a line that says what is skipped.
pub fn tool(name: &str, package: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join(name)).find(|tool| tool.is_file());
    if found.is_none() {
        let missing = format!("{name} is not installed (Debian: apt-get install {package})");
        assert!(env::var_os("CI").is_none(), "{missing}");
        eprintln!("skipped: {missing}");
    }
    found
}

/// gcc and clang, as far as they are there.
pub fn compilers(language: Language) -> Vec<Compiler> {
    let names = match language {
        Language::C99 => [("gcc", "gcc"), ("clang", "clang libclang-rt-14-dev")],
        Language::Cpp11 => [("g++", "g++"), ("clang++", "clang libclang-rt-14-dev")],
    };
    let found = names.iter().filter_map(|(name, package)| tool(name, package));
    found.map(|command| Compiler { command, language }).collect()
}

/// The folder of this crate.
pub fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// libwegman.a and libwegman-catalogue.a as they are shipped, which scripts/capi builds.
pub fn libraries() -> [PathBuf; 2] {
    static LIBRARIES: OnceLock<[PathBuf; 2]> = OnceLock::new();
    let build = || {
        let output = Command::new("sh").arg(here().join("../scripts/capi")).output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "scripts/capi build:\n{log}");
        let lines = String::from_utf8(output.stdout).unwrap();
        let shared = lines.lines().last().expect("the path of the shared library");
        ["libwegman.a", "libwegman-catalogue.a"].map(|name| Path::new(shared).with_file_name(name))
    };
    LIBRARIES.get_or_init(build).clone()
}

/// A new folder for what a test makes.
pub fn folder() -> PathBuf {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("c-{number}"));
    _ = fs::remove_dir_all(&folder); // of an earlier run
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles sources, which are named from this crate's folder, without a warning, and links them with both libraries.
pub fn program(compiler: &Compiler, options: &[&str], sources: &[&str]) -> PathBuf {
    let program = folder().join("program");
    let mut command = Command::new(&compiler.command);
    command.current_dir(here());
    command.arg(match compiler.language {
        Language::C99 => "-std=c99",
        Language::Cpp11 => "-std=c++11",
    });
    command.args(["-D_POSIX_C_SOURCE=200809L", "-O1"]);
    command.args(["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]);
    command.args(["-Iinclude", "-Itests/c_library/c"]).args(options).args(sources);
    command.arg("-o").arg(&program).args(libraries());
    command.args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl"]);
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{text}");
    program
}

/// Runs a program with an input and returns what it wrote.
pub fn run(program: &Path, arguments: &[OsString], input: &[u8]) -> String {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // A program that stops early closes the pipe; its status says so.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    String::from_utf8(output.stdout).unwrap()
}
