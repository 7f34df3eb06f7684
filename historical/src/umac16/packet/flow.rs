//! How a message passes through a kernel (draft of October 2000, sections 6 and 7), for registers of any width: which
//! functions run for which length, and when the pad is added.
//!
//! ```text
//! for each stream t:
//!     for each chunk:  word = NH(k_t, chunk) + its bits                                       sums
//!     y = the only word, or POLY-32(words)                                                    words_of_chunks
//!     hash_t = inner product of y's digits with the keys of level 3, mod 2^19 - 1, xor mask   hash_of_words
//! tag = hashes of all streams xor PDF(nonce)                                                  pad, as_tag
//! ```
//!
//! The kernels depart from this:
//!
//! 1. All streams go together; in levels 2 and 3, four are in the 64-bit lanes of a register (docs/lanes.md).
//! 2. Level 2 of a chunk comes after level 1 of the next chunk. It starts at 0 with the word 1, which makes y 1.
//! 3. A message of at most 64 bytes has a level 1 of its own, without a loop.
//! 4. The pad is encrypted beside the hash of such a message, and before that of a longer one.
//!
//! Sums of level 1 are mod 2^32 by definition: they wrap, and have no bounds.
//!
//! Each row's file has these functions, with the row's features:
//!
//! | function | what |
//! |---|---|
//! | `hash_of_64` | the hash of at most 64 bytes |
//! | `lanes`, `four_sums` (of `l1_nh16`) | level 1 of at most a chunk, in the row's registers |
//! | `absorb_chunks` | levels 1 and 2 of whole chunks |
//! | `poly`, `last_of_poly`, `reduce32` | a word of POLY-32, the last word, the number below p32 |
//! | `hash_of_words` | level 3: the bytes of the hash |

/// A row's table and what it has in common with other rows.
macro_rules! row {
    ($lanes:ty, $features:literal) => {
        pub(super) const FEATURES: &str = $features;

        pub(super) const FUNCTIONS: ByStreams = by_streams!(STREAMS => Functions {
            tag: tag::<STREAMS>,
            hash: hash::<STREAMS>,
            absorb: absorb::<STREAMS>,
        });

        #[target_feature(enable = $features)]
        fn tag<const STREAMS: usize>(
            key: &Key,
            block: u128,
            start: usize,
            message: &[u8],
            tag: &mut [u8; 16],
        ) -> u64 {
            match message.len() {
                ..=64 => {
                    let hash = hash_of_64::<STREAMS>(key, message);
                    as_tag::<STREAMS>(hash, pad::<STREAMS>(key, block, start), tag)
                }
                // Each of these is a jump.
                65..=CHUNK => longer::<STREAMS, false>(key, block, start, message, tag),
                _ => longer::<STREAMS, true>(key, block, start, message, tag),
            }
        }

        // The pad comes first: its rounds finish long before level 1. After level 1 they would wait for room in the
        // schedulers, as everything after the sums does.
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn longer<const STREAMS: usize, const CHUNKS: bool>(
            key: &Key,
            block: u128,
            start: usize,
            message: &[u8],
            tag: &mut [u8; 16],
        ) -> u64 {
            let pad = pad::<STREAMS>(key, block, start);
            let words = if CHUNKS {
                words_of_chunks::<STREAMS>(key, message)
            } else {
                sums::<STREAMS>(&key.l1, message)
            };
            as_tag::<STREAMS>(hash_of_words::<STREAMS>(key, words), pad, tag)
        }

        /// As a number, the first byte lowest. For at most four streams, only the lower half.
        #[target_feature(enable = $features)]
        fn hash<const STREAMS: usize>(key: &Key, message: &[u8]) -> u128 {
            let bytes = match message.len() {
                ..=64 => hash_of_64::<STREAMS>(key, message),
                65..=CHUNK => hash_of_words::<STREAMS>(key, sums::<STREAMS>(&key.l1, message)),
                _ => hash_of_words::<STREAMS>(key, words_of_chunks::<STREAMS>(key, message)),
            };
            let low = u128::from(_mm_cvtsi128_si64(bytes) as u64);
            if STREAMS <= 4 {
                return low;
            }
            u128::from(_mm_extract_epi64::<1>(bytes) as u64) << 64 | low
        }

        #[target_feature(enable = $features)]
        fn absorb<const STREAMS: usize>(
            key: &Key,
            y: &mut [Lazy<u32>; MAX_STREAMS],
            chunks: &[[u8; CHUNK]],
        ) {
            let Some((first, others)) = chunks.split_first() else { return };
            let mut numbers = y.map(|Lazy(y)| y);
            let (groups, _) = numbers.as_chunks_mut::<4>();
            let mut states = [_mm256_setzero_si256(); FOURS];
            for (state, y) in states.iter_mut().zip(&*groups) {
                *state = _mm256_cvtepu32_epi64(load128(y));
            }
            let mut words = sums::<STREAMS>(black_box(&key.l1), first);
            absorb_chunks::<STREAMS>(key, &mut states, &mut words, others);
            // The lower halves of the lanes, in order.
            let lower = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
            for ((g, y), state) in groups.iter_mut().enumerate().zip(states) {
                let state = reduce32(poly(&key.poly[g], state, words[g]));
                store128(y, _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(state, lower)));
            }
            *y = numbers.map(Lazy);
            wegman::hazmat::ct::wipe(&mut numbers);
        }

        /// Levels 1 and 2 of a message of more than a chunk: a word of each stream in the lower half of a 64-bit lane.
        ///
        /// # Bounds
        /// Out: below p32, by [`reduce32`].
        #[inline]
        #[target_feature(enable = $features)]
        fn words_of_chunks<const STREAMS: usize>(key: &Key, message: &[u8]) -> [__m256i; FOURS] {
            let (chunks, last) = not_last(message);
            // POLY starts at 1. A step from 0 with the word 1 gives 1.
            let mut states = [_mm256_setzero_si256(); FOURS];
            let mut before = [_mm256_set1_epi64x(1); FOURS];
            absorb_chunks::<STREAMS>(key, &mut states, &mut before, chunks);
            let mut words = sums::<STREAMS>(black_box(&key.l1), last);
            for (g, word) in words.iter_mut().enumerate().take(STREAMS.div_ceil(4)) {
                let y = poly(&key.poly[g], states[g], before[g]);
                *word = reduce32(last_of_poly(&key.poly[g], y, *word));
            }
            words
        }

        /// A level-1 word of each stream in 64-bit lanes, below 2^32.
        #[inline]
        #[target_feature(enable = $features)]
        fn sums<const STREAMS: usize>(key: &L1Key, chunk: &[u8]) -> [__m256i; FOURS] {
            words_of_lanes(lanes::<STREAMS>(key.steps(), chunk), chunk.len())
        }

        /// The words, below 2^32, from the sums of level 1 of a message of `length` bytes.
        #[inline]
        #[target_feature(enable = $features)]
        fn words_of_lanes<const STREAMS: usize>(
            totals: [$lanes; STREAMS],
            length: usize,
        ) -> [__m256i; FOURS] {
            let bits = _mm_set1_epi32(8 * length as i32);
            let mut words = [_mm256_setzero_si256(); FOURS];
            for (words, totals) in words.iter_mut().zip(totals.chunks(4)) {
                *words = _mm256_cvtepu32_epi64(_mm_add_epi32(four_sums(totals), bits));
            }
            words
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn pad<const STREAMS: usize>(key: &Key, block: u128, start: usize) -> __m128i {
            if STREAMS > 4 {
                pad_from::<4>(&key.rounds, block, start)
            } else {
                pad_from::<2>(&key.rounds, block, start)
            }
        }

        /// Returns or stores a tag, as `Functions::tag` says.
        #[inline]
        #[target_feature(enable = $features)]
        fn as_tag<const STREAMS: usize>(hash: __m128i, pad: __m128i, tag: &mut [u8; 16]) -> u64 {
            let both = _mm_xor_si128(hash, pad);
            if STREAMS > 4 {
                store128(tag, both);
            }
            _mm_cvtsi128_si64(both) as u64
        }
    };
}

pub(super) use row;
