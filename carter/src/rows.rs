//! Tables of kernels for hashes over GF(2^128): what a row has, how a key chooses one, and the calls. They serve Carter
//! and the MAC that it is compared with, Polyval-AES, so that the two differ only in their arithmetic.
//!
//! A hash has a folder with a file for each row. What these files share of the field's arithmetic is in `field/`.

#[cfg(target_arch = "x86_64")]
pub mod avx512;

use wegman::Cpu;
use wegman::cipher::{Block, BlockCipher};
use wegman::cpu::Needs;
use wegman::hazmat::aes::round_keys;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::pads::Blocks;
use wegman::hazmat::rows::Row;

/// The key of a hash, as its kernels see it.
///
/// # Safety
/// The needs of each row must cover the features that its functions enable, and its functions must accept any
/// arguments that their types' descriptions allow.
#[allow(unsafe_code)]
pub unsafe trait HashKey: Sized + Send + Sync + 'static {
    /// The array of bytes in which a message is absorbed. Only the last part of a message may be shorter.
    type Bytes: 'static;
    /// The state of a stream.
    type State: 'static;
    /// The kernels for pads made ahead, if the hash has any.
    type Ahead: 'static;

    /// The table. The last row that fits the machine is used.
    const ROWS: &'static [Row<HashKernels<Self>>];

    /// The round keys of the pad cipher, 11 or 15 of them.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // no other row has AES in one loop with the hash
    fn rounds(&self) -> &[Block; 15];
    /// The place for the round keys of [`rounds`](Self::rounds).
    fn rounds_mut(&mut self) -> &mut [Block; 15];
}

/// Absorbs parts of a message, none of which is its last.
pub type Absorb<K> =
    unsafe fn(key: &K, state: &mut <K as HashKey>::State, parts: &[<K as HashKey>::Bytes]);

/// The hash of a message of `length` bytes (bits, if the hash counts those), given its last part, `last`. Reads no byte
/// outside `last`.
pub type Finish<K> =
    unsafe fn(key: &K, state: &<K as HashKey>::State, last: &[u8], length: u64) -> u128;

/// The kernels of one row of a hash: one file in its folder.
pub struct HashKernels<K: HashKey> {
    absorb: Absorb<K>,
    finish: Finish<K>,
    /// The kernels of whole messages, for AES with keys of 16 and of 32 bytes.
    packets: [Option<PacketKernels<K>>; 2],
}

/// Longer messages fill the registers alone.
pub const LONG: usize = 64;

/// The tags of eight messages.
pub type EightTags = [Block; EIGHT];

/// The type of [`PacketKernels::tag8`].
pub type Tag8<K> = unsafe fn(
    key: &K,
    messages: &[&[u8]; EIGHT],
    longest: usize,
    blocks: &Blocks,
    tags: &mut EightTags,
);

/// Kernels of whole messages of any length, pads included. A tag of fewer than 16 bytes is a prefix of these.
pub struct PacketKernels<K: HashKey> {
    /// The tag of a message under the nonce whose block is `block`.
    pub tag: unsafe fn(key: &K, block: u128, message: &[u8], tag: &mut Block),
    /// The tags of eight messages under the nonces of these blocks. None of the messages is empty, and `longest` is at
    /// least the length of each.
    pub tag8: Tag8<K>,
    /// The kernels for pads made ahead.
    pub ahead: K::Ahead,
}

impl<K: HashKey> HashKernels<K> {
    /// The row in plain code.
    #[must_use]
    pub const fn portable(absorb: Absorb<K>, finish: Finish<K>) -> Row<Self> {
        Row {
            name: "portable",
            needs: Needs::NONE,
            kernels: HashKernels { absorb, finish, packets: [None, None] },
        }
    }

    /// The row in 128-bit registers of x86.
    #[cfg(target_arch = "x86_64")]
    #[must_use]
    pub const fn pclmul(absorb: Absorb<K>, finish: Finish<K>) -> Row<Self> {
        Row {
            name: "pclmul",
            needs: Needs::SSE2.and(Needs::PCLMULQDQ),
            kernels: HashKernels { absorb, finish, packets: [None, None] },
        }
    }

    /// The row in 128-bit registers of ARMv8.
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    #[must_use]
    pub const fn pmull(absorb: Absorb<K>, finish: Finish<K>) -> Row<Self> {
        Row {
            name: "pmull",
            needs: Needs::NEON.and(Needs::AES),
            kernels: HashKernels { absorb, finish, packets: [None, None] },
        }
    }

    /// The row in 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    #[must_use]
    pub const fn vpclmul(absorb: Absorb<K>, finish: Finish<K>) -> Row<Self> {
        Row {
            name: "vpclmul",
            needs: Needs::AVX2.and(Needs::PCLMULQDQ).and(Needs::VPCLMULQDQ),
            kernels: HashKernels { absorb, finish, packets: [None, None] },
        }
    }

    /// The row in 512-bit registers, with kernels of whole messages for AES-128 and AES-256.
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

/// A row that this machine can run. A key chooses it once and keeps it.
pub struct Hash<K: HashKey>(&'static Row<HashKernels<K>>);

impl<K: HashKey> Clone for Hash<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: HashKey> Copy for Hash<K> {}

#[allow(unsafe_code)] // the indirect calls
impl<K: HashKey> Hash<K> {
    /// Every row that the machine can run, the preferred one last.
    pub fn all(cpu: Cpu) -> impl DoubleEndedIterator<Item = Hash<K>> {
        Row::fitting(K::ROWS, cpu).map(Hash)
    }

    /// The row to use.
    ///
    /// # Panics
    /// If every row of the table needs something.
    #[must_use]
    pub fn new(cpu: Cpu) -> Hash<K> {
        Hash(Row::best(K::ROWS, cpu).expect("the portable row needs nothing"))
    }

    /// The row's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Row::named(K::ROWS, cpu, |_| Needs::NONE)
    }

    /// Absorbs parts of a message, none of which is its last.
    pub fn absorb(self, key: &K, state: &mut K::State, parts: &[K::Bytes]) {
        // SAFETY: `Row::best` and `Row::fitting` return only rows whose needs this machine meets.
        unsafe { (self.0.kernels.absorb)(key, state, parts) }
    }

    /// The hash of a message of `length` bytes (bits, if the hash counts those), given its last part, `last`.
    pub fn finish(self, key: &K, state: &K::State, last: &[u8], length: u64) -> u128 {
        assert!(last.len() <= size_of::<K::Bytes>(), "a message's last part");
        // SAFETY: as in `absorb`.
        unsafe { (self.0.kernels.finish)(key, state, last, length) }
    }

    /// The kernels of whole messages, if the row has them and the cipher uses the machine's AES instructions. Copies
    /// the round keys into `key`.
    pub fn packet(self, pad: &impl BlockCipher, key: &mut K) -> Option<Packet<K>> {
        let rounds = round_keys(pad)?;
        let [of_128, of_256] = &self.0.kernels.packets;
        let kernels = if rounds.len() == 11 { of_128 } else { of_256 }.as_ref()?;
        key.rounds_mut()[..rounds.len()].copy_from_slice(rounds);
        Some(Packet(kernels))
    }
}

/// Kernels of whole messages that this machine can run.
pub struct Packet<K: HashKey>(&'static PacketKernels<K>);

impl<K: HashKey> Clone for Packet<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: HashKey> Copy for Packet<K> {}

#[allow(unsafe_code)] // the indirect calls
impl<K: HashKey> Packet<K> {
    /// The tag of a message under the nonce whose block is `block`.
    #[inline(always)] // a call would store a tag in halves
    pub fn tag(self, key: &K, block: u128, message: &[u8]) -> Block {
        // The kernel stores all sixteen bytes at once. A returned tag would be stored in halves, and copying it
        // would have to wait until both halves are in the cache.
        let mut tag = [0; 16];
        // SAFETY: `Hash::new` chooses only rows whose needs this machine meets.
        unsafe { (self.0.tag)(key, block, message, &mut tag) };
        tag
    }

    /// The tags of eight messages under the nonces of these blocks, or false if they take no less time one by one: long
    /// messages fill the registers alone, and an empty one has code of its own.
    #[inline]
    pub fn tag8(
        self,
        key: &K,
        messages: &[&[u8]; EIGHT],
        blocks: &Blocks,
        tags: &mut EightTags,
    ) -> bool {
        // Lengths minus one, so that an empty message counts as the longest of all.
        let longest = messages.iter().fold(0, |all, message| all | message.len().wrapping_sub(1));
        if longest >= LONG {
            return false;
        }
        // SAFETY: as in `tag`.
        unsafe { (self.0.tag8)(key, messages, longest + 1, blocks, tags) }
        true
    }

    /// The kernels for pads made ahead. This machine can run them.
    #[inline]
    pub fn ahead(self) -> &'static K::Ahead {
        &self.0.ahead
    }
}
