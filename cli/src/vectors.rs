//! `wegman vectors`: known-answer files, on every kernel of this machine.
//!
//! A file has `cases` (single answers) and `sweeps` (one hash over the tags of many lengths); its
//! `intermediates` are cases, too, if they have a tag. A case of an algorithm this build does not have
//! is skipped and named; anything else that can't be run has failed.
//!
//! Answers of UMAC 2000 may have `params`, with the ways of old code, and the hash without its pad; those of
//! UMAC 1999 the padding they are for.

use crate::args::Vectors;
use crate::manifest::shown;
use crate::output::{Exit, say};
use crate::{hex, mac, message};
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use wegman::registry::{self, Algorithm, AnyKey, AnyTag, Found};
use wegman::umac_1999;
use wegman::umac_2000::historical::{self, Cipher, L3Keys, NonceIndex, Quirks};
use wegman::umac_2000::{Endian, Parameters, Sign};
use wegman::{Bits, Cpu, Nonce};

/// How many algorithms that are not there are named.
const NAMED: usize = 6;
/// How many failures are spelled out for a file and kernel.
const SHOWN: usize = 5;

pub fn run(args: &Vectors) -> Result<Exit> {
    let (mut bad, mut errors) = (0, 0);
    for path in &args.files {
        match file(path) {
            Ok(true) => {}
            Ok(false) => bad += 1,
            Err(error) => {
                errors += 1;
                say(&format!("{}: {error:#}", shown(path.as_os_str())));
            }
        }
    }
    Ok(Exit::of(bad, errors))
}

/// One known answer.
struct Answer<'f> {
    /// Its `id`, or its place in the file.
    label: String,
    body: &'f Value,
    is_sweep: bool,
    /// `None`: this build does not have it.
    algorithm: Option<Found>,
}

/// Runs one file; whether all of it that can be run passed, and there was something to run.
fn file(path: &Path) -> Result<bool> {
    let text = fs::read(path).context("can't read it")?;
    let json: Value = serde_json::from_slice(&text).context("not JSON")?;
    let answers = answers(&json)?;
    let cpu = Cpu::detect();

    let mut kernels: Vec<&str> = Vec::new();
    for algorithm in answers.iter().filter_map(|answer| answer.algorithm.as_ref()) {
        for (kernel, _) in algorithm.kernels(cpu) {
            if !kernels.contains(&kernel) {
                kernels.push(kernel);
            }
        }
    }
    let skipped = skipped(&answers);
    let shown = shown(path.as_os_str());
    let mut out = io::stdout().lock();
    if kernels.is_empty() {
        writeln!(out, "{shown}  no kernel  0 passed, 0 failed, {skipped}")?;
        say(&format!("{shown}: no usable case: no algorithm in it is in this build"));
        return Ok(false);
    }

    let mut all_good = true;
    for kernel in kernels {
        let (mut passed, mut failures) = (0u64, Vec::new());
        for answer in &answers {
            let Some(algorithm) = &answer.algorithm else { continue };
            let kernels = algorithm.kernels(cpu);
            let Some(&(_, cpu)) = kernels.iter().find(|(name, _)| *name == kernel) else {
                continue;
            };
            match answer.check(algorithm, cpu) {
                Ok(()) => passed += 1,
                Err(error) => failures.push(format!("{}: {error:#}", answer.label)),
            }
        }
        writeln!(out, "{shown}  {kernel}  {passed} passed, {} failed, {skipped}", failures.len())?;
        out.flush().context("standard output")?;
        for failure in failures.iter().take(SHOWN) {
            say(&format!("{shown}: {kernel}: {failure}"));
        }
        if failures.len() > SHOWN {
            say(&format!("{shown}: {kernel}: {} more failures", failures.len() - SHOWN));
        }
        all_good &= failures.is_empty();
    }
    Ok(all_good)
}

fn answers(json: &Value) -> Result<Vec<Answer<'_>>> {
    let mut answers = Vec::new();
    for (list, is_sweep) in [("cases", false), ("sweeps", true), ("intermediates", false)] {
        let Some(bodies) = json.get(list) else { continue };
        let bodies = bodies.as_array().with_context(|| format!("{list:?} is no list"))?;
        for (i, body) in bodies.iter().enumerate() {
            if list == "intermediates" && body.get(tag_field(body)).is_none() {
                continue; // of layers inside the library
            }
            let label = body.get("id").and_then(Value::as_str).map(str::to_owned);
            let label = label.unwrap_or_else(|| format!("{list}[{i}]"));
            let name = text(body, "algorithm").with_context(|| label.clone())?;
            answers.push(Answer { label, body, is_sweep, algorithm: registry::find(name) });
        }
    }
    ensure!(!answers.is_empty(), "no known answers: it has neither cases nor sweeps");
    Ok(answers)
}

/// How many answers are of algorithms this build does not have, and which those are.
fn skipped(answers: &[Answer<'_>]) -> String {
    let foreign = answers.iter().filter(|answer| answer.algorithm.is_none());
    let names: Vec<_> = foreign.map(|answer| answer.body["algorithm"].to_string()).collect();
    if names.is_empty() {
        return "0 skipped".to_owned();
    }
    let which: BTreeSet<&str> = names.iter().map(|name| name.trim_matches('"')).collect();
    let listed: Vec<_> = which.iter().copied().take(NAMED).collect();
    let more = match which.len() - listed.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} skipped (not in this build: {}{more})", names.len(), listed.join(", "))
}

impl Answer<'_> {
    fn check(&self, algorithm: &Algorithm, cpu: Cpu) -> Result<()> {
        let secret = hex::decode(text(self.body, "key_hex")?.as_bytes()).context("key_hex")?;
        let nonce = self.body.get("nonce_hex").map(|_| text(self.body, "nonce_hex")).transpose()?;
        let nonce = mac::nonce(algorithm, nonce).context("nonce_hex")?;
        // A tag of other than whole bytes is a part of the longest.
        let bits = number(self.body, "bits")?;
        let tag_bits = number(self.body, "tag_bits")?;
        let of_2000 = match algorithm.name.parse::<Parameters>() {
            Ok(parameters) => Some((parameters, quirks(self.body, &parameters).context("params")?)),
            Err(_) => None,
        };
        let key = |tag_bytes| -> Result<Box<dyn AnyKey>> {
            // With the ways of old code, it is another algorithm than the registry's.
            if let Some((parameters, quirks)) = &of_2000
                && *quirks != Quirks::default()
            {
                return Ok(Box::new(historical::key(cpu, parameters, &secret, *quirks)?));
            }
            if let Some(key) = self.padded_otherwise(algorithm, cpu, &secret)? {
                return Ok(key);
            }
            algorithm.key(cpu, &secret, tag_bytes).map_err(|_| {
                let (key, tag) = (algorithm.key_bytes, &algorithm.tag_bytes);
                anyhow!(
                    "it has a key of {} bytes and a tag of {tag_bytes}, but {} takes {key} and {} to {}",
                    secret.len(), algorithm.name, tag.start(), tag.end()
                )
            })
        };
        if self.is_sweep {
            let wanted = text(self.body, "sha256_of_concatenated_tags")?;
            let key = key(*algorithm.tag_bytes.end())?;
            let mut tags = Sha256::new();
            for message in message::of_sweep(text(self.body, "msg_rule")?)? {
                let (message, bits) = message?;
                tags.update(tag(&*key, nonce.as_ref(), &message, bits)?.to_bytes());
            }
            let found = hex::encode(&tags.finalize());
            ensure!(found.eq_ignore_ascii_case(wanted), "the tags hash to {found}, not {wanted}");
        } else {
            let field = tag_field(self.body);
            let wanted = hex::decode(text(self.body, field)?.as_bytes()).context(field)?;
            let message = message::of_case(self.body)?;
            let found = match tag_bits {
                None => tag(&*key(wanted.len())?, nonce.as_ref(), &message, bits)?,
                Some(tag_bits) => {
                    let key = key(*algorithm.tag_bytes.end())?;
                    cut(&tag(&*key, nonce.as_ref(), &message, bits)?, tag_bits)?
                }
            };
            ensure!(
                AnyTag::new(&wanted).is_ok_and(|wanted| wanted == found),
                "the tag is {found}, not {}",
                hex::encode(&wanted)
            );
            if let (Some((parameters, quirks)), Some(nonce)) = (&of_2000, &nonce) {
                let key = historical::key(cpu, parameters, &secret, *quirks)?;
                self.check_parts(&key, nonce, &message, &wanted)?;
            }
        }
        Ok(())
    }

    /// UMAC 1999: a key with the padding of old code, if the answer is for that.
    fn padded_otherwise(
        &self,
        algorithm: &Algorithm,
        cpu: Cpu,
        secret: &[u8],
    ) -> Result<Option<Box<dyn AnyKey>>> {
        use umac_1999::historical::{Padding::Ref02505, key};
        if self.body.get("cbc_padding").is_none() {
            return Ok(None);
        }
        match (text(self.body, "cbc_padding")?, algorithm.name.as_str()) {
            ("paper", name) if name.starts_with("UMAC-MMX-") => Ok(None),
            ("n/a", name) if name.starts_with("UMAC-STD-") => Ok(None),
            ("ref-0.25.05", "UMAC-MMX-15") => {
                Ok(Some(Box::new(key::<umac_1999::Mmx15>(cpu, secret, Ref02505)?)))
            }
            ("ref-0.25.05", "UMAC-MMX-30") => {
                Ok(Some(Box::new(key::<umac_1999::Mmx30>(cpu, secret, Ref02505)?)))
            }
            ("ref-0.25.05", "UMAC-MMX-60") => {
                Ok(Some(Box::new(key::<umac_1999::Mmx60>(cpu, secret, Ref02505)?)))
            }
            (padding, name) => bail!("{name} has no cbc_padding {padding:?}"),
        }
    }

    /// UMAC 2000: the general engine, which the registry passes by for some parameters; the fronts of
    /// the tag; the hash and the pad, if the answer has them.
    fn check_parts(
        &self,
        key: &wegman::umac_2000::Key,
        nonce: &Nonce,
        message: &[u8],
        wanted: &[u8],
    ) -> Result<()> {
        for words in 1..=key.parameters().words() {
            let front = key.tag_prefix(nonce, message, words);
            let same = AnyTag::new(&wanted[..front.to_bytes().len().min(wanted.len())])?;
            ensure!(front == same, "{words} words of the tag are {front}");
        }
        let mut hash = vec![0; key.parameters().output_bytes()];
        key.uhash().hash(message, &mut hash);
        if self.body.get("uhash_hex").is_some() {
            let wanted = text(self.body, "uhash_hex")?;
            let found = hex::encode(&hash);
            ensure!(found.eq_ignore_ascii_case(wanted), "the hash is {found}, not {wanted}");
        }
        if self.body.get("pad_hex").is_some() {
            let pad: Vec<u8> = hash.iter().zip(wanted).map(|(hash, tag)| hash ^ tag).collect();
            let (found, wanted) = (hex::encode(&pad), text(self.body, "pad_hex")?);
            ensure!(found.eq_ignore_ascii_case(wanted), "the pad is {found}, not {wanted}");
        }
        Ok(())
    }
}

/// The `params` of an answer of UMAC 2000: they must say what the name says, and tell the ways of old code.
fn quirks(body: &Value, parameters: &Parameters) -> Result<Quirks> {
    let Some(params) = body.get("params") else { return Ok(Quirks::default()) };
    let number = |field| {
        let value = number(params, field)?.with_context(|| format!("no number {field:?}"))?;
        anyhow::Ok(usize::try_from(value)?)
    };
    let said = Parameters::new(
        number("word_len")?,
        number("output_len")?,
        number("l1_key_len")?,
        number("key_len")?,
        match text(params, "sign")? {
            "SIGNED" => Sign::Signed,
            "UNSIGNED" => Sign::Unsigned,
            other => bail!("there is no sign {other:?}"),
        },
        match text(params, "endian")? {
            "LITTLE" => Endian::Little,
            "BIG" => Endian::Big,
            other => bail!("there is no endian {other:?}"),
        },
    )?;
    ensure!(said == *parameters, "they are those of {said}, not of {parameters}");
    Ok(Quirks {
        cipher: match text(params, "cipher")? {
            "AES" => Cipher::Aes,
            "RC6" => Cipher::Rc6,
            other => bail!("there is no cipher {other:?}"),
        },
        l3_keys: match text(params, "l3_keys")? {
            "draft" => L3Keys::Draft,
            "refcode-0.05" => L3Keys::Refcode005,
            "v0.01" => L3Keys::Refcode001,
            other => bail!("there is no l3_keys {other:?}"),
        },
        nonce_index: match text(params, "nonce_index")? {
            "unpadded-index" => NonceIndex::Unpadded,
            "draft-literal" => NonceIndex::DraftLiteral,
            other => bail!("there is no nonce_index {other:?}"),
        },
    })
}

/// The tag of a message of whole bytes, or of some number of bits.
fn tag(
    key: &dyn AnyKey,
    nonce: Option<&Nonce>,
    message: &[u8],
    bits: Option<u64>,
) -> Result<AnyTag> {
    let Some(bits) = bits else { return Ok(key.tag(nonce, message)?) };
    let pmac = key.pmac().context("its messages have whole bytes, not bits")?;
    let message = Bits::new(message, bits)
        .map_err(|_| anyhow!("{bits} bits are not {} bytes", message.len()))?;
    Ok(pmac.tag_bits(message))
}

/// The first bits of a tag, zero bits after them.
fn cut(tag: &AnyTag, bits: u64) -> Result<AnyTag> {
    let tag = tag.to_bytes();
    let bytes = usize::try_from(bits.div_ceil(8))?;
    let mut cut = tag.get(..bytes).context("tag_bits: the tag is shorter")?.to_vec();
    if let Some(last) = cut.last_mut() {
        *last &= 0xff << (8 * bytes as u64 - bits);
    }
    Ok(AnyTag::new(&cut)?)
}

/// What an answer calls its tag.
fn tag_field(body: &Value) -> &'static str {
    let of_1999 = "tag_paper_padding_hex";
    if body.get(of_1999).is_some() { of_1999 } else { "tag_hex" }
}

/// A field that is a number if it is there.
fn number(body: &Value, field: &str) -> Result<Option<u64>> {
    let Some(value) = body.get(field) else { return Ok(None) };
    value.as_u64().with_context(|| format!("{field} is no number")).map(Some)
}

/// A field that must be there and be text.
fn text<'v>(body: &'v Value, field: &str) -> Result<&'v str> {
    body.get(field).and_then(Value::as_str).with_context(|| format!("no text {field:?}"))
}
