//! Whether the statements of a paper hold here.

use super::{ExperimentView, PartView};
use crate::papers::unit::{Unit, ends, in_words, range, short};
use crate::timing::measure::Summary;

impl<'t> PartView<'t> {
    /// The statements that have a figure of theirs and one of ours.
    pub(super) fn statements(&self) -> Vec<Statement<'_, 't>> {
        let views = self.experiments.iter();
        let both = |view: &'_ ExperimentView<'t>| {
            Some((ends(&view.experiment.printed)?, view.ours?.value))
        };
        views.filter_map(|view| both(view).map(|(theirs, ours)| (view, theirs, ours))).collect()
    }

    /// What the statements say together.
    pub(super) fn of_experiments(&self) -> Vec<String> {
        let both = self.statements();
        let mut sentences: Vec<String> = ways(&both).into_iter().collect();
        sentences.extend(costs(&both));
        sentences.extend(shares(&both));
        if sentences.is_empty() {
            let ours = self.experiments.iter().filter_map(|view| Some((view, view.ours?.value)));
            let ours = ours.map(|(view, ours)| {
                format!("{}: {}.", view.experiment.name, in_words(view.unit, ours))
            });
            sentences.extend(ours);
        }
        sentences
    }
}

/// A statement, the ends of their figure, and ours.
type Statement<'p, 't> = (&'p ExperimentView<'t>, [f64; 2], f64);

/// Whether the paper's comparisons go the same way here.
fn ways(both: &[Statement<'_, '_>]) -> Option<String> {
    let (mut holding, mut others) = (Vec::new(), Vec::new());
    for &(view, theirs, ours) in both {
        let Some(holds) = goes_their_way(view.unit, theirs, ours) else { continue };
        let list = if holds { &mut holding } else { &mut others };
        let (ours, theirs) = (in_words(view.unit, ours), range(view.unit, &theirs));
        list.push(format!("{} ({ours}, theirs {theirs})", view.experiment.name));
    }
    let (holds, all) = (holding.len(), holding.len() + others.len());
    let list = |begin: &str, list: &[String]| match list {
        [] => String::new(),
        list => format!("{begin}{}", list.join("; ")),
    };
    (all > 0).then(|| {
        format!(
            "{holds} of {all} comparisons go their way here{}{}.",
            list(": ", &holding),
            list(". Not: ", &others)
        )
    })
}

/// How their printed costs relate to ours.
fn costs(both: &[Statement<'_, '_>]) -> Option<String> {
    let of_cost = both.iter().filter(|(view, ..)| view.unit.is_cost());
    let times: Vec<f64> =
        of_cost.map(|(_, theirs, ours)| (theirs[0] + theirs[1]) / 2.0 / ours).collect();
    match times[..] {
        [] => None,
        [one] => Some(format!("Their printed cycles are {} times ours.", short(one))),
        _ => {
            let (least, most) =
                times.iter().fold((f64::MAX, 0.0_f64), |(l, m), &t| (l.min(t), m.max(t)));
            Some(format!(
                "Their printed cycles are {} times ours in the middle of {}, from {} to {}.",
                short(Summary::of(times.clone()).median),
                times.len(),
                short(least),
                short(most)
            ))
        }
    }
}

/// Shares of a whole, here and there.
fn shares(both: &[Statement<'_, '_>]) -> impl Iterator<Item = String> {
    let shares = both.iter().filter(|(view, ..)| view.unit == Unit::Percent);
    shares.map(|(view, theirs, ours)| {
        let (ours, theirs) = (in_words(view.unit, *ours), range(view.unit, theirs));
        format!("{}: {ours} here, {theirs} there.", view.experiment.name)
    })
}

/// Whether a comparison has the same outcome as the paper's; none if it is not a comparison.
pub(super) fn goes_their_way(unit: Unit, theirs: [f64; 2], ours: f64) -> Option<bool> {
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
}
