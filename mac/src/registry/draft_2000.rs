//! The families of October 2000: some members are listed, all are found by name.

use super::{ANY_NONCE, Algorithm, Bound, Name, Source, Status, any};
use crate::bounds::Kind;
use crate::umac_2000::{self, Parameters, Sign};
use alloc::string::ToString;

/// UMAC-2/l with signed words, as the authors measured it.
pub(super) const fn signed_16(l: usize) -> Parameters {
    with_output(Parameters::UMAC16, l)
}

/// UMAC-4/l
pub(super) const fn unsigned_32(l: usize) -> Parameters {
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
pub(super) fn found(parameters: &Parameters) -> Algorithm {
    entry(&parameters.to_string(), parameters)
}

/// A member under its shortest name.
pub(super) const fn entry(name: &str, parameters: &Parameters) -> Algorithm {
    let tag_bytes = parameters.output_bytes();
    let (numbers, any_length): (&'static [_], _) = match (
        parameters.word_bytes(),
        parameters.sign(),
    ) {
        (2, Sign::Signed) => (
            &[("word bits", "16"), ("factors", "signed"), ("cipher", "AES")],
            "v * 2^-(15 x) for v forgery attempts on tags of x 16-bit words, twice that for each bit cut off",
        ),
        (2, Sign::Unsigned) => (
            &[("word bits", "16"), ("factors", "unsigned"), ("cipher", "AES")],
            "v * 2^-(15 x) for v forgery attempts on tags of x 16-bit words, twice that for each bit cut off",
        ),
        (_, Sign::Signed) => (
            &[("word bits", "32"), ("factors", "signed"), ("cipher", "AES")],
            "v * 2^-(29 x) for v forgery attempts on tags of x 32-bit words, twice that for each bit cut off",
        ),
        (_, Sign::Unsigned) => (
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
        nonce_bytes: Some(ANY_NONCE),
        tag_bytes: tag_bytes..=tag_bytes,
        parameters: numbers,
        bound: Bound {
            statement,
            assumption: "no nonce is used twice under a key, and AES is a pseudorandom function",
            source: "draft-krovetz-umac-01, section 8.2 (October 2000)",
            kind: Kind::Umac2000 {
                exponent: umac_2000::exponent(parameters, parameters.words()) as u32,
                subkeys: subkey_calls(parameters),
                pads: tag_bytes.div_ceil(16) as u32,
            },
        },
        source: Source {
            paper: "draft-krovetz-umac-01 (October 2000)",
            section: "sections 2 to 7",
        },
        door: any::Door::umac_2000(),
    }
}

/// Calls of the KDF: for the keys of layers 1, 2 and 3, the masks and the keys of the pads.
const fn subkey_calls(parameters: &Parameters) -> u32 {
    let (words, w) = (parameters.words(), parameters.word_bytes());
    let l1 = parameters.l1_key_bytes() / 16 + words - 1;
    let l2 = (words * if w == 4 { 24 } else { 28 }).div_ceil(16);
    let l3 = words * w;
    let masks = (words * w).div_ceil(16);
    let pads = parameters.output_bytes().div_ceil(16) * (parameters.key_bytes() / 16);
    (l1 + l2 + l3 + masks + pads) as u32
}
