//! `wegman tag` and `wegman check`: round trips, names, kinds of files, what is left out.

use crate::common::{Sandbox, lasting};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

const ALGORITHMS: [&str; 4] = ["PMAC-AES128", "UMAC-64", "UMAC-128", "Carter-128"];

/// A key, the files `a`, `b`, `c` and their manifest `m`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    for name in ["a", "b", "c"] {
        sandbox.write(name, format!("content of {name}"));
    }
    sandbox.run("tag -o m a b c").exits(0).prints(&[]);
    sandbox
}

#[test]
fn what_was_tagged_is_good_until_a_byte_flips() {
    for algorithm in ALGORITHMS {
        let sandbox = Sandbox::with_key(algorithm);
        for (name, size) in [("empty", 0), ("one", 1), ("block", 1024), ("large", 300_001)] {
            sandbox.write(name, vec![7; size]);
        }
        sandbox.run("tag -o m empty one block large").exits(0);
        let good = ["empty: OK", "one: OK", "block: OK", "large: OK"];
        sandbox.run("check m").exits(0).prints(&good);
        for at in [0, 131_072, 300_000] {
            let mut bytes = vec![7; 300_001];
            bytes[at] ^= 0x80;
            sandbox.write("large", bytes);
            let checked = sandbox.run("check m --quiet");
            checked.exits(1).prints(&["large: FAILED"]).says("check: 3 ok, 1 failed");
        }
    }
}

#[test]
fn nonces_are_random() {
    let sandbox = Sandbox::with_key("UMAC-64");
    sandbox.write("a", "same");
    sandbox.write("b", "same");
    let run = || sandbox.run("tag a b").exits(0).out;
    let text = run() + &run();
    let nonces = text.lines().filter_map(|line| line.split_once(" nonce=")).map(|(_, n)| n);
    let mut nonces: Vec<&str> = nonces.collect();
    assert!(nonces.iter().all(|n| n.len() == 32 && n.bytes().all(|d| d.is_ascii_hexdigit())));
    nonces.sort_unstable();
    nonces.dedup();
    assert_eq!(nonces.len(), 6, "two files and a seal, twice: {text}");
}

#[test]
fn a_tree_is_tagged_in_order_whatever_the_threads() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    for i in 0..50 {
        sandbox.write(format!("d/{}/{i}", i % 5), "x".repeat(i * 1000));
    }
    let one = sandbox.run("tag -r -j 1 d").exits(0);
    let many = sandbox.run("tag -r -j 8 d").exits(0);
    assert_eq!(lasting(&one.out), lasting(&many.out));
    assert_eq!(lasting(&one.out).len(), 1 + 6 + 50);
    let checked = sandbox.wegman_reads(&["check", "-k", "key", "-"], &one.bytes).exits(0);
    assert_eq!(checked.out.lines().count(), 50);
}

#[test]
fn a_name_given_twice_is_tagged_once() {
    let sandbox = sandbox();
    sandbox.run("tag -o n a a b a").exits(0);
    sandbox.run("check n").exits(0).prints(&["a: OK", "b: OK"]);
}

#[test]
fn standard_input() {
    let sandbox = Sandbox::with_key("UMAC-64");
    for dash in [&["-"][..], &[]] {
        let tag = [&["tag", "-k", "key", "-o", "m"], dash].concat();
        sandbox.wegman_reads(&tag, b"content").exits(0);
        sandbox.wegman_reads(&["check", "-k", "key", "m"], b"content").exits(0).prints(&["-: OK"]);
        let other = sandbox.wegman_reads(&["check", "-k", "key", "m"], b"Content");
        other.exits(1).prints(&["-: FAILED"]);
    }
    let manifest = sandbox.read("m");
    sandbox.wegman_reads(&["check", "-k", "key", "-"], &manifest).exits(2).says("both");
    // A file of that name is another thing, which may be gone.
    sandbox.write("-", "file");
    let tag = |more: &[&str]| {
        sandbox.wegman_reads(&[&["tag", "-k", "key", "-o", "m", "-"], more].concat(), b"content")
    };
    tag(&["-", "./-"]).exits(0);
    let check = |name: &str| sandbox.wegman_reads(&["check", "-k", "key", "m", name], b"content");
    check("-").exits(0).prints(&["-: OK"]);
    check("./-").exits(0).prints(&["./-: OK"]);
    sandbox.remove("-");
    tag(&[]).exits(1).says("m: 1 file missing since it was made");
}

#[test]
fn what_is_missing_or_unreadable_stops_nothing() {
    let sandbox = sandbox();
    sandbox.chmod("b", 0);
    let tagged = sandbox.wegman_bound(&["tag", "-k", "key", "-o", "n", "a", "none", "b", "c"]);
    tagged.exits(2).says("none: No such file").says("b: Permission denied").says("2 tagged");
    sandbox.wegman_bound(&["check", "-k", "key", "n"]).exits(0).prints(&["a: OK", "c: OK"]);
    let checked = sandbox.wegman_bound(&["check", "-k", "key", "m"]);
    checked.exits(2).prints(&["a: OK", "b: FAILED open or read", "c: OK"]).says("b: Permission");
    sandbox.remove("b");
    sandbox.run("check m").exits(1).prints(&["a: OK", "b: MISSING", "c: OK"]).says("1 missing");
}

/// It would be tagged as new later, whatever it is then.
#[test]
fn a_file_that_can_not_be_read_is_not_dropped_from_its_manifest() {
    let sandbox = sandbox();
    sandbox.write("d/s/x", "content");
    sandbox.run("tag -r -o d.m d").exits(0);
    let tag_d = |more: &[&str]| {
        sandbox.wegman_bound(&[&["tag", "-k", "key", "-r", "-o", "d.m", "d", "a"], more].concat())
    };
    for name in ["d/s/x", "d/s", "d"] {
        let old = sandbox.read("d.m");
        sandbox.chmod(name, 0);
        tag_d(&[]).exits(2).says("d.m: it names 1 file that can't be read: it was not replaced");
        sandbox.chmod(name, 0o700);
        assert!(sandbox.read("d.m") == old && !sandbox.has_unfinished());
    }
    // What it does not name may be left out.
    sandbox.write("d/new", "content");
    sandbox.chmod("d/new", 0);
    tag_d(&[]).exits(2).says("d.m: serial 2");
    sandbox.chmod("d/s/x", 0);
    tag_d(&["--force"]).exits(2).says("d.m: serial 3");
}

#[test]
fn what_is_there_instead_of_a_file_is_not_it() {
    let sandbox = sandbox();
    fs::rename(sandbox.path("b"), sandbox.path("elsewhere")).unwrap();
    type Make = fn(&Path);
    let kinds: [(&str, Make); 3] = [
        ("it is a directory", |place| fs::create_dir(place).unwrap()),
        ("symbolic link", |place| symlink("elsewhere", place).unwrap()),
        ("it is a socket", |place| drop(UnixListener::bind(place).unwrap())),
    ];
    for (kind, make) in kinds {
        make(&sandbox.path("b"));
        sandbox.run("check --quiet m").exits(1).prints(&["b: FAILED"]).says("b: ").says(kind);
        let _ = fs::remove_dir(sandbox.path("b")).or_else(|_| fs::remove_file(sandbox.path("b")));
    }
}

#[test]
fn status_prints_nothing() {
    let sandbox = sandbox();
    let silent = |code| {
        for json in [None, Some("--json")] {
            let args = ["check", "-k", "key", "--status", "m"].into_iter().chain(json);
            let output = sandbox.wegman(&args.collect::<Vec<_>>()).exits(code);
            assert_eq!((&*output.out, &*output.err), ("", ""));
        }
    };
    silent(0);
    sandbox.remove("a");
    silent(1);
    sandbox.write("b", "other");
    silent(1);
    sandbox.write("m", "not a manifest");
    silent(1);
}

#[test]
fn missing_files_may_be_passed_over_but_not_all() {
    let sandbox = sandbox();
    sandbox.remove("a");
    sandbox.run("check --ignore-missing m").exits(0).prints(&["b: OK", "c: OK"]);
    sandbox.remove("b");
    sandbox.remove("c");
    sandbox.run("check --ignore-missing m").exits(1).prints(&[]).says("no file was checked");
}

#[test]
fn a_directory_needs_r() {
    let sandbox = sandbox();
    sandbox.write("d/file", "");
    sandbox.run("tag -o n d a").exits(2).says("d: it is a directory");
    sandbox.run("check n").exits(0).prints(&["a: OK"]);
}

#[test]
fn odd_names_survive() {
    let names: Vec<OsString> = [
        &b"new\nline"[..],
        b"\n",
        b"back\\slash\\n",
        b"\\",
        b"carriage\rreturn",
        b"-rf",
        b"--",
        b"x) = y",
        b"x) = 00112233445566778899aabbccddeeff",
        b"# wegman seal = 00",
        b"not UTF-8 \xff\xfe",
        b" ",
        b"\x1b[31mred",
    ]
    .map(|name| OsString::from_vec(name.to_vec()))
    .into();
    for algorithm in ALGORITHMS {
        let sandbox = Sandbox::with_key(algorithm);
        for name in &names {
            sandbox.write(name, name.as_encoded_bytes());
        }
        let args = ["tag", "-k", "key", "-o", "m", "--"].map(OsString::from);
        sandbox.wegman(&[&args, &names[..]].concat()).exits(0);
        let checked = sandbox.run("check m").exits(0);
        assert_eq!(checked.bytes.split(|&byte| byte == b'\n').count(), names.len() + 1);
        for line in [&b"\\new\\nline: OK\n"[..], b"\\\\\\: OK\n", b"not UTF-8 \xff\xfe: OK\n"] {
            assert!(checked.bytes.windows(line.len()).any(|part| part == line), "{checked:#?}");
        }
        for name in &names {
            sandbox.write(name, "other");
            sandbox.run("check --quiet m").exits(1).says("1 failed");
            sandbox.write(name, name.as_encoded_bytes());
        }
    }
}

#[test]
fn messages_show_no_control_characters() {
    let sandbox = sandbox();
    let output = sandbox.wegman(&["tag", "-k", "key", "\x1b[31m\nwegman: forged"]).exits(2);
    assert!(!output.err.contains('\x1b') && !output.err.contains("\nwegman: forged"));
    // Not names alone: whoever can write in a tree writes this.
    sandbox.write("d/.wegmanignore", "\x1b[2Ja: OK\u{202e}\u{9b}1A[z-a]");
    let output = sandbox.run("tag -r d").exits(2);
    let output = output.says("\\u{1b}[2Ja: OK\\u{202e}\\u{9b}1A[z-a]");
    assert!(!output.err.contains(['\x1b', '\u{9b}', '\u{202e}']), "{output:?}");
}

#[test]
fn symbolic_links_are_followed_only_when_asked() {
    let sandbox = sandbox();
    sandbox.write("d/file", "file");
    symlink("file", sandbox.path("d/link")).unwrap();
    symlink("../d", sandbox.path("d/loop")).unwrap();
    symlink("d", sandbox.path("dir")).unwrap();
    sandbox.run("tag -r -o n d").exits(0).says("2 symbolic links");
    sandbox.run("check n").exits(0).prints(&["d/file: OK"]);
    sandbox.run("tag d/link").exits(2).says("--follow-symlinks");
    sandbox.run("tag -r dir").exits(2).says("--follow-symlinks");
    sandbox.run("tag -o n -L d/link").exits(0);
    sandbox.run("check n").exits(1).says("--follow-symlinks");
    sandbox.run("check -L n").exits(0).prints(&["d/link: OK"]);
}

#[test]
fn a_loop_of_links_ends() {
    let sandbox = sandbox();
    sandbox.write("d/file", "file");
    symlink("file", sandbox.path("d/link")).unwrap();
    symlink("../d", sandbox.path("d/loop")).unwrap();
    symlink("self", sandbox.path("d/self")).unwrap();
    let tagged = sandbox.run("tag -r -L -o n d").exits(2);
    tagged.says("d/loop: a symbolic link leads back").says("d/self: ");
    sandbox.run("check -L n").exits(0).prints(&["d/file: OK", "d/link: OK"]);
}

#[test]
fn sockets_pipes_and_devices_are_no_files() {
    let sandbox = sandbox();
    sandbox.write("d/file", "file");
    sandbox.fifo("d/fifo");
    let _socket = UnixListener::bind(sandbox.path("d/socket")).unwrap();
    sandbox.run("tag -r -o n d").exits(0).says("not read: 2 sockets, pipes or devices");
    sandbox.run("check n").exits(0).prints(&["d/file: OK"]);
    for (name, kind) in [("d/fifo", "pipe"), ("d/socket", "socket"), ("/dev/null", "device")] {
        for follow in [None, Some("-L")] {
            let args = ["tag", "-k", "key", "-o", "n", name, "a"].into_iter().chain(follow);
            sandbox.wegman(&args.collect::<Vec<_>>()).exits(2).says(name).says(kind);
            sandbox.run("check n").exits(0).prints(&["a: OK"]);
        }
    }
    sandbox.remove("b");
    sandbox.fifo("b");
    sandbox.run("check m").exits(1).says("b: it is a pipe");
}

/// More directories in each other than a name may have: of those that can't be named, that is said.
#[test]
fn a_deep_tree_needs_no_deep_stack() {
    let sandbox = sandbox();
    sandbox.write("t/file", "file");
    let deep = "d=$(printf 'd/%.0s' $(seq 1900)) && mkdir -p t/$d more/$d && mv more t/$d";
    sandbox.shell(deep).exits(0);
    for args in ["tag -k key -r -o n t", "audit -k key t n", "tag -k key --update n"] {
        let run = sandbox.shell(&format!("ulimit -s 1024; exec wegman {args}"));
        run.exits(2).says("t/d/d/d/").says("/d: File name too long");
    }
    sandbox.shell("rm -r t").exits(0); // Rust's own way has too many directories open
}

#[test]
fn manifest_and_key_inside_the_tree_are_not_tagged() {
    for algorithm in ALGORITHMS {
        let sandbox = Sandbox::with_key(algorithm);
        sandbox.write("file", "file");
        fs::hard_link(sandbox.path("key"), sandbox.path("key too")).unwrap();
        for _ in 0..2 {
            sandbox.run("tag -r -o m .").exits(0);
            sandbox.run("check m").exits(0).prints(&["./file: OK"]);
        }
    }
}

#[test]
fn json_of_tag_and_check() {
    for algorithm in ALGORITHMS {
        let sandbox = Sandbox::with_key(algorithm);
        let odd = OsStr::new("back\\slash\n\"quoted\"");
        sandbox.write(odd, "odd");
        sandbox.write("b", "b");
        let names = ["tag", "-k", "key", "--json", "-o", "m", "none", "b"].map(OsStr::new);
        let tagged = sandbox.wegman(&[&names, &[odd][..]].concat()).exits(2);
        let lines = tagged.json();
        let statuses: Vec<_> = lines.iter().filter_map(|line| line["status"].as_str()).collect();
        assert_eq!(statuses, ["unreadable", "tagged", "tagged"]);
        assert_eq!(lines[2]["name"], odd.to_str().unwrap());
        let entry = lines[1]["tag"].as_str().unwrap();
        assert!(sandbox.text("m").contains(entry));
        assert_eq!(lines[1]["nonce"].is_string(), algorithm != "PMAC-AES128");
        assert_eq!((&lines[3]["tagged"], &lines[3]["unreadable"]), (&2.into(), &1.into()));

        let check = || sandbox.run("check --json m");
        assert_eq!(check().exits(0).json()[2]["ok"], 2);
        sandbox.remove("b");
        assert_eq!(check().exits(1).json()[0]["status"], "missing");
        sandbox.write("b", "B");
        let lines = check().exits(1).json();
        assert_eq!((&lines[0]["status"], &lines[2]["failed"]), (&"failed".into(), &1.into()));
    }
}

#[test]
fn json_of_a_name_that_is_not_utf_8() {
    let sandbox = sandbox();
    let name = OsString::from_vec(b"\xff".to_vec());
    sandbox.write(&name, "");
    let args = ["tag", "-k", "key", "--json"].map(OsString::from);
    let tagged = sandbox.wegman(&[&args, &[name][..]].concat()).exits(0);
    assert_eq!(tagged.json()[0]["name_hex"], "ff");
}

#[test]
fn usage_errors() {
    let sandbox = sandbox();
    sandbox.wegman::<&str>(&[]).exits(2);
    sandbox.wegman(&["frobnicate"]).exits(2);
    sandbox.run("check").exits(2);
    sandbox.run("check m n").exits(2);
    sandbox.run("tag -j 0 a").exits(2);
    // It accepts everything anyway.
    sandbox.run("tag --update m --force").exits(2).says("--force");
    sandbox.wegman(&["--help"]).exits(0);
    sandbox.wegman(&["--version"]).exits(0);
}

#[test]
fn only_a_manifest_or_an_empty_file_is_replaced() {
    let sandbox = sandbox();
    let is_refused = |args: &[&str], file: &str, reason: &str| {
        let before = sandbox.read(file);
        let args = [&["tag", "-k", "key", "-o"], args].concat();
        sandbox.wegman(&args).exits(2).prints(&[]).says(&format!("{file}: {reason}"));
        assert_eq!(sandbox.read(file), before);
    };
    is_refused(&["a", "b", "c"], "a", "it is a file, but not a manifest");
    is_refused(&["key", "a"], "key", "it is the key file");
    is_refused(&["a", "a"], "a", "it is one of the files to tag");
    is_refused(&["./m", "a", "m"], "./m", "it is one of the files to tag");
    symlink("a", sandbox.path("link")).unwrap();
    is_refused(&["link", "b"], "link", "it is a file, but not a manifest");
    sandbox.shell("wegman tag -k key -o m < m").exits(2).says("m: it is one of the files to tag");
    sandbox.write("new", "");
    sandbox.run("tag -o new a").exits(0);
    sandbox.run("tag -o new b").exits(0);
    sandbox.run("check new").exits(0).prints(&["b: OK"]);
}
