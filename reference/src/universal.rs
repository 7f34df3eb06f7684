//! NH and the functions built from it, to be read beside the UMAC paper (CRYPTO 1999), sections 4 to 6; the modules
//! below have further families of universal hash functions.
//!
//! A word is a number below 2^w, kept in a u64; every w from 1 to 64 is allowed. K and M are lists
//! of words. The paper's k_1 is `key[0]`.
//!
//! These definitions do not say how byte strings become words, except in [`nhx`], which needs it: see [`words`] and
//! [`string`].

pub mod linear;
pub mod products;

use crate::umac_rfc4418::zero_pad;

/// Whether words are read as numbers of U_w (NH) or, in two's complement, of S_w (NHS).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// U_w = {0, ..., 2^w - 1}.
    Unsigned,
    /// S_w = {-2^(w-1), ..., 2^(w-1) - 1}.
    Signed,
}

fn assert_words(w: u32, words: &[u64]) {
    assert!((1..=64).contains(&w), "a word has 1 to 64 bits");
    assert!(words.iter().all(|&word| u128::from(word) < 1 << w), "a word is below 2^w");
}

/// The remainder modulo 2^bits, for up to 128 bits.
fn mod_power_of_two(number: u128, bits: u32) -> u128 {
    if bits == 128 { number } else { number % (1 << bits) }
}

// Section 4: NH and NHS.

/// x +w y: the sum modulo 2^w.
fn add_w(w: u32, x: u64, y: u64) -> u64 {
    mod_power_of_two(u128::from(x) + u128::from(y), w) as u64
}

/// The number that a word represents. A negative number is kept modulo 2^128; since 2^2w divides 2^128, that changes
/// nothing modulo 2^2w.
fn number(sign: Sign, w: u32, word: u64) -> u128 {
    let unsigned = u128::from(word);
    let negative = sign == Sign::Signed && unsigned >= 1 << (w - 1);
    if negative { unsigned.wrapping_sub(1 << w) } else { unsigned }
}

/// NH_K(M) or NHS_K(M): the sum of (k_{2i-1} +w m_{2i-1}) (k_{2i} +w m_{2i}) modulo 2^2w, for
/// i = 1..l/2. M has l words, an even number of at least two and at most as many as K.
///
/// The sum of NHS is returned as the number of U_2w that it is modulo 2^2w.
pub fn nh(sign: Sign, w: u32, key: &[u64], message: &[u64]) -> u128 {
    assert_words(w, key);
    assert_words(w, message);
    let l = message.len();
    assert!(l >= 2 && l.is_multiple_of(2), "NH takes an even number of words");
    assert!(l <= key.len(), "the key is shorter than the message");

    let mut sum: u128 = 0;
    for i in 1..=l / 2 {
        let left = number(sign, w, add_w(w, key[2 * i - 2], message[2 * i - 2]));
        let right = number(sign, w, add_w(w, key[2 * i - 1], message[2 * i - 1]));
        sum = sum.wrapping_add(left.wrapping_mul(right));
    }
    mod_power_of_two(sum, 2 * w)
}

// Section 5.2 and 5.3: NHT and NHST.

/// NHT_K(M) or NHST_K(M) with t repetitions: NH under the key from word 1, from word 3, from word 5
/// and so on. For messages of up to n words, K has n + 2(t-1) words.
pub fn nht(sign: Sign, w: u32, t: usize, key: &[u64], message: &[u64]) -> Vec<u128> {
    assert!(t >= 1, "at least one repetition");
    (0..t).map(|j| nh(sign, w, &key[2 * j..], message)).collect()
}

// Section 5.4: NHT2 and NHST2.

/// NHT2 or NHST2: each block of n words is hashed under K, the list of results is hashed under L;
/// and once more under K and L shifted by two words. K has n + 2 words, L has 2m + 2, and M has up
/// to nm.
///
/// A first hash becomes two words of the list, high half first.
pub fn nht2(sign: Sign, w: u32, n: usize, k: &[u64], l: &[u64], message: &[u64]) -> [u128; 2] {
    assert!(n >= 2 && n.is_multiple_of(2), "n is even");
    assert_eq!(k.len(), n + 2, "K has n + 2 words");
    [0, 2].map(|shift| {
        let mut a = Vec::new();
        for block in message.chunks(n) {
            let hash = nh(sign, w, &k[shift..], block);
            a.push((hash >> w) as u64);
            a.push(mod_power_of_two(hash, w) as u64);
        }
        assert!(a.len() + 2 <= l.len(), "L is too short for so many blocks");
        nh(sign, w, &l[shift..], &a)
    })
}

// Section 6: arbitrary lengths.

/// A byte string as words of w bits, w = 8, 16, 32 or 64, each little-endian.
pub fn words(w: u32, bytes: &[u8]) -> Vec<u64> {
    let size = bytes_per_word(w);
    assert!(bytes.len().is_multiple_of(size), "only whole words");
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
    bytes.chunks(size).map(word).collect()
}

/// Hashes of 2w bits each as one byte string, each big-endian.
pub fn string(w: u32, hashes: &[u128]) -> Vec<u8> {
    let size = 2 * bytes_per_word(w);
    hashes.iter().flat_map(|hash| hash.to_be_bytes()[16 - size..].to_vec()).collect()
}

fn bytes_per_word(w: u32) -> usize {
    assert!(matches!(w, 8 | 16 | 32 | 64), "words of whole bytes");
    w as usize / 8
}

/// NHX (Figure 1): section 6 for NHT\[n, w, t\] or NHST\[n, w, t\] and byte strings of any length.
///
/// A block has n words, little-endian, where K has n + 2(t-1). The last one is zero-padded to whole
/// pairs of words. The hashes are written big-endian. At the end is the number of bytes of the message modulo that of a
/// block, big-endian in `len_bytes` bytes. For the empty message
/// that number is everything. Figure 1 is w = 32, n = 1024, t = 1, `len_bytes` = 2.
pub fn nhx(sign: Sign, w: u32, t: usize, key: &[u64], len_bytes: usize, message: &[u8]) -> Vec<u8> {
    let n = key.len().checked_sub(2 * (t - 1)).expect("the key is too short");
    let block_bytes = n * bytes_per_word(w);
    let mut result = Vec::new();
    for block in message.chunks(block_bytes) {
        let padded = zero_pad(block, 2 * bytes_per_word(w));
        result.extend(string(w, &nht(sign, w, t, key, &words(w, &padded))));
    }
    let length = message.len() % block_bytes;
    assert!(block_bytes as u128 <= 1 << (8 * len_bytes), "the length does not fit");
    result.extend((0..len_bytes).rev().map(|byte| (length >> (8 * byte)) as u8));
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pmac::bits::{bits_of, bytes_of};

    /// Small enough to check by hand.
    #[test]
    fn nh_by_hand() {
        // (15 + 2 mod 16) (3 + 4) + (1 + 1) (9 + 0) = 1 * 7 + 2 * 9
        assert_eq!(nh(Sign::Unsigned, 4, &[15, 3, 1, 9], &[2, 4, 1, 0]), 25);
        // 9 in two's complement is -7: 7 - 14 = -7, which is 249 modulo 256.
        assert_eq!(nh(Sign::Signed, 4, &[15, 3, 1, 9], &[2, 4, 1, 0]), 249);
        // One bit: the only negative number is -1.
        assert_eq!(nh(Sign::Signed, 1, &[1, 1], &[0, 0]), 1);
        assert_eq!(nh(Sign::Signed, 1, &[1, 1, 1, 1], &[0; 4]), 2);
    }

    #[test]
    fn the_widest_words_wrap() {
        let max = u64::MAX;
        let square = u128::from(max) * u128::from(max);
        let four = nh(Sign::Unsigned, 64, &[max; 4], &[0; 4]);
        assert_eq!(four, square.wrapping_mul(2));
        // All ones is -1, whose square is 1.
        assert_eq!(nh(Sign::Signed, 64, &[max; 4], &[0; 4]), 2);
        let minus_one_times_two = nh(Sign::Signed, 64, &[max, 2], &[0, 0]);
        assert_eq!(minus_one_times_two, 0u128.wrapping_sub(2));
    }

    /// The definitions of U_w and S_w, with multiplication of i128 and `rem_euclid`.
    #[test]
    fn nh_agrees_with_whole_numbers_at_every_word_size() {
        for w in 1..=60 {
            let top = (1_i128 << w) - 1;
            let key = [top, top / 3, top / 2 + 1, 1];
            let message = [1, top - top / 5, top, top / 7];
            for (sign, offset) in [(Sign::Unsigned, 0), (Sign::Signed, 1_i128 << (w - 1))] {
                let factor = |i: usize| (key[i] + message[i] + offset).rem_euclid(top + 1) - offset;
                let sum = factor(0) * factor(1) + factor(2) * factor(3);
                let expected = sum.rem_euclid(1 << (2 * w)) as u128;
                let as_words = |numbers: [i128; 4]| numbers.map(|number| number as u64);
                assert_eq!(nh(sign, w, &as_words(key), &as_words(message)), expected);
            }
        }
    }

    #[test]
    fn toeplitz_shifts_the_key() {
        let key = [1, 2, 3, 4, 5, 6, 7, 8];
        let message = [9, 8];
        let at = |i: usize| nh(Sign::Unsigned, 16, &key[i..], &message);
        assert_eq!(nht(Sign::Unsigned, 16, 3, &key, &message), [at(0), at(2), at(4)]);
    }

    #[test]
    fn two_levels_by_hand() {
        // Under K: (1+1)(1+1) = 4 and (1+15)(1+1) = 0 mod 16; lists 0 4 0 0, since 4 is 04 in
        // words.
        let k = [1; 4];
        let l = [1, 1, 1, 1, 2, 2];
        let hash = nht2(Sign::Unsigned, 4, 2, &k, &l, &[1, 1, 15, 1]);
        assert_eq!(hash, [5 + 1, 5 + 2 * 2]);
    }

    /// h*(Msg), for bit strings: whole blocks of a bits and a last one, zero-padded to the next
    /// length that h takes; the hashes of all blocks; and the length of Msg modulo a, in alpha bits.
    ///
    /// `in_domain` says whether h takes a string of a given number of bits; it must take a bits.
    fn h_star(
        h: &dyn Fn(&[bool]) -> Vec<bool>,
        in_domain: &dyn Fn(usize) -> bool,
        a: usize,
        alpha: usize,
        msg: &[bool],
    ) -> Vec<bool> {
        assert!(a > 0 && in_domain(a));
        if msg.is_empty() {
            return vec![false; alpha];
        }
        let mut result = Vec::new();
        for block in msg.chunks(a) {
            let mut padded = block.to_vec();
            while !in_domain(padded.len()) {
                padded.push(false);
            }
            result.extend(h(&padded));
        }
        let length = msg.len() % a;
        result.extend((0..alpha).rev().map(|bit| bit < 64 && length >> bit & 1 == 1));
        result
    }

    #[test]
    fn the_extension_by_hand() {
        // h of one or two bits: the bits themselves, in two bits. alpha is 3.
        let h = |bits: &[bool]| vec![bits[0], bits[1]];
        let star = |msg: &[bool]| h_star(&h, &|length| length == 2, 2, 3, msg);
        assert_eq!(star(&[]), [false; 3]);
        assert_eq!(star(&[true]), [true, false, false, false, true]);
        assert_eq!(star(&[true, true]), [true, true, false, false, false]);
        assert_eq!(star(&[true, true, true]), [true, true, true, false, false, false, true]);
    }

    /// NHX through the extension to bit strings.
    #[test]
    fn nhx_is_the_extension_of_nht() {
        let (w, t) = (8, 2);
        let key = [3, 1, 4, 1, 5, 9];
        let bits = |bytes: &[u8]| bits_of(bytes, 8 * bytes.len());
        let h = |block: &[bool]| {
            bits(&string(w, &nht(Sign::Signed, w, t, &key, &words(w, &bytes_of(block)))))
        };
        let message: Vec<u8> = (0..20).map(|i| 200 - 7 * i).collect();
        for length in 0..=20 {
            let message = &message[..length];
            let star =
                bytes_of(&h_star(&h, &|bits| bits > 0 && bits % 16 == 0, 32, 8, &bits(message)));
            let (hashes, len) = star.split_at(star.len() - 1);
            let expected = [hashes, &[len[0] / 8]].concat();
            assert_eq!(nhx(Sign::Signed, w, t, &key, 1, message), expected, "{length} bytes");
        }
    }
}
