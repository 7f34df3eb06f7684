//! `wegman audit`.

use crate::common::{Sandbox, measured};
use std::fs;
use std::process::Stdio;

const ALGORITHMS: [&str; 3] = ["PMAC-AES128", "UMAC-64", "Carter-128"];

/// A key, the directory `d` and its manifest `m`.
fn sandbox(algorithm: &str) -> Sandbox {
    let sandbox = Sandbox::with_key(algorithm);
    for name in ["changed", "kept", "lost", "old", "sub/deep"] {
        sandbox.write(format!("d/{name}"), name);
    }
    sandbox.run("tag -r -o m d").exits(0);
    sandbox
}

#[test]
fn changed_missing_new_and_moved() {
    for algorithm in ALGORITHMS {
        let sandbox = sandbox(algorithm);
        sandbox.write("d/changed", "Changed");
        sandbox.write("d/new", "something else");
        sandbox.remove("d/lost");
        fs::rename(sandbox.path("d/old"), sandbox.path("d/sub/moved")).unwrap();
        let output = sandbox.run("audit d m").exits(1).prints(&[
            "d/changed: CHANGED",
            "d/new: NEW",
            "d/old: MOVED to d/sub/moved",
            "d/lost: MISSING",
        ]);
        let summary = "wegman: audit: 2 unchanged, 1 changed, 1 moved, 1 missing, 1 new\n";
        assert_eq!(output.said(), summary);
    }
}

#[test]
fn two_lost_copies_are_two_moves() {
    for algorithm in ALGORITHMS {
        let sandbox = Sandbox::with_key(algorithm);
        sandbox.write("d/1", "same");
        sandbox.write("d/2", "same");
        sandbox.run("tag -r -o m d").exits(0);
        for (from, to) in [("d/1", "d/3"), ("d/2", "d/4")] {
            fs::rename(sandbox.path(from), sandbox.path(to)).unwrap();
        }
        sandbox.write("d/5", "same");
        let lines = ["d/1: MOVED to d/3", "d/2: MOVED to d/4", "d/5: NEW"];
        sandbox.run("audit d m").exits(1).prints(&lines);
    }
}

#[test]
fn the_directory_may_be_spelled_otherwise() {
    let sandbox = sandbox("PMAC-AES128");
    for spelling in ["d/", "./d", "./d/", "d//", ".//d/."] {
        sandbox.wegman(&["audit", "-k", "key", spelling, "m"]).exits(0).prints(&[]);
    }
}

#[test]
fn key_and_manifest_inside_are_not_new() {
    let sandbox = sandbox("UMAC-64");
    sandbox.run("tag -r -o all .").exits(0);
    sandbox.run("audit . all").exits(0).prints(&[]);
}

#[test]
fn a_part_of_the_tree() {
    let sandbox = sandbox("UMAC-64");
    sandbox.write("d/new", "");
    sandbox.run("audit d/sub m").exits(0).says("4 files of the manifest");
}

#[test]
fn a_directory_the_manifest_does_not_know() {
    let sandbox = sandbox("PMAC-AES128");
    sandbox.write("e/file", "");
    sandbox.run("audit e m").exits(2).prints(&[]).says("e: no file");
    sandbox.run("audit none m").exits(2).says("not a directory");
    sandbox.run("audit d/kept m").exits(2).says("not a directory");
}

#[test]
fn a_forged_manifest_audits_nothing() {
    let sandbox = sandbox("PMAC-AES128");
    sandbox.write("m", sandbox.text("m").replace("d/kept", "d/kepT"));
    sandbox.run("audit d m").exits(1).prints(&[]).says("refused");
}

#[test]
fn a_directory_that_may_not_be_read() {
    let sandbox = sandbox("PMAC-AES128");
    sandbox.write("d/shut/file", "not in the manifest");
    sandbox.chmod("d/shut", 0);
    let output = sandbox.wegman_bound(&["audit", "-k", "key", "d", "m"]);
    sandbox.chmod("d/shut", 0o700);
    output.exits(2).prints(&[]).says("d/shut: ").says("5 unchanged, 1 unreadable");
}

#[test]
fn a_finding_outweighs_what_may_not_be_read() {
    let sandbox = sandbox("PMAC-AES128");
    sandbox.write("d/changed", "Changed");
    sandbox.chmod("d/kept", 0);
    let output = sandbox.wegman_bound(&["audit", "-k", "key", "d", "m"]);
    output.exits(1).prints(&["d/changed: CHANGED"]).says("d/kept: Permission denied");
}

#[test]
fn json_tells_where_a_file_went() {
    let sandbox = sandbox("UMAC-64");
    fs::rename(sandbox.path("d/old"), sandbox.path("d/sub/moved")).unwrap();
    let output = sandbox.run("audit --json d m").exits(1);
    let lines = output.json();
    assert_eq!(lines[0]["name"], "d/old");
    assert_eq!(lines[0]["status"], "moved");
    assert_eq!(lines[0]["to"], "d/sub/moved");
    assert_eq!(lines[1]["moved"], 1);
}

/// Without a directory in the manifest.
#[test]
fn modes_of_files_alone_are_compared() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    sandbox.write("d/a", "content");
    sandbox.chmod("d/a", 0o600);
    sandbox.run("tag --mode -o m d/a").exits(0);
    sandbox.run("audit --mode d m").exits(0).prints(&[]);
    sandbox.chmod("d/a", 0o640);
    sandbox.run("audit --mode d m").exits(1).prints(&["d/a: CHANGED (mode 0640, was 0600)"]);
}

/// Of equal files, each is one that moved, in order.
#[test]
fn equal_files_move_one_by_one() {
    for algorithm in ["PMAC-AES128", "UMAC-64"] {
        let sandbox = Sandbox::with_key(algorithm);
        ["d/a", "d/b", "d/c", "d/d"].iter().for_each(|name| sandbox.write(name, "x"));
        sandbox.run("tag -r -o m d").exits(0);
        sandbox.shell("cd d && mv b 1 && mv c 2 && rm d").exits(0);
        let lines = ["d/b: MOVED to d/1", "d/c: MOVED to d/2", "d/d: MISSING"];
        sandbox.run("audit d m").exits(1).prints(&lines);
        sandbox.write("d/3", "x");
        sandbox.write("d/4", "x");
        let lines = ["d/b: MOVED to d/1", "d/c: MOVED to d/2", "d/d: MOVED to d/3", "d/4: NEW"];
        sandbox.run("audit d m").exits(1).prints(&lines);
    }
}

/// A directory of many files gets another name: each is compared with those like it, not with all.
#[test]
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
fn many_moved_files_take_no_square_time() {
    for content in [|i: u32| i.to_string(), |_| String::new()] {
        let sandbox = Sandbox::with_key("PMAC-AES128");
        (0..3000).for_each(|i| sandbox.write(format!("t/old/{i}"), content(i)));
        sandbox.run("tag -r -o m t").exits(0);
        let time = |words: &str, code: i32| {
            let args: Vec<&str> = words.split(' ').collect();
            let (out, err) = (Stdio::null(), Stdio::null());
            let child = sandbox.command(&args).stdout(out).stderr(err).spawn().unwrap();
            let (status, _, time) = measured(&child);
            assert_eq!(libc::WEXITSTATUS(status), code, "{words}");
            time
        };
        let checked = time("check -k key m", 0);
        fs::rename(sandbox.path("t/old"), sandbox.path("t/new")).unwrap();
        let audited = time("audit -k key t m", 1);
        assert!(audited < 8.0 * checked, "{audited} s for {checked} s");
    }
}

#[test]
fn other_words_get_a_hint() {
    let sandbox = sandbox("PMAC-AES128");
    sandbox.run("audit m d").exits(2).says("d: it is a directory: give DIR first");
    for words in ["verify m", "check -c m"] {
        sandbox.run(words).exits(2).says("did you mean `wegman check -k KEY MANIFEST`?");
    }
    let wrong = sandbox.run("check m --no-such").exits(2);
    assert!(!wrong.err.contains("did you mean"), "{wrong:?}");
}
