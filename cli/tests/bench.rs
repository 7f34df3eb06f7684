//! `wegman bench`. What it measures is a matter of the machine: nothing here depends on a time.

mod common;
use common::Sandbox;
use serde_json::Value;

/// Runs it quickly and reads its JSON.
fn bench(arguments: &[&str]) -> Value {
    let arguments = [&["bench", "--quick", "--json"], arguments].concat();
    let output = Sandbox::new().wegman(&arguments).exits(0);
    serde_json::from_str(&output.out).expect(&output.out)
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
        let wanted = ["algorithm", "cpb", "cycles", "kernel", "length", "mode", "ns", "spread"];
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
    let mut wanted = Vec::new();
    for name in ["UMAC-32", "PMAC-AES128"] {
        for mode in ["single", "latency", "batch"] {
            wanted.extend(
                [1, 16].map(|length| (name.into(), "portable".into(), mode.into(), length)),
            );
        }
    }
    assert_eq!(of(&run), wanted);
}

#[test]
fn a_batch_has_any_number_of_messages() {
    for batch in ["1", "3", "33", "1024"] {
        let arguments = ["UMAC-64", "PMAC-AES128", "--lengths", "16,43", "--batch", batch];
        let run = bench(&[&arguments[..], &["--mode", "batch,single"]].concat());
        assert_eq!(of(&run).len(), 8, "{batch}");
    }
}

#[test]
fn without_a_name_the_recommended_are_measured() {
    let run = bench(&["--lengths", "16"]);
    let list = Sandbox::new().wegman(&["algorithms", "--json"]).exits(0);
    let list: Value = serde_json::from_str(&list.out).unwrap();
    let is_recommended = |a: &&Value| a["status"] == "recommended";
    let recommended: Vec<_> = list.as_array().unwrap().iter().filter(is_recommended).collect();
    let names: Vec<_> = recommended.iter().map(|a| a["name"].as_str().unwrap()).collect();
    let found = of(&run);
    assert_eq!(found.iter().map(|found| found.0.as_str()).collect::<Vec<_>>(), names);
    // Each on one of the kernels it has here.
    for (algorithm, (_, kernel, _, _)) in recommended.iter().zip(found) {
        assert!(algorithm["kernels"].as_array().unwrap().iter().any(|name| *name == kernel));
    }
}

#[test]
fn every_row_that_is_listed_can_be_asked_for() {
    let list = Sandbox::new().wegman(&["algorithms", "--json"]).exits(0);
    let list: Value = serde_json::from_str(&list.out).unwrap();
    let umac = list.as_array().unwrap().iter().find(|a| a["name"] == "UMAC-64").unwrap();
    for kernel in umac["kernels"].as_array().unwrap() {
        let kernel = kernel.as_str().unwrap();
        let run = bench(&["UMAC-64", "--lengths", "16", "--cpu", kernel]);
        assert_eq!(of(&run), [("UMAC-64".into(), kernel.into(), "single".into(), 16)]);
    }
}

#[test]
fn all_rows_of_each_algorithm_are_measured_beside_each_other() {
    let run = bench(&["UMAC-64", "PMAC-AES128", "--lengths", "16", "--cpu", "all"]);
    let list = Sandbox::new().wegman(&["algorithms", "--json"]).exits(0);
    let list: Value = serde_json::from_str(&list.out).unwrap();
    let rows = |name: &str| -> Vec<(String, String)> {
        let algorithm = list.as_array().unwrap().iter().find(|a| a["name"] == name).unwrap();
        let kernels = algorithm["kernels"].as_array().unwrap().iter();
        kernels.map(|row| (name.into(), row.as_str().unwrap().into())).collect()
    };
    let found: Vec<_> = of(&run).into_iter().map(|(name, row, ..)| (name, row)).collect();
    assert_eq!(found, [rows("UMAC-64"), rows("PMAC-AES128")].concat());
    // Two of them, in the order of the table.
    let run = bench(&["UMAC-64", "--lengths", "16", "--cpu", "Portable,portable"]);
    assert_eq!(of(&run), [("UMAC-64".into(), "portable".into(), "single".into(), 16)]);
}

#[test]
fn mixes_of_lengths_have_names_and_cycles_of_all_their_bytes() {
    let arguments = ["UMAC-64", "--lengths", "imix,43,uniform", "--mode", "single,batch"];
    let run = bench(&arguments);
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
fn the_table_says_the_same_within_100_columns() {
    let arguments =
        ["bench", "--quick", "--lengths", "16,64K,imix,uniform", "--mode", "batch", "UMAC-128"];
    let output = Sandbox::new().wegman(&arguments).exits(0);
    assert!(output.out.lines().skip(1).all(|line| line.len() <= 100), "{}", output.out);
    let rows = output.out.lines().filter(|line| line.starts_with("UMAC-128 "));
    let lengths: Vec<_> = rows.map(|row| row.split_whitespace().nth(3).unwrap()).collect();
    assert_eq!(lengths, ["16", "64K", "1..64", "IMIX"]);
}

#[test]
fn what_is_not_there_is_a_usage_error_that_says_what_is() {
    let sandbox = Sandbox::new();
    let bench = |arguments: &[&str]| sandbox.wegman(&[&["bench"], arguments].concat()).exits(2);
    bench(&["ROT13-MAC"]).says("\"ROT13-MAC\"").says("wegman algorithms");
    bench(&["--cpu", "abacus"]).says("\"abacus\"").says("can run portable");
    bench(&["UMAC-64", "--cpu", "abacus"]).says("UMAC-64 can run portable");
    bench(&["--cpu", ""]).says("can run portable");
    bench(&["UMAC-64", "--cpu", "portable,abacus"]).says("\"abacus\"").says("can run portable");
    bench(&["--mode", "double"]).says("single, latency, batch");
    for lengths in ["0", "", "16,,43", "2G", "1T", "x", "-1"] {
        bench(&["--lengths", lengths]);
    }
    bench(&["--mode", "batch", "--lengths", "32M"]).says("up to 16M");
    for batch in ["0", "1025", "", "x", "-1", "8K"] {
        bench(&["--mode", "batch", "--batch", batch]).says("1 to 1024 messages");
    }
    bench(&["--batch", "8"]).says("--mode batch");
    bench(&["--mode", "batch", "--batch", "1024", "--lengths", "2M"]).says("up to 1M bytes");
}

#[test]
fn a_lost_output_is_an_error() {
    let arguments = ["bench", "--quick", "--json", "--lengths", "16", "UMAC-64"];
    Sandbox::new().wegman_into(&arguments, "/dev/full").exits(2).says("standard output");
}
