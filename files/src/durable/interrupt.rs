//! What an interrupt (SIGINT, SIGTERM) needs: the unfinished file, which the command removes then, and what is left to do.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The file being written now, not yet in its place.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// What to say on an interrupt that leaves this file.
static ADVICE: Mutex<Option<(PathBuf, String)>> = Mutex::new(None);

/// An interrupt waits while this is held.
pub fn unfinished() -> MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to say on an interrupt. While [`unfinished`] is held, no file takes the place that this looks at.
pub fn advice() -> Option<String> {
    let advice = ADVICE.lock().unwrap_or_else(PoisonError::into_inner);
    let (left, text) = advice.as_ref()?;
    left.symlink_metadata().is_ok().then(|| text.clone())
}

/// From now on, an interrupt may leave this file, and the text says what to do then. `None`: no longer.
pub fn advise(advice: Option<(PathBuf, String)>) {
    *ADVICE.lock().unwrap_or_else(PoisonError::into_inner) = advice;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before a journal is in its place, nothing can complete the edit.
    #[test]
    fn nothing_is_said_of_a_file_that_is_not_left() {
        let directory = tempfile::tempdir().unwrap();
        let journal = directory.path().join("journal");
        advise(Some((journal.clone(), "finish".to_owned())));
        assert_eq!(advice(), None);
        std::fs::write(&journal, "").unwrap();
        assert_eq!(advice().as_deref(), Some("finish"));
        advise(None);
        assert_eq!(advice(), None);
    }
}
