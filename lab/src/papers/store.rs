//! The measurements so far: `cells.jsonl`, one line for what the figures depend on, then one for each cell and pass,
//! written as soon as its group is done. Nothing is rewritten, so nothing is lost.

use crate::timing::measure::{self, cpu_model, median};
use crate::timing::rounds::Timing;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use wegman::{NonceOf, umac};

/// What the figures depend on. Figures of different machines are never mixed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor.
    pub cpu: String,
    /// Its features, as [`features`](crate::timing::measure::features) lists them.
    pub features: String,
    /// A tag of the program's own file.
    pub build: String,
    /// Whether the run was a quick one.
    pub quick: bool,
}

impl Machine {
    /// This one, and this program.
    pub fn this(quick: bool) -> Result<Machine> {
        let program = std::env::current_exe().and_then(fs::read);
        let program = program.context("this program's file")?;
        let build = umac::Key::<8>::new(b"wegman-bench lab").tag(NonceOf::counter(0), &program);
        let (cpu, features) = (cpu_model(), measure::features());
        Ok(Machine { cpu, features, build: build.to_string(), quick })
    }
}

/// The result of one pass over a subject, or of all of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The subject's name.
    pub cell: String,
    /// Which pass, from 0.
    pub pass: usize,
    pub kernel: String,
    pub origin: String,
    /// Of one message.
    #[serde(flatten)]
    pub timing: Timing,
    /// The core's clock in GHz meanwhile.
    pub clock: Option<f64>,
}

impl Measured {
    /// Medians of the passes; the spread is the widest of a pass, or the range of the passes divided by their median if
    /// that is larger.
    fn of(passes: &[&Measured]) -> Measured {
        let all = |value: fn(&Measured) -> Option<f64>| median(passes.iter().map(|one| value(one)));
        let costs = || passes.iter().map(|measured| measured.timing.cost());
        let (most, least) = (costs().fold(0.0, f64::max), costs().fold(f64::MAX, f64::min));
        let apart = all(|measured| Some(measured.timing.cost())).map(|cost| (most - least) / cost);
        let spreads = passes.iter().map(|measured| measured.timing.spread);
        let timing = Timing {
            cycles: all(|measured| measured.timing.cycles),
            ns: all(|measured| Some(measured.timing.ns)).expect("there is a pass"),
            spread: spreads.chain(apart).fold(0.0, f64::max),
        };
        Measured { timing, clock: all(|measured| measured.clock), ..passes[0].clone() }
    }
}

const FILE: &str = "cells.jsonl";

/// The file, and what is in it.
pub struct Store {
    file: File,
    pub measured: Vec<Measured>,
}

impl Store {
    /// Continues where a run with the same program on the same machine stopped. A file of another program or machine
    /// is renamed.
    pub fn open(directory: &Path, machine: &Machine) -> Result<Store> {
        let path = directory.join(FILE);
        fs::create_dir_all(directory)?;
        let known = read(&path).ok().filter(|(of, ..)| of == machine);
        if known.is_none() && path.exists() {
            // For example as `cells-1.jsonl`.
            let mut names = (1..).map(|n| directory.join(format!("cells-{n}.jsonl")));
            let free = names.find(|name| !name.exists()).expect("of so many");
            fs::rename(&path, &free)?;
            let why = "cells of another program, machine or effort, or damaged";
            eprintln!("{why}: now {}", free.display());
        }
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        let mut store = Store { file, measured: Vec::new() };
        match known {
            None => store.write(&[machine])?,
            Some((_, measured, whole)) => {
                // A truncated line would spoil the next one.
                store.file.set_len(whole)?;
                store.measured = measured;
            }
        }
        Ok(store)
    }

    /// Whether a pass over a subject is there.
    pub fn has(&self, cell: &str, pass: usize) -> bool {
        self.measured.iter().any(|measured| measured.pass == pass && measured.cell == cell)
    }

    /// Adds the results of a group.
    pub fn add(&mut self, group: Vec<Measured>) -> Result<()> {
        self.write(&group)?;
        self.measured.extend(group);
        Ok(())
    }

    fn write<T: Serialize>(&mut self, lines: &[T]) -> Result<()> {
        let line = |line| serde_json::to_string(line).expect("numbers and strings") + "\n";
        let text: String = lines.iter().map(line).collect();
        self.file.write_all(text.as_bytes()).context(FILE)
    }
}

/// The machine, the cells, and how many bytes of the file are whole lines.
fn read(path: &Path) -> Result<(Machine, Vec<Measured>, u64)> {
    let text = fs::read_to_string(path).context(FILE)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let (first, rest) = text[..whole].split_once('\n').context("it is empty")?;
    let machine = serde_json::from_str(first).context(FILE)?;
    let cells = serde_json::Deserializer::from_str(rest).into_iter().collect::<Result<_, _>>();
    Ok((machine, cells.context(FILE)?, whole as u64))
}

/// What is in a directory: the machine, and a figure for each subject.
pub fn load(directory: &Path) -> Result<(Machine, HashMap<String, Measured>)> {
    let (machine, measured, _) = read(&directory.join(FILE))?;
    Ok((machine, figures(&measured)))
}

/// A figure for each subject.
pub fn figures(measured: &[Measured]) -> HashMap<String, Measured> {
    let mut passes: HashMap<&str, Vec<&Measured>> = HashMap::new();
    for one in measured {
        passes.entry(&one.cell).or_default().push(one);
    }
    passes.into_iter().map(|(cell, passes)| (cell.to_owned(), Measured::of(&passes))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(build: &str) -> Machine {
        let (cpu, features) = ("A CPU".to_owned(), String::new());
        Machine { cpu, features, build: build.to_owned(), quick: true }
    }

    fn measured(cell: &str, pass: usize, ns: f64) -> Measured {
        let (kernel, origin) = ("portable".to_owned(), "wegman".to_owned());
        let timing = Timing { cycles: Some(2.0 * ns), ns, spread: 0.01 };
        Measured { cell: cell.to_owned(), pass, kernel, origin, timing, clock: None }
    }

    #[test]
    fn what_was_measured_is_there_after_any_end() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::open(directory.path(), &machine("a")).unwrap();
        store.add(vec![measured("UMAC-64 @ 43", 0, 10.0), measured("SHA-1 @ 43", 0, 1.0)]).unwrap();
        store.file.write_all(b"{\"cell\": \"cut").unwrap();
        drop(store);
        let mut store = Store::open(directory.path(), &machine("a")).unwrap();
        assert!(store.has("SHA-1 @ 43", 0) && !store.has("SHA-1 @ 43", 1));
        store.add(vec![measured("UMAC-64 @ 43", 1, 12.0)]).unwrap();
        store.add(vec![measured("UMAC-64 @ 43", 2, 11.0)]).unwrap();
        let (of, figures) = load(directory.path()).unwrap();
        assert_eq!((of, figures.len()), (machine("a"), 2));
        let figure = figures["UMAC-64 @ 43"].timing;
        assert_eq!((figure.ns, figure.cycles), (11.0, Some(22.0)));
        assert!((figure.spread - 2.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn another_program_starts_anew_and_the_old_file_stays() {
        let directory = tempfile::tempdir().unwrap();
        for build in ["a", "b", "c"] {
            let mut store = Store::open(directory.path(), &machine(build)).unwrap();
            assert!(store.measured.is_empty());
            store.add(vec![measured("UMAC-64 @ 43", 0, 10.0)]).unwrap();
        }
        let are_there = ["cells-1.jsonl", "cells-2.jsonl", "cells-3.jsonl"];
        let are_there = are_there.map(|name| directory.path().join(name).exists());
        assert_eq!(are_there, [true, true, false]);
        assert!(load(&directory.path().join("nowhere")).is_err());
    }
}
