//! hash127, to be read beside Bernstein, "The hash127 library interface", and the accuracy tests of hash127
//! 0.70.
//!
//! Words are signed. Numbers modulo p are kept below p in a u128.

/// p = 2^127 - 1.
pub const P: u128 = (1 << 127) - 1;

const TWO_TO_64: u128 = 1 << 64;

/// A word modulo p.
pub fn word_mod_p(word: i32) -> u128 {
    let size = u128::from(word.unsigned_abs());
    if word < 0 { P - size } else { size }
}

/// w_0 + 2^32 w_1 + 2^64 w_2 + 2^96 w_3 modulo p.
pub fn number(words: &[i32; 4]) -> u128 {
    let mut sum = 0;
    for (i, &word) in words.iter().enumerate() {
        sum = add_mod_p(sum, mul_mod_p(word_mod_p(word), 1 << (32 * i)));
    }
    sum
}

/// The remainder modulo p: 2^127 is 1, and then p itself is 0.
fn mod_p(x: u128) -> u128 {
    let sum = x / (P + 1) + x % (P + 1);
    if sum < P { sum } else { sum - P }
}

/// The sum modulo p.
pub fn add_mod_p(a: u128, b: u128) -> u128 {
    mod_p(a + b)
}

/// The product modulo p, by 64-bit halves: it is high 2^128 + low, and 2^127 is 1 modulo p.
pub fn mul_mod_p(a: u128, b: u128) -> u128 {
    assert!(a < P && b < P);
    let (a1, a0) = (a / TWO_TO_64, a % TWO_TO_64);
    let (b1, b0) = (b / TWO_TO_64, b % TWO_TO_64);
    // Below 2^128, since a1 and b1 are below 2^63.
    let middle = a1 * b0 + a0 * b1;
    let (low, carry) = (a0 * b0).overflowing_add(middle % TWO_TO_64 * TWO_TO_64);
    let high = a1 * b1 + middle / TWO_TO_64 + u128::from(carry);
    mod_p(2 * high + low / (P + 1) + low % (P + 1))
}

/// u = r^(L+1) + m_0 r^L + m_1 r^(L-1) + ... + m_{L-1} r + k modulo p, by Horner's rule.
pub fn hash127(r: &[i32; 4], message: &[i32], k: &[i32; 4]) -> u128 {
    let r = number(r);
    let mut y = 1;
    for &m_i in message {
        y = add_mod_p(mul_mod_p(y, r), word_mod_p(m_i));
    }
    add_mod_p(mul_mod_p(y, r), number(k))
}

/// The limbs of u, four of 32 bits, the least significant first.
pub fn limbs(u: u128) -> [u32; 4] {
    std::array::from_fn(|i| (u >> (32 * i)) as u32)
}

/// The form in which Bernstein's library returns u: each limb minus 2^31.
pub fn out_words(u: u128) -> [i32; 4] {
    limbs(u).map(|limb| (i64::from(limb) - (1 << 31)) as i32)
}

/// A byte string as words, little-endian, two's complement.
pub fn words(bytes: &[u8]) -> Vec<i32> {
    assert!(bytes.len().is_multiple_of(4), "only whole words");
    bytes.chunks(4).map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// The words of r, k or a block of 16 bytes.
pub fn four_words(bytes: &[u8; 16]) -> [i32; 4] {
    std::array::from_fn(|i| i32::from_le_bytes(std::array::from_fn(|j| bytes[4 * i + j])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::Nat;

    fn nat(number: u128) -> Nat {
        Nat::from_be_bytes(&number.to_be_bytes())
    }

    #[test]
    fn remainders_at_their_corners() {
        for x in [0, 1, P - 1, P, P + 1, 2 * P - 1, 2 * P, 2 * P + 1] {
            assert_eq!(mod_p(x), x % P);
        }
    }

    #[test]
    fn products_agree_with_long_division() {
        let mut samples = vec![0, 1, 2, P - 1, P - 2, P / 2, TWO_TO_64, TWO_TO_64 - 1];
        let mut x: u128 = 1;
        for _ in 0..40 {
            x = x.wrapping_mul(0x0123_4567_89ab_cdef_fedc_ba98_7654_3215).wrapping_add(7);
            samples.extend([x % P, x >> 65, P - (x >> 100)]);
        }
        let p = Nat::parse("2^127 - 1");
        for &a in &samples {
            for &b in &samples {
                assert_eq!(nat(mul_mod_p(a, b)), nat(a).mul(&nat(b)).rem(&p), "{a} {b}");
            }
        }
    }

    /// The sum of powers, without Horner's rule and with large integers.
    #[test]
    fn the_definition() {
        let r = [-5, 0x1234_5678, i32::MIN, i32::MAX];
        let k = [i32::MAX, -1, 3, i32::MIN];
        let message = [i32::MIN, -1, 0, 1, i32::MAX, 17];
        let p = Nat::parse("2^127 - 1");
        let signed = |word: i32, place: &Nat| {
            let product = nat(u128::from(word.unsigned_abs())).mul(place).rem(&p);
            if word < 0 { p.sub(&product) } else { product }
        };
        let value = |words: &[i32; 4]| {
            let terms = (0..4).map(|i| signed(words[i], &Nat::power_of_two(32 * i)));
            terms.fold(Nat::default(), |sum, term| sum.add(&term)).rem(&p)
        };
        let power = |exponent: usize| {
            (0..exponent).fold(Nat::from_u64(1), |y, _| y.mul(&value(&r)).rem(&p))
        };
        for length in 0..=message.len() {
            let mut u = power(length + 1).add(&value(&k));
            for (i, &m_i) in message[..length].iter().enumerate() {
                u = u.add(&signed(m_i, &power(length - i)));
            }
            assert_eq!(nat(hash127(&r, &message[..length], &k)), u.rem(&p), "{length} words");
        }
    }

    #[test]
    fn by_hand() {
        // 3^3 + 4 * 9 + 5 * 3 + 2
        assert_eq!(hash127(&[3, 0, 0, 0], &[4, 5], &[2, 0, 0, 0]), 27 + 36 + 15 + 2);
        // 9 - 4 * 3 - 1
        assert_eq!(hash127(&[3, 0, 0, 0], &[-4], &[-1, 0, 0, 0]), P - 4);
        assert_eq!(out_words(5), [5 + i32::MIN, i32::MIN, i32::MIN, i32::MIN]);
        // 2^127 is 1: the last words differ by 2^31, which has the weight 2^127.
        let low = number(&[-1, -1, -1, -1]);
        assert_eq!(number(&[-1, -1, -1, i32::MAX]), add_mod_p(low, 1));
    }
}
