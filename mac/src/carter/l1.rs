//! Levels 1 and 2, the narrow waist: a pseudo-dot product of a block of 2048 bytes, and a polynomial over the blocks.
//!
//! ```text
//! a group of 128 bytes   x_0 x_1 x_2 x_3 | y_0 y_1 y_2 y_3      16 bytes each: a lower and an upper half
//! its pairs              a = lower halves of x_j and y_j, b = upper halves; each plus its key
//! level 1                sum of the products a b over all pairs of the block
//! level 2                Y r + level 1, block after block
//! the hash               Y r + level 1 of the last block + length times its key
//! ```
//!
//! All products have the factor x^-128 and are reduced once a block, after they were summed. Karatsuba makes a b of three
//! products of halves, where z is x + y:
//!
//! ```text
//! A = x.low x.high    B = y.low y.high    C = z.low z.high        a b = A + x^64 (A + B + C) + x^128 B
//! ```
//!
//! Each multiplies the two halves of one register, so no half ever changes its place. The kernels add up A, B and C of
//! all pairs first.
//!
//! A kernel sees keys, blocks and a length and knows nothing of tags or nonces, but for those of whole messages:
//! [`Packet`].

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod pclmul;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub(crate) mod pmull;
mod portable;
#[cfg(target_arch = "x86_64")]
pub(crate) mod vpclmul;

use crate::cipher::{Block, BlockCipher};
use crate::cpu::{Cpu, Needs};
use crate::umac::pdf::PADS;
use zeroize::Zeroize;

/// Bytes of message a block has; only the last block may be shorter.
pub(crate) const BLOCK: usize = 2048;
/// Level 1 takes the message in groups of eight parts of 16 bytes, four pairs.
const GROUP: usize = 128;
/// How many messages go side by side.
pub(crate) const LANES: usize = 8;

/// What the kernels know of a key. All numbers are in little-endian order.
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key {
    /// Level 1.
    pub(super) k: [u8; BLOCK],
    /// What y_0, y_1, ... add to a message that ends before them, of 0 to 4 pairs: y_j is then its key alone, and this
    /// the sum of the products of its halves.
    of_zero: [Block; 5],
    /// Of the first pair, the keys of x_0 and of x_0 + y_0.
    of_first: [Block; 2],
    /// The lower and the upper half of `length`, each twice.
    halves_of_length: [Block; 2],
    /// Level 2.
    pub(super) r: Block,
    /// What the length is multiplied with.
    pub(super) length: Block,
    /// The round keys of the pad cipher, 11 or 15 of them.
    rounds: [Block; 15],
}

impl Key {
    pub(super) const ZERO: Key = Key {
        k: [0; BLOCK],
        of_zero: [[0; 16]; 5],
        of_first: [[0; 16]; 2],
        halves_of_length: [[0; 16]; 2],
        r: [0; 16],
        length: [0; 16],
        rounds: [[0; 16]; 15],
    };

    /// Fills in what follows from the keys of level 1 and of the length.
    pub(super) fn prepare(&mut self) {
        let (keys, _) = self.k[GROUP / 2..].as_chunks();
        let mut sum = 0;
        for (so_far, key) in self.of_zero[1..].iter_mut().zip(keys) {
            sum ^= portable::of_halves(key);
            *so_far = sum.to_le_bytes();
        }
        let (keys, _) = self.k.as_chunks::<16>();
        self.of_first = [keys[0], core::array::from_fn(|i| keys[0][i] ^ keys[4][i])];
        let (halves, _) = self.length.as_chunks::<8>();
        for (twice, half) in self.halves_of_length.iter_mut().zip(halves) {
            twice[..8].copy_from_slice(half);
            twice[8..].copy_from_slice(half);
        }
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { k, of_zero, of_first, halves_of_length, r, length, rounds } = self;
        k.zeroize();
        of_zero.as_flattened_mut().zeroize();
        of_first.as_flattened_mut().zeroize();
        halves_of_length.as_flattened_mut().zeroize();
        r.zeroize();
        length.zeroize();
        rounds.as_flattened_mut().zeroize();
    }
}

/// Level 2 of a message under way, Y: the sum of four numbers, since a kernel that takes four pairs side by side
/// need not add them up after each block.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Lanes([Block; 4]);

impl Lanes {
    pub(crate) const ZERO: Lanes = Lanes([[0; 16]; 4]);

    /// Y itself.
    pub(crate) fn sum(&self) -> u128 {
        self.0.iter().fold(0, |sum, lane| sum ^ u128::from_le_bytes(*lane))
    }
}

impl From<u128> for Lanes {
    fn from(y: u128) -> Lanes {
        let mut lanes = Lanes::ZERO;
        lanes.0[0] = y.to_le_bytes();
        lanes
    }
}

impl Zeroize for Lanes {
    fn zeroize(&mut self) {
        let Lanes(lanes) = self;
        lanes.as_flattened_mut().zeroize();
    }
}

/// One kernel a file beside this one.
struct Row {
    name: &'static str,
    needs: Needs,
    /// Levels 1 and 2 of blocks of which none is the message's last.
    absorb: unsafe fn(key: &Key, lanes: &mut Lanes, blocks: &[[u8; BLOCK]]),
    /// The hash of a message of `length` bytes, of which at most a block is left. No byte outside `last` is read.
    finish: unsafe fn(key: &Key, lanes: &Lanes, last: &[u8], length: u64) -> u128,
    /// Whole messages, for AES with keys of 16 and 32 bytes.
    packets: Option<[Kernels; 2]>,
}

/// The tags of eight messages, and the blocks their nonces are.
pub(crate) type Eight = [Block; LANES];

/// Whole messages of any length, with their pads. A tag of fewer bytes is the front of these.
struct Kernels {
    /// A message under the nonce that `block` is.
    tag: unsafe fn(key: &Key, block: u128, message: &[u8], tag: &mut Block),
    /// A message whose pad is there.
    tag_with_pad: unsafe fn(key: &Key, pad: u128, message: &[u8], tag: &mut Block),
    /// Eight messages under the nonces that `tags` holds. None has more than `longest` bytes, or else that is 0; none
    /// is empty if it is not.
    tag8: unsafe fn(key: &Key, messages: &[&[u8]; LANES], longest: usize, tags: &mut Eight),
    /// AES of at least the first `count` blocks of two words.
    encrypt: unsafe fn(key: &Key, blocks: &mut [u64; 2 * PADS], count: usize),
}

const ROWS: &[Row] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        absorb: portable::absorb,
        finish: portable::finish,
        packets: None,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "pclmul",
        needs: Needs::SSE2.and(Needs::PCLMULQDQ),
        absorb: pclmul::absorb,
        finish: pclmul::finish,
        packets: None,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vpclmul",
        needs: Needs::AVX2.and(Needs::PCLMULQDQ).and(Needs::VPCLMULQDQ),
        absorb: vpclmul::absorb,
        finish: vpclmul::finish,
        packets: None,
    },
    #[cfg(target_arch = "x86_64")]
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
        absorb: avx512::absorb,
        finish: avx512::finish,
        packets: Some([avx512::kernels::<10>(), avx512::kernels::<14>()]),
    },
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Row {
        name: "pmull",
        needs: Needs::NEON.and(Needs::AES),
        absorb: pmull::absorb,
        finish: pmull::finish,
        packets: None,
    },
];

/// A kernel this machine can run, chosen once and kept in the key.
#[derive(Clone, Copy)]
pub(crate) struct Hash(&'static Row);

#[allow(unsafe_code)] // the indirect calls
impl Hash {
    /// Every kernel the machine can run, the preferred one last.
    pub(crate) fn all(cpu: Cpu) -> impl DoubleEndedIterator<Item = Hash> {
        ROWS.iter().filter(move |row| cpu.meets(row.needs)).map(Hash)
    }

    /// The kernel to use.
    pub(crate) fn new(cpu: Cpu) -> Hash {
        Self::all(cpu).next_back().expect("the portable row needs nothing")
    }

    pub(crate) fn name(self) -> &'static str {
        self.0.name
    }

    pub(crate) fn needs(self) -> Needs {
        self.0.needs
    }

    /// Absorbs blocks of which none is the message's last.
    pub(crate) fn absorb(self, key: &Key, lanes: &mut Lanes, blocks: &[[u8; BLOCK]]) {
        // SAFETY: `all` yields only rows whose needs this machine meets.
        unsafe { (self.0.absorb)(key, lanes, blocks) }
    }

    /// The hash of a message of `length` bytes, of which at most a block is left.
    pub(crate) fn finish(self, key: &Key, lanes: &Lanes, last: &[u8], length: u64) -> u128 {
        debug_assert!(last.len() <= BLOCK);
        // SAFETY: as in `absorb`.
        unsafe { (self.0.finish)(key, lanes, last, length) }
    }

    /// The kernels of whole messages, if the row has them and the cipher is AES by the machine's instructions.
    /// Fills in what they need of the key.
    pub(crate) fn packet(self, pad: &impl BlockCipher, key: &mut Key) -> Option<Packet> {
        let [of_128, of_256] = self.0.packets.as_ref()?;
        let rounds = pad.rounds()?.keys();
        key.rounds[..rounds.len()].copy_from_slice(rounds);
        Some(Packet(if rounds.len() == 11 { of_128 } else { of_256 }))
    }
}

/// Kernels of whole messages.
#[derive(Clone, Copy)]
pub(crate) struct Packet(&'static Kernels);

#[allow(unsafe_code)] // the indirect calls
impl Packet {
    /// The tag of a message under the nonce that `block` is.
    #[inline]
    pub(crate) fn tag(self, key: &Key, block: u128, message: &[u8]) -> Block {
        // Sixteen bytes are stored by the kernel, at once: had they been returned, they would be
        // stored by halves, and whoever copies them would wait until both are in the cache.
        let mut tag = [0; 16];
        // SAFETY: `Hash::all` yields only rows whose needs this machine meets.
        unsafe { (self.0.tag)(key, block, message, &mut tag) };
        tag
    }

    /// The tag of a message whose pad is there.
    #[inline]
    pub(crate) fn tag_with_pad(self, key: &Key, pad: u128, message: &[u8]) -> Block {
        let mut tag = [0; 16];
        // SAFETY: as in `tag`.
        unsafe { (self.0.tag_with_pad)(key, pad, message, &mut tag) };
        tag
    }

    /// The tags of eight messages, in place of the blocks that their nonces are.
    #[inline]
    pub(crate) fn tag8(self, key: &Key, messages: &[&[u8]; LANES], tags: &mut Eight) {
        // Less one, so that an empty message counts as the longest of all.
        let longest = messages.iter().fold(0, |all, message| all | message.len().wrapping_sub(1));
        // SAFETY: as in `tag`.
        unsafe { (self.0.tag8)(key, messages, longest.wrapping_add(1), tags) }
    }

    /// Encrypts the first `count` blocks; what follows them becomes anything.
    pub(crate) fn encrypt(self, key: &Key, blocks: &mut [u64; 2 * PADS], count: usize) {
        // SAFETY: as in `tag`.
        unsafe { (self.0.encrypt)(key, blocks, count) }
    }
}

/// The groups of the last block: whole ones, and what is left of a message behind them, 0 to 127 bytes padded with
/// zeroes, with its number of pairs. Of nothing no pair is left.
fn groups(last: &[u8]) -> (&[[u8; GROUP]], [u8; GROUP], usize) {
    let (groups, rest) = last.as_chunks();
    let mut group = [0; GROUP];
    group[..rest.len()].copy_from_slice(rest);
    (groups, group, rest.len().div_ceil(16).min(4))
}
