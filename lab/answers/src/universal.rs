//! The families of universal hash functions. An algorithm is a family's name and its parameters:
//! `NHT[16,32,4]`, `SQH(2^61-1)`, `CRC-HASH-64`.

use crate::fields::{bytes, has, list, same, size, text};
use crate::{Answer, Kernel, Runner, message};
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use wegman::{Bits, Cpu};
use wegman_yardstick::universal::{
    Bucket, Crc, LfsrToeplitz, Mh, Mmh16, Mmh32, MmhStar, Nh, Nht, Nht2, Nmh32, NmhStar,
    Polynomial, Prime, Sign, Sqh, Tmmh16,
};

/// The longest message in bytes.
const MAX: usize = 1 << 20;

/// The most repetitions, and the most buckets and triples: time grows with their product with the message.
const MAX_TIMES: usize = 64;
const MAX_BUCKETS: usize = 1 << 12;

/// What a family gives for an answer's key and message.
type Hash = fn(&Parameters, &Value) -> Result<Vec<u8>>;

/// What follows the family's name.
struct Parameters<'n> {
    /// In square brackets, separated by commas.
    numbers: Vec<usize>,
    /// In parentheses.
    prime: &'n str,
    /// Directly after the name.
    size: Option<usize>,
    /// NHS, NHST, NHST2.
    is_signed: bool,
}

pub(crate) fn of(name: &str, _: Cpu) -> Option<Runner> {
    family(name).map(|_| Runner::portable(check))
}

fn check(answer: &Answer, _: Kernel) -> Result<()> {
    let (hash, parameters) = family(&answer.algorithm).context("no family")?;
    same("the hash", &hash(&parameters, &answer.body)?, &bytes(&answer.body, "out_hex")?)
}

fn family(algorithm: &str) -> Option<(Hash, Parameters<'_>)> {
    let at = algorithm.find(['[', '(']).unwrap_or(algorithm.len());
    let (name, rest) = algorithm.split_at(at);
    let (mut numbers, mut prime, mut size) = (Vec::new(), "", None);
    if let Some(list) = rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        numbers = list.split(',').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    } else if let Some(inside) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        prime = inside;
    }
    let hash: Hash = match name {
        "NH" | "NHS" => nh,
        "NHT" | "NHST" => nht,
        "NHT2" | "NHST2" => nht2,
        "MMH*" => |names, body| modulo(names, body, |p, k, m| Ok(MmhStar::new(p, k)?.hash(m)?)),
        "NMH*" => |names, body| modulo(names, body, |p, k, m| Ok(NmhStar::new(p, k)?.hash(m)?)),
        "SQH" => |names, body| modulo(names, body, |p, k, m| Ok(Sqh::new(p, k)?.hash(m)?)),
        "MMH32" => |_, body| reduced(body, 32, |k, m| Ok(Mmh32::new(k).hash(m)?.to_be_bytes())),
        "NMH32" => |_, body| reduced(body, 32, |k, m| Ok(Nmh32::new(k).hash(m)?.to_be_bytes())),
        "MMH16" => |_, body| reduced(body, 16, |k, m| Ok(Mmh16::new(k).hash(m)?.to_be_bytes())),
        "TMMH/16" => |_, body| tmmh16(body),
        "BUCKET" => bucket,
        _ => {
            let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
            size = Some(name[digits.len()..].parse().ok()?);
            match digits {
                "MH" => mh,
                "CRC-HASH-" => crc,
                "LFSR-TOEPLITZ-" => lfsr_toeplitz,
                _ => return None,
            }
        }
    };
    Some((hash, Parameters { numbers, prime, size, is_signed: name.starts_with("NHS") }))
}

/// Little-endian words of w bits.
fn words(bytes: &[u8], w: usize) -> Result<Vec<u64>> {
    ensure!(matches!(w, 8 | 16 | 32 | 64), "words of {w} bits");
    let chunks = bytes.chunks_exact(w / 8);
    ensure!(chunks.remainder().is_empty(), "{} bytes are not whole words of {w} bits", bytes.len());
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    Ok(chunks.map(word).collect())
}

/// The message. As words it is up to eight times as long, and no family is for long ones.
fn of_case(body: &Value) -> Result<Vec<u8>> {
    let message = message::of_case(body)?;
    ensure!(message.len() <= MAX, "a message of {} bytes: {MAX} are most", message.len());
    Ok(message)
}

fn key(body: &Value, w: usize) -> Result<Vec<u64>> {
    words(&bytes(body, "key_hex")?, w).context("key_hex")
}

fn message(body: &Value, w: usize) -> Result<Vec<u64>> {
    words(&of_case(body)?, w).context("the message")
}

/// A hash of words of w bits, in words of their own type.
fn reduced<W: TryFrom<u64>, const N: usize>(
    body: &Value,
    w: usize,
    hash: fn(&[W], &[W]) -> Result<[u8; N]>,
) -> Result<Vec<u8>> {
    let narrow = |words: Vec<u64>| -> Result<Vec<W>> {
        let words = words.into_iter().map(|word| W::try_from(word).ok()).collect::<Option<_>>();
        words.context("a word is too large")
    };
    Ok(hash(&narrow(key(body, w)?)?, &narrow(message(body, w)?)?)?.to_vec())
}

/// The last bytes, big-endian.
fn last_bytes(hash: u128, length: usize) -> Vec<u8> {
    hash.to_be_bytes()[16 - length..].to_vec()
}

/// The first words of a key that may be longer than needed.
fn front(key: &[u64], length: Option<usize>) -> Result<&[u64]> {
    length.and_then(|length| key.get(..length)).context("the key is too short")
}

/// The name gives the sign; an answer may repeat it.
fn checked_sign(parameters: &Parameters, body: &Value) -> Result<Sign> {
    let (name, sign) =
        if parameters.is_signed { ("signed", Sign::Signed) } else { ("unsigned", Sign::Unsigned) };
    ensure!(!has(body, "sign") || text(body, "sign")? == name, "sign: it is {name}");
    Ok(sign)
}

fn nh(parameters: &Parameters, body: &Value) -> Result<Vec<u8>> {
    let sign = checked_sign(parameters, body)?;
    let &[n, w] = &parameters.numbers[..] else { bail!("its parameters are [n,w]") };
    let (key, m) = (key(body, w)?, message(body, w)?);
    let hash = Nh::new(sign, w as u32, front(&key, Some(n))?)?.hash(&m)?;
    Ok(last_bytes(hash, w / 4))
}

fn nht(parameters: &Parameters, body: &Value) -> Result<Vec<u8>> {
    let sign = checked_sign(parameters, body)?;
    let &[n, w, t] = &parameters.numbers[..] else { bail!("its parameters are [n,w,t]") };
    let (key, m) = (key(body, w)?, message(body, w)?);
    ensure!(t <= MAX_TIMES, "{t} repetitions: {MAX_TIMES} are most");
    let moved = t.checked_sub(1).and_then(|times| times.checked_mul(2));
    let key = front(&key, moved.and_then(|moved| moved.checked_add(n)))?;
    let mut hashes = vec![0; t]; // the key is longer
    Nht::new(sign, w as u32, t, key)?.hash(&m, &mut hashes)?;
    Ok(hashes.into_iter().flat_map(|hash| last_bytes(hash, w / 4)).collect())
}

fn nht2(parameters: &Parameters, body: &Value) -> Result<Vec<u8>> {
    let sign = checked_sign(parameters, body)?;
    let &[n, m, w] = &parameters.numbers[..] else { bail!("its parameters are [n,m,w]") };
    let (k, l) = (key(body, w)?, words(&bytes(body, "key2_hex")?, w).context("key2_hex")?);
    let k = front(&k, n.checked_add(2))?;
    let l = front(&l, m.checked_add(1).and_then(|pairs| pairs.checked_mul(2)))?;
    let hashes = Nht2::new(sign, w as u32, k, l)?.hash(&message(body, w)?)?;
    Ok(hashes.into_iter().flat_map(|hash| last_bytes(hash, w / 4)).collect())
}

fn mh(parameters: &Parameters, body: &Value) -> Result<Vec<u8>> {
    let w = parameters.size.context("no size of words")?;
    let (key, m) = (key(body, w)?, message(body, w)?);
    Ok(last_bytes(Mh::new(w as u32, &key)?.hash(&m)?, w / 4))
}

/// A hash modulo a prime, in the number of bytes of the prime.
fn modulo(
    parameters: &Parameters,
    body: &Value,
    hash: fn(Prime, &[u64], &[u64]) -> Result<u64>,
) -> Result<Vec<u8>> {
    let (p, w, length) = match parameters.prime {
        "2^16+1" | "65537" => (Prime::P16, 16, 3),
        "2^32+15" => (Prime::P32, 32, 5),
        "2^61-1" => (Prime::P61, 32, 8),
        other => bail!("its prime is 2^16+1, 2^32+15 or 2^61-1, not {other:?}"),
    };
    Ok(last_bytes(hash(p, &key(body, w)?, &message(body, w)?)?.into(), length))
}

fn tmmh16(body: &Value) -> Result<Vec<u8>> {
    check_word_order(body, "big-endian words")?;
    let (key, message, length) = (bytes(body, "key_hex")?, of_case(body)?, size(body, "tag_len")?);
    ensure!(length <= key.len(), "tag_len: the key is shorter");
    ensure!(length <= MAX_TIMES, "tag_len: {MAX_TIMES} bytes are most");
    let mut out = vec![0; length];
    Tmmh16::new(&key)?.hash(&message, &mut out)?;
    Ok(out)
}

/// An answer of words that are not little-endian says so.
fn check_word_order(body: &Value, order: &str) -> Result<()> {
    ensure!(text(body, "word_order")? == order, "word_order: it should be {order:?}");
    Ok(())
}

fn bucket(parameters: &Parameters, body: &Value) -> Result<Vec<u8>> {
    check_word_order(body, "big-endian message words, big-endian output words")?;
    let &[w, n, buckets] = &parameters.numbers[..] else { bail!("its parameters are [w,n,N]") };
    let most = n.max(buckets);
    ensure!(most <= MAX_BUCKETS, "{most} words or buckets: {MAX_BUCKETS} are most");
    let set = |set: &Value| -> Option<[u16; 3]> {
        let numbers = set.as_array()?.iter().map(|number| u16::try_from(number.as_u64()?).ok());
        numbers.collect::<Option<Vec<_>>>()?.try_into().ok()
    };
    let key: Option<Vec<_>> = list(body, "triples")?.iter().map(set).collect();
    let key = key.context("triples: not all are three numbers of 16 bits")?;
    ensure!(key.len() == n, "there are {} triples, not {n}", key.len());
    // Big-endian words are the little-endian ones of the bytes in reverse, the last one first.
    let mut message = of_case(body)?;
    message.reverse();
    let mut message = words(&message, w)?;
    message.reverse();
    let mut out = vec![0; buckets];
    Bucket::new(u16::try_from(buckets)?, &key)?.hash(&message, &mut out)?;
    Ok(out.into_iter().flat_map(|word| last_bytes(word.into(), w / 8)).collect())
}

fn crc(parameters: &Parameters, body: &Value) -> Result<Vec<u8>> {
    let (p, length) = polynomial(parameters, body)?;
    Ok(last_bytes(Crc::new(p).hash(Bits::from(&of_case(body)?[..])), length))
}

fn lfsr_toeplitz(parameters: &Parameters, body: &Value) -> Result<Vec<u8>> {
    let (p, length) = polynomial(parameters, body)?;
    let state = digits(text(body, "state_hex")?).context("state_hex")?;
    let hash = LfsrToeplitz::new(p, state)?.hash(Bits::from(&of_case(body)?[..]));
    Ok(last_bytes(hash, length))
}

/// The polynomial, and how many bytes a hash has. The degree is in the name.
fn polynomial(parameters: &Parameters, body: &Value) -> Result<(Polynomial, usize)> {
    let degree = parameters.size.filter(|n| (1..=128).contains(n)).context("no degree to 128")?;
    let all = text(body, "poly_hex")?.trim_start_matches('0');
    // x^128 has a digit of its own.
    let low = match (degree, all.strip_prefix('1')) {
        (128, Some(low)) if low.len() == 32 => digits(low)?,
        (128, _) => bail!("poly_hex: it is not of degree 128"),
        _ => {
            let all = digits(all).context("poly_hex")?;
            ensure!(all >> degree == 1, "poly_hex: it is not of degree {degree}");
            all ^ 1 << degree
        }
    };
    Ok((Polynomial::new(degree as u32, low)?, degree.div_ceil(8)))
}

fn digits(text: &str) -> Result<u128> {
    u128::from_str_radix(text, 16).context("not 1 to 32 hexadecimal digits")
}
