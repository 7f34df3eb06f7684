//! The named parameter sets of UMAC of 1999.

use crate::algorithm::{Algorithm, Bound, Parameters, Source, Status};
use crate::bounds::terms::{
    CALLS, HMAC_BLOCKS, SEEN, cbc_blocks_meet, forgery as bound, hmac_collision, subkeys_fed_back,
};
use crate::bounds::{Forgery, Probability, Term, Unbounded, Usage, theorems};
use crate::boxed::inner::{
    Boxed, Inner, InnerStream, NUMBERS, key_methods, number, stream_methods,
};
use crate::key::{AnyKey, Door, Lengths};
use crate::name::Name;
use alloc::sync::Arc;
use core::borrow::Borrow;
use wegman::Tag;
use wegman::hazmat::raw::Nonce;
use wegman_historical::Umac1999;
use wegman_historical::umac_1999::{Set, Stream, prf_blocks, subkey_blocks};

/// An entry of a set with tags of `N` bytes.
pub(crate) const fn entry<S: Set<Tag = Tag<N>>, const N: usize>(
    parameters: Parameters,
    statement: &'static str,
) -> Algorithm {
    Algorithm {
        name: Name::new(S::NAME),
        summary: "universal hash and pseudorandom function as in 1999; to reproduce the paper",
        status: Status::Historical,
        key_bytes: S::KEY_BYTES,
        other_key_lengths: false,
        nonce_bytes: Some(NUMBERS),
        tag_bytes: N..=N,
        parameters,
        bound: Bound {
            statement,
            assumption: if S::IS_HMAC {
                "no nonce is used twice under a key, and HMAC-SHA1 is a pseudorandom function"
            } else {
                "no nonce is used twice under a key, and the CBC-MAC of RC6 with three keys is a \
                 pseudorandom function"
            },
            source: theorems_of::<S>(),
            forgery: forgery::<S>,
        },
        source: Source {
            paper: "UMAC (CRYPTO '99, full version), with its authors' code 0.25.05",
            section: "sections 2.2 and 8.4",
        },
        door: Door {
            key: |_, asked| {
                Boxed::made(asked, || Umac1999::<S>::from_slice_with_cpu(asked.cpu, asked.secret))
            },
            kernels: |_, cpu| Umac1999::<S>::kernels(cpu).collect(),
        },
    }
}

/// The parameters of the sets with one level of 16-bit words.
pub(crate) const fn mmx(outputs: &'static str) -> [(&'static str, &'static str); 4] {
    [("word bits", "16"), ("outputs", outputs), ("levels", "1"), ("prf", "CBC-MAC of RC6-32/20/16")]
}

/// The parameters of the sets with two levels of 32-bit words.
pub(crate) const fn std(outputs: &'static str) -> [(&'static str, &'static str); 4] {
    [("word bits", "32"), ("outputs", outputs), ("levels", "2"), ("prf", "HMAC-SHA1")]
}

/// The theorems that prove the hash's bound, and the MAC's from it.
const fn theorems_of<S: Set>() -> &'static str {
    if S::IS_HMAC {
        "UMAC (CRYPTO '99, full version), section 2.2, Theorems 5.4 and 8.2"
    } else {
        "UMAC (CRYPTO '99, full version), section 2.2, Theorems 5.2 and 8.2"
    }
}

/// Theorem 8.2 with the two pseudorandom functions of section 8.4.
fn forgery<S: Set>(_: &str, usage: &Usage) -> Result<Forgery, Unbounded> {
    let exponent = S::EXPONENT;
    let (seen, blocks) = (usage.seen(), prf_blocks::<S>(usage.message_bytes));
    let hash = Term {
        name: "hash",
        formula: "v * 2^-e",
        source: theorems_of::<S>(),
        probability: Probability::half_to(exponent).times(usage.attempts),
    };
    let guess = Term {
        name: "guess",
        formula: "v / 2^t",
        source: "UMAC (CRYPTO '99, full version), Theorem 8.2",
        probability: theorems::guessing(usage.attempts, usage.tag_bits),
    };
    let e = ("e", "the hash is 2^-e-almost-universal", exponent.into());
    if S::IS_HMAC {
        Ok(bound(
            "Adv-PRF of SHA-1's compression function (for two queries it stands as 2^-160 in the term of hashes that \
             meet), that under the related keys of HMAC, and Adv-PRG of SHA-1 for the subkeys",
            &[e, ("p", SEEN, seen), ("m", HMAC_BLOCKS, blocks)],
            &[hash, guess, hmac_collision(seen, blocks, 160)],
        ))
    } else {
        let calls = seen.saturating_mul(blocks);
        let keys = subkey_blocks::<S>();
        Ok(bound(
            "Adv-PRP of RC6, four times: for the subkeys and under the three keys of the CBC-MAC; with their terms \
             above, Adv-PRF of that",
            &[e, ("s", CALLS, calls), ("k", "cipher calls for the subkeys", keys.into())],
            &[hash, guess, cbc_blocks_meet(calls), subkeys_fed_back(keys)],
        ))
    }
}

/// A key that was made by its own type, for example with an old padding.
#[must_use]
pub fn boxed<S: Set<Tag = Tag<N>>, const N: usize>(key: Umac1999<S>) -> Arc<dyn AnyKey> {
    Boxed::shared(Lengths { tag_bytes: N, nonce_bytes: NUMBERS[0] }, || key)
}

impl<S: Set<Tag = Tag<N>>, const N: usize> Inner<N> for Umac1999<S> {
    const TAKES_NONCES: bool = true;
    const CUTS_TAGS: bool = false;
    type Stream<K: Borrow<Self> + Clone + Send + Sync> = Stream<K, S>;

    key_methods!();

    fn tag(&self, nonce: Option<&Nonce>, message: &[u8]) -> Tag<N> {
        self.tag(number(nonce), message)
    }
}

impl<K, S, const N: usize> InnerStream<N> for Stream<K, S>
where
    K: Borrow<Umac1999<S>> + Clone + Send,
    S: Set<Tag = Tag<N>>,
{
    stream_methods!();

    fn peek(&self, nonce: Option<&Nonce>) -> Tag<N> {
        self.clone().finish(number(nonce))
    }
}
