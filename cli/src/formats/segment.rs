//! A segment's line: a part of an object, sealed under a key of its own, so that a damaged or foreign one is
//! refused and not combined to some wrong tag. docs/pmac.md has the format.

use super::keyfile::{KeyFile, Purpose};
use super::manifest::{Refusal, made_with};
use crate::hex;
use anyhow::{Result, anyhow};
use wegman::pmac::hazmat::Segment;
use wegman_catalogue::{AnyKey, AnyTag};
use zeroize::Zeroizing;

const START: &str = "wegman-segment 1: ";
const SEAL: &str = " seal=";

/// A segment's line.
pub fn line(key: &KeyFile, segment: &Segment) -> Result<String> {
    let bytes = Zeroizing::new(segment.to_bytes());
    let digits = Zeroizing::new(hex::encode(&*bytes));
    let text = Zeroizing::new(format!(
        "{START}{}: {} bytes at {} = {}",
        key.describe(),
        segment.bits() / 8,
        u128::from(segment.start()) * *key.algorithm.tag_bytes.end() as u128,
        *digits
    ));
    let seal = key.derive(Purpose::Segments).tag(None, text.as_bytes())?;
    Ok(format!("{}{SEAL}{seal}\n", *text))
}

/// Reads what [`line`] wrote.
pub fn parse(line: &[u8], key: &KeyFile, seal_key: &dyn AnyKey) -> Result<Segment, Refusal> {
    let forged = |what: &str| Refusal::Forged(anyhow!("{what}"));
    let shape = || forged("not a line that `wegman segment` wrote, or from another version");
    let line = str::from_utf8(line).map_err(|_| shape())?;
    let rest = line.strip_prefix(START).ok_or_else(shape)?;
    let (of, rest) = rest.split_once(": ").ok_or_else(shape)?;
    if of != key.describe() {
        // Two keys differ in their ids: if that is ours, the rest is damaged.
        let id = |of: &str| of.split(',').next().map(str::to_owned);
        let other = made_with(of.as_bytes()).filter(|of| id(of) != id(&key.describe()));
        return Err(match other {
            Some(of) => Refusal::Key(anyhow!(
                "the segment was made with {of}, but the key given is {}",
                key.describe()
            )),
            None => shape(),
        });
    }
    let (covered, seal) = line.rsplit_once(SEAL).ok_or_else(|| forged("it is cut off"))?;
    let seal = hex::decode(seal.as_bytes()).map_err(Refusal::Forged)?;
    let sealed = seal_key.tag(None, covered.as_bytes());
    if !sealed.is_ok_and(|sealed| AnyTag::new(&seal).is_ok_and(|seal| seal == sealed)) {
        return Err(forged("the seal does not match: the line is damaged or forged"));
    }
    let digits = rest.split_once(" = ").and_then(|(_, rest)| rest.split_once(SEAL));
    let bytes = hex::decode(digits.ok_or_else(shape)?.0.as_bytes()).map_err(Refusal::Forged)?;
    let segment = Segment::try_from(&bytes[..]).map_err(|error| Refusal::Forged(error.into()))?;
    if segment.bits().is_multiple_of(8) { Ok(segment) } else { Err(shape()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wegman::Bits;

    #[test]
    fn any_damaged_byte_and_any_cut_is_refused() {
        let key = KeyFile::generate(wegman_catalogue::find("PMAC-AES128").unwrap(), 16).unwrap();
        let (file_key, seal_key) = (key.derive(Purpose::Files), key.derive(Purpose::Segments));
        let pmac = file_key.pmac().unwrap();
        let segment = pmac.segment(0, Bits::from(&b"a short object"[..])).unwrap();
        let line = line(&key, &segment).unwrap();
        let line = line.strip_suffix('\n').unwrap().as_bytes();
        let read = |line: &[u8]| parse(line, &key, &*seal_key);
        assert!(read(line).is_ok_and(|read| read.to_bytes() == segment.to_bytes()));

        let id = line.windows(16).position(|part| part == key.id.as_bytes()).unwrap();
        for at in 0..line.len() {
            for byte in 0..=u8::MAX {
                let mut damaged = line.to_vec();
                damaged[at] = byte;
                // The case of the seal's digits carries nothing.
                if damaged.eq_ignore_ascii_case(line) {
                    continue;
                }
                // A damaged key id may be that of another key.
                let is_id = (id..id + 16).contains(&at) && byte.is_ascii_hexdigit();
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
