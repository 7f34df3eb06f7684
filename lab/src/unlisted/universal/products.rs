//! Sums of products, and their reductions.

use super::{TAKEN, family, key_16, key_32, narrow};
use crate::engine::Engine;
use wegman_reference::universal::products;
use wegman_yardstick::universal::{Mmh16, Mmh32};

/// One of them by name, in upper case.
pub fn find(name: &str) -> Option<Engine> {
    Some(match name {
        "MH32" => {
            let key = narrow(key_32(), |word| word as u32);
            let oracle = move |m: &[u64]| products::mh(32, key_32(), m);
            family(name, u32::from_le_bytes, move |m| mh32(key, m).into(), oracle)
        }
        "MH16" => {
            let key = narrow(key_16(), |word| word as u16);
            let oracle = move |m: &[u64]| products::mh(16, key_16(), m);
            family(name, u16::from_le_bytes, move |m| mh16(key, m).into(), oracle)
        }
        "MMH32" => {
            let f = Mmh32::new(narrow(key_32(), |word| word as u32));
            let oracle = move |m: &[u64]| products::mmh32(key_32(), m).into();
            family(name, u32::from_le_bytes, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "MMH16" => {
            let f = Mmh16::new(narrow(key_16(), |word| word as u16));
            let oracle = move |m: &[u64]| products::mmh16(key_16(), m).into();
            family(name, u16::from_le_bytes, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        _ => return None,
    })
}

fn mh32(key: &[u32], message: &[u32]) -> u64 {
    let pairs = key.iter().zip(message);
    pairs.fold(0, |sum, (&k, &m)| sum.wrapping_add(u64::from(k) * u64::from(m)))
}

fn mh16(key: &[u16], message: &[u16]) -> u32 {
    let pairs = key.iter().zip(message);
    pairs.fold(0, |sum, (&k, &m)| sum.wrapping_add(u32::from(k) * u32::from(m)))
}
