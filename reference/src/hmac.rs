//! HMAC with any hash of 64-byte blocks (MD5, SHA-1), to be read beside RFC 2104, section 2.

/// B: the block length of the hash, 64 bytes.
pub const B: usize = 64;

/// H(K xor opad, H(K xor ipad, text)). A key of more than B bytes is hashed first; then it is
/// zero-extended to B bytes.
pub fn hmac(h: impl Fn(&[u8]) -> Vec<u8>, key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut k = if key.len() > B { h(key) } else { key.to_vec() };
    k.resize(B, 0);

    let mut inner: Vec<u8> = k.iter().map(|byte| byte ^ 0x36).collect();
    inner.extend(text);
    let mut outer: Vec<u8> = k.iter().map(|byte| byte ^ 0x5c).collect();
    outer.extend(h(&inner));
    h(&outer)
}

#[cfg(test)]
mod tests {
    use super::hmac;
    use crate::sha1::sha1;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The test cases of RFC 2202, section 3.
    #[test]
    fn hmac_sha1_of_rfc_2202() {
        let larger = b"Test Using Larger Than Block-Size Key - Hash Key First".as_slice();
        let both = b"Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data";
        let count: Vec<u8> = (1..=25).collect();
        let cases: [(&[u8], &[u8], &str); 7] = [
            (&[0x0b; 20], b"Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"),
            (b"Jefe", b"what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
            (&[0xaa; 20], &[0xdd; 50], "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
            (&count, &[0xcd; 50], "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
            (&[0x0c; 20], b"Test With Truncation", "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
            (&[0xaa; 80], larger, "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
            (&[0xaa; 80], both, "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"),
        ];
        for (key, text, expected) in cases {
            assert_eq!(hex(&hmac(sha1, key, text)), expected);
        }
    }
}
