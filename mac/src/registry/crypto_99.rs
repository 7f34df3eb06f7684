//! The named sets of 1999, and their keys behind the boxed type.

#[cfg(feature = "alloc")]
use super::any;
use super::{Algorithm, Bound, Name, Source, Status};
use crate::bounds::Kind;
use crate::umac_1999::Set;
use crate::umac_1999::block_hash::BlockHash;

/// An entry of a set with tags of `N` bytes.
pub(super) const fn entry<S: Set<Tag = crate::Tag<N>>, const N: usize>(
    parameters: &'static [(&'static str, &'static str)],
    statement: &'static str,
) -> Algorithm {
    let is_std = S::KEY_BYTES == 20;
    let hash_bytes = S::Hash::BYTES as u32;
    // 30 bits for each hash of 64 bits, 15 for each of 32.
    let kind = Kind::Umac1999 { exponent: hash_bytes * 15 / 4, hash_bytes, is_hmac: is_std };
    Algorithm {
        name: Name::new(S::NAME),
        summary: "universal hash and pseudorandom function as in 1999; to reproduce the paper",
        status: Status::Historical,
        key_bytes: S::KEY_BYTES,
        nonce_bytes: Some(&[8]),
        tag_bytes: N..=N,
        parameters,
        bound: Bound {
            statement,
            assumption: if is_std {
                "no nonce is used twice under a key, and HMAC-SHA1 is a pseudorandom function"
            } else {
                "no nonce is used twice under a key, and the CBC-MAC of RC6 with three keys is a \
                 pseudorandom function"
            },
            source: if is_std {
                "UMAC (CRYPTO '99, full version), section 2.2, Theorems 5.4 and 8.2"
            } else {
                "UMAC (CRYPTO '99, full version), section 2.2, Theorems 5.2 and 8.2"
            },
            kind,
        },
        source: Source {
            paper: "UMAC (CRYPTO '99, full version), with its authors' code 0.25.05",
            section: "sections 2.2 and 8.4",
        },
        #[cfg(feature = "alloc")]
        door: any::Door::umac_1999::<S, N>(),
    }
}

/// What the sets with one level of 16-bit words are made of.
pub(super) const fn mmx(outputs: &'static str) -> [(&'static str, &'static str); 4] {
    [("word bits", "16"), ("outputs", outputs), ("levels", "1"), ("prf", "CBC-MAC of RC6-32/20/16")]
}

/// What the sets with two levels of 32-bit words are made of.
pub(super) const fn std(outputs: &'static str) -> [(&'static str, &'static str); 4] {
    [("word bits", "32"), ("outputs", outputs), ("levels", "2"), ("prf", "HMAC-SHA1")]
}

#[cfg(feature = "alloc")]
mod boxed {
    use super::Set;
    use crate::nonce::{Nonce, NoncesExhausted};
    use crate::registry::any::{in_batches, key_with_nonce, number, of_8_bytes};
    use crate::registry::{AnyKey, AnyStream, AnyTag, NonceError};
    use crate::tag::Tag;
    use crate::umac_1999::{Key, Stream};
    use alloc::boxed::Box;

    key_with_nonce!(
        Key<S>,
        [S: Set<Tag = Tag<N>>, const N: usize],
        N,
        tag_under,
        tag_many_under,
        of_8_bytes
    );

    impl<S: Set> Key<S> {
        fn tag_under(&self, nonce: &Nonce, message: &[u8]) -> S::Tag {
            self.tag(number(nonce), message)
        }

        fn tag_many_under(
            &self,
            first: &Nonce,
            messages: &[&[u8]],
            tags: &mut [S::Tag],
        ) -> Result<(), NoncesExhausted> {
            self.tag_many(number(first), messages, tags)
        }
    }

    impl<S: Set<Tag = Tag<N>>, const N: usize> AnyStream for Stream<'_, S> {
        fn update(&mut self, piece: &[u8]) {
            self.update(piece);
        }

        fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
            Ok(self.tag(number(of_8_bytes(nonce)?)).into())
        }
    }
}
