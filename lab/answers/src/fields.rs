//! The fields of an answer, and comparing what was found with what they say.

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;
pub use wegman_formats::hex::encode as hex;

pub(crate) fn has(body: &Value, field: &str) -> bool {
    body.get(field).is_some()
}

/// A field that must be there and be text.
pub(crate) fn text<'v>(body: &'v Value, field: &str) -> Result<&'v str> {
    body.get(field).and_then(Value::as_str).with_context(|| format!("no text {field:?}"))
}

/// A field that must be there and be a list.
pub(crate) fn list<'v>(body: &'v Value, field: &str) -> Result<&'v [Value]> {
    let list = body.get(field).and_then(Value::as_array).map(Vec::as_slice);
    list.with_context(|| format!("no list {field:?}"))
}

/// A field that is a number if it is there.
pub(crate) fn number(body: &Value, field: &str) -> Result<Option<u64>> {
    let Some(value) = body.get(field) else { return Ok(None) };
    value.as_u64().with_context(|| format!("{field} is no number")).map(Some)
}

/// A field that must be there and be a number that can be a length.
pub(crate) fn size(body: &Value, field: &str) -> Result<usize> {
    let number = number(body, field)?.with_context(|| format!("no number {field:?}"))?;
    usize::try_from(number).with_context(|| format!("{field} is too large"))
}

/// A field that must be there and be bytes in hexadecimal.
pub(crate) fn bytes(body: &Value, field: &str) -> Result<Vec<u8>> {
    decode(text(body, field)?).with_context(|| field.to_owned())
}

/// Bytes of a fixed number.
pub(crate) fn array<const N: usize>(body: &Value, field: &str) -> Result<[u8; N]> {
    let bytes = bytes(body, field)?;
    let found = bytes.len();
    bytes.try_into().map_err(|_| anyhow!("{field} has {found} bytes, not {N}"))
}

/// Hexadecimal digits of either case.
pub(crate) fn decode(digits: &str) -> Result<Vec<u8>> {
    base16ct::mixed::decode_vec(digits).map_err(|error| anyhow!("not hexadecimal: {error}"))
}

/// What was found must be what is wanted.
pub(crate) fn same(what: &str, found: &[u8], wanted: &[u8]) -> Result<()> {
    ensure!(found == wanted, "{what} is {}, not {}", hex(found), hex(wanted));
    Ok(())
}
