//! PMAC over a 16-byte block cipher, to be read beside Black and Rogaway (EUROCRYPT 2002) sections 2 and 3.
//!
//! This is the Gray-code PMAC of that paper, not the later PMAC1. Messages here are bytes; strings
//! of any number of bits and other block sizes are in [`bits`].

pub mod bits;

use crate::aes::Aes;
use crate::rc6::Rc6;

/// One block: n = 128 bits. As a field element its first bit is the coefficient of x^127.
pub type Block = [u8; 16];

/// The block cipher under its key, E_K.
pub type Cipher<'a> = dyn Fn(&Block) -> Block + 'a;

pub(crate) fn xor<const N: usize>(a: &[u8; N], b: &[u8; N]) -> [u8; N] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

// Section 2: the field with 2^128 points.

/// a * x: shift left; if x^128 appeared, replace it by x^7 + x^2 + x + 1 (87 hex).
pub fn double(a: &Block) -> Block {
    let mut result: Block = std::array::from_fn(|i| {
        let from_the_right = if i < 15 { a[i + 1] >> 7 } else { 0 };
        (a[i] << 1) | from_the_right
    });
    if a[0] & 0x80 != 0 {
        result[15] ^= 0x87;
    }
    result
}

/// a / x: shift right; if x^-1 appeared, replace it by x^127 + x^6 + x + 1 (80 and 43 hex).
pub fn halve(a: &Block) -> Block {
    let mut result: Block = std::array::from_fn(|i| {
        let from_the_left = if i > 0 { a[i - 1] << 7 } else { 0 };
        (a[i] >> 1) | from_the_left
    });
    if a[15] & 1 != 0 {
        result[0] ^= 0x80;
        result[15] ^= 0x43;
    }
    result
}

/// How many zero bits are at the right end of i, for i from 1.
pub fn ntz(i: u64) -> u32 {
    assert!(i > 0, "blocks are numbered from 1");
    i.trailing_zeros()
}

/// The i-th word of the Gray code.
pub fn gray(i: u64) -> u64 {
    i ^ (i >> 1)
}

// Section 3: PMAC.

/// L = E_K(0).
pub fn l(e: &Cipher) -> Block {
    e(&[0; 16])
}

/// L(j): L doubled j times.
pub fn l_power(l: &Block, j: u32) -> Block {
    (0..j).fold(*l, |power, _| double(&power))
}

/// PMAC: the first `tag_len` bytes (1 to 16) of the tag of `message` under the block cipher `e`.
pub fn pmac(e: &Cipher, message: &[u8], tag_len: usize) -> Vec<u8> {
    assert!((1..=16).contains(&tag_len), "a PMAC tag has 1 to 16 bytes");
    let l = l(e);
    let l_inverse = halve(&l);
    let m = message.len().div_ceil(16).max(1);
    let (full_blocks, last_block) = message.split_at(16 * (m - 1));

    let mut offset = [0; 16];
    let mut s = [0; 16];
    for (i, m_i) in (1..).zip(full_blocks.as_chunks().0) {
        offset = xor(&offset, &l_power(&l, ntz(i)));
        s = xor(&s, &e(&xor(m_i, &offset)));
    }

    if let Ok(full) = last_block.try_into() {
        s = xor(&s, &xor(full, &l_inverse));
    } else {
        s = xor(&s, &pad(last_block));
    }
    e(&s)[..tag_len].to_vec()
}

/// A last block of 0 to 15 bytes, with 80 (hex) after it and zeroes to the end.
pub fn pad(last_block: &[u8]) -> Block {
    let mut padded = [0; 16];
    padded[..last_block.len()].copy_from_slice(last_block);
    padded[last_block.len()] = 0x80;
    padded
}

/// PMAC with AES; the key has 16, 24 or 32 bytes.
pub fn pmac_aes(key: &[u8], message: &[u8], tag_len: usize) -> Vec<u8> {
    let aes = Aes::new(key);
    pmac(&|block| aes.encrypt(block), message, tag_len)
}

/// PMAC with RC6-32/20/b; the key has 0 to 255 bytes.
pub fn pmac_rc6(key: &[u8], message: &[u8], tag_len: usize) -> Vec<u8> {
    let rc6 = Rc6::new(key);
    pmac(&|block| rc6.encrypt(block), message, tag_len)
}

// The same offsets from their definition in the paper, not step by step.

/// The offset of block i, as the product of L and the i-th Gray code word in GF(2^128).
///
/// Nothing here uses [`double`]: the two polynomials are multiplied out, coefficient by
/// coefficient, and the product is divided by x^128 + x^7 + x^2 + x + 1.
pub fn offset(l: &Block, i: u64) -> Block {
    // product[k] is the coefficient of x^k.
    let mut product = [false; 128 + 64];
    for j in (0..64).filter(|&j| gray(i) >> j & 1 == 1) {
        for k in 0..128 {
            product[j + k] ^= coefficient(l, k);
        }
    }
    for k in (128..product.len()).rev() {
        if product[k] {
            for term in [128, 7, 2, 1, 0] {
                product[k - 128 + term] ^= true;
            }
        }
    }
    let mut result = [0; 16];
    for k in (0..128).filter(|&k| product[k]) {
        result[15 - k / 8] |= 1 << (k % 8);
    }
    result
}

/// The coefficient of x^k in a block.
fn coefficient(block: &Block, k: usize) -> bool {
    block[15 - k / 8] >> (k % 8) & 1 == 1
}

/// The xor of E_K(M_i ^ offset_i) over whole blocks, the first of which is number `first` (blocks
/// are numbered from 1). With every block of a message but the last, this is the sum that the last
/// block is added to; any split of the blocks gives parts whose xor is the whole.
pub fn sum(e: &Cipher, first: u64, blocks: &[u8]) -> Block {
    assert!(first > 0, "blocks are numbered from 1");
    assert!(blocks.len().is_multiple_of(16), "only whole blocks");
    let l = l(e);
    let mut s = [0; 16];
    for (i, m_i) in (first..).zip(blocks.as_chunks().0) {
        s = xor(&s, &e(&xor(m_i, &offset(&l, i))));
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_blocks() -> Vec<Block> {
        let aes = Aes::new(&[3; 16]);
        let mut blocks = vec![[0; 16], [0xff; 16], [0x80; 16], [1; 16]];
        for i in 0..50 {
            blocks.push(aes.encrypt(&[i; 16]));
        }
        blocks
    }

    #[test]
    fn double_and_halve_at_their_corners() {
        let one = 1u128.to_be_bytes();
        let top = (1u128 << 127).to_be_bytes();
        assert_eq!(double(&one), 2u128.to_be_bytes());
        assert_eq!(double(&top), 0x87u128.to_be_bytes());
        assert_eq!(halve(&one), ((1u128 << 127) | 0x43).to_be_bytes());
        assert_eq!(halve(&top), (1u128 << 126).to_be_bytes());
    }

    #[test]
    fn each_gray_word_differs_from_the_one_before_in_bit_ntz() {
        assert_eq!(gray(0), 0);
        for i in 1..5000 {
            assert_eq!(gray(i), gray(i - 1) ^ (1 << ntz(i)));
        }
        assert_eq!(gray(u64::MAX), 1 << 63);
    }

    #[test]
    fn far_offsets_are_sums_of_doublings() {
        for l in some_blocks() {
            for i in [1 << 32, (1 << 40) + 12345, 1 << 63, u64::MAX - 1, u64::MAX] {
                let bits = (0..64).filter(|&j| gray(i) >> j & 1 == 1);
                let expected = bits.fold([0; 16], |sum, j| xor(&sum, &l_power(&l, j)));
                assert_eq!(offset(&l, i), expected, "block {i}");
            }
        }
    }

    #[test]
    fn sums_of_parts_make_the_tag() {
        let aes = Aes::new(&[9; 16]);
        let e = |block: &Block| aes.encrypt(block);
        let message: Vec<u8> = (0..1000).map(|i| (i * i / 8) as u8).collect();
        for length in [17, 31, 32, 33, 500, 512, 1000] {
            let message = &message[..length];
            let (blocks, last) = message.split_at((length - 1) / 16 * 16);
            let end = match last.try_into() {
                Ok(full) => xor(full, &halve(&l(&e))),
                Err(_) => pad(last),
            };
            for cut in 0..=blocks.len() / 16 {
                let (left, right) = blocks.split_at(16 * cut);
                let parts = xor(&sum(&e, 1, left), &sum(&e, cut as u64 + 1, right));
                let tag = e(&xor(&parts, &end)).to_vec();
                assert_eq!(pmac(&e, message, 16), tag, "{length} bytes cut at {cut}");
            }
        }
    }

    #[test]
    fn padding_never_fills_nothing() {
        assert_eq!(pad(&[]), (1u128 << 127).to_be_bytes());
        assert_eq!(pad(&[0xff; 15]), ((u128::MAX << 8) | 0x80).to_be_bytes());
    }
}
