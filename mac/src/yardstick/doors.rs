//! The registry's boxed types for the engines (feature `alloc`).

use super::{Engine, LANES, Longest, kernel, kernels};
use crate::nonce::Nonce;
use crate::registry::any::Door;
use crate::registry::{AnyKey, AnyStream, AnyTag, NonceError};
use crate::tag::InvalidLength;
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
            |_, cpu| kernels(cpu, E::HAS_AES).collect(),
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
        kernel(self.engine.uses_aes())
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
