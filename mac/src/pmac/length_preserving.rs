//! [`LengthPreserving`]: a cipher on strings of any length, from a parsimonious PRF and counter mode (PMAC paper,
//! section 4, after Bellare and Rogaway, FSE '99).

use super::Key;
use super::edit::recover;
use crate::bits::Bits;
use crate::cipher::{CipherBlock, Invertible};
use crate::cpu::Cpu;
use crate::tag::{InvalidLength, Tag};
use zeroize::Zeroize;

/// A cipher whose ciphertext is exactly as long as the message, for messages of at least one block. The PMAC of the
/// message replaces its first block and is the counter that encrypts the rest.
///
/// ```text
/// T = PMAC_1(X || R)        C = T || R xor CTR_2(T)        CTR_2(T) = E_2(T) || E_2(T + 1) || ...
/// ```
///
/// It hides everything but equality: equal messages have equal ciphertexts. Any change of the ciphertext changes the
/// whole plaintext, but **nothing detects it**: this is not authenticated encryption. Both directions are
/// indistinguishable from a random permutation of each length, up to the sum of the bounds of PMAC and counter mode,
/// about `s^2 / 2^n` for `s` blocks of `n` bits in all, if the cipher is a strong pseudorandom permutation.
///
/// ```
/// use wegman::{Aes128, pmac::hazmat::LengthPreserving};
///
/// let cipher = LengthPreserving::<Aes128, 16>::new(b"sixteen byte key", b"another 16 bytes");
/// let mut record = *b"seventeen or more";
/// cipher.encrypt(&mut record)?;
/// cipher.decrypt(&mut record)?;
/// assert_eq!(&record, b"seventeen or more");
/// # Ok::<(), wegman::InvalidLength>(())
/// ```
pub struct LengthPreserving<C: Invertible, const N: usize> {
    pmac: Key<C, N>,
    counter: C,
}

impl<C: Invertible, const N: usize> LengthPreserving<C, N> {
    /// Prepares a cipher from two independent secrets, one for PMAC and one for counter mode. `N` is the
    /// cipher's block length in bytes (others do not compile).
    #[must_use]
    pub fn new(pmac: &C::Key, counter: &C::Key) -> Self {
        const { assert!(N == C::Block::BYTES, "N is the cipher's block length") };
        let cipher = C::new(pmac);
        LengthPreserving {
            pmac: Key::from_cipher(Cpu::detect(), cipher, 0xff),
            counter: C::new(counter),
        }
    }

    /// Encrypts in place.
    ///
    /// # Errors
    /// [`InvalidLength`] if the message is shorter than a block.
    pub fn encrypt(&self, message: &mut [u8]) -> Result<(), InvalidLength> {
        self.encrypt_bits(message, 8 * message.len() as u64)
    }

    /// Decrypts in place.
    ///
    /// # Errors
    /// [`InvalidLength`] if the ciphertext is shorter than a block.
    pub fn decrypt(&self, ciphertext: &mut [u8]) -> Result<(), InvalidLength> {
        self.decrypt_bits(ciphertext, 8 * ciphertext.len() as u64)
    }

    /// Encrypts the first `bits` bits in place. The remaining bits of the last byte become zero.
    ///
    /// # Errors
    /// [`InvalidLength`] if there are fewer bits than a block has, or if the bits do not take exactly as many bytes
    /// as there are.
    pub fn encrypt_bits(&self, message: &mut [u8], bits: u64) -> Result<(), InvalidLength> {
        let tag = self.pmac.tag_bits(Bits::new(message, bits)?);
        let (first, rest) = message.split_first_chunk_mut().ok_or(InvalidLength)?;
        if bits < 8 * N as u64 {
            return Err(InvalidLength);
        }
        *first = tag.to_bytes();
        self.xor_counter(first, rest, bits);
        Ok(())
    }

    /// Decrypts the first `bits` bits in place. The remaining bits of the last byte become zero.
    ///
    /// # Errors
    /// [`InvalidLength`] if there are fewer bits than a block has, or if the bits do not take exactly as many bytes
    /// as there are.
    pub fn decrypt_bits(&self, ciphertext: &mut [u8], bits: u64) -> Result<(), InvalidLength> {
        Bits::new(ciphertext, bits)?;
        let (first, rest) = ciphertext.split_first_chunk_mut().ok_or(InvalidLength)?;
        let others = bits.checked_sub(8 * N as u64).ok_or(InvalidLength)?;
        self.xor_counter(first, rest, bits);
        let block = recover(&self.pmac, &Tag::from(*first), 1, Bits::new(rest, others)?);
        let block = block.expect("block 1 is whole, and so are the tags");
        first.copy_from_slice(block.as_ref());
        Ok(())
    }

    /// Xors the rest of a message of `bits` bits with `E(T) || E(T + 1) || ...`.
    fn xor_counter(&self, tag: &[u8; N], rest: &mut [u8], bits: u64) {
        let mut counter = C::Block::ZERO;
        counter.as_mut().copy_from_slice(tag);
        let mut pad = counter;
        for part in rest.chunks_mut(N) {
            pad = counter;
            self.counter.encrypt(&mut pad);
            part.iter_mut().zip(pad.as_ref()).for_each(|(byte, pad)| *byte ^= pad);
            increment(counter.as_mut());
        }
        pad.zeroize();
        if let Some(last) = rest.last_mut() {
            *last &= 0xff << (bits.wrapping_neg() % 8);
        }
    }
}

/// Adds 1 to a big-endian number, modulo its size.
fn increment(number: &mut [u8]) {
    let mut carry = 1;
    for byte in number.iter_mut().rev() {
        let sum = u16::from(*byte) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
}
