//! Messages of known-answer files: literal, or described by the rules of `message_rules`.

use crate::fields::decode;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// The longest message a rule may ask for: 1 GiB.
const MAX: u64 = 1 << 30;
/// The longest message of a sweep, in bytes or bits: 64 Ki.
const MAX_OF_SWEEP: u64 = 1 << 16;

/// The message of a case: its `msg_hex`, or its `msg` expanded.
pub(crate) fn of_case(case: &Value) -> Result<Vec<u8>> {
    match (case.get("msg_hex"), case.get("msg")) {
        (Some(digits), None) => literal(digits),
        (None, Some(rule)) => expand(rule),
        _ => bail!("it needs either msg_hex or msg"),
    }
}

fn literal(digits: &Value) -> Result<Vec<u8>> {
    let digits = digits.as_str().context("the message's hexadecimal digits are no string")?;
    decode(digits)
}

/// A message from its rule.
pub(crate) fn expand(rule: &Value) -> Result<Vec<u8>> {
    let Some(pattern) = rule.get("pattern") else {
        return literal(rule.get("hex").context("a message has neither pattern nor hex")?);
    };
    let number = |name: &str| {
        let value = rule.get(name).and_then(Value::as_u64);
        value.with_context(|| format!("the message rule has no number {name:?}"))
    };
    let length = || -> Result<u64> {
        let length = number("length")?;
        ensure!(length <= MAX, "a message of {length} bytes is too long to make");
        Ok(length)
    };
    match pattern.as_str() {
        Some("repeat") => {
            let unit = literal(rule.get("unit_hex").context("the rule has no unit_hex")?)?;
            let times = number("repeat")?;
            let length = times.saturating_mul(unit.len() as u64);
            ensure!(length <= MAX, "a message of {length} bytes is too long to make");
            Ok(unit.repeat(usize::try_from(times)?))
        }
        Some("affine") => {
            let (a, b) = (number("a")?, number("b")?);
            Ok((0..length()?).map(|i| a.wrapping_mul(i).wrapping_add(b) as u8).collect())
        }
        Some("quad") => {
            let (a, b, c) = (number("a")?, number("b")?, number("c")?);
            let quad =
                |i: u64| a.wrapping_mul(i * i).wrapping_add(b.wrapping_mul(i)).wrapping_add(c);
            Ok((0..length()?).map(|i| (quad(i) / 4) as u8).collect())
        }
        Some("krovetz2000") => {
            Ok((0..length()?).map(|i| ((i % 127) * (i % 123) % 127) as u8).collect())
        }
        Some("concat") => {
            let parts = rule.get("parts").and_then(Value::as_array).context("no parts")?;
            parts.iter().try_fold(Vec::new(), |mut message, part| {
                message.extend(expand(part)?);
                ensure!(message.len() as u64 <= MAX, "the message is too long to make");
                Ok(message)
            })
        }
        _ => bail!("there is no message rule {pattern}"),
    }
}

/// A sweep's rule, `for every length L = 0..4096: affine a=7 b=3 length=L`: all its messages. Or in
/// bits, `for every bit count N = 0..1100: the first N bits of affine a=7 b=3 length=ceil(N/8)`: all
/// its messages, each with its number of bits.
pub(crate) fn of_sweep(rule: &str) -> Result<impl Iterator<Item = Result<(Vec<u8>, Option<u64>)>>> {
    let parse = || {
        let (in_bits, rest) = match rule.strip_prefix("for every length L = ") {
            Some(rest) => (false, rest),
            None => (true, rule.strip_prefix("for every bit count N = ")?),
        };
        let (lengths, mut rule) = rest.split_once(": ")?;
        if in_bits {
            rule = rule.strip_prefix("the first N bits of ")?;
        }
        let (first, last) = lengths.split_once("..")?;
        let mut words = rule.split(' ');
        let mut fixed = serde_json::json!({ "pattern": words.next()? });
        let length = if in_bits { "length=ceil(N/8)" } else { "length=L" };
        for word in words.filter(|word| *word != length) {
            let (name, value) = word.split_once('=')?;
            fixed[name] = value.parse::<u64>().ok()?.into();
        }
        Some((in_bits, first.parse::<u64>().ok()?..=last.parse().ok()?, fixed))
    };
    let parsed = parse().with_context(|| format!("unknown sweep rule {rule:?}"))?;
    let (in_bits, lengths, rule) = parsed;
    ensure!(*lengths.end() <= MAX_OF_SWEEP, "a sweep up to {} takes too long", lengths.end());
    Ok(lengths.map(move |length| {
        let mut rule = rule.clone();
        rule["length"] = if in_bits { length.div_ceil(8) } else { length }.into();
        Ok((expand(&rule)?, in_bits.then_some(length)))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_expand_as_the_files_describe_them() {
        let bytes = |rule| expand(&rule).unwrap();
        assert_eq!(bytes(json!({"pattern": "repeat", "unit_hex": "6162", "repeat": 2})), b"abab");
        let affine = json!({"pattern": "affine", "a": 7, "b": 3, "length": 38});
        assert_eq!((bytes(affine.clone())[1], bytes(affine)[37]), (10, ((7 * 37 + 3) % 256) as u8));
        let quad = json!({"pattern": "quad", "a": 1, "b": 2, "c": 5, "length": 40});
        assert_eq!(bytes(quad)[39], ((39 * 39 + 2 * 39 + 5) / 4 % 256) as u8);
        let krovetz = json!({"pattern": "krovetz2000", "length": 300});
        assert_eq!(bytes(krovetz)[299], ((299 % 127) * (299 % 123) % 127) as u8);
        let concat =
            json!({"pattern": "concat", "parts": [{"hex": "ff"}, {"hex": ""}, {"hex": "0102"}]});
        assert_eq!(bytes(concat), [255, 1, 2]);
        assert!(expand(&json!({"pattern": "unheard of"})).is_err());
    }

    #[test]
    fn sweeps_give_each_length() {
        let sweep = of_sweep("for every length L = 1..3: affine a=7 b=3 length=L").unwrap();
        let messages: Vec<_> = sweep.map(Result::unwrap).collect();
        assert_eq!(messages, [(vec![3], None), (vec![3, 10], None), (vec![3, 10, 17], None)]);
        let rule =
            "for every bit count N = 8..9: the first N bits of affine a=7 b=3 length=ceil(N/8)";
        let messages: Vec<_> = of_sweep(rule).unwrap().map(Result::unwrap).collect();
        assert_eq!(messages, [(vec![3], Some(8)), (vec![3, 10], Some(9))]);
        assert!(of_sweep("for some lengths").is_err());
        assert!(of_sweep("for every length L = 0..99999999: affine a=7 b=3 length=L").is_err());
    }
}
