//! Carter: a universal hash in two levels over GF(2^128), encrypted with a pad that AES makes from a nonce.
//! The construction is our own, defined in docs/carter.md. The functions below follow the order of that
//! page.

use crate::aes::Aes;

// The field of RFC 8452, section 3: bit i of a number is the coefficient of x^i, a string of
// 16 bytes is a number with its first byte lowest.

/// x^128 modulo the field's polynomial x^128 + x^127 + x^126 + x^121 + 1.
const X_128: u128 = (1 << 127) | (1 << 126) | (1 << 121) | 1;

/// x^-128, as RFC 8452 gives it.
const X_MINUS_128: u128 = (1 << 127) | (1 << 124) | (1 << 121) | (1 << 114) | 1;

/// a * x: shift, and subtract the polynomial if x^128 appeared.
fn times_x(a: u128) -> u128 {
    let shifted = a << 1;
    if a >> 127 == 0 { shifted } else { shifted ^ X_128 }
}

/// a * b: the sum of a * x^i over the bits i of b.
pub fn mul(a: u128, b: u128) -> u128 {
    let mut product = 0;
    let mut a_times_power = a;
    for i in 0..128 {
        if (b >> i) & 1 == 1 {
            product ^= a_times_power;
        }
        a_times_power = times_x(a_times_power);
    }
    product
}

/// a * b * x^-128.
pub fn dot(a: u128, b: u128) -> u128 {
    mul(mul(a, b), X_MINUS_128)
}

// Keys.

/// B: the bytes of a block.
pub const BLOCK: usize = 2048;

/// The first bytes of a stream: AES_K of blocks that hold `first`, the stream's number p, ten zero
/// bytes and the number j of the block in 32 bits, big-endian.
pub fn stream(secret: &[u8], first: u8, p: u8, length: usize) -> Vec<u8> {
    let aes = Aes::new(secret);
    let mut bytes = Vec::new();
    for j in 0..length.div_ceil(16) as u32 {
        let mut block = [0; 16];
        block[0] = first;
        block[1] = p;
        block[12..].copy_from_slice(&j.to_be_bytes());
        bytes.extend(aes.encrypt(&block));
    }
    bytes.truncate(length);
    bytes
}

/// The keys derived from the secret K.
#[derive(Clone)]
pub struct Keys {
    /// Kp, the key of the pads.
    pub pad: Vec<u8>,
    /// k, the key of level 1.
    pub k: Vec<u8>,
    /// r, the point of level 2.
    pub r: u128,
    /// kL, the key of the length.
    pub k_l: u128,
}

impl Keys {
    /// The keys for tags of `tag_bytes` bytes: 16, 12 or 8. The secret has 16 or 32 bytes.
    pub fn new(secret: &[u8], tag_bytes: usize) -> Keys {
        assert!([16, 32].contains(&secret.len()), "the secret is a key of AES-128 or AES-256");
        assert!([16, 12, 8].contains(&tag_bytes), "a tag has 16, 12 or 8 bytes");
        let first = 8 * tag_bytes as u8;
        let level_2 = stream(secret, first, 2, 32);
        Keys {
            pad: stream(secret, first, 0, secret.len()),
            k: stream(secret, first, 1, BLOCK),
            r: number(&level_2[..16]),
            k_l: number(&level_2[16..]),
        }
    }
}

/// The number that up to 16 bytes represent; missing bytes are zero.
pub fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |number, &byte| (number << 8) | u128::from(byte))
}

// The hash.

/// The a and b of pair j in a group of 128 bytes: a has the first halves of x_j and y_j, b the second
/// halves.
fn pair(group: &[u8], j: usize) -> (u128, u128) {
    let x_j = &group[16 * j..16 * j + 16];
    let y_j = &group[64 + 16 * j..64 + 16 * j + 16];
    let a = [&x_j[..8], &y_j[..8]].concat();
    let b = [&x_j[8..], &y_j[8..]].concat();
    (number(&a), number(&b))
}

/// L1 of a block of up to 2048 bytes, under k.
pub fn level_1(k: &[u8], block: &[u8]) -> u128 {
    assert!(k.len() == BLOCK && block.len() <= BLOCK);
    let mut padded = block.to_vec();
    padded.resize(BLOCK, 0);
    let mut sum = 0;
    for start in (0..BLOCK).step_by(128) {
        let group = start..start + 128;
        for j in 0..4 {
            // The pair counts if the message has the first byte of x_j.
            if start + 16 * j < block.len() {
                let (a, b) = pair(&padded[group.clone()], j);
                let (k_a, k_b) = pair(&k[group.clone()], j);
                sum ^= dot(a ^ k_a, b ^ k_b);
            }
        }
    }
    sum
}

/// H, the hash of a message.
pub fn hash_with(keys: &Keys, message: &[u8]) -> u128 {
    let mut blocks: Vec<&[u8]> = message.chunks(BLOCK).collect();
    if blocks.is_empty() {
        blocks.push(&[]);
    }
    let mut y = 0;
    for block in blocks {
        y = dot(y, keys.r) ^ level_1(&keys.k, block);
    }
    y ^ dot(message.len() as u128, keys.k_l)
}

// The tag.

/// AES under the pad key of the nonce: 16 bytes, or 12 and four zero bytes.
pub fn pad(pad_key: &[u8], nonce: &[u8]) -> [u8; 16] {
    assert!([12, 16].contains(&nonce.len()), "a nonce has 12 or 16 bytes");
    let mut n = [0; 16];
    n[..nonce.len()].copy_from_slice(nonce);
    Aes::new(pad_key).encrypt(&n)
}

/// The tag, under keys for tags of `tag_bytes` bytes.
pub fn tag_with(keys: &Keys, tag_bytes: usize, nonce: &[u8], message: &[u8]) -> Vec<u8> {
    let pad = u128::from_le_bytes(pad(&keys.pad, nonce));
    let tag = (hash_with(keys, message) ^ pad).to_le_bytes();
    tag[..tag_bytes].to_vec()
}

/// The tag of Carter-128, -96 and -64: 16, 12 or 8 bytes.
pub fn tag(secret: &[u8], tag_bytes: usize, nonce: &[u8], message: &[u8]) -> Vec<u8> {
    tag_with(&Keys::new(secret, tag_bytes), tag_bytes, nonce, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// dot(a, x^128) = a, and x^128 * x^-128 = 1.
    #[test]
    fn the_constants_of_the_field() {
        assert_eq!(mul(X_128, X_MINUS_128), 1);
        assert_eq!((0..128).fold(1, |power, _| times_x(power)), X_128);
        for a in [0, 1, 0x87, u128::MAX, 0x0123_4567_89ab_cdef << 55] {
            assert_eq!(dot(a, X_128), a);
            assert_eq!(dot(X_128, a), a);
            assert_eq!(mul(a, 2), times_x(a));
        }
    }

    /// With r = x^128 and kL = 0 the levels are plain sums, which can be written down.
    #[test]
    fn one_byte_in_each_place() {
        let one = X_128.to_le_bytes();
        // The key of the first a is x^128, all others are zero: only the first b counts.
        let mut k = vec![0; BLOCK];
        k[..8].copy_from_slice(&one[..8]);
        k[64..72].copy_from_slice(&one[8..]);
        let keys = Keys { pad: vec![0; 16], k, r: X_128, k_l: 0 };
        for place in 0..2 * BLOCK {
            let mut message = vec![0; place + 1];
            message[place] = 0x05;
            let bit = match place % BLOCK {
                place @ 8..16 => 8 * (place - 8),
                place @ 72..80 => 64 + 8 * (place - 72),
                _ => {
                    assert_eq!(hash_with(&keys, &message), 0, "byte {place}");
                    continue;
                }
            };
            assert_eq!(hash_with(&keys, &message), 5 << bit, "byte {place}");
        }
    }

    /// The pairs of a message are those whose x_j it reaches: under a key of ones each adds one.
    #[test]
    fn how_many_pairs() {
        let mut k = vec![0; BLOCK];
        for group in k.chunks_mut(128) {
            for j in 0..4 {
                // a = 1 and b = x^128.
                group[16 * j] = 1;
                group[16 * j + 8..16 * j + 16].copy_from_slice(&X_128.to_le_bytes()[..8]);
                group[64 + 16 * j + 8..64 + 16 * j + 16].copy_from_slice(&X_128.to_le_bytes()[8..]);
            }
        }
        for length in 0..=BLOCK {
            let pairs = length / 128 * 4 + (length % 128).div_ceil(16).min(4);
            let sum = (pairs % 2) as u128;
            assert_eq!(level_1(&k, &vec![0; length]), sum, "{length} bytes");
        }
    }

    /// The example of docs/carter.md.
    #[test]
    fn the_example_of_the_page() {
        let hex = |bytes: &[u8]| -> String { bytes.iter().map(|b| format!("{b:02x}")).collect() };
        let secret: Vec<u8> = (0..16).collect();
        let nonce: Vec<u8> = (16..28).collect();
        let keys = Keys::new(&secret, 16);
        assert_eq!(hex(&keys.pad), "4399572cd6ea5341b8d35876a7098af7");
        assert_eq!(hex(&keys.k[..16]), "456bb7e7af31f54f280eea8e63afd6c1");
        assert_eq!(hex(&keys.k[BLOCK - 16..]), "cf688533b51da221d2a25831646d5264");
        assert_eq!(hex(&keys.r.to_le_bytes()), "64978275bef8200a31e659b96e7da10b");
        assert_eq!(hex(&keys.k_l.to_le_bytes()), "e77f92abe0ede1f9186b9d221cc28528");
        assert_eq!(hex(&pad(&keys.pad, &nonce)), "2ca316299668e08cb60e94a56bc08071");
        for (length, h, of_tag) in [
            (0, "00000000000000000000000000000000", "2ca316299668e08cb60e94a56bc08071"),
            (1, "84f4dea9cb570adc930b85ebc812bd5e", "a857c8805d3fea502505114ea3d23d2f"),
            (100, "984e9190af2b42616e5049a9ca171fb7", "b4ed87b93943a2edd85edd0ca1d79fc6"),
            (2048, "63c698e100a22c121c4a10a7bc761c85", "4f658ec896cacc9eaa448402d7b69cf4"),
            (2049, "21b18f84b649f6bf30a489d76ef94987", "0d1299ad2021163386aa1d720539c9f6"),
            (5000, "9070e73ab95efbafa0b3bef7b921eff0", "bcd3f1132f361b2316bd2a52d2e16f81"),
        ] {
            let message: Vec<u8> = (0..length).map(|i| (7 * i + 3) as u8).collect();
            let hash = hash_with(&Keys::new(&secret, 16), &message).to_le_bytes();
            assert_eq!(hex(&hash), h, "{length} bytes");
            assert_eq!(hex(&tag(&secret, 16, &nonce, &message)), of_tag, "{length} bytes");
        }
    }

    #[test]
    fn short_nonces_end_in_zeroes() {
        let secret = [7; 32];
        let long = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0];
        assert_eq!(tag(&secret, 8, &long[..12], b"abc"), tag(&secret, 8, &long, b"abc"));
    }
}
