//! Level 1: NH, 1024 bytes of message to 64 bits a stream (RFC 4418, section 5.2).
//!
//! The narrow waist of UMAC. A kernel sees key words and whole 32-byte units of message and knows
//! nothing of tags, nonces or lengths. Padding and the length are added here, once for all kernels.

mod portable;

use crate::cpu::{Cpu, Needs};
use crate::umac::MAX_STREAMS;
use crate::umac::kdf::{Index, Kdf};
use zeroize::Zeroize;

/// Bytes of message a chunk has; only the last chunk may be shorter.
pub(crate) const CHUNK: usize = 1024;
/// NH takes the message in units of 32 bytes: four pairs of 32-bit words.
pub(crate) const UNIT: usize = 32;
const UNITS: usize = CHUNK / UNIT;

/// Key words of the longest Toeplitz key: stream `t` uses words `4 t` to `4 t + 255`.
const KEY_WORDS: usize = CHUNK / 4 + 4 * (MAX_STREAMS - 1);

/// The level-1 key as numbers, shared by all streams, each four words further on.
#[derive(Clone)]
pub(crate) struct Key([u32; KEY_WORDS]);

impl Key {
    pub(crate) fn derive(kdf: &Kdf, streams: usize) -> Key {
        let mut bytes = [0; 4 * KEY_WORDS];
        kdf.fill(Index::L1, &mut bytes[..CHUNK + 16 * (streams - 1)]);
        let mut key = Key([0; KEY_WORDS]);
        for (word, bytes) in key.0.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        bytes.zeroize();
        key
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key(words) = self;
        words.zeroize();
    }
}

/// NH of units in chunks of 32 units, the last chunk perhaps shorter, never empty.
///
/// `sums` has one word a chunk and stream, a chunk's streams side by side.
type Kernel = unsafe fn(key: &[u32; KEY_WORDS], units: &[[u8; UNIT]], sums: &mut [u64]);

/// One kernel: its name, what it needs, and its function for 1, 2, 3 and 4 streams.
struct Row {
    name: &'static str,
    needs: Needs,
    nh: [Kernel; MAX_STREAMS],
}

/// One row a file beside this one; the last that fits the machine wins.
const ROWS: &[Row] = &[Row {
    name: "portable",
    needs: Needs::NONE,
    nh: [portable::nh::<1>, portable::nh::<2>, portable::nh::<3>, portable::nh::<4>],
}];

/// A kernel this machine can run, chosen once and kept in the key.
#[derive(Clone, Copy)]
pub(crate) struct Nh {
    row: &'static Row,
    streams: usize,
}

impl Nh {
    /// Every kernel the machine can run, the preferred one last.
    pub(crate) fn all(cpu: Cpu, streams: usize) -> impl DoubleEndedIterator<Item = Nh> {
        ROWS.iter().filter(move |row| cpu.meets(row.needs)).map(move |row| Nh { row, streams })
    }

    /// The kernel to use.
    pub(crate) fn new(cpu: Cpu, streams: usize) -> Nh {
        Self::all(cpu, streams).next_back().expect("the portable row needs nothing")
    }

    pub(crate) fn name(self) -> &'static str {
        self.row.name
    }

    pub(crate) fn needs(self) -> Needs {
        self.row.needs
    }

    /// The level-1 hash of whole chunks: NH and the length in bits. `sums` gets `streams` words a
    /// chunk.
    pub(crate) fn chunks(self, key: &Key, chunks: &[[u8; CHUNK]], sums: &mut [u64]) {
        self.nh(key, chunks.as_flattened().as_chunks().0, sums);
        sums.iter_mut().for_each(|sum| *sum = sum.wrapping_add(8 * CHUNK as u64));
    }

    /// The level-1 hash of the last chunk, 0 to 1024 bytes: NH of it padded with zeroes to a
    /// positive number of units, and its own length in bits.
    pub(crate) fn last(self, key: &Key, last: &[u8], sums: &mut [u64]) {
        match last.as_chunks() {
            (units, []) if !units.is_empty() => self.nh(key, units, sums),
            _ => {
                let mut padded = [[0; UNIT]; UNITS];
                padded.as_flattened_mut()[..last.len()].copy_from_slice(last);
                self.nh(key, &padded[..last.len().div_ceil(UNIT).max(1)], sums);
            }
        }
        sums.iter_mut().for_each(|sum| *sum = sum.wrapping_add(8 * last.len() as u64));
    }

    /// NH itself, without the length.
    #[allow(unsafe_code)] // the one indirect call
    pub(crate) fn nh(self, key: &Key, units: &[[u8; UNIT]], sums: &mut [u64]) {
        assert_eq!(sums.len(), units.len().div_ceil(UNITS) * self.streams);
        // SAFETY: `all` yields only rows whose needs this machine meets.
        unsafe { self.row.nh[self.streams - 1](&key.0, units, sums) }
    }
}
