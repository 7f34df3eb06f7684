//! The report as JSON.

use crate::papers::view::{PartView, Report, RowView, TableView};
use serde_json::{Value, json};

/// All of it, for programs.
pub fn json(report: &Report<'_>) -> String {
    let row = |row: &RowView<'_>| {
        let printed: Vec<Value> = row
            .row
            .printed
            .iter()
            // A figure that is not there is NaN, and null in JSON.
            .map(|printed| json!({ "on": printed.on, "values": printed.values }))
            .collect();
        let values: Vec<Option<f64>> =
            row.ours.iter().map(|value| value.map(|value| value.value)).collect();
        let spreads: Vec<Option<f64>> =
            row.ours.iter().map(|value| value.map(|value| value.spread)).collect();
        json!({
            "name": row.row.name, "engine": row.row.engine(), "origin": row.origin, "kernel": row.kernel,
            "ours": values, "spreads": spreads, "theirs": printed, "absent": row.absent,
        })
    };
    let part = |part: &PartView<'_>| {
        let experiments: Vec<Value> = part
            .experiments
            .iter()
            .map(|view| {
                let (ours, spread) = view.ours.map(|value| (value.value, value.spread)).unzip();
                json!({
                    "name": view.experiment.name, "paper": view.experiment.paper, "unit": view.unit.name(),
                    "theirs": view.experiment.printed, "ours": ours, "spread": spread,
                    "of": view.experiment.of, "to": view.experiment.to,
                })
            })
            .collect();
        json!({
            "title": part.part.title, "unit": part.part.unit.name(), "columns": part.columns,
            "finding": part.finding, "rows": part.rows.iter().map(row).collect::<Vec<_>>(),
            "experiments": experiments,
        })
    };
    let table = |view: &TableView<'_>| {
        json!({
            "name": view.table.name, "title": view.table.title, "source": view.table.source,
            "measured": view.table.measured.trim(), "deviations": view.table.deviations.trim(),
            "notes": view.notes, "findings": view.findings,
            "parts": view.parts.iter().map(part).collect::<Vec<_>>(),
        })
    };
    let report = json!({
        "machine": report.machine, "clock": report.clock, "absent": report.absent,
        "tables": report.tables.iter().map(table).collect::<Vec<_>>(),
    });
    serde_json::to_string_pretty(&report).expect("numbers and strings") + "\n"
}
