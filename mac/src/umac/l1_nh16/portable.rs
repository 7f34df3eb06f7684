//! NH with 16-bit words, one word at a time: the meaning of every kernel beside this file.

use super::{Blocks, UNIT, padded, place};

pub(super) fn nh<const STREAMS: usize>(key: Blocks<'_>, chunk: &[u8], sums: &mut [u32]) {
    let (units, rest) = chunk.as_chunks::<UNIT>();
    let mut totals = [0; STREAMS];
    for (i, unit) in units.iter().enumerate() {
        add_unit(&mut totals, key, i, unit);
    }
    if !rest.is_empty() || units.is_empty() {
        add_unit(&mut totals, key, units.len(), &padded(rest));
    }
    sums.copy_from_slice(&totals);
}

fn add_unit<const STREAMS: usize>(
    totals: &mut [u32; STREAMS],
    key: Blocks<'_>,
    i: usize,
    unit: &[u8; UNIT],
) {
    let word = |j: usize| u16::from_le_bytes(unit.as_chunks().0[j]);
    let keys = [key.even, key.odd];
    for (t, total) in totals.iter_mut().enumerate() {
        let factor = |half: usize, j: usize| {
            let (kind, further) = place(t, half);
            i32::from(word(8 * half + j).wrapping_add(keys[kind][i + further][j]) as i16)
        };
        for j in 0..8 {
            *total = total.wrapping_add((factor(0, j) * factor(1, j)) as u32);
        }
    }
}
