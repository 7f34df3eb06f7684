//! A directory of its own for each test, and the command run in it.

use std::cell::OnceCell;
use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io::Write;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The user `nobody`, whom file modes bind.
pub const NOBODY: u32 = 65534;

/// No command takes so long, however busy the machine is: one that does hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// How a run of the command ended.
#[derive(Debug)]
pub struct Output {
    /// -1: by a signal.
    pub code: i32,
    pub out: String,
    pub err: String,
    /// Standard output, whatever its bytes.
    pub bytes: Vec<u8>,
}

impl Output {
    fn new(output: std::process::Output) -> Output {
        Output {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            bytes: output.stdout,
        }
    }

    /// Expects this exit code, and never a panic.
    #[track_caller]
    pub fn exits(self, code: i32) -> Output {
        assert_eq!(self.code, code, "{self:#?}");
        assert!(!self.err.contains("panicked"), "{self:#?}");
        self
    }

    /// Standard error without how much was read, and how fast.
    pub fn said(&self) -> String {
        let line = |line: &str| {
            let parts: Vec<&str> = line.split("; ").filter(|part| !part.ends_with("/s")).collect();
            parts.join("; ") + "\n"
        };
        self.err.lines().map(line).collect()
    }

    /// Expects this text on standard error.
    #[track_caller]
    pub fn says(self, text: &str) -> Output {
        assert!(self.err.contains(text), "{text:?} is not said: {self:#?}");
        self
    }

    /// Expects exactly these lines on standard output.
    #[track_caller]
    pub fn prints(self, lines: &[&str]) -> Output {
        assert_eq!(self.out.lines().collect::<Vec<_>>(), lines, "{self:#?}");
        self
    }

    /// The JSON lines, the last of which must be the summary with the exit code.
    #[track_caller]
    pub fn json(&self) -> Vec<serde_json::Value> {
        let lines = self.out.lines().map(|line| serde_json::from_str(line).expect(line));
        let lines: Vec<serde_json::Value> = lines.collect();
        let (summary, files) = lines.split_last().expect("at least the summary");
        assert_eq!(summary["type"], "summary");
        assert_eq!(summary["exit"], self.code);
        assert!(files.iter().all(|file| file["type"] == "file"), "{files:#?}");
        lines
    }
}

/// The lines of a manifest that do not depend on when it was made, and how often: without serial number and seal.
pub fn lasting(manifest: &str) -> Vec<&str> {
    let ends = ["# serial ", "# wegman seal = "];
    let lines: Vec<&str> = manifest.lines().collect();
    let (lines, last) = lines.split_at(lines.len() - 2);
    assert!(last.iter().zip(ends).all(|(line, start)| line.starts_with(start)), "{manifest}");
    lines.to_vec()
}

/// A temporary directory to run the command in.
pub struct Sandbox {
    directory: TempDir,
    /// A copy of the command that every user may run, if one was needed.
    open_copy: OnceCell<TempDir>,
}

impl Sandbox {
    pub fn new() -> Sandbox {
        Sandbox { directory: tempfile::tempdir().unwrap(), open_copy: OnceCell::new() }
    }

    /// With the key `key` of an algorithm.
    pub fn with_key(algorithm: &str) -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.keygen("key", algorithm);
        sandbox
    }

    pub fn keygen(&self, name: &str, algorithm: &str) {
        self.wegman(&["keygen", "-o", name, "-a", algorithm]).exits(0);
    }

    pub fn root(&self) -> &Path {
        self.directory.path()
    }

    pub fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.root().join(name.as_ref())
    }

    /// Writes a file, and the directories it lies in.
    pub fn write(&self, name: impl AsRef<OsStr>, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: impl AsRef<OsStr>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn text(&self, name: impl AsRef<OsStr>) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub fn remove(&self, name: impl AsRef<OsStr>) {
        fs::remove_file(self.path(name)).unwrap();
    }

    pub fn chmod(&self, name: impl AsRef<OsStr>, mode: u32) {
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub fn fifo(&self, name: &str) {
        let path = CString::new(self.path(name).as_os_str().as_bytes()).unwrap();
        // SAFETY: the path is a string that ends in a zero byte.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
    }

    /// Whether an unfinished manifest lies in the sandbox.
    pub fn has_unfinished(&self) -> bool {
        let mut names = fs::read_dir(self.root()).unwrap().map(|entry| entry.unwrap().file_name());
        names.any(|name| name.as_bytes().starts_with(b".wegman-"))
    }

    /// The command, standard input empty.
    pub fn command<S: AsRef<OsStr>>(&self, args: &[S]) -> Command {
        self.program(env!("CARGO_BIN_EXE_wegman"), args)
    }

    fn program<S: AsRef<OsStr>>(&self, program: impl AsRef<OsStr>, args: &[S]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.root()).stdin(Stdio::null()).env_remove("WEGMAN_KEY");
        command
    }

    pub fn wegman<S: AsRef<OsStr>>(&self, args: &[S]) -> Output {
        Output::new(finish(piped(&mut self.command(args))))
    }

    /// The command of these words with the key `key`.
    pub fn run(&self, words: &str) -> Output {
        let args: Vec<&str> = words.split(' ').chain(["-k", "key"]).collect();
        self.wegman(&args)
    }

    /// With `input` on standard input.
    pub fn wegman_reads<S: AsRef<OsStr>>(&self, args: &[S], input: &[u8]) -> Output {
        let mut child = self.begun(args);
        // The command need not read all of it.
        let _ = child.stdin.take().unwrap().write_all(input);
        Output::new(finish(child))
    }

    /// Begun, and waiting for its standard input.
    pub fn begun<S: AsRef<OsStr>>(&self, args: &[S]) -> Child {
        piped(self.command(args).stdin(Stdio::piped()))
    }

    /// With standard output going to a file.
    pub fn wegman_into(&self, args: &[&str], place: &str) -> Output {
        let file = fs::OpenOptions::new().write(true).open(place).unwrap();
        let child = self.command(args).stdout(file).stderr(Stdio::piped()).spawn().unwrap();
        Output::new(finish(child))
    }

    /// A shell script, in which `wegman` is the command.
    pub fn shell(&self, script: &str) -> Output {
        let mut command = self.program("sh", &["-c", script]);
        let directory = Path::new(env!("CARGO_BIN_EXE_wegman")).parent().unwrap();
        let old = std::env::var_os("PATH").unwrap_or_default();
        let mut path = OsString::from(directory);
        path.push(":");
        path.push(old);
        Output::new(finish(piped(command.env("PATH", path))))
    }

    /// Starts an edit through the manifest `m` and stops it when its file is changed (`is_changed`), but not the
    /// manifest: in its place is a pipe by then, which it opens and nobody reads.
    pub fn stopped_before_the_manifest<S: AsRef<OsStr>>(
        &self,
        args: &[S],
        input: &[u8],
        is_changed: impl Fn() -> bool,
    ) -> (Child, HeldManifest) {
        let mut child = self.begun(args);
        wait_until("a draft: the manifest was read", || self.has_unfinished());
        let held = HeldManifest { place: self.path("m"), kept: self.path("m.kept") };
        fs::rename(&held.place, &held.kept).unwrap();
        self.fifo("m");
        child.stdin.take().unwrap().write_all(input).unwrap();
        wait_until("a changed file", is_changed);
        assert!(self.path("m.wegman-edit").exists());
        (child, held)
    }

    /// As a user whom file modes bind, who owns everything here: another one, if this is the superuser.
    pub fn wegman_bound(&self, args: &[&str]) -> Output {
        if !is_superuser() {
            return self.wegman(args);
        }
        let owner =
            Command::new("chown").args(["-R", &NOBODY.to_string()]).arg(self.root()).status();
        assert!(owner.unwrap().success());
        self.wegman_nobody(args)
    }

    /// As the user `nobody`. Only the superuser can do that.
    pub fn wegman_nobody(&self, args: &[&str]) -> Output {
        let run = |command: &mut Command| assert!(command.status().unwrap().success());
        let copy = self.open_copy.get_or_init(|| {
            // By `cp`, so that no other test's child holds the copy open for writing.
            let place = tempfile::tempdir().unwrap();
            fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
            let program = place.path().join("wegman");
            run(Command::new("cp").arg(env!("CARGO_BIN_EXE_wegman")).arg(&program));
            run(Command::new("chmod").arg("755").arg(&program));
            place
        });
        let mut command = self.program(copy.path().join("wegman"), args);
        Output::new(finish(piped(command.uid(NOBODY).gid(NOBODY))))
    }
}

pub fn is_superuser() -> bool {
    // SAFETY: it only asks.
    unsafe { libc::geteuid() == 0 }
}

/// A manifest that is not in its place.
pub struct HeldManifest {
    place: PathBuf,
    kept: PathBuf,
}

impl HeldManifest {
    pub fn put_back(self) {
        fs::rename(self.kept, self.place).unwrap();
    }
}

fn piped(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the end, but not for ever: a hanging command is killed and fails the test.
pub fn finish(child: Child) -> std::process::Output {
    let pid = child.id() as libc::pid_t;
    let (sender, done) = std::sync::mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        let waited = done.recv_timeout(PATIENCE);
        if waited == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            // SAFETY: the child is not waited for yet, so the number is still its own.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(sender);
    guard.join().unwrap();
    output
}

/// Waits until something holds that must come to hold. Only a test that fails waits for `PATIENCE`.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Sends a signal to a command that is not waited for yet.
pub fn signal(child: &Child, signal: i32) {
    // SAFETY: nobody has waited for the child, so the number is its own, even if it has ended.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, signal) }, 0);
}

/// Waits for a command: how it ended, its memory in bytes, the time it computed.
pub fn measured(child: &Child) -> (i32, u64, f64) {
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
