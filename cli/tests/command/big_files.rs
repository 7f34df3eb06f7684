//! Big files: several threads, maps and standard input give what one thread gives.

use crate::common::{Sandbox, lasting};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::process::Stdio;
use std::sync::LazyLock;

/// More than is read ahead at once, no multiple of any piece, and beyond UMAC's switch at 16 MiB.
const SIZE: usize = (18 << 20) + 13;

/// The ways to read a file.
const WAYS: [&[&str]; 5] = [&["-j1"], &["-j2"], &["-j3"], &["-j1", "--mmap"], &["-j3", "--mmap"]];

const ALGORITHMS: [(&str, &[&str]); 3] = [
    ("PMAC-AES128", &[]),
    ("UMAC-64", &["--nonce", "0001020304050607"]),
    ("Carter-128", &["--nonce", "000102030405060708090a0b"]),
];

/// Bytes that do not repeat.
static CONTENT: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut content = vec![0; SIZE.next_multiple_of(8)];
    for word in content.chunks_exact_mut(8) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        word.copy_from_slice(&state.to_le_bytes());
    }
    content.truncate(SIZE);
    content
});

/// Arguments one after another.
fn with<'a>(args: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [args, more].concat()
}

fn flip(sandbox: &Sandbox, name: &str, place: u64) {
    let file = OpenOptions::new().read(true).write(true).open(sandbox.path(name)).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, place).unwrap();
    file.write_all_at(&[byte[0] ^ 1], place).unwrap();
}

#[test]
fn every_way_to_read_gives_the_same_tag() {
    let sandbox = Sandbox::new();
    let content = &*CONTENT;
    sandbox.write("big", content);
    sandbox.write("hex", "6162636465666768696a6b6c6d6e6f70");
    sandbox.chmod("hex", 0o600);
    for (algorithm, nonce) in ALGORITHMS {
        let mac = with(&["mac", algorithm, "--key-hex-file", "hex"], nonce);
        let expected = sandbox.wegman_reads(&with(&mac, &["-j1"]), content).exits(0).out;
        assert_eq!(sandbox.wegman_reads(&mac, content).exits(0).out, expected, "a pipe");
        for way in WAYS {
            let args = with(&mac, way);
            let named = sandbox.wegman(&with(&args, &["big"])).exits(0);
            assert_eq!(named.out, expected, "{algorithm} {way:?}");
            let file = File::open(sandbox.path("big")).unwrap();
            let redirected = sandbox.command(&args).stdin(file).stderr(Stdio::null()).output();
            assert_eq!(redirected.unwrap().stdout, expected.as_bytes(), "{algorithm} {way:?} <");
        }
    }
}

#[test]
fn standard_input_is_read_from_where_it_stands() {
    let sandbox = Sandbox::new();
    let content = &*CONTENT;
    sandbox.write("big", content);
    sandbox.write("hex", "6162636465666768696a6b6c6d6e6f70");
    sandbox.chmod("hex", 0o600);
    let mac = ["mac", "PMAC-AES128", "--key-hex-file", "hex"];
    let expected = sandbox.wegman_reads(&mac, &content[12345..]).exits(0).out;
    for way in WAYS {
        let mut file = File::open(sandbox.path("big")).unwrap();
        file.seek(SeekFrom::Start(12345)).unwrap();
        let mut shared = file.try_clone().unwrap();
        let output = sandbox.command(&with(&mac, way)).stdin(file).output().unwrap();
        assert_eq!(output.stdout, expected.as_bytes(), "{way:?}");
        assert_eq!(shared.read(&mut [0]).unwrap(), 0, "{way:?}: all of it is read");
    }
}

#[test]
fn a_flipped_byte_is_caught_in_every_way() {
    for (algorithm, _) in ALGORITHMS {
        let sandbox = Sandbox::with_key(algorithm);
        sandbox.write("big", &*CONTENT);
        sandbox.write("small", "a");
        sandbox.run("tag -o m small big").exits(0);
        let check = |way| sandbox.wegman(&with(&["check", "-k", "key", "m"], way));
        for way in WAYS {
            check(way).exits(0).prints(&["small: OK", "big: OK"]);
            flip(&sandbox, "big", SIZE as u64 / 2);
            check(way).exits(1).prints(&["small: OK", "big: FAILED"]);
            flip(&sandbox, "big", SIZE as u64 / 2);
        }
        File::options().write(true).open(sandbox.path("big")).unwrap().set_len(9 << 20).unwrap();
        for way in WAYS {
            check(way).exits(1).prints(&["small: OK", "big: FAILED"]);
        }
    }
}

#[test]
fn several_big_files_at_once() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    let content = &*CONTENT;
    for i in 0..5 {
        sandbox.write(format!("tree/{i}"), &content[i << 20..][..(6 << 20) + i]);
    }
    let manifest = sandbox.run("tag -j1 -r tree").exits(0).out;
    for way in WAYS {
        let args = with(&["tag", "-k", "key", "-r", "tree"], way);
        let again = sandbox.wegman(&args).exits(0).out;
        assert_eq!(lasting(&again), lasting(&manifest), "{way:?}");
    }
    sandbox.write("m", manifest);
    sandbox.run("audit tree m --mmap").exits(0).prints(&[]);
}

#[test]
fn small_files_can_be_asked_to_be_mapped() {
    let sandbox = Sandbox::with_key("UMAC-64");
    sandbox.write("empty", "");
    sandbox.write("one", "a");
    sandbox.run("tag -o m --mmap empty one").exits(0);
    sandbox.run("check m").exits(0).prints(&["empty: OK", "one: OK"]);
    sandbox.run("check m --mmap").exits(0);
}

#[test]
fn what_can_not_be_read_is_an_error_in_every_way() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    sandbox.fifo("pipe");
    sandbox.write("locked", "a");
    sandbox.chmod("locked", 0);
    for way in WAYS {
        let tag = |name| sandbox.wegman_bound(&with(&["tag", "-k", "key", name], way));
        tag("pipe").exits(2).says("pipe: it is a pipe");
        tag("locked").exits(2).says("locked: Permission denied");
        tag("missing").exits(2).says("missing: No such file");
        tag(".").exits(2).says(".: it is a directory");
    }
}
