//! The units of the tables, and figures in words.

use crate::named::named;
use crate::timing::report::digits;

named! {
    /// What the figures are in.
    pub enum Unit {
        CyclesPerByte = "cycles/byte",
        Cycles = "cycles",
        GbitPerSecond = "Gbit/s",
        /// At the clock of the paper's Pentium II.
        GbitAt350 = "Gbit/s at 350 MHz",
        Packets = "million packets/s",
        /// So much more time.
        PercentMore = "% more",
        /// So much less speed.
        PercentSlower = "% slower",
        /// So much of it.
        Percent = "%",
        /// So many times it.
        Times = "times",
    }
}

impl Unit {
    /// Whether less is faster.
    pub const fn is_cost(self) -> bool {
        matches!(self, Unit::CyclesPerByte | Unit::Cycles)
    }
}

/// A figure's ends: twice the same if it is none of a range.
pub fn ends(printed: &[f64]) -> Option<[f64; 2]> {
    Some([*printed.first()?, *printed.last()?])
}

/// A printed figure or range, with its unit.
pub fn range(unit: Unit, printed: &[f64]) -> String {
    match ends(printed) {
        None => "-".to_owned(),
        Some(ends) => {
            let words = |ends: [f64; 2]| {
                let [a, b] = ends.map(|end| end.to_string());
                if a == b { a } else { format!("{a} to {b}") }
            };
            format!("{} {}", words(ends), unit.name())
        }
    }
}

/// A figure with its unit.
pub fn in_words(unit: Unit, value: f64) -> String {
    match unit {
        Unit::PercentMore if value < 0.0 => format!("{} % less", short(-value)),
        Unit::PercentSlower if value < 0.0 => format!("{} % faster", short(-value)),
        unit => format!("{} {}", short(value), unit.name()),
    }
}

/// A line as the paper prints it: every figure gets the decimals of the most precise one.
pub fn theirs(values: &[f64]) -> Vec<String> {
    let decimals =
        |value: &f64| value.to_string().split_once('.').map_or(0, |(_, part)| part.len());
    let decimals = values.iter().map(decimals).max().unwrap_or(0);
    let text = |value: &f64| match value.is_nan() {
        true => "-".to_owned(),
        false => format!("{value:.decimals$}"),
    };
    values.iter().map(text).collect()
}

/// Three digits or so.
pub fn short(value: f64) -> String {
    digits(value, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_printed_as_people_write_them() {
        assert_eq!(range(Unit::PercentMore, &[10.0, 20.0]), "10 to 20 % more");
        assert_eq!(range(Unit::CyclesPerByte, &[0.98]), "0.98 cycles/byte");
        assert_eq!(theirs(&[14.0, 2.7, f64::NAN]), ["14.0", "2.7", "-"]);
        assert_eq!(in_words(Unit::PercentMore, -4.0), "4.00 % less");
    }
}
