//! The rivals' algorithms straight from their definitions: slow, obvious, only for checking. The
//! others are the oracle's.

use wegman_reference::aes::Aes;
use wegman_reference::carter::{dot, mul};
use wegman_reference::wide::Nat;

fn xor(a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// A block, filled up with zeroes.
fn zero_padded(block: &[u8]) -> [u8; 16] {
    std::array::from_fn(|i| block.get(i).copied().unwrap_or(0))
}

/// AES-GMAC under a nonce of 12 bytes: NIST SP 800-38D, section 7.1, without a plaintext. GHASH by POLYVAL's field: RFC 8452,
/// appendix A.
pub fn aes_gmac(key: &[u8; 16], nonce: u128, message: &[u8]) -> [u8; 16] {
    let aes = Aes::new(key);
    let h = dot(mul(u128::from_be_bytes(aes.encrypt(&[0; 16])), 2), 1);
    let lengths = u128::from(8 * message.len() as u64) << 64;
    let blocks = message.chunks(16).map(|block| u128::from_be_bytes(zero_padded(block)));
    let hash = blocks.chain([lengths]).fold(0, |hash, block| mul(hash ^ block, h));
    let counter = nonce << 32 | 1;
    (hash ^ u128::from_be_bytes(aes.encrypt(&counter.to_be_bytes()))).to_be_bytes()
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

/// A round of AES without a key.
fn aes_round(block: &[u8; 16]) -> [u8; 16] {
    let mut block = (*block).into();
    aes::hazmat::cipher_round(&mut block, &[0; 16].into());
    block.into()
}

/// The state of HiAE before Diffuse: draft-pham-cfrg-hiae-06, section 3.5.1, in one of so many lanes.
pub fn hiae_start([lane, lanes]: [usize; 2], key: &[u8; 32], nonce: &[u8; 16]) -> [[u8; 16]; 16] {
    let c0 = 0x3243f6a8_885a308d_313198a2_e0370734_u128.to_be_bytes();
    let c1 = 0x4a409382_2299f31d_0082efa9_8ec4e6c8_u128.to_be_bytes();
    let [k0, k1] = [0, 16].map(|at| zero_padded(&key[at..at + 16]));
    let (n, o, context) = (*nonce, [0; 16], zero_padded(&[lane as u8, lanes as u8 - 1]));
    [c0, k0, c0, n, o, k0, o, c1, k1, o, xor(nonce, &k1), c0, c1, k1, o, xor(&c0, &c1)]
        .map(|block| xor(&block, &context))
}

/// HiAE as a MAC: the same draft, section 5.2. More lanes than one, as zig-hiae has them, differ in their start, and what
/// the others end with is absorbed by the first.
pub fn hiae(lanes: usize, key: &[u8; 32], nonce: &[u8; 16], message: &[u8]) -> [u8; 16] {
    let update = |s: &mut Vec<[u8; 16]>, x: &[u8; 16]| {
        let t = xor(&aes_round(&xor(&s[0], &s[1])), x);
        s[0] = xor(&aes_round(&s[13]), &t);
        s[3] = xor(&s[3], x);
        s[13] = xor(&s[13], x);
        s.rotate_left(1);
    };
    let diffuse =
        |s: &mut Vec<[u8; 16]>, x: [&[u8; 16]; 2]| (0..32).for_each(|i| update(s, x[i % 2]));
    let lengths = |low: u64, high: u64| (u128::from(high) << 64 | u128::from(low)).to_le_bytes();
    let sum = |s: &Vec<[u8; 16]>| s.iter().fold([0; 16], |sum, block| xor(&sum, block));

    let [k0, k1] = [0, 16].map(|at| zero_padded(&key[at..at + 16]));
    let mut all: Vec<Vec<[u8; 16]>> =
        (0..lanes).map(|lane| hiae_start([lane, lanes], key, nonce).into()).collect();
    for (lane, s) in all.iter_mut().enumerate() {
        diffuse(s, [&k0, &k1]);
        for row in message.chunks(16 * lanes) {
            let blocks = row.chunks(16).nth(lane);
            update(s, &zero_padded(blocks.unwrap_or_default()));
        }
    }
    let bits = 8 * message.len() as u64;
    let t = lengths(bits, if lanes == 1 { 0 } else { 128 });
    all.iter_mut().for_each(|s| diffuse(s, [&t, &t]));
    let sums: Vec<[u8; 16]> = all.iter().map(sum).collect();
    let first = &mut all[0];
    if lanes > 1 {
        sums[1..].iter().for_each(|sum| update(first, sum));
        let t = lengths(lanes as u64, 128);
        diffuse(first, [&t, &t]);
    }
    sum(first)
}

/// The keys of LeMac.
pub fn lemac_keys(key: &[u8; 16]) -> Vec<[u8; 16]> {
    let aes = Aes::new(key);
    (0..29).map(|i| aes.encrypt(&zero_padded(&[i]))).collect()
}

/// LeMac: "Fast AES-Based Universal Hash Functions and MACs" (ToSC 2024), with its corrigendum.
pub fn lemac(key: &[u8; 16], nonce: &[u8; 16], message: &[u8]) -> [u8; 16] {
    let keys = lemac_keys(key);
    let mut padded = [message, &[1]].concat();
    padded.resize(padded.len().next_multiple_of(64) + 4 * 64, 0);

    let mut s = keys[..9].to_vec();
    let mut r = [[0; 16]; 4];
    for block in padded.chunks(64) {
        let m: Vec<[u8; 16]> = block.chunks(16).map(zero_padded).collect();
        let next = [m[2], m[3], m[3], xor(&r[2], &r[3]), m[0], m[0], m[1], m[1], m[3]];
        let before = |j: usize| if j == 0 { xor(&s[0], &s[8]) } else { aes_round(&s[j - 1]) };
        s = next.iter().enumerate().map(|(j, m)| xor(&before(j), m)).collect();
        r = [m[2], xor(&r[0], &m[1]), r[1], r[2]];
    }
    let around = xor(nonce, &Aes::new(&keys[27]).encrypt(nonce));
    let sum = s.iter().zip(keys[9..].windows(10)).fold(around, |sum, (block, keys)| {
        xor(&sum, &keys.iter().fold(*block, |state, key| aes_round(&xor(&state, key))))
    });
    Aes::new(&keys[28]).encrypt(&sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// NIST's CAVP vectors gcmEncryptExtIV128: no plaintext, 16 bytes of other data, the first case.
    #[test]
    fn gmac_has_its_published_tag() {
        let key = 0x77be6370_8971c4e2_40d1cb79_e8d77feb_u128.to_be_bytes();
        let message = 0x7a43ec1d_9c0a5a78_a0b16533_a6213cab_u128.to_be_bytes();
        let tag = aes_gmac(&key, 0xe0e00f19_fed7ba01_36a797f3, &message);
        assert_eq!(u128::from_be_bytes(tag), 0x209fcc8d_3675ed93_8e9c7166_709dd946);
    }
}
