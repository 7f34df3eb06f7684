//! Changes of a tree that somebody tries to get through.

use crate::common::Sandbox;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::UnixListener;

/// A key, the tree `q` with `q/d/x` and its manifest `m`, and another directory with a file of the same name.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    sandbox.write("q/d/x", "x\n");
    sandbox.write("v/x", "x\n");
    sandbox.run("tag -r q -o m").exits(0);
    sandbox
}

fn audit(sandbox: &Sandbox, code: i32, lines: &[&str]) {
    sandbox.run("audit q m").exits(code).prints(lines);
}

/// The directory `q/d` becomes a link to `v`, outside the tree.
fn put_a_link(sandbox: &Sandbox) {
    fs::rename(sandbox.path("q/d"), sandbox.path("q/o")).unwrap();
    symlink("../v", sandbox.path("q/d")).unwrap();
}

#[test]
fn an_edit_does_not_leave_the_tree() {
    let sandbox = sandbox();
    put_a_link(&sandbox);
    for args in [
        &["edit", "-k", "key", "-m", "m", "q/d/x", "--at", "0"][..],
        &["append", "-k", "key", "-m", "m", "q/d/x"],
        &["truncate", "-k", "key", "-m", "m", "q/d/x", "--size", "1"],
    ] {
        sandbox.wegman_reads(args, b"XXXX").exits(2).says("q/d is a symbolic link");
        assert_eq!(sandbox.text("v/x"), "x\n");
        assert!(!sandbox.path("m.wegman-edit").exists());
    }
    // Whoever wants it says so.
    let args = ["edit", "-L", "-k", "key", "-m", "m", "q/d/x", "--at", "0"];
    sandbox.wegman_reads(&args, b"XXXX").exits(0);
    assert_eq!(sandbox.text("v/x"), "XXXX");
}

/// An edit is killed when it has changed its file, and then the directory is exchanged.
#[test]
fn finish_does_not_leave_the_tree() {
    let sandbox = sandbox();
    let args = ["append", "-k", "key", "-m", "m", "q/d/x"];
    let is_changed = || sandbox.text("q/d/x") == "x\nmore";
    let (mut child, held) = sandbox.stopped_before_the_manifest(&args, b"more", is_changed);
    child.kill().unwrap();
    child.wait().unwrap();
    held.put_back();
    put_a_link(&sandbox);
    sandbox.run("finish m").exits(2).says("q/d is a symbolic link");
    assert_eq!(sandbox.text("v/x"), "x\n");
    assert!(sandbox.path("m.wegman-edit").exists());
    sandbox.remove("q/d");
    fs::rename(sandbox.path("q/o"), sandbox.path("q/d")).unwrap();
    sandbox.run("finish m").exits(0);
    audit(&sandbox, 0, &[]);
}

#[test]
fn a_link_in_place_of_a_directory_is_a_change() {
    let sandbox = sandbox();
    // The same files, and one more.
    sandbox.write("v/more", "evil");
    put_a_link(&sandbox);
    fs::remove_dir_all(sandbox.path("q/o")).unwrap();
    sandbox.run("check m").exits(1).prints(&["q/d: FAILED", "q/d/x: FAILED"]);
    audit(
        &sandbox,
        1,
        &[
            "q/d/x: CHANGED (q/d is a symbolic link: give --follow-symlinks to go where it points to)",
            "q/d: CHANGED (was a directory, is a symbolic link)",
        ],
    );
    // Tagging again does not follow it either.
    let tagged = sandbox.run("tag -r q").exits(0);
    assert!(tagged.out.contains("# link (q/d)\n") && !tagged.out.contains("q/d/x"), "{tagged:?}");
}

/// The link may be anywhere in a name, and the name may come from anywhere.
#[test]
fn no_directory_of_a_name_is_a_link() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    sandbox.write("a/b/c/file", "content");
    symlink("a", sandbox.path("l")).unwrap();
    symlink("b", sandbox.path("a/k")).unwrap();
    for name in ["l/b/c/file", "a/k/c/file", "./a/k/c/file", "a/b/../k/c/file"] {
        sandbox.wegman(&["tag", "-k", "key", name]).exits(2).says("is a symbolic link");
        sandbox.wegman(&["tag", "-L", "-k", "key", name]).exits(0);
    }
    // Above the directory that is walked, links are the user's.
    for root in ["l/b", "./l/b/", "a/k/c"] {
        sandbox.wegman(&["tag", "-k", "key", "-r", root, "-o", "m"]).exits(0).says("1 tagged");
        sandbox.run("check m").exits(0);
        sandbox.wegman(&["audit", "-k", "key", root, "m"]).exits(0);
        sandbox.remove("m");
    }
    sandbox.run("tag -r l").exits(2).says("l: it is a symbolic link");
}

#[test]
fn no_name_hides_a_file() {
    let sandbox = sandbox();
    let names =
        [".wegman-abcdef", ".wegman-edit-0123456789abcdef-abcdef", ".hidden", "m.wegman-edit"];
    for name in names {
        sandbox.write(format!("q/{name}"), "evil");
        audit(&sandbox, 1, &[&format!("q/{name}: NEW")]);
        sandbox.remove(format!("q/{name}"));
    }
    audit(&sandbox, 0, &[]);
}

/// A line of the audit, and what makes it come.
type Addition = (&'static str, fn(&Sandbox));

#[test]
fn whatever_is_put_into_a_directory_is_new() {
    let sandbox = sandbox();
    let additions: [Addition; 4] = [
        ("NEW (a symbolic link)", |sandbox| symlink("d", sandbox.path("q/new")).unwrap()),
        ("NEW (a pipe)", |sandbox| sandbox.fifo("q/new")),
        ("NEW (a socket)", |sandbox| drop(UnixListener::bind(sandbox.path("q/new")).unwrap())),
        ("NEW (a directory)", |sandbox| fs::create_dir(sandbox.path("q/new")).unwrap()),
    ];
    for (line, make) in additions {
        make(&sandbox);
        audit(&sandbox, 1, &[&format!("q/new: {line}")]);
        // Recorded, it is not new any more; and then it is missed.
        sandbox.run("audit q m --accept").exits(0).says("accepted");
        audit(&sandbox, 0, &[]);
        let path = sandbox.path("q/new");
        fs::remove_dir(&path).or_else(|_| fs::remove_file(&path)).unwrap();
        audit(&sandbox, 1, &[&format!("q/new: {}", line.replace("NEW", "MISSING"))]);
        sandbox.run("tag --update m q").exits(0);
        audit(&sandbox, 0, &[]);
    }
}

#[test]
fn modes_owners_and_targets_count_if_asked_for() {
    let sandbox = sandbox();
    sandbox.run("audit q m --mode").exits(2).says("tag --mode");
    symlink("d", sandbox.path("q/l")).unwrap();
    sandbox.chmod("q/d/x", 0o644);
    sandbox.run("tag --mode -r q -o m").exits(0);
    sandbox.run("audit q m --mode").exits(0).prints(&[]);

    sandbox.chmod("q/d/x", 0o4755);
    sandbox.run("audit q m --mode").exits(1).prints(&["q/d/x: CHANGED (mode 4755, was 0644)"]);
    audit(&sandbox, 0, &[]);
    sandbox.chmod("q/d/x", 0o644);

    sandbox.remove("q/l");
    symlink("o", sandbox.path("q/l")).unwrap();
    sandbox.run("audit q m --mode").exits(1).prints(&["q/l: CHANGED (points elsewhere)"]);
    sandbox.remove("q/l");
    symlink("d", sandbox.path("q/l")).unwrap();

    let before = fs::metadata(sandbox.path("q/d")).unwrap().permissions().mode() & 0o7777;
    sandbox.chmod("q/d", 0o700);
    let line = format!("q/d: CHANGED (mode 0700, was {before:04o})");
    sandbox.run("audit q m --mode").exits(1).prints(&[&line]);
    sandbox.chmod("q/d", before);
    if chown(sandbox.path("q/d/x"), Some(12345), None).is_ok() {
        let changed = sandbox.run("audit q m --mode").exits(1);
        assert!(changed.out.starts_with("q/d/x: CHANGED (owner 12345:"), "{changed:?}");
    }
}

/// Patterns leave files out, but never the file that has them.
#[test]
fn a_file_of_patterns_can_not_hide_itself() {
    let sandbox = sandbox();
    sandbox.write("q/evil", "evil");
    sandbox.write("q/.wegmanignore", "*\n.*\n");
    audit(&sandbox, 1, &["q/.wegmanignore: NEW"]);
    sandbox.remove("q/.wegmanignore");
    symlink("../v/patterns", sandbox.path("q/.wegmanignore")).unwrap();
    sandbox.write("v/patterns", "*\n");
    let audited =
        sandbox.run("audit -L q m").says(".wegmanignore: can't use it: it is a symbolic link");
    assert!(!audited.err.contains("give --follow-symlinks"), "{audited:?}");
    assert_ne!(audited.code, 0, "{audited:?}");
}

#[test]
fn patterns_leave_files_out() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    for name in
        ["t/a.txt", "t/a.tmp", "t/sub/b.tmp", "t/sub/keep.tmp", "t/cache/c", "t/sub/cache/d"]
    {
        sandbox.write(name, name);
    }
    let names = |args: &[&str]| -> Vec<String> {
        let tagged = sandbox.wegman(&[&["tag", "-k", "key", "-r", "t"], args].concat()).exits(0);
        let lines = tagged.out.lines().filter_map(|line| line.strip_prefix("PMAC-AES128 ("));
        lines.map(|line| line.split_once(')').unwrap().0.to_owned()).collect()
    };
    assert_eq!(
        names(&["--exclude", "*.tmp", "--exclude", "/cache/"]),
        ["t/a.txt", "t/sub/cache/d"]
    );
    sandbox.write("t/.wegmanignore", "*.tmp\ncache/\n");
    sandbox.write("t/sub/.wegmanignore", "!keep.tmp\n");
    let all = ["t/.wegmanignore", "t/a.txt", "t/sub/.wegmanignore", "t/sub/keep.tmp"];
    assert_eq!(names(&[]), all);
    sandbox.run("tag -r t -o m").exits(0).says("ignored");
    sandbox.run("audit t m").exits(0);
}

/// The patterns of a directory count for what is below it, also if only a part is looked at.
#[test]
fn patterns_count_below_their_directory() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    for name in ["t/.wegmanignore", "t/sub/a", "t/sub/deep/b", "t/sub/x.tmp", "t/sub/out/o"] {
        sandbox.write(name, "*.tmp\n");
    }
    let out = ["--exclude", "/sub/out"];
    let wegman = |args: &[&str]| sandbox.wegman(&[args, &out].concat());
    wegman(&["tag", "-k", "key", "-r", "t", "-o", "m"]).exits(0).says("3 tagged");
    wegman(&["tag", "-k", "key", "--update", "m"]).exits(0).prints(&[]).says("up to date");
    wegman(&["tag", "-k", "key", "--update", "m", "t/sub"]).exits(0).prints(&[]);
    for part in ["t", "t/sub", "t/sub/deep", "./t/sub/"] {
        wegman(&["audit", "-k", "key", part, "m"]).exits(0).prints(&[]);
    }
}

/// What is left out is the key, the manifest and its journal, and nothing that is made to look like them.
#[test]
fn nothing_hides_behind_the_manifest() {
    let sandbox = sandbox();
    for name in ["q/evil", "q/.wegmanignore"] {
        fs::hard_link(sandbox.path("m"), sandbox.path(name)).unwrap();
        audit(&sandbox, 1, &[&format!("{name}: NEW")]);
        sandbox.remove(name);
    }
    // Nor behind a link to it that is followed.
    symlink("../m", sandbox.path("q/evil")).unwrap();
    sandbox.run("audit -L q m").exits(1).prints(&["q/evil: NEW"]);
    sandbox.remove("q/evil");
    // A manifest from standard input has no file, even if there is one called so.
    sandbox.write("q/.wegmanignore", "*\n");
    symlink("q/.wegmanignore", sandbox.path("-")).unwrap();
    sandbox.shell("wegman audit -k key q - < m").exits(1).prints(&["q/.wegmanignore: NEW"]);
}

/// An update keeps the modes of a manifest that has them, and says what it takes over.
#[test]
fn modes_are_not_taken_over_in_silence() {
    let sandbox = sandbox();
    // Those of a part alone would look like those of all.
    sandbox.run("tag --mode --update m q/d").exits(2).says("name no paths");
    sandbox.run("tag --mode --update m").exits(0);
    let before = fs::metadata(sandbox.path("q/d/x")).unwrap().permissions().mode() & 0o7777;
    sandbox.chmod("q/d/x", 0o4755);
    let line = format!("q/d/x: CHANGED (mode 4755, was {before:04o})");
    let accepted = sandbox.run("audit --accept q m").exits(0);
    assert!(!accepted.err.contains("in between"), "{accepted:?}");
    accepted.prints(&[&line]);
    sandbox.write("q/new", "new");
    sandbox.run("tag --update m q/new").exits(0);
    sandbox.chmod("q/new", 0o777);
    let audited = sandbox.run("audit --mode q m").exits(1);
    assert!(audited.out.starts_with("q/new: CHANGED (mode 0777"), "{audited:?}");
}

/// A report that nobody got is not accepted.
#[test]
fn nothing_is_accepted_unseen() {
    let sandbox = sandbox();
    sandbox.write("q/d/x", "evil");
    let before = sandbox.read("m");
    for output in [">/dev/full", ">&-"] {
        let accept = format!("wegman audit -k key --accept q m {output}");
        sandbox.shell(&accept).exits(2).says("standard output");
        assert_eq!(sandbox.read("m"), before);
    }
}

#[test]
fn a_manifest_that_is_a_file_of_another_is_not_both() {
    let sandbox = sandbox();
    sandbox.run("tag m -o all").exits(0);
    sandbox.write("q/d/x", "evil");
    let checked = sandbox.run("check all m").exits(2).prints(&[]);
    checked.says("m: it is a manifest and also a file in another one");
}

/// Names of unfinished files are not for finished ones, which the next run would remove.
#[test]
fn nothing_is_made_under_the_name_of_an_unfinished_file() {
    let sandbox = sandbox();
    let tagged = sandbox.run("tag -r q -o .wegman-photos").exits(2);
    tagged.says(".wegman-photos: unfinished files have names like this");
    let made = sandbox.run("segment -o .wegman-abcdef q/d/x").exits(2);
    made.says(".wegman-abcdef: unfinished files");
}

/// Something in the place of a file is as bad as nothing, when it is tagged again.
#[test]
fn tagging_again_notices_what_is_gone() {
    let sandbox = sandbox();
    fs::rename(sandbox.path("q/d/x"), sandbox.path("q/d/kept")).unwrap();
    symlink("kept", sandbox.path("q/d/x")).unwrap();
    sandbox.run("tag -r q -o m").exits(1).says("m: 1 file missing since it was made");
    sandbox.remove("q/d/x");
    sandbox.write("q/d/x", "evil");
    sandbox.run("tag -r ./q/ -o m").exits(1).says("m: 1 file changed since it was made");
}
