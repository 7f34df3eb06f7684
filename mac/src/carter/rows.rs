//! Rows of kernels for hashes over GF(2^128): what a row has, how one is chosen, and the calls. They serve
//! [Carter](super::l1) and what it is measured against, Polyval-AES, so that the two differ in their arithmetic alone.
//!
//! A hash has a folder with a file for each row; what these files share of the field is in `field/`.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;

use crate::cipher::{Block, BlockCipher};
use crate::cpu::{Cpu, Needs};

/// How many messages go side by side.
pub(crate) const LANES: usize = 8;

/// The tags of eight messages, and the blocks their nonces are.
pub(crate) type Eight = [Block; LANES];

/// What the kernels of a hash know of a key.
pub(crate) trait HashKey: Sized + 'static {
    /// The bytes that a message is taken in; only its last ones may be fewer.
    type Bytes: 'static;
    /// A message under way.
    type State: 'static;
    /// What the kernels of whole messages can do with pads made ahead.
    type Ahead: 'static;

    /// The last one that fits the machine wins.
    const ROWS: &'static [Row<Self>];

    /// The round keys of the pad cipher, 11 or 15 of them.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))] // no other row has AES in one loop with the hash
    fn rounds(&self) -> &[Block; 15];
    fn rounds_mut(&mut self) -> &mut [Block; 15];
}

/// Absorbs parts of a message of which none is its last.
pub(crate) type Absorb<K> =
    unsafe fn(key: &K, state: &mut <K as HashKey>::State, parts: &[<K as HashKey>::Bytes]);

/// The hash of a message of `length` bytes, or bits if the hash counts those, of which at most one part is left. No byte
/// outside `last` is read.
pub(crate) type Finish<K> =
    unsafe fn(key: &K, state: &<K as HashKey>::State, last: &[u8], length: u64) -> u128;

/// One kernel of a hash, a file in its folder.
pub(crate) struct Row<K: HashKey> {
    name: &'static str,
    needs: Needs,
    absorb: Absorb<K>,
    finish: Finish<K>,
    /// Whole messages, for AES with keys of 16 and 32 bytes.
    packets: [Option<Kernels<K>>; 2],
}

/// Whole messages of any length, with their pads. A tag of fewer bytes is the front of these.
pub(crate) struct Kernels<K: HashKey> {
    /// A message under the nonce that `block` is.
    pub(crate) tag: unsafe fn(key: &K, block: u128, message: &[u8], tag: &mut Block),
    /// Eight messages under the nonces that `tags` holds. None has more than `longest` bytes, or else that is 0; none
    /// is empty if it is not.
    pub(crate) tag8:
        unsafe fn(key: &K, messages: &[&[u8]; LANES], longest: usize, tags: &mut Eight),
    pub(crate) ahead: K::Ahead,
}

impl<K: HashKey> Row<K> {
    /// Plain code.
    pub(crate) const fn portable(absorb: Absorb<K>, finish: Finish<K>) -> Row<K> {
        Row { name: "portable", needs: Needs::NONE, absorb, finish, packets: [None, None] }
    }

    /// 128-bit registers.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn pclmul(absorb: Absorb<K>, finish: Finish<K>) -> Row<K> {
        Row {
            name: "pclmul",
            needs: Needs::SSE2.and(Needs::PCLMULQDQ),
            absorb,
            finish,
            packets: [None, None],
        }
    }

    /// The same on ARMv8.
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    pub(crate) const fn pmull(absorb: Absorb<K>, finish: Finish<K>) -> Row<K> {
        Row {
            name: "pmull",
            needs: Needs::NEON.and(Needs::AES),
            absorb,
            finish,
            packets: [None, None],
        }
    }

    /// 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn vpclmul(absorb: Absorb<K>, finish: Finish<K>) -> Row<K> {
        Row {
            name: "vpclmul",
            needs: Needs::AVX2.and(Needs::PCLMULQDQ).and(Needs::VPCLMULQDQ),
            absorb,
            finish,
            packets: [None, None],
        }
    }

    /// 512-bit registers.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn avx512(
        absorb: Absorb<K>,
        finish: Finish<K>,
        packets: [Option<Kernels<K>>; 2],
    ) -> Row<K> {
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
            absorb,
            finish,
            packets,
        }
    }
}

/// A kernel this machine can run, chosen once and kept in the key.
pub(crate) struct Hash<K: HashKey>(&'static Row<K>);

impl<K: HashKey> Clone for Hash<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: HashKey> Copy for Hash<K> {}

#[allow(unsafe_code)] // the indirect calls
impl<K: HashKey> Hash<K> {
    /// Every kernel the machine can run, the preferred one last.
    pub(crate) fn all(cpu: Cpu) -> impl DoubleEndedIterator<Item = Hash<K>> {
        K::ROWS.iter().filter(move |row| cpu.meets(row.needs)).map(Hash)
    }

    /// The kernel to use.
    pub(crate) fn new(cpu: Cpu) -> Hash<K> {
        Self::all(cpu).next_back().expect("the portable row needs nothing")
    }

    pub(crate) fn name(self) -> &'static str {
        self.0.name
    }

    pub(crate) fn needs(self) -> Needs {
        self.0.needs
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    pub(crate) fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        // With AES for the pads on all rows but the one that is to do without anything.
        Self::all(cpu).map(move |hash| match hash.needs() {
            Needs::NONE => (hash.name(), cpu.only(Needs::NONE)),
            needs => (hash.name(), cpu.only(needs.and(Needs::AES))),
        })
    }

    /// Absorbs parts of a message of which none is its last.
    pub(crate) fn absorb(self, key: &K, state: &mut K::State, parts: &[K::Bytes]) {
        // SAFETY: `all` yields only rows whose needs this machine meets.
        unsafe { (self.0.absorb)(key, state, parts) }
    }

    /// The hash of a message of `length` bytes, or bits if the hash counts those, of which at most one part is left.
    pub(crate) fn finish(self, key: &K, state: &K::State, last: &[u8], length: u64) -> u128 {
        debug_assert!(last.len() <= size_of::<K::Bytes>());
        // SAFETY: as in `absorb`.
        unsafe { (self.0.finish)(key, state, last, length) }
    }

    /// The kernels of whole messages, if the row has them and the cipher is AES by the machine's instructions.
    /// Fills in what they need of the key.
    pub(crate) fn packet(self, pad: &impl BlockCipher, key: &mut K) -> Option<Packet<K>> {
        let rounds = pad.rounds()?.keys();
        let [of_128, of_256] = &self.0.packets;
        let kernels = if rounds.len() == 11 { of_128 } else { of_256 }.as_ref()?;
        key.rounds_mut()[..rounds.len()].copy_from_slice(rounds);
        Some(Packet(kernels))
    }
}

/// Kernels of whole messages.
pub(crate) struct Packet<K: HashKey>(&'static Kernels<K>);

impl<K: HashKey> Clone for Packet<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: HashKey> Copy for Packet<K> {}

#[allow(unsafe_code)] // the indirect calls
impl<K: HashKey> Packet<K> {
    /// The tag of a message under the nonce that `block` is.
    #[inline]
    pub(crate) fn tag(self, key: &K, block: u128, message: &[u8]) -> Block {
        // Sixteen bytes are stored by the kernel, at once: had they been returned, they would be
        // stored by halves, and whoever copies them would wait until both are in the cache.
        let mut tag = [0; 16];
        // SAFETY: `Hash::all` yields only rows whose needs this machine meets.
        unsafe { (self.0.tag)(key, block, message, &mut tag) };
        tag
    }

    /// The tags of eight messages, in place of the blocks that their nonces are.
    #[inline]
    pub(crate) fn tag8(self, key: &K, messages: &[&[u8]; LANES], tags: &mut Eight) {
        // Less one, so that an empty message counts as the longest of all.
        let longest = messages.iter().fold(0, |all, message| all | message.len().wrapping_sub(1));
        // SAFETY: as in `tag`.
        unsafe { (self.0.tag8)(key, messages, longest.wrapping_add(1), tags) }
    }

    /// Functions that this machine can run.
    #[inline]
    pub(super) fn ahead(self) -> &'static K::Ahead {
        &self.0.ahead
    }
}
