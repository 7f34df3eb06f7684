//! Hexadecimal, with errors a person can act on. `base16ct` decodes keys in constant time.

use anyhow::{Result, bail};
use zeroize::Zeroizing;

/// Lower-case digits.
pub fn encode(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

/// [`decode`], but lower-case digits only: what [`encode`] writes has one form, and no other is accepted.
pub fn decode_lower(digits: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    if let Some(at) = digits.iter().position(u8::is_ascii_uppercase) {
        bail!("character {} is not a lower-case hexadecimal digit", at + 1);
    }
    decode(digits)
}

/// Digits of either case, an even number of them.
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
