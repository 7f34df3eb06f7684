//! Tags and nonces with `serde`: hexadecimal digits in formats for people, bytes in others. Knows no MAC.

use crate::nonce::NonceOf;
use crate::tag::Tag;
use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! serial {
    ($type:ident, $length:ident, $text:literal) => {
        impl<const $length: usize> Serialize for $type<$length> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    serializer.collect_str(&format_args!("{self:x}"))
                } else {
                    serializer.serialize_bytes(&self.to_bytes())
                }
            }
        }

        impl<'de, const $length: usize> Deserialize<'de> for $type<$length> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let expected = Expected::<Self, $length> { text: $text, form: PhantomData };
                if deserializer.is_human_readable() {
                    deserializer.deserialize_str(expected)
                } else {
                    deserializer.deserialize_bytes(expected)
                }
            }
        }
    };
}

serial!(Tag, N, "a tag");
serial!(NonceOf, L, "a nonce");

/// A value of `N` bytes in either form.
struct Expected<T, const N: usize> {
    text: &'static str,
    form: PhantomData<T>,
}

impl<'de, T, const N: usize> Visitor<'de> for Expected<T, N>
where
    T: From<[u8; N]> + FromStr<Err: fmt::Display>,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {N} bytes", self.text)
    }

    fn visit_str<E: Error>(self, digits: &str) -> Result<T, E> {
        digits.parse().map_err(E::custom)
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<T, E> {
        let bytes =
            <[u8; N]>::try_from(bytes).map_err(|_| E::invalid_length(bytes.len(), &self))?;
        Ok(T::from(bytes))
    }

    /// Formats without a type of their own for bytes.
    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<T, A::Error> {
        let mut bytes = [0; N];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = sequence.next_element()?.ok_or_else(|| A::Error::invalid_length(i, &self))?;
        }
        if sequence.next_element::<u8>()?.is_some() {
            return Err(A::Error::invalid_length(N + 1, &self));
        }
        Ok(T::from(bytes))
    }
}
