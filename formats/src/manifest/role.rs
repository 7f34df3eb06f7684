//! [`Role`]: whether a manifest stands alone, is a shard of a large one, or the root over its shards.

use super::MARK;
use crate::hex;
use crate::keyfile::{KeyFile, Purpose};
use anyhow::{Result, anyhow};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::{fmt, io};
use wegman_catalogue::AnyKey;

const HEADER: &str = "# wegman manifest 2: ";
/// The first line of format 1, without directories, attributes and serial numbers. It is still read.
pub const FIRST_HEADER: &str = "# wegman manifest 1: ";
/// The first line of shards and roots.
const PARTED_HEADER: &str = "# wegman manifest 3: ";
const ROOT: &str = ", root";
const SHARD: &str = ", shard ";
/// Digits of a shard's id.
const ID_DIGITS: usize = 16;

/// The role of a manifest, which its first line names. Shards and roots have only files, sorted by the bytes of their
/// names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It stands alone.
    #[default]
    Plain,
    /// It has a part of the files. Their tags are under a key derived from its id.
    Shard(String),
    /// Its files are shards.
    Root,
}

impl Role {
    /// The role of the shard with this id; `None` if it is no id.
    pub fn shard(id: &str) -> Option<Role> {
        hex::has_digits(id, ID_DIGITS).then(|| Role::Shard(id.to_owned()))
    }

    /// The key of its files' tags.
    pub fn files_key(&self, key: &KeyFile) -> Arc<dyn AnyKey> {
        key.derive(match self {
            Role::Plain | Role::Root => Purpose::Files,
            Role::Shard(id) => Purpose::Shard(id),
        })
    }

    /// The first line of a manifest.
    pub(super) fn header(&self, key: &KeyFile) -> String {
        let of = key.describe();
        match self {
            Role::Plain => format!("{HEADER}{of}"),
            Role::Shard(id) => format!("{PARTED_HEADER}{of}{SHARD}{id}"),
            Role::Root => format!("{PARTED_HEADER}{of}{ROOT}"),
        }
    }

    /// Reads the first line, and refuses other files and other keys' manifests.
    pub(super) fn parse(first: &[u8], key: &KeyFile) -> Result<Role, Refusal> {
        let line = first.strip_suffix(b"\n").and_then(|line| str::from_utf8(line).ok());
        let split = line.and_then(split);
        match split {
            Some((of, role)) if of == key.describe() => Ok(role),
            Some((of, _)) if made_with(of.as_bytes()).is_some() => Err(Refusal::Key(anyhow!(
                "it was made with {of}, but the key given is {}: use the key that made it",
                key.describe()
            ))),
            _ if first.starts_with(MARK.as_bytes()) && first.ends_with(b"\r\n") => {
                Err(Refusal::Forged(anyhow!(
                    "its line ends are CRLF: copy it again as it was made, or remove them with `tr -d '\\r'`"
                )))
            }
            _ => Err(Refusal::Forged(anyhow!(
                "{}line 1 is damaged: a manifest of this version and key begins with `{}`",
                if first.starts_with(MARK.as_bytes()) { "" } else { "it is not a manifest, or " },
                Role::Plain.header(key)
            ))),
        }
    }
}

/// Why a manifest was not accepted.
pub enum Refusal {
    /// It could not be read.
    Unreadable(io::Error),
    /// Another key or another version made it, so nothing is known about its files.
    Key(anyhow::Error),
    /// It was altered after it was sealed.
    Forged(anyhow::Error),
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Refusal {
        Refusal::Forged(error)
    }
}

/// [`Refusal::Forged`], as an error of any function: nothing in what was read is believed.
#[derive(Debug)]
pub struct Refused(pub String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl From<Refusal> for anyhow::Error {
    fn from(refusal: Refusal) -> anyhow::Error {
        match refusal {
            Refusal::Unreadable(error) => error.into(),
            Refusal::Key(error) => error,
            Refusal::Forged(error) => Refused(format!("{error:#}")).into(),
        }
    }
}

/// The keys of the files' tags in a manifest, or in a root's shards.
#[derive(Default)]
pub struct FileKeys {
    /// The first name of each shard, in their order, and the shard's key.
    shards: Vec<(OsString, Arc<dyn AnyKey>)>,
}

impl FileKeys {
    /// The one key of a manifest that is no root.
    pub fn of(role: &Role, key: &KeyFile) -> FileKeys {
        FileKeys { shards: vec![(OsString::new(), role.files_key(key))] }
    }

    /// The key of the shard that follows.
    pub fn push(&mut self, first: OsString, key: Arc<dyn AnyKey>) {
        self.shards.push((first, key));
    }

    /// Which shard has, or would have, a file of this name.
    pub fn shard_of(&self, name: &OsStr) -> usize {
        self.shards.partition_point(|(first, _)| **first <= *name).saturating_sub(1)
    }

    /// The key for a file of this name.
    ///
    /// # Panics
    /// If there are no shards: then there are no names either.
    pub fn key_of(&self, name: &OsStr) -> &dyn AnyKey {
        &*self.shards[self.shard_of(name)].1
    }
}

/// A first line's key and role.
fn split(line: &str) -> Option<(&str, Role)> {
    if let Some(of) = line.strip_prefix(HEADER).or_else(|| line.strip_prefix(FIRST_HEADER)) {
        return Some((of, Role::Plain));
    }
    let rest = line.strip_prefix(PARTED_HEADER)?;
    if let Some(of) = rest.strip_suffix(ROOT) {
        return Some((of, Role::Root));
    }
    let (of, id) = rest.rsplit_once(SHARD)?;
    Some((of, Role::shard(id)?))
}

/// What a whole first line says of its key, `key 0123456789abcdef, NAME, N-bit tags`. Nothing else
/// of an unverified manifest is repeated in a message.
pub fn made_with(rest: &[u8]) -> Option<&str> {
    let text = str::from_utf8(rest).ok()?;
    let mut parts = text.strip_prefix("key ")?.strip_suffix("-bit tags")?.split(", ");
    let (id, name, bits) = (parts.next()?, parts.next()?, parts.next()?);
    let whole = hex::has_digits(id, ID_DIGITS)
        && name.bytes().all(|byte| byte.is_ascii_graphic())
        && bits.bytes().all(|byte| byte.is_ascii_digit())
        && parts.next().is_none();
    whole.then_some(text)
}
