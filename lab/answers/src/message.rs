//! Messages of known-answer files: literal, or described by the rules of `message_rules`.

use crate::fields::{bytes, decode};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::ops::RangeInclusive;

/// The longest message a rule may ask for: 32 MiB, as RFC 4418 has it.
pub(crate) const MAX: u64 = 1 << 25;
/// The longest message of a sweep, in bytes or bits: 64 Ki.
const MAX_OF_SWEEP: u64 = 1 << 16;

/// A rule: bytes, or a pattern.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Rule {
    Pattern(Pattern),
    Bytes { hex: String },
}

#[derive(Clone, Deserialize)]
#[serde(tag = "pattern", rename_all = "lowercase")]
enum Pattern {
    Repeat { unit_hex: String, repeat: u64 },
    Affine { a: u64, b: u64, length: u64 },
    Quad { a: u64, b: u64, c: u64, length: u64 },
    Krovetz2000 { length: u64 },
    Concat { parts: Vec<Rule> },
}

impl Rule {
    fn read(rule: &Value) -> Result<Rule> {
        Rule::deserialize(rule).with_context(|| format!("there is no message rule {rule}"))
    }

    /// How long its message is.
    fn length(&self) -> u64 {
        use Pattern::{Affine, Concat, Krovetz2000, Quad, Repeat};
        match self {
            Rule::Bytes { hex } => hex.len() as u64 / 2,
            Rule::Pattern(Repeat { unit_hex, repeat }) => {
                (unit_hex.len() as u64 / 2).saturating_mul(*repeat)
            }
            Rule::Pattern(Affine { length, .. } | Quad { length, .. } | Krovetz2000 { length }) => {
                *length
            }
            Rule::Pattern(Concat { parts }) => {
                parts.iter().fold(0, |sum, part| sum.saturating_add(part.length()))
            }
        }
    }

    /// Its message, if it is not too long.
    fn message(&self) -> Result<Vec<u8>> {
        let bytes = self.length();
        ensure!(bytes <= MAX, "a message of {bytes} bytes is too long to make");
        let made = |length: u64, byte: &dyn Fn(u64) -> u64| {
            Ok((0..length).map(|i| byte(i) as u8).collect())
        };
        let pattern = match self {
            Rule::Bytes { hex } => return decode(hex),
            Rule::Pattern(pattern) => pattern,
        };
        match pattern {
            Pattern::Repeat { unit_hex, repeat } => {
                Ok(decode(unit_hex)?.repeat(usize::try_from(*repeat)?))
            }
            Pattern::Affine { a, b, length } => {
                made(*length, &|i| a.wrapping_mul(i).wrapping_add(*b))
            }
            Pattern::Quad { a, b, c, length } => made(*length, &|i| {
                a.wrapping_mul(i * i).wrapping_add(b.wrapping_mul(i)).wrapping_add(*c) / 4
            }),
            Pattern::Krovetz2000 { length } => made(*length, &|i| (i % 127) * (i % 123) % 127),
            Pattern::Concat { parts } => {
                Ok(parts.iter().map(Rule::message).collect::<Result<Vec<_>>>()?.concat())
            }
        }
    }
}

/// The message of a case: its `msg_hex`, or its `msg` expanded.
///
/// # Errors
/// If it has neither or both, or a rule that is none.
pub fn of_case(case: &Value) -> Result<Vec<u8>> {
    match (case.get("msg_hex"), case.get("msg")) {
        (Some(_), None) => bytes(case, "msg_hex"),
        (None, Some(rule)) => expand(rule),
        _ => bail!("it needs either msg_hex or msg"),
    }
}

/// How long a rule's message is. A rule that is none has no message.
pub(crate) fn length(rule: &Value) -> u64 {
    Rule::read(rule).map_or(0, |rule| rule.length())
}

/// A message from its rule.
pub(crate) fn expand(rule: &Value) -> Result<Vec<u8>> {
    Rule::read(rule)?.message()
}

/// A sweep's rule, `for every length L = 0..4096: affine a=7 b=3 length=L`: all its messages. Or in
/// bits, `for every bit count N = 0..1100: the first N bits of affine a=7 b=3 length=ceil(N/8)`: all
/// its messages, each with its number of bits.
struct Sweep {
    is_in_bits: bool,
    lengths: RangeInclusive<u64>,
    rule: Value,
}

impl Sweep {
    fn read(text: &str) -> Result<Sweep> {
        let sweep = Sweep::parse(text).with_context(|| format!("unknown sweep rule {text:?}"))?;
        let longest = *sweep.lengths.end();
        ensure!(longest <= MAX_OF_SWEEP, "a sweep up to {longest} takes too long");
        Ok(sweep)
    }

    fn parse(text: &str) -> Option<Sweep> {
        let (is_in_bits, rest) = match text.strip_prefix("for every length L = ") {
            Some(rest) => (false, rest),
            None => (true, text.strip_prefix("for every bit count N = ")?),
        };
        let (lengths, mut rule) = rest.split_once(": ")?;
        if is_in_bits {
            rule = rule.strip_prefix("the first N bits of ")?;
        }
        let (first, last) = lengths.split_once("..")?;
        let lengths = first.parse().ok()?..=last.parse().ok()?;
        let mut words = rule.split(' ');
        let mut fixed = serde_json::json!({ "pattern": words.next()? });
        let length = if is_in_bits { "length=ceil(N/8)" } else { "length=L" };
        for word in words.filter(|word| *word != length) {
            let (name, value) = word.split_once('=')?;
            fixed[name] = value.parse::<u64>().ok()?.into();
        }
        Some(Sweep { is_in_bits, lengths, rule: fixed })
    }

    /// The bytes of the message for a length.
    fn bytes(&self, length: u64) -> u64 {
        if self.is_in_bits { length.div_ceil(8) } else { length }
    }
}

/// How many bytes a sweep's messages have together. A rule that is none has no messages.
pub(crate) fn bytes_of_sweep(rule: &str) -> Result<u64> {
    if Sweep::parse(rule).is_none() {
        return Ok(0);
    }
    let sweep = Sweep::read(rule)?;
    Ok(sweep.lengths.clone().map(|length| sweep.bytes(length)).sum())
}

/// A sweep's messages, each with its number of bits if the rule says so.
///
/// # Errors
/// If the rule is none.
pub fn of_sweep(rule: &str) -> Result<impl Iterator<Item = Result<(Vec<u8>, Option<u64>)>>> {
    let sweep = Sweep::read(rule)?;
    Ok(sweep.lengths.clone().map(move |length| {
        let mut rule = sweep.rule.clone();
        rule["length"] = sweep.bytes(length).into();
        Ok((expand(&rule)?, sweep.is_in_bits.then_some(length)))
    }))
}
