//! CBC-MAC and ECBC, FCBC, XCBC, CMAC, to be read beside Black and Rogaway, "CBC MACs for arbitrary-length messages:
//! the three-key constructions" (CRYPTO 2000), sections 2 to 5.
//!
//! FCBC is also the pseudorandom function of the UMAC paper (CRYPTO 1999), section 8.4. The number
//! N is the length of a block in bytes: 16 for AES and RC6.

use crate::pmac::{double, xor};
use crate::umac_rfc4418::pad_with_80;

/// A block cipher under its key, E_K.
pub type Cipher<'a, const N: usize> = dyn Fn(&[u8; N]) -> [u8; N] + 'a;

/// M_1, ..., M_m: the message in whole blocks, at least one.
fn blocks<const N: usize>(message: &[u8]) -> Vec<[u8; N]> {
    assert!(is_full::<N>(message), "whole blocks, and at least one");
    message.chunks(N).map(|block| std::array::from_fn(|i| block[i])).collect()
}

/// Whether the message is a positive number of whole blocks.
fn is_full<const N: usize>(message: &[u8]) -> bool {
    !message.is_empty() && message.len().is_multiple_of(N)
}

/// Pad(M): M, a 1 bit and the fewest zeroes that fill the last block. Only for messages that are not full.
pub fn pad<const N: usize>(message: &[u8]) -> Vec<u8> {
    assert!(!is_full::<N>(message), "a full message is not padded");
    pad_with_80(message, N)
}

/// CBC_E(M): C_0 is zero, C_i = E(C_{i-1} xor M_i), and the result is the last C.
///
/// A MAC only for messages of one length.
pub fn cbc_mac<const N: usize>(e: &Cipher<N>, message: &[u8]) -> [u8; N] {
    let mut c = [0; N];
    for m_i in blocks(message) {
        c = e(&xor(&c, &m_i));
    }
    c
}

/// ECBC: CBC under K1, encrypted once more under K2, or under K3 if M had to be padded.
pub fn ecbc<const N: usize>([e1, e2, e3]: [&Cipher<N>; 3], message: &[u8]) -> [u8; N] {
    if is_full::<N>(message) {
        e2(&cbc_mac(e1, message))
    } else {
        e3(&cbc_mac(e1, &pad::<N>(message)))
    }
}

/// FCBC: CBC under K1, but the last block is encrypted under K2, or under K3 if M had to be padded.
pub fn fcbc<const N: usize>([e1, e2, e3]: [&Cipher<N>; 3], message: &[u8]) -> [u8; N] {
    let (p, last_e) =
        if is_full::<N>(message) { (message.to_vec(), e2) } else { (pad::<N>(message), e3) };
    let blocks = blocks::<N>(&p);
    let m = blocks.len();
    let c = if m == 1 { [0; N] } else { cbc_mac(e1, &blocks[..m - 1].concat()) };
    last_e(&xor(&c, &blocks[m - 1]))
}

/// XCBC: CBC under K1, with k2 xored into the last block, or k3 if M had to be padded.
pub fn xcbc<const N: usize>(e1: &Cipher<N>, k2: &[u8; N], k3: &[u8; N], message: &[u8]) -> [u8; N] {
    let (p, k) =
        if is_full::<N>(message) { (message.to_vec(), k2) } else { (pad::<N>(message), k3) };
    let mut blocks = blocks::<N>(&p);
    let m = blocks.len();
    blocks[m - 1] = xor(&blocks[m - 1], k);
    cbc_mac(e1, &blocks.concat())
}

/// The K1, k2 and k3 of RFC 3566 (section 4) from one key: E_K of blocks in which every byte is 1, 2 or 3.
pub fn rfc3566_keys<const N: usize>(e: &Cipher<N>) -> [[u8; N]; 3] {
    [1, 2, 3].map(|byte| e(&[byte; N]))
}

/// The subkeys k2 and k3 of CMAC (RFC 4493, section 2.3): E_K(0) times x and times x^2, for blocks of 16 bytes. Products
/// are those of polynomials modulo x^128 + x^7 + x^2 + x + 1.
pub fn cmac_subkeys(e: &Cipher<16>) -> [[u8; 16]; 2] {
    let k2 = double(&e(&[0; 16]));
    [k2, double(&k2)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;

    /// A cipher that adds a number to each byte, so that tags can be found by hand.
    fn plus(number: u8) -> impl Fn(&[u8; 2]) -> [u8; 2] {
        move |block| block.map(|byte| byte.wrapping_add(number))
    }

    /// RFC 4493, section 4.
    #[test]
    fn subkeys_of_cmac() {
        let aes = Aes::new(&0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes());
        let [k2, k3] = cmac_subkeys(&|block| aes.encrypt(block)).map(u128::from_be_bytes);
        assert_eq!(k2, 0xfbeed618357133667c85e08f7236a8de);
        assert_eq!(k3, 0xf7ddac306ae266ccf90bc11ee46d513b);
    }

    #[test]
    fn by_hand() {
        let (e1, e2, e3) = (plus(1), plus(16), plus(32));
        // 1 2 becomes 2 3, xor 4 4 is 6 7.
        let full = [1, 2, 4, 4];
        assert_eq!(cbc_mac(&e1, &full), [7, 8]);
        assert_eq!(ecbc([&e1, &e2, &e3], &full), [7 + 16, 8 + 16]);
        assert_eq!(fcbc([&e1, &e2, &e3], &full), [6 + 16, 7 + 16]);
        assert_eq!(xcbc(&e1, &[16, 8], &[1, 1], &full), [6 + 16 + 1, 7 + 8 + 1]);
        // The last block is 4 80 (hex): 6 83.
        let partial = [1, 2, 4];
        assert_eq!(ecbc([&e1, &e2, &e3], &partial), [7 + 32, 0x84 + 32]);
        assert_eq!(fcbc([&e1, &e2, &e3], &partial), [6 + 32, 0x83 + 32]);
        assert_eq!(xcbc(&e1, &[0, 0], &[8, 8], &partial), [6 + 8 + 1, 0x83 + 8 + 1]);
        // The empty message is a padded block.
        assert_eq!(fcbc([&e1, &e2, &e3], &[]), [0x80 + 32, 32]);
    }
}
