//! [`Algorithm`]: one entry of the catalogue.

use crate::bounds::{Forgery, ForgeryBound, Probability, Unbounded, Usage};
use crate::key::{AnyKey, Asked, Door, Lengths};
use crate::name::Name;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;
use wegman::hazmat::raw::Nonce;
use wegman::{Cpu, InvalidLength};

/// Parameters, as names and values.
pub(crate) type Parameters = &'static [(&'static str, &'static str)];

/// One algorithm.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Algorithm {
    /// Its name in the papers, for example `UMAC-64`.
    pub name: Name,
    /// One line for people.
    pub summary: &'static str,
    /// When to use it.
    pub status: Status,
    /// Length of the key in bytes.
    pub key_bytes: usize,
    /// Whether it takes keys of other lengths, too, from 1 byte on, as HMAC does.
    pub other_key_lengths: bool,
    /// The nonce lengths that it takes, in bytes, in ascending order; `None` if it takes no nonce. A key takes one of
    /// them.
    pub nonce_bytes: Option<&'static [usize]>,
    /// The tag lengths that a key can have, in bytes. The longest is the default.
    pub tag_bytes: RangeInclusive<usize>,
    /// Its parameters, as names and values.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Its forgery bound.
    pub bound: Bound,
    /// Where it is defined.
    pub source: Source,
    /// How its keys are made.
    pub(crate) door: Door,
}

/// When to use an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// For new designs.
    Recommended,
    /// Sound, and here for interoperability.
    Interop,
    /// Our design, without any review from outside the project: for examination and measurement.
    Experimental,
    /// To reproduce a paper.
    Historical,
    /// A MAC that the papers compare with.
    Comparator,
}

impl Status {
    /// All of them, the best to use first.
    pub const ALL: [Status; 5] = [
        Status::Recommended,
        Status::Interop,
        Status::Experimental,
        Status::Historical,
        Status::Comparator,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Status::Recommended => "recommended",
            Status::Interop => "interop",
            Status::Experimental => "experimental",
            Status::Historical => "historical",
            Status::Comparator => "comparator",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A forgery bound with its assumption and its source.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Bound {
    /// An upper bound on an adversary's probability of success, up to the advantage named in the assumption.
    pub statement: &'static str,
    /// The assumption.
    pub assumption: &'static str,
    /// Where it is proved.
    pub source: &'static str,
    /// The function that gives the bound in numbers: [`Algorithm::forgery`].
    pub forgery: ForgeryBound,
}

/// Where an algorithm is defined.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Source {
    /// The paper or standard.
    pub paper: &'static str,
    /// The section in it.
    pub section: &'static str,
}

/// The most messages or attempts; `None` if even none are too many.
pub type Most = Result<Option<u128>, Unbounded>;

impl Algorithm {
    /// The nonce for a count: a big-endian number in the shortest length that the algorithm takes and that holds every
    /// count. `None` if it takes no nonce.
    #[must_use]
    #[inline]
    pub fn counter(&self, count: u64) -> Option<Nonce> {
        let length = self.nonce_bytes?.iter().find(|&&length| length >= 8)?;
        Some(Nonce::counter_of(*length, count))
    }

    /// The bound on forgeries if one key is used as `usage` says.
    ///
    /// # Errors
    /// [`Unbounded`] if there is no bound, or if no tag has `usage.tag_bits` bits.
    pub fn forgery(&self, usage: &Usage) -> Result<Forgery, Unbounded> {
        let (min, max) = (8 * self.tag_bytes.start(), 8 * self.tag_bytes.end());
        if !(min..=max).contains(&(usage.tag_bits as usize)) {
            return Err(Unbounded::TagBits);
        }
        (self.bound.forgery)(&self.name, usage)
    }

    /// The most messages for which the bound is at most `limit`, with the rest of `usage` unchanged; `None` if the
    /// bound is above `limit` even without messages.
    ///
    /// # Errors
    /// As [`forgery`](Self::forgery).
    pub fn messages_until(&self, usage: &Usage, limit: Probability) -> Most {
        self.forgery(usage)?;
        Ok(self.most(limit, |messages| Usage { messages, ..*usage }))
    }

    /// The most attempts for which the bound is at most `limit`, in the same way.
    ///
    /// # Errors
    /// As [`forgery`](Self::forgery).
    pub fn attempts_until(&self, usage: &Usage, limit: Probability) -> Most {
        self.forgery(usage)?;
        Ok(self.most(limit, |attempts| Usage { attempts, ..*usage }))
    }

    /// The largest number whose usage keeps the bound at most `limit`. More messages or attempts make no term smaller.
    fn most(&self, limit: Probability, usage: impl Fn(u128) -> Usage) -> Option<u128> {
        let keeps = |number| self.forgery(&usage(number)).is_ok_and(|f| f.total() <= limit);
        // Bit by bit, from the highest.
        let bits = (0..u128::BITS).rev().map(|bit| 1 << bit);
        let more = |number: u128, bit| if keeps(number | bit) { number | bit } else { number };
        keeps(0).then(|| bits.fold(0, more))
    }

    /// A key of this algorithm for tags of `tag_bytes` bytes. If it takes nonces, they have the length of
    /// [`counter`](Self::counter).
    ///
    /// # Errors
    /// [`InvalidLength`] if it [takes no key](Self::takes_key_of) as long as `secret`, or if `tag_bytes` is not one of
    /// [`tag_bytes`](Self::tag_bytes).
    pub fn key(
        &self,
        cpu: Cpu,
        secret: &[u8],
        tag_bytes: usize,
    ) -> Result<Arc<dyn AnyKey>, InvalidLength> {
        self.key_with(cpu, secret, tag_bytes, None)
    }

    /// [`key`](Self::key) for nonces of `nonce_bytes` bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] as for [`key`](Self::key), or if the algorithm takes no nonces of that length.
    pub fn key_for_nonces(
        &self,
        cpu: Cpu,
        secret: &[u8],
        tag_bytes: usize,
        nonce_bytes: usize,
    ) -> Result<Arc<dyn AnyKey>, InvalidLength> {
        self.key_with(cpu, secret, tag_bytes, Some(nonce_bytes))
    }

    /// [`key_for_nonces`](Self::key_for_nonces) if a length of nonces is given, else [`key`](Self::key).
    ///
    /// # Errors
    /// [`InvalidLength`] as for these.
    pub fn key_with(
        &self,
        cpu: Cpu,
        secret: &[u8],
        tag_bytes: usize,
        nonce_bytes: Option<usize>,
    ) -> Result<Arc<dyn AnyKey>, InvalidLength> {
        let takes = |bytes| self.nonce_bytes.is_some_and(|lengths| lengths.contains(bytes));
        if !nonce_bytes.as_ref().is_none_or(takes)
            || !self.takes_key_of(secret.len())
            || !self.tag_bytes.contains(&tag_bytes)
        {
            return Err(InvalidLength);
        }
        let usual = || self.counter(0).map_or(0, |nonce| nonce.len());
        let lengths = Lengths { tag_bytes, nonce_bytes: nonce_bytes.unwrap_or_else(usual) };
        Ok((self.door.key)(&self.name, &Asked { cpu, secret, lengths }))
    }

    /// Whether it takes keys of that many bytes: [`key_bytes`](Self::key_bytes), or any number if it takes
    /// [others](Self::other_key_lengths).
    #[must_use]
    pub fn takes_key_of(&self, bytes: usize) -> bool {
        bytes == self.key_bytes || self.other_key_lengths && bytes > 0
    }

    /// Every kernel that this machine can run: its name, and the `Cpu` with which a key chooses it.
    #[must_use]
    pub fn kernels(&self, cpu: Cpu) -> Vec<(&'static str, Cpu)> {
        (self.door.kernels)(&self.name, cpu)
    }
}
