//! Bounds on the probability of a forgery, as functions of how a key was used. Sessions compute with them in units of
//! 2^-127 ([`Units`]), `wegman bounds` (`wegman-catalogue`) in 512 binary digits: the functions are the same.
//!
//! Every result is an upper bound and is computed as one: what cannot be represented is rounded up.

/// Arithmetic with upper bounds on probabilities. Results are rounded up, never down; results above 1 may become 1.
pub trait Probability: Copy {
    /// Impossible.
    const ZERO: Self;

    /// 2^-`exponent`.
    #[must_use]
    fn half_to(exponent: u32) -> Self;

    /// The sum: the union bound.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// `count` times this probability.
    #[must_use]
    fn times(self, count: u128) -> Self;

    /// `numerator / 2^exponent` times this probability. `exponent` is at most 128.
    #[must_use]
    fn share(self, numerator: u64, exponent: u32) -> Self;
}

/// A probability in units of 2^-127, as a receiver's budget has it. Except for [`ZERO`](Self::ZERO), the smallest is
/// one unit; the largest is 2^128 - 1 units, which is more than certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Units(pub u128);

impl Units {
    /// Probability 1.
    pub const ONE: Units = Units(1 << 127);
}

impl Probability for Units {
    const ZERO: Units = Units(0);

    #[inline]
    fn half_to(exponent: u32) -> Units {
        Units(Self::ONE.0.checked_shr(exponent).map_or(1, |units| units.max(1)))
    }

    #[inline]
    fn plus(self, other: Units) -> Units {
        Units(self.0.saturating_add(other.0))
    }

    #[inline]
    fn times(self, count: u128) -> Units {
        Units(self.0.saturating_mul(count))
    }

    fn share(self, numerator: u64, exponent: u32) -> Units {
        // The product has up to 192 bits: `high` counts 2^64.
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let low = u128::from(low) * u128::from(numerator);
        let high = u128::from(high) * u128::from(numerator) + (low >> 64);
        let low = low as u64;
        let (quotient, is_rounded) = match exponent {
            0..64 if high.leading_zeros() < 64 - exponent => return Units(u128::MAX),
            0..64 => {
                let quotient = high << (64 - exponent) | u128::from(low >> exponent);
                (quotient, low & ((1 << exponent) - 1) != 0)
            }
            _ => {
                let shift = exponent - 64;
                (high >> shift, low != 0 || high & ((1 << shift) - 1) != 0)
            }
        };
        Units(quotient.saturating_add(is_rounded.into()))
    }
}

/// The most pads under one key. Up to this number, pads from a permutation make a forgery about 1 + 2^-33 times as
/// likely.
pub const PADS_LIMIT: u64 = 1 << 48;

/// The most blocks of 128 bits or more under one key, if the bound has a term of the order of their square. The term is
/// then about 2^-41.
pub const BLOCKS_LIMIT: u64 = 1 << 43;

/// How one key was used, or may have been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The messages tagged.
    pub tagged: Traffic,
    /// The forgery attempts: messages with a wrong tag.
    pub tried: Traffic,
    /// The length in bytes of the longest message, tagged or tried.
    pub longest: u64,
}

/// A number of messages and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// How many messages.
    pub messages: u64,
    /// Their total cost, in units of the MAC ([`PacketMac::cost`](crate::session::PacketMac::cost)).
    pub cost: u64,
}

impl Traffic {
    /// Nothing.
    pub const NONE: Traffic = Traffic { messages: 0, cost: 0 };

    /// The larger of each.
    #[must_use]
    pub fn max(self, other: Traffic) -> Traffic {
        Traffic { messages: self.messages.max(other.messages), cost: self.cost.max(other.cost) }
    }

    /// Both together, at most 2^64 - 1 of each, which is above every limit.
    #[must_use]
    pub const fn plus(self, other: Traffic) -> Traffic {
        Traffic {
            messages: self.messages.saturating_add(other.messages),
            cost: self.cost.saturating_add(other.cost),
        }
    }
}

impl History {
    /// Messages tagged and tried, and their cost.
    #[must_use]
    pub fn seen(&self) -> (u128, u128) {
        let Traffic { messages, cost } = self.tagged;
        (
            u128::from(messages) + u128::from(self.tried.messages),
            u128::from(cost) + u128::from(self.tried.cost),
        )
    }
}

/// The cost, in blocks of `block` bytes, of messages of `bytes` bytes in all, if `before` bytes are added to each and
/// none has fewer blocks than one. It is exact for a single message, and otherwise the largest possible for that many
/// bytes.
#[must_use]
#[inline]
pub const fn blocks(messages: u64, bytes: u64, before: u64, block: u64) -> u64 {
    if messages == 1 {
        let blocks = bytes.saturating_add(before).div_ceil(block);
        return if blocks == 0 { 1 } else { blocks };
    }
    messages.saturating_mul(before.div_ceil(block) + 1).saturating_add(bytes / block)
}

/// The probability that one of `v` attempts guesses a tag of `t` bits made by a random function: v / 2^t.
#[must_use]
pub fn guesses<P: Probability>(attempts: u128, tag_bits: u32) -> P {
    product_over(attempts, 1, tag_bits)
}

/// PMAC differs from a random function with advantage at most (s + 1)^2 / 2^(n-1), for messages of `s` blocks of `n` bits
/// in all. (PMAC, EUROCRYPT 2002, Theorem 1.)
#[must_use]
pub fn pmac<P: Probability>(blocks: u128, block_bits: u32) -> P {
    let blocks = blocks.saturating_add(1);
    product_over(blocks, blocks, block_bits - 1)
}

/// HMAC differs from a random function with advantage at most ((p - 1) s + p (p - 1) / 2) / 2^c, for `p` messages of `s`
/// blocks of its hash in all, whose values have `c` bits: for each pair of messages, a collision costs one more than the
/// blocks of both. It assumes that no attack with two queries on the compression function is better than guessing.
/// (Bellare, "New proofs for NMAC and HMAC", CRYPTO 2006.)
#[must_use]
pub fn hmac<P: Probability>(messages: u128, blocks: u128, hash_bits: u32) -> P {
    let others = messages.saturating_sub(1);
    let pairs = product_over::<P>(others, blocks, hash_bits);
    pairs.plus(product_over(messages, others, hash_bits + 1))
}

/// CBC-MAC of messages none of which is a prefix of another, and ECBC, FCBC and XCBC, differ from a random function with
/// advantage at most s (s - 1) / 2^n, with `s` calls of the cipher. (Ours, of the order of Black and Rogaway, CRYPTO 2000;
/// docs/bounds.md of `wegman-catalogue`.)
#[must_use]
pub fn cbc<P: Probability>(calls: u128, block_bits: u32) -> P {
    product_over(calls, calls.saturating_sub(1), block_bits)
}

/// CMAC differs from a random function with advantage at most 4 s^2 / 2^n, for messages of `s` blocks of `n` bits in all.
/// (Iwata and Kurosawa, INDOCRYPT 2003.)
#[must_use]
pub fn cmac<P: Probability>(blocks: u128, block_bits: u32) -> P {
    product_over(blocks, blocks, block_bits - 2)
}

/// What it adds to the probability of a forgery that pads come from a permutation of 128-bit blocks. If a forgery has
/// probability `forgery` with random pads, it has at most `forgery` times (1 - (q + 1) / 2^128)^(-(q + 2) / 2) after
/// `q` tagged messages, whatever the number of attempts. A pad may be a part of a block, and two nonces may share one:
/// given pads are then no more likely than if each had its own block. From 2^64 - 2 messages on, the result is 1, which
/// is no bound, except that without attempts there is no forgery. (Bernstein, "Stronger security bounds for
/// Wegman-Carter-Shoup authenticators", EUROCRYPT 2005.)
///
/// With y = (q + 2)^2 / 2^129, the exponent of the factor is at most y, and e^y - 1 is at most y + y^2 for y up to 1.
#[must_use]
pub fn permuted_pads<P: Probability>(forgery: P, messages: u128) -> P {
    let Ok(calls) = u64::try_from(messages.saturating_add(2)) else {
        // Nothing that is not zero has less than 2^-512.
        return (0..5).fold(forgery, |forgery, _| forgery.times(u128::MAX));
    };
    let first = forgery.share(calls, 65).share(calls, 64);
    first.plus(first.share(calls, 65).share(calls, 64))
}

/// What it adds to the probability of a forgery that subkeys are up to 700 different blocks of AES: each outcome is at
/// most 1 + 2^-110 times as likely as with random subkeys. (By the same factor; docs/carter.md of `wegman-carter`.)
#[must_use]
pub fn permuted_subkeys<P: Probability>(forgery: P) -> P {
    forgery.share(1, 110)
}

/// `k` blocks of a cipher in output feedback differ from random ones with advantage at most k (k - 1) / 2^n.
#[must_use]
pub fn output_feedback<P: Probability>(calls: u32, block_bits: u32) -> P {
    product_over(calls.into(), calls.saturating_sub(1).into(), block_bits)
}

/// The bound of a hash xored with a pad from AES after `messages` messages, if it would be `hash` with random pads and
/// subkeys. Nothing of the order of q^2 is added, and attempts do not count as messages. `fed_back` is the number of
/// subkey blocks made in output feedback, 0 if they are encryptions of different blocks.
#[must_use]
pub fn hash_and_pad<P: Probability>(hash: P, messages: u128, fed_back: u32) -> P {
    let padded = hash.plus(permuted_pads(hash, messages));
    padded.plus(match fed_back {
        0 => permuted_subkeys(padded),
        blocks => output_feedback(blocks, 128),
    })
}

/// a b / 2^`exponent`, rounded up. If a and b are below 2^64, the rounding adds less than two units, although
/// 2^-`exponent` may be far below a unit.
#[must_use]
pub fn product_over<P: Probability>(a: u128, b: u128, exponent: u32) -> P {
    match (u64::try_from(a), u64::try_from(b)) {
        (Ok(a), Ok(b)) if exponent > 127 => {
            let mut product = P::half_to(0).share(a, 64);
            let mut rest = exponent - 64;
            while rest > 128 {
                // What is rounded here is below a unit, times b / 2^rest, which is below 1/2 in the end.
                product = product.share(1, 64);
                rest -= 64;
            }
            product.share(b, rest)
        }
        _ => P::half_to(exponent).times(a).times(b),
    }
}
