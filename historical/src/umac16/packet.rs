//! Whole messages in one kernel: all levels and the pad (draft of October 2000). If no row fits the
//! machine, and for messages that reach POLY-64, the levels run one after the other. The tags are the same.
#![doc = include_str!("../../docs/lanes.md")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod flow;

use super::{CHUNK, L1Key, MAX_STREAMS, l3};
use crate::l1_nh16::Eight;
use crate::umac_2000::l2::{self, Shape, State};
use wegman::cipher::Aes128;
use wegman::cpu::Cpu;
#[cfg(target_arch = "x86_64")]
use wegman::cpu::Needs;
use wegman::hazmat::aes::round_keys;
use wegman::hazmat::ct::wipe;
use wegman::hazmat::pads::first_bytes;
#[cfg(target_arch = "x86_64")]
use wegman::hazmat::rows::Row;
use wegman::hazmat::rows::{Rows, functions};
use wegman::hazmat::umac::l2_poly::Lazy;
use zeroize::Zeroize;

/// The longest message for a kernel.
pub(crate) const LONGEST: usize = Shape::OF_16.ends[0] as usize * CHUNK;

/// Groups of four streams.
const FOURS: usize = MAX_STREAMS / 4;

/// The accumulators of POLY-32.
type Accumulators = [Lazy<u32>; MAX_STREAMS];

functions! {
    /// The functions for one number of streams. A hash is a tag without its pad. As a number, its first byte is the lowest,
    /// and the bytes above the tag's are unspecified. Messages have at most [`LONGEST`] bytes.
    struct Functions {
        /// The tag of a message. The pad begins at byte `start` of the encrypted `block`. A tag of more than eight bytes is
        /// stored; a shorter tag is returned, its first byte the lowest.
        unsafe fn tag(key: &Key, block: u128, start: usize, message: &[u8], tag: &mut [u8; 16]) -> u64;
        /// The hash of a message.
        unsafe fn hash(key: &Key, message: &[u8]) -> u128;
        /// Levels 1 and 2 of chunks, none of which is the last of the message.
        ///
        /// # Bounds
        /// In and out: any 32 bits.
        unsafe fn absorb(key: &Key, y: &mut Accumulators, chunks: &[[u8; CHUNK]]);
    }
}

/// The functions of a row, for 1 to 8 streams.
pub(crate) struct ByStreams([Functions; MAX_STREAMS]);

/// One row for each kernel file, with the name of a row of `l1_nh16`.
pub(crate) static ROWS: Rows<ByStreams> = Rows::new(&[
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx2",
        needs: Needs::listed("avx2,aes").enabled_by(avx2::FEATURES),
        functions: avx2::FUNCTIONS,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512",
        needs: Needs::listed("avx512f,avx512bw,avx512vl,avx512ifma,avx512vnni,bmi2,aes")
            .enabled_by(avx512::FEATURES),
        functions: avx512::FUNCTIONS,
    },
]);

/// The functions for whole messages; `None` if no row fits the machine. Otherwise fills in the round keys.
pub(crate) fn whole(cpu: Cpu, pad: &Aes128, key: &mut Key) -> Option<&'static ByStreams> {
    let row = ROWS.last(cpu)?;
    key.rounds = *round_keys(pad)?.first_chunk()?;
    Some(&row.functions)
}

impl ByStreams {
    /// The first `M` bytes of the tag of a message of at most [`LONGEST`] bytes. The pad begins at byte `start` of the
    /// encrypted `block`.
    #[inline]
    pub(crate) fn tag<const M: usize>(
        &self,
        key: &Key,
        block: u128,
        start: usize,
        message: &[u8],
    ) -> [u8; M] {
        debug_assert!(message.len() <= LONGEST);
        let mut tag = [0; 16];
        let first = self.0[M / 2 - 1].tag(key, block, start, message, &mut tag);
        // As in `umac::packet`: the kernel stores sixteen bytes at once.
        match M {
            ..=8 => first_bytes(u128::from(first)),
            _ => *tag.first_chunk().expect("a tag has at most 16 bytes"),
        }
    }

    /// The first `M` bytes of the hash of a message of at most [`LONGEST`] bytes.
    #[inline]
    pub(crate) fn hash<const M: usize>(&self, key: &Key, message: &[u8]) -> u128 {
        debug_assert!(message.len() <= LONGEST);
        self.0[M / 2 - 1].hash(key, message)
    }

    /// Absorbs as many of the chunks as POLY-32 takes, and returns the others. None of the chunks is the last of the
    /// message.
    pub(crate) fn absorb<'m, const M: usize>(
        &self,
        key: &Key,
        state: &mut State,
        chunks: &'m [[u8; CHUNK]],
    ) -> &'m [[u8; CHUNK]] {
        let room = Shape::OF_16.ends[0].saturating_sub(state.count()) as usize;
        let (these, others) = chunks.split_at(chunks.len().min(room));
        if !these.is_empty() {
            state.move_32(these.len(), |y| self.0[M / 2 - 1].absorb(key, y, these));
        }
        others
    }
}

/// What the kernels need of a key.
#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Key {
    pub(crate) l1: L1Key,
    pub(crate) l2: [l2::Key; MAX_STREAMS],
    pub(crate) l3: [l3::Key; MAX_STREAMS],
    /// Level 1 of a message's first 64 bytes: for each group of four streams, the keys of the first x, the first y, the
    /// second x and the second y.
    first_keys: [[[Eight; 4]; 4]; FOURS],
    /// POLY-32: for each group of four streams, the keys, their squares, and the numbers to subtract from a word over
    /// the limit.
    poly: [[[u64; 4]; 3]; FOURS],
    /// Level 3: the keys of a word's lower digit in each stream, then those of its upper digit.
    digits: [[u64; MAX_STREAMS]; 2],
    /// The masks of level 3, as bytes of a tag.
    mask: [u8; 16],
    /// The round keys of the pad cipher.
    rounds: [[u8; 16]; 11],
}

impl Key {
    /// A key without its round keys.
    pub(crate) fn new(l1: L1Key, l2: [l2::Key; MAX_STREAMS], l3: [l3::Key; MAX_STREAMS]) -> Key {
        use core::array::from_fn;
        let first_keys = from_fn(|g| from_fn(|i| from_fn(|t| l1.first_eight(4 * g + i + t))));
        let poly =
            from_fn(|g| from_fn(|i| from_fn(|t| u64::from(l2[4 * g + t].narrow.numbers()[i]))));
        let digits = from_fn(|i| from_fn(|t| u64::from(l3[t].digits()[i].0)));
        let mut mask = [0; 16];
        for (mask, key) in mask.as_chunks_mut().0.iter_mut().zip(&l3) {
            *mask = key.mask().to_be_bytes();
        }
        Key { l1, l2, l3, first_keys, poly, digits, mask, rounds: [[0; 16]; 11] }
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { l1, l2, l3, first_keys, poly, digits, mask, rounds } = self;
        l1.zeroize();
        wipe(l2);
        wipe(l3);
        first_keys.as_flattened_mut().as_flattened_mut().as_flattened_mut().zeroize();
        poly.as_flattened_mut().as_flattened_mut().zeroize();
        digits.as_flattened_mut().zeroize();
        mask.zeroize();
        rounds.as_flattened_mut().zeroize();
    }
}
