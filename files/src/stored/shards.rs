//! The shards of a root: each is believed only as the root has it.

use super::journal::in_pieces;
use crate::files::is_missing;
use crate::names::shown;
use crate::regular;
use anyhow::Result;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use wegman_catalogue::AnyKey;
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::role::{FileKeys, Refused, Role};
use wegman_formats::manifest::{Entry, Manifest, Refusal, parse};

/// Bytes to read at once.
const PIECE: usize = 256 << 10;

/// Reads the shards of a root, one after the other.
pub struct Shards<'a> {
    key: &'a KeyFile,
    file_key: Arc<dyn AnyKey>,
    /// Where the root is: shards are named from there.
    directory: &'a Path,
    /// The last name that the shards before have, or may have.
    last: Option<OsString>,
}

impl<'a> Shards<'a> {
    /// `path` is the root's.
    pub fn new(path: &'a Path, key: &'a KeyFile) -> Self {
        let directory = path.parent().unwrap_or(Path::new(""));
        Shards { key, file_key: key.derive(Purpose::Files), directory, last: None }
    }

    /// The shard that the root names, if it is the one that the root means. If it is
    /// another, the error is [`Refused`].
    pub fn load(&mut self, entry: &Entry) -> Result<Manifest> {
        let (file, metadata) = regular::open(&self.directory.join(&entry.name))?;
        let refuse_unless =
            |is_right, why: &str| if is_right { Ok(()) } else { Err(Refused(why.into())) };
        let tag = entry.stamp.tag;
        let what = "it is not the shard that the root has: altered, older, or another one";
        // Another file may be of any length: nothing of it stays in memory.
        let mut stream = self.file_key.stream();
        in_pieces(&file, 0..metadata.len(), PIECE, |_, piece| {
            stream.update(piece);
            Ok(())
        })?;
        refuse_unless(stream.finish(None)? == tag, what)?;
        // What is compared with the root now is what is used.
        let mut bytes = Vec::new();
        file.take(metadata.len()).read_to_end(&mut bytes)?;
        refuse_unless(self.file_key.tag(None, &bytes)? == tag, what)?;
        let manifest = parse(&mut &bytes[..], self.key).map_err(|refusal| match refusal {
            // The root has the tag of a shard under its own key.
            Refusal::Key(error) => Refusal::Forged(error),
            other => other,
        })?;
        refuse_unless(matches!(manifest.role, Role::Shard(_)), "it is no shard")?;
        let first = manifest.entries.first().map(|entry| &entry.name);
        refuse_unless(
            self.last.is_none() || first.is_none() || self.last.as_ref() < first,
            "its names do not follow those of the shard before",
        )?;
        let last = manifest.entries.last().map(|entry| &entry.name);
        let upto = entry.upto.as_ref().filter(|upto| !upto.is_empty());
        refuse_unless(
            upto.is_none() || last <= upto,
            "it has names outside the range that the root gives it",
        )?;
        self.last = entry.upto.as_ref().or(last).cloned().or(self.last.take());
        Ok(manifest)
    }
}

/// What a manifest says of all its files, and their keys: of a root, the files of its shards. If one of these is wrong or
/// missing, the error is [`Refused`].
pub fn gathered(path: &Path, key: &KeyFile, manifest: Manifest) -> Result<(Manifest, FileKeys)> {
    if manifest.role != Role::Root {
        let keys = FileKeys::of(&manifest.role, key);
        return Ok((manifest, keys));
    }
    let (mut shards, mut keys) = (Shards::new(path, key), FileKeys::default());
    let mut all = Manifest::default();
    for entry in &manifest.entries {
        let name = shown(&entry.name);
        let shard = shards.load(entry).map_err(|error| match error {
            error if error.is::<Refused>() => error.context(format!("{name}: shard refused")),
            error if is_missing(&error) => Refused(format!("{name}: the shard is missing")).into(),
            error => error.context(format!("{name}: can't read the shard")),
        })?;
        let first = shard.entries.first().map(|entry| entry.name.clone()).unwrap_or_default();
        keys.push(first, shard.role.files_key(key));
        all.entries.extend(shard.entries);
    }
    Ok((all, keys))
}
