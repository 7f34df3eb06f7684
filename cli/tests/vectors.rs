//! `wegman vectors`.

mod common;
use common::Sandbox;
use serde_json::{Value, json};
use std::fs;

/// A known-answer file of the project.
fn real(name: &str) -> String {
    format!("{}/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

/// The first case of a real file, so that no test but one runs it whole.
fn one_case(name: &str) -> Value {
    let file: Value = serde_json::from_slice(&fs::read(real(name)).unwrap()).unwrap();
    json!({ "cases": [file["cases"][0]] })
}

/// All files; how many answers there are of each, and the field
/// that one kind of answer is compared with.
const FILES: [(&str, usize, &str); 13] = [
    ("carter", 163, "tag_hex"),
    ("cbc-mac-variants", 61, "tag_hex"),
    ("hash127", 98, "u_hex_le"),
    ("hmac96", 30, "full_mac_hex"),
    ("partial-mac", 30, "tag_hex"),
    ("pmac", 298, "tag_hex"),
    ("pmac-ours", 292, "tag_hex"),
    ("rc6", 47, "ciphertext_hex"),
    ("sum-macs", 30, "tag_hex"),
    ("umac-1999", 670, "tag_hex"),
    ("umac-2000", 716, "uhash_hex"),
    ("umac-rfc4418", 565, "tag_hex"),
    ("universal-hashes", 163, "out_hex"),
];

/// The portable kernel has all of it, and some have no other.
#[test]
fn the_projects_vectors_pass_with_nothing_skipped() {
    let paths = FILES.map(|(name, ..)| real(name));
    let arguments: Vec<&str> =
        ["vectors"].into_iter().chain(paths.iter().map(|path| &**path)).collect();
    let output = Sandbox::new().wegman(&arguments).exits(0);
    assert!(output.out.lines().all(|line| line.contains(" 0 failed, 0 skipped")), "{}", output.out);
    for ((name, answers, _), path) in FILES.iter().zip(&paths) {
        let start = format!("{path}  portable  ");
        let line = output.out.lines().find_map(|line| line.strip_prefix(&start));
        let passed = line.unwrap_or_else(|| panic!("{name}")).split_once(" passed").unwrap().0;
        assert!(passed.parse::<usize>().unwrap() >= *answers, "{name}: {passed}");
    }
    let of_line = |line: &str| -> usize {
        let (front, _) = line.split_once(" passed").unwrap();
        front.rsplit_once(' ').unwrap().1.parse().unwrap()
    };
    let (total, lines) = output.out.trim_end().rsplit_once('\n').map(|(a, b)| (b, a)).unwrap();
    assert!(total.starts_with("total: ") && total.contains(" in 13 files, "), "{total}");
    assert_eq!(of_line(total), lines.lines().map(of_line).sum::<usize>());
}

#[test]
fn a_wrong_answer_in_each_kind_of_file_is_named() {
    let sandbox = Sandbox::new();
    for (name, _, field) in FILES {
        let mut file: Value = serde_json::from_slice(&fs::read(real(name)).unwrap()).unwrap();
        let cases = file["cases"].as_array_mut().unwrap();
        cases.truncate(3);
        let id = cases[1]["id"].as_str().unwrap().to_owned();
        let digits = cases[1][field].as_str().unwrap();
        let digit = if digits.starts_with('0') { "1" } else { "0" };
        cases[1][field] = json!([digit, &digits[1..]].concat());
        sandbox.write("wrong.json", json!({ "cases": cases }).to_string());
        let output = sandbox.wegman(&["vectors", "wrong.json"]).exits(1).says(&id);
        assert!(output.out.contains(" 1 failed, 0 skipped"), "{name}: {}", output.out);
        let json = sandbox.wegman(&["vectors", "--json", "wrong.json"]).exits(1);
        let json: Value = serde_json::from_str(&json.out).unwrap();
        let kernel = &json["files"][0]["kernels"][0];
        assert_eq!((&kernel["kernel"], &kernel["failed"]), (&json!("portable"), &json!(1)));
        assert_eq!(kernel["failures"][0]["id"], json!(id), "{json:#}");
        assert_eq!(json["total"]["answers"], 3);
    }
}

/// The library's own tests change every field of every kind; here, that the command says so and ends well.
#[test]
fn hostile_files_are_errors() {
    let sandbox = Sandbox::new();
    for (name, _, field) in FILES {
        let case = &one_case(name)["cases"][0];
        for (changed, wrong, code) in [
            (field, json!([]), 1),
            (field, json!("zz"), 1),
            ("algorithm", json!(7), 2),
            ("msg", json!({ "pattern": "affine", "a": 1, "b": 1, "length": u64::MAX }), 1),
            ("msg", json!({ "pattern": "repeat", "unit_hex": "0000", "repeat": u64::MAX }), 1),
            ("msg", json!([]), 1),
        ] {
            let mut hostile = case.clone();
            hostile[changed] = wrong;
            if changed == "msg" && name == "rc6" {
                continue; // it has none
            }
            if changed == "msg" {
                hostile.as_object_mut().unwrap().remove("msg_hex");
            }
            sandbox.write("hostile.json", json!({ "cases": [hostile] }).to_string());
            sandbox.wegman(&["vectors", "hostile.json"]).exits(code).says("hostile.json");
        }
    }
}

/// Every field that an answer of UMAC 2000 has is looked at.
#[test]
fn wrong_fields_of_umac_2000_are_found() {
    let sandbox = Sandbox::new();
    let file: Value = serde_json::from_slice(&fs::read(real("umac-2000")).unwrap()).unwrap();
    let has = |list: &str, field: &str, value: &str| {
        let found = |case: &&Value| case["params"][field] == value;
        file[list].as_array().unwrap().iter().find(found).unwrap().clone()
    };
    let run = |list: &str, case: Value| {
        sandbox.write("wrong.json", json!({ list: [case] }).to_string());
        sandbox.wegman(&["vectors", "wrong.json"])
    };
    for (field, value, wrong) in [
        ("cipher", "RC6", "AES"),
        ("l3_keys", "refcode-0.05", "v0.01"),
        ("l3_keys", "refcode-0.05", "draft"),
        ("l3_keys", "refcode-0.05", "other"),
        ("nonce_index", "draft-literal", "other"),
        ("sign", "SIGNED", "UNSIGNED"),
        ("endian", "BIG", "LITTLE"),
    ] {
        let mut case = has("cases", field, value);
        // The first words have the same layer-3 keys in all ways but that of 0.01.
        if wrong == "draft" {
            case = file["cases"]
                .as_array()
                .unwrap()
                .iter()
                .find(|case| case["params"][field] == value && case["params"]["output_len"] == 16)
                .unwrap()
                .clone();
        }
        run("cases", case.clone()).exits(0);
        case["params"][field] = json!(wrong);
        run("cases", case).exits(1);
    }
    for (list, field) in
        [("cases", "uhash_hex"), ("intermediates", "uhash_hex"), ("intermediates", "pad_hex")]
    {
        let mut case = file[list][0].clone();
        let digits = case[field].as_str().unwrap();
        let digit = if digits.ends_with('0') { "1" } else { "0" };
        case[field] = json!([&digits[..digits.len() - 1], digit].concat());
        run(list, case).exits(1);
    }
}

/// The padding counts where it makes a difference, and must be one that the set has.
#[test]
fn wrong_paddings_of_umac_1999_are_found() {
    let sandbox = Sandbox::new();
    let file: Value = serde_json::from_slice(&fs::read(real("umac-1999")).unwrap()).unwrap();
    let case = |algorithm: &str, padding: &str| {
        let found =
            |case: &&Value| case["algorithm"] == algorithm && case["cbc_padding"] == padding;
        file["cases"].as_array().unwrap().iter().find(found).unwrap().clone()
    };
    let run = |case: &Value| {
        sandbox.write("wrong.json", json!({ "cases": [case] }).to_string());
        sandbox.wegman(&["vectors", "wrong.json"])
    };
    for (algorithm, padding, wrong) in [
        // The first cases are the authors' own, hashed messages with short inputs of the PRF.
        ("UMAC-MMX-15", "ref-0.25.05", "paper"),
        ("UMAC-MMX-30", "ref-0.25.05", "paper"),
        ("UMAC-MMX-60", "ref-0.25.05", "paper"),
        ("UMAC-MMX-60", "ref-0.25.05", "n/a"),
        ("UMAC-MMX-60", "paper", "other"),
        ("UMAC-STD-30", "n/a", "ref-0.25.05"),
        ("UMAC-STD-60", "n/a", "paper"),
    ] {
        let mut case = case(algorithm, padding);
        run(&case).exits(0);
        case["cbc_padding"] = json!(wrong);
        run(&case).exits(1);
    }
}

#[test]
fn one_wrong_digit_is_found_and_named() {
    let sandbox = Sandbox::new();
    for name in ["pmac", "umac-rfc4418"] {
        let mut file = one_case(name);
        let case = &mut file["cases"][0];
        let id = case["id"].as_str().unwrap().to_owned();
        let tag = case["tag_hex"].as_str().unwrap();
        let digit = if tag.starts_with('0') { "1" } else { "0" };
        case["tag_hex"] = json!([digit, &tag[1..]].concat());
        sandbox.write("wrong.json", file.to_string());
        let output = sandbox.wegman(&["vectors", "wrong.json"]).exits(1).says(&id);
        assert!(output.out.contains("1 failed"), "{}", output.out);
    }
}

#[test]
fn a_wrong_digit_in_a_whole_file_fails_only_its_case() {
    let sandbox = Sandbox::new();
    let mut file: Value = serde_json::from_slice(&fs::read(real("pmac")).unwrap()).unwrap();
    file["sweeps"] = json!([]);
    let case = &mut file["cases"][1];
    let id = case["id"].as_str().unwrap().to_owned();
    let tag = case["tag_hex"].as_str().unwrap();
    let digit = if tag.ends_with('0') { "1" } else { "0" };
    case["tag_hex"] = json!([&tag[..tag.len() - 1], digit].concat());
    sandbox.write("wrong.json", file.to_string());
    let output = sandbox.wegman(&["vectors", "wrong.json"]).exits(1).says(&id);
    assert!(output.out.lines().all(|line| line.contains(" 1 failed")), "{}", output.out);
}

#[test]
fn a_wrong_sweep_is_found() {
    let sandbox = Sandbox::new();
    let file: Value = serde_json::from_slice(&fs::read(real("pmac")).unwrap()).unwrap();
    let mut sweep = file["sweeps"][0].clone();
    sweep["sha256_of_concatenated_tags"] = json!("00".repeat(32));
    sandbox.write("wrong.json", json!({ "sweeps": [sweep] }).to_string());
    sandbox.wegman(&["vectors", "wrong.json"]).exits(1).says("sweeps[0]");
}

#[test]
fn only_unknown_algorithms_is_no_success() {
    let sandbox = Sandbox::new();
    let mut file = one_case("pmac");
    file["cases"][0]["algorithm"] = json!("ROT13-MAC");
    sandbox.write("unknown.json", file.to_string());
    let output = sandbox.wegman(&["vectors", "unknown.json"]).exits(1).says("nothing to run");
    assert!(output.out.contains("ROT13-MAC"), "{}", output.out);
    // Beside others it is left out, and named.
    let known = one_case("pmac")["cases"][0].clone();
    let both = json!({ "cases": [known, file["cases"][0]] });
    sandbox.write("both.json", both.to_string());
    let output = sandbox.wegman(&["vectors", "both.json"]).exits(0);
    let skipped = "1 passed, 0 failed, 1 skipped (not in this build: ROT13-MAC)";
    assert!(output.out.contains(skipped), "{}", output.out);
}

#[test]
fn what_is_no_known_answer_file() {
    let sandbox = Sandbox::new();
    for text in ["", "{", "[1, 2", "not JSON", "{}", "[]", "{\"cases\": []}", "{\"cases\": 1}"] {
        sandbox.write("bad.json", text);
        sandbox.wegman(&["vectors", "bad.json"]).exits(2).says("bad.json");
    }
    sandbox.wegman(&["vectors", "none.json"]).exits(2).says("none.json");
    sandbox.wegman(&["vectors"]).exits(2);
}

#[test]
fn the_other_files_are_still_run_and_a_failure_outweighs() {
    let sandbox = Sandbox::new();
    sandbox.write("bad.json", "{");
    sandbox.write("good.json", one_case("pmac").to_string());
    let output = sandbox.wegman(&["vectors", "bad.json", "good.json"]).exits(2);
    assert!(output.out.contains("1 passed"), "{}", output.out);
    let mut wrong = one_case("pmac");
    wrong["cases"][0]["tag_hex"] = json!("00".repeat(16));
    sandbox.write("wrong.json", wrong.to_string());
    sandbox.wegman(&["vectors", "bad.json", "wrong.json"]).exits(1);
}

#[test]
fn a_case_that_cannot_be_run_has_failed() {
    let sandbox = Sandbox::new();
    for (field, value) in
        [("key_hex", "00"), ("key_hex", "xy"), ("tag_hex", ""), ("nonce_hex", "00")]
    {
        let mut file = one_case("pmac");
        file["cases"][0][field] = json!(value);
        sandbox.write("odd.json", file.to_string());
        sandbox.wegman(&["vectors", "odd.json"]).exits(1).says("pmac-s0000");
    }
}
