//! Wrong answers and hostile files.

use crate::{FILES, passes, read, run};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use wegman_answers::File;

/// The lists of a file.
const LISTS: [&str; 5] = ["cases", "sweeps", "intermediates", "length_preserving", "recover"];

/// What is compared, in every kind of answer.
const WANTED: [&str; 12] = [
    "tag_hex",
    "tag_paper_padding_hex",
    "sha256_of_concatenated_tags",
    "full_mac_hex",
    "uhash_hex",
    "pad_hex",
    "out_hex",
    "u_hex_le",
    "ciphertext_hex",
    "cipher_hex",
    "L_hex",
    "L_times_x_inverse_hex",
];

/// One answer of each algorithm and list of a file, short ones.
fn samples(name: &str) -> Vec<(&'static str, Value)> {
    let json: Value = serde_json::from_str(&read(name)).expect("JSON");
    let mut samples = Vec::new();
    for list in LISTS {
        let mut seen = BTreeSet::new();
        for answer in json.get(list).and_then(Value::as_array).into_iter().flatten() {
            let algorithm = answer["algorithm"].as_str().unwrap_or("PMAC-AES128");
            let has_answer = WANTED.iter().any(|field| answer.get(field).is_some());
            if has_answer && seen.insert(algorithm.split('[').next()) {
                samples.push((list, answer.clone()));
            }
        }
    }
    samples
}

#[test]
fn a_wrong_digit_anywhere_is_found_on_every_kernel() {
    let mut changed = 0;
    for name in FILES {
        for (list, answer) in samples(name) {
            for field in WANTED.into_iter().filter(|field| answer.get(field).is_some()) {
                let digits = answer[field].as_str().expect("text");
                for at in [0, digits.len() - 1] {
                    let digit = if digits[at..].starts_with('0') { "1" } else { "0" };
                    let mut wrong = answer.clone();
                    wrong[field] = json!([&digits[..at], digit, &digits[at + 1..]].concat());
                    let report = run(list, &wrong).expect("it can be read");
                    assert!(!report.kernels.is_empty(), "{name}: {wrong}");
                    for of in report.kernels {
                        assert_eq!((of.passed, of.failures.len()), (0, 1), "{name}: {wrong}");
                        let id = wrong["id"].as_str();
                        assert!(id.is_none_or(|id| of.failures[0].0 == id), "{name}: {wrong}");
                    }
                    changed += 1;
                }
            }
        }
    }
    assert!(changed > 200, "{changed}");
}

/// Every parameter that an answer of UMAC 2000 has is looked at; and the padding of UMAC 1999, where it makes a
/// difference, which must be one that the set has.
#[test]
fn wrong_parameters_are_found() {
    for (file, parameter, value, beside, wrong) in [
        ("umac-2000", "/params/cipher", "RC6", "", "AES"),
        ("umac-2000", "/params/l3_keys", "refcode-0.05", "", "v0.01"),
        // The first words have the same level-3 keys in all ways but that of 0.01.
        (
            "umac-2000",
            "/params/l3_keys",
            "refcode-0.05",
            "UMAC-4/16/1024/16/UNSIGNED/LITTLE",
            "draft",
        ),
        ("umac-2000", "/params/l3_keys", "refcode-0.05", "", "other"),
        ("umac-2000", "/params/nonce_index", "draft-literal", "", "other"),
        ("umac-2000", "/params/sign", "SIGNED", "", "UNSIGNED"),
        ("umac-2000", "/params/endian", "BIG", "", "LITTLE"),
        // The first cases are the authors' own, hashed messages with short inputs of the PRF.
        ("umac-1999", "/cbc_padding", "ref-0.25.05", "UMAC-MMX-15", "paper"),
        ("umac-1999", "/cbc_padding", "ref-0.25.05", "UMAC-MMX-30", "paper"),
        ("umac-1999", "/cbc_padding", "ref-0.25.05", "UMAC-MMX-60", "paper"),
        ("umac-1999", "/cbc_padding", "ref-0.25.05", "UMAC-MMX-60", "n/a"),
        ("umac-1999", "/cbc_padding", "paper", "UMAC-MMX-60", "other"),
        ("umac-1999", "/cbc_padding", "n/a", "UMAC-STD-30", "ref-0.25.05"),
        ("umac-1999", "/cbc_padding", "n/a", "UMAC-STD-60", "paper"),
    ] {
        let json: Value = serde_json::from_str(&read(&format!("{file}.json"))).expect("JSON");
        let is_it = |case: &&Value| {
            case.pointer(parameter).is_some_and(|found| found == value)
                && (beside.is_empty() || case["algorithm"] == beside)
        };
        let mut cases = json["cases"].as_array().expect("a list").iter();
        let mut case = cases.find(is_it).expect("there is one").clone();
        assert!(passes("cases", &case), "{case}");
        *case.pointer_mut(parameter).expect("it is there") = json!(wrong);
        assert!(!passes("cases", &case), "{case}");
    }
}

/// Whether a field says nothing that is checked, or something of levels inside the library.
fn is_remark(field: &str) -> bool {
    ["id", "origin", "origin_detail", "note", "poly", "streams"].contains(&field)
        || ["kdf", "pdf", "hash", "prf"].iter().any(|front| field.starts_with(front))
}

fn hostile() -> Vec<Value> {
    let mut deep = json!([]);
    (0..100).for_each(|_| deep = json!([deep]));
    vec![
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1.5),
        json!(7),
        json!(1_u64 << 32),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("0"),
        json!("00"),
        json!("zz"),
        json!("é"),
        json!("00".repeat(1000)),
        json!([]),
        json!([1]),
        json!([[0, 0, 0]]),
        json!([[70000, -1]]),
        json!({}),
        json!({ "hex": [] }),
        json!({ "pattern": "repeat", "unit_hex": "00", "repeat": u64::MAX }),
        json!({ "pattern": "concat", "parts": [{ "pattern": "affine", "a": 0, "b": 0, "length": 1u64 << 40 }] }),
        deep,
    ]
}

/// No content of a file ends the program, and an answer with a field of another type is never right.
#[test]
fn hostile_fields_are_errors() {
    for name in FILES {
        for (list, answer) in samples(name) {
            let fields = answer.as_object().expect("fields");
            // A whole sweep takes long, so remarks are left alone there.
            for (field, value) in
                fields.iter().filter(|(field, _)| list != "sweeps" || !is_remark(field))
            {
                let check = |change: &dyn Fn(&mut Value, &Value)| {
                    for wrong in hostile() {
                        let mut changed = answer.clone();
                        change(&mut changed, &wrong);
                        let passes = passes(list, &changed);
                        let matters = wrong == json!({}) && !is_remark(field);
                        assert!(!(passes && matters), "{name}: {field}: {changed}");
                    }
                };
                check(&|answer, wrong| answer[field] = wrong.clone());
                for inside in value.as_object().into_iter().flatten() {
                    check(&|answer, wrong| answer[field][inside.0] = wrong.clone());
                }
                let mut without = answer.clone();
                without.as_object_mut().expect("fields").remove(field);
                let _ = passes(list, &without);
            }
        }
    }
}

/// The same for names.
#[test]
fn hostile_names_are_errors() {
    let (_, answer) = samples("universal-hashes.json").swap_remove(0);
    let names = "NH NH[] NH[2] NH[2,16 NH[2,16,3] NH[-2,16] NH[0,16] NH[1,16] NH[2,0] NH[2,3] \
                 NH[2,128] NH[99999999999999999999,16] NH[18446744073709551615,16] NHT[2,16] \
                 NHT[2,16,0] NHT[2,16,18446744073709551615] NHT[18446744073709551615,16,2] NHT2[2,0,16] \
                 NHT2[18446744073709551615,2,16] NHST2[2,18446744073709551615,16] MH MH0 MH3 MH128 \
                 MH99999999999999999999 SQH SQH() SQH(4) MMH*(2^32+15 NMH*(0) MMH16( BUCKET \
                 BUCKET[32,0,0] BUCKET[32,1,18446744073709551615] BUCKET[0,1,32] BUCKET[12,1,32] \
                 BUCKET[64,1,1] CRC-HASH- CRC-HASH-0 CRC-HASH-129 LFSR-TOEPLITZ-0 \
                 LFSR-TOEPLITZ-99999999999999999999 UMAC-9/9 UMAC-4/33 RC6-32/20/ RC6-32/20/5 \
                 RC6-32/20/+16 RC6-32/20/256 é";
    for name in names.split(' ').chain([""]) {
        for file in FILES {
            let (list, mut other) = samples(file).swap_remove(0);
            other["algorithm"] = json!(name);
            assert!(!passes(list, &other), "{name}: {other}");
        }
        let mut other = answer.clone();
        other["algorithm"] = json!(name);
        assert!(!passes("cases", &other), "{name}: {other}");
    }
}

#[test]
fn what_is_no_known_answer_file() {
    for text in ["", "{", "[1, 2", "no JSON", "{}", "[]", "7", "{\"cases\": []}", "{\"cases\": 1}"]
    {
        assert!(File::read(text.as_bytes()).is_err(), "{text}");
    }
    assert!(File::read("[".repeat(100_000).as_bytes()).is_err());
    for body in ["7", "null", "[]", "{}", "{\"algorithm\": 7}", "{\"algorithm\": {}}"] {
        assert!(File::read(format!("{{\"cases\": [{body}]}}").as_bytes()).is_err(), "{body}");
    }
}
