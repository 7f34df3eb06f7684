//! Tables of kernels for hashes over GF(2^128): what a row has, how a key chooses one, and the calls. They serve Carter
//! and the MAC that it is compared with, Polyval-AES, so that the two differ only in their arithmetic.
//!
//! A hash has a folder with a file for each row. What these files share of the field's arithmetic is in `field/`.

#[cfg(target_arch = "x86_64")]
pub mod avx512;
#[cfg(target_arch = "x86_64")]
pub mod pclmul;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub mod pmull;
#[cfg(target_arch = "x86_64")]
pub mod vpclmul;

/// The kernel in 128-bit registers of the target machine.
#[cfg(target_arch = "x86_64")]
pub use pclmul as clmul;
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub use pmull as clmul;

use wegman::cipher::{Block, BlockCipher};
use wegman::cpu::Needs;
use wegman::hazmat::aes::round_keys;
use wegman::hazmat::batch::EIGHT;
use wegman::hazmat::pads::Blocks;
use wegman::hazmat::rows::Row;
use wegman::{Cpu, Tag};

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

/// The tags of eight messages.
pub type EightTags = [Tag<16>; EIGHT];

const _: () = assert!(size_of::<Tag<16>>() == 16, "the kernels store a tag as a block");

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
    pub tag: unsafe fn(key: &K, block: u128, message: &[u8], tag: &mut Tag<16>),
    /// The tags of eight messages under the nonces of these blocks, and the longest messages that gain from others
    /// beside them. `longest` is the length of the longest, at most that.
    pub tag8: Option<(Tag8<K>, usize)>,
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
    pub const fn pclmul(
        absorb: Absorb<K>,
        finish: Finish<K>,
        packets: [Option<PacketKernels<K>>; 2],
    ) -> Row<Self> {
        Row {
            name: "pclmul",
            needs: Needs::SSE2.and(Needs::SSSE3).and(Needs::AES).and(Needs::PCLMULQDQ),
            kernels: HashKernels { absorb, finish, packets },
        }
    }

    /// The row in 128-bit registers of ARMv8.
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    #[must_use]
    pub const fn pmull(
        absorb: Absorb<K>,
        finish: Finish<K>,
        packets: [Option<PacketKernels<K>>; 2],
    ) -> Row<Self> {
        Row {
            name: "pmull",
            needs: Needs::NEON.and(Needs::AES),
            kernels: HashKernels { absorb, finish, packets },
        }
    }

    /// The row in 256-bit registers.
    #[cfg(target_arch = "x86_64")]
    #[must_use]
    pub const fn vpclmul(
        absorb: Absorb<K>,
        finish: Finish<K>,
        packets: [Option<PacketKernels<K>>; 2],
    ) -> Row<Self> {
        Row {
            name: "vpclmul",
            needs: Needs::AVX2
                .and(Needs::BMI2)
                .and(Needs::AES)
                .and(Needs::VAES)
                .and(Needs::PCLMULQDQ)
                .and(Needs::VPCLMULQDQ),
            kernels: HashKernels { absorb, finish, packets },
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

/// The tag that a kernel writes, or a prefix of it.
///
/// The kernel stores all sixteen bytes at once. A returned tag would be stored in halves, and copying it would have to
/// wait until both halves are in the cache.
#[inline(always)]
pub fn whole<const N: usize>(kernel: impl FnOnce(&mut Tag<16>)) -> Tag<N> {
    let mut tag = Tag::from([0; 16]);
    kernel(&mut tag);
    Tag::from(*tag.to_bytes().first_chunk().expect("a tag has at most 16 bytes"))
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
    /// The tag of a message under the nonce whose block is `block`. A tag of fewer than 16 bytes is a prefix of the
    /// kernel's.
    #[inline(always)] // a call would store a tag in halves
    pub fn tag<const N: usize>(self, key: &K, block: u128, message: &[u8]) -> Tag<N> {
        // SAFETY: `Hash::new` chooses only rows whose needs this machine meets.
        whole(|tag| unsafe { (self.0.tag)(key, block, message, tag) })
    }

    /// Writes the [`tag`](Self::tag) to its place: a whole one without a copy.
    #[inline(always)]
    pub fn tag_into<const N: usize>(self, key: &K, block: u128, message: &[u8], tag: &mut [u8; N]) {
        match tag.first_chunk_mut::<16>() {
            // SAFETY: as in `tag`; a tag is its bytes and nothing else, also by its representation.
            Some(whole) => unsafe {
                (self.0.tag)(key, block, message, &mut *whole.as_mut_ptr().cast());
            },
            None => *tag = self.tag(key, block, message).to_bytes(),
        }
    }

    /// Whether [`tag8`](Self::tag8) ever returns true.
    #[inline]
    #[must_use]
    pub fn has_tag8(self) -> bool {
        self.0.tag8.is_some()
    }

    /// The tags of eight messages under the nonces of these blocks, or false if they take no less time one by one: long
    /// messages fill the registers alone.
    #[inline]
    pub fn tag8(
        self,
        key: &K,
        messages: &[&[u8]; EIGHT],
        blocks: &Blocks,
        tags: &mut EightTags,
    ) -> bool {
        let Some((tag8, most)) = self.0.tag8 else { return false };
        let longest = messages.iter().map(|message| message.len()).fold(0, usize::max);
        if longest > most {
            return false;
        }
        // SAFETY: as in `tag`.
        unsafe { tag8(key, messages, longest, blocks, tags) }
        true
    }

    /// The kernels for pads made ahead. This machine can run them.
    #[inline]
    pub fn ahead(self) -> &'static K::Ahead {
        &self.0.ahead
    }
}

/// Fewer than 16 bytes as two little-endian words, with zeroes after them.
#[inline(always)]
#[must_use]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
pub fn words_of(bytes: &[u8]) -> [u64; 2] {
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
#[must_use]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
pub fn order_of_shift(from: usize) -> &'static Block {
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
#[must_use]
#[allow(unsafe_code)]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
pub fn block_and_order(bytes: &[u8], at: usize) -> (&Block, &'static Block) {
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
#[must_use]
#[allow(unsafe_code)]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
pub fn end_of(bytes: &[u8]) -> &Block {
    assert!(bytes.len() >= 16, "16 bytes or more");
    // Not `last_chunk`: the compiler would ask whether there is an address 0 in it.
    // SAFETY: there are 16 bytes from there on, by the line above.
    unsafe { &*bytes.as_ptr().add(bytes.len() - 16).cast() }
}

/// The block `ahead` blocks behind block number `i`, to be prefetched, in a message too long for a core's own caches.
#[inline(always)]
#[must_use]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
pub fn block_ahead<const N: usize>(blocks: &[[u8; N]], i: usize, ahead: usize) -> Option<&[u8; N]> {
    if blocks.len() > LONG / N { blocks.get(i + ahead) } else { None }
}

/// Longer messages do not fit in a core's own caches.
const LONG: usize = 1 << 20;

/// At the start of a cache line: no load of a table touches two.
#[repr(align(64))]
struct Aligned<T>(T);
