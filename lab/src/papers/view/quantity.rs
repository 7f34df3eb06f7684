//! What was measured as a figure in a table's unit.

use crate::papers::store::Measured;
use crate::papers::subject::Subject;
use crate::papers::table::{Experiment, Term};
use crate::papers::unit::Unit;
use crate::timing::rounds::Timing;
use std::collections::HashMap;

/// A figure in a unit; none if the unit needs the core's cycles and they are not known.
pub fn in_unit(unit: Unit, subject: &Subject, figure: &Timing) -> Option<f64> {
    let bytes: usize = subject.lengths.iter().sum();
    let bytes = bytes as f64 / subject.lengths.len().max(1) as f64;
    Some(match unit {
        Unit::CyclesPerByte => figure.cycles? / bytes,
        Unit::Cycles => figure.cycles?,
        Unit::GbitPerSecond => 8.0 * bytes / figure.ns,
        Unit::GbitAt350 => 8.0 * 0.35 / (figure.cycles? / bytes),
        Unit::Packets => 1e3 / figure.ns,
        Unit::PercentMore | Unit::PercentSlower | Unit::Percent | Unit::Times => return None,
    })
}

/// The combined value of an experiment's figures, and the widest spread among them; none if one of them is missing.
pub fn measured(
    experiment: &Experiment,
    unit: Unit,
    figures: &HashMap<String, Measured>,
) -> Result<Option<(f64, f64)>, String> {
    let [of, to] = experiment.terms()?;
    let sum = |terms: &[Term], unit: Unit| -> Option<(f64, f64)> {
        terms.iter().try_fold((0.0, 0.0_f64), |(sum, spread), Term { is_minus, subject }| {
            let timing = figures.get(&subject.to_string())?.timing;
            let value = in_unit(unit, subject, &timing)?;
            Some((sum + if *is_minus { -value } else { value }, spread.max(timing.spread)))
        })
    };
    // Cycles, or times where they are not known: their quotient is the same.
    let cost = |terms: &[Term]| {
        sum(terms, Unit::Cycles).or_else(|| {
            let (packets, spread) = sum(terms, Unit::Packets)?;
            (terms.len() == 1).then_some((1.0 / packets, spread))
        })
    };
    let of_quotient = |map: fn(f64) -> f64| {
        let ((of, spread), (to, of_to)) = (cost(&of)?, cost(&to)?);
        Some((map(of / to), spread.max(of_to)))
    };
    Ok(match unit {
        Unit::PercentMore => of_quotient(|value| 100.0 * (value - 1.0)),
        Unit::PercentSlower => of_quotient(|value| 100.0 * (1.0 - 1.0 / value)),
        Unit::Percent => of_quotient(|value| 100.0 * value),
        Unit::Times => of_quotient(|value| value),
        unit => sum(&of, unit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_what_they_say() {
        let subject = |text: &str| text.parse::<Subject>().unwrap();
        let figure = Timing { cycles: Some(100.0), ns: 50.0, spread: 0.0 };
        let value = |unit, text| in_unit(unit, &subject(text), &figure).unwrap();
        assert_eq!(value(Unit::CyclesPerByte, "X @ 200"), 0.5);
        assert_eq!(value(Unit::GbitPerSecond, "X @ 200"), 32.0);
        assert_eq!(value(Unit::GbitAt350, "X @ 200"), 5.6);
        assert_eq!(value(Unit::Packets, "X @ 100+200+300"), 20.0);
        assert_eq!(value(Unit::CyclesPerByte, "X @ 100+200+300"), 0.5);
        assert_eq!(value(Unit::Cycles, "key of X"), 100.0);
    }
}
