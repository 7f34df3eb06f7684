//! Key files on disk, which only their owner may read.

use crate::durable::sync_directory_of;
use crate::names::shown;
use crate::regular::{self, Patient};
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use wegman_formats::keyfile::KeyFile;
use zeroize::Zeroizing;

/// A key file is much shorter; anything longer is something else.
const MAX_BYTES: u64 = 4096;

/// The system's random numbers.
pub fn random(room: &mut [u8]) -> Result<()> {
    getrandom::fill(room).map_err(|error| anyhow!("the system provides no random numbers: {error}"))
}

/// Writes a key to a new file that only its owner may read.
pub fn save(key: &KeyFile, path: &Path) -> Result<()> {
    let name = shown(path);
    let context = || format!("{name}: can't make the key file");
    let mut options = OpenOptions::new();
    let mut file = match options.write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => bail!(
            "{name}: it exists already, and keys are never overwritten; choose another \
             name or move it away"
        ),
        opened => opened.with_context(context)?,
    };
    let written = file.write_all(key.text().as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written.and_then(|()| sync_directory_of(path)).with_context(context)
}

/// Reads a key file. `insecure` accepts one that others may access.
pub fn open(path: &Path, insecure: bool) -> Result<KeyFile> {
    let read = || -> Result<KeyFile> {
        let (file, identity) = open_private(path, insecure)?;
        let mut key = KeyFile::parse(&read_small(file)?)?;
        key.identity = Some(identity);
        Ok(key)
    };
    read().with_context(|| format!("{}: can't use it as the key file", shown(path)))
}

/// Opens a file that holds a key, without waiting for anybody. Refuses one that other users may access, unless told
/// otherwise: anybody who can read a key can forge.
pub fn open_private(path: &Path, insecure: bool) -> Result<(Patient, (u64, u64))> {
    let (file, metadata) = regular::open_or_pipe(path)?;
    let mode = metadata.mode() & 0o777;
    ensure!(
        insecure || mode & 0o077 == 0,
        "others may access it (mode {mode:03o}): run `chmod 600 {}`, or accept the risk with \
         --insecure-permissions",
        shown(path)
    );
    Ok((file, (metadata.dev(), metadata.ino())))
}

/// Reads a file that can't be long.
pub fn read_small(file: impl Read) -> Result<Zeroizing<Vec<u8>>> {
    // Room for all of it at once, so that no part of a key is left behind by a move.
    let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_BYTES as usize + 1));
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    ensure!(bytes.len() as u64 <= MAX_BYTES, "too long for a key file");
    Ok(bytes)
}
