//! [`Algorithm`]: one entry of the catalogue.

use crate::bounds::{Forgery, ForgeryBound, Probability, Unbounded, Usage};
use crate::key::{AnyKey, Door};
use crate::name::Name;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;
use wegman::hazmat::raw::counter;
use wegman::{Cpu, InvalidLength, Nonce};

/// One algorithm.
#[derive(Clone, Debug)]
pub struct Algorithm {
    /// Its name in the papers, for example `UMAC-64`.
    pub name: Name,
    /// One line for people.
    pub summary: &'static str,
    /// When to use it.
    pub status: Status,
    /// Length of the key in bytes.
    pub key_bytes: usize,
    /// Lengths of nonce it takes, in bytes and in rising order; `None` if it takes no nonce. All nonces under one
    /// key should have one length: [`Nonce`] says why.
    pub nonce_bytes: Option<&'static [usize]>,
    /// Lengths of tag a key may be fixed to, in bytes. The longest is the default.
    pub tag_bytes: RangeInclusive<usize>,
    /// What it is made of, as names and values.
    pub parameters: &'static [(&'static str, &'static str)],
    /// How far it may be trusted.
    pub bound: Bound,
    /// Where it is defined.
    pub source: Source,
    /// How keys of it are made.
    pub(crate) door: Door,
}

/// When to use an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// For new designs.
    Recommended,
    /// Sound, here because others speak it.
    Interop,
    /// Ours, without any review from outside: to be examined and measured.
    Experimental,
    /// To reproduce a paper.
    Historical,
    /// What the papers measure against.
    Comparator,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Status::Recommended => "recommended",
            Status::Interop => "interop",
            Status::Experimental => "experimental",
            Status::Historical => "historical",
            Status::Comparator => "comparator",
        })
    }
}

impl Algorithm {
    /// The nonce that stands for a count: the big-endian form of a number, of the shortest length it takes that has
    /// room for every count. `None` if it takes no nonce.
    #[must_use]
    #[inline]
    pub fn counter(&self, count: u64) -> Option<Nonce> {
        let length = self.nonce_bytes?.iter().find(|&&length| length >= 8)?;
        Some(counter(*length, count))
    }
}

/// A forgery bound: never without its assumption and its source.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// An upper bound on an adversary's success, up to the advantage the assumption speaks of.
    pub statement: &'static str,
    /// What must hold for the bound to hold.
    pub assumption: &'static str,
    /// Where it is proved.
    pub source: &'static str,
    /// What gives its numbers, by the algorithm's name: [`Algorithm::forgery`].
    pub forgery: ForgeryBound,
}

/// Where an algorithm is defined.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The paper or standard.
    pub paper: &'static str,
    /// The section in it.
    pub section: &'static str,
}

impl Algorithm {
    /// The bound on forgeries if one key is used so.
    ///
    /// # Errors
    /// [`Unbounded`] if there is none, or no tag has so many bits.
    pub fn forgery(&self, usage: &Usage) -> Result<Forgery, Unbounded> {
        let (min, max) = (8 * self.tag_bytes.start(), 8 * self.tag_bytes.end());
        if !(min..=max).contains(&(usage.tag_bits as usize)) {
            return Err(Unbounded::TagBits);
        }
        (self.bound.forgery)(&self.name, usage)
    }

    /// The most messages for which the bound is at most `limit`, all else of `usage` being as it is; `None` if it is
    /// larger even without messages.
    ///
    /// # Errors
    /// As [`forgery`](Self::forgery).
    pub fn messages_until(
        &self,
        usage: &Usage,
        limit: Probability,
    ) -> Result<Option<u128>, Unbounded> {
        self.forgery(usage)?;
        Ok(self.most(limit, |messages| Usage { messages, ..*usage }))
    }

    /// The most attempts for which the bound is at most `limit`, likewise.
    ///
    /// # Errors
    /// As [`forgery`](Self::forgery).
    pub fn attempts_until(
        &self,
        usage: &Usage,
        limit: Probability,
    ) -> Result<Option<u128>, Unbounded> {
        self.forgery(usage)?;
        Ok(self.most(limit, |attempts| Usage { attempts, ..*usage }))
    }

    /// The largest number whose usage keeps the limit. No term becomes smaller when messages or attempts are added.
    fn most(&self, limit: Probability, usage: impl Fn(u128) -> Usage) -> Option<u128> {
        let keeps = |number| self.forgery(&usage(number)).is_ok_and(|f| f.total() <= limit);
        if !keeps(0) {
            return None;
        }
        // Bit by bit, the highest first.
        Some(
            (0..u128::BITS)
                .rev()
                .map(|bit| 1 << bit)
                .fold(0, |number, bit| if keeps(number | bit) { number | bit } else { number }),
        )
    }
}

impl Algorithm {
    /// A key of this algorithm for tags of `tag_bytes` bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] if `secret` is not [`key_bytes`](Self::key_bytes) long or `tag_bytes` not
    /// among [`tag_bytes`](Self::tag_bytes).
    pub fn key(
        &self,
        cpu: Cpu,
        secret: &[u8],
        tag_bytes: usize,
    ) -> Result<Box<dyn AnyKey>, InvalidLength> {
        if secret.len() != self.key_bytes || !self.tag_bytes.contains(&tag_bytes) {
            return Err(InvalidLength);
        }
        (self.door.key)(&self.name, cpu, secret, tag_bytes)
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    #[must_use]
    pub fn kernels(&self, cpu: Cpu) -> Vec<(&'static str, Cpu)> {
        (self.door.kernels)(&self.name, cpu)
    }
}
