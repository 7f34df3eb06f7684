//! `wegman mac` and `wegman algorithms`.

mod common;
use common::{Output, Sandbox};

const KEY: &str = "6162636465666768696a6b6c6d6e6f70"; // abcdefghijklmnop
const NONCE: &str = "6263646566676869";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("hex", format!("{KEY}\n"));
    sandbox.chmod("hex", 0o600);
    sandbox
}

fn mac(sandbox: &Sandbox, args: &[&str]) -> Output {
    sandbox.wegman(&[&["mac", "--key-hex-file", "hex"], args].concat())
}

#[test]
fn the_answers_of_rfc_4418() {
    let sandbox = sandbox();
    sandbox.write("three", "a".repeat(3));
    mac(&sandbox, &["UMAC-32", "--nonce", NONCE]).exits(0).prints(&["113145fb"]);
    mac(&sandbox, &["UMAC-64", "--nonce", NONCE, "-"]).exits(0).prints(&["6e155fad26900be1"]);
    mac(&sandbox, &["UMAC-32", "--nonce", NONCE, "three"]).exits(0).prints(&["3b91d102"]);
}

#[test]
fn carter_takes_nonces_of_two_lengths() {
    let sandbox = sandbox();
    sandbox.write("hex", "f90f48f03c28dc866d91b62c99a0ea47");
    let nonce = "a4423959838711ca3133f19b";
    let tag = ["d88d3408fd7aa2b3957007167a10e289"];
    mac(&sandbox, &["Carter-128", "--nonce", nonce]).exits(0).prints(&tag);
    // The same, since the shorter one is padded: nonces of one key should have one length.
    let padded = [nonce, "00000000"].concat();
    mac(&sandbox, &["carter-128", "--nonce", &padded]).exits(0).prints(&tag);
    for wrong in ["", "00", NONCE, &nonce[2..], &padded[2..], &[&padded, "00"].concat()] {
        let refused = mac(&sandbox, &["Carter-128", "--nonce", wrong]).exits(2).prints(&[]);
        refused.says("12 or 16 bytes, not ");
    }
    mac(&sandbox, &["Carter-128"]).exits(2).says("needs a nonce of 12 or 16 bytes");
    mac(&sandbox, &["UMAC-STD-60"]).exits(2).says("needs a nonce of 8 bytes");
    mac(&sandbox, &["Carter-128-AES256", "--nonce", nonce]).exits(2).says("64 hexadecimal digits");
    sandbox.write("hex", "d315d59c2d55ab85ece14996615b1e55c832743cf58de36d380c33a369fd90f6");
    mac(&sandbox, &["Carter-64-AES256", "--nonce", "c36654c3d6ecddaa67ae67d7"])
        .exits(0)
        .prints(&["79bcf3d683dca886"]);
}

#[test]
fn the_message_may_be_standard_input() {
    let sandbox = sandbox();
    let args = ["mac", "UMAC-32", "--key-hex-file", "hex", "--nonce", NONCE];
    sandbox.wegman_reads(&args, b"aaa").exits(0).prints(&["3b91d102"]);
}

#[test]
fn the_key_may_be_standard_input_but_not_both() {
    let sandbox = sandbox();
    sandbox.write("three", "aaa");
    let args = ["mac", "UMAC-32", "--key-hex-file", "-", "--nonce", NONCE, "three"];
    sandbox.wegman_reads(&args, KEY.as_bytes()).exits(0).prints(&["3b91d102"]);
    sandbox.wegman_reads(&args[..6], KEY.as_bytes()).exits(2).says("both");
}

#[test]
fn a_tag_may_be_shortened() {
    let sandbox = sandbox();
    let whole = mac(&sandbox, &["PMAC-AES128"]).exits(0).out;
    let short = mac(&sandbox, &["PMAC-AES128", "--tag-bits", "64"]).exits(0).out;
    assert_eq!(whole.trim_end()[..16], *short.trim_end());
}

#[test]
fn keys_that_are_none() {
    let sandbox = sandbox();
    for (text, reason) in [
        (&KEY[..31], "odd"),
        (&KEY[..30], "32 hexadecimal digits; there are 30"),
        (&[KEY, "71"].concat(), "there are 34"),
        ("", "there are 0"),
        (&KEY.replace('a', "g"), "not a hexadecimal digit"),
        (&KEY.replace('a', "é"), "not a hexadecimal digit"),
    ] {
        sandbox.write("hex", text);
        let output = mac(&sandbox, &["PMAC-AES128"]).exits(2).prints(&[]).says("hex").says(reason);
        assert!(text.len() < 8 || !output.err.contains(text), "the key is shown");
    }
    sandbox.remove("hex");
    mac(&sandbox, &["PMAC-AES128"]).exits(2).says("No such file");
}

#[test]
fn a_key_others_may_read_needs_consent() {
    let sandbox = sandbox();
    sandbox.chmod("hex", 0o644);
    mac(&sandbox, &["PMAC-AES128"]).exits(2).prints(&[]).says("mode 644");
    mac(&sandbox, &["PMAC-AES128", "--insecure-permissions"]).exits(0);
}

#[test]
fn nonces_that_are_none() {
    let sandbox = sandbox();
    let long = "00".repeat(17);
    for nonce in ["", &long] {
        mac(&sandbox, &["UMAC-64", "--nonce", nonce]).exits(2).says("1 to 16 bytes");
    }
    mac(&sandbox, &["UMAC-64", "--nonce", "abc"]).exits(2).says("odd");
    mac(&sandbox, &["UMAC-64", "--nonce", "zz"]).exits(2).says("not a hexadecimal digit");
    mac(&sandbox, &["UMAC-64"]).exits(2).says("needs a nonce");
    mac(&sandbox, &["PMAC-AES128", "--nonce", NONCE]).exits(2).says("takes no nonce");
}

#[test]
fn tag_lengths_and_algorithms_there_are_not() {
    let sandbox = sandbox();
    for bits in ["0", "4", "60", "136", "18446744073709551615"] {
        mac(&sandbox, &["PMAC-AES128", "--tag-bits", bits]).exits(2).says("tags of");
    }
    mac(&sandbox, &["UMAC-64", "--nonce", NONCE, "--tag-bits", "128"]).exits(2).says("tags of");
    mac(&sandbox, &["MD5"]).exits(2).says("no algorithm");
}

#[test]
fn messages_that_cannot_be_read() {
    let sandbox = sandbox();
    mac(&sandbox, &["PMAC-AES128", "none"]).exits(2).prints(&[]).says("none: ");
    mac(&sandbox, &["PMAC-AES128", "."]).exits(2).prints(&[]).says("it is a directory");
}

#[test]
fn every_algorithm_names_its_proof() {
    let output = Sandbox::new().wegman(&["algorithms", "--json"]).exits(0);
    let list: Vec<serde_json::Value> = serde_json::from_str(&output.out).unwrap();
    assert!(list.len() >= 4);
    for algorithm in &list {
        for field in ["statement", "assumption", "source"] {
            let text = algorithm["bound"][field].as_str().unwrap();
            assert!(!text.is_empty(), "{field} of {algorithm:#}");
        }
    }
    let (macs, others): (Vec<_>, Vec<_>) = list.iter().partition(|entry| entry["kind"] == "MAC");
    for mac in &macs {
        assert!(!mac["kernels"].as_array().unwrap().is_empty(), "{mac:#}");
        let is_carter = mac["name"].as_str().unwrap().starts_with("Carter-");
        assert_eq!(mac["status"] == "experimental", is_carter, "{mac:#}");
    }
    let nonces = |name| macs.iter().find(|mac| mac["name"] == name).unwrap()["nonce_bytes"].clone();
    assert_eq!(nonces("Carter-128"), serde_json::json!([12, 16]));
    assert_eq!(nonces("UMAC-STD-60"), serde_json::json!([8]));
    assert_eq!(nonces("UMAC-64"), serde_json::json!((1..=16).collect::<Vec<_>>()));
    assert!(nonces("PMAC-AES128").is_null());
    for name in ["PMAC-AES128", "UMAC-32", "UMAC-64", "UMAC-128", "XORMAC-AES128-BGR"] {
        assert!(macs.iter().any(|mac| mac["name"] == name), "{name}");
    }
    // What no key can be made of has no lengths of one.
    for name in ["NH", "UHASH-w/l", "MMH32", "RC6-32/20", "SHA-1", "hash127", "CBC-MAC-AES128"] {
        let other = others.iter().find(|other| other["name"] == name);
        assert_eq!(other.unwrap_or_else(|| panic!("{name}")).get("key_bytes"), None);
    }
}

#[test]
fn algorithms_lists_what_is_named() {
    let sandbox = Sandbox::new();
    let names = |args: &[&str]| -> Vec<String> {
        let out = sandbox.wegman(&[&["algorithms", "--json"], args].concat()).exits(0).out;
        let list: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
        list.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["umac-64"]), ["UMAC-64"]);
    assert_eq!(names(&["nh", "PMAC-AES128", "UMAC-2/3/64"]), ["PMAC-AES128", "UMAC-2/3/64", "NH"]);
    let one = sandbox.wegman(&["algorithms", "MMH32"]).exits(0).out;
    assert!(one.starts_with("MMH32  ") && one.lines().count() == 6, "{one}");
    sandbox.wegman(&["algorithms", "UMAC-65"]).exits(2).prints(&[]).says("did you mean UMAC-64? ");
}

#[test]
fn every_algorithm_is_listed_for_people_too() {
    let sandbox = Sandbox::new();
    let json = sandbox.wegman(&["algorithms", "--json"]).exits(0);
    let list: Vec<serde_json::Value> = serde_json::from_str(&json.out).unwrap();
    let text = sandbox.wegman(&["algorithms"]).exits(0).out;
    // Names, statuses and what follows are columns, whatever is the longest name.
    let heads: Vec<&str> = text.split("\n\n").filter_map(|part| part.lines().next()).collect();
    let column = heads[0].find("interop").unwrap();
    for algorithm in list {
        let [name, status] = ["name", "status"].map(|field| algorithm[field].as_str().unwrap());
        let head = heads
            .iter()
            .find(|head| head.get(..column).is_some_and(|front| front.trim_end() == name));
        let head = head.unwrap_or_else(|| panic!("{name}"));
        let kind =
            if algorithm["kind"] == "MAC" { "key " } else { algorithm["kind"].as_str().unwrap() };
        assert_eq!(head[column..].find(status), Some(0), "{head}");
        assert_eq!(head[column..].find(kind), Some(14), "{head}");
    }
    assert!(text.contains("  experimental  key 16, nonce 12 or 16, tag 16 bytes\n"));
    assert!(text.contains("nonce 1 to 16, tag 8 bytes\n") && text.contains(", nonce 8, tag "));
    let (macs, families) = text.split_once("\nFamilies and building blocks:\n").unwrap();
    assert!(macs.contains("\nPCS-AES128 ") && families.contains("\nTMMH/16 "), "{text}");
}
