//! An algorithm by its name, and its lengths in words.

use anyhow::{Result, anyhow, bail};
use wegman_catalogue::{self, Algorithm, Found};
#[cfg(feature = "every")]
use wegman_catalogue::{Bound, FAMILIES, Family, FamilyKind};

/// The algorithm of that name.
pub fn find(name: &str) -> Result<Found> {
    #[cfg(feature = "every")]
    ensure_is_mac(name)?;
    wegman_catalogue::find(name).ok_or_else(|| {
        if !cfg!(feature = "every") {
            return anyhow!("{name} is unknown here: use the command");
        }
        let names = wegman_catalogue::ALGORITHMS.iter().map(|algorithm| algorithm.name.as_str());
        let near = |known: &&str| is_one_edit_away(known, name) || begins_with(known, name);
        let near = names.into_iter().filter(near).collect::<Vec<_>>().join(", ");
        let meant = if near.is_empty() { near } else { format!("did you mean {near}? ") };
        anyhow!("there is no algorithm {name:?}; {meant}`wegman algorithms --all` lists them all")
    })
}

/// Whether a name begins so, ignoring case. Nothing is no beginning.
pub fn begins_with(name: &str, start: &str) -> bool {
    let front = name.get(..start.len());
    !start.is_empty() && front.is_some_and(|front| front.eq_ignore_ascii_case(start))
}

/// Refuses hashes and families, which have a name and a bound but no keys.
#[cfg(feature = "every")]
fn ensure_is_mac(name: &str) -> Result<()> {
    if let Ok(parameters) = wegman_historical::umac_2000::Parameters::of_uhash(name) {
        bail!("{name} is a hash, not a MAC; {parameters} is the MAC with the same parameters");
    }
    if let Some(family) = FAMILIES.iter().find(|family| family.name.eq_ignore_ascii_case(name)) {
        let Family { name, kind, bound: Bound { statement, source, .. }, .. } = family;
        let member = match kind {
            FamilyKind::MacFamily => "; its members have both, such as UMAC-2/4",
            _ => "",
        };
        bail!(
            "{name} is a {kind}: there are no key files and no numbers for it; its bound: {statement} ({source}){member}"
        );
    }
    Ok(())
}

/// Whether the names differ by at most one missing, added or wrong letter, ignoring case.
fn is_one_edit_away(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_ascii_uppercase(), other.to_ascii_uppercase());
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let front = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let (one, other) = (&one[front..], &other[front..]);
    let back = one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
    one.len() - back <= 1 && other.len() - back <= 1
}

/// Converts a tag length from bits to bytes, if the algorithm has it; the longest if none is given.
pub fn tag_bytes(algorithm: &Algorithm, bits: Option<usize>) -> Result<usize> {
    let (min, max) = (8 * algorithm.tag_bytes.start(), 8 * algorithm.tag_bytes.end());
    let bits = bits.unwrap_or(max);
    if (min..=max).contains(&bits) && bits.is_multiple_of(8) {
        return Ok(bits / 8);
    }
    let name = algorithm.name;
    if min == max {
        bail!("{name} has tags of {max} bits, not {bits}");
    }
    bail!("{name} has tags of {min} to {max} bits in steps of 8, not {bits}");
}

/// Nonce lengths in words: `8`, `12 or 16`, `1 to 16`. Three or more lengths are consecutive.
pub fn nonce_lengths(lengths: &[usize]) -> String {
    match lengths {
        [min, _, .., max] => format!("{min} to {max}"),
        _ => lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" or "),
    }
}
