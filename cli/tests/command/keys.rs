//! `wegman keygen`, and what is accepted as a key file.

use crate::common::Sandbox;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// A key, a file and the manifest `m`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    sandbox.write("a", "content");
    sandbox.run("tag -o m a").exits(0);
    sandbox
}

#[test]
fn keygen_overwrites_nothing() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    let old = sandbox.read("key");
    sandbox.wegman(&["keygen", "-o", "key"]).exits(2).says("never overwritten");
    assert_eq!(sandbox.read("key"), old);
    std::os::unix::fs::symlink("nowhere", sandbox.path("link")).unwrap();
    sandbox.wegman(&["keygen", "-o", "link"]).exits(2);
    assert!(!sandbox.path("nowhere").exists());
    let keygen = sandbox.wegman(&["keygen", "-o", "none/key"]).exits(2);
    keygen.says("none/key: can't make the key file: No such file or directory");
}

#[test]
fn keygen_shows_no_secret() {
    let sandbox = Sandbox::new();
    let output = sandbox.wegman(&["keygen", "-o", "key"]).exits(0).prints(&[]);
    let text = sandbox.text("key");
    let secret = text.lines().find_map(|line| line.strip_prefix("secret: ")).unwrap();
    assert_eq!(secret.len(), 64);
    assert!(!output.err.contains(secret));
}

#[test]
fn keygen_refuses_hashes_and_tags_too_short_for_files() {
    let sandbox = Sandbox::new();
    let keygen = |name| sandbox.wegman(&["keygen", "-a", name, "-o", "key"]);
    keygen("UHASH-4/8").exits(2).says("a hash, not a MAC");
    keygen("UMAC-2/3").exits(2).says("too few");
    keygen("umac-4/8/1024").exits(0).says("UMAC32").says("historical");
    assert!(sandbox.text("key").contains("algorithm: UMAC32\n"));
}

/// Once, where the algorithm is chosen.
#[test]
fn keygen_warns_of_what_nobody_has_reviewed() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "content");
    for name in ["Carter-128", "carter-64", "Carter-128-AES256"] {
        let made = sandbox.wegman(&["keygen", "-a", name, "-o", name]).exits(0).prints(&[]);
        assert_eq!(made.err.matches("experimental").count(), 1, "{made:#?}");
        let made = made.says("warning: Carter-").says("docs/carter.md").says("years from now");
        assert_eq!(made.err.lines().count(), 2, "{made:#?}");
        let tagged = sandbox.wegman(&["tag", "-k", name, "--force", "-o", "m", "a"]).exits(0);
        let checked = sandbox.wegman(&["check", "-k", name, "m"]).exits(0).prints(&["a: OK"]);
        let later = tagged.err + &checked.err;
        assert!(!later.contains("warning") && !later.contains("experimental"), "{later}");
        // The nonce of a file is random and as long as may be.
        let line = sandbox.text("m");
        let line = line.lines().nth(1).unwrap();
        assert_eq!(line.rsplit_once("nonce=").unwrap().1.len(), 32, "{line}");
    }
    let umac = sandbox.wegman(&["keygen", "-a", "UMAC-128", "-o", "umac"]).exits(0);
    assert!(!umac.err.contains("experimental"), "{umac:#?}");
}

#[test]
fn keygen_refuses_unknown_algorithms_and_tag_lengths() {
    let sandbox = Sandbox::new();
    let refused = |args: &[&str], reason: &str| {
        sandbox.wegman(&[&["keygen", "-o", "key"], args].concat()).exits(2).says(reason);
        assert!(!sandbox.path("key").exists());
    };
    refused(&["-a", "MD5"], "no algorithm \"MD5\"");
    for bits in ["0", "7", "63", "136"] {
        refused(&["--tag-bits", bits], "tags of");
    }
    refused(&["-a", "UMAC-64", "--tag-bits", "128"], "UMAC-64 has tags of");
    refused(&["--tag-bits", "-8"], "");
    refused(&["--tag-bits", "eight"], "invalid");
}

#[test]
fn a_shorter_tag_length_is_the_keys() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "content");
    sandbox.wegman(&["keygen", "-o", "key", "--tag-bits", "64"]).exits(0);
    let output = sandbox.run("tag a").exits(0);
    let tag = output.out.lines().nth(1).unwrap().rsplit(' ').next().unwrap();
    assert_eq!(tag.len(), 16);
}

#[test]
fn no_key_file_given() {
    let sandbox = sandbox();
    sandbox.wegman(&["tag", "a"]).exits(2).says("--key").says("`wegman keygen KEY` makes");
    sandbox.wegman(&["check", "m"]).exits(2).says("--key");
    sandbox.wegman(&["audit", ".", "m"]).exits(2).says("--key");
}

#[test]
fn unusable_key_files() {
    let sandbox = sandbox();
    let key = sandbox.text("key");
    let mut flipped = key.clone().into_bytes();
    let at = key.find("secret: ").unwrap() + 20;
    flipped[at] ^= 1;
    sandbox.write("flipped", flipped);
    sandbox.write("short", &key[..key.find("algorithm: ").unwrap() + 15]);
    sandbox.write("shorter", &key[..key.len() - 1]);
    sandbox.write("other", key.replace("tag-bits: ", "tag-bytes: "));
    sandbox.write("empty", "");
    sandbox.write("long", "x".repeat(10_000));
    sandbox.write("edited", key.replace("PMAC-AES128", "UMAC-64"));
    fs::create_dir(sandbox.path("directory")).unwrap();
    for (name, reason) in [
        ("none", "No such file"),
        ("flipped", "checksum does not match"),
        ("short", "truncated at line 4"),
        ("shorter", "truncated at line 7"),
        ("other", "line 5 is damaged"),
        ("empty", "not a wegman key file: restore it from its copy"),
        ("long", "too long"),
        ("edited", "checksum does not match"),
        ("directory", "it is a directory"),
        ("a", "not a wegman key file"),
    ] {
        if name != "none" && name != "directory" {
            sandbox.chmod(name, 0o600);
        }
        let said =
            |args: &[&str]| sandbox.wegman(args).exits(2).prints(&[]).says(name).says(reason);
        said(&["tag", "-k", name, "a"]);
        said(&["check", "-k", name, "m"]);
        said(&["audit", "-k", name, ".", "m"]);
    }
}

#[test]
fn a_key_file_that_may_not_be_read() {
    let sandbox = sandbox();
    sandbox.chmod("key", 0);
    sandbox.wegman_bound(&["check", "-k", "key", "m"]).exits(2).says("Permission denied");
}

#[test]
fn a_key_file_others_may_access_needs_consent() {
    let sandbox = sandbox();
    for mode in [0o640, 0o604, 0o620, 0o666] {
        sandbox.chmod("key", mode);
        let reason = format!("mode {mode:03o}");
        for args in [["tag", "a"], ["check", "m"]] {
            let [command, file] = args;
            sandbox.wegman(&[command, "-k", "key", file]).exits(2).says(&reason).says("chmod 600");
            sandbox.wegman(&[command, "-k", "key", "--insecure-permissions", file]).exits(0);
        }
    }
}

#[test]
fn the_key_of_another_algorithm_or_another_key() {
    let sandbox = sandbox();
    for algorithm in ["UMAC-64", "PMAC-AES128"] {
        sandbox.keygen(algorithm, algorithm);
        let checked = sandbox.wegman(&["check", "-k", algorithm, "m"]);
        checked.exits(2).prints(&[]).says("wrong key").says(algorithm);
    }
}

#[test]
fn slips_are_named() {
    let sandbox = Sandbox::new();
    sandbox.wegman(&["keygen", "-o", "-"]).exits(2).says("-: a key goes into a file");
    assert!(!sandbox.path("-").exists());
    for (slip, meant) in
        [("UMAC64", "UMAC-64"), ("PMAC-AES18", "PMAC-AES128"), ("cmac", "CMAC-AES128, CMAC-AES256")]
    {
        let output = sandbox.wegman(&["keygen", "-o", "key", "-a", slip]).exits(2);
        output.says(&format!("did you mean {meant}?"));
    }
    let far = sandbox.wegman(&["keygen", "-o", "key", "-a", "ROT13"]).exits(2);
    assert!(!far.err.contains("did you mean"), "{far:#?}");
}

#[test]
fn the_key_file_to_make_is_an_argument_or_an_option() {
    let sandbox = Sandbox::new();
    // Its owner's alone, whatever the umask.
    sandbox.shell("umask 000; wegman keygen one").exits(0).says("made one: key ");
    assert_eq!(fs::metadata(sandbox.path("one")).unwrap().mode() & 0o777, 0o600);
    sandbox.wegman(&["keygen", "-o", "two"]).exits(0);
    sandbox.wegman(&["keygen", "three", "-o", "four"]).exits(2).says("cannot be used with");
    assert!(!sandbox.path("three").exists() && !sandbox.path("four").exists());
    sandbox.wegman(&["keygen"]).exits(2).says("<KEY>");
    sandbox.wegman(&["keygen", "-"]).exits(2).says("-: a key goes into a file");
}

#[test]
fn short_tags_are_warned_of() {
    let sandbox = Sandbox::new();
    for (algorithm, bits, worth) in [
        ("PMAC-AES128", "32", "2^-11.99"),
        ("PMAC-AES128", "56", "2^-35.99"),
        ("UMAC-32", "32", "2^-9.99"),
    ] {
        let name = format!("{algorithm}.{bits}");
        let made = sandbox.wegman(&["keygen", &name, "-a", algorithm, "--tag-bits", bits]);
        let made =
            made.exits(0).says("warning: ").says(&format!("tags of {bits} bits")).says(worth);
        assert_eq!(made.err.lines().count(), 2, "{made:#?}");
        assert!(sandbox.path(&name).exists());
        // The bound is the one that `wegman bounds` gives.
        let million = ["--messages", "2^20", "--attempts", "2^20"];
        let bounds = [&["bounds", algorithm, "--tag-bits", bits], &million[..]].concat();
        let bound = sandbox.wegman(&bounds).exits(0).out;
        assert!(bound.contains(&format!("{worth} ")) && bound.contains("in all"), "{bound}");
    }
    let made = sandbox.wegman(&["keygen", "key", "--tag-bits", "64"]).exits(0);
    assert!(!made.err.contains("warning"), "{made:#?}");
}

#[test]
fn a_variable_names_the_key_file() {
    let sandbox = sandbox();
    let run =
        |value: &str, args: &str| sandbox.shell(&format!("WEGMAN_KEY={value} exec wegman {args}"));
    run("key", "check m").exits(0).prints(&["a: OK"]);
    run("key", "tag a").exits(0);
    run("key", "audit . m").exits(0);
    // The option wins.
    run("none", "check -k key m").exits(0);
    run("key", "check -k none m").exits(2).says("none: can't use it as the key file");
    // It is a file's name, and not a key.
    let secret = "00".repeat(32);
    run(&secret, "check m").exits(2).says(&secret).says("No such file");
    run("a", "check m").exits(2).says("a: can't use it as the key file");
    sandbox.shell("unset WEGMAN_KEY; exec wegman check m").exits(2).says("--key");
    let help = run("hidden-place", "check --help").exits(0).out;
    assert!(help.contains("WEGMAN_KEY") && !help.contains("hidden-place"), "{help}");
}

#[test]
fn windows_line_ends_are_named() {
    let sandbox = sandbox();
    let text = sandbox.text("key").replace('\n', "\r\n");
    sandbox.write("windows", text);
    sandbox.chmod("windows", 0o600);
    let refused = sandbox.wegman(&["check", "-k", "windows", "m"]).exits(2).prints(&[]);
    refused.says("windows: ").says("Windows line ends").says("tr -d");
    // As it says.
    sandbox.shell("umask 077; tr -d '\\r' < windows > restored").exits(0);
    sandbox.wegman(&["check", "-k", "restored", "m"]).exits(0);
}

/// Nothing waits for somebody to write.
#[test]
fn key_files_that_are_no_files_are_refused_at_once() {
    let sandbox = sandbox();
    sandbox.fifo("pipe");
    let _socket = std::os::unix::net::UnixListener::bind(sandbox.path("socket")).unwrap();
    std::os::unix::fs::symlink("pipe", sandbox.path("link")).unwrap();
    for (name, reason) in [
        ("pipe", "it is a pipe"),
        ("link", "it is a pipe"),
        ("socket", "it is a socket"),
        ("/dev/null", "it is a device"),
        ("/dev/zero", "it is a device"),
    ] {
        let refused = sandbox.wegman(&["check", "-k", name, "m"]);
        refused.exits(2).prints(&[]).says(&format!("{name}: can't use it")).says(reason);
    }
}

/// As a password manager's output, which may take its time.
#[test]
fn a_key_may_come_through_a_pipe_that_somebody_writes_to() {
    let sandbox = sandbox();
    let slowly =
        "mkfifo pipe; (exec 3> pipe; sleep 0.2; cat key >&3) & sleep 0.1; wegman check -k pipe m";
    sandbox.shell(&slowly.replace("mkfifo pipe", "mkfifo -m 600 pipe")).exits(0);
}

/// Whoever makes a key file with a right checksum can't send control characters to the terminal.
#[test]
fn what_key_files_say_is_shown_without_control_characters() {
    use sha2::{Digest, Sha256};
    let sandbox = sandbox();
    let text = sandbox.text("key");
    let (covered, _) = text.split_once("checksum: ").unwrap();
    let id = covered.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    for (from, to) in [
        (id, "\u{1b}[2J\u{1b}[31mid"),
        (id, "0123456789abcdef0"),
        ("PMAC-AES128", "\u{1b}[2JPMAC"),
        ("tag-bits: 128", "tag-bits: \u{1b}[2J"),
        ("wegman-key: 1", "wegman-key: \u{1b}[2J"),
        ("id: ", "\u{1b}[2Jid: "),
    ] {
        let covered = covered.replacen(from, to, 1);
        let sum = wegman_formats::hex::encode(&Sha256::digest(&covered)[..8]);
        sandbox.write("made\u{7}", format!("{covered}checksum: {sum}\n"));
        sandbox.chmod("made\u{7}", 0o600);
        let refused = sandbox.wegman(&["tag", "-k", "made\u{7}", "a"]).exits(2).prints(&[]);
        let refused = refused.says("made\\u{7}: can't use it as the key file");
        assert!(!refused.err.trim_end().contains(char::is_control), "{to:?}: {refused:#?}");
    }
    sandbox.chmod("made\u{7}", 0o644);
    let refused = sandbox.wegman(&["tag", "-k", "made\u{7}", "a"]).exits(2).says("chmod 600");
    assert!(!refused.err.trim_end().contains(char::is_control), "{refused:#?}");
    let made = sandbox.wegman(&["keygen", "new\u{7}"]).exits(0);
    assert!(!made.err.trim_end().contains(char::is_control), "{made:#?}");
}

/// Those that others use can also seal manifests.
#[test]
fn cmac_and_hmac_keys_tag_and_check() {
    let sandbox = Sandbox::new();
    sandbox.write("a", "content");
    for (name, digits) in [("CMAC-AES128", 32), ("CMAC-AES256", 32), ("HMAC-SHA256", 64)] {
        let made = sandbox.wegman(&["keygen", name, "-a", name]).exits(0);
        assert_eq!(made.err.lines().count(), 1, "{made:#?}");
        sandbox.wegman(&["tag", "-k", name, "--force", "-o", "m", "a"]).exits(0);
        let line = sandbox.text("m").lines().nth(1).unwrap().to_owned();
        assert_eq!(line.rsplit(' ').next().unwrap().len(), digits, "{line}");
        sandbox.wegman(&["check", "-k", name, "m"]).exits(0).prints(&["a: OK"]);
        sandbox.write("a", "other");
        sandbox.wegman(&["check", "-k", name, "m"]).exits(1);
        sandbox.write("a", "content");
    }
}
