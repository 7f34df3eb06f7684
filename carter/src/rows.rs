//! Rows of kernels for hashes over GF(2^128): what a row has, how one is chosen, and the calls. They serve
//! Carter and what it is measured against, Polyval-AES, so that the two differ in their arithmetic alone.
//!
//! A hash has a folder with a file for each row; what these files share of the field is in `field/`.

#[cfg(target_arch = "x86_64")]
pub mod avx512;

use crate::batch::EightBlocks;
use wegman::Cpu;
use wegman::cipher::{Block, BlockCipher};
use wegman::cpu::Needs;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::rows::Row;

/// What the kernels of a hash know of a key.
///
/// # Safety
/// The needs of each row must cover the features that its functions enable.
#[allow(unsafe_code)]
pub unsafe trait HashKey: Sized + Send + Sync + 'static {
    /// The bytes that a message is taken in; only its last ones may be fewer.
    type Bytes: 'static;
    /// A message under way.
    type State: 'static;
    /// What the kernels of whole messages can do with pads made ahead.
    type Ahead: 'static;

    /// The last one that fits the machine wins.
    const ROWS: &'static [Row<HashKernels<Self>>];

    /// The round keys of the pad cipher, 11 or 15 of them.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // no other row has AES in one loop with the hash
    fn rounds(&self) -> &[Block; 15];
    /// Where a key has room for them.
    fn rounds_mut(&mut self) -> &mut [Block; 15];
}

/// Absorbs parts of a message of which none is its last.
pub type Absorb<K> =
    unsafe fn(key: &K, state: &mut <K as HashKey>::State, parts: &[<K as HashKey>::Bytes]);

/// The hash of a message of `length` bytes, or bits if the hash counts those, of which at most one part is left. No byte
/// outside `last` is read.
pub type Finish<K> =
    unsafe fn(key: &K, state: &<K as HashKey>::State, last: &[u8], length: u64) -> u128;

/// The kernels of one row of a hash, a file in its folder.
pub struct HashKernels<K: HashKey> {
    absorb: Absorb<K>,
    finish: Finish<K>,
    /// Whole messages, for AES with keys of 16 and 32 bytes.
    packets: [Option<PacketKernels<K>>; 2],
}

/// Whole messages of any length, with their pads. A tag of fewer bytes is the first ones of these.
pub struct PacketKernels<K: HashKey> {
    /// A message under the nonce that `block` is.
    pub tag: unsafe fn(key: &K, block: u128, message: &[u8], tag: &mut Block),
    /// EightBlocks messages under the nonces that `tags` holds. None has more than `longest` bytes, or else that is 0; none
    /// is empty if it is not.
    /// Eight messages.
    pub tag8: unsafe fn(key: &K, messages: &[&[u8]; EIGHT], longest: usize, tags: &mut EightBlocks),
    /// What the hash's own kernels of whole messages can do.
    pub ahead: K::Ahead,
}

impl<K: HashKey> HashKernels<K> {
    /// Plain code.
    #[must_use]
    pub const fn portable(absorb: Absorb<K>, finish: Finish<K>) -> Row<Self> {
        Row {
            name: "portable",
            needs: Needs::NONE,
            kernels: HashKernels { absorb, finish, packets: [None, None] },
        }
    }

    /// 128-bit registers.
    #[cfg(target_arch = "x86_64")]
    #[must_use]
    pub const fn pclmul(absorb: Absorb<K>, finish: Finish<K>) -> Row<Self> {
        Row {
            name: "pclmul",
            needs: Needs::SSE2.and(Needs::PCLMULQDQ),
            kernels: HashKernels { absorb, finish, packets: [None, None] },
        }
    }

    /// The same on ARMv8.
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    #[must_use]
    pub const fn pmull(absorb: Absorb<K>, finish: Finish<K>) -> Row<Self> {
        Row {
            name: "pmull",
            needs: Needs::NEON.and(Needs::AES),
            kernels: HashKernels { absorb, finish, packets: [None, None] },
        }
    }

    /// 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    #[must_use]
    pub const fn vpclmul(absorb: Absorb<K>, finish: Finish<K>) -> Row<Self> {
        Row {
            name: "vpclmul",
            needs: Needs::AVX2.and(Needs::PCLMULQDQ).and(Needs::VPCLMULQDQ),
            kernels: HashKernels { absorb, finish, packets: [None, None] },
        }
    }

    /// 512-bit registers.
    #[cfg(target_arch = "x86_64")]
    #[must_use]
    pub const fn avx512(
        absorb: Absorb<K>,
        finish: Finish<K>,
        packets: [Option<PacketKernels<K>>; 2],
    ) -> Row<Self> {
        Row {
            name: "avx512",
            needs: Needs::SSE2
                .and(Needs::AVX512F)
                .and(Needs::AVX512BW)
                .and(Needs::AVX512VL)
                .and(Needs::BMI2)
                .and(Needs::AES)
                .and(Needs::VAES)
                .and(Needs::PCLMULQDQ)
                .and(Needs::VPCLMULQDQ),
            kernels: HashKernels { absorb, finish, packets },
        }
    }
}

/// A kernel this machine can run, chosen once and kept in the key.
pub struct Hash<K: HashKey>(&'static Row<HashKernels<K>>);

impl<K: HashKey> Clone for Hash<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: HashKey> Copy for Hash<K> {}

#[allow(unsafe_code)] // the indirect calls
impl<K: HashKey> Hash<K> {
    /// Every kernel the machine can run, the preferred one last.
    pub fn all(cpu: Cpu) -> impl DoubleEndedIterator<Item = Hash<K>> {
        Row::fitting(K::ROWS, cpu).map(Hash)
    }

    /// The kernel to use.
    ///
    /// # Panics
    /// If the table has no row that needs nothing.
    #[must_use]
    pub fn new(cpu: Cpu) -> Hash<K> {
        Hash(Row::best(K::ROWS, cpu).expect("the portable row needs nothing"))
    }

    /// The row's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Row::named(K::ROWS, cpu, |_| Needs::NONE)
    }

    /// Absorbs parts of a message of which none is its last.
    pub fn absorb(self, key: &K, state: &mut K::State, parts: &[K::Bytes]) {
        // SAFETY: `Row::best` and `Row::fitting` give only rows whose needs this machine meets.
        unsafe { (self.0.kernels.absorb)(key, state, parts) }
    }

    /// The hash of a message of `length` bytes, or bits if the hash counts those, of which at most one part is left.
    pub fn finish(self, key: &K, state: &K::State, last: &[u8], length: u64) -> u128 {
        debug_assert!(last.len() <= size_of::<K::Bytes>());
        // SAFETY: as in `absorb`.
        unsafe { (self.0.kernels.finish)(key, state, last, length) }
    }

    /// The kernels of whole messages, if the row has them and the cipher is AES by the machine's instructions.
    /// Fills in what they need of the key.
    pub fn packet(self, pad: &impl BlockCipher, key: &mut K) -> Option<Packet<K>> {
        let rounds = pad.rounds()?.keys();
        let [of_128, of_256] = &self.0.kernels.packets;
        let kernels = if rounds.len() == 11 { of_128 } else { of_256 }.as_ref()?;
        key.rounds_mut()[..rounds.len()].copy_from_slice(rounds);
        Some(Packet(kernels))
    }
}

/// Kernels of whole messages.
pub struct Packet<K: HashKey>(&'static PacketKernels<K>);

impl<K: HashKey> Clone for Packet<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: HashKey> Copy for Packet<K> {}

#[allow(unsafe_code)] // the indirect calls
impl<K: HashKey> Packet<K> {
    /// The tag of a message under the nonce that `block` is.
    #[inline(always)] // a call would store a tag in halves
    pub fn tag(self, key: &K, block: u128, message: &[u8]) -> Block {
        // Sixteen bytes are stored by the kernel, at once: had they been returned, they would be
        // stored by halves, and whoever copies them would wait until both are in the cache.
        let mut tag = [0; 16];
        // SAFETY: `Hash::new` gives only rows whose needs this machine meets.
        unsafe { (self.0.tag)(key, block, message, &mut tag) };
        tag
    }

    /// The tags of eight messages, in place of the blocks that their nonces are.
    #[inline]
    pub fn tag8(self, key: &K, messages: &[&[u8]; EIGHT], tags: &mut EightBlocks) {
        // Less one, so that an empty message counts as the longest of all.
        let longest = messages.iter().fold(0, |all, message| all | message.len().wrapping_sub(1));
        // SAFETY: as in `tag`.
        unsafe { (self.0.tag8)(key, messages, longest.wrapping_add(1), tags) }
    }

    /// Functions that this machine can run.
    #[inline]
    pub fn ahead(self) -> &'static K::Ahead {
        &self.0.ahead
    }
}
