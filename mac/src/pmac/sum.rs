//! The block sum: the xor of `E(block xor offset)` over blocks in any order. PMAC's narrow waist.

mod portable;

use crate::cipher::{Block, BlockCipher};
use crate::cpu::{Cpu, Needs};
use crate::pmac::offset::Offsets;

/// Xors `E(blocks[j] xor offset(first + j))` for every j into `sum`.
type Kernel<C> =
    unsafe fn(cipher: &C, offsets: &Offsets, first: u64, blocks: &[Block], sum: &mut Block);

/// One kernel: its name, what it needs, and its function.
struct Row<C: 'static> {
    name: &'static str,
    needs: Needs,
    sum: Kernel<C>,
}

/// A kernel this machine can run, chosen once and kept in the key.
pub(crate) struct Sum<C: 'static>(&'static Row<C>);

impl<C> Clone for Sum<C> {
    fn clone(&self) -> Self {
        Sum(self.0)
    }
}

impl<C: BlockCipher> Sum<C> {
    /// One row a file beside this one; the last that fits the machine wins.
    const ROWS: &'static [Row<C>] =
        &[Row { name: "portable", needs: Needs::NONE, sum: portable::sum::<C> }];

    /// Every kernel the machine can run, the preferred one last.
    pub(crate) fn all(cpu: Cpu) -> impl DoubleEndedIterator<Item = Self> {
        Self::ROWS.iter().filter(move |row| cpu.meets(row.needs)).map(Sum)
    }

    /// The kernel to use.
    pub(crate) fn new(cpu: Cpu) -> Self {
        Self::all(cpu).next_back().expect("the portable row needs nothing")
    }

    pub(crate) fn name(&self) -> &'static str {
        self.0.name
    }

    pub(crate) fn needs(&self) -> Needs {
        self.0.needs
    }

    /// Adds blocks numbered from `first` (at least 1) to the sum.
    #[allow(unsafe_code)] // the one indirect call
    pub(crate) fn add(
        &self,
        cipher: &C,
        offsets: &Offsets,
        first: u64,
        blocks: &[Block],
        sum: &mut Block,
    ) {
        debug_assert!(first >= 1);
        if blocks.is_empty() {
            return;
        }
        // SAFETY: `all` yields only rows whose needs this machine meets.
        unsafe { (self.0.sum)(cipher, offsets, first, blocks, sum) }
    }
}
