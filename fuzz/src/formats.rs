//! What is written for later: key files, manifests and segments.

mod key_files;
mod manifests;
mod segments;

/// The first byte says which.
pub fn run(data: &[u8]) {
    let Some((which, data)) = data.split_first() else { return };
    match which % 3 {
        0 => key_files::run(data),
        1 => manifests::run(data),
        _ => segments::run(data),
    }
}
