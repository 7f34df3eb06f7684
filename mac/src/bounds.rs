//! Forgery bounds as numbers: the papers' theorems, and what they come to for each algorithm.
//!
//! [`theorems`] and [`families`] have the theorems one by one.
//! [`Algorithm::forgery`](crate::registry::Algorithm::forgery) puts them together for an algorithm of the registry
//! and a [`Usage`]: so many messages under one key, so many attempts. docs/bounds.md explains the terms;
//! `wegman bounds` prints them.
//!
//! Every number is an upper bound and computed as one: exactly, or rounded up ([`Probability`]).
//!
//! ```
//! use wegman::bounds::{Probability, Usage};
//! use wegman::registry::find;
//!
//! let pmac = find("PMAC-AES128").expect("listed");
//! let usage = Usage { messages: 1 << 32, message_bytes: 1024, attempts: 1, tag_bits: 128 };
//! let forgery = pmac.forgery(&usage)?;
//! assert!(forgery.total() < Probability::half_to(50));
//!
//! // How many messages until it could be 2^-40? At that many it is not, at one more it could be.
//! let messages = pmac.messages_until(&usage, Probability::half_to(40))?.expect("some");
//! assert_eq!(messages, 194_368_031_997);
//! # Ok::<(), wegman::bounds::Unbounded>(())
//! ```

pub mod families;
mod probability;
pub mod theorems;

pub use probability::{Log2, Probability};

use crate::registry::Algorithm;
use core::fmt;

/// How one key is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// How many messages are tagged.
    pub messages: u128,
    /// How many bytes each of them has at most, and each that is tried.
    pub message_bytes: u128,
    /// How many forgeries are tried: messages whose tag somebody asks to be verified.
    pub attempts: u128,
    /// Bits of the tag.
    pub tag_bits: u32,
}

impl Usage {
    /// Messages tagged and messages tried.
    const fn seen(&self) -> u128 {
        self.messages.saturating_add(self.attempts)
    }
}

/// Which theorems bound the forgeries of an algorithm, with what they depend on.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// UMAC of RFC 4418 from so many streams.
    UmacRfc4418 {
        /// Hashes of 32 bits.
        streams: u32,
    },
    /// UMAC of October 2000.
    Umac2000 {
        /// One attempt succeeds with probability 2^-this.
        exponent: u32,
        /// Cipher calls for all subkeys.
        subkeys: u32,
        /// Cipher calls for a pad, each under a key of its own.
        pads: u32,
    },
    /// UMAC of 1999.
    Umac1999 {
        /// The hash is 2^-this-almost-universal.
        exponent: u32,
        /// Bytes that a block of 4096 becomes.
        hash_bytes: u32,
        /// The pseudorandom function: HMAC-SHA1, or else the CBC-MAC of RC6.
        is_hmac: bool,
    },
    /// PMAC.
    Pmac {
        /// Bits of the cipher's block.
        block_bits: u32,
    },
    /// ECBC, FCBC, XCBC, and CBC-MAC of messages none of which begins with another; blocks of 128 bits.
    Cbc {
        /// Calls of the cipher for a message besides those for its blocks.
        extra_calls: u32,
        /// Cipher calls for all subkeys, 0 if the key has them.
        subkeys: u32,
    },
    /// HMAC, with blocks of 512 bits.
    Hmac {
        /// Bits of the hash.
        hash_bits: u32,
    },
    /// XOR MAC with pieces of 64 bits.
    XorMac {
        /// Whether values are drawn at random; else none comes twice.
        is_random: bool,
    },
    /// Protected counter sums with pieces of 64 bits.
    ProtectedCounterSums,
    /// hash127 with a pad of a block cipher.
    Hash127,
    /// Carter, its tags perhaps cut.
    Carter,
    /// POLYVAL with a pad of AES.
    Polyval,
    /// The partial MAC, of which a forger changes one part.
    Partial {
        /// Parts of a region.
        region: u32,
    },
    /// There is no bound.
    None {
        /// Why.
        why: &'static str,
    },
}

/// Why there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unbounded {
    /// The algorithm has no tags of so many bits.
    TagBits,
    /// Nobody proved one, or none can be.
    NoProof(&'static str),
}

impl fmt::Display for Unbounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unbounded::TagBits => "the algorithm has no tags of so many bits",
            Unbounded::NoProof(why) => why,
        })
    }
}

impl core::error::Error for Unbounded {}

/// One way to succeed.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// What happens then.
    pub name: &'static str,
    /// Its bound in letters: q messages, v attempts, t tag bits, and the [`Letter`]s.
    pub formula: &'static str,
    /// Where it is proved.
    pub source: &'static str,
    /// Its bound.
    pub probability: Probability,
}

/// A letter of the formulas.
#[derive(Clone, Copy, Debug)]
pub struct Letter {
    /// The letter.
    pub name: &'static str,
    /// What it stands for.
    pub meaning: &'static str,
    /// Its value.
    pub value: u128,
}

/// The bound on the probability that any of the attempts succeeds, up to the advantages.
#[derive(Clone, Copy, Debug)]
pub struct Forgery {
    terms: List<Term, 4>,
    letters: List<Letter, 3>,
    advantages: &'static str,
}

impl Forgery {
    /// The bound's terms.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        self.terms.as_slice()
    }

    /// What the formulas' letters stand for.
    #[must_use]
    pub fn letters(&self) -> &[Letter] {
        self.letters.as_slice()
    }

    /// What is to be added and is not known as a number: the advantages of attacks on the primitive.
    #[must_use]
    pub fn advantages(&self) -> &'static str {
        self.advantages
    }

    /// The sum of the terms.
    #[must_use]
    pub fn total(&self) -> Probability {
        self.terms().iter().map(|term| term.probability).sum()
    }
}

/// A few things, without allocation.
#[derive(Clone, Copy, Debug)]
struct List<T, const N: usize> {
    items: [T; N],
    len: usize,
}

impl<T: Copy, const N: usize> List<T, N> {
    fn new(items: &[T], filler: T) -> Self {
        let mut list = List { items: [filler; N], len: items.len() };
        list.items[..items.len()].copy_from_slice(items);
        list
    }

    fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }
}

impl Algorithm {
    /// The bound on forgeries if one key is used so.
    ///
    /// # Errors
    /// [`Unbounded`] if there is none, or no tag has so many bits.
    pub fn forgery(&self, usage: &Usage) -> Result<Forgery, Unbounded> {
        let (min, max) = (8 * self.tag_bytes.start(), 8 * self.tag_bytes.end());
        if !(min..=max).contains(&(usage.tag_bits as usize)) {
            return Err(Unbounded::TagBits);
        }
        self.bound.kind.forgery(usage)
    }

    /// The most messages for which the bound is at most `limit`, all else of `usage` being as it is; `None` if it is
    /// larger even without messages.
    ///
    /// # Errors
    /// As [`forgery`](Self::forgery).
    pub fn messages_until(
        &self,
        usage: &Usage,
        limit: Probability,
    ) -> Result<Option<u128>, Unbounded> {
        self.forgery(usage)?;
        Ok(self.most(limit, |messages| Usage { messages, ..*usage }))
    }

    /// The most attempts for which the bound is at most `limit`, likewise.
    ///
    /// # Errors
    /// As [`forgery`](Self::forgery).
    pub fn attempts_until(
        &self,
        usage: &Usage,
        limit: Probability,
    ) -> Result<Option<u128>, Unbounded> {
        self.forgery(usage)?;
        Ok(self.most(limit, |attempts| Usage { attempts, ..*usage }))
    }

    /// The largest number whose usage keeps the limit. No term becomes smaller when messages or attempts are added.
    fn most(&self, limit: Probability, usage: impl Fn(u128) -> Usage) -> Option<u128> {
        let keeps = |number| self.forgery(&usage(number)).is_ok_and(|f| f.total() <= limit);
        if !keeps(0) {
            return None;
        }
        // Bit by bit, the highest first.
        Some(
            (0..u128::BITS)
                .rev()
                .map(|bit| 1 << bit)
                .fold(0, |number, bit| if keeps(number | bit) { number | bit } else { number }),
        )
    }
}

const AES_PERMUTED: &str = "Adv-PRP of AES, twice: for the subkeys and for the pads";
// The papers assume a pseudorandom function.
const AES_TWICE: &str =
    "Adv-PRP of AES, twice: for the subkeys and for the pads; with their terms above, Adv-PRF";
const CIPHER: &str = "Adv-PRP of the cipher";
const COMPRESSION: &str = "Adv-PRF of the compression function, and that under the related keys of HMAC (for two queries it stands as \
     2^-c in the term of hashes that meet)";
const SWITCHING: &str = "switching lemma: a block cipher gives no block twice";
const GUESS: Term = Term {
    name: "guess",
    formula: "v / 2^t",
    source: "a pseudorandom function is a MAC: PMAC (EUROCRYPT 2002), section 5",
    probability: Probability::ZERO,
};
const PAD_CALLS: &str = "messages tagged and tried, a pad each";
const CALLS: &str = "calls of the cipher for messages tagged and tried";
const SEEN: &str = "messages tagged and tried";
const LENGTH: &str = "blocks of 64 bytes that the hash sees of a message";

impl Kind {
    fn forgery(self, usage: &Usage) -> Result<Forgery, Unbounded> {
        let (seen, bytes, v) = (usage.seen(), usage.message_bytes, usage.attempts);
        let guess = Term { probability: theorems::guessing(v, usage.tag_bits), ..GUESS };
        Ok(match self {
            Kind::UmacRfc4418 { streams } => {
                let calls = rfc4418_subkeys(streams);
                forgery(
                    AES_TWICE,
                    &[
                        ("x", "streams, t / 32", streams.into()),
                        ("p", PAD_CALLS, seen),
                        ("k", "cipher calls for the subkeys", calls.into()),
                    ],
                    &[
                        Term {
                            name: "hash",
                            formula: "v * 2^-(30 x)",
                            source: "RFC 4418, section 6",
                            probability: Probability::half_to(30 * streams).times(v),
                        },
                        pads(theorems::switching(seen, 128), "p (p - 1) / 2^129"),
                        subkeys(calls),
                    ],
                )
            }
            Kind::Umac2000 { exponent, subkeys: calls, pads: per_message } => {
                let one = theorems::switching(seen, 128);
                let formula =
                    if per_message == 1 { "p (p - 1) / 2^129" } else { "2 p (p - 1) / 2^129" };
                forgery(
                    AES_TWICE,
                    &[
                        ("e", "bits that the tag's words are worth", exponent.into()),
                        ("p", PAD_CALLS, seen),
                        ("k", "cipher calls for the subkeys", calls.into()),
                    ],
                    &[
                        Term {
                            name: "hash",
                            formula: "v * 2^-e",
                            source: "draft-krovetz-umac-01, section 8.2; ours for signed words of 32 bits and cut tags",
                            probability: Probability::half_to(exponent).times(v),
                        },
                        pads(one.times(per_message.into()), formula),
                        subkeys_fed_back(calls),
                    ],
                )
            }
            Kind::Umac1999 { exponent, hash_bytes, is_hmac } => {
                umac_1999(usage, exponent, hash_bytes, is_hmac)
            }
            Kind::Pmac { block_bits } => {
                let each = bytes.div_ceil(u128::from(block_bits) / 8).max(1);
                let blocks = seen.saturating_mul(each);
                let formula = match block_bits {
                    128 => "(s + 1)^2 / 2^127",
                    64 => "(s + 1)^2 / 2^63",
                    _ => "(s + 1)^2 / 2^(n-1)",
                };
                let blocks_meet = Term {
                    name: "blocks meet",
                    formula,
                    source: "PMAC (EUROCRYPT 2002), Theorem 1",
                    probability: theorems::pmac(blocks, block_bits),
                };
                let s = ("s", "blocks of messages tagged and tried", blocks);
                forgery(CIPHER, &[s], &[blocks_meet, guess])
            }
            Kind::Cbc { extra_calls, subkeys: subkey_calls } => {
                let each = bytes.div_ceil(16).max(1) + u128::from(extra_calls);
                let calls = seen.saturating_mul(each);
                let s = ("s", CALLS, calls);
                let terms = [cbc_blocks_meet(calls), guess];
                if subkey_calls == 0 {
                    return Ok(forgery(
                        "Adv-PRP of the cipher, for each of its keys",
                        &[s],
                        &terms,
                    ));
                }
                let [blocks_meet, guess] = terms;
                let k = ("k", "cipher calls for the subkeys", subkey_calls.into());
                forgery(
                    "Adv-PRP of the cipher, twice: for the subkeys and for the messages",
                    &[s, k],
                    &[blocks_meet, guess, subkeys(subkey_calls)],
                )
            }
            Kind::Hmac { hash_bits } => {
                let blocks = hmac_blocks(bytes);
                let letters = [("p", SEEN, seen), ("m", LENGTH, blocks)];
                forgery(COMPRESSION, &letters, &[hmac_collision(seen, blocks, hash_bits), guess])
            }
            Kind::XorMac { is_random } => {
                let calls = seen.saturating_mul(bytes / 8 + 2);
                let switched = Term {
                    name: "sums",
                    formula: "s (s - 1) / 2^129",
                    source: SWITCHING,
                    probability: theorems::switching(calls, 128),
                };
                let s = ("s", CALLS, calls);
                let p = ("p", SEEN, seen);
                let values = Term {
                    name: "values meet",
                    formula: "p^2 / 2^127",
                    source: "Bellare, Guerin and Rogaway (CRYPTO 1995); sizes ours",
                    probability: theorems::xor_mac_values(seen),
                };
                if is_random {
                    forgery(CIPHER, &[s, p], &[switched, guess, values])
                } else {
                    forgery(CIPHER, &[s], &[switched, guess])
                }
            }
            Kind::ProtectedCounterSums => {
                let calls = seen.saturating_mul(bytes / 8 + 2);
                let equal = Term {
                    name: "sums meet",
                    formula: "p^2 / 2^65",
                    source: "ours, after Bernstein, How to stretch random functions (1999)",
                    probability: theorems::equal_sums(seen),
                };
                let switched = Term {
                    name: "calls",
                    formula: "s (s - 1) / 2^129",
                    source: SWITCHING,
                    probability: theorems::switching(calls, 128),
                };
                let letters = [("p", SEEN, seen), ("s", CALLS, calls)];
                forgery(CIPHER, &letters, &[equal, switched, guess])
            }
            Kind::Hash127 => {
                // A byte 01 ends the message; then words of 4 bytes.
                let words = bytes / 4 + 1;
                let hash = Term {
                    name: "hash",
                    formula: "v (l + 1) / 2^126",
                    source: "ours",
                    probability: theorems::hash127(words).times(v),
                };
                let two_pads = Term {
                    name: "pads",
                    formula: "p^2 / 2^126",
                    source: "ours: the switching lemma, and pads modulo 2^127 - 1",
                    probability: Probability::half_to(126).times(seen).times(seen),
                };
                let letters =
                    [("l", "words of 32 bits of a message", words), ("p", PAD_CALLS, seen)];
                forgery(CIPHER, &letters, &[hash, two_pads])
            }
            Kind::Carter => hash_xor_pad(
                usage,
                ("n", "blocks of 2048 bytes of a message", bytes.div_ceil(2048).max(1)),
                "ours: docs/carter.md",
            ),
            Kind::Polyval => hash_xor_pad(
                usage,
                ("n", "blocks of 16 bytes of a message, and its length", bytes.div_ceil(16) + 1),
                "a polynomial without a constant; POLYVAL is in RFC 8452, section 3",
            ),
            Kind::Partial { region } => {
                let blocks = hmac_blocks(bytes.saturating_add(16));
                let missed = Term {
                    name: "not looked at",
                    formula: "v (1 - 1 / n)",
                    source: "ours: one part is changed",
                    probability: theorems::unnoticed(region.into(), 1).times(v),
                };
                let letters = [
                    ("n", "parts of a region, one of which is looked at", region.into()),
                    ("p", SEEN, seen),
                    ("m", LENGTH, blocks),
                ];
                forgery(COMPRESSION, &letters, &[missed, hmac_collision(seen, blocks, 160), guess])
            }
            Kind::None { why } => return Err(Unbounded::NoProof(why)),
        })
    }
}

fn forgery(
    advantages: &'static str,
    letters: &[(&'static str, &'static str, u128)],
    terms: &[Term],
) -> Forgery {
    let mut list = [Letter { name: "", meaning: "", value: 0 }; 3];
    for (place, &(name, meaning, value)) in list.iter_mut().zip(letters) {
        *place = Letter { name, meaning, value };
    }
    let letters = List { items: list, len: letters.len() };
    Forgery { terms: List::new(terms, GUESS), letters, advantages }
}

fn pads(probability: Probability, formula: &'static str) -> Term {
    Term { name: "pads", formula, source: SWITCHING, probability }
}

fn subkeys(calls: u32) -> Term {
    Term {
        name: "subkeys",
        formula: "k (k - 1) / 2^129",
        source: SWITCHING,
        probability: theorems::switching(calls.into(), 128),
    }
}

/// Each block is the cipher's next input.
fn subkeys_fed_back(calls: u32) -> Term {
    Term {
        name: "subkeys",
        formula: "k (k - 1) / 2^128",
        source: "ours: the switching lemma, and inputs that come again",
        probability: theorems::output_feedback(calls.into(), 128),
    }
}

fn cbc_blocks_meet(calls: u128) -> Term {
    Term {
        name: "blocks meet",
        formula: "s (s - 1) / 2^128",
        source: "ours; of the order of Black and Rogaway (CRYPTO 2000)",
        probability: theorems::cbc(calls, 128),
    }
}

fn hmac_collision(seen: u128, blocks: u128, hash_bits: u32) -> Term {
    Term {
        name: "hashes meet",
        formula: match hash_bits {
            160 => "p (p - 1) (2 m + 1) / 2^161",
            _ => "p (p - 1) (2 m + 1) / 2^129",
        },
        source: "Bellare, New proofs for NMAC and HMAC (CRYPTO 2006)",
        probability: theorems::hmac(seen, blocks, hash_bits),
    }
}

/// A hash of `n` blocks, xored with a pad of AES, where pads and subkeys cost a factor and nothing is added.
fn hash_xor_pad(
    usage: &Usage,
    n: (&'static str, &'static str, u128),
    source: &'static str,
) -> Forgery {
    let (_, _, blocks) = n;
    let hash = theorems::polynomial(blocks, usage.tag_bits).times(usage.attempts);
    let pads = theorems::permuted_pads(hash, usage.messages);
    let terms = [
        Term { name: "hash", formula: "v n / 2^t", source, probability: hash },
        Term {
            name: "pads",
            formula: "v n / 2^t * ((1 - (q + 1) / 2^128)^(-(q + 2) / 2) - 1)",
            source: "Bernstein, Stronger security bounds for Wegman-Carter-Shoup authenticators (EUROCRYPT 2005)",
            probability: pads,
        },
        Term {
            name: "subkeys",
            formula: "v n / 2^t * (1 - (q + 1) / 2^128)^(-(q + 2) / 2) * 2^-110",
            source: "ours, by the same factor: the key is made of blocks of AES, too",
            probability: theorems::permuted_subkeys(hash.plus(pads)),
        },
    ];
    forgery(AES_PERMUTED, &[n], &terms)
}

/// Blocks that HMAC's inner hash sees of a message after the key's: with a bit 1 and a length of 64 bits.
const fn hmac_blocks(bytes: u128) -> u128 {
    bytes.saturating_add(9).div_ceil(64)
}

/// Calls of RFC 4418's KDF: the layers' keys, the masks and the pad's key.
const fn rfc4418_subkeys(streams: u32) -> u32 {
    let l1 = 64 + (streams - 1);
    let l2 = (24 * streams).div_ceil(16);
    let l3 = 4 * streams;
    let masks = (4 * streams).div_ceil(16);
    l1 + l2 + l3 + masks + 1
}

/// Theorem 8.2 with the two pseudorandom functions of section 8.4.
fn umac_1999(usage: &Usage, exponent: u32, hash_bytes: u32, is_hmac: bool) -> Forgery {
    let (seen, bytes) = (usage.seen(), usage.message_bytes);
    // A message of at least so many bytes is hashed, a shorter one is the function's input.
    let hashed_from = if is_hmac { 56 } else { 33 };
    // Hash, length of the last block, nonce and its length.
    let hashed = bytes.div_ceil(4096).saturating_mul(hash_bytes.into()).saturating_add(2 + 8 + 1);
    let short = bytes.min(hashed_from - 1);
    let input = if bytes < hashed_from { short } else { hashed.max(short) };
    let hash = Term {
        name: "hash",
        formula: "v * 2^-e",
        source: if is_hmac {
            "UMAC (CRYPTO '99, full version), section 2.2, Theorems 5.4 and 8.2"
        } else {
            "UMAC (CRYPTO '99, full version), section 2.2, Theorems 5.2 and 8.2"
        },
        probability: Probability::half_to(exponent).times(usage.attempts),
    };
    let guess = Term {
        name: "guess",
        formula: "v / 2^t",
        source: "UMAC (CRYPTO '99, full version), Theorem 8.2",
        probability: theorems::guessing(usage.attempts, usage.tag_bits),
    };
    let e = ("e", "the hash is 2^-e-almost-universal", exponent.into());
    if is_hmac {
        // One block before the input says which function it is.
        let blocks = 1 + hmac_blocks(input);
        forgery(
            "Adv-PRF of SHA-1's compression function (for two queries it stands as 2^-160 in the term of hashes that \
             meet), that under the related keys of HMAC, and Adv-PRG of SHA-1 for the subkeys",
            &[e, ("p", SEEN, seen), ("m", LENGTH, blocks)],
            &[hash, guess, hmac_collision(seen, blocks, 160)],
        )
    } else {
        let calls = seen.saturating_mul(1 + input.div_ceil(16));
        // At most 4096 + 48 bytes for the hash and three keys of the CBC-MAC.
        let keys = (4096 + 16 * (hash_bytes / 4 - 1)) / 16 + 3;
        forgery(
            "Adv-PRP of RC6, four times: for the subkeys and under the three keys of the CBC-MAC; with their terms \
             above, Adv-PRF of that",
            &[e, ("s", CALLS, calls), ("k", "cipher calls for the subkeys", keys.into())],
            &[hash, guess, cbc_blocks_meet(calls), subkeys_fed_back(keys)],
        )
    }
}
