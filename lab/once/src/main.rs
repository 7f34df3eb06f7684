//! One call of one kernel between two marks, so that a debugger or an emulator can write down the instructions that it
//! executes (`scripts/mca`). The call before it made all that is made once.
//!
//! ```sh
//! wegman-once list                              # algorithms and their rows here
//! wegman-once UMAC-64 avx2 single 43            # the tag of a message of 43 bytes
//! wegman-once UMAC-64 avx2 batch 43             # of eight of them
//! ```
#![forbid(unsafe_code)]

use std::hint::black_box;
use std::process::ExitCode;
use wegman::{Aes128, Cpu, NonceOf, Tag, pmac, umac};
use wegman_carter::Carter128;

/// Messages in a batch.
const EIGHT: usize = 8;

const SECRET: &[u8; 16] = b"sixteen byte key";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let cpu = Cpu::detect();
    let subjects: [(&str, Rows, Run); 4] = [
        ("UMAC-64", umac::Key::<8>::kernels(cpu).collect(), run_umac_64),
        ("UMAC-128", umac::Key::<16>::kernels(cpu).collect(), run_umac_128),
        ("Carter-128", Carter128::<Aes128, 12>::kernels(cpu).collect(), run_carter),
        ("PMAC-AES128", pmac::Key::<Aes128, 16>::kernels(cpu).collect(), run_pmac),
    ];
    if arguments == ["list"] {
        for (name, rows, _) in &subjects {
            rows.iter().for_each(|(row, _)| println!("{name} {row}"));
        }
        return ExitCode::SUCCESS;
    }
    let Some((run, cpu, is_batch, length)) = parsed(&subjects, &arguments) else {
        eprintln!(
            "wegman-once: list, or NAME ROW single|batch LENGTH with a name and a row of the list"
        );
        return ExitCode::from(2);
    };
    let message: Vec<u8> = (0..length).map(|i| (i * i / 7) as u8).collect();
    run(cpu, is_batch, &message);
    ExitCode::SUCCESS
}

type Rows = Vec<(&'static str, Cpu)>;
type Run = fn(Cpu, bool, &[u8]);

fn parsed(subjects: &[(&str, Rows, Run)], arguments: &[&str]) -> Option<(Run, Cpu, bool, usize)> {
    let [name, row, mode @ ("single" | "batch"), length] = arguments else { return None };
    let (_, rows, run) = subjects.iter().find(|(other, ..)| other == name)?;
    let (_, cpu) = rows.iter().find(|(other, _)| other == row)?;
    Some((*run, *cpu, *mode == "batch", length.parse().ok()?))
}

/// Where writing down begins and ends.
#[inline(never)]
fn mark() {
    black_box(());
}

/// A run of a MAC under nonces.
macro_rules! run {
    ($run:ident, $key:ty) => {
        fn $run(cpu: Cpu, is_batch: bool, message: &[u8]) {
            let key = <$key>::with_cpu(cpu, SECRET);
            twice(
                is_batch,
                message,
                |count| key.tag(NonceOf::counter(count), black_box(message)),
                |count, messages, tags| {
                    key.tag_many(NonceOf::counter(count), messages, tags).expect("enough nonces");
                },
            );
        }
    };
}

run!(run_umac_64, umac::Key<8>);
run!(run_umac_128, umac::Key<16>);
run!(run_carter, Carter128<Aes128, 12>);

fn run_pmac(cpu: Cpu, is_batch: bool, message: &[u8]) {
    let key = pmac::Key::<Aes128, 16>::with_cpu(cpu, SECRET);
    twice(
        is_batch,
        message,
        |_| key.tag(black_box(message)),
        |_, messages, tags| key.tag_many(messages, tags),
    );
}

/// One call outside of the marks and one between them.
#[inline(always)]
fn twice<const N: usize>(
    is_batch: bool,
    message: &[u8],
    tag: impl Fn(u64) -> Tag<N>,
    tag_many: impl Fn(u64, &[&[u8]], &mut [Tag<N>]),
) {
    let messages = [message; EIGHT];
    let mut tags = [Tag::from([0; N]); EIGHT];
    // Even: batches take whole blocks of pads.
    for count in [2, 4] {
        let (messages, tags) = (black_box(&messages), black_box(&mut tags));
        mark();
        if is_batch {
            tag_many(black_box(count), messages, tags);
        } else {
            tags[0] = tag(black_box(count));
        }
        mark();
    }
    black_box(&tags);
}
