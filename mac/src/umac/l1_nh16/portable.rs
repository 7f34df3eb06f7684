//! NH with 16-bit words, one word at a time: the meaning of every kernel beside this file.

use super::{Block, Blocks, UNIT, padded};

pub(super) fn nh<const STREAMS: usize>(key: Blocks<'_>, chunk: &[u8], sums: &mut [u32]) {
    let (units, rest) = chunk.as_chunks::<UNIT>();
    let last = padded(rest);
    let last = (!rest.is_empty() || units.is_empty()).then_some(&last);
    for (t, sum) in sums.iter_mut().enumerate().take(STREAMS) {
        let [x_keys, y_keys] = [t, t + 1].map(|b| key.list::<1>(b, key.units));
        *sum = 0;
        for (unit, ([x_key], [y_key])) in units.iter().chain(last).zip(x_keys.iter().zip(y_keys)) {
            let (words, _) = unit.as_chunks();
            let factor = |j: usize, key: &Block| {
                i32::from(u16::from_le_bytes(words[j]).wrapping_add(key[j % 8]) as i16)
            };
            for j in 0..8 {
                *sum = sum.wrapping_add((factor(j, x_key) * factor(j + 8, y_key)) as u32);
            }
        }
    }
}
