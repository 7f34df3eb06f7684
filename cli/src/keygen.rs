//! `wegman keygen`: a new key file.

use crate::args::Keygen;
use crate::keyfile::{self, KeyFile};
use crate::output::{Exit, say};
use anyhow::Result;
use wegman::registry::Status;

pub fn run(args: &Keygen) -> Result<Exit> {
    let algorithm = keyfile::algorithm(&args.algorithm)?;
    let tag_bytes = keyfile::tag_bytes(&algorithm, args.tag_bits)?;
    let key = KeyFile::generate(algorithm.clone(), tag_bytes)?;
    key.save(&args.output)?;
    say(&format!("made {}: {}", args.output.display(), key.describe()));
    if matches!(algorithm.status, Status::Historical | Status::Comparator) {
        say(&format!(
            "{} is here for comparison ({}); `wegman algorithms` says what to use instead",
            algorithm.name, algorithm.status
        ));
    }
    Ok(Exit::Good)
}
