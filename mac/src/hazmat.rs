//! What lies below the public interface (feature `hazmat`): the pieces that other MACs are built of. Used rightly they
//! make a sound MAC, used wrongly they leak keys. **Exempt from semver.**
//!
//! `wegman-carter` and `wegman-yardstick` are built of these and of nothing else below the public interface.
//! The sharp tools of PMAC are in [`pmac::hazmat`](crate::pmac::hazmat).

/// Cutting a message that arrives in pieces.
pub mod buffer {
    pub use crate::buffer::{Buffer, not_last};
}

/// Batches of messages: eight side by side, and checks of packets in the order they were sent.
pub mod batch {
    pub use crate::batch::{BATCH, EIGHT, verify_packets};
}

/// Choices by mask, comparison and wiping.
pub mod ct {
    pub use crate::ct::{equal, mask, wide_mask, wipe};
}

/// Nonces whose length is not in the type, for keys whose nonces have one: [`tag`](raw::tag) and its like.
pub mod raw {
    use crate::nonce::{Nonce, NoncesExhausted};
    use crate::nonce_mac::{HashAndPads, Key, Stream};
    use crate::tag::Tag;

    /// [`Key::tag`] under a nonce of any length. Callers keep to the lengths that the MAC is defined for, and to one
    /// length for each key.
    #[must_use]
    #[inline]
    pub fn tag<H: HashAndPads<N>, const N: usize>(
        key: &Key<H, N>,
        nonce: &Nonce,
        message: &[u8],
    ) -> Tag<N> {
        key.tag_raw(nonce, message)
    }

    /// [`Key::tag_many`], likewise.
    ///
    /// # Errors
    /// [`NoncesExhausted`], as there.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    #[inline]
    pub fn tag_many<H: HashAndPads<N>, const N: usize>(
        key: &Key<H, N>,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        key.tag_many_raw(first, messages, tags)
    }

    /// [`Stream::tag`], likewise.
    #[must_use]
    pub fn stream_tag<H: HashAndPads<N>, const N: usize>(
        stream: &Stream<'_, H, N>,
        nonce: &Nonce,
    ) -> Tag<N> {
        stream.tag_raw(nonce)
    }

    /// The big-endian form of a counter in `len` bytes, with zero bytes before it.
    ///
    /// # Panics
    /// If `len` is not 8 to 16.
    #[must_use]
    #[inline]
    pub fn counter(len: usize, count: u64) -> Nonce {
        Nonce::counter_of(len, count)
    }

    /// What a key is made of.
    #[must_use]
    #[inline]
    pub fn hash_and_pads<H: HashAndPads<N>, const N: usize>(key: &Key<H, N>) -> &H {
        key.hash_and_pads()
    }
}

/// Pads: nonce to block, block to pad.
pub mod pads {
    #[cfg(target_arch = "x86_64")]
    pub use crate::pads::x86;
    pub use crate::pads::{Ahead, PADS, Pads, blocks, encrypt, first_bytes, pad};
}

/// AES by the machine's instructions: its round keys, for kernels that have AES in one loop with a MAC.
pub mod aes {
    pub use crate::cipher::Rounds;
}

/// The table in which a layer lists its kernels.
pub mod rows {
    pub use crate::rows::Row;
}
