//! The report as Markdown, CSV and JSON.

use crate::papers::view::{PartView, Report, RowView, TableView, in_words, range, short, theirs};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A summary for people who read text.
pub fn markdown(report: &Report<'_>) -> String {
    let mut text = String::from("# The papers' tables, measured again\n\n");
    let _ = writeln!(text, "{}\n", head(report));
    for TableView { table, parts, findings, notes } in &report.tables {
        let _ = writeln!(text, "## {}\n\n{}\n", table.title, table.source);
        let _ = writeln!(text, "- What they measured: {}", table.measured.trim());
        let _ = writeln!(text, "- Where we deviate: {}", table.deviations.trim());
        for note in notes {
            let _ = writeln!(text, "- {note}");
        }
        for finding in findings {
            let _ = writeln!(text, "\n**{finding}**");
        }
        for part in parts {
            let _ = writeln!(text, "\n### {}\n", part.part.title);
            if !part.finding.is_empty() {
                let _ = writeln!(text, "**{}**\n", part.finding);
            }
            rows(&mut text, part);
        }
        text.push('\n');
    }
    if !report.absent.is_empty() {
        let _ =
            writeln!(text, "Not measured, because not installed: {}.", report.absent.join("; "));
    }
    text
}

/// The machine in a line, and what the marks mean.
pub fn head(report: &Report<'_>) -> String {
    let machine = &report.machine;
    let clock = report
        .clock
        .map_or("its clock is not known".to_owned(), |ghz| format!("{ghz:.2} GHz in the middle"));
    let effort = if machine.quick { " A quick run: one short pass." } else { "" };
    format!(
        "Ours: {} ({}), {clock}; program {}.{effort} A figure with ~ had a spread above 10 %: the machine was \
         busy with something else.",
        machine.cpu, machine.features, machine.build
    )
}

/// A line of a Markdown table; its cells can't end it early.
fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn rows(text: &mut String, part: &PartView<'_>) {
    if part.rows.is_empty() {
        *text += "| what | the paper | theirs | ours |\n|---|---|---:|---:|\n";
        for view in &part.experiments {
            let printed = range(view.unit, &view.experiment.printed);
            let ours = view.ours.map_or("-".to_owned(), |value| {
                mark(value.is_unquiet()).to_owned() + &in_words(view.unit, value.value)
            });
            *text += &line(&[
                view.experiment.name.clone(),
                view.experiment.paper.clone(),
                printed,
                ours,
            ]);
        }
        return;
    }
    let title = format!("{}, by {}", part.part.unit.name(), part.column_title());
    let head: Vec<String> =
        [title, "whose".to_owned()].into_iter().chain(part.columns.clone()).collect();
    *text += &line(&head);
    *text += &format!("|---|---|{}\n", "---:|".repeat(part.columns.len()));
    for row in &part.rows {
        for printed in &row.row.printed {
            let values = theirs(&printed.values);
            let cells =
                [row.row.name.clone(), format!("theirs: {}", printed.on)].into_iter().chain(values);
            *text += &line(&cells.collect::<Vec<_>>());
        }
        let cells = [row.row.name.clone(), row.whose()].into_iter().chain(ours(row));
        *text += &line(&cells.collect::<Vec<_>>());
    }
}

/// Our figures as text.
pub fn ours(row: &RowView<'_>) -> impl Iterator<Item = String> {
    row.ours.iter().map(|value| {
        value.map_or("-".to_owned(), |value| {
            mark(value.is_unquiet()).to_owned() + &short(value.value)
        })
    })
}

/// What stands before a figure that can't be trusted.
pub fn mark(is_unquiet: bool) -> &'static str {
    if is_unquiet { "~" } else { "" }
}

/// A line a figure.
pub fn csv(report: &Report<'_>) -> String {
    let mut text = String::from("table,part,row,column,unit,whose,from,kernel,value,spread\n");
    let mut line = |fields: &[&str]| {
        let fields: Vec<String> = fields.iter().map(|field| csv_field(field)).collect();
        text += &(fields.join(",") + "\n");
    };
    for TableView { table, parts, .. } in &report.tables {
        for part in parts {
            let (title, unit) = (&part.part.title, part.part.unit.name());
            for row in &part.rows {
                let name = &row.row.name;
                for printed in &row.row.printed {
                    for (column, value) in part.columns.iter().zip(&printed.values) {
                        if !value.is_nan() {
                            line(&[
                                &table.name,
                                title,
                                name,
                                column,
                                unit,
                                "theirs",
                                &printed.on,
                                "",
                                &value.to_string(),
                                "",
                            ]);
                        }
                    }
                }
                for (column, value) in part.columns.iter().zip(&row.ours) {
                    if let Some(value) = value {
                        let (figure, spread) = (value.value.to_string(), value.spread.to_string());
                        line(&[
                            &table.name,
                            title,
                            name,
                            column,
                            unit,
                            "ours",
                            &row.origin,
                            &row.kernel,
                            &figure,
                            &spread,
                        ]);
                    }
                }
            }
            for view in &part.experiments {
                let (name, unit) = (&view.experiment.name, view.unit.name());
                for value in &view.experiment.printed {
                    line(&[
                        &table.name,
                        title,
                        name,
                        "",
                        unit,
                        "theirs",
                        &view.experiment.paper,
                        "",
                        &value.to_string(),
                        "",
                    ]);
                }
                if let Some(value) = view.ours {
                    let (figure, spread) = (value.value.to_string(), value.spread.to_string());
                    line(&[&table.name, title, name, "", unit, "ours", "", "", &figure, &spread]);
                }
            }
        }
    }
    text
}

fn csv_field(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::{table, view};

    #[test]
    fn all_printed_figures_are_in_all_files() {
        let tables = table::all().unwrap();
        let report = view::tests::sample(&tables);
        let (markdown, csv, json) = (markdown(&report), csv(&report), json(&report));
        assert!(
            markdown
                .contains("| UMAC-STD | theirs: Pentium III, 700 MHz | 52.9 | 12.3 | 3.8 | 1.9 |")
        );
        assert!(
            markdown
                .contains("| UMAC-STD | wegman <&>, portable | ~1.50 | ~1.50 | ~1.50 | ~1.50 |")
        );
        assert!(csv.contains(
            "note,The note's table,UMAC-STD,43,cycles/byte,theirs,\"Pentium III, 700 MHz\",,52.9,\n"
        ));
        assert!(csv.contains(
            "note,The note's table,UMAC-STD,43,cycles/byte,ours,wegman <&>,portable,1.5,0.2\n"
        ));
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["tables"][0]["parts"][0]["rows"][1]["theirs"][0]["values"][0], 52.9);
        assert_eq!(json["tables"][1]["parts"][1]["rows"][0]["theirs"][0]["values"][0], Value::Null);
        let fields = csv.lines().map(|line| {
            line.split('"').step_by(2).map(|part| part.matches(',').count()).sum::<usize>()
        });
        assert!(fields.into_iter().all(|commas| commas == 9));
    }
}
