//! `wegman-bench path` as it is used: with namespaces where they are allowed.
#![cfg(target_os = "linux")]

use serde_json::Value;
use std::process::Command;

fn run(args: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_wegman-bench"))
        .args(["path", "--json", "--seconds", "2"])
        .args(args)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What is said of the run.
fn lines(paths: &Value) -> Vec<&str> {
    let lines = paths["notes"][0]["lines"].as_array().unwrap();
    lines.iter().map(|line| line.as_str().unwrap()).collect()
}

fn check(paths: &Value) {
    let absent = lines(paths).len() - 3;
    assert!(absent <= 1, "only GSO may be missing: {absent}");
    let results = paths["results"].as_array().unwrap();
    // Five in a path in five ways, and alone in two.
    assert_eq!(results.len(), (5 - absent + 2) * 4 * 5);
    for cell in results {
        let number = |name: &str| cell[name].as_f64().unwrap_or_else(|| panic!("{name}: {cell}"));
        assert!(number("ns") > 0.0, "{cell}");
        let is_none = cell["algorithm"] == "none";
        if cell["from"] == "MAC alone" {
            assert!(cell["times"].is_null(), "{cell}");
            continue;
        }
        assert!(number("received") > 0.0 && number("packets_per_s") > 0.0, "{cell}");
        assert_eq!(number("sent") - number("received"), number("lost"));
        let is_tcp = cell["mode"].as_str().unwrap().starts_with("tcp");
        assert!(!is_tcp || number("lost") == 0.0, "{cell}");
        assert!(!is_none || number("times") == 1.0, "{cell}");
    }
}

#[test]
fn over_loopback() {
    let paths = run(&["--loopback"]);
    assert_eq!(lines(&paths)[0], "loopback: it was asked for");
    check(&paths);
}

/// Where namespaces are not allowed this is loopback too, and says why.
#[test]
fn over_what_is_allowed() {
    let paths = run(&[]);
    let link = lines(&paths)[0];
    println!("{link}");
    assert!(link.starts_with("veth pair") || link.starts_with("loopback: "), "{link}");
    check(&paths);
}
