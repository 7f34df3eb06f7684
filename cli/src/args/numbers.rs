//! Numbers on the command line.

use std::str::FromStr;
use wegman_catalogue::bounds::Probability;

/// A number of bytes, or a place.
pub fn bytes(text: &str) -> Result<u64, String> {
    let number = with_unit(text).and_then(|number| number.try_into().ok());
    number.ok_or_else(|| "it should be a number of bytes, such as 1500 or 64K".to_owned())
}

/// Blocks before a part.
pub fn blocks(text: &str) -> Result<u64, String> {
    decimal(text).ok_or_else(|| "it should be a number of blocks; --offset takes bytes".to_owned())
}

/// The serial number of a manifest.
pub fn serial(text: &str) -> Result<u64, String> {
    decimal(text)
        .ok_or_else(|| "it should be a serial number, as `wegman check` prints it".to_owned())
}

/// A number, and perhaps a letter for a power of 1024.
fn with_unit(text: &str) -> Option<u128> {
    let power = "KMGT".find(text.to_ascii_uppercase().chars().last()?);
    let (digits, power) = match power {
        Some(power) => (&text[..text.len() - 1], power + 1),
        None => (text, 0),
    };
    decimal::<u128>(digits)?.checked_mul(1 << (10 * power))
}

/// A number of digits and nothing else.
fn decimal<N: FromStr>(digits: &str) -> Option<N> {
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

/// A number of messages, attempts, or bytes of all messages.
pub fn count(text: &str) -> Result<u128, String> {
    number(text).filter(|&number| number > 0).ok_or_else(|| {
        "it should be a number from 1 to 2^128 - 1, such as 1500, 64K or 2^40".to_owned()
    })
}

/// The bytes of one message, which may be empty.
pub fn length(text: &str) -> Result<u128, String> {
    number(text).ok_or_else(|| {
        "it should be a number from 0 to 2^128 - 1, such as 1500, 64K or 2^20".to_owned()
    })
}

fn number(text: &str) -> Option<u128> {
    match text.strip_prefix("2^") {
        Some(exponent) => decimal(exponent).and_then(|exponent| 1_u128.checked_shl(exponent)),
        None => with_unit(text),
    }
}

/// A probability.
pub fn limit(text: &str) -> Result<Probability, String> {
    let exponent = text.strip_prefix("2^-").and_then(decimal).filter(|&exponent| exponent <= 512);
    exponent
        .map(Probability::half_to)
        .ok_or_else(|| "it should be a power of two from 2^-0 to 2^-512, such as 2^-40".to_owned())
}
