//! What the numbers of a part say: sentences made of them.

use super::{PartView, RowView};
use crate::papers::table::Kind;
use crate::papers::unit::{in_words, short};
use crate::path::Mac;
use crate::timing::measure::Summary;

/// A figure, or a quotient of two, with its row and column.
#[derive(Clone, Copy)]
pub struct At<'p> {
    pub value: f64,
    row: &'p RowView<'p>,
    column: usize,
}

impl<'p> At<'p> {
    fn name(&self) -> &'p str {
        &self.row.row.name
    }
}

impl PartView<'_> {
    /// Columns as a phrase.
    fn at(&self, columns: &[usize]) -> String {
        let names: Vec<&str> = columns.iter().map(|&column| &*self.columns[column]).collect();
        let names = names.join(", ");
        match self.part.kind {
            Kind::Batches => format!("in batches of {names}"),
            Kind::Threads => format!("on {names} threads"),
            Kind::Ways => format!("over {names}"),
            Kind::Lengths | Kind::Packets | Kind::Experiments => format!("at {names} bytes"),
        }
    }

    /// Row and column of a figure.
    fn place(&self, at: &At<'_>) -> String {
        format!("{} {}", at.name(), self.at(&[at.column]))
    }

    /// Our figures in these rows and columns, the least first.
    fn figures(&self, is_meant: impl Fn(&RowView<'_>, usize) -> bool) -> Vec<At<'_>> {
        let cells =
            self.rows.iter().flat_map(|row| row.ours.iter().enumerate().map(move |c| (row, c)));
        let measured = cells.filter_map(|(row, (column, value))| {
            let at = At { value: value.as_ref()?.value, row, column };
            is_meant(row, column).then_some(at)
        });
        let mut figures: Vec<At<'_>> = measured.collect();
        figures.sort_by(|a, b| a.value.total_cmp(&b.value));
        figures
    }

    /// How fast a figure is, to compare it with others.
    fn speed(&self, value: f64) -> f64 {
        if self.part.unit.is_cost() { 1.0 / value } else { value }
    }

    pub(super) fn sentences(&self) -> Vec<String> {
        match self.part.kind {
            Kind::Experiments => self.of_experiments(),
            Kind::Batches => self.beside_the_first("a message alone"),
            Kind::Threads => self.beside_the_first("one thread"),
            Kind::Packets | Kind::Ways => self.of_macs(),
            Kind::Lengths if self.rows.iter().any(|row| row.row.from.is_some()) => self.rivals(),
            Kind::Lengths if self.rows.iter().any(|row| !row.row.printed.is_empty()) => {
                [self.beside_theirs(), self.order()].into_iter().flatten().collect()
            }
            Kind::Lengths if self.columns.len() > 5 && self.part.unit.is_cost() => self.levels(),
            Kind::Lengths => self.fastest(),
        }
    }

    /// The MACs with the largest and the smallest figure.
    fn of_macs(&self) -> Vec<String> {
        let figures = self.figures(|row, _| row.row.name != Mac::None.name());
        let (Some(least), Some(most)) = (figures.first(), figures.last()) else {
            return Vec::new();
        };
        let words = |at: &At<'_>| {
            format!("{} {}", in_words(self.part.unit, at.value), self.at(&[at.column]))
        };
        vec![format!(
            "Of the MACs {} has the most, {}, and {} the least, {}.",
            most.name(),
            words(most),
            least.name(),
            words(least),
        )]
    }

    /// The paper's figures divided by ours, the least first.
    pub(super) fn times(&self) -> Vec<At<'_>> {
        let mut times = Vec::new();
        for row in &self.rows {
            for printed in &row.row.printed {
                let both = printed.values.iter().zip(&row.ours).enumerate();
                times.extend(both.filter_map(|(column, (&theirs, ours))| {
                    let value = theirs / ours.as_ref()?.value;
                    (!value.is_nan()).then_some(At { value, row, column })
                }));
            }
        }
        times.sort_by(|a, b| a.value.total_cmp(&b.value));
        times
    }

    /// Ours beside what the paper prints.
    fn beside_theirs(&self) -> Option<String> {
        let times = self.times();
        let ends = [times.first()?, times.last()?];
        let [least, most] = ends.map(|at| format!("{} ({})", short(at.value), self.place(at)));
        Some(format!(
            "Ours is below theirs at {} of {} printed figures: their {} are {} times ours in the middle, from \
             {least} to {most}.",
            times.iter().filter(|times| times.value > 1.0).count(),
            times.len(),
            self.part.unit.name(),
            short(Summary::of(times.iter().map(|times| times.value).collect()).median),
        ))
    }

    /// Whether the fastest row of the paper is the fastest here.
    fn order(&self) -> Option<String> {
        let (mut same, mut all) = (0, 0);
        let mut others: Vec<(&str, Vec<usize>)> = Vec::new();
        for column in 0..self.columns.len() {
            let theirs = |row: &RowView<'_>| {
                let theirs = row.row.printed.first()?.values.get(column)?;
                Some(*theirs).filter(|theirs| !theirs.is_nan())
            };
            let both = self.figures(|row, at| at == column && theirs(row).is_some());
            let [first, _, ..] = both[..] else { continue };
            let least = both.iter().filter_map(|at| theirs(at.row)).fold(f64::MAX, f64::min);
            all += 1;
            if theirs(first.row) == Some(least) {
                same += 1;
            } else {
                match others.iter_mut().find(|(name, _)| *name == first.name()) {
                    Some((_, columns)) => columns.push(column),
                    None => others.push((first.name(), vec![column])),
                }
            }
        }
        let others: Vec<String> =
            others.iter().map(|(name, at)| format!("; {name} is {}", self.at(at))).collect();
        (all > 0).then(|| {
            format!(
                "What is fastest there is fastest here at {same} of {all} lengths{}.",
                others.concat()
            )
        })
    }

    /// For each column, the time of the fastest rival divided by that of our fastest row, and both in words.
    pub(super) fn nearest(&self) -> Vec<(f64, String)> {
        let of_column = |column: usize| {
            let best = |is_rival| {
                let is_meant =
                    |row: &RowView<'_>, at| at == column && row.row.from.is_some() == is_rival;
                self.figures(is_meant).first().copied()
            };
            let (ours, rival) = (best(false)?, best(true)?);
            let words = format!("{} beside our {}", rival.name(), self.place(&ours));
            Some((rival.value / ours.value, words))
        };
        let mut nearest: Vec<_> = (0..self.columns.len()).filter_map(of_column).collect();
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        nearest
    }

    /// Ours beside the nearest rival.
    fn rivals(&self) -> Vec<String> {
        let nearest = self.nearest();
        let first = nearest.iter().filter(|(times, _)| *times > 1.0).count();
        let (Some(least), Some(most)) = (nearest.first(), nearest.last()) else {
            return Vec::new();
        };
        vec![format!(
            "One of ours is the fastest row at {first} of {} lengths. The fastest rival takes {} times the \
             cycles where it is nearest ({}), and {} where it is farthest ({}).",
            nearest.len(),
            short(least.0),
            least.1,
            short(most.0),
            most.1,
        )]
    }

    /// Where each curve is at its best, and which row is fastest where.
    fn levels(&self) -> Vec<String> {
        let level = |row: &RowView<'_>| {
            let there = self.figures(|other, _| std::ptr::eq(other, row));
            let least = there.first()?.value;
            let near = there.iter().filter(|at| at.value <= 1.25 * least);
            let near = near.map(|at| at.column).min()?;
            Some(format!("{} {} from {}", row.row.name, short(least), self.columns[near]))
        };
        let levels: Vec<String> = self.rows.iter().filter_map(level).collect();
        if levels.is_empty() {
            return Vec::new();
        }
        // Neighbours with the same fastest row are one stretch.
        let first = |column| self.figures(|_, at| at == column).first().copied();
        let fastest: Vec<At<'_>> = (0..self.columns.len()).filter_map(first).collect();
        let stretches = fastest.chunk_by(|a, b| std::ptr::eq(a.row, b.row)).map(|stretch| {
            let [from, to] = [0, stretch.len() - 1].map(|i| &self.columns[stretch[i].column]);
            let name = stretch[0].name();
            if from == to {
                format!("{name} at {from}")
            } else {
                format!("{name} from {from} to {to}")
            }
        });
        let unit = self.part.unit.name();
        vec![
            format!("Best {unit}, and where it is near (within a quarter): {}.", levels.join(", ")),
            format!("Fastest: {}.", stretches.collect::<Vec<_>>().join(", ")),
        ]
    }

    /// The best figure, with row and column.
    pub(super) fn best(&self) -> Option<String> {
        let figures = self.figures(|_, _| true);
        let best = if self.part.unit.is_cost() { figures.first()? } else { figures.last()? };
        Some(format!("{} ({})", in_words(self.part.unit, best.value), self.place(best)))
    }

    /// What is fastest at both ends, and how much slower the slowest is.
    fn fastest(&self) -> Vec<String> {
        let of_column = |column: usize| {
            let mut figures = self.figures(|_, at| at == column);
            if !self.part.unit.is_cost() {
                figures.reverse();
            }
            let (fast, slow) = (*figures.first()?, *figures.last()?);
            Some(format!(
                "{} is the fastest {} ({} {}), {} times as fast as {}.",
                fast.name(),
                self.at(&[column]),
                short(fast.value),
                self.part.unit.name(),
                short(self.speed(fast.value) / self.speed(slow.value)),
                slow.name(),
            ))
        };
        let mut sentences = (0..self.columns.len()).filter_map(of_column);
        let (first, last) = (sentences.next(), sentences.next_back());
        [first, last].into_iter().flatten().collect()
    }

    /// The best column beside the first one.
    fn beside_the_first(&self, what: &str) -> Vec<String> {
        let sentence = |row: &RowView<'_>| {
            let name = &row.row.name;
            let first = self.speed(row.ours.first()?.as_ref()?.value);
            let there = self.figures(|other, _| std::ptr::eq(other, row));
            let best = there
                .into_iter()
                .max_by(|a, b| self.speed(a.value).total_cmp(&self.speed(b.value)))?;
            Some(if best.column == 0 {
                format!("{name} is fastest as {what}.")
            } else {
                let times = short(self.speed(best.value) / first);
                format!("{} is {times} times as fast as {what}.", self.place(&best))
            })
        };
        self.rows.iter().filter_map(sentence).collect()
    }
}
