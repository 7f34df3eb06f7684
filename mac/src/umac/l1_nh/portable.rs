//! NH in plain code: it defines what every other kernel computes.

use super::{Key, UNIT, padded, parts};

/// For stream `t` and each chunk: the sum over its units and over j = 0..3 of
/// `(m[j] + k[j + 4 t]) * (m[j + 4] + k[j + 4 + 4 t])`, sums of words mod 2^32, the total mod 2^64.
///
/// If `SIGNED`, the sums of words are read as two's complement.
pub(super) fn nh<const STREAMS: usize, const SIGNED: bool>(
    key: &Key,
    message: &[u8],
    sums: &mut [u64],
) {
    for (part, sums) in parts::<STREAMS>(message, sums) {
        let (units, rest) = part.as_chunks::<UNIT>();
        let mut total = [0u64; STREAMS];
        for (i, unit) in units.iter().enumerate() {
            add_unit::<STREAMS, SIGNED>(&mut total, key, i, unit);
        }
        if !rest.is_empty() || units.is_empty() {
            add_unit::<STREAMS, SIGNED>(&mut total, key, units.len(), &padded(rest));
        }
        *sums = total;
    }
}

fn add_unit<const STREAMS: usize, const SIGNED: bool>(
    total: &mut [u64; STREAMS],
    key: &Key,
    i: usize,
    unit: &[u8; UNIT],
) {
    let key = key.unit(i);
    let (m, _) = unit.as_chunks::<4>();
    for j in 0..4 {
        let (x, y) = (u32::from_le_bytes(m[j]), u32::from_le_bytes(m[j + 4]));
        for (t, total) in total.iter_mut().enumerate() {
            let a = x.wrapping_add(key[t].0[j]);
            let b = y.wrapping_add(key[t + 1].0[j]);
            *total = total.wrapping_add(if SIGNED {
                (i64::from(a as i32) * i64::from(b as i32)) as u64
            } else {
                u64::from(a) * u64::from(b)
            });
        }
    }
}
