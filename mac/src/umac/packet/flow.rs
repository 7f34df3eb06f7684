//! Whole packets (RFC 4418, sections 4 and 5) in registers of any width: which functions run for which length, and when
//! the pad is added.
//!
//! ```text
//! for each stream t:
//!     for each chunk:  word = NH(k_t, chunk) + its bits                                       words_of_chunk
//!     y = the only word, or POLY(words)                                                       words_of_chunks
//!     hash_t = inner product of y's digits with the keys of level 3, mod 2^36 - 5, xor mask   l3_hash
//! tag = hashes of all streams xor PDF(nonce)                                                  pad, xor
//! ```
//!
//! The kernels depart from this:
//!
//! 1. All streams go together, each in its lanes of the registers (docs/lanes.md).
//! 2. Level 2 of a chunk comes after level 1 of the next chunk, and its first step is an addition, because y starts at 1.
//! 3. A message of at most [`SHORT`] bytes has a level 1 of its own, which loads without a loop.
//! 4. The pad is encrypted beside level 1, before it or after it.
//! 5. Of eight messages, level 3 and the pads run side by side.
//!
//! Each row's file has these functions, with the row's features, and the compiler inlines them:
//!
//! | function | what |
//! |---|---|
//! | `arrange`, `words`, `tag8`, `words8`, `inner8` | as in [`Functions`](super::Functions) and [`Whole`](super::Whole) |
//! | `short_words`, `words_of_chunk`, `whole_words` | level 1 of at most [`SHORT`](super::SHORT) bytes, of a chunk, of a whole chunk |
//! | `words_of_chunks` | levels 1 and 2 of more than a chunk |
//! | `scalars`, `of_scalars` | words as numbers, and back |
//! | `l3_hash`, `pad`, `xor` | the hash, masked; the pad; in 128 bits |
//! | `folded` or, below p36, `mod36` | level 3's sums, reduced |
//! | `pads8`, `tags8` | the pads of eight messages, and their tags |
//! | `store_bytes`, `number`, `whole_number` | these bits in memory, as a number of 64 or 128 bits |
//! | `PAD_FIRST` | whether the pad of a short message comes before level 1 |
//! | `HOLD` | `hold` in [`ByStreams`](super::ByStreams) |
//! | types `OfStreams`, `Register` | the words of all streams; 128 bits |

use super::SHORT;
use crate::umac::l1_nh::CHUNK;

const _: () = assert!(SHORT == 64, "the bounds of ranges of lengths");

/// The caller of a function of words. Each caller has its own instance, which the compiler inlines, because a call
/// would return words through memory.
pub(super) mod caller {
    pub(in super::super) const WORDS: u8 = 0;
    pub(in super::super) const HASH: u8 = 1;
    pub(in super::super) const HASH_OF_CHUNKS: u8 = 2;
    pub(in super::super) const TAG: u8 = 3;
    pub(in super::super) const TAG_OF_CHUNKS: u8 = 4;
    pub(in super::super) const TAG8: u8 = 5;
    pub(in super::super) const WORDS8: u8 = 6;
    pub(in super::super) const WORDS8_OF_CHUNKS: u8 = 7;
    /// Added to these by a row of AMD's processors.
    #[cfg(target_arch = "x86_64")]
    pub(in super::super) const AMD: u8 = 8;
}

/// The chunk to prefetch beside level 1 of chunk `i`, if the chunks do not fit in a core's own caches.
#[inline(always)]
pub(super) fn lines_to_prefetch(
    chunks: &[[u8; CHUNK]],
    i: usize,
) -> Option<&[[u8; 64]; CHUNK / 64]> {
    let chunk = if chunks.len() > 1024 { chunks.get(i + 12)? } else { return None };
    chunk.as_chunks().0.try_into().ok()
}

/// Prefetches a cache line that will be loaded. Nothing on ARM, for which stable Rust has no such instruction.
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
#[inline(always)]
pub(super) fn prefetch(line: &[u8; 64]) {
    #[cfg(target_arch = "x86_64")]
    #[allow(unused_unsafe)] // newer compilers call it safe
    // SAFETY: the instruction changes nothing that a program can see, whatever the address.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T2, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T2>(line.as_ptr().cast());
    };
}

/// A row's table and what it has in common with all rows.
macro_rules! row {
    ($features:literal) => {
        pub(super) const FUNCTIONS: ByStreams = ByStreams {
            arrange,
            hold: HOLD,
            of_streams: [functions::<1>(), functions::<2>(), functions::<4>(), functions::<4>()],
        };

        pub(super) const fn functions<const STREAMS: usize>() -> Functions {
            Functions {
                words: words::<STREAMS>,
                absorb: absorb::<STREAMS>,
                inner: inner::<STREAMS>,
                whole: Some(Whole {
                    hash: hash::<STREAMS>,
                    tag: tag::<STREAMS>,
                    tag_after: tag_after::<STREAMS>,
                    tag8: tag8::<STREAMS>,
                    words8: words8::<STREAMS>,
                    inner8: inner8::<STREAMS>,
                }),
            }
        }

        #[target_feature(enable = $features)]
        pub(super) fn hash<const STREAMS: usize>(key: &Key, message: &[u8]) -> u128 {
            as_hash::<STREAMS>(match message.split_first_chunk::<SHORT>() {
                Some((head, rest)) if message.len() > CHUNK => l3_hash::<STREAMS>(
                    key,
                    words_of_chunks::<STREAMS, HASH_OF_CHUNKS>(key, head, rest).0,
                ),
                _ if message.len() > SHORT => {
                    l3_hash::<STREAMS>(key, words_of_chunk::<STREAMS, HASH>(&key.l1, None, message))
                }
                _ => l3_hash::<STREAMS>(key, short_words::<STREAMS, HASH>(key, message)),
            })
        }

        #[target_feature(enable = $features)]
        fn inner<const STREAMS: usize>(key: &Key, words: &[u64; MAX_STREAMS]) -> u128 {
            as_hash::<STREAMS>(l3_hash::<STREAMS>(key, of_scalars::<STREAMS>(*words)))
        }

        #[target_feature(enable = $features)]
        fn tag<const STREAMS: usize>(
            key: &Key,
            of: &PadOf,
            message: &[u8],
            tag: &mut [u8; 16],
        ) -> u64 {
            match message.split_first_chunk::<SHORT>() {
                Some((head, rest)) if !rest.is_empty() => {
                    tag_after::<STREAMS>(key, of, head, rest, tag)
                }
                _ if PAD_FIRST => {
                    let pad = pad::<STREAMS>(&key.arranged.rounds, of.block(), of.start);
                    as_tag::<STREAMS>(key, short_words::<STREAMS, TAG>(key, message), pad, tag)
                }
                _ => {
                    let words = short_words::<STREAMS, TAG>(key, message);
                    let pad = pad::<STREAMS>(&key.arranged.rounds, of.block(), of.start);
                    as_tag::<STREAMS>(key, words, pad, tag)
                }
            }
        }

        #[target_feature(enable = $features)]
        fn tag_after<const STREAMS: usize>(
            key: &Key,
            of: &PadOf,
            head: &[u8; SHORT],
            rest: &[u8],
            tag: &mut [u8; 16],
        ) -> u64 {
            // Each of these is a jump.
            if rest.len() <= CHUNK - SHORT {
                tag_of_chunk::<STREAMS>(key, of, head, rest, tag)
            } else {
                tag_of_chunks::<STREAMS>(key, of, head, rest, tag)
            }
        }

        #[inline(never)]
        #[target_feature(enable = $features)]
        fn tag_of_chunk<const STREAMS: usize>(
            key: &Key,
            of: &PadOf,
            head: &[u8; SHORT],
            rest: &[u8],
            tag: &mut [u8; 16],
        ) -> u64 {
            let pad = pad::<STREAMS>(&key.arranged.rounds, of.block(), of.start);
            as_tag::<STREAMS>(
                key,
                words_of_chunk::<STREAMS, TAG>(&key.l1, Some(head), rest),
                pad,
                tag,
            )
        }

        #[inline(never)]
        #[target_feature(enable = $features)]
        fn tag_of_chunks<const STREAMS: usize>(
            key: &Key,
            of: &PadOf,
            head: &[u8; SHORT],
            rest: &[u8],
            tag: &mut [u8; 16],
        ) -> u64 {
            let pad = pad::<STREAMS>(&key.arranged.rounds, of.block(), of.start);
            as_tag::<STREAMS>(
                key,
                words_of_chunks::<STREAMS, TAG_OF_CHUNKS>(key, head, rest).0,
                pad,
                tag,
            )
        }

        #[target_feature(enable = $features)]
        fn absorb<const STREAMS: usize>(key: &Key, state: &mut State, chunks: &[[u8; CHUNK]]) {
            // Level 2 of a chunk comes after level 1 of the next one: its chain of multiplications never waits for
            // unfinished sums and overlaps with the vector code.
            let mut before: Option<[u64; MAX_STREAMS]> = None;
            for (i, chunk) in chunks.iter().enumerate() {
                let words = match lines_to_prefetch(chunks, i) {
                    Some(lines) => {
                        whole_words::<STREAMS>(&key.l1, chunk, |line| prefetch(&lines[line]))
                    }
                    None => whole_words::<STREAMS>(&key.l1, chunk, |_| ()),
                };
                if let Some(before) = before.replace(scalars::<STREAMS>(words)) {
                    state.absorb_words(&key.l2, &before[..STREAMS]);
                }
            }
            if let Some(before) = before {
                state.absorb_words(&key.l2, &before[..STREAMS]);
            }
        }

        /// The tag of a message from its words and its pad.
        #[inline]
        #[target_feature(enable = $features)]
        fn as_tag<const STREAMS: usize>(
            key: &Key,
            words: OfStreams,
            pad: Register,
            tag: &mut [u8; 16],
        ) -> u64 {
            let both = xor(l3_hash::<STREAMS>(key, words), pad);
            if STREAMS > 2 {
                store_bytes(tag, both);
            }
            number(both)
        }

        /// For one or two streams, only the lower half.
        #[inline]
        #[target_feature(enable = $features)]
        fn as_hash<const STREAMS: usize>(bytes: Register) -> u128 {
            if STREAMS <= 2 { u128::from(number(bytes)) } else { whole_number(bytes) }
        }
    };
}

pub(super) use row;
