//! The figures of a table, the papers' and ours, side by side.
//!
//! | module | what it knows |
//! |---|---|
//! | `quantity` | a measured figure in a table's unit |
//! | `summary` | what a whole table says |

mod quantity;
mod summary;

use crate::papers::store::{Machine, Measured};
use crate::papers::table::{Experiment, Part, Row, Table};
use crate::papers::unit::Unit;
use crate::rivals::Rivals;
use crate::timing::measure::Summary;
use quantity::{in_unit, measured};
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
}

/// A part, with rows or experiments.
#[derive(Serialize)]
pub struct PartView<'t> {
    #[serde(flatten)]
    pub part: &'t Part,
    pub rows: Vec<RowView<'t>>,
    pub experiments: Vec<ExperimentView<'t>>,
}

/// What was measured of a row.
#[derive(Serialize)]
pub struct RowView<'t> {
    #[serde(flatten)]
    pub row: &'t Row,
    pub kernel: String,
    pub origin: String,
    /// A column each; none where it was not measured.
    pub ours: Vec<Option<f64>>,
    pub spreads: Vec<Option<f64>>,
    /// Why there is nothing, if the library is absent.
    pub absent: Option<String>,
}

/// A statement of the paper, and what was measured.
#[derive(Serialize)]
pub struct ExperimentView<'t> {
    #[serde(flatten)]
    pub experiment: &'t Experiment,
    pub unit: Unit,
    pub ours: Option<f64>,
    pub spread: Option<f64>,
}

impl<'t> Report<'t> {
    /// The tables with the figures that were measured.
    pub fn new(
        tables: &'t [Table],
        machine: Machine,
        figures: &HashMap<String, Measured>,
        engines: &Rivals,
    ) -> Result<Report<'t>, String> {
        let clocks: Option<Vec<f64>> = figures.values().map(|figure| figure.clock).collect();
        let clock = clocks.filter(|clocks| !clocks.is_empty());
        let view = |table: &'t Table| {
            let parts = table.part.iter().map(|part| PartView::new(part, figures, engines));
            let parts = parts.collect::<Result<Vec<_>, _>>()?;
            Ok::<_, String>(TableView { table, findings: summary(&parts), parts })
        };
        Ok(Report {
            machine,
            clock: clock.map(|clocks| Summary::of(clocks).median),
            tables: tables.iter().map(view).collect::<Result<_, String>>()?,
            absent: engines.absent.clone(),
        })
    }
}

impl<'t> PartView<'t> {
    fn new(
        part: &'t Part,
        figures: &HashMap<String, Measured>,
        engines: &Rivals,
    ) -> Result<PartView<'t>, String> {
        let row = |row: &'t Row| {
            let subjects = part.of_row(row)?;
            let figure = |subject| figures.get(&format!("{subject}"));
            let first = subjects.iter().find_map(figure);
            let value = |subject| in_unit(part.unit, subject, &figure(subject)?.timing);
            Ok(RowView {
                row,
                kernel: first.map_or(String::new(), |figure| figure.kernel.clone()),
                origin: first.map_or(String::new(), |figure| figure.origin.clone()),
                ours: subjects.iter().map(value).collect(),
                spreads: subjects.iter().map(|of| Some(figure(of)?.timing.spread)).collect(),
                absent: engines.missing(row.from.as_deref()).map(str::to_owned),
            })
        };
        let experiment = |experiment: &'t Experiment| {
            let unit = experiment.unit.unwrap_or(part.unit);
            let (ours, spread) = measured(experiment, unit, figures)?.unzip();
            Ok(ExperimentView { experiment, unit, ours, spread })
        };
        Ok(PartView {
            part,
            rows: part.row.iter().map(row).collect::<Result<_, String>>()?,
            experiments: part.experiment.iter().map(experiment).collect::<Result<_, String>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::table;
    use crate::papers::tests::sample;
    use crate::rivals;

    /// Whether there is anything of ours in it.
    fn is_measured(part: &PartView<'_>) -> bool {
        part.rows.iter().any(|row| row.ours.iter().any(Option::is_some))
            || part.experiments.iter().any(|experiment| experiment.ours.is_some())
    }

    #[test]
    fn what_was_measured_is_there_and_nothing_else() {
        let tables = table::all().unwrap();
        let report = sample(&tables);
        let parts = || report.tables.iter().flat_map(|table| &table.parts);
        assert!(parts().all(is_measured));
        assert_eq!(report.tables[0].parts[0].rows[0].ours[0], Some(1.5));
        let machine = sample(&tables).machine;
        let nothing = Report::new(&tables, machine, &HashMap::new(), &rivals::all(None)).unwrap();
        assert!(nothing.tables.iter().all(|table| table.findings.is_empty()));
        assert!(!nothing.tables.iter().flat_map(|table| &table.parts).any(is_measured));
    }
}
