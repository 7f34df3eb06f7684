//! Long messages on several threads (feature `parallel`): each makes the [`Segment`]s of its chunks, and
//! joining those in order gives the very state that one thread would have come to.

use crate::umac::l1_nh::CHUNK;
use crate::umac::l2_poly::Segment;
use crate::umac::{Key, State, Stream};
use rayon::prelude::*;

/// Chunks of a segment: enough to be worth a thread's while, an even number.
const SEGMENT: usize = 512;

impl<const N: usize> Stream<'_, N> {
    /// [`update`](Self::update) on all threads of rayon's current pool. The tag is the same.
    ///
    /// For pieces of many MiB that are in memory already, on machines whose memory feeds more than one
    /// core: measure. Pieces of less than 1 MiB stay on this thread.
    pub fn update_rayon(&mut self, piece: &[u8]) {
        let Stream { key, state, buffer } = self;
        buffer.update(piece, |chunks| state.absorb_on_threads(key, chunks));
    }
}

impl State {
    fn absorb_on_threads<const N: usize>(&mut self, key: &Key<N>, mut chunks: &[[u8; CHUNK]]) {
        while !chunks.is_empty() {
            let room = Segment::room(self.0.count(), chunks.len() as u64) as usize;
            if room < 2 * SEGMENT {
                // At the switch to POLY-128 or at the end of the piece.
                let (few, rest) = chunks.split_at(room.max(1));
                self.absorb::<N, N>(key, few);
                chunks = rest;
                continue;
            }
            let (many, rest) = chunks.split_at(room);
            let start = self.0.count();
            let segments = many
                .par_chunks(SEGMENT)
                .enumerate()
                .map(|(i, chunks)| segment(key, start + (i * SEGMENT) as u64, chunks));
            if let Some(segment) = segments.reduce_with(|one, next| one.then(&next)) {
                self.0.join(&segment);
            }
            chunks = rest;
        }
    }
}

fn segment<const N: usize>(key: &Key<N>, start: u64, chunks: &[[u8; CHUNK]]) -> Segment {
    Segment::new(start, |images| {
        key.each_chunk::<N>(chunks, |sums| {
            images.iter_mut().for_each(|image| image.absorb_row(&key.hash.l2, sums));
        });
    })
}
