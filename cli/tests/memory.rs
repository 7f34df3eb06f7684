//! A large file needs no large memory.

mod common;
use common::Sandbox;
use std::fs::File;
use std::mem::MaybeUninit;
use std::process::Stdio;

#[test]
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
fn a_large_file_needs_little_memory() {
    let sandbox = Sandbox::with_key("UMAC-64");
    File::create(sandbox.path("large")).unwrap().set_len(128 << 20).unwrap();
    let mut command = sandbox.command(&["tag", "-k", "key", "-o", "m", "large"]);
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both places are valid, and the child is not waited for otherwise.
    let usage = unsafe {
        let pid = child.id() as libc::pid_t;
        assert_eq!(libc::wait4(pid, &mut status, 0, usage.as_mut_ptr()), pid);
        usage.assume_init()
    };
    assert_eq!(status, 0);
    // Linux counts in KiB, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let peak = u64::try_from(usage.ru_maxrss).unwrap() * unit;
    assert!(peak < 64 << 20, "{} MiB", peak >> 20);
    assert_eq!(sandbox.text("m").lines().count(), 4);
}
