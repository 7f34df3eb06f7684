//! Key files.

use super::manifests::nonce;
use crate::keys::whole;
use wegman_formats::keyfile::{KeyFile, Purpose};

/// The first byte says whether the rest is a whole file, or lines that get their checksum here.
pub fn run(data: &[u8]) {
    let Some((how, text)) = data.split_first() else { return };
    let text = if how % 2 == 0 { text.to_vec() } else { whole(text) };
    let Ok(key) = KeyFile::parse(&text) else { return };
    let printed = key.text();
    let again = KeyFile::parse(printed.as_bytes()).expect("what was printed");
    assert_eq!(*again.text(), *printed);
    assert_eq!(again.describe(), key.describe());
    let tag = |key: &KeyFile, purpose| {
        key.derive(purpose).tag(nonce(key).as_ref(), b"message").expect("its own nonce")
    };
    let tags = [Purpose::Files, Purpose::Seals].map(|purpose| tag(&key, purpose));
    assert_eq!(tags, [Purpose::Files, Purpose::Seals].map(|purpose| tag(&again, purpose)));
    // Purposes never share a key; short tags may agree by chance.
    assert!(key.tag_bytes < 8 || tags[0] != tags[1]);
}
