//! NH with 16-bit words in plain code: it defines what every other kernel computes.

use super::{Block, STEP, Step, UNIT, padded};

pub(super) fn nh<const STREAMS: usize>(key: &[Step], chunk: &[u8], sums: &mut [u32]) {
    let (units, rest) = chunk.as_chunks::<UNIT>();
    for (t, sum) in sums[..STREAMS].iter_mut().enumerate() {
        let mut total = [0; 4];
        let mut add = |i: usize, unit: &[u8; UNIT]| {
            let lists = &key[i / STEP];
            total = plus_products(total, unit, &lists[t][i % STEP], &lists[t + 1][i % STEP]);
        };
        units.iter().enumerate().for_each(|(i, unit)| add(i, unit));
        if !rest.is_empty() || units.is_empty() {
            add(units.len(), &padded(rest));
        }
        *sum = total.into_iter().fold(0, u32::wrapping_add);
    }
}

/// Adds the products of a unit in the lanes in which NEON's multiplications add them, for the compiler to use these.
fn plus_products(total: [u32; 4], unit: &[u8; UNIT], x_key: &Block, y_key: &Block) -> [u32; 4] {
    let (words, _) = unit.as_chunks();
    let factor =
        |word: &[u8; 2], key: u16| i32::from(u16::from_le_bytes(*word).wrapping_add(key) as i16);
    let product = |j| (factor(&words[j], x_key[j]) * factor(&words[j + 8], y_key[j])) as u32;
    core::array::from_fn(|j| total[j].wrapping_add(product(j)).wrapping_add(product(j + 4)))
}
