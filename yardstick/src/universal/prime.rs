//! Arithmetic modulo a prime, for MMH\*, NMH\* and SQH.

use super::{InvalidInput, check};
use wegman::hazmat::ct::mask;

/// A prime below 2^64, with reduction modulo it.
///
/// The three named primes reduce by folding, in constant time. Any other reduces by division: **not constant time**,
/// for theorems at small sizes and for measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prime(u64);

const P16: u64 = (1 << 16) + 1;
const P32: u64 = (1 << 32) + 15;
const P61: u64 = (1 << 61) - 1;

impl Prime {
    /// 2^16 + 1, for words of 16 bits.
    pub const P16: Prime = Prime(P16);
    /// 2^32 + 15, for words of 32 bits.
    pub const P32: Prime = Prime(P32);
    /// 2^61 - 1.
    pub const P61: Prime = Prime(P61);

    /// Any prime. One without a name here does not reduce in constant time.
    ///
    /// # Errors
    /// [`InvalidInput::Modulus`] if `p` is not prime.
    pub fn new(p: u64) -> Result<Prime, InvalidInput> {
        check(is_prime(p), InvalidInput::Modulus)?;
        Ok(Prime(p))
    }

    /// The prime as a number.
    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }

    /// The remainder modulo p.
    ///
    /// # Bounds
    /// In: `x` below p^2. Out: below p. The named primes fold: the bits from 2^k on count as many times as 2^k does
    /// modulo p, and a multiple of p keeps differences positive.
    pub(super) fn reduce(self, x: u128) -> u64 {
        debug_assert!(x < u128::from(self.0).pow(2));
        match self {
            Prime::P16 => {
                // 2^16 = -1. The bits above come to at most 2^16 + 2, so `folded` is positive and below 3 p.
                let x = x as u64;
                let folded = (x & 0xffff) + 2 * P16 - (x >> 16);
                self.less_if_not_below(self.less_if_not_below(folded))
            }
            Prime::P32 => {
                // 2^32 = -15. The bits above come to at most 2^32 + 30, and 15 times that is below 64 p.
                // `folded` is below 66 2^32, so the second fold is positive and below 2 p.
                let above = (x >> 32) as u64;
                let folded = (x as u64 & 0xffff_ffff) + 64 * P32 - 15 * above;
                self.less_if_not_below((folded & 0xffff_ffff) + P32 - 15 * (folded >> 32))
            }
            Prime::P61 => {
                // 2^61 = 1. The bits above are below p, so `folded` is below 2^62 and the second fold at most p + 1.
                let folded = (x as u64 & P61) + (x >> 61) as u64;
                self.less_if_not_below((folded & P61) + (folded >> 61))
            }
            Prime(p) => (x % u128::from(p)) as u64,
        }
    }

    /// `x - p`, or `x` if it is below p.
    ///
    /// # Bounds
    /// In: `x` and p below 2^63, so that the top bit of the difference is its sign. Out: below p if `x` is below 2 p.
    fn less_if_not_below(self, x: u64) -> u64 {
        debug_assert!(x >> 63 == 0 && self.0 >> 63 == 0);
        let less = x.wrapping_sub(self.0);
        less.wrapping_add(self.0 & mask(less >> 63 == 1))
    }

    /// `sum + a b` modulo p.
    ///
    /// # Bounds
    /// In: all three below p. Out: below p. (p - 1) + (p - 1)^2 is below p^2, which is what [`reduce`](Self::reduce)
    /// takes.
    pub(super) fn add_product(self, sum: u64, a: u64, b: u64) -> u64 {
        self.reduce(u128::from(sum) + u128::from(a) * u128::from(b))
    }

    /// `a + b` modulo p. In and out: below p.
    pub(super) fn add(self, a: u64, b: u64) -> u64 {
        self.add_product(a, b, 1)
    }

    /// Checks that all words are below p. It reads all of them, whatever it finds.
    pub(super) fn check_words(self, words: &[u64]) -> Result<(), InvalidInput> {
        let too_large = words.iter().fold(false, |any, &word| any | (word >= self.0));
        check(!too_large, InvalidInput::Word)
    }
}

/// The Miller-Rabin test with the first twelve primes as bases. It is exact below 2^64.
fn is_prime(p: u64) -> bool {
    let bases = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if p < 2 || bases.iter().any(|&small| p != small && p.is_multiple_of(small)) {
        return false;
    }
    let times = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(p)) as u64;
    let twos = (p - 1).trailing_zeros();
    let odd = (p - 1) >> twos;
    bases.iter().filter(|&&base| base % p != 0).all(|&base| {
        let bits = (0..64).rev().map(|bit| odd >> bit & 1);
        let power = bits.fold(1, |x, bit| {
            let square = times(x, x);
            if bit == 1 { times(square, base) } else { square }
        });
        let mut squares =
            core::iter::successors(Some(power), |&x| Some(times(x, x))).take(twos as usize);
        power == 1 || squares.any(|x| x == p - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_known() {
        let small: Vec<u64> = (0..60).filter(|&p| Prime::new(p).is_ok()).collect();
        assert_eq!(small, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]);
        let sieve =
            |n: u64| n >= 2 && !(2..n).take_while(|d| d * d <= n).any(|d| n.is_multiple_of(d));
        assert!((0..20_000).all(|n| Prime::new(n).is_ok() == sieve(n)));
        for p in [P16, P32, P61, u64::MAX - 58] {
            assert!(Prime::new(p).is_ok(), "{p}");
        }
        // 3215031751 passes for the bases 2, 3, 5, 7; the others are squares and neighbours.
        for n in [3_215_031_751, P32 - 2, P16 * P16, u64::MAX, 3_825_123_056_546_413_051] {
            assert_eq!(Prime::new(n), Err(InvalidInput::Modulus), "{n}");
        }
    }

    /// Around everything a fold could get wrong, up to p^2 - 1.
    #[test]
    fn folding_is_the_remainder() {
        for prime in [Prime::P16, Prime::P32, Prime::P61] {
            let p = u128::from(prime.value());
            let powers = (0..128).map(|bit| 1_u128 << bit);
            let multiples = (0..200).flat_map(|i| [i * p, i << 16, i << 32, i << 61, p * (p - i)]);
            for x in powers.chain(multiples) {
                for d in 0..40 {
                    for x in [x.wrapping_add(d), x.wrapping_sub(d), (p * p).wrapping_sub(x + d)] {
                        if x < p * p {
                            assert_eq!(u128::from(prime.reduce(x)), x % p, "{x} mod {p}");
                        }
                    }
                }
            }
        }
        for x in 0..u128::from(P16) * 20 {
            assert_eq!(u128::from(Prime::P16.reduce(x)), x % u128::from(P16));
        }
    }
}
