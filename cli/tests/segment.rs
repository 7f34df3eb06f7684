//! `wegman segment` and `wegman combine`: parts give the tag of the whole, or are refused.

mod common;
use common::{Output, Sandbox};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::LazyLock;

/// More than one thread reads alone.
const SIZE: usize = 5_000_003;

static CONTENT: LazyLock<Vec<u8>> =
    LazyLock::new(|| (0..SIZE as u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect());

/// A key and the file `whole`.
fn sandbox(algorithm: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.wegman(&[&["keygen", "-o", "key", "-a"], algorithm].concat()).exits(0);
    sandbox.write("whole", &*CONTENT);
    sandbox
}

/// The tag that `wegman tag` gives.
fn tag(sandbox: &Sandbox) -> String {
    let manifest = sandbox.wegman(&["tag", "-k", "key", "whole"]).exits(0).out;
    manifest.lines().nth(1).unwrap().rsplit(' ').next().unwrap().to_owned()
}

/// Segments of the parts between these bytes, in files `s0`, `s1`...
fn cut(sandbox: &Sandbox, places: &[usize]) -> Vec<String> {
    let content = sandbox.read("whole");
    let ends = places.iter().copied().chain([content.len()]);
    let starts = [0].into_iter().chain(places.iter().copied());
    let segment = |(i, (start, end)): (usize, (usize, usize))| {
        let (name, offset) = (format!("s{i}"), start.to_string());
        let args = ["segment", "-k", "key", "--offset", &offset, "-o", &name];
        sandbox.wegman_reads(&args, &content[start..end]).exits(0).prints(&[]);
        name
    };
    starts.zip(ends).enumerate().map(segment).collect()
}

fn combine(sandbox: &Sandbox, args: &[&str]) -> Output {
    sandbox.wegman(&[&["combine", "-k", "key"], args].concat())
}

#[test]
fn parts_in_any_order_give_the_tag_of_the_whole() {
    // Through a pipe, a thread reads pieces of 256 KiB: there are several of them, and a rest.
    const SIZE: usize = 1_000_003;
    let places = [&[][..], &[16], &[0, 16, 32], &[512 << 10], &[1 << 18, 999_984], &[1_000_000]];
    for algorithm in [&["PMAC-AES128"][..], &["PMAC-AES256", "--tag-bits", "32"]] {
        let sandbox = sandbox(algorithm);
        sandbox.write("whole", &CONTENT[..SIZE]);
        places.iter().for_each(|places| parts_give_the_tag(&sandbox, places));
    }
    // Blocks of 8 bytes; and slow.
    let sandbox = sandbox(&["PMAC-DES-EDE3"]);
    sandbox.write("whole", &CONTENT[..50_003]);
    for places in [&[][..], &[8], &[0, 24, 32], &[40_000]] {
        parts_give_the_tag(&sandbox, places);
    }
}

/// Rotated and reversed; with few parts some of these orders are the same.
fn parts_give_the_tag(sandbox: &Sandbox, places: &[usize]) {
    let (tag, bytes) = (tag(sandbox), format!("{} bytes", sandbox.read("whole").len()));
    let mut names = cut(sandbox, places);
    let mut orders = BTreeSet::new();
    for _ in 0..names.len() {
        names.rotate_left(1);
        orders.insert(names.clone());
        orders.insert(names.iter().rev().cloned().collect());
    }
    for order in &orders {
        let order: Vec<&str> = order.iter().map(String::as_str).collect();
        combine(sandbox, &order).exits(0).prints(&[&tag]).says(&bytes);
    }
    names.iter().for_each(|name| sandbox.remove(name));
}

#[test]
fn every_way_to_name_a_part() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    let tag = tag(&sandbox);
    let segment = |args: &[&str]| {
        let args = [&["segment", "-k", "key"], args].concat();
        sandbox.wegman_reads(&args, &CONTENT).exits(0).out
    };
    let whole = segment(&[]);
    for args in [&["-"][..], &["whole"], &["--start", "0", "whole"], &["-j1", "--mmap", "whole"]] {
        assert_eq!(segment(args), whole, "{args:?}");
    }
    assert_eq!(segment(&["--start", "65536"]), segment(&["--offset", "1M", "-j3", "whole"]));
    sandbox.wegman_reads(&["combine", "-k", "key", "-"], whole.as_bytes()).exits(0).prints(&[&tag]);
    // Several lines in a file.
    sandbox
        .write("many", ["\n".repeat(300 << 10), whole.trim().to_owned(), "\r\n".into()].concat());
    combine(&sandbox, &["many"]).exits(0).prints(&[&tag]);
    let halves = "(head -c 1M whole | wegman segment -k key; \
                  tail -c +1048577 whole | wegman segment -k key --offset 1M) > halves; \
                  wegman combine -k key halves --length 5000003";
    sandbox.shell(halves).exits(0).prints(&[&tag]);
}

#[test]
fn an_empty_object() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    sandbox.write("whole", "");
    let names = cut(&sandbox, &[]);
    combine(&sandbox, &[&names[0]]).exits(0).prints(&[&tag(&sandbox)]);
}

#[test]
fn a_manifest_of_a_combined_object() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    cut(&sandbox, &[1 << 20]);
    let manifest = combine(&sandbox, &["--as", "whole", "s0", "s1"]).exits(0).out;
    assert_eq!(manifest, sandbox.wegman(&["tag", "-k", "key", "whole"]).exits(0).out);
    sandbox.write("m", manifest);
    sandbox.wegman(&["check", "-k", "key", "m"]).exits(0).prints(&["whole: OK"]);
    let json = combine(&sandbox, &["--json", "s0", "s1"]).exits(0).out;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["bytes"], &json["segments"]), (&SIZE.into(), &2.into()));
    assert_eq!(json["tag"], tag(&sandbox));
}

#[test]
fn parts_that_do_not_fit_together() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    cut(&sandbox, &[1600, 3200, 1 << 20]);
    let refused = |args: &[&str], why: &str| {
        combine(&sandbox, args).exits(2).prints(&[]).says(why);
    };
    refused(&["s1", "s2", "s3"], "bytes 0 to 1600 are missing: no segment comes before s1 line 1");
    refused(
        &["s3", "s2", "s0"],
        "bytes 1600 to 3200 are missing: they lie between s0 line 1 and s2 line 1",
    );
    refused(&["s0", "s1", "s2", "s3", "s1"], "s1 is given twice");
    refused(&["s0", "s1", "s2", "s3", "./s1"], "both have bytes 1600 to 3200");
    sandbox.shell("head -c 2000 whole | wegman segment -k key -o long").exits(0);
    refused(
        &["s1", "long", "s2", "s3"],
        "bytes 1600 to 2000 are in both long line 1 and s1 line 1",
    );
    sandbox.shell("head -c 1599 whole | wegman segment -k key -o short").exits(0);
    refused(
        &["short", "s1", "s2", "s3"],
        "short line 1 ends at byte 1599, which is not a multiple of 16",
    );
    let all = ["s0", "s1", "s2", "s3"];
    refused(&[&["--length", "5000004"], &all[..]].concat(), "end at byte 5000003");
    refused(&["--length", "5000003", "s0", "s1", "s2"], "the last one is missing");
    combine(&sandbox, &[&["--length", "5000003"], &all[..]].concat()).exits(0);
}

#[test]
fn damaged_and_foreign_lines() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    sandbox.write("whole", "a short object");
    cut(&sandbox, &[]);
    let line = sandbox.text("s0");
    // One place in each field; a test of the format damages every byte.
    for part in ["segment", "1: key", "key ", "PMAC", "128-bit", "bytes", "at 0", "= ", "seal", ""]
    {
        for byte in [b'1', 0xff] {
            let mut damaged = line.clone().into_bytes();
            let at = if part.is_empty() { line.len() - 2 } else { line.find(part).unwrap() };
            let at = if part == "key " { at + part.len() } else { at };
            damaged[at] = if damaged[at] == byte { b'2' } else { byte };
            sandbox.write("s", damaged);
            let refused = combine(&sandbox, &["s"]).prints(&[]).says("s line 1: ");
            // A damaged key id may be that of another key.
            let code = if part == "key " && byte == b'1' { 2 } else { 1 };
            assert_eq!(refused.code, code, "{part:?}, byte {at}: {refused:?}");
        }
    }
    for cut in [0, 10, 100, line.len() - 20] {
        sandbox.write("s", &line[..cut]);
        combine(&sandbox, &["s"]).exits(if cut == 0 { 2 } else { 1 }).prints(&[]);
    }
    sandbox.write("s", line.replace(" 14 bytes at 0 ", " 14 bytes at 16 "));
    combine(&sandbox, &["s"]).exits(1).says("the seal does not match");
    sandbox.write("s", [0xff; 100]);
    combine(&sandbox, &["s"]).exits(1).says("s line 1: ");
    combine(&sandbox, &["none"]).exits(2).says("none: ");
    sandbox.keygen("other", "PMAC-AES128");
    let other = sandbox.wegman(&["combine", "-k", "other", "s0"]);
    other.exits(2).prints(&[]).says("s0 line 1: the segment was made with key");
}

#[test]
fn what_can_not_be_summed() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    let refused = |args: &[&str], why: &str| {
        sandbox.wegman(&[&["segment", "-k", "key"], args].concat()).exits(2).prints(&[]).says(why);
    };
    refused(&["--offset", "1000", "whole"], "--offset 1000 is not a multiple of 16");
    refused(&["--offset", "16", "--start", "1", "whole"], "cannot be used with");
    refused(&["--start", "18446744073709551615", "whole"], "too far from the message's beginning");
    refused(&["--start", "x", "whole"], "invalid");
    refused(&["none"], "none: No such file");
    refused(&["."], "directory");
    sandbox.keygen("umac", "UMAC-64");
    for args in [["segment", "-k", "umac", "whole"], ["combine", "-k", "umac", "whole"]] {
        sandbox.wegman(&args).exits(2).says("UMAC-64 can't tag an object in parts");
    }
}

#[test]
fn a_segment_is_its_owners_alone_and_overwrites_nothing() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    let script = "umask 000; wegman segment -k key -o s whole && wegman segment -k key whole > t";
    sandbox.shell(script).exits(0).says("others can read this file");
    assert_eq!(fs::metadata(sandbox.path("s")).unwrap().mode() & 0o777, 0o600);
    let again = sandbox.wegman(&["segment", "-k", "key", "-o", "s", "whole"]);
    again.exits(2).says("s: it exists already");
    sandbox.wegman(&["segment", "-k", "key", "-o", "none/s", "whole"]).exits(2).says("none/s");
    sandbox.wegman(&["segment", "-k", "key", "-o", "u", "none"]).exits(2);
    assert!(!sandbox.path("u").exists() && !sandbox.has_unfinished());
    assert_eq!(sandbox.text("s"), sandbox.text("t"));
}

#[test]
fn a_range_of_a_file_is_read() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    let places = [0, 16, 1 << 20, (1 << 20) + 48, SIZE];
    let mut names = Vec::new();
    for ends in places.windows(2) {
        let (at, length) = (ends[0].to_string(), (ends[1] - ends[0]).to_string());
        let name = format!("r{at}");
        for mode in [&["--mmap"][..], &["-j1"], &["-j3"]] {
            let range = ["segment", "-k", "key", "whole", "--offset", &at, "--length", &length];
            let output = sandbox.wegman(&[&range[..], mode].concat()).exits(0);
            assert_eq!(output.err, "");
            sandbox.write(&name, output.out);
        }
        names.push(name);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(combine(&sandbox, &names).exits(0).out.trim(), tag(&sandbox));
    // Much of a big file, to several threads.
    let half = ["segment", "-k", "key", "--length", "4915200", "whole", "-o", "h0"];
    sandbox.wegman(&half).exits(0);
    let rest = ["segment", "-k", "key", "--start", "307200", "--length", "84803", "whole"];
    sandbox.write("h1", sandbox.wegman(&rest).exits(0).out);
    assert_eq!(combine(&sandbox, &["h0", "h1"]).exits(0).out.trim(), tag(&sandbox));
    let segment = |args: &[&str]| sandbox.wegman(&[&["segment", "-k", "key"], args].concat());
    segment(&["whole", "--length", "8M"]).exits(2).says("whole: it has 5000003 bytes");
    segment(&["whole", "--length", "17"])
        .exits(2)
        .says("only its last part may have such a length");
    segment(&["-", "--length", "16"]).exits(2).says("name a file");
    segment(&["--length", "16"]).exits(2);
    segment(&["whole", "--offset", "1M"]).exits(0).says("all of it was taken as the part");
}
