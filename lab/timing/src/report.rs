//! What a run prints: the machine, and the speeds for programs. Tables are made where they are shown.

use crate::messages::Size;
pub use crate::messages::bytes;
use crate::rounds::Timing;
use serde::Serialize;
use wegman::Cpu;

/// A spread above this is seldom the algorithm's own.
pub const UNQUIET: f64 = 0.1;

/// What to say then.
pub const UNQUIET_NOTE: &str =
    "spreads above 10 % are seldom the algorithms' own: repeat when the machine is quiet";

/// What was measured of one algorithm in one mode at one length.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// The algorithm.
    pub algorithm: String,
    /// The kernel that ran, as far as its library says so.
    pub kernel: String,
    /// The library it came from, if not ours alone are measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The mode.
    pub mode: &'static str,
    /// Bytes in the message, or the mix of lengths.
    pub length: Size,
    /// Core cycles a message, if they can be known.
    pub cycles: Option<f64>,
    /// Core cycles a byte, of a mix on average.
    pub cpb: Option<f64>,
    /// Nanoseconds a message.
    pub ns: f64,
    /// Interquartile range of the blocks divided by their median, of the cycles if they are known.
    pub spread: f64,
}

impl Speed {
    /// The speed a timing shows.
    #[must_use]
    pub fn new(
        algorithm: &str,
        kernel: &str,
        mode: &'static str,
        length: impl Into<Size>,
        timing: &Timing,
    ) -> Speed {
        let cycles = timing.cycles.map(|cycles| cycles.median);
        let length = length.into();
        Speed {
            algorithm: algorithm.to_owned(),
            kernel: kernel.to_owned(),
            origin: None,
            mode,
            length,
            cycles,
            cpb: cycles.map(|cycles| cycles / length.mean()),
            ns: timing.ns.median,
            spread: timing.cycles.unwrap_or(timing.ns).spread,
        }
    }
}

/// All of a run, for programs: the processor, its clock in GHz while it measured (`null` if that
/// can't be known), and the speeds.
#[derive(Serialize)]
pub struct Record<'r> {
    /// The processor's name.
    pub cpu: String,
    /// Its clock in GHz.
    pub clock: Option<f64>,
    /// The speeds.
    pub results: &'r [Speed],
    /// Libraries that could have been measured but are absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absent: Option<Vec<String>>,
}

/// The processor's name, as the system gives it.
#[must_use]
pub fn cpu_model() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(field, _)| field.trim() == "model name")
        .map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// The line that says which machine the figures are of.
#[must_use]
pub fn machine(core_ghz: Option<f64>, ticks_per_ns: f64) -> String {
    let features: Vec<&str> = Cpu::detect().features().collect();
    let core = core_ghz.map_or("unknown".to_owned(), |ghz| format!("{ghz:.2} GHz"));
    let model = cpu_model();
    format!("{model}; {}; clock {core}, ticks {ticks_per_ns:.2} GHz", features.join(" "))
}

/// Why the figures of this build are worth nothing, if it was not optimised.
#[must_use]
pub fn debug_warning() -> Option<&'static str> {
    cfg!(debug_assertions).then_some("not a release build: build with --release")
}

/// Four digits or so, the most anything here is known to.
#[must_use]
pub fn digits(value: f64) -> String {
    let decimals = match value {
        ..1.0 => 4,
        ..10.0 => 3,
        ..100.0 => 2,
        ..1000.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// The digits of a figure that may not be known.
#[must_use]
pub fn digits_or_dash(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Summary;
    use serde_json::json;

    #[test]
    fn numbers_keep_their_leading_digits() {
        let values = [0.07123, 0.5, 9.8765, 98.765, 987.65, 9876.5, 0.0];
        let texts = ["0.0712", "0.5000", "9.877", "98.77", "987.6", "9876", "0.0000"];
        assert_eq!(values.map(digits), texts);
        assert_eq!(digits_or_dash(None), "-");
    }

    #[test]
    fn lengths_are_short_where_they_are_round() {
        let lengths = [1, 4096, 1500, 65_536, 262_145, 16 << 20, 1 << 30];
        let texts = ["1", "4096", "1500", "64K", "262145", "16M", "1G"];
        assert_eq!(lengths.map(bytes), texts);
    }

    #[test]
    fn a_record_has_the_fields_programs_read() {
        let cycles = Summary { median: 21.5, spread: 0.125 };
        let ns = Summary { median: 10.75, spread: 0.5 };
        let timing = Timing { cycles: Some(cycles), ns };
        let speed = Speed::new("UMAC-64", "portable", "single", 43, &timing);
        let record =
            Record { cpu: "A CPU".into(), clock: Some(2.0), results: &[speed], absent: None };
        let result = json!({
            "algorithm": "UMAC-64", "kernel": "portable", "mode": "single", "length": 43,
            "cycles": 21.5, "cpb": 0.5, "ns": 10.75, "spread": 0.125,
        });
        let record = serde_json::to_value(&record).unwrap();
        assert_eq!(record, json!({ "cpu": "A CPU", "clock": 2.0, "results": [result] }));
    }

    #[test]
    fn without_a_known_clock_nanoseconds_remain() {
        let ns = Summary { median: 10.75, spread: 0.5 };
        let speed = Speed::new("UMAC-64", "portable", "single", 43, &Timing { cycles: None, ns });
        assert_eq!((speed.cycles, speed.cpb, speed.spread), (None, None, 0.5));
    }
}
