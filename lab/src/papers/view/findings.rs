//! What the numbers of a part say: sentences made of them.

use super::{PartView, RowView};
use crate::papers::table::Kind;
use crate::papers::unit::{in_words, short};
use crate::path::Mac;
use crate::timing::measure::Summary;

impl PartView<'_> {
    /// A column as a phrase.
    fn at(&self, column: usize) -> String {
        self.at_all(&[column])
    }

    /// Columns as a phrase.
    fn at_all(&self, columns: &[usize]) -> String {
        let names: Vec<&str> =
            columns.iter().map(|&column| self.columns[column].as_str()).collect();
        let names = names.join(", ");
        match self.part.kind {
            Kind::Batches => format!("in batches of {names}"),
            Kind::Threads => format!("on {names} threads"),
            Kind::Ways => format!("over {names}"),
            Kind::Lengths | Kind::Packets | Kind::Experiments => format!("at {names} bytes"),
        }
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
        let macs = self.rows.iter().filter(|row| row.row.name != Mac::None.name());
        let values = macs.flat_map(|row| {
            let columns = measured_columns(row).into_iter();
            columns.map(|(column, value)| (value, &row.row.name, column))
        });
        let mut values: Vec<_> = values.collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(least), Some(most)) = (values.first(), values.last()) else { return Vec::new() };
        vec![format!(
            "Of the MACs {} has the most, {} {}, and {} the least, {} {}.",
            most.1,
            in_words(self.part.unit, most.0),
            self.at(most.2),
            least.1,
            in_words(self.part.unit, least.0),
            self.at(least.2),
        )]
    }

    /// The paper's figures divided by ours, with row and column.
    pub(super) fn times(&self) -> Vec<(f64, &String, usize)> {
        let mut times = Vec::new();
        for row in &self.rows {
            for printed in &row.row.printed {
                for (column, (&theirs, ours)) in printed.values.iter().zip(&row.ours).enumerate() {
                    if let (Some(ours), false) = (ours, theirs.is_nan()) {
                        times.push((theirs / ours.value, &row.row.name, column));
                    }
                }
            }
        }
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        times
    }

    /// Ours beside what the paper prints.
    fn beside_theirs(&self) -> Option<String> {
        let times = self.times();
        let (least, most) = (times.first()?, times.last()?);
        let fewer = times.iter().filter(|(times, ..)| *times > 1.0).count();
        let middle = Summary::of(times.iter().map(|(times, ..)| *times).collect()).median;
        let unit = self.part.unit.name();
        Some(format!(
            "Ours is below theirs at {fewer} of {} printed figures: their {unit} are {} times ours in the \
             middle, from {} ({} {}) to {} ({} {}).",
            times.len(),
            short(middle),
            short(least.0),
            least.1,
            self.at(least.2),
            short(most.0),
            most.1,
            self.at(most.2),
        ))
    }

    /// Whether the fastest row of the paper is the fastest here.
    fn order(&self) -> Option<String> {
        let (mut same, mut all) = (0, 0);
        let mut others: Vec<(&str, Vec<usize>)> = Vec::new();
        for column in 0..self.columns.len() {
            let both = self.rows.iter().filter_map(|row| {
                let theirs = *row.row.printed.first()?.values.get(column)?;
                let ours = row.ours[column]?.value;
                (!theirs.is_nan()).then_some((theirs, ours, row.row.name.as_str()))
            });
            let both: Vec<_> = both.collect();
            let theirs = both.iter().map(|(theirs, ..)| *theirs).fold(f64::MAX, f64::min);
            let Some(ours) = both.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            if both.len() < 2 {
                continue;
            }
            all += 1;
            if ours.0 == theirs {
                same += 1;
            } else {
                match others.iter_mut().find(|(name, _)| *name == ours.2) {
                    Some((_, columns)) => columns.push(column),
                    None => others.push((ours.2, vec![column])),
                }
            }
        }
        if all == 0 {
            return None;
        }
        let others: Vec<String> =
            others.iter().map(|(name, at)| format!("; {name} is {}", self.at_all(at))).collect();
        Some(format!(
            "What is fastest there is fastest here at {same} of {all} lengths{}.",
            others.concat()
        ))
    }

    /// For each column, the time of the fastest rival divided by that of our fastest row, and both in words.
    pub(super) fn nearest(&self) -> Vec<(f64, String)> {
        let mut nearest = Vec::new();
        for column in 0..self.columns.len() {
            let best = |is_rival: bool| {
                let rows = self.rows.iter().filter(|row| row.row.from.is_some() == is_rival);
                let values = rows.filter_map(|row| Some((row.ours[column]?.value, &row.row.name)));
                values.min_by(|a, b| a.0.total_cmp(&b.0))
            };
            let (Some(ours), Some(rival)) = (best(false), best(true)) else { continue };
            let times = rival.0 / ours.0;
            nearest.push((times, format!("{} beside our {} {}", rival.1, ours.1, self.at(column))));
        }
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
            let there = measured_columns(row);
            let (_, least) = there.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
            let near = there.iter().find(|(_, value)| *value <= 1.25 * least)?.0;
            Some(format!("{} {} from {}", row.row.name, short(least), self.columns[near]))
        };
        let levels: Vec<String> = self.rows.iter().filter_map(level).collect();
        // Neighbours with the same fastest row are one stretch.
        let mut stretches: Vec<(&str, usize, usize)> = Vec::new();
        for column in 0..self.columns.len() {
            let values =
                self.rows.iter().filter_map(|row| Some((row.ours[column]?.value, &row.row.name)));
            let Some((_, name)) = values.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
            match stretches.last_mut() {
                Some((last, _, end)) if last == name => *end = column,
                _ => stretches.push((name, column, column)),
            }
        }
        let stretch = |&(name, from, to): &(&str, usize, usize)| {
            let (from, to) = (&self.columns[from], &self.columns[to]);
            if from == to {
                format!("{name} at {from}")
            } else {
                format!("{name} from {from} to {to}")
            }
        };
        let stretches: Vec<String> = stretches.iter().map(stretch).collect();
        if levels.is_empty() {
            return Vec::new();
        }
        let unit = self.part.unit.name();
        vec![
            format!("Best {unit}, and where it is near (within a quarter): {}.", levels.join(", ")),
            format!("Fastest: {}.", stretches.join(", ")),
        ]
    }

    /// The best figure, with row and column.
    pub(super) fn best(&self) -> Option<String> {
        let values = self.rows.iter().flat_map(|row| {
            let columns = measured_columns(row).into_iter();
            columns.map(|(column, value)| (value, &row.row.name, column))
        });
        let speed = |value: f64| if self.part.unit.is_cost() { 1.0 / value } else { value };
        let (value, name, column) = values.max_by(|a, b| speed(a.0).total_cmp(&speed(b.0)))?;
        Some(format!("{} ({name} {})", in_words(self.part.unit, value), self.at(column)))
    }

    /// What is fastest, and how much slower the slowest is.
    fn fastest(&self) -> Vec<String> {
        let of_column = |column: usize| {
            let values =
                self.rows.iter().filter_map(|row| Some((row.ours[column]?.value, &row.row.name)));
            let mut values: Vec<_> = values.collect();
            values.sort_by(|a, b| a.0.total_cmp(&b.0));
            if !self.part.unit.is_cost() {
                values.reverse();
            }
            let ((first, fast), (last, slow)) = (values.first()?, values.last()?);
            let times = (first / last).max(last / first);
            Some(format!(
                "{fast} is the fastest {} ({} {}), {} times as fast as {slow}.",
                self.at(column),
                short(*first),
                self.part.unit.name(),
                short(times)
            ))
        };
        let is_measured = |&column: &usize| self.rows.iter().any(|row| row.ours[column].is_some());
        let measured: Vec<usize> = (0..self.columns.len()).filter(is_measured).collect();
        let ends = [measured.first(), measured.last()];
        let ends = if ends[0] == ends[1] { &ends[..1] } else { &ends[..] };
        ends.iter().filter_map(|column| of_column(*(*column)?)).collect()
    }

    /// The best column beside the first one.
    fn beside_the_first(&self, what: &str) -> Vec<String> {
        let sentence = |row: &RowView<'_>| {
            let first = row.ours.first()?.as_ref()?.value;
            let speed =
                |value: f64| if self.part.unit.is_cost() { first / value } else { value / first };
            let there = measured_columns(row).into_iter();
            let (best, value) = there.max_by(|a, b| speed(a.1).total_cmp(&speed(b.1)))?;
            let name = &row.row.name;
            Some(if best == 0 {
                format!("{name} is fastest as {what}.")
            } else {
                format!(
                    "{name} {} is {} times as fast as {what}.",
                    self.at(best),
                    short(speed(value))
                )
            })
        };
        self.rows.iter().filter_map(sentence).collect()
    }
}

/// The measured columns of our row, each with its figure.
fn measured_columns(row: &RowView<'_>) -> Vec<(usize, f64)> {
    let columns = row.ours.iter().enumerate();
    columns.filter_map(|(column, value)| Some((column, value.as_ref()?.value))).collect()
}
