//! What `wegman check` accepts as a manifest: only what `wegman tag` sealed.

use crate::common::{Output, Sandbox};
use std::fs;

/// A key, the files `a`, `b`, `c` and their manifest `m`.
fn sandbox(algorithm: &str) -> Sandbox {
    let sandbox = Sandbox::with_key(algorithm);
    for name in ["a", "b", "c"] {
        sandbox.write(name, format!("content of {name}"));
    }
    sandbox.run("tag -o m a b c").exits(0);
    sandbox
}

fn check(sandbox: &Sandbox, manifest: impl AsRef<[u8]>) -> Output {
    sandbox.write("n", manifest);
    sandbox.run("check n")
}

/// Expects that nothing of the manifest is believed.
#[track_caller]
fn refused(sandbox: &Sandbox, manifest: impl AsRef<[u8]>) -> Output {
    check(sandbox, manifest).exits(1).prints(&[]).says("n: manifest refused")
}

#[test]
fn a_manifest_of_no_file() {
    let sandbox = sandbox("UMAC-64");
    fs::create_dir(sandbox.path("d")).unwrap();
    sandbox.run("tag -r -o n d").exits(0);
    sandbox.run("check n").exits(1).prints(&[]).says("names no files");
    sandbox.run("audit d n").exits(1).prints(&[]).says("names no files");
}

#[test]
fn empty_and_foreign_text() {
    let sandbox = sandbox("PMAC-AES128");
    refused(&sandbox, "").says("empty");
    refused(&sandbox, "\n").says("line 1");
    refused(&sandbox, "d41d8cd98f00b204e9800998ecf8427e  a\n").says("line 1");
    refused(&sandbox, [0xff; 100]).says("it is not a manifest, or line 1");
    refused(&sandbox, "# wegman manifest 9: \n").says("manifest refused: line 1 is damaged");
    let windows = sandbox.text("m").replace('\n', "\r\n");
    refused(&sandbox, &windows).says("its line ends are CRLF").says(r"`tr -d '\r'`");
    let repaired = sandbox.shell(r"tr -d '\r' <n | wegman check -k key -").exits(0);
    repaired.prints(&["a: OK", "b: OK", "c: OK"]);
}

/// The tests of the format change every byte.
#[test]
fn a_forged_manifest() {
    for algorithm in ["PMAC-AES128", "UMAC-64", "UMAC-128", "Carter-96-AES256"] {
        let sandbox = sandbox(algorithm);
        let text = sandbox.text("m");
        refused(&sandbox, text.replace("(b)", "(c2)")).says("the seal does not match");
        refused(&sandbox, &text[..text.len() - 1]).says("cut off");
        refused(&sandbox, text + "\n").says("line 7: there is text after the seal");
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

#[test]
fn no_manifest_there() {
    let sandbox = sandbox("PMAC-AES128");
    sandbox.run("check none").exits(2).says("none: can't read the manifest");
    sandbox.run("check .").exits(2).says("can't read the manifest");
}
