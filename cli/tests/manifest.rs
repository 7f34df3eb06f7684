//! What `wegman check` accepts as a manifest: only what `wegman tag` sealed.

mod common;
use common::{Output, Sandbox};
use std::fs;

/// A key, the files `a`, `b`, `c` and their manifest `m`.
fn sandbox(algorithm: &str) -> Sandbox {
    let sandbox = Sandbox::with_key(algorithm);
    for name in ["a", "b", "c"] {
        sandbox.write(name, format!("content of {name}"));
    }
    sandbox.wegman(&["tag", "-k", "key", "-o", "m", "a", "b", "c"]).exits(0);
    sandbox
}

fn check(sandbox: &Sandbox, manifest: impl AsRef<[u8]>) -> Output {
    sandbox.write("n", manifest);
    sandbox.wegman(&["check", "-k", "key", "n"])
}

/// Expects that nothing of the manifest is believed.
#[track_caller]
fn refused(sandbox: &Sandbox, manifest: impl AsRef<[u8]>) -> Output {
    check(sandbox, manifest).exits(1).prints(&[]).says("n: manifest refused")
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[test]
fn an_unchanged_copy_is_accepted() {
    let sandbox = sandbox("UMAC-64");
    check(&sandbox, sandbox.text("m")).exits(0).prints(&["a: OK", "b: OK", "c: OK"]);
}

#[test]
fn a_manifest_of_no_file() {
    let sandbox = sandbox("UMAC-64");
    fs::create_dir(sandbox.path("d")).unwrap();
    sandbox.wegman(&["tag", "-k", "key", "-r", "-o", "n", "d"]).exits(0);
    sandbox.wegman(&["check", "-k", "key", "n"]).exits(1).prints(&[]).says("names no files");
    sandbox.wegman(&["audit", "-k", "key", "d", "n"]).exits(1).prints(&[]).says("names no files");
}

#[test]
fn empty_and_foreign_text() {
    let sandbox = sandbox("PMAC-AES128");
    refused(&sandbox, "").says("empty");
    refused(&sandbox, "\n").says("line 1");
    refused(&sandbox, "d41d8cd98f00b204e9800998ecf8427e  a\n").says("line 1");
    refused(&sandbox, [0xff; 100]).says("line 1");
}

#[test]
fn malformed_lines_are_named() {
    let sandbox = sandbox("UMAC-64");
    let text = sandbox.text("m");
    let lines = lines(&text);
    let nonce = "00".repeat(16);
    for bad in [
        "",
        "rubbish",
        "# a comment",
        "UMAC-64 (b)",
        "UMAC-64 (b) = ",
        "UMAC-64 (b) = 0123456789abcdef",
        "UMAC-64 (b) = 0123456789abcdef nonce=",
        "UMAC-64 (b) = 0123456789abcdef nonce=0",
        &format!("UMAC-64 (b) = 0123456789abcde nonce={nonce}"),
        &format!("UMAC-64 (b) = 0123456789abcdeg nonce={nonce}"),
        &format!("UMAC-64 (b) = 0123456789ab nonce={nonce}"),
        &format!("UMAC-64 (b) = 0123456789abcdef nonce={nonce}00"),
        &format!("UMAC-64 (b) = 0123456789abcdef nonce={nonce} "),
        &format!("UMAC-64 () = 0123456789abcdef nonce={nonce}"),
        &format!("UMAC-32 (b) = 01234567 nonce={nonce}"),
        &format!("\\UMAC-64 (b\\x) = 0123456789abcdef nonce={nonce}"),
    ] {
        let bad = format!("{bad}\n");
        let changed = [lines[0], lines[1], &bad, lines[3], lines[4], lines[5]].concat();
        refused(&sandbox, changed).says("line 3");
    }
}

/// The nonces of a manifest have one length, even where the algorithm takes others.
#[test]
fn shorter_nonces_are_named() {
    for (algorithm, lengths) in [("UMAC-64", 1..16), ("Carter-128", 12..13)] {
        let sandbox = sandbox(algorithm);
        let text = sandbox.text("m");
        let lines = lines(&text);
        for length in lengths {
            // The line of b, then the seal.
            for at in [2, 5] {
                let (before, nonce) = lines[at].trim_end().split_once("nonce=").unwrap();
                let shorter = format!("{before}nonce={}\n", &nonce[..2 * length]);
                let mut changed = lines.clone();
                changed[at] = &shorter;
                let output = refused(&sandbox, changed.concat()).says(&format!("line {}", at + 1));
                output.says(&format!("a nonce here has 16 bytes, not {length}"));
            }
        }
    }
}

#[test]
fn any_edit_breaks_the_seal() {
    for algorithm in ["PMAC-AES128", "UMAC-64", "UMAC-128", "Carter-96-AES256"] {
        let sandbox = sandbox(algorithm);
        let text = sandbox.text("m");
        let whole = lines(&text);
        let at = text.find("(b) = ").unwrap() + 6;
        let digit = if &text[at..=at] == "0" { "1" } else { "0" };
        let tag = [&text[..at], digit, &text[at + 1..]].concat();
        refused(&sandbox, tag).says("the seal does not match");
        refused(&sandbox, text.replace("(b)", "(c2)")).says("the seal does not match");
        let mut other = whole.clone();
        other.remove(2);
        refused(&sandbox, other.concat()).says("the seal does not match");
        let mut other = whole.clone();
        other.swap(1, 3);
        refused(&sandbox, other.concat()).says("the seal does not match");
        let (b, c) = (whole[2].replace("(b)", "(c)"), whole[3].replace("(c)", "(b)"));
        refused(&sandbox, [whole[0], whole[1], &b, &c, whole[4], whole[5]].concat())
            .says("the seal");
        let mut other = whole.clone();
        other.insert(2, whole[1]);
        refused(&sandbox, other.concat());
    }
}

#[test]
fn the_seal_of_another_manifest_does_not_fit() {
    for algorithm in ["PMAC-AES128", "UMAC-64"] {
        let sandbox = sandbox(algorithm);
        let other = sandbox.wegman(&["tag", "-k", "key", "a", "b"]).exits(0).out;
        let text = sandbox.text("m");
        let mut whole = lines(&text);
        whole[5] = lines(&other)[4];
        refused(&sandbox, whole.concat()).says("the seal does not match");
    }
}

#[test]
fn a_shortened_manifest() {
    for algorithm in ["PMAC-AES128", "UMAC-64"] {
        let sandbox = sandbox(algorithm);
        let text = sandbox.text("m");
        let header = text.find('\n').unwrap() + 1;
        let cuts = (header..text.len()).step_by(13).chain([header, text.len() - 1]);
        for cut in cuts {
            refused(&sandbox, &text[..cut]);
        }
    }
}

/// Not known to be of another key: what is left of the line only looks so.
#[test]
fn a_manifest_cut_off_in_its_first_line_is_refused() {
    let sandbox = sandbox("UMAC-64");
    let text = sandbox.text("m");
    for cut in [1, 10, 25, 35, text.find('\n').unwrap() - 1] {
        refused(&sandbox, &text[..cut]);
    }
}

/// It is this key's manifest, only damaged.
#[test]
fn line_ends_of_other_systems_are_refused() {
    for algorithm in ["PMAC-AES128", "UMAC-64"] {
        let sandbox = sandbox(algorithm);
        refused(&sandbox, sandbox.text("m").replace('\n', "\r\n"));
        refused(&sandbox, sandbox.text("m").replace('\n', "\r"));
    }
}

#[test]
fn line_ends_of_other_systems_after_the_first_line_are_refused() {
    let sandbox = sandbox("UMAC-64");
    let text = sandbox.text("m");
    let (header, rest) = text.split_once('\n').unwrap();
    refused(&sandbox, format!("{header}\n{}", rest.replace('\n', "\r\n"))).says("line 2");
}

#[test]
fn text_after_the_seal() {
    let sandbox = sandbox("PMAC-AES128");
    let text = sandbox.text("m");
    for after in ["\n", "x", lines(&text)[1], lines(&text)[5], &text.clone()] {
        refused(&sandbox, text.clone() + after).says("line 7: there is text after the seal");
    }
}

#[test]
fn the_manifest_of_another_key_is_a_key_error() {
    let sandbox = sandbox("PMAC-AES128");
    sandbox.keygen("other", "PMAC-AES128");
    let manifest = sandbox.wegman(&["tag", "-k", "other", "a"]).exits(0).out;
    check(&sandbox, manifest).exits(2).prints(&[]).says("wrong key");
}

#[test]
fn messages_show_no_control_characters_of_the_manifest() {
    let sandbox = sandbox("PMAC-AES128");
    let checked = check(&sandbox, "# wegman manifest 1: key \x1b[31m\n");
    assert!(!checked.err.contains('\x1b'), "{checked:?}");
}

/// Only the header renamed, so that it seems to be of the key at hand.
#[test]
fn another_keys_manifest_under_this_keys_header_is_refused() {
    let sandbox = sandbox("PMAC-AES128");
    sandbox.keygen("other", "PMAC-AES128");
    let other = sandbox.wegman(&["tag", "-k", "other", "a", "b", "c"]).exits(0).out;
    let text = sandbox.text("m");
    let mut mixed = lines(&other);
    mixed[0] = lines(&text)[0];
    refused(&sandbox, mixed.concat()).says("the seal does not match");
}

#[test]
fn no_manifest_there() {
    let sandbox = sandbox("PMAC-AES128");
    sandbox.wegman(&["check", "-k", "key", "none"]).exits(2).says("none: can't read the manifest");
    sandbox.wegman(&["check", "-k", "key", "."]).exits(2).says("can't read the manifest");
}

#[test]
fn a_file_of_a_manifests_lines_yields_no_seal() {
    for algorithm in ["PMAC-AES128", "UMAC-64"] {
        let sandbox = sandbox(algorithm);
        let text = sandbox.text("m");
        let unsealed = lines(&text)[..3].concat();
        sandbox.write("bait", &unsealed);
        let tagged = sandbox.wegman(&["tag", "-k", "key", "bait"]).exits(0).out;
        let tag = tagged.lines().nth(1).unwrap().split_once(" = ").unwrap().1;
        let forged = format!("{unsealed}# wegman seal = {tag}\n");
        refused(&sandbox, forged).says("the seal does not match");
    }
}
