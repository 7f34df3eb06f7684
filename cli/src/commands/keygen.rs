//! `wegman keygen`: a new key file.

use crate::args::Keygen;
use crate::files::STDIN;
use crate::names::{algorithm, shown};
use crate::output::{Exit, say};
use crate::stored::keyfile;
use anyhow::{Result, ensure};
use wegman_catalogue::bounds::Usage;
use wegman_catalogue::{Algorithm, Found, Status};
use wegman_formats::keyfile::KeyFile;

/// Bytes of the shortest tag of a key file: it seals manifests, too.
const SHORTEST: usize = 4;
/// Bytes of the shortest tag that needs no warning.
const SOUND: usize = 8;
/// Attempts to forge, and messages before them, for which the warning says how likely a forgery is: 2^20.
const ATTEMPTS: u128 = 1 << 20;

/// The algorithm and the bytes of its tags.
pub fn chosen(args: &Keygen) -> Result<(Found, usize)> {
    ensure!(
        args.place().as_os_str() != STDIN,
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
    Ok((algorithm, tag_bytes))
}

pub fn run(args: &Keygen) -> Result<Exit> {
    let (algorithm, tag_bytes) = chosen(args)?;
    let key = KeyFile::generate(algorithm.clone(), tag_bytes, keyfile::random)?;
    keyfile::save(&key, args.place())?;
    say(&format!("made {}: {}", shown(args.place()), key.describe()));
    if tag_bytes < SOUND {
        say(&warning_of_short_tags(&algorithm, 8 * tag_bytes as u32));
    }
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

/// What a short tag is worth, by the algorithm's bound.
fn warning_of_short_tags(algorithm: &Algorithm, tag_bits: u32) -> String {
    let usage = Usage { messages: ATTEMPTS, message_bytes: 1024, attempts: ATTEMPTS, tag_bits };
    let worth = match algorithm.forgery(&usage) {
        Ok(forgery) => format!(
            "at least one of 2^20 forgeries succeeds with probability up to {} (`wegman bounds {} --tag-bits \
             {tag_bits}` says more)",
            forgery.total(),
            algorithm.name
        ),
        Err(_) => {
            format!("a guess is right once in 2^{tag_bits} times, and no better bound is proved")
        }
    };
    format!("warning: tags of {tag_bits} bits are short: {worth}; for files, use 64 bits or more")
}
