//! `wegman algorithms`.

use crate::common::Sandbox;

#[test]
fn every_algorithm_names_its_proof() {
    let output = Sandbox::new().wegman(&["algorithms", "--json"]).exits(0);
    let list: Vec<serde_json::Value> = serde_json::from_str(&output.out).unwrap();
    assert!(list.len() >= 4);
    let has_bound = |entry: &serde_json::Value| {
        ["statement", "assumption", "source"].iter().all(|field| entry["bound"][field].is_string())
    };
    assert!(list.iter().all(has_bound));
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

/// Names of the lines, without the heading.
fn listed(args: &[&str]) -> Vec<String> {
    let out = Sandbox::new().wegman(&[&["algorithms"], args].concat()).exits(0).out;
    assert!(out.starts_with("name "), "{out}");
    assert!(out.lines().all(|line| line.len() <= 100), "{out}");
    let end = out.find("status").unwrap();
    out.lines().skip(1).map(|line| line[..end].trim_end().to_owned()).collect()
}

fn of_json(args: &[&str]) -> Vec<serde_json::Value> {
    let out = Sandbox::new().wegman(&[&["algorithms", "--json"], args].concat()).exits(0).out;
    serde_json::from_str(&out).unwrap()
}

#[test]
fn by_default_a_line_for_each_that_new_or_other_programs_use() {
    let names = listed(&[]);
    let expected = of_json(&[])
        .into_iter()
        .filter(|entry| entry["status"] == "recommended" || entry["status"] == "interop");
    let expected: Vec<String> =
        expected.map(|entry| entry["name"].as_str().unwrap().into()).collect();
    assert_eq!(names, expected);
    for name in ["UMAC-64", "PMAC-AES128", "CMAC-AES128", "HMAC-SHA256"] {
        assert!(names.iter().any(|listed| listed == name), "{name}");
    }
    let out = Sandbox::new().wegman(&["algorithms"]).exits(0).out;
    let line = out.lines().find(|line| line.starts_with("PMAC-AES256 ")).unwrap();
    let words: Vec<&str> = line.split_whitespace().take(6).collect();
    assert_eq!(words, ["PMAC-AES256", "recommended", "32", "none", "4", "to"]);
}

#[test]
fn all_are_in_a_line_each() {
    let all: Vec<String> =
        of_json(&[]).iter().map(|entry| entry["name"].as_str().unwrap().into()).collect();
    assert_eq!(listed(&["--all"]), all);
    Sandbox::new().wegman(&["algorithms", "--all", "UMAC-64"]).exits(2).says("--all");
}

#[test]
fn a_status_chooses() {
    for status in ["recommended", "interop", "experimental", "historical", "comparator"] {
        let chosen = of_json(&["--status", status]);
        assert!(
            !chosen.is_empty() && chosen.iter().all(|entry| entry["status"] == status),
            "{status}"
        );
        let names: Vec<&str> = chosen.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
        assert_eq!(listed(&["--status", status]), names);
    }
    assert_eq!(listed(&["--status", "interop", "umac"]), ["UMAC-32", "UMAC-96"]);
    let sandbox = Sandbox::new();
    sandbox.wegman(&["algorithms", "--status", "good"]).exits(2).says("recommended");
    let output = sandbox.wegman(&["algorithms", "--status", "historical", "cmac"]).exits(2);
    output.says("cmac: none of them");
}

#[test]
fn the_beginning_of_names_lists_these() {
    for start in ["umac", "UMAC", "Umac-"] {
        let names = listed(&[start]);
        assert!(names.len() > 10, "{names:?}");
        let begins = |name: &str| name.to_lowercase().starts_with(&start.to_lowercase());
        assert!(names.iter().all(|name| begins(name)), "{names:?}");
        let all = of_json(&[]);
        let all = all.iter().filter(|entry| begins(entry["name"].as_str().unwrap()));
        assert_eq!(names.len(), all.count());
        assert_eq!(of_json(&[start]).len(), names.len());
    }
    // Twice, it is listed once; of one alone, everything is said.
    assert_eq!(listed(&["cmac", "cmac-a"]), ["CMAC-AES128", "CMAC-AES256"]);
    let sandbox = Sandbox::new();
    for name in ["cmac-aes128", "hmac-sha2", "nh"] {
        let out = sandbox.wegman(&["algorithms", name]).exits(0).out;
        assert!(out.lines().count() == 6 && out.contains("\n  proof     "), "{name}: {out}");
    }
    for (name, said) in
        [("", "no algorithm \"\""), ("rot13", "no algorithm \"rot13\""), ("UHASH-4/8", "not a MAC")]
    {
        sandbox.wegman(&["algorithms", name]).exits(2).prints(&[]).says(said);
    }
}

#[test]
fn everything_is_said_for_people_too() {
    let sandbox = Sandbox::new();
    let json = sandbox.wegman(&["algorithms", "--json"]).exits(0);
    let list: Vec<serde_json::Value> = serde_json::from_str(&json.out).unwrap();
    let names: Vec<&str> = list.iter().map(|entry| entry["name"].as_str().unwrap()).collect();
    let text = sandbox.wegman(&[&["algorithms"], &names[..]].concat()).exits(0).out;
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
