//! The families of universal hash functions. An algorithm is a family's name and its parameters:
//! `NHT[16,32,4]`, `SQH(2^61-1)`, `CRC-HASH-64`.

use crate::fields::{bytes, has, same, size, text};
use crate::{Answer, Kernel, Runner, message};
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
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

/// What a family gives for an answer.
type Hash = fn(&Case<'_>) -> Result<Vec<u8>>;

/// An answer, and what follows the family's name.
struct Case<'a> {
    body: &'a Value,
    /// In square brackets, separated by commas.
    numbers: Vec<usize>,
    /// In parentheses.
    prime: &'a str,
    /// Directly after the name.
    size: Option<usize>,
    /// NHS, NHST, NHST2.
    is_signed: bool,
}

pub(crate) fn of(name: &str, _: Cpu) -> Option<Runner> {
    family(name, &Value::Null).map(|_| Runner::portable(check))
}

fn check(answer: &Answer, _: Kernel) -> Result<()> {
    let (hash, case) = family(&answer.algorithm, &answer.body).context("no family")?;
    same("the hash", &hash(&case)?, &bytes(&answer.body, "out_hex")?)
}

fn family<'a>(algorithm: &'a str, body: &'a Value) -> Option<(Hash, Case<'a>)> {
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
        "MMH*" => |case| case.modulo(|p, k, m| Ok(MmhStar::new(p, k)?.hash(m)?)),
        "NMH*" => |case| case.modulo(|p, k, m| Ok(NmhStar::new(p, k)?.hash(m)?)),
        "SQH" => |case| case.modulo(|p, k, m| Ok(Sqh::new(p, k)?.hash(m)?)),
        "MMH32" => |case| case.reduced(32, |k, m| Ok(Mmh32::new(k).hash(m)?.to_be_bytes())),
        "NMH32" => |case| case.reduced(32, |k, m| Ok(Nmh32::new(k).hash(m)?.to_be_bytes())),
        "MMH16" => |case| case.reduced(16, |k, m| Ok(Mmh16::new(k).hash(m)?.to_be_bytes())),
        "TMMH/16" => tmmh16,
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
    Some((hash, Case { body, numbers, prime, size, is_signed: name.starts_with("NHS") }))
}

impl Case<'_> {
    fn key(&self, w: usize) -> Result<Vec<u64>> {
        words(&bytes(self.body, "key_hex")?, w).context("key_hex")
    }

    /// The message. As words it is up to eight times as long, and no family is for long ones.
    fn message_bytes(&self) -> Result<Vec<u8>> {
        let message = message::of_case(self.body)?;
        ensure!(message.len() <= MAX, "a message of {} bytes: {MAX} are most", message.len());
        Ok(message)
    }

    fn message(&self, w: usize) -> Result<Vec<u64>> {
        words(&self.message_bytes()?, w).context("the message")
    }

    /// The name gives the sign; an answer may repeat it.
    fn sign(&self) -> Result<Sign> {
        let (name, sign) =
            if self.is_signed { ("signed", Sign::Signed) } else { ("unsigned", Sign::Unsigned) };
        let fits = !has(self.body, "sign") || text(self.body, "sign")? == name;
        ensure!(fits, "sign: it is {name}");
        Ok(sign)
    }

    /// A hash of words of w bits, in words of their own type.
    fn reduced<W: TryFrom<u64>, const N: usize>(
        &self,
        w: usize,
        hash: fn(&[W], &[W]) -> Result<[u8; N]>,
    ) -> Result<Vec<u8>> {
        let narrow = |words: Vec<u64>| -> Result<Vec<W>> {
            let words = words.into_iter().map(|word| W::try_from(word).ok()).collect::<Option<_>>();
            words.context("a word is too large")
        };
        Ok(hash(&narrow(self.key(w)?)?, &narrow(self.message(w)?)?)?.to_vec())
    }

    /// A hash modulo a prime, in the number of bytes of the prime.
    fn modulo(&self, hash: fn(Prime, &[u64], &[u64]) -> Result<u64>) -> Result<Vec<u8>> {
        let (p, w, length) = match self.prime {
            "2^16+1" | "65537" => (Prime::P16, 16, 3),
            "2^32+15" => (Prime::P32, 32, 5),
            "2^61-1" => (Prime::P61, 32, 8),
            other => bail!("its prime is 2^16+1, 2^32+15 or 2^61-1, not {other:?}"),
        };
        Ok(last_bytes(hash(p, &self.key(w)?, &self.message(w)?)?.into(), length))
    }

    /// An answer of words that are not little-endian says so.
    fn check_word_order(&self, order: &str) -> Result<()> {
        ensure!(text(self.body, "word_order")? == order, "word_order: it should be {order:?}");
        Ok(())
    }

    /// The polynomial, and how many bytes a hash has. The degree is in the name.
    fn polynomial(&self) -> Result<(Polynomial, usize)> {
        let degree = self.size.filter(|n| (1..=128).contains(n)).context("no degree to 128")?;
        let all = text(self.body, "poly_hex")?.trim_start_matches('0');
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
}

/// Little-endian words of w bits.
fn words(bytes: &[u8], w: usize) -> Result<Vec<u64>> {
    ensure!(matches!(w, 8 | 16 | 32 | 64), "words of {w} bits");
    let chunks = bytes.chunks_exact(w / 8);
    ensure!(chunks.remainder().is_empty(), "{} bytes are not whole words of {w} bits", bytes.len());
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    Ok(chunks.map(word).collect())
}

/// The last bytes, big-endian.
fn last_bytes(hash: u128, length: usize) -> Vec<u8> {
    hash.to_be_bytes()[16 - length..].to_vec()
}

/// The first words of a key that may be longer than needed.
fn front(key: &[u64], length: Option<usize>) -> Result<&[u64]> {
    length.and_then(|length| key.get(..length)).context("the key is too short")
}

fn digits(text: &str) -> Result<u128> {
    u128::from_str_radix(text, 16).context("not 1 to 32 hexadecimal digits")
}

fn nh(case: &Case<'_>) -> Result<Vec<u8>> {
    let &[n, w] = &case.numbers[..] else { bail!("its parameters are [n,w]") };
    let key = case.key(w)?;
    let nh = Nh::new(case.sign()?, w as u32, front(&key, Some(n))?)?;
    Ok(last_bytes(nh.hash(&case.message(w)?)?, w / 4))
}

fn nht(case: &Case<'_>) -> Result<Vec<u8>> {
    let &[n, w, t] = &case.numbers[..] else { bail!("its parameters are [n,w,t]") };
    ensure!(t <= MAX_TIMES, "{t} repetitions: {MAX_TIMES} are most");
    let moved = t.checked_sub(1).and_then(|times| times.checked_mul(2));
    let key = case.key(w)?;
    let key = front(&key, moved.and_then(|moved| moved.checked_add(n)))?;
    let mut hashes = vec![0; t]; // the key is longer
    Nht::new(case.sign()?, w as u32, t, key)?.hash(&case.message(w)?, &mut hashes)?;
    Ok(hashes.into_iter().flat_map(|hash| last_bytes(hash, w / 4)).collect())
}

fn nht2(case: &Case<'_>) -> Result<Vec<u8>> {
    let &[n, m, w] = &case.numbers[..] else { bail!("its parameters are [n,m,w]") };
    let (k, l) = (case.key(w)?, words(&bytes(case.body, "key2_hex")?, w).context("key2_hex")?);
    let k = front(&k, n.checked_add(2))?;
    let l = front(&l, m.checked_add(1).and_then(|pairs| pairs.checked_mul(2)))?;
    let hashes = Nht2::new(case.sign()?, w as u32, k, l)?.hash(&case.message(w)?)?;
    Ok(hashes.into_iter().flat_map(|hash| last_bytes(hash, w / 4)).collect())
}

fn mh(case: &Case<'_>) -> Result<Vec<u8>> {
    let w = case.size.context("no size of words")?;
    Ok(last_bytes(Mh::new(w as u32, &case.key(w)?)?.hash(&case.message(w)?)?, w / 4))
}

fn tmmh16(case: &Case<'_>) -> Result<Vec<u8>> {
    case.check_word_order("big-endian words")?;
    let (key, length) = (bytes(case.body, "key_hex")?, size(case.body, "tag_len")?);
    ensure!(length <= key.len(), "tag_len: the key is shorter");
    ensure!(length <= MAX_TIMES, "tag_len: {MAX_TIMES} bytes are most");
    let mut out = vec![0; length];
    Tmmh16::new(&key)?.hash(&case.message_bytes()?, &mut out)?;
    Ok(out)
}

fn bucket(case: &Case<'_>) -> Result<Vec<u8>> {
    case.check_word_order("big-endian message words, big-endian output words")?;
    let &[w, n, buckets] = &case.numbers[..] else { bail!("its parameters are [w,n,N]") };
    let most = n.max(buckets);
    ensure!(most <= MAX_BUCKETS, "{most} words or buckets: {MAX_BUCKETS} are most");
    let key = Vec::<[u16; 3]>::deserialize(&case.body["triples"]).context("triples")?;
    ensure!(key.len() == n, "there are {} triples, not {n}", key.len());
    // Big-endian words are the little-endian ones of the bytes in reverse, the last one first.
    let mut message = case.message_bytes()?;
    message.reverse();
    let mut message = words(&message, w)?;
    message.reverse();
    let mut out = vec![0; buckets];
    Bucket::new(u16::try_from(buckets)?, &key)?.hash(&message, &mut out)?;
    Ok(out.into_iter().flat_map(|word| last_bytes(word.into(), w / 8)).collect())
}

fn crc(case: &Case<'_>) -> Result<Vec<u8>> {
    let (p, length) = case.polynomial()?;
    Ok(last_bytes(Crc::new(p).hash(Bits::from(&case.message_bytes()?[..])), length))
}

fn lfsr_toeplitz(case: &Case<'_>) -> Result<Vec<u8>> {
    let (p, length) = case.polynomial()?;
    let state = digits(text(case.body, "state_hex")?).context("state_hex")?;
    let hash = LfsrToeplitz::new(p, state)?.hash(Bits::from(&case.message_bytes()?[..]));
    Ok(last_bytes(hash, length))
}
