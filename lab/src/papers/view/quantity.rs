//! What was measured as a figure in a table's unit.

use super::Value;
use crate::papers::store::Measured;
use crate::papers::subject::Subject;
use crate::papers::table::{Experiment, Term};
use crate::papers::unit::Unit;
use crate::path::Cost;
use crate::timing::rounds::Timing;
use std::collections::HashMap;

/// A figure in a unit; none if the unit needs the core's cycles and they are not known.
pub fn in_unit(unit: Unit, subject: &Subject, figure: &Timing) -> Option<f64> {
    let bytes: usize = subject.lengths.iter().sum();
    let bytes = bytes as f64 / subject.lengths.len().max(1) as f64;
    Some(match unit {
        Unit::CyclesPerByte => figure.cycles? / bytes,
        Unit::Cycles => figure.cycles?,
        Unit::NsPerPacket => figure.ns,
        Unit::NsPerByte => figure.ns / bytes,
        Unit::GibPerSecond => bytes / figure.ns * 1e9 / (1_u64 << 30) as f64,
        Unit::GbitPerSecond => 8.0 * bytes / figure.ns,
        Unit::GbitAt350 => 8.0 * 0.35 / (figure.cycles? / bytes),
        Unit::Packets => 1e3 / figure.ns,
        Unit::PercentMore | Unit::PercentSlower | Unit::Percent | Unit::Times => return None,
    })
}

/// A figure of the packet path in a unit; none if it has none in that unit.
pub fn of_cost(unit: Unit, cost: &Cost) -> Option<f64> {
    match unit {
        Unit::NsPerPacket => Some(cost.cpu_ns),
        Unit::NsPerByte => Some(cost.cpu_ns_per_byte),
        Unit::CyclesPerByte => cost.cpu_cycles_per_byte,
        Unit::Packets => Some(cost.packets_per_s / 1e6),
        Unit::GbitPerSecond => Some(8.0 * cost.message_mb_per_s / 1e3),
        Unit::Times => Some(cost.times_no_mac),
        Unit::Percent => cost.mac_ns_share.map(|share| 100.0 * share),
        _ => None,
    }
}

/// The combined value of an experiment's figures; none if one of them is missing.
pub fn measured(
    experiment: &Experiment,
    unit: Unit,
    figures: &HashMap<String, Measured>,
) -> Result<Option<Value>, String> {
    let [of, to] = experiment.terms()?;
    let value = |term: &Term, unit: Unit| {
        let timing = figures.get(&term.subject.to_string())?.timing;
        let value = in_unit(unit, &term.subject, &timing)?;
        Some((if term.is_minus { -value } else { value }, timing.spread))
    };
    let sum = |terms: &[Term], unit: Unit| -> Option<Value> {
        let values: Vec<(f64, f64)> =
            terms.iter().map(|term| value(term, unit)).collect::<Option<_>>()?;
        let spread = values.iter().map(|(_, spread)| *spread).fold(0.0, f64::max);
        Some(Value { value: values.iter().map(|(value, _)| value).sum(), spread })
    };
    // Cycles, or times where they are not known: their quotient is the same.
    let cost = |terms: &[Term]| {
        sum(terms, Unit::Cycles).or_else(|| {
            let packets = sum(terms, Unit::Packets)?;
            (terms.len() == 1).then_some(Value { value: 1.0 / packets.value, ..packets })
        })
    };
    let quotient = || {
        let (of, to) = (cost(&of)?, cost(&to)?);
        Some(Value { value: of.value / to.value, spread: of.spread.max(to.spread) })
    };
    let map = |value: fn(f64) -> f64| quotient().map(|q| Value { value: value(q.value), ..q });
    Ok(match unit {
        Unit::PercentMore => map(|value| 100.0 * (value - 1.0)),
        Unit::PercentSlower => map(|value| 100.0 * (1.0 - 1.0 / value)),
        Unit::Percent => map(|value| 100.0 * value),
        Unit::Times => quotient(),
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
