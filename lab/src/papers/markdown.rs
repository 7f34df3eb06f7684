//! The report in Markdown, for people.

use crate::papers::table::{Experiment, Part, Row, Unit};
use crate::papers::view::{Report, short};
use crate::view::{Grid, UNQUIET};
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

/// A printed figure or range, with its unit.
fn range(unit: Unit, printed: &[f64]) -> String {
    match printed {
        [] => "-".to_owned(),
        [one] => format!("{one} {unit}"),
        [first, .., last] => format!("{first} to {last} {unit}"),
    }
}

/// A figure with its unit.
fn in_words(unit: Unit, value: f64) -> String {
    match unit {
        Unit::PercentMore if value < 0.0 => format!("{} % less", short(-value)),
        Unit::PercentSlower if value < 0.0 => format!("{} % faster", short(-value)),
        unit => format!("{} {}", short(value), unit),
    }
}

/// A line as the paper prints it: every figure gets the decimals of the most precise one.
fn theirs(values: &[f64]) -> Vec<String> {
    let decimals =
        |value: &f64| value.to_string().split_once('.').map_or(0, |(_, part)| part.len());
    let decimals = values.iter().map(decimals).max().unwrap_or(0);
    let text = |v: &f64| if v.is_nan() { "-".to_owned() } else { format!("{v:.decimals$}") };
    values.iter().map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_printed_as_people_write_them() {
        assert_eq!(range(Unit::PercentMore, &[10.0, 20.0]), "10 to 20 % more");
        assert_eq!(range(Unit::CyclesPerByte, &[0.98]), "0.98 cycles/byte");
        assert_eq!(theirs(&[14.0, 2.7, f64::NAN]), ["14.0", "2.7", "-"]);
        assert_eq!(in_words(Unit::PercentMore, -4.0), "4.00 % less");
    }
}
