//! Packets: messages so short that separate layers would take longer to start than to run. Here one kernel computes all
//! levels and the pad of one message, or of eight messages. Most packets have one chunk and skip level 2.
//!
//! If no row fits the machine, and for messages that reach POLY-128, the layers run one after the other. The tags are
//! the same.

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod armv8;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
))]
mod arranged;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
mod sse;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
))]
mod x128;

use crate::batch::EIGHT;
use crate::cipher::Aes128;
use crate::cpu::Cpu;
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(unused_imports, reason = "there are no rows")
)]
use crate::cpu::Needs;
use crate::pads::{Blocks, PADS, first_bytes};
use crate::rows::Row;
use crate::umac::l1_nh::CHUNK;
use crate::umac::{MAX_STREAMS, l1_nh, l2_poly, l3_inner};
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
))]
use arranged::Arranged;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
)))]
use none::Arranged;
use zeroize::Zeroize;

/// The longest message that [`Packet::tag8`] takes.
pub(crate) const SHORT: usize = 64;

/// The longest message that is hashed by one call, without POLY-128. Longer messages are absorbed, which prefetches them.
pub(crate) const NEAR: usize = 1 << 20;

const _: () = assert!(NEAR <= l2_poly::WORDS_64 as usize * CHUNK);

/// The words of eight messages, message after message: two words of each for one or two streams, otherwise four.
#[derive(Clone, Copy)]
#[repr(C, align(64))] // whole cache lines for the widest loads and stores
pub(crate) struct Words(pub(crate) [u64; EIGHT * MAX_STREAMS]);

impl Words {
    pub(crate) const ZERO: Words = Words([0; EIGHT * MAX_STREAMS]);
}

/// The tags of eight messages as little-endian words: one word of each for one or two streams, otherwise two.
pub(crate) type Tags = [u64; 2 * EIGHT];

/// The kernels for one number of streams. A hash is a tag without its pad. As a number, its first byte is the lowest,
/// and the bytes above the tag's are unspecified.
struct Kernels {
    /// Levels 1 and 2 of chunks, none of which is the last of the message.
    absorb: unsafe fn(key: &Key, state: &mut l2_poly::State, chunks: &[[u8; CHUNK]]),
    /// The hash of a message of at most [`NEAR`] bytes.
    hash: unsafe fn(key: &Key, message: &[u8]) -> u128,
    /// The tag of such a message. The pad begins at byte `start` of the encrypted `block`. Returns the first eight bytes;
    /// longer tags are also stored.
    tag: unsafe fn(&Key, block: u128, start: usize, message: &[u8], tag: &mut [u8; 16]) -> u64,
    /// The pad alone.
    pad: unsafe fn(key: &Key, block: u128, start: usize) -> u128,
    /// Level 3 of one 64-bit word for each stream.
    inner: unsafe fn(key: &Key, words: &[u64; MAX_STREAMS]) -> u128,
    /// The tags of eight messages of at most 64 bytes each, from the blocks of their nonces.
    tag8: unsafe fn(key: &Key, messages: &[&[u8]; EIGHT], blocks: &Blocks, tags: &mut Tags),
    /// Levels 1 and 2 of eight messages of at most [`NEAR`] bytes each.
    words8: unsafe fn(key: &Key, messages: &[&[u8]; EIGHT], words: &mut Words),
    /// The tags of eight messages from their words and the blocks of their nonces.
    inner8: unsafe fn(key: &Key, words: &Words, blocks: &Blocks, tags: &mut Tags),
}

/// Fills in the keys of levels 1 and 3 once more, as a row's kernels load them.
type Arrange =
    fn(&l1_nh::Key, &[l2_poly::Key; MAX_STREAMS], &[l3_inner::Key; MAX_STREAMS], &mut Arranged);

/// Encrypts at least the first `count` blocks, of two words each.
type Encrypt = unsafe fn(key: &Key, blocks: &mut [u64; 2 * PADS], count: usize);

/// The kernels of a row.
pub struct RowKernels {
    arrange: Arrange,
    encrypt: Encrypt,
    /// For 1 to 4 streams; three may be four, the last of which is not used.
    of_streams: [Kernels; MAX_STREAMS],
}

/// One row for each kernel file.
pub static ROWS: &[Row<RowKernels>] = &[
    #[cfg(target_arch = "x86_64")]
    Row { name: "sse", needs: Needs::SSE2.and(Needs::SSSE3).and(Needs::AES), kernels: X128 },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx2",
        needs: Needs::AVX2.and(Needs::BMI2).and(Needs::AES),
        kernels: RowKernels {
            arrange: avx2::arrange,
            encrypt: avx2::encrypt,
            of_streams: [
                avx2::kernels::<1>(),
                avx2::kernels::<2>(),
                avx2::kernels::<4>(),
                avx2::kernels::<4>(),
            ],
        },
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vaes256",
        needs: Needs::AVX2.and(Needs::BMI2).and(Needs::AES).and(Needs::VAES),
        kernels: RowKernels {
            arrange: avx2::arrange,
            encrypt: vaes256::encrypt,
            of_streams: [
                vaes256::kernels::<1>(),
                vaes256::kernels::<2>(),
                vaes256::kernels::<4>(),
                vaes256::kernels::<4>(),
            ],
        },
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512",
        needs: Needs::AVX512F
            .and(Needs::AVX512BW)
            .and(Needs::AVX512VL)
            .and(Needs::AVX512IFMA)
            .and(Needs::AVX512VBMI)
            .and(Needs::BMI2)
            .and(Needs::AES)
            .and(Needs::VAES),
        kernels: RowKernels {
            arrange: avx512::arrange,
            encrypt: avx512::encrypt,
            of_streams: [
                avx512::kernels::<1>(),
                avx512::kernels::<2>(),
                avx512::kernels::<4>(),
                avx512::kernels::<4>(),
            ],
        },
    },
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Row { name: "armv8", needs: Needs::NEON.and(Needs::AES), kernels: X128 },
];

#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
))]
const X128: RowKernels = RowKernels {
    arrange: x128::arrange,
    encrypt: x128::encrypt_many,
    of_streams: [
        x128::kernels::<1>(),
        x128::kernels::<2>(),
        x128::kernels::<4>(),
        x128::kernels::<4>(),
    ],
};

/// The kernels this machine can run for a key.
#[derive(Clone, Copy)]
pub struct Packet {
    row: &'static Row<RowKernels>,
    kernels: &'static Kernels,
}

#[allow(unsafe_code)] // the indirect calls
impl Packet {
    /// `None` if no row fits the machine. Otherwise fills in what the kernels need of the key.
    pub(crate) fn new(
        cpu: Cpu,
        pad: &Aes128,
        streams: usize,
        key: &mut Key,
        l3: &[l3_inner::Key; MAX_STREAMS],
    ) -> Option<Packet> {
        let row = Row::best(ROWS, cpu)?;
        key.arranged.fill(row.kernels.arrange, &key.l1, &key.l2, l3, pad)?;
        Some(Packet { row, kernels: &row.kernels.of_streams[streams - 1] })
    }

    pub(crate) fn name(self) -> &'static str {
        self.row.name
    }

    /// The kernels for the first `streams` streams of the key.
    #[inline]
    pub(crate) fn with_streams(self, streams: usize) -> Packet {
        Packet { kernels: &self.row.kernels.of_streams[streams - 1], ..self }
    }

    /// Absorbs chunks, none of which is the last of the message.
    pub(crate) fn absorb(self, key: &Key, state: &mut l2_poly::State, chunks: &[[u8; CHUNK]]) {
        // SAFETY: as in `hash`.
        unsafe { (self.kernels.absorb)(key, state, chunks) }
    }

    /// The hash of a message of at most [`NEAR`] bytes.
    #[inline]
    pub(crate) fn hash(self, key: &Key, message: &[u8]) -> u128 {
        debug_assert!(message.len() <= NEAR);
        // SAFETY: `new` yields only rows whose needs this machine meets.
        unsafe { (self.kernels.hash)(key, message) }
    }

    /// The tag of a message of at most [`NEAR`] bytes; its pad begins at byte `start` of the encrypted `block`.
    #[inline]
    pub(crate) fn tag<const N: usize>(
        self,
        key: &Key,
        block: u128,
        start: usize,
        message: &[u8],
    ) -> [u8; N] {
        debug_assert!(message.len() <= NEAR);
        let mut tag = [0; 16];
        // SAFETY: as in `hash`.
        let first = unsafe { (self.kernels.tag)(key, block, start, message, &mut tag) };
        // The kernel stores sixteen bytes at once. If it returned them, they would be stored by halves, and a copy of
        // them would wait until both halves are in the cache.
        match N {
            ..=8 => first_bytes(u128::from(first)),
            _ => *tag.first_chunk().expect("a tag has at most 16 bytes"),
        }
    }

    /// Writes the [`tag`](Self::tag) to its place: one of sixteen bytes without a copy.
    #[inline(always)]
    pub(crate) fn tag_into<const N: usize>(
        self,
        key: &Key,
        block: u128,
        start: usize,
        message: &[u8],
        tag: &mut [u8; N],
    ) {
        debug_assert!(message.len() <= NEAR);
        match tag.first_chunk_mut::<16>() {
            Some(whole) => {
                // SAFETY: as in `hash`.
                unsafe { (self.kernels.tag)(key, block, start, message, whole) };
            }
            None => *tag = self.tag(key, block, start, message),
        }
    }

    /// The pad that begins at byte `start` of the encrypted `block`.
    #[inline]
    pub(crate) fn pad(self, key: &Key, block: u128, start: usize) -> u128 {
        // SAFETY: as in `hash`.
        unsafe { (self.kernels.pad)(key, block, start) }
    }

    /// The hash from one 64-bit word for each stream.
    pub(crate) fn inner(self, key: &Key, words: &[u64; MAX_STREAMS]) -> u128 {
        // SAFETY: as in `hash`.
        unsafe { (self.kernels.inner)(key, words) }
    }

    /// Encrypts the first `count` blocks; what follows them is unspecified.
    pub(crate) fn encrypt(self, key: &Key, blocks: &mut [u64; 2 * PADS], count: usize) {
        // SAFETY: as in `hash`.
        unsafe { (self.row.kernels.encrypt)(key, blocks, count) }
    }

    /// The tags of eight messages of at most [`SHORT`] bytes each.
    #[inline]
    pub(crate) fn tag8(
        self,
        key: &Key,
        messages: &[&[u8]; EIGHT],
        blocks: &Blocks,
        tags: &mut Tags,
    ) {
        debug_assert!(messages.iter().all(|message| message.len() <= SHORT));
        // SAFETY: as in `hash`.
        unsafe { (self.kernels.tag8)(key, messages, blocks, tags) }
    }

    /// The words of eight messages of at most [`NEAR`] bytes.
    pub(crate) fn words8(self, key: &Key, messages: &[&[u8]; EIGHT], words: &mut Words) {
        debug_assert!(messages.iter().all(|message| message.len() <= NEAR));
        // SAFETY: as in `hash`.
        unsafe { (self.kernels.words8)(key, messages, words) }
    }

    /// The tags of eight messages from their words.
    #[inline]
    pub(crate) fn inner8(self, key: &Key, words: &Words, blocks: &Blocks, tags: &mut Tags) {
        // SAFETY: as in `hash`.
        unsafe { (self.kernels.inner8)(key, words, blocks, tags) }
    }
}

/// What the kernels need of a key, in the order in which they load it.
#[derive(Clone)]
#[cfg_attr(target_arch = "x86_64", repr(C, align(64)))]
pub(crate) struct Key {
    /// Level 1: the key of whole messages.
    pub(crate) l1: l1_nh::Key,
    pub(crate) l2: [l2_poly::Key; MAX_STREAMS],
    /// What packet kernels alone load.
    arranged: Arranged,
}

impl Key {
    /// A key for levels 1 and 2 alone.
    pub(crate) const fn new(l1: l1_nh::Key, l2: [l2_poly::Key; MAX_STREAMS]) -> Key {
        Key { l1, l2, arranged: Arranged::ZERO }
    }
}

impl Zeroize for Key {
    fn zeroize(&mut self) {
        let Key { l1, l2, arranged } = self;
        l1.zeroize();
        l2.zeroize();
        arranged.zeroize();
    }
}

/// What stands for the keys in the order of lanes where there are no rows: nothing.
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
)))]
mod none {
    use super::Arrange;
    use crate::cipher::Aes128;
    use crate::umac::{MAX_STREAMS, l1_nh, l2_poly, l3_inner};

    #[derive(Clone)]
    pub(crate) struct Arranged;

    impl Arranged {
        pub(super) const ZERO: Arranged = Arranged;

        pub(super) fn fill(
            &mut self,
            _: Arrange,
            _: &l1_nh::Key,
            _: &[l2_poly::Key; MAX_STREAMS],
            _: &[l3_inner::Key; MAX_STREAMS],
            _: &Aes128,
        ) -> Option<()> {
            None
        }

        pub(super) fn zeroize(&mut self) {}
    }
}
