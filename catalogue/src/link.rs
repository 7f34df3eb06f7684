//! Links by name: [`wegman::session::Link`] behind one boxed type, for programs that learn the MAC's name at run time.

use alloc::boxed::Box;
use wegman::hazmat::wiped::{MOVED, Wiped, stack_for, with_clean_stack};
use wegman::session::{
    Budget, Counts, Header, Link, LinkKey, Opener, Rejected, ReserveError, Role, SavedOpener,
    SavedSealer, SealError, Sealer,
};
use wegman::{Aes128, Aes256, pmac, umac};
use wegman_carter::Carter128;

/// What a boxed link needs of its key.
trait Linked: LinkKey<Tag: Copy + Send + Sync> + Send + Sync + 'static {}

impl<K: LinkKey<Tag: Copy + Send + Sync> + Send + Sync + 'static> Linked for K {}

/// Makes a link of a MAC.
type New = fn(&[u8; 32], &[u8], Role) -> Box<dyn AnyLink>;
/// Puts both halves together from storage.
type Restore = fn(&[u8], &[u8]) -> Result<Box<dyn AnyLink>, RestoreError>;

/// A MAC that a link can have.
#[derive(Clone, Copy, Debug)]
pub struct LinkMac {
    /// Its name in the catalogue.
    pub name: &'static str,
    new: New,
    restore: Restore,
}

/// Those of RFC 4418 and of PMAC's paper.
pub static STANDARD: [LinkMac; 4] = [
    LinkMac::of::<umac::Key<8>>("UMAC-64"),
    LinkMac::of::<umac::Key<16>>("UMAC-128"),
    LinkMac::of::<pmac::Key<Aes128, 16>>("PMAC-AES128"),
    LinkMac::of::<pmac::Key<Aes256, 16>>("PMAC-AES256"),
];

/// All of them.
pub static LINK_MACS: &[LinkMac] = &[
    STANDARD[0],
    STANDARD[1],
    STANDARD[2],
    STANDARD[3],
    LinkMac::of::<Carter128<Aes128, 12>>("Carter-128"),
];

/// Finds a MAC by name, ignoring case.
#[must_use]
pub fn link_mac(name: &str) -> Option<&'static LinkMac> {
    LINK_MACS.iter().find(|mac| mac.name.eq_ignore_ascii_case(name))
}

impl LinkMac {
    const fn of<K: Linked>(name: &'static str) -> LinkMac {
        LinkMac {
            name,
            new: |secret, context, role| {
                with_clean_stack(stack_for::<Link<K>>(MOVED), || {
                    Wiped::boxed(|| Link::<K>::new(secret, context, role))
                })
            },
            restore: |sealer, opener| {
                let halves = || {
                    let sealer = Sealer::<K>::restore(SavedSealer::from_bytes(sealer).ok()?);
                    let opener = Opener::restore(SavedOpener::from_bytes(opener).ok()?);
                    Some(Link { sealer: sealer.ok()?, opener: opener.ok()? })
                };
                let made = || Wiped::try_boxed(|| halves().ok_or(RestoreError));
                Ok(with_clean_stack(stack_for::<Link<K>>(MOVED), made)?)
            },
        }
    }

    /// One end of a new channel: [`Link::new`].
    #[must_use]
    pub fn link(&self, secret: &[u8; 32], context: &[u8], role: Role) -> Box<dyn AnyLink> {
        (self.new)(secret, context, role)
    }

    /// An end that continues from what its halves stored: [`Sealer::restore`], [`Opener::restore`].
    ///
    /// # Errors
    /// [`RestoreError`] if the bytes are not two halves of a link with this MAC.
    pub fn restore(&self, sealer: &[u8], opener: &[u8]) -> Result<Box<dyn AnyLink>, RestoreError> {
        (self.restore)(sealer, opener)
    }
}

wegman::error! {
    /// The bytes are not what a half of a link with this MAC has stored.
    pub struct RestoreError = "not what a link with this MAC has stored";
}

/// The function that stores reported a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotStored;

/// Stores bytes, or says that it could not.
pub type Store<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), NotStored>;

/// Whether a half was stored, and more reserved for it.
pub type Reserved = Result<(), ReserveError<NotStored>>;

/// A link with any MAC. Each method is that of [`Link`] or of its halves with the same name.
pub trait AnyLink: Send + Sync {
    /// How many bytes a tag has.
    fn tag_bytes(&self) -> usize;

    /// Writes the tag of a message in parts to `tag`, and returns the packet's header.
    ///
    /// # Errors
    /// [`SealError`]. Then nothing was tagged, and no number is used up.
    ///
    /// # Panics
    /// If `tag` is not [`tag_bytes`](Self::tag_bytes) long.
    fn seal(&mut self, message: &[&[u8]], tag: &mut [u8]) -> Result<Header, SealError>;

    /// Accepts a packet if its number is new and its tag is right. **Only then may the message be used.**
    ///
    /// # Errors
    /// [`Rejected`]: why the packet was refused.
    fn open(&mut self, header: Header, message: &[&[u8]], tag: &[u8]) -> Result<(), Rejected>;

    /// Starts the next epoch: seals under its key and wipes the present one.
    ///
    /// # Errors
    /// [`SealError::Exhausted`] after the last epoch, [`SealError::OtherProcess`].
    fn rekey(&mut self) -> Result<(), SealError>;

    /// The whole header of a packet that came with a short one.
    fn extend(&self, short: [u8; Header::SHORT_BYTES]) -> Option<Header>;

    /// How many packets had each outcome so far.
    fn counts(&self) -> Counts;

    /// Replaces the budget for forgery attempts.
    fn with_budget(self: Box<Self>, budget: Budget) -> Box<dyn AnyLink>;

    /// Sets how much is sealed under one key, before the first packet. Both ends must set the same.
    fn with_epoch_limit(self: Box<Self>, limit: u64) -> Box<dyn AnyLink>;

    /// Sets the longest message in bytes, before the first packet. Both ends must set the same.
    fn with_longest(self: Box<Self>, bytes: u64) -> Box<dyn AnyLink>;

    /// Stores the half that seals, and reserves `messages` more messages of `bytes` bytes in all: [`Sealer::reserve`].
    ///
    /// # Errors
    /// [`ReserveError`]: [`NotStored`] if `store` says so.
    fn reserve_sealer(&mut self, messages: u64, bytes: u64, store: Store<'_>) -> Reserved;

    /// Stores the half that opens, and reserves `numbers` more numbers: [`Opener::reserve`].
    ///
    /// # Errors
    /// [`ReserveError`]: [`NotStored`] if `store` says so.
    fn reserve_opener(
        &mut self,
        numbers: u64,
        attempts: u64,
        bytes: u64,
        store: Store<'_>,
    ) -> Reserved;
}

/// A link with another setting, and nothing of it where it was moved.
fn changed<K: Linked>(
    link: Box<Wiped<Link<K>>>,
    with: impl FnOnce(Link<K>) -> Link<K>,
) -> Box<dyn AnyLink> {
    with_clean_stack(stack_for::<Link<K>>(MOVED), || Wiped::boxed(|| with(link.into_inner())))
}

impl<K: Linked> AnyLink for Wiped<Link<K>> {
    fn tag_bytes(&self) -> usize {
        K::TAG_BYTES
    }

    fn seal(&mut self, message: &[&[u8]], out: &mut [u8]) -> Result<Header, SealError> {
        assert_eq!(out.len(), K::TAG_BYTES, "the MAC fixes the tag's length");
        let (header, tag) = self.sealer.seal(message)?;
        out.copy_from_slice(K::tag_bytes(&tag).as_ref());
        Ok(header)
    }

    fn open(&mut self, header: Header, message: &[&[u8]], tag: &[u8]) -> Result<(), Rejected> {
        let tag = K::Tag::try_from(tag).map_err(|_| Rejected::TooShort)?;
        match message {
            [whole] => self.opener.open(header, &[*whole], &tag).map(drop),
            parts => self.opener.accept(header, parts, &tag),
        }
    }

    fn rekey(&mut self) -> Result<(), SealError> {
        self.sealer.rekey()
    }

    fn extend(&self, short: [u8; Header::SHORT_BYTES]) -> Option<Header> {
        self.opener.extend(short)
    }

    fn counts(&self) -> Counts {
        self.opener.counts()
    }

    fn with_budget(self: Box<Self>, budget: Budget) -> Box<dyn AnyLink> {
        changed(self, |link| Link { opener: link.opener.with_budget(budget), ..link })
    }

    fn with_epoch_limit(self: Box<Self>, limit: u64) -> Box<dyn AnyLink> {
        changed(self, |link| link.with_epoch_limit(limit))
    }

    fn with_longest(self: Box<Self>, bytes: u64) -> Box<dyn AnyLink> {
        changed(self, |link| link.with_longest(bytes))
    }

    fn reserve_sealer(&mut self, messages: u64, bytes: u64, store: Store<'_>) -> Reserved {
        self.sealer.reserve(messages, bytes, |saved| store(&*saved.to_bytes()))
    }

    fn reserve_opener(
        &mut self,
        numbers: u64,
        attempts: u64,
        bytes: u64,
        store: Store<'_>,
    ) -> Reserved {
        let stored = |saved: &SavedOpener| store(&*saved.to_bytes());
        self.opener.reserve(numbers, attempts, bytes, stored)
    }
}

impl core::fmt::Debug for dyn AnyLink + '_ {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("AnyLink")
    }
}
