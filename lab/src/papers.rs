//! `wegman-bench lab`: the tables and figures of the papers, measured again, beside today's rivals.
//!
//! | module | what it knows |
//! |---|---|
//! | `table`, `unit` | the tables as data, the files of `lab/tables` |
//! | `subject` | the names of what is measured |
//! | `resolver` | the engine that a name stands for |
//! | `device` | what times a group of subjects |
//! | `run` | which cells, in which order, for how long |
//! | `store` | what was measured so far |
//! | `view` | the figures of a table, theirs and ours, and what they say |
//! | `report` | the files of the report: `markdown`, and JSON |

pub mod device;
pub mod markdown;
pub mod report;
pub mod resolver;
pub mod run;
pub mod store;
pub mod subject;
pub mod table;
#[cfg(test)]
pub mod tests;
pub mod unit;
pub mod view;

use crate::papers::run::Effort;
use crate::papers::store::{Machine, Store};
use crate::papers::table::Table;
use crate::rivals;
use crate::timing::measure::Clock;
use clap::{Args, Subcommand};
use std::path::PathBuf;

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

    /// All tables in two minutes, by one short pass
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

fn measure(
    arguments: &RunArguments,
    tables: &[Table],
    print: &impl Fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    let is_wanted = |table: &&Table| arguments.tables.contains(&table.name);
    let mut wanted: Vec<&Table> = tables.iter().filter(is_wanted).collect();
    if arguments.tables.is_empty() {
        wanted = tables.iter().collect();
    } else if wanted.len() < arguments.tables.len() {
        return Err("not each of these is a table: `wegman-bench lab list` lists them".into());
    }
    let engines = rivals::all(None);
    engines.check_published()?;
    let (mut store, put_aside) = Store::open(&arguments.out, Machine::this(arguments.quick)?)?;
    if let Some(put_aside) = put_aside {
        eprintln!("cells of another program, machine or effort, or damaged: now {put_aside}");
    }
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let groups = run::groups(&wanted, &engines)?;
    let clock = Clock::start();
    print(&crate::timing::report::machine(clock.core_ghz(), clock.ticks_per_ns()))?;
    run::run(&clock, &groups, &engines, effort, &mut store)?;
    report::write(&arguments.out, tables, print)
}
