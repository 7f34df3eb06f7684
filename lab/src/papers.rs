//! `wegman-bench lab`: the tables and figures of the papers, measured again, beside today's rivals.
//!
//! | module | what it knows |
//! |---|---|
//! | `table` | the tables as data, the files of `lab/tables`, which take up the figures |
//! | `subject` | the names of what is measured, their engines, and what times them |
//! | `run` | which cells, in which order, for how long |
//! | `store` | what was measured so far |
//! | `view` | the figures of a table, theirs and ours, and what they say |
//! | `markdown` | the report for people; another for programs is JSON |

pub mod markdown;
pub mod run;
pub mod store;
pub mod subject;
pub mod table;
#[cfg(test)]
pub mod tests;
pub mod view;

use crate::papers::markdown::markdown;
use crate::papers::store::{Machine, Store};
use crate::papers::table::Table;
use crate::papers::view::Report;
use crate::print;
use crate::rivals;
use crate::timing::measure::Clock;
use clap::Subcommand;
use std::fs;
use std::path::{Path, PathBuf};

/// The subcommands of `lab`.
#[derive(Subcommand)]
pub enum Lab {
    /// Measures tables, all if none is named, and writes the report; what is measured already is not measured again
    Run {
        /// Only these tables; `list` prints their names
        #[arg(value_name = "TABLE")]
        tables: Vec<String>,

        /// All tables in two minutes, by one short pass
        #[arg(long)]
        quick: bool,

        /// Where the report goes, and what was measured; `make lab` says lab/records/CPU-DATE
        #[arg(long, value_name = "DIR", overrides_with = "out")]
        out: PathBuf,
    },
    /// Lists the tables
    List,
    /// Rewrites the report of a directory
    Report {
        /// What a run wrote
        directory: PathBuf,
    },
}

/// Runs a subcommand.
pub fn main(lab: Lab) -> Result<(), String> {
    match lab {
        Lab::List => {
            let line = |table: Table| format!("{:<14}{}\n", table.name, table.title);
            print(&table::all().into_iter().map(line).collect::<String>())
        }
        Lab::Report { directory } => write_report(&directory),
        Lab::Run { tables, quick, out } => measure(&tables, quick, &out),
    }
}

fn measure(names: &[String], quick: bool, out: &Path) -> Result<(), String> {
    let tables = table::all();
    let is_wanted = |table: &&Table| names.is_empty() || names.contains(&table.name);
    let wanted: Vec<&Table> = tables.iter().filter(is_wanted).collect();
    if wanted.len() < names.len() {
        return Err("not each of these is a table: `wegman-bench lab list` lists them".into());
    }
    let engines = rivals::all(None);
    engines.check_published()?;
    let (mut store, put_aside) = Store::open(out, &Machine::this(quick)?)?;
    if let Some(put_aside) = put_aside {
        eprintln!("cells of another program, machine or effort, or damaged: now {put_aside}");
    }
    let groups = run::groups(&wanted, &engines);
    let clock = Clock::start();
    print(&clock.machine())?;
    let effort = if quick { run::QUICK } else { run::FULL };
    run::run(&clock, &groups, &engines, effort, &mut store)?;
    write_report(out)
}

/// Writes all files of the report.
fn write_report(directory: &Path) -> Result<(), String> {
    let (machine, figures) = store::load(directory)?;
    let report = Report::new(table::all(), machine, &figures, &rivals::all(None));
    for (name, text) in [("report.md", markdown(&report)), ("report.json", json(&report) + "\n")] {
        let path = directory.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    print(&format!("written: {}", directory.join("report.md").display()))
}

fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("numbers and strings")
}

#[cfg(test)]
mod of_the_report {
    use super::*;
    use crate::papers::tests::sample;
    use serde_json::Value;

    #[test]
    fn all_printed_figures_are_in_all_files() {
        let report = sample();
        let text = markdown(&report);
        for line in [
            "| UMAC16 | wegman <&>, portable | ~1.50 | ~1.50 | ~1.50 | ~1.50 |",
            "| UMAC-STD | theirs: Pentium III, 700 MHz | 52.9 | 12.3 | 3.8 | 1.9 |",
        ] {
            assert!(text.contains(line), "{line}");
        }
        // Lines of a table have as many cells as its head.
        for table in text.split("\n\n").filter(|block| block.starts_with('|')) {
            let cells = |line: &str| line.replace("\\|", "").matches('|').count();
            assert!(table.lines().all(|line| cells(line) == cells(table.lines().next().unwrap())));
        }
        let json: Value = serde_json::from_str(&json(&report)).unwrap();
        // As the project's page and notebook read it.
        let row = &json["tables"][0]["parts"][0]["rows"][0];
        assert_eq!((row["ours"][0].as_f64(), row["spreads"][0].as_f64()), (Some(1.5), Some(0.2)));
        assert_eq!(json["tables"][0]["parts"][0]["rows"][1]["theirs"][0]["values"][0], 52.9);
        assert_eq!(json["tables"][1]["parts"][1]["rows"][0]["theirs"][0]["values"][0], Value::Null);
    }
}
