//! Readers into streams (feature `std`). Knows no MAC.

use alloc::vec;
use std::io::{ErrorKind, Read, Result};

/// How much is read at a time: enough for the kernels, and it stays in the cache.
const PIECE: usize = 1 << 16;

/// Reads to the end. `take` receives the pieces; returns how many bytes they have.
pub(crate) fn read_all(mut reader: impl Read, mut take: impl FnMut(&[u8])) -> Result<u64> {
    let mut piece = vec![0; PIECE];
    let mut total = 0;
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(total),
            Ok(count) => {
                take(&piece[..count]);
                total += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
