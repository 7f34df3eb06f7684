//! Level 1 with signed 16-bit words: UMAC16 of 2000 and the UMAC-MMX sets of 1999.
//!
//! ```text
//! unit of 32 bytes   x0 .. x7   y0 .. y7        sum += s16(xj + kj) * s16(yj + k(j+8))   mod 2^32
//! ```
//!
//! Stream `t` has its key eight words further on than stream `t - 1`. A waist of the same shape as
//! [`l1_nh`](super::l1_nh)'s; a kernel sees key words and the bytes of one chunk.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod sse2;

use crate::cpu::{Cpu, Needs};
use zeroize::Zeroize;

/// NH takes the message in units of 32 bytes.
pub(crate) const UNIT: usize = 32;

/// The most streams of one call.
const MOST: usize = 8;

/// Blocks after the last one a kernel multiplies with that it may load.
const SLACK: usize = 8;

/// Eight key words. A unit's x is added to one of them, its y to the next.
type Block = [u16; 8];

/// A key for chunks of at most `UNITS` units and `MOST` streams: the blocks of even and of odd number, so
/// that neighbouring units have neighbouring keys. `ROOM` is `UNITS` and the slack.
#[derive(Clone)]
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key<const ROOM: usize> {
    even: [Block; ROOM],
    odd: [Block; ROOM],
}

/// Blocks of each kind in a key for chunks of so many bytes.
pub(crate) const fn room(chunk: usize) -> usize {
    chunk / UNIT + MOST / 2 + SLACK
}

impl<const ROOM: usize> Key<ROOM> {
    /// A key of the words in order.
    pub(crate) fn new(words: impl IntoIterator<Item = u16>) -> Self {
        let mut key = Key { even: [[0; 8]; ROOM], odd: [[0; 8]; ROOM] };
        for (i, word) in words.into_iter().enumerate() {
            let blocks = if i / 8 % 2 == 0 { &mut key.even } else { &mut key.odd };
            blocks[i / 16][i % 8] = word;
        }
        key
    }

    fn blocks(&self) -> Blocks<'_> {
        Blocks { even: &self.even, odd: &self.odd }
    }
}

impl<const ROOM: usize> Zeroize for Key<ROOM> {
    fn zeroize(&mut self) {
        let Key { even, odd } = self;
        even.as_flattened_mut().zeroize();
        odd.as_flattened_mut().zeroize();
    }
}

/// A key of any length.
#[derive(Clone, Copy)]
struct Blocks<'k> {
    even: &'k [Block],
    odd: &'k [Block],
}

impl<'k> Blocks<'k> {
    /// `L` blocks of each kind, even and odd, from unit `i` on.
    #[inline(always)] // into kernels, whose features a function of its own would not have
    fn from<const L: usize>(self, i: usize) -> [&'k [Block; L]; 2] {
        let part = |blocks: &'k [Block]| blocks[i..].first_chunk().expect("a key has slack");
        [part(self.even), part(self.odd)]
    }
}

/// NH of a chunk, which is padded with zeroes to whole units; an empty one is a unit of zeroes. No byte
/// outside it is read. `sums` has one word a stream.
type Kernel = unsafe fn(key: Blocks<'_>, chunk: &[u8], sums: &mut [u32]);

/// One kernel: its name, what it needs, and its function for 1, 2, 4 and 8 streams.
struct Row {
    name: &'static str,
    needs: Needs,
    nh: [Kernel; 4],
}

/// One row a file beside this one; the last that fits the machine wins.
const ROWS: &[Row] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        nh: [portable::nh::<1>, portable::nh::<2>, portable::nh::<4>, portable::nh::<8>],
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "sse2",
        needs: Needs::SSE2,
        nh: [sse2::nh::<1>, sse2::nh::<2>, sse2::nh::<4>, sse2::nh::<8>],
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx2",
        needs: Needs::AVX2,
        nh: [avx2::nh::<1>, avx2::nh::<2>, avx2::nh::<4>, avx2::nh::<8>],
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512",
        needs: Needs::AVX512F.and(Needs::AVX512BW).and(Needs::AVX512VNNI),
        nh: [avx512::nh::<1>, avx512::nh::<2>, avx512::nh::<4>, avx512::nh::<8>],
    },
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Row {
        name: "neon",
        needs: Needs::NEON,
        nh: [neon::nh::<1>, neon::nh::<2>, neon::nh::<4>, neon::nh::<8>],
    },
];

/// A kernel this machine can run, chosen once and kept in the key.
#[derive(Clone, Copy)]
pub(crate) struct Nh16(&'static Row);

impl Nh16 {
    /// Every kernel the machine can run, the preferred one last.
    pub(crate) fn all(cpu: Cpu) -> impl DoubleEndedIterator<Item = Nh16> {
        ROWS.iter().filter(move |row| cpu.meets(row.needs)).map(Nh16)
    }

    /// The kernel to use.
    pub(crate) fn new(cpu: Cpu) -> Nh16 {
        Self::all(cpu).next_back().expect("the portable row needs nothing")
    }

    pub(crate) fn name(self) -> &'static str {
        self.0.name
    }

    pub(crate) fn needs(self) -> Needs {
        self.0.needs
    }

    /// NH of a chunk for each stream, at most eight; without the length.
    #[allow(unsafe_code)] // the one indirect call
    pub(crate) fn nh<const ROOM: usize>(self, key: &Key<ROOM>, chunk: &[u8], mut sums: &mut [u32]) {
        assert!(chunk.len() <= (ROOM - MOST / 2 - SLACK) * UNIT && sums.len() <= MOST);
        let Blocks { mut even, mut odd } = key.blocks();
        while !sums.is_empty() {
            // 8, 4, 2 or 1 at a time: what comes before others is even, so blocks keep their kind.
            let power = sums.len().ilog2();
            let (these, others) = sums.split_at_mut(1 << power);
            // SAFETY: `all` yields only rows whose needs this machine meets.
            unsafe { self.0.nh[power as usize](Blocks { even, odd }, chunk, these) };
            (even, odd) = (&even[these.len() / 2..], &odd[these.len() / 2..]);
            sums = others;
        }
    }
}

/// The last, shorter unit of a chunk, padded with zeroes.
fn padded(rest: &[u8]) -> [u8; UNIT] {
    let mut unit = [0; UNIT];
    unit[..rest.len()].copy_from_slice(rest);
    unit
}

/// Where stream `t` finds the key of a unit's x (`half` 0) or y (`half` 1): the kind of block, and how many
/// units further on.
const fn place(t: usize, half: usize) -> (usize, usize) {
    ((t + half) % 2, (t + half) / 2)
}
