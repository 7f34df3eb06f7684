//! The block sum (PMAC paper, section 3) over AES instructions: one body for registers of one, two and four blocks.
//!
//! ```text
//! for each block i but the last:  offset = offset xor L x^ntz(i);  sum = sum xor E(block i xor offset)
//! tag = E(sum xor last block, padded or with L/x)
//! ```
//!
//! The kernels depart from this:
//!
//! 1. No offset waits for another: in a group of 32 blocks, offset i is the group's base xor entry i of a table.
//! 2. Eight registers at a time go through the rounds together, and each place of a register has a sum of its own.
//! 3. Table and padding have the first round key in them. ARM leaves the last one out, and adds it to sums of an odd
//!    number of blocks.
//! 4. A message of few blocks has a function for each number of registers, and no loop.
//! 5. Of eight messages, block i of all goes through the rounds together; docs/lanes.md draws that.
//!
//! A [`Registers`] has the operations, and its value shows that the machine has them. The compiler uses a row's instructions
//! only in the row's own functions, so the generic functions here are `inline(always)`: they become parts of those.

use super::{FAR, Functions, GROUP, Key, LAST, Shape, before_last, end};
use crate::batch::EIGHT;
use crate::cipher::Block;
use crate::ct::wipe;
use crate::ends;
use core::hint::{black_box, select_unpredictable};
use core::mem::MaybeUninit;

/// How many registers run side by side: enough to hide the latency of a round.
const SIDE_BY_SIDE: usize = 8;

/// Registers of [`WIDTH`](Self::WIDTH) blocks and what the kernels do with them, and the functions that may. A value shows
/// that the machine has the row's features.
pub(super) trait Registers: Copy {
    type Register: Copy;
    /// A register of one block, and the registers of single blocks.
    type One: Copy;
    type Single: Registers<Register = Self::One, One = Self::One>;
    /// The registers for messages of at most four blocks before the last.
    type Narrow: Registers;

    /// Blocks in a register.
    const WIDTH: usize;
    /// How many groups lie from a block to the one prefetched beside it.
    const PREFETCH: usize;
    /// The most of eight messages with different numbers of blocks.
    const MOST_MIXED: usize;
    /// With 16 registers, the compiler would copy the round keys to the stack before a loop.
    const HIDES_KEY: bool;
    /// The features, as `#[target_feature]` has them.
    const FEATURES: &str;
    /// For 10, 12 and 14 rounds.
    const FUNCTIONS: [Functions; 3];

    /// `T` in a function of its own.
    fn apart<T: OfMessage, A: Before, B: Before>(
        self,
        key: &Key,
        given: (A, B),
        message: &[u8],
        tag: &mut Block,
    );

    fn single(self) -> Self::Single;
    fn narrow(self) -> Self::Narrow;
    /// The same block in each place.
    fn spread(self, block: &Block) -> Self::Register;
    /// The first blocks.
    fn load(self, blocks: &[Block]) -> Self::Register;
    /// The first blocks, at least one of which is there; the others are unspecified.
    fn load_some(self, blocks: &[Block]) -> Self::Register;
    /// The first blocks of those given, at least one, and then of the others; those that are missing are unspecified.
    fn load_behind(self, given: &[Self::One], blocks: &[Block]) -> Self::Register;
    /// The first `count` blocks of a register, and zeroes.
    fn keep(self, register: Self::Register, count: usize) -> Self::Register;
    /// A register of the first blocks.
    fn join(self, blocks: &[Self::One]) -> Self::Register;
    fn store(self, blocks: &mut [Block], register: Self::Register);
    /// Block `i`.
    fn block(self, register: Self::Register, i: usize) -> Self::One;
    /// The sum of the blocks.
    fn sum_of_blocks(self, register: Self::Register) -> Self::One;
    /// A block in the first place.
    fn alone(self, block: Self::One) -> Self::Register;
    /// Another block in the last place.
    fn with_last(self, register: Self::Register, block: Self::One) -> Self::Register;
    fn xor(self, a: Self::Register, b: Self::Register) -> Self::Register;
    fn and(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The bytes of each block in another order; zero for an index of 0x80.
    fn shuffle(self, bytes: Self::Register, order: Self::Register) -> Self::Register;
    fn prefetch(self, line: &[Block; 4]);

    /// The blocks at one place of several messages.
    ///
    /// # Safety
    /// The first messages have 16 bytes there.
    #[inline(always)]
    #[allow(unsafe_code)]
    unsafe fn gather(self, messages: &[&[u8]], at: usize) -> Self::Register {
        let one = self.single();
        let mut blocks = [one.spread(&[0; 16]); 4];
        for (block, message) in blocks[..Self::WIDTH].iter_mut().zip(messages) {
            debug_assert!(at + 16 <= message.len());
            // SAFETY: as the caller says.
            *block = one.spread(unsafe { &*message.as_ptr().add(at).cast() });
        }
        self.join(&blocks)
    }

    /// AES of blocks xor offsets, which have the first round key in them; all but adding [`shared`](Self::shared).
    fn almost<const ROUNDS: usize>(
        self,
        key: &Key,
        states: &mut [Self::Register],
        offsets: &[Self::Register],
    );

    /// What `almost` leaves to be added, if anything.
    #[inline(always)]
    fn shared<const ROUNDS: usize>(self, _: &Key) -> Option<Self::Register> {
        None
    }

    /// The sums of the blocks before the last ones of eight messages with different numbers of blocks.
    #[inline(always)]
    fn mixed<const ROUNDS: usize>(
        self,
        key: &Key,
        messages: &[&[u8]; EIGHT],
        most: usize,
    ) -> [Self::Register; EIGHT] {
        in_a_row::<Self, ROUNDS>(self, key, messages, most)
    }

    /// The bytes of the last block of a message, and what to add to them: the padding and the first round key.
    #[inline(always)]
    fn last(self, key: &Key, message: &[u8]) -> (Self::One, Self::One) {
        let one = self.single();
        match end(message) {
            Some((whole, down, bytes)) => {
                (one.shuffle(one.spread(whole), one.spread(down)), one.spread(&key.ends[bytes]))
            }
            None => {
                let bytes = one.spread(&ends::short_number(message).to_le_bytes());
                (bytes, one.spread(&key.ends[message.len()]))
            }
        }
    }
}

/// What [`Registers::apart`] computes: the tag of a message.
pub(super) trait OfMessage {
    fn tag<R: Registers, A: Before, B: Before>(
        isa: R,
        key: &Key,
        given: (A, B),
        message: &[u8],
        tag: &mut Block,
    );
}

/// One of two places before a message that is not empty: nothing, or a block as a number with the first byte lowest. A
/// single block is in the first place. In arguments of their own, blocks stay in registers, and nothing takes none; in
/// memory, a load of them would have to wait.
pub(super) trait Before: Copy {
    fn block(self) -> Option<Block>;
}

impl Before for () {
    #[inline(always)]
    fn block(self) -> Option<Block> {
        None
    }
}

impl Before for u128 {
    #[inline(always)]
    fn block(self) -> Option<Block> {
        Some(self.to_le_bytes())
    }
}

/// The blocks before the message in registers, and how many there are.
#[inline(always)]
fn blocks_of<R: Registers>(isa: R, (a, b): (impl Before, impl Before)) -> ([R::One; 2], usize) {
    let (one, blocks) = (isa.single(), [a.block(), b.block()]);
    let count = usize::from(blocks[0].is_some()) + usize::from(blocks[1].is_some());
    (blocks.map(|block| one.spread(&block.unwrap_or_default())), count)
}

#[inline(always)]
fn hidden<R: Registers>(_: R, key: &Key) -> &Key {
    if R::HIDES_KEY { black_box(key) } else { key }
}

#[inline(always)]
pub(super) fn tag<R: Registers, A: Before, B: Before, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    given: (A, B),
    message: &[u8],
    tag: &mut Block,
) {
    // Each arm is a jump to a function that calls no other.
    let blocks = blocks_of(isa, given).1 + before_last(message.len());
    if blocks == 0 {
        return last_call::<R, ROUNDS>(
            isa,
            key,
            isa.single().spread(&[0; 16]),
            message,
            tag,
            false,
        );
    }
    let narrow = isa.narrow();
    match blocks {
        // Two registers of two are faster than one of four.
        ..=2 if R::WIDTH > 2 => narrow.apart::<Few<ROUNDS, 1>, A, B>(key, given, message, tag),
        ..=4 if R::WIDTH > 2 => narrow.apart::<Few<ROUNDS, 2>, A, B>(key, given, message, tag),
        _ if blocks <= R::WIDTH => isa.apart::<Few<ROUNDS, 1>, A, B>(key, given, message, tag),
        _ if blocks <= 2 * R::WIDTH => isa.apart::<Few<ROUNDS, 2>, A, B>(key, given, message, tag),
        _ if blocks <= 3 * R::WIDTH => isa.apart::<Few<ROUNDS, 3>, A, B>(key, given, message, tag),
        _ if blocks <= 4 * R::WIDTH => isa.apart::<Few<ROUNDS, 4>, A, B>(key, given, message, tag),
        _ if blocks <= 5 * R::WIDTH => isa.apart::<Few<ROUNDS, 5>, A, B>(key, given, message, tag),
        _ if blocks <= 6 * R::WIDTH => isa.apart::<Few<ROUNDS, 6>, A, B>(key, given, message, tag),
        _ if blocks <= 7 * R::WIDTH => isa.apart::<Few<ROUNDS, 7>, A, B>(key, given, message, tag),
        _ if blocks <= 8 * R::WIDTH => isa.apart::<Few<ROUNDS, 8>, A, B>(key, given, message, tag),
        _ => isa.apart::<More<ROUNDS>, A, B>(key, given, message, tag),
    }
}

/// The blocks of a message before its last.
#[inline(always)]
fn not_last(message: &[u8]) -> &[Block] {
    message[..message.len().saturating_sub(1)].as_chunks().0
}

/// The tag of a message whose blocks before the last fill `L` registers, the last register perhaps in part.
struct Few<const ROUNDS: usize, const L: usize>;

impl<const ROUNDS: usize, const L: usize> OfMessage for Few<ROUNDS, L> {
    #[inline(always)]
    fn tag<R: Registers, A: Before, B: Before>(
        isa: R,
        key: &Key,
        given: (A, B),
        message: &[u8],
        tag: &mut Block,
    ) {
        let ((given, count), zero) = (blocks_of(isa, given), isa.spread(&[0; 16]));
        let blocks = not_last(message);
        let sum = registers::<R, ROUNDS, L>(isa, key, zero, &key.table, &given[..count], blocks);
        // Few registers leave room for the round keys, which both calls then share.
        let is_wide = R::WIDTH == 2 && L <= 2;
        last_call::<R, ROUNDS>(isa, key, isa.sum_of_blocks(sum), message, tag, is_wide);
    }
}

/// The tag of a longer message.
struct More<const ROUNDS: usize>;

impl<const ROUNDS: usize> OfMessage for More<ROUNDS> {
    #[inline(always)]
    fn tag<R: Registers, A: Before, B: Before>(
        isa: R,
        key: &Key,
        given: (A, B),
        message: &[u8],
        tag: &mut Block,
    ) {
        // Of this row, whose features `isa` shows that the machine has.
        let functions = &const { R::FUNCTIONS }[(ROUNDS - 10) / 2];
        let (one, zero) = (isa.single(), isa.spread(&[0; 16]));
        let (mut total, mut base, mut number) = ([0; 16], [0; 16], 1);
        let mut blocks = not_last(message);
        let (given, count) = blocks_of(isa, given);
        if count > 0 {
            // As much of the first group as runs side by side, then the others of it.
            let (part, after) = blocks.split_at(R::WIDTH * SIDE_BY_SIDE - count);
            let (table, others) = key.table.split_at(R::WIDTH * SIDE_BY_SIDE);
            let given = &given[..count];
            let sum = registers::<R, ROUNDS, SIDE_BY_SIDE>(isa, key, zero, table, given, part);
            one.store(core::slice::from_mut(&mut total), isa.sum_of_blocks(sum));
            let (part, after) = after.split_at(others.len().min(after.len()));
            if !part.is_empty() {
                functions.add_few(key, &base, others, part, &mut total);
            }
            (blocks, base, number) = (after, key.steps[Key::zeroes(1)], 1 + GROUP as u64);
        }
        let (groups, rest) = blocks.as_chunks();
        if !groups.is_empty() {
            functions.add_groups(key, &mut base, number, groups, &mut total);
        }
        if !rest.is_empty() {
            functions.add_few(key, &base, &key.table, rest, &mut total);
        }
        wipe(&mut base);
        last_call::<R, ROUNDS>(isa, key, one.spread(&total), message, tag, false);
        wipe(&mut total);
    }
}

/// The tag of a message, given the sum of the blocks before its last. `is_wide`: in a register of several blocks.
#[inline(always)]
fn last_call<R: Registers, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    sum: R::One,
    message: &[u8],
    tag: &mut Block,
    is_wide: bool,
) {
    let one = isa.single();
    let (bytes, end) = isa.last(key, message);
    let state = one.xor(sum, bytes);
    let state = if is_wide {
        // In a register of two, whose round keys are at hand.
        let mut state = [isa.alone(state)];
        encrypt::<_, ROUNDS>(isa, key, &mut state, &[isa.alone(end)]);
        isa.block(state[0], 0)
    } else {
        let mut state = [state];
        encrypt::<_, ROUNDS>(one, key, &mut state, &[end]);
        state[0]
    };
    one.store(core::slice::from_mut(tag), one.and(state, one.spread(&key.mask)));
}

/// AES of blocks xor offsets, which have the first round key in them.
#[inline(always)]
fn encrypt<R: Registers, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    states: &mut [R::Register],
    offsets: &[R::Register],
) {
    isa.almost::<ROUNDS>(key, states, offsets);
    if let Some(shared) = isa.shared::<ROUNDS>(key) {
        states.iter_mut().for_each(|state| *state = isa.xor(*state, shared));
    }
}

/// The sum of blocks that fill `L` registers, the last one perhaps in part: up to two in registers, and others in memory.
/// `table` starts at the first block.
#[inline(always)]
fn registers<R: Registers, const ROUNDS: usize, const L: usize>(
    isa: R,
    key: &Key,
    base: R::Register,
    table: &[Block],
    given: &[R::One],
    blocks: &[Block],
) -> R::Register {
    let in_last = (given.len() + blocks.len()).wrapping_sub(R::WIDTH * (L - 1));
    assert!(1 <= in_last && in_last <= R::WIDTH && table.len() >= R::WIDTH * L);
    let (mut states, mut offsets) = ([base; L], [base; L]);
    for i in 0..L {
        let at = R::WIDTH * i;
        states[i] = match given.get(at..) {
            Some(given @ [_, ..]) => isa.load_behind(given, blocks),
            _ if i < L - 1 => isa.load(&blocks[at - given.len()..]),
            _ => isa.load_some(&blocks[at - given.len()..]),
        };
        offsets[i] = isa.xor(base, isa.load(&table[at..]));
    }
    isa.almost::<ROUNDS>(key, &mut states, &offsets);
    let mut total = isa.keep(states[L - 1], in_last);
    for state in &states[..L - 1] {
        total = isa.xor(total, *state);
    }
    match isa.shared::<ROUNDS>(key) {
        Some(shared) if !L.is_multiple_of(2) => isa.xor(total, shared),
        _ => total,
    }
}

/// Adds a part of a group to the sum. `table` starts at the part's first block.
#[inline(always)]
pub(super) fn add_few<R: Registers, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    base: &Block,
    mut table: &[Block],
    mut blocks: &[Block],
    sum: &mut Block,
) {
    let (base, one) = (isa.spread(base), isa.single());
    let mut total = isa.spread(&[0; 16]);
    while let Some((part, after)) = blocks.split_at_checked(R::WIDTH * SIDE_BY_SIDE) {
        let part = registers::<R, ROUNDS, SIDE_BY_SIDE>(isa, key, base, table, &[], part);
        total = isa.xor(total, part);
        (table, blocks) = (&table[R::WIDTH * SIDE_BY_SIDE..], after);
    }
    let part = match blocks.len().div_ceil(R::WIDTH) {
        0 => isa.spread(&[0; 16]),
        1 => registers::<R, ROUNDS, 1>(isa, key, base, table, &[], blocks),
        2 => registers::<R, ROUNDS, 2>(isa, key, base, table, &[], blocks),
        3 => registers::<R, ROUNDS, 3>(isa, key, base, table, &[], blocks),
        4 => registers::<R, ROUNDS, 4>(isa, key, base, table, &[], blocks),
        5 => registers::<R, ROUNDS, 5>(isa, key, base, table, &[], blocks),
        6 => registers::<R, ROUNDS, 6>(isa, key, base, table, &[], blocks),
        7 => registers::<R, ROUNDS, 7>(isa, key, base, table, &[], blocks),
        _ => registers::<R, ROUNDS, 8>(isa, key, base, table, &[], blocks),
    };
    let part = isa.sum_of_blocks(isa.xor(total, part));
    let all = one.xor(one.spread(sum), part);
    one.store(core::slice::from_mut(sum), all);
}

/// Adds whole groups to the sum. At the end, the base is that of the group after them. Pass p of a group in registers of W
/// blocks, for i below 8; with W = 4 there is one pass, with W = 1 there are four:
///
/// ```text
/// at        W (8p + i)                                               places in the group, from 0
/// state i   block at             block at + 1             ...        block at + W - 1
/// offset i  base xor table[at]   base xor table[at + 1]   ...        base xor table[at + W - 1]; for 31, base xor step
/// total     each place: itself xor the AES of all eight states xor their offsets; its W places are added at the end
/// ```
#[inline(always)]
pub(super) fn add_groups<R: Registers, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    base: &mut Block,
    mut first: u64,
    groups: &[[Block; GROUP]],
    sum: &mut Block,
) {
    let one = isa.single();
    let (mut total, mut bases) = (isa.spread(&[0; 16]), isa.spread(base));
    let far = groups.len() > FAR;
    for (i, group) in groups.iter().enumerate() {
        if let Some(later) = groups.get(i + R::PREFETCH)
            && far
        {
            later.as_chunks().0.iter().for_each(|line| isa.prefetch(line));
        }
        let key = hidden(isa, key);
        let step = &key.steps[Key::zeroes(first)];
        let last = one.xor(one.spread(step), one.spread(&key.rounds[0][0]));
        for part in 0..GROUP / (R::WIDTH * SIDE_BY_SIDE) {
            let (mut states, mut offsets) = ([bases; SIDE_BY_SIDE], [bases; SIDE_BY_SIDE]);
            for i in 0..SIDE_BY_SIDE {
                let at = R::WIDTH * (SIDE_BY_SIDE * part + i);
                states[i] = isa.load(&group[at..]);
                let mut table = isa.load(&key.table[at..]);
                if at + R::WIDTH == GROUP {
                    table = isa.with_last(table, last);
                }
                offsets[i] = isa.xor(bases, table);
            }
            isa.almost::<ROUNDS>(key, &mut states, &offsets);
            for state in states {
                total = isa.xor(total, state);
            }
        }
        bases = isa.xor(bases, isa.spread(step));
        first += GROUP as u64;
    }
    one.store(core::slice::from_mut(base), isa.block(bases, 0));
    let all = one.xor(one.spread(sum), isa.sum_of_blocks(total));
    one.store(core::slice::from_mut(sum), all);
}

#[inline(always)]
#[allow(unsafe_code)]
pub(super) fn tag8<R: Registers, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    messages: &[&[u8]; EIGHT],
    tags: &mut [Block; EIGHT],
) -> bool {
    let Some(shape) = Shape::of(messages, R::MOST_MIXED, R::WIDTH > 2) else { return false };
    let n = EIGHT / R::WIDTH;
    let mut sums = match shape {
        Shape::Same(blocks) | Shape::Alike(blocks) => {
            all_columns::<R, ROUNDS>(isa, key, messages, blocks)
        }
        Shape::Mixed(most) => isa.mixed::<ROUNDS>(key, messages, most),
    };
    let mut ends = [isa.spread(&[0; 16]); EIGHT];
    if let (Shape::Same(_), Some((_, down, bytes))) = (shape, end(messages[0])) {
        // One shuffle for all.
        let (down, end) = (isa.spread(down), isa.spread(&key.ends[bytes]));
        let at = messages[0].len() - 16;
        for i in 0..n {
            // SAFETY: these are the last 16 bytes.
            let whole = unsafe { isa.gather(&messages[R::WIDTH * i..], at) };
            sums[i] = isa.xor(sums[i], isa.shuffle(whole, down));
            ends[i] = end;
        }
    } else {
        let one = isa.single();
        let mut lasts = [one.spread(&[0; 16]); EIGHT];
        for (last, message) in lasts.iter_mut().zip(messages) {
            let (bytes, end) = isa.last(key, message);
            *last = one.xor(bytes, end);
        }
        for i in 0..n {
            ends[i] = isa.join(&lasts[R::WIDTH * i..]);
        }
    }
    let mask = isa.spread(&key.mask);
    encrypt::<R, ROUNDS>(isa, hidden(isa, key), &mut sums[..n], &ends[..n]);
    for i in 0..n {
        isa.store(&mut tags[R::WIDTH * i..], isa.and(sums[i], mask));
    }
    true
}

/// The sums of the blocks before the last ones of eight messages, if all have the same number of blocks: block `j` of
/// all messages side by side, for each `j`; as many such columns at once as registers run side by side.
#[inline(always)]
fn all_columns<R: Registers, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    messages: &[&[u8]; EIGHT],
    blocks: usize,
) -> [R::Register; EIGHT] {
    debug_assert!(messages.iter().all(|message| before_last(message.len()) == blocks));
    let zero = isa.spread(&[0; 16]);
    let mut sums = [zero; EIGHT];
    let (mut base, mut at) = (zero, 0);
    while blocks - at >= R::WIDTH {
        // The base changes with each group.
        let step = isa.spread(&key.steps[Key::zeroes(at as u64 + 1)]);
        let last = isa.xor(step, isa.spread(&key.rounds[0][0]));
        columns::<R, ROUNDS>(isa, key, messages, at, R::WIDTH, [base, last], &mut sums);
        at += R::WIDTH;
        if at.is_multiple_of(GROUP) {
            base = isa.xor(base, step);
        }
    }
    // No group's last block is among the rest.
    if R::WIDTH > 2 && blocks - at >= 2 {
        columns::<R, ROUNDS>(isa, key, messages, at, 2, [base, base], &mut sums);
        at += 2;
    }
    if R::WIDTH > 1 && blocks > at {
        columns::<R, ROUNDS>(isa, key, messages, at, 1, [base, base], &mut sums);
    }
    match isa.shared::<ROUNDS>(key) {
        Some(shared) if !blocks.is_multiple_of(2) => sums.map(|sum| isa.xor(sum, shared)),
        _ => sums,
    }
}

/// Adds `count` blocks of each message to its sum, from block `at` on. Their group has this base and, in place of the
/// table's last entry, that one.
#[inline(always)]
#[allow(unsafe_code)]
fn columns<R: Registers, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    messages: &[&[u8]; EIGHT],
    at: usize,
    count: usize,
    [base, last]: [R::Register; 2],
    sums: &mut [R::Register; EIGHT],
) {
    let key = hidden_always(key);
    let n = EIGHT / R::WIDTH;
    let (mut states, mut offsets) = ([base; EIGHT], [base; EIGHT]);
    for c in 0..count {
        let table = match (at + c) % GROUP {
            LAST => last,
            i => isa.spread(&key.table[i]),
        };
        for i in 0..n {
            // SAFETY: all have such a block, as `Shape` has found.
            states[n * c + i] = unsafe { isa.gather(&messages[R::WIDTH * i..], 16 * (at + c)) };
            offsets[n * c + i] = isa.xor(base, table);
        }
    }
    isa.almost::<ROUNDS>(key, &mut states[..n * count], &offsets[..n * count]);
    for c in 0..count {
        for i in 0..n {
            sums[i] = isa.xor(sums[i], states[n * c + i]);
        }
    }
}

#[inline(always)]
fn hidden_always(key: &Key) -> &Key {
    black_box(key)
}

/// A zero, less than eight blocks of each of eight messages, and zeroes up to a multiple of what runs side by side.
const SLOTS: usize = 1 + EIGHT * EIGHT + EIGHT;

/// The same of messages with different numbers of blocks: whole eights of each message, then the rest of all messages
/// in a row, as many at a time as run side by side.
#[inline(always)]
#[allow(unsafe_code)]
fn in_a_row<R: Registers, const ROUNDS: usize>(
    isa: R,
    key: &Key,
    messages: &[&[u8]; EIGHT],
    most: usize,
) -> [R::Register; EIGHT] {
    let (one, n) = (isa.single(), EIGHT / R::WIDTH);
    let zero = isa.spread(&[0; 16]);
    let mut sums = [zero; EIGHT];
    let is_long = most >= EIGHT;
    if is_long {
        let mut each = [one.spread(&[0; 16]); EIGHT];
        for (each, message) in each.iter_mut().zip(messages) {
            let mut sum = zero;
            for (i, eight) in not_last(message).as_chunks::<EIGHT>().0.iter().enumerate() {
                let (base, table) = eighth(isa, key, i);
                let key = hidden(isa, key);
                let eight = match R::WIDTH {
                    1 => registers::<R, ROUNDS, 8>(isa, key, base, table, &[], eight),
                    _ => registers::<R, ROUNDS, 4>(isa, key, base, table, &[], eight),
                };
                sum = isa.xor(sum, eight);
            }
            *each = isa.sum_of_blocks(sum);
        }
        for i in 0..n {
            sums[i] = isa.join(&each[R::WIDTH * i..]);
        }
    }
    let mut slots = [MaybeUninit::<R::One>::uninit(); SLOTS];
    let (places, count) = match is_long {
        false => fill::<R, false>(isa, key, messages, &mut slots),
        true => fill::<R, true>(isa, key, messages, &mut slots),
    };
    let mut total = one.spread(&[0; 16]);
    for part in slots[1..][..count.next_multiple_of(EIGHT)].as_chunks_mut::<EIGHT>().0 {
        // Neighbours that were stored as parts would have to wait if they were loaded as a whole.
        let (mut states, offsets) = ([zero; SIDE_BY_SIDE], [zero; SIDE_BY_SIDE]);
        for i in 0..n {
            let mut blocks = [total; 4];
            for j in 0..R::WIDTH {
                // SAFETY: `fill` has filled whole parts.
                blocks[j] = unsafe { part[i + n * j].assume_init() };
            }
            states[i] = isa.join(&blocks);
        }
        encrypt::<R, ROUNDS>(isa, hidden_always(key), &mut states[..n], &offsets[..n]);
        for j in 0..R::WIDTH {
            for i in 0..n {
                total = one.xor(total, isa.block(states[i], j));
                part[i + n * j].write(total);
            }
        }
    }
    let mut before = one.spread(&[0; 16]);
    let mut each = [before; EIGHT];
    for (each, place) in each.iter_mut().zip(places) {
        // SAFETY: the slots up to the last block have been written.
        let up_to = unsafe { slots[place].assume_init() };
        *each = one.xor(up_to, before);
        before = up_to;
    }
    for i in 0..n {
        sums[i] = isa.xor(sums[i], isa.join(&each[R::WIDTH * i..]));
    }
    for eight in slots[1..][..count.next_multiple_of(EIGHT)].as_chunks_mut::<EIGHT>().0 {
        *eight = [MaybeUninit::new(one.spread(&[0; 16])); EIGHT];
        black_box(&eight); // one by one, which is no call
    }
    sums
}

/// The offsets of eight `i` of a message's blocks: the base of its group and a part of the table.
#[inline(always)]
fn eighth<R: Registers>(isa: R, key: &Key, i: usize) -> (R::Register, &[Block; EIGHT]) {
    let (tables, _) = key.table.as_chunks::<EIGHT>();
    // The table has the first round key in it.
    let second = || isa.xor(isa.spread(&key.table[GROUP - 1]), isa.spread(&key.rounds[0][0]));
    let base = if i < tables.len() { isa.spread(&[0; 16]) } else { second() };
    (base, &tables[i % tables.len()])
}

/// Writes the blocks between the whole eights and the last ones of eight messages, xor their offsets, from slot 1 on
/// in a row, and zeroes behind them. Returns the place of each message's last slot, or of the one before its first if it
/// has none, and how many there are. `LONG`: not all messages have less than eight. Up to four blocks of a message are
/// written without a branch on its length.
#[inline(always)]
#[allow(unsafe_code)]
fn fill<R: Registers, const LONG: bool>(
    isa: R,
    key: &Key,
    messages: &[&[u8]; EIGHT],
    slots: &mut [MaybeUninit<R::One>; SLOTS],
) -> ([usize; EIGHT], usize) {
    let one = isa.single();
    let (mut places, mut count) = ([0; EIGHT], 0);
    slots[0].write(one.spread(&[0; 16]));
    for (place, message) in places.iter_mut().zip(messages) {
        let blocks = before_last(message.len());
        let eights = if LONG { blocks / EIGHT } else { 0 };
        let (base, table) = eighth(one, key, eights);
        // What is read and written past the message's blocks is overwritten later. Messages below 16 bytes have none,
        // and something else is read.
        let enough = message.len() >= 16;
        let from = select_unpredictable(enough, message.as_ptr(), key.table.as_ptr().cast());
        let furthest = select_unpredictable(enough, message.len().wrapping_sub(16), 0);
        let (first, blocks) = (16 * EIGHT * eights, blocks - EIGHT * eights);
        for (half, table) in table.as_chunks::<4>().0.iter().enumerate() {
            let four = slots[count + 4 * half + 1..].first_chunk_mut::<4>().expect("room for all");
            for (i, (place, offset)) in four.iter_mut().zip(table).enumerate() {
                let at = furthest.min(first + 64 * half + 16 * i);
                // SAFETY: 16 bytes can be read up to `furthest`.
                let block = one.spread(unsafe { &*from.add(at).cast() });
                place.write(one.xor(block, one.xor(base, one.spread(offset))));
            }
            if blocks <= 4 {
                break;
            }
        }
        count += blocks;
        *place = count;
    }
    for slot in &mut slots[count + 1..][..EIGHT - 1] {
        slot.write(one.spread(&[0; 16]));
    }
    (places, count)
}
