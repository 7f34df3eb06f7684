//! The families of UMAC of October 2000: some members are listed, and all are found by name.

use crate::algorithm::{Algorithm, Bound, Source, Status};
use crate::bounds::terms::{forgery_beside_pads, permuted_pads, subkeys_fed_back};
use crate::bounds::{Forgery, Probability, Term, Unbounded, Usage};
use crate::boxed::Shared;
use crate::boxed::nonce::{self, taken};
use crate::key::{Absorb, AnyKey, AnyStream, Asked, Door, NonceError, SharedStream};
use crate::key::{Verified, Written};
use crate::name::Name;
use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use core::borrow::Borrow;
use core::convert::Infallible;
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::hazmat::raw::Nonce;
use wegman::hazmat::wiped::Wiped;
use wegman::umac::Umac;
use wegman::{AnyTag, InvalidLength};
use wegman_historical::Umac2000;
use wegman_historical::umac_2000::{self, Parameters, Sign, Stream};
use wegman_historical::umac16::Layers;
use wegman_historical::umac32::Draft2000;

/// UMAC-2/l with signed words, which the authors measured.
pub(crate) const fn signed_16(l: usize) -> Parameters {
    with_output(Parameters::UMAC16, l)
}

/// UMAC-4/l
pub(crate) const fn unsigned_32(l: usize) -> Parameters {
    with_output(Parameters::UMAC32, l)
}

const fn with_output(p: Parameters, l: usize) -> Parameters {
    match Parameters::new(p.word_bytes(), l, p.l1_key_bytes(), p.key_bytes(), p.sign(), p.endian())
    {
        Ok(parameters) => parameters,
        Err(_) => panic!("1 to 32 bytes"),
    }
}

/// Any member.
pub(crate) fn found(parameters: &Parameters) -> Algorithm {
    entry(&parameters.to_string(), parameters)
}

/// A member under its shortest name.
pub(crate) const fn entry(name: &str, parameters: &Parameters) -> Algorithm {
    let tag_bytes = parameters.output_bytes();
    let (numbers, any_length): (&'static [_], _) = match (
        parameters.word_bytes(),
        parameters.sign(),
    ) {
        (2, Sign::Signed) => (
            &[("word bits", "16"), ("factors", "signed"), ("cipher", "AES")],
            "v * 2^-(15 x) for v forgery attempts on tags of x 16-bit words, twice that for each bit cut off",
        ),
        (2, _) => (
            &[("word bits", "16"), ("factors", "unsigned"), ("cipher", "AES")],
            "v * 2^-(15 x) for v forgery attempts on tags of x 16-bit words, twice that for each bit cut off",
        ),
        (_, Sign::Signed) => (
            &[("word bits", "32"), ("factors", "signed"), ("cipher", "AES")],
            "v * 2^-(29 x) for v forgery attempts on tags of x 32-bit words, twice that for each bit cut off",
        ),
        _ => (
            &[("word bits", "32"), ("factors", "unsigned"), ("cipher", "AES")],
            "v * 2^-(30 x) for v forgery attempts on tags of x 32-bit words, twice that for each bit cut off",
        ),
    };
    let is_of_29 = parameters.word_bytes() == 4 && matches!(parameters.sign(), Sign::Signed);
    let statement = match tag_bytes {
        4 if !is_of_29 => "v * 2^-30 for v forgery attempts",
        8 if !is_of_29 => "v * 2^-60 for v forgery attempts",
        16 if !is_of_29 => "v * 2^-120 for v forgery attempts",
        _ => any_length,
    };
    Algorithm {
        name: Name::new(name),
        summary: "universal hash and AES pad as in 2000; for old tags and to reproduce its figures",
        status: Status::Historical,
        key_bytes: parameters.key_bytes(),
        other_key_lengths: false,
        nonce_bytes: Some(Nonce::LENGTHS),
        tag_bytes: tag_bytes..=tag_bytes,
        parameters: numbers,
        bound: Bound {
            statement,
            assumption: "no nonce is used twice under a key, and AES is a pseudorandom permutation",
            source: "draft-krovetz-umac-01, section 8.2 (October 2000); Bernstein (EUROCRYPT 2005)",
            forgery,
        },
        source: Source {
            paper: "draft-krovetz-umac-01 (October 2000)",
            section: "sections 2 to 7",
        },
        door: DOOR,
    }
}

fn forgery(name: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let parameters = &parameters(name);
    let exponent = umac_2000::exponent(parameters, parameters.words()) as u32;
    let calls = parameters.subkey_blocks();
    let hash = Term {
        name: "hash",
        formula: "v * 2^-e",
        source: "draft-krovetz-umac-01, section 8.2; ours for signed words of 32 bits and cut tags",
        probability: Probability::half_to(exponent).times(usage.attempts),
    };
    let pads = permuted_pads(&hash, usage.messages, parameters.pad_blocks());
    Ok(forgery_beside_pads(
        &[
            ("e", "bits that the tag's words are worth", exponent.into()),
            ("k", "cipher calls for the subkeys", calls.into()),
        ],
        &[hash, pads, subkeys_fed_back(calls)],
    ))
}

/// The parameters are in the name.
fn parameters(name: &str) -> Parameters {
    name.parse().expect("these entries' names are of the family")
}

/// Typed keys are used for parameters that have them.
const DOOR: Door = Door {
    key: |name, asked| {
        type Made = Result<Arc<dyn AnyKey>, InvalidLength>;
        fn of<H: HashAndPads<N>, const N: usize>(name: &str, asked: &Asked<'_>) -> Made {
            (nonce::door::<H, N>().key)(name, asked)
        }
        let parameters = parameters(name);
        let is_32 = parameters.are_of_rfc4418();
        let is_16 = parameters.are_umac16();
        match asked.tag_bytes {
            4 if is_32 => of::<Umac<4, Draft2000>, 4>(name, asked),
            8 if is_32 => of::<Umac<8, Draft2000>, 8>(name, asked),
            12 if is_32 => of::<Umac<12, Draft2000>, 12>(name, asked),
            16 if is_32 => of::<Umac<16, Draft2000>, 16>(name, asked),
            2 if is_16 => of::<Layers<2>, 2>(name, asked),
            4 if is_16 => of::<Layers<4>, 4>(name, asked),
            8 if is_16 => of::<Layers<8>, 8>(name, asked),
            16 if is_16 => of::<Layers<16>, 16>(name, asked),
            _ => Ok(Wiped::key(|| {
                let key = Umac2000::with_cpu(asked.cpu, &parameters, asked.secret)?;
                Ok(Boxed { key, nonce_bytes: asked.nonce_bytes })
            })?),
        }
    },
    kernels: |name, cpu| Umac2000::kernels(cpu, &parameters(name)),
};

/// A key that was made by its own type, for example with quirks. It takes nonces of `nonce_bytes` bytes.
#[must_use]
pub fn boxed(key: Umac2000, nonce_bytes: usize) -> Arc<dyn AnyKey> {
    let Ok(shared) = Wiped::key(|| Ok::<_, Infallible>(Boxed { key, nonce_bytes }));
    shared
}

/// A key of the engine of all parameters.
struct Boxed {
    key: Umac2000,
    nonce_bytes: usize,
}

impl AnyKey for Wiped<Boxed> {
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    fn stream(&self) -> Box<dyn AnyStream + '_> {
        Wiped::boxed(|| BoxedStream { stream: self.key.stream(), nonce_bytes: self.nonce_bytes })
    }

    fn shared_stream(self: Arc<Self>) -> Box<dyn SharedStream> {
        let nonce_bytes = self.nonce_bytes;
        Wiped::boxed(|| BoxedStream { stream: Stream::new(Shared(self)), nonce_bytes })
    }

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Result<AnyTag, NonceError> {
        Ok(self.key.tag(taken(nonce, self.nonce_bytes)?, message))
    }

    fn tags(&self, first: Option<&Nonce>, messages: &[&[u8]], out: &mut [u8]) -> Written {
        let tag_bytes = self.key.parameters().output_bytes();
        assert_eq!(out.len(), messages.len() * tag_bytes, "one tag for each message");
        let mut nonce = *taken(first, self.nonce_bytes)?;
        // Checked here for all of them, so that no tag is written if there are too few.
        nonce.advance(messages.len().saturating_sub(1) as u64).ok_or(NonceError::Exhausted)?;
        for (message, out) in messages.iter().zip(out.chunks_exact_mut(tag_bytes)) {
            out.copy_from_slice(self.key.tag(&nonce, message).to_bytes());
            nonce = nonce.next().unwrap_or(nonce); // there is none only after the last message
        }
        Ok(())
    }
}

struct BoxedStream<K: Borrow<Umac2000>> {
    stream: Stream<K>,
    nonce_bytes: usize,
}

impl Borrow<Umac2000> for Shared<Boxed> {
    fn borrow(&self) -> &Umac2000 {
        &self.0.key
    }
}

impl<K: Borrow<Umac2000> + Send> Absorb for Wiped<BoxedStream<K>> {
    fn update(&mut self, piece: &[u8]) {
        self.stream.update(piece);
    }
}

impl<K: Borrow<Umac2000> + Send> AnyStream for Wiped<BoxedStream<K>> {
    fn finish(mut self: Box<Self>, nonce: Option<&Nonce>) -> Result<AnyTag, NonceError> {
        let nonce = taken(nonce, self.nonce_bytes)?;
        Ok(self.stream.finish_reset(nonce))
    }

    fn verify(&self, nonce: Option<&Nonce>, tag: &AnyTag) -> Verified {
        // A stream for the whole tag.
        Ok(self.stream.verify(taken(nonce, self.nonce_bytes)?, tag).map(drop)?)
    }
}

impl SharedStream for Wiped<BoxedStream<Shared<Boxed>>> {
    fn copy(&self) -> Box<dyn SharedStream> {
        let BoxedStream { stream, nonce_bytes } = &**self;
        Wiped::boxed(|| BoxedStream { stream: stream.clone(), nonce_bytes: *nonce_bytes })
    }

    fn reset(&mut self) {
        self.stream.reset();
    }

    fn finish_reset(&mut self, nonce: Option<&Nonce>, out: &mut [u8]) -> Written {
        let nonce = taken(nonce, self.nonce_bytes)?;
        out.copy_from_slice(self.stream.finish_reset(nonce).to_bytes());
        Ok(())
    }
}
