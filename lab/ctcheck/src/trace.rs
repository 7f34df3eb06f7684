//! Constant time, seen from outside: the library runs in several processes under different secrets, instruction by
//! instruction, and each must execute the same instructions at the same addresses of memory. The processor itself executes
//! them, so this sees the kernels that valgrind does not know: AVX-512, VAES, VPCLMULQDQ.
//!
//! What a secret is: the key's bytes and the message's. What is compared, before each instruction: its address, the stack
//! pointer, the addresses of its operands in memory, and the numbers that it divides. Gathers and scatters, whose addresses
//! are in vectors, and `pdep` and `pext`, which are slow for some operands on old processors, may not occur.
//!
//! What this cannot find: a branch that none of the secrets takes, and instructions whose own time depends on their
//! operands. The secrets are random, all zeroes, all ones, and for UMAC such that outputs of NH lie on the limit of
//! POLY-64, where a reduction could have a branch.

use crate::cases::{Case, SECRETS, secrets};
use crate::leaks::{LEAKS, Leak, leaking, wide};
use crate::step::{Code, MARK, Process, Shown};
use crate::watch;
use addr2line::Loader;
use anyhow::{Context, Result, anyhow, ensure};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::personality::{self, Persona};
use nix::sys::ptrace;
use nix::sys::signal::raise;
use nix::unistd::Pid;
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use wegman::Cpu;

/// `KERNEL...` watches the library on these kernels; `--first KERNEL...`, up to the first finding; `--leaks KERNEL...`, the
/// leaks, each of which must be found.
pub fn main(words: &[&str]) -> Result<ExitCode> {
    match words {
        ["--secrets", number, what, kernels @ ..] => {
            run_watched(number.parse()?, *what == "leaks", kernels)?;
            Ok(ExitCode::SUCCESS)
        }
        ["--leaks", kernels @ ..] => leaks_are_found(kernels),
        ["--first", kernels @ ..] => nothing_is_found(kernels, true),
        kernels => nothing_is_found(kernels, false),
    }
}

/// A case on one of the kernels that are asked for.
struct Traced<'c> {
    case: &'c Case,
    kernel: &'static str,
    cpu: Cpu,
}

impl Traced<'_> {
    fn name(&self) -> String {
        format!("{} on {}", self.case.name, self.kernel)
    }
}

fn on_kernels<'c>(cases: &'c [Case], kernels: &[&str]) -> Result<Vec<Traced<'c>>> {
    let rows = cases.iter().flat_map(|case| case.rows.iter().map(move |row| (case, *row)));
    let asked_for = rows.filter(|(_, (kernel, _))| kernels.contains(kernel));
    let all: Vec<Traced<'_>> =
        asked_for.map(|(case, (kernel, cpu))| Traced { case, kernel, cpu }).collect();
    ensure!(!all.is_empty(), "this machine has none of these kernels: {}", kernels.join(", "));
    Ok(all)
}

/// The watched side: runs each case, with a mark before and behind it.
fn run_watched(number: usize, leaks: bool, kernels: &[&str]) -> Result<()> {
    // Everything at the same addresses in every process.
    let persona = personality::get()?;
    if !persona.contains(Persona::ADDR_NO_RANDOMIZE) {
        personality::set(persona | Persona::ADDR_NO_RANDOMIZE)?;
        let program = std::env::current_exe()?;
        return Err(Command::new(program).args(std::env::args_os().skip(1)).exec().into());
    }
    let [key, message] = secrets(number);
    let cases = if leaks { leaking(&all_leaks()) } else { watch::all(true) };
    ptrace::traceme()?;
    for Traced { case, cpu, .. } in on_kernels(&cases, kernels)? {
        raise(MARK)?;
        (case.run)(cpu, &key, &message);
        raise(MARK)?;
    }
    Ok(())
}

/// What was found: the case, and what in it.
type Findings = Vec<(String, String)>;

/// Runs the same cases under all secrets: how many instructions each executed, and what was found.
fn compare_all(what: &str, cases: &[Traced<'_>], only_first: bool) -> Result<(u64, Findings)> {
    // To stop and to go on takes half as long on one processor.
    let all = sched_getaffinity(Pid::from_raw(0))?;
    let first = (0..CpuSet::count()).find(|&i| all.is_set(i).unwrap_or(false));
    let mut one = CpuSet::new();
    one.set(first.context("a processor")?)?;
    sched_setaffinity(Pid::from_raw(0), &one)?;

    let kernels: Vec<&str> = kernels_of(cases).into_iter().collect();
    let processes = (0..SECRETS).map(|number| {
        let number = number.to_string();
        Process::start(&[&["trace", "--secrets", &number, what], &kernels[..]].concat())
    });
    let processes: Vec<Process> = processes.collect::<Result<_>>()?;
    let mut code = Code::default();
    let (mut steps, mut findings) = (0, Findings::new());
    let places = Places::new(&processes[0])?;
    for (i, case) in cases.iter().enumerate() {
        if only_first && !findings.is_empty() {
            break;
        }
        if i > 0 {
            processes.iter().try_for_each(Process::go)?;
            processes.iter().try_for_each(Process::wait_for_mark)?;
        }
        let found = compare(&processes, &mut code, &mut steps)?;
        code.refused.dedup();
        for (at, what) in found.into_iter().chain(code.refused.drain(..)) {
            findings.push((case.name(), format!("{what}: {}", places.name(at))));
        }
    }
    Ok((steps, findings))
}

/// One case, from mark to mark. Returns where the processes part.
fn compare(
    processes: &[Process],
    code: &mut Code,
    steps: &mut u64,
) -> Result<Option<(u64, String)>> {
    let mut last = 0;
    loop {
        processes.iter().try_for_each(Process::step)?;
        let next = processes.iter().map(|process| process.next(code));
        let next: Vec<Option<Shown>> = next.collect::<Result<_>>()?;
        let mut shown = next.iter().flatten();
        let Some(first) = shown.next() else { return Ok(None) };
        *steps += 1;
        let found = match shown.find(|other| *other != first) {
            None if next.iter().all(Option::is_some) => None,
            Some(other) if first.at == other.at => Some((first.at, first.difference(other))),
            // Some are elsewhere, or at the mark.
            _ => Some((last, "a jump depends on a secret")),
        };
        if let Some((at, what)) = found {
            // On to the end of the case, each on its own way.
            for (process, step) in processes.iter().zip(&next) {
                if step.is_some() {
                    process.go()?;
                    process.wait_for_mark()?;
                }
            }
            return Ok(Some((at, what.to_owned())));
        }
        last = first.at;
    }
}

/// Names of addresses.
struct Places {
    base: u64,
    loader: Loader,
}

impl Places {
    fn new(process: &Process) -> Result<Places> {
        let program = std::env::current_exe()?;
        let loader = Loader::new(program).map_err(|error| anyhow!("{error}"))?;
        Ok(Places { base: process.base()?, loader })
    }

    /// Function, file and line.
    fn name(&self, at: u64) -> String {
        let Some(offset) = at.checked_sub(self.base) else { return format!("{at:#x}") };
        let function = self.loader.find_symbol(offset).unwrap_or("outside of the program");
        let function = addr2line::demangle_auto(function.into(), None);
        let place = self.loader.find_location(offset).ok().flatten().map_or(String::new(), |at| {
            format!(", {}:{}", at.file.unwrap_or("?"), at.line.unwrap_or(0))
        });
        format!("{function}{place} ({offset:#x})")
    }
}

/// Watches the library. Nothing may be found.
fn nothing_is_found(kernels: &[&str], only_first: bool) -> Result<ExitCode> {
    let all = watch::all(true);
    let cases = on_kernels(&all, kernels)?;
    let (steps, findings) = compare_all("library", &cases, only_first)?;
    for (case, what) in &findings {
        println!("{case}: {what}");
    }
    let kernels = Vec::from_iter(kernels_of(&cases)).join(", ");
    let (count, found) = (cases.len(), findings.len());
    println!(
        "{kernels}: {count} cases under {SECRETS} secrets, {steps} instructions each, {found} findings"
    );
    Ok(ExitCode::from(u8::from(!findings.is_empty())))
}

fn all_leaks() -> Vec<Leak> {
    LEAKS.into_iter().chain(wide::leaks()).collect()
}

/// Watches the leaks. Each must be found.
fn leaks_are_found(kernels: &[&str]) -> Result<ExitCode> {
    let leaks = all_leaks();
    let all = leaking(&leaks);
    let cases = on_kernels(&all, kernels)?;
    let (_, findings) = compare_all("leaks", &cases, false)?;
    let is_found = |traced: &&Traced<'_>| {
        let is_it = |(name, ..): &&Leak| traced.case.name.ends_with(name);
        let (_, found_as, _) = leaks.iter().find(is_it).expect("it is one");
        let name = traced.name();
        findings.iter().any(|(case, what)| *case == name && what.contains(found_as))
    };
    let mut all_found = true;
    for kernel in kernels_of(&cases) {
        let planted = || cases.iter().filter(|case| case.kernel == kernel);
        let missed: Vec<String> =
            planted().filter(|case| !is_found(case)).map(Traced::name).collect();
        println!("{kernel}: {} leaks planted, {} not found", planted().count(), missed.len());
        missed.iter().for_each(|name| println!("not found: {name}"));
        all_found &= missed.is_empty();
    }
    Ok(ExitCode::from(u8::from(!all_found)))
}

/// The kernels of cases, each once.
fn kernels_of(cases: &[Traced<'_>]) -> BTreeSet<&'static str> {
    cases.iter().map(|case| case.kernel).collect()
}
