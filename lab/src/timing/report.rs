//! What a run prints: the machine, and the speeds for programs. Tables are made where they are shown.

use super::measure::Clock;
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
pub fn machine(clock: &Clock) -> String {
    let core = clock.core_ghz().map_or("unknown".to_owned(), |ghz| format!("{ghz:.2} GHz"));
    let (model, features, ticks) = (cpu_model(), features(), clock.ticks_per_ns());
    format!("{model}; {features}; clock {core}, ticks {ticks:.2} GHz")
}

/// The processor's features.
pub fn features() -> String {
    Cpu::detect().features().collect::<Vec<_>>().join(" ")
}

/// So many digits, those of numbers below 1 behind the point, and none behind the point of numbers that have them before it.
#[must_use]
pub fn digits(value: f64, most: usize) -> String {
    let before = [1.0, 10.0, 100.0, 1000.0].into_iter().filter(|&power| value.abs() >= power);
    format!("{value:.*}", most.saturating_sub(before.count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_leading_digits() {
        let values = [0.07123, 0.5, 9.8765, 98.765, 987.65, 9876.5, 0.0];
        let texts = ["0.0712", "0.5000", "9.877", "98.77", "987.6", "9876", "0.0000"];
        assert_eq!(values.map(|value| digits(value, 4)), texts);
    }
}
