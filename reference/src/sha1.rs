//! SHA-1, to be read beside FIPS 180-4: functions and constants (section 4), padding (5), the hash (6.1).

/// How many bytes one step of the hash takes.
pub const BLOCK_LEN: usize = 64;

/// f_t, section 4.1.1.
fn f(t: usize, x: u32, y: u32, z: u32) -> u32 {
    match t {
        0..20 => (x & y) ^ (!x & z),
        20..40 => x ^ y ^ z,
        40..60 => (x & y) ^ (x & z) ^ (y & z),
        60..80 => x ^ y ^ z,
        _ => panic!("SHA-1 has 80 rounds"),
    }
}

/// K_t, section 4.2.1.
fn k(t: usize) -> u32 {
    match t {
        0..20 => 0x5a82_7999,
        20..40 => 0x6ed9_eba1,
        40..60 => 0x8f1b_bcdc,
        60..80 => 0xca62_c1d6,
        _ => panic!("SHA-1 has 80 rounds"),
    }
}

/// The padding of section 5.1.1: a 1 bit, zeroes up to 64 bits before the end of a block, and in those the
/// length of the message in bits, in the given order of bytes.
pub(crate) fn pad(message: &[u8], order: fn(u64) -> [u8; 8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % BLOCK_LEN != BLOCK_LEN - 8 {
        padded.push(0);
    }
    padded.extend(order(8 * message.len() as u64));
    padded
}

/// H(0), section 5.3.1.
const H0: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// H(i) from H(i-1) and block M(i), section 6.1.2.
fn step(h: [u32; 5], block: &[u8]) -> [u32; 5] {
    let mut w = [0u32; 80];
    for t in 0..16 {
        w[t] = u32::from_be_bytes(std::array::from_fn(|byte| block[4 * t + byte]));
    }
    for t in 16..80 {
        w[t] = (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1);
    }

    let [mut a, mut b, mut c, mut d, mut e] = h;
    for (t, word) in w.into_iter().enumerate() {
        let sum = a.rotate_left(5).wrapping_add(f(t, b, c, d)).wrapping_add(e);
        let t = sum.wrapping_add(k(t)).wrapping_add(word);
        e = d;
        d = c;
        c = b.rotate_left(30);
        b = a;
        a = t;
    }
    let added = [a, b, c, d, e];
    std::array::from_fn(|i| h[i].wrapping_add(added[i]))
}

/// SHA-1 of a message of whole bytes: 20 bytes.
pub fn sha1(message: &[u8]) -> Vec<u8> {
    let h = pad(message, u64::to_be_bytes).chunks(BLOCK_LEN).fold(H0, step);
    h.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::sha1;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The messages of FIPS 180-2, appendix A (and of FIPS 180-1), and the empty one.
    #[test]
    fn the_examples_of_the_standard() {
        assert_eq!(hex(&sha1(b"abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(&sha1(two_blocks)), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        let million = vec![b'a'; 1_000_000];
        assert_eq!(hex(&sha1(&million)), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
        assert_eq!(hex(&sha1(b"")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    }
}
