//! What is written for later: key files, manifests, journals of edits and segments.

pub mod journal;
pub mod keyfile;
pub mod leftovers;
pub mod manifest;
pub mod segment;
