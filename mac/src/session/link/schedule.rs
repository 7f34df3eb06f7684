//! The key schedule: from one secret to the keys of both directions and all epochs.

use super::super::PacketMac;
use crate::cipher::Aes;
use crate::nonce_mac::{self, HashAndPads};
use crate::pmac;
use crate::tag::Tag;
use crate::wiped::{MOVED, Wiped, stack_for, with_clean_stack};
use alloc::boxed::Box;
use hmac::digest::{FixedOutput, Update};
use hmac::{Hmac, KeyInit};
use sha2::Sha256;
use zeroize::Zeroizing;

/// Which end of a link this is. The two ends have different roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The end that began the conversation.
    Initiator,
    /// The other end.
    Responder,
}

impl Role {
    /// The role of the other end.
    #[must_use]
    pub const fn other(self) -> Role {
        match self {
            Role::Initiator => Role::Responder,
            Role::Responder => Role::Initiator,
        }
    }
}

/// A key that a [`Link`](super::Link) can derive: the MAC's name and lengths are part of the derivation, so two ends with
/// different MACs have nothing in common.
pub trait LinkKey: PacketMac<Tag: for<'t> TryFrom<&'t [u8]>> + Sized {
    /// The name of the MAC's family, for example `UMAC`, without a zero byte.
    const FAMILY: &'static str;

    /// Bytes of the key, at most 255.
    const KEY_BYTES: usize;

    /// Bytes of a nonce, 0 if the MAC has none.
    const NONCE_BYTES: usize;

    /// Bytes of a tag, at most 255.
    const TAG_BYTES: usize;

    /// The key from [`KEY_BYTES`](Self::KEY_BYTES) uniformly random bytes.
    #[must_use]
    fn from_secret(secret: &[u8]) -> Self;

    /// A tag as bytes, for sending.
    #[must_use]
    fn tag_bytes(tag: &Self::Tag) -> impl AsRef<[u8]>;
}

impl<H: HashAndPads<N>, const N: usize, const L: usize> LinkKey for nonce_mac::Key<H, N, L> {
    const FAMILY: &'static str = H::FAMILY;
    const KEY_BYTES: usize = size_of::<H::Secret>();
    const NONCE_BYTES: usize = L;
    const TAG_BYTES: usize = N;

    fn from_secret(secret: &[u8]) -> Self {
        Self::from_slice(secret).expect("a secret of the type's length")
    }

    fn tag_bytes(tag: &Tag<N>) -> impl AsRef<[u8]> {
        tag.to_bytes()
    }
}

impl<A, const N: usize> LinkKey for pmac::Key<Aes<A>, N>
where
    Aes<A>: crate::cipher::BlockCipher,
{
    const FAMILY: &'static str = "PMAC-AES";
    const KEY_BYTES: usize = <Aes<A> as crate::cipher::BlockCipher>::KEY_BYTES;
    const NONCE_BYTES: usize = 0;
    const TAG_BYTES: usize = N;

    fn from_secret(secret: &[u8]) -> Self {
        Self::from_slice(secret).expect("a secret of the type's length")
    }

    fn tag_bytes(tag: &Tag<N>) -> impl AsRef<[u8]> {
        tag.to_bytes()
    }
}

/// The secret of a direction from one epoch on: it makes the key of its epoch and the secret of the next. It stays in one
/// place, so that nothing is left of it where it was moved from.
#[derive(Clone)]
pub(super) struct Chain(pub(super) Box<Zeroizing<[u8; 32]>>);

/// More than an expansion takes of the stack.
const HASHING: usize = 8 << 10;

/// The salt of the first step: name and version of the derivation.
const SALT: &[u8] = b"wegman link 1";

impl Chain {
    /// With room for the secret.
    pub(super) fn empty() -> Chain {
        Chain(Box::default())
    }

    /// The secret of epoch 0 of what `role` seals.
    pub(super) fn first<K: LinkKey>(secret: &[u8; 32], context: &[u8], role: Role) -> Chain {
        const { assert!(K::KEY_BYTES <= 255 && K::NONCE_BYTES <= 255 && K::TAG_BYTES <= 255) };
        let direction = match role {
            Role::Initiator => b'I',
            Role::Responder => b'R',
        };
        let lengths = [K::TAG_BYTES, K::NONCE_BYTES, K::KEY_BYTES].map(|bytes| bytes as u8);
        let mut chain = Chain::empty();
        with_clean_stack(HASHING, || {
            let extracted = hash(SALT, [&secret[..]].into_iter());
            let info = [b"chain", &[direction][..], &lengths, K::FAMILY.as_bytes(), &[0], context];
            expand(&extracted, &info, &mut **chain.0);
        });
        chain
    }

    /// The key of this epoch.
    pub(super) fn key<K: LinkKey>(&self) -> Box<Wiped<K>> {
        with_clean_stack(stack_for::<K>(MOVED), || {
            let mut secret = Zeroizing::new([0; 255]);
            let secret = &mut secret[..K::KEY_BYTES];
            expand(&self.0, &[b"key"], secret);
            Wiped::boxed(|| K::from_secret(secret))
        })
    }

    /// The secret of the next epoch.
    pub(super) fn next(&self) -> Chain {
        let mut next = Chain::empty();
        with_clean_stack(HASHING, || expand(&self.0, &[b"next"], &mut **next.0));
        next
    }
}

/// HKDF-Expand of RFC 5869. The crate `hkdf` leaves blocks of its output in memory, and here they are secrets.
fn expand(secret: &[u8; 32], info: &[&[u8]], out: &mut [u8]) {
    let mut block = Zeroizing::new([0; 32]);
    for (number, out) in (1..=255).zip(out.chunks_mut(32)) {
        let before = if number == 1 { &[][..] } else { &block[..] };
        let parts = core::iter::once(before).chain(info.iter().copied());
        block = hash(secret, parts.chain([&[number][..]]));
        out.copy_from_slice(&block[..out.len()]);
    }
}

/// HMAC-SHA256. Its state and what it returns wipe themselves, but not where they were moved from: callers clean the stack.
fn hash<'p>(key: &[u8], parts: impl Iterator<Item = &'p [u8]>) -> Zeroizing<[u8; 32]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("keys of any length");
    parts.for_each(|part| mac.update(part));
    let mut out = Zeroizing::new([0; 32]);
    mac.finalize_into((&mut *out).into());
    out
}
