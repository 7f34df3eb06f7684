//! Natural numbers, by school methods. No paper has them, but POLY (RFC 4418, level 2) needs them.

/// The number of bits in a digit.
const DIGIT_BITS: usize = 32;

/// The number of digits.
const DIGITS: usize = 16;

/// A natural number (zero included) below 2^512, in base 2^32.
///
/// The most significant digit comes first, so that the derived order is that of the numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nat([u32; DIGITS]);

impl Nat {
    /// The value of a machine word.
    pub fn from_u64(value: u64) -> Nat {
        Nat::from_be_bytes(&value.to_be_bytes())
    }

    /// 2 to the power `exponent`.
    pub fn power_of_two(exponent: usize) -> Nat {
        let mut power = Nat::default();
        power.0[DIGITS - 1 - exponent / DIGIT_BITS] = 1 << (exponent % DIGIT_BITS);
        power
    }

    /// Reads a constant as the papers print it: terms joined by minus signs, each term a decimal
    /// number or `2^n`. Examples: `2^64 - 59`, `2^128 - 2^96`, `2^32`.
    pub fn parse(text: &str) -> Nat {
        let mut terms = text.split('-').map(|term| Nat::parse_term(term.trim()));
        let first = terms.next().expect("split gives at least one term");
        terms.fold(first, |difference, term| difference.sub(&term))
    }

    fn parse_term(term: &str) -> Nat {
        match term.split_once('^') {
            None => Nat::from_u64(term.parse().expect("a decimal number")),
            Some((base, exponent)) => {
                assert_eq!(base, "2", "only powers of two are written with ^");
                Nat::power_of_two(exponent.parse().expect("a decimal exponent"))
            }
        }
    }

    /// The value of a byte string, first byte most significant. The empty string is zero.
    pub fn from_be_bytes(bytes: &[u8]) -> Nat {
        // From the right, four bytes make a digit; the leftmost group may be shorter.
        let groups = bytes.rchunks(DIGIT_BITS / 8);
        assert!(groups.len() <= DIGITS, "the number is too large");
        let mut number = Nat::default();
        for (digit, group) in number.0.iter_mut().rev().zip(groups) {
            *digit = group.iter().fold(0, |digit, &byte| (digit << 8) | u32::from(byte));
        }
        number
    }

    /// The number as exactly `length` bytes, first byte most significant. It must fit.
    pub fn to_be_bytes(&self, length: usize) -> Vec<u8> {
        let bytes = self.0.map(u32::to_be_bytes).concat();
        let (above, bytes) = bytes.split_at(bytes.len() - length);
        assert!(above.iter().all(|&byte| byte == 0), "the number does not fit in {length} bytes");
        bytes.to_vec()
    }

    /// Sum: column by column from the right, carrying.
    pub fn add(&self, other: &Nat) -> Nat {
        let mut sum = self.clone();
        let mut carry = 0;
        for (digit, &other) in sum.0.iter_mut().zip(&other.0).rev() {
            let column = u64::from(*digit) + u64::from(other) + carry;
            *digit = column as u32;
            carry = column >> DIGIT_BITS;
        }
        assert_eq!(carry, 0, "the sum is too large");
        sum
    }

    /// Difference: column by column from the right, borrowing. `other` must not be larger.
    pub fn sub(&self, other: &Nat) -> Nat {
        let mut difference = self.clone();
        let mut borrow = 0;
        for (digit, &other) in difference.0.iter_mut().zip(&other.0).rev() {
            let (above, below) = (i64::from(*digit), i64::from(other) + borrow);
            borrow = i64::from(above < below);
            *digit = (above - below + (borrow << DIGIT_BITS)) as u32;
        }
        assert_eq!(borrow, 0, "a natural number cannot be negative");
        difference
    }

    /// Product: one row for each digit of `self`, from the left, each added to the rows before it, which move up by a digit.
    pub fn mul(&self, other: &Nat) -> Nat {
        let mut product = Nat::default();
        for &left in &self.0 {
            assert_eq!(product.0[0], 0, "the product is too large");
            product.0.rotate_left(1);
            let mut carry = 0;
            for (digit, &right) in product.0.iter_mut().zip(&other.0).rev() {
                let column = u64::from(*digit) + u64::from(left) * u64::from(right) + carry;
                *digit = column as u32;
                carry = column >> DIGIT_BITS;
            }
            assert_eq!(carry, 0, "the product is too large");
        }
        product
    }

    /// Remainder by long division in base 2: bring down the next bit, and take the divisor away
    /// if it goes in.
    pub fn rem(&self, divisor: &Nat) -> Nat {
        assert!(*divisor != Nat::default(), "division by zero");
        let mut remainder = Nat::default();
        for digit in self.0.iter().skip_while(|&&digit| digit == 0) {
            for position in (0..DIGIT_BITS).rev() {
                remainder.bring_down((digit >> position) & 1);
                if remainder >= *divisor {
                    remainder = remainder.sub(divisor);
                }
            }
        }
        remainder
    }

    /// Doubles the number and writes `bit` in the free place at the right.
    fn bring_down(&mut self, bit: u32) {
        let mut carry = bit;
        for digit in self.0.iter_mut().rev() {
            let shifted_out = *digit >> (DIGIT_BITS - 1);
            *digit = (*digit << 1) | carry;
            carry = shifted_out;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Nat;

    fn nat(value: u128) -> Nat {
        Nat::from_be_bytes(&value.to_be_bytes())
    }

    /// Numbers that make carries, borrows and missing digits likely: sums and differences of
    /// powers of two, small numbers, and a walk through the middle.
    fn samples() -> Vec<u128> {
        let mut samples = vec![0, 1, 2, 3, 58, 59, 60, u128::MAX, u128::MAX - 158];
        for exponent in [31, 32, 33, 63, 64, 65, 95, 96, 97, 127] {
            let power = 1u128 << exponent;
            samples.extend([power - 60, power - 59, power - 1, power, power + 1]);
        }
        let mut walk = 0x0123_4567_89ab_cdef_u128;
        for _ in 0..20 {
            walk = walk
                .wrapping_mul(0x2545_f491_4f6c_dd1d_9e37_79b9_7f4a_7c15)
                .wrapping_add(0x1234_5678_9abc_def1);
            samples.extend([walk, walk >> 64, walk >> 40]);
        }
        samples
    }

    #[test]
    fn bytes_round_trip_at_every_length() {
        let bytes: Vec<u8> = (1..=40).collect();
        for length in 0..=bytes.len() {
            let number = Nat::from_be_bytes(&bytes[..length]);
            assert_eq!(number.to_be_bytes(length), &bytes[..length]);
            let wider = number.to_be_bytes(length + 5);
            assert_eq!(wider[..5], [0; 5]);
            assert_eq!(wider[5..], bytes[..length]);
        }
    }

    #[test]
    fn leading_zero_bytes_change_nothing() {
        let expected = Nat::from_u64(0x0102);
        assert_eq!(Nat::from_be_bytes(&[0, 0, 0, 0, 0, 0, 0, 0, 1, 2]), expected);
        assert_eq!(Nat::from_be_bytes(&[0; 9]), Nat::default());
    }

    #[test]
    fn constants_are_read_as_printed() {
        assert_eq!(Nat::parse("0"), nat(0));
        assert_eq!(Nat::parse("59"), nat(59));
        assert_eq!(Nat::parse("2^32"), nat(1 << 32));
        assert_eq!(Nat::parse("2^36 - 5"), nat((1 << 36) - 5));
        assert_eq!(Nat::parse("2^64 - 59"), nat((1 << 64) - 59));
        assert_eq!(Nat::parse("2^64 - 2^32"), nat(0xffff_ffff_0000_0000));
        assert_eq!(Nat::parse("2^128 - 159"), nat(u128::MAX - 158));
        assert_eq!(Nat::parse("2^128-2^96"), nat(u128::MAX - ((1u128 << 96) - 1)));
    }

    #[test]
    fn order_is_that_of_u128() {
        for a in samples() {
            for b in samples() {
                assert_eq!(nat(a).cmp(&nat(b)), a.cmp(&b), "{a} {b}");
            }
        }
    }

    #[test]
    fn sums_and_differences_agree_with_u128() {
        for a in samples() {
            for b in samples() {
                let sum = nat(a).add(&nat(b));
                if let Some(expected) = a.checked_add(b) {
                    assert_eq!(sum, nat(expected), "{a} + {b}");
                } else {
                    assert_eq!(sum, nat(a.wrapping_add(b)).add(&Nat::power_of_two(128)));
                }
                assert_eq!(sum.sub(&nat(b)), nat(a), "{a} + {b} - {b}");
                if a >= b {
                    assert_eq!(nat(a).sub(&nat(b)), nat(a - b), "{a} - {b}");
                }
            }
        }
    }

    #[test]
    fn products_agree_with_u128() {
        for a in samples() {
            for b in samples() {
                if let Some(expected) = a.checked_mul(b) {
                    assert_eq!(nat(a).mul(&nat(b)), nat(expected), "{a} * {b}");
                }
                // Beyond u128: compare with the product of the halves of b.
                let high = nat(a).mul(&nat(b >> 64)).mul(&Nat::power_of_two(64));
                let low = nat(a).mul(&nat(b & u128::from(u64::MAX)));
                assert_eq!(nat(a).mul(&nat(b)), high.add(&low), "{a} * {b}");
            }
        }
    }

    #[test]
    fn remainders_agree_with_u128() {
        for a in samples() {
            for b in samples() {
                if b != 0 {
                    assert_eq!(nat(a).rem(&nat(b)), nat(a % b), "{a} mod {b}");
                }
            }
        }
    }

    #[test]
    fn remainders_of_long_numbers_undo_a_product() {
        for quotient in samples() {
            for divisor in samples().into_iter().filter(|&divisor| divisor > 1) {
                let remainder = nat(divisor / 2);
                let number = nat(quotient).mul(&nat(divisor)).add(&remainder);
                assert_eq!(number.rem(&nat(divisor)), remainder);
            }
        }
    }
}
