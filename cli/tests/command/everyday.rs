//! What a cron job and its user expect of `tag`, `check` and `audit`.

use crate::common::Sandbox;
use std::fs;
use std::os::unix::fs::symlink;

/// A key, the tree `d` of three files and its manifest `m`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_key("UMAC-64");
    for name in ["a", "b", "sub/c"] {
        sandbox.write(format!("d/{name}"), format!("content of {name}"));
    }
    sandbox.run("tag -r -q -o m d").exits(0);
    sandbox
}

fn serial(sandbox: &Sandbox) -> String {
    let text = sandbox.text("m");
    let line = text.lines().find_map(|line| line.strip_prefix("# serial ")).unwrap();
    line.split_once(',').unwrap().0.to_owned()
}

#[test]
fn quiet_says_nothing_if_all_is_good_and_everything_if_not() {
    let sandbox = sandbox();
    let commands: [&[&str]; 3] = [
        &["check", "-k", "key", "-q", "m"],
        &["audit", "-k", "key", "-q", "d", "m"],
        &["tag", "-k", "key", "-q", "-r", "-o", "n", "d"],
    ];
    for command in commands {
        let output = sandbox.wegman(command).exits(0);
        assert_eq!((&*output.out, &*output.err), ("", ""), "{command:?}");
    }
    sandbox.write("d/a", "other");
    sandbox.remove("d/b");
    let checked = sandbox.wegman(commands[0]).exits(1);
    checked.prints(&["d/a: FAILED", "d/b: MISSING"]).says("check: 1 ok, 1 failed, 1 missing");
    let audited = sandbox.wegman(commands[1]).exits(1);
    audited
        .prints(&["d/a: CHANGED", "d/b: MISSING"])
        .says("audit: 1 unchanged, 1 changed, 1 missing");
    sandbox.wegman(commands[2]).exits(1).says("n: 1 file changed and 1 missing since it was made");
    for command in ["check", "audit"] {
        let args: &[&str] = if command == "check" { &["m"] } else { &["d", "m"] };
        let args = [&[command, "-k", "key", "--status"], args].concat();
        let output = sandbox.wegman(&args).exits(1);
        assert_eq!((&*output.out, &*output.err), ("", ""), "{command:?}");
    }
}

#[test]
fn one_hint_if_nothing_is_there() {
    let sandbox = sandbox();
    fs::create_dir(sandbox.path("elsewhere")).unwrap();
    let wrong = ["check", "-k", "../key", "-C", "elsewhere", "../m"];
    let output = sandbox.wegman(&wrong).exits(1).prints(&[]);
    let output = output.says("none of the 3 files of ../m is here: wrong directory?");
    assert_eq!(output.said().lines().count(), 3, "{output:?}");
    let json = sandbox.wegman(&[&wrong[..], &["--json"]].concat()).exits(1).json();
    assert_eq!(
        (json.len(), &json[0]["status"], &json[3]["missing"]),
        (4, &"missing".into(), &3.into())
    );
    // One that is there, and each of the others is named.
    sandbox.write("elsewhere/d/b", "content of b");
    sandbox.wegman(&wrong).exits(1).prints(&["d/a: MISSING", "d/b: OK", "d/sub/c: MISSING"]);
    sandbox.run("check -C nowhere m").exits(2).says("nowhere: can't change to");
}

#[test]
fn a_part_of_a_manifest_and_several_manifests() {
    let sandbox = sandbox();
    let check = |args: &[&str]| sandbox.wegman(&[&["check", "-k", "key"], args].concat());
    check(&["m", "d/sub"]).exits(0).prints(&["d/sub/c: OK"]);
    check(&["m", "./d//a", "d/sub/"]).exits(0).prints(&["d/a: OK", "d/sub/c: OK"]);
    sandbox.write("d/a", "other");
    check(&["m", "d/sub", "d/b"]).exits(0);
    check(&["m", "d/a"]).exits(1).prints(&["d/a: FAILED"]);
    check(&["m", "d/none"]).exits(2).prints(&[]).says("d/none: not a file in the manifest");
    check(&["m", "key"]).exits(2).prints(&[]).says("key: ");

    sandbox.write("e", "more");
    sandbox.run("tag -o n e").exits(0);
    check(&["m", "n"]).exits(1).prints(&["d/a: FAILED", "d/b: OK", "d/sub/c: OK", "e: OK"]);
    check(&["m", "n", "e", "d/b"]).exits(0).prints(&["d/b: OK", "e: OK"]);
    // A forged one of several is refused before any file is called good.
    sandbox.write("n", sandbox.text("n").replace("(e)", "(f)"));
    check(&["m", "n"]).exits(1).prints(&[]).says("n: manifest refused");
}

#[test]
fn an_update_takes_over_what_was_changed_on_purpose() {
    let sandbox = sandbox();
    let update =
        |args: &[&str]| sandbox.wegman(&[&["tag", "-k", "key", "--update", "m"], args].concat());
    let before = sandbox.read("m");
    update(&[]).exits(0).prints(&[]).says("m: it is up to date: serial 1, ");
    assert_eq!(sandbox.read("m"), before);

    sandbox.write("d/a", "other");
    sandbox.write("d/new", "new");
    fs::rename(sandbox.path("d/sub/c"), sandbox.path("d/c")).unwrap();
    sandbox.remove("d/b");
    // Below one path, the rest stays as it was.
    update(&["d/sub"]).exits(0).prints(&["d/sub/c: MISSING"]);
    let lines = ["d/a: CHANGED", "d/c: NEW", "d/new: NEW", "d/b: MISSING"];
    sandbox.run("audit d m").exits(1).prints(&lines);
    update(&[]).exits(0).prints(&lines).says("m: accepted as it is now: serial 3, ");
    sandbox.run("audit d m").exits(0).prints(&[]);
    sandbox.run("check m").exits(0).prints(&["d/a: OK", "d/c: OK", "d/new: OK"]);
    // A path that the manifest does not have is added.
    sandbox.write("e/x", "x");
    update(&["e"]).exits(0).prints(&["e/x: NEW"]);
    sandbox.run("check m e").exits(0).prints(&["e/x: OK"]);
    update(&["none"]).exits(2).says("none: No such file");
    assert_eq!(serial(&sandbox), "4");
    // Neither a name that is lost nor one that would be there twice costs what the manifest has.
    sandbox
        .wegman_reads(&["tag", "-k", "key", "-q", "-r", "-o", "all", "d", "-"], b"content")
        .exits(0);
    let update = ["tag", "-k", "key", "--update", "all"];
    let before = sandbox.read("all");
    sandbox.wegman(&[&update[..], &["-"]].concat()).exits(2).says("the same name is on line");
    assert_eq!(sandbox.read("all"), before);
    sandbox.shell("cd d && wegman tag -k ../key -q -r -o ../here .").exits(0);
    let before = sandbox.read("here");
    sandbox.write("d/a", "another");
    let lost = sandbox.shell("cd d && wegman tag -k ../key --update ../here ''");
    lost.exits(2).says("left unchanged");
    assert_eq!(sandbox.read("here"), before);
}

#[test]
fn nothing_is_accepted_that_could_not_be_read() {
    let sandbox = sandbox();
    sandbox.write("d/a", "other");
    sandbox.chmod("d/b", 0);
    let before = sandbox.read("m");
    let accept = ["audit", "-k", "key", "--accept", "d", "m"];
    sandbox.wegman_bound(&accept).exits(2).says("m: left unchanged: 1 file could not be read");
    assert_eq!(sandbox.read("m"), before);
    sandbox.chmod("d/b", 0o600);
    sandbox.wegman(&accept).exits(0).prints(&["d/a: CHANGED"]).says("m: accepted");
    sandbox.run("audit d m").exits(0);
}

#[test]
fn tagging_again_does_not_bless_a_change_unseen() {
    let sandbox = sandbox();
    let tag = ["tag", "-k", "key", "-r", "-o", "m", "d"];
    sandbox.write("d/new", "new");
    sandbox.wegman(&tag).exits(0).says("m: serial 2, ");
    sandbox.write("d/a", "other");
    let before = sandbox.read("m");
    let refused = sandbox.wegman(&tag).exits(1);
    assert!(!refused.err.contains("wegman: tag: "), "{refused:?}");
    refused
        .says("m: 1 file changed since it was made")
        .says("it was not replaced; --force replaces it");
    assert_eq!(sandbox.read("m"), before);
    assert!(!sandbox.has_unfinished());
    sandbox.wegman(&[&tag[..], &["--force"]].concat()).exits(0).says("m: serial 3, ");
    // Nor a loss,
    sandbox.remove("d/b");
    sandbox.wegman(&tag).exits(1).says("m: 1 file missing since it was made");
    sandbox.write("d/b", "content of b");
    sandbox.wegman(&tag).exits(0);
    // and it does not help to damage the manifest, or to put another key's in its place.
    sandbox.write("d/a", "evil");
    let whole = sandbox.text("m");
    sandbox.write("m", whole.replace("seal = ", "seal = 0"));
    sandbox.wegman(&tag).exits(1).says("m: manifest refused").says("--force replaces");
    sandbox.keygen("other", "UMAC-64");
    sandbox.wegman(&["tag", "-k", "other", "-r", "-q", "-o", "n", "d"]).exits(0);
    fs::rename(sandbox.path("n"), sandbox.path("m")).unwrap();
    let refused = sandbox.wegman(&tag).exits(2).says("m: wrong key").says("--force replaces");
    assert!(!refused.err.contains("wegman: tag: "), "{refused:?}");
    let forced = sandbox.wegman(&[&tag[..], &["--force"]].concat()).exits(0);
    forced.says("m: serial 1, ").says("could not be read, so it is 1 again");
    sandbox.run("check --at-least 1G m").exits(2).says("it should be a serial number");
    sandbox.run("tag -o - d/a").exits(2).says("standard output");
}

/// An old manifest, put back with the files of then.
#[test]
fn a_rollback_shows_in_the_serial_number() {
    let sandbox = sandbox();
    let old = sandbox.read("m");
    sandbox.write("d/a", "other");
    sandbox.run("audit --accept d m").exits(0);
    assert_eq!(serial(&sandbox), "2");
    sandbox.run("check --at-least 2 m").exits(0);
    sandbox.run("audit --at-least 2 d m").exits(0);
    sandbox.write("m", old);
    sandbox.write("d/a", "content of a");
    sandbox.run("check m").exits(0);
    let why = "m: manifest refused: its serial number is 1, and --at-least asks for 2";
    sandbox.run("check --at-least 2 m").exits(1).prints(&[]).says(why);
    sandbox.run("audit --at-least 2 d m").exits(1).prints(&[]).says(why);
    // The seal id that tag prints is the beginning of the seal.
    let tagged = sandbox.run("tag -o n d/a").exits(0);
    let id = tagged.err.trim_end().rsplit(' ').next().unwrap().to_owned();
    assert!(sandbox.text("n").contains(&format!("# wegman seal = {id}")), "{id}");
}

#[test]
fn names_from_a_file() {
    let sandbox = sandbox();
    let names = |output: crate::common::Output| -> Vec<String> {
        let lines = output.exits(0).out;
        let name = |line: &str| Some(line.strip_prefix("UMAC-64 (")?.split_once(')')?.0.to_owned());
        lines.lines().filter_map(name).collect()
    };
    let tag = ["tag", "-k", "key", "--files-from", "-"];
    assert_eq!(names(sandbox.wegman_reads(&tag, b"d/b\n\nd/sub/c\n")), ["d/b", "d/sub/c"]);
    let null = [&tag[..], &["-0", "d/a"]].concat();
    assert_eq!(names(sandbox.wegman_reads(&null, b"d/b\0d/sub/c\0")), ["d/a", "d/b", "d/sub/c"]);
    sandbox.write("list", "d/sub\n");
    assert_eq!(names(sandbox.run("tag -r --files-from list")), ["d/sub/c"]);
    sandbox.wegman_reads(&tag, b"d/b\0d/a\0").exits(2).says("-0");
    sandbox.run("tag --files-from nowhere").exits(2).says("nowhere: ");
    // An empty list is no file, and not standard input.
    assert_eq!(names(sandbox.wegman_reads(&tag, b"")), Vec::<String>::new());
}

/// Lines that look right until the seal at the end does not: they take no memory.
#[test]
fn a_manifest_that_is_not_genuine_takes_little_memory() {
    let sandbox = sandbox();
    let text = sandbox.text("m");
    let entry = text.lines().find(|line| line.contains("(d/a)")).unwrap();
    let header = text.lines().next().unwrap();
    let limited = |manifest: &str| {
        sandbox.shell(&format!("ulimit -v 300000; {manifest} | wegman check -k key -"))
    };
    let zeroes = limited("head -c 1G /dev/zero").exits(1).prints(&[]);
    zeroes.says("-: manifest refused: it is not a manifest, or line 1 is damaged");
    let rest = limited(&format!("(echo '{header}'; head -c 1G /dev/zero)")).exits(1).prints(&[]);
    rest.says("line 2 is longer than any line of a manifest");
    let forged = format!("(echo '{header}'; yes '{entry}' | head -c 120M)");
    limited(&forged).exits(1).prints(&[]).says("manifest refused");
    sandbox.shell(&format!("{forged} > forged; echo >> forged")).exits(0);
    let check = "ulimit -v 300000; wegman check -k key forged";
    sandbox.shell(check).exits(1).prints(&[]).says("forged: manifest refused");
}

/// On a terminal, a name has no control characters: this one would erase the line above it, and turn what follows around.
#[test]
fn names_do_not_tell_a_terminal_what_to_do() {
    let sandbox = sandbox();
    for name in ["d/", "--"] {
        sandbox.write(format!("{name}\x1b[1Aevil\u{9b}1A\u{202e}gpj.exe"), "x");
    }
    sandbox.keygen("pmac", "PMAC-AES128");
    sandbox.wegman(&["segment", "-k", "pmac", "-o", "s", "d/a"]).exits(0);
    let name = "$(printf '\\033[1Aevil\\302\\2331A\\342\\200\\256')";
    for command in [
        &format!("combine -k pmac s --as {name}"),
        &format!("segment -k pmac d/a --object {name}"),
        "tag -k key d/*evil*",
        "tag -k key -r -o n --force d; wegman check -k key n",
        "audit -k key d m",
        "check -k key m -*evil*",
    ] {
        let shown = sandbox.shell(&format!("script -qec \"wegman {command}\" /dev/null"));
        let is_steered =
            ["\x1b[1A", "\u{9b}", "\u{202e}"].iter().any(|one| shown.out.contains(one));
        assert!(!is_steered, "{shown:?}");
        assert!(shown.out.contains("\\u{1b}[1Aevil"), "{shown:?}");
    }
    // To a file go the bytes themselves.
    let piped = sandbox.run("audit d m").exits(1);
    assert!(piped.out.contains("\x1b[1Aevil"), "{piped:?}");
}

#[test]
fn a_link_to_the_manifest_is_replaced_by_nobody() {
    let sandbox = sandbox();
    fs::rename(sandbox.path("m"), sandbox.path("kept")).unwrap();
    symlink("kept", sandbox.path("m")).unwrap();
    sandbox.write("d/a", "other");
    sandbox.run("tag --update m").exits(0);
    assert!(sandbox.path("m").is_symlink());
    sandbox.run("check kept").exits(0);
}
