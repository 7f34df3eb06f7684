//! [`Link`]: one end of a channel, whose keys come from one secret and change over time.
//!
//! ```text
//! secret, context, MAC - HKDF -+- chain of I - key of epoch 0, 1, 2 ...   initiator seals, responder opens
//!                              +- chain of R - key of epoch 0, 1, 2 ...   responder seals, initiator opens
//! ```
//!
//! docs/sessions.md has the derivation, byte for byte.

mod header;
mod opener;
mod saved;
mod schedule;
mod sealer;

pub use header::Header;
pub use opener::Opener;
pub use saved::{SavedOpener, SavedSealer};
pub use schedule::{LinkKey, Role};
pub use sealer::Sealer;

use super::{Authentic, Budget, Counts, Rejected, SealError};
use alloc::vec::Vec;
use core::fmt;
use schedule::Chain;

/// One end of a channel. Both ends are made from the same secret and context, one as [`Role::Initiator`] and one as
/// [`Role::Responder`]; nothing else has to agree but the type of the key.
///
/// - Each direction has its own keys, so a packet that is sent back to its sender is refused.
/// - Keys change: [`rekey`](Self::rekey) moves what this end seals to a new epoch, and so does sealing when the key has
///   reached its limit. The other end follows the first authentic packet of the new epoch. It still accepts late packets
///   of the epoch before, until the new one has moved by a window; then the old key is wiped. A key can't be made from a
///   later one, so whoever reads this end's memory can't forge packets of earlier epochs.
/// - A [`Header`] names epoch and number. It is authenticated: another epoch has another key, another number another tag.
/// - The bound on forgeries of all epochs together is kept below a [`Budget`], 2^-40, or more for
///   tags too short for that ([`with_budget`](Self::with_budget)).
///
/// ```
/// use wegman::session::{Link, Rejected, Role};
/// use wegman::umac;
///
/// let secret = [7; 32]; // from a key exchange; for one link only
/// let mut alice = Link::<umac::Key<8>>::new(&secret, b"example 1", Role::Initiator);
/// let mut bob = Link::<umac::Key<8>>::new(&secret, b"example 1", Role::Responder);
///
/// let (header, tag) = alice.seal(&[b"header", b"payload"])?;
/// let [_, payload] = bob.open(header, &[b"header", b"payload"], &tag)?.parts();
/// assert_eq!(payload, b"payload");
/// assert_eq!(bob.open(header, &[b"header", b"payload"], &tag), Err(Rejected::Replayed));
/// assert_eq!(alice.open(header, &[b"header", b"payload"], &tag), Err(Rejected::Forged));
///
/// alice.rekey()?;
/// let (header, tag) = alice.seal(&[b"more"])?;
/// assert_eq!((header.epoch, bob.open(header, &[b"more"], &tag)?.message()), (1, &b"more"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Storage
/// A link lives as long as its process. For one that outlives it, store both halves: at its first start **before the first
/// packet**, and then whenever they ask for it ([`SealError::NotReserved`], [`Rejected::NotReserved`]). What is stored is
/// secret. If it is lost, take a new secret: making the link again from the old one repeats nonces.
///
/// ```
/// use wegman::session::{Link, Opener, Rejected, Role, SavedOpener, SavedSealer, SealError, Sealer};
/// use wegman::umac;
/// type Key = umac::Key<8>;
/// # use std::{cell::RefCell, collections::HashMap, io};
/// # let disk = RefCell::new(HashMap::new());
/// # let file = |name: &'static str, bytes: &[u8]| -> io::Result<()> {
/// #     disk.borrow_mut().insert(name, bytes.to_vec());
/// #     Ok(())
/// # };
/// # let read = |name| disk.borrow()[name].clone();
///
/// // The first start. `file` writes a new file, syncs it, renames it and syncs its folder.
/// let mut link = Link::<Key>::new(&[7; 32], b"example 2", Role::Initiator);
/// link.sealer_mut().reserve(1000, 1 << 20, |saved| file("seal", &*saved.to_bytes()))?;
/// link.opener_mut().reserve(1000, 1000, 1 << 20, |saved| file("open", &*saved.to_bytes()))?;
/// assert_eq!(link.seal(&[b"one"])?.0.number, 0);
/// drop(link); // a crash
///
/// // Every other start.
/// let sealer = Sealer::<Key>::restore(SavedSealer::from_bytes(&read("seal"))?)?;
/// let opener: Opener<Key> = Opener::restore(SavedOpener::from_bytes(&read("open"))?)?;
/// let mut link = Link::from_halves(sealer, opener);
/// assert_eq!(link.seal(&[b"two"]), Err(SealError::NotReserved));
/// link.sealer_mut().reserve(1000, 1 << 20, |saved| file("seal", &*saved.to_bytes()))?;
/// assert_eq!(link.seal(&[b"two"])?.0.number, 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Link<K: LinkKey, const WORDS: usize = 17> {
    sealer: Sealer<K>,
    opener: Opener<K, WORDS>,
}

impl<K: LinkKey, const WORDS: usize> Link<K, WORDS> {
    /// Bytes of header and tag: how much longer a packet is than its message.
    pub const OVERHEAD: usize = Header::BYTES + K::TAG_BYTES;

    /// One end of a new channel. `secret` has 32 uniformly random bytes, from a key exchange or a shared key with a fresh
    /// random value in `context`: **a secret and a context must never make a second link**, or nonces repeat. `context`
    /// is what else the ends agree on, such as the protocol's name and a transcript of the handshake; it may be empty.
    #[must_use]
    pub fn new(secret: &[u8; 32], context: &[u8], role: Role) -> Self {
        let chain = |role| Chain::first::<K>(secret, context, role);
        Link { sealer: Sealer::new(chain(role)), opener: Opener::new(chain(role.other())) }
    }

    /// Puts two halves together.
    #[must_use]
    pub fn from_halves(sealer: Sealer<K>, opener: Opener<K, WORDS>) -> Self {
        Link { sealer, opener }
    }

    /// The half that seals and the half that opens, for two threads, or to store them.
    #[must_use]
    pub fn split(self) -> (Sealer<K>, Opener<K, WORDS>) {
        (self.sealer, self.opener)
    }

    /// Replaces the budget for forgery attempts. It is for all epochs together.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.opener = self.opener.with_budget(budget);
        self
    }

    /// Sets how much is sealed under one key, in units of [`PacketMac::cost`](super::PacketMac::cost), before the first
    /// packet. The default is 2^32, or the key's limit if that is lower. **Both ends must set the same**, because the
    /// bound is computed with it. A limit above the present one changes nothing.
    ///
    /// # Panics
    /// If the limit is 0, under which no message fits.
    #[must_use]
    pub fn with_epoch_limit(mut self, limit: u64) -> Self {
        self.sealer = self.sealer.with_epoch_limit(limit);
        self.opener = self.opener.with_epoch_limit(limit);
        self
    }

    /// Sets the longest message in bytes, before the first packet. **Both ends must set the same.** It matters for MACs
    /// whose bound depends on the longest message, such as Carter's. The default is 64 KiB.
    #[must_use]
    pub fn with_longest(mut self, bytes: u64) -> Self {
        self.sealer = self.sealer.with_longest(bytes);
        self.opener = self.opener.with_longest(bytes);
        self
    }

    /// The header and the tag of a message in consecutive parts.
    ///
    /// # Errors
    /// [`SealError`]; nothing is tagged then, and no number is used.
    #[inline(always)] // moving header and tag would cost as much as the tag
    pub fn seal(&mut self, message: &[&[u8]]) -> Result<(Header, K::Tag), SealError> {
        self.sealer.seal(message)
    }

    /// The tags of messages in parts, under consecutive numbers of one epoch. Returns the first header.
    ///
    /// # Errors
    /// [`SealError`] if one epoch has no room for all of them; nothing is tagged then, and no number is used.
    ///
    /// # Panics
    /// If `messages` and `tags` differ in length.
    pub fn seal_many(
        &mut self,
        messages: &[&[&[u8]]],
        tags: &mut [K::Tag],
    ) -> Result<Header, SealError> {
        self.sealer.seal_many(messages, tags)
    }

    /// Accepts a packet if its number is new and its tag is right. Nothing else moves the window or the epoch.
    ///
    /// # Errors
    /// [`Rejected`]: why the packet was refused.
    #[inline(always)]
    pub fn open<'m, const P: usize>(
        &mut self,
        header: Header,
        message: &[&'m [u8]; P],
        tag: &K::Tag,
    ) -> Result<Authentic<'m, P>, Rejected> {
        self.opener.open(header, message, tag)
    }

    /// As [`open`](Self::open) for each packet in order, with tags computed side by side.
    ///
    /// # Panics
    /// If `packets` and `outcomes` differ in length.
    #[allow(clippy::type_complexity, reason = "header, message, tag")]
    pub fn open_many<'m, const P: usize>(
        &mut self,
        packets: &[(Header, [&'m [u8]; P], K::Tag)],
        outcomes: &mut [Result<Authentic<'m, P>, Rejected>],
    ) {
        self.opener.open_many(packets, outcomes);
    }

    /// Appends a whole packet to `packet`: header, message, tag. It has [`OVERHEAD`](Self::OVERHEAD) bytes more than the
    /// message.
    ///
    /// # Errors
    /// [`SealError`]. Then nothing was appended, and no number is used up.
    pub fn seal_packet(
        &mut self,
        message: &[&[u8]],
        packet: &mut Vec<u8>,
    ) -> Result<(), SealError> {
        self.sealer.seal_packet(message, packet)
    }

    /// The message, in one piece, of a packet that [`seal_packet`](Self::seal_packet) has made, if it is authentic and new.
    ///
    /// # Errors
    /// [`Rejected`]: why the packet was refused.
    pub fn open_packet<'p>(&mut self, packet: &'p [u8]) -> Result<Authentic<'p>, Rejected> {
        self.opener.open_packet(packet)
    }

    /// Seals from now on under the key of the next epoch, and wipes the present one.
    ///
    /// # Errors
    /// [`SealError::Exhausted`] after the last epoch, 2^32 - 1; [`SealError::OtherProcess`].
    pub fn rekey(&mut self) -> Result<(), SealError> {
        self.sealer.rekey()
    }

    /// The whole header of a packet with a short one.
    #[must_use]
    pub fn extend(&self, short: [u8; Header::SHORT_BYTES]) -> Option<Header> {
        self.opener.extend(short)
    }

    /// How many packets had each outcome so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.opener.counts()
    }

    /// The half that seals.
    #[must_use]
    pub fn sealer(&self) -> &Sealer<K> {
        &self.sealer
    }

    /// The half that seals, to store it.
    #[must_use]
    pub fn sealer_mut(&mut self) -> &mut Sealer<K> {
        &mut self.sealer
    }

    /// The half that opens.
    #[must_use]
    pub fn opener(&self) -> &Opener<K, WORDS> {
        &self.opener
    }

    /// The half that opens, to store it.
    #[must_use]
    pub fn opener_mut(&mut self) -> &mut Opener<K, WORDS> {
        &mut self.opener
    }
}

impl<K: LinkKey, const WORDS: usize> fmt::Debug for Link<K, WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session::Link({:?}, {:?})", self.sealer, self.opener)
    }
}
