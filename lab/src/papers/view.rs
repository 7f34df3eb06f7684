//! The figures of a table, theirs and ours, and what they say: sentences made of the numbers.

use crate::papers::store::{Figure, Machine};
use crate::papers::subject::{Engines, READ, Subject};
use crate::papers::table::{Experiment, Kind, Part, Row, Table, Term, Unit};
use crate::path::{Cost, Mac, Paths, findings};
use std::collections::HashMap;
use wegman_bench::measure::Summary;
use wegman_bench::report::UNQUIET;

/// All there is to show.
pub struct Report<'t> {
    pub machine: Machine,
    /// The core's clock in GHz, in the middle of all figures, if it can be known.
    pub clock: Option<f64>,
    pub tables: Vec<TableView<'t>>,
    /// Libraries that could have been measured and are not there.
    pub absent: Vec<String>,
}

/// A table.
pub struct TableView<'t> {
    pub table: &'t Table,
    pub parts: Vec<PartView<'t>>,
    /// What the whole table says; none if nothing was measured.
    pub findings: Vec<String>,
    /// How a table of packets was measured, and what could not be.
    pub notes: Vec<String>,
}

/// A part, with rows or experiments.
pub struct PartView<'t> {
    pub part: &'t Part,
    pub columns: Vec<String>,
    pub rows: Vec<RowView<'t>>,
    pub experiments: Vec<ExperimentView<'t>>,
    /// What the numbers say; empty if nothing was measured.
    pub finding: String,
}

/// What was measured of a row.
pub struct RowView<'t> {
    pub row: &'t Row,
    pub kernel: String,
    pub origin: String,
    /// A column each; none where it was not measured.
    pub ours: Vec<Option<Value>>,
    /// Why there is nothing, if the library is not there.
    pub absent: Option<String>,
}

/// A figure, and how far it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    pub value: f64,
    pub spread: f64,
}

impl Value {
    pub fn is_unquiet(&self) -> bool {
        self.spread > UNQUIET
    }
}

/// A statement of the paper, and what was measured.
pub struct ExperimentView<'t> {
    pub experiment: &'t Experiment,
    pub unit: Unit,
    pub ours: Option<Value>,
}

impl<'t> Report<'t> {
    /// The tables with the figures that were measured.
    pub fn new(
        tables: &'t [Table],
        machine: Machine,
        figures: &HashMap<String, Figure>,
        paths: Option<&Paths>,
        engines: &Engines,
    ) -> Result<Report<'t>, String> {
        let clocks: Option<Vec<f64>> = figures.values().map(|figure| figure.clock).collect();
        let clock = clocks.filter(|clocks| !clocks.is_empty());
        let parts = |table: &'t Table| -> Result<Vec<PartView<'t>>, String> {
            let part = |part: &'t Part| match part.is_of_packets() {
                true => PartView::of_packets(part, paths),
                false => PartView::new(part, figures, engines),
            };
            table.part.iter().map(part).collect()
        };
        let view = |table: &'t Table| {
            let parts = parts(table)?;
            let (findings, notes) = match table.is_of_packets() {
                true => (paths.map_or(Vec::new(), |paths| findings(&paths.results)), notes(paths)),
                false => (summary(&parts), Vec::new()),
            };
            Ok::<_, String>(TableView { table, parts, findings, notes })
        };
        Ok(Report {
            machine,
            clock: clock
                .map(|clocks| Summary::of(clocks).median)
                .or(paths.and_then(|paths| paths.clock)),
            tables: tables.iter().map(view).collect::<Result<_, String>>()?,
            absent: engines.all_absent().to_vec(),
        })
    }
}

impl<'t> PartView<'t> {
    fn new(
        part: &'t Part,
        figures: &HashMap<String, Figure>,
        engines: &Engines,
    ) -> Result<PartView<'t>, String> {
        let columns = part.columns()?;
        let row = |row: &'t Row| {
            let subjects = columns.iter().map(|column| Part::subject(row, column));
            let cells: Vec<(Subject, Option<&Figure>)> = subjects
                .map(|subject| (figures.get(&subject.to_string()), subject))
                .map(|(figure, subject)| (subject, figure))
                .collect();
            let measured = cells.iter().find_map(|(_, figure)| *figure);
            let value = |(subject, figure): &(Subject, Option<&Figure>)| {
                let value = in_unit(part.unit, subject, (*figure)?)?;
                Some(Value { value, spread: figure.as_ref()?.spread })
            };
            RowView {
                row,
                kernel: measured.map_or(String::new(), |figure| figure.kernel.clone()),
                origin: measured.map_or(String::new(), |figure| figure.origin.clone()),
                ours: cells.iter().map(value).collect(),
                absent: engines.absent(row.from.as_deref()).map(str::to_owned),
            }
        };
        let experiment = |experiment: &'t Experiment| {
            let unit = experiment.unit.unwrap_or(part.unit);
            let ours = measured(experiment, unit, figures)?;
            Ok(ExperimentView { experiment, unit, ours })
        };
        let mut view = PartView {
            part,
            columns: columns.iter().map(|(name, ..)| name.clone()).collect(),
            rows: part.row.iter().map(row).collect(),
            experiments: part.experiment.iter().map(experiment).collect::<Result<_, String>>()?,
            finding: String::new(),
        };
        view.finding = view.sentences().join(" ");
        Ok(view)
    }

    /// A part with the figures of the packet path.
    fn of_packets(part: &'t Part, paths: Option<&Paths>) -> Result<PartView<'t>, String> {
        let columns = part.packets()?;
        let row = |row: &'t Row| {
            let value = |(_, way, size): &(String, _, usize)| {
                let is_it = |cost: &&Cost| {
                    (cost.mode, cost.size, cost.mac.name()) == (*way, *size, row.name.as_str())
                };
                let cost = paths?.results.iter().find(is_it)?;
                Some(Value { value: of_cost(part.unit, cost)?, spread: cost.spread })
            };
            let ours: Vec<Option<Value>> = columns.iter().map(value).collect();
            // Its kernel is not told.
            let kernel = if ours.iter().any(Option::is_some) { "auto" } else { "" }.to_owned();
            let is_none = row.name == Mac::None.name();
            let origin = if is_none { "no MAC" } else { "wegman" }.to_owned();
            RowView { row, kernel, origin, ours, absent: None }
        };
        let mut view = PartView {
            part,
            columns: columns.iter().map(|(name, ..)| name.clone()).collect(),
            rows: part.row.iter().map(row).collect(),
            experiments: Vec::new(),
            finding: String::new(),
        };
        view.finding = view.sentences().join(" ");
        Ok(view)
    }

    /// Whether there is anything of ours in it.
    #[cfg(test)]
    pub fn is_measured(&self) -> bool {
        self.rows.iter().any(|row| row.ours.iter().any(Option::is_some))
            || self.experiments.iter().any(|experiment| experiment.ours.is_some())
    }

    /// What its columns are.
    pub fn column_title(&self) -> &'static str {
        match self.part.kind {
            Kind::Lengths | Kind::Packets => "bytes",
            Kind::Ways => "way",
            Kind::Batches => "messages in a batch",
            Kind::Threads => "threads",
            Kind::Experiments => "",
        }
    }

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

    fn sentences(&self) -> Vec<String> {
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

    /// Which MAC has the most, and which the least.
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

    /// What the paper prints in parts of ours, with row and column.
    fn times(&self) -> Vec<(f64, &String, usize)> {
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

    /// Whether what is fastest there is fastest here.
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

    /// The time of the fastest rival in parts of our fastest row's, and both in words, for each column.
    fn nearest(&self) -> Vec<(f64, String)> {
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

    /// Where a curve is at its best, and who is fastest where.
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
    fn best(&self) -> Option<String> {
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

    /// The statements that have a figure of theirs and one of ours.
    fn statements(&self) -> Vec<(&ExperimentView<'t>, [f64; 2], f64)> {
        let views = self.experiments.iter();
        let both = |view: &'_ ExperimentView<'t>| {
            Some((ends(&view.experiment.printed)?, view.ours?.value))
        };
        views.filter_map(|view| both(view).map(|(theirs, ours)| (view, theirs, ours))).collect()
    }

    /// Whether the paper's comparisons go the same way here.
    fn of_experiments(&self) -> Vec<String> {
        let both = self.statements();
        let mut sentences = Vec::new();
        let (mut holding, mut others) = (Vec::new(), Vec::new());
        for &(view, theirs, ours) in &both {
            let Some(holds) = goes_their_way(view.unit, theirs, ours) else { continue };
            let list = if holds { &mut holding } else { &mut others };
            let (ours, theirs) = (in_words(view.unit, ours), range(view.unit, &theirs));
            list.push(format!("{} ({ours}, theirs {theirs})", view.experiment.name));
        }
        if !holding.is_empty() || !others.is_empty() {
            let (holds, all) = (holding.len(), holding.len() + others.len());
            let list = |begin: &str, list: &[String]| match list {
                [] => String::new(),
                list => format!("{begin}{}", list.join("; ")),
            };
            sentences.push(format!(
                "{holds} of {all} comparisons go their way here{}{}.",
                list(": ", &holding),
                list(". Not: ", &others)
            ));
        }
        let of_cost = both.iter().filter(|(view, ..)| view.unit.is_cost());
        let times: Vec<f64> =
            of_cost.map(|(_, theirs, ours)| (theirs[0] + theirs[1]) / 2.0 / ours).collect();
        if let [one] = times[..] {
            sentences.push(format!("Their printed cycles are {} times ours.", short(one)));
        } else if !times.is_empty() {
            let (least, most) =
                times.iter().fold((f64::MAX, 0.0_f64), |(l, m), &t| (l.min(t), m.max(t)));
            sentences.push(format!(
                "Their printed cycles are {} times ours in the middle of {}, from {} to {}.",
                short(Summary::of(times.clone()).median),
                times.len(),
                short(least),
                short(most)
            ));
        }
        let shares = both.iter().filter(|(view, ..)| view.unit == Unit::Percent);
        for (view, theirs, ours) in shares {
            let theirs = range(view.unit, theirs);
            sentences.push(format!(
                "{}: {} here, {theirs} there.",
                view.experiment.name,
                in_words(view.unit, *ours)
            ));
        }
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

/// What a whole table says, its parts together.
fn summary(parts: &[PartView<'_>]) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut better = Vec::new();
    for part in parts {
        // Less of a cost is better, more of a speed.
        let better_by = |times: f64, unit: Unit| if unit.is_cost() { times } else { 1.0 / times };
        better.extend(part.times().iter().map(|(times, ..)| better_by(*times, part.part.unit)));
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

/// How the packets were measured, and what could not be.
fn notes(paths: Option<&Paths>) -> Vec<String> {
    let Some(paths) = paths else {
        return vec!["Not measured: `wegman-bench lab run path` does it, on Linux.".to_owned()];
    };
    let clock = paths.clock.map_or("unknown".to_owned(), |ghz| format!("{ghz:.2} GHz"));
    let how = format!(
        "Measured over: {}; {}; {} rounds of slices of {:.0} ms; clock {clock}.",
        paths.link, paths.cpus, paths.rounds, paths.slice_ms
    );
    let absent = paths.absent.iter().map(|absent| format!("Not measured: {absent}."));
    [how].into_iter().chain(absent).collect()
}

/// A figure of the packet path in a unit; none if it has no such.
fn of_cost(unit: Unit, cost: &Cost) -> Option<f64> {
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

/// The columns of ours that were measured, each with its figure.
fn measured_columns(row: &RowView<'_>) -> Vec<(usize, f64)> {
    let columns = row.ours.iter().enumerate();
    columns.filter_map(|(column, value)| Some((column, value.as_ref()?.value))).collect()
}

/// Whether a comparison has the outcome that the paper's has; none if it is no comparison.
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

/// A figure's ends: twice the same if it is none of a range.
fn ends(printed: &[f64]) -> Option<[f64; 2]> {
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

/// A line as the paper prints it: all figures with as many decimals as that with the most has.
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
    let decimals = match value.abs() {
        ..1.0 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// A figure in a unit; none if the core's cycles are not known and the unit needs them.
fn in_unit(unit: Unit, subject: &Subject, figure: &Figure) -> Option<f64> {
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

/// What an experiment's figures make together; none if one of them is missing.
fn measured(
    experiment: &Experiment,
    unit: Unit,
    figures: &HashMap<String, Figure>,
) -> Result<Option<Value>, String> {
    let [of, to] = experiment.terms()?;
    let value = |term: &Term, unit: Unit| {
        let figure = figures.get(&term.subject.to_string())?;
        let value = in_unit(unit, &term.subject, figure)?;
        Some((if term.is_minus { -value } else { value }, figure.spread))
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

impl RowView<'_> {
    /// Where our row comes from, as the tables say it.
    pub fn whose(&self) -> String {
        match (&self.absent, self.kernel.as_str()) {
            (Some(absent), _) => format!("absent: {absent}"),
            (None, "") => "not measured".to_owned(),
            (None, kernel) if self.row.engine() == READ => kernel.to_owned(),
            (None, "auto") => self.origin.clone(),
            (None, kernel) => format!("{}, {kernel}", self.origin),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::papers::table;
    use crate::path::Mode;
    use crate::path::findings::tests::costs;

    /// A report in which everything takes a cycle and a half a byte, and a key a thousand cycles.
    pub fn sample(tables: &[Table]) -> Report<'_> {
        let mut figures = HashMap::new();
        for part in tables.iter().flat_map(|table| &table.part) {
            for subject in part.subjects().unwrap() {
                let bytes = subject.lengths.iter().sum::<usize>() as f64
                    / subject.lengths.len().max(1) as f64;
                let cycles = if bytes == 0.0 { 1000.0 } else { 1.5 * bytes };
                let (kernel, origin) = ("portable".to_owned(), "wegman <&>".to_owned());
                let figure = Figure {
                    kernel,
                    origin,
                    cycles: Some(cycles),
                    ns: cycles / 3.0,
                    spread: 0.2,
                    clock: Some(3.0),
                };
                figures.insert(subject.to_string(), figure);
            }
        }
        let (cpu, build) = ("A <CPU>".to_owned(), "00".to_owned());
        let machine = Machine { cpu, features: "sse2".into(), build, quick: true };
        Report::new(tables, machine, &figures, Some(&sample_paths()), &Engines::new()).unwrap()
    }

    /// A packet path of 1000 ns, in which each MAC but none takes a nanosecond a byte.
    pub fn sample_paths() -> Paths {
        let more = |mac, size| if mac == Mac::None { 0.0 } else { size as f64 };
        let mut results = costs(|_, _| 1000.0, more);
        for cost in &mut results {
            cost.cpu_cycles_per_byte = Some(3.0 * cost.cpu_ns_per_byte);
        }
        Paths {
            cpu: "A <CPU>".into(),
            clock: Some(3.0),
            link: "loopback: <&>".into(),
            cpus: "both on CPU 0".into(),
            rounds: 3,
            slice_ms: 40.0,
            absent: Vec::new(),
            findings: findings(&results),
            results,
        }
    }

    #[test]
    fn every_part_has_a_finding_and_none_without_figures() {
        let tables = table::all().unwrap();
        for part in sample(&tables).tables.iter().flat_map(|table| &table.parts) {
            assert!(part.is_measured() && !part.finding.is_empty(), "{}", part.part.title);
            assert!(!part.finding.contains("NaN"), "{}", part.finding);
        }
        for table in sample(&tables).tables {
            assert!(!table.findings.is_empty(), "{}", table.table.title);
        }
        let machine = sample(&tables).machine;
        let nothing =
            Report::new(&tables, machine, &HashMap::new(), None, &Engines::new()).unwrap();
        assert!(nothing.tables.iter().all(|table| table.findings.is_empty()));
        for part in nothing.tables.iter().flat_map(|table| &table.parts) {
            assert!(!part.is_measured() && part.finding.is_empty(), "{}", part.finding);
        }
    }

    #[test]
    fn findings_follow_the_numbers() {
        let tables = table::all().unwrap();
        let report = sample(&tables);
        let note = &report.tables[0].parts[0];
        assert_eq!(note.rows[0].ours[0].map(|value| value.value), Some(1.5));
        let theirs = "Ours is below theirs at 13 of 16 printed figures: their cycles/byte are 2.17 times ours in \
                      the middle, from 0.667 (UMAC16 at 256K bytes) to 35.3 (UMAC-STD at 43 bytes).";
        assert!(note.finding.starts_with(theirs), "{}", note.finding);
    }

    #[test]
    fn packets_have_their_claims_and_findings_and_what_is_absent() {
        let tables = table::all().unwrap();
        let machine = sample(&tables).machine;
        let mut paths = sample_paths();
        paths.results.retain(|cost| cost.mode != Mode::UdpGso);
        paths.absent = vec!["udp-gso: it is <not> there".into()];
        // The findings are made of the figures, not read.
        paths.findings = vec!["typed".into()];
        let report =
            Report::new(&tables, machine, &HashMap::new(), Some(&paths), &Engines::new()).unwrap();
        let view = report.tables.last().unwrap();
        assert_eq!(view.table.name, "path");
        for claim in
            ["typically triple", "HMAC-MD5-96 can double", "almost irrelevant", "no application"]
        {
            assert!(view.table.measured.contains(claim), "{claim}");
        }
        assert_eq!(view.findings, findings(&paths.results));
        assert!(
            view.findings[0]
                .contains("HMAC-SHA1-96 multiplies the CPU time of a UDP packet by 1.01")
        );
        assert_eq!(view.notes[1], "Not measured: udp-gso: it is <not> there.");
        let part = |title: &str| {
            view.parts.iter().find(|part| part.part.title.starts_with(title)).unwrap()
        };
        assert!(!part("CPU time of a packet, udp-gso").is_measured());
        let udp = part("CPU time beside no MAC, udp:");
        assert_eq!(udp.rows[2].row.printed[0].values, [3.0; 4]);
        assert_eq!(udp.rows[2].ours[3].map(|value| value.value), Some(2.4));
        let tcp = part("CPU time of a byte, tcp");
        assert_eq!(tcp.rows[0].ours[0].map(|value| value.value), Some(300.0));
        let share = part("A MAC's share of the CPU time, 1000 bytes");
        let share = share.rows[0].ours.iter().map(|value| value.map(|value| value.value));
        let half = Some(50.0);
        assert_eq!(share.collect::<Vec<_>>(), [half, half, None, half, half, half, half]);
        let text = crate::papers::page::html(&report).unwrap();
        let section = text.split("<section id=\"path\">").nth(1).unwrap();
        for there in
            ["typically triple", "Claim 1, moving packets", "it is &lt;not&gt; there", "<svg "]
        {
            assert!(section.contains(there), "{there}");
        }
        let text = crate::papers::files::markdown(&report);
        let (_, section) = text.split_once("## What a MAC costs in a packet path").unwrap();
        for there in ["typically triple", "**Claim 3, applications", "it is <not> there"] {
            assert!(section.contains(there), "{there}");
        }
        assert!(
            crate::papers::files::csv(&report)
                .contains("udp: one datagram a call\",UMAC-64,1400,ns/packet,ours")
        );
        let json: serde_json::Value =
            serde_json::from_str(&crate::papers::files::json(&report)).unwrap();
        assert_eq!(json["tables"][7]["findings"].as_array().unwrap().len(), 4);
        assert!(json["tables"][7]["measured"].as_str().unwrap().contains("typically triple"));
    }

    #[test]
    fn units_are_what_they_say() {
        let subject = |text: &str| text.parse::<Subject>().unwrap();
        let figure = Figure {
            kernel: String::new(),
            origin: String::new(),
            cycles: Some(100.0),
            ns: 50.0,
            spread: 0.0,
            clock: None,
        };
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
            assert_eq!(goes_their_way(unit, [theirs; 2], ours), way);
        }
        assert_eq!(range(Unit::PercentMore, &[10.0, 20.0]), "10 to 20 % more");
        assert_eq!(range(Unit::CyclesPerByte, &[0.98]), "0.98 cycles/byte");
        assert_eq!(theirs(&[14.0, 2.7, f64::NAN]), ["14.0", "2.7", "-"]);
        assert_eq!(in_words(Unit::PercentMore, -4.0), "4.00 % less");
    }
}
