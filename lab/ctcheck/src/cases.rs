//! What is watched, by valgrind and in traces, and under which secrets.

use crate::valgrind::is_hidden;
use std::sync::LazyLock;
use wegman::Cpu;
use wegman_reference::inputs::{self, Random};
use wegman_reference::umac_rfc4418 as oracle;

/// The longest message.
pub const LONGEST: usize = (1 << 24) + 1025;

/// The only row, where there is no choice.
pub const PORTABLE: [(&str, Cpu); 1] = [("portable", Cpu::PORTABLE)];

/// The bytes 1, 2, 3, ...: keys begin with them.
pub static SECRET: LazyLock<Vec<u8>> = LazyLock::new(|| (1..=5000).map(|i: u32| i as u8).collect());

/// The message, in public.
pub static MESSAGE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    (0..LONGEST as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
});

/// How many pairs of a key and a message a trace compares.
pub const SECRETS: usize = 4;

/// The pair of this number. All are made in every process, so that each asks for the same memory in the same order.
pub fn secrets(number: usize) -> [Vec<u8>; 2] {
    const LENGTHS: [usize; 2] = [5000, 4097];
    let mut chosen = LENGTHS.map(|length| vec![0; length]);
    for other in 0..SECRETS {
        let mut random = Random(other as u64);
        let mut made = match other {
            0 => LENGTHS.map(|length| vec![0; length]),
            1 => LENGTHS.map(|length| vec![0xff; length]),
            _ => LENGTHS.map(|length| random.message(length)),
        };
        if other == 2 {
            // Every other chunk hashes to the first number that POLY-64 escapes.
            let [key, message] = &mut made;
            let l1_key = oracle::l1_key(key.first_chunk().expect("5000 bytes"), 0);
            let special = inputs::chunk_with_output(&l1_key, !0 << 32);
            let (chunks, _) = message.as_chunks_mut::<1024>();
            chunks.iter_mut().step_by(2).for_each(|chunk| chunk.copy_from_slice(&special));
        }
        if other == number {
            chosen.iter_mut().zip(&made).for_each(|(to, from)| to.copy_from_slice(from));
        }
    }
    chosen
}

/// What a case computes from a secret and a message on a row. All bits of a result are secret, or it is left out.
type Run = Box<dyn Fn(Cpu, &[u8], &[u8]) -> Vec<Vec<u8>>>;

/// One thing that is watched.
pub struct Case {
    pub name: String,
    pub rows: Vec<(&'static str, Cpu)>,
    /// Whether a result depends on the secret.
    pub is_secret: fn(&[u8]) -> bool,
    pub run: Run,
}

/// Everything that is watched.
pub struct Cases {
    /// Whether every instruction is stopped at, which takes so long that there is less of it.
    pub are_traced: bool,
    pub all: Vec<Case>,
}

impl Cases {
    /// Lengths around everything that is cut into parts: blocks, registers, chunks, groups of chunks, and the switch of
    /// level 2.
    pub fn lengths(&self) -> &'static [usize] {
        if self.are_traced {
            return &[0, 1, 16, 17, 43, 64, 100, 257, 513, 1024, 1025, 1500, 2049, 4097];
        }
        &[
            0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 257, 511, 512, 513, 1023, 1024,
            1025, 2048, 2049, 3000, 4095, 4096, 4097, 8193, 17413,
        ]
    }

    /// Adds a case.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        rows: impl IntoIterator<Item = (&'static str, Cpu)>,
        run: impl Fn(Cpu, &[u8], &[u8]) -> Vec<Vec<u8>> + 'static,
    ) {
        let (name, rows, run) = (name.into(), rows.into_iter().collect(), Box::new(run));
        self.all.push(Case { name, rows, is_secret: is_hidden, run });
    }
}
