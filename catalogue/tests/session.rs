//! Sessions: every MAC in them, senders and receivers against simple models, restarts.

#[path = "session/macs.rs"]
mod macs;
#[path = "session/receiver.rs"]
mod receiver;
#[path = "session/restart.rs"]
mod restart;
#[path = "session/sender.rs"]
mod sender;

use wegman::umac;
use wegman_reference::inputs::Random;

type Key = umac::Key<4>;

/// The cheapest key of the library, for long runs.
fn key() -> Key {
    Key::new(b"abcdefghijklmnop")
}
