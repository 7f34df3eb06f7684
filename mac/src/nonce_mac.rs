//! MACs with a nonce: a keyed hash of the message, encrypted with a pad (Wegman and Carter, 1981). All such MACs share
//! the methods here: [`Key`] and [`Stream`] use a hash and its pads through the trait [`HashAndPads`].
//!
//! ```text
//! message - hash -------+
//! nonce - block - pad - xor -> Tag
//! ```
//!
//! A MAC is a type that implements [`HashAndPads`], and an alias for its keys, which is what callers use:
//! `pub type Key<const N: usize, const L: usize = 8> = nonce_mac::Key<Umac<N>, N, L>`, for example, is
//! [`umac::Key`](crate::umac::Key).
//!
//! A key has tags of one length, `N` bytes, and nonces of one length, `L` bytes; both are in its type.
//!
//! **Bound.** Suppose that the hashes of any two different messages differ by any given value with probability at most
//! `e` over the choice of the key, and that no nonce is used twice. Then one forgery attempt succeeds with probability
//! at most `e`, plus the advantage of distinguishing the pads from random ones. Each MAC's module states its own bound.

pub(crate) mod hash_and_pads;
mod stream;

pub(crate) use hash_and_pads::{Difference, Eights, HashAndPads, Prefixes, singly, with_pad};
pub use stream::Stream;

use crate::batch::{EIGHT, verify_eights, verify_singly};
use crate::cpu::Cpu;
use crate::nonce::{Nonce, NonceOf, NoncesExhausted, PadInput};
use crate::pads::{self, Blocks};
use crate::parts::{LINE, Line, MASKS, length, together};
use crate::tag::{InvalidLength, Tag, TagMismatch};
use core::fmt;
use zeroize::ZeroizeOnDrop;

/// A key for tags of `N` bytes under nonces of `L` bytes. The MAC's module has an alias for it and says which `N` and
/// `L` exist.
///
/// Deriving a key is expensive; share one (`&Key` is `Send` and `Sync`) instead of deriving it for each message.
#[derive(Clone)]
pub struct Key<H, const N: usize, const L: usize>(H);

impl<H: HashAndPads<N>, const N: usize, const L: usize> ZeroizeOnDrop for Key<H, N, L> {}

impl<H: HashAndPads<N>, const N: usize, const L: usize> Key<H, N, L> {
    /// Bytes of a tag.
    pub const TAG_BYTES: usize = N;
    /// Bytes of a nonce.
    pub const NONCE_BYTES: usize = L;

    /// Derives the subkeys from a secret of uniformly random bytes that is used for nothing else.
    #[must_use]
    pub fn new(secret: &H::Secret) -> Self {
        Self::with_cpu(Cpu::detect(), secret)
    }

    /// As [`new`](Self::new), with at most the features of `cpu`: the same tags, perhaps from another kernel.
    #[must_use]
    pub fn with_cpu(cpu: Cpu, secret: &H::Secret) -> Self {
        Self::derived(cpu, secret.as_ref())
    }

    /// [`new`](Self::new) from a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if the secret does not have the MAC's length.
    pub fn from_slice(secret: &[u8]) -> Result<Self, InvalidLength> {
        Self::from_slice_with_cpu(Cpu::detect(), secret)
    }

    /// [`with_cpu`](Self::with_cpu) from a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if the secret does not have the MAC's length.
    pub fn from_slice_with_cpu(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
        if secret.len() != size_of::<H::Secret>() {
            return Err(InvalidLength);
        }
        Ok(Self::derived(cpu, secret))
    }

    const HAS_SUCH_NONCES: () = {
        assert!(L >= 8, "a nonce has 8 to 16 bytes");
        assert!(is_listed(H::NONCE_BYTES, L), "the MAC takes no nonces of this length");
    };

    /// From a secret of the MAC's length. No `Result`: to take a key out of one is a copy.
    fn derived(cpu: Cpu, secret: &[u8]) -> Self {
        let () = Self::HAS_SUCH_NONCES;
        Key(H::new(cpu, secret))
    }

    /// [`HashAndPads::put`].
    #[cfg(feature = "hazmat")]
    #[inline]
    pub(crate) fn put<'p>(cpu: Cpu, secret: &[u8], place: impl FnOnce(Self) -> &'p mut Self)
    where
        H: 'p,
    {
        let () = Self::HAS_SUCH_NONCES;
        H::put(cpu, secret, |hash| &mut place(Key(hash)).0);
    }

    /// A new key from the system's random bytes, and its secret, to be stored or sent over a secure channel. The secret
    /// is wiped on drop.
    ///
    /// # Errors
    /// If the system gives no random bytes.
    #[cfg(feature = "getrandom")]
    pub fn generate() -> Result<(Self, zeroize::Zeroizing<H::Secret>), getrandom::Error>
    where
        H::Secret: crate::random::Secret,
    {
        let secret = crate::random::secret()?;
        Ok((Self::new(&secret), secret))
    }

    /// The name of the kernel that this key uses, for example `portable`.
    #[must_use]
    pub fn kernel(&self) -> &'static str {
        self.0.kernel()
    }

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    pub fn kernels(cpu: Cpu) -> impl Iterator<Item = (&'static str, Cpu)> {
        H::kernels(cpu)
    }

    /// The tag of a message. The nonce is consumed.
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is used once")]
    pub fn tag(&self, nonce: NonceOf<L>, message: &[u8]) -> Tag<N> {
        self.tag_under(&nonce, message)
    }

    /// The tag of a message in parts, as they lie in memory: that of the parts one after the other. It uses the nonce up.
    ///
    /// ```
    /// # use wegman::{NonceOf, umac};
    /// # let key = umac::Key::<8>::new(b"sixteen byte key");
    /// let tag = key.tag_parts(NonceOf::counter(1), &[b"header", b" and payload"]);
    /// assert_eq!(tag, key.tag(NonceOf::counter(1), b"header and payload"));
    /// ```
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is used once")]
    pub fn tag_parts(&self, nonce: NonceOf<L>, parts: &[&[u8]]) -> Tag<N> {
        self.tag_parts_under(&nonce, parts)
    }

    /// Accepts a message in parts only if the tag is right, as [`verify`](Self::verify).
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify_parts(
        &self,
        nonce: &NonceOf<L>,
        parts: &[&[u8]],
        tag: &Tag<N>,
    ) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag_parts_under(nonce, parts) == *tag)
    }

    /// Whether this key joins parts in registers, as its own kernels could.
    #[inline]
    pub(crate) fn joins_masked(&self) -> bool {
        self.0.needs().include(MASKS)
    }

    #[inline]
    fn tag_parts_under(&self, nonce: &NonceOf<L>, parts: &[&[u8]]) -> Tag<N> {
        if let [message] = parts {
            return self.tag_under(nonce, message);
        }
        Tag::written(|tag| {
            let done = self.tag_by_line(nonce, parts, tag);
            if !done && N > 8 {
                self.tag_joined(nonce, parts, tag);
            } else if !done {
                // In a place of its own, so that the other way's stays a register.
                *tag = Tag::written(|tag| self.tag_joined(nonce, parts, tag)).to_bytes();
            }
        })
    }

    /// Writes the tag of a message if its parts but the last fit a line, and if there is a kernel for a line and the rest.
    #[inline(always)]
    #[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
    fn tag_by_line(&self, nonce: &NonceOf<L>, parts: &[&[u8]], tag: &mut [u8; N]) -> bool {
        let [heads @ .., last] = parts else { return false };
        let head = length(heads);
        if head > LINE || (!H::TAKES_HEADS && last.len() > LINE - head) {
            return false;
        }
        #[cfg(target_arch = "x86_64")]
        if self.joins_masked() && crate::cpu::has_byte_masks() {
            // SAFETY: so the machine has them.
            return unsafe { self.tag_by_masked_line(nonce, parts, tag) };
        }
        self.tag_by_copied_line(nonce, parts, tag)
    }

    /// [`tag_by_line`](Self::tag_by_line), joined in a register.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,bmi2")]
    fn tag_by_masked_line(&self, nonce: &NonceOf<L>, parts: &[&[u8]], tag: &mut [u8; N]) -> bool {
        let [first, more @ .., last] = parts else { return false };
        let mut line = Line::default();
        let (filled, rest) = line.join_by_masks(first, more, last);
        self.tag_of_line(nonce, &mut line, filled, rest, tag)
    }

    /// [`tag_by_line`](Self::tag_by_line) on any machine.
    #[inline(never)] // what it needs, the other way does not
    fn tag_by_copied_line(&self, nonce: &NonceOf<L>, parts: &[&[u8]], tag: &mut [u8; N]) -> bool {
        let [first, more @ .., last] = parts else { return false };
        let mut line = Line::default();
        let (filled, rest) = line.join_by_copies(first, more, last);
        self.tag_of_line(nonce, &mut line, filled, rest, tag)
    }

    /// Writes the tag of a line's first bytes, so many, and the rest, if there is a kernel for them. Wipes the line.
    #[inline(always)]
    fn tag_of_line(
        &self,
        nonce: &NonceOf<L>,
        line: &mut Line,
        filled: usize,
        rest: &[u8],
        tag: &mut [u8; N],
    ) -> bool {
        let (block, start) = pads::block(nonce, H::PAD_BYTES);
        let done = if rest.is_empty() {
            self.0.tag(block, start, &line.bytes()[..filled], tag);
            true
        } else {
            self.0.tag_after(block, start, line.bytes(), rest, tag)
        };
        line.wipe();
        done
    }

    #[inline(never)]
    fn tag_joined(&self, nonce: &NonceOf<L>, parts: &[&[u8]], tag: &mut [u8; N]) {
        let masked = self.joins_masked();
        let one = |whole: &[u8]| self.tag_into_under(nonce, whole, tag);
        if together(masked, 0, parts, one).is_none() {
            let mut stream = self.stream();
            parts.iter().for_each(|part| stream.update(part));
            *tag = stream.tag_under(nonce).to_bytes();
        }
    }

    /// Accepts a message only if the tag is right. The time does not depend on the tag's bytes.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if message, nonce, key and tag do not belong together.
    pub fn verify(
        &self,
        nonce: &NonceOf<L>,
        message: &[u8],
        tag: &Tag<N>,
    ) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag_under(nonce, message) == *tag)
    }

    /// Starts a stream: a message whose bytes arrive in pieces.
    #[must_use]
    #[inline(always)]
    pub fn stream(&self) -> Stream<&Self, H, N, L> {
        Stream::new(self)
    }

    /// The tags of messages under consecutive nonces, beginning with `first`. All these nonces are then used.
    ///
    /// # Errors
    /// [`NoncesExhausted`] if there are fewer nonces from `first` on than messages; no tag is written then.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    #[inline]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is used once")]
    pub fn tag_many(
        &self,
        first: NonceOf<L>,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        if let ([message], [tag]) = (messages, &mut *tags) {
            *tag = self.tag_under(&first, message);
            return Ok(());
        }
        self.tag_from(&first, messages, tags)
    }

    /// Verifies messages, each with its own nonce and tag, and sets `valid` for each that is authentic.
    ///
    /// # Errors
    /// [`TagMismatch`] if at least one is not authentic; `valid` is complete in either case.
    ///
    /// # Panics
    /// If `packets` and `valid` differ in length.
    #[inline]
    pub fn verify_many(
        &self,
        packets: &[(NonceOf<L>, &[u8], Tag<N>)],
        valid: &mut [bool],
    ) -> Result<(), TagMismatch> {
        if let ([(nonce, message, tag)], [valid]) = (packets, &mut *valid) {
            let outcome = self.verify(nonce, message, tag);
            *valid = outcome.is_ok();
            return outcome;
        }
        TagMismatch::unless(if packets.len() < EIGHT {
            verify_singly(packets, valid, |(.., tag)| tag, |packet| self.tag_of(packet))
        } else {
            self.verify_in_eights(packets, valid)
        })
    }

    /// A function of its own, so that what it keeps in memory costs a few packets nothing.
    #[inline(never)]
    fn verify_in_eights(
        &self,
        packets: &[(NonceOf<L>, &[u8], Tag<N>)],
        valid: &mut [bool],
    ) -> bool {
        let tag = |packet: &_| self.tag_of(packet);
        let eights = self.0.eights();
        if eights.as_ref().is_some_and(|eights| !eights.verifies) {
            return verify_singly(packets, valid, |(.., tag)| tag, tag);
        }
        let tag8 =
            |eight: &_, tags: &mut _| self.tag_packets_in_order(eights.as_ref(), eight, tags);
        verify_eights(packets, valid, |(.., tag)| tag, tag8, tag)
    }

    /// The right tag of a packet.
    #[inline]
    fn tag_of(&self, (nonce, message, _): &(NonceOf<L>, &[u8], Tag<N>)) -> Tag<N> {
        self.tag_under(nonce, message)
    }

    /// The right tags of packets whose nonces are consecutive; or false.
    fn tag_packets_in_order(
        &self,
        eights: Option<&Eights<H, N>>,
        eight: &[(NonceOf<L>, &[u8], Tag<N>); EIGHT],
        tags: &mut [Tag<N>; EIGHT],
    ) -> bool {
        let first = &eight[0].0;
        let blocks = Blocks::new(first, H::PAD_BYTES);
        let is_long = eights.is_some_and(|eights| eight[0].1.len() > eights.longest);
        if is_long || blocks.before_a_block(H::PAD_BYTES) > 0 {
            return false;
        }
        let number = |nonce: &NonceOf<L>| nonce.block(0).0.swap_bytes();
        let mut next = number(first);
        let is_run = eight.iter().fold(true, |all, (nonce, ..)| {
            let is_next = number(nonce) == next;
            next = next.wrapping_add(1 << (8 * (Nonce::MAX - L)));
            all & is_next
        });
        if !is_run {
            return false;
        }
        let messages = eight.each_ref().map(|packet| packet.1);
        match eights {
            Some(eights) => (eights.tags)(&self.0, &blocks, &messages, tags),
            None => {
                self.0.tags(blocks, &messages, tags);
                true
            }
        }
    }

    /// [`tag`](Self::tag) under a nonce that stays, to verify with. A nonce whose length is not in its type has a length
    /// that the MAC is defined for.
    #[inline]
    pub(crate) fn tag_under(&self, nonce: &impl PadInput, message: &[u8]) -> Tag<N> {
        Tag::written(|tag| self.tag_into_under(nonce, message, tag))
    }

    /// Writes [`tag_under`](Self::tag_under) to its place.
    #[inline]
    pub(crate) fn tag_into_under(&self, nonce: &impl PadInput, message: &[u8], tag: &mut [u8; N]) {
        let (block, start) = pads::block(nonce, H::PAD_BYTES);
        self.0.tag(block, start, message, tag);
    }

    /// [`tag_many`](Self::tag_many) under nonces of any length that the MAC is defined for.
    #[inline]
    pub(crate) fn tag_from(
        &self,
        first: &impl PadInput,
        messages: &[&[u8]],
        tags: &mut [Tag<N>],
    ) -> Result<(), NoncesExhausted> {
        assert_eq!(messages.len(), tags.len(), "one tag for each message");
        let blocks = Blocks::new(first, H::PAD_BYTES);
        if !blocks.reach(messages.len().saturating_sub(1), H::PAD_BYTES) {
            return Err(NoncesExhausted);
        }
        if messages.len() < EIGHT {
            singly(&self.0, blocks, messages, tags);
        } else {
            self.0.tags(blocks, messages, tags);
        }
        Ok(())
    }

    /// The hash and its pads, the MAC's own type.
    #[inline]
    pub(crate) fn hash_and_pads(&self) -> &H {
        &self.0
    }
}

const fn is_listed(mut lengths: &[usize], length: usize) -> bool {
    while let [first, rest @ ..] = lengths {
        if *first == length {
            return true;
        }
        lengths = rest;
    }
    false
}

impl<H: HashAndPads<N>, const N: usize, const L: usize> fmt::Debug for Key<H, N, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}<{N}, {L}>({})", H::NAME, self.kernel())
    }
}
