//! Keys of all levels and the pad cipher once more, in the order in which packet kernels load them (docs/lanes.md). Each
//! row fills in its own part, in its file.

use super::{Arrange, x128};
use crate::aligned::Aligned;
use crate::cipher::{Aes128, BlockCipher};
use crate::umac::{MAX_STREAMS, l1_nh, l2_poly, l3_inner};
use zeroize::Zeroize;

/// What 256- and 512-bit kernels load. Each file has names for its rows.
#[cfg(target_arch = "x86_64")]
pub(super) type Table = [[u64; 4]; 48];

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
        table: [[0; 4]; 48],
        x128: x128::Keys::ZERO,
        mask: [0; 16],
        rounds: Aligned([[0; 16]; 11]),
    };

    /// Fills in what the kernels load. `None` if the pad cipher has no round keys for them.
    pub(super) fn fill(
        &mut self,
        arrange: Arrange,
        l1: &l1_nh::Key,
        l2: &[l2_poly::Key; MAX_STREAMS],
        l3: &[l3_inner::Key; MAX_STREAMS],
        pad: &Aes128,
    ) -> Option<()> {
        self.rounds = Aligned(*pad.rounds()?.keys().first_chunk()?);
        let masks = l3.each_ref().map(|key| key.mask().to_be_bytes());
        self.mask = *masks.as_flattened().first_chunk()?;
        arrange(l1, l2, l3, self);
        Some(())
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
        table.as_flattened_mut().zeroize();
        x128.zeroize();
        mask.zeroize();
        rounds.0.as_flattened_mut().zeroize();
    }
}
