//! Standard input and output that are closed or full.

use crate::common::Sandbox;
use std::process::{Command, Stdio};

/// A key, a key in hexadecimal, the file `a`, the manifest `m`, the segment `s`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    sandbox.write("a", "content");
    sandbox.write("hex", "00".repeat(16));
    sandbox.chmod("hex", 0o600);
    sandbox.run("tag -o m a").exits(0);
    sandbox.run("segment -o s a").exits(0);
    sandbox
}

/// The commands that print, but for `tag` and `check`.
const PRINTING: [&str; 13] = [
    "--help",
    "--version",
    "tag --help",
    "help check",
    "check --version",
    "algorithms",
    "algorithms --json",
    "mac PMAC-AES128 --key-hex-file hex a",
    "mac PMAC-AES128 --key-hex-file hex --raw a",
    "completions bash",
    "bounds UMAC-64",
    "segment -k key a",
    "combine -k key s",
];

#[test]
fn a_closed_output_is_an_error() {
    let sandbox = sandbox();
    for args in PRINTING {
        sandbox.shell(&format!("exec wegman {args}")).exits(0);
        let closed = sandbox.shell(&format!("exec wegman {args} >&-"));
        closed.exits(2).says("standard output: it is closed");
    }
    for args in ["check -k key m", "check -k key --json m"] {
        sandbox.shell(&format!("exec wegman {args} >&-")).exits(2).says("standard output");
    }
}

#[test]
fn a_full_output_is_an_error() {
    let sandbox = sandbox();
    let more = ["tag -k key a", "check -k key m", "tag -k key --json a", "check -k key --json m"];
    for args in PRINTING.into_iter().chain(more) {
        let args: Vec<&str> = args.split(' ').collect();
        let full = sandbox.wegman_into(&args, "/dev/full").exits(2);
        full.says("standard output: No space left on device");
    }
}

/// Who prints nothing needs no output.
#[test]
fn a_closed_output_does_not_matter_to_others() {
    let sandbox = sandbox();
    sandbox.write("d/b", "content");
    sandbox.run("tag -r -o d.m d").exits(0);
    for args in [
        "keygen new$$",
        "tag -k key -o new.m a",
        "tag -k key --update m",
        "check -k key --status m",
        "check -k key -q m",
        "audit -k key d d.m",
    ] {
        for output in [">&-", ">/dev/full"] {
            sandbox.shell(&format!("exec wegman {args} {output}")).exits(0);
        }
    }
    // A failed verification outweighs it.
    sandbox.write("a", "other");
    for args in ["check -k key m", "check -k key -q m", "audit -k key . m"] {
        sandbox.shell(&format!("exec wegman {args} >&-")).exits(1).says("standard output");
    }
}

#[test]
fn a_closed_input_is_an_error() {
    let sandbox = sandbox();
    for args in [
        "tag -k key",
        "tag -k key -o new -",
        "tag -k key --files-from -",
        "check -k key -",
        "audit -k key . -",
        "mac PMAC-AES128 --key-hex-file hex",
        "mac PMAC-AES128 --key-hex-file hex -",
        "mac PMAC-AES128 --key-hex-file - a",
        "segment -k key",
        "segment -k key -",
        "combine -k key -",
        "append -k key -m m a",
        "append -k key -m m a --verify",
        "edit -k key -m m a --at 0",
    ] {
        let closed = sandbox.shell(&format!("exec wegman {args} <&-"));
        closed.exits(2).prints(&[]).says("standard input is closed");
    }
    let lines = sandbox.shell("exec wegman append -k key -m m a --json <&-").exits(2).json();
    assert_eq!(lines[0]["status"], "refused");
    assert_eq!(sandbox.text("a"), "content");
    assert!(!sandbox.has_unfinished() && !sandbox.path("m.wegman-edit").exists());
    sandbox.shell("exec wegman check -k key m <&-").exits(0).prints(&["a: OK"]);
    // Who reads none does not need one, and an empty one is open.
    for args in [
        "mac PMAC-AES128 --key-hex-file hex a <&-",
        "segment -k key a <&-",
        "segment -k key </dev/null",
        "append -k key -m m a </dev/null",
        "truncate -k key -m m a --size 3 <&-",
        "finish -k key m <&-",
    ] {
        sandbox.shell(&format!("exec wegman {args}")).exits(0);
    }
}

/// Programs give others a `/dev/null` that can be read and written: that is an empty input and an output that takes all.
#[test]
fn the_null_device_is_open() {
    let sandbox = sandbox();
    let mac = "mac PMAC-AES128 --key-hex-file hex";
    let empty = sandbox.shell(&format!("exec wegman {mac} </dev/null")).exits(0).out;
    assert_eq!(sandbox.shell(&format!("exec wegman {mac} 0<>/dev/null")).exits(0).out, empty);
    for args in [mac, "algorithms", "--help", "check -k key m"] {
        sandbox.shell(&format!("exec wegman {args} </dev/null >/dev/null")).exits(0);
        sandbox.shell(&format!("exec wegman {args} </dev/null 1<>/dev/null")).exits(0);
    }
    let null = || Stdio::null();
    let args = ["check", "-k", "key", "m"];
    let mut command: Command = sandbox.command(&args);
    assert!(command.stdin(null()).stdout(null()).stderr(null()).status().unwrap().success());
}
