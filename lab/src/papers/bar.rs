//! Progress on a terminal, and Ctrl-C.

use crate::papers::run::Watch;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Progress on a terminal, and Ctrl-C.
pub struct Bar {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl Bar {
    pub fn new() -> Bar {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %, {eta} left  {msg}");
        bar.set_style(style.expect("a good template"));
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        // A program has one handler: if there is one already, it stays.
        let _ = ctrlc::set_handler(move || {
            if asked.swap(true, Ordering::Relaxed) {
                process::exit(130);
            }
            eprintln!(
                "\nstopping after this group; Ctrl-C again stops at once, and loses only that"
            );
        });
        Bar { bar, stop }
    }

    /// Removes it from the terminal.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// The time that is done.
    pub fn done(&self) -> Duration {
        Duration::from_millis(self.bar.position())
    }
}

impl Watch for Bar {
    fn begin(&mut self, whole: Duration) {
        self.bar.set_length(whole.as_millis() as u64);
        self.bar.reset_eta();
    }

    fn tell(&mut self, done: Duration, what: &str) {
        self.bar.set_message(what.to_owned());
        self.bar.set_position(done.as_millis() as u64);
    }

    fn stops(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
