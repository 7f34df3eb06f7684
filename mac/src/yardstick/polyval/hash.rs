//! POLYVAL of a message and its length, the narrow waist: one reduction for up to 64 blocks of 16 bytes.
//!
//! ```text
//! 64 blocks      Y = (Y + X_0) H^64 + X_1 H^63 + ... + X_63 H         (all but the last 1 to 64)
//! n last blocks  (Y + X_0) H^(n+1) + ... + X_(n-1) H^2 + length H
//! ```
//!
//! Each product has the factor x^-128 and is reduced after they were summed. Blocks go in groups of eight, so
//! that each block X has one beside it, four places on: W. With Karatsuba's three products, those of the sums of
//! their halves share a register that no half of the others enters: (X.low + X.high, W.low + W.high).
//!
//! A kernel sees keys, blocks and a length and knows nothing of nonces, but for those of whole messages: [`Packet`].

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod pclmul;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod pmull;
mod portable;
#[cfg(target_arch = "x86_64")]
mod vpclmul;

use crate::carter::field::dot;
use crate::cipher::{Block, BlockCipher};
use crate::cpu::{Cpu, Needs};
use zeroize::Zeroize;

/// Blocks that are reduced together.
const MOST: usize = 64;
/// Their bytes.
pub(crate) const CHUNK: usize = 16 * MOST;
/// Bytes of eight blocks.
const GROUP: usize = 128;
/// How many messages go side by side.
pub(crate) const LANES: usize = 8;

/// Where H^MOST is among the powers: at the start of a cache line, with room for H^(MOST + 1) before it.
const FIRST: usize = 4;
/// With zeroes after H, since the last group need not be full.
const POWERS: usize = FIRST + MOST + 8;

/// What the kernels know of a key. All numbers are in little-endian order.
#[repr(C, align(64))] // whole cache lines for the widest loads
pub(crate) struct Key {
    /// H^65, H^64, ..., H.
    powers: [Block; POWERS],
    /// Of each power the sum of its halves, and the same of the power that is four places on.
    sums: [Block; POWERS],
    /// The round keys of the pad cipher, eleven of them.
    rounds: [Block; 15],
}

impl Key {
    const ZERO: Key =
        Key { powers: [[0; 16]; POWERS], sums: [[0; 16]; POWERS], rounds: [[0; 16]; 15] };

    pub(crate) fn new(h: &Block) -> Key {
        let mut key = Key::ZERO;
        let h = u128::from_le_bytes(*h);
        let mut power = h;
        for slot in key.powers[FIRST - 1..FIRST + MOST].iter_mut().rev() {
            *slot = power.to_le_bytes();
            power = dot(power, h);
        }
        let halves = |power: &Block| {
            let number = u128::from_le_bytes(*power);
            number as u64 ^ (number >> 64) as u64
        };
        for (i, sums) in key.sums.iter_mut().enumerate().take(POWERS - 4) {
            let (this, other) = (halves(&key.powers[i]), halves(&key.powers[i + 4]));
            *sums = (u128::from(other) << 64 | u128::from(this)).to_le_bytes();
        }
        key
    }

    /// H.
    fn h(&self) -> &Block {
        self.power(1)
    }

    /// H^n, for 1 to 65.
    fn power(&self, n: usize) -> &Block {
        &self.powers[FIRST + MOST - n]
    }

    /// H^n and the powers below it, with the sums of their halves, for blocks in groups.
    #[inline]
    fn powers_from(&self, n: usize) -> impl ExactSizeIterator<Item = Powers<'_>> {
        let start = 16 * (FIRST + MOST - n);
        let (powers, _) = self.powers.as_flattened()[start..].as_chunks();
        let (sums, _) = self.sums.as_flattened()[start..].as_chunks::<GROUP>();
        powers
            .iter()
            .zip(sums)
            .map(|(powers, sums)| Powers { powers, sums: sums.first_chunk().expect("half of it") })
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { powers, sums, rounds } = self;
        powers.as_flattened_mut().zeroize();
        sums.as_flattened_mut().zeroize();
        rounds.as_flattened_mut().zeroize();
    }
}

/// What a group is multiplied with.
struct Powers<'k> {
    powers: &'k [u8; GROUP],
    sums: &'k [u8; GROUP / 2],
}

/// One kernel a file beside this one.
struct Row {
    name: &'static str,
    needs: Needs,
    /// Y after chunks of which none is the message's last.
    absorb: unsafe fn(key: &Key, y: u128, chunks: &[[u8; CHUNK]]) -> u128,
    /// The hash of a message of `bits` bits, of which at most a chunk is left. No byte outside `last` is read.
    finish: unsafe fn(key: &Key, y: u128, last: &[u8], bits: u64) -> u128,
    /// Whole messages.
    packets: Option<Kernels>,
}

/// The tags of eight messages, and the blocks their nonces are.
pub(crate) type Eight = [Block; LANES];

/// Whole messages of any length, with their pads.
struct Kernels {
    /// A message under the nonce that `block` is.
    tag: unsafe fn(key: &Key, block: u128, message: &[u8], tag: &mut Block),
    /// Eight messages under the nonces that `tags` holds. `longest` is below 16 or 64 if none has more bytes than that.
    tag8: unsafe fn(key: &Key, messages: &[&[u8]; LANES], longest: usize, tags: &mut Eight),
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
        needs: Needs::AVX512F
            .and(Needs::AVX512BW)
            .and(Needs::AVX512VL)
            .and(Needs::BMI2)
            .and(Needs::AES)
            .and(Needs::VAES)
            .and(Needs::PCLMULQDQ)
            .and(Needs::VPCLMULQDQ),
        absorb: avx512::absorb,
        finish: avx512::finish,
        packets: Some(Kernels { tag: avx512::tag, tag8: avx512::tag8 }),
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

    /// Y after chunks of which none is the message's last.
    pub(crate) fn absorb(self, key: &Key, y: u128, chunks: &[[u8; CHUNK]]) -> u128 {
        // SAFETY: `all` yields only rows whose needs this machine meets.
        unsafe { (self.0.absorb)(key, y, chunks) }
    }

    /// The hash of a message of `length` bytes, of which at most a chunk is left.
    pub(crate) fn finish(self, key: &Key, y: u128, last: &[u8], length: u64) -> u128 {
        debug_assert!(last.len() <= CHUNK);
        // SAFETY: as in `absorb`.
        unsafe { (self.0.finish)(key, y, last, length.wrapping_mul(8)) }
    }

    /// The kernels of whole messages, if the row has them and the cipher is AES by the machine's instructions.
    /// Fills in what they need of the key.
    pub(crate) fn packet(self, pad: &impl BlockCipher, key: &mut Key) -> Option<Packet> {
        let kernels = self.0.packets.as_ref()?;
        let rounds = pad.rounds()?.keys();
        key.rounds[..rounds.len()].copy_from_slice(rounds);
        Some(Packet(kernels))
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
        // Stored by the kernel at once, as Carter's.
        let mut tag = [0; 16];
        // SAFETY: `Hash::all` yields only rows whose needs this machine meets.
        unsafe { (self.0.tag)(key, block, message, &mut tag) };
        tag
    }

    /// The tags of eight messages, in place of the blocks that their nonces are.
    #[inline]
    pub(crate) fn tag8(self, key: &Key, messages: &[&[u8]; LANES], tags: &mut Eight) {
        let length = |message: &&[u8]| message.len().saturating_sub(1);
        let longest = messages.iter().fold(0, |all, message| all | length(message));
        // SAFETY: as in `tag`.
        unsafe { (self.0.tag8)(key, messages, longest, tags) }
    }
}

/// Groups of blocks, and what is left behind them with zeroes after it, unless there is nothing.
fn groups(last: &[u8]) -> (&[[u8; GROUP]], Option<[u8; GROUP]>) {
    let (groups, rest) = last.as_chunks();
    let mut group = [0; GROUP];
    group[..rest.len()].copy_from_slice(rest);
    (groups, (!rest.is_empty()).then_some(group))
}
