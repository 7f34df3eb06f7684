//! Full disks, interrupts, closed pipes: what is there stays whole, and the exit code tells.

use crate::common::{Sandbox, finish, wait_until};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixListener;
use std::process::Stdio;

/// A key, many files in `d`, and the manifest `m` of one of them.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    for i in 0..400 {
        sandbox.write(format!("d/{i}"), "content");
    }
    sandbox.run("tag -o m d/0").exits(0);
    sandbox
}

#[test]
fn a_new_manifest_takes_the_old_ones_place_and_mode() {
    let sandbox = sandbox();
    sandbox.chmod("m", 0o640);
    sandbox.run("tag -r -o m d").exits(0).prints(&[]);
    assert_eq!(sandbox.text("m").lines().count(), 404);
    assert_eq!(fs::metadata(sandbox.path("m")).unwrap().mode() & 0o777, 0o640);
    assert!(!sandbox.has_unfinished());
}

#[test]
fn when_the_disk_is_full_the_old_manifest_stays() {
    let sandbox = sandbox();
    let old = sandbox.read("m");
    let full = "trap '' XFSZ; ulimit -f 1; exec wegman tag -k key -r -o m d";
    sandbox.shell(full).exits(2).says("manifest");
    assert_eq!(sandbox.read("m"), old);
    assert!(!sandbox.has_unfinished());
    sandbox.shell(&full.replace("-o m", "-o new")).exits(2);
    assert!(!sandbox.path("new").exists());
    assert!(!sandbox.has_unfinished());
}

#[test]
fn an_output_that_cannot_be_made() {
    let sandbox = sandbox();
    for place in ["none/m", "d", "m/m"] {
        sandbox.wegman(&["tag", "-k", "key", "-o", place, "d/0"]).exits(2).says(place);
    }
    assert!(!sandbox.has_unfinished());
}

#[test]
fn an_output_that_is_no_file_is_not_replaced() {
    let sandbox = sandbox();
    let _socket = UnixListener::bind(sandbox.path("socket")).unwrap();
    sandbox.run("tag -o socket d/0").exits(2).says("socket");
    assert!(fs::metadata(sandbox.path("socket")).unwrap().file_type().is_socket());
}

#[test]
fn an_interrupt_leaves_the_old_manifest_and_nothing_else() {
    let sandbox = sandbox();
    let old = sandbox.read("m");
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let mut child = sandbox.begun(&["tag", "-k", "key", "-o", "m", "-"]);
        let mut held = child.stdin.take().unwrap();
        held.write_all(b"so far").unwrap();
        wait_until("an unfinished manifest", || sandbox.has_unfinished());
        crate::common::signal(&child, signal);
        let output = finish(child);
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert_eq!(sandbox.read("m"), old);
        assert!(!sandbox.has_unfinished());
        drop(held);
    }
}

#[test]
fn a_pipe_as_output_is_written_to() {
    let sandbox = sandbox();
    sandbox.fifo("pipe");
    let script = "timeout 300 cat pipe >got & timeout 300 wegman tag -k key -o pipe d/0; wait";
    sandbox.shell(script).exits(0);
    assert!(fs::metadata(sandbox.path("pipe")).unwrap().file_type().is_fifo());
    // Its time and so its seal are not those of m.
    let rows = |name| {
        sandbox.read(name).split(|&b| b == b'\n').take(2).map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    assert_eq!(rows("got"), rows("m"));
    sandbox.run("check got").exits(0);
}

/// Nobody wonders why nothing happens.
#[test]
fn a_pipe_that_nobody_reads_yet_is_told_of() {
    let sandbox = sandbox();
    sandbox.fifo("pipe");
    let mut child = sandbox.begun(&["tag", "-k", "key", "-o", "pipe", "d/0"]);
    let (mut stderr, mut said) = (BufReader::new(child.stderr.take().unwrap()), String::new());
    stderr.read_line(&mut said).unwrap();
    assert!(said.ends_with("pipe: waiting for somebody to read this pipe\n"), "{said}");
    sandbox.shell("timeout 300 cat pipe >got").exits(0);
    assert!(finish(child).status.success());
    sandbox.run("check got").exits(0);
}

/// More than it holds, for a reader who is there and takes his time.
#[test]
fn a_full_pipe_is_waited_for() {
    let sandbox = sandbox();
    (0..400).for_each(|i| sandbox.write(format!("long/{i:0>200}"), ""));
    sandbox.fifo("pipe");
    let mut options = fs::OpenOptions::new();
    let options = options.read(true).custom_flags(libc::O_NONBLOCK);
    let mut reader = options.open(sandbox.path("pipe")).unwrap();
    let child = sandbox.begun(&["tag", "-k", "key", "-r", "-o", "pipe", "long"]);
    wait_until("a full pipe", || {
        let mut bytes: libc::c_int = 0;
        // SAFETY: it writes one number.
        unsafe { libc::ioctl(reader.as_raw_fd(), libc::FIONREAD, &mut bytes) };
        bytes > 56 << 10
    });
    // SAFETY: it makes reading wait again.
    unsafe { libc::fcntl(reader.as_raw_fd(), libc::F_SETFL, 0) };
    let mut got = Vec::new();
    reader.read_to_end(&mut got).unwrap();
    sandbox.write("got", got);
    assert!(finish(child).status.success());
    sandbox.run("check got").exits(0);
}

/// As a shell's `>(command)` names one: by a link that leads to no path.
#[test]
fn a_pipe_without_a_name_is_written_to() {
    let sandbox = sandbox();
    sandbox.shell("wegman tag -k key -o /dev/stdout d/0 | cat >got").exits(0);
    sandbox.run("check got").exits(0);
}

#[test]
fn when_no_file_could_be_read_the_old_manifest_stays() {
    let sandbox = sandbox();
    let old = sandbox.read("m");
    let output = sandbox.run("tag -o m none d").exits(2);
    output.says("nothing could be tagged: no manifest was written");
    assert_eq!(sandbox.read("m"), old);
    assert!(!sandbox.has_unfinished());
}

#[test]
fn an_output_that_nobody_reads_is_an_error_and_no_panic() {
    let sandbox = sandbox();
    sandbox.run("tag -r -o all d").exits(0);
    let writing = ["tag -k key -r d", "check -k key all", "algorithms"];
    let json = ["tag -k key --json -r d", "check -k key --json all"];
    for words in writing.into_iter().chain(json) {
        // Not from the beginning, or not after the first bytes.
        for is_read in [false, true] {
            let (reader, writer) = std::io::pipe().unwrap();
            let reader = is_read.then_some(reader);
            let mut command = sandbox.command(&words.split(' ').collect::<Vec<_>>());
            let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
            drop(command);
            if let Some(mut reader) = reader {
                reader.read_exact(&mut [0; 10]).unwrap();
            }
            let output = finish(child);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("panicked"), "{words:?}: {said}");
            assert!(is_read || !output.status.success(), "{words:?}");
        }
    }
}

#[test]
fn a_full_standard_error_changes_no_exit_code() {
    let sandbox = sandbox();
    sandbox.shell("exec wegman check -k key m 2>/dev/full").exits(0);
    sandbox.shell("exec wegman check -k none m 2>/dev/full").exits(2);
    sandbox.write("d/0", "other");
    sandbox.shell("exec wegman check -k key m 2>/dev/full").exits(1);
}
