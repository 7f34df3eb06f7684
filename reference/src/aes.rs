//! AES-128, AES-192 and AES-256, to be read beside FIPS 197 sections 4 (mathematics) and 5 (algorithm).

use std::sync::LazyLock;

/// A four-byte word: one column of the state, or one word of the key schedule.
type Word = [u8; 4];

/// The state of FIPS 197 section 3.4 as its four columns: `state[c][r]` is s(r, c).
type State = [Word; 4];

/// Number of columns in the state (section 2.2).
const NB: usize = 4;

// Section 4.2: bytes as polynomials over GF(2) modulo m(x) = x^8 + x^4 + x^3 + x + 1.

/// Multiplication by x (section 4.2.1): shift, and subtract m(x) if x^8 appeared.
fn xtime(a: u8) -> u8 {
    let shifted = a << 1;
    if a & 0x80 == 0 { shifted } else { shifted ^ 0x1b }
}

/// Multiplication in GF(2^8): the sum of a * x^i over the bits i of b.
fn gf_mul(a: u8, b: u8) -> u8 {
    let mut product = 0;
    let mut a_times_power = a;
    let mut rest = b;
    while rest != 0 {
        if rest & 1 == 1 {
            product ^= a_times_power;
        }
        a_times_power = xtime(a_times_power);
        rest >>= 1;
    }
    product
}

/// The multiplicative inverse, found by trying all bytes; zero is mapped to itself.
fn gf_inverse(a: u8) -> u8 {
    (1..=255).find(|&b| gf_mul(a, b) == 1).unwrap_or(0)
}

// Section 5.1.1: the S-box.

/// The affine map: bit i of the result is b(i) + b(i+4) + b(i+5) + b(i+6) + b(i+7) + c(i), with
/// indices modulo 8 and c = 63 (hex).
fn affine(b: u8) -> u8 {
    let bit = |i: u32| (b >> (i % 8)) & 1;
    let c = |i: u32| (0x63 >> i) & 1;
    (0..8).fold(0, |result, i| {
        let sum = bit(i) ^ bit(i + 4) ^ bit(i + 5) ^ bit(i + 6) ^ bit(i + 7) ^ c(i);
        result | (sum << i)
    })
}

/// The S-box: inverse, then affine map.
static S_BOX: LazyLock<[u8; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| affine(gf_inverse(byte as u8))));

fn s_box(byte: u8) -> u8 {
    S_BOX[usize::from(byte)]
}

// Section 5.2: key expansion.

fn rot_word([a, b, c, d]: Word) -> Word {
    [b, c, d, a]
}

fn sub_word(word: Word) -> Word {
    word.map(s_box)
}

fn xor_words(a: Word, b: Word) -> Word {
    std::array::from_fn(|r| a[r] ^ b[r])
}

/// The round constant Rcon\[i\]: x^(i-1) followed by three zero bytes, for i from 1.
fn rcon(i: usize) -> Word {
    let power = (1..i).fold(1, |power, _| xtime(power));
    [power, 0, 0, 0]
}

/// KeyExpansion: Nb * (Nr + 1) words from a key of Nk words.
fn key_expansion(key: &[u8], nr: usize) -> Vec<Word> {
    let nk = key.len() / 4;
    let mut w: Vec<Word> = key.as_chunks().0.to_vec();
    for i in nk..NB * (nr + 1) {
        let mut temp = w[i - 1];
        if i % nk == 0 {
            temp = xor_words(sub_word(rot_word(temp)), rcon(i / nk));
        } else if nk > 6 && i % nk == 4 {
            temp = sub_word(temp);
        }
        w.push(xor_words(w[i - nk], temp));
    }
    w
}

// Sections 5.1.1 to 5.1.4: the four steps of a round.

fn sub_bytes(state: &State) -> State {
    state.map(sub_word)
}

/// Row r moves r places to the left: s'(r, c) = s(r, c + r).
fn shift_rows(state: &State) -> State {
    std::array::from_fn(|c| std::array::from_fn(|r| state[(c + r) % NB][r]))
}

/// One column times the polynomial whose matrix has `first_row` as its first row; each further row
/// is the one above it moved one place to the right.
fn mix_column(column: &Word, first_row: [u8; 4]) -> Word {
    std::array::from_fn(|r| {
        (0..4).fold(0, |sum, i| sum ^ gf_mul(column[i], first_row[(4 + i - r) % 4]))
    })
}

fn mix_columns(state: &State) -> State {
    state.map(|column| mix_column(&column, [0x02, 0x03, 0x01, 0x01]))
}

fn add_round_key(state: &State, round_key: &[Word]) -> State {
    std::array::from_fn(|c| xor_words(state[c], round_key[c]))
}

// Section 3.4: the block fills the state column by column.

fn state_of(block: &[u8; 16]) -> State {
    std::array::from_fn(|c| std::array::from_fn(|r| block[r + 4 * c]))
}

fn block_of(state: &State) -> [u8; 16] {
    std::array::from_fn(|i| state[i / 4][i % 4])
}

/// AES with one key.
#[derive(Clone, Debug)]
pub struct Aes {
    /// Number of rounds.
    nr: usize,
    /// The key schedule: four words for each round and four for the start.
    w: Vec<Word>,
}

impl Aes {
    /// Expands a key of 16, 24 or 32 bytes (Nk = 4, 6, 8; Nr = Nk + 6).
    pub fn new(key: &[u8]) -> Aes {
        assert!(matches!(key.len(), 16 | 24 | 32), "an AES key has 16, 24 or 32 bytes");
        let nr = key.len() / 4 + 6;
        let w = key_expansion(key, nr);
        Aes { nr, w }
    }

    /// The round keys, as blocks.
    pub fn round_keys(&self) -> Vec<[u8; 16]> {
        (0..=self.nr)
            .map(|round| std::array::from_fn(|i| self.round_key(round)[i / 4][i % 4]))
            .collect()
    }

    fn round_key(&self, round: usize) -> &[Word] {
        &self.w[round * NB..(round + 1) * NB]
    }

    /// Cipher (section 5.1).
    pub fn encrypt(&self, block: &[u8; 16]) -> [u8; 16] {
        let mut state = add_round_key(&state_of(block), self.round_key(0));
        for round in 1..self.nr {
            state = sub_bytes(&state);
            state = shift_rows(&state);
            state = mix_columns(&state);
            state = add_round_key(&state, self.round_key(round));
        }
        // The last round has no MixColumns.
        state = sub_bytes(&state);
        state = shift_rows(&state);
        state = add_round_key(&state, self.round_key(self.nr));
        block_of(&state)
    }
}

#[cfg(test)]
mod tests {
    use super::{Aes, affine, s_box};

    /// The plaintext of FIPS 197 appendix C: 00112233..ff.
    fn appendix_c_plaintext() -> [u8; 16] {
        std::array::from_fn(|i| 0x11 * i as u8)
    }

    /// Encrypts under the key 00 01 02 ..
    fn check_appendix_c(key_length: u8, ciphertext: u128) {
        let key: Vec<u8> = (0..key_length).collect();
        assert_eq!(Aes::new(&key).encrypt(&appendix_c_plaintext()), ciphertext.to_be_bytes());
    }

    #[test]
    fn fips_197_appendix_c() {
        check_appendix_c(16, 0x69c4e0d86a7b0430d8cdb78070b4c55a);
        check_appendix_c(24, 0xdda97ca4864cdfe06eaf70a0ec0d7191);
        check_appendix_c(32, 0x8ea2b7ca516745bfeafc49904b496089);
    }

    #[test]
    fn the_s_box_at_its_corners_and_at_the_example_of_section_5_1_1() {
        assert_eq!(affine(0), 0x63);
        assert_eq!(s_box(0x00), 0x63);
        assert_eq!(s_box(0x53), 0xed);
        assert_eq!(s_box(0xff), 0x16);
    }
}
