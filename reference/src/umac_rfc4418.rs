//! UMAC-32, -64, -96 and -128, to be read beside RFC 4418 with its erratum 3507: KDF, PDF, UHASH, UMAC.
//!
//! A tag of t bytes consists of t/4 *streams* (RFC 4418 calls them iterations). Stream i, counted
//! from 0, has its own keys of levels and gives four bytes of the hash. [`l1_key`], [`l2_key`],
//! [`l3_key`] and [`mask`] return the keys of one stream, so that a test can stop after any level.

use crate::aes::Aes;
use crate::wide::Nat;

/// How many message bytes one level-1 hash takes, and how many key bytes it needs.
pub const L1_KEY_LEN: usize = 1024;

/// How many level-1 outputs POLY-64 takes before POLY-128 continues: those of 2^24 message bytes.
pub const POLY64_OUTPUTS: usize = 1 << 14;

/// The index of the key stream for each purpose.
const PAD_KEY_INDEX: u64 = 0;
const L1_KEY_INDEX: u64 = 1;
const L2_KEY_INDEX: u64 = 2;
const L3_KEY_INDEX: u64 = 3;
const MASK_INDEX: u64 = 4;

const TWO_TO_32: u64 = 1 << 32;
const TWO_TO_64: u128 = 1 << 64;

fn assert_tag_len(tag_len: usize) {
    assert!(matches!(tag_len, 4 | 8 | 12 | 16), "a UMAC tag has 4, 8, 12 or 16 bytes");
}

/// zp(S, m): S followed by zero bytes up to the next non-zero multiple of m, so an empty S becomes
/// m zero bytes.
pub fn zero_pad(bytes: &[u8], multiple: usize) -> Vec<u8> {
    let length = bytes.len().div_ceil(multiple).max(1) * multiple;
    let mut padded = bytes.to_vec();
    padded.resize(length, 0);
    padded
}

/// The string followed by the byte 80 (hex) and zeroes up to a multiple of m.
pub(crate) fn pad_with_80(bytes: &[u8], multiple: usize) -> Vec<u8> {
    let mut marked = bytes.to_vec();
    marked.push(0x80);
    zero_pad(&marked, multiple)
}

pub(crate) fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

// Key derivation.

/// KDF: the blocks E_K(index || i) for i = 1, 2, ..., both numbers eight bytes big-endian; the first
/// `len` bytes of them.
pub fn kdf(key: &[u8; 16], index: u64, len: usize) -> Vec<u8> {
    let aes = Aes::new(key);
    let mut output = Vec::new();
    let mut i: u64 = 1;
    while output.len() < len {
        let input = (u128::from(index) << 64) | u128::from(i);
        output.extend(aes.encrypt(&input.to_be_bytes()));
        i += 1;
    }
    output.truncate(len);
    output
}

/// The part of a key string that belongs to one stream: `N` bytes from `start` on.
fn kdf_part<const N: usize>(key: &[u8; 16], index: u64, start: usize) -> [u8; N] {
    let key_string = kdf(key, index, start + N);
    std::array::from_fn(|i| key_string[start + i])
}

/// The L1Key of a stream. The streams share one string of 1024 + 16 * (streams - 1) bytes, and
/// each starts 16 bytes after the one before.
pub fn l1_key(key: &[u8; 16], stream: usize) -> [u8; L1_KEY_LEN] {
    kdf_part(key, L1_KEY_INDEX, 16 * stream)
}

/// The L2Key of a stream: 24 bytes, as they come out of the KDF (see [`k64`] and [`k128`]).
pub fn l2_key(key: &[u8; 16], stream: usize) -> [u8; 24] {
    kdf_part(key, L2_KEY_INDEX, 24 * stream)
}

/// The L3Key of a stream: 64 bytes.
pub fn l3_key(key: &[u8; 16], stream: usize) -> [u8; 64] {
    kdf_part(key, L3_KEY_INDEX, 64 * stream)
}

/// The level-3 Mask of a stream: 4 bytes.
pub fn mask(key: &[u8; 16], stream: usize) -> [u8; 4] {
    kdf_part(key, MASK_INDEX, 4 * stream)
}

/// The key that encrypts nonces.
pub fn pad_key(key: &[u8; 16]) -> [u8; 16] {
    kdf_part(key, PAD_KEY_INDEX, 0)
}

// Pad derivation.

/// PDF: the pad for a nonce of 1 to 16 bytes.
///
/// Short tags share a cipher block: four nonces for tags of 4 bytes, two for tags of 8. The low
/// bits of the nonce's last byte select the part of the block that is this nonce's pad, and are cleared
/// before zeroes are appended to the nonce and it is encrypted.
pub fn pdf(key: &[u8; 16], nonce: &[u8], tag_len: usize) -> Vec<u8> {
    assert_tag_len(tag_len);
    assert!((1..=16).contains(&nonce.len()), "a nonce has 1 to 16 bytes");
    let pads_in_block = (16 / tag_len) as u8;
    let last = nonce.len() - 1;
    let index = nonce[last] % pads_in_block;

    let mut block = [0; 16];
    block[..nonce.len()].copy_from_slice(nonce);
    block[last] -= index;

    let pads = Aes::new(&pad_key(key)).encrypt(&block);
    let start = usize::from(index) * tag_len;
    pads[start..start + tag_len].to_vec()
}

// Level 1.

/// The message words are little-endian.
fn message_word(bytes: &[u8], i: usize) -> u64 {
    u64::from(u32::from_le_bytes(bytes.as_chunks().0[i]))
}

/// The key words are big-endian.
fn key_word(bytes: &[u8], i: usize) -> u64 {
    u64::from(u32::from_be_bytes(bytes.as_chunks().0[i]))
}

/// NH of a string whose length is a non-zero multiple of 32, without the length of the chunk.
///
/// In each group of eight words, word j is multiplied with word j + 4, for j = 0..3, after the
/// words of the key have been added modulo 2^32; the products are added modulo 2^64.
pub fn nh(l1_key: &[u8], padded: &[u8]) -> u64 {
    assert!(!padded.is_empty() && padded.len().is_multiple_of(32));
    assert!(padded.len() <= l1_key.len());
    let mut sum: u64 = 0;
    for group in (0..padded.len() / 4).step_by(8) {
        for j in group..group + 4 {
            let left = (message_word(padded, j) + key_word(l1_key, j)) % TWO_TO_32;
            let right = (message_word(padded, j + 4) + key_word(l1_key, j + 4)) % TWO_TO_32;
            sum = add_mod_2_64(sum, left * right);
        }
    }
    sum
}

fn add_mod_2_64(a: u64, b: u64) -> u64 {
    ((u128::from(a) + u128::from(b)) % TWO_TO_64) as u64
}

/// Level 1 for one chunk of 0 to 1024 bytes: NH of the padded chunk, plus the chunk's length in bits
/// before padding, modulo 2^64. `l1_key` is the 1024 bytes of the stream.
pub fn l1_hash(l1_key: &[u8], chunk: &[u8]) -> u64 {
    assert_eq!(l1_key.len(), L1_KEY_LEN);
    assert!(chunk.len() <= L1_KEY_LEN);
    let bits = 8 * chunk.len() as u64;
    add_mod_2_64(nh(l1_key, &zero_pad(chunk, 32)), bits)
}

/// Level 1 for a whole message: one output for each chunk of 1024 bytes. The last chunk may be
/// shorter, and an empty message is one empty chunk.
pub fn l1_outputs(l1_key: &[u8], message: &[u8]) -> Vec<u64> {
    if message.is_empty() {
        return vec![l1_hash(l1_key, message)];
    }
    message.chunks(L1_KEY_LEN).map(|chunk| l1_hash(l1_key, chunk)).collect()
}

// Level 2.

/// The largest prime below 2^bits; that of 32 bits is in the drafts of 2000 only.
pub fn prime(bits: usize) -> Nat {
    match bits {
        32 => Nat::parse("2^32 - 5"),
        64 => Nat::parse("2^64 - 59"),
        128 => Nat::parse("2^128 - 159"),
        _ => panic!("UMAC has no prime of {bits} bits"),
    }
}

/// POLY: Horner's rule at the point `key`, modulo the prime of `bits` bits, starting from 1.
///
/// A word of p or more would equal a small one modulo p. So words from `limit` up (a round number below p) are
/// escaped: first the marker p - 1 is hashed, then the
/// word minus (2^bits - p).
pub fn poly(bits: usize, limit: &Nat, key: &Nat, words: &[Nat]) -> Nat {
    let p = prime(bits);
    let offset = Nat::power_of_two(bits).sub(&p);
    let marker = p.sub(&Nat::from_u64(1));

    let mut y = Nat::from_u64(1);
    for m in words {
        if m >= limit {
            y = key.mul(&y).add(&marker).rem(&p);
            y = key.mul(&y).add(&m.sub(&offset)).rem(&p);
        } else {
            y = key.mul(&y).add(m).rem(&p);
        }
    }
    y
}

/// POLY of so many bits escapes words from this one up. That of 32 bits is in the drafts of 2000 only.
pub fn limit(bits: usize) -> Nat {
    match bits {
        32 => Nat::parse("2^32 - 6"),
        64 => Nat::parse("2^64 - 2^32"),
        128 => Nat::parse("2^128 - 2^96"),
        _ => panic!("there is no POLY of {bits} bits"),
    }
}

/// The bytes; of every fourth byte, beginning with the first, only the bits of `upper` are kept.
pub(crate) fn masked(bytes: &[u8], upper: u8) -> Nat {
    let mask = |(i, byte): (usize, &u8)| if i % 4 == 0 { byte & upper } else { *byte };
    Nat::from_be_bytes(&bytes.iter().enumerate().map(mask).collect::<Vec<u8>>())
}

/// The point of POLY-64: the first 8 bytes of the L2Key, masked with 01ffffff01ffffff.
pub fn k64(l2_key: &[u8; 24]) -> Nat {
    masked(&l2_key[..8], 0x01)
}

/// The point of POLY-128: the other 16 bytes of the L2Key, masked with 01ffffff four times.
pub fn k128(l2_key: &[u8; 24]) -> Nat {
    masked(&l2_key[8..], 0x01)
}

/// Level 2 for the level-1 outputs of one stream.
///
/// A single output (a message of at most 1024 bytes) skips this level: it is only extended to 16 bytes
/// with zeroes before it.
pub fn l2_hash(l2_key: &[u8; 24], l1_outputs: &[u64]) -> [u8; 16] {
    assert!(!l1_outputs.is_empty(), "a message has at least one chunk");
    let words: Vec<Nat> = l1_outputs.iter().copied().map(Nat::from_u64).collect();
    let y = if words.len() == 1 {
        words[0].clone()
    } else if words.len() <= POLY64_OUTPUTS {
        poly(64, &limit(64), &k64(l2_key), &words)
    } else {
        let (first, rest) = words.split_at(POLY64_OUTPUTS);
        let y = poly(64, &limit(64), &k64(l2_key), first);
        let mut words128 = vec![y];
        words128.extend(rest_as_128_bit_words(rest));
        poly(128, &limit(128), &k128(l2_key), &words128)
    };
    let b = y.to_be_bytes(16);
    std::array::from_fn(|i| b[i])
}

/// The outputs that POLY-64 did not take, as bytes, with 80 (hex) after them and zeroes up to a
/// multiple of 16 bytes, read as words of 16 bytes.
fn rest_as_128_bit_words(rest: &[Nat]) -> Vec<Nat> {
    let bytes: Vec<u8> = rest.iter().flat_map(|output| output.to_be_bytes(8)).collect();
    pad_with_80(&bytes, 16).chunks(16).map(Nat::from_be_bytes).collect()
}

// Level 3.

const P36: u64 = (1 << 36) - 5;

/// Level 3: the inner product, modulo p36, of the eight 16-bit numbers in `b` and the eight 64-bit
/// numbers in the L3Key (taken modulo p36); its low 32 bits xor the Mask.
pub fn l3_hash(l3_key: &[u8; 64], mask: &[u8; 4], b: &[u8; 16]) -> [u8; 4] {
    let c = l3_key.as_chunks().0.iter().map(|c_i| u64::from_be_bytes(*c_i) % P36);
    let low = (inner_product(P36, c, b) % TWO_TO_32) as u32;
    std::array::from_fn(|i| low.to_be_bytes()[i] ^ mask[i])
}

/// The sum of c_i b_i modulo p, for numbers c_i below p, which has at most 36 bits, and b as eight numbers of two bytes.
pub(crate) fn inner_product(p: u64, c: impl Iterator<Item = u64>, b: &[u8; 16]) -> u64 {
    let b = b.as_chunks().0.iter().map(|b_i| u64::from(u16::from_be_bytes(*b_i)));
    c.zip(b).fold(0, |z, (c_i, b_i)| (z + c_i * b_i) % p)
}

// The hash and the tag.

/// UHASH: the three levels for each of the tag_len/4 streams, one after the other.
pub fn uhash(key: &[u8; 16], message: &[u8], tag_len: usize) -> Vec<u8> {
    assert_tag_len(tag_len);
    let mut hash = Vec::new();
    for stream in 0..tag_len / 4 {
        let a = l1_outputs(&l1_key(key, stream), message);
        let b = l2_hash(&l2_key(key, stream), &a);
        let c = l3_hash(&l3_key(key, stream), &mask(key, stream), &b);
        hash.extend(c);
    }
    hash
}

/// UMAC: the hash xor the pad. `tag_len` is 4, 8, 12 or 16 bytes; the nonce has 1 to 16.
pub fn umac(key: &[u8; 16], message: &[u8], nonce: &[u8], tag_len: usize) -> Vec<u8> {
    xor(&uhash(key, message, tag_len), &pdf(key, nonce, tag_len))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &[u8; 16] = b"abcdefghijklmnop";

    /// Horner's rule with a small key, and both sides of the limit.
    #[test]
    fn poly_by_hand() {
        let key = Nat::from_u64(10);
        let two = [Nat::from_u64(2), Nat::from_u64(3)];
        assert_eq!(poly(64, &limit(64), &key, &two), Nat::from_u64(123));

        let below = limit(64).sub(&Nat::from_u64(1));
        let expected = below.add(&Nat::from_u64(10)).rem(&prime(64));
        assert_eq!(poly(64, &limit(64), &key, &[below]), expected);

        // 10 * (10 + (p - 1)) + (limit - 59) = 90 + limit - 59 modulo p
        let expected = limit(64).add(&Nat::from_u64(31)).rem(&prime(64));
        assert_eq!(poly(64, &limit(64), &key, &[limit(64)]), expected);
        let expected = limit(128).sub(&Nat::from_u64(69)).rem(&prime(128));
        assert_eq!(poly(128, &limit(128), &key, &[limit(128)]), expected);
    }

    #[test]
    fn level_2_changes_at_one_output_and_at_two_to_the_14() {
        let key = l2_key(KEY, 0);
        let single = l2_hash(&key, &[0x0102_0304_0506_0708]);
        assert_eq!(single, [0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);

        let outputs: Vec<u64> = (0..POLY64_OUTPUTS as u64 + 2).collect();
        let words: Vec<Nat> = outputs.iter().copied().map(Nat::from_u64).collect();
        let y = poly(64, &limit(64), &k64(&key), &words[..POLY64_OUTPUTS]);
        let full = l2_hash(&key, &outputs[..POLY64_OUTPUTS]);
        assert_eq!(Nat::from_be_bytes(&full), y);

        // One output more: that output, then 80 and seven zeroes.
        let last = (1u128 << 78) | (0x80 << 56);
        let last = Nat::from_be_bytes(&last.to_be_bytes());
        let expected = poly(128, &limit(128), &k128(&key), &[y.clone(), last]);
        let longer = l2_hash(&key, &outputs[..POLY64_OUTPUTS + 1]);
        assert_eq!(Nat::from_be_bytes(&longer), expected);

        // Two more fill a word, and the 80 begins another.
        let both = (1u128 << 78) | ((1 << 14) + 1);
        let both = Nat::from_be_bytes(&both.to_be_bytes());
        let end = Nat::power_of_two(127);
        let expected = poly(128, &limit(128), &k128(&key), &[y, both, end]);
        assert_eq!(Nat::from_be_bytes(&l2_hash(&key, &outputs)), expected);
    }
}
