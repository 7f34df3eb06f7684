//! Levels 1 and 2 (RFC 4418, sections 5.2 and 5.3) of long messages on several threads (feature `parallel`). Each thread
//! makes the [`Segment`]s of its chunks. Joined in order, they give the same tag as one thread would.

use crate::ct::wipe;
use crate::umac::kdf::Edition;
use crate::umac::l1_nh::CHUNK;
use crate::umac::l2_poly::{Segment, State};
use crate::umac::{MAX_STREAMS, Umac};
use rayon::prelude::*;

/// Chunks in a segment: enough to be worth a thread's time, and an even number.
const SEGMENT: usize = 512;

impl<const N: usize, E: Edition> Umac<N, E> {
    pub(super) fn absorb_on_threads(&self, l2: &mut State, mut chunks: &[[u8; CHUNK]]) {
        while !chunks.is_empty() {
            let room = Segment::room(l2.count(), chunks.len() as u64) as usize;
            if room < 2 * SEGMENT {
                // At the switch to POLY-128 or at the end of the piece.
                let (few, rest) = chunks.split_at(room.max(1));
                self.functions().absorb(&self.key, l2, few);
                chunks = rest;
                continue;
            }
            let (many, rest) = chunks.split_at(room);
            let start = l2.count();
            let segments = many
                .par_chunks(SEGMENT)
                .enumerate()
                .map(|(i, chunks)| self.segment(start + (i * SEGMENT) as u64, chunks));
            if let Some(segment) = segments.reduce_with(|one, next| one.then(&next)) {
                l2.join(&segment);
            }
            chunks = rest;
        }
    }

    fn segment(&self, start: u64, chunks: &[[u8; CHUNK]]) -> Segment {
        Segment::new(start, |images| {
            let mut words = [0; MAX_STREAMS];
            for chunk in chunks {
                self.functions().words(&self.key.l1, chunk, &mut words);
                for image in &mut *images {
                    image.absorb_words(&self.key.l2, &words[..Self::STREAMS]);
                }
            }
            wipe(&mut words);
        })
    }
}
