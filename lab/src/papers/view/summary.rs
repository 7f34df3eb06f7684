//! What a whole table says, its parts together: how often ours is better than what is printed, whether the paper's
//! comparisons hold here, and how far the nearest rival is.

use super::{ExperimentView, PartView};
use crate::papers::unit::{Unit, ends, short};
use crate::timing::measure::Summary;

/// What a whole table says, its parts together.
pub fn summary(parts: &[PartView<'_>]) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some((better, all, middle)) = tally(parts.iter().flat_map(PartView::better)) {
        sentences.push(format!(
            "In all, ours is better than the printed figure at {better} of {all}, and {middle} times as good in the middle."
        ));
    }
    let statements = parts.iter().flat_map(PartView::statements);
    let comparisons = statements
        .filter_map(|(view, theirs, ours)| Some((view, goes_their_way(view.unit, theirs, ours)?)));
    let (holds, others): (Vec<_>, Vec<_>) = comparisons.partition(|(_, holds)| *holds);
    let (count, all) = (holds.len(), holds.len() + others.len());
    if all > 0 {
        let others: Vec<&str> = others.iter().map(|(view, _)| &*view.experiment.name).collect();
        let not = if others.is_empty() { "" } else { ". Not: " };
        let others = others.join("; ");
        sentences.push(format!("In all, {count} of {all} comparisons go their way{not}{others}."));
    }
    if let Some((fastest, all, middle)) = tally(parts.iter().flat_map(PartView::nearest)) {
        sentences.push(format!(
            "In all, one of ours is the fastest row at {fastest} of {all} lengths, and the fastest rival takes {middle} \
             times the cycles in the middle."
        ));
    }
    sentences
}

/// How many are more than 1, of how many, and the one in the middle; none if there are none.
fn tally(times: impl Iterator<Item = f64>) -> Option<(usize, usize, String)> {
    let times: Vec<f64> = times.collect();
    let more = times.iter().filter(|times| **times > 1.0).count();
    (!times.is_empty()).then(|| (more, times.len(), short(Summary::of(times).median)))
}

/// A statement, the ends of their figure, and ours.
type Statement<'p, 't> = (&'p ExperimentView<'t>, [f64; 2], f64);

impl<'t> PartView<'t> {
    /// The statements that have a figure of theirs and one of ours.
    fn statements(&self) -> impl Iterator<Item = Statement<'_, 't>> {
        self.experiments
            .iter()
            .filter_map(|view| Some((view, ends(&view.experiment.printed)?, view.ours?)))
    }

    /// How many times as good as each printed figure ours is: less of a cost is better, more of a speed.
    fn better(&self) -> Vec<f64> {
        let better_by = |unit: Unit, theirs: f64, ours: f64| {
            if unit.is_cost() { theirs / ours } else { ours / theirs }
        };
        let lines =
            self.rows.iter().flat_map(|row| row.row.printed.iter().map(move |line| (line, row)));
        let cells = lines.flat_map(|(line, row)| line.values.iter().zip(&row.ours));
        let of_rows = cells.filter_map(|(theirs, ours)| {
            Some(better_by(self.part.unit, *theirs, (*ours)?)).filter(|times| !times.is_nan())
        });
        // A comparison is no figure.
        let alone = self.statements().filter(|(view, ..)| view.experiment.to.is_empty());
        let of_statements = alone
            .map(|(view, theirs, ours)| better_by(view.unit, (theirs[0] + theirs[1]) / 2.0, ours));
        of_rows.chain(of_statements).collect()
    }

    /// For each column, the time of the fastest rival divided by that of our fastest row.
    fn nearest(&self) -> Vec<f64> {
        let best = |column: usize, is_rival| {
            let rows = self.rows.iter().filter(|row| row.row.from.is_some() == is_rival);
            rows.filter_map(|row| row.ours[column]).min_by(f64::total_cmp)
        };
        (0..self.part.lengths.len())
            .filter_map(|at| Some(best(at, true)? / best(at, false)?))
            .collect()
    }
}

/// Whether a comparison has the same outcome as the paper's; none if it is not a comparison.
fn goes_their_way(unit: Unit, theirs: [f64; 2], ours: f64) -> Option<bool> {
    let middle = (theirs[0] + theirs[1]) / 2.0;
    match unit {
        // A few percent are nothing.
        Unit::PercentMore | Unit::PercentSlower if middle.abs() < 3.0 => Some(ours.abs() < 5.0),
        Unit::PercentMore | Unit::PercentSlower => {
            Some(ours.signum() == middle.signum() && ours.abs() >= 3.0)
        }
        // Half the way there or more.
        Unit::Times => Some(ours - 1.0 >= (middle - 1.0) / 2.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::table;
    use crate::papers::tests::sample;

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
            assert_eq!(goes_their_way(unit, [theirs; 2], ours), way);
        }
    }

    /// Everything takes a cycle and a half a byte.
    #[test]
    fn a_table_is_summed_up_from_its_numbers() {
        let tables = table::all().unwrap();
        let report = sample(&tables);
        let of = |name: &str| {
            report.tables.iter().find(|view| view.table.name == name).unwrap().findings.join(" ")
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
