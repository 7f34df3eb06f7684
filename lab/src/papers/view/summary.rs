//! What a whole table says, its parts together.

use super::PartView;
use super::comparisons::goes_their_way;
use crate::papers::unit::{Unit, short};
use crate::timing::measure::Summary;

/// What a whole table says, its parts together.
pub fn summary(parts: &[PartView<'_>]) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut better = Vec::new();
    for part in parts {
        // Less of a cost is better, more of a speed.
        let better_by = |times: f64, unit: Unit| if unit.is_cost() { times } else { 1.0 / times };
        better.extend(part.times().iter().map(|at| better_by(at.value, part.part.unit)));
        for (view, theirs, ours) in part.statements() {
            if view.experiment.to.is_empty() {
                better.push(better_by((theirs[0] + theirs[1]) / 2.0 / ours, view.unit));
            }
        }
    }
    if !better.is_empty() {
        sentences.push(format!(
            "In all, ours is better than the printed figure at {} of {}, and {} times as good in the middle.",
            better.iter().filter(|times| **times > 1.0).count(),
            better.len(),
            short(Summary::of(better.clone()).median)
        ));
    }
    let statements = parts.iter().flat_map(PartView::statements);
    let holds =
        statements.filter_map(|(view, theirs, ours)| goes_their_way(view.unit, theirs, ours));
    let holds: Vec<bool> = holds.collect();
    if !holds.is_empty() {
        let holding = holds.iter().filter(|holds| **holds).count();
        sentences.push(format!("In all, {holding} of {} comparisons go their way.", holds.len()));
    }
    let nearest: Vec<(f64, String)> = parts.iter().flat_map(PartView::nearest).collect();
    if !nearest.is_empty() {
        sentences.push(format!(
            "In all, one of ours is the fastest row at {} of {} lengths, and the fastest rival takes {} times \
             the cycles in the middle.",
            nearest.iter().filter(|(times, _)| *times > 1.0).count(),
            nearest.len(),
            short(Summary::of(nearest.iter().map(|(times, _)| *times).collect()).median)
        ));
    }
    if sentences.is_empty() {
        let best: Vec<String> = parts.iter().filter_map(PartView::best).collect();
        if !best.is_empty() {
            sentences.push(format!("Best of each part: {}.", best.join("; ")));
        }
    }
    sentences
}
