//! Forgery bounds in numbers: the theorems of the papers, and the bound that they give for each algorithm.
//!
//! [`theorems`] and [`families`] have one function for each theorem.
//! [`Algorithm::forgery`](crate::Algorithm::forgery) combines them for an algorithm and a [`Usage`]: the number of
//! messages under one key, their length, and the number of attempts. The bound of each algorithm is in its entry.
//! docs/bounds.md explains the terms; `wegman bounds` prints them.
//!
//! Every number is an upper bound and is computed as one: exactly, or rounded up ([`Probability`]).
//!
//! ```
//! use wegman_catalogue::bounds::{Probability, Usage};
//! use wegman_catalogue::find;
//!
//! let pmac = find("PMAC-AES128").expect("listed");
//! let usage = Usage { messages: 1 << 32, message_bytes: 1024, attempts: 1, tag_bits: 128 };
//! let forgery = pmac.forgery(&usage)?;
//! assert!(forgery.total() < Probability::half_to(50));
//!
//! // The most messages for which the bound is at most 2^-40.
//! let messages = pmac.messages_until(&usage, Probability::half_to(40))?.expect("some");
//! assert_eq!(messages, 194_368_031_997);
//! # Ok::<(), wegman_catalogue::bounds::Unbounded>(())
//! ```

pub mod families;
mod probability;
pub(crate) mod terms;
pub mod theorems;

pub use probability::{Log2, Probability};

use alloc::vec::Vec;
use core::fmt;

/// How one key is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// How many messages are tagged.
    pub messages: u128,
    /// The length in bytes of the longest message, tagged or tried.
    pub message_bytes: u128,
    /// The number of forgery attempts: messages with tags that a receiver is asked to verify.
    pub attempts: u128,
    /// The length of a tag in bits.
    pub tag_bits: u32,
}

impl Usage {
    /// Messages tagged and messages tried.
    pub(crate) const fn seen(&self) -> u128 {
        self.messages.saturating_add(self.attempts)
    }
}

/// The bound of an algorithm as a function of how a key is used. It receives the algorithm's name, since one function
/// serves a family whose parameters are in the name.
pub type ForgeryBound = fn(name: &str, usage: &Usage) -> Result<Forgery, Unbounded>;

/// Why there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unbounded {
    /// The algorithm has no tags of this many bits.
    TagBits,
    /// No bound is proved, or none exists; the text says why.
    NoProof(&'static str),
}

impl fmt::Display for Unbounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unbounded::TagBits => "the algorithm has no tags of so many bits",
            Unbounded::NoProof(why) => why,
        })
    }
}

impl core::error::Error for Unbounded {}

/// One term of a bound: one way in which a forgery can succeed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Term {
    /// What happens in this case.
    pub name: &'static str,
    /// The term as a formula: q messages, v attempts, t tag bits, and the [`Letter`]s.
    pub formula: &'static str,
    /// Where it is proved.
    pub source: &'static str,
    /// The term in numbers.
    pub probability: Probability,
}

/// A letter of the formulas.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Letter {
    /// The letter.
    pub name: &'static str,
    /// What it stands for.
    pub meaning: &'static str,
    /// Its value.
    pub value: u128,
}

/// The bound on the probability that at least one attempt succeeds, up to the advantages.
#[derive(Clone, Debug)]
pub struct Forgery {
    terms: Vec<Term>,
    letters: Vec<Letter>,
    advantages: &'static str,
    most_messages: Option<u128>,
}

impl Forgery {
    /// The terms of the bound.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The letters of the formulas.
    #[must_use]
    pub fn letters(&self) -> &[Letter] {
        &self.letters
    }

    /// The advantages of attacks on the primitive, which must be added and are not known as numbers.
    #[must_use]
    pub fn advantages(&self) -> &'static str {
        self.advantages
    }

    /// The most messages that we advise for one key, whatever the sum allows; `None` if the sum decides. It is for
    /// hashes with pads of AES, whose cost is a factor that stays small and then grows fast. Senders in sessions also
    /// stop there ([`PADS_LIMIT`](wegman::bound::PADS_LIMIT)).
    #[must_use]
    pub fn most_messages(&self) -> Option<u128> {
        self.most_messages
    }

    /// The sum of the terms.
    #[must_use]
    pub fn total(&self) -> Probability {
        self.terms().iter().map(|term| term.probability).sum()
    }
}
