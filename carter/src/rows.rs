//! The table of rows: what a row has, how a key chooses one, the calls; and where the kernels find the ends of messages.
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "what only those kernels use")
)]

use crate::key::{BLOCK, Key, PartialSums};
use crate::portable;
use wegman::cipher::{Block, BlockCipher};
use wegman::cpu::Needs;
use wegman::hazmat::batch::{EIGHT, beginning, eight_tags};
use wegman::hazmat::pads::{Blocks, PADS};
use wegman::hazmat::rows::Row;
use wegman::{Cpu, Tag};

/// The kernels of a row.
pub(crate) struct Kernels {
    /// Absorbs blocks, none of which is the message's last.
    pub(crate) absorb: unsafe fn(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]),
    /// The hash of a message of `length` bytes, given its last block. Reads no byte outside `last`.
    pub(crate) finish:
        unsafe fn(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128,
    /// The kernels of whole messages, for AES with keys of 16 and of 32 bytes.
    pub(crate) packets: Option<[Packet; 2]>,
}

type Tag8 = unsafe fn(
    key: &Key,
    messages: &[&[u8]; EIGHT],
    longest: usize,
    blocks: &Blocks,
    tags: &mut [Block; EIGHT],
);

/// Kernels of whole messages of any length, pads included. A tag of fewer than 16 bytes is a prefix of these.
pub(crate) struct Packet {
    /// The tag of a message under the nonce whose block is `block`.
    pub(crate) tag: unsafe fn(key: &Key, block: u128, message: &[u8], tag: &mut Block),
    /// The tag of a message, given its pad.
    pub(crate) tag_with_pad: unsafe fn(key: &Key, pad: u128, message: &[u8], tag: &mut Block),
    /// The tags of eight messages under the nonces of these blocks. `longest` is the length of the longest, at most a
    /// block.
    pub(crate) tag8: Option<Tag8>,
    /// Encrypts at least the first `count` blocks, each two words, faster than the pad cipher does.
    pub(crate) encrypt: Option<unsafe fn(key: &Key, blocks: &mut [u64; 2 * PADS], count: usize)>,
}

// A static: the functions of a constant are compiled anew in every crate that names it.
static ROWS: &[Row<Kernels>] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        kernels: Kernels { absorb: portable::absorb, finish: portable::finish, packets: None },
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "pclmul",
        needs: Needs::SSE2
            .and(Needs::SSSE3)
            .and(Needs::AES)
            .and(Needs::PCLMULQDQ)
            .enabled_by(crate::PCLMUL.0),
        kernels: crate::PCLMUL.1,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vpclmul",
        needs: Needs::AVX2
            .and(Needs::BMI2)
            .and(Needs::AES)
            .and(Needs::VAES)
            .and(Needs::PCLMULQDQ)
            .and(Needs::VPCLMULQDQ)
            .enabled_by(crate::VPCLMUL.0),
        kernels: crate::VPCLMUL.1,
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
            .and(Needs::VPCLMULQDQ)
            .enabled_by(crate::AVX512.0),
        kernels: crate::AVX512.1,
    },
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Row {
        name: "pmull",
        needs: Needs::NEON.and(Needs::AES).enabled_by(crate::PMULL.0),
        kernels: crate::PMULL.1,
    },
];

/// A row that this machine can run. A key chooses it once and keeps it.
#[derive(Clone, Copy)]
pub(crate) struct Hash(&'static Row<Kernels>);

#[allow(unsafe_code)] // the indirect calls
impl Hash {
    /// Every row that the machine can run, the preferred one last.
    #[cfg(test)]
    pub(crate) fn all(cpu: Cpu) -> impl DoubleEndedIterator<Item = Hash> {
        Row::fitting(ROWS, cpu).map(Hash)
    }

    /// The row to use.
    pub(crate) fn new(cpu: Cpu) -> Hash {
        Hash(Row::best(ROWS, cpu).expect("the portable row needs nothing"))
    }

    pub(crate) fn name(self) -> &'static str {
        self.0.name
    }

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    pub(crate) fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        Row::named(ROWS, cpu, |_| Needs::NONE)
    }

    /// Absorbs blocks, none of which is the message's last.
    pub(crate) fn absorb(self, key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]) {
        // SAFETY: `Row::best` and `Row::fitting` return only rows whose needs this machine meets.
        unsafe { (self.0.kernels.absorb)(key, partial, blocks) }
    }

    /// The hash of a message of `length` bytes, given its last block.
    pub(crate) fn finish(self, key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128 {
        assert!(last.len() <= BLOCK, "a message's last part");
        // SAFETY: as in `absorb`.
        unsafe { (self.0.kernels.finish)(key, partial, last, length) }
    }

    /// The kernels of whole messages, if the row has them and the cipher uses the machine's AES instructions. Copies
    /// the round keys into `key`.
    pub(crate) fn packet(self, pad: &impl BlockCipher, key: &mut Key) -> Option<&'static Packet> {
        let [of_128, of_256] = self.0.kernels.packets.as_ref()?;
        Some(if key.set_rounds(pad)? == 10 { of_128 } else { of_256 })
    }
}

#[allow(unsafe_code)] // the indirect calls
impl Packet {
    /// Writes the tag of a message under the nonce whose block is `block`: a whole one without a copy.
    #[inline(always)] // a call would store a tag in halves
    pub(crate) fn tag_into<const N: usize>(
        &self,
        key: &Key,
        block: u128,
        message: &[u8],
        tag: &mut [u8; N],
    ) {
        // SAFETY: `Hash::new` chooses only rows whose needs this machine meets.
        beginning(tag, |tag| unsafe { (self.tag)(key, block, message, tag) });
    }

    /// The tag of a message, given its pad.
    ///
    /// The kernel stores all sixteen bytes at once. A returned tag would be stored in halves, and copying it would have
    /// to wait until both halves are in the cache.
    #[inline(always)]
    pub(crate) fn tag_with_pad<const N: usize>(
        &self,
        key: &Key,
        pad: u128,
        message: &[u8],
    ) -> Tag<N> {
        let mut tag = [0; N];
        // SAFETY: as in `tag_into`.
        beginning(&mut tag, |tag| unsafe { (self.tag_with_pad)(key, pad, message, tag) });
        Tag::from(tag)
    }

    /// The tags of eight messages under the nonces of these blocks; or false if they take no less time one by one.
    #[inline]
    pub(crate) fn tag_eight<const N: usize>(
        &self,
        key: &Key,
        messages: &[&[u8]; EIGHT],
        blocks: &Blocks,
        tags: &mut [Tag<N>; EIGHT],
    ) -> bool {
        let Some(tag8) = self.tag8 else { return false };
        let longest = messages.iter().map(|message| message.len()).fold(0, usize::max);
        if longest > BLOCK {
            return false;
        }
        // SAFETY: as in `tag_into`.
        eight_tags(tags, |tags| unsafe { tag8(key, messages, longest, blocks, tags) });
        true
    }

    /// Encrypts at least the first `count` blocks. Blocks after those are unspecified. False if the pad cipher must do
    /// it.
    pub(crate) fn encrypt(&self, key: &Key, blocks: &mut [u64; 2 * PADS], count: usize) -> bool {
        let Some(encrypt) = self.encrypt else { return false };
        // SAFETY: as in `tag_into`.
        unsafe { encrypt(key, blocks, count) };
        true
    }
}

/// Fewer than 16 bytes as two little-endian words, with zeroes after them.
#[inline(always)]
pub(crate) fn words_of(bytes: &[u8]) -> [u64; 2] {
    let count = bytes.len();
    // Two loads that overlap, each shifted to its place.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from_le_bytes(*last) >> (8 * (15 - count % 16)) >> 8;
        return [u64::from_le_bytes(*first), last];
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let [first, last] = [first, last].map(|word| u64::from(u32::from_le_bytes(*word)));
        return [first | last << (8 * (count % 8 - 4)), 0];
    }
    let Some((&last, _)) = bytes.split_last() else { return [0; 2] };
    let byte = |i: usize| u64::from(bytes[i]) << (8 * i);
    [byte(0) | byte(count / 2) | u64::from(last) << (8 * (count - 1)), 0]
}

/// The order in which a shuffle of bytes moves those from number `from` on, 0 to 16, to the front, and zeroes behind
/// them.
#[inline(always)]
pub(crate) fn order_of_shift(from: usize) -> &'static Block {
    static ORDERS: Aligned<[u8; 32]> = Aligned({
        let mut orders = [0x80; 32];
        let mut i = 0;
        while i < 16 {
            orders[i] = i as u8;
            i += 1;
        }
        orders
    });
    ORDERS.0[from.min(16)..].first_chunk().expect("16 bytes from each of 17 places")
}

/// Where to load the block at `at` of 16 bytes or more that may end in it or before it, and the order that moves it to its
/// place.
///
/// # Panics
/// If there are fewer than 16 bytes.
#[inline(always)] // as part of the kernels
#[allow(unsafe_code)]
pub(crate) fn block_and_order(bytes: &[u8], at: usize) -> (&Block, &'static Block) {
    assert!(bytes.len() >= 16, "16 bytes or more");
    let from = at.min(bytes.len() - 16);
    // SAFETY: `from` has 16 bytes behind it, by the two lines above.
    let block = unsafe { &*bytes.as_ptr().add(from).cast() };
    (block, order_of_shift(at - from))
}

/// The last 16 bytes.
///
/// # Panics
/// If there are fewer.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn end_of(bytes: &[u8]) -> &Block {
    assert!(bytes.len() >= 16, "16 bytes or more");
    // Not `last_chunk`: the compiler would ask whether there is an address 0 in it.
    // SAFETY: there are 16 bytes from there on, by the line above.
    unsafe { &*bytes.as_ptr().add(bytes.len() - 16).cast() }
}

/// The block `ahead` blocks behind block number `i`, to be prefetched, in a message too long for a core's own caches.
#[inline(always)]
pub(crate) fn block_to_prefetch<const N: usize>(
    blocks: &[[u8; N]],
    i: usize,
    ahead: usize,
) -> Option<&[u8; N]> {
    if blocks.len() > LONG / N { blocks.get(i + ahead) } else { None }
}

/// Longer messages do not fit in a core's own caches.
const LONG: usize = 1 << 20;

/// At the start of a cache line: no load of a table touches two.
#[repr(align(64))]
struct Aligned<T>(T);
