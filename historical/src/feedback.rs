//! Output feedback: how all editions before the standard derive their subkeys (draft of October 2000, section 4.1; in
//! 1999 the authors' code, since the paper leaves it open).

use zeroize::Zeroize;

/// Calls `take` with step(o), step(step(o)), ..., `count` of them. The first o is zeroes, followed by the index.
pub(crate) fn blocks<const N: usize>(
    index: u8,
    count: usize,
    step: impl Fn(&mut [u8; N]),
    mut take: impl FnMut(&[u8; N]),
) {
    let mut o = [0; N];
    o[N - 1] = index;
    for _ in 0..count {
        step(&mut o);
        take(&o);
    }
    o.zeroize();
}

/// Fills `out` with those blocks, cut to its length.
pub(crate) fn fill<const N: usize>(index: u8, out: &mut [u8], step: impl Fn(&mut [u8; N])) {
    let count = out.len().div_ceil(N);
    let mut parts = out.chunks_mut(N);
    blocks(index, count, step, |block| {
        let part = parts.next().expect("as many as blocks");
        part.copy_from_slice(&block[..part.len()]);
    });
}
