//! What is said of an edit.

use super::editor::{Done, Edited, OtherNames};
use super::in_bytes;
use crate::names::shown;
use crate::output::screen::Screen;
use crate::output::{Exit, say};
use crate::report::{FileRecord, Tally};
use crate::stored::journal;
use anyhow::Result;
use std::ffi::OsStr;
use std::path::Path;
use wegman_formats::journal::Details;

const OUTCOMES: [&str; 5] = ["edited", "unchanged", "refused", "interrupted", "failed"];

pub struct Report<'a> {
    command: &'static str,
    screen: Screen,
    tally: Tally,
    /// The file's name; none if it is that of a journal.
    name: &'a OsStr,
    manifest: &'a Path,
    /// Whether an edit that is done is passed over in silence.
    quiet: bool,
    /// What is said even then.
    warnings: Vec<String>,
}

impl<'a> Report<'a> {
    pub fn new(
        command: &'static str,
        screen: Screen,
        name: &'a OsStr,
        manifest: &'a Path,
        quiet: bool,
    ) -> Report<'a> {
        let (tally, warnings) = (Tally::new(command, &OUTCOMES), Vec::new());
        Report { command, screen, tally, name, manifest, quiet, warnings }
    }

    /// Says what was done.
    pub fn end(mut self, done: Result<Done>) -> Result<Exit> {
        let about = done.as_ref().ok().and_then(Option::as_ref).map(|edited| edited.about.clone());
        let (exit, message) = match done {
            Ok(Some(edited)) => self.edited(&edited),
            Ok(None) => (Exit::Good, self.unchanged()),
            Err(error) => {
                let exit = Exit::after(&error);
                let is_left = exit == Exit::Error && journal::place(self.manifest).exists();
                let status = if is_left { "interrupted" } else { "refused" };
                (exit, self.stopped(status, &error))
            }
        };
        let mut record = self.tally.record(exit);
        record["serial"] = about.as_ref().map(|about| about.serial).into();
        self.screen.record(&record);
        let finished = self.screen.finish(exit);
        self.warnings.iter().for_each(|warning| say(warning));
        if !self.quiet || exit != Exit::Good {
            say(&message);
            about.iter().for_each(|about| say(&format!("{}: {about}", shown(self.manifest))));
        }
        finished
    }

    fn edited(&mut self, edited: &Edited) -> (Exit, String) {
        let Edited { details, names, is_good, .. } = edited;
        let (status, exit) = match is_good {
            Some(false) => ("failed", Exit::Bad),
            _ => ("edited", Exit::Good),
        };
        self.tally.add(status);
        self.screen.record(&FileRecord::new(&details.name, status).stamp(&details.new));
        self.others(details, names);
        let &Details { ref name, bytes, at, from, to, .. } = details;
        let what =
            if bytes > 0 { format!("wrote {} at {at}; ", in_bytes(bytes)) } else { "".into() };
        let rest = match is_good {
            Some(true) => "; all of it matches its tag",
            Some(false) => "; the edit is complete, but the file does not match its tag",
            None if self.command == "finish" => {
                "; the rest of it was not read: `wegman check` does that"
            }
            None => "",
        };
        let size = in_bytes(to);
        (exit, format!("{}: {what}it has {size} now, had {from}{rest}", shown(name)))
    }

    /// The file's other names: whoever edits it may not know of them.
    fn others(&mut self, details: &Details, names: &OtherNames) {
        let name = shown(&details.name);
        for (names, what) in [
            (&names.same, "it has the new tag there, too"),
            (&names.other, "it has another tag there, which was not changed"),
        ] {
            let list: Vec<String> = names.iter().map(shown).collect();
            if !list.is_empty() {
                let list = list.join(", ");
                let warning = format!("{name}: the manifest also names this file {list}; {what}");
                self.warnings.push(warning);
            }
        }
        for name in &names.same {
            self.tally.add("edited");
            self.screen.record(&FileRecord::new(name, "edited").stamp(&details.new));
        }
    }

    fn unchanged(&mut self) -> String {
        self.tally.add("unchanged");
        if self.name.is_empty() {
            return "no edit was interrupted: nothing to finish".to_owned();
        }
        self.screen.record(&FileRecord::new(self.name, "unchanged"));
        format!("{}: nothing to change", shown(self.name))
    }

    fn stopped(&mut self, status: &'static str, error: &anyhow::Error) -> String {
        self.tally.add(status);
        let error = format!("{error:#}");
        if !self.name.is_empty() {
            self.screen.record(&FileRecord::new(self.name, status).with("error", error.as_str()));
        }
        error
    }
}
