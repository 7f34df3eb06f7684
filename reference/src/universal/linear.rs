//! Hash functions that are linear over GF(2): bucket hashing, the cryptographic CRC, the
//! LFSR-based Toeplitz hash.
//!
//! To be read beside Rogaway, "Bucket hashing and its application to fast message authentication" (CRYPTO
//! 1995), and Krawczyk, "LFSR-based hashing and authentication" (CRYPTO 1994).
//!
//! A polynomial over GF(2) is the list of its coefficients: `p[k]` is that of x^k, the last one is
//! 1, and the zero polynomial is the empty list. In byte strings, the first bit is the highest of
//! the first byte.

use crate::pmac::bits::bits_of;

// Bucket hashing.

/// The key h_1, ..., h_n: for each word the three buckets that it goes into, counted from 0.
pub type Triples = [[usize; 3]];

/// B\[w, n, N\]: every word is xored into the three buckets of its triple; the result is the N
/// buckets.
pub fn bucket(buckets: usize, key: &Triples, message: &[u64]) -> Vec<u64> {
    assert!(message.len() <= key.len(), "the key is shorter than the message");
    assert!(is_bucket_key(buckets, key), "the triples are not a key");
    let mut y = vec![0; buckets];
    for (x_i, h_i) in message.iter().zip(key) {
        for &b in h_i {
            y[b] ^= x_i;
        }
    }
    y
}

/// Whether these are sets of three of the N buckets, no two of them equal.
pub fn is_bucket_key(buckets: usize, key: &Triples) -> bool {
    let mut sets: Vec<[usize; 3]> = key.to_vec();
    for set in &mut sets {
        set.sort_unstable();
    }
    let three_of_n = sets.iter().all(|s| s[0] < s[1] && s[1] < s[2] && s[2] < buckets);
    sets.sort_unstable();
    sets.dedup();
    three_of_n && sets.len() == key.len()
}

// Polynomials.

/// The polynomial whose coefficients are the bits of a byte string, the highest first.
pub fn polynomial(bytes: &[u8]) -> Vec<bool> {
    let mut p = bits_of(bytes, 8 * bytes.len());
    p.reverse();
    without_leading_zeroes(p)
}

fn without_leading_zeroes(mut p: Vec<bool>) -> Vec<bool> {
    while p.last() == Some(&false) {
        p.pop();
    }
    p
}

/// The degree of a polynomial that is not zero.
pub fn degree(p: &[bool]) -> usize {
    assert_eq!(p.last(), Some(&true), "the leading coefficient is 1");
    p.len() - 1
}

fn add(a: &[bool], b: &[bool]) -> Vec<bool> {
    let coefficient = |p: &[bool], k: usize| p.get(k).copied().unwrap_or(false);
    let sum = (0..a.len().max(b.len())).map(|k| coefficient(a, k) ^ coefficient(b, k)).collect();
    without_leading_zeroes(sum)
}

fn square(a: &[bool]) -> Vec<bool> {
    // The mixed terms of a square occur twice and cancel.
    let mut product = vec![false; 2 * a.len()];
    for (k, &coefficient) in a.iter().enumerate() {
        product[2 * k] = coefficient;
    }
    without_leading_zeroes(product)
}

/// The remainder of a modulo p, by long division.
fn rem(a: &[bool], p: &[bool]) -> Vec<bool> {
    let n = degree(p);
    let mut rest = a.to_vec();
    for k in (n..rest.len()).rev() {
        if rest[k] {
            for j in 0..=n {
                rest[k - n + j] ^= p[j];
            }
        }
    }
    without_leading_zeroes(rest)
}

fn gcd(a: Vec<bool>, b: Vec<bool>) -> Vec<bool> {
    if b.is_empty() {
        return a;
    }
    let rest = rem(&a, &b);
    gcd(b, rest)
}

/// Whether p is irreducible: x^(2^i) - x is the product of all irreducible polynomials whose degree
/// divides i, so p must have no factor in common with it for i = 1, ..., n/2.
pub fn is_irreducible(p: &[bool]) -> bool {
    let n = degree(p);
    let x = [false, true];
    let mut power = x.to_vec();
    for _ in 1..=n / 2 {
        power = rem(&square(&power), p);
        if gcd(p.to_vec(), add(&power, &x)).len() != 1 {
            return false;
        }
    }
    n > 0
}

// The cryptographic CRC.

/// h_p(M) = M(x) x^n mod p(x), for an irreducible p of degree n. The first bit of the message is
/// its highest coefficient; the result is n bits, the highest coefficient first.
pub fn crc(p: &[bool], message: &[bool]) -> Vec<bool> {
    let n = degree(p);
    let mut m_times_x_n = vec![false; n];
    m_times_x_n.extend(message.iter().rev());
    let mut remainder = rem(&m_times_x_n, p);
    remainder.resize(n, false);
    remainder.reverse();
    remainder
}

// The LFSR-based Toeplitz hash.

/// The bits s_0, ..., s_{n-1} of the state and those that the LFSR makes from them: s_{t+n} is the
/// xor of s_{t+j} over the j below n with p_j = 1.
fn lfsr(p: &[bool], state: &[bool], length: usize) -> Vec<bool> {
    let n = degree(p);
    assert_eq!(state.len(), n, "the state has n bits");
    let mut s = state.to_vec();
    for t in 0..length.saturating_sub(n) {
        s.push((0..n).fold(false, |sum, j| sum ^ (p[j] && s[t + j])));
    }
    s
}

/// h_{p,s}(M): the xor of the windows s_j, ..., s_{j+n-1} over those j, from 0, whose message bit is
/// set. The polynomial p is irreducible of degree n, and the state s_0, ..., s_{n-1} is not zero.
pub fn lfsr_toeplitz(p: &[bool], state: &[bool], message: &[bool]) -> Vec<bool> {
    assert!(state.contains(&true), "the state is not zero");
    let n = degree(p);
    let s = lfsr(p, state, message.len() + n);
    let mut hash = vec![false; n];
    for (j, _) in message.iter().enumerate().filter(|&(_, &m_j)| m_j) {
        for i in 0..n {
            hash[i] ^= s[j + i];
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pmac::bits::bytes_of;

    #[test]
    fn buckets_by_hand() {
        let key = [[0, 1, 2], [3, 2, 1]];
        assert_eq!(bucket(4, &key, &[5, 9]), [5, 5 ^ 9, 5 ^ 9, 9]);
        assert_eq!(bucket(4, &key, &[5]), [5, 5, 5, 0]);
        assert!(!is_bucket_key(4, &[[0, 1, 2], [2, 1, 0]]));
        assert!(!is_bucket_key(4, &[[0, 1, 1]]));
        assert!(!is_bucket_key(4, &[[0, 1, 4]]));
    }

    /// The number of irreducible polynomials of degree 1 to 10 (OEIS A001037).
    #[test]
    fn irreducible_polynomials_are_as_many_as_known() {
        for (n, known) in [2, 1, 2, 3, 6, 9, 18, 30, 56, 99].into_iter().enumerate() {
            let degree = n + 1;
            let all = (1_u16 << degree)..(2 << degree);
            let irreducible = all.filter(|p| is_irreducible(&polynomial(&p.to_be_bytes())));
            assert_eq!(irreducible.count(), known, "degree {degree}");
        }
    }

    /// The Ethernet CRC of "123456789" without its inversions and reflections: CRC-32/MPEG-2 is
    /// known to be 0376e6e7, with ones xored into the first 32 bits.
    #[test]
    fn crc_is_the_usual_one() {
        let mut message = *b"123456789";
        message[..4].iter_mut().for_each(|byte| *byte ^= 0xff);
        let p = polynomial(&[1, 0x04, 0xc1, 0x1d, 0xb7]);
        assert_eq!(bytes_of(&crc(&p, &bits_of(&message, 72))), [0x03, 0x76, 0xe6, 0xe7]);
    }

    /// x^3 + x + 1 makes the sequence of period 7.
    #[test]
    fn lfsr_by_hand() {
        let p = polynomial(&[0b1011]);
        let s = lfsr(&p, &[true, false, false], 10);
        let expected = [1, 0, 0, 1, 0, 1, 1, 1, 0, 0].map(|bit| bit == 1);
        assert_eq!(s, expected);
        let hash = lfsr_toeplitz(&p, &[true, false, false], &[true, false, false, true]);
        assert_eq!(hash, [false, false, true]);
    }
}
