//! The parts below the public interface that other MACs are built from (feature `hazmat`). Used correctly they make a
//! sound MAC; used incorrectly they leak keys. **Exempt from semver.**
//!
//! `wegman-historical`, `wegman-carter` and `wegman-yardstick` use these and nothing else below the public interface.
//! [`pmac::hazmat`](crate::pmac::hazmat) has what is specific to PMAC: sums, edits, tags of any number of bits.

/// Cuts a message that arrives in pieces into whole parts, and loads its end.
pub mod buffer {
    pub use crate::buffer::{Buffer, not_last};
    pub use crate::ends::{short_number, slide};
}

/// Batches: eight messages side by side, and the verification of packets in the order they were sent.
pub mod batch {
    pub use crate::batch::{EIGHT, eight_tags, verify_eights};
    pub use crate::tag::beginning;
}

/// Selection by mask, comparison and wiping.
pub mod ct {
    pub use crate::ct::{equal, mask, wide_mask, wipe};
}

/// What a MAC with a nonce is built of: the traits of a hash and its pads, and what their implementations need.
pub mod nonce_mac {
    pub use crate::nonce_mac::hash_and_pads::{
        Difference, Eights, HashAndPads, Prefixes, with_pad,
    };
}

/// Nonces whose length is known at run time, and tags of a growing message. The callers' duties: one length of nonces
/// for each key, one that the MAC is defined for; and no nonce twice.
pub mod raw {
    pub use crate::nonce::Nonce;

    use crate::cpu::Cpu;
    use crate::nonce::NoncesExhausted;
    use crate::nonce_mac::hash_and_pads::{HashAndPads, Prefixes};
    use crate::nonce_mac::{Key, Stream};
    use crate::tag::Tag;
    use core::borrow::Borrow;

    /// [`Key::with_cpu`] from a slice, where `place` puts the key.
    ///
    /// # Panics
    /// If the secret does not have the MAC's length.
    #[inline]
    pub fn put<'p, H: HashAndPads<N> + 'p, const N: usize, const L: usize>(
        cpu: Cpu,
        secret: &[u8],
        place: impl FnOnce(Key<H, N, L>) -> &'p mut Key<H, N, L>,
    ) {
        Key::put(cpu, secret, place);
    }

    /// Tags in the places of their bytes, which lie one after another. Bytes behind the last whole tag are left out.
    pub const fn places<const N: usize>(bytes: &mut [u8]) -> &mut [Tag<N>] {
        Tag::places(bytes)
    }

    /// [`Key::tag`] under a nonce of any length.
    #[inline]
    pub fn tag<H: HashAndPads<N>, const N: usize, const L: usize>(
        key: &Key<H, N, L>,
        nonce: &Nonce,
        message: &[u8],
    ) -> Tag<N> {
        key.tag_under(nonce, message)
    }

    /// Writes the [`tag`] to `out`. It takes fewer instructions than a copy of the tag does.
    #[inline]
    pub fn tag_into<H: HashAndPads<N>, const N: usize, const L: usize>(
        key: &Key<H, N, L>,
        nonce: &Nonce,
        message: &[u8],
        out: &mut [u8; N],
    ) {
        key.tag_into_under(nonce, message, out);
    }

    /// The tag's first `M` bytes, from their part of the hash alone.
    #[inline]
    pub fn prefix<H: Prefixes<N>, const N: usize, const L: usize, const M: usize>(
        key: &Key<H, N, L>,
        nonce: &Nonce,
        message: &[u8],
    ) -> Tag<M> {
        let (block, start) = crate::pads::block(nonce, H::PAD_BYTES);
        key.hash_and_pads().prefix(block, start, message)
    }

    /// [`Key::tag_many`] under nonces of any length.
    ///
    /// # Errors
    /// [`NoncesExhausted`] if there are fewer nonces from the first on than messages. Then no tag is written.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    #[inline]
    pub fn tag_many<H: HashAndPads<N>, const N: usize, const L: usize>(
        key: &Key<H, N, L>,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        key.tag_from(first, messages, tags)
    }

    /// The tag of the message so far. More bytes may follow, but the nonce is used up: two tags of a growing message
    /// under one nonce reveal the hash key.
    pub fn peek<K, H, const N: usize, const L: usize>(
        stream: &Stream<K, H, N, L>,
        nonce: &Nonce,
    ) -> Tag<N>
    where
        K: Borrow<Key<H, N, L>>,
        H: HashAndPads<N>,
    {
        stream.tag_under(nonce)
    }

    /// The hash and the pads of a key.
    #[must_use]
    #[inline]
    pub fn hash_and_pads<H: HashAndPads<N>, const N: usize, const L: usize>(
        key: &Key<H, N, L>,
    ) -> &H {
        key.hash_and_pads()
    }
}

/// Pads: nonce to block, block to pad.
pub mod pads {
    pub use crate::nonce::PadInput;
    #[cfg(target_arch = "x86_64")]
    pub use crate::pads::x86::{four_blocks, pad_from, two_blocks};
    pub use crate::pads::{Ahead, Blocks, PADS, block, encrypt, first_bytes, pad};
}

/// Round keys of AES with the machine's instructions or vectors, for kernels that run AES in one loop with a hash.
pub mod aes {
    use crate::cipher::aes::Rounds;
    use crate::cipher::{Block, BlockCipher};

    /// The round keys of a cipher, in the order of encryption, if it is AES and a kernel of this machine computes it.
    #[must_use]
    #[inline]
    pub fn round_keys(cipher: &impl BlockCipher) -> Option<&[Block]> {
        cipher.rounds().map(Rounds::keys)
    }
}

/// What the editions of UMAC before RFC 4418 share with it: the whole MAC with another derivation of subkeys, and parts of
/// levels 2 and 3.
pub mod umac {
    pub use crate::umac::Umac;
    pub use crate::umac::kdf::{Edition, Index, Kdf};

    /// POLY-64 and POLY-128.
    pub mod l2_poly {
        pub use crate::umac::l2_poly::{Key, Lazy, Reduced, poly64, poly128, reduce64, reduce128};
    }

    /// The inner product.
    pub mod l3_inner {
        pub use crate::umac::l3_inner::Key;
    }
}

/// Secrets in allocated memory, and the stack on which they are made.
#[cfg(feature = "alloc")]
pub mod wiped {
    pub use crate::wiped::{MOVED, Place, Wiped, overwrite, stack_for, with_clean_stack};
}

/// The table in which a layer lists its kernels.
pub mod rows {
    #[doc(inline)]
    pub use crate::functions;
    pub use crate::rows::{Row, Rows};
}

/// Loads and stores of whole registers, at any address, and operations on them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub mod simd {
    #[doc(inline)]
    pub use crate::operations;
    pub use crate::simd::{Plain, load128, store128};
    #[cfg(target_arch = "x86_64")]
    pub use crate::simd::{load256, load512, store256, store512};
}
