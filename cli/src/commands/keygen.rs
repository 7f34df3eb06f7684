//! `wegman keygen`: a new key file.

use crate::args::Keygen;
use crate::files::STDIN;
use crate::formats::keyfile::KeyFile;
use crate::names::algorithm;
use crate::output::{Exit, say};
use anyhow::{Result, ensure};
use wegman_catalogue::Status;

/// Bytes of the shortest tag of a key file: it seals manifests, too.
const SHORTEST: usize = 4;

pub fn run(args: &Keygen) -> Result<Exit> {
    ensure!(
        args.output.as_os_str() != STDIN,
        "-: a key goes into a file only you can read, not to standard output; for a file with that name, give ./-"
    );
    let algorithm = algorithm::find(&args.algorithm)?;
    let tag_bytes = algorithm::tag_bytes(&algorithm, args.tag_bits)?;
    ensure!(
        tag_bytes >= SHORTEST,
        "{} has tags of {} bits: too few for files",
        algorithm.name,
        8 * tag_bytes
    );
    let key = KeyFile::generate(algorithm.clone(), tag_bytes)?;
    key.save(&args.output)?;
    say(&format!("made {}: {}", args.output.display(), key.describe()));
    let (name, status) = (algorithm.name, algorithm.status);
    match status {
        Status::Recommended | Status::Interop => {}
        Status::Experimental => say(&format!(
            "warning: {name} is experimental: nobody outside this project has reviewed it (docs/carter.md); do not use \
             it for tags that must be verified years from now"
        )),
        // Historical ones, comparators, and any other that is not for new designs.
        _ => say(&format!(
            "{name} is included for comparison ({status}); `wegman algorithms` says what to use instead"
        )),
    }
    Ok(Exit::Good)
}
