//! Hexadecimal, with errors a person can act on. `base16ct` decodes keys in constant time.

use anyhow::{Result, bail};
use zeroize::Zeroizing;

/// Lower-case digits.
pub fn encode(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

/// Whether a text has so many digits, all lower-case.
pub fn has_digits(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// As [`decode`], for lower-case digits only, because what [`encode`] writes has exactly one form.
pub fn decode_lower(digits: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    if let Some(at) = digits.iter().position(u8::is_ascii_uppercase) {
        bail!("character {} is not a lower-case hexadecimal digit", at + 1);
    }
    decode(digits)
}

/// Decodes a key as people write it: spaces, tabs, line ends and colons may separate bytes, and 0x may precede each
/// group between separators.
pub fn decode_groups(text: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let mut digits = Zeroizing::new(Vec::with_capacity(text.len()));
    let mut at = 0;
    while at < text.len() {
        if let Some(bytes) = separator(&text[at..]) {
            at += bytes;
            continue;
        }
        let has_prefix = matches!(&text[at..], [b'0', b'x' | b'X', ..]);
        let start = if has_prefix { at + 2 } else { at };
        let group = text[start..].iter().take_while(|digit| digit.is_ascii_hexdigit()).count();
        let end = start + group;
        if end < text.len() && separator(&text[end..]).is_none() {
            bail!("{}: this is not a hexadecimal digit", position(text, end));
        }
        if group == 0 || !group.is_multiple_of(2) {
            bail!(
                "{}: {group} hexadecimal digits stand together: write each byte with two",
                position(text, start)
            );
        }
        digits.extend_from_slice(&text[start..end]);
        at = end;
    }
    decode(&digits)
}

/// The length of the separator at the beginning of the text, if there is one.
fn separator(text: &[u8]) -> Option<usize> {
    match text {
        [b' ' | b'\t' | b'\n' | b':', ..] => Some(1),
        [b'\r', b'\n', ..] => Some(2),
        _ => None,
    }
}

/// The line and column of a byte in a text.
fn position(text: &[u8], at: usize) -> String {
    let before = &text[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    format!("line {line}, character {}", at - start + 1)
}

/// Decodes an even number of digits of either case.
pub fn decode(digits: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    if let Some(at) = digits.iter().position(|digit| !digit.is_ascii_hexdigit()) {
        bail!("character {} is not a hexadecimal digit", at + 1);
    }
    if !digits.len().is_multiple_of(2) {
        bail!(
            "{} hexadecimal digits: an odd number of them is not a whole number of bytes",
            digits.len()
        );
    }
    let mut bytes = Zeroizing::new(vec![0; digits.len() / 2]);
    base16ct::mixed::decode(digits, &mut bytes)
        .map_err(|error| anyhow::anyhow!("not hexadecimal: {error}"))?;
    Ok(bytes)
}
