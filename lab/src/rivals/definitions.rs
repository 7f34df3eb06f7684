//! The rivals' algorithms straight from their definitions: slow, obvious, only for checking. The
//! definitions of our own algorithms are in the oracle.

use wegman_reference::aes::Aes;
use wegman_reference::umac_rfc4418::zero_pad;
use wegman_reference::wide::Nat;
use wegman_reference::{cbc_mac, hmac, polyval_aes, sha1};

/// HMAC-SHA1: RFC 2104, section 2.
pub fn hmac_sha1(key: &[u8], message: &[u8]) -> Vec<u8> {
    hmac::hmac(sha1::sha1, key, message)
}

/// AES-CMAC: RFC 4493, section 2.4.
pub fn aes_cmac(key: &[u8; 16], message: &[u8]) -> [u8; 16] {
    let aes = Aes::new(key);
    let e = |block: &[u8; 16]| aes.encrypt(block);
    let [k1, k2] = cbc_mac::cmac_subkeys(&e);
    cbc_mac::xcbc(&e, &k1, &k2, message)
}

/// A block, filled up with zeroes.
fn zero_padded(block: &[u8]) -> [u8; 16] {
    std::array::from_fn(|i| block.get(i).copied().unwrap_or(0))
}

/// AES-GMAC under a nonce of 12 bytes: NIST SP 800-38D, section 7.1, without a plaintext.
pub fn aes_gmac(key: &[u8; 16], nonce: &[u8; 12], message: &[u8]) -> [u8; 16] {
    let aes = Aes::new(key);
    let h = u128::from_be_bytes(aes.encrypt(&[0; 16]));
    let lengths = u128::from(8 * message.len() as u64) << 64;
    let blocks = message.chunks(16).map(|block| u128::from_be_bytes(zero_padded(block)));
    let hash = blocks.chain([lengths]).fold(0, |hash, block| times_in_ghash(hash ^ block, h));
    let counter: [u8; 16] = [&nonce[..], &[0, 0, 0, 1]].concat().try_into().expect("12 + 4");
    (hash ^ u128::from_be_bytes(aes.encrypt(&counter))).to_be_bytes()
}

/// NIST SP 800-38D, algorithm 1: the first bit is the highest of the number.
fn times_in_ghash(x: u128, y: u128) -> u128 {
    let (mut product, mut shifted) = (0, y);
    for i in (0..128).rev() {
        if x >> i & 1 == 1 {
            product ^= shifted;
        }
        shifted = (shifted >> 1) ^ if shifted & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    product
}

/// POLYVAL of a message padded with zeroes: RFC 8452, section 3.
pub fn polyval(key: &[u8; 16], message: &[u8]) -> [u8; 16] {
    let h = u128::from_le_bytes(*key);
    polyval_aes::polyval(h, &zero_pad(message, 16)).to_le_bytes()
}

/// Poly1305: RFC 8439, section 2.5.
pub fn poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let little_endian = |bytes: &[u8]| {
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        Nat::from_be_bytes(&reversed)
    };
    let clamp = 0x0ffffffc_0ffffffc_0ffffffc_0fffffff_u128.to_le_bytes();
    let r: [u8; 16] = std::array::from_fn(|i| key[i] & clamp[i]);
    let (r, s) = (little_endian(&r), little_endian(&key[16..]));
    let prime = Nat::parse("2^130 - 5");
    let sum = message.chunks(16).fold(Nat::default(), |sum, block| {
        let block = little_endian(&[block, &[1]].concat());
        sum.add(&block).mul(&r).rem(&prime)
    });
    let mut tag = sum.add(&s).rem(&Nat::power_of_two(128)).to_be_bytes(16);
    tag.reverse();
    tag.try_into().expect("16 bytes")
}

/// Checks the definition of GMAC against a published tag, because all libraries that have GMAC may be absent:
/// NIST's CAVP vectors gcmEncryptExtIV128, no plaintext, 16 bytes of other data, the first case.
pub fn check_published() -> Result<(), String> {
    let key = 0x77be63708971c4e240d1cb79e8d77feb_u128.to_be_bytes();
    let nonce = [0xe0, 0xe0, 0x0f, 0x19, 0xfe, 0xd7, 0xba, 0x01, 0x36, 0xa7, 0x97, 0xf3];
    let message = 0x7a43ec1d9c0a5a78a0b16533a6213cab_u128.to_be_bytes();
    let tag = aes_gmac(&key, &nonce, &message);
    if u128::from_be_bytes(tag) == 0x209fcc8d3675ed938e9c7166709dd946 {
        Ok(())
    } else {
        Err(format!("the definition of GMAC gives {tag:02x?}, which is not the published tag"))
    }
}
