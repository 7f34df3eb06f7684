//! RC6-32/20/b, to be read beside "The RC6 Block Cipher" (1998) section 2: key schedule, then the cipher.

/// The number of rounds, r.
const R: usize = 20;

/// The number of words in the expanded key: two for each round and four around them.
const SCHEDULE_WORDS: usize = 2 * R + 4;

/// The binary expansion of e - 2, odd and 32 bits wide.
const P32: u32 = 0xb7e1_5163;

/// The binary expansion of the golden ratio - 1, odd and 32 bits wide.
const Q32: u32 = 0x9e37_79b9;

/// `a <<< b`: only the low five bits of b count.
fn rotate_left(a: u32, b: u32) -> u32 {
    a.rotate_left(b % 32)
}

/// f(x) = x * (2x + 1) mod 2^32, rotated left by lg(32) = 5.
fn f(x: u32) -> u32 {
    let product = x.wrapping_mul(x.wrapping_mul(2).wrapping_add(1));
    rotate_left(product, 5)
}

/// The user's key as c little-endian words, zero-extended; c is at least 1.
fn key_words(key: &[u8]) -> Vec<u32> {
    let c = key.len().div_ceil(4).max(1);
    let mut bytes = key.to_vec();
    bytes.resize(4 * c, 0);
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The number of mixing steps in the key schedule: three times round the longer of its two arrays, L with c words
/// and S with 2r + 4.
fn mixing_steps(c: usize) -> usize {
    3 * c.max(SCHEDULE_WORDS)
}

/// The key schedule: the array S of 2r + 4 words.
fn key_schedule(key: &[u8]) -> [u32; SCHEDULE_WORDS] {
    let mut l = key_words(key);
    let c = l.len();

    let mut s = [0; SCHEDULE_WORDS];
    s[0] = P32;
    for i in 1..SCHEDULE_WORDS {
        s[i] = s[i - 1].wrapping_add(Q32);
    }

    let (mut a, mut b, mut i, mut j) = (0u32, 0u32, 0, 0);
    for _ in 0..mixing_steps(c) {
        s[i] = rotate_left(s[i].wrapping_add(a).wrapping_add(b), 3);
        a = s[i];
        let a_plus_b = a.wrapping_add(b);
        l[j] = rotate_left(l[j].wrapping_add(a_plus_b), a_plus_b);
        b = l[j];
        i = (i + 1) % SCHEDULE_WORDS;
        j = (j + 1) % c;
    }
    s
}

/// The registers A, B, C, D: four little-endian words of the block.
fn registers_of(block: &[u8; 16]) -> [u32; 4] {
    std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|byte| block[4 * i + byte])))
}

fn block_of(registers: [u32; 4]) -> [u8; 16] {
    std::array::from_fn(|i| registers[i / 4].to_le_bytes()[i % 4])
}

/// RC6 with one key.
#[derive(Clone, Debug)]
pub struct Rc6 {
    s: [u32; SCHEDULE_WORDS],
}

impl Rc6 {
    /// Expands a key of b bytes, 0 to 255.
    pub fn new(key: &[u8]) -> Rc6 {
        assert!(key.len() <= 255, "an RC6 key has at most 255 bytes");
        Rc6 { s: key_schedule(key) }
    }

    /// Encryption of one block.
    pub fn encrypt(&self, block: &[u8; 16]) -> [u8; 16] {
        let s = &self.s;
        let [mut a, mut b, mut c, mut d] = registers_of(block);
        b = b.wrapping_add(s[0]);
        d = d.wrapping_add(s[1]);
        for i in 1..=R {
            let t = f(b);
            let u = f(d);
            a = rotate_left(a ^ t, u).wrapping_add(s[2 * i]);
            c = rotate_left(c ^ u, t).wrapping_add(s[2 * i + 1]);
            (a, b, c, d) = (b, c, d, a);
        }
        a = a.wrapping_add(s[2 * R + 2]);
        c = c.wrapping_add(s[2 * R + 3]);
        block_of([a, b, c, d])
    }
}

#[cfg(test)]
mod tests {
    use super::{Rc6, key_words, mixing_steps};

    #[test]
    fn the_all_zero_example_of_the_paper() {
        let expected = 0x8fc3a53656b1f778c129df4e9848a41e_u128.to_be_bytes();
        assert_eq!(Rc6::new(&[0; 16]).encrypt(&[0; 16]), expected);
    }

    #[test]
    fn the_key_is_zero_extended_to_at_least_one_word() {
        assert_eq!(key_words(&[]), [0]);
        assert_eq!(key_words(&[1, 2, 3]), [0x0003_0201]);
        assert_eq!(key_words(&[1, 2, 3, 4]), [0x0403_0201]);
        assert_eq!(key_words(&[1, 2, 3, 4, 5]), [0x0403_0201, 5]);
        assert_eq!(key_words(&[7; 255]).len(), 64);
    }

    /// Keys above 176 bytes have more words than S.
    #[test]
    fn long_keys_are_mixed_for_longer() {
        for (c, steps) in [(1, 132), (44, 132), (45, 135), (64, 192)] {
            assert_eq!(mixing_steps(c), steps);
        }
    }
}
