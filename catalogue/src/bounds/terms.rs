//! Terms that the bounds of several algorithms share.

use super::{Forgery, Letter, Probability, Term, Usage, theorems};
use wegman::bound::PADS_LIMIT;

const AES_PERMUTED: &str = "Adv-PRP of AES, twice: for the subkeys and for the pads";
pub(crate) const CIPHER: &str = "Adv-PRP of the cipher";
pub(crate) const COMPRESSION: &str = "Adv-PRF of the compression function, and that under the related keys of HMAC \
     (for two queries it stands as 2^-c in the term of hashes that meet)";
const SWITCHING: &str = "switching lemma: a block cipher gives no block twice";
pub(crate) const PAD_CALLS: &str = "messages tagged and tried, a pad each";
pub(crate) const CALLS: &str = "calls of the cipher for messages tagged and tried";
pub(crate) const SEEN: &str = "messages tagged and tried";
pub(crate) const HMAC_BLOCKS: &str = "blocks of 64 bytes that the hash sees of a message";

/// A letter: its name, its meaning and its value.
type Named = (&'static str, &'static str, u128);

/// A bound from its letters and terms.
pub(crate) fn forgery(advantages: &'static str, letters: &[Named], terms: &[Term]) -> Forgery {
    let letters = letters.iter().map(|&(name, meaning, value)| Letter { name, meaning, value });
    Forgery { terms: terms.into(), letters: letters.collect(), advantages, most_messages: None }
}

/// The term for subkeys that are encryptions of different blocks.
pub(crate) fn subkeys(calls: u32) -> Term {
    Term {
        name: "subkeys",
        formula: "k (k - 1) / 2^129",
        source: SWITCHING,
        probability: theorems::switching(calls.into(), 128),
    }
}

/// The term for so many calls of a cipher with blocks of 128 bits in the place of random blocks.
pub(crate) fn switched(name: &'static str, calls: u128) -> Term {
    Term {
        name,
        formula: "s (s - 1) / 2^129",
        source: SWITCHING,
        probability: theorems::switching(calls, 128),
    }
}

/// The term for subkeys in output feedback: each block is the next input of the cipher.
pub(crate) fn subkeys_fed_back(calls: u32) -> Term {
    Term {
        name: "subkeys",
        formula: "k (k - 1) / 2^128",
        source: "ours: the switching lemma, and inputs that come again",
        probability: theorems::output_feedback(calls, 128),
    }
}

/// The term for two equal inputs in CBC-MAC.
pub(crate) fn cbc_blocks_meet(calls: u128) -> Term {
    Term {
        name: "blocks meet",
        formula: "s (s - 1) / 2^128",
        source: "ours; of the order of Black and Rogaway (CRYPTO 2000)",
        probability: theorems::cbc(calls, 128),
    }
}

/// The term for two equal hashes inside HMAC. With the key and padding, 2^55 blocks are 2^64 bits or more, and the hashes count bits
/// in 64 bits.
pub(crate) fn hmac_collision(seen: u128, blocks: u128, hash_bits: u32) -> Term {
    let is_defined = blocks < 1 << 55;
    Term {
        name: "hashes meet",
        formula: match hash_bits {
            160 => "p (p - 1) (2 m + 1) / 2^161",
            256 => "p (p - 1) (2 m + 1) / 2^257",
            _ => "p (p - 1) (2 m + 1) / 2^129",
        },
        source: "Bellare, New proofs for NMAC and HMAC (CRYPTO 2006)",
        probability: if is_defined {
            theorems::hmac(seen, blocks, hash_bits)
        } else {
            Probability::ONE
        },
    }
}

/// The bound of a hash of `n` blocks encrypted with a pad from AES, for messages of fewer than `end` bytes. Pads and
/// subkeys cost a factor; nothing is added.
pub(crate) fn hash_xor_pad(usage: &Usage, n: Named, end: u128, source: &'static str) -> Forgery {
    let (_, _, blocks) = n;
    let bits = if usage.message_bytes < end { usage.tag_bits } else { 0 };
    let hash = theorems::polynomial(blocks, bits).times(usage.attempts);
    let hash = Term { name: "hash", formula: "v n / 2^t", source, probability: hash };
    let pads = permuted_pads(&hash, usage.messages, 1);
    let subkeys = permuted_subkeys(&hash, &pads);
    forgery_beside_pads(&[n], &[hash, pads, subkeys])
}

/// A bound where pads of AES cost a factor. Its sum alone would allow as many messages as the theorem.
pub(crate) fn forgery_beside_pads(letters: &[Named], terms: &[Term]) -> Forgery {
    let forgery = forgery(AES_PERMUTED, letters, terms);
    Forgery { most_messages: Some(PADS_LIMIT.into()), ..forgery }
}

/// The term for pads of AES, of so many blocks each under a key of its own, beside that of the hash.
pub(crate) fn permuted_pads(hash: &Term, messages: u128, blocks: usize) -> Term {
    let mut pads = Probability::ZERO;
    for _ in 0..blocks {
        pads = pads + theorems::permuted_pads(hash.probability + pads, messages);
    }
    Term {
        name: "pads",
        formula: if blocks == 1 {
            "hash * ((1 - (q + 1) / 2^128)^(-(q + 2) / 2) - 1)"
        } else {
            "hash * ((1 - (q + 1) / 2^128)^(-(q + 2)) - 1)"
        },
        source: "Bernstein, Stronger security bounds for Wegman-Carter-Shoup authenticators (EUROCRYPT 2005)",
        probability: pads,
    }
}

/// The term for subkeys that are encryptions of different blocks, beside those of hash and pads.
pub(crate) fn permuted_subkeys(hash: &Term, pads: &Term) -> Term {
    Term {
        name: "subkeys",
        formula: "(hash + pads) * 2^-110",
        source: "ours, by the same argument: the subkeys are blocks of AES, too",
        probability: theorems::permuted_subkeys(hash.probability + pads.probability),
    }
}

/// The blocks of a message in HMAC's inner hash, after that of the key. The padding is a bit 1 and 64 bits of length.
pub(crate) const fn hmac_blocks(bytes: u128) -> u128 {
    bytes.saturating_add(9).div_ceil(64)
}

/// The term for guessing a tag.
pub(crate) fn guess(usage: &Usage) -> Term {
    Term {
        name: "guess",
        formula: "v / 2^t",
        source: "a pseudorandom function is a MAC: PMAC (EUROCRYPT 2002), section 5",
        probability: theorems::guessing(usage.attempts, usage.tag_bits),
    }
}
