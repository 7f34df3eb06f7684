//! Answers of the catalogue's algorithms, through its boxed keys; and what the answers of all MACs share.

use crate::fields::{bytes, has, number, same, text};
use crate::{Answer, Kernel, Runner, message};
use anyhow::{Context, Result, anyhow, ensure};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use wegman::{Bits, Cpu, Tag};
use wegman_catalogue::{self, AnyKey, AnyTag, Nonce};

pub(crate) fn of(name: &str, cpu: Cpu) -> Option<Runner> {
    Some(Runner::new(wegman_catalogue::find(name)?.kernels(cpu), check))
}

pub(crate) fn check(answer: &Answer, kernel: Kernel) -> Result<()> {
    let (secret, nonce) = (bytes(&answer.body, "key_hex")?, nonce(answer)?);
    let key = registered(&answer.algorithm, kernel, &secret, tag_bytes(answer)?, nonce.as_ref())?;
    check_key(answer, &*key)
}

/// The catalogue's name of an algorithm: an answer of Carter does not name the cipher, which the key's length tells.
pub(crate) fn listed(name: &str, key_bytes: usize) -> String {
    let of_256 = if name.starts_with("Carter-") && key_bytes == 32 { "-AES256" } else { "" };
    format!("{name}{of_256}")
}

/// The catalogue's key of an algorithm, on a kernel, for nonces as long as this one.
pub(crate) fn registered(
    name: &str,
    kernel: Kernel,
    secret: &[u8],
    tag_bytes: Option<usize>,
    nonce: Option<&Nonce>,
) -> Result<Arc<dyn AnyKey>> {
    let name = listed(name, secret.len());
    let algorithm =
        wegman_catalogue::find(&name).with_context(|| format!("{name} is not registered"))?;
    let tag_bytes = tag_bytes.unwrap_or(*algorithm.tag_bytes.end());
    let nonce_bytes = nonce.filter(|_| algorithm.nonce_bytes.is_some()).map(Nonce::len);
    let key = algorithm.key_with(kernel.cpu, secret, tag_bytes, nonce_bytes);
    let lengths = || format!("{name}: a key of {} bytes, a tag of {tag_bytes}", secret.len());
    let key = key.with_context(lengths)?;
    kernel.is(key.kernel())?;
    Ok(key)
}

/// A tag, and what it is of.
#[derive(Clone, Copy)]
pub(crate) struct Tagged<'a> {
    pub(crate) secret: &'a [u8],
    pub(crate) nonce: Option<Nonce>,
    pub(crate) message: &'a [u8],
    pub(crate) tag: &'a [u8],
}

impl Tagged<'_> {
    /// The tag by the catalogue, which must have the algorithm. Skipped if its keys have another length, which only
    /// typed keys take.
    pub(crate) fn check_if_it_fits(&self, name: &str, kernel: Kernel) -> Result<()> {
        let algorithm = wegman_catalogue::find(name);
        let algorithm = algorithm.with_context(|| format!("{name} is not registered"))?;
        if algorithm.key_bytes != self.secret.len() {
            return Ok(());
        }
        let (tag_bytes, nonce) = (Some(self.tag.len()), self.nonce.as_ref());
        self.is_of(&*registered(name, kernel, self.secret, tag_bytes, nonce)?)
    }

    /// The tag of the message in every way there is.
    fn is_of(&self, key: &dyn AnyKey) -> Result<()> {
        let (nonce, message, wanted) = (self.nonce.as_ref(), self.message, self.tag);
        same("the tag", key.tag(nonce, message)?.to_bytes(), wanted)?;
        let verified = key.verify(nonce, message, &AnyTag::new(wanted)?);
        ensure!(verified.is_ok(), "the tag is not accepted");
        let mut stream = key.stream();
        let (front, rest) = message.split_at(message.len() / 3);
        stream.update(front);
        rest.chunks(1000).for_each(|piece| stream.update(piece));
        same("the stream's tag", stream.finish(nonce)?.to_bytes(), wanted)?;
        // In a batch its nonce is the first; after the last nonce there is none. Long messages would take long.
        let is_last = nonce.is_some_and(|nonce| nonce.advance(8).is_none());
        let count = if is_last || message.len() > 1 << 16 { 1 } else { 9 };
        let mut tags = vec![0; count * wanted.len()];
        key.tags(nonce, &[message; 9][..count], &mut tags)?;
        same("the batch's first tag", &tags[..wanted.len()], wanted)
    }
}

/// The length of a key's tags: that of the answer's tag, or `None` (the longest) for sweeps and cut tags.
pub(crate) fn tag_bytes(answer: &Answer) -> Result<Option<usize>> {
    let is_longest = answer.is_sweep || has(&answer.body, "tag_bits");
    if is_longest { Ok(None) } else { Ok(Some(tag(answer)?.len())) }
}

/// What an answer calls its tag.
pub(crate) fn tag_field(body: &Value) -> &'static str {
    let of_1999 = "tag_paper_padding_hex";
    if has(body, of_1999) { of_1999 } else { "tag_hex" }
}

pub(crate) fn tag(answer: &Answer) -> Result<Vec<u8>> {
    bytes(&answer.body, tag_field(&answer.body))
}

/// A tag of a type.
pub(crate) fn typed<const N: usize>(tag: &[u8]) -> Result<Tag<N>> {
    Tag::try_from(tag).map_err(|_| anyhow!("the tag has {} bytes, not {N}", tag.len()))
}

/// The answer's nonce, if it has one.
pub(crate) fn nonce(answer: &Answer) -> Result<Option<Nonce>> {
    if !has(&answer.body, "nonce_hex") {
        return Ok(None);
    }
    let bytes = bytes(&answer.body, "nonce_hex")?;
    let nonce = Nonce::new(&bytes);
    Ok(Some(nonce.with_context(|| format!("nonce_hex: no nonce has {} bytes", bytes.len()))?))
}

/// All that an answer says, of a boxed key: the tag, also from a stream, or the tags of a sweep.
pub(crate) fn check_key(answer: &Answer, key: &dyn AnyKey) -> Result<()> {
    let nonce = nonce(answer)?;
    let tag_of = |message: &[u8], bits| {
        let tag = match bits {
            None => key.tag(nonce.as_ref(), message)?,
            Some(bits) => {
                let pmac = key.pmac().context("its messages have whole bytes, not bits")?;
                pmac.tag_bits(bits_of(message, bits)?)
            }
        };
        anyhow::Ok(tag.to_bytes().to_vec())
    };
    if answer.is_sweep {
        return check_sweep(answer, tag_of);
    }
    let (message, wanted) = (message::of_case(&answer.body)?, tag(answer)?);
    match (number(&answer.body, "bits")?, number(&answer.body, "tag_bits")?) {
        (None, None) => Tagged { secret: &[], nonce, message: &message, tag: &wanted }.is_of(key),
        (bits, None) => same("the tag", &tag_of(&message, bits)?, &wanted),
        (bits, Some(tag_bits)) => {
            same("the tag", &cut(&tag_of(&message, bits)?, tag_bits)?, &wanted)
        }
    }
}

/// The hash over the tags of a sweep's messages, each with its number of bits if that is given.
fn check_sweep(
    answer: &Answer,
    mut tag: impl FnMut(&[u8], Option<u64>) -> Result<Vec<u8>>,
) -> Result<()> {
    let wanted = bytes(&answer.body, "sha256_of_concatenated_tags")?;
    let mut tags = Sha256::new();
    for message in message::of_sweep(text(&answer.body, "msg_rule")?)? {
        let (message, bits) = message?;
        tags.update(tag(&message, bits)?);
    }
    same("the hash of the tags", &tags.finalize(), &wanted)
}

/// The first bits of a message.
pub(crate) fn bits_of(message: &[u8], bits: u64) -> Result<Bits<'_>> {
    Bits::new(message, bits).map_err(|_| anyhow!("{bits} bits are not {} bytes", message.len()))
}

/// The first bits of a tag, zero bits after them.
pub(crate) fn cut(tag: &[u8], bits: u64) -> Result<Vec<u8>> {
    let bytes = usize::try_from(bits.div_ceil(8))?;
    ensure!(bytes <= tag.len(), "tag_bits: the tag has {} bytes", tag.len());
    let mut cut = tag[..bytes].to_vec();
    if let Some(last) = cut.last_mut() {
        *last &= 0xff << (8 * bytes as u64 - bits);
    }
    Ok(cut)
}
