//! The four UMACs of SSH: `umac-64@openssh.com`, `umac-128@openssh.com`, and each with `-etm`. docs/ssh.md tries them
//! against OpenSSH.
//!
//! ```
//! use wegman::ssh;
//!
//! let mac = ssh::Mac::new("umac-64-etm@openssh.com", b"sixteen byte key")?;
//! let packet: [&[u8]; 2] = [&[0, 0, 0, 16], b"16 of ciphertext"]; // packet_length, ciphertext
//! let tag = mac.tag(3, &packet); // of packet number 3
//! assert_eq!(tag.to_bytes().len(), mac.tag_bytes());
//! assert!(mac.verify(3, &packet, tag.to_bytes()).is_ok());
//! # Ok::<(), ssh::Error>(())
//! ```
//!
//! **What is authenticated** is one packet: with `-etm`, the packet as it is sent, except its tag; without `-etm`, the
//! packet before encryption.
//!
//! | name | authenticated | the receiver |
//! |---|---|---|
//! | `umac-64@openssh.com`, `umac-128@openssh.com` | packet_length ‖ padding_length ‖ payload ‖ padding | decrypts, then verifies |
//! | `umac-64-etm@openssh.com`, `umac-128-etm@openssh.com` | packet_length ‖ ciphertext of the rest | verifies, then decrypts |
//!
//! packet_length has 4 bytes, big-endian. With `-etm` it is not encrypted (OpenSSH, `PROTOCOL`, section 1.5); without,
//! the packet is that of RFC 4253, section 6.4. Prefer `-etm`: its receiver decrypts nothing that is forged.
//!
//! **The nonce** is the packet's sequence number of 32 bits as 8 bytes, big-endian. It is not a part of the message
//! (draft-miller-secsh-umac-01; OpenSSH, `mac_compute` in `mac.c`). The key has 16 bytes for tags of 8 and of 16 bytes.
//!
//! **A nonce must not repeat under a key**: two tags under one nonce reveal the key of the hash. A sequence number wraps
//! after 2^32 packets, so the two sides must exchange keys before. RFC 4344, section 3.1, asks for that after 2^31
//! packets; OpenSSH does it then, and ends a connection before its key has 2^32 packets. [`Mac::tag`] takes the number
//! that the protocol counts, and cannot detect a repeated number. Each direction has its own key (RFC 4253, section
//! 7.2), and so its own `Mac`. With OpenSSH's strict key exchange (`PROTOCOL`, section 1.9), numbers start at 0 again
//! with each new key. That repeats no nonce, since the key is new.
//!
//! **Bound**: that of [`umac`], about 2^-60 or 2^-120 for each attempt. An SSH connection ends with the first wrong tag,
//! so each connection is one attempt.

use crate::nonce::NonceOf;
use crate::tag::{AnyTag, TagMismatch};
use crate::umac;
use core::fmt;
use zeroize::ZeroizeOnDrop;

/// Bytes of a key, for tags of both lengths.
pub const KEY_BYTES: usize = 16;

/// The names that [`Mac::new`] takes, in OpenSSH's order of preference.
pub const NAMES: [&str; 4] = [
    "umac-64-etm@openssh.com",
    "umac-128-etm@openssh.com",
    "umac-64@openssh.com",
    "umac-128@openssh.com",
];

/// The MAC of one direction of a connection, until the next exchange of keys. It is wiped on drop.
#[derive(Clone)]
pub struct Mac {
    name: &'static str,
    key: Key,
}

// Its keys wipe themselves.
impl ZeroizeOnDrop for Mac {}

#[derive(Clone)]
enum Key {
    Umac64(umac::Key<8>),
    Umac128(umac::Key<16>),
}

impl Mac {
    /// The MAC of one of [`NAMES`] with a key of [`KEY_BYTES`] bytes.
    ///
    /// # Errors
    /// [`Error`] if there is no such name or the key has another length.
    pub fn new(name: &str, key: &[u8]) -> Result<Mac, Error> {
        let name = NAMES.into_iter().find(|known| *known == name).ok_or(Error::UnknownName)?;
        let key = key.try_into().map_err(|_| Error::KeyLength(key.len()))?;
        let key = if name.starts_with("umac-64") {
            Key::Umac64(umac::Key::new(key))
        } else {
            Key::Umac128(umac::Key::new(key))
        };
        Ok(Mac { name, key })
    }

    /// Its name, one of [`NAMES`].
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it authenticates the encrypted packet ("encrypt, then MAC").
    #[must_use]
    pub fn is_etm(&self) -> bool {
        self.name.ends_with("-etm@openssh.com")
    }

    /// Bytes of a tag, 8 or 16.
    #[must_use]
    pub fn tag_bytes(&self) -> usize {
        match self.key {
            Key::Umac64(_) => 8,
            Key::Umac128(_) => 16,
        }
    }

    /// The tag of packet number `seq`, whose bytes are all `parts` in order. A key must never tag two packets of the
    /// same number.
    pub fn tag(&self, seq: u32, parts: &[&[u8]]) -> AnyTag {
        match &self.key {
            Key::Umac64(key) => key.tag_parts(NonceOf::counter(seq.into()), parts).into(),
            Key::Umac128(key) => key.tag_parts(NonceOf::counter(seq.into()), parts).into(),
        }
    }

    /// Accepts packet number `seq` only if the tag is right. The time does not depend on the tag's bytes. A tag of
    /// another length is wrong.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if packet, number, key and tag do not belong together.
    pub fn verify(&self, seq: u32, parts: &[&[u8]], tag: &[u8]) -> Result<(), TagMismatch> {
        TagMismatch::unless(AnyTag::new(tag).is_ok_and(|tag| tag == self.tag(seq, parts)))
    }
}

/// Without the key.
impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mac({})", self.name)
    }
}

/// Why there is no [`Mac`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// The name is not one of [`NAMES`].
    UnknownName,
    /// The key has this many bytes instead of [`KEY_BYTES`].
    KeyLength(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownName => {
                let [first, others @ ..] = NAMES;
                write!(f, "no MAC has this name; the names are {first}")?;
                others.iter().try_for_each(|name| write!(f, ", {name}"))
            }
            Error::KeyLength(bytes) => {
                write!(f, "the key of a MAC has {KEY_BYTES} bytes and not {bytes}")
            }
        }
    }
}

impl core::error::Error for Error {}
