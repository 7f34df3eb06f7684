//! UMAC of October 2000 (UMAC16, UMAC32, UMAC-w/l/n/k/s/e), to be read beside draft-krovetz-umac-01: KDF and PDF
//! (section 4), UHASH-32 and UHASH-16 in one (5 and 6), UMAC (7).
//!
//! Sections 5 and 6 of the draft are the same for words of four bytes and of two. Here both
//! are functions of [`Params`], whose `word_len` is the draft's WORD-LEN. A hash of l bytes
//! consists of ceil(l / w) *streams* (the draft's iterations), counted from 0; [`l1_key`], [`l2_key`],
//! [`l3_keys`] and [`l3_mask`] return the keys of one stream.
//!
//! Where the draft contradicts itself or its authors' published code, a field of [`Params`]
//! selects the reading: [`Cipher`], [`L3Keys`] and [`NonceIndex`].

use crate::aes::Aes;
use crate::rc6::Rc6;
use crate::umac_rfc4418::{inner_product, l2_hash, masked, pad_with_80, xor};
pub use crate::umac_rfc4418::{limit, poly, prime, zero_pad};
use crate::wide::Nat;

// Section 2: the parameters and their names.

/// L1-OPERATIONS-SIGN: how level 1 reads the factors of its products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// As two's complement.
    Signed,
    /// As natural numbers.
    Unsigned,
}

/// ENDIAN-FAVORITE: how level 1 reads the words of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// First byte least significant.
    Little,
    /// First byte most significant.
    Big,
}

/// The block cipher E.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// The draft's.
    Aes,
    /// RC6-32/20, which the authors' code used before AES was final, with keys as long as AES's.
    Rc6,
}

/// Which eight numbers of the level-3 key string are c_0 to c_7 of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum L3Keys {
    /// The draft's algorithm: each stream has eight of its own.
    Draft,
    /// The authors' code 0.05 (October 2000). For w = 4, of the eight numbers that the draft gives a
    /// stream it keeps the last four, lays these groups end to end, and stream i takes the four that
    /// begin at number i. For w = 2 it does as the draft says.
    Refcode005,
    /// The authors' code 0.01 (August 2000): as 0.05, but with the first four of each eight; and for
    /// w = 2 the stream's own first four.
    Refcode001,
}

/// Where PDF takes the bits that select the part of a block that is the pad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NonceIndex {
    /// From the end of the nonce as it was given: what the draft describes and its authors' code does.
    UnpaddedIndex,
    /// From the end of the nonce after the zeroes were appended, as the draft's algorithm reads.
    DraftLiteral,
}

/// The parameters of section 2.1, and the chosen readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Params {
    /// w = WORD-LEN: 2 or 4 bytes.
    pub word_len: usize,
    /// l = UMAC-OUTPUT-LEN: 1 to 32 bytes.
    pub output_len: usize,
    /// n = L1-KEY-LEN: a power of two, 32 to 2^28 bytes.
    pub l1_key_len: usize,
    /// k = UMAC-KEY-LEN: 16 or 32 bytes.
    pub key_len: usize,
    /// s = L1-OPERATIONS-SIGN.
    pub sign: Sign,
    /// e = ENDIAN-FAVORITE.
    pub endian: Endian,
    /// AES, if the draft is followed.
    pub cipher: Cipher,
    /// `Draft`, if the draft is followed.
    pub l3_keys: L3Keys,
    /// `UnpaddedIndex`, if the draft's intention is followed.
    pub nonce_index: NonceIndex,
}

/// UMAC16 = UMAC-2/8/1024/16/SIGNED/LITTLE.
pub const UMAC16: Params = Params { word_len: 2, sign: Sign::Signed, ..UMAC32 };

/// UMAC32 = UMAC-4/8/1024/16/UNSIGNED/LITTLE.
pub const UMAC32: Params = Params {
    word_len: 4,
    output_len: 8,
    l1_key_len: 1024,
    key_len: 16,
    sign: Sign::Unsigned,
    endian: Endian::Little,
    cipher: Cipher::Aes,
    l3_keys: L3Keys::Draft,
    nonce_index: NonceIndex::UnpaddedIndex,
};

/// The function that a name denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// The tag.
    Umac,
    /// The hash alone.
    Uhash,
}

impl Params {
    /// Reads `UMAC16`, `UMAC32`, `UMAC-w/l/n/k/s/e` or `UHASH-w/l/n/k/s/e` (section 2.3). Parts
    /// missing at the end are those of UMAC32. `None` for anything else.
    pub fn parse(name: &str) -> Option<(Function, Params)> {
        match name {
            "UMAC16" => return Some((Function::Umac, UMAC16)),
            "UMAC32" => return Some((Function::Umac, UMAC32)),
            _ => {}
        }
        let (function, parts) = name.split_once('-')?;
        let function = match function {
            "UMAC" => Function::Umac,
            "UHASH" => Function::Uhash,
            _ => return None,
        };
        let (mut params, mut parts) = (UMAC32, parts.split('/'));
        let Params { word_len, output_len, l1_key_len, key_len, .. } = &mut params;
        for (number, part) in
            [word_len, output_len, l1_key_len, key_len].into_iter().zip(&mut parts)
        {
            *number = decimal(part)?;
        }
        params.sign = match parts.next() {
            Some("SIGNED") => Sign::Signed,
            Some("UNSIGNED") | None => Sign::Unsigned,
            Some(_) => return None,
        };
        params.endian = match parts.next() {
            Some("BIG") => Endian::Big,
            Some("LITTLE") | None => Endian::Little,
            Some(_) => return None,
        };
        (parts.next().is_none() && params.are_allowed()).then_some((function, params))
    }

    /// Whether every number is one that section 2.1 allows.
    pub fn are_allowed(&self) -> bool {
        matches!(self.word_len, 2 | 4)
            && (1..=32).contains(&self.output_len)
            && self.l1_key_len.is_power_of_two()
            && (32..=1 << 28).contains(&self.l1_key_len)
            && matches!(self.key_len, 16 | 32)
    }

    /// How many streams make the hash.
    pub fn streams(&self) -> usize {
        self.output_len.div_ceil(self.word_len)
    }
}

/// A number as `to_string` writes it: without sign or leading zeroes.
fn decimal(part: &str) -> Option<usize> {
    let number: usize = part.parse().ok()?;
    (number.to_string() == part).then_some(number)
}

// Section 4.1: key derivation.

/// E_K(block).
fn e(cipher: Cipher, key: &[u8], block: &[u8; 16]) -> [u8; 16] {
    match cipher {
        Cipher::Aes => Aes::new(key).encrypt(block),
        Cipher::Rc6 => Rc6::new(key).encrypt(block),
    }
}

/// KDF: output feedback from the block of 15 zero bytes and the byte `index`; the first `len`
/// bytes of it.
pub fn kdf(params: &Params, key: &[u8], index: u8, len: usize) -> Vec<u8> {
    assert!(params.are_allowed(), "parameters that the draft does not have: {params:?}");
    assert_eq!(key.len(), params.key_len, "a key has UMAC-KEY-LEN bytes");
    let mut t = [0; 16];
    t[15] = index;
    let mut output = Vec::new();
    while output.len() < len {
        t = e(params.cipher, key, &t);
        output.extend(t);
    }
    output.truncate(len);
    output
}

/// The index of each key string.
const L1_KEY_INDEX: u8 = 0;
const L2_KEY_INDEX: u8 = 1;
const L3_KEY_INDEX: u8 = 2;
const L3_MASK_INDEX: u8 = 3;
const PAD_KEY_INDEX: u8 = 128;
const SECOND_PAD_KEY_INDEX: u8 = 129;

/// The L1Key of a stream: n bytes. The streams share one string of n + 16 * (streams - 1) bytes,
/// and each starts 16 bytes after the one before.
pub fn l1_key(params: &Params, key: &[u8], stream: usize) -> Vec<u8> {
    let start = 16 * stream;
    kdf(params, key, L1_KEY_INDEX, start + params.l1_key_len).split_off(start)
}

/// How many bytes of level-2 key a stream has: 24 (w = 4: for POLY-64 and POLY-128) or 28 (w = 2:
/// for POLY-32 as well).
fn l2_key_len(params: &Params) -> usize {
    match params.word_len {
        4 => 8 + 16,
        _ => 4 + 8 + 16,
    }
}

/// The L2Key of a stream, as it comes out of the KDF.
pub fn l2_key(params: &Params, key: &[u8], stream: usize) -> Vec<u8> {
    let c = l2_key_len(params);
    kdf(params, key, L2_KEY_INDEX, c * (stream + 1)).split_off(c * stream)
}

/// The L3Key of a stream as the draft has it: 16 * w bytes, as they come out of the KDF.
pub fn l3_key(params: &Params, key: &[u8], stream: usize) -> Vec<u8> {
    let len = 16 * params.word_len;
    kdf(params, key, L3_KEY_INDEX, len * (stream + 1)).split_off(len * stream)
}

/// c_0 to c_7 of a stream: numbers of 2w bytes, modulo p36 (w = 4) or p19 (w = 2).
///
/// The authors' code has no c_0 to c_3, since it never goes on to POLY-128; where it is followed
/// (and differs from the draft), these are given as 0, and [`uhash_stream`] does not use them.
pub fn l3_keys(params: &Params, key: &[u8], stream: usize) -> [u64; 8] {
    let eight = |stream| l3_numbers(params, &l3_key(params, key, stream));
    let kept = match params.l3_keys {
        L3Keys::Draft => return eight(stream),
        L3Keys::Refcode005 if params.word_len == 2 => return eight(stream),
        L3Keys::Refcode005 => 4..8,
        L3Keys::Refcode001 => 0..4,
    };
    let four: Vec<u64> = if params.word_len == 2 {
        eight(stream)[kept].to_vec()
    } else {
        // Number `stream` of the groups laid end to end; four from there are in two groups.
        let groups = (0..=stream).flat_map(|group| eight(group)[kept.clone()].to_vec());
        groups.skip(stream).take(4).collect()
    };
    [0, 0, 0, 0, four[0], four[1], four[2], four[3]]
}

fn l3_numbers(params: &Params, l3_key: &[u8]) -> [u64; 8] {
    let len = 2 * params.word_len;
    std::array::from_fn(|i| {
        let bytes = &l3_key[len * i..len * (i + 1)];
        bytes.iter().fold(0, |number, &byte| (number << 8) | u64::from(byte)) % l3_prime(params)
    })
}

/// p36 or p19.
fn l3_prime(params: &Params) -> u64 {
    match params.word_len {
        4 => (1 << 36) - 5,
        _ => (1 << 19) - 1,
    }
}

/// The L3Mask of a stream: w bytes.
pub fn l3_mask(params: &Params, key: &[u8], stream: usize) -> Vec<u8> {
    let w = params.word_len;
    kdf(params, key, L3_MASK_INDEX, w * (stream + 1)).split_off(w * stream)
}

/// The key that encrypts nonces: K1.
pub fn pad_key(params: &Params, key: &[u8]) -> Vec<u8> {
    kdf(params, key, PAD_KEY_INDEX, params.key_len)
}

/// The key that encrypts nonces once more for outputs of more than 16 bytes: K2.
pub fn second_pad_key(params: &Params, key: &[u8]) -> Vec<u8> {
    kdf(params, key, SECOND_PAD_KEY_INDEX, params.key_len)
}

// Section 4.2: pad derivation.

/// b: how many bits of the nonce select the part of the block that is the pad of l bytes; 0 if the block
/// has room for only one.
pub fn index_bits(output_len: usize) -> u32 {
    match 16 / output_len {
        0 | 1 => 0,
        pads => pads.ilog2(),
    }
}

/// PDF: the pad of l bytes for a nonce of 1 to 16 bytes.
pub fn pdf(params: &Params, key: &[u8], nonce: &[u8]) -> Vec<u8> {
    assert!((1..=16).contains(&nonce.len()), "a nonce has 1 to 16 bytes");
    let l = params.output_len;

    // The index is in the last byte of the nonce, or of the block.
    let mut block = [0; 16];
    block[..nonce.len()].copy_from_slice(nonce);
    let last = match params.nonce_index {
        NonceIndex::UnpaddedIndex => nonce.len() - 1,
        NonceIndex::DraftLiteral => 15,
    };
    let index = block[last] % (1 << index_bits(l));
    block[last] -= index;

    let mut pads = e(params.cipher, &pad_key(params, key), &block).to_vec();
    if l > 16 {
        pads.extend(e(params.cipher, &second_pad_key(params, key), &block));
    }
    let start = usize::from(index) * l;
    pads[start..start + l].to_vec()
}

// Sections 5.1, 5.2, 6.1, 6.2: level 1.

/// Word i of the message, in the favorite endianness, or of the key, always big-endian.
fn word(params: &Params, endian: Endian, bytes: &[u8], i: usize) -> u64 {
    let word = &bytes[params.word_len * i..params.word_len * (i + 1)];
    let append = |number, byte: &u8| (number << 8) | u64::from(*byte);
    match endian {
        Endian::Big => word.iter().fold(0, append),
        Endian::Little => word.iter().rev().fold(0, append),
    }
}

/// (m + k) mod 2^(8w), read with the sign of the parameters.
fn factor(params: &Params, m: u64, k: u64) -> i128 {
    let modulus = 1 << (8 * params.word_len);
    let sum = i128::from((m + k) % modulus);
    match params.sign {
        Sign::Signed if sum >= i128::from(modulus / 2) => sum - i128::from(modulus),
        _ => sum,
    }
}

/// NH of a string whose length is a non-zero multiple of 32, without the length of the chunk:
/// modulo 2^(16w).
///
/// In each group of 32 bytes, which are 2g words, word j is multiplied with word j + g.
pub fn nh(params: &Params, l1_key: &[u8], padded: &[u8]) -> u64 {
    assert!(!padded.is_empty() && padded.len().is_multiple_of(32));
    assert!(padded.len() <= l1_key.len());
    let g = 16 / params.word_len;
    let modulus = 1_i128 << (16 * params.word_len);
    let add = |j| {
        let m = word(params, params.endian, padded, j);
        factor(params, m, word(params, Endian::Big, l1_key, j))
    };
    let mut sum = 0;
    for group in (0..padded.len() / params.word_len).step_by(2 * g) {
        for j in group..group + g {
            sum = (sum + add(j) * add(j + g)).rem_euclid(modulus);
        }
    }
    sum as u64
}

/// Level 1 for one chunk of 0 to n bytes: NH of the padded chunk, plus the chunk's length in bits
/// before padding, modulo 2^(16w), in 2w bytes.
pub fn l1_hash(params: &Params, l1_key: &[u8], chunk: &[u8]) -> Vec<u8> {
    assert_eq!(l1_key.len(), params.l1_key_len);
    assert!(chunk.len() <= params.l1_key_len);
    let modulus = 1_u128 << (16 * params.word_len);
    let nh = u128::from(nh(params, l1_key, &zero_pad(chunk, 32)));
    let y = (nh + 8 * chunk.len() as u128) % modulus;
    y.to_be_bytes()[16 - 2 * params.word_len..].to_vec()
}

/// Level 1 for a whole message: the outputs of its chunks of n bytes, one after the other. The last
/// chunk may be shorter, and an empty message is one empty chunk.
pub fn l1(params: &Params, l1_key: &[u8], message: &[u8]) -> Vec<u8> {
    if message.is_empty() {
        return l1_hash(params, l1_key, message);
    }
    message.chunks(params.l1_key_len).flat_map(|chunk| l1_hash(params, l1_key, chunk)).collect()
}

// Section 5.3: POLY.

/// POLY of `bits` bits, with its limit, of a string of words of that size.
fn poly_of(bits: usize, key: &Nat, words: &[u8]) -> Nat {
    assert!(words.len().is_multiple_of(bits / 8));
    let words: Vec<Nat> = words.chunks(bits / 8).map(Nat::from_be_bytes).collect();
    poly(bits, &limit(bits), key, &words)
}

// Sections 5.4, 6.3: level 2.

/// The point of POLY-32: the first 4 bytes of the L2Key, masked with 1fffffff. For w = 2 only; the
/// L2Key of w = 4 begins with the point of POLY-64.
pub fn k32(params: &Params, l2_key: &[u8]) -> Nat {
    assert_eq!(params.word_len, 2, "only UHASH-16 has a POLY-32");
    masked(&l2_key[..4], 0x1f)
}

/// The point of POLY-64: the next 8 bytes, masked with 01ffffff01ffffff.
pub fn k64(params: &Params, l2_key: &[u8]) -> Nat {
    let start = l2_key_len(params) - 24;
    masked(&l2_key[start..start + 8], 0x01)
}

/// The point of POLY-128: the last 16 bytes, masked with 01ffffff four times.
pub fn k128(params: &Params, l2_key: &[u8]) -> Nat {
    masked(&l2_key[l2_key_len(params) - 16..], 0x01)
}

/// How many bytes of level-1 outputs POLY-32 takes, if w = 2: those of 2^9 chunks.
const POLY32_BYTES_16: usize = 1 << 11;

/// How many bytes of level-1 outputs POLY-32 and POLY-64 take together, if w = 2.
const POLY64_BYTES_16: u64 = 1 << 33;

/// L2-HASH-16, which has two such steps. A test lowers `poly64_bytes` to reach the second.
fn l2_hash_16(params: &Params, l2_key: &[u8], a: &[u8], poly64_bytes: u64) -> Nat {
    let (k32, k64) = (k32(params, l2_key), k64(params, l2_key));
    if a.len() <= POLY32_BYTES_16 {
        return poly_of(32, &k32, a);
    }
    let (m_1, rest) = a.split_at(POLY32_BYTES_16);
    let y = poly_of(32, &k32, m_1);
    if a.len() as u64 <= poly64_bytes {
        let m_2 = pad_with_80(rest, 8);
        return poly_of(64, &k64, &[y.to_be_bytes(8), m_2].concat());
    }
    let (m_2, m_3) = rest.split_at(poly64_bytes as usize - POLY32_BYTES_16);
    let y = poly_of(64, &k64, &[y.to_be_bytes(8), m_2.to_vec()].concat());
    // The draft writes M here, but means M_3.
    let m_3 = pad_with_80(m_3, 16);
    poly_of(128, &k128(params, l2_key), &[y.to_be_bytes(16), m_3].concat())
}

/// Level 2 for the level-1 outputs of one stream (`a`, from [`l1`]): 16 bytes.
///
/// A single output (a message of at most n bytes) skips this level: it is only extended to 16 bytes
/// with zeroes before it.
pub fn l2(params: &Params, l2_key: &[u8], a: &[u8]) -> [u8; 16] {
    let output_len = 2 * params.word_len;
    assert_eq!(l2_key.len(), l2_key_len(params));
    assert!(!a.is_empty() && a.len().is_multiple_of(output_len));
    let y = if a.len() == output_len {
        Nat::from_be_bytes(a)
    } else if params.word_len == 4 {
        // L2-HASH-32, which RFC 4418 kept.
        let outputs = a.as_chunks().0.iter().map(|output| u64::from_be_bytes(*output));
        return l2_hash(l2_key.try_into().expect("24 bytes"), &outputs.collect::<Vec<u64>>());
    } else {
        l2_hash_16(params, l2_key, a, POLY64_BYTES_16)
    };
    let b = y.to_be_bytes(16);
    std::array::from_fn(|i| b[i])
}

// Sections 5.5, 6.4: level 3.

/// Level 3: the inner product of b, as eight numbers of two bytes, with c_0 to c_7, modulo p36 or
/// p19; its lower 8w bits xor the mask.
pub fn l3(params: &Params, l3_keys: &[u64; 8], l3_mask: &[u8], b: &[u8; 16]) -> Vec<u8> {
    let z = inner_product(l3_prime(params), l3_keys.iter().copied(), b);
    let low = z % (1 << (8 * params.word_len));
    xor(&low.to_be_bytes()[8 - params.word_len..], l3_mask)
}

// Sections 5.6, 6.5: the hash.

/// The three levels of one stream: w bytes of UHASH.
pub fn uhash_stream(params: &Params, key: &[u8], message: &[u8], stream: usize) -> Vec<u8> {
    let a = l1(params, &l1_key(params, key, stream), message);
    let b = l2(params, &l2_key(params, key, stream), &a);
    // The authors' code stops before POLY-128, and only the results of that need c_0 to c_3.
    let all_eight = params.l3_keys == L3Keys::Draft;
    assert!(all_eight || b[..8] == [0; 8], "the message is too long for the authors' code");
    l3(params, &l3_keys(params, key, stream), &l3_mask(params, key, stream), &b)
}

/// UHASH: l bytes.
pub fn uhash(params: &Params, key: &[u8], message: &[u8]) -> Vec<u8> {
    let stream = |stream| uhash_stream(params, key, message, stream);
    let mut hash: Vec<u8> = (0..params.streams()).flat_map(stream).collect();
    hash.truncate(params.output_len);
    hash
}

// Section 7: the tag.

/// UMAC: UHASH xor the pad, l bytes. The nonce has 1 to 16 bytes.
pub fn umac(params: &Params, key: &[u8], message: &[u8], nonce: &[u8]) -> Vec<u8> {
    xor(&uhash(params, key, message), &pdf(params, key, nonce))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_bits_of_every_length() {
        let bits: Vec<u32> = (1..=10).map(index_bits).collect();
        assert_eq!(bits, [4, 3, 2, 2, 1, 1, 1, 1, 0, 0]);
        assert_eq!(index_bits(32), 0);
    }

    /// The second step of UHASH-16 is out of reach, so the test moves it to the point where POLY-64 has taken
    /// two words after the result of POLY-32.
    #[test]
    fn the_steps_of_level_2() {
        let key: Vec<u8> = (100..128).collect();
        let a: Vec<u8> = (0..2048 + 24).map(|i| (i * i / 4) as u8).collect();
        let (k64, k128) = (k64(&UMAC16, &key), k128(&UMAC16, &key));
        assert_eq!(l2(&UMAC16, &key, &[1, 2, 3, 4])[11..], [0, 1, 2, 3, 4]);

        let y = poly_of(32, &k32(&UMAC16, &key), &a[..2048]);
        assert_eq!(l2(&UMAC16, &key, &a[..2048]).to_vec(), y.to_be_bytes(16));
        let mut words = y.to_be_bytes(8);
        words.extend(&a[2048..2052]);
        words.extend([0x80, 0, 0, 0]);
        assert_eq!(
            l2(&UMAC16, &key, &a[..2052]).to_vec(),
            poly_of(64, &k64, &words).to_be_bytes(16)
        );

        let longer = l2_hash_16(&UMAC16, &key, &a, 2048 + 16);
        let mut words = y.to_be_bytes(8);
        words.extend(&a[2048..2064]);
        let mut wide = poly_of(64, &k64, &words).to_be_bytes(16);
        wide.extend(&a[2064..]);
        wide.extend([0x80, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(longer, poly_of(128, &k128, &wide));
    }
}
