//! [`Context`]: one EVP_MAC_CTX. What may follow what is decided here, in safe code.

use crate::ffi::Item;
use core::mem;
use core::panic::Location;
use core::ptr::null;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use wegman::session::Owner;
use wegman_catalogue::{Algorithm, AnyKey, AnyTag, Cpu, Nonce, SharedStream};
use zeroize::Zeroizing;

/// Each error: its number and its text in OpenSSL's error queue.
macro_rules! errors {
    ($($name:ident = $number:literal: $text:literal,)*) => {
        /// Why a call failed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub(crate) enum Error {
            $($name = $number,)*
        }

        pub(crate) static REASONS: &[Item] =
            &[$(Item { id: $number, text: $text.as_ptr() },)* Item { id: 0, text: null() }];
    };
}

errors! {
    NoKey = 1: c"no key is set",
    NoNonce = 2: c"no nonce is set: a fresh iv for each message",
    NonceSpent = 3: c"a copy of this context has made a tag under this iv",
    KeyLength = 4: c"the algorithm takes no key of this length",
    NonceLength = 5: c"the algorithm, or this key, takes no iv of this length",
    TagLength = 6: c"the algorithm, or this key, has no tags of this size",
    Room = 7: c"there is no room for the tag",
    Parameter = 8: c"a parameter that the algorithm does not take, or of another type",
    Internal = 9: c"a bug in the provider",
    UnderWay = 10: c"a message is under way: EVP_MAC_init first",
    OtherProcess = 11: c"this process was forked, and its parent makes the tag under this iv: set a fresh one",
}

/// An error, and the line that found it, which OpenSSL prints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    pub(crate) place: &'static Location<'static>,
}

impl From<Error> for Failure {
    #[track_caller]
    fn from(error: Error) -> Failure {
        Failure { error, place: Location::caller() }
    }
}

/// `Ok` if the condition holds, otherwise the error.
fn ensure(holds: bool, error: Error) -> Result<(), Error> {
    if holds { Ok(()) } else { Err(error) }
}

/// Short messages, such as packets, are kept and tagged at once, which is faster than a stream.
const SHORT: usize = 2048;

/// A nonce: one tag is made under it, by this context or one of its copies. It is changed in place: a load waits if its bytes
/// were just stored in pieces.
struct Fresh {
    /// Whether it is set, and no tag was made under it here.
    is_set: bool,
    nonce: Nonce,
    /// Whether a tag was made under the nonce, for this context and its copies. One that was never copied needs no common
    /// memory. Several threads may copy one context at once, so the first of them makes it for all.
    spent: OnceLock<Arc<AtomicBool>>,
    /// The process in which it was set: a fork copies the context, and what its parent spends later.
    owner: Owner,
}

impl Fresh {
    fn unset() -> Fresh {
        let nonce = Nonce::counter(0);
        Fresh { is_set: false, nonce, spent: OnceLock::new(), owner: Owner::this_process() }
    }

    fn set(&mut self, nonce: Nonce) {
        self.nonce = nonce;
        self.spent.take();
        self.owner = Owner::this_process();
        self.is_set = true;
    }

    /// The nonce, if there is one. It is used up, unless a copy did that before, or another process may.
    fn spend(&mut self) -> Result<Option<&Nonce>, Error> {
        if !mem::take(&mut self.is_set) {
            return Ok(None);
        }
        ensure(self.owner.is_this_process(), Error::OtherProcess)?;
        match self.spent.get() {
            Some(spent) if spent.swap(true, Ordering::AcqRel) => Err(Error::NonceSpent),
            _ => Ok(Some(&self.nonce)),
        }
    }

    fn copy(&self) -> Fresh {
        if !self.is_set {
            return Fresh::unset();
        }
        let spent = self.spent.get_or_init(|| Arc::new(AtomicBool::new(false)));
        let spent = OnceLock::from(Arc::clone(spent));
        Fresh { is_set: true, nonce: self.nonce, spent, owner: self.owner }
    }
}

pub(crate) struct Context {
    algorithm: &'static Algorithm,
    cpu: Cpu,
    tag_bytes: usize,
    /// What the key is made of, until it is made: tag and nonce lengths may come after it.
    secret: Option<Zeroizing<Vec<u8>>>,
    key: Option<Arc<dyn AnyKey>>,
    /// Of the key.
    nonce_bytes: usize,
    fresh: Fresh,
    /// Whether a message is under way: then its nonce belongs to it.
    has_begun: bool,
    /// The message, as long as it is short.
    short: Box<Zeroizing<[u8; SHORT]>>,
    length: usize,
    /// The message, if it is longer; otherwise empty. Made once for a key.
    stream: Option<Box<dyn SharedStream>>,
    is_long: bool,
}

impl Context {
    pub(crate) fn new(algorithm: &'static Algorithm) -> Context {
        Context {
            algorithm,
            cpu: Cpu::detect(),
            tag_bytes: *algorithm.tag_bytes.end(),
            secret: None,
            key: None,
            nonce_bytes: 0,
            fresh: Fresh::unset(),
            has_begun: false,
            short: Box::new(Zeroizing::new([0; SHORT])),
            length: 0,
            stream: None,
            is_long: false,
        }
    }

    fn takes_nonces(&self) -> bool {
        self.algorithm.nonce_bytes.is_some()
    }

    pub(crate) fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    /// Sets a key: a new beginning. One that is refused leaves none: whoever ignores that gets no tag under the key before.
    pub(crate) fn set_key(&mut self, secret: &[u8]) -> Result<(), Failure> {
        ensure(!self.has_begun, Error::UnderWay)?; // or it would be the key of a message's end only
        self.stream = None;
        self.key = None;
        self.secret = None;
        if !self.algorithm.takes_key_of(secret.len()) {
            self.fresh.is_set = false;
            return Err(Error::KeyLength.into());
        }
        self.secret = Some(Zeroizing::new(secret.to_vec()));
        Ok(())
    }

    /// Sets the nonce of the next message. One that is refused leaves none.
    pub(crate) fn set_nonce(&mut self, nonce: &[u8]) -> Result<(), Failure> {
        ensure(!self.has_begun, Error::UnderWay)?; // likewise
        self.fresh.is_set = false;
        let lengths = self.algorithm.nonce_bytes.ok_or(Error::Parameter)?;
        // A key has nonces of one length.
        let is_its = self.key.is_none() || nonce.len() == self.nonce_bytes;
        ensure(is_its && lengths.contains(&nonce.len()), Error::NonceLength)?;
        self.fresh.set(Nonce::new(nonce).map_err(|_| Error::NonceLength)?);
        Ok(())
    }

    /// Sets the length of tags. A key has one, so it comes before the first message under the key.
    pub(crate) fn set_tag_bytes(&mut self, bytes: usize) -> Result<(), Failure> {
        let is_fixed = self.key.is_some() && bytes != self.tag_bytes;
        ensure(!is_fixed && self.algorithm.tag_bytes.contains(&bytes), Error::TagLength)?;
        self.tag_bytes = bytes;
        Ok(())
    }

    /// Begins a message. A nonce that was set and not used since then is its nonce.
    pub(crate) fn begin(&mut self) {
        if self.has_begun {
            // A message that was given up takes its nonce with it.
            self.fresh.is_set = false;
            self.reset();
        }
    }

    /// Begins with these parameters, which say what the key and the nonce are. If one of them is refused, no nonce is left,
    /// so that no tag is made with what was there before.
    pub(crate) fn begin_with(
        &mut self,
        set: impl FnOnce(&mut Context) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        self.begin();
        let outcome = set(self);
        if outcome.is_err() {
            self.fresh.is_set = false;
            if !self.takes_nonces() {
                self.key = None;
                self.secret = None;
            }
        }
        outcome
    }

    /// The message so far is gone.
    fn reset(&mut self) {
        self.has_begun = false;
        self.length = 0;
        if self.is_long {
            self.is_long = false;
            if let Some(stream) = &mut self.stream {
                stream.reset();
            }
        }
    }

    /// What has to be there before a message: a key, made now if it was only set, and a nonce.
    fn ready(&mut self) -> Result<(), Failure> {
        let nonce_bytes = match (self.fresh.is_set, self.takes_nonces()) {
            (true, true) => self.fresh.nonce.len(),
            (false, true) if self.key.is_none() && self.secret.is_none() => {
                return Err(Error::NoKey.into());
            }
            (false, true) => return Err(Error::NoNonce.into()),
            (_, false) => 0,
        };
        if self.key.is_none() {
            self.make_key(nonce_bytes)?;
        }
        self.has_begun = true;
        Ok(())
    }

    #[cold]
    fn make_key(&mut self, nonce_bytes: usize) -> Result<(), Failure> {
        let secret = self.secret.take().ok_or(Error::NoKey)?;
        let asked = (nonce_bytes != 0).then_some(nonce_bytes);
        let made = self.algorithm.key_with(self.cpu, &secret, self.tag_bytes, asked);
        self.key = Some(made.map_err(|_| Error::KeyLength)?);
        self.nonce_bytes = nonce_bytes;
        Ok(())
    }

    /// Appends to the message.
    pub(crate) fn update(&mut self, piece: &[u8]) -> Result<(), Failure> {
        self.ready()?;
        if !self.is_long {
            let end = self.length + piece.len();
            if let Some(place) = self.short.get_mut(self.length..end) {
                place.copy_from_slice(piece);
                self.length = end;
                return Ok(());
            }
            self.lengthen()?;
        }
        self.stream.as_mut().ok_or(Error::Internal)?.update(piece);
        Ok(())
    }

    /// Moves the message to the stream.
    fn lengthen(&mut self) -> Result<(), Failure> {
        let key = self.key.as_ref().ok_or(Error::Internal)?;
        let stream = self.stream.get_or_insert_with(|| Arc::clone(key).shared_stream());
        stream.update(&self.short[..self.length]);
        self.is_long = true;
        Ok(())
    }

    /// Writes the tag to the beginning of `out` and ends the message.
    pub(crate) fn finish(&mut self, out: &mut [u8]) -> Result<usize, Failure> {
        self.ready()?;
        let out = out.get_mut(..self.tag_bytes).ok_or(Error::Room)?;
        let nonce = self.fresh.spend()?;
        let key = self.key.as_ref().ok_or(Error::Internal)?;
        let made = if self.is_long {
            let stream = self.stream.as_mut().ok_or(Error::Internal)?;
            stream.finish_reset(nonce, out)
        } else {
            key.tag_into(nonce, &self.short[..self.length], out)
        };
        self.reset();
        made.map_err(|_| Error::Internal)?;
        debug_assert!(self.tag_bytes <= AnyTag::MAX);
        Ok(self.tag_bytes)
    }

    /// A copy with the same message so far. Only one of the two can finish under the nonce that is set.
    pub(crate) fn copy(&self) -> Context {
        let mut short = Box::new(Zeroizing::new([0; SHORT]));
        short[..self.length].copy_from_slice(&self.short[..self.length]);
        Context {
            algorithm: self.algorithm,
            cpu: self.cpu,
            tag_bytes: self.tag_bytes,
            secret: self.secret.clone(),
            key: self.key.clone(),
            nonce_bytes: self.nonce_bytes,
            fresh: self.fresh.copy(),
            has_begun: self.has_begun,
            short,
            length: self.length,
            stream: self.stream.as_ref().filter(|_| self.is_long).map(|stream| stream.copy()),
            is_long: self.is_long,
        }
    }
}
