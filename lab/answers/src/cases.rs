//! Single answers as bytes, for tests that run them through something else: a library for C, another program.

pub use crate::fields::hex;
use crate::fields::{bytes, has, list, text};
use crate::macs::listed;
use crate::message;
use anyhow::{Context, Result};
use serde_json::Value;

/// A key, a nonce (empty if the algorithm takes none), a message, and its tag.
#[derive(Clone, Debug)]
pub struct Case {
    /// The catalogue's name of the algorithm.
    pub algorithm: String,
    /// The key.
    pub key: Vec<u8>,
    /// The nonce; empty if there is none.
    pub nonce: Vec<u8>,
    /// The message.
    pub message: Vec<u8>,
    /// The right tag.
    pub tag: Vec<u8>,
}

/// The cases of a known-answer file. Those whose message or tag does not consist of whole bytes are left out, and so are
/// those of IPsec's HMACs with other keys than IPsec's, which the catalogue does not have by name.
///
/// # Errors
/// If the content is not such a file.
pub fn cases(content: &[u8]) -> Result<Vec<Case>> {
    let file: Value = serde_json::from_slice(content).context("no JSON")?;
    let plain =
        list(&file, "cases")?.iter().filter(|body| !has(body, "bits") && !has(body, "tag_bits"));
    let all = plain.map(case).collect::<Result<Vec<_>>>()?;
    let is_by_name = |case: &Case| match &case.algorithm[..] {
        "HMAC-MD5-96" => case.key.len() == 16,
        "HMAC-SHA1-96" => case.key.len() == 20,
        _ => true,
    };
    Ok(all.into_iter().filter(is_by_name).collect())
}

fn case(body: &Value) -> Result<Case> {
    let key = bytes(body, "key_hex")?;
    let algorithm = listed(text(body, "algorithm")?, key.len());
    let nonce = if has(body, "nonce_hex") { bytes(body, "nonce_hex")? } else { Vec::new() };
    let (message, tag) = (message::of_case(body)?, bytes(body, "tag_hex")?);
    Ok(Case { algorithm, key, nonce, message, tag })
}

impl Case {
    /// A request to a program that computes tags: the line `ALGORITHM KEY NONCE TAG-BYTES LENGTH`, in hexadecimal and with `-`
    /// for no nonce, and then the message.
    pub fn write_request(&self, requests: &mut Vec<u8>) {
        let Case { algorithm, key, nonce, message, tag } = self;
        let nonce = if nonce.is_empty() { "-".to_owned() } else { hex(nonce) };
        let line = format!("{algorithm} {} {nonce} {} {}\n", hex(key), tag.len(), message.len());
        requests.extend_from_slice(line.as_bytes());
        requests.extend_from_slice(message);
    }
}
