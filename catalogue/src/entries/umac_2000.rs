//! The families of UMAC of October 2000: some members are listed, and all are found by name.

use crate::algorithm::{Algorithm, Bound, Source, Status};
use crate::bounds::terms::{forgery_beside_pads, permuted_pads, subkeys_fed_back};
use crate::bounds::{Forgery, Probability, Term, Unbounded, Usage};
use crate::boxed::inner::{Boxed, Inner, InnerStream, key_methods, stream_methods};
use crate::boxed::nonce::{self, taken};
use crate::key::{AnyKey, Door, Lengths};
use crate::name::Name;
use alloc::string::ToString;
use alloc::sync::Arc;
use core::borrow::Borrow;
use wegman::hazmat::raw::Nonce;
use wegman::umac::Umac;
use wegman::{AnyTag, Tag};
use wegman_historical::Umac2000;
use wegman_historical::umac_2000::{self, Parameters, Sign, Stream};
use wegman_historical::umac16::Levels;
use wegman_historical::umac32::Draft2000;

/// These parameters with tags of `l` bytes.
pub(crate) const fn with_output(p: Parameters, l: usize) -> Parameters {
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
    let word_bytes = parameters.word_bytes();
    let numbers: &'static [_] = match (word_bytes, parameters.sign()) {
        (2, Sign::Signed) => &[("word bits", "16"), ("factors", "signed"), ("cipher", "AES")],
        (2, _) => &[("word bits", "16"), ("factors", "unsigned"), ("cipher", "AES")],
        (_, Sign::Signed) => &[("word bits", "32"), ("factors", "signed"), ("cipher", "AES")],
        _ => &[("word bits", "32"), ("factors", "unsigned"), ("cipher", "AES")],
    };
    let is_of_29 = word_bytes == 4 && matches!(parameters.sign(), Sign::Signed);
    let statement = match tag_bytes {
        4 if !is_of_29 => "v * 2^-30 for v forgery attempts",
        8 if !is_of_29 => "v * 2^-60 for v forgery attempts",
        16 if !is_of_29 => "v * 2^-120 for v forgery attempts",
        _ if word_bytes == 2 => {
            "v * 2^-(15 x) for v forgery attempts on tags of x 16-bit words, twice that for each bit cut off"
        }
        _ if is_of_29 => {
            "v * 2^-(29 x) for v forgery attempts on tags of x 32-bit words, twice that for each bit cut off"
        }
        _ => {
            "v * 2^-(30 x) for v forgery attempts on tags of x 32-bit words, twice that for each bit cut off"
        }
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
    // Level 2 of the draft takes no more.
    let bits = if usage.message_bytes > 1 << 64 { 0 } else { exponent };
    let calls = parameters.subkey_blocks();
    let hash = Term {
        name: "hash",
        formula: "v * 2^-e",
        source: "draft-krovetz-umac-01, section 8.2; ours for signed words of 32 bits and cut tags",
        probability: Probability::half_to(bits).times(usage.attempts),
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
        let parameters = parameters(name);
        let is_32 = parameters.are_of_rfc4418();
        let is_16 = parameters.are_umac16();
        let typed = match asked.lengths.tag_bytes {
            4 if is_32 => nonce::door::<Umac<4, Draft2000>, 4>(),
            8 if is_32 => nonce::door::<Umac<8, Draft2000>, 8>(),
            12 if is_32 => nonce::door::<Umac<12, Draft2000>, 12>(),
            16 if is_32 => nonce::door::<Umac<16, Draft2000>, 16>(),
            2 if is_16 => nonce::door::<Levels<2>, 2>(),
            4 if is_16 => nonce::door::<Levels<4>, 4>(),
            8 if is_16 => nonce::door::<Levels<8>, 8>(),
            16 if is_16 => nonce::door::<Levels<16>, 16>(),
            _ => {
                let key = || Umac2000::with_cpu(asked.cpu, &parameters, asked.secret);
                return Boxed::made(asked, key);
            }
        };
        (typed.key)(name, asked)
    },
    kernels: |name, cpu| Umac2000::kernels(cpu, &parameters(name)),
};

/// A key that was made by its own type, for example with quirks. It takes nonces of `nonce_bytes` bytes.
#[must_use]
pub fn boxed(key: Umac2000, nonce_bytes: usize) -> Arc<dyn AnyKey> {
    Boxed::shared(Lengths { tag_bytes: key.parameters().output_bytes(), nonce_bytes }, || key)
}

/// A tag as the longest, of which it is the beginning.
fn whole(tag: AnyTag) -> Tag<{ AnyTag::MAX }> {
    let mut bytes = [0; AnyTag::MAX];
    bytes[..tag.to_bytes().len()].copy_from_slice(tag.to_bytes());
    Tag::from(bytes)
}

/// The engine of all parameters.
impl Inner<{ AnyTag::MAX }> for Umac2000 {
    const TAKES_NONCES: bool = true;
    const CUTS_TAGS: bool = true;
    type Stream<K: Borrow<Self> + Clone + Send + Sync> = Stream<K>;

    key_methods!();

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Tag<{ AnyTag::MAX }> {
        whole(self.tag(taken(nonce), message))
    }
}

impl<K: Borrow<Umac2000> + Clone + Send> InnerStream<{ AnyTag::MAX }> for Stream<K> {
    stream_methods!();

    fn peek(&self, nonce: Option<&Nonce>) -> Tag<{ AnyTag::MAX }> {
        whole(self.clone().finish(taken(nonce)))
    }
}
