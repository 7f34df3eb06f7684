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

/// The rows of a key, each with a run of it.
macro_rules! subject {
    ($name:literal, $key:ty $(, $nonce:path)?) => {{
        let run: Run = |cpu, is_batch, message| {
            let key = <$key>::with_cpu(cpu, SECRET);
            twice(
                is_batch,
                message,
                |_count| key.tag($($nonce(_count),)? black_box(message)),
                |_count, messages, tags| _ = key.tag_many($($nonce(_count),)? messages, tags),
            );
        };
        let row = |(row, cpu)| ($name, row, cpu, run);
        <$key>::kernels(Cpu::detect()).map(row).collect::<Vec<_>>()
    }};
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let rows = [
        subject!("UMAC-64", umac::Key<8>, NonceOf::counter),
        subject!("UMAC-128", umac::Key<16>, NonceOf::counter),
        subject!("Carter-128", Carter128<Aes128, 12>, NonceOf::counter),
        subject!("PMAC-AES128", pmac::Key<Aes128, 16>),
    ];
    let mut rows = rows.into_iter().flatten();
    if arguments == ["list"] {
        rows.for_each(|(name, row, ..)| println!("{name} {row}"));
        return ExitCode::SUCCESS;
    }
    if let [asked, row, mode, length] = &arguments[..]
        && let Some((.., cpu, run)) = rows.find(|(name, other, ..)| asked == name && row == other)
        && ["single", "batch"].contains(&&**mode)
        && let Ok(length) = length.parse::<usize>()
    {
        let message: Vec<u8> = (0..length).map(|i| (i * i / 7) as u8).collect();
        run(cpu, mode == "batch", &message);
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "wegman-once: list, or NAME ROW single|batch LENGTH with a name and a row of the list"
    );
    ExitCode::from(2)
}

type Run = fn(Cpu, bool, &[u8]);

/// Where writing down begins and ends.
#[inline(never)]
fn mark() {
    black_box(());
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
