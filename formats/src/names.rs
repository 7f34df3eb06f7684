//! Names of files as text, in messages and in lines of manifests. [`algorithm`] has names of algorithms.

pub mod algorithm;

use std::borrow::Cow;
use std::ffi::OsStr;

/// A name for messages: readable, on one line, without characters that [steer](steers).
pub fn shown(name: impl AsRef<OsStr>) -> String {
    let escape = |c: char| if steers(c) { c.escape_default().to_string() } else { c.into() };
    name.as_ref().to_string_lossy().chars().map(escape).collect()
}

/// Whether a character steers a terminal or its neighbours instead of being shown: control characters, line separators,
/// and those that change the direction of text, which make a name that ends in `.exe` look like `exe.jpg`.
pub fn steers(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Writes a name as sha256sum does: if a character is escaped, the line begins with a backslash.
pub fn escape(name: &[u8]) -> (&'static [u8], Cow<'_, [u8]>) {
    if !name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r')) {
        return (b"", Cow::Borrowed(name));
    }
    let escaped = name.iter().flat_map(|byte| match byte {
        b'\\' => &b"\\\\"[..],
        b'\n' => b"\\n",
        b'\r' => b"\\r",
        byte => std::slice::from_ref(byte),
    });
    (b"\\", Cow::Owned(escaped.copied().collect()))
}

/// Reads what [`escape`] wrote.
pub fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = name.iter();
    let mut plain = Vec::with_capacity(name.len());
    while let Some(&byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(plain)
}

/// A number of things, as `1 byte` or `2 bytes`.
pub fn counted(number: u64, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}
