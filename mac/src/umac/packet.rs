//! Packets: messages of one chunk, which skip level 2 and are over before a chain of separate layers
//! has started. Their levels 1 and 3 and their pad are one kernel here, or one for eight messages.
//!
//! Where no row fits, the layers do it one by one; the tags are the same.

#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::cpu::{Cpu, Needs};
use crate::umac::kdf::{Index, Kdf};
use crate::umac::l1_nh::CHUNK;
use crate::umac::{MAX_STREAMS, l1_nh, l3_inner};
use zeroize::Zeroize;

/// The longest message that [`Packet::hash8`] takes.
pub(crate) const SHORT: u64 = 64;

/// How many messages go side by side.
pub(crate) const LANES: usize = 8;

/// Levels 1 and 3 of a message of at most a chunk: the front of a tag without its pad.
type Hash = unsafe fn(key: &Key, l1: &l1_nh::Key, message: &[u8]) -> u128;
/// The same with its pad: `block` encrypted, from byte `start` on.
type Tag = unsafe fn(key: &Key, l1: &l1_nh::Key, block: u128, start: usize, message: &[u8]) -> u128;
/// The pad alone.
type Pad = unsafe fn(key: &Key, block: u128, start: usize) -> u128;
/// Level 3 of one 64-bit word a stream.
type Inner = unsafe fn(key: &Key, words: &[u64; MAX_STREAMS]) -> u128;
/// Levels 1 and 3 of eight messages of at most 64 bytes each, whose lengths come once more in an
/// array of their own, to be loaded as one.
type Hash8 = unsafe fn(
    key: &Key,
    messages: &[&[u8]; LANES],
    lengths: &[u64; LANES],
    hashes: &mut Hashes,
);
/// Level 3 of eight messages, `words[t]` the words of stream `t`.
type Inner8 = unsafe fn(key: &Key, words: &[[u64; LANES]; MAX_STREAMS], hashes: &mut Hashes);

/// The hashes of eight messages: their first eight bytes, and their last.
pub(crate) type Hashes = [[u64; LANES]; 2];

/// The kernels of one number of streams.
struct Kernels {
    hash: Hash,
    tag: Tag,
    pad: Pad,
    inner: Inner,
    hash8: Hash8,
    inner8: Inner8,
}

struct Row {
    #[cfg_attr(not(test), expect(dead_code))] // the row of `l1_nh` tells the key's kernel
    name: &'static str,
    needs: Needs,
    expand: unsafe fn(key: &[u8; 16]) -> [[u8; 16]; 11],
    kernels: [Kernels; MAX_STREAMS],
}

/// One row a file beside this one, with the name and the needs of a row of `l1_nh`.
const ROWS: &[Row] = &[
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512",
        needs: Needs::AVX512F
            .and(Needs::AVX512BW)
            .and(Needs::AVX512VL)
            .and(Needs::AVX512IFMA)
            .and(Needs::AVX512VBMI)
            .and(Needs::BMI2)
            .and(Needs::AES),
        expand: avx512::expand,
        kernels: [
            avx512::kernels::<1>(),
            avx512::kernels::<2>(),
            avx512::kernels::<3>(),
            avx512::kernels::<4>(),
        ],
    },
];

/// The kernels this machine can run for a key, and what they know of it.
pub(crate) struct Packet {
    row: &'static Row,
    streams: usize,
    key: Key,
}

#[allow(unsafe_code)] // the indirect calls: `new` is the only source and takes rows the machine meets
impl Packet {
    /// Every row the machine can run, the preferred one last.
    #[cfg(test)]
    pub(crate) fn rows(cpu: Cpu) -> impl DoubleEndedIterator<Item = (&'static str, Needs)> {
        ROWS.iter().filter(move |row| cpu.meets(row.needs)).map(|row| (row.name, row.needs))
    }

    /// `None` where no row fits.
    pub(crate) fn new(
        cpu: Cpu,
        kdf: &Kdf,
        streams: usize,
        l1: &l1_nh::Key,
        l3: &[l3_inner::Key; MAX_STREAMS],
    ) -> Option<Packet> {
        let row = ROWS.iter().rfind(|row| cpu.meets(row.needs))?;
        let mut secret = [0; 16];
        kdf.fill(Index::Pad, &mut secret);
        // SAFETY: this machine meets the row's needs.
        let rounds = unsafe { (row.expand)(&secret) };
        secret.zeroize();
        Some(Packet { row, streams, key: Key::new(rounds, l1, l3) })
    }

    fn kernels(&self) -> &'static Kernels {
        &self.row.kernels[self.streams - 1]
    }

    /// The hash of a message of at most a chunk, as the front of a tag.
    pub(crate) fn hash(&self, l1: &l1_nh::Key, message: &[u8]) -> u128 {
        assert!(message.len() <= CHUNK);
        // SAFETY: this machine meets the row's needs.
        unsafe { (self.kernels().hash)(&self.key, l1, message) }
    }

    /// The tag of a message of at most a chunk; its pad begins at byte `start` of `block` encrypted.
    pub(crate) fn tag(&self, l1: &l1_nh::Key, block: u128, start: usize, message: &[u8]) -> u128 {
        assert!(message.len() <= CHUNK);
        // SAFETY: this machine meets the row's needs.
        unsafe { (self.kernels().tag)(&self.key, l1, block, start, message) }
    }

    /// The pad that begins at byte `start` of `block` encrypted.
    pub(crate) fn pad(&self, block: u128, start: usize) -> u128 {
        // SAFETY: this machine meets the row's needs.
        unsafe { (self.kernels().pad)(&self.key, block, start) }
    }

    /// The hash from the words of level 2.
    pub(crate) fn inner(&self, words: &[u64; MAX_STREAMS]) -> u128 {
        // SAFETY: this machine meets the row's needs.
        unsafe { (self.kernels().inner)(&self.key, words) }
    }

    /// The hashes of eight messages of at most [`SHORT`] bytes each.
    pub(crate) fn hash8(
        &self,
        messages: &[&[u8]; LANES],
        lengths: &[u64; LANES],
        hashes: &mut Hashes,
    ) {
        let fits = |(message, &length): (&&[u8], &u64)| message.len() as u64 == length && length <= SHORT;
        assert!(messages.iter().zip(lengths).all(fits));
        // SAFETY: this machine meets the row's needs.
        unsafe { (self.kernels().hash8)(&self.key, messages, lengths, hashes) }
    }

    /// The hashes of eight messages from their words.
    pub(crate) fn inner8(&self, words: &[[u64; LANES]; MAX_STREAMS], hashes: &mut Hashes) {
        // SAFETY: this machine meets the row's needs.
        unsafe { (self.kernels().inner8)(&self.key, words, hashes) }
    }
}

impl Drop for Packet {
    fn drop(&mut self) {
        let Packet { row: _, streams: _, key } = self;
        key.zeroize();
    }
}

/// What the kernels know of a key, in the order in which they load it.
#[repr(C, align(64))]
struct Key {
    /// Level 1: the key words of a message's first 64 bytes as four messages side by side meet them,
    /// for the words at even and odd places of each half of a unit (see docs/lanes.md).
    lanes: [[[u32; 16]; 4]; MAX_STREAMS],
    /// Level 3: for each 16-bit digit of a 64-bit word, the least significant first, each stream's
    /// key.
    digits: [[u64; MAX_STREAMS]; 4],
    /// The same of the first two streams alone.
    digits_of_two: [[u64; 2]; 4],
    /// The masks of level 3 as bytes of a tag.
    mask: [u8; 16],
    /// The round keys of the pad cipher.
    rounds: [[u8; 16]; 11],
}

impl Key {
    fn new(rounds: [[u8; 16]; 11], l1: &l1_nh::Key, l3: &[l3_inner::Key; MAX_STREAMS]) -> Key {
        let digits = core::array::from_fn(|i| l3.each_ref().map(|key| key.digit(i)));
        let mut mask = [0; 16];
        for (mask, key) in mask.as_chunks_mut::<4>().0.iter_mut().zip(l3) {
            *mask = key.mask().to_be_bytes();
        }
        Key {
            lanes: core::array::from_fn(|t| l1.lanes(t)),
            digits,
            digits_of_two: digits.map(|[first, second, _, _]| [first, second]),
            mask,
            rounds,
        }
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { lanes, digits, digits_of_two, mask, rounds } = self;
        lanes.as_flattened_mut().as_flattened_mut().zeroize();
        digits.as_flattened_mut().zeroize();
        digits_of_two.as_flattened_mut().zeroize();
        mask.zeroize();
        rounds.as_flattened_mut().zeroize();
    }
}
