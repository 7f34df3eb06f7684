//! The registry's boxed types for the engines (feature `alloc`).

use super::xor_mac::{self, Layout, Value};
use super::{Engine, LANES, Longest, hash127, polyval};
use crate::cipher::Aes128;
use crate::nonce::Nonce;
use crate::registry::any::{Door, in_batches, of_carter};
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

fn not_taken(nonce: Option<&Nonce>) -> Result<(), NonceError> {
    if nonce.is_some() { Err(NonceError::NotTaken) } else { Ok(()) }
}

impl AnyKey for hash127::Key {
    fn kernel(&self) -> &'static str {
        self.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(self.stream())
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        Ok(self.tag(nonce.ok_or(NonceError::Missing)?, message).into())
    }

    fn tag_into(
        &self,
        nonce: Option<&Nonce>,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        let tag = self.tag(nonce.ok_or(NonceError::Missing)?, message);
        out.copy_from_slice(&tag.to_bytes());
        Ok(())
    }

    fn tags(
        &self,
        first: Option<&Nonce>,
        messages: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        let first = first.ok_or(NonceError::Missing)?;
        assert_eq!(out.len(), messages.len() * 16, "one tag for each message");
        // Asked here for all of them, so that no tag is written if they do not suffice.
        first.advance(messages.len().saturating_sub(1) as u64).ok_or(NonceError::Exhausted)?;
        for ((count, message), out) in (0..).zip(messages).zip(out.chunks_exact_mut(16)) {
            let nonce = first.advance(count).ok_or(NonceError::Exhausted)?;
            out.copy_from_slice(&self.tag(&nonce, message).to_bytes());
        }
        Ok(())
    }
}

impl AnyStream for hash127::Stream<'_> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag(nonce.ok_or(NonceError::Missing)?).into())
    }
}

type Polyval = polyval::Key<16>;

impl AnyKey for Polyval {
    fn kernel(&self) -> &'static str {
        self.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(self.stream())
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        Ok(self.tag_under(of_carter(nonce)?, message).into())
    }

    fn tag_into(
        &self,
        nonce: Option<&Nonce>,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        let tag = self.tag_under(of_carter(nonce)?, message);
        out.copy_from_slice(&tag.to_bytes());
        Ok(())
    }

    fn tags(
        &self,
        first: Option<&Nonce>,
        messages: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        let first = of_carter(first)?;
        // Asked here for all of them, so that no tag is written if they do not suffice.
        first.advance(messages.len().saturating_sub(1) as u64).ok_or(NonceError::Exhausted)?;
        let mut tagged = 0;
        in_batches(messages, 16, out, |messages, tags: &mut [Tag<16>]| {
            let first = first.advance(tagged).ok_or(NonceError::Exhausted)?;
            tagged += messages.len() as u64;
            Ok(self.tag_many_under(&first, messages, tags)?)
        })
    }
}

impl AnyStream for polyval::Stream<'_, 16> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag_under(of_carter(nonce)?).into())
    }
}

type XorMac = xor_mac::Key<Aes128, 16>;

/// XMACC's value from the nonce, which must be there and have 8 bytes.
fn counter(nonce: Option<&Nonce>) -> Result<u64, NonceError> {
    let bytes = nonce.ok_or(NonceError::Missing)?.as_bytes();
    bytes.try_into().map(u64::from_be_bytes).map_err(|_| NonceError::Length)
}

impl AnyKey for XorMac {
    fn kernel(&self) -> &'static str {
        self.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Box::new(self.stream())
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        Ok(self.tag(&Value::counter(counter(nonce)?), message).into())
    }

    fn tag_into(
        &self,
        nonce: Option<&Nonce>,
        message: &[u8],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        out.copy_from_slice(&self.tag(&Value::counter(counter(nonce)?), message).to_bytes());
        Ok(())
    }

    fn tags(
        &self,
        first: Option<&Nonce>,
        messages: &[&[u8]],
        out: &mut [u8],
    ) -> Result<(), NonceError> {
        let first = counter(first)?;
        assert_eq!(out.len(), messages.len() * 16, "one tag for each message");
        // Asked here for all of them, so that no tag is written if they do not suffice.
        let others = messages.len().saturating_sub(1) as u64;
        let last = first.checked_add(others).ok_or(NonceError::Exhausted)?;
        for ((count, message), out) in (first..=last).zip(messages).zip(out.as_chunks_mut().0) {
            *out = self.tag(&Value::counter(count), message).to_bytes();
        }
        Ok(())
    }
}

impl AnyStream for xor_mac::Stream<'_, Aes128, 16> {
    fn update(&mut self, piece: &[u8]) {
        self.update(piece);
    }

    fn tag(&self, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        Ok(self.tag(&Value::counter(counter(nonce)?)).into())
    }
}
