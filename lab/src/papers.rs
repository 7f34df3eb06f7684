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

pub mod bar;
pub mod chart;
pub mod device;
pub mod html;
pub mod packets;
pub mod page;
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

use crate::papers::bar::Bar;
use crate::papers::resolver::Engines;
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

    /// Where the report goes, and what was measured; `make lab` says lab/records/CPU-DATE
    #[arg(long, value_name = "DIR", overrides_with = "out")]
    out: PathBuf,
}

/// Runs a subcommand.
pub fn main(lab: Lab, print: impl Fn(&str) -> Result<(), String>) -> Result<(), String> {
    let tables = table::all()?;
    match lab {
        Lab::List => {
            let line = |table: &Table| format!("{:<14}{}\n", table.name, table.title);
            print(&tables.iter().map(line).collect::<String>())
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
    let directory = &arguments.out;
    let (mut store, put_aside) = Store::open(directory, Machine::this(arguments.quick)?)?;
    tell_put_aside("cells", put_aside);
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let groups = run::groups(&wanted, &engines, effort.longest)?;
    let packets = needs_packets(&wanted, directory, &store.machine)?;
    let rest = if packets { effort.packets } else { Duration::ZERO };
    let clock = Clock::start();
    print(&crate::timing::report::machine(clock.core_ghz(), clock.ticks_per_ns()))?;
    let mut watch = Bar::new();
    let mut done = run::run(&clock, &groups, &engines, effort, &mut store, rest, &mut watch)?;
    let mut failed = Ok(());
    if done && packets {
        let after = watch.done();
        failed = packets::run(rest, after, &mut watch).and_then(|paths| match paths {
            Some(paths) => packets::keep(directory, &store.machine, paths),
            None => {
                done = false;
                Ok(())
            }
        });
    }
    watch.clear();
    drop(store);
    // Even if the packets failed, the other tables are measured.
    report::write(directory, tables, print)?;
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
