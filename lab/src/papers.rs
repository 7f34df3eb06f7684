//! `wegman-bench lab`: the tables and figures of the papers, measured again, beside today's rivals.
//!
//! | module | what it knows |
//! |---|---|
//! | `table`, `unit` | the tables as data, the files of `lab/tables` |
//! | `subject` | the names of what is measured |
//! | `resolver` | the engine that a name stands for |
//! | `device` | what times a group of subjects |
//! | `run` | which cells, in which order, for how long |
//! | `bar` | the progress of a run, and Ctrl-C |
//! | `store` | what was measured so far |
//! | `packets` | the packet path as one of the tables |
//! | `view` | the figures of a table, theirs and ours, and what they say |
//! | `report` | all files of the report: `page` with `chart`, and JSON |
//! | `record_name` | the directory of a record |

pub mod bar;
pub mod chart;
pub mod device;
pub mod html;
pub mod packets;
pub mod page;
pub mod record_name;
pub mod report;
pub mod resolver;
pub mod run;
#[cfg(test)]
pub mod sample;
pub mod store;
pub mod subject;
pub mod table;
pub mod unit;
pub mod view;

use crate::memory::READ;
use crate::papers::bar::Bar;
use crate::papers::record_name::record_name;
use crate::papers::resolver::{Engines, expected};
use crate::papers::run::Effort;
use crate::papers::store::{Machine, Store};
use crate::papers::table::Table;
use crate::timing::measure::Clock;
use clap::{Args, Subcommand};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The subcommands of `lab`.
#[derive(Subcommand)]
pub enum Lab {
    /// Measures tables, all if none is named, and writes the report; what is measured already is not measured again
    Run(RunArguments),
    /// Lists the tables
    List,
    /// Rewrites the report of a directory
    Report {
        /// What a run wrote
        directory: PathBuf,
    },
    /// Prints the tag that each row of a table should have, for adding rows
    Tags {
        /// The table's name, as `list` prints it
        table: String,
    },
}

/// The arguments of a run.
#[derive(Args)]
pub struct RunArguments {
    /// Only these tables; `list` prints their names
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,

    /// All tables in two minutes: one pass, no message above 64 MiB
    #[arg(long)]
    quick: bool,

    /// Where the report goes, and what was measured [default: lab/records/CPU-DATE, with -quick behind it if it is]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs a subcommand.
pub fn main(lab: Lab, print: impl Fn(&str) -> Result<(), String>) -> Result<(), String> {
    let tables = table::all()?;
    match lab {
        Lab::List => {
            let line = |table: &Table| format!("{:<14}{}\n", table.name, table.title);
            print(&tables.iter().map(line).collect::<String>())
        }
        Lab::Tags { table } => {
            let [table] = named(&tables, &[table])?[..] else { unreachable!("one name") };
            let engines = Engines::new();
            let mut text = String::new();
            let parts = table.part.iter().filter(|part| !part.is_of_packets());
            let rows = parts.flat_map(|part| &part.row);
            for row in rows.filter(|row| row.engine() != READ) {
                let found = engines.find(row.engine(), row.from.as_deref());
                let tag = found.and_then(|engine| expected(&engine));
                text += &format!("{:<40}{}\n", row.name, tag.unwrap_or_else(|why| why));
            }
            print(&text)
        }
        Lab::Report { directory } => report::write(&directory, &tables, &print),
        Lab::Run(arguments) => measure(&arguments, &tables, &print),
    }
}

fn named<'t>(tables: &'t [Table], names: &[String]) -> Result<Vec<&'t Table>, String> {
    let find = |name: &String| {
        let found = tables.iter().find(|table| table.name == *name);
        found.ok_or_else(|| {
            format!("no table is called {name:?}: `wegman-bench lab list` lists them")
        })
    };
    names.iter().map(find).collect()
}

fn measure(
    arguments: &RunArguments,
    tables: &[Table],
    print: &impl Fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    let wanted = match &arguments.tables[..] {
        [] => tables.iter().collect(),
        names => named(tables, names)?,
    };
    crate::rivals::check_published()?;
    let engines = Engines::new();
    check_tags(&wanted, &engines)?;
    // Apart, or a quick run would replace a full one of the same day.
    let name = record_name() + if arguments.quick { "-quick" } else { "" };
    let directory = arguments.out.clone().unwrap_or_else(|| Path::new("lab/records").join(name));
    let (mut store, put_aside) = Store::open(&directory, Machine::this(arguments.quick)?)?;
    tell_put_aside("cells", put_aside);
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let groups = run::groups(&wanted, &engines, effort.longest)?;
    let packets = needs_packets(&wanted, &directory, &store.machine)?;
    let rest = if packets { effort.packets } else { Duration::ZERO };
    let clock = Clock::start();
    print(&crate::timing::report::machine(clock.core_ghz(), clock.ticks_per_ns()))?;
    let mut watch = Bar::new();
    let mut done = run::run(&clock, &groups, &engines, effort, &mut store, rest, &mut watch)?;
    let mut failed = Ok(());
    if done && packets {
        let after = watch.done();
        failed = packets::run(rest, after, &mut watch).and_then(|paths| match paths {
            Some(paths) => packets::keep(&directory, &store.machine, paths),
            None => {
                done = false;
                Ok(())
            }
        });
    }
    watch.clear();
    drop(store);
    // Even if the packets failed, the other tables are measured.
    report::write(&directory, tables, print)?;
    failed?;
    if done {
        return Ok(());
    }
    Err(format!("stopped; the same command goes on with --out {}", directory.display()))
}

/// Whether the packet path has to be measured for these tables.
fn needs_packets(wanted: &[&Table], directory: &Path, machine: &Machine) -> Result<bool, String> {
    if cfg!(target_os = "linux") && wanted.iter().any(|table| table.is_of_packets()) {
        let (missing, put_aside) = packets::is_missing(directory, machine)?;
        tell_put_aside("packets", put_aside);
        return Ok(missing);
    }
    // The report reads them: an error should show before anything is measured.
    packets::load(directory, machine)?;
    Ok(false)
}

/// Reports the new name of another run's file, if one was in the way.
fn tell_put_aside(what: &str, put_aside: Option<String>) {
    if let Some(put_aside) = put_aside {
        eprintln!("{what} of another program, machine or effort, or damaged: now {put_aside}");
    }
}

/// Checks that every row makes the tag its table has for it.
fn check_tags(tables: &[&Table], engines: &Engines) -> Result<(), String> {
    let parts = tables.iter().flat_map(|table| &table.part);
    let rows = parts.filter(|part| !part.is_of_packets()).flat_map(|part| &part.row);
    rows.into_iter().try_for_each(|row| check_tag(row, engines))
}

/// Checks that a row makes the tag its table has for it.
fn check_tag(row: &table::Row, engines: &Engines) -> Result<(), String> {
    if engines.absent(row.from.as_deref()).is_some() || row.engine() == READ {
        return Ok(());
    }
    let engine = engines.find(row.engine(), row.from.as_deref())?;
    let tag = expected(&engine)?;
    if tag == row.tag {
        return Ok(());
    }
    Err(format!("{}: the table expects the tag {}, but got {tag}", row.name, row.tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_tag_in_a_table_is_named() {
        let engines = Engines::new();
        let tables = table::all().unwrap();
        assert_eq!(check_tags(&tables.iter().collect::<Vec<_>>(), &engines), Ok(()));
        let tag = String::new();
        let row =
            table::Row { name: "UMAC-64".into(), engine: None, from: None, tag, printed: vec![] };
        assert!(check_tag(&row, &engines).is_err_and(|why| why.starts_with("UMAC-64: ")));
    }
}
