//! Sums of products, and their reductions.

use super::{LONGEST, TAKEN, family, key_16, key_32, narrow, of_bytes, wide_16, wide_32};
use crate::engine::{Engine, random_bytes};
use crate::timing::ours::number;
use wegman_reference::universal::products;
use wegman_yardstick::universal::{Mh, Mmh16, Mmh32, MmhStar, Nmh32, NmhStar, Prime, Sqh, Tmmh16};

/// One of them by name, in upper case.
pub fn find(name: &str) -> Option<Engine> {
    let p = Prime::P32;
    let modulus = u128::from(p.value());
    Some(match name {
        "MH-32" => {
            let f = Mh::new(32, key_32()).ok()?;
            let oracle = move |m: &[u64]| products::mh(32, key_32(), m);
            family(name, wide_32, move |m| f.hash(m).expect(TAKEN), oracle)
        }
        "MH-16" => {
            let f = Mh::new(16, key_16()).ok()?;
            let oracle = move |m: &[u64]| products::mh(16, key_16(), m);
            family(name, wide_16, move |m| f.hash(m).expect(TAKEN), oracle)
        }
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
        "NMH32" => {
            let f = Nmh32::new(narrow(key_32(), |word| word as u32));
            let oracle = move |m: &[u64]| products::nmh32(key_32(), m).into();
            family(name, u32::from_le_bytes, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "MMH*" => {
            let f = MmhStar::new(p, key_32()).ok()?;
            let oracle = move |m: &[u64]| products::mmh_star(modulus, key_32(), m);
            family(name, wide_32, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "NMH*" => {
            let f = NmhStar::new(p, key_32()).ok()?;
            let oracle = move |m: &[u64]| products::nmh_star(modulus, key_32(), m);
            family(name, wide_32, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "SQH" => {
            let f = Sqh::new(p, key_32()).ok()?;
            let oracle = move |m: &[u64]| products::sqh(modulus, key_32(), m);
            family(name, wide_32, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "TMMH/16" => {
            let key = random_bytes(LONGEST + 8).leak();
            let f = Tmmh16::new(key).ok()?;
            of_bytes(name, move |message| {
                let mut out = [0; 8];
                f.hash(message, &mut out).expect(TAKEN);
                number(&out)
            })
            .checked_by(|_, message| products::tmmh16(key, message, 4))
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
