//! What a known-answer file may ask for. A file is small, but its rules can describe messages of any length, and the
//! name of an algorithm keys of any length. What is refused here would fill the memory or take hours.

use crate::Answer;
use crate::message::{self, MAX};
use anyhow::{Result, ensure};
use serde_json::Value;
use wegman_historical::umac_2000::Parameters;

/// The longest file in bytes: 2 MiB.
pub const MAX_FILE: u64 = 2 << 20;

/// The most objects of a file, which take the most memory for their length, and the most values.
const MAX_OBJECTS: usize = 20_000;
const MAX_VALUES: usize = 200_000;

const MAX_ANSWERS: usize = 10_000;

/// The longest name of an algorithm.
const MAX_NAME: usize = 64;

/// The longest key that a name may ask for, in bytes: 64 KiB.
const MAX_KEY: usize = 1 << 16;

/// Bytes of all answers' messages together: 1 GiB.
const MAX_IN_ALL: u64 = 1 << 30;

/// Bytes of a message that may be in memory beside others, one on each thread: 1 MiB.
pub(crate) const SHORT: u64 = 1 << 20;

/// The text, before it is read: a value takes much more memory than its text.
pub(crate) fn check_text(text: &[u8]) -> Result<()> {
    let most = MAX_FILE >> 20;
    ensure!(text.len() as u64 <= MAX_FILE, "longer than {most} MiB: no file of known answers");
    check_count(text, "objects", MAX_OBJECTS, |byte| byte == b'{')?;
    check_count(text, "values", MAX_VALUES, |byte| matches!(byte, b'{' | b'[' | b','))
}

fn check_count(text: &[u8], what: &str, most: usize, counts: fn(u8) -> bool) -> Result<()> {
    let mut places = text.iter().enumerate().filter(|(_, byte)| counts(**byte)).map(|(at, _)| at);
    if let Some(at) = places.nth(most) {
        let line = 1 + text[..at].iter().filter(|byte| **byte == b'\n').count();
        anyhow::bail!("line {line}: more than {most} {what}: no file of known answers");
    }
    Ok(())
}

/// All answers, before any is run.
pub(crate) fn check_answers(answers: &[Answer]) -> Result<()> {
    ensure!(answers.len() <= MAX_ANSWERS, "{} answers: there may be {MAX_ANSWERS}", answers.len());
    let bytes = answers.iter().fold(0, |sum: u64, answer| sum.saturating_add(answer.bytes));
    let most = MAX_IN_ALL >> 20;
    ensure!(bytes <= MAX_IN_ALL, "messages of {bytes} bytes in all: there may be {most} MiB");
    Ok(())
}

/// How many bytes an answer's rules make, if they are not too many.
pub(crate) fn bytes_of(algorithm: &str, body: &Value) -> Result<u64> {
    let length = algorithm.len();
    ensure!(length <= MAX_NAME, "its name has {length} characters: {MAX_NAME} are most");
    if let Ok(parameters) = algorithm.parse::<Parameters>().or(Parameters::of_uhash(algorithm)) {
        let bytes = parameters.l1_key_bytes();
        ensure!(bytes <= MAX_KEY, "{algorithm} has keys of {bytes} bytes: too long to make");
    }
    if let Some(rule) = body.get("msg_rule").and_then(Value::as_str) {
        return message::bytes_of_sweep(rule);
    }
    let bytes = body.get("msg").map_or(0, message::length);
    ensure!(bytes <= MAX, "a message of {bytes} bytes is too long to make");
    Ok(bytes)
}
