//! Reads known-answer files and runs every answer, in every way the library offers, on every kernel of this
//! machine. Its users are the program `wegman-answers`, the lab and tests.
//!
//! A file has `cases` (single answers), `sweeps` (one hash over the tags of many lengths) and, of PMAC,
//! `length_preserving` and `recover`; its `intermediates` are answers if the library exposes them. An answer's
//! `algorithm` says what it tests, and the module of that kind runs it. Answers of an algorithm that this build
//! lacks are skipped and named; anything else that can't be run has failed.

pub mod cases;
pub mod command;
mod fields;
mod limits;
mod macs;
pub mod message;
mod pmac;
mod special;
mod umac;
mod universal;

use anyhow::{Context, Result, ensure};
use fields::{has, text};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use wegman::Cpu;

pub use limits::MAX_FILE;

/// A known-answer file, read.
#[derive(Debug)]
pub struct File {
    answers: Vec<Answer>,
}

/// The outcome of a file's answers.
#[derive(Debug)]
pub struct Report {
    /// For each kernel that an answer was run on.
    pub kernels: Vec<OfKernel>,
    /// The algorithms that this build lacks, with the number of their answers.
    pub skipped: BTreeMap<String, usize>,
}

/// The outcome of the answers on one kernel.
#[derive(Debug)]
pub struct OfKernel {
    /// The kernel's name.
    pub kernel: &'static str,
    /// How many answers were right.
    pub passed: usize,
    /// Of those that were wrong or could not be run: the answer's `id`, or its place in the file, and what is wrong.
    pub failures: Vec<(String, anyhow::Error)>,
}

#[derive(Debug)]
struct Answer {
    /// Its `id`, or its place in the file.
    label: String,
    algorithm: String,
    is_sweep: bool,
    body: Value,
    /// Bytes that are made of its rules.
    bytes: u64,
    /// `None`: this build does not have it.
    runner: Option<Runner>,
}

/// How an answer is run.
#[derive(Debug)]
struct Runner {
    kernels: Vec<Kernel>,
    check: Check,
}

/// A kernel: its name, and the `Cpu` that makes a key choose it.
#[derive(Clone, Copy, Debug)]
struct Kernel {
    name: &'static str,
    cpu: Cpu,
}

/// Runs an answer on a kernel.
type Check = fn(&Answer, Kernel) -> Result<()>;

impl Runner {
    fn new(kernels: impl IntoIterator<Item = (&'static str, Cpu)>, check: Check) -> Runner {
        let kernels = kernels.into_iter().map(|(name, cpu)| Kernel { name, cpu }).collect();
        Runner { kernels, check }
    }

    /// For algorithms with a single implementation.
    fn portable(check: Check) -> Runner {
        Runner::new([("portable", Cpu::PORTABLE)], check)
    }
}

impl Kernel {
    /// The key must have chosen this kernel.
    fn is(self, chosen: &str) -> Result<()> {
        ensure!(chosen == self.name, "the key uses the kernel {chosen}");
        Ok(())
    }
}

/// Finds the way to run an algorithm's answers.
type Kind = fn(&str, Cpu) -> Option<Runner>;

/// Kinds that also have sweeps. The last one covers every algorithm of the catalogue.
const MACS: [Kind; 4] = [pmac::of, umac::of_2000, umac::of_1999, macs::of];

/// Kinds that have only single answers. They come first, because they check more than the catalogue can.
const SINGLE: [Kind; 3] = [special::comparator, special::of, universal::of];

impl File {
    /// Reads a file, its text.
    ///
    /// # Errors
    /// If it is not JSON, or no known-answer file, or asks for more memory and time than any known answer needs.
    pub fn read(content: &[u8]) -> Result<File> {
        limits::check_text(content)?;
        let json: Value = serde_json::from_slice(content).context("not JSON")?;
        let mut answers = Vec::new();
        for list in ["cases", "sweeps", "intermediates", "length_preserving", "recover"] {
            let Some(bodies) = json.get(list) else { continue };
            let bodies = bodies.as_array().with_context(|| format!("{list:?} is no list"))?;
            for (i, body) in bodies.iter().enumerate() {
                let label = body.get("id").and_then(Value::as_str).map(str::to_owned);
                let label = label.unwrap_or_else(|| format!("{list}[{i}]"));
                if let Some(answer) = Answer::of(list, body, &label, &json).context(label)? {
                    answers.push(answer);
                }
            }
        }
        limits::check_answers(&answers)?;
        ensure!(!answers.is_empty(), "no known answers: it has neither cases nor sweeps");
        Ok(File { answers })
    }

    /// The algorithms, one for each answer.
    pub fn algorithms(&self) -> impl ExactSizeIterator<Item = &str> {
        self.answers.iter().map(|answer| answer.algorithm.as_str())
    }

    /// Runs all of it, on all cores.
    #[must_use]
    pub fn run(&self) -> Report {
        let mut report = Report { kernels: Vec::new(), skipped: BTreeMap::new() };
        let (mut short, mut long) = (Vec::new(), Vec::new());
        for answer in &self.answers {
            let Some(runner) = &answer.runner else {
                *report.skipped.entry(answer.algorithm.clone()).or_default() += 1;
                continue;
            };
            let is_long = !answer.is_sweep && answer.bytes > limits::SHORT;
            let runs = if is_long { &mut long } else { &mut short };
            runs.extend(runner.kernels.iter().map(|&kernel| (answer, runner.check, kernel)));
        }
        let check = |(answer, check, kernel): &(&Answer, Check, Kernel)| check(answer, *kernel);
        let mut outcomes: Vec<Result<()>> = short.par_iter().map(check).collect();
        // One after the other: together they might not fit into memory.
        outcomes.extend(long.iter().map(check));
        for ((answer, _, kernel), outcome) in short.iter().chain(&long).zip(outcomes) {
            let of = report.of(kernel.name);
            match outcome {
                Ok(()) => of.passed += 1,
                Err(error) => of.failures.push((answer.label.clone(), error)),
            }
        }
        report
    }
}

impl Report {
    /// What came of a kernel's runs so far.
    fn of(&mut self, kernel: &'static str) -> &mut OfKernel {
        if self.kernels.iter().all(|of| of.kernel != kernel) {
            self.kernels.push(OfKernel { kernel, passed: 0, failures: Vec::new() });
        }
        self.kernels.iter_mut().find(|of| of.kernel == kernel).expect("it is there now")
    }
}

impl Answer {
    /// An entry of one of the file's lists; `None` if it is of levels inside the library.
    fn of(list: &str, body: &Value, label: &str, file: &Value) -> Result<Option<Answer>> {
        let of_levels = list == "intermediates" && !has(body, macs::tag_field(body));
        if of_levels && !has(body, pmac::L) {
            return Ok(None);
        }
        let algorithm = match body.get("algorithm") {
            // PMAC over AES with the key's length.
            None if of_levels => format!("PMAC-AES{}", 8 * fields::bytes(body, "key_hex")?.len()),
            None => text(file, "algorithm")?.to_owned(),
            Some(_) => text(body, "algorithm")?.to_owned(),
        };
        let bytes = limits::bytes_of(&algorithm, body)?;
        let cpu = Cpu::detect();
        let runner = match list {
            "length_preserving" => pmac::length_preserving(&algorithm),
            "recover" => pmac::recover(&algorithm, cpu),
            _ if of_levels => pmac::powers_of_l(&algorithm, cpu),
            "sweeps" => MACS.iter().find_map(|of| of(&algorithm, cpu)),
            _ => SINGLE.iter().chain(&MACS).find_map(|of| of(&algorithm, cpu)),
        };
        let (label, body) = (label.to_owned(), body.clone());
        Ok(Some(Answer { label, algorithm, is_sweep: list == "sweeps", body, bytes, runner }))
    }
}
