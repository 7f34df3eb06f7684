//! What an interrupt (SIGINT, SIGTERM) does: it removes the unfinished file, and says what is left to do.

use crate::output::say;
use std::fs;
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

fn advice() -> MutexGuard<'static, Option<String>> {
    ADVICE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on, an interrupt leaves something unfinished, and this says what to do then. `None`: no longer.
pub fn advise(text: Option<String>) {
    *advice() = text;
}

/// On an interrupt: no half-written file stays behind, and none takes its place afterwards.
pub fn handle() {
    let handler = || {
        // Held until the end.
        let unfinished = unfinished();
        if let Some(path) = unfinished.as_ref() {
            let _ = fs::remove_file(path);
        }
        if let Some(advice) = advice().as_ref() {
            say(advice);
        }
        std::process::exit(130);
    };
    // Without a handler an interrupt still ends the program; only a temporary file stays behind.
    let _ = ctrlc::set_handler(handler);
}
