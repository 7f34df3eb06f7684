//! Known-answer files, run on every kernel of this machine, and what became of them. The program
//! `wegman-answers` of this crate is nothing else.

use crate::{File, MAX_FILE, OfKernel, Report};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use wegman_formats::names::shown;

/// What the program exits with.
pub const GOOD: u8 = 0;
/// Something failed verification.
pub const BAD: u8 = 1;
/// A file, or the usage, was wrong.
pub const ERROR: u8 = 2;

/// How many algorithms that are not there are named.
const NAMED: usize = 6;
/// How many failures are spelled out for a file and kernel.
const SHOWN: usize = 5;
/// How many characters of what a file says are shown.
const LONGEST: usize = 500;

/// Runs these files; returns the exit code. One that can't be read does not keep the others from being run.
///
/// # Errors
/// If standard output does not take the report.
pub fn run(files: &[PathBuf]) -> Result<u8> {
    let (mut is_bad, mut is_error) = (false, false);
    // An answer counts once for each kernel it was run on.
    let [mut run, mut answers, mut passed, mut failed, mut skipped] = [0; 5];
    for path in files {
        match read(path) {
            Ok(file) => {
                let report = file.run();
                run += 1;
                answers += file.algorithms().len();
                skipped += report.skipped.values().sum::<usize>();
                passed += report.kernels.iter().map(|of| of.passed).sum::<usize>();
                failed += report.kernels.iter().map(|of| of.failures.len()).sum::<usize>();
                print(path, &report)?;
                // Not even if there was nothing to run.
                is_bad |= report.kernels.is_empty();
                is_bad |= report.kernels.iter().any(|of| !of.failures.is_empty());
            }
            Err(error) => {
                is_error = true;
                say(&format!("{}: {}", shown(path.as_os_str()), excerpt(&format!("{error:#}"))));
            }
        }
    }
    if files.len() > 1 {
        say_out(&format!(
            "total: {answers} answers in {run} files, on each kernel: {passed} passed, {failed} failed, \
             {skipped} skipped\n"
        ))?;
    }
    // A wrong answer outweighs an unreadable file.
    Ok(match (is_bad, is_error) {
        (true, _) => BAD,
        (false, true) => ERROR,
        (false, false) => GOOD,
    })
}

fn read(path: &Path) -> Result<File> {
    let read = || {
        // Opening a pipe would wait for somebody, and a device may have no end.
        let kind = fs::metadata(path)?.file_type();
        ensure!(!kind.is_dir(), "it is a directory");
        ensure!(kind.is_file(), "it is no regular file");
        let mut content = Vec::new();
        fs::File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut content)?;
        Ok(content)
    };
    File::read(&read().context("can't read it")?)
}

/// What a file says, as a message may show it: on one line, without control characters, not longer than a paragraph.
fn excerpt(text: &str) -> String {
    let mut front: String = text.chars().take(LONGEST).collect();
    if front.len() < text.len() {
        front += " ...";
    }
    shown(front)
}

/// To standard output, at once.
fn say_out(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("standard output")
}

/// A message on standard error, on one line. If that is full or closed, the exit code still tells.
fn say(message: &str) {
    let _ = writeln!(io::stderr(), "{}", shown(message));
}

fn print(path: &Path, report: &Report) -> Result<()> {
    let shown = shown(path.as_os_str());
    let skipped = skipped(&report.skipped);
    if report.kernels.is_empty() {
        say_out(&format!("{shown}  no kernel  0 passed, 0 failed, {skipped}\n"))?;
        say(&format!("{shown}: nothing to run: none of its algorithms is in this build"));
    }
    for OfKernel { kernel, passed, failures } in &report.kernels {
        let failed = failures.len();
        say_out(&format!("{shown}  {kernel}  {passed} passed, {failed} failed, {skipped}\n"))?;
        for (label, error) in failures.iter().take(SHOWN) {
            let what = excerpt(&format!("{error:#}"));
            say(&format!("{shown}: {kernel}: {}: {what}", excerpt(label)));
        }
        if failed > SHOWN {
            say(&format!("{shown}: {kernel}: {} more failures", failed - SHOWN));
        }
    }
    Ok(())
}

/// How many answers are of algorithms this build does not have, and which those are.
fn skipped(skipped: &BTreeMap<String, usize>) -> String {
    if skipped.is_empty() {
        return "0 skipped".to_owned();
    }
    let listed: Vec<_> = skipped.keys().take(NAMED).map(|name| excerpt(name)).collect();
    let more = skipped.len() - listed.len();
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let count: usize = skipped.values().sum();
    format!("{count} skipped (not in this build: {}{more})", listed.join(", "))
}
