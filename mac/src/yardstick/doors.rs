//! The registry's boxed types for the engines (feature `alloc`).

use super::xor_mac::{self, Layout, Value};
use super::{Engine, LANES, Longest, hash127, polyval};
use crate::cipher::Aes128;
use crate::nonce::{Nonce, NoncesExhausted};
use crate::registry::any::{
    Door, in_batches, key_with_nonce, not_taken, number, of_8_bytes, of_any_length, of_carter,
};
use crate::registry::{AnyKey, AnyStream, AnyTag, NonceError};
use crate::tag::{InvalidLength, Tag};
use alloc::boxed::Box;

impl Door {
    pub(super) const fn yardstick<E: Engine>() -> Door {
        Door::new(
            |algorithm, cpu, secret, tag_bytes| {
                // Some engines take keys of other lengths, too.
                if secret.len() != algorithm.key_bytes {
                    return Err(InvalidLength);
                }
                Ok(Box::new(Cut { engine: E::from_slice(cpu, secret)?, tag_bytes }))
            },
            |_, cpu| E::kernels(cpu).collect(),
        )
    }

    pub(super) const fn xor_mac_data() -> Door {
        Door::new(
            |_, cpu, secret, _| Ok(Box::new(XorMac::from_slice(cpu, Layout::Data, secret)?)),
            |_, cpu| XorMac::kernels(cpu).collect(),
        )
    }

    pub(super) const fn xor_mac_value() -> Door {
        Door::new(
            |_, cpu, secret, _| Ok(Box::new(XorMac::from_slice(cpu, Layout::Value, secret)?)),
            |_, cpu| XorMac::kernels(cpu).collect(),
        )
    }

    pub(super) const fn hash127_rc6() -> Door {
        Door::new(
            |_, cpu, secret, _| Ok(Box::new(hash127::Key::from_slice(cpu, secret)?)),
            |_, cpu| hash127::Key::kernels(cpu).collect(),
        )
    }

    /// Keys that take nonces of 12 and of 16 bytes, as Carter's.
    pub(super) const fn polyval_aes() -> Door {
        Door::new(
            |_, cpu, secret, _| Ok(Box::new(Polyval::from_slice(cpu, secret)?)),
            |_, cpu| Polyval::kernels(cpu).collect(),
        )
    }
}

/// An engine with its tag length known at run time.
struct Cut<E> {
    engine: E,
    tag_bytes: usize,
}

struct CutStream<'k, E: Engine> {
    key: &'k Cut<E>,
    state: E::State,
}

impl<E: Engine> Cut<E> {
    fn cut(&self, longest: &Longest) -> AnyTag {
        AnyTag::new(&longest[..self.tag_bytes]).expect("no tag is longer")
    }
}

impl<E: Engine> AnyKey for Cut<E> {
    fn kernel(&self) -> &'static str {
        self.engine.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(CutStream { key: self, state: self.engine.state() })
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        not_taken(nonce)?;
        let mut longest = [[0; 20]];
        self.engine.tags(&[message], &mut longest);
        Ok(self.cut(&longest[0]))
    }

    fn tag_into(
        &self,
        nonce: Option<&Nonce>,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        out.copy_from_slice(self.tag(nonce, message)?.to_bytes());
        Ok(())
    }

    fn tags(
        &self,
        first: Option<&Nonce>,
        messages: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        not_taken(first)?;
        assert_eq!(out.len(), messages.len() * self.tag_bytes, "one tag for each message");
        let mut longest = [[0; 20]; LANES];
        for (messages, out) in messages.chunks(LANES).zip(out.chunks_mut(LANES * self.tag_bytes)) {
            let longest = &mut longest[..messages.len()];
            self.engine.tags(messages, longest);
            for (longest, out) in longest.iter().zip(out.chunks_exact_mut(self.tag_bytes)) {
                out.copy_from_slice(&longest[..self.tag_bytes]);
            }
        }
        Ok(())
    }
}

impl<E: Engine> AnyStream for CutStream<'_, E> {
    fn update(&mut self, piece: &[u8]) {
        self.key.engine.update(&mut self.state, piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        not_taken(nonce)?;
        Ok(self.key.cut(&self.key.engine.tag(&self.state)))
    }
}

key_with_nonce!(hash127::Key, [], 16, tag, tag_many, of_any_length);

impl AnyStream for hash127::Stream<'_> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag(of_any_length(nonce)?).into())
    }
}

type Polyval = polyval::Key<16>;

key_with_nonce!(Polyval, [], 16, tag_under, tag_many_under, of_carter);

impl AnyStream for polyval::Stream<'_, 16> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag_under(of_carter(nonce)?).into())
    }
}

type XorMac = xor_mac::Key<Aes128, 16>;

key_with_nonce!(XorMac, [], 16, tag_under, tag_many_under, of_8_bytes);

/// XMACC's value is the nonce.
impl XorMac {
    fn tag_under(&self, nonce: &Nonce, message: &[u8]) -> Tag<16> {
        self.tag(&Value::counter(number(nonce)), message)
    }

    fn tag_many_under(
        &self,
        first: &Nonce,
        messages: &[&[u8]],
        tags: &mut [Tag<16>],
    ) -> Result<(), NoncesExhausted> {
        self.tag_many(&Value::counter(number(first)), messages, tags)
    }
}

impl AnyStream for xor_mac::Stream<'_, Aes128, 16> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag(&Value::counter(number(of_8_bytes(nonce)?))).into())
    }
}
