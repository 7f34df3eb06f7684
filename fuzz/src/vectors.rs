//! Known-answer files.

use serde_json::Value;
use wegman_answers::File;

/// A file. It is read, and run if its messages are short.
pub fn run(data: &[u8]) {
    let Ok(file) = File::read(data) else { return };
    let answers = file.algorithms().len();
    assert!(answers > 0);
    let json: Value = serde_json::from_slice(data).expect("it was read");
    if answers > 8 || !is_short(&json) {
        return;
    }
    let report = file.run();
    let skipped: usize = report.skipped.values().sum();
    assert!(skipped <= answers);
    for of in &report.kernels {
        assert!(of.passed + of.failures.len() <= answers - skipped);
    }
}

/// Whether no number of a rule is above 4095: larger ones take minutes.
fn is_short(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_u64().is_none_or(|number| number < 4096),
        Value::String(text) => {
            let is_rule = text.contains(|c: char| c.is_alphabetic() && !c.is_ascii_hexdigit());
            !is_rule || text.split(|c: char| !c.is_ascii_digit()).all(|digits| digits.len() < 4)
        }
        Value::Array(values) => values.iter().all(is_short),
        Value::Object(values) => values.values().all(is_short),
        _ => true,
    }
}
