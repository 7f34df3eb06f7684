//! Keys, streams and tags of any registered algorithm behind one boxed type (feature `alloc`): for
//! front doors that learn the algorithm's name at run time. Where it is known, its own types are
//! safer: there a forgotten nonce or a tag of another length does not compile.

use super::Algorithm;
use crate::cipher::BlockCipher;
use crate::cpu::Cpu;
use crate::nonce::Nonce;
use crate::tag::{InvalidLength, Tag};
use crate::{pmac, umac};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use subtle::ConstantTimeEq;

/// A key of any algorithm. Share it: making one is the costly part.
pub trait AnyKey: Send + Sync {
    /// The name of the kernel this key uses.
    fn kernel(&self) -> &'static str;

    /// A message whose bytes arrive in pieces.
    fn stream(&self) -> Box<dyn AnyStream + '_>;

    /// The tag of a message.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, or the other way round.
    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError>;
}

/// A message under way, of any algorithm.
pub trait AnyStream {
    /// Appends bytes to the message.
    fn update(&mut self, piece: &[u8]);

    /// The tag of the message so far. The stream goes on undisturbed.
    ///
    /// # Errors
    /// [`NonceError`] if the algorithm needs a nonce and there is none, or the other way round.
    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError>;
}

/// A tag whose length is known at run time only. Compared in time independent of its bytes.
#[derive(Clone, Copy)]
pub struct AnyTag {
    bytes: [u8; AnyTag::MAX],
    len: usize,
}

impl AnyTag {
    /// The longest tag in bytes.
    pub const MAX: usize = 32;

    /// A received tag.
    ///
    /// # Errors
    /// [`InvalidLength`] if it is longer than any algorithm's.
    pub fn new(bytes: &[u8]) -> Result<AnyTag, InvalidLength> {
        let mut tag = AnyTag { bytes: [0; AnyTag::MAX], len: bytes.len() };
        tag.bytes.get_mut(..bytes.len()).ok_or(InvalidLength)?.copy_from_slice(bytes);
        Ok(tag)
    }

    /// The tag's bytes, for sending or storing. Compare tags, never these.
    #[must_use]
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn truncate(mut self, len: usize) -> AnyTag {
        self.len = self.len.min(len);
        self.bytes[self.len..].fill(0);
        self
    }
}

impl<const N: usize> From<Tag<N>> for AnyTag {
    fn from(tag: Tag<N>) -> AnyTag {
        const { assert!(N <= AnyTag::MAX) };
        let mut any = AnyTag { bytes: [0; AnyTag::MAX], len: N };
        any.bytes[..N].copy_from_slice(&tag.to_bytes());
        any
    }
}

/// Equal in length and bytes; only the lengths, which are no secret, may show in the time.
impl PartialEq for AnyTag {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.bytes.ct_eq(&other.bytes).into()
    }
}

impl Eq for AnyTag {}

impl fmt::Display for AnyTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for AnyTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyTag({self})")
    }
}

/// A nonce where none is taken, or none where one is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonceError {
    /// The algorithm needs a nonce.
    Missing,
    /// The algorithm takes no nonce.
    NotTaken,
}

impl fmt::Display for NonceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NonceError::Missing => "this algorithm needs a nonce",
            NonceError::NotTaken => "this algorithm takes no nonce",
        })
    }
}

impl core::error::Error for NonceError {}

/// Makes a key from a secret for tags of so many bytes.
type MakeKey = fn(Cpu, &[u8], usize) -> Result<Box<dyn AnyKey>, InvalidLength>;

/// How the registry makes keys of an algorithm and lists its kernels.
#[derive(Debug)]
pub(crate) struct Door {
    key: MakeKey,
    kernels: fn(Cpu) -> Vec<(&'static str, Cpu)>,
}

impl Algorithm {
    /// A key of this algorithm for tags of `tag_bytes` bytes.
    ///
    /// # Errors
    /// [`InvalidLength`] if `secret` is not [`key_bytes`](Self::key_bytes) long or `tag_bytes` not
    /// among [`tag_bytes`](Self::tag_bytes).
    pub fn key(
        &self,
        cpu: Cpu,
        secret: &[u8],
        tag_bytes: usize,
    ) -> Result<Box<dyn AnyKey>, InvalidLength> {
        if !self.tag_bytes.contains(&tag_bytes) {
            return Err(InvalidLength);
        }
        (self.door.key)(cpu, secret, tag_bytes)
    }

    /// Every kernel of this machine: its name, and the `Cpu` that makes a key choose it.
    #[must_use]
    pub fn kernels(&self, cpu: Cpu) -> Vec<(&'static str, Cpu)> {
        (self.door.kernels)(cpu)
    }
}

impl Door {
    pub(crate) const fn umac<const N: usize>() -> Door {
        Door {
            key: |cpu, secret, _| {
                let secret = secret.try_into().map_err(|_| InvalidLength)?;
                Ok(Box::new(umac::Key::<N>::with_cpu(cpu, secret)))
            },
            kernels: |cpu| umac::Key::<N>::kernels(cpu).collect(),
        }
    }

    pub(crate) const fn pmac<C: BlockCipher>() -> Door {
        Door {
            key: |cpu, secret, tag_bytes| {
                Ok(Box::new(AnyPmac::<C> { key: pmac::Key::from_slice(cpu, secret)?, tag_bytes }))
            },
            kernels: |cpu| pmac::Key::<C, 16>::kernels(cpu).collect(),
        }
    }
}

impl<const N: usize> AnyKey for umac::Key<N> {
    fn kernel(&self) -> &'static str {
        self.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(self.stream())
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        Ok(self.tag(nonce.ok_or(NonceError::Missing)?, message).into())
    }
}

impl<const N: usize> AnyStream for umac::Stream<'_, N> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag(nonce.ok_or(NonceError::Missing)?).into())
    }
}

/// PMAC with its tag length known at run time: a shorter tag is the front of the longest one.
struct AnyPmac<C: BlockCipher> {
    key: pmac::Key<C, 16>,
    tag_bytes: usize,
}

struct AnyPmacStream<'k, C: BlockCipher> {
    stream: pmac::Stream<'k, C, 16>,
    tag_bytes: usize,
}

impl<C: BlockCipher> AnyKey for AnyPmac<C> {
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(AnyPmacStream { stream: self.key.stream(), tag_bytes: self.tag_bytes })
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        truncated(nonce, self.key.tag(message), self.tag_bytes)
    }
}

impl<C: BlockCipher> AnyStream for AnyPmacStream<'_, C> {
    fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        truncated(nonce, self.stream.tag(), self.tag_bytes)
    }
}

fn truncated(nonce: Option<&Nonce>, tag: Tag<16>, bytes: usize) -> Result<AnyTag, NonceError> {
    if nonce.is_some() {
        return Err(NonceError::NotTaken);
    }
    Ok(AnyTag::from(tag).truncate(bytes))
}
