//! The journal of an edit: all that is needed to do it again. `docs/manifest.md` of `wegman-cli` has the format.
//!
//! It is sealed like a manifest, under a key of its own: otherwise anybody who can write beside a manifest could put a tag
//! of their choice into it.

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
/// Bytes of details: two names and tags are much shorter.
const MAX_DETAILS: u64 = 1 << 16;

/// The first line. After it come the new bytes, the details and the [end](End).
pub fn header(key: &KeyFile) -> String {
    format!("{HEADER}{}\n", key.describe())
}

/// The line after details of so many bytes: the last that the seal covers.
pub fn details_line(bytes: usize) -> String {
    format!("{DETAILS}{bytes:0DIGITS$}\n")
}

/// The last line.
pub fn seal_line(seal: &AnyTag) -> String {
    format!("{SEAL}{seal}\n")
}

/// The last two lines.
pub struct End {
    /// Where the details begin: there the new bytes end.
    pub details: u64,
    /// Where these lines begin.
    pub at: u64,
    /// How many of their bytes the seal covers.
    pub covered: usize,
    pub seal: AnyTag,
}

impl End {
    /// How many bytes they have.
    pub fn bytes(key: &KeyFile) -> usize {
        DETAILS_LINE + SEAL.len() + 2 * key.tag_bytes + 1
    }

    /// Reads them. The journal has `size` bytes.
    ///
    /// # Errors
    /// If this is not the end of a journal of this key.
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

/// What an edit does, all but the new bytes.
pub struct Details {
    pub name: OsString,
    /// The file's tag before and after.
    pub old: Stamp,
    pub new: Stamp,
    /// How many bytes go where.
    pub bytes: u64,
    pub at: u64,
    /// The file's size before and after.
    pub from: u64,
    pub to: u64,
}

impl Details {
    /// The lines of it.
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
