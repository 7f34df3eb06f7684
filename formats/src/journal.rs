//! The journal of an edit: everything needed to repeat it. `docs/manifest.md` of `wegman-cli` has the format.
//!
//! It is sealed like a manifest, under its own key, so that write access beside a manifest does not let anyone put a
//! tag into it.

use crate::hex;
use crate::keyfile::KeyFile;
use crate::manifest::{Entry, Stamp, entry_line, parse_entry};
use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use wegman_catalogue::AnyTag;

/// What journals of any version begin with.
pub const MARK: &str = "# wegman edit ";
const HEADER: &str = "# wegman edit 1: ";
const SEAL: &str = "# wegman seal = ";
const DETAILS: &str = "# details ";
/// Digits of the line that says how long the details are.
const DIGITS: usize = 10;
/// Bytes of the line before the seal.
const DETAILS_LINE: usize = DETAILS.len() + DIGITS + 1;
/// The most bytes of details; two names and tags are much shorter.
const MAX_DETAILS: u64 = 1 << 16;

/// The first line. The new bytes, the details and the [end](End) follow it.
pub fn header(key: &KeyFile) -> String {
    format!("{HEADER}{}\n", key.describe())
}

/// The line after `bytes` bytes of details, which is the last that the seal covers.
pub fn details_line(bytes: usize) -> String {
    format!("{DETAILS}{bytes:0DIGITS$}\n")
}

/// The last line.
pub fn seal_line(seal: &AnyTag) -> String {
    format!("{SEAL}{seal}\n")
}

/// The last two lines.
pub struct End {
    /// The offset at which the new bytes end and the details begin.
    pub details: u64,
    /// The offset at which these lines begin.
    pub at: u64,
    /// The number of their bytes that the seal covers.
    pub covered: usize,
    pub seal: AnyTag,
}

impl End {
    /// How many bytes they have.
    pub fn bytes(key: &KeyFile) -> usize {
        DETAILS_LINE + SEAL.len() + 2 * key.tag_bytes + 1
    }

    /// Reads the last two lines of a journal of `size` bytes.
    ///
    /// # Errors
    /// If they are not the end of a journal of this key.
    pub fn parse(text: &[u8], size: u64, key: &KeyFile) -> Result<End> {
        let (length_line, seal) = text.split_at_checked(DETAILS_LINE).context("it is cut off")?;
        let seal = seal.strip_prefix(SEAL.as_bytes()).and_then(|seal| seal.strip_suffix(b"\n"));
        let seal = hex::decode_lower(seal.context("it ends without a seal: it is cut off")?)?;
        let length = length_line.strip_prefix(DETAILS.as_bytes()).map(<[u8]>::trim_ascii_end);
        let length = length.and_then(|digits| str::from_utf8(digits).ok()?.parse::<u64>().ok());
        let at = size.checked_sub(text.len() as u64).context("it is cut off")?;
        let details = length.filter(|length| *length <= MAX_DETAILS);
        let details = details.and_then(|length| at.checked_sub(length));
        let details = details.filter(|details| *details >= header(key).len() as u64);
        let details = details.context("its details are malformed")?;
        Ok(End { details, at, covered: DETAILS_LINE, seal: AnyTag::new(&seal)? })
    }
}

/// An edit without its new bytes.
#[derive(Clone)]
pub struct Details {
    pub name: OsString,
    /// The file's tag before and after.
    pub old: Stamp,
    pub new: Stamp,
    /// The number of new bytes, and their offset in the file.
    pub bytes: u64,
    pub at: u64,
    /// The file's size before and after.
    pub from: u64,
    pub to: u64,
}

impl Details {
    /// Its lines in a journal.
    pub fn text(&self, key: &KeyFile) -> Vec<u8> {
        let Details { name, old, new, bytes, at, from, to } = self;
        let numbers = format!("# write {bytes} at {at}, size {from} to {to}\n").into_bytes();
        let line = |stamp| entry_line(&key.algorithm.name, name, stamp);
        [&line(old)[..], b"\n", &line(new), b"\n", &numbers].concat()
    }

    /// Reads what [`text`](Self::text) wrote.
    pub fn parse(text: &[u8], key: &KeyFile) -> Result<Details> {
        let mut lines = text.split(|&byte| byte == b'\n');
        let mut line = || lines.next().context("a line is missing");
        let (old, new) = (parse_entry(line()?, key)?, parse_entry(line()?, key)?);
        let words = str::from_utf8(line()?)?.split([' ', ',']);
        let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
        let [bytes, at, from, to] = numbers[..] else { bail!("it should have four numbers") };
        let Entry { name, stamp: new, .. } = new;
        let details = Details { name, old: old.stamp, new, bytes, at, from, to };
        ensure!(details.text(key) == text, "its details are malformed");
        ensure!(
            at.checked_add(bytes).is_some_and(|end| end <= to),
            "its numbers contradict each other"
        );
        Ok(details)
    }
}
