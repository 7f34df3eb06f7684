//! A cryptographic CRC.

use super::of_bytes;
use crate::engine::Engine;
use wegman::Bits;
use wegman_reference::pmac::bits::bits_of;
use wegman_reference::universal::linear;
use wegman_yardstick::universal::{Crc, Polynomial};

/// One of them by name, in upper case.
pub fn find(name: &str) -> Option<Engine> {
    Some(match name {
        "CRC-64" => {
            let f = Crc::new(polynomial());
            of_bytes(name, move |message| f.hash(bits(message)))
                .checked_by(|_, message| bits_hash(linear::crc(&coefficients(), &bools(message))))
        }
        _ => return None,
    })
}

fn polynomial() -> Polynomial {
    Polynomial::new(64, 0b11011).expect("irreducible")
}

/// The same polynomial for the oracle, the lowest coefficient first.
fn coefficients() -> Vec<bool> {
    (0..=64).map(|k| matches!(k, 0 | 1 | 3 | 4 | 64)).collect()
}

fn bits(message: &[u8]) -> Bits<'_> {
    Bits::new(message, 8 * message.len() as u64).expect("whole bytes")
}

fn bools(bytes: &[u8]) -> Vec<bool> {
    bits_of(bytes, 8 * bytes.len())
}

/// The oracle's bits, the highest first, as the hash's number.
fn bits_hash(bits: Vec<bool>) -> [u8; 16] {
    bits.into_iter().fold(0, |hash, bit| hash << 1 | u128::from(bit)).to_le_bytes()
}
