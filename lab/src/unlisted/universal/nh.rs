//! NH and the families made of it.

use super::{LONGEST, TAKEN, family, key, key_16, key_32, narrow, of_bytes, two, wide_32};
use crate::engine::Engine;
use crate::timing::ours::number;
use wegman_reference::universal as oracle;
use wegman_yardstick::universal::{Nht, Nht2, Nhx, Sign};

/// One of them by name, in upper case.
pub fn find(name: &str) -> Option<Engine> {
    Some(match name {
        "NH32" => {
            let key = narrow(key_32(), |word| word as u32);
            let oracle = move |m: &[u64]| oracle::nh(oracle::Sign::Unsigned, 32, key_32(), m);
            family(name, u32::from_le_bytes, move |m| nh32(key, m).into(), oracle)
        }
        "NH16" => {
            let key = narrow(key_16(), |word| word as u16);
            let oracle = move |m: &[u64]| oracle::nh(oracle::Sign::Unsigned, 16, key_16(), m);
            family(name, u16::from_le_bytes, move |m| nh16(key, m).into(), oracle)
        }
        "NHT-32" => {
            let k = key(32, LONGEST + 8);
            let f = Nht::new(Sign::Unsigned, 32, 2, k).ok()?;
            let hash = move |m: &[u64]| {
                let mut out = [0; 2];
                f.hash(m, &mut out).expect(TAKEN);
                two(out)
            };
            let oracle = move |m: &[u64]| {
                let out = oracle::nht(oracle::Sign::Unsigned, 32, 2, k, m);
                two([out[0], out[1]])
            };
            family(name, wide_32, hash, oracle)
        }
        // Blocks of 64 words and 16 of them: a key of 400 bytes.
        "NHT2-32" => {
            let (k, l) = (&key_32()[..64 + 2], &key_32()[66..][..2 * 16 + 2]);
            let f = Nht2::new(Sign::Unsigned, 32, k, l).ok()?;
            let hash = move |m: &[u64]| two(f.hash(m).expect(TAKEN));
            let unsigned = oracle::Sign::Unsigned;
            family(name, wide_32, hash, move |m| two(oracle::nht2(unsigned, 32, 64, k, l, m)))
        }
        _ => return nhx(name),
    })
}

fn nhx(name: &str) -> Option<Engine> {
    let (family, parts) = name.split_once('-')?;
    let (sign, oracle_sign) = match family {
        "NHX" => (Sign::Unsigned, oracle::Sign::Unsigned),
        "NHSX" => (Sign::Signed, oracle::Sign::Signed),
        _ => return None,
    };
    let (w, t) = parts.split_once('/')?;
    let w: u32 = w.parse().ok().filter(|w| matches!(w, 8 | 16 | 32 | 64))?;
    let t: usize = t.parse().ok().filter(|t| (1..=8).contains(t))?;
    let key = key(w, LONGEST + 2 * (t - 1) * w as usize / 8);
    let nhx = Nhx::new(sign, w, t, key, 2).ok()?;
    let hash = move |message: &[u8]| {
        let mut out = [0; 8 * 16 + 2];
        let out = &mut out[..nhx.hash_bytes(message.len())];
        nhx.hash(message, out).expect(TAKEN);
        number(&out[..out.len().min(16)])
    };
    let definition = move |_, message: &[u8]| oracle::nhx(oracle_sign, w, t, key, 2, message);
    Some(of_bytes(name, hash).checked_by(definition))
}

fn nh32(key: &[u32], message: &[u32]) -> u64 {
    let pairs = key.as_chunks().0.iter().zip(message.as_chunks().0);
    pairs.fold(0, |sum, (&[k, l], &[m, n])| {
        sum.wrapping_add(u64::from(m.wrapping_add(k)) * u64::from(n.wrapping_add(l)))
    })
}

fn nh16(key: &[u16], message: &[u16]) -> u32 {
    let pairs = key.as_chunks().0.iter().zip(message.as_chunks().0);
    pairs.fold(0, |sum, (&[k, l], &[m, n])| {
        sum.wrapping_add(u32::from(m.wrapping_add(k)) * u32::from(n.wrapping_add(l)))
    })
}
