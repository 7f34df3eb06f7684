//! [`Probability`] and [`Log2`]: arithmetic that may round up but never down. Depends on no module.

use core::fmt;
use core::iter::Sum;
use core::ops::Add;
use wegman::bound;

/// The number of 64-bit digits after the point.
const DIGITS: usize = 8;

/// An upper bound on a probability: a binary fraction of 512 bits, or 1.
///
/// Anything above 1 becomes 1, and anything that needs more than 512 bits is rounded up. All else is exact, so a sum
/// does not lose its small terms. No floating point is used.
///
/// ```
/// use wegman_catalogue::bounds::Probability;
///
/// let small = Probability::half_to(300);
/// let sum = Probability::half_to(40) + small;
/// assert!(sum > Probability::half_to(40));
/// assert_eq!(small.times(1 << 100).times(1 << 100), Probability::half_to(100));
/// assert_eq!(sum.to_string(), "2^-39.99"); // also rounded up
/// ```
// The digit before the point comes first, so that the derived order is that of the numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Probability([u64; 1 + DIGITS]);

impl Probability {
    /// Impossible.
    pub const ZERO: Probability = Probability([0; 1 + DIGITS]);

    /// Certain; also, no bound.
    pub const ONE: Probability = Probability([1, 0, 0, 0, 0, 0, 0, 0, 0]);

    /// 2^-512, to which anything smaller is rounded up.
    const LEAST: Probability = Probability([0, 0, 0, 0, 0, 0, 0, 0, 1]);

    /// 2^-`exponent`, and 2^-512 if that is larger.
    #[must_use]
    pub const fn half_to(exponent: u32) -> Probability {
        let mut digits = [0; 1 + DIGITS];
        let place = exponent.div_ceil(64) as usize;
        if place > DIGITS {
            return Probability::LEAST;
        }
        digits[place] = 1 << (64 * place as u32 - exponent);
        Probability(digits)
    }

    /// `count` times this probability: the union bound.
    #[must_use]
    pub const fn times(self, count: u128) -> Probability {
        let high = self.times_plus((count >> 64) as u64, Probability::ZERO);
        self.times_plus(count as u64, high.moved_up())
    }

    /// `numerator / denominator` times this probability, rounded up.
    ///
    /// # Panics
    /// If `denominator` is 0.
    #[must_use]
    pub const fn share(self, numerator: u64, denominator: u64) -> Probability {
        let (over, mut digits) = self.product(numerator, Probability::ZERO);
        let mut rest = over as u128;
        let mut place = 0;
        let mut is_above_one = rest >= denominator as u128;
        while place <= DIGITS {
            let dividend = rest << 64 | digits[place] as u128;
            // Only a number above 1 has a quotient that does not fit in its digit, and `is_above_one` covers it.
            digits[place] = (dividend / denominator as u128) as u64;
            rest = dividend % denominator as u128;
            place += 1;
        }
        is_above_one |= digits[0] > 0;
        if is_above_one {
            return Probability::ONE;
        }
        let quotient = Probability(digits);
        if rest > 0 { quotient.plus(Probability::LEAST) } else { quotient }
    }

    /// The product, rounded up: the probability that two independent events both occur.
    ///
    /// # Bounds
    /// Digits are below 2^64, so a digit of the result takes at most (2^64 - 1)^2 + 2 (2^64 - 1) = 2^128 - 1.
    pub(super) const fn both(self, other: Probability) -> Probability {
        if self.0[0] == 1 {
            return other;
        }
        if other.0[0] == 1 {
            return self;
        }
        // The place of a product of two digits is the sum of their places.
        let mut digits = [0; 1 + 2 * DIGITS];
        let mut i = DIGITS;
        while i > 0 {
            let mut carry = 0;
            let mut j = DIGITS;
            while j > 0 {
                let sum = self.0[i] as u128 * other.0[j] as u128 + digits[i + j] as u128 + carry;
                (digits[i + j], carry) = (sum as u64, sum >> 64);
                j -= 1;
            }
            digits[i] = carry as u64;
            i -= 1;
        }
        let mut product = [0; 1 + DIGITS];
        let mut is_rounded = false;
        let mut place = 1;
        while place <= DIGITS {
            product[place] = digits[place];
            is_rounded |= digits[DIGITS + place] != 0;
            place += 1;
        }
        let product = Probability(product);
        if is_rounded { product.plus(Probability::LEAST) } else { product }
    }

    /// The logarithm to base 2, rounded up; `None` for zero.
    #[must_use]
    pub const fn log2(self) -> Option<Log2> {
        let mut place = 0;
        while self.0[place] == 0 {
            place += 1;
            if place > DIGITS {
                return None;
            }
        }
        let leading = self.0[place].leading_zeros();
        let mut exponent = 63 - leading as i64 - 64 * place as i64;
        // The first 64 bits, of which the highest is 1. They represent a number m from 1 to 2.
        let (mut m, below) = match leading {
            0 => (self.0[place], 0),
            _ => {
                let next = if place < DIGITS { self.0[place + 1] } else { 0 };
                (self.0[place] << leading | next >> (64 - leading), next << leading)
            }
        };
        let mut is_rounded = below != 0;
        let mut after = if leading == 0 { place + 1 } else { place + 2 };
        while after <= DIGITS {
            is_rounded |= self.0[after] != 0;
            after += 1;
        }
        if is_rounded {
            (m, exponent) = match m.checked_add(1) {
                Some(m) => (m, exponent),
                None => (1 << 63, exponent + 1),
            };
        }
        // Squaring m doubles its logarithm; the next digit is whether the result reaches 2.
        let mut digits = exponent;
        let mut digit = 0;
        while digit < Log2::DIGITS {
            let square = m as u128 * m as u128;
            let shift = if square >> 127 == 1 { 64 } else { 63 };
            digits = 2 * digits + (shift - 63);
            let up = (square >> shift) + (square << (128 - shift) != 0) as u128;
            // A square that is rounded up to 2 carries.
            (m, digits) = if up >> 64 == 1 { (1 << 63, digits + 1) } else { (up as u64, digits) };
            digit += 1;
        }
        Some(Log2(digits + (m > 1 << 63) as i64))
    }

    /// The sum, at most 1: the union bound.
    #[must_use]
    pub const fn plus(self, other: Probability) -> Probability {
        self.times_plus(1, other)
    }

    /// `factor` times this number and `other`, at most 1.
    const fn times_plus(self, factor: u64, other: Probability) -> Probability {
        let (over, digits) = self.product(factor, other);
        if over > 0 || digits[0] > 0 { Probability::ONE } else { Probability(digits) }
    }

    /// The digits of `factor` times this number and `other`, and the digit before them.
    ///
    /// # Bounds
    /// A digit takes at most (2^64 - 1)^2 + 2 (2^64 - 1), which is below 2^128.
    const fn product(self, factor: u64, other: Probability) -> (u64, [u64; 1 + DIGITS]) {
        let mut digits = [0; 1 + DIGITS];
        let mut carry = 0;
        let mut place = 1 + DIGITS;
        while place > 0 {
            place -= 1;
            let sum = self.0[place] as u128 * factor as u128 + other.0[place] as u128 + carry;
            (digits[place], carry) = (sum as u64, sum >> 64);
        }
        (carry as u64, digits)
    }

    /// 2^64 times this number, at most 1.
    const fn moved_up(self) -> Probability {
        match self.0 {
            [0, 0, b, c, d, e, f, g, h] => Probability([0, b, c, d, e, f, g, h, 0]),
            _ => Probability::ONE,
        }
    }
}

/// The arithmetic of the bounds that sessions calculate, too.
impl bound::Probability for Probability {
    const ZERO: Probability = Probability::ZERO;

    fn half_to(exponent: u32) -> Probability {
        Probability::half_to(exponent)
    }

    fn plus(self, other: Probability) -> Probability {
        self.plus(other)
    }

    fn times(self, count: u128) -> Probability {
        self.times(count)
    }

    fn share(self, numerator: u64, exponent: u32) -> Probability {
        // What is divided first has no digits to lose: it ends far above the last one.
        let share = self.both(Probability::half_to(exponent));
        share.times(numerator.into())
    }
}

impl Add for Probability {
    type Output = Probability;

    fn add(self, other: Probability) -> Probability {
        self.plus(other)
    }
}

impl Sum for Probability {
    fn sum<I: Iterator<Item = Probability>>(terms: I) -> Probability {
        terms.fold(Probability::ZERO, Probability::plus)
    }
}

/// `0`, `1` or a power of two whose exponent has two decimals: `2^-54.99`.
impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.log2() {
            None => f.pad("0"),
            Some(Log2(0)) => f.pad("1"),
            Some(log2) => write!(f, "2^{log2}"),
        }
    }
}

impl fmt::Debug for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An exponent of 2, in steps of 2^-32. Every value is exact in an `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Log2(i64);

impl Log2 {
    /// The number of bits after the point.
    const DIGITS: u32 = 32;
}

impl From<Log2> for f64 {
    fn from(Log2(steps): Log2) -> f64 {
        // Exact: there are fewer than 2^53 steps.
        steps as f64 / (1_u64 << Log2::DIGITS) as f64
    }
}

/// A whole number, or two decimals, rounded up.
impl fmt::Display for Log2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = 1_i64 << Log2::DIGITS;
        if self.0 % one == 0 {
            return write!(f, "{}", self.0 / one);
        }
        let hundredths = -(-100 * self.0).div_euclid(one);
        let sign = if self.0 < 0 { "-" } else { "" };
        write!(f, "{sign}{}.{:02}", hundredths.abs() / 100, hundredths.abs() % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number as an `f64`, which is precise enough far from the limits.
    fn float(p: Probability) -> f64 {
        p.0.iter().enumerate().map(|(i, &digit)| digit as f64 * 2_f64.powi(-64 * i as i32)).sum()
    }

    fn log2(p: Probability) -> f64 {
        p.log2().expect("not zero").into()
    }

    #[test]
    fn powers_of_two_are_exact() {
        for exponent in 0..=512 {
            let p = Probability::half_to(exponent);
            assert_eq!(log2(p), -f64::from(exponent));
            assert_eq!(
                p.to_string(),
                if exponent == 0 { "1".into() } else { format!("2^-{exponent}") }
            );
            // Two halves make the whole; the smallest number has itself as its half.
            let half = Probability::half_to(exponent + 1);
            assert_eq!(half + half, if exponent < 512 { p } else { Probability::half_to(511) });
        }
        assert_eq!(Probability::half_to(513), Probability::half_to(512));
        assert_eq!(Probability::half_to(u32::MAX), Probability::half_to(512));
        assert_eq!(Probability::ZERO.log2(), None);
        assert_eq!(Probability::ZERO.to_string(), "0");
    }

    #[test]
    fn sums_lose_nothing_and_end_at_one() {
        let [large, small] = [1, 512].map(Probability::half_to);
        assert!(large + small > large);
        assert_eq!(large + large, Probability::ONE);
        assert_eq!(Probability::ONE + small, Probability::ONE);
        assert_eq!(Probability::ONE + Probability::ONE, Probability::ONE);
        // One less than 2^64 times the smallest number: adding one carries through every digit.
        let most = small.times(u128::MAX);
        assert_eq!(most + small, Probability::half_to(512 - 128));
        assert!(most < Probability::half_to(512 - 128));
        let all: Probability = (1..=512).map(Probability::half_to).sum();
        assert!(all < Probability::ONE);
        assert_eq!(all + small, Probability::ONE);
        assert_eq!([large, small, large].into_iter().sum::<Probability>(), Probability::ONE);
    }

    #[test]
    fn products_end_at_one() {
        let below_one: Probability = (1..=128).map(Probability::half_to).sum();
        assert!(below_one < Probability::ONE);
        for (exponent, count, product) in [
            (128, u128::MAX, below_one),
            (128, 1 << 127, Probability::half_to(1)),
            (127, u128::MAX, Probability::ONE),
            (64, 1 << 64, Probability::ONE),
            (65, 1 << 64, Probability::half_to(1)),
            (0, 0, Probability::ZERO),
            (0, u128::MAX, Probability::ONE),
            (0, 1 << 64, Probability::ONE),
            (512, 0, Probability::ZERO),
        ] {
            let found = Probability::half_to(exponent).times(count);
            assert_eq!(found, product, "2^-{exponent} * {count}");
        }
    }

    #[test]
    fn shares_are_rounded_up() {
        let third = Probability::ONE.share(1, 3);
        assert!(third.times(3) == Probability::ONE);
        assert!(third.0[DIGITS] == 0x5555_5555_5555_5556);
        assert_eq!(Probability::ONE.share(3, 4), Probability::half_to(1) + Probability::half_to(2));
        for (numerator, denominator) in
            [(4, 4), (5, 4), (u64::MAX, 1), (u64::MAX, u64::MAX), (u64::MAX, u64::MAX - 1)]
        {
            let share = Probability::ONE.share(numerator, denominator);
            assert_eq!(share, Probability::ONE, "{numerator} / {denominator}");
        }
        assert_eq!(Probability::ONE.share(0, 7), Probability::ZERO);
        assert_eq!(Probability::half_to(512).share(1, 1000), Probability::half_to(512));
        let (large, small) = (u64::MAX, u64::MAX - 58);
        let back = Probability::half_to(3).share(small, large).share(large, small);
        assert!(back >= Probability::half_to(3));
        assert!((float(back) - 0.125).abs() < 1e-15);
        for d in 1..200 {
            for n in 0..d {
                let p = Probability::ONE.share(n, d);
                assert!((float(p) - n as f64 / d as f64).abs() < 1e-15, "{n} / {d}");
            }
        }
    }

    #[test]
    fn products_of_two_are_rounded_up() {
        for i in [0, 1, 63, 64, 65, 110, 128, 256, 448, 511, 512] {
            for j in [0, 1, 63, 64, 65, 128, 256, 500, 512] {
                let product = Probability::half_to(i).both(Probability::half_to(j));
                assert_eq!(product, Probability::half_to((i + j).min(512)), "2^-{i} 2^-{j}");
            }
        }
        // (1 - 2^-n)^2 = 1 - 2^(1-n) + 2^-2n depends on every digit of both.
        for n in [1, 64, 200, 256, 257, 512] {
            let below_one = |n: u32| (1..=n).map(Probability::half_to).sum::<Probability>();
            let square = below_one(n).both(below_one(n));
            assert_eq!(square, below_one(n - 1) + Probability::half_to(2 * n), "{n}");
        }
        // The same as the shares, which are also rounded up once.
        for n in [0, 1, 3, 0xffff_ffff, (1 << 61) - 1, 1 << 61] {
            let share = Probability::ONE.share(n, 1 << 61);
            for other in [3, 7, u64::MAX].map(|d| Probability::ONE.share(1, d)) {
                assert_eq!(other.both(share), other.share(n, 1 << 61), "{n}");
                assert_eq!(share.both(other), other.share(n, 1 << 61), "{n}");
            }
        }
        let numbers = [0, 64, 65, 511, 512].map(Probability::half_to);
        for a in numbers {
            assert_eq!(a.both(Probability::ZERO), Probability::ZERO);
            assert_eq!(Probability::ZERO.both(a), Probability::ZERO);
        }
    }

    /// Compared with `f64`, within its error and one step.
    #[test]
    fn logarithms() {
        let step = 2_f64.powi(-32);
        let mut seed = 1_u64;
        for i in 0..5000 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (n, d) = (1 + (seed >> 40), 1 << 24);
            let p = Probability::ONE.share(n, d).times(i % 9 + 1).share(1, 1 + (seed & 0xff));
            let (found, expected) = (log2(p), float(p).log2());
            let error = found - expected;
            assert!(-1e-13 <= error && error <= step + 1e-13, "{p}: {found} for {expected}");
        }
    }

    /// An upper bound, however close the next power of two is.
    #[test]
    fn logarithms_are_rounded_up() {
        let step = 2_f64.powi(-32);
        for exponent in [1, 63, 64, 65, 127, 128, 400] {
            let p = Probability::half_to(exponent);
            let above = p + Probability::LEAST;
            assert_eq!(log2(above), step - f64::from(exponent));
            assert_eq!(above.to_string(), format!("2^-{}.99", exponent - 1));
            // All ones: slightly below.
            let below: Probability = (exponent + 1..=512).map(Probability::half_to).sum();
            assert!(below < p);
            assert_eq!(log2(below), -f64::from(exponent));
        }
        assert_eq!(Probability::ONE.share(3, 4).to_string(), "2^-0.41");
        assert_eq!(Probability::ONE.share(999, 1000).to_string(), "2^-0.00");
        assert_eq!(Probability::ONE.share(3, 8).to_string(), "2^-1.41");
    }

    #[test]
    fn the_order_is_that_of_the_numbers() {
        let numbers = [0, 511, 512, 64, 1].map(Probability::half_to);
        let mut sorted = numbers;
        sorted.sort();
        assert_eq!(sorted, [512, 511, 64, 1, 0].map(Probability::half_to));
    }
}
