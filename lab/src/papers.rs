//! `wegman-bench lab`: the tables and figures of the papers, measured again, beside today's rivals.
//!
//! | module | what it knows |
//! |---|---|
//! | [`table`] | the tables as data, the files of `lab/tables` |
//! | [`subject`] | what a cell measures, by name, and how |
//! | [`run`] | which cells, in which order, for how long |
//! | [`store`] | what was measured so far |
//! | [`packets`] | the packet path as one of the tables |
//! | [`view`] | the figures of a table, theirs and ours, and what they say |
//! | [`chart`], [`page`], [`files`] | the report |

pub mod chart;
pub mod files;
pub mod html;
pub mod packets;
pub mod page;
pub mod run;
pub mod store;
pub mod subject;
pub mod table;
pub mod view;

use crate::papers::run::{Effort, Watch};
use crate::papers::store::{Machine, Store};
use crate::papers::subject::Engines;
use crate::papers::table::Table;
use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use wegman_bench::measure::Clock;
use wegman_bench::report;

/// What the lab is asked for.
#[derive(Subcommand)]
pub enum Lab {
    /// Measures tables, all if none is named, and writes the report; what is measured already is not measured again
    Run(RunArguments),
    /// Lists the tables
    List,
    /// Writes the report of a directory anew
    Report {
        /// What a run wrote
        directory: PathBuf,
    },
    /// Prints the tag that each row of a table should have, for who adds a row
    Tags {
        /// A name that `list` lists
        table: String,
    },
}

/// What a run is asked for.
#[derive(Args)]
pub struct RunArguments {
    /// Only these, of the names that `list` lists
    #[arg(value_name = "TABLE")]
    tables: Vec<String>,

    /// All tables in two minutes: one pass, no message above 64 MiB
    #[arg(long)]
    quick: bool,

    /// Where the report goes, and what was measured [default: lab/records/CPU-DATE, with -quick behind it if it is]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Does it.
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
            for row in rows.filter(|row| row.engine() != subject::READ) {
                let found = engines.find(row.engine(), row.from.as_deref());
                let tag = found.and_then(|engine| subject::expected(&engine));
                text += &format!("{:<40}{}\n", row.name, tag.unwrap_or_else(|why| why));
            }
            print(&text)
        }
        Lab::Report { directory } => write(&directory, &tables, &print),
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
    let parts = wanted.iter().flat_map(|table| &table.part);
    for row in parts.filter(|part| !part.is_of_packets()).flat_map(|part| &part.row) {
        check_tag(row, &engines)?;
    }
    // Apart, or a quick run would take the place of a full one of the same day.
    let name = record_name() + if arguments.quick { "-quick" } else { "" };
    let directory = arguments.out.clone().unwrap_or_else(|| Path::new("lab/records").join(name));
    let (mut store, put_aside) = Store::open(&directory, Machine::this(arguments.quick)?)?;
    if let Some(put_aside) = put_aside {
        eprintln!("cells of another program, machine or effort, or damaged: now {put_aside}");
    }
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let groups = run::groups(&wanted, &engines, effort.longest)?;
    let mut packets = false;
    if cfg!(target_os = "linux") && wanted.iter().any(|table| table.is_of_packets()) {
        let put_aside;
        (packets, put_aside) = packets::is_missing(&directory, &store.machine)?;
        if let Some(put_aside) = put_aside {
            eprintln!("packets of another program, machine or effort, or damaged: now {put_aside}");
        }
    } else {
        // The report has them: what spoils it shows before anything is measured.
        packets::load(&directory, &store.machine)?;
    }
    let rest = if packets { effort.packets } else { Duration::ZERO };
    let clock = Clock::start();
    print(&report::machine(clock.core_ghz(), clock.ticks_per_ns()))?;
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
    watch.bar.finish_and_clear();
    drop(store);
    // Whatever became of the packets, the other tables are there.
    write(&directory, tables, print)?;
    failed?;
    if done {
        return Ok(());
    }
    Err(format!("stopped; the same command goes on with --out {}", directory.display()))
}

/// Checks that a row makes the tag its table has for it.
fn check_tag(row: &table::Row, engines: &Engines) -> Result<(), String> {
    if engines.absent(row.from.as_deref()).is_some() || row.engine() == subject::READ {
        return Ok(());
    }
    let tag = subject::expected(&*engines.find(row.engine(), row.from.as_deref())?)?;
    if tag == row.tag {
        return Ok(());
    }
    Err(format!("{}: the table expects the tag {}, but got {tag}", row.name, row.tag))
}

/// Writes all files of the report.
fn write(
    directory: &Path,
    tables: &[Table],
    print: &impl Fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    let (machine, figures) = store::load(directory)?;
    let paths = packets::load(directory, &machine)?;
    let report = view::Report::new(tables, machine, &figures, paths.as_ref(), &Engines::new())?;
    let html = page::html(&report)?;
    for (name, text) in [
        ("report.html", html),
        ("report.md", files::markdown(&report)),
        ("report.csv", files::csv(&report)),
        ("report.json", files::json(&report)),
    ] {
        let path = directory.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    print(&format!("written: {}", directory.join("report.html").display()))
}

/// As `scripts/record` names its directories.
fn record_name() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let mut lines = info.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(field, _)| field.trim() == name).map(|(_, value)| value.trim().to_owned())
    };
    let mut name = report::cpu_model();
    if let (Some(family), Some(model)) = (field("cpu family"), field("model")) {
        name += &format!(" family {family} model {model}");
    }
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().map(letter).collect();
    let words: Vec<&str> = name.split('-').filter(|word| !word.is_empty()).collect();
    format!("{}-{}", words.join("-"), date(SystemTime::now()))
}

/// The day in UTC, by Howard Hinnant's algorithm: years begin in March, and 400 of them have 146097 days.
fn date(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{}-{month:02}-{day:02}", year + era * 400 + next)
}

/// Progress on a terminal, and Ctrl-C.
struct Bar {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl Bar {
    fn new() -> Bar {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %, {eta} left  {msg}");
        bar.set_style(style.expect("a good template"));
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        // One handler for the program: a second one is refused, and then the first one does.
        let _ = ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::Relaxed) {
                process::exit(130);
            }
            eprintln!(
                "\nstopping after this group; Ctrl-C again stops at once, and loses only that"
            );
        });
        Bar { bar, stop }
    }

    fn done(&self) -> Duration {
        Duration::from_millis(self.bar.position())
    }
}

impl Watch for Bar {
    fn begin(&mut self, whole: Duration) {
        self.bar.set_length(whole.as_millis() as u64);
        self.bar.reset_eta();
    }

    fn tell(&mut self, done: Duration, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.set_position(done.as_millis() as u64);
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_their_dates() {
        for (day, text) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_778, "2026-11-21"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(86_400 * day + 86_399)), text);
        }
    }

    #[test]
    fn a_wrong_tag_in_a_table_is_named() {
        let engines = Engines::new();
        let tables = table::all().unwrap();
        let parts = tables.iter().flat_map(|table| &table.part);
        for row in parts.filter(|part| !part.is_of_packets()).flat_map(|part| &part.row) {
            assert_eq!(check_tag(row, &engines), Ok(()));
        }
        let tag = String::new();
        let row =
            table::Row { name: "UMAC-64".into(), engine: None, from: None, tag, printed: vec![] };
        assert!(check_tag(&row, &engines).is_err_and(|why| why.starts_with("UMAC-64: ")));
    }
}
