//! The block sum: the xor of `E(block xor offset)` over blocks in any order (PMAC paper, section 3). It is the one
//! interface between PMAC and its kernels.
//!
//! `portable` sums with any cipher. The kernels for AES run AES and the offsets in one loop. They also take whole
//! messages, since separate calls would take longer than a short message.
//!
//! | function | of | does |
//! |---|---|---|
//! | `add` | portable; [`AesSum`], for all kernels | adds blocks from any number on. In the oracle, `sum` |
//! | `add_groups`, `add_few` | every kernel for AES | adds whole groups, or a part of one: what `add` consists of |
//! | `tag`, `tag8` | every kernel for AES | takes whole messages. In the oracle, `pmac` |
//! | `tag_after_one`, `tag_after_two` | every kernel for AES-128 | take a block or two and the message after them |
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, unused_imports, reason = "what only those kernels use")
)]

pub(crate) mod portable;

#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod kernel;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod row;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use kernel::Registers as _;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use row::row;

use crate::batch::EIGHT;
use crate::cipher::{Block, CipherBlock, Rounds};
use crate::cpu::{Cpu, Needs};
use crate::ct::wipe;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::ends::slide;
use crate::pmac::offset::Offsets;
use crate::rows::{Row, Rows, functions};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::simd::operations;

/// Blocks in a group. Their offsets differ from each other by a table that is the same for all groups.
const GROUP: usize = 32;

/// The place of a group's last block.
const LAST: usize = GROUP - 1;

/// From this many groups on, a kernel prefetches: they do not fit in a core's own caches.
const FAR: usize = 128;

/// The most of a message beside others of different numbers of blocks: of the second group all but the last, whose
/// offset is not in the table.
const MOST_MIXED: usize = 2 * GROUP - 1;

functions! {
    /// The kernels for one number of rounds.
    pub(crate) struct Functions {
        /// Adds whole groups to the sum. The first begins with block `first` and has the given base. At the end, the base
        /// is that of the group after the last.
        unsafe fn add_groups(
            key: &Key,
            base: &mut Block,
            first: u64,
            groups: &[[Block; GROUP]],
            sum: &mut Block,
        );
        /// Adds a part of the group with the given base to the sum. `table` starts at the part's first block, and a whole
        /// register can be loaded at each of its blocks.
        unsafe fn add_few(key: &Key, base: &Block, table: &[Block], blocks: &[Block], sum: &mut Block);
        /// The tag of a message: a block in which bits outside the mask are zero.
        unsafe fn tag(key: &Key, message: &[u8], tag: &mut Block);
        /// The tags of eight messages, as in `tag`; false, and no tags, if they take no less time one by one.
        unsafe fn tag8(key: &Key, messages: &[&[u8]; EIGHT], tags: &mut [Block; EIGHT]) -> bool;
        + after: Option<After>,
    }
}

functions! {
    /// Only AES-128 has it: for the other keys, which few packets use, it would make libwegman.so 50 KB larger.
    #[derive(Clone, Copy)]
    struct After {
        /// The tag of a message that is not empty, behind a block, given as a number with the first byte lowest.
        unsafe fn tag_after_one(key: &Key, first: u128, message: &[u8], tag: &mut Block);
        /// The same behind two blocks.
        unsafe fn tag_after_two(
            key: &Key,
            first: u128,
            second: u128,
            message: &[u8],
            tag: &mut Block,
        );
    }
}

/// The kernels for AES with 10, 12 and 14 rounds. `None` is the row of `portable::add`, for any cipher.
pub(crate) type ByRounds = Option<[Functions; 3]>;

/// The last row that fits the machine is used.
static ROWS: Rows<ByRounds> = Rows::new(&[
    Row { name: "portable", needs: Needs::NONE, functions: None },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "aesni",
        needs: Needs::listed("ssse3,aes").enabled_by(x86::Aesni::FEATURES),
        functions: Some(x86::Aesni::FUNCTIONS),
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vaes256",
        needs: Needs::listed("avx2,aes,vaes").enabled_by(x86::Vaes256::<false>::FEATURES),
        functions: Some(x86::Vaes256::<false>::FUNCTIONS),
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vaes512",
        needs: Needs::listed("avx512f,avx512bw,avx512vl,aes,vaes")
            .enabled_by(x86::Vaes256::<true>::FEATURES)
            .enabled_by(x86::Vaes512::FEATURES),
        functions: Some(x86::Vaes512::FUNCTIONS),
    },
    #[cfg(target_arch = "aarch64")]
    Row {
        name: "armv8",
        needs: Needs::listed("neon,aes").enabled_by(armv8::Armv8::FEATURES),
        functions: Some(armv8::Armv8::FUNCTIONS),
    },
]);

/// The row for any cipher.
pub(crate) const PORTABLE: &str = "portable";

/// Every row that the machine can run, for AES or for any other cipher, the preferred one last.
pub(crate) fn rows(cpu: Cpu, is_aes: bool) -> impl Iterator<Item = (&'static str, Needs)> {
    let rows = ROWS.fitting(cpu).filter(move |row| is_aes || row.functions.is_none());
    rows.map(|row| (row.name, row.needs))
}

/// One block or two before a message, as numbers with the first byte lowest.
pub(crate) type Given = (u128, Option<u128>);

/// What stands for [`AesSum`] where there are no kernels: nothing.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
#[derive(Clone)]
pub(crate) enum AesSum {}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
impl AesSum {
    pub(crate) fn new<B>(_: Cpu, _: &Rounds, _: &Offsets<B>, _: &Block) -> Option<AesSum>
    where
        B: CipherBlock,
    {
        None
    }

    pub(crate) fn name(&self) -> &'static str {
        match *self {}
    }

    pub(crate) fn add<B: CipherBlock>(&self, _: &Offsets<B>, _: u64, _: &[B], _: &mut B) {
        match *self {}
    }

    pub(crate) fn tag(&self, _: &[u8], _: &mut Block) {
        match *self {}
    }

    pub(crate) fn after(&self) -> Option<fn(Given, &[u8], &mut Block)> {
        match *self {}
    }

    pub(crate) fn tag8(&self, _: &[&[u8]; EIGHT], _: &mut [Block; EIGHT]) -> bool {
        match *self {}
    }
}

/// The kernels that this machine can run, and their key.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[derive(Clone)]
pub(crate) struct AesSum {
    name: &'static str,
    functions: &'static Functions,
    key: Key,
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
impl AesSum {
    /// `None` if only the portable row fits.
    ///
    /// `mask` has the bits of a tag.
    pub(crate) fn new<B: CipherBlock>(
        cpu: Cpu,
        rounds: &Rounds,
        offsets: &Offsets<B>,
        mask: &Block,
    ) -> Option<AesSum> {
        let row = ROWS.last(cpu)?;
        let functions = &row.functions.as_ref()?[(rounds.keys().len() - 11) / 2];
        Some(AesSum { name: row.name, functions, key: Key::new(rounds, offsets, mask) })
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Adds blocks numbered from `first` (at least 1) to the sum. `offsets` must be those of the key.
    pub(crate) fn add<B: CipherBlock>(
        &self,
        offsets: &Offsets<B>,
        first: u64,
        blocks: &[B],
        sum: &mut B,
    ) {
        debug_assert!(first >= 1);
        let place = (first - 1) as usize % GROUP;
        let (blocks, _) = B::flatten(blocks).as_chunks::<16>();
        let (head, blocks) = blocks.split_at(((GROUP - place) % GROUP).min(blocks.len()));
        let sum = sum.as_mut().first_chunk_mut().expect("AES has blocks of 16 bytes");
        let AesSum { name: _, functions, key } = self;
        let mut base = block(offsets.of(first - 1 - place as u64));
        if !head.is_empty() {
            let mut table = key.whole_table(first);
            functions.add_few(key, &base, &table[place..], head, sum);
            wipe(&mut table);
            base = base.xor(&key.steps[Key::zeroes(first)]);
        }
        let (groups, rest) = blocks.as_chunks();
        if !groups.is_empty() {
            let first = first + head.len() as u64;
            functions.add_groups(key, &mut base, first, groups, sum);
        }
        if !rest.is_empty() {
            functions.add_few(key, &base, &key.table, rest, sum);
        }
        wipe(&mut base);
    }

    #[inline]
    pub(crate) fn tag(&self, message: &[u8], tag: &mut Block) {
        self.functions.tag(&self.key, message, tag);
    }

    /// What writes the tag of a message that is not empty, behind one block or two, if there is such a kernel.
    #[inline]
    pub(crate) fn after(&self) -> Option<impl Fn(Given, &[u8], &mut Block)> {
        let kernel = self.functions.after?;
        Some(move |given: Given, message: &[u8], tag: &mut Block| {
            debug_assert!(!message.is_empty());
            match given {
                (first, None) => kernel.tag_after_one(&self.key, first, message, tag),
                (first, Some(second)) => {
                    kernel.tag_after_two(&self.key, first, second, message, tag);
                }
            }
        })
    }

    /// The tags of eight messages side by side; false, and no tags, if they take no less time one by one.
    #[inline]
    pub(crate) fn tag8(&self, messages: &[&[u8]; EIGHT], tags: &mut [Block; EIGHT]) -> bool {
        self.functions.tag8(&self.key, messages, tags)
    }
}

/// What the kernels know of a key.
///
/// Let g = 32 k. The offset of block g is the base of the group of blocks g + 1 to g + 32. The offset of block
/// g + 1 + j is the base xor the offset of block 1 + j, for j below 31: the Gray code word of g + i is that of g xor
/// that of i, for i below 32. The offset of the group's last block, g + 32, is the base of the next group.
#[derive(Clone)]
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key {
    /// The first round key xor the offsets of blocks 1 to 32. The last entry is right for the first group only.
    table: [Block; GROUP],
    /// The round keys, each four times, so that an instruction can read them from memory for a whole register.
    rounds: [[Block; 4]; 15],
    /// What the base of the next group adds to that of this one: offset 31 xor `L x^n`, where n is the number of
    /// trailing zero bits of the number of this group's last block. It is at least 5.
    steps: [Block; 64],
    /// The first round key xor what to xor with a last block of 0 to 16 bytes: a one bit after it, or `L x^-1`.
    ends: [Block; 17],
    /// The bits of a tag.
    mask: Block,
}

impl Key {
    fn new<B: CipherBlock>(rounds: &Rounds, offsets: &Offsets<B>, mask: &Block) -> Key {
        let mut key = Key {
            table: [[0; 16]; GROUP],
            steps: [[0; 16]; 64],
            ends: core::array::from_fn(|i| {
                core::array::from_fn(|at| if at == i { 0x80 } else { 0 })
            }),
            rounds: [[[0; 16]; 4]; 15],
            mask: *mask,
        };
        let first = &rounds.keys()[0];
        for (four, round) in key.rounds.iter_mut().zip(rounds.keys()) {
            *four = [*round; 4];
        }
        for (i, entry) in (1..).zip(&mut key.table) {
            *entry = block(offsets.of(i)).xor(first);
        }
        let before_last = block(offsets.of(GROUP as u64 - 1));
        for (n, step) in key.steps.iter_mut().enumerate() {
            *step = block(*offsets.step(1 << n)).xor(&before_last);
        }
        key.ends[16] = block(*offsets.inverse());
        for end in &mut key.ends {
            *end = end.xor(first);
        }
        key
    }

    /// The number of trailing zero bits of the number of the last block in the group of block `first`.
    fn zeroes(first: u64) -> usize {
        ((first - 1) | (GROUP as u64 - 1)).trailing_ones() as usize
    }

    /// The table of the group of block `first` with all 32 offsets right, and with room to load a whole register at
    /// each of them.
    fn whole_table(&self, first: u64) -> [Block; GROUP + 3] {
        let mut table = [[0; 16]; GROUP + 3];
        table[..GROUP].copy_from_slice(&self.table);
        table[GROUP - 1] = self.steps[Self::zeroes(first)].xor(&self.rounds[0][0]);
        table
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        let Key { table, steps, ends, rounds, mask: _ } = self;
        wipe(table);
        wipe(steps);
        wipe(ends);
        wipe(rounds);
    }
}

fn block<B: CipherBlock>(block: B) -> Block {
    *block.as_ref().first_chunk().expect("AES has blocks of 16 bytes")
}

/// What eight messages have in common, and how many blocks they have before their last ones.
#[derive(Clone, Copy)]
enum Shape {
    /// One length, with so many blocks.
    Same(usize),
    /// The number of blocks.
    Alike(usize),
    /// Nothing: at most so many blocks.
    Mixed(usize),
}

impl Shape {
    /// The shape of eight messages; `None` if side by side they take no less time. Those with different numbers of
    /// blocks may have at most `most_mixed`. `fills_up`: they take as long as if all had as many as the longest, in
    /// registers of four blocks.
    #[inline(always)]
    fn of(messages: &[&[u8]; EIGHT], most_mixed: usize, fills_up: bool) -> Option<Shape> {
        // Longer messages fill the registers alone: on Zen 5, those of four blocks from 105 blocks on.
        let most_alike = if fills_up { 104 } else { 8 * GROUP };
        let length = messages[0].len();
        let first = before_last(length);
        if messages.iter().fold(0, |all, message| all | (message.len() ^ length)) == 0 {
            return (first <= most_alike).then_some(Shape::Same(first));
        }
        let (mut most, mut all, mut difference) = (first, first, 0);
        for message in &messages[1..] {
            let blocks = before_last(message.len());
            most = blocks.max(most);
            all += blocks;
            difference |= blocks ^ first;
        }
        if difference == 0 {
            return (first <= most_alike).then_some(Shape::Alike(first));
        }
        // Each of single messages takes about two blocks more than it has.
        let gains = most <= most_mixed && (!fills_up || all + 7 >= 6 * most);
        gains.then_some(Shape::Mixed(most))
    }
}

/// How many blocks a message of `length` bytes has before its last.
#[inline(always)]
fn before_last(length: usize) -> usize {
    length.saturating_sub(1) / 16
}

/// The last block of a message of 16 bytes or more as it can be loaded, the shuffle that moves it down, and the number
/// of its bytes. `None` if the message is shorter.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
fn end(message: &[u8]) -> Option<(&Block, &Block, usize)> {
    let whole = message.last_chunk()?;
    let bytes = (message.len() - 1) % 16 + 1;
    Some((whole, slide(16 - bytes), bytes))
}
