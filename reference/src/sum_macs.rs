//! MACs that add up the outputs of a function: XOR MAC (Bellare, Guerin, Rogaway, CRYPTO 1995),
//! protected counter sums (Bernstein, "How to stretch random functions", J. Cryptology 1999), and
//! hash127 with a pad from RC6.
//!
//! The papers leave open some details that this module must fix: pieces of eight bytes, the padding, and how a number
//! and a piece fill a block of AES-128. Those choices are our own.

use crate::aes::Aes;
use crate::hash127::{four_words, hash127, words};
use crate::pmac::xor;
use crate::rc6::Rc6;
use crate::umac_rfc4418::pad_with_80;

/// A block of AES or RC6.
type Block = [u8; 16];

/// The longest tag, or the hash, of a message under a nonce. Without a nonce, the first argument is not read.
pub type Definition = Box<dyn Fn(&[u8], &[u8]) -> Vec<u8>>;

/// As [`names::find`](crate::names::find), of the MACs here.
pub(crate) fn find(name: &str, key: &[u8]) -> Option<Definition> {
    let part = |i: usize| -> Block { key[16 * i..][..16].try_into().expect("16 bytes") };
    let sum = |layout, key: Block| -> Definition {
        Box::new(move |nonce, message| {
            let mut value = [0; 16];
            value[16 - nonce.len()..].copy_from_slice(nonce);
            xor_mac(layout, &key, &value, message).into()
        })
    };
    Some(match name {
        "XORMAC-AES128-BGR" => sum(Layout::Data, part(0)),
        "XORMAC-AES128-BR" => sum(Layout::Value, part(0)),
        "PCS-AES128" => {
            let key = part(0);
            Box::new(move |_, message| pcs(&key, message).into())
        }
        "hash127-RC6" => {
            let [key, r] = [part(0), part(1)];
            Box::new(move |nonce, message| {
                let nonce = std::array::from_fn(|i| nonce.get(i).copied().unwrap_or(0));
                hash127_rc6(&key, &r, &nonce, message).into()
            })
        }
        _ => return None,
    })
}

/// The number in 64 bits and the piece.
fn join(i: u64, piece: &[u8; 8]) -> Block {
    ((u128::from(i) << 64) | u128::from(u64::from_be_bytes(*piece))).to_be_bytes()
}

/// M_1, ..., M_m: the message, a 1 bit and the fewest zeroes that fill the last piece, in pieces of
/// eight bytes. There is always padding.
pub fn pieces(message: &[u8]) -> Vec<[u8; 8]> {
    pad_with_80(message, 8).as_chunks().0.to_vec()
}

// XOR MAC.

/// Which block begins with a 1 bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Bellare, Guerin and Rogaway: the blocks of data are 1, the number in 63 bits, the piece;
    /// that of the value is 0 and the value.
    Data,
    /// The PMAC paper (EUROCRYPT 2002), section 1: the blocks of data are the number in 64 bits and
    /// the piece; that of the value is 1 and the value.
    Value,
}

/// z of XOR MAC with AES-128: E of the value's block, xored with E of every block of data. The tag
/// is the value and z.
///
/// `value` has 127 bits, so its first bit must be zero: random (XMACR) or a counter (XMACC).
pub fn xor_mac(layout: Layout, key: &[u8; 16], value: &Block, message: &[u8]) -> Block {
    assert!(value[0] < 0x80, "the value has 127 bits");
    let aes = Aes::new(key);
    let one = (1u128 << 127).to_be_bytes();
    let (of_value, of_data) = match layout {
        Layout::Data => ([0; 16], one),
        Layout::Value => (one, [0; 16]),
    };
    let mut z = aes.encrypt(&xor(&of_value, value));
    for (i, m_i) in (1..).zip(pieces(message)) {
        z = xor(&z, &aes.encrypt(&xor(&of_data, &join(i, &m_i))));
    }
    z
}

// Protected counter sums.

/// f(0, f(1, M_1) + f(2, M_2) + ...), where + is xor and f(i, x) is the first half of AES-128 of i,
/// in 64 bits, and x. The last f returns the whole block; its first eight bytes are the
/// paper's value.
pub fn pcs(key: &[u8; 16], message: &[u8]) -> Block {
    let aes = Aes::new(key);
    let e = |i: u64, x: &[u8; 8]| aes.encrypt(&join(i, x));
    let mut s = [0; 8];
    for (i, m_i) in (1..).zip(pieces(message)) {
        let block = e(i, &m_i);
        let f = std::array::from_fn(|byte| block[byte]);
        s = xor(&s, &f);
    }
    e(0, &s)
}

// hash127-RC6.

/// hash127 under r of the message, a byte 01 and zeroes up to a whole word; k is RC6_K(nonce). The
/// tag is the 16 bytes of u, little-endian.
pub fn hash127_rc6(key: &[u8], r: &Block, nonce: &Block, message: &[u8]) -> Block {
    let k = Rc6::new(key).encrypt(nonce);
    let mut padded = message.to_vec();
    padded.push(0x01);
    padded.resize(padded.len().next_multiple_of(4), 0);
    hash127(&four_words(r), &words(&padded), &four_words(&k)).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_padding_is_always_there() {
        assert_eq!(pieces(&[]), [[0x80, 0, 0, 0, 0, 0, 0, 0]]);
        assert_eq!(pieces(&[1; 7]), [[1, 1, 1, 1, 1, 1, 1, 0x80]]);
        assert_eq!(pieces(&[1; 8]), [[1; 8], [0x80, 0, 0, 0, 0, 0, 0, 0]]);
    }

    /// In neither layout can a block of data equal that of a value.
    #[test]
    fn the_layouts_by_hand() {
        let key = [7; 16];
        let aes = Aes::new(&key);
        let value = [3; 16];
        let (mut of_value, mut of_data) = (value, [0; 16]);
        of_data[7] = 1;
        of_data[8..].copy_from_slice(b"abcdefg\x80");
        let z = |value: &Block, data: &Block| xor(&aes.encrypt(value), &aes.encrypt(data));

        of_value[0] |= 0x80;
        let by_value = z(&of_value, &of_data);
        assert_eq!(xor_mac(Layout::Value, &key, &value, b"abcdefg"), by_value);
        of_data[0] |= 0x80;
        assert_eq!(xor_mac(Layout::Data, &key, &value, b"abcdefg"), z(&value, &of_data));
    }
}
