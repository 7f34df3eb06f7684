//! `wegman mac`.

use crate::common::{Output, Sandbox};

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
        (&KEY[..31], "31 hexadecimal digits stand together"),
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

/// RFC 4493, section 4: the subkey for whole blocks and the other; NIST SP 800-38B, appendix D.3; and RFC 4231, section 4.6.
/// More messages are tested where these MACs are.
#[test]
fn answers_of_cmac_and_hmac() {
    let sandbox = sandbox();
    let aes128 = "2b7e151628aed2a6abf7158809cf4f3c";
    let aes256 = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4";
    let block = *b"\x6b\xc1\xbe\xe2\x2e\x40\x9f\x96\xe9\x3d\x7e\x11\x73\x93\x17\x2a";
    let (hmac, text) = ("0c".repeat(20), b"Test With Truncation");
    for (name, key, message, tag) in [
        ("CMAC-AES128", aes128, &b""[..], "bb1d6929e95937287fa37d129b756746"),
        ("CMAC-AES128", aes128, &block, "070a16b46b4d4144f79bdd9dd04a287c"),
        ("cmac-aes256", aes256, &block, "28a7023f452e8f82bd4bf28d8c37c35c"),
        ("HMAC-SHA256", &hmac, text, "a3b6167473100ee06e0c796c2955552b"),
    ] {
        sandbox.write("hex", key);
        sandbox.write("message", message);
        mac(&sandbox, &[name, "--tag-bits", "128", "message"]).exits(0).prints(&[tag]);
    }
    sandbox.write("hex", "");
    mac(&sandbox, &["HMAC-SHA256", "message"]).exits(2).prints(&[]).says("there are 0");
}

/// As openssl, xxd, C sources and editors write keys.
#[test]
fn a_key_may_be_in_groups() {
    let sandbox = sandbox();
    let expected = mac(&sandbox, &["PMAC-AES128"]).exits(0).out;
    let pairs: Vec<&str> = (0..16).map(|i| &KEY[2 * i..][..2]).collect();
    let prefixed: Vec<String> = pairs.iter().map(|pair| format!("0x{pair}")).collect();
    for text in [
        KEY.to_uppercase(),
        format!("{KEY}\r\n"),
        format!("  0x{KEY}\n\n"),
        pairs.join(":"),
        pairs.join(" "),
        pairs.join("\t"),
        pairs.join("\r\n"),
        prefixed.join(" "),
        prefixed.join("\n").to_uppercase(),
        format!("{}\n0X{}:", &KEY[..10], &KEY[10..]),
    ] {
        sandbox.write("hex", &text);
        assert_eq!(mac(&sandbox, &["PMAC-AES128"]).exits(0).out, expected, "{text:?}");
    }
}

#[test]
fn groups_that_are_none() {
    let sandbox = sandbox();
    let (front, back) = KEY.split_at(16);
    for (text, place) in [
        (format!("{front}\n{back}q"), "line 2, character 17"),
        (format!("{front}\n {back},"), "line 2, character 18"),
        (format!("{front}\r{back}"), "line 1, character 17"),
        (format!("{front}0x{back}"), "line 1, character 18"),
        (format!("0x0x{KEY}"), "line 1, character 4"),
        (format!("0x {KEY}"), "line 1, character 3"),
        (format!("{front}:{} {}", &back[..15], &back[15..]), "line 1, character 18"),
        (format!("{front}\0{back}"), "line 1, character 17"),
    ] {
        sandbox.write("hex", &text);
        let refused =
            mac(&sandbox, &["PMAC-AES128"]).exits(2).prints(&[]).says("hex: ").says(place);
        assert!(
            !refused.err.contains(&front[..6]) && !refused.err.contains(&back[..6]),
            "{refused:#?}"
        );
    }
}

#[test]
fn a_raw_tag_is_its_bytes() {
    let sandbox = sandbox();
    let digits = mac(&sandbox, &["PMAC-AES128", "--tag-bits", "96"]).exits(0).out;
    let raw = mac(&sandbox, &["PMAC-AES128", "--tag-bits", "96", "--raw"]).exits(0).bytes;
    assert_eq!(wegman_formats::hex::encode(&raw), digits.trim_end());
}

#[test]
fn a_key_that_is_no_file_is_refused_at_once() {
    let sandbox = sandbox();
    sandbox.fifo("pipe");
    for (place, reason) in
        [("pipe", "it is a pipe"), ("/dev/zero", "it is a device"), (".", "it is a directory")]
    {
        let refused = sandbox.wegman(&["mac", "PMAC-AES128", "--key-hex-file", place]);
        refused.exits(2).prints(&[]).says(place).says(reason);
    }
}
