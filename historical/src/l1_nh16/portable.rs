//! NH with 16-bit words (draft of October 2000, section 6.1), one word at a time: it defines what every other kernel
//! computes.

use super::{Eight, STEP, Step, UNIT, padded};

pub(super) fn nh<const STREAMS: usize>(key: &[Step], chunk: &[u8], sums: &mut [u32]) {
    let (units, rest) = chunk.as_chunks::<UNIT>();
    for (t, sum) in sums[..STREAMS].iter_mut().enumerate() {
        *sum = 0;
        let mut add = |i: usize, unit: &[u8; UNIT]| {
            let lists = &key[i / STEP];
            let (x_key, y_key) = (&lists[t][i % STEP], &lists[t + 1][i % STEP]);
            *sum = products(unit, x_key, y_key).wrapping_add(*sum);
        };
        units.iter().enumerate().for_each(|(i, unit)| add(i, unit));
        if !rest.is_empty() || units.is_empty() {
            add(units.len(), &padded(rest));
        }
    }
}

fn products(unit: &[u8; UNIT], x_key: &Eight, y_key: &Eight) -> u32 {
    let (words, _) = unit.as_chunks();
    let (x, y) = (&words[..8], &words[8..]);
    let factor =
        |word: &[u8; 2], key: u16| i32::from(u16::from_le_bytes(*word).wrapping_add(key) as i16);
    (0..8).fold(0, |sum: u32, j| {
        sum.wrapping_add((factor(&x[j], x_key[j]) * factor(&y[j], y_key[j])) as u32)
    })
}
