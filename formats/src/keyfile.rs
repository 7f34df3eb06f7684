//! The key file: one secret for one algorithm and one tag length. `docs/keys.md` of `wegman-cli` has the format.

use crate::hex;
use crate::names::algorithm;
use anyhow::{Context, Result, ensure};
use hkdf::Hkdf;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use wegman::Cpu;
use wegman::hazmat::wiped::with_clean_stack;
use wegman_catalogue::{AnyKey, Found};
use zeroize::Zeroizing;

/// Bytes of the id.
pub const ID_BYTES: usize = 8;
/// Bytes of the secret, whatever the algorithm: its keys are derived.
pub const SECRET_BYTES: usize = 32;
/// The stack that hashing takes, in bytes. It is wiped, because states of hashes do not wipe what they leave when
/// moved.
const STACK: usize = 16 << 10;

const COMMENT: &str = "# wegman key: keep it secret, keep a copy. Whoever reads it can forge tags.";
const VERSION: &str = "wegman-key: 1";
const WINDOWS: &str = "it has Windows line ends (CRLF), so it was changed since it was made: restore the key file from \
                       its copy, or run `(umask 077; tr -d '\\r' < KEY > NEW)` and use NEW";

/// The use of a derived key. No two uses share a key.
#[derive(Clone, Copy)]
pub enum Purpose<'a> {
    /// The tags of files.
    Files,
    /// The tags of files in the shard with this id.
    Shard(&'a str),
    /// The seals of manifests.
    Seals,
    /// The seals of journals of edits.
    Edits,
    /// The seals of segments.
    Segments,
}

/// A key file's contents.
pub struct KeyFile {
    /// A random name, not secret. It tells which key made a manifest.
    pub id: String,
    pub algorithm: Found,
    pub tag_bytes: usize,
    /// Boxed, so that moving the key file leaves no copy behind.
    secret: Box<Zeroizing<[u8; SECRET_BYTES]>>,
    /// Device and inode of its file, so that a key lying in a tagged tree is not tagged.
    pub identity: Option<(u64, u64)>,
}

impl KeyFile {
    /// Makes a new key. `random` fills its argument with random bytes.
    ///
    /// # Errors
    /// Those of `random`.
    pub fn generate(
        algorithm: Found,
        tag_bytes: usize,
        mut random: impl FnMut(&mut [u8]) -> Result<()>,
    ) -> Result<KeyFile> {
        let mut id = [0; ID_BYTES];
        let mut secret = Box::<Zeroizing<[u8; SECRET_BYTES]>>::default();
        random(&mut id)?;
        random(&mut **secret)?;
        Ok(KeyFile { id: hex::encode(&id), algorithm, tag_bytes, secret, identity: None })
    }

    /// The secret from which all keys are derived.
    pub fn secret(&self) -> &[u8; SECRET_BYTES] {
        &self.secret
    }

    /// The text of the key file, as secret as the key.
    pub fn text(&self) -> Zeroizing<String> {
        let secret = Zeroizing::new(hex::encode(&**self.secret));
        let text = Zeroizing::new(format!(
            "{COMMENT}\n{VERSION}\nid: {}\nalgorithm: {}\ntag-bits: {}\nsecret: {}\n",
            self.id,
            self.algorithm.name,
            8 * self.tag_bytes,
            *secret
        ));
        Zeroizing::new(format!("{}checksum: {}\n", *text, *checksum(text.as_bytes())))
    }

    /// Reads what [`text`](Self::text) wrote.
    ///
    /// # Errors
    /// If it is damaged, truncated, newer or no key file; the text says which and what to do.
    pub fn parse(text: &[u8]) -> Result<KeyFile> {
        with_clean_stack(STACK, || Self::parse_lines(text))
    }

    fn parse_lines(text: &[u8]) -> Result<KeyFile> {
        let text = str::from_utf8(text).ok().filter(|text| text.contains("wegman-key:"));
        let text = text.context(
            "not a wegman key file: restore it from its copy; `wegman keygen` makes another key",
        )?;
        ensure!(!text.contains("\r\n"), WINDOWS);
        let mut rest = text;
        let mut number = 0;
        let mut line = |prefix: &str| -> Result<&str> {
            number += 1;
            let (line, after) = rest.split_once('\n').with_context(|| {
                format!("truncated at line {number}: restore the key file from its copy")
            })?;
            rest = after;
            line.strip_prefix(prefix).with_context(|| {
                format!("line {number} is damaged, it should begin with {prefix:?}: restore the key file from its copy")
            })
        };
        line("#")?;
        let version = line("wegman-key: ")?;
        let is_newer = version > "1" && version.bytes().all(|byte| byte.is_ascii_digit());
        ensure!(
            version == "1" || is_newer,
            "there is no key file version {version:?}: restore the key file from its copy"
        );
        ensure!(
            version == "1",
            "key file version {version:?} is newer than this wegman: update it"
        );
        let id = line("id: ")?;
        let is_id = hex::has_digits(id, 2 * ID_BYTES);
        let name = line("algorithm: ")?;
        let bits = line("tag-bits: ")?;
        let secret = line("secret: ")?;
        let sum = line("checksum: ")?;
        let covered = text.len() - rest.len() - "checksum: \n".len() - sum.len();
        ensure!(
            rest.is_empty() && sum == *checksum(&text.as_bytes()[..covered]),
            "damaged or edited, its checksum does not match: restore the key file from its copy"
        );
        ensure!(
            is_id,
            "the id {id:?} should be {} digits, 0 to 9 and a to f: restore the key file from its copy",
            2 * ID_BYTES
        );
        let algorithm = algorithm::find(name)?;
        let tag_bytes = algorithm::tag_bytes(&algorithm, Some(bits.parse().context("tag-bits")?))?;
        let bytes = hex::decode(secret.as_bytes()).context("secret")?;
        ensure!(bytes.len() == SECRET_BYTES, "the secret has {} bytes, not 32", bytes.len());
        let mut secret = Box::<Zeroizing<[u8; SECRET_BYTES]>>::default();
        secret.copy_from_slice(&bytes);
        Ok(KeyFile { id: id.to_owned(), algorithm, tag_bytes, secret, identity: None })
    }

    /// The algorithm's key for one purpose (`docs/keys.md` of `wegman-cli`, "Derivation").
    pub fn derive(&self, purpose: Purpose<'_>) -> Arc<dyn AnyKey> {
        let (purpose, of) = match purpose {
            Purpose::Files => ("files", None),
            Purpose::Shard(id) => ("files", Some(format!("shard/{id}"))),
            Purpose::Seals => ("seals", None),
            Purpose::Edits => ("edits", None),
            Purpose::Segments => ("segments", None),
        };
        let mut key = Zeroizing::new(vec![0; self.algorithm.key_bytes]);
        self.expand(purpose, of.as_deref(), &mut key);
        let key = self.algorithm.key_with(Cpu::detect(), &key, self.tag_bytes, self.nonce_bytes());
        key.expect("the key has the algorithm's length, and parse checked the tag's")
    }

    /// The AES-256-GCM key with which the machines of a cluster seal their messages in the run of this id.
    pub fn state_key(&self, run: &str) -> Zeroizing<[u8; 32]> {
        let mut key = Zeroizing::new([0; 32]);
        self.expand("states", Some(run), &mut *key);
        key
    }

    fn expand(&self, purpose: &str, of: Option<&str>, key: &mut [u8]) {
        let mut info = format!("{purpose}/{}/{}", self.algorithm.name, 8 * self.tag_bytes);
        if let Some(of) = of {
            info = format!("{info}/{of}");
        }
        with_clean_stack(STACK, || {
            Hkdf::<Sha256>::new(Some(b"wegman key 1"), &**self.secret)
                .expand(info.as_bytes(), key)
                .expect("no algorithm's key is longer than 255 hashes");
        });
    }

    /// The nonces' length in bytes for derived keys: the algorithm's longest, because nonces are random. `None` if it
    /// takes no nonce.
    pub fn nonce_bytes(&self) -> Option<usize> {
        self.algorithm.nonce_bytes?.last().copied()
    }

    /// How a manifest names its key.
    pub fn describe(&self) -> String {
        format!("key {}, {}, {}-bit tags", self.id, self.algorithm.name, 8 * self.tag_bytes)
    }
}

/// The first 8 bytes of SHA-256: it finds accidents, not attackers, who would need the secret anyway.
fn checksum(text: &[u8]) -> Zeroizing<String> {
    Zeroizing::new(hex::encode(&Sha256::digest(text)[..8]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(algorithm: &str, tag_bytes: usize) -> KeyFile {
        let random = |room: &mut [u8]| Ok(getrandom::fill(room)?);
        KeyFile::generate(wegman_catalogue::find(algorithm).unwrap(), tag_bytes, random).unwrap()
    }

    fn key() -> KeyFile {
        of("UMAC-64", 8)
    }

    #[test]
    fn a_written_key_reads_back() {
        let key = key();
        let read = KeyFile::parse(key.text().as_bytes()).unwrap();
        assert_eq!((&read.id, &*read.algorithm.name, read.tag_bytes), (&key.id, "UMAC-64", 8));
        assert_eq!(**read.secret, **key.secret);
    }

    #[test]
    fn any_flipped_bit_and_any_truncation_is_noticed() {
        let text = key().text();
        for at in COMMENT.len()..text.len() {
            for bit in 0..8 {
                let mut damaged = text.as_bytes().to_vec();
                damaged[at] ^= 1 << bit;
                assert!(KeyFile::parse(&damaged).is_err(), "byte {at}, bit {bit}");
            }
            assert!(KeyFile::parse(&text.as_bytes()[..at]).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn only_what_can_be_newer_is_called_so() {
        let text = key().text();
        for (version, says) in [
            ("2", "is newer"),
            ("10", "is newer"),
            ("0", "there is no"),
            ("01", "there is no"),
            ("+2", "there is no"),
            ("-2", "there is no"),
            ("1.0", "there is no"),
            ("", "there is no"),
        ] {
            let text = text.replacen(VERSION, &format!("wegman-key: {version}"), 1);
            let error = KeyFile::parse(text.as_bytes()).err().expect("another version");
            assert!(error.to_string().contains(says), "{version:?}: {error}");
        }
    }

    /// In JavaScript an id is 8 bytes: ids that differ only in case would be one there.
    #[test]
    fn an_id_has_one_form() {
        let mut key = key();
        key.id = "0123456789ABCDEF".to_owned();
        let error = KeyFile::parse(key.text().as_bytes()).err().expect("an id in upper case");
        assert!(error.to_string().contains("0 to 9 and a to f"), "{error}");
    }

    #[test]
    fn purposes_and_tag_lengths_have_different_keys() {
        let mut key = of("PMAC-AES128", 16);
        let tag = |key: &KeyFile, purpose| key.derive(purpose).tag(None, b"same").unwrap();
        let purposes = [Purpose::Files, Purpose::Seals, Purpose::Edits, Purpose::Segments];
        let tags = purposes.map(|purpose| tag(&key, purpose));
        for (i, one) in tags.iter().enumerate() {
            assert!(tags[..i].iter().all(|other| other != one));
        }
        key.tag_bytes = 8;
        assert_ne!(tag(&key, Purpose::Files).to_bytes(), &tags[0].to_bytes()[..8]);
    }

    /// Pins the derivation that `docs/keys.md` of `wegman-cli` describes: a change would orphan every manifest.
    #[test]
    fn derivation_is_fixed() {
        let mut key = of("PMAC-AES128", 16);
        **key.secret = std::array::from_fn(|i| i as u8);
        let tag = |purpose| key.derive(purpose).tag(None, b"").unwrap().to_string();
        assert_eq!(tag(Purpose::Files), "991869ac658738ab4478fb49f08fd2d5");
        assert_eq!(tag(Purpose::Seals), "cb76ef05ed2d2b0b431ec441edd64b60");
        assert_eq!(tag(Purpose::Edits), "a1ef52b196d74a530d4a06a24e89c6d5");
        assert_eq!(tag(Purpose::Segments), "28c718128eb6c156dc3c79c976f80890");
        assert_eq!(tag(Purpose::Shard("0123456789abcdef")), "8084c080134aa4f327870246fd4c9274");
        assert_eq!(
            hex::encode(&*key.state_key("00112233445566778899aabbccddeeff")),
            "26e05c008deaa65b95224b05520379d7762deddbd3af5a08ba2f880e9afeb9e8"
        );
    }
}
