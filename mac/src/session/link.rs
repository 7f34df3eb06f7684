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

use core::fmt;
use schedule::Chain;

/// One end of a channel. Both ends are made from the same secret and context, one as [`Role::Initiator`] and one as
/// [`Role::Responder`]; nothing else has to agree but the type of the key.
///
/// - Each direction has its own keys, so a packet that is sent back to its sender is refused.
/// - Keys change: [`rekey`](Sealer::rekey) moves what this end seals to a new epoch, and so does sealing when the key has
///   reached its limit. The other end follows the first authentic packet of the new epoch. It still accepts late packets
///   of the epoch before, until the new one has moved by a window; then the old key is wiped. A key can't be made from a
///   later one, so whoever reads this end's memory can't forge packets of earlier epochs.
/// - A [`Header`] names epoch and number. It is authenticated: another epoch has another key, another number another tag.
/// - The bound on forgeries of all epochs together is kept below a [`Budget`](super::Budget), 2^-40, or more for
///   tags too short for that ([`Opener::with_budget`]).
///
/// ```
/// use wegman::session::{Link, Rejected, Role};
/// use wegman::umac;
///
/// let secret = [7; 32]; // from a key exchange; for one link only
/// let mut alice = Link::<umac::Key<8>>::new(&secret, b"example 1", Role::Initiator);
/// let mut bob = Link::<umac::Key<8>>::new(&secret, b"example 1", Role::Responder);
///
/// let (header, tag) = alice.sealer.seal(&[b"header", b"payload"])?;
/// let [_, payload] = bob.opener.open(header, &[b"header", b"payload"], &tag)?.parts();
/// assert_eq!(payload, b"payload");
/// assert_eq!(bob.opener.open(header, &[b"header", b"payload"], &tag), Err(Rejected::Replayed));
/// assert_eq!(alice.opener.open(header, &[b"header", b"payload"], &tag), Err(Rejected::Forged));
///
/// alice.sealer.rekey()?;
/// let (header, tag) = alice.sealer.seal(&[b"more"])?;
/// let more = bob.opener.open(header, &[b"more"], &tag)?;
/// assert_eq!((header.epoch, more.message()), (1, &b"more"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Storage
/// A link lives as long as its process. For one that outlives it, store both halves: at its first start **before the first
/// packet**, and then whenever they ask for it ([`SealError::NotReserved`], [`Rejected::NotReserved`]). What is stored is
/// secret. If it is lost, take a new secret: making the link again from the old one repeats nonces.
///
/// [`SealError::NotReserved`]: super::SealError::NotReserved
/// [`Rejected::NotReserved`]: super::Rejected::NotReserved
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
/// link.sealer.reserve(1000, 1 << 20, |saved| file("seal", &*saved.to_bytes()))?;
/// link.opener.reserve(1000, 1000, 1 << 20, |saved| file("open", &*saved.to_bytes()))?;
/// assert_eq!(link.sealer.seal(&[b"one"])?.0.number, 0);
/// drop(link); // a crash
///
/// // Every other start.
/// let sealer = Sealer::<Key>::restore(SavedSealer::from_bytes(&read("seal"))?)?;
/// let opener: Opener<Key> = Opener::restore(SavedOpener::from_bytes(&read("open"))?)?;
/// let mut link = Link { sealer, opener };
/// assert_eq!(link.sealer.seal(&[b"two"]), Err(SealError::NotReserved));
/// link.sealer.reserve(1000, 1 << 20, |saved| file("seal", &*saved.to_bytes()))?;
/// assert_eq!(link.sealer.seal(&[b"two"])?.0.number, 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Link<K: LinkKey, const WORDS: usize = 17> {
    /// The half that seals. Each half can go to a thread of its own.
    pub sealer: Sealer<K>,
    /// The half that opens.
    pub opener: Opener<K, WORDS>,
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
}

impl<K: LinkKey, const WORDS: usize> fmt::Debug for Link<K, WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session::Link({:?}, {:?})", self.sealer, self.opener)
    }
}
