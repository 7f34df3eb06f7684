//! UMAC of 1999 (UMAC-STD-30, -STD-60, -MMX-15, -MMX-30, -MMX-60), to be read beside Black, Halevi, Krawczyk,
//! Krovetz, Rogaway, "UMAC: Fast and Secure Message Authentication" (CRYPTO '99, full version), and
//! the authors' code 0.25.05, which fixes what the paper leaves open. At the end, the paper's
//! illustrative case.
//!
//! A STD set hashes twice with words of 32 bits (the paper's 2L) and authenticates the result with
//! HMAC-SHA1; an MMX set hashes once with words of 16 bits, paired 8 apart, and authenticates with a
//! CBC-MAC of RC6. The *outputs* of a block, counted from 0, come from shifted keys (Toeplitz).

use crate::hmac::hmac;
use crate::rc6::Rc6;
use crate::sha1::sha1;
use crate::umac_rfc4418::xor;
use crate::universal::{Sign, nh, nhx, words};

// The sets.

/// Which half of section 2.2 a set belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Words of 32 bits, two levels, HMAC-SHA1; a user key of 20 bytes and a tag of 20.
    Std,
    /// Words of 16 bits, one level, RC6; a user key of 16 bytes and a tag of 16.
    Mmx,
}

/// One of the five named sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// The family of the set.
    pub family: Family,
    /// t, how many outputs a block has: of 8 bytes (STD) or of 4 (MMX).
    pub t: usize,
}

/// UMAC-STD-30.
pub const STD_30: Set = Set { family: Family::Std, t: 1 };
/// UMAC-STD-60.
pub const STD_60: Set = Set { family: Family::Std, t: 2 };
/// UMAC-MMX-15.
pub const MMX_15: Set = Set { family: Family::Mmx, t: 1 };
/// UMAC-MMX-30.
pub const MMX_30: Set = Set { family: Family::Mmx, t: 2 };
/// UMAC-MMX-60.
pub const MMX_60: Set = Set { family: Family::Mmx, t: 4 };

impl Set {
    /// The set of that name.
    pub fn parse(name: &str) -> Option<Set> {
        match name {
            "UMAC-STD-30" => Some(STD_30),
            "UMAC-STD-60" => Some(STD_60),
            "UMAC-MMX-15" => Some(MMX_15),
            "UMAC-MMX-30" => Some(MMX_30),
            "UMAC-MMX-60" => Some(MMX_60),
            _ => None,
        }
    }

    /// The length in bytes of the user's key, of the tag, and of one output of the generator.
    pub fn key_len(self) -> usize {
        match self.family {
            Family::Std => 20,
            Family::Mmx => 16,
        }
    }

    /// The length in bytes of the hash key: those of its levels, and a shift for each output but
    /// one (and for each level).
    pub fn hash_key_len(self) -> usize {
        match self.family {
            Family::Std => 256 + 128 + 2 * STD_SHIFT * (self.t - 1),
            Family::Mmx => 4096 + MMX_SHIFT * (self.t - 1),
        }
    }

    /// Messages shorter than this are not hashed.
    pub fn min_len_to_hash(self) -> usize {
        match self.family {
            Family::Std => 56,
            Family::Mmx => 33,
        }
    }

    /// Blocks are zero-padded to a multiple of this many bytes.
    pub fn pad_boundary(self) -> usize {
        match self.family {
            Family::Std => 8,
            Family::Mmx => 32,
        }
    }
}

/// How many bytes of message one block hash takes.
pub const BLOCK_LEN: usize = 4096;

/// How many bytes of message one hash of level 1 takes (STD).
const CHUNK_LEN: usize = 256;

/// How far the keys of successive outputs are apart, in bytes.
const STD_SHIFT: usize = 8;
const MMX_SHIFT: usize = 16;

/// The padding in the CBC-MAC of the MMX sets after a last block that is not full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A 1 bit and zeroes (section 8.4).
    Paper,
    /// The behavior of the authors' code: only zeroes, if the input of the PRF has at most 64 bytes.
    Ref02505,
}

// The pseudorandom generator, and the keys from it.

/// PRG: o is zeroes and the byte `index`, as long as the key; then o = SHA1(key || o) or RC6(o), repeatedly; the first
/// `len` bytes of these.
pub fn prg(set: Set, key: &[u8], index: u8, len: usize) -> Vec<u8> {
    assert_eq!(key.len(), set.key_len(), "the user's key has {} bytes", set.key_len());
    let mut o = vec![0; set.key_len()];
    o[set.key_len() - 1] = index;
    let mut output = Vec::new();
    while output.len() < len {
        o = match set.family {
            Family::Std => sha1(&[key, &o].concat()),
            Family::Mmx => rc6(key, &o),
        };
        output.extend(&o);
    }
    output.truncate(len);
    output
}

fn rc6(key: &[u8], block: &[u8]) -> Vec<u8> {
    let block: &[u8; 16] = block.try_into().expect("a block of RC6 has 16 bytes");
    Rc6::new(key).encrypt(block).to_vec()
}

/// The key of the hash.
pub fn hash_key(set: Set, key: &[u8]) -> Vec<u8> {
    prg(set, key, 1, set.hash_key_len())
}

/// The key of the PRF: 64 bytes for HMAC, or the three keys c1, c2, c3 of RC6.
pub fn prf_key(set: Set, key: &[u8]) -> Vec<u8> {
    let len = match set.family {
        Family::Std => 64,
        Family::Mmx => 3 * 16,
    };
    prg(set, key, 0, len)
}

// The hash of a block and of a message.

/// The bytes followed by the fewest zeroes that make a multiple.
pub(crate) fn zero_pad(bytes: &[u8], multiple: usize) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().next_multiple_of(multiple), 0);
    padded
}

/// The hash of a block of 1 to 4096 bytes: t big-endian numbers. `hash_key` is all of
/// [`hash_key`]'s.
pub fn block_hash(set: Set, hash_key: &[u8], block: &[u8]) -> Vec<u8> {
    assert_eq!(hash_key.len(), set.hash_key_len());
    assert!((1..=BLOCK_LEN).contains(&block.len()), "a block has 1 to 4096 bytes");
    let block = zero_pad(block, set.pad_boundary());
    let mut outputs = Vec::new();
    for i in 0..set.t {
        match set.family {
            Family::Std => outputs.extend(std_output(set, hash_key, &block, i).to_be_bytes()),
            Family::Mmx => outputs.extend(mmx_output(hash_key, &block, i).to_be_bytes()),
        }
    }
    outputs
}

/// Output i of a MMX set: NHS of words of 16 bits.
fn mmx_output(hash_key: &[u8], block: &[u8], i: usize) -> u32 {
    let k = paired(&hash_key[MMX_SHIFT * i..MMX_SHIFT * i + BLOCK_LEN]);
    nh(Sign::Signed, 16, &k, &paired(block)) as u32
}

/// Words of 16 bits: in each group of sixteen, word j stands before word j + 8, with which it is
/// multiplied. (The paper's Figure 2 pairs them 4 apart, the authors' code 8.)
fn paired(bytes: &[u8]) -> Vec<u64> {
    let mut paired = Vec::new();
    for group in words(16, bytes).chunks(16) {
        for j in 0..8 {
            paired.extend([group[j], group[j + 8]]);
        }
    }
    paired
}

/// Output i of a STD set: NHS of words of 32 bits. The chunks of 256 bytes are hashed to 64 bits
/// each, and those, as words high half first, once more.
fn std_output(set: Set, hash_key: &[u8], block: &[u8], i: usize) -> u64 {
    let level_1 = STD_SHIFT * i;
    let level_2 = CHUNK_LEN + STD_SHIFT * (set.t - 1) + STD_SHIFT * i;
    let k_1 = words(32, &hash_key[level_1..level_1 + CHUNK_LEN]);
    let k_2 = words(32, &hash_key[level_2..level_2 + 128]);

    let mut halves = Vec::new();
    for chunk in block.chunks(CHUNK_LEN) {
        let h = nh(Sign::Signed, 32, &k_1, &words(32, chunk)) as u64;
        halves.extend([h >> 32, h % (1 << 32)]);
    }
    nh(Sign::Signed, 32, &k_2, &halves) as u64
}

/// HM: the hashes of the message's blocks of 4096 bytes. The last block may be shorter.
pub fn hash_message(set: Set, hash_key: &[u8], message: &[u8]) -> Vec<u8> {
    message.chunks(BLOCK_LEN).flat_map(|block| block_hash(set, hash_key, block)).collect()
}

// The pseudorandom function.

/// PRF_i(X). `prf_key` is all of [`prf_key`]'s. The STD sets ignore `mode`.
pub fn prf(set: Set, mode: Mode, prf_key: &[u8], i: u8, x: &[u8]) -> Vec<u8> {
    match set.family {
        Family::Std => {
            let mut input = vec![0; 63];
            input.push(i);
            input.extend(x);
            hmac(sha1, prf_key, &input)
        }
        Family::Mmx => prf_rc6(mode, prf_key, i, x),
    }
}

/// The CBC-MAC of section 8.4 with RC6: all blocks but the last go through c1. A full last block
/// goes through c3; another is padded and goes through c2. (The paper has these two keys the other
/// way round.)
fn prf_rc6(mode: Mode, prf_key: &[u8], i: u8, x: &[u8]) -> Vec<u8> {
    assert_eq!(prf_key.len(), 3 * 16);
    let (c1, c2, c3) = (&prf_key[..16], &prf_key[16..32], &prf_key[32..]);

    let mut input = vec![0; 15];
    input.push(i);
    input.extend(x);
    let last_key = if input.len().is_multiple_of(16) {
        c3
    } else {
        if mode == Mode::Paper || x.len() > 64 {
            input.push(0x80);
        }
        input = zero_pad(&input, 16);
        c2
    };

    let (first, last) = input.split_at(input.len() - 16);
    let mut chain = vec![0; 16];
    for block in first.chunks(16) {
        chain = rc6(c1, &xor(&chain, block));
    }
    rc6(last_key, &xor(&chain, last))
}

// The tag.

/// What follows the hash in the input of PRF_0: the length of the last block in bits (0 if it is
/// full), the nonce without the zero bytes at its beginning, and how many bytes of it there are.
fn prf_input(hm: &[u8], message_len: usize, nonce: &[u8; 8]) -> Vec<u8> {
    let l = 8 * (message_len % BLOCK_LEN) as u16;
    let zeroes = nonce.iter().take(7).take_while(|&&byte| byte == 0).count();
    let n = &nonce[zeroes..];
    let c = n.len() as u8;
    [hm, &l.to_be_bytes(), n, &[c]].concat()
}

/// The index and the input X of the PRF that makes the tag: a short message itself, with index 1
/// (the nonce is not used), or the hash, with index 0.
pub fn tag_input(set: Set, key: &[u8], message: &[u8], nonce: &[u8; 8]) -> (u8, Vec<u8>) {
    if message.len() < set.min_len_to_hash() {
        return (1, message.to_vec());
    }
    let hm = hash_message(set, &hash_key(set, key), message);
    (0, prf_input(&hm, message.len(), nonce))
}

/// The whole tag, of 20 (STD) or 16 (MMX) bytes.
pub fn umac_1999(set: Set, mode: Mode, key: &[u8], message: &[u8], nonce: &[u8; 8]) -> Vec<u8> {
    let (i, x) = tag_input(set, key, message, nonce);
    prf(set, mode, &prf_key(set, key), i, &x)
}

// The illustrative special case, Figure 1.

/// HM of Figure 1: NH of the blocks of 1024 words, the last one zero-padded to a multiple of 8
/// bytes, then the length of the message in bytes modulo 4096.
///
/// The paper leaves the order of bytes open. Here words (of key and message) are little-endian, as
/// in the named sets, and hashes and the length big-endian. An empty message has no block.
pub fn figure_1_hash(k: &[u8; BLOCK_LEN], message: &[u8]) -> Vec<u8> {
    nhx(Sign::Unsigned, 32, 1, &words(32, k), 2, message)
}

/// The tag of Figure 1: HMAC-SHA1_A(Nonce || HM), with K and A given instead of the generator that
/// the paper leaves open.
pub fn figure_1(k: &[u8; BLOCK_LEN], a: &[u8; 64], message: &[u8], nonce: &[u8; 8]) -> Vec<u8> {
    hmac(sha1, a, &[nonce, figure_1_hash(k, message).as_slice()].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETS: [Set; 5] = [STD_30, STD_60, MMX_15, MMX_30, MMX_60];
    const NONCE: &[u8; 8] = b"bcdefghi";

    fn key(set: Set) -> &'static [u8] {
        &b"abcdefghijklmnopqrst"[..set.key_len()]
    }

    #[test]
    fn the_numbers_of_the_sets() {
        let lengths = SETS
            .map(|set| (set.hash_key_len(), block_hash(set, &hash_key(set, key(set)), &[1]).len()));
        assert_eq!(lengths, [(384, 8), (400, 16), (4096, 4), (4112, 8), (4144, 16)]);
        assert_eq!(
            SETS.map(|set| umac_1999(set, Mode::Paper, key(set), b"", NONCE).len()),
            [20, 20, 16, 16, 16]
        );
        assert_eq!(Set::parse("UMAC-MMX-60"), Some(MMX_60));
        assert_eq!(Set::parse("UMAC-MMX-45"), None);
    }

    #[test]
    fn the_nonce_of_a_short_message_is_not_used() {
        for set in SETS {
            let tag = |len, nonce| umac_1999(set, Mode::Paper, key(set), &vec![7; len], nonce);
            let min = set.min_len_to_hash();
            assert_eq!(tag(min - 1, NONCE), tag(min - 1, &[0; 8]));
            assert_ne!(tag(min, NONCE), tag(min, &[0; 8]));
        }
    }

    #[test]
    fn where_the_modes_differ() {
        let keys = prf_key(MMX_30, key(MMX_30));
        for len in 0..=100 {
            let x = vec![1; len];
            let [paper, code] =
                [Mode::Paper, Mode::Ref02505].map(|mode| prf(MMX_30, mode, &keys, 1, &x));
            assert_eq!(paper == code, len % 16 == 0 || len > 64, "{len} bytes");
        }
        let zero = |len| prf(MMX_30, Mode::Ref02505, &keys, 1, &vec![0; len]);
        assert_eq!(zero(3), zero(4));
    }

    #[test]
    fn figure_1_by_hand() {
        let mut k = [0; BLOCK_LEN];
        k[0] = 1;
        let mut message = vec![0; BLOCK_LEN + 5];
        message[1] = 1; // 256 + 1, times 2
        message[4] = 2;
        message[BLOCK_LEN + 4] = 3; // 0 + 1, times 3
        let expected = [0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 5];
        assert_eq!(figure_1_hash(&k, &message), expected);
        assert_eq!(figure_1_hash(&k, b""), [0, 0]);
        let text = [NONCE.as_slice(), &expected].concat();
        assert_eq!(figure_1(&k, &[4; 64], &message, NONCE), hmac(sha1, &[4; 64], &text));
    }
}
