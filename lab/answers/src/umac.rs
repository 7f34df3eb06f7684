//! UMAC of 1999, in the padding that an answer is for; and of October 2000, with the quirks of old code: the tag and its
//! prefixes, the hash, the pad.

use crate::fields::{bytes, has, same, size, text};
use crate::macs::{self, check_key, nonce, registered, tag};
use crate::{Answer, Kernel, Runner, message};
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;
use std::sync::Arc;
use wegman::Cpu;
use wegman_catalogue::entries::{umac_1999, umac_2000};
use wegman_catalogue::{AnyKey, AnyTag};
use wegman_historical::Umac2000;
use wegman_historical::umac_1999::quirks::{Padding, key};
use wegman_historical::umac_1999::{Mmx15, Mmx30, Mmx60, Std30, Std60};
use wegman_historical::umac_2000::quirks::{self, Cipher, L3Keys, NonceIndex, Quirks};
use wegman_historical::umac_2000::{Endian, Parameters, Sign};

pub(crate) fn of_1999(name: &str, cpu: Cpu) -> Option<Runner> {
    let is_set = name.starts_with("UMAC-STD-") || name.starts_with("UMAC-MMX-");
    let algorithm = wegman_catalogue::find(name).filter(|_| is_set)?;
    Some(Runner::new(algorithm.kernels(cpu), check_1999))
}

/// Runs an answer with the catalogue's key and with a key of the padding it names; where the padding makes no
/// difference, with both paddings.
fn check_1999(answer: &Answer, kernel: Kernel) -> Result<()> {
    let secret = bytes(&answer.body, "key_hex")?;
    let named = has(&answer.body, "cbc_padding").then(|| text(&answer.body, "cbc_padding"));
    let is_std = answer.algorithm.starts_with("UMAC-STD-");
    let (is_registered, padding) = match (named.transpose()?, is_std) {
        (None, _) | (Some("paper"), false) => (true, Padding::Paper),
        (Some("ref-0.25.05"), false) => (false, Padding::Ref02505),
        (Some("n/a"), true) => (true, Padding::Ref02505),
        (Some(other), _) => bail!("{} has no cbc_padding {other:?}", answer.algorithm),
    };
    if is_registered {
        let nonce = nonce(answer)?;
        check_key(answer, &*registered(&answer.algorithm, kernel, &secret, None, nonce.as_ref())?)?;
    }
    let key = padded(&answer.algorithm, kernel.cpu, &secret, padding)?;
    kernel.is(key.kernel())?;
    check_key(answer, &*key)
}

fn padded(name: &str, cpu: Cpu, secret: &[u8], padding: Padding) -> Result<Arc<dyn AnyKey>> {
    Ok(match name {
        "UMAC-STD-30" => umac_1999::boxed(key::<Std30>(cpu, secret, padding)?),
        "UMAC-STD-60" => umac_1999::boxed(key::<Std60>(cpu, secret, padding)?),
        "UMAC-MMX-15" => umac_1999::boxed(key::<Mmx15>(cpu, secret, padding)?),
        "UMAC-MMX-30" => umac_1999::boxed(key::<Mmx30>(cpu, secret, padding)?),
        "UMAC-MMX-60" => umac_1999::boxed(key::<Mmx60>(cpu, secret, padding)?),
        other => bail!("there is no set {other}"),
    })
}

pub(crate) fn of_2000(name: &str, cpu: Cpu) -> Option<Runner> {
    Some(Runner::new(Umac2000::kernels(cpu, &name.parse().ok()?), check_2000))
}

fn check_2000(answer: &Answer, kernel: Kernel) -> Result<()> {
    let parameters = answer.algorithm.parse().expect("or it would not be of this kind");
    let quirks = quirks(&answer.body, &parameters).context("params")?;
    let secret = bytes(&answer.body, "key_hex")?;
    let key = quirks::key(kernel.cpu, &parameters, &secret, quirks)
        .map_err(|_| anyhow!("a key of {} bytes, not {}", secret.len(), parameters.key_bytes()))?;
    // With quirks a key works by levels, which may have fewer rows than whole packets.
    if quirks == Quirks::default() {
        kernel.is(key.kernel())?;
    }
    if !answer.is_sweep {
        check_parts(answer, &key)?;
    }
    let nonce_bytes = nonce(answer)?.map_or(0, |nonce| nonce.len());
    check_key(answer, &*umac_2000::boxed(key, nonce_bytes))?;
    // For some parameters the catalogue's key uses another engine. With quirks it would be another algorithm.
    if quirks == Quirks::default() { macs::check(answer, kernel) } else { Ok(()) }
}

/// The prefixes of the tag; the hash and the pad, if the answer has them.
fn check_parts(answer: &Answer, key: &Umac2000) -> Result<()> {
    let nonce = nonce(answer)?.context("no nonce_hex")?;
    let (message, wanted) = (message::of_case(&answer.body)?, tag(answer)?);
    let tag = AnyTag::new(&wanted)?;
    // One prefix is enough for the longest messages.
    let step = if message.len() > 1 << 20 { key.parameters().words() } else { 1 };
    for words in (1..=key.parameters().words()).step_by(step) {
        let prefix = key.tag_prefix(&nonce, &message, words);
        let prefix = prefix.to_bytes();
        same("the prefix of the tag", prefix, &wanted[..prefix.len().min(wanted.len())])?;
        let reached = key.verify_prefix(&nonce, &message, &tag, words);
        let reached = reached.map_err(|_| anyhow!("{words} words are not accepted"))?;
        ensure!(reached.bits() == 8 * prefix.len(), "{words} words give {} bits", reached.bits());
    }
    let mut hash = vec![0; key.parameters().output_bytes()];
    key.uhash().hash(&message, &mut hash);
    if has(&answer.body, "uhash_hex") {
        same("the hash", &hash, &bytes(&answer.body, "uhash_hex")?)?;
    }
    if has(&answer.body, "pad_hex") {
        let pad: Vec<u8> = hash.iter().zip(&wanted).map(|(hash, tag)| hash ^ tag).collect();
        same("the pad", &pad, &bytes(&answer.body, "pad_hex")?)?;
    }
    Ok(())
}

/// The `params` of an answer of UMAC 2000: they must agree with the name, and they select the quirks of old code.
fn quirks(body: &Value, parameters: &Parameters) -> Result<Quirks> {
    let Some(params) = body.get("params") else { return Ok(Quirks::default()) };
    let said = Parameters::new(
        size(params, "word_len")?,
        size(params, "output_len")?,
        size(params, "l1_key_len")?,
        size(params, "key_len")?,
        choice(params, "sign", &[("SIGNED", Sign::Signed), ("UNSIGNED", Sign::Unsigned)])?,
        choice(params, "endian", &[("LITTLE", Endian::Little), ("BIG", Endian::Big)])?,
    )?;
    ensure!(said == *parameters, "they are those of {said}, not of {parameters}");
    let mut quirks = Quirks::default();
    quirks.cipher = choice(params, "cipher", &[("AES", Cipher::Aes), ("RC6", Cipher::Rc6)])?;
    let l3_keys = [
        ("draft", L3Keys::Draft),
        ("refcode-0.05", L3Keys::Refcode005),
        ("v0.01", L3Keys::Refcode001),
    ];
    quirks.l3_keys = choice(params, "l3_keys", &l3_keys)?;
    let nonce_index =
        [("unpadded-index", NonceIndex::Unpadded), ("draft-literal", NonceIndex::DraftLiteral)];
    quirks.nonce_index = choice(params, "nonce_index", &nonce_index)?;
    Ok(quirks)
}

/// The value that a field names.
fn choice<T: Copy>(params: &Value, field: &str, values: &[(&str, T)]) -> Result<T> {
    let name = text(params, field)?;
    let found = values.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    found.with_context(|| format!("there is no {field} {name:?}"))
}
