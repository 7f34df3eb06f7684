//! NH in plain code: the meaning of every kernel beside this file.

use super::{KEY_WORDS, UNIT, UNITS};

/// For stream `t` and each chunk: the sum over its units and over j = 0..3 of
/// `(m[j] + k[j + 4 t]) * (m[j + 4] + k[j + 4 + 4 t])`, sums of words mod 2^32, the total mod 2^64.
pub(super) fn nh<const STREAMS: usize>(
    key: &[u32; KEY_WORDS],
    units: &[[u8; UNIT]],
    sums: &mut [u64],
) {
    for (chunk, sums) in units.chunks(UNITS).zip(sums.chunks_exact_mut(STREAMS)) {
        let mut total = [0u64; STREAMS];
        for (unit, key) in chunk.iter().zip(key.windows(8 + 4 * (STREAMS - 1)).step_by(8)) {
            let (m, _) = unit.as_chunks::<4>();
            for j in 0..4 {
                let (x, y) = (u32::from_le_bytes(m[j]), u32::from_le_bytes(m[j + 4]));
                for (t, total) in total.iter_mut().enumerate() {
                    let a = x.wrapping_add(key[j + 4 * t]);
                    let b = y.wrapping_add(key[j + 4 + 4 * t]);
                    *total = total.wrapping_add(u64::from(a) * u64::from(b));
                }
            }
        }
        sums.copy_from_slice(&total);
    }
}
