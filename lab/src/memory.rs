//! `wegman-bench memory`: one thread over one buffer, from the cache to main memory, beside a plain read of it. The
//! longest buffers are also measured with two threads, beside a read by two threads.
//!
//! The read is the best of many that are tried on the same buffer: it stands for what the machine can do.

mod buffer;
mod plain_read;

use crate::engine::Engine;
use crate::engines;
use crate::timing::messages::Mode;
use crate::timing::ours;
use crate::timing::rounds::Cell;
use buffer::{HUGE, buffer};
use plain_read::{READ, Reader};
use std::rc::Rc;

/// The buffers.
pub const LENGTHS: [usize; 7] =
    [64 << 10, 256 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20, 1 << 30];

/// The MACs.
const NAMES: [&str; 5] = ["UMAC-64", "UMAC-128", "Carter-128", "Polyval-AES", "PMAC-AES128"];

/// Threads of rayon's pool, over the buffers from [`HUGE`] on.
pub const THREADS: usize = 2;

/// The cells of each length, apart: a longer buffer would evict the shorter ones from the caches.
pub fn groups(lengths: &[usize], on_threads: bool) -> Result<Vec<Vec<Cell>>, String> {
    let longest = lengths.iter().max().expect("there are some");
    let buffer = buffer(*longest).ok_or("there is not enough memory")?;
    let alone = NAMES.map(|name| engines::find(name).expect("the catalogue has it"));
    let by_two = NAMES.map(by_threads);
    let group = |&length: &usize| {
        let bytes = &buffer[..length];
        let mut group = cells(1, plain_read::engine(bytes, Reader::read), &alone, bytes);
        if on_threads && length >= HUGE {
            group.extend(cells(
                THREADS,
                plain_read::engine(bytes, read_by_threads),
                &by_two,
                bytes,
            ));
        }
        group
    };
    Ok(lengths.iter().map(group).collect())
}

/// A MAC with rayon's threads.
fn by_threads(name: &str) -> Rc<Engine> {
    Rc::new(ours::on_threads(wegman_catalogue::find(name).expect("the catalogue has it")))
}

/// The read, and the MACs beside it.
fn cells(threads: usize, read: Engine, macs: &[Rc<Engine>], bytes: &'static [u8]) -> Vec<Cell> {
    let section = format!("a buffer, threads: {threads}");
    let cell = |engine: Rc<Engine>| {
        let mut cell = engine.over(&section, vec![bytes], 1, Mode::Single, bytes.len().into());
        cell.place.from = "wegman".to_owned();
        let is_mac = cell.place.algorithm != READ;
        cell.place.beside = is_mac.then(|| (READ.to_owned(), cell.place.from.clone()));
        cell
    };
    [Rc::new(read)].into_iter().chain(macs.iter().cloned()).map(cell).collect()
}

/// A plain read of a buffer by two threads, a half each.
fn read_by_threads(reader: Reader, bytes: &[u8]) -> u64 {
    // Whole words in each half.
    let (one, two) = bytes.split_at(bytes.len() / 2 / 64 * 64);
    let (one, two) = rayon::join(|| reader.read(one), || reader.read(two));
    one ^ two
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_every_algorithm_and_the_plain_read_first() {
        let cells = groups(&[64 << 10], true).unwrap().remove(0);
        let names: Vec<&str> = cells.iter().map(|cell| &*cell.place.algorithm).collect();
        assert!(names.into_iter().eq([READ].into_iter().chain(NAMES)));
        for cell in cells {
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.place);
        }
    }

    #[test]
    fn threads_make_the_same_tags() {
        let bytes: &[u8] = Vec::leak((0..3_000_001_u64).map(|i| (i * i / 3) as u8).collect());
        for engine in NAMES.map(by_threads) {
            let cell = engine.over("", vec![bytes], 1, Mode::Single, bytes.len().into());
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.place);
            assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.place);
        }
        for length in [0, 1, 65, 3_000_001] {
            let bytes = &bytes[..length];
            let sum = read_by_threads(Reader::best(|_| 0), bytes);
            assert_eq!(sum, plain_read::read_by_words(bytes), "{length}");
        }
    }
}
