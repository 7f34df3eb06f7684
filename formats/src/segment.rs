//! A segment's line: a segment of an object, sealed under its own key, so that a damaged or foreign one is refused
//! instead of giving a wrong tag. `docs/pmac.md` of `wegman-cli` has the format.

use crate::keyfile::{KeyFile, Purpose};
use crate::manifest::{Refusal, made_with};
use crate::names::{escape, unescape};
use crate::{cut, cut_last, hex, name_of};
use anyhow::{Result, anyhow};
use std::ffi::OsString;
use wegman::pmac::hazmat::Segment;
use wegman_catalogue::{AnyKey, AnyTag};
use zeroize::Zeroizing;

/// What lines of any version begin with.
pub const MARK: &str = "wegman-segment ";
const START: &str = "wegman-segment 2: ";
/// Lines of version 1 say nothing of the object.
const START_1: &str = "wegman-segment 1: ";
const SEAL: &str = " seal=";

/// What a line says about the object that its segment belongs to, if known.
#[derive(Clone, Default)]
pub struct Object {
    pub id: Option<OsString>,
    /// Its length in bytes.
    pub length: Option<u64>,
}

/// A segment's line.
pub fn line(key: &KeyFile, object: &Object, segment: &Segment) -> Result<Vec<u8>> {
    let covered = Zeroizing::new(covered(key, object, segment));
    let seal = key.derive(Purpose::Segments).tag(None, &covered)?;
    Ok([&covered[..], SEAL.as_bytes(), seal.to_string().as_bytes(), b"\n"].concat())
}

/// The bytes that the seal covers.
fn covered(key: &KeyFile, object: &Object, segment: &Segment) -> Vec<u8> {
    let bytes = Zeroizing::new(segment.to_bytes());
    let digits = Zeroizing::new(hex::encode(&*bytes));
    let start = u128::from(segment.start()) * *key.algorithm.tag_bytes.end() as u128;
    let mut line = format!("{START}{}: {} bytes at {start}", key.describe(), segment.bits() / 8);
    if let Some(length) = object.length {
        line += &format!(" of {length}");
    }
    // Room for all of it at once, so that no part of the sum is left behind by a move.
    let id = object.id.as_ref().map(|id| escape(id.as_encoded_bytes()).1);
    let mut text =
        Vec::with_capacity(line.len() + digits.len() + id.as_ref().map_or(0, |id| id.len()) + 32);
    text.extend_from_slice(line.as_bytes());
    if let Some(id) = id {
        text.extend_from_slice(&[b", object (", &*id, b")"].concat());
    }
    text.extend_from_slice(b" = ");
    text.extend_from_slice(digits.as_bytes());
    text
}

/// Reads a line of this version or of version 1.
pub fn parse(
    line: &[u8],
    key: &KeyFile,
    seal_key: &dyn AnyKey,
) -> Result<(Object, Segment), Refusal> {
    let forged = |what: &str| Refusal::Forged(anyhow!("{what}"));
    let shape = || forged("not a line that `wegman segment` wrote, or from another version");
    let first = line.strip_prefix(START_1.as_bytes());
    let (is_first, rest) = match first {
        Some(rest) => (true, rest),
        None => (false, line.strip_prefix(START.as_bytes()).ok_or_else(shape)?),
    };
    let (of, Some(rest)) = cut(rest, b": ") else { return Err(shape()) };
    if of != key.describe().as_bytes() {
        // Two keys differ in their ids: if that is ours, the rest is damaged.
        let id = |of: &str| of.split(',').next().map(str::to_owned);
        let other = made_with(of).filter(|of| id(of) != id(&key.describe()));
        return Err(match other {
            Some(of) => Refusal::Key(anyhow!(
                "the segment was made with {of}, but the key given is {}",
                key.describe()
            )),
            None => shape(),
        });
    }
    let (sealed, seal) = cut_last(line, SEAL.as_bytes()).ok_or_else(|| forged("it is cut off"))?;
    let seal = hex::decode_lower(seal).map_err(Refusal::Forged)?;
    let right = seal_key.tag(None, sealed);
    if !right.is_ok_and(|right| AnyTag::new(&seal).is_ok_and(|seal| seal == right)) {
        return Err(forged("the seal does not match: the line is damaged or forged"));
    }
    let rest = sealed.get(line.len() - rest.len()..).ok_or_else(shape)?;
    let (text, digits) = cut_last(rest, b" = ").ok_or_else(shape)?;
    let bytes = hex::decode_lower(digits).map_err(Refusal::Forged)?;
    let segment = Segment::from_bytes(&bytes[..]).map_err(|error| Refusal::Forged(error.into()))?;
    let object = if is_first { Object::default() } else { parse_object(text).ok_or_else(shape)? };
    let is_whole = segment.bits().is_multiple_of(8)
        && (is_first || *Zeroizing::new(covered(key, &object, &segment)) == sealed);
    if is_whole { Ok((object, segment)) } else { Err(shape()) }
}

/// Reads `N bytes at N`, and ` of N` and `, object (ID)` if they follow.
fn parse_object(text: &[u8]) -> Option<Object> {
    let mut object = Object::default();
    let (numbers, id) = cut(text, b", object (");
    if let Some(id) = id {
        object.id = Some(name_of(unescape(id.strip_suffix(b")")?)?).ok()?);
    }
    if let (_, Some(length)) = cut(numbers, b" of ") {
        object.length = Some(str::from_utf8(length).ok()?.parse().ok()?);
    }
    Some(object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wegman::Bits;

    fn objects() -> [Object; 4] {
        let ids = [None, None, Some("an id: 1, object (2) = 3 seal=4"), Some("\\ \n\r)")];
        let lengths = [None, Some(14), None, Some(u64::MAX)];
        let object =
            |(id, length): (Option<&str>, _)| Object { id: id.map(OsString::from), length };
        let mut objects = ids.into_iter().zip(lengths).map(object);
        std::array::from_fn(|_| objects.next().expect("four of them"))
    }

    #[test]
    fn any_damaged_byte_and_any_cut_is_refused() {
        let key = KeyFile::generate(wegman_catalogue::find("PMAC-AES128").unwrap(), 16, |room| {
            Ok(getrandom::fill(room)?)
        })
        .unwrap();
        let (file_key, seal_key) = (key.derive(Purpose::Files), key.derive(Purpose::Segments));
        let pmac = file_key.pmac().unwrap();
        let segment = pmac.segment(0, Bits::from(&b"a short object"[..])).unwrap();
        let read = |line: &[u8]| parse(line, &key, &*seal_key);
        for object in objects() {
            let line = line(&key, &object, &segment).unwrap();
            let line = line.strip_suffix(b"\n").unwrap();
            let (of, back) = read(line).ok().expect("it is whole");
            assert_eq!((of.id, of.length), (object.id, object.length));
            assert_eq!(back.to_bytes(), segment.to_bytes());

            let id = line.windows(16).position(|part| part == key.id.as_bytes()).unwrap();
            for at in 0..line.len() {
                for byte in (0..=u8::MAX).filter(|byte| *byte != line[at]) {
                    let mut damaged = line.to_vec();
                    damaged[at] = byte;
                    // A damaged key id may be that of another key.
                    let is_digit = matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                    let is_id = (id..id + 16).contains(&at) && is_digit;
                    match read(&damaged) {
                        Err(Refusal::Key(_)) => assert!(is_id, "byte {at} as {byte}"),
                        Err(Refusal::Forged(_)) => assert!(!is_id, "byte {at} as {byte}"),
                        _ => panic!("byte {at} as {byte} is accepted"),
                    }
                }
                assert!(matches!(read(&line[..at]), Err(Refusal::Forged(_))), "cut at {at}");
            }
        }
    }
}
