//! The program `wegman-answers`.
#![cfg(unix)]

use serde_json::{Value, json};
use std::ffi::CString;
use std::fs;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// How a run of the program ended.
#[derive(Debug)]
struct Output {
    code: i32,
    out: String,
    err: String,
}

impl Output {
    /// Expects this exit code, and never a panic.
    #[track_caller]
    fn exits(self, code: i32) -> Output {
        assert!(self.code == code && !self.err.contains("panicked"), "not {code}: {self:#?}");
        self
    }

    /// Expects this text on standard error.
    #[track_caller]
    fn says(self, text: &str) -> Output {
        assert!(self.err.contains(text), "{text:?} is not said: {self:#?}");
        self
    }
}

/// A temporary directory to run the program in.
struct Sandbox(TempDir);

impl Sandbox {
    fn new() -> Sandbox {
        Sandbox(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wegman-answers"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Output {
            code: output.status.code().unwrap_or(-1),
            out: text(output.stdout),
            err: text(output.stderr),
        }
    }
}

/// Waits for a child: its status, the most memory it had in bytes, and the seconds its processor worked.
fn measured(child: &Child) -> (i32, u64, f64) {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both places are valid, and the child is not waited for otherwise.
    let usage = unsafe {
        let pid = child.id() as libc::pid_t;
        assert_eq!(libc::wait4(pid, &mut status, 0, usage.as_mut_ptr()), pid);
        usage.assume_init()
    };
    // Linux counts in KiB, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    let peak = u64::try_from(usage.ru_maxrss).unwrap() * unit;
    (status, peak, seconds(usage.ru_utime) + seconds(usage.ru_stime))
}

/// A known-answer file of the project.
fn real(name: &str) -> String {
    format!("{}/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

/// The first case of a real file, so that no test but one runs it whole.
fn one_case(name: &str) -> Value {
    let file: Value = serde_json::from_slice(&fs::read(real(name)).unwrap()).unwrap();
    json!({ "cases": [file["cases"][0]] })
}

#[test]
fn several_files_are_added_up() {
    let paths = ["hmac96", "pmac"].map(real);
    let output = Sandbox::new().run(&paths.each_ref().map(|path| &**path)).exits(0);
    assert!(output.out.lines().all(|line| line.contains(" 0 failed, 0 skipped")), "{}", output.out);
    let of_line = |line: &str| -> usize {
        let (front, _) = line.split_once(" passed").unwrap();
        front.rsplit_once(' ').unwrap().1.parse().unwrap()
    };
    let (lines, total) = output.out.trim_end().rsplit_once('\n').unwrap();
    assert!(paths.iter().all(|path| lines.contains(&format!("{path}  portable  "))), "{lines}");
    assert!(total.starts_with("total: ") && total.contains(" in 2 files, "), "{total}");
    assert_eq!(of_line(total), lines.lines().map(of_line).sum::<usize>());
}

#[test]
fn a_wrong_digit_in_a_whole_file_fails_only_its_case() {
    let sandbox = Sandbox::new();
    let mut file: Value = serde_json::from_slice(&fs::read(real("pmac")).unwrap()).unwrap();
    file["sweeps"] = json!([]);
    let case = &mut file["cases"][1];
    let id = case["id"].as_str().unwrap().to_owned();
    let tag = case["tag_hex"].as_str().unwrap();
    let digit = if tag.ends_with('0') { "1" } else { "0" };
    case["tag_hex"] = json!([&tag[..tag.len() - 1], digit].concat());
    sandbox.write("wrong.json", file.to_string());
    let output = sandbox.run(&["wrong.json"]).exits(1).says(&id);
    assert!(output.out.lines().all(|line| line.contains(" 1 failed")), "{}", output.out);
}

#[test]
fn only_unknown_algorithms_is_no_success() {
    let sandbox = Sandbox::new();
    let mut file = one_case("pmac");
    file["cases"][0]["algorithm"] = json!("ROT13-MAC");
    sandbox.write("unknown.json", file.to_string());
    let output = sandbox.run(&["unknown.json"]).exits(1).says("nothing to run");
    assert!(output.out.contains("ROT13-MAC"), "{}", output.out);
    // Beside others it is left out, and named.
    let known = one_case("pmac")["cases"][0].clone();
    let both = json!({ "cases": [known, file["cases"][0]] });
    sandbox.write("both.json", both.to_string());
    let output = sandbox.run(&["both.json"]).exits(0);
    let skipped = "1 passed, 0 failed, 1 skipped (not in this build: ROT13-MAC)";
    assert!(output.out.contains(skipped), "{}", output.out);
}

#[test]
fn what_is_no_known_answer_file() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.json", "not JSON");
    sandbox.run(&["bad.json"]).exits(2).says("bad.json");
    sandbox.run(&["none.json"]).exits(2).says("none.json");
    sandbox.run(&[]).exits(2);
    sandbox.run(&["--json", "none.json"]).exits(2).says("usage");
}

#[test]
fn the_other_files_are_still_run_and_a_failure_outweighs() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.json", "{");
    sandbox.write("good.json", one_case("pmac").to_string());
    let output = sandbox.run(&["bad.json", "good.json"]).exits(2);
    assert!(output.out.contains("1 passed"), "{}", output.out);
    let mut wrong = one_case("pmac");
    wrong["cases"][0]["tag_hex"] = json!("00".repeat(16));
    sandbox.write("wrong.json", wrong.to_string());
    sandbox.run(&["bad.json", "wrong.json"]).exits(1);
}

/// Runs a hostile file: an error that names it, in little memory and time. Time is that of the processor, so that other
/// programs do not count.
fn is_refused(content: &[u8], reason: &str) {
    let sandbox = Sandbox::new();
    sandbox.write("hostile.json", content);
    let said = fs::File::create(sandbox.path("said")).unwrap();
    let mut command = sandbox.command(&["hostile.json"]);
    command.stdout(Stdio::null()).stderr(said);
    // SAFETY: between fork and exec it only calls the system.
    unsafe {
        command.pre_exec(|| {
            // So that a file that is not refused fails this test and nothing else.
            for (what, most) in [(libc::RLIMIT_AS, 8 << 30), (libc::RLIMIT_CPU, 60)] {
                let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
                if libc::setrlimit(what, &limit) != 0 {
                    return Err(std::io::Error::last_os_error());
                }
            }
            Ok(())
        });
    }
    let (status, peak, seconds) = measured(&command.spawn().unwrap());
    let said = fs::read_to_string(sandbox.path("said")).unwrap();
    let front = said.chars().take(500).collect::<String>();
    assert_eq!(status, 2 << 8, "{reason}: {front}");
    let names_it = said.starts_with("hostile.json: ");
    assert!(names_it && said.contains(reason), "{reason}: {front}");
    assert!(said.len() < 2000, "{reason}: {front}");
    assert!(peak < 256 << 20, "{reason}: {} MiB", peak >> 20);
    assert!(seconds < 2.0, "{reason}: {seconds} s");
}

#[test]
fn files_too_large_to_be_read_are_refused() {
    let cases = |inside: &str| format!("{{\"cases\": [\n{inside}]}}");
    for (text, reason) in [
        (cases(&"0,".repeat(1 << 20)), "longer than 2 MiB"),
        (cases(&"0,".repeat(1 << 19)), "line 2: more than 200000 values"),
        (cases(&"{\"a\": 0},\n".repeat(30_000)), "line 20001: more than 20000 objects"),
        ("[".repeat(1 << 20), "more than 200000 values"),
        ("[".repeat(1 << 17), "recursion limit exceeded at line 1"),
        ("{\"cases\":".repeat(1 << 10), "recursion limit exceeded at line 1"),
        (cases(&"9".repeat(1 << 20)), "at line 2"),
        (cases(&format!("\"{}\"", "x".repeat(3 << 20))), "longer than 2 MiB"),
        (format!("{{\"cases\": \"{}\"}}", "x".repeat(1 << 20)), "is no list"),
    ] {
        is_refused(text.as_bytes(), reason);
    }
    let name = "x".repeat(1 << 20);
    let long = json!({ "algorithm": name, "cases": vec![json!({}); 1000] });
    is_refused(long.to_string().as_bytes(), "name has 1048576 characters");
    let long = json!({ "cases": [{ "id": name, "algorithm": 7 }] });
    is_refused(long.to_string().as_bytes(), "xxx ...");
}

#[test]
fn files_that_ask_for_too_much_are_refused() {
    let case = &one_case("umac-rfc4418")["cases"][0];
    let with = |field: &str, value: Value| {
        let mut case = case.clone();
        case.as_object_mut().unwrap().remove("msg_hex");
        case[field] = value;
        case
    };
    let repeat = |times: u64| json!({ "pattern": "repeat", "unit_hex": "00", "repeat": times });
    let affine = |length: u64| json!({ "pattern": "affine", "a": 1, "b": 1, "length": length });
    let refused = |case: Value, times: usize, reason: &str| {
        let cases = vec![case; times];
        is_refused(json!({ "cases": cases }).to_string().as_bytes(), reason);
    };
    for length in [(1 << 25) + 1, 1 << 40, u64::MAX] {
        let reason = format!("a message of {length} bytes is too long to make");
        refused(with("msg", repeat(length)), 1, &reason);
        refused(with("msg", affine(length)), 1, &reason);
    }
    let parts = vec![repeat(1 << 24); 1000];
    refused(with("msg", json!({ "pattern": "concat", "parts": parts })), 1, "too long to make");
    // Each is short enough, but not all of them.
    refused(with("msg", repeat(1 << 25)), 33, "1107296256 bytes in all");
    refused(with("algorithm", json!("UMAC-4/32/134217728")), 1, "keys of 134217728 bytes");
    let rule = "for every length L = 0..65536: affine a=7 b=3 length=L";
    let mut sweep = json!({ "sweeps": [with("msg_rule", json!(rule))] });
    is_refused(sweep.to_string().as_bytes(), "2147516416 bytes in all");
    sweep["sweeps"][0]["msg_rule"] = json!(rule.replace("65536", "18446744073709551615"));
    is_refused(sweep.to_string().as_bytes(), "takes too long");
}

/// Nothing waits for somebody to write, or reads for ever.
#[test]
fn what_is_no_file_or_a_large_one_is_refused() {
    let sandbox = Sandbox::new();
    let pipe = CString::new(sandbox.path("pipe").as_os_str().as_bytes()).unwrap();
    // SAFETY: the path is a string that ends in a zero byte.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    fs::File::create(sandbox.path("large")).unwrap().set_len(1 << 33).unwrap();
    for (place, reason) in [
        ("pipe", "it is no regular file"),
        ("/dev/zero", "it is no regular file"),
        (".", "it is a directory"),
        ("large", "longer than 2 MiB"),
    ] {
        let output = sandbox.run(&[place]).exits(2).says(place).says(reason);
        assert_eq!(output.out, "");
    }
}

#[test]
fn what_files_say_is_shown_without_control_characters() {
    let sandbox = Sandbox::new();
    let mut file = one_case("pmac");
    let mut other = file["cases"][0].clone();
    file["cases"][0]["id"] = json!("\u{1b}[2Jid\n");
    file["cases"][0]["tag_hex"] = json!("00".repeat(16));
    other["algorithm"] = json!("\u{1b}[2J");
    file["cases"].as_array_mut().unwrap().push(other);
    let is_shown = |text: &str| !text.replace('\n', "").contains(char::is_control);
    sandbox.write("file.json", file.to_string());
    let output = sandbox.run(&["file.json"]).exits(1);
    let output = output.says("\\u{1b}[2Jid\\n: the tag");
    assert!(is_shown(&output.err) && is_shown(&output.out), "{output:#?}");
    assert!(output.out.contains("not in this build: \\u{1b}[2J)"), "{output:#?}");
    file["cases"][0]["algorithm"] = json!(7);
    sandbox.write("file.json", file.to_string());
    let output = sandbox.run(&["file.json"]).exits(2).says("\\u{1b}[2Jid");
    assert!(is_shown(&output.err), "{output:#?}");
}
