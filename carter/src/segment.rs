//! [`Segment`]: a part of a message, hashed by levels 1 and 2 (docs/carter.md) apart from the rest.

use crate::key::BLOCK;
use crate::l2::State;
use crate::{Cipher, Key};
use core::fmt;
use wegman::NonceOf;
use wegman::Tag;
use wegman::hazmat::nonce_mac::{HashAndPads, with_pad};
use wegman::hazmat::pads;
use wegman::hazmat::raw::hash_and_pads;

/// Blocks of a message, without its last one, hashed apart from the blocks before and after them: on another thread, or
/// before those blocks are known. It is as secret as the key, and is wiped on drop.
///
/// ```
/// use wegman::{Aes128, NonceOf};
/// use wegman_carter::{Carter128, hazmat::Segment};
///
/// let key = Carter128::<Aes128, 12>::new(b"sixteen byte key");
/// let message = vec![7; 100_000];
/// let (blocks, last) = message.as_chunks(); // 48 blocks and 1696 bytes
/// let (first, second) = blocks.split_at(20);
/// let (first, second) = std::thread::scope(|threads| {
///     let second = threads.spawn(|| Segment::new(&key, second));
///     (Segment::new(&key, first), second.join().unwrap())
/// });
/// let tag = first.then(&second).tag(NonceOf::counter(1), last).unwrap();
/// assert!(key.verify(&NonceOf::counter(1), &message, &tag).is_ok());
/// ```
#[derive(Clone)]
pub struct Segment<'k, C: Cipher, const N: usize, const L: usize> {
    key: &'k Key<C, N, L>,
    state: State,
}

impl<'k, C: Cipher, const N: usize, const L: usize> Segment<'k, C, N, L> {
    /// Hashes blocks. Leave out the message's last block, also if the length of the message is a multiple of 2048.
    #[must_use]
    pub fn new(key: &'k Key<C, N, L>, blocks: &[[u8; BLOCK]]) -> Self {
        let mut state = State::new();
        let carter = hash_and_pads(key);
        state.absorb(&carter.row.functions, &carter.key, blocks);
        Segment { key, state }
    }

    /// This segment followed by `next`. The operation is associative but not commutative.
    ///
    /// # Panics
    /// If the segments have different keys, that is, do not borrow the same [`Key`].
    #[must_use]
    pub fn then(self, next: &Self) -> Self {
        let Segment { key, state } = self;
        assert!(core::ptr::eq(key, next.key), "segments of one key");
        Segment { key, state: state.then(&hash_and_pads(key).key, &next.state) }
    }

    /// The tag of the message that consists of this segment and `last`, which has 1 to 2048 bytes, or 0 to 2048 bytes
    /// if the segment has no blocks.
    ///
    /// # Errors
    /// [`InvalidLast`] if `last` has another length.
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is used once")]
    pub fn tag(&self, nonce: NonceOf<L>, last: &[u8]) -> Result<Tag<N>, InvalidLast> {
        let Segment { key, state } = self;
        if last.len() > BLOCK || last.is_empty() && !state.is_empty() {
            return Err(InvalidLast);
        }
        let carter = hash_and_pads(key);
        let hash = state.finish(&carter.row.functions, &carter.key, last);
        let (block, start) = pads::block(&nonce, 16);
        let pad = carter.pad(block, start);
        Ok(with_pad(hash, pad))
    }
}

impl<C: Cipher, const N: usize, const L: usize> fmt::Debug for Segment<'_, C, N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "carter::hazmat::Segment<{N}, {L}>")
    }
}

wegman::error! {
    /// The last block has more than 2048 bytes, or none after other blocks.
    pub struct InvalidLast = "a message ends with 1 to 2048 bytes behind its segments";
}
