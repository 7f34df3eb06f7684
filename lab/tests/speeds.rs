//! `wegman-bench bench`. What it measures is a matter of the machine: nothing here depends on a time.

use serde_json::Value;
use std::process::{Command, Stdio};
use wegman::Cpu;

/// The program's exit code, and what it writes.
fn run(arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wegman-bench"));
    let output = command.args(arguments).stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The rows of an algorithm.
fn rows(name: &str) -> Vec<&'static str> {
    let found = wegman_catalogue::find(name).unwrap();
    found.kernels(Cpu::detect()).into_iter().map(|(row, _)| row).collect()
}

/// Runs it quickly and reads its JSON.
fn bench(arguments: &[&str]) -> Value {
    let arguments = [&["bench", "--quick", "--json"], arguments].concat();
    let (code, out, err) = run(&arguments);
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).expect(&out)
}

/// What the results are of.
fn of(run: &Value) -> Vec<(String, String, String, u64)> {
    let of = |result: &Value| {
        let length = result["length"].as_u64().unwrap();
        let text = |field: &str| result[field].as_str().unwrap().to_owned();
        (text("algorithm"), text("kernel"), text("mode"), length)
    };
    run["results"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn json_has_the_fields_programs_read() {
    let run = bench(&["UMAC-64", "--lengths", "43,1K"]);
    let fields =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(fields(&run), ["clock", "cpu", "results"]);
    assert!(!run["cpu"].as_str().unwrap().is_empty());
    assert!(run["clock"].is_null() || run["clock"].as_f64().unwrap() > 0.0);
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        let wanted =
            ["algorithm", "cpb", "cycles", "from", "kernel", "length", "mode", "ns", "spread"];
        assert_eq!(fields(result), wanted);
        let number = |field: &str| result[field].as_f64();
        assert!(number("ns").unwrap() > 0.0 && number("spread").unwrap() >= 0.0);
        if let (Some(cycles), Some(cpb)) = (number("cycles"), number("cpb")) {
            let length = number("length").unwrap();
            assert!(cycles > 0.0 && (cpb * length / cycles - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn names_lengths_and_modes_are_measured_once_each() {
    let arguments =
        ["umac-32", "pmac-aes128", "UMAC-32", "--cpu", "portable", "--lengths", "16,1,16"];
    let run = bench(&[&arguments[..], &["--mode", "batch,single", "--mode", "latency"]].concat());
    // Those that are compared stand together.
    let mut wanted = Vec::new();
    for mode in ["single", "latency", "batch"] {
        for length in [1, 16] {
            wanted.extend(
                ["UMAC-32", "PMAC-AES128"]
                    .map(|name| (name.into(), "portable".into(), mode.into(), length)),
            );
        }
    }
    assert_eq!(of(&run), wanted);
}

#[test]
fn mixes_of_lengths_have_names_and_cycles_of_all_their_bytes() {
    let mixes = ["--lengths", "imix,43,uniform", "--unaligned"];
    let run = bench(&[&["UMAC-64", "--mode", "single,batch"], &mixes[..]].concat());
    assert_eq!(run["notes"][0]["title"], "where messages begin");
    let results = run["results"].as_array().unwrap();
    let lengths: Vec<&Value> = results.iter().map(|result| &result["length"]).collect();
    assert_eq!(
        lengths,
        [43.into(), "uniform".into(), "imix".into()]
            .iter()
            .cycle()
            .take(6)
            .collect::<Vec<&Value>>()
    );
    for (name, mean) in [("uniform", 32.5), ("imix", 4084.0 / 12.0)] {
        for result in results.iter().filter(|result| result["length"] == name) {
            let number = |field: &str| result[field].as_f64();
            if let (Some(cycles), Some(cpb)) = (number("cycles"), number("cpb")) {
                assert!((cpb * mean / cycles - 1.0).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn without_a_name_the_recommended_are_measured() {
    let found = of(&bench(&["--lengths", "16"]));
    let is_recommended =
        |a: &&wegman_catalogue::Algorithm| a.status == wegman_catalogue::Status::Recommended;
    let recommended = wegman_catalogue::ALGORITHMS.iter().filter(is_recommended);
    let wanted: Vec<String> = recommended.map(|algorithm| algorithm.name.to_string()).collect();
    assert_eq!(found.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>(), wanted);
    assert!(found.iter().all(|(name, row, ..)| rows(name).contains(&&**row)));
}

#[test]
fn rows_are_measured_beside_each_other() {
    let found = of(&bench(&["UMAC-64", "PMAC-AES128", "--lengths", "16", "--cpu", "all"]));
    let found: Vec<(&str, &str)> = found.iter().map(|(name, row, ..)| (&**name, &**row)).collect();
    let all = |name: &'static str| rows(name).into_iter().map(move |row| (name, row));
    assert_eq!(found, all("UMAC-64").chain(all("PMAC-AES128")).collect::<Vec<_>>());
    for row in rows("UMAC-64") {
        let found = of(&bench(&["UMAC-64", "--lengths", "16", "--cpu", row]));
        assert_eq!(found, [("UMAC-64".into(), row.into(), "single".into(), 16)]);
    }
}

#[test]
fn the_table_has_every_length_within_100_columns() {
    let arguments =
        ["bench", "--quick", "--lengths", "16,64K,imix,uniform", "--mode", "batch", "UMAC-128"];
    let (code, out, _) = run(&arguments);
    assert!(code == 0 && out.lines().skip(1).all(|line| line.len() <= 100), "{out}");
    let row = out.lines().find(|line| line.starts_with("UMAC-128 ")).unwrap();
    assert!(!row.contains(" - ") && out.contains("16 B   64K B 1..64 B    IMIX"), "{out}");
}

#[test]
fn what_is_not_there_is_a_usage_error_that_says_what_is() {
    let refused = |arguments: &[&str], what: &str| {
        let (code, _, err) = run(&[&["bench"], arguments].concat());
        assert!(code == 2 && err.contains(what), "{arguments:?}: {code}, {err}");
    };
    refused(&["ROT13-MAC"], "\"ROT13-MAC\": see `wegman algorithms`");
    refused(&["--cpu", "abacus"], "\"abacus\" here, only portable");
    refused(&["UMAC-64", "--cpu", "portable,abacus"], "\"abacus\"");
    refused(&["--cpu", ""], "only portable");
    refused(&["--mode", "double"], "single, latency, batch");
    for lengths in ["0", "", "16,,43", "2G", "1T", "x", "-1"] {
        refused(&["--lengths", lengths], "error: ");
    }
    refused(&["--mode", "batch", "--lengths", "32M"], "up to 16M");
    refused(&["--mode", "batch", "--lengths", "17M"], "up to 16M bytes");
}

#[test]
fn a_lost_output_is_an_error() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_wegman-bench"));
    let arguments = ["bench", "--quick", "--json", "--lengths", "16", "UMAC-64"];
    let output = command.args(arguments).stdout(full).output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && err.contains("standard output"), "{err}");
}

/// Other commands: each has all of its rows, and what they are compared with.
#[test]
fn every_command_measures() {
    for (command, rows) in [("names", 4 * 3 * 6), ("sessions", 4 * 7 * 3), ("assurance", 18 * 5)] {
        let (code, out, err) = run(&[command, "--quick", "--json"]);
        assert_eq!(code, 0, "{err}");
        let run: Value = serde_json::from_str(&out).unwrap();
        let results = run["results"].as_array().unwrap();
        assert_eq!(results.len(), rows, "{command}");
        assert!(results.iter().any(|result| result["times"].as_f64().is_some()), "{command}");
    }
}
