//! A large file needs no large memory.

use crate::common::{Sandbox, measured};
use std::fs::File;
use std::process::Stdio;

#[test]
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
fn a_large_file_needs_little_memory() {
    let sandbox = Sandbox::with_key("UMAC-64");
    File::create(sandbox.path("large")).unwrap().set_len(128 << 20).unwrap();
    let mut command = sandbox.command(&["tag", "-k", "key", "-o", "m", "large"]);
    let child = command.stdout(Stdio::null()).spawn().unwrap();
    let (status, peak, _) = measured(&child);
    assert_eq!(status, 0);
    assert!(peak < 64 << 20, "{} MiB", peak >> 20);
    assert_eq!(sandbox.text("m").lines().count(), 4);
}
