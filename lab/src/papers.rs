//! `wegman-bench lab`: the tables and figures of the papers, measured again, beside today's rivals.
//!
//! | module | what it knows |
//! |---|---|
//! | `table` | the tables as data, the files of `lab/tables`, which take up the figures |
//! | `subject` | the names of what is measured, their engines, and what times them |
//! | `store` | what was measured so far |
//! | `view` | the figures of a table, theirs and ours, and what they say |
//! | `markdown` | the report for people; another for programs is JSON |
//!
//! A *group* is everything done in one way at one length, for all tables together. It is measured in turn, so that
//! rows that are compared ran on the machine in the same state. A *pass* measures every group once; passes follow each
//! other, so that no figure depends on one bad minute, and after the first pass there is a whole report.

pub mod markdown;
pub mod store;
pub mod subject;
pub mod table;
#[cfg(test)]
pub mod tests;
pub mod view;

use crate::papers::markdown::markdown;
use crate::papers::store::{Machine, Measured, Store};
use crate::papers::subject::{Doing, Subject};
use crate::papers::table::{Part, Table};
use crate::papers::view::Report;
use crate::print;
use crate::rivals::{self, Rivals};
use crate::speeds::{self, Speed, progress};
use crate::timing::measure::Clock;
use crate::timing::messages::{Messages, Mode};
use crate::timing::rounds::Place;
use anyhow::{Context, Result, ensure};
use clap::Subcommand;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
pub fn main(lab: Lab) -> Result<()> {
    match lab {
        Lab::List => {
            let line = |table: Table| format!("{:<14}{}\n", table.name, table.title);
            print(&table::all().into_iter().map(line).collect::<String>())
        }
        Lab::Report { directory } => write_report(&directory),
        Lab::Run { tables, quick, out } => measure(&tables, quick, &out),
    }
}

fn measure(names: &[String], quick: bool, out: &Path) -> Result<()> {
    let tables = table::all();
    let is_wanted = |table: &&Table| names.is_empty() || names.contains(&table.name);
    let wanted: Vec<&Table> = tables.iter().filter(is_wanted).collect();
    let are_tables = names.is_empty() || wanted.len() == names.len();
    ensure!(are_tables, "not each of these is a table: `wegman-bench lab list` lists them");
    let engines = rivals::all(None);
    engines.check_published()?;
    let store = Store::open(out, &Machine::this(quick)?);
    let mut store = store.with_context(|| out.display().to_string())?;
    let groups = groups(&wanted, &engines);
    let clock = Clock::start();
    print(&clock.machine())?;
    // In less than two minutes, or in about a quarter of an hour.
    let (passes, of_cell) = if quick { (1, 80) } else { (3, 300) };
    run(&clock, &groups, &engines, (passes, Duration::from_millis(of_cell)), &mut store)?;
    write_report(out)
}

/// Writes all files of the report.
fn write_report(directory: &Path) -> Result<()> {
    let read = store::load(directory).with_context(|| directory.display().to_string());
    let (machine, figures) = read?;
    let report = Report::new(machine, &figures, &rivals::all(None));
    for (name, text) in [("report.md", markdown(&report)), ("report.json", json(&report) + "\n")] {
        let path = directory.join(name);
        fs::write(&path, text).with_context(|| path.display().to_string())?;
    }
    print(&format!("written: {}", directory.join("report.md").display()))
}

fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("numbers and strings")
}

/// Everything the tables measure, each once, group by group; what can't be measured here is left out.
fn groups(tables: &[&Table], engines: &Rivals) -> Vec<Vec<Subject>> {
    let mut groups: BTreeMap<_, Vec<Subject>> = BTreeMap::new();
    let subjects = tables.iter().flat_map(|table| &table.part).flat_map(Part::subjects);
    for subject in subjects.filter(|subject| engines.engine(subject).is_some()) {
        // Short ones first: the first pass soon has most of the report.
        let way = (subject.lengths.clone(), matches!(subject.doing, Doing::Front(_)));
        let group = groups.entry(way).or_default();
        if !group.contains(&subject) {
            group.push(subject);
        }
    }
    groups.into_values().collect()
}

/// Measures what the store lacks: so many passes, and so long for each cell and pass; rounds have a shortest time that may
/// be more.
fn run(
    clock: &Clock,
    groups: &[Vec<Subject>],
    engines: &Rivals,
    (passes, of_cell): (usize, Duration),
    store: &mut Store,
) -> Result<()> {
    let passes = (0..passes).flat_map(|pass| groups.iter().map(move |group| (pass, group)));
    let mut todo: Vec<(usize, Vec<&Subject>)> = Vec::new();
    for (pass, group) in passes {
        let is_missing = |subject: &&Subject| !store.has(&subject.to_string(), pass);
        todo.push((pass, group.iter().filter(is_missing).collect()));
    }
    todo.retain(|(_, group)| !group.is_empty());
    let all = || todo.iter().flat_map(|(_, group)| group);
    let longest = all().flat_map(|subject| &subject.lengths).max();
    let messages = Messages::new(*longest.unwrap_or(&1), Mode::Single, 0);
    let (whole, mut done) = (all().count() as f64, 0.0);
    for (pass, group) in &todo {
        let count = group.len() as f64;
        let cells = group.iter().map(|subject| engines.cell(subject, messages));
        let cells = cells.collect::<Result<Vec<_>>>()?;
        let so_far = |part: f64| progress((done + count * part) / whole);
        let (clock, speeds) = speeds::group(clock, cells, of_cell.mul_f64(count), so_far)?;
        let measured = group.iter().zip(speeds).map(|(subject, Speed { place, timing, .. })| {
            let Place { kernel, from: origin, .. } = place;
            Measured { cell: subject.to_string(), pass: *pass, kernel, origin, timing, clock }
        });
        store.add(measured.collect())?;
        done += count;
    }
    Ok(())
}

#[cfg(test)]
mod of_a_run_and_its_report {
    use super::*;
    use crate::papers::store::figures;
    use crate::papers::tests::sample;
    use serde_json::Value;
    use std::collections::HashSet;

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

    #[test]
    fn a_run_goes_on_and_measures_nothing_twice() {
        let directory = tempfile::tempdir().unwrap();
        let tables = table::all();
        let note: Vec<&Table> = tables.iter().filter(|table| table.name == "note").collect();
        let engines = rivals::all(None);
        let clock = Clock::start();
        let groups = groups(&note, &engines);
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [4; 4]);
        let machine = Machine::this(true).unwrap();
        let mut counts = Vec::new();
        for passes in [1, 2, 2] {
            let mut store = Store::open(directory.path(), &machine).unwrap();
            run(&clock, &groups[..1], &engines, (passes, Duration::ZERO), &mut store).unwrap();
            counts.push(store.measured.len());
            assert!(figures(&store.measured)["UMAC32 @ 43"].timing.ns > 0.0);
        }
        assert_eq!(counts, [4, 8, 8]);
    }

    #[test]
    fn rows_of_several_tables_share_a_run() {
        let tables = table::all();
        let all: Vec<&Table> = tables.iter().collect();
        let groups = groups(&all, &rivals::all(None));
        let names: Vec<String> = groups.iter().flatten().map(Subject::to_string).collect();
        let once: HashSet<&String> = names.iter().collect();
        assert_eq!(once.len(), names.len());
        let packets = groups.iter().find(|group| group[0].to_string().ends_with("@ 1500")).unwrap();
        let packets: Vec<String> = packets.iter().map(Subject::to_string).collect();
        for name in
            ["UMAC32 @ 1500", "hash127 @ 1500", "UMAC-64 @ 1500", "HMAC-SHA1 from hmac @ 1500"]
        {
            assert!(packets.iter().any(|packet| packet == name), "{name}");
        }
    }
}
