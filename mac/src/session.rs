//! Sessions: the counters, replay windows and forgery budgets that a protocol needs around a MAC. The safe use is also
//! the shortest.
//!
//! ```text
//! message - Sender   -> sequence number, tag     owns the counter; refuses at its end and at the key's limit
//! packet  - Receiver -> accepted, or why not     checks the tag, then moves the window; counts failed attempts
//! ```
//!
//! | failure in practice | protection |
//! |---|---|
//! | a nonce used twice | the [`Sender`] owns the counter and can't be cloned; restored from storage, it starts after all numbers that it may have used ([`Sender::reserve`]) |
//! | a nonce used by a process and by its fork | sessions of a process refuse to work in its child ([`SealError::OtherProcess`], [`Rejected::OtherProcess`]); an [`Owner`] does this for your own counters |
//! | a key used beyond its bound | every sender has a limit ([`PacketMac::LIMIT`], [`Sender::with_limit`]) |
//! | a replay window moved by a forged packet | [`Receiver::check`] only reads; [`Receiver::open`] moves the window only if the tag is right |
//! | a tag length chosen by the attacker | the key's type fixes the type of the tag |
//! | short tags tried until one fits | each failure counts against a [`Budget`]; the receiver closes before the budget is exceeded |
//!
//! Start with `Link` (feature `link`): both directions of a channel from one secret, with keys that change.
//!
//! A key serves one direction. So two peers have two keys, each with one `Sender` at one end and one [`Receiver`] at
//! the other. A sender belongs to one thread; `SharedSender` is one counter for many, and [`Sender::split`] divides its
//! numbers. Keys can be borrowed, owned or, with the feature `alloc`, shared in an `Arc` or `Rc`. Only `Link`
//! allocates.
//!
//! ```
//! use wegman::session::{Budget, Receiver, Rejected, Sender};
//! use wegman::umac;
//!
//! let key = umac::Key::<8>::new(b"sixteen byte key");
//! let mut sender = Sender::new(&key, 1);
//! let mut receiver: Receiver<_> = Receiver::new(&key, 1, Budget::close_at(40));
//!
//! let (sequence, tag) = sender.seal(b"a packet")?;
//! assert_eq!(receiver.open(sequence, b"a pocket", &tag), Err(Rejected::Forged));
//! assert_eq!(receiver.open(sequence, b"a packet", &tag)?.message(), b"a packet");
//! assert_eq!(receiver.open(sequence, b"a packet", &tag), Err(Rejected::Replayed));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod authentic;
mod budget;
mod channel;
pub mod laws;
mod ledger;
#[cfg(feature = "link")]
mod link;
mod macs;
mod owner;
#[cfg(feature = "digest")]
mod prefixed;
mod receiver;
mod rejected;
mod saved;
mod sender;
#[cfg(target_has_atomic = "64")]
mod shared;
mod window;

pub use authentic::Authentic;
pub use budget::Budget;
#[cfg(feature = "link")]
pub use link::{Header, Link, LinkKey, Opener, Role, SavedOpener, SavedSealer, Sealer};
pub use macs::{END, PacketMac, key_id};
pub use owner::{OtherProcess, Owner};
#[cfg(feature = "digest")]
pub use prefixed::Prefixed;
pub use receiver::Receiver;
pub use rejected::{Counts, Rejected};
pub use saved::{InvalidSaved, ReserveError, Saved, SavedReceiver, WrongKey};
pub use sender::{SealError, Sender};
#[cfg(target_has_atomic = "64")]
pub use shared::SharedSender;
pub use window::{Place, Window};
