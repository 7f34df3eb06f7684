//! The block sum: the xor of `E(block xor offset)` over blocks in any order. PMAC's narrow waist.
//!
//! `portable` sums for any cipher. The kernels for AES beside it have AES and the offsets in one loop,
//! and see whole messages too: a short one is over before separate calls have started.
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "what only those kernels use")
)]

pub(crate) mod portable;

#[cfg(target_arch = "x86_64")]
mod aesni;
#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(target_arch = "x86_64")]
mod vaes512;

use crate::cipher::{Block, CipherBlock, Rounds};
use crate::cpu::{Cpu, Needs};
use crate::pmac::offset::Offsets;
use zeroize::Zeroize;

/// Blocks of a group: their offsets differ from each other by a table that is the same for all groups.
const GROUP: usize = 32;

/// How many short messages go side by side.
pub(crate) const LANES: usize = 16;

/// The kernels of one number of rounds.
struct Kernels {
    /// Xors `E(blocks[j] xor offset(first + j))` for every j into `sum`; `base` is that of the group
    /// of block `first`.
    sum: unsafe fn(key: &Key, base: &Block, first: u64, blocks: &[Block], sum: &mut Block),
    /// The tag of a message: a block of which the mask leaves the tag's bits.
    tag: unsafe fn(key: &Key, message: &[u8], tag: &mut Block),
    /// The tags of as many messages.
    tags: unsafe fn(key: &Key, messages: &[&[u8]; LANES], tags: &mut [Block; LANES]),
}

struct Row {
    name: &'static str,
    needs: Needs,
    /// Of AES with 10, 12 and 14 rounds; `None`: `portable::sum`, for any cipher.
    kernels: Option<[Kernels; 3]>,
}

/// One row a file beside this one; the last that fits the machine wins.
const ROWS: &[Row] = &[
    Row { name: "portable", needs: Needs::NONE, kernels: None },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "aesni",
        needs: Needs::AES,
        kernels: Some([aesni::kernels::<10>(), aesni::kernels::<12>(), aesni::kernels::<14>()]),
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vaes256",
        needs: Needs::AVX2.and(Needs::AES).and(Needs::VAES),
        kernels: Some([
            vaes256::kernels::<10>(),
            vaes256::kernels::<12>(),
            vaes256::kernels::<14>(),
        ]),
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vaes512",
        needs: Needs::AVX512F
            .and(Needs::AVX512BW)
            .and(Needs::AVX512VL)
            .and(Needs::AES)
            .and(Needs::VAES),
        kernels: Some([
            vaes512::kernels::<10>(),
            vaes512::kernels::<12>(),
            vaes512::kernels::<14>(),
        ]),
    },
    #[cfg(target_arch = "aarch64")]
    Row {
        name: "armv8",
        needs: Needs::NEON.and(Needs::AES),
        kernels: Some([armv8::kernels::<10>(), armv8::kernels::<12>(), armv8::kernels::<14>()]),
    },
];

/// The row for any cipher.
pub(crate) const PORTABLE: &str = ROWS[0].name;

/// Every row the machine can run for AES or for any cipher, the preferred one last.
pub(crate) fn rows(cpu: Cpu, is_aes: bool) -> impl Iterator<Item = (&'static str, Needs)> {
    let fits = move |row: &&Row| cpu.meets(row.needs) && (is_aes || row.kernels.is_none());
    ROWS.iter().filter(fits).map(|row| (row.name, row.needs))
}

/// A kernel this machine can run, and its key.
#[derive(Clone)]
pub(crate) struct Aes {
    name: &'static str,
    kernels: &'static Kernels,
    key: Key,
}

#[allow(unsafe_code)] // the indirect calls
impl Aes {
    /// `None` where only the portable row fits.
    ///
    /// `mask` has one bits where a tag has bits.
    pub(crate) fn new<B: CipherBlock>(
        cpu: Cpu,
        rounds: &Rounds,
        offsets: &Offsets<B>,
        mask: &Block,
    ) -> Option<Aes> {
        let row = ROWS.iter().rfind(|row| cpu.meets(row.needs))?;
        let kernels = &row.kernels.as_ref()?[(rounds.keys().len() - 11) / 2];
        Some(Aes { name: row.name, kernels, key: Key::new(rounds, offsets, mask) })
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Adds blocks numbered from `first` (at least 1) to the sum. `offsets` are those of the key.
    pub(crate) fn add<B: CipherBlock>(
        &self,
        offsets: &Offsets<B>,
        first: u64,
        blocks: &[B],
        sum: &mut B,
    ) {
        debug_assert!(first >= 1);
        let base = block(offsets.of((first - 1) / GROUP as u64 * GROUP as u64));
        let (blocks, _) = B::flatten(blocks).as_chunks();
        let sum = sum.as_mut().first_chunk_mut().expect("AES has blocks of 16 bytes");
        // SAFETY: `new` yields only rows whose needs this machine meets.
        unsafe { (self.kernels.sum)(&self.key, &base, first, blocks, sum) }
    }

    /// The tag of a message.
    #[inline]
    pub(crate) fn tag(&self, message: &[u8], tag: &mut Block) {
        // SAFETY: as in `add`.
        unsafe { (self.kernels.tag)(&self.key, message, tag) }
    }

    /// The tags of as many messages, best of about the same length.
    pub(crate) fn tags(&self, messages: &[&[u8]; LANES], tags: &mut [Block; LANES]) {
        // SAFETY: as in `add`.
        unsafe { (self.kernels.tags)(&self.key, messages, tags) }
    }
}

/// What the kernels know of a key.
///
/// With g = 32 k the offset of block g + 1 + j is the offset of block g, called the group's base,
/// xor the offset of block 1 + j, for j below 31: the Gray code word of g + i is that of g xor that of
/// i while i is below 32. Block g + 32 begins the next group's base.
#[derive(Clone)]
#[repr(C, align(64))] // whole cache lines for the widest loads
struct Key {
    /// The first round key xor the offsets of blocks 1 to 32; that of block 32 serves no other group.
    table: [Block; GROUP],
    /// What the base of the next group adds to that of this one, by the trailing zero bits of the
    /// next group's first number: offset 31 xor `L x^n`. Those below 5 never come.
    steps: [Block; 64],
    /// `steps` xor the first round key: for the last block of a group.
    lasts: [Block; 64],
    /// What is xored with a last block of 0 to 16 bytes: a one bit after it, or `L x^-1`.
    ends: [Block; 17],
    /// The round keys, each four times: a register is encrypted by one instruction that reads memory.
    rounds: [[Block; 4]; 15],
    /// One bits where a tag has bits.
    mask: Block,
}

impl Key {
    fn new<B: CipherBlock>(rounds: &Rounds, offsets: &Offsets<B>, mask: &Block) -> Key {
        let offset = |i| block(offsets.of(i));
        let first = rounds.keys()[0];
        let mut keys = [[[0; 16]; 4]; 15];
        for (four, key) in keys.iter_mut().zip(rounds.keys()) {
            *four = [*key; 4];
        }
        let steps = core::array::from_fn(|n| block(*offsets.step(1 << n)).xor(&offset(31)));
        let one_bit = |i| core::array::from_fn(|at| if at == i { 0x80 } else { 0 });
        let mut ends = core::array::from_fn(one_bit);
        ends[16] = block(*offsets.inverse());
        Key {
            table: core::array::from_fn(|j| offset(1 + j as u64).xor(&first)),
            lasts: steps.map(|step| step.xor(&first)),
            steps,
            ends,
            rounds: keys,
            mask: *mask,
        }
    }

    /// The trailing zero bits of the first number of the group after that of block `first`.
    fn zeroes(first: u64) -> usize {
        ((first - 1) | (GROUP as u64 - 1)).trailing_ones() as usize
    }

    /// The table of the group of block `first`, all 32 offsets of it, and room for a whole register
    /// from each of them on.
    fn whole_table(&self, first: u64) -> [Block; GROUP + 3] {
        let mut table = [[0; 16]; GROUP + 3];
        table[..GROUP].copy_from_slice(&self.table);
        table[GROUP - 1] = self.lasts[Self::zeroes(first)];
        table
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        let Key { table, steps, lasts, ends, rounds, mask: _ } = self;
        table.as_flattened_mut().zeroize();
        steps.as_flattened_mut().zeroize();
        lasts.as_flattened_mut().zeroize();
        ends.as_flattened_mut().zeroize();
        rounds.as_flattened_mut().as_flattened_mut().zeroize();
    }
}

fn block<B: CipherBlock>(block: B) -> Block {
    *block.as_ref().first_chunk().expect("AES has blocks of 16 bytes")
}

/// The last block of a message as a number, its first byte lowest; without a copy into a block, which a
/// load of the whole block would have to wait for.
#[inline(always)]
fn number(last: &[u8]) -> u128 {
    if let Some(whole) = last.first_chunk::<16>() {
        u128::from_le_bytes(*whole)
    } else if let (Some(front), Some(back)) = (last.first_chunk(), last.last_chunk()) {
        let back = u128::from(u64::from_le_bytes(*back));
        u128::from(u64::from_le_bytes(*front)) | back << (8 * (last.len() - 8))
    } else if let (Some(front), Some(back)) = (last.first_chunk(), last.last_chunk()) {
        let back = u64::from(u32::from_le_bytes(*back));
        u128::from(u64::from(u32::from_le_bytes(*front)) | back << (8 * (last.len() - 4)))
    } else {
        last.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
    }
}
