//! Level 1 with signed 16-bit words: UMAC16 of 2000 (draft-krovetz-umac-01, section 6.2) and the UMAC-MMX sets of 1999.
//!
//! ```text
//! for each stream t and each unit i of 32 bytes, padded with zeroes, the words x0 .. x7 y0 .. y7:
//!     for j = 0..7:  sum_t += s16(x_j + k[16 i + 8 t + j]) s16(y_j + k[16 i + 8 t + 8 + j])
//! ```
//!
//! Sums of words are mod 2^16, all others mod 2^32: they wrap by definition, so no kernel states bounds. A kernel sees key
//! words and the bytes of one chunk. The kernels depart from this (docs/lanes.md draws their registers):
//!
//! 1. All streams take a unit together. The key of a stream's y is that of the next stream's x, so it is loaded once.
//! 2. The x of a unit are in one register and its y in another: of two units in avx2, of four in avx512. The keys of four
//!    units lie side by side ([`Step`]).
//! 3. A stream's sum is spread over lanes until the chunk ends. On x86, two products at a time are added to a lane:
//!    together they are at most 2^31, which is right mod 2^32.
//! 4. avx512 pads the last unit by a mask, avx2 by a shuffle if the chunk has more than 16 bytes.
//! 5. In packets, avx512 takes two chunks together, whose keys it loads once (`lanes_of_two`).
//!
//! | function | files | gives |
//! |---|---|---|
//! | `nh` | all | a kernel; on x86, `row!` writes it from `lanes` and `four_sums`. In the oracle, `nh` |
//! | `lanes` | sse2, avx2, avx512 | the sums, not yet added across lanes |
//! | `four_sums` | sse2, avx2, avx512 | those of up to four streams, added across lanes |

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;

use alloc::boxed::Box;
use wegman::cpu::Needs;
use wegman::hazmat::rows::{Row, Rows, functions};
use zeroize::Zeroize;

/// NH takes the message in units of 32 bytes.
pub(crate) const UNIT: usize = 32;

/// The largest number of streams in one call.
const MOST: usize = 8;

/// How many units the widest kernel takes at a time.
const STEP: usize = 4;

/// Eight key words. In stream `t`, eight number `2 u + t` is added to the x of unit `u`, and the next to its y.
pub(crate) type Eight = [u16; 8];

/// The keys of [`STEP`] units: list `b` has eight number `2 u + b` of each unit `u` and fills a register. So stream `t` adds
/// list `t` to the x and list `t + 1` to the y; list `t + 1` is also the x list of stream `t + 1`.
pub(crate) type Step = [[Eight; STEP]; MOST + 1];

/// A key for chunks of at most `STEPS` times four units, and for at most [`MOST`] streams.
#[derive(Clone)]
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key<const STEPS: usize> {
    steps: [Step; STEPS],
}

/// The number of steps in a chunk of `chunk` bytes.
pub(crate) const fn steps(chunk: usize) -> usize {
    chunk.div_ceil(STEP * UNIT)
}

impl<const STEPS: usize> Key<STEPS> {
    const ZERO: Self = Key { steps: [[[[0; 8]; STEP]; MOST + 1]; STEPS] };

    /// A key from its words in order; missing words count as zeroes.
    pub(crate) fn new(words: impl IntoIterator<Item = u16>) -> Self {
        let mut key = Self::ZERO;
        key.fill(words);
        key
    }

    /// [`new`](Self::new) where it stays: a long key takes more of the stack than some threads have, each time it is moved.
    pub(crate) fn boxed(words: impl IntoIterator<Item = u16>) -> Box<Self> {
        let mut key = Box::new(Self::ZERO);
        key.fill(words);
        key
    }

    fn fill(&mut self, words: impl IntoIterator<Item = u16>) {
        for (i, word) in words.into_iter().enumerate() {
            let block = i / 8;
            for b in (block % 2..=MOST.min(block)).step_by(2) {
                let unit = (block - b) / 2;
                if let Some(step) = self.steps.get_mut(unit / STEP) {
                    step[b][unit % STEP][i % 8] = word;
                }
            }
        }
    }

    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // no other machine has packet kernels
    pub(crate) fn steps(&self) -> &[Step; STEPS] {
        &self.steps
    }

    /// Eight number `b` of the words in order. It must be one of the first step.
    pub(crate) fn first_eight(&self, b: usize) -> Eight {
        let unit = b.saturating_sub(MOST).div_ceil(2);
        self.steps[0][b - 2 * unit][unit]
    }
}

impl<const STEPS: usize> Zeroize for Key<STEPS> {
    fn zeroize(&mut self) {
        let Key { steps } = self;
        steps.as_flattened_mut().as_flattened_mut().as_flattened_mut().zeroize();
    }
}

functions! {
    /// The functions for one number of streams.
    struct Functions {
        /// NH of a chunk, which is padded with zeroes to whole units. An empty chunk is a unit of zeroes. No byte outside
        /// the chunk is read. `sums` has one word for each stream.
        unsafe fn nh(key: &[Step], chunk: &[u8], sums: &mut [u32]);
    }
}

/// The functions of a row, for 1 to 8 streams.
pub(crate) struct ByStreams([Functions; MOST]);

/// Something for each number of streams.
macro_rules! by_streams {
    ($streams:ident => $functions:expr) => { by_streams!($streams in 1 2 3 4 5 6 7 8 => $functions) };
    ($streams:ident in $($number:literal)+ => $functions:expr) => {
        ByStreams([$({
            const $streams: usize = $number;
            $functions
        }),+])
    };
}
#[cfg(target_arch = "x86_64")]
pub(crate) use by_streams;

/// `nh` of a file whose sums are in lanes.
#[cfg(target_arch = "x86_64")]
macro_rules! row {
    ($features:literal) => {
        pub(super) const FEATURES: &str = $features;

        #[target_feature(enable = $features)]
        pub(super) fn nh<const STREAMS: usize>(key: &[Step], chunk: &[u8], sums: &mut [u32]) {
            let totals = lanes::<STREAMS>(key, chunk);
            let mut all = [0; super::MOST];
            for (sums, totals) in all.as_chunks_mut::<4>().0.iter_mut().zip(totals.chunks(4)) {
                store128(sums, four_sums(totals));
            }
            sums.copy_from_slice(&all[..STREAMS]);
        }
    };
}
#[cfg(target_arch = "x86_64")]
use row;

/// A file's functions.
macro_rules! nh {
    ($file:ident) => { by_streams!(STREAMS => Functions { nh: $file::nh::<STREAMS> }) };
}

/// One row for each kernel file; the last row that fits the machine wins.
static TABLE: &[Row<ByStreams>] = &[
    Row { name: "portable", needs: Needs::NONE, functions: nh!(portable) },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "sse2",
        needs: Needs::listed("sse2").enabled_by(sse2::FEATURES),
        functions: nh!(sse2),
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx2",
        needs: Needs::listed("avx2").enabled_by(avx2::FEATURES),
        functions: nh!(avx2),
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512",
        needs: Needs::listed("avx512f,avx512bw,avx512vnni,bmi2").enabled_by(avx512::FEATURES),
        functions: nh!(avx512),
    },
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Row { name: "neon", needs: Needs::listed("neon"), functions: nh!(neon) },
];

pub(crate) static ROWS: Rows<ByStreams> = Rows::new(TABLE);

impl ByStreams {
    /// NH of a chunk for each of at most eight streams, without the length.
    #[inline]
    pub(crate) fn nh<const STEPS: usize>(&self, key: &Key<STEPS>, chunk: &[u8], sums: &mut [u32]) {
        assert!(chunk.len() <= STEPS * STEP * UNIT && sums.len() <= MOST);
        if let Some(last) = sums.len().checked_sub(1) {
            self.0[last].nh(&key.steps, chunk, sums);
        }
    }
}

/// The last, shorter unit of a chunk, padded with zeroes.
#[inline] // a call would return it through memory
fn padded(rest: &[u8]) -> [u8; UNIT] {
    let mut unit = [0; UNIT];
    unit[..rest.len()].copy_from_slice(rest);
    unit
}
