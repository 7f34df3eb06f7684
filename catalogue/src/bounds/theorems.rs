//! The theorems of the papers, one function for each, with the parameters for which they hold.
//!
//! \[1\] is "UMAC: fast and secure message authentication" (CRYPTO '99), full version. \[2\] is "A block-cipher
//! mode of operation for parallelizable message authentication" (EUROCRYPT 2002). A family of hash functions is
//! *eps-almost-universal* (AU) if any two different messages, chosen without knowing the key, have equal hashes
//! under at most eps of the keys.

use super::Probability;
use wegman::bound;

/// NH\[n, w\]: 2^-w, for two different messages of one length, of an even number of w-bit words up to n.
/// The same bounds the probability of any difference modulo 2^2w. It is reached.
/// (\[1\], Theorem 4.2 and the remarks after it; n even and at least 2, w at least 1.)
#[must_use]
pub const fn nh(w: u32) -> Probability {
    Probability::half_to(w)
}

/// NHS\[n, w\], NH of words read as two's complement: 2^(1-w), for messages as in [`nh`].
/// (\[1\], Theorem 4.5; Theorem 4.8 gives messages that come within 2^(1-2w) of it.)
#[must_use]
pub const fn nhs(w: u32) -> Probability {
    Probability::half_to(w.saturating_sub(1))
}

/// NHT\[n, w, t\], NH under t keys, each two words further along one key: 2^-wt, for messages as in
/// [`nh`]. (\[1\], Theorem 5.1; the comment after it allows any even shift; t at least 1.)
#[must_use]
pub const fn nht(w: u32, t: u32) -> Probability {
    Probability::half_to(w.saturating_mul(t))
}

/// NHST\[n, w, t\], the same with NHS: 2^(t(1-w)). (\[1\], Theorem 5.2.)
#[must_use]
pub const fn nhst(w: u32, t: u32) -> Probability {
    Probability::half_to(w.saturating_sub(1).saturating_mul(t))
}

/// NHT2\[n, m, w\], two levels of NH, each shifted once: 2^(2-2w), for messages of one length, of an even number
/// of words up to n m. (\[1\], Theorem 5.3; m at least 1.)
#[must_use]
pub const fn nht2(w: u32) -> Probability {
    Probability::half_to(w.saturating_mul(2).saturating_sub(2))
}

/// NHST2\[n, m, w\], the same with NHS: 2^(4-2w). (\[1\], Theorem 5.4.)
#[must_use]
pub const fn nhst2(w: u32) -> Probability {
    Probability::half_to(w.saturating_mul(2).saturating_sub(4))
}

/// UMAC\[H, Rand(tau)\], whose tag is a random function of hash and nonce: v (eps + 2^-tau) for v forgery
/// attempts, however many messages were tagged, if no two of them had the same nonce. H is eps-AU for any lengths.
/// (\[1\], Lemma 8.1.) For a pseudorandom function in place of the random one, add its advantage (Theorem 8.2); for a
/// block cipher, also that of [`switching`].
#[must_use]
pub const fn hash_and_nonce(attempts: u128, epsilon: Probability, tag_bits: u32) -> Probability {
    epsilon.plus(Probability::half_to(tag_bits)).times(attempts)
}

/// The same function of the hash alone, without a nonce: q^2 eps + 2^-tau for one attempt after q messages. So the
/// bound is void after eps^-1/2 messages. (\[1\], section 8.3.)
#[must_use]
pub const fn hash_without_nonce(
    messages: u128,
    epsilon: Probability,
    tag_bits: u32,
) -> Probability {
    epsilon.times(messages).times(messages).plus(Probability::half_to(tag_bits))
}

/// PMAC\[Perm(n), tau\] can be distinguished from a random function with advantage at most (s + 1)^2 / 2^(n-1), with
/// messages of s blocks in all, where an empty message counts as one block. (\[2\], Theorem 1; any tau up to n.)
#[must_use]
pub fn pmac(blocks: u128, block_bits: u32) -> Probability {
    bound::pmac(blocks, block_bits)
}

/// A random function of the message as a MAC: v / 2^tau for v forgery attempts on tags of tau bits.
/// (Cited in \[2\], section 5.) If the MAC can be distinguished from a random function with the messages tagged and
/// tried, add that advantage.
#[must_use]
pub fn guessing(attempts: u128, tag_bits: u32) -> Probability {
    bound::guesses(attempts, tag_bits)
}

/// The switching lemma: p calls distinguish a random permutation of n bits from a random function with advantage at
/// most p (p - 1) / 2^(n+1).
#[must_use]
pub const fn switching(calls: u128, block_bits: u32) -> Probability {
    pairs_over(calls, block_bits + 1)
}

/// Of q random values of n bits, such as random nonces, two are equal with probability at most q (q - 1) / 2^(n+1).
#[must_use]
pub const fn repeated_nonces(values: u128, bits: u32) -> Probability {
    pairs_over(values, bits + 1)
}

/// k blocks of a cipher in output feedback can be distinguished from random ones with advantage at most
/// k (k - 1) / 2^n. (Ours: [`switching`], and the same probability for an input that repeats.)
#[must_use]
pub fn output_feedback(calls: u32, block_bits: u32) -> Probability {
    bound::output_feedback(calls, block_bits)
}

/// CBC-MAC of messages none of which is a prefix of another, and ECBC, FCBC and XCBC of any messages, can be
/// distinguished from a random function with advantage at most s (s - 1) / 2^n, with s cipher calls in all.
///
/// Ours; Black and Rogaway (CRYPTO 2000) state the same order. Half of it is [`switching`] for all calls at once, even
/// if there are three keys. The other half is the probability, under random functions, that two inputs of one function
/// are equal although they belong to different prefixes of messages. Each input is a message block xored with a mask
/// or with an output that was never revealed, so two of them are equal with probability 2^-n. Until
/// that happens, the tags are random and independent.
#[must_use]
pub fn cbc(calls: u128, block_bits: u32) -> Probability {
    bound::cbc(calls, block_bits)
}

/// CMAC, also called OMAC1, can be distinguished from a random function with advantage at most 4 s^2 / 2^n, with messages
/// of s blocks in all. (Iwata and Kurosawa, "Stronger security bounds for OMAC, TMAC, and XCBC", INDOCRYPT 2003.)
#[must_use]
pub fn cmac(blocks: u128, block_bits: u32) -> Probability {
    bound::cmac(blocks, block_bits)
}

/// HMAC of messages of up to m blocks can be distinguished from a random function, with q messages, with advantage at
/// most q (q - 1) (2m + 1) / 2^(c+1), where c is the length of its hash in bits, *if no attack on the
/// compression function with two queries is better than guessing its key*.
///
/// (Bellare, "New proofs for NMAC and HMAC", CRYPTO 2006, which has that attack's advantage in place of
/// 2^-c, 2m times for each pair of messages.)
#[must_use]
pub fn hmac(messages: u128, blocks: u128, hash_bits: u32) -> Probability {
    bound::hmac(messages, messages.saturating_mul(blocks), hash_bits)
}

/// A sum of cipher blocks as in XOR MAC, with p calls in all on 128-bit blocks, is that of random blocks up to
/// [`switching`]. Two of q values drawn at random from 127 bits are equal with probability at most
/// q^2 / 2^127. (Bellare, Guérin and Rogaway, CRYPTO 1995; the sizes are ours.)
#[must_use]
pub const fn xor_mac_values(values: u128) -> Probability {
    square_over(values, 127)
}

/// Two of q inner 64-bit sums of protected counter sums are equal with probability at most q^2 / 2^65. (Ours.)
#[must_use]
pub const fn equal_sums(sums: u128) -> Probability {
    square_over(sums, 65)
}

/// hash127 of messages of at most L words: (L + 1) / 2^126 for any difference. (Ours: a polynomial of
/// degree at most L + 1 modulo 2^127 - 1, r from 128 random bits.)
#[must_use]
pub const fn hash127(words: u128) -> Probability {
    Probability::half_to(126).times(words.saturating_add(1))
}

/// A polynomial hash over GF(2^128), truncated to t bits, for any difference: n / 2^t for messages of at most n
/// coefficients. In Carter these are blocks of 2048 bytes, one for the empty message (ours; docs/carter.md). In POLYVAL
/// they are blocks of 16 bytes and a last one with the length (RFC 8452: a polynomial of degree n without a constant).
#[must_use]
pub const fn polynomial(coefficients: u128, tag_bits: u32) -> Probability {
    Probability::half_to(tag_bits).times(coefficients)
}

/// The cost of pads that come from a permutation of 128 bits instead of being random, for q messages. A forgery that
/// has probability p with random pads has at most p (1 - (q + 1) / 2^128)^(-(q + 2) / 2). The result is how much more
/// than p that is.
///
/// It is a factor, so nothing of the order of q^2 / 2^129 is added, unlike with [`switching`], and only messages tagged
/// count. A pad may be a part of a block, as in UMAC-64: the theorem bounds the probability that given nonces have
/// given pads, and a block of which less is given has no smaller chance. The factor is 1 + 2^-33 after 2^48 messages
/// and at most 1.75 after nearly 2^64; from there on the result is 1, which is no bound. (Bernstein, "Stronger security
/// bounds for Wegman-Carter-Shoup authenticators", EUROCRYPT 2005. Nandi, "Bernstein bound on WCS is tight", CRYPTO
/// 2018: an attack with about 2^67 messages finds the key of a polynomial hash.)
#[must_use]
pub fn permuted_pads(forgery: Probability, messages: u128) -> Probability {
    bound::permuted_pads(forgery, messages)
}

/// The cost of subkeys that are up to 700 blocks of AES instead of being random: each outcome is at most 1 + 2^-110
/// times as likely. This is how much more likely than p a forgery is. (Bernstein's factor again,
/// (1 - s / 2^128)^(-s / 2) for s blocks; docs/carter.md.)
#[must_use]
pub fn permuted_subkeys(forgery: Probability) -> Probability {
    bound::permuted_subkeys(forgery)
}

/// The probability (1 - 1/n)^d that a change of d parts of a message is undetected, if each part is in another region
/// of n parts, of which one is authenticated. (The partial MAC; ours.)
///
/// # Panics
/// If `region` is 0.
#[must_use]
pub const fn unnoticed(region: u64, changed: u32) -> Probability {
    let mut p = Probability::ONE;
    let mut part = 0;
    while part < changed {
        p = p.share(region - 1, region);
        part += 1;
    }
    p
}

/// count^2 / 2^exponent, rounded up.
const fn square_over(count: u128, exponent: u32) -> Probability {
    Probability::half_to(exponent).times(count).times(count)
}

/// count (count - 1) / 2^exponent, rounded up.
const fn pairs_over(count: u128, exponent: u32) -> Probability {
    Probability::half_to(exponent).times(count).times(count.saturating_sub(1))
}
