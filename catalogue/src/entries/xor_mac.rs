//! XOR MAC. With random values it has no entry; [`random_values`] is its bound.

use crate::algorithm::{Algorithm, Bound, Parameters, Source, Status};
use crate::bounds::terms::{CALLS, CIPHER, SEEN, forgery as bound, guess, switched};
use crate::bounds::{Forgery, Term, Unbounded, Usage, theorems};
use crate::boxed::inner::{
    Boxed, Inner, InnerStream, NUMBERS, key_methods, number, stream_methods,
};
use crate::key::{Door, MakeKey};
use crate::name::Name;
use core::borrow::Borrow;
use wegman::Tag;
use wegman::hazmat::raw::Nonce;
use wegman_yardstick::xor_mac::{self, Key, Layout, Value};

/// The layout of Bellare, Guérin and Rogaway.
pub(crate) const XOR_MAC_BGR: Algorithm = xor_mac(
    "XORMAC-AES128-BGR",
    &[("cipher", "AES-128"), ("piece bytes", "8"), ("first bit", "of the pieces' blocks")],
    Source {
        paper: "Bellare, Guerin and Rogaway, XOR MACs (CRYPTO 1995)",
        section: "XMACC; sizes and padding are ours",
    },
    |_, asked| {
        Boxed::made(asked, || Key::from_slice_with_cpu(asked.cpu, Layout::Data, asked.secret))
    },
);

/// The layout of Black and Rogaway.
pub(crate) const XOR_MAC_BR: Algorithm = xor_mac(
    "XORMAC-AES128-BR",
    &[("cipher", "AES-128"), ("piece bytes", "8"), ("first bit", "of the value's block")],
    Source { paper: "PMAC (EUROCRYPT 2002)", section: "section 1; padding is ours" },
    |_, asked| {
        Boxed::made(asked, || Key::from_slice_with_cpu(asked.cpu, Layout::Value, asked.secret))
    },
);

const fn xor_mac(
    name: &'static str,
    parameters: Parameters,
    source: Source,
    key: MakeKey,
) -> Algorithm {
    Algorithm {
        name: Name::new(name),
        summary: "xor of encrypted pieces and an encrypted counter, the nonce; to compare with",
        status: Status::Comparator,
        key_bytes: 16,
        other_key_lengths: false,
        nonce_bytes: Some(NUMBERS),
        tag_bytes: 16..=16,
        parameters,
        bound: Bound {
            statement: "s^2 / 2^129 + v / 2^128 for s calls of the cipher in all, v forgery attempts",
            assumption: "no nonce is used twice under a key, and AES-128 is a pseudorandom permutation",
            source: "Bellare, Guerin and Rogaway (CRYPTO 1995), XMACC; the constants are ours",
            forgery,
        },
        source,
        door: Door { key, kernels: |_, cpu| Key::kernels(cpu).collect() },
    }
}

/// The bound if no value is used twice.
fn forgery(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let calls = calls(usage);
    Ok(bound(CIPHER, &[("s", CALLS, calls)], &[switched("sums", calls), guess(usage)]))
}

/// The bound on forgeries with random values, of which two may be equal.
///
/// # Errors
/// None at present; the type is that of all bounds.
pub fn random_values(usage: &Usage) -> Result<Forgery, Unbounded> {
    let (calls, seen) = (calls(usage), usage.seen());
    let values = Term {
        name: "values meet",
        formula: "p^2 / 2^127",
        source: "Bellare, Guerin and Rogaway (CRYPTO 1995); sizes ours",
        probability: theorems::xor_mac_values(seen),
    };
    let letters = [("s", CALLS, calls), ("p", SEEN, seen)];
    Ok(bound(CIPHER, &letters, &[switched("sums", calls), guess(usage), values]))
}

/// The cipher calls for pieces of 64 bits.
fn calls(usage: &Usage) -> u128 {
    usage.seen().saturating_mul(usage.message_bytes / 8 + 2)
}

impl Inner<16> for Key {
    const TAKES_NONCES: bool = true;
    const CUTS_TAGS: bool = false;
    type Stream<K: Borrow<Self> + Clone + Send + Sync> = xor_mac::Stream<K>;

    key_methods!();

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Tag<16> {
        self.tag(&Value::counter(number(nonce)), message)
    }
}

impl<K: Borrow<Key> + Clone + Send> InnerStream<16> for xor_mac::Stream<K> {
    stream_methods!();

    fn peek(&self, nonce: Option<&Nonce>) -> Tag<16> {
        self.clone().finish_reset(&Value::counter(number(nonce)))
    }
}
