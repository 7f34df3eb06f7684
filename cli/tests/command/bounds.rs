//! `wegman bounds`. The numbers are the library's tests' matter; here, what is asked and what is said.

use crate::common::{Output, Sandbox};
use serde_json::Value;

fn bounds(arguments: &[&str]) -> Output {
    Sandbox::new().wegman(&[&["bounds"], arguments].concat())
}

fn json(arguments: &[&str]) -> Value {
    let output = bounds(&[arguments, &["--json"]].concat()).exits(0);
    serde_json::from_str(&output.out).expect(&output.out)
}

/// A number that is a string.
fn number(value: &Value) -> u128 {
    value.as_str().expect("a string").parse().expect("a number")
}

/// The examples of docs/bounds.md: each line after `$` prints what stands below it.
#[test]
fn the_examples_of_the_page() {
    let page = include_str!("../../docs/bounds.md");
    let mut lines = page.lines().peekable();
    let mut examples = 0;
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("    $ wegman ") else { continue };
        let mut wanted = Vec::new();
        while let Some(line) = lines.next_if(|line| line.is_empty() || line.starts_with("    ")) {
            wanted.push(line.strip_prefix("    ").unwrap_or_default());
        }
        while wanted.last() == Some(&"") {
            wanted.pop();
        }
        let arguments: Vec<&str> = command.split(' ').collect();
        Sandbox::new().wegman(&arguments).exits(0).prints(&wanted);
        examples += 1;
    }
    assert_eq!(examples, 3);
}

#[test]
fn json_has_the_fields_programs_read() {
    let answer = json(&["UMAC-64", "--messages", "2^40", "--attempts", "1M", "--until", "2^-38"]);
    let fields =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    let wanted = "advantages advice algorithm assumption inputs letters notes random_nonces_log2 \
                  terms total_log2";
    assert_eq!(fields(&answer).join(" "), wanted);
    assert_eq!(answer["algorithm"], "UMAC-64");
    let inputs = &answer["inputs"];
    assert_eq!(number(&inputs["messages"]), 1 << 40);
    assert_eq!(number(&inputs["attempts"]), 1 << 20);
    assert_eq!(number(&inputs["message_bytes"]), 1024);
    assert_eq!(number(&inputs["bytes"]), 1 << 50);
    assert_eq!(inputs["tag_bits"], 64);
    assert_eq!(inputs["until_log2"], -38.0);
    let terms = answer["terms"].as_array().unwrap();
    assert_eq!(terms[0]["log2"], -40.0);
    let total = answer["total_log2"].as_f64().unwrap();
    for term in terms {
        assert_eq!(fields(term), ["formula", "log2", "name", "source"]);
        assert!(term["log2"].as_f64().unwrap() <= total, "{term:#}");
    }
    let sum: f64 = terms.iter().map(|term| term["log2"].as_f64().unwrap().exp2()).sum();
    assert!((sum.log2() - total).abs() < 1e-9);
    for letter in answer["letters"].as_object().unwrap().values() {
        assert_eq!(fields(letter), ["meaning", "value"]);
    }
    assert_eq!(fields(&answer["advice"]), ["attempts", "bytes", "messages"]);
    let messages = number(&answer["advice"]["messages"]);
    assert_eq!(number(&answer["advice"]["bytes"]), messages * 1024);
    assert!(answer["random_nonces_log2"].as_f64().unwrap() <= -48.999);
}

#[test]
fn every_algorithm_is_in_the_table() {
    let list = Sandbox::new().wegman(&["algorithms", "--json"]).exits(0);
    let list: Vec<Value> = serde_json::from_str(&list.out).unwrap();
    let (list, others): (Vec<Value>, Vec<Value>) =
        list.into_iter().partition(|entry| entry["kind"] == "MAC");
    let all = json(&[]);
    let table = bounds(&[]).exits(0).out;
    assert_eq!(all.as_array().unwrap().len(), list.len());
    for (answer, algorithm) in all.as_array().unwrap().iter().zip(&list) {
        assert_eq!(answer["algorithm"], algorithm["name"]);
        assert_eq!(answer["inputs"]["tag_bits"], 8 * algorithm["tag_bytes"][1].as_u64().unwrap());
        assert!(answer["total_log2"].is_number() || answer["no_bound"].is_string(), "{answer:#}");
        let name = algorithm["name"].as_str().unwrap();
        assert!(table.lines().any(|line| line.split(' ').next() == Some(name)), "{name}");
        bounds(&[name]).exits(0).says("");
    }
    assert!(table.lines().all(|line| line.len() <= 100), "{table}");
    // Hash families and the like say why not.
    assert!(others.len() > 20);
    for family in &others {
        let name = family["name"].as_str().unwrap();
        bounds(&[name]).exits(2).says("no numbers for it; its bound: ");
    }
    // Of some, in the order they were named.
    let some = json(&["PMAC-AES128", "umac-32"]);
    assert_eq!([&some[0]["algorithm"], &some[1]["algorithm"]], ["PMAC-AES128", "UMAC-32"]);
    assert_eq!(bounds(&["PMAC-AES128", "umac-32"]).exits(0).out.lines().count(), 7);
}

#[test]
fn totals_are_of_all_messages() {
    let of = |arguments: &[&str]| {
        let answer = json(&[&["PMAC-AES128", "--messages", "10"], arguments].concat());
        (number(&answer["inputs"]["message_bytes"]), number(&answer["letters"]["s"]["value"]))
    };
    // Eleven messages are seen, one of them tried.
    assert_eq!(of(&[]), (1024, 11 * 64));
    assert_eq!(of(&["--bytes", "160"]), (16, 11));
    assert_eq!(of(&["--bytes", "161"]), (17, 22));
    assert_eq!(of(&["--bytes", "10"]), (1, 11));
    assert_eq!(of(&["--blocks", "10"]), (16, 11));
    assert_eq!(of(&["--blocks", "11"]), (32, 22));
    let shorter = json(&["PMAC-AES128", "--tag-bits", "32"]);
    assert_eq!(shorter["terms"][1]["log2"], -32.0);
}

/// Readers took `--bytes` for the length of a message, and asked about messages of a few bytes.
#[test]
fn a_length_is_not_taken_for_a_total() {
    let of = |length: &str| {
        let answer = json(&["PMAC-AES128", "--messages", "10", "--message-bytes", length]);
        assert_eq!(
            number(&answer["inputs"]["bytes"]),
            10 * number(&answer["inputs"]["message_bytes"])
        );
        (number(&answer["inputs"]["message_bytes"]), number(&answer["letters"]["s"]["value"]))
    };
    assert_eq!(of("0"), (0, 11));
    assert_eq!(of("16"), (16, 11));
    assert_eq!(of("17"), (17, 22));
    assert_eq!(of("1M"), (1 << 20, 11 << 16));
    let wrong = ["PMAC-AES128", "--messages", "1501", "--bytes", "1500"];
    bounds(&wrong).exits(2).prints(&[]).says("give one's length as --message-bytes");
    for other in ["--bytes", "--blocks"] {
        let both = ["UMAC-64", "--messages", "1", "--message-bytes", "16", other, "16"];
        bounds(&both).exits(2).prints(&[]).says("--message-bytes");
    }
}

#[test]
fn more_than_can_ever_be_is_certain_forgery() {
    let most = (u128::MAX).to_string();
    for arguments in [
        &["--blocks", "2^127"][..],
        &["--messages", &most],
        &["--messages", &most, "--bytes", &most, "--attempts", &most],
    ] {
        let answer = json(&[&["PMAC-AES128"], arguments].concat());
        assert_eq!(answer["total_log2"], 0.0, "{arguments:?}");
        bounds(&[&["PMAC-AES128"], arguments].concat()).exits(0);
    }
    let page = bounds(&["PMAC-AES128", "--blocks", "2^127"]).exits(0).out;
    assert!(page.contains("no implementation takes"), "{page}");
    for (name, longest) in [
        ("UMAC16", "2^65"),
        ("HMAC-SHA256", "2305843009213693951"),
        ("HMAC-SHA256", "2^61"),
        ("Polyval-AES", "2^61"),
    ] {
        let arguments = [name, "--messages", "1", "--message-bytes", longest];
        assert_eq!(json(&arguments)["total_log2"], 0.0, "{name}");
        let page = bounds(&arguments).exits(0).out;
        assert!(page.contains("nothing is proved of messages as long as that"), "{page}");
    }
    for name_and_number in
        [["PMAC-AES128", "--messages", "2^12"], ["UMAC-32", "--attempts", "2^31"]]
    {
        let arguments = [&name_and_number[..], &["--message-bytes", "2^61"]].concat();
        assert_eq!(json(&arguments)["total_log2"], 0.0, "{arguments:?}");
        let page = bounds(&arguments).exits(0).out;
        assert!(!page.contains("nothing is proved"), "{page}");
    }
    // The tags of 1999 have nonces of 64 bits.
    let page = bounds(&["UMAC-STD-60", "--messages", "2^65"]).exits(0).out;
    assert!(page.contains("there are only 2^64 nonces"), "{page}");
    let advice = &json(&["UMAC-STD-60", "--until", "2^-1"])["advice"];
    assert_eq!(number(&advice["messages"]), 1 << 64);
}

/// 2^48 messages under 2^-40, and with random nonces a sum that is more: both numbers stand together.
#[test]
fn random_nonces_have_their_own_advice() {
    for (name, after) in [("UMAC-64", "24879096232518 "), ("UMAC-STD-60", "5793 ")] {
        let page = bounds(&[name]).exits(0).out;
        let (_, page) = page.split_once("  change the key after 2^").unwrap();
        let random = page.lines().nth(1).unwrap();
        let says = format!("  after {after}");
        assert!(
            random.starts_with(&says) && random.contains("nonces are drawn at random"),
            "{page}"
        );
    }
    for no_nonce in ["PMAC-AES128", "HMAC-SHA256"] {
        assert!(!bounds(&[no_nonce]).exits(0).out.contains("at random"));
    }
    // No more than 2^48 are advised, and random nonces allow more.
    let page = bounds(&["Carter-128", "--until", "2^-20"]).exits(0).out;
    assert!(page.contains("change the key after 2^48") && !page.contains("if nonces"), "{page}");
}

#[test]
fn what_no_number_allows_is_said() {
    let page = bounds(&["UMAC-32"]).exits(0).out;
    assert!(page.contains("one attempt alone exceeds it"), "{page}");
    let page = bounds(&["PCS-AES128"]).exits(0).out;
    assert!(page.contains("larger without any attempt"), "{page}");
    let advice = &json(&["UMAC-32"])["advice"];
    assert!(advice["messages"].is_null() && advice["bytes"].is_null());
    assert_eq!(advice["attempts"], "0");
}

#[test]
fn impossible_inputs_are_usage_errors() {
    for (arguments, says) in [
        (&["ROT13-MAC"][..], "wegman algorithms"),
        (&["umac"], "did you mean UMAC-32, UMAC-64, "),
        (&["UHASH-4/8"], "UMAC32 is the MAC"),
        (&["UMAC-w/l"], "its members have both, such as UMAC-2/4"),
        (&["UMAC-64", "--tag-bits", "128"], "UMAC-64 has tags of 64 bits, not 128"),
        (&["PMAC-AES128", "--tag-bits", "0"], "32 to 128 bits"),
        (&["PMAC-AES128", "--tag-bits", "136"], "32 to 128 bits"),
        (&["PMAC-AES128", "--tag-bits", "-8"], "--tag-bits"),
        (&["--tag-bits", "64"], "NAME"),
        (&["UMAC-64", "--messages", "1", "--blocks", "2^127"], "2^128 bytes"),
        (&["UMAC-64", "--messages", "11", "--blocks", "10"], "--blocks: 11 messages"),
        (&["UMAC-64", "--bytes", "10", "--blocks", "10"], "--blocks"),
    ] {
        bounds(arguments).exits(2).prints(&[]).says(says);
    }
    for option in ["--messages", "--message-bytes", "--bytes", "--blocks", "--attempts"] {
        for value in ["-1", "", "x", "1.5", "2^128", "2^", "2^-1", "K", "1e6", "+1"] {
            bounds(&["UMAC-64", option, value]).exits(2).prints(&[]).says(option);
        }
        if option != "--message-bytes" {
            bounds(&["UMAC-64", option, "0"]).exits(2).prints(&[]).says(option);
        }
        bounds(&["UMAC-64", "--messages", "1", "--attempts", "64k"]).exits(0);
    }
    let too_large = "340282366920938463463374607431768211456";
    bounds(&["UMAC-64", "--messages", too_large]).exits(2).says("2^128 - 1");
    for value in ["2^40", "0.5", "2^-513", "2^-", "40", "2^--1"] {
        bounds(&["UMAC-64", "--until", value]).exits(2).prints(&[]).says("2^-40");
    }
}

/// What a term was computed of is not shown smaller than it is.
#[test]
fn letters_are_rounded_up() {
    let page = bounds(&["hash127-RC6", "--messages", "2^100"]).exits(0).out;
    assert!(page.contains("p = 2^100.01: messages tagged and tried"), "{page}");
}
