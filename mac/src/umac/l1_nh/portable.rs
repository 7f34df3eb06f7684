//! NH (RFC 4418, section 5.2.2) in plain code: it defines what every kernel of level 1 computes.

use super::{Key, UNIT, padded};
use crate::umac::MAX_STREAMS;

/// For each stream, the sum that [`l1_nh`](super) defines, plus the chunk's length in bits.
pub(crate) fn words<const STREAMS: usize>(key: &Key, chunk: &[u8], words: &mut [u64; MAX_STREAMS]) {
    let mut total = [0; STREAMS];
    let (units, rest) = chunk.as_chunks::<UNIT>();
    for (i, unit) in units.iter().enumerate() {
        add_unit(&mut total, key, i, unit);
    }
    if !rest.is_empty() || units.is_empty() {
        add_unit(&mut total, key, units.len(), &padded(rest));
    }
    for (word, total) in words.iter_mut().zip(total) {
        *word = total.wrapping_add(8 * chunk.len() as u64);
    }
}

#[inline]
fn add_unit<const STREAMS: usize>(
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
            *total = total.wrapping_add(u64::from(a) * u64::from(b));
        }
    }
}
