//! [`Polynomial`]: an irreducible polynomial over GF(2), the key of two families.

use super::{InvalidInput, below, check};
use wegman::hazmat::ct::wide_mask;
use zeroize::Zeroize;

/// An irreducible polynomial over GF(2) of degree 1 to 128, wiped on drop.
///
/// Find a random one by trying: about one in n of degree n is irreducible. How many were tried is not secret. Each
/// test takes a time that depends on the degree only.
#[derive(Clone)]
pub struct Polynomial {
    degree: u32,
    low: u128,
}

impl Polynomial {
    /// The polynomial x^degree plus lower terms: bit k of `low` is the coefficient of x^k.
    ///
    /// ```
    /// use wegman_yardstick::universal::Polynomial;
    ///
    /// assert!(Polynomial::new(8, 0x1b).is_ok()); // x^8 + x^4 + x^3 + x + 1
    /// assert!(Polynomial::new(8, 0x1a).is_err()); // x divides it
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput::Polynomial`] if it is not irreducible, the degree is not 1 to 128, or `low` has bits
    /// from x^degree on.
    pub fn new(degree: u32, low: u128) -> Result<Polynomial, InvalidInput> {
        check((1..=128).contains(&degree), InvalidInput::Polynomial)?;
        check(low <= below(degree), InvalidInput::Polynomial)?;
        let p = Polynomial { degree, low };
        check(p.is_irreducible(), InvalidInput::Polynomial)?;
        Ok(p)
    }

    /// The degree, which is the number of bits of a hash.
    #[must_use]
    pub fn degree(&self) -> u32 {
        self.degree
    }

    /// The coefficients below x^degree.
    pub(super) fn low(&self) -> u128 {
        self.low
    }

    /// a x + bit x^n mod p.
    pub(super) fn shift(&self, a: u128, bit: bool) -> u128 {
        let top = (a >> (self.degree - 1) & 1 == 1) ^ bit;
        (a << 1 & below(self.degree)) ^ (self.low & wide_mask(top))
    }

    /// a b mod p.
    fn times(&self, a: u128, b: u128) -> u128 {
        (0..self.degree)
            .rev()
            .fold(0, |product, bit| self.shift(product, false) ^ (a & wide_mask(b >> bit & 1 == 1)))
    }

    /// a^(2^i) mod p.
    fn frobenius(&self, a: u128, i: u32) -> u128 {
        (0..i).fold(a, |power, _| self.times(power, power))
    }

    /// Rabin's test: p is irreducible if it divides x^(2^n) - x and is coprime to x^(2^(n/q)) - x for all primes q that
    /// divide n.
    ///
    /// If p divides x^(2^n) - x, which is squarefree, the residues modulo p are a product of fields of at most 2^n
    /// elements; so a residue is coprime to p exactly if its power 2^n - 1 is 1.
    fn is_irreducible(&self) -> bool {
        let n = self.degree;
        let x = self.shift(1, false);
        let mut wrong = self.frobenius(x, n) ^ x;
        let is_prime = |q: &u32| !(2..*q).any(|d| q.is_multiple_of(d));
        for q in (2..=n).filter(|q| n.is_multiple_of(*q)).filter(is_prime) {
            let difference = self.frobenius(x, n / q) ^ x;
            let (mut power, mut product) = (difference, difference);
            for _ in 1..n {
                power = self.times(power, power);
                product = self.times(product, power); // 1 + 2 + 4 + ...
            }
            wrong |= product ^ 1;
        }
        wrong == 0
    }
}

impl Drop for Polynomial {
    fn drop(&mut self) {
        let Polynomial { degree: _, low } = self;
        low.zeroize();
    }
}
