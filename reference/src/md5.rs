//! MD5, to be read beside RFC 1321, section 3.

use crate::sha1::pad;

/// The state A, B, C, D.
type State = [u32; 4];

// Section 3.4: processing.

/// F, G, H and I, by the number of the round, from 0.
fn function(round: usize, x: u32, y: u32, z: u32) -> u32 {
    match round {
        0 => (x & y) | (!x & z),
        1 => (x & z) | (y & !z),
        2 => x ^ y ^ z,
        3 => y ^ (x | !z),
        _ => panic!("MD5 has four rounds"),
    }
}

/// T\[i\], for i from 1 to 64: the integer part of 4294967296 times abs(sin(i)), i in radians.
fn t(i: usize) -> u32 {
    ((i as f64).sin().abs() * 4_294_967_296.0) as u32
}

/// k of \[abcd k s i\]: which word of the block the step takes.
fn k(step: usize) -> usize {
    match step / 16 {
        0 => step % 16,
        1 => (5 * step + 1) % 16,
        2 => (3 * step + 5) % 16,
        _ => 7 * step % 16,
    }
}

/// s of \[abcd k s i\]: how far the step rotates.
fn s(step: usize) -> u32 {
    [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]][step / 16][step % 4]
}

fn process_block(state: State, block: &[u8]) -> State {
    let x = |k: usize| u32::from_le_bytes(block.as_chunks().0[k]);
    let [mut a, mut b, mut c, mut d] = state;
    for step in 0..64 {
        let i = step + 1;
        let sum = a
            .wrapping_add(function(step / 16, b, c, d))
            .wrapping_add(x(k(step)))
            .wrapping_add(t(i));
        let new = b.wrapping_add(sum.rotate_left(s(step)));
        // The RFC writes [ABCD ..] [DABC ..]: each step has another register in the first place.
        [a, b, c, d] = [d, new, b, c];
    }
    let end = [a, b, c, d];
    std::array::from_fn(|i| state[i].wrapping_add(end[i]))
}

/// The 16 bytes of the hash.
pub fn md5(message: &[u8]) -> Vec<u8> {
    // Sections 3.1 and 3.2: SHA-1's padding, but the length's low-order byte comes first. Section 3.3: the state.
    let mut state: State = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in pad(message, u64::to_le_bytes).chunks(64) {
        state = process_block(state, block);
    }
    // Section 3.5.
    state.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first, the last and two other entries of the table in the RFC's appendix.
    #[test]
    fn the_table_of_sines() {
        let known = [(1, 0xd76a_a478), (17, 0xf61e_2562), (48, 0xc4ac_5665), (64, 0xeb86_d391)];
        for (i, value) in known {
            assert_eq!(t(i), value);
        }
    }

    /// The test suite of section A.5.
    #[test]
    fn the_suite_of_rfc_1321() {
        let upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let lower = upper.to_lowercase();
        let suite = [
            (String::new(), "d41d8cd98f00b204e9800998ecf8427e"),
            ("a".into(), "0cc175b9c0f1b6a831c399e269772661"),
            ("abc".into(), "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest".into(), "f96b697d7cb7938d525a2f31aaf161d0"),
            (lower.clone(), "c3fcd3d76192e4007dfb496cca67e13b"),
            (format!("{upper}{lower}0123456789"), "d174ab98d277d9f5a5611c2c9f419d9f"),
            ("1234567890".repeat(8), "57edf4a22be3c955ac49da2e2107b67a"),
        ];
        for (message, expected) in suite {
            let hash = md5(message.as_bytes());
            let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, expected, "{message}");
        }
    }
}
