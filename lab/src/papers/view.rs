//! The figures of a table, the papers' and ours, side by side.
//!
//! | module | what it knows |
//! |---|---|
//! | `quantity` | a measured figure in a table's unit |
//! | `findings` | what the numbers of a part say |
//! | `comparisons` | whether the statements of a paper hold here |
//! | `summary` | what a whole table says |
//! | `wording` | what is shown, in words |

mod comparisons;
mod findings;
mod quantity;
mod summary;
mod wording;

use crate::papers::resolver::Engines;
use crate::papers::store::{Machine, Measured};
use crate::papers::subject::Subject;
use crate::papers::table::{Experiment, Kind, Part, Row, Table};
use crate::papers::unit::Unit;
use crate::path::{self, Cost, Mac, Paths};
use crate::timing::measure::Summary;
use crate::timing::report::UNQUIET;
use quantity::{in_unit, measured, of_cost};
use serde::Serialize;
use std::collections::HashMap;
use summary::summary;

/// All there is to show; as JSON it is `report.json`.
#[derive(Serialize)]
pub struct Report<'t> {
    pub machine: Machine,
    /// The core's clock in GHz, in the middle of all figures, if it can be known.
    pub clock: Option<f64>,
    pub tables: Vec<TableView<'t>>,
    /// Libraries that could have been measured but are absent.
    pub absent: Vec<String>,
}

/// A table.
#[derive(Serialize)]
pub struct TableView<'t> {
    #[serde(flatten)]
    pub table: &'t Table,
    pub parts: Vec<PartView<'t>>,
    /// What the whole table says; none if nothing was measured.
    pub findings: Vec<String>,
    /// How a table of packets was measured, and what could not be measured.
    pub notes: Vec<String>,
}

/// A part, with rows or experiments.
#[derive(Serialize)]
pub struct PartView<'t> {
    #[serde(flatten)]
    pub part: &'t Part,
    pub columns: Vec<String>,
    pub rows: Vec<RowView<'t>>,
    pub experiments: Vec<ExperimentView<'t>>,
    /// What the numbers say; empty if nothing was measured.
    pub finding: String,
}

/// What was measured of a row.
#[derive(Serialize)]
pub struct RowView<'t> {
    #[serde(flatten)]
    pub row: &'t Row,
    engine: &'t str,
    pub kernel: String,
    pub origin: String,
    /// A column each; none where it was not measured.
    pub ours: Vec<Option<Value>>,
    /// Their spreads, for programs.
    spreads: Vec<Option<f64>>,
    /// Why there is nothing, if the library is absent.
    pub absent: Option<String>,
}

/// A figure and its reliability. As JSON it is the figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Value {
    pub value: f64,
    #[serde(skip)]
    pub spread: f64,
}

impl Value {
    pub fn is_unquiet(&self) -> bool {
        self.spread > UNQUIET
    }
}

/// A statement of the paper, and what was measured.
#[derive(Serialize)]
pub struct ExperimentView<'t> {
    #[serde(flatten)]
    pub experiment: &'t Experiment,
    pub unit: Unit,
    pub ours: Option<Value>,
    spread: Option<f64>,
}

impl<'t> Report<'t> {
    /// The tables with the figures that were measured.
    pub fn new(
        tables: &'t [Table],
        machine: Machine,
        figures: &HashMap<String, Measured>,
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
                true => {
                    (paths.map_or(Vec::new(), |paths| path::findings(&paths.results)), notes(paths))
                }
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
        figures: &HashMap<String, Measured>,
        engines: &Engines,
    ) -> Result<PartView<'t>, String> {
        let columns = part.columns()?;
        let row = |row: &'t Row| {
            let subjects = columns.iter().map(|column| Part::subject(row, column));
            let cells: Vec<(Subject, Option<&Measured>)> = subjects
                .map(|subject| (figures.get(&subject.to_string()), subject))
                .map(|(figure, subject)| (subject, figure))
                .collect();
            let measured = cells.iter().find_map(|(_, figure)| *figure);
            let value = |(subject, figure): &(Subject, Option<&Measured>)| {
                let timing = &figure.as_ref()?.timing;
                let value = in_unit(part.unit, subject, timing)?;
                Some(Value { value, spread: timing.spread })
            };
            let ours: Vec<Option<Value>> = cells.iter().map(value).collect();
            RowView {
                row,
                engine: row.engine(),
                kernel: measured.map_or(String::new(), |figure| figure.kernel.clone()),
                origin: measured.map_or(String::new(), |figure| figure.origin.clone()),
                spreads: spreads(&ours),
                ours,
                absent: engines.absent(row.from.as_deref()).map(str::to_owned),
            }
        };
        let experiment = |experiment: &'t Experiment| {
            let unit = experiment.unit.unwrap_or(part.unit);
            let ours = measured(experiment, unit, figures)?;
            let spread = ours.map(|value| value.spread);
            Ok(ExperimentView { experiment, unit, ours, spread })
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
            let (engine, spreads) = (row.engine(), spreads(&ours));
            RowView { row, engine, kernel, origin, spreads, ours, absent: None }
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
}

fn spreads(values: &[Option<Value>]) -> Vec<Option<f64>> {
    values.iter().map(|value| value.map(|value| value.spread)).collect()
}

/// How the packets were measured, and what could not be measured.
fn notes(paths: Option<&Paths>) -> Vec<String> {
    let Some(paths) = paths else {
        return vec!["Not measured: `make lab LAB=path` does it, on Linux.".to_owned()];
    };
    let clock = paths.clock.map_or("unknown".to_owned(), |ghz| format!("{ghz:.2} GHz"));
    let how = format!(
        "Measured over: {}; {}; {} rounds of slices of {:.0} ms; clock {clock}.",
        paths.link, paths.cpus, paths.rounds, paths.slice_ms
    );
    let absent = paths.absent.iter().map(|absent| format!("Not measured: {absent}."));
    [how].into_iter().chain(absent).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::sample::sample;
    use crate::papers::table;

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
}
