//! The levels of UMAC (RFC 4418, section 5) one after another, in plain code; level 1 uses vectors if every machine of
//! the target has them. They define what packets compute.

use super::{ByStreams, Functions, Key};
use crate::ct::wipe;
use crate::umac::MAX_STREAMS;
use crate::umac::l1_nh::{self, CHUNK};
use crate::umac::l2_poly::State;

/// `VECTORS`: level 1 in vectors of 128 bits.
pub(super) const fn by_streams<const VECTORS: bool>() -> ByStreams {
    ByStreams {
        hold: None,
        arrange: |_, _, _, _| (),
        of_streams: [
            functions::<1, VECTORS>(),
            functions::<2, VECTORS>(),
            functions::<3, VECTORS>(),
            functions::<4, VECTORS>(),
        ],
    }
}

const fn functions<const STREAMS: usize, const VECTORS: bool>() -> Functions {
    Functions {
        words: words::<STREAMS, VECTORS>,
        absorb: absorb::<STREAMS, VECTORS>,
        inner: inner::<STREAMS>,
        whole: None,
    }
}

#[allow(unsafe_code)]
fn words<const STREAMS: usize, const VECTORS: bool>(
    key: &l1_nh::Key,
    chunk: &[u8],
    words: &mut [u64; MAX_STREAMS],
) {
    #[cfg(any(
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
        all(target_arch = "wasm32", target_feature = "simd128"),
    ))]
    if VECTORS {
        #[allow(unused_unsafe, reason = "WebAssembly's are safe")]
        // SAFETY: every machine of the target has these vectors.
        unsafe {
            *words = l1_nh::halves::words::<STREAMS>(key, chunk);
        }
        return;
    }
    l1_nh::portable::words::<STREAMS>(key, chunk, words);
}

fn absorb<const STREAMS: usize, const VECTORS: bool>(
    key: &Key,
    state: &mut State,
    chunks: &[[u8; CHUNK]],
) {
    let mut sums = [0; MAX_STREAMS];
    for chunk in chunks {
        words::<STREAMS, VECTORS>(&key.l1, chunk, &mut sums);
        state.absorb_words(&key.l2, &sums[..STREAMS]);
    }
    wipe(&mut sums);
}

fn inner<const STREAMS: usize>(key: &Key, words: &[u64; MAX_STREAMS]) -> u128 {
    (0..STREAMS).fold(0, |hash, t| hash | key.l3[t].part(t, u128::from(words[t])))
}
