//! What a run prints: the machine first, then the tables, or all of it as JSON.

use crate::speeds::{Speed, Speeds};
use serde::Serialize;
use std::fmt::Write as _;
use wegman::Cpu;

/// Lengths side by side in one table: so many fit into 100 columns.
const LENGTHS_ACROSS: usize = 4;

/// A spread above this is seldom the engine's own.
const UNQUIET: f64 = 0.1;

/// The processor's name, as the system gives it.
pub fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(field, _)| field.trim() == "model name")
        .map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// The line that says which machine the figures are of.
pub fn machine(core_ghz: Option<f64>, ticks_per_ns: f64) -> String {
    let features: Vec<&str> = Cpu::detect().features().collect();
    let core = core_ghz.map_or("unknown".to_owned(), |ghz| format!("{ghz:.2} GHz"));
    let model = cpu_model();
    format!("{model}; {}; clock {core}, ticks {ticks_per_ns:.2} GHz", features.join(" "))
}

/// What about this build makes its figures worthless, if anything.
pub fn warnings() -> Vec<&'static str> {
    let mut warnings = Vec::new();
    if cfg!(debug_assertions) {
        warnings.push("not a release build: build with --release");
    }
    if cfg!(all(
        target_arch = "x86_64",
        any(
            target_feature = "avx",
            target_feature = "avx2",
            target_feature = "avx512f",
            target_feature = "aes",
            target_feature = "sha",
        )
    )) {
        warnings.push(
            "built for more than the default processor (target-cpu or target-feature): some rivals \
             are then far slower than they need to be",
        );
    }
    warnings
}

/// All of a run, for programs.
pub fn json(speeds: &Speeds) -> Result<String, String> {
    #[derive(Serialize)]
    struct Run<'s> {
        cpu: String,
        clock_ghz: Option<f64>,
        results: &'s [Speed],
    }
    let Speeds { clock_ghz, results } = speeds;
    serde_json::to_string_pretty(&Run { cpu: cpu_model(), clock_ghz: *clock_ghz, results })
        .map_err(|error| error.to_string())
}

/// All of a run, for people.
pub fn tables(speeds: &Speeds) -> String {
    let mut text = String::new();
    let lengths: Vec<&[Speed]> = speeds.results.chunk_by(|a, b| a.length == b.length).collect();
    for lengths in lengths.chunks(LENGTHS_ACROSS) {
        text += "\ncycles per byte: median, and interquartile range / median\n";
        table(&mut text, lengths, |speed| {
            format!("{} {:5.1}%", speed.cpb.map_or("-".to_owned(), digits), 100.0 * speed.spread)
        });
        text += "\nns per message: median\n";
        table(&mut text, lengths, |speed| digits(speed.ns));
    }
    if let Some(ghz) = speeds.clock_ghz {
        let _ = writeln!(text, "\ncore clock while measuring: {ghz:.2} GHz (median)");
    }
    if speeds.results.iter().any(|speed| speed.spread > UNQUIET) {
        text +=
            "spreads above 10 % are seldom the engines' own: repeat when the machine is quiet\n";
    }
    text
}

/// One row per engine, one column per length.
fn table(text: &mut String, lengths: &[&[Speed]], cell: impl Fn(&Speed) -> String) {
    let _ = write!(text, "{:<12}{:<10}{:<21}", "algorithm", "kernel", "from");
    for speeds in lengths {
        let _ = write!(text, "{:>14}", format!("{} B", speeds[0].length));
    }
    for row in 0..lengths[0].len() {
        let Speed { algorithm, kernel, origin, .. } = lengths[0][row];
        let _ = write!(text, "\n{algorithm:<12}{kernel:<10}{origin:<21}");
        for speeds in lengths {
            let _ = write!(text, "{:>14}", cell(&speeds[row]));
        }
    }
    text.push('\n');
}

/// Four digits or so, the most anything here is known to.
fn digits(value: f64) -> String {
    let decimals = match value {
        ..1.0 => 4,
        ..10.0 => 3,
        ..100.0 => 2,
        ..1000.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speeds(lengths: &[usize]) -> Speeds {
        let speed = |&length| Speed {
            algorithm: "PMAC-AES128",
            kernel: "portable",
            origin: "hmac 0.13, sha1 0.11",
            length,
            cycles: Some(0.5 * length as f64),
            cpb: Some(0.5),
            ns: 0.25 * length as f64,
            spread: 0.123,
        };
        Speeds { clock_ghz: Some(2.0), results: lengths.iter().map(speed).collect() }
    }

    #[test]
    fn numbers_keep_their_leading_digits() {
        let values = [0.07123, 0.5, 9.8765, 98.765, 987.65, 9876.5, 0.0];
        let texts = ["0.0712", "0.5000", "9.877", "98.77", "987.6", "9876", "0.0000"];
        assert_eq!(values.map(digits), texts);
    }

    #[test]
    fn tables_fit_in_100_columns_and_show_every_length() {
        let lengths = [1, 43, 256, 1500, 262_144, 16_777_216];
        let text = tables(&speeds(&lengths));
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        for length in lengths {
            assert_eq!(text.matches(&format!(" {length} B")).count(), 2, "{text}");
        }
        assert!(text.ends_with("quiet\n"), "{text}");
        assert_eq!(text.matches("0.5000  12.3%").count(), lengths.len(), "{text}");
    }

    #[test]
    fn json_has_the_fields_programs_read() {
        let json: serde_json::Value = serde_json::from_str(&json(&speeds(&[43])).unwrap()).unwrap();
        assert_eq!(json["clock_ghz"], 2.0);
        assert!(json["cpu"].is_string());
        let result = serde_json::json!({
            "algorithm": "PMAC-AES128", "kernel": "portable", "length": 43,
            "cycles": 21.5, "cpb": 0.5, "ns": 10.75, "spread": 0.123,
        });
        assert_eq!(json["results"], serde_json::json!([result]));
    }
}
