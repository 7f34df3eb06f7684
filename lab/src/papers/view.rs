//! The figures of a table, the papers' and ours, side by side, and what the whole table says: how often ours is better than
//! what is printed, whether the paper's comparisons hold here, and how far the nearest rival is.

use crate::papers::store::{Machine, Measured};
use crate::papers::subject::Subject;
use crate::papers::table::{self, Experiment, Part, Table, Unit, subject};
use crate::rivals::Rivals;
use crate::timing::measure::{Summary, median};
use crate::timing::rounds::Timing;
use crate::view::digits;
use serde::Serialize;
use std::collections::HashMap;

/// What was measured, by the names of subjects.
pub type Figures = HashMap<String, Measured>;

/// All there is to show; as JSON it is `report.json`.
#[derive(Serialize)]
pub struct Report {
    pub machine: Machine,
    /// The core's clock in GHz, in the middle of all figures, if it can be known.
    pub clock: Option<f64>,
    pub tables: Vec<Table>,
    /// Libraries that could have been measured but are absent.
    pub absent: Vec<String>,
}

impl Report {
    /// The tables with the figures that were measured.
    pub fn new(machine: Machine, figures: &Figures, engines: &Rivals) -> Report {
        let mut tables = table::all();
        for table in &mut tables {
            table.part.iter_mut().for_each(|part| part.fill(figures, engines));
            table.findings = findings(&table.part);
        }
        let clock = median(figures.values().map(|figure| figure.clock));
        Report { machine, clock, tables, absent: engines.absent.clone() }
    }
}

impl Part {
    /// Adds what was measured.
    fn fill(&mut self, figures: &Figures, engines: &Rivals) {
        for row in &mut self.row {
            let subjects = row.subjects(&self.lengths);
            let found = |subject: &Subject| figures.get(&subject.to_string());
            let value = |subject| in_unit(self.unit, subject, &found(subject)?.timing);
            if let Some(Measured { kernel, origin, .. }) = subjects.iter().find_map(found) {
                (row.kernel, row.origin) = (kernel.clone(), origin.clone());
            }
            row.ours = subjects.iter().map(value).collect();
            row.spreads = subjects.iter().map(|of| Some(found(of)?.timing.spread)).collect();
            row.absent = engines.missing(row.from.as_deref()).cloned();
        }
        for experiment in &mut self.experiment {
            let unit = *experiment.unit.get_or_insert(self.unit);
            (experiment.ours, experiment.spread) = measured(experiment, unit, figures).unzip();
        }
    }

    /// The statements that have a figure of theirs and one of ours: the middle of theirs, and ours.
    fn statements(&self) -> impl Iterator<Item = (&Experiment, Unit, f64, f64)> {
        self.experiment.iter().filter_map(|experiment| {
            let unit = experiment.unit.unwrap_or(self.unit);
            let (first, last) = (experiment.printed.first()?, experiment.printed.last()?);
            Some((experiment, unit, (first + last) / 2.0, experiment.ours?))
        })
    }

    /// How many times as good as each printed figure ours is: less of a cost is better, more of a speed.
    fn better(&self) -> Vec<f64> {
        let better_by = |unit: Unit, theirs: f64, ours: f64| match unit {
            Unit::CyclesPerByte | Unit::Cycles => theirs / ours,
            _ => ours / theirs,
        };
        let lines = self.row.iter().flat_map(|row| row.printed.iter().map(move |line| (line, row)));
        let cells = lines.flat_map(|(line, row)| line.values.iter().zip(&row.ours));
        let of_rows = cells.filter_map(|(theirs, ours)| {
            Some(better_by(self.unit, *theirs, (*ours)?)).filter(|times| !times.is_nan())
        });
        // A comparison is no figure.
        let alone = self.statements().filter(|(experiment, ..)| experiment.to.is_empty());
        let of_statements = alone.map(|(_, unit, theirs, ours)| better_by(unit, theirs, ours));
        of_rows.chain(of_statements).collect()
    }

    /// For each column, the time of the fastest rival divided by that of our fastest row.
    fn nearest(&self) -> Vec<f64> {
        let best = |column: usize, is_rival| {
            let rows = self.row.iter().filter(|row| row.from.is_some() == is_rival);
            rows.filter_map(|row| row.ours[column]).min_by(f64::total_cmp)
        };
        let columns = 0..self.lengths.len();
        columns.filter_map(|at| Some(best(at, true)? / best(at, false)?)).collect()
    }
}

/// A figure in a unit; none if the unit needs the core's cycles and they are not known.
fn in_unit(unit: Unit, subject: &Subject, figure: &Timing) -> Option<f64> {
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
fn measured(experiment: &Experiment, unit: Unit, figures: &Figures) -> Option<(f64, f64)> {
    let sum = |names: &[String], value: &dyn Fn(&Subject, &Timing) -> Option<f64>| {
        names.iter().try_fold((0.0, 0.0_f64), |(sum, spread), name| {
            let subject = subject(name.trim_start_matches('-'));
            let timing = figures.get(&subject.to_string())?.timing;
            let value = value(&subject, &timing)?;
            let value = if name.starts_with('-') { -value } else { value };
            Some((sum + value, spread.max(timing.spread)))
        })
    };
    let map: fn(f64) -> f64 = match unit {
        Unit::PercentMore => |value| 100.0 * (value - 1.0),
        Unit::PercentSlower => |value| 100.0 * (1.0 - 1.0 / value),
        Unit::Percent => |value| 100.0 * value,
        Unit::Times => |value| value,
        unit => return sum(&experiment.of, &|subject, timing| in_unit(unit, subject, timing)),
    };
    // Cycles, or times where they are not known: their quotient is the same.
    let cost = |names| sum(names, &|_, timing| Some(timing.cost()));
    let ((of, spread), (to, of_to)) = (cost(&experiment.of)?, cost(&experiment.to)?);
    Some((map(of / to), spread.max(of_to)))
}

/// What a whole table says, its parts together.
fn findings(parts: &[Part]) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some((better, all, middle)) = tally(parts.iter().flat_map(Part::better)) {
        sentences.push(format!(
            "In all, ours is better than the printed figure at {better} of {all}, and {middle} times as good in the middle."
        ));
    }
    let statements = parts.iter().flat_map(Part::statements);
    let comparisons = statements.filter_map(|(experiment, unit, theirs, ours)| {
        Some((&*experiment.name, goes_their_way(unit, theirs, ours)?))
    });
    let (holds, others): (Vec<_>, Vec<_>) = comparisons.partition(|(_, holds)| *holds);
    let (count, all) = (holds.len(), holds.len() + others.len());
    if all > 0 {
        let others: Vec<&str> = others.iter().map(|(name, _)| *name).collect();
        let not = if others.is_empty() { "" } else { ". Not: " };
        let others = others.join("; ");
        sentences.push(format!("In all, {count} of {all} comparisons go their way{not}{others}."));
    }
    if let Some((fastest, all, middle)) = tally(parts.iter().flat_map(Part::nearest)) {
        sentences.push(format!(
            "In all, one of ours is the fastest row at {fastest} of {all} lengths, and the fastest rival takes {middle} \
             times the cycles in the middle."
        ));
    }
    sentences
}

/// Three digits or so.
pub fn short(value: f64) -> String {
    digits(value, 3)
}

/// How many are more than 1, of how many, and the one in the middle; none if there are none.
fn tally(times: impl Iterator<Item = f64>) -> Option<(usize, usize, String)> {
    let times: Vec<f64> = times.collect();
    let more = times.iter().filter(|times| **times > 1.0).count();
    (!times.is_empty()).then(|| (more, times.len(), short(Summary::of(times).median)))
}

/// Whether a comparison has the same outcome as the paper's; none if it is not a comparison.
fn goes_their_way(unit: Unit, theirs: f64, ours: f64) -> Option<bool> {
    match unit {
        // A few percent are nothing.
        Unit::PercentMore | Unit::PercentSlower if theirs.abs() < 3.0 => Some(ours.abs() < 5.0),
        Unit::PercentMore | Unit::PercentSlower => {
            Some(ours.signum() == theirs.signum() && ours.abs() >= 3.0)
        }
        // Half the way there or more.
        Unit::Times => Some(ours - 1.0 >= (theirs - 1.0) / 2.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::tests::sample;
    use crate::rivals;

    /// Whether there is anything of ours in it.
    fn is_measured(part: &Part) -> bool {
        part.row.iter().any(|row| row.ours.iter().any(Option::is_some))
            || part.experiment.iter().any(|experiment| experiment.ours.is_some())
    }

    #[test]
    fn what_was_measured_is_there_and_nothing_else() {
        let report = sample();
        let parts = || report.tables.iter().flat_map(|table| &table.part);
        assert!(parts().all(is_measured));
        assert_eq!(report.tables[0].part[0].row[0].ours[0], Some(1.5));
        let machine = sample().machine;
        let nothing = Report::new(machine, &HashMap::new(), &rivals::all(None));
        assert!(nothing.tables.iter().all(|table| table.findings.is_empty()));
        assert!(!nothing.tables.iter().flat_map(|table| &table.part).any(is_measured));
    }

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

    #[test]
    fn ways_are_told_apart() {
        for (unit, theirs, ours, way) in [
            (Unit::PercentMore, 24.0, 80.0, Some(true)),
            (Unit::PercentMore, 24.0, -3.5, Some(false)),
            (Unit::PercentMore, 0.0, 1.0, Some(true)),
            (Unit::PercentMore, 0.0, 9.0, Some(false)),
            (Unit::Times, 4.0, 2.6, Some(true)),
            (Unit::Times, 4.0, 1.1, Some(false)),
            (Unit::Percent, 47.0, 80.0, None),
        ] {
            assert_eq!(goes_their_way(unit, theirs, ours), way);
        }
    }

    /// Everything takes a cycle and a half a byte.
    #[test]
    fn a_table_is_summed_up_from_its_numbers() {
        let report = sample();
        let of = |name: &str| {
            report.tables.iter().find(|table| table.name == name).unwrap().findings.join(" ")
        };
        let note = "In all, ours is better than the printed figure at 13 of 16, and 2.17 times as good in the middle.";
        assert_eq!(of("note"), note);
        assert!(
            of("experiments").contains(" comparisons go their way. Not: "),
            "{}",
            of("experiments")
        );
        assert!(of("rivals").contains("is the fastest row at 0 of "), "{}", of("rivals"));
    }
}
