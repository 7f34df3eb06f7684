//! The report in Markdown, for people.

use crate::papers::table::{Experiment, Part, Row};
use crate::papers::unit::{in_words, range, short, theirs};
use crate::papers::view::Report;
use crate::timing::report::UNQUIET;
use crate::view::Grid;
use std::fmt::Write as _;

/// All tables.
pub fn markdown(report: &Report) -> String {
    let machine = &report.machine;
    let clock = report
        .clock
        .map_or("its clock is not known".to_owned(), |ghz| format!("{ghz:.2} GHz in the middle"));
    let effort = if machine.quick { " A quick run: one short pass." } else { "" };
    let mut text = format!(
        "# The papers' tables, measured again\n\nOurs: {} ({}), {clock}; program {}.{effort} A figure with ~ had a \
         spread above 10 %: the machine was busy with something else.\n",
        machine.cpu, machine.features, machine.build
    );
    for table in &report.tables {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n- What they measured: {}\n- Where we deviate: {}\n",
            table.title,
            table.source,
            table.measured.trim(),
            table.deviations.trim()
        );
        for sentence in &table.findings {
            let _ = write!(text, "\n{sentence}\n");
        }
        for part in &table.part {
            let grid = if part.row.is_empty() { experiments(part) } else { rows(part) };
            let _ = write!(text, "\n### {}\n\n{}", part.title, grid.markdown());
        }
    }
    if !report.absent.is_empty() {
        let absent = report.absent.join("; ");
        let _ = write!(text, "\nNot measured, because not installed: {absent}.\n");
    }
    text
}

/// What is printed above what was measured.
fn rows(part: &Part) -> Grid {
    let line = |name: &str, whose: String, values: Vec<String>| {
        [name.to_owned(), whose].into_iter().chain(values).collect()
    };
    let mut rows = Vec::new();
    for row in &part.row {
        for printed in &row.printed {
            let whose = format!("theirs: {}", printed.on);
            rows.push(line(&row.name, whose, theirs(&printed.values)));
        }
        let ours = row.ours.iter().zip(&row.spreads);
        let ours = ours.map(|(&ours, &spread)| marked(ours, spread, short));
        rows.push(line(&row.name, whose(row), ours.collect()));
    }
    let unit = format!("{}, by bytes", part.unit);
    Grid { names: 2, head: line(&unit, String::new(), part.lengths.clone()), rows }
}

/// Where our row comes from.
fn whose(row: &Row) -> String {
    match (&row.absent, row.kernel.as_str()) {
        (Some(absent), _) => format!("absent: {absent}"),
        (None, "") => "not measured".to_owned(),
        (None, "auto") => row.origin.clone(),
        (None, kernel) => format!("{}, {kernel}", row.origin),
    }
}

/// A figure of ours, with a mark if it can't be trusted.
fn marked(value: Option<f64>, spread: Option<f64>, words: impl Fn(f64) -> String) -> String {
    let mark = if spread.is_some_and(|spread| spread > UNQUIET) { "~" } else { "" };
    value.map_or("-".to_owned(), |value| mark.to_owned() + &words(value))
}

/// What is compared, of which cells, ours, theirs, and the paper's words.
fn experiments(part: &Part) -> Grid {
    let row = |one: &Experiment| {
        let unit = one.unit.unwrap_or(part.unit);
        let sum = |cells: &[String]| match cells {
            [one] => one.clone(),
            _ => format!("({})", cells.join(" + ").replace("+ -", "- ")),
        };
        let to = if one.to.is_empty() { String::new() } else { format!(" / {}", sum(&one.to)) };
        let ours = marked(one.ours, one.spread, |value| in_words(unit, value));
        let theirs = range(unit, &one.printed);
        vec![one.name.clone(), sum(&one.of) + &to, ours, theirs, one.paper.clone()]
    };
    let head = ["what", "cells", "ours", "theirs", "the paper's words"].map(str::to_owned);
    Grid { names: 5, head: head.into(), rows: part.experiment.iter().map(row).collect() }
}
