//! `wegman edit`, `append`, `truncate` and `finish`: a file and its manifest change together.

use crate::common::{NOBODY, Output, Sandbox, finish, is_superuser, lasting, signal, wait_until};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::process::Child;

/// A key, the files `a` and `b` and their manifest `m`.
fn sandbox() -> Sandbox {
    sandbox_of("PMAC-AES128")
}

fn sandbox_of(algorithm: &str) -> Sandbox {
    let sandbox = Sandbox::with_key(algorithm);
    sandbox.write("a", "the content of a, which is longer than two blocks");
    sandbox.write("b", "the content of b");
    sandbox.run("tag -o m a b").exits(0);
    sandbox
}

/// `wegman COMMAND -k key -m m ...` with `input` on standard input.
fn edit(sandbox: &Sandbox, words: &str, input: impl AsRef<[u8]>) -> Output {
    let args: Vec<&str> = words.split(' ').chain(["-k", "key", "-m", "m"]).collect();
    sandbox.wegman_reads(&args, input.as_ref())
}

/// A command for which files may have only so many blocks of 512 bytes.
fn full(sandbox: &Sandbox, blocks: u32, command: &str) -> Output {
    sandbox.shell(&format!("trap '' XFSZ; ulimit -f {blocks}; exec wegman {command} -k key"))
}

/// `a` is long, and `new` is what does not fit into it: `full(sandbox, 220, GROW)` stops with a journal.
fn lengthen(sandbox: &Sandbox) {
    sandbox.write("a", vec![7; 100 << 10]);
    sandbox.write("new", vec![9; 30 << 10]);
}

const GROW: &str = "append -m m a < new";

/// Expects the manifest to be what `wegman tag` makes of the files now.
#[track_caller]
fn is_whole(sandbox: &Sandbox) {
    sandbox.run("check m").exits(0).prints(&["a: OK", "b: OK"]);
    let tagged = sandbox.run("tag a b").exits(0).out;
    assert_eq!(lasting(&tagged), lasting(&sandbox.text("m")));
    assert!(!sandbox.path("m.wegman-edit").exists());
    assert!(!sandbox.has_unfinished());
}

/// Makes an edit of `a` stop when its journal is written: the file may not grow so far.
fn interrupted() -> Sandbox {
    let sandbox = sandbox();
    lengthen(&sandbox);
    sandbox.run("tag --force -o m a b").exits(0);
    full(&sandbox, 220, GROW).exits(2).says("a: ").says("`wegman finish -k key m` completes it");
    assert!(sandbox.read("a").len() > 100 << 10, "it is torn");
    assert!(!sandbox.has_unfinished());
    sandbox
}

#[test]
fn a_file_is_edited_and_its_manifest_is_resealed() {
    for algorithm in ["PMAC-AES128", "PMAC-AES256", "PMAC-DES-EDE3"] {
        edits(&sandbox_of(algorithm));
    }
}

fn edits(sandbox: &Sandbox) {
    edit(sandbox, "edit a --at 4", "CONTENT").exits(0).prints(&[]);
    assert_eq!(sandbox.text("a"), "the CONTENT of a, which is longer than two blocks");
    is_whole(sandbox);
    edit(sandbox, "edit a --at 42", "blocks and runs over the end").exits(0);
    assert_eq!(
        sandbox.text("a"),
        "the CONTENT of a, which is longer than twoblocks and runs over the end"
    );
    is_whole(sandbox);
    let done = edit(sandbox, "append b", ", and more").exits(0);
    done.says("b: wrote 10 bytes at 16; it has 26 bytes now, had 16");
    assert_eq!(sandbox.text("b"), "the content of b, and more");
    is_whole(sandbox);
    edit(sandbox, "truncate b --size 3", "").exits(0);
    assert_eq!(sandbox.text("b"), "the");
    is_whole(sandbox);
    edit(sandbox, "truncate b --size 0", "").exits(0);
    edit(sandbox, "append b", "again").exits(0);
    assert_eq!(sandbox.text("b"), "again");
    is_whole(sandbox);
}

#[test]
fn what_can_not_be_edited() {
    let sandbox = sandbox();
    let (a, m) = (sandbox.read("a"), sandbox.read("m"));
    sandbox.write("c", "not in the manifest");
    let refused = |words: &str, why: &str| edit(&sandbox, words, "x").exits(2).says(why);
    refused("edit a --at 50", "writing at 50 would leave a gap");
    refused("edit a --at 99999999999G", "a number of bytes");
    refused("edit a --at -1", "");
    refused("edit a", "--at");
    refused("truncate a", "--size");
    refused("truncate a --size 50", "can't be cut to 50");
    refused("append c", "c: m has no such file");
    refused("append ./a", "name it as the manifest does");
    refused("append -", "standard input");
    sandbox.run("append -m none a").exits(2).says("none: can't read");
    sandbox.run("append -m - a").exits(2).says("standard input");
    assert_eq!((sandbox.read("a"), sandbox.read("m")), (a, m));
    assert!(!sandbox.has_unfinished());
    sandbox.remove("b");
    refused("append b", "b: No such file");
    symlink("a", sandbox.path("b")).unwrap();
    refused("append b", "symbolic link");
}

#[test]
fn nothing_to_change() {
    let sandbox = sandbox();
    let m = sandbox.path("m").metadata().unwrap().ino();
    edit(&sandbox, "edit a --at 3", "").exits(0).says("nothing to change");
    edit(&sandbox, "append a", "").exits(0);
    edit(&sandbox, "truncate a --size 49", "").exits(0);
    sandbox.run("finish m").exits(0).says("nothing to finish");
    assert_eq!(sandbox.path("m").metadata().unwrap().ino(), m);
    is_whole(&sandbox);
}

#[test]
fn keys_that_can_not_edit_say_which_can() {
    for args in [&["-a", "UMAC-64"][..], &["-a", "PMAC-AES128", "--tag-bits", "64"]] {
        let sandbox = Sandbox::new();
        sandbox.write("a", "content");
        sandbox.wegman(&[&["keygen", "-o", "key"], args].concat()).exits(0);
        sandbox.run("tag -o m a").exits(0);
        edit(&sandbox, "append a", "x").exits(2).says("`wegman keygen -o KEY`");
        sandbox.run("check m").exits(0);
    }
}

#[test]
fn a_forged_manifest_is_not_edited() {
    let sandbox = sandbox();
    let forged = sandbox.text("m").replace("(a)", "(c)").replace("(b)", "(a)");
    sandbox.write("m", &forged);
    edit(&sandbox, "append a", "x").exits(1).says("m: manifest refused");
    assert_eq!(sandbox.text("m"), forged);
    sandbox.keygen("other", "PMAC-AES128");
    let args = ["append", "-k", "other", "-m", "m", "a"];
    sandbox.wegman(&args).exits(2).says("wrong key");
}

#[test]
fn an_edit_does_not_make_a_changed_file_pass() {
    let sandbox = sandbox();
    sandbox.write("a", "THE content of a, which is longer than two blocks");
    let a = sandbox.read("a");
    edit(&sandbox, "edit a --at 40 --verify", "x").exits(1).says("a: it does not match its tag");
    assert_eq!(sandbox.read("a"), a);
    edit(&sandbox, "edit a --at 40", "x").exits(0);
    sandbox.run("check m").exits(1).prints(&["a: FAILED", "b: OK"]);
    edit(&sandbox, "edit b --at 4 --verify", "x").exits(0);
}

/// Why an edit needs a file that was checked (docs/pmac.md): block A, changed to A' and edited to A again,
/// gives the tag of A'. If this test fails, edits have become safer than the documents say.
#[test]
fn without_verify_an_edit_of_a_changed_place_can_be_abused() {
    for verify in [false, true] {
        let sandbox = sandbox();
        let original = sandbox.text("a");
        let changed = original.replace("content", "forgery");
        sandbox.write("a", &changed);
        let words = if verify { "edit a --at 4 --verify" } else { "edit a --at 4" };
        edit(&sandbox, words, "content").exits(i32::from(verify));
        sandbox.write("a", &changed);
        let passes = sandbox.run("check m").code == 0;
        assert_eq!(passes, !verify);
    }
}

#[test]
fn modes_and_links_stay() {
    let sandbox = sandbox();
    sandbox.chmod("a", 0o640);
    symlink("m", sandbox.path("link")).unwrap();
    let mode = |name| fs::metadata(sandbox.path(name)).unwrap().permissions().mode() & 0o777;
    for m in [0o604, 0o664] {
        sandbox.chmod("m", m);
        let append = "umask 022; printf x | wegman append -k key -m link a";
        sandbox.shell(append).exits(0);
        assert_eq!((mode("a"), mode("m")), (0o640, m));
    }
    assert!(sandbox.path("link").is_symlink());
    is_whole(&sandbox);
    symlink("b", sandbox.path("c")).unwrap();
    sandbox.run("tag -L -o n c").exits(0);
    let args = ["append", "-k", "key", "-m", "n", "c"];
    sandbox.wegman_reads(&args, b"x").exits(2).says("--follow-symlinks");
    sandbox.wegman_reads(&[&args[..], &["-L"]].concat(), b"x").exits(0);
    sandbox.run("check -L n").exits(0);
}

#[test]
fn names_of_all_kinds() {
    let sandbox = Sandbox::with_key("PMAC-AES256");
    for name in ["new\nline", "back\\slash", "x) = 00", "-dash"] {
        sandbox.write(name, "content");
        let tag: &[&str] = &["tag", "-k", "key", "-o", "m", "--", name];
        sandbox.wegman(tag).exits(0);
        let args = ["append", "-k", "key", "-m", "m", "--", name];
        sandbox.wegman_reads(&args, b"x").exits(0);
        sandbox.run("check m").exits(0);
    }
}

#[test]
fn a_program_gets_json() {
    let sandbox = sandbox();
    let lines = edit(&sandbox, "append a --json", "x").exits(0).json();
    assert_eq!((&lines[0]["status"], &lines[0]["name"]), (&"edited".into(), &"a".into()));
    assert!(sandbox.text("m").contains(lines[0]["tag"].as_str().unwrap()));
    let lines = edit(&sandbox, "append a --json", "").exits(0).json();
    assert_eq!(lines[0]["status"], "unchanged");
    assert_eq!(sandbox.run("finish m --json").exits(0).json().len(), 1);
    sandbox.write("a", "other");
    let lines = edit(&sandbox, "append a --json --verify", "x").exits(1).json();
    assert_eq!(lines[0]["status"], "refused");
}

#[test]
fn what_is_advised_works_where_the_command_ran() {
    let sandbox = interrupted();
    let elsewhere = "cd / && exec wegman -C \"$OLDPWD\" check -k key m";
    let said = sandbox.shell(elsewhere).exits(1).err;
    let advised = said.split('`').nth(1).expect("a command");
    sandbox.shell(&format!("cd / && exec {advised}")).exits(0);
    is_whole(&sandbox);
}

#[test]
fn when_the_file_can_not_grow_the_edit_can_be_finished() {
    let sandbox = interrupted();
    let check = || sandbox.run("check m");
    check()
        .exits(1)
        .says("a: an edit of it was interrupted: `wegman finish -k key m` completes it (it had 102400 bytes before)");
    let lines = sandbox.run("check m --json").exits(1).json();
    assert_eq!((&lines[0]["name"], &lines[0]["status"]), (&"a".into(), &"interrupted".into()));
    assert_eq!(lines.last().unwrap()["interrupted"], 1);
    sandbox.run("check m --status").exits(1).prints(&[]);
    sandbox.run("audit a m").exits(2);
    edit(&sandbox, "append b", "x").exits(1).says("`wegman finish -k key m`");
    full(&sandbox, 220, "finish m").exits(2).says("completes it");
    sandbox.run("finish m").exits(0).says("a: wrote 30720 bytes");
    assert_eq!(sandbox.read("a"), [vec![7; 100 << 10], vec![9; 30 << 10]].concat());
    is_whole(&sandbox);
}

#[test]
fn an_edit_under_way_is_not_called_interrupted() {
    let sandbox = interrupted();
    let manifest = fs::File::open(sandbox.path("m")).unwrap();
    manifest.lock().unwrap(); // as the edit has it
    let check = sandbox.run("check m").exits(1);
    check.says("a: an edit of it is under way: check again when that is done");
    let tag = sandbox.run("tag -o m a b").exits(2);
    tag.says("m: an edit of one of its files is under way: tag again when that is done");
    // Not only closed: another test's child may have it open until it runs its program.
    manifest.unlock().unwrap();
    sandbox.run("check m").exits(1).says("a: an edit of it was interrupted");
}

/// From the journal on an interrupt leaves work: it says how to finish.
#[test]
fn an_interrupt_after_the_journal_says_what_to_do() {
    let sandbox = sandbox();
    let new = [sandbox.text("a"), ", and more".into()].concat();
    let args = ["append", "-k", "key", "-m", "m", "a"];
    let is_changed = || sandbox.text("a") == new;
    let (child, manifest) = sandbox.stopped_before_the_manifest(&args, b", and more", is_changed);
    signal(&child, libc::SIGINT);
    let output = finish(child);
    manifest.put_back();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("`wegman finish -k key m` completes it"), "{said}");
    sandbox.run("check m").exits(1).says("a: an edit of it was interrupted");
    sandbox.run("finish m").exits(0);
    is_whole(&sandbox);
}

#[test]
fn an_audit_tells_of_an_interrupted_edit_and_not_of_its_journal() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    sandbox.write("d/a", vec![7; 100 << 10]);
    sandbox.write("new", vec![9; 30 << 10]);
    sandbox.run("tag -r -o d/m d").exits(0);
    full(&sandbox, 220, "append -m d/m d/a < new").exits(2);
    let audit = sandbox.run("audit d d/m").exits(1);
    audit.says("d/a: an edit of it was interrupted").prints(&["d/a: CHANGED"]);
    sandbox.run("finish d/m").exits(0);
    sandbox.run("audit d d/m").exits(0).prints(&[]);
}

#[test]
fn a_manifest_is_not_made_anew_over_an_interrupted_edit() {
    let sandbox = interrupted();
    let tag = || sandbox.run("tag -o m a b");
    tag().exits(2).says("m.wegman-edit").says("`wegman finish -k key m`").says("delete");
    // Made anew behind its back, the manifest can't get the journal's tag.
    let anew = sandbox.run("tag a b").exits(0).out;
    sandbox.write("m", &anew);
    sandbox.run("finish m").exits(1).says("delete this journal");
    sandbox.run("check m").exits(1).says("m.wegman-edit");
    assert_eq!(sandbox.text("m"), anew);
    sandbox.remove("m.wegman-edit");
    tag().exits(0);
    is_whole(&sandbox);
}

#[test]
fn a_file_changed_since_the_interruption_is_left_alone() {
    let sandbox = interrupted();
    sandbox.write("a", "something else");
    let finished = sandbox.run("finish m").exits(2).says("a: the edit is not complete");
    finished.says("it has 14 bytes, but");
    assert_eq!(sandbox.text("a"), "something else");
    sandbox.remove("a");
    sandbox.run("finish m").exits(2).says("a: No such file");
    assert!(sandbox.path("m.wegman-edit").exists());
}

/// Else the edit would write over its own journal, and what is left of the edit would be lost.
#[test]
fn a_file_that_became_the_journal_is_left_alone() {
    let sandbox = interrupted();
    let journal = sandbox.read("m.wegman-edit");
    sandbox.remove("a");
    fs::hard_link(sandbox.path("m.wegman-edit"), sandbox.path("a")).unwrap();
    sandbox.run("finish m").exits(2).says("a: ").says("it is the journal of an edit");
    assert_eq!(sandbox.read("m.wegman-edit"), journal);
}

#[test]
fn a_journal_of_another_key_is_refused() {
    let sandbox = interrupted();
    let other = interrupted();
    sandbox.write("m.wegman-edit", other.read("m.wegman-edit"));
    let place = |name| sandbox.root().canonicalize().unwrap().join(name).display().to_string();
    let finish = sandbox.run("finish m").exits(1);
    let message = "wegman: m.wegman-edit: the journal of an interrupted edit is refused";
    finish.says(&message.replace("m.w", &place("m.w"))).says("another key");
    sandbox.run("check m").exits(1).says(&message.replace("m.w", &place("m.w")));
}

#[test]
fn an_interrupt_before_the_journal_changes_nothing() {
    let sandbox = sandbox();
    let (a, m) = (sandbox.read("a"), sandbox.read("m"));
    let mut child = sandbox.begun(&["append", "-k", "key", "-m", "m", "a"]);
    let mut held = child.stdin.take().unwrap();
    held.write_all(b"so far").unwrap();
    wait_until("a draft", || sandbox.has_unfinished());
    signal(&child, libc::SIGINT);
    assert_eq!(finish(child).status.code(), Some(130));
    drop(held);
    assert_eq!((sandbox.read("a"), sandbox.read("m")), (a, m));
    is_whole(&sandbox);
}

#[test]
fn a_manifest_edited_while_it_is_made_anew_stays() {
    let tag = ["tag", "-k", "key", "-o", "m", "-j1", "a", "b", "-"];
    let refused = |child: Child, why: &str| {
        let output = finish(child);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(why), "{said}");
    };
    let sandbox = sandbox();
    let child = sandbox.begun(&tag);
    wait_until("a new manifest", || sandbox.has_unfinished());
    edit(&sandbox, "append a", "x").exits(0);
    refused(child, "m: it changed meanwhile, so it was not replaced");
    is_whole(&sandbox);

    lengthen(&sandbox);
    sandbox.run("tag --force -o m a b").exits(0);
    let child = sandbox.begun(&tag);
    wait_until("a new manifest", || sandbox.has_unfinished());
    full(&sandbox, 220, GROW).exits(2);
    refused(child, "an edit was interrupted: run `wegman finish -k key m` first");
    sandbox.run("finish m").exits(0);
    is_whole(&sandbox);
}

#[test]
fn the_command_that_finishes_is_one_for_a_shell() {
    let sandbox = sandbox();
    let root = sandbox.root();
    fs::rename(root.join("key"), root.join("my key")).unwrap();
    sandbox.chmod("my key", 0o644);
    lengthen(&sandbox);
    symlink("a", sandbox.path("c")).unwrap();
    let all = "trap '' XFSZ; set -- -k 'my key' --insecure-permissions -L; \
               wegman tag \"$@\" -o \"it's \\$m\" c && ulimit -f 220 && \
               wegman append \"$@\" -m \"it's \\$m\" c < new";
    let output = sandbox.shell(all).exits(2);
    let command = output.err.split('`').nth(1).unwrap();
    let expected = r"wegman finish -k 'my key' --insecure-permissions -L 'it'\''s $m'";
    assert_eq!(command, expected);
    sandbox.shell(command).exits(0).says("c: wrote 30720 bytes");
}

#[test]
fn a_directory_that_can_not_be_brought_to_disk_gets_no_journal() {
    let sandbox = sandbox();
    let (a, m) = (sandbox.read("a"), sandbox.read("m"));
    sandbox.chmod(".", 0o300);
    let args = ["truncate", "-k", "key", "-m", "m", "a", "--size", "3"];
    let output = sandbox.wegman_bound(&args);
    sandbox.chmod(".", 0o700);
    output.exits(2).says("can't write the journal: Permission denied");
    assert_eq!((sandbox.read("a"), sandbox.read("m")), (a, m));
    is_whole(&sandbox);
}

#[test]
fn a_check_says_that_an_edit_came_in_between() {
    let sandbox = sandbox();
    lengthen(&sandbox);
    let input = vec![1; 200 << 10]; // more than a pipe holds
    let tag = ["tag", "-k", "key", "--force", "-o", "m", "-", "a", "b"];
    sandbox.wegman_reads(&tag, &input).exits(0);
    let check = ["check", "-k", "key", "-j1", "m"];
    for interrupt in [false, true] {
        let mut child = sandbox.begun(&check);
        let mut held = child.stdin.take().unwrap();
        held.write_all(&input).unwrap(); // all of it written, the manifest was read
        if interrupt {
            full(&sandbox, 220, GROW).exits(2);
        } else {
            edit(&sandbox, "append a", "x").exits(0);
        }
        drop(held);
        let output = finish(child);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"-: OK\na: FAILED\nb: OK\n", "{said}");
        assert_eq!(output.status.code(), Some(1));
        assert!(
            said.contains("m: the manifest was edited or replaced in between: run this again"),
            "{said}"
        );
    }
    let finished = sandbox.run("finish m").exits(0);
    assert!(!finished.err.contains("in between"));
    sandbox.write("a", "other");
    let check = sandbox.wegman_reads(&check, &input).exits(1);
    assert!(!check.err.contains("in between"), "nobody edited it");
}

#[test]
fn a_manifest_may_come_through_a_pipe() {
    let sandbox = sandbox();
    sandbox.fifo("pipe");
    let check = "cat m > pipe & timeout 300 wegman check -k key pipe";
    sandbox.shell(check).exits(0).prints(&["a: OK", "b: OK"]);
}

#[test]
fn a_file_edited_through_another_manifest_is_left_alone() {
    let sandbox = sandbox();
    let file = fs::File::open(sandbox.path("a")).unwrap();
    file.lock().unwrap(); // as that edit has it
    edit(&sandbox, "append a", "x").exits(2).says("a: another process has it locked");
    file.unlock().unwrap();
    edit(&sandbox, "append a", "x").exits(0);
    is_whole(&sandbox);
}

#[test]
fn a_program_is_told_of_errors_too() {
    let sandbox = interrupted();
    for args in ["append a --json", "truncate none --size 1 --json"] {
        // The journal is there: 1.
        edit(&sandbox, args, "x").exits(1).json();
    }
    let lines = full(&sandbox, 220, "finish m --json").exits(2).json();
    assert_eq!((lines.len(), &lines[0]["interrupted"]), (1, &1.into()));
    sandbox.run("finish m").exits(0);
    let lines = edit(&sandbox, "edit a --at 1G --json", "x").exits(2).json();
    assert_eq!((&lines[0]["status"], &lines[1]["refused"]), (&"refused".into(), &1.into()));
    assert!(lines[0]["error"].as_str().unwrap().contains("would leave a gap"));
    let lines = full(&sandbox, 280, "append -m m a --json < new").exits(2).json();
    assert_eq!(lines[0]["status"], "interrupted");
    sandbox.run("finish m").exits(0);
    sandbox.chmod("key", 0o644);
    let lines = edit(&sandbox, "append a --json", "x").exits(2).json();
    assert!(lines[0]["error"].as_str().unwrap().contains("chmod 600"));
}

#[test]
fn key_manifest_and_journal_are_not_edited() {
    let sandbox = sandbox();
    sandbox.write("m.wegman-edit", "# just so");
    sandbox.write("m", "");
    sandbox.run("tag -o m2 a key m m.wegman-edit").exits(0);
    fs::rename(sandbox.path("m2"), sandbox.path("m")).unwrap();
    let is_refused = |file: &str, code, reason: &str| {
        let before = sandbox.read(file);
        edit(&sandbox, &format!("append {file}"), "x").exits(code).says(reason);
        edit(&sandbox, &format!("edit {file} --at 0"), "x").exits(code).says(reason);
        edit(&sandbox, &format!("truncate {file} --size 0"), "").exits(code).says(reason);
        assert_eq!(sandbox.read(file), before);
    };
    is_refused("m.wegman-edit", 1, "the journal of an interrupted edit is refused");
    sandbox.remove("m.wegman-edit");
    is_refused("key", 2, "key: it is the key file");
    is_refused("m", 2, "m: it is the manifest itself");
}

#[test]
fn finish_looks_at_the_rest_only_if_told_to() {
    let sandbox = interrupted();
    let finish = ["finish", "-k", "key", "m"];
    sandbox.wegman(&finish).exits(0).says("the rest of it was not read");
    let sandbox = interrupted();
    let verify = [&finish[..], &["--verify"]].concat();
    sandbox.wegman(&verify).exits(0).says("all of it matches its tag");
    let sandbox = interrupted();
    let mut bytes = sandbox.read("a");
    bytes[0] ^= 1;
    sandbox.write("a", bytes);
    let output = sandbox.wegman(&verify).exits(1);
    output.says("the edit is complete, but the file does not match its tag");
}

#[test]
fn a_quiet_edit_says_nothing_if_it_is_done() {
    let sandbox = sandbox();
    assert_eq!(edit(&sandbox, "append a --quiet", "x").exits(0).err, "");
    edit(&sandbox, "truncate a --quiet --size 1T", "").exits(2).says("can't be cut");
}

#[test]
fn a_file_that_is_not_for_writing_is_named() {
    let sandbox = sandbox();
    sandbox.chmod("a", 0o444);
    let bound = ["truncate", "-k", "key", "-m", "m", "a", "--size", "0", "--insecure-permissions"];
    for open in ["key", "m"] {
        sandbox.chmod(open, 0o666);
    }
    fs::set_permissions(sandbox.root(), fs::Permissions::from_mode(0o777)).unwrap();
    sandbox.wegman_bound(&bound).exits(2).says("a: can't open it for writing: ");
}

/// The manifest of these files, as if there had been none.
fn tag_anew(sandbox: &Sandbox, files: &[&str]) {
    let _ = fs::remove_file(sandbox.path("m"));
    sandbox.wegman(&[&["tag", "-k", "key", "-o", "m"], files].concat()).exits(0);
}

/// `a` has the name `link`, too.
fn linked() -> Sandbox {
    let sandbox = sandbox();
    fs::hard_link(sandbox.path("a"), sandbox.path("link")).unwrap();
    tag_anew(&sandbox, &["a", "b", "link"]);
    sandbox
}

#[test]
fn all_names_of_an_edited_file_get_its_new_tag() {
    let sandbox = linked();
    let warning = "a: the manifest also names this file link; it has the new tag there, too";
    for args in ["append a", "append a --quiet", "append a --verify"] {
        edit(&sandbox, args, "x").exits(0).says(warning);
        sandbox.run("check m").exits(0).prints(&["a: OK", "b: OK", "link: OK"]);
    }
    edit(&sandbox, "append a", "").exits(0).says("nothing to change");
    let lines = edit(&sandbox, "truncate link --size 7 --json", "").exits(0).json();
    assert_eq!((&lines[0]["name"], &lines[1]["name"]), (&"link".into(), &"a".into()));
    assert_eq!((&lines[0]["tag"], &lines[2]["edited"]), (&lines[1]["tag"], &2.into()));
    sandbox.run("check m").exits(0);
    // A file with one name warns of nothing.
    let output = edit(&sandbox, "append b", "x").exits(0);
    assert_eq!(output.err.lines().count(), 2, "what was done, and the manifest's serial number");
}

#[test]
fn a_name_that_had_another_tag_keeps_it() {
    let sandbox = sandbox();
    sandbox.write("link", "what it was");
    tag_anew(&sandbox, &["a", "b", "link"]);
    sandbox.remove("link");
    fs::hard_link(sandbox.path("a"), sandbox.path("link")).unwrap();
    let output = edit(&sandbox, "append a", "x").exits(0);
    output.says("a: the manifest also names this file link; it has another tag there, which was not changed");
    sandbox.run("check m").exits(1).prints(&["a: OK", "b: OK", "link: FAILED"]);
    // Copies with the same tag are other files.
    sandbox.write("link", sandbox.read("a"));
    sandbox.remove("link");
    sandbox.write("link", sandbox.read("a"));
    tag_anew(&sandbox, &["a", "b", "link"]);
    edit(&sandbox, "append a", "x").exits(0);
    sandbox.run("check m").exits(0);
}

#[test]
fn links_to_directories_and_files_make_names_too() {
    let sandbox = sandbox();
    sandbox.write("d/c", "content");
    symlink("d", sandbox.path("e")).unwrap();
    symlink("d/c", sandbox.path("f")).unwrap();
    // One file, however it is spelt, has one name.
    tag_anew(&sandbox, &["d/c", "./d/c"]);
    sandbox.run("check m").exits(0).prints(&["d/c: OK"]);
    tag_anew(&sandbox, &["-L", "d/c", "f", "e/c"]);
    let edited = edit(&sandbox, "append -L f", "x").exits(0);
    edited.says("f: the manifest also names this file d/c, e/c");
    sandbox.run("check -L m").exits(0);
}

#[test]
fn an_interrupted_edit_of_a_file_with_two_names_is_finished() {
    // As it was; with the name gone; with a copy of the old content under it.
    for after in ["", "rm link", "cp link copy; mv copy link; truncate -s 102400 link"] {
        let sandbox = sandbox();
        lengthen(&sandbox);
        fs::hard_link(sandbox.path("a"), sandbox.path("link")).unwrap();
        tag_anew(&sandbox, &["a", "b", "link"]);
        full(&sandbox, 220, GROW).exits(2);
        sandbox.shell(after).exits(0);
        let output = sandbox.run("finish m").exits(0);
        assert_eq!(
            output.err.contains("this file link; it has the new tag there"),
            after.is_empty(),
            "{output:?}"
        );
        let good = ["a: OK", "b: OK", "link: OK"];
        let is_gone = after.starts_with("rm");
        let expected = if is_gone { ["a: OK", "b: OK", "link: MISSING"] } else { good };
        sandbox.run("check m").exits(i32::from(is_gone)).prints(&expected);
    }
}

/// Whose the manifest is, and its mode.
fn access(sandbox: &Sandbox) -> (u32, u32, u32) {
    let metadata = fs::metadata(sandbox.path("m")).unwrap();
    (metadata.uid(), metadata.gid(), metadata.mode() & 0o777)
}

#[test]
fn a_manifest_stays_whose_it_was() {
    if !is_superuser() {
        return; // nobody else can make files of several users
    }
    let sandbox = sandbox();
    for mode in [0o640, 0o604] {
        chown(sandbox.path("m"), Some(NOBODY), Some(12345)).unwrap();
        sandbox.chmod("m", mode);
        edit(&sandbox, "append a", "x").exits(0);
        assert_eq!(access(&sandbox), (NOBODY, 12345, mode));
        sandbox.run("tag -o m a b").exits(0);
        assert_eq!(access(&sandbox), (NOBODY, 12345, mode));
    }
    // Another user, who may give the manifest to the group, or not even that.
    sandbox.chmod(".", 0o777);
    for file in ["key", "a"] {
        sandbox.chmod(file, 0o666);
    }
    let args = ["truncate", "-k", "key", "--insecure-permissions", "-m", "m", "a", "--size"];
    let cases = [
        (NOBODY, 0o664, 0o664),
        (NOBODY, 0o640, 0o640),
        (12345, 0o664, 0o644),
        (12345, 0o654, 0o644),
        (12345, 0o624, 0o600),
        (12345, 0o606, 0o600),
    ];
    for (size, (group, mode, expected)) in cases.into_iter().enumerate() {
        chown(sandbox.path("m"), Some(1), Some(group)).unwrap();
        sandbox.chmod("m", mode);
        sandbox.wegman_nobody(&[&args[..], &[&(20 - size).to_string()]].concat()).exits(0);
        assert_eq!(access(&sandbox), (NOBODY, NOBODY, expected), "{group} {mode:o}");
    }
}

#[test]
fn many_edits_at_once_each_wait_and_say_so_once() {
    const EDITS: usize = 40;
    let sandbox = sandbox();
    let edits: Vec<Child> =
        (0..EDITS).map(|_| sandbox.begun(&["append", "-k", "key", "-m", "m", "a"])).collect();
    let mut told = 0;
    let outputs: Vec<_> = edits
        .into_iter()
        .map(|mut child| {
            let mut input = child.stdin.take().unwrap();
            std::thread::spawn(move || {
                input.write_all(b"x").unwrap();
                drop(input);
                finish(child)
            })
        })
        .collect();
    for output in outputs {
        let output = output.join().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let waits = said.matches("waiting for another edit to end").count();
        assert!(output.status.success() && waits <= 1, "{said}");
        told += waits;
    }
    assert!(told > 0);
    assert!(sandbox.text("a").ends_with(&"x".repeat(EDITS)));
    is_whole(&sandbox);
}

/// What is kept has the tag it had: a new one is never taken of bytes that were not checked.
#[test]
fn cutting_does_not_make_a_changed_rest_pass() {
    for size in ["1", "17", "4000", "7999"] {
        let sandbox = sandbox();
        sandbox.write("a", vec![7; 8000]);
        tag_anew(&sandbox, &["a", "b"]);
        let mut changed = vec![7; 8000];
        changed[0] = 8;
        sandbox.write("a", &changed);
        edit(&sandbox, &format!("truncate a --size {size}"), "").exits(0);
        sandbox.run("check m").exits(1).prints(&["a: FAILED", "b: OK"]);
    }
}

/// Nothing is kept, so nothing is read, and it does not matter what was there.
#[test]
fn cutting_to_nothing_costs_nothing() {
    let sandbox = sandbox();
    sandbox.write("a", "something else");
    fs::File::options().write(true).open(sandbox.path("a")).unwrap().set_len(1 << 40).unwrap();
    edit(&sandbox, "truncate a --size 0", "").exits(0);
    is_whole(&sandbox);
}

#[test]
fn the_seal_of_a_journal_is_lower_case() {
    let sandbox = interrupted();
    let journal = sandbox.read("m.wegman-edit");
    let at = journal.len() - 33;
    let mut other = journal.clone();
    other[at..].make_ascii_uppercase();
    sandbox.write("m.wegman-edit", &other);
    let finish = sandbox.run("finish m").exits(1);
    finish.says("m.wegman-edit").says("is not a lower-case hexadecimal digit");
    sandbox.write("m.wegman-edit", &journal);
    sandbox.run("finish m").exits(0);
}

#[test]
fn errors_name_the_path() {
    let sandbox = sandbox();
    sandbox.write("d/file", "content");
    let says = |script: &str, what: &str| {
        sandbox.shell(&format!("trap '' XFSZ; {script}")).exits(2).says(&format!("wegman: {what}"));
    };
    says("wegman append -k key -m m a < d", "a: standard input: Is a directory");
    says("wegman append -k key -m d a < a", "d: the manifest is not a regular file");
    says("wegman append -k d -m m a < a", "d: can't use it as the key file: it is a directory");
    says("wegman finish -k key d", "d: the manifest is not a regular file");
    says("wegman segment -k key d", "d: it is a directory");
    says("wegman segment -k key < d", "-: Is a directory");
    says("wegman segment -k key a -o none/s", "none/s: can't write the segment");
    says("wegman combine -k key d", "d: can't read it: Is a directory");
    says("wegman combine -k key - < d", "-: can't read it: Is a directory");
    sandbox.write("new", [7; 5000]);
    let full = "trap '' XFSZ; (ulimit -f 4; exec wegman append -k key -m m a < new) 2>&1 | cat >&2; exit 2";
    sandbox.shell(full).exits(2).says("m.wegman-edit: can't write the journal: File too large");
    // Files named in a manifest that are other things now.
    sandbox.remove("a");
    fs::create_dir(sandbox.path("a")).unwrap();
    says("wegman append -k key -m m a < b", "a: it is a directory");
    fs::create_dir(sandbox.path("m.wegman-edit")).unwrap();
    let finish = sandbox.run("finish m").exits(1);
    finish
        .says("m.wegman-edit: the journal of an interrupted edit is refused")
        .says("it is not a regular file");
    fs::remove_dir(sandbox.path("m.wegman-edit")).unwrap();

    // The manifest does not fit: its journal does.
    let sandbox = interrupted_at_the_manifest();
    let finish = "trap '' XFSZ; ulimit -f 40; exec wegman finish -k key m 2>said";
    sandbox.shell(finish).exits(2);
    let said = sandbox.text("said");
    let start = "wegman: a: the edit is not complete; when the cause is gone, `wegman finish -k key m` completes it: m: ";
    assert!(said.starts_with(start), "{said}");
    sandbox.run("finish m").exits(0);
}

/// The manifest is longer than the files may become.
fn interrupted_at_the_manifest() -> Sandbox {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    sandbox.write("a", "content");
    for i in 0..300 {
        sandbox.write(format!("d/{i:0>80}"), "content");
    }
    sandbox.run("tag -r -o m a d").exits(0);
    full(&sandbox, 40, "truncate -m m a --size 3")
        .exits(2)
        .says("wegman: a: the edit is not complete")
        .says("m: writing the manifest");
    sandbox
}

/// Names of drafts in a folder of the sandbox.
fn drafts(sandbox: &Sandbox, folder: &str) -> Vec<String> {
    let names = fs::read_dir(sandbox.path(folder)).unwrap().map(|file| file.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.retain(|name| name.starts_with(".wegman-"));
    names.sort_unstable();
    names
}

#[test]
fn leftovers_of_killed_commands_are_removed_by_the_next_one() {
    let sandbox = sandbox();
    // Killed with nothing written, with a part, with all of it.
    let killed = |args: &[&str]| {
        let mut child = sandbox.begun(args);
        wait_until("a draft", || sandbox.has_unfinished());
        child.kill().unwrap();
        child.wait().unwrap();
    };
    let tag = ["tag", "-k", "key", "-o", "m2", "-j1", "a", "-"];
    let append = ["append", "-k", "key", "-m", "m", "a"];
    sandbox.run("segment a -o segment").exits(0);
    let leave = || {
        killed(&tag);
        killed(&append);
        let front = |name: &str| sandbox.text(name)[..100].to_owned();
        sandbox.write(".wegman-aaaaaa", front("m"));
        let edit = front("m").replacen("manifest", "edit", 1);
        sandbox.write(".wegman-edit-0123456789abcdef-aaaaaa", edit);
        sandbox.write(".wegman-bbbbbb", front("segment"));
        assert!(drafts(&sandbox, ".").len() >= 4);
    };
    for next in [
        "wegman append -k key -m m a < b",
        "wegman finish -k key m",
        "wegman tag -k key -o m a b",
        "wegman segment -k key a -o segment2",
        "wegman tag -k key --update m",
    ] {
        leave();
        sandbox.shell(next).exits(0);
        assert_eq!(drafts(&sandbox, "."), [""; 0], "{next}");
    }
}

/// Drafts are found like other files: those that are removed are removed before the search.
#[test]
fn leftovers_do_not_get_into_a_manifest() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    sandbox.write("d/a", "content");
    let tag = ["tag", "-k", "key", "-r", "-o", "d/m", "d"];
    sandbox.wegman(&tag).exits(0);
    let commands = [
        (&tag[..], 0),
        (&["tag", "-k", "key", "--update", "d/m"], 0),
        (&["audit", "-k", "key", "--accept", "d", "d/m"], 0),
    ];
    for (args, code) in commands {
        sandbox.write("d/.wegman-aaaaaa", sandbox.read("d/m"));
        sandbox.wegman(args).exits(code);
        assert!(!sandbox.path("d/.wegman-aaaaaa").exists());
        assert!(!sandbox.text("d/m").contains(".wegman-"));
        sandbox.run("check d/m").exits(0).prints(&["d/a: OK"]);
    }
}

#[test]
fn nothing_else_with_the_name_of_a_draft_is_removed() {
    let sandbox = sandbox();
    sandbox.keygen("other", "PMAC-AES128");
    let of_other = sandbox.wegman(&["tag", "-k", "other", "a"]).exits(0).out;
    sandbox.write(".wegman-aaaaaa", "the user's own");
    sandbox.write(".wegman-bbbbbb", of_other);
    sandbox.write(".wegman-cccccc", sandbox.read("m"));
    fs::hard_link(sandbox.path(".wegman-cccccc"), sandbox.path("kept")).unwrap();
    symlink("m", sandbox.path(".wegman-dddddd")).unwrap();
    fs::create_dir(sandbox.path(".wegman-eeeeee")).unwrap();
    sandbox.fifo(".wegman-ffffff");
    sandbox.write(".wegman-toolong", sandbox.read("m"));
    sandbox.write(".wegman-edit-0123456789abcdef-aaaaaa", "# wegman edit 1: key");
    sandbox.write(".wegman-gggggg", "x".to_owned() + &sandbox.text("m"));
    if is_superuser() {
        sandbox.write(".wegman-hhhhhh", "");
        chown(sandbox.path(".wegman-hhhhhh"), Some(NOBODY), None).unwrap();
    }
    let before = drafts(&sandbox, ".");
    // One in use.
    let mut running = sandbox.begun(&["tag", "-k", "key", "-o", "m2", "-j1", "a", "-"]);
    wait_until("its draft", || drafts(&sandbox, ".").len() > before.len());
    let with_running = drafts(&sandbox, ".");
    edit(&sandbox, "append a", "x").exits(0);
    sandbox.run("tag -o m3 a").exits(0);
    sandbox.run("segment -o s a").exits(0);
    assert_eq!(drafts(&sandbox, "."), with_running);
    drop(running.stdin.take());
    assert!(finish(running).status.success());
    assert_eq!(drafts(&sandbox, "."), before);
}

/// An older manifest, restored, is found by that number.
#[test]
fn the_new_serial_number_is_printed() {
    let sandbox = sandbox();
    let about = |number| format!("wegman: m: serial {number}, ");
    edit(&sandbox, "edit a --at 0", "new").exits(0).says(&about(2)).says("seal id ");
    edit(&sandbox, "append a", "new").exits(0).says(&about(3));
    let quiet = edit(&sandbox, "truncate a --size 3 --quiet", "").exits(0);
    assert_eq!(quiet.err, "");
    let json = edit(&sandbox, "append a --json", "new").exits(0).json();
    assert_eq!(json.last().unwrap()["serial"], 5);
    let json = edit(&sandbox, "append a --json", "").exits(0).json();
    assert!(json.last().unwrap()["serial"].is_null());
    let sandbox = interrupted();
    sandbox.run("finish m").exits(0).says("wegman: m: serial 3, ");
}
