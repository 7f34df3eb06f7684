//! The names of files that do not have their place yet.

use super::directory_of;
use crate::hex;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What the names of unfinished files begin with; [`RANDOM`] letters and digits follow.
pub const DRAFT: &str = ".wegman-";
/// Those of edits: 16 digits for the manifest, a hyphen and as many letters and digits.
const DRAFT_OF_EDIT: &str = ".wegman-edit-";
pub const RANDOM: usize = 6;

fn is_random(text: &[u8]) -> bool {
    text.len() == RANDOM && text.iter().all(u8::is_ascii_alphanumeric)
}

/// Whether a file has the name of an unfinished one: a command that was killed left it.
pub fn is_draft(name: &OsStr) -> bool {
    let of_edit = |name: &[u8]| {
        let (manifest, random) =
            name.strip_prefix(DRAFT_OF_EDIT.as_bytes())?.split_at_checked(16)?;
        let is_hex = manifest.iter().all(u8::is_ascii_hexdigit);
        Some(is_hex && is_random(random.strip_prefix(b"-")?))
    };
    let name = name.as_bytes();
    name.strip_prefix(DRAFT.as_bytes()).is_some_and(is_random) || of_edit(name) == Some(true)
}

/// What the names of the unfinished files of a manifest's edits begin with.
pub fn draft_of_edit(manifest: &Path) -> String {
    // A hash, so that the length does not depend on the manifest's name.
    let manifest = fs::canonicalize(manifest).unwrap_or_else(|_| manifest.to_owned());
    let name = manifest.file_name().unwrap_or_default();
    format!("{DRAFT_OF_EDIT}{}-", hex::encode(&Sha256::digest(name.as_bytes())[..8]))
}

/// Removes the unfinished files of a manifest's edits that were killed. The caller has the manifest locked.
pub fn remove_drafts_of_edits(manifest: &Path) {
    let prefix = draft_of_edit(manifest);
    let manifest = fs::canonicalize(manifest).unwrap_or_else(|_| manifest.to_owned());
    let Ok(files) = fs::read_dir(directory_of(&manifest)) else { return };
    for file in files.flatten() {
        let name = file.file_name();
        let is_draft = name.as_bytes().strip_prefix(prefix.as_bytes()).is_some_and(is_random);
        if is_draft && file.file_type().is_ok_and(|kind| kind.is_file()) {
            // What can't be removed does no harm.
            let _ = fs::remove_file(file.path());
        }
    }
}
