//! Sessions: the counters, replay windows and forgery budgets that a MAC needs around it, so that the safe way is
//! the short one.
//!
//! ```text
//! message - Sender   -> sequence number, tag     owns the counter; refuses at its end and at the key's limit
//! packet  - Receiver -> accepted, or why not     tag first, window after; counts forgeries, closes in time
//! ```
//!
//! | failure in the field | what is here against it |
//! |---|---|
//! | a nonce used twice | the [`Sender`] owns the counter, can't be cloned, and comes back from storage only behind all numbers that it may have used ([`Sender::reserve`]) |
//! | a key used past its bound | every sender has a limit ([`PacketMac::LIMIT`], [`Sender::with_limit`]) |
//! | a replay window moved by a forged packet | [`Receiver::check`] only reads; [`Receiver::open`] moves the window after the tag was right |
//! | a tag length taken from the attacker | the tag's type is the key's |
//! | short tags tried until one fits | each failure is counted against a [`Budget`]; the receiver closes before it is overdrawn |
//!
//! One key, one direction: two peers have two keys, each with one `Sender` on one side and one [`Receiver`] on
//! the other. A sender belongs to one thread; for more threads [`Sender::split`] deals out the numbers.
//! Keys can be borrowed, owned or (feature `alloc`) shared in an `Arc`. Nothing here allocates.
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
//! assert_eq!(receiver.open(sequence, b"a packet", &tag), Ok(()));
//! assert_eq!(receiver.open(sequence, b"a packet", &tag), Err(Rejected::Replayed));
//! # Ok::<(), wegman::session::SealError>(())
//! ```

mod budget;
mod macs;
mod receiver;
mod saved;
mod sender;
mod window;

pub use budget::Budget;
pub use macs::{PADS_LIMIT, PacketMac, SelectiveMac};
pub use receiver::{Counts, Pending, Receiver, Rejected};
pub use saved::{InvalidSaved, Saved};
pub use sender::{SealError, Sender};
pub use window::{Place, Window};
