//! What an interrupt (SIGINT, SIGTERM) needs: the unfinished file, which the command removes then, and what is left to do.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The file being written now, not yet in its place.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// What to say on an interrupt.
static ADVICE: Mutex<Option<String>> = Mutex::new(None);

/// An interrupt waits while this is held.
pub fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to say on an interrupt.
pub fn advice() -> MutexGuard<'static, Option<String>> {
    ADVICE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, an interrupt leaves something unfinished, and this says what to do then. `None`: no longer.
pub fn advise(text: Option<String>) {
    *advice() = text;
}
