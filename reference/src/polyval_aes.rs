//! Polyval-AES: POLYVAL of RFC 8452, encrypted with a pad that AES makes from a nonce. Carter is compared with it: it
//! has the hash of AES-GCM-SIV, with the keys, nonces and pads of Carter. The
//! combination is our own.

use crate::carter::{dot, number, pad, stream};

/// POLYVAL (RFC 8452, section 3) of a string of whole blocks: S_0 = 0, S_j = dot(S_{j-1} + X_j, H).
pub fn polyval(h: u128, blocks: &[u8]) -> u128 {
    assert!(blocks.len().is_multiple_of(16), "POLYVAL takes whole blocks");
    blocks.chunks(16).fold(0, |s, x| dot(s ^ number(x), h))
}

/// The message, zero bytes up to a whole block, and RFC 8452's length block: the bits of the
/// additional data, which is empty, and those of the message, little-endian.
pub fn blocks(message: &[u8]) -> Vec<u8> {
    let mut blocks = message.to_vec();
    blocks.resize(message.len().next_multiple_of(16), 0);
    blocks.extend(0u64.to_le_bytes());
    blocks.extend((8 * message.len() as u64).to_le_bytes());
    blocks
}

/// The first byte of the blocks that keys are derived from. Carter's are 128, 96 and 64.
const FIRST: u8 = 129;

/// The hash of a message, as a string.
pub fn hash(secret: &[u8], message: &[u8]) -> [u8; 16] {
    let h = number(&stream(secret, FIRST, 2, 16));
    polyval(h, &blocks(message)).to_le_bytes()
}

/// The tag, of 16 bytes. The secret has 16 or 32 bytes, the nonce 12 or 16.
pub fn tag(secret: &[u8], nonce: &[u8], message: &[u8]) -> Vec<u8> {
    assert!([16, 32].contains(&secret.len()), "the secret is a key of AES-128 or AES-256");
    let pad = pad(&stream(secret, FIRST, 0, secret.len()), nonce);
    hash(secret, message).iter().zip(pad).map(|(hash, pad)| hash ^ pad).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes;
    use crate::carter::mul;

    fn from_hex(hex: &str) -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal digits"))
            .collect()
    }

    /// RFC 8452, section 7.
    #[test]
    fn the_field_of_rfc_8452() {
        let a = number(&from_hex("66e94bd4ef8a2c3b884cfa59ca342b2e"));
        let b = number(&from_hex("ff000000000000000000000000000000"));
        assert_eq!(mul(a, b), number(&from_hex("37856175e9dc9df26ebc6d6171aa0ae9")));
        assert_eq!(dot(a, b), number(&from_hex("ebe563401e7e91ea3ad6426b8140c394")));
    }

    /// RFC 8452, appendix A.
    #[test]
    fn the_example_of_rfc_8452() {
        let h = number(&from_hex("25629347589242761d31f826ba4b757b"));
        let x = from_hex("4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362");
        let s = from_hex("f7a3b47b846119fae5b7866cf5e5b77e");
        assert_eq!(polyval(h, &x), number(&s));
    }

    #[test]
    fn the_padding_by_hand() {
        assert_eq!(blocks(&[]), [0; 16]);
        let mut of_17 = vec![0xff; 17];
        of_17.resize(40, 0);
        of_17.extend([136, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(blocks(&[0xff; 17]), of_17);
    }

    /// The empty message is one block of zeroes, whose hash is zero: the tag is the pad.
    #[test]
    fn the_tag_of_nothing() {
        let secret = [5; 16];
        let mut block = [0; 16];
        block[0] = 129;
        let pad_key = Aes::new(&secret).encrypt(&block);
        let nonce = [9; 16];
        assert_eq!(tag(&secret, &nonce, &[]), Aes::new(&pad_key).encrypt(&nonce));
    }
}
