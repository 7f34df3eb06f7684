//! Manifests in shards: a root and its shards are checked together, and what is not as the root has it is called good by
//! nobody.

use crate::common::{Output, Sandbox, measured};
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use wegman_catalogue::AnyTag;
use wegman_files::stored::keyfile;
use wegman_files::stored::manifest::{load_any, write_rows};
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::role::Role;

const IDS: [&str; 3] = ["0000000000000001", "0000000000000002", "0000000000000003"];
const NAMES: [[&str; 2]; 3] = [["data/a", "data/b"], ["data/c", "data/d"], ["data/e", "data/f"]];

struct Tree {
    sandbox: Sandbox,
    key: KeyFile,
}

impl Tree {
    /// Six files in three shards, `meta/0` to `meta/2`, and `meta/root`.
    fn new() -> Tree {
        let sandbox = Sandbox::with_key("PMAC-AES128");
        let key = keyfile::open(&sandbox.path("key"), false).unwrap();
        std::fs::create_dir(sandbox.path("meta")).unwrap();
        let tree = Tree { sandbox, key };
        for name in NAMES.as_flattened() {
            tree.sandbox.write(name, name);
        }
        (0..3).for_each(|number| tree.seal_shard(number));
        tree.seal_root(&["0", "1", "2"]);
        tree
    }

    fn seal(&self, place: &str, role: &Role, rows: &[(&str, AnyTag)]) {
        let rows: Vec<_> = rows.iter().map(|(name, tag)| (*name, *tag, None)).collect();
        self.seal_ranges(place, role, &rows);
    }

    fn seal_ranges(&self, place: &str, role: &Role, rows: &[(&str, AnyTag, Option<&str>)]) {
        let rows = rows
            .iter()
            .map(|(name, tag, upto)| Ok((OsString::from(name), *tag, upto.map(OsString::from))));
        write_rows(&self.sandbox.path(place), &self.key, role, rows).unwrap();
    }

    fn seal_shard(&self, number: usize) {
        let role = Role::shard(IDS[number]).unwrap();
        let file_key = role.files_key(&self.key);
        let tag = |name| file_key.tag(None, &self.sandbox.read(name)).unwrap();
        let rows = NAMES[number].map(|name| (name, tag(name)));
        self.seal(&format!("meta/{number}"), &role, &rows);
    }

    fn seal_root(&self, shards: &[&str]) {
        let file_key = self.key.derive(Purpose::Files);
        let tag = |shard| {
            let bytes = self.sandbox.read(Path::new("meta").join(shard));
            (shard, file_key.tag(None, &bytes).unwrap())
        };
        let rows: Vec<_> = shards.iter().copied().map(tag).collect();
        self.seal("meta/root", &Role::Root, &rows);
    }

    fn check(&self, more: &[&str]) -> Output {
        let args = [&["check", "-k", "key", "meta/root"], more].concat();
        self.sandbox.wegman(&args)
    }

    fn audit(&self) -> Output {
        self.sandbox.run("audit data meta/root")
    }
}

#[test]
fn a_root_is_checked_with_its_shards() {
    let tree = Tree::new();
    let good = NAMES.as_flattened().iter().map(|name| format!("{name}: OK"));
    let good: Vec<String> = good.collect();
    let good: Vec<&str> = good.iter().map(String::as_str).collect();
    tree.check(&[]).exits(0).prints(&good).says("6 ok");
    tree.check(&["data/c", "data/f"]).exits(0).prints(&["data/c: OK", "data/f: OK"]);
    tree.check(&["data/x"]).exits(1).says("no shard has a file with one of these names");
    tree.check(&["--at-least", "1"]).exits(0);
    tree.check(&["--at-least", "2"]).exits(1).says("it is an old one");
    // A shard by itself, and several manifests.
    let shard = ["data/c: OK", "data/d: OK"];
    tree.sandbox.run("check meta/1").exits(0).prints(&shard);
    tree.check(&["meta/1"]).exits(0).says("8 ok");
    // From elsewhere: shards are beside their root, files in the current directory.
    let root = tree.sandbox.path("meta/root");
    let other = ["-C", "data", "check", "-k", "../key", root.to_str().unwrap()];
    tree.sandbox.wegman(&other).exits(1).says("none of the 2 files");

    tree.sandbox.write("data/c", "changed");
    tree.sandbox.remove("data/e");
    let report = tree.check(&["-q"]).exits(1);
    report.prints(&["data/c: FAILED", "data/e: MISSING"]);
}

#[test]
fn tags_of_shards_are_under_their_own_keys() {
    let tree = Tree::new();
    let plain = tree.sandbox.run("tag data/a").exits(0).out;
    let tag = |text: &str| {
        let line = text.lines().find(|line| line.contains("(data/a)")).unwrap();
        line.split(" = ").nth(1).unwrap().to_owned()
    };
    assert_ne!(tag(&plain), tag(&tree.sandbox.text("meta/0")));
    // With the rows of one, sealed as another's: the tags are not those.
    let shard = load_any(&tree.sandbox.path("meta/0"), &tree.key).unwrap();
    let rows = shard.entries.iter().map(|entry| (entry.name.to_str().unwrap(), entry.stamp.tag));
    let rows: Vec<_> = rows.collect();
    tree.seal("meta/0", &Role::shard(IDS[1]).unwrap(), &rows);
    let check = tree.sandbox.run("check meta/0");
    check.exits(1).prints(&["data/a: FAILED", "data/b: FAILED"]);
}

#[test]
fn shards_that_are_not_as_the_root_has_them() {
    let tree = Tree::new();
    let contents: Vec<_> =
        (0..3).map(|number| tree.sandbox.read(format!("meta/{number}"))).collect();
    let bad = || {
        let report = tree.check(&[]).exits(1).says("1: it is not the shard that the root has");
        report.prints(&["data/a: OK", "data/b: OK", "1: FAILED", "data/e: OK", "data/f: OK"]);
        tree.audit().exits(1).says("1: shard refused").prints(&[]);
        tree.sandbox.write("meta/1", &contents[1]);
        tree.check(&["-q"]).exits(0);
    };
    for at in (0..contents[1].len()).step_by(29) {
        let mut altered = contents[1].clone();
        altered[at] ^= 4;
        tree.sandbox.write("meta/1", altered);
        bad();
    }
    tree.sandbox.write("meta/1", &contents[0]);
    bad();
    tree.sandbox.write("meta/1", [&contents[1][..], b"\n"].concat());
    bad();
    tree.sandbox.write("meta/1", "");
    bad();
    // Older: the shard was sealed again since, and the root with it.
    tree.sandbox.write("data/d", "new");
    tree.seal_shard(1);
    tree.seal_root(&["0", "1", "2"]);
    tree.check(&["-q"]).exits(0);
    tree.sandbox.write("meta/1", &contents[1]);
    tree.check(&[]).exits(1).says("1: it is not the shard");
    tree.sandbox.write("data/d", "data/d");
    tree.seal_shard(1);
    tree.seal_root(&["0", "1", "2"]);

    // Swapped, missing, unreadable.
    let (one, two) = (tree.sandbox.read("meta/1"), tree.sandbox.read("meta/2"));
    tree.sandbox.write("meta/1", &two);
    tree.sandbox.write("meta/2", &one);
    tree.check(&[]).exits(1).prints(&["data/a: OK", "data/b: OK", "1: FAILED", "2: FAILED"]);
    tree.sandbox.write("meta/2", &two);
    tree.sandbox.remove("meta/1");
    let report = tree.check(&[]).exits(1);
    report.prints(&["data/a: OK", "data/b: OK", "1: MISSING", "data/e: OK", "data/f: OK"]);
    tree.audit().exits(1).says("1: the shard is missing");
    tree.sandbox.fifo("meta/1");
    tree.check(&[]).exits(2).says("it is a pipe");
    tree.audit().exits(2).says("1: can't read the shard");
}

#[test]
#[expect(clippy::zombie_processes, reason = "wait4 waits for it")]
fn a_large_file_in_the_place_of_a_shard_needs_little_memory() {
    let tree = Tree::new();
    let large = File::create(tree.sandbox.path("meta/1")).unwrap();
    large.set_len(128 << 20).unwrap();
    let mut command = tree.sandbox.command(&["check", "-k", "key", "-q", "meta/root"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let (status, peak, _) = measured(&child);
    assert_eq!(status >> 8, 1);
    assert!(peak < 64 << 20, "{} MiB", peak >> 20);
}

#[test]
fn a_root_that_was_altered() {
    let tree = Tree::new();
    let whole = tree.sandbox.read("meta/root");
    for at in 0..whole.len() {
        let mut altered = whole.clone();
        altered[at] ^= 1 << (at % 8);
        tree.sandbox.write("meta/root", altered);
        let output = tree.check(&[]);
        // Another key's id is a matter of the key.
        assert_ne!(output.code, 0, "byte {at}");
        output.prints(&[]);
    }
    // Rows that a root should not have, sealed by somebody with the key.
    tree.sandbox.write("meta/root", &whole);
    tree.sandbox.write("meta/3", tree.sandbox.read("meta/0"));
    tree.seal_root(&["0", "1", "2", "3"]);
    tree.check(&[]).exits(1).says("3: its names do not follow those of the shard before");
    tree.sandbox.write("meta/3", &whole);
    tree.seal_root(&["0", "1", "2", "3"]);
    tree.check(&[]).exits(1).says("3: it is no shard");
    // Shards without files.
    tree.sandbox.remove("meta/3");
    tree.seal("meta/3", &Role::shard(IDS[0]).unwrap(), &[]);
    tree.seal_root(&["3"]);
    tree.check(&[]).exits(1).says("it names no files");
    tree.audit().exits(1).says("it names no files");
    tree.seal_root(&["0", "1", "2", "3"]);
    tree.check(&[]).exits(0).says("6 ok");
    // A shard of another key.
    tree.sandbox.keygen("other", "PMAC-AES128");
    let other = keyfile::open(&tree.sandbox.path("other"), false).unwrap();
    let none = std::iter::empty();
    tree.sandbox.remove("meta/3");
    write_rows(&tree.sandbox.path("meta/3"), &other, &Role::shard(IDS[0]).unwrap(), none).unwrap();
    tree.seal_root(&["0", "1", "2", "3"]);
    tree.check(&[]).exits(1).says("3: it was made with");
}

#[test]
fn shards_have_the_names_of_their_ranges() {
    let tree = Tree::new();
    let file_key = tree.key.derive(Purpose::Files);
    let roots = |rows: &[(&'static str, &'static str)]| {
        let row = |&(shard, upto): &(&'static str, &'static str)| {
            let bytes = tree.sandbox.read(Path::new("meta").join(shard));
            (shard, file_key.tag(None, &bytes).unwrap(), Some(upto))
        };
        let rows: Vec<_> = rows.iter().map(row).collect();
        tree.seal_ranges("meta/root", &Role::Root, &rows);
    };
    roots(&[("0", "data/b"), ("1", "data/dd"), ("2", "")]);
    tree.check(&[]).exits(0).says("6 ok");
    tree.audit().exits(0);
    // In the order of the ranges, whatever the files are called.
    std::fs::rename(tree.sandbox.path("meta/0"), tree.sandbox.path("meta/9")).unwrap();
    roots(&[("9", "data/b"), ("1", "data/dd"), ("2", "")]);
    tree.check(&[]).exits(0).says("6 ok");
    roots(&[("9", "data/b"), ("1", "data/c"), ("2", "")]);
    tree.check(&[]).exits(1).says("1: it has names outside the range");
    roots(&[("9", "data/c"), ("1", "data/d"), ("2", "")]);
    tree.check(&[]).exits(1).says("1: its names do not follow");
}

#[test]
fn audit_compares_with_all_shards() {
    let tree = Tree::new();
    tree.audit().exits(0).prints(&[]);
    tree.sandbox.write("data/b", "changed");
    tree.sandbox.write("data/bb", "new");
    tree.sandbox.write("data/z", "new");
    tree.sandbox.remove("data/f");
    // Moved within a shard, and to where another one's names are.
    std::fs::rename(tree.sandbox.path("data/c"), tree.sandbox.path("data/cc")).unwrap();
    std::fs::rename(tree.sandbox.path("data/a"), tree.sandbox.path("data/y")).unwrap();
    let lines = [
        "data/b: CHANGED",
        "data/bb: NEW",
        "data/c: MOVED to data/cc",
        "data/y: NEW",
        "data/z: NEW",
        "data/a: MISSING",
        "data/f: MISSING",
    ];
    tree.audit().exits(1).prints(&lines);
}

#[test]
fn nothing_else_changes_a_shard_or_a_root() {
    let tree = Tree::new();
    let before: Vec<_> = ["root", "1"].map(|name| tree.sandbox.read(format!("meta/{name}"))).into();
    for manifest in ["meta/root", "meta/1"] {
        let commands: [&[&str]; 6] = [
            &["tag", "-k", "key", "-o", manifest, "data/a"],
            &["tag", "-k", "key", "--update", manifest],
            &["audit", "-k", "key", "--accept", "data", manifest],
            &["edit", "-k", "key", "-m", manifest, "data/c", "--at", "0"],
            &["append", "-k", "key", "-m", manifest, "data/c"],
            &["truncate", "-k", "key", "-m", manifest, "data/c", "--size", "1"],
        ];
        for command in commands {
            let output = tree.sandbox.wegman_reads(command, b"x");
            assert!(output.code != 0, "{command:?}");
            output.says("`wegman-cluster retag`");
        }
    }
    assert_eq!(before[0], tree.sandbox.read("meta/root"));
    assert_eq!(before[1], tree.sandbox.read("meta/1"));
    assert_eq!(tree.sandbox.text("data/c"), "data/c");
}

#[test]
fn json_names_the_shard() {
    let tree = Tree::new();
    tree.sandbox.write("meta/1", "");
    let records = tree.check(&["--json"]).exits(1).json();
    let of = |name: &str| records.iter().find(|record| record["name"] == name).unwrap();
    assert_eq!(of("1")["status"], "failed");
    assert_eq!(of("data/a")["status"], "ok");
    assert_eq!(records.last().unwrap()["ok"], 4);
    assert!(!records.iter().any(|record| record["name"] == "data/c"));
}

#[test]
fn the_cluster_command_is_found() {
    let sandbox = Sandbox::new();
    sandbox.write("bin/wegman-cluster", "#!/bin/sh\necho \"$@\"\nexit 7\n");
    sandbox.chmod("bin/wegman-cluster", 0o755);
    let bin = sandbox.path("bin");
    let run = |path: &str, args: &[&str]| {
        sandbox.command(args).env("PATH", format!("{path}:/usr/bin:/bin")).output().unwrap()
    };
    let done = run(bin.to_str().unwrap(), &["cluster", "tag", "s3://b/p", "--help", "-k", "x"]);
    assert_eq!((done.status.code(), &*done.stdout), (Some(7), &b"tag s3://b/p --help -k x\n"[..]));
    let none = run("/nowhere", &["cluster", "tag"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&none.stderr).contains("wegman-cluster is not installed: "));
}

/// Made before such objects were refused.
#[test]
fn no_object_is_standard_input() {
    let tree = Tree::new();
    let role = Role::shard(IDS[0]).unwrap();
    let tag = role.files_key(&tree.key).tag(None, b"gone").unwrap();
    tree.seal("meta/0", &role, &[("-", tag)]);
    tree.seal_root(&["0", "1", "2"]);
    for place in ["meta/0", "meta/root"] {
        let checked = tree.sandbox.wegman_reads(&["check", "-k", "key", place], b"gone");
        let checked = checked.exits(2).says("rename the object");
        assert!(checked.out.contains("-: FAILED open or read"), "{checked:?}");
    }
}
