//! What a run prints: the machine, and the speeds for programs. Tables are made where they are shown.

pub use super::messages::bytes;
use wegman::Cpu;

/// A spread above this is seldom the algorithm's own.
pub const UNQUIET: f64 = 0.1;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_leading_digits() {
        let values = [0.07123, 0.5, 9.8765, 98.765, 987.65, 9876.5, 0.0];
        let texts = ["0.0712", "0.5000", "9.877", "98.77", "987.6", "9876", "0.0000"];
        assert_eq!(values.map(digits), texts);
    }

    #[test]
    fn lengths_are_short_where_they_are_round() {
        let lengths = [1, 4096, 1500, 65_536, 262_145, 16 << 20, 1 << 30];
        let texts = ["1", "4096", "1500", "64K", "262145", "16M", "1G"];
        assert_eq!(lengths.map(bytes), texts);
    }
}
