//! Key files that are the same in every run.

use sha2::{Digest, Sha256};
use wegman_formats::hex;
use wegman_formats::keyfile::KeyFile;

/// What the file formats are fuzzed with: without a nonce and with one, long and short tags.
const KEYS: [(&str, usize); 5] = [
    ("PMAC-AES128", 128),
    ("UMAC-64", 64),
    ("Carter-128", 128),
    ("HMAC-SHA256", 256),
    ("UMAC-STD-30", 160),
];

/// How many keys there are.
pub const COUNT: usize = KEYS.len();

/// One of the keys.
pub fn key(index: usize) -> KeyFile {
    let (algorithm, bits) = KEYS[index % COUNT];
    let secret = "0123456789abcdef".repeat(4);
    let text = format!(
        "# wegman key\nwegman-key: 1\nid: 00112233445566{index:02x}\nalgorithm: {algorithm}\ntag-bits: {bits}\n\
         secret: {secret}\n"
    );
    KeyFile::parse(&whole(text.as_bytes())).expect("a key file")
}

/// The lines of a key file with their checksum.
pub fn whole(lines: &[u8]) -> Vec<u8> {
    let digest = Sha256::digest(lines);
    [lines, b"checksum: ", hex::encode(&digest[..8]).as_bytes(), b"\n"].concat()
}
