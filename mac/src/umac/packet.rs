//! The interface between UMAC and its kernels (RFC 4418, section 5). A key chooses its row when it is made ([`Rows::best`]).
//! Every row has functions for each level, for messages of any length. Most rows also have kernels for packets, messages
//! so short that separate levels would take longer to start than to run: one kernel computes all levels and the pad, of
//! one message or of eight. Most packets have one chunk and skip level 2. The first row, `portable`, runs on every
//! machine. All rows give the same tags.
#![doc = include_str!("../../docs/lanes.md")]

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
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512amd;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
))]
mod flow;
mod levels;
#[cfg(target_arch = "x86_64")]
mod sse;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
))]
mod x128;

use crate::batch::{EIGHT, eight_tags};
use crate::buffer::{Buffer, not_last};
use crate::cipher::Aes128;
use crate::cpu::Needs;
use crate::ct::wipe;
use crate::pads::{self, Blocks, first_bytes};
use crate::rows::{Row, Rows, functions};
use crate::tag::{Tag, beginning};
use crate::umac::kdf::{Edition, Kdf};
use crate::umac::l1_nh::CHUNK;
use crate::umac::l2_poly::{Reduced, State};
use crate::umac::{MAX_STREAMS, l1_nh, l2_poly, l3_inner};
use arranged::Arranged; // of arranged.rs, or of the module at the end
use core::mem::MaybeUninit;
use zeroize::Zeroize;

/// The longest message of those that [`Whole::tag8`] takes.
pub(crate) const SHORT: usize = 64;

/// The longest packet. Longer messages are absorbed, which prefetches them.
pub(crate) const NEAR: usize = 1 << 20;

const _: () = assert!(NEAR <= l2_poly::WORDS_64 as usize * CHUNK, "packets end before POLY-128");

/// The words of eight messages, message after message: two words of each for one or two streams, otherwise four.
#[derive(Clone, Copy)]
#[repr(C, align(64))] // whole cache lines for the widest loads and stores
pub(crate) struct Words(pub(crate) [u64; EIGHT * MAX_STREAMS]);

impl Words {
    pub(crate) const ZERO: Words = Words([0; EIGHT * MAX_STREAMS]);
}

/// The tags of eight messages: 8 bytes of each for one or two streams, otherwise 16.
pub(crate) type Tags = [[u8; 64]];

functions! {
    /// The functions for one number of streams. A hash is a tag without its pad. As a number, its first byte is the
    /// lowest, and the bytes above the tag's are unspecified; so are the words of streams that are not there.
    pub(crate) struct Functions {
        /// Level 1 of at most a chunk: NH of each stream, plus the chunk's length in bits.
        unsafe fn words(key: &l1_nh::Key, chunk: &[u8], words: &mut [u64; MAX_STREAMS]);
        /// Levels 1 and 2 of chunks, none of which is the last of the message. The state crosses, not words alone, because
        /// level 2 of a chunk runs beside level 1 of the next.
        unsafe fn absorb(key: &Key, state: &mut State, chunks: &[[u8; CHUNK]]);
        /// Level 3 of one 64-bit word for each stream.
        unsafe fn inner(key: &Key, words: &[u64; MAX_STREAMS]) -> u128;
        + whole: Option<Whole>,
    }
}

/// A pad: it begins at byte `start` of an encrypted block.
///
/// A load of the block's two words at once would have to wait for the stores of each. So `start` stands between them, and
/// `low`, which is loaded first, stands last. In two registers, they would cost a kernel two instructions more.
#[repr(C)]
struct PadOf {
    high: u64,
    start: usize,
    low: u64,
}

impl PadOf {
    #[inline(always)]
    fn new(block: u128, start: usize) -> PadOf {
        PadOf { high: (block >> 64) as u64, start, low: block as u64 }
    }

    #[cfg(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
    ))]
    #[inline(always)]
    fn block(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

functions! {
    /// The kernels for whole messages of at most [`NEAR`] bytes each.
    struct Whole {
        /// The hash of a message.
        unsafe fn hash(key: &Key, message: &[u8]) -> u128;
        /// The tag of a message. Returns the first eight bytes; longer tags are also stored.
        unsafe fn tag(key: &Key, of: &PadOf, message: &[u8], tag: &mut [u8; 16]) -> u64;
        /// The same of a message of more than [`SHORT`] bytes: its first ones, and the rest, which may lie elsewhere.
        unsafe fn tag_after(key: &Key, of: &PadOf, head: &[u8; SHORT], rest: &[u8], tag: &mut [u8; 16]) -> u64;
        /// The tags of eight messages of at most [`SHORT`] bytes each, from the blocks of their nonces.
        unsafe fn tag8(key: &Key, messages: &[&[u8]; EIGHT], blocks: &Blocks, tags: &mut Tags);
        /// Levels 1 and 2 of eight messages.
        unsafe fn words8(key: &Key, messages: &[&[u8]; EIGHT], words: &mut Words);
        /// The tags of eight messages from their words and the blocks of their nonces.
        unsafe fn inner8(key: &Key, words: &Words, blocks: &Blocks, tags: &mut Tags);
    }
}

/// Fills in the keys of all levels once more, as a row's functions load them.
type Arrange =
    fn(&l1_nh::Key, &[l2_poly::Key; MAX_STREAMS], &[l3_inner::Key; MAX_STREAMS], &mut Arranged);

functions! {
    /// For a row whose kernels load a short message at once: they would have to wait for bytes that were stored in parts
    /// a moment ago.
    struct Hold {
        /// Copies a message of at most [`SHORT`] bytes with one store, and zeroes after it.
        unsafe fn copy(message: &[u8], place: &mut MaybeUninit<[u8; SHORT]>);
    }
}

/// The functions of a row.
#[repr(C)] // in an order that proofs know
pub(crate) struct ByStreams {
    arrange: Arrange,
    /// For 1 to 4 streams. Instead of three, a row may compute four and ignore the last.
    of_streams: [Functions; MAX_STREAMS],
    hold: Option<Hold>,
}

/// The last row that fits the machine is used.
pub(crate) static ROWS: Rows<ByStreams> = Rows::new(&[
    Row { name: "portable", needs: Needs::NONE, functions: levels::by_streams::<false>() },
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Row { name: "neon", needs: Needs::listed("neon"), functions: levels::by_streams::<true>() },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Row {
        name: "simd128",
        needs: Needs::listed("simd128"),
        functions: levels::by_streams::<true>(),
    },
    #[cfg(target_arch = "x86_64")]
    Row { name: "sse", needs: Needs::listed("sse2,ssse3,aes"), functions: x128::FUNCTIONS },
    #[cfg(target_arch = "x86_64")]
    Row { name: "avx2", needs: Needs::listed("avx2,bmi2,aes"), functions: avx2::FUNCTIONS },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vaes256",
        needs: Needs::listed("avx2,bmi2,aes,vaes"),
        functions: vaes256::FUNCTIONS,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512",
        needs: Needs::listed("avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes"),
        functions: avx512::FUNCTIONS,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "avx512amd",
        needs: Needs::listed("avx512f,avx512bw,avx512vl,avx512ifma,avx512vbmi,bmi2,aes,vaes,sse4a"),
        functions: avx512amd::AMD,
    },
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Row { name: "armv8", needs: Needs::listed("neon,aes"), functions: x128::FUNCTIONS },
]);

impl ByStreams {
    /// Puts a short message into an empty buffer, from which a kernel will load it soon; or returns false.
    #[inline]
    #[allow(unsafe_code)]
    pub(crate) fn hold<const SIZE: usize>(
        &self,
        message: &[u8],
        buffer: &mut Buffer<SIZE>,
    ) -> bool {
        let Some(hold) = &self.hold else { return false };
        // SAFETY: what follows writes it.
        let Some(place) = (unsafe { buffer.first(message.len()) }) else { return false };
        hold.copy(message, place);
        true
    }

    /// The functions for the first `streams` streams of the key.
    #[inline(always)]
    pub(crate) fn of(&self, streams: usize) -> &Functions {
        &self.of_streams[streams - 1]
    }
}

impl Functions {
    /// The hash of a message that ends with these 0 to 1024 bytes.
    pub(crate) fn finish(&self, key: &Key, state: &mut State, last: &[u8]) -> u128 {
        // A message of one chunk skips level 2 (RFC 4418, section 5.1).
        if state.count() == 0 && self.whole.is_some() {
            return self.hash(key, last);
        }
        assert!(last.len() <= CHUNK);
        let mut words = [0; MAX_STREAMS];
        self.words(&key.l1, last, &mut words);
        if state.count() > 0 {
            state.absorb_words(&key.l2, &words);
            words = state.words_64().map(|Reduced(word)| word);
        }
        let hash = self.level_3(key, state, &words);
        wipe(&mut words);
        hash
    }

    /// Level 3 of `words`, or, above 2^24 bytes, of the hashes of POLY-128. Those of streams beyond the tag are unspecified.
    #[inline(always)]
    fn level_3(&self, key: &Key, state: &State, words: &[u64; MAX_STREAMS]) -> u128 {
        if state.is_of_64() {
            return self.inner(key, words);
        }
        let part = |t: usize| key.l3[t].part(t, state.finish(&key.l2[t], t).0);
        (0..MAX_STREAMS).fold(0, |hash, t| hash | part(t))
    }

    /// The hash of a message.
    #[inline]
    pub(crate) fn hash(&self, key: &Key, message: &[u8]) -> u128 {
        match &self.whole {
            Some(whole) if message.len() <= NEAR => whole.hash(key, message),
            _ => self.hash_by_levels(key, message),
        }
    }

    #[inline(never)]
    fn hash_by_levels(&self, key: &Key, message: &[u8]) -> u128 {
        let (chunks, last) = not_last(message);
        let mut state = State::new();
        self.absorb(key, &mut state, chunks);
        self.finish(key, &mut state, last)
    }

    /// Writes the tag of a message, whose pad begins at byte `start` of the encrypted `block`, to its place.
    #[inline(always)] // a call would store a tag in halves
    pub(crate) fn tag<const N: usize>(
        &self,
        key: &Key,
        block: u128,
        start: usize,
        message: &[u8],
        tag: &mut [u8; N],
    ) {
        match &self.whole {
            Some(whole) if message.len() <= NEAR => {
                let of = PadOf::new(block, start);
                stored(tag, |tag| whole.tag(key, &of, message, tag));
            }
            _ => *tag = self.tag_by_levels(key, block, start, message),
        }
    }

    /// [`tag`](Self::tag) of a message's first bytes and the rest, at least one; or false if there is no kernel for them.
    #[inline(always)]
    pub(crate) fn tag_after<const N: usize>(
        &self,
        key: &Key,
        block: u128,
        start: usize,
        head: &[u8; SHORT],
        rest: &[u8],
        tag: &mut [u8; N],
    ) -> bool {
        let Some(whole) = self.whole.as_ref().filter(|_| rest.len() <= NEAR - SHORT) else {
            return false;
        };
        let of = PadOf::new(block, start);
        stored(tag, |tag| whole.tag_after(key, &of, head, rest, tag));
        true
    }

    #[inline(never)]
    #[cold]
    fn tag_by_levels<const N: usize>(
        &self,
        key: &Key,
        block: u128,
        start: usize,
        message: &[u8],
    ) -> [u8; N] {
        // The pad comes first, so that its AES rounds overlap with the hash.
        let pad = pads::pad(&key.pad, block, start);
        first_bytes(self.hash_by_levels(key, message) ^ pad)
    }

    /// Whether [`tags`](Self::tags) ever returns true.
    #[inline]
    pub(crate) fn takes_eight(&self) -> bool {
        self.whole.is_some()
    }

    /// The tags of eight messages, the first of whose pads begins a block; or false if a message is too long, or empty;
    /// then the tags are unspecified.
    #[inline]
    pub(crate) fn tags<const N: usize>(
        &self,
        key: &Key,
        blocks: &Blocks,
        messages: &[&[u8]; EIGHT],
        tags: &mut [Tag<N>; EIGHT],
    ) -> bool {
        let Some(whole) = &self.whole else { return false };
        // An upper bound on the messages' lengths less one, without a branch for each message. It may exceed the longest,
        // but not if all are short. An empty message counts as too long.
        let longest = messages.iter().fold(0, |all, message| all | message.len().wrapping_sub(1));
        let all = |tags: &mut Tags| {
            if longest < SHORT {
                whole.tag8(key, messages, blocks, tags);
            } else if longest < NEAR {
                let mut words = Words::ZERO;
                whole.words8(key, messages, &mut words);
                whole.inner8(key, &words, blocks, tags);
                wipe(&mut words.0);
            }
            longest < NEAR
        };
        if N <= 8 {
            eight_tags(tags, |tags: &mut [[u8; 8]; EIGHT]| {
                all(tags.as_flattened_mut().as_chunks_mut().0)
            })
        } else {
            eight_tags(tags, |tags: &mut [[u8; 16]; EIGHT]| {
                all(tags.as_flattened_mut().as_chunks_mut().0)
            })
        }
    }
}

/// Writes the tag that a kernel of [`Whole`] returns or stores. It stores sixteen bytes at once. If it returned them, they
/// would be stored by halves.
#[inline(always)]
fn stored<const N: usize>(tag: &mut [u8; N], kernel: impl FnOnce(&mut [u8; 16]) -> u64) {
    if N <= 8 {
        *tag = first_bytes(kernel(&mut [0; 16]).into());
    } else {
        beginning(tag, |tag| _ = kernel(tag));
    }
}

#[cfg(test)]
impl Functions {
    /// The end of [`tags`](Self::tags), from any words.
    pub(crate) fn tags_of_words(
        &self,
        key: &Key,
        words: &Words,
        blocks: &Blocks,
    ) -> Option<[[u8; 64]; 2]> {
        let mut tags = [[0; 64]; 2];
        self.whole.as_ref()?.inner8(key, words, blocks, &mut tags);
        Some(tags)
    }
}

/// The subkeys. What packets load is in the order in which they load it.
#[derive(Clone)]
#[repr(C)]
#[cfg_attr(target_arch = "x86_64", repr(align(64)))]
pub(crate) struct Key {
    pub(crate) l1: l1_nh::Key,
    pub(crate) l2: [l2_poly::Key; MAX_STREAMS],
    /// What packets alone load.
    arranged: Arranged,
    pub(crate) l3: [l3_inner::Key; MAX_STREAMS],
    pub(crate) pad: Aes128,
    pub(crate) row: &'static Row<ByStreams>,
}

impl Key {
    /// A key whose subkeys are zeroes, but for the pad's.
    #[must_use = "derive its subkeys"]
    #[inline] // a call would copy it
    pub(crate) fn blank(row: &'static Row<ByStreams>, pad: Aes128) -> Key {
        let (l1, l2, l3) = (l1_nh::Key::ZERO, Default::default(), Default::default());
        Key { l1, l2, arranged: Arranged::ZERO, l3, pad, row }
    }

    /// Fills in the subkeys, in their places.
    pub(crate) fn derive(&mut self, kdf: &Kdf<impl Edition>, streams: usize) {
        self.l1.derive(streams, kdf);
        l2_poly::Key::derive(&mut self.l2[..streams], kdf);
        l3_inner::Key::derive(&mut self.l3[..streams], kdf);
        self.arrange();
    }

    pub(crate) fn arrange(&mut self) {
        self.arranged.fill(&self.l3, &self.pad);
        (self.row.functions.arrange)(&self.l1, &self.l2, &self.l3, &mut self.arranged);
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // `pad` wipes its own round keys; `row` is a choice of functions, which is not secret.
        let Key { l1, l2, arranged, l3, pad: _, row: _ } = self;
        l1.zeroize();
        wipe(l2);
        arranged.zeroize();
        wipe(l3);
    }
}

/// Targets without packet kernels arrange nothing for them.
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
)))]
mod arranged {
    use crate::cipher::Aes128;
    use crate::umac::{MAX_STREAMS, l3_inner};

    #[derive(Clone)]
    pub(crate) struct Arranged;

    impl Arranged {
        pub(super) const ZERO: Arranged = Arranged;

        pub(super) fn fill(&mut self, _: &[l3_inner::Key; MAX_STREAMS], _: &Aes128) {}

        pub(super) fn zeroize(&mut self) {}
    }
}
