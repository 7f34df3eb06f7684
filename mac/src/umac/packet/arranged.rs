//! Keys of all levels and the pad cipher once more, in the order in which packet kernels load them (docs/lanes.md). Each
//! row fills in its own part, in its file.

use super::x128;
use crate::aligned::Aligned;
use crate::cipher::{Aes128, BlockCipher};
use crate::ct::wipe;
use crate::umac::{MAX_STREAMS, l3_inner};
use zeroize::Zeroize;

/// What 256- and 512-bit kernels load. Each file has names for its quads.
#[cfg(target_arch = "x86_64")]
pub(super) type Table = [[u64; 4]; QUADS];

/// As many as the longest of these tables needs, in whole lines of the cache.
#[cfg(target_arch = "x86_64")]
pub(super) const QUADS: usize = 52;

#[derive(Clone)]
#[repr(C, align(64))]
pub(crate) struct Arranged {
    #[cfg(target_arch = "x86_64")]
    pub(super) table: Table,
    /// Level 3 in 128-bit registers.
    pub(super) x128: x128::Keys,
    /// The masks of level 3, as bytes of a tag.
    pub(super) mask: [u8; 16],
    /// The round keys of the pad cipher.
    pub(super) rounds: Aligned<[[u8; 16]; 11]>,
}

impl Arranged {
    pub(super) const ZERO: Arranged = Arranged {
        #[cfg(target_arch = "x86_64")]
        table: [[0; 4]; QUADS],
        x128: x128::Keys::ZERO,
        mask: [0; 16],
        rounds: Aligned([[0; 16]; 11]),
    };

    /// Fills in what every row loads.
    pub(super) fn fill(&mut self, l3: &[l3_inner::Key; MAX_STREAMS], pad: &Aes128) {
        for (mask, key) in self.mask.as_chunks_mut().0.iter_mut().zip(l3) {
            *mask = key.mask().to_be_bytes();
        }
        if let Some(rounds) = pad.rounds() {
            self.rounds.0.copy_from_slice(rounds.keys());
        }
    }
}

impl Zeroize for Arranged {
    fn zeroize(&mut self) {
        let Arranged {
            #[cfg(target_arch = "x86_64")]
            table,
            x128,
            mask,
            rounds,
        } = self;
        #[cfg(target_arch = "x86_64")]
        wipe(table);
        x128.zeroize();
        wipe(mask);
        wipe(&mut rounds.0);
    }
}
