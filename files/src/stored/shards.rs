//! The shards of a root: each is believed only as the root has it.

use crate::files::is_missing;
use crate::names::shown;
use crate::regular;
use anyhow::{Context, Result, anyhow};
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use wegman_catalogue::AnyKey;
use wegman_formats::keyfile::{KeyFile, Purpose};
use wegman_formats::manifest::role::{FileKeys, Role};
use wegman_formats::manifest::{Entry, Manifest, Refusal, parse};

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

    /// The shard that the root names, if it is the one that the root means. `Ok(Err(..))`: read, but refused.
    pub fn load(&mut self, entry: &Entry) -> Result<Result<Manifest>> {
        // Read once: what was compared with the root is what is used.
        let mut bytes = Vec::new();
        regular::open(&self.directory.join(&entry.name))?.0.read_to_end(&mut bytes)?;
        if self.file_key.tag(None, &bytes)? != entry.stamp.tag {
            return Ok(Err(anyhow!(
                "it is not the shard that the root has: altered, older, or another one"
            )));
        }
        let manifest = match parse(&mut &bytes[..], self.key) {
            Ok(manifest) => manifest,
            Err(Refusal::Unreadable(error)) => return Err(error.into()),
            Err(Refusal::Key(error) | Refusal::Forged(error)) => return Ok(Err(error)),
        };
        if !matches!(manifest.role, Role::Shard(_)) {
            return Ok(Err(anyhow!("it is no shard")));
        }
        let first = manifest.entries.first().map(|entry| &entry.name);
        if self.last.is_some() && first.is_some() && self.last.as_ref() >= first {
            return Ok(Err(anyhow!("its names do not follow those of the shard before")));
        }
        let last = manifest.entries.last().map(|entry| &entry.name);
        if let Some(upto) = entry.upto.as_ref().filter(|upto| !upto.is_empty())
            && last > Some(upto)
        {
            return Ok(Err(anyhow!("it has names outside the range that the root gives it")));
        }
        self.last = entry.upto.as_ref().or(last).cloned().or(self.last.take());
        Ok(Ok(manifest))
    }
}

/// What a manifest says of all its files, and their keys: of a root, the files of its shards. `Ok(Err(..))`: one of these
/// was refused.
pub fn gathered(
    path: &Path,
    key: &KeyFile,
    manifest: Manifest,
) -> Result<Result<(Manifest, FileKeys)>> {
    if manifest.role != Role::Root {
        let keys = FileKeys::of(&manifest.role, key);
        return Ok(Ok((manifest, keys)));
    }
    let (mut shards, mut keys) = (Shards::new(path, key), FileKeys::default());
    let mut all = Manifest::default();
    for entry in &manifest.entries {
        let name = shown(&entry.name);
        let shard = match shards.load(entry) {
            Ok(Ok(shard)) => shard,
            Ok(Err(refused)) => return Ok(Err(refused.context(format!("{name}: shard refused")))),
            Err(error) if is_missing(&error) => {
                return Ok(Err(anyhow!("{name}: the shard is missing")));
            }
            Err(error) => {
                return Err(error).with_context(|| format!("{name}: can't read the shard"));
            }
        };
        let first = shard.entries.first().map(|entry| entry.name.clone()).unwrap_or_default();
        keys.push(first, shard.role.files_key(key));
        all.entries.extend(shard.entries);
    }
    Ok(Ok((all, keys)))
}
