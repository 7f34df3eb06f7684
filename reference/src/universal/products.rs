//! MH, MMH, TMMH, NMH and the square hash: sums of products of message words and key words.
//!
//! To be read beside the UMAC paper, sections 1.3 and 3, for MH, MMH and NMH (Halevi and Krawczyk, "MMH:
//! software message authentication in the Gbit/second rates", FSE 1997; NMH is by Carter and
//! Wegman); draft-mcgrew-saag-tmmh-01 for TMMH/16; and Etzel, Patel and Ramzan, "Square hash" (CRYPTO
//! 1999).
//!
//! Words are numbers in a u64. The first word of a list is the paper's m_1 or x_1.

use super::{Sign, mod_power_of_two, nh};

/// The prime of MMH and NMH for words of 32 bits.
pub const P32: u128 = (1 << 32) + 15;

/// The prime of MMH and TMMH for words of 16 bits.
pub const P16: u128 = (1 << 16) + 1;

/// The list of (m_i, x_i). The key may be longer than the message.
fn pairs(message: &[u64], key: &[u64]) -> Vec<(u128, u128)> {
    assert!(message.len() <= key.len(), "the key is shorter than the message");
    message.iter().zip(key).map(|(&m, &x)| (u128::from(m), u128::from(x))).collect()
}

fn assert_below(limit: u128, words: &[u64]) {
    assert!(words.iter().all(|&word| u128::from(word) < limit), "a word is too large");
}

/// MH: the sum of m_i x_i modulo 2^2w, for words of w bits.
pub fn mh(w: u32, key: &[u64], message: &[u64]) -> u128 {
    assert!((1..=64).contains(&w), "a word has 1 to 64 bits");
    assert_below(1 << w, key);
    assert_below(1 << w, message);
    let mut sum: u128 = 0;
    for (m, x) in pairs(message, key) {
        sum = mod_power_of_two(sum.wrapping_add(m * x), 2 * w);
    }
    sum
}

/// MMH*: the sum of m_i x_i modulo p.
pub fn mmh_star(p: u128, key: &[u64], message: &[u64]) -> u128 {
    assert!(p <= 1 << 64);
    let mut sum: u128 = 0;
    for (m, x) in pairs(message, key) {
        sum = (sum + m * x % p) % p;
    }
    sum
}

/// MMH32: MH of words of 32 bits, modulo 2^32 + 15, modulo 2^32.
pub fn mmh32(key: &[u64], message: &[u64]) -> u32 {
    (mh(32, key, message) % P32 % (1 << 32)) as u32
}

/// MMH16: MH of words of 16 bits, modulo 2^16 + 1, modulo 2^16.
pub fn mmh16(key: &[u64], message: &[u64]) -> u16 {
    (mh(16, key, message) % P16 % (1 << 16)) as u16
}

/// TMMH/16 with a tag of `tag_words` words, for keys and messages in bytes.
///
/// Tag word j is MMH16 of the message, with its length in bytes as a word before it, under the key
/// from word j on. Words are big-endian, and a message of odd length gets a zero byte.
pub fn tmmh16(key: &[u8], message: &[u8], tag_words: usize) -> Vec<u8> {
    let words = |bytes: &[u8]| -> Vec<u64> {
        bytes.chunks(2).map(|pair| 256 * u64::from(pair[0]) + u64::from(pair[1])).collect()
    };
    assert!(key.len().is_multiple_of(2), "the key has whole words");
    let key = words(key);

    let length = u64::try_from(message.len()).expect("a length");
    let mut padded = message.to_vec();
    if !padded.len().is_multiple_of(2) {
        padded.push(0);
    }
    let annotated = [vec![length], words(&padded)].concat();
    (0..tag_words).flat_map(|j| mmh16(&key[j..], &annotated).to_be_bytes()).collect()
}

/// NMH*: the sum of (m_{2i-1} + x_{2i-1}) (m_{2i} + x_{2i}) modulo p. Words are below p.
pub fn nmh_star(p: u128, key: &[u64], message: &[u64]) -> u128 {
    assert!(p <= 1 << 64);
    assert_below(p, key);
    assert_below(p, message);
    assert!(message.len().is_multiple_of(2), "NMH takes an even number of words");
    let mut sum: u128 = 0;
    for pair in pairs(message, key).chunks(2) {
        let left = (pair[0].0 + pair[0].1) % p;
        let right = (pair[1].0 + pair[1].1) % p;
        sum = (sum + left * right % p) % p;
    }
    sum
}

/// NMH32: NH of words of 32 bits, modulo 2^32 + 15, modulo 2^32.
pub fn nmh32(key: &[u64], message: &[u64]) -> u32 {
    (nh(Sign::Unsigned, 32, key, message) % P32 % (1 << 32)) as u32
}

/// SQH, the square hash: the sum of (m_i + x_i)^2 modulo p. Words are below p.
pub fn sqh(p: u128, key: &[u64], message: &[u64]) -> u128 {
    assert!(p <= 1 << 64);
    assert_below(p, key);
    assert_below(p, message);
    let mut sum: u128 = 0;
    for (m, x) in pairs(message, key) {
        let root = (m + x) % p;
        sum = (sum + root * root % p) % p;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(mh(4, &[15, 15, 1], &[15, 15]), 450 % 256);
        assert_eq!(mh(64, &[u64::MAX; 2], &[u64::MAX; 2]), (1_u128 << 66).wrapping_neg() + 2);
        assert_eq!(mmh_star(7, &[5, 6], &[3, 4]), (15 + 24) % 7);
        assert_eq!(nmh_star(7, &[5, 6], &[3, 4]), 8 * 10 % 7);
        assert_eq!(sqh(7, &[5, 6], &[3, 4]), (64 + 100) % 7);
    }

    /// Modulo 2^32 + 15 the number 2^32 is -15; the reduction modulo 2^32 then changes nothing.
    #[test]
    fn the_reductions_of_mmh32() {
        assert_eq!(mmh32(&[1 << 31, 1], &[2, 15]), 0);
        assert_eq!(mmh32(&[1 << 31, 1], &[2, 14]), 14);
        assert_eq!(mmh16(&[1 << 15, 1], &[2, 0]), 0);
        assert_eq!(mmh16(&[1 << 15, 1], &[2, 2]), 1);
    }

    /// A message of odd length differs from the same with a zero byte appended, because of the length.
    #[test]
    fn tmmh_annotates_the_length() {
        let key = [1, 35, 69, 103, 137, 171, 205, 239];
        assert_ne!(tmmh16(&key, &[7], 1), tmmh16(&key, &[7, 0], 1));
        assert_eq!(tmmh16(&key, &[7], 2)[2..], tmmh16(&key[2..], &[7], 1));
    }
}
