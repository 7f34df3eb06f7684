//! The report in Markdown, for people.

use crate::papers::unit::theirs;
use crate::papers::view::{PartView, Report, TableView};
use std::fmt::Write as _;

/// All tables.
pub fn markdown(report: &Report<'_>) -> String {
    let mut text = format!("# The papers' tables, measured again\n\n{}\n", report.head());
    for TableView { table, parts, findings, notes } in &report.tables {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n- What they measured: {}\n- Where we deviate: {}\n",
            table.title,
            table.source,
            table.measured.trim(),
            table.deviations.trim()
        );
        for sentence in notes.iter().chain(findings) {
            let _ = write!(text, "\n{sentence}\n");
        }
        for part in parts {
            let _ = write!(text, "\n### {}\n\n", part.part.title);
            let lines = if part.rows.is_empty() { experiments(part) } else { rows(part) };
            for (number, line) in lines.iter().enumerate() {
                let cells: Vec<String> = line.iter().map(|cell| cell.replace('|', "\\|")).collect();
                let _ = writeln!(text, "| {} |", cells.join(" | "));
                if number == 0 {
                    let _ = writeln!(text, "|{}", "---|".repeat(line.len()));
                }
            }
        }
    }
    if !report.absent.is_empty() {
        let absent = report.absent.join("; ");
        let _ = write!(text, "\nNot measured, because not installed: {absent}.\n");
    }
    text
}

/// What is printed above what was measured.
fn rows(part: &PartView<'_>) -> Vec<Vec<String>> {
    let unit = format!("{}, by {}", part.part.unit.name(), part.column_title());
    let line = |name: &str, whose: String, values: &mut dyn Iterator<Item = String>| {
        [name.to_owned(), whose].into_iter().chain(values).collect()
    };
    let mut lines: Vec<Vec<String>> =
        vec![line(&unit, String::new(), &mut part.columns.iter().cloned())];
    for row in &part.rows {
        for printed in &row.row.printed {
            let values = &mut theirs(&printed.values).into_iter();
            lines.push(line(&row.row.name, format!("theirs: {}", printed.on), values));
        }
        lines.push(line(&row.row.name, row.whose(), &mut row.ours_as_text()));
    }
    lines
}

/// What is compared, of which cells, ours, theirs, and the paper's words.
fn experiments(part: &PartView<'_>) -> Vec<Vec<String>> {
    let mut lines =
        vec![["what", "cells", "ours", "theirs", "the paper's words"].map(str::to_owned).to_vec()];
    for view in &part.experiments {
        let experiment = view.experiment;
        let sum = |cells: &[String]| match cells {
            [one] => one.clone(),
            _ => format!("({})", cells.join(" + ").replace("+ -", "- ")),
        };
        let made_of = match &experiment.to[..] {
            [] => sum(&experiment.of),
            to => format!("{} / {}", sum(&experiment.of), sum(to)),
        };
        let (name, paper) = (experiment.name.clone(), experiment.paper.clone());
        lines.push(vec![name, made_of, view.ours_in_words(), view.theirs_in_words(), paper]);
    }
    lines
}
