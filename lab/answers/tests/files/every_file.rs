//! Every known answer, on every kernel of this machine: at least as many as there were when this was written, and
//! none skipped.

use crate::{FILES, passes, read, run, vectors};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use wegman_answers::{File, Report};
use wegman_catalogue::{ALGORITHMS, FAMILIES, find};

/// What each answer has once in a file's text, to count them without the reader's help.
const MARKS: [&str; 5] = [
    "\"id\":",
    "\"sha256_of_concatenated_tags\":",
    "\"L_hex\":",
    "\"hash_key_len\":", // of intermediates with a tag
    "\"pad_hex\":",
];

/// Runs a file. `counts` says how many answers there are at least of each algorithm, without parameters in square
/// brackets; `of_kernels`, how many of them any kernel but the portable one has.
fn check(name: &str, counts: &str, of_kernels: usize) -> Report {
    let text = read(name);
    let file = File::read(text.as_bytes()).expect("a known-answer file");
    let mut found = BTreeMap::new();
    for algorithm in file.algorithms() {
        let front = algorithm.split('[').next().expect("at least one");
        *found.entry(front).or_insert(0) += 1;
    }
    for line in counts.split(", ") {
        let (algorithm, count) = line.rsplit_once(' ').expect("a name and a number");
        let found = found.get(algorithm).copied().unwrap_or(0);
        let count: usize = count.parse().expect("a number");
        assert!(found >= count, "{name} has lost answers of {algorithm}: {found} of {count}");
    }
    let in_text: usize = MARKS.iter().map(|mark| text.matches(mark).count()).sum();
    assert_eq!(file.algorithms().len(), in_text, "{name}: answers in the text");

    let report = file.run();
    assert_eq!(report.skipped, BTreeMap::new(), "{name}");
    let portable = &report.kernels[0];
    assert_eq!((portable.kernel, portable.passed), ("portable", in_text), "{name}");
    for of in &report.kernels {
        let failure = of.failures.first();
        let failure = failure.map(|(label, error)| format!("{label}: {error:#}"));
        assert_eq!(failure, None, "{name} on {}", of.kernel);
        let least = if of.kernel == "portable" { in_text } else { of_kernels };
        assert!(of.passed >= least, "{name} on {}: {} of {least}", of.kernel, of.passed);
    }
    let kernels: Vec<_> = report.kernels.iter().map(|of| (of.kernel, of.passed)).collect();
    eprintln!("{name}: {kernels:?}");
    report
}

#[test]
fn umac_rfc4418() {
    let counts = "UMAC-128 139, UMAC-32 157, UMAC-64 144, UMAC-96 125";
    check("umac-rfc4418.json", counts, 565);
}

/// Only the usual chunks, signs and byte orders have other kernels; words of 16 bits have fewer rows than those of 32.
#[test]
fn umac_2000() {
    let text = read("umac-2000.json");
    // All but sweeps also have a hash.
    let [hashes, ids, pads] =
        ["uhash_hex", "id", "pad_hex"].map(|mark| text.matches(&format!("\"{mark}\":")).count());
    assert!(hashes == ids + pads && hashes >= 712 + 2, "{hashes} hashes");
    let counts = "UMAC-2/16/1024/16/SIGNED/LITTLE 74, UMAC-2/4/1024/16/SIGNED/LITTLE 80, \
                  UMAC-4/16/1024/16/UNSIGNED/LITTLE 127, UMAC-4/4/1024/16/UNSIGNED/LITTLE 92, \
                  UMAC-4/8/1024/16/UNSIGNED/LITTLE 49, UMAC16 88, UMAC32 126";
    let report = check("umac-2000.json", counts, 276);
    let most = report.kernels.iter().filter(|of| of.passed >= 679).count();
    assert!(
        most >= 2 || report.kernels.len() == 1,
        "no kernel has the answers of all words but long tags, big-endian ones and signed ones of 32 bits"
    );
    assert!(File::read(text.as_bytes()).expect("read").algorithms().len() >= 716);
}

/// Every case in its own padding, and no padding has lost cases.
#[test]
fn umac_1999() {
    let json: Value = serde_json::from_str(&read("umac-1999.json")).expect("JSON");
    let cases = json["cases"].as_array().expect("a list");
    let count = |padding| cases.iter().filter(|case| case["cbc_padding"] == padding).count();
    let counts = ["n/a", "paper", "ref-0.25.05"].map(count);
    assert!(counts.iter().zip([170, 234, 255]).all(|(count, least)| *count >= least), "{counts:?}");
    assert_eq!(counts.iter().sum::<usize>(), cases.len());
    let counts =
        "UMAC-MMX-15 165, UMAC-MMX-30 165, UMAC-MMX-60 166, UMAC-STD-30 87, UMAC-STD-60 87";
    check("umac-1999.json", counts, 496);
}

#[test]
fn pmac() {
    let counts = "PMAC-AES128 80, PMAC-AES192 79, PMAC-AES256 73, PMAC-RC6-128 66";
    check("pmac.json", counts, 231);
}

#[test]
fn pmac_ours() {
    let counts = "PMAC-AES128 122, PMAC-AES128-CTR 31, PMAC-AES192 35, PMAC-AES256 21, \
                  PMAC-DES-EDE3 53, PMAC-RC6-128 30";
    check("pmac-ours.json", counts, 178);
}

#[test]
fn sum_macs() {
    let counts = "PCS-AES128 7, XORMAC-AES128 (BGR prefix bits) 7, \
                  XORMAC-AES128 (seed 003 layout) 8, hash127-RC6 8";
    // The sums run on kernels for AES; other MACs have fewer answers and kernels of other names.
    let report = check("sum-macs.json", counts, 8);
    let of_sums = ["aesni", "vaes256", "vaes512", "armv8"];
    for of in report.kernels.iter().filter(|of| of_sums.contains(&of.kernel)) {
        assert!(of.passed >= 22, "{}: {}", of.kernel, of.passed);
    }
}

/// At least 163 answers, 48 of them with keys of 32 bytes.
#[test]
fn carter() {
    let counts = "Carter-128 99, Carter-96 32, Carter-64 32";
    check("carter.json", counts, 163);
    let json: Value = serde_json::from_str(&read("carter.json")).expect("JSON");
    let keys = json["cases"].as_array().expect("a list").iter().map(|case| &case["key_hex"]);
    assert!(keys.filter(|key| key.as_str().expect("text").len() == 64).count() >= 48);
}

#[test]
fn files_of_other_macs_and_of_hashes() {
    for (name, counts, of_kernels) in [
        (
            "cbc-mac-variants.json",
            "CBC-MAC-AES128 3, CBC-MAC-RC6-128 3, ECBC-AES128 8, ECBC-RC6-128 6, FCBC-AES128 10, \
             FCBC-RC6-128 8, XCBC-AES128 13, XCBC-RC6-128 10",
            34,
        ),
        ("hash127.json", "hash127 98", 98),
        ("hmac96.json", "HMAC-MD5-96 15, HMAC-SHA1-96 15", 0),
        ("partial-mac.json", "PartialMac-HMAC-SHA1-96 30", 30),
        ("rc6.json", "RC6-32/20/16 23, RC6-32/20/24 12, RC6-32/20/32 2, RC6-32/20/8 10", 0),
        (
            "universal-hashes.json",
            "BUCKET 2, CRC-HASH-128 4, CRC-HASH-32 4, CRC-HASH-64 4, CRC-HASH-8 4, \
             LFSR-TOEPLITZ-128 4, LFSR-TOEPLITZ-32 4, LFSR-TOEPLITZ-64 4, LFSR-TOEPLITZ-8 4, \
             MH16 4, MH32 4, MMH*(2^32+15) 4, MMH16(65537) 4, MMH32 5, NH 12, NHS 12, NHST 24, \
             NHST2 8, NHT 24, NHT2 8, NMH*(2^32+15) 4, NMH32 5, SQH(2^32+15) 4, SQH(2^61-1) 4, \
             TMMH/16 3",
            0,
        ),
    ] {
        check(name, counts, of_kernels);
    }
}

/// Members of families that the files have other members of. The answers are from a model of its own.
#[test]
fn other_members_of_families() {
    for (w, message, hash) in [
        (8, "0102", "0103030002"),
        (16, "01020304", "01020206020600000304"),
        (32, "0102030405060708", "010203040404040c0404040c0000000005060708"),
    ] {
        let bucket = json!({
            "algorithm": format!("BUCKET[{w},2,5]"),
            "msg_hex": message,
            "triples": [[0, 1, 2], [2, 4, 1]],
            "word_order": "big-endian message words, big-endian output words",
            "out_hex": hash,
        });
        assert!(passes("cases", &bucket), "{bucket}");
    }
    for (b, encrypted) in [
        (0, "9dc2e7c5cb625eec6ab730f7fb827584"),
        (5, "5da135ab0d99f2bf5f9a379c0379bedf"),
        (255, "16012dfeb70d01d33c839b59f11e6ede"),
    ] {
        let key: String = (0..b).map(|byte: u8| format!("{byte:02x}")).collect();
        let rc6 = json!({
            "algorithm": format!("RC6-32/20/{b}"),
            "key_hex": key,
            "plaintext_hex": "000102030405060708090a0b0c0d0e0f",
            "ciphertext_hex": encrypted,
        });
        assert!(passes("cases", &rc6), "{rc6}");
    }
}

/// The vectors in Wycheproof's schemas: every kernel accepts the valid tags and refuses the others.
#[test]
fn for_other_projects() {
    for (name, algorithm, least) in
        [("umac_test.json", "UMAC", 500), ("pmac_test.json", "PMAC-AES128", 500)]
    {
        let file: Value = serde_json::from_str(&read(&format!("wycheproof/{name}"))).expect("JSON");
        let groups = file["testGroups"].as_array().expect("groups");
        let mut count = 0;
        for group in groups {
            for test in group["tests"].as_array().expect("tests") {
                let mut case = json!({
                    "id": test["tcId"].to_string(), "algorithm": algorithm, "key_hex": test["key"],
                    "msg_hex": test["msg"], "tag_hex": test["tag"],
                });
                if algorithm == "UMAC" {
                    case["algorithm"] = json!(format!("UMAC-{}", group["tagSize"]));
                    case["nonce_hex"] = test["iv"].clone();
                }
                let report = run("cases", &case).expect("an answer of a known algorithm");
                assert!(!report.kernels.is_empty(), "{name}: {test}");
                for of in report.kernels {
                    let right = (of.passed, of.failures.len());
                    let valid = test["result"] == "valid";
                    assert_eq!(
                        right,
                        if valid { (1, 0) } else { (0, 1) },
                        "{name} on {}: {test}",
                        of.kernel
                    );
                }
                count += 1;
            }
        }
        assert!(count >= least && file["numberOfTests"] == count, "{name}: {count} tests");
    }
}

#[test]
fn no_file_is_forgotten() {
    let names =
        fs::read_dir(vectors()).expect("there").map(|entry| entry.expect("there").file_name());
    let names: BTreeSet<String> = names.map(|name| name.into_string().expect("UTF-8")).collect();
    // `for_other_projects` runs those in the folder.
    let known = FILES.iter().chain(&["wycheproof"]);
    assert_eq!(names, known.map(|name| name.to_string()).collect());
}

/// The catalogue and the list of families name everything the papers define.
#[test]
fn every_algorithm_is_listed() {
    for name in FILES {
        let file = File::read(read(name).as_bytes()).expect("a known-answer file");
        for algorithm in file.algorithms().collect::<BTreeSet<_>>() {
            // A remark tells layouts apart, which have names of their own in the catalogue.
            let front = algorithm.split(" (").next().expect("at least one");
            let is_mac = find(algorithm).is_some()
                || front != algorithm && ALGORITHMS.iter().any(|mac| mac.name.starts_with(front));
            let is_family = FAMILIES.iter().any(|family| {
                let rest = algorithm.strip_prefix(family.name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(PARAMETER))
            });
            assert!(is_mac || is_family, "{algorithm} of {name} is in no list");
        }
    }
}

/// How parameters after a family's name begin.
const PARAMETER: [char; 14] =
    ['[', '(', '/', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
