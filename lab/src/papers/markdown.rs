//! The report as Markdown.

use crate::papers::unit::theirs;
use crate::papers::view::{PartView, Report, TableView};
use std::fmt::Write as _;

/// A summary for people who read text.
pub fn markdown(report: &Report<'_>) -> String {
    let mut text = String::from("# The papers' tables, measured again\n\n");
    let _ = writeln!(text, "{}\n", report.head());
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
            if part.rows.is_empty() {
                experiments(&mut text, part);
            } else {
                rows(&mut text, part);
            }
        }
        text.push('\n');
    }
    if !report.absent.is_empty() {
        let _ =
            writeln!(text, "Not measured, because not installed: {}.", report.absent.join("; "));
    }
    text
}

/// A line of a Markdown table; its cells can't end it early.
fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn rows(text: &mut String, part: &PartView<'_>) {
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
        let cells = [row.row.name.clone(), row.whose()].into_iter().chain(row.ours_as_text());
        *text += &line(&cells.collect::<Vec<_>>());
    }
}

fn experiments(text: &mut String, part: &PartView<'_>) {
    *text += "| what | the paper | theirs | ours |\n|---|---|---:|---:|\n";
    for view in &part.experiments {
        let (name, paper) = (view.experiment.name.clone(), view.experiment.paper.clone());
        *text += &line(&[name, paper, view.theirs_in_words(), view.ours_in_words()]);
    }
}
