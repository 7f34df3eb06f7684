//! `wegman segment` and `wegman combine`: parts give the tag of the whole, or are refused.

use crate::common::{Output, Sandbox, lasting};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
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
    let manifest = sandbox.run("tag whole").exits(0).out;
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
        let says = format!(" {} bytes at {start}", end - start);
        assert!(sandbox.text(&name).contains(&says), "{name} does not say{says}");
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
    let sandbox = sandbox(&["PMAC-AES128"]);
    sandbox.write("whole", "");
    parts_give_the_tag(&sandbox, &[]);
    // Blocks of 8 bytes; and slow.
    let sandbox = self::sandbox(&["PMAC-DES-EDE3"]);
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
fn a_manifest_of_a_combined_object() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    cut(&sandbox, &[1 << 20]);
    let manifest = combine(&sandbox, &["--as", "whole", "s0", "s1"]).exits(0).out;
    let long = "a".repeat(4097);
    for name in ["", "-", &long] {
        combine(&sandbox, &["--as", name, "s0", "s1"]).exits(2).says("not a valid file name");
    }
    combine(&sandbox, &["--as", &long[1..], "s0", "s1"]).exits(0);
    let tagged = sandbox.run("tag whole").exits(0).out;
    assert_eq!(lasting(&manifest), lasting(&tagged));
    sandbox.write("m", manifest);
    sandbox.run("check m").exits(0).prints(&["whole: OK"]);
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
    refused(&["s0", "s1", "s2", "s3", "s1"], "s1 is given more than once");
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
    sandbox.shell("wegman segment -k key --offset 1584 -o none - </dev/null").exits(0);
    refused(&["s0", "none", "s1", "s2", "s3"], "are in both s0 line 1 and none line 1");
    let all = ["s0", "s1", "s2", "s3"];
    refused(&[&["--length", "5000004"], &all[..]].concat(), "end at byte 5000003");
    refused(&[&["--length", "5000002"], &all[..]].concat(), "or --length is wrong");
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
    for part in ["segment", "2: key", "key ", "PMAC", "128-bit", "bytes", "at 0", "= ", "seal", ""]
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

/// What writes to it may be started later.
#[test]
fn a_pipe_is_waited_for() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    sandbox.fifo("pipe");
    let segment = "wegman segment -k key --object o whole -o s && timeout 9 cp s pipe";
    let script = format!("(sleep 0.3; {segment}) & timeout 60 wegman combine -k key pipe");
    sandbox.shell(&script).exits(0).prints(&[&tag(&sandbox)]);
}

#[test]
fn what_can_not_be_summed() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    let refused = |args: &[&str], why: &str| {
        sandbox.wegman(&[&["segment", "-k", "key"], args].concat()).exits(2).prints(&[]).says(why);
    };
    refused(&["--offset", "1000", "whole"], "--offset 1000 is not a multiple of 16");
    refused(&["--offset", "16", "--start", "1", "whole"], "cannot be used with");
    refused(&["--start", "1G", "whole"], "--offset takes bytes");
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
    sandbox.run("segment -o s whole").exits(2).says("s: it exists already");
    sandbox.run("segment -o none/s whole").exits(2).says("none/s");
    sandbox.run("segment -o u none").exits(2);
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
    sandbox.run("segment --length 4915200 whole -o h0").exits(0);
    sandbox.write("h1", sandbox.run("segment --start 307200 --length 84803 whole").exits(0).out);
    assert_eq!(combine(&sandbox, &["h0", "h1"]).exits(0).out.trim(), tag(&sandbox));
    let segment = |args: &[&str]| sandbox.wegman(&[&["segment", "-k", "key"], args].concat());
    segment(&["whole", "--length", "8M"]).exits(2).says("whole: it has 5000003 bytes");
    let output = segment(&["whole", "--length", "17"]).exits(2);
    output.says("whole: the part ends at byte 17").says("only its last part may end like that");
    segment(&["-", "--length", "16"]).exits(2).says("name a file");
    segment(&["--length", "16"]).exits(2);
    segment(&["whole", "--offset", "1M"]).exits(0).says("all of it was taken as the part");
}

/// A line, as it goes to standard output.
fn line(sandbox: &Sandbox, args: &[&str]) -> String {
    sandbox.wegman(&[&["segment", "-k", "key"], args].concat()).exits(0).out
}

/// An object of 40 bytes in three parts. Each is in a file of its own name, `ID-OFFSET`.
fn parts_of(sandbox: &Sandbox, id: &str, more: &[&str]) -> [String; 3] {
    ["0", "16", "32"].map(|at| {
        let name = format!("{id}-{at}");
        let length = if at == "32" { "8" } else { "16" };
        let args = ["whole", "--offset", at, "--length", length];
        sandbox.write(&name, line(sandbox, &[&args, more].concat()));
        name
    })
}

/// Before there were ids, all of these gave a sealed manifest of nobody's content.
#[test]
fn parts_of_different_objects_do_not_combine() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    sandbox.write("whole", [1; 40]);
    let [a0, a1, a2] = &parts_of(&sandbox, "a", &["--object", "a"]);
    let [n0, n1, n2] = &parts_of(&sandbox, "n", &[]);
    let tag = tag(&sandbox);
    combine(&sandbox, &[a1, a2, a0]).exits(0).prints(&[&tag]);
    combine(&sandbox, &[a1, a2, a0, "--object", "a"]).exits(0).prints(&[&tag]);
    sandbox.write("whole", [2; 40]);
    let [b0, b1, b2] = &parts_of(&sandbox, "b", &["--object", "b"]);
    let refused = |args: &[&str], why: &str| {
        combine(&sandbox, args).exits(2).prints(&[]).says(why);
    };
    refused(
        &[a0, b1, a2],
        "a-0 line 1 is a part of the object a, but b-16 line 1 is one of the object b: they do not belong together",
    );
    refused(&["--as", "whole", a0, a1, b2], "they do not belong together");
    refused(&[a0, n1, a2], "n-16 line 1 is one of an object without an id");
    refused(&[n0, a1, n2], "a-16 line 1 is one of the object a");
    refused(
        &["--object", "a", b0, b1, b2],
        "b-0 line 1 is a part of the object b, but --object says a",
    );
    refused(&["--object", "a", n0, n1, n2], "n-0 line 1 is a part of an object without an id");
    // The id is under the seal.
    sandbox.write(a1, sandbox.text(b1).replace("(b)", "(a)"));
    combine(&sandbox, &[a0, a1, a2]).exits(1).says("a-16 line 1: the seal does not match");
    sandbox.write(a1, sandbox.text(b1).replace(", object (b)", ""));
    combine(&sandbox, &[n0, a1, n2]).exits(1).says("a-16 line 1: the seal does not match");
}

#[test]
fn without_an_id_combine_says_what_it_can_not_know() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    sandbox.write("whole", [1; 40]);
    let [n0, n1, n2] = &parts_of(&sandbox, "n", &[]);
    let all = [n0.as_str(), n1, n2];
    let unknown = "the same object, and of the same version of it";
    let json = combine(&sandbox, &[&all[..], &["--json"]].concat()).exits(0).says(unknown);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&json["object"], &json["length"]), (&serde_json::Value::Null, &40.into()));
    let output = combine(&sandbox, &all).exits(0).says(unknown);
    assert_eq!(output.err.lines().count(), 2, "that, and the summary: {output:?}");
    let id = "a \u{1b}[2J\u{202e}\u{9b}, 2026";
    let [a0, a1, a2] = &parts_of(&sandbox, "a", &["--object", id]);
    let output = combine(&sandbox, &["--json", a0, a1, a2]).exits(0);
    assert_eq!(output.err.lines().count(), 1, "{output:?}");
    assert!(output.out.is_ascii(), "nothing that a terminal may obey: {output:?}");
    let json: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!((&json["object"], &json["length"]), (&id.into(), &40.into()));
    let output = combine(&sandbox, &["--object", "a", a0, a1, a2]).exits(2);
    output.says(
        r"a-0 line 1 is a part of the object a \u{1b}[2J\u{202e}\u{9b}, 2026, but --object says a",
    );
}

#[test]
fn an_id_may_have_any_bytes() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    sandbox.write("whole", "a short object");
    for id in [&b"\xff\n\r\\"[..], b", object (x) = 00 seal=00", b") = ", b" "] {
        let id = OsStr::from_bytes(id);
        let args = ["segment", "-k", "key", "whole", "-o", "s", "--object"].map(OsStr::new);
        sandbox.wegman(&[&args[..], &[id]].concat()).exits(0);
        assert_eq!(sandbox.read("s").iter().filter(|byte| **byte == b'\n').count(), 1);
        let args = ["combine", "-k", "key", "s", "--json", "--object"].map(OsStr::new);
        let json = sandbox.wegman(&[&args[..], &[id]].concat()).exits(0).out;
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["object_hex"].is_string(), id.to_str().is_none());
        sandbox.remove("s");
    }
    let empty = ["segment", "-k", "key", "whole", "--object", ""];
    sandbox.wegman(&empty).exits(2).says("--object: an empty id");
}

#[test]
fn the_objects_length_is_under_the_seal() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    sandbox.write("whole", [1; 40]);
    let [a0, a1, a2] = &parts_of(&sandbox, "a", &["--object", "a"]);
    let refused = |args: &[&str], why: &str| {
        combine(&sandbox, args).exits(2).prints(&[]).says(why);
    };
    refused(
        &[a0, a1],
        "the segments end at byte 32, but say that the object has 40: the last one is missing",
    );
    sandbox.write("part", [1; 16]);
    sandbox.write("last", [1; 8]);
    let part = |at, size| ["--object", "a", "--offset", at, "--size", size, "part"];
    sandbox.write("s1", line(&sandbox, &part("16", "48")));
    refused(&[a0, "s1", a2], "a-0 line 1 says the object has 40 bytes, s1 line 1 says 48");
    // One that knows the length is enough.
    sandbox.write("s1", line(&sandbox, &["--object", "a", "--offset", "16", "part"]));
    sandbox.write("s2", line(&sandbox, &["--object", "a", "--offset", "32", "last"]));
    combine(&sandbox, &[a0, "s1", "s2"]).exits(0).prints(&[&tag(&sandbox)]);
    sandbox.write("s2", line(&sandbox, &["--object", "a", "--offset", "32", "part"]));
    refused(
        &[a0, "s1", "s2"],
        "s2 line 1 ends at byte 48, but a-0 line 1 says that the object has 40",
    );

    let segment = |args: &[&str]| sandbox.wegman(&[&["segment", "-k", "key"], args].concat());
    let output = segment(&["part", "--offset", "32", "--size", "40"]).exits(2);
    output.says("part: the part ends at byte 48, but");
    let output = segment(&["last", "--offset", "16", "--size", "40"]).exits(2);
    output.says("only its last part may end like that");
    let output = segment(&["whole", "--length", "16", "--size", "48"]).exits(2);
    output.says("whole: it has 40 bytes, but --size says 48");
    let piped = ["segment", "-k", "key", "--size", "40", "--offset", "16"];
    sandbox.wegman_reads(&piped, &[1; 8]).exits(2).says("-: the part ends at byte 24");
    sandbox.wegman_reads(&piped, &[1; 25]).exits(2).says("-: the part ends at byte 41");
    sandbox.wegman_reads(&piped, &[1; 24]).exits(0);
}

/// At its end, or beyond, a file does not go on.
#[test]
fn what_is_said_at_the_end_of_a_file() {
    let sandbox = sandbox(&["PMAC-AES128"]);
    sandbox.write("whole", [1; 40]);
    let segment = |args: &[&str]| sandbox.wegman(&[&["segment", "-k", "key"], args].concat());
    for (at, length) in [("32", "8"), ("0", "40"), ("32", "0"), ("16", "24")] {
        let output = segment(&["whole", "--offset", at, "--length", length]).exits(0);
        assert_eq!(output.err, "");
    }
    for (at, length, why) in [
        ("0", "41", "whole: it has 40 bytes: there are none from 40 to 41"),
        ("32", "17", "whole: it has 40 bytes: there are none from 40 to 49"),
        ("64", "7", "whole: it has 40 bytes: there are none from 64 to 71"),
        ("0", "16777215T", "whole: it has 40 bytes: there are none from 40 to"),
    ] {
        let output = segment(&["whole", "--offset", at, "--length", length]).exits(2).says(why);
        assert!(!output.err.contains("goes on"), "{output:?}");
    }
    for (file, why) in [("none", "none: No such file"), (".", ".: it is a directory")] {
        let output = segment(&[file, "--length", "17"]).exits(2).says(why);
        assert!(!output.err.contains("goes on"), "{output:?}");
    }
    segment(&["whole", "--length", "17"]).exits(2).says("the object goes on to 40");
}

const KEY: &str = "\
# wegman key: keep it secret, keep a copy. Whoever reads it can forge tags.
wegman-key: 1
id: 44ec2a5be8f4bda1
algorithm: PMAC-AES128
tag-bits: 128
secret: 14571a9962b2ba04e60a9726a22a4b75d4882d7505f56f99a62bc7992efee9a8
checksum: 71c704711cb3444c
";

/// Of an object of 28 bytes.
const LINES_1: [&str; 2] = [
    "wegman-segment 1: key 44ec2a5be8f4bda1, PMAC-AES128, 128-bit tags: 16 bytes at 0 = \
     7765676d616e533110108000f607d12b51f4edf000000000000000000000000000000080092a3a062ec0f0ddc6aa23526c45b5e81b3deb\
     35b8355d38996bb67b8fd9c12c seal=249e90c4f5e86865d04519f8d4da1700",
    "wegman-segment 1: key 44ec2a5be8f4bda1, PMAC-AES128, 128-bit tags: 12 bytes at 16 = \
     7765676d616e533110108000f607d12b51f4edf00000000000000001000000000000006000000000000000000000000000000000616e64\
     20746865207265737480000000 seal=472a2f3a14a4eb5fd9ba7aa87dc696aa",
];

#[test]
fn lines_of_version_1_still_combine() {
    let sandbox = Sandbox::new();
    sandbox.write("key", KEY);
    sandbox.chmod("key", 0o600);
    LINES_1.iter().zip(["s0", "s1"]).for_each(|(line, name)| sandbox.write(name, line));
    let tag = "2d4b308b4968203fafb21fd73d318ae2";
    combine(&sandbox, &["s0", "s1"])
        .exits(0)
        .prints(&[tag])
        .says("no object id")
        .says("the last ones may be missing");
    combine(&sandbox, &["--object", "a", "s0", "s1"]).exits(2).says("without an id");
    // With one of version 2, of the same object.
    sandbox.write("rest", "and the rest");
    sandbox.write("s1", line(&sandbox, &["--offset", "16", "rest", "--size", "28"]));
    combine(&sandbox, &["s0", "s1"]).exits(0).prints(&[tag]);
    // The version is under the seal, too.
    sandbox.write("s0", LINES_1[0].replace("segment 1", "segment 2"));
    combine(&sandbox, &["s0", "s1"]).exits(1).says("s0 line 1: the seal does not match");
    sandbox.write("s1", sandbox.text("s1").replace("segment 2", "segment 1"));
    combine(&sandbox, &["s1"]).exits(1).says("s1 line 1: the seal does not match");
}
