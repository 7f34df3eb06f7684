//! The provider in OpenSSL: by EVP_MAC from a program in C, and by the command `openssl mac`. What is not installed is said;
//! with `CI` in the environment it must be.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use wegman_answers::cases::{Case, cases, hex};

/// The folder of the provider as it is shipped.
fn provider() -> &'static Path {
    static PROVIDER: OnceLock<PathBuf> = OnceLock::new();
    PROVIDER.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/openssl-provider");
        let output = Command::new("sh").arg(script).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let path = String::from_utf8(output.stdout).unwrap();
        Path::new(path.lines().last().unwrap()).parent().unwrap().to_owned()
    })
}

/// Whether it is there; otherwise a line says what is skipped.
fn is_there(what: &str, package: &str, works: bool) -> bool {
    let missing = format!("{what} is not installed (Debian: apt-get install {package})");
    assert!(works || env::var_os("CI").is_none(), "{missing}");
    if !works {
        eprintln!("skipped: {missing}");
    }
    works
}

fn works(program: &str, arguments: &str) -> bool {
    Command::new(program)
        .args(arguments.split(' '))
        .output()
        .is_ok_and(|output| output.status.success())
}

/// The program in C, compiled without a warning.
fn evp(options: &[&str], name: &str) -> Option<PathBuf> {
    if !is_there("gcc", "gcc", works("gcc", "--version")) {
        return None;
    }
    let headers = Path::new("/usr/include/openssl/evp.h").exists()
        || works("pkg-config", "--exists libcrypto");
    if !is_there("OpenSSL's header files", "libssl-dev", headers) {
        return None;
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut command = Command::new("gcc");
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
        .args(["-std=c99", "-O1", "-g", "-Wall", "-Wextra", "-Wno-pointer-sign", "-Werror"])
        .args(options);
    let output = command
        .args(["tests/c/evp.c", "-o"])
        .arg(&program)
        .args(["-lcrypto", "-lpthread"])
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(program)
}

fn run<'a>(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = &'a OsStr>,
    input: &[u8],
) -> String {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    });
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{error}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// The answers of the algorithms that the provider has.
fn answers() -> Vec<Case> {
    let file = |name: &str| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../vectors/{name}.json"));
        cases(&fs::read(file).unwrap()).unwrap()
    };
    let all = ["umac-rfc4418", "pmac", "carter"].into_iter().flat_map(file);
    let offered = |case: &Case| {
        let name = &case.algorithm;
        name.starts_with("UMAC") || name.starts_with("PMAC-AES") || name == "Carter-128"
    };
    let answers: Vec<_> = all.filter(offered).collect();
    assert!(answers.len() > 700, "only {}", answers.len());
    answers
}

fn os<'a>(arguments: &[&'a str]) -> Vec<&'a OsStr> {
    arguments.iter().map(|argument| OsStr::new(*argument)).collect()
}

#[test]
fn the_known_answers_come_from_evp_mac() {
    let Some(evp) = evp(&[], "evp-answers") else { return };
    let (mut requests, mut wanted) = (Vec::new(), Vec::new());
    for case in answers() {
        case.write_request(&mut requests);
        wanted.push(hex(&case.tag));
    }
    let output = run(evp, [OsStr::new("answers"), provider().as_os_str()], &requests);
    assert_eq!(output.lines().collect::<Vec<_>>(), wanted);
}

#[test]
fn the_rules_hold() {
    let Some(evp) = evp(&["-fsanitize=address,undefined"], "evp-rules") else { return };
    assert_eq!(run(evp, [OsStr::new("rules"), provider().as_os_str()], b""), "the rules hold\n");
}

/// Under two secrets, the same calls leave the same memory: freed blocks, the stack, static data.
#[cfg(target_os = "linux")]
#[test]
fn what_is_freed_depends_on_no_secret() {
    // A function that is found at its first call has all registers on the stack.
    let Some(evp) = evp(&["-Wl,-z,now"], "evp-wiped") else { return };
    let output = Command::new(evp).arg("wiped").arg(provider()).output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{report}");
    assert_eq!(output.stdout, b"0 bytes depend on the secret\n", "{report}");
}

#[test]
fn it_names_no_folder_of_this_machine() {
    let module = fs::read(provider().join("wegman.so")).unwrap();
    let text = String::from_utf8_lossy(&module);
    let cargo = env::var("CARGO_HOME").unwrap_or_else(|_| env::var("HOME").unwrap() + "/.cargo");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for folder in [&cargo[..], root.to_str().unwrap()] {
        assert!(!text.contains(folder), "{folder}");
    }
}

#[test]
fn eight_threads_make_100_000_contexts_each() {
    let Some(evp) = evp(&["-O2"], "evp-threads") else { return };
    run(evp, [OsStr::new("threads"), provider().as_os_str()], b"");
}

#[test]
fn valgrind_sees_no_error_and_no_leak() {
    let Some(evp) = evp(&[], "evp-valgrind") else { return };
    if !is_there("valgrind", "valgrind", works("valgrind", "--version")) {
        return;
    }
    let mut arguments = os(&[
        "--quiet",
        "--error-exitcode=9",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite,indirect",
        "--",
    ]);
    arguments.extend([evp.as_os_str(), OsStr::new("rules"), provider().as_os_str()]);
    assert_eq!(run("valgrind", arguments, b""), "the rules hold\n");
}

/// `openssl` with the provider.
fn openssl(arguments: &[&str], input: &[u8]) -> String {
    let (command, rest) = arguments.split_first().unwrap();
    let mut all = os(&[command, "-provider-path"]);
    all.extend([provider().as_os_str(), OsStr::new("-provider"), OsStr::new("wegman")]);
    all.extend(os(rest));
    run("openssl", all, input)
}

#[test]
fn the_command_computes_tags_too() {
    if !is_there("openssl", "openssl", works("openssl", "version")) {
        return;
    }
    let listed = openssl(&["list", "-mac-algorithms"], b"");
    let names = "UMAC-32 UMAC-64 UMAC-96 UMAC-128 PMAC-AES128 PMAC-AES192 PMAC-AES256 CARTER-128";
    for name in names.split(' ') {
        assert!(listed.contains(&format!("  {name} @ wegman")), "{listed}");
    }
    // A process for each: a part of the answers, with messages from files or from the standard input.
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("message");
    for case in answers().iter().step_by(13) {
        fs::write(&file, &case.message).unwrap();
        let (key, iv) =
            (format!("hexkey:{}", hex(&case.key)), format!("hexiv:{}", hex(&case.nonce)));
        let mut arguments = vec!["mac", "-macopt", &key];
        if !case.nonce.is_empty() {
            arguments.extend(["-macopt", &iv]);
        }
        arguments.extend(["-in", file.to_str().unwrap(), &case.algorithm]);
        let tag = openssl(&arguments, b"");
        assert_eq!(tag.trim().to_lowercase(), hex(&case.tag), "{arguments:?}");
    }
}

/// The commands that docs/openssl.md shows, with what they print.
#[test]
fn the_document_is_right() {
    if !is_there("openssl", "openssl", works("openssl", "version")) {
        return;
    }
    let document = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openssl.md");
    let document = fs::read_to_string(document).unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("document");
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).unwrap();
    let mut commands = 0;
    let mut blocks = document.split("```");
    while let (Some(_), Some(block)) = (blocks.next(), blocks.next()) {
        let (kind, text) = block.split_once('\n').unwrap();
        match kind {
            "console" => {
                for example in text.split("$ ").skip(1) {
                    let (command, wanted) = example.split_once('\n').unwrap();
                    let command = command.replace("target/openssl", provider().to_str().unwrap());
                    let output = Command::new("sh")
                        .current_dir(&folder)
                        .args(["-c", &command])
                        .output()
                        .unwrap();
                    let said = String::from_utf8_lossy(&output.stdout);
                    let error = String::from_utf8_lossy(&output.stderr);
                    assert_eq!(said.trim_end(), wanted.trim_end(), "{command}\n{error}");
                    commands += 1;
                }
            }
            "ini" => {
                let text = text.replace("target/openssl", provider().to_str().unwrap());
                fs::write(folder.join("wegman.cnf"), text).unwrap();
            }
            _ => {}
        }
    }
    assert!(commands >= 5, "{commands} commands");
}
