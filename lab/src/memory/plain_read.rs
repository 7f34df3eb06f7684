//! A plain read of a buffer: no MAC can be faster.

#![allow(unsafe_code, reason = "vectors chosen at run time")]

use std::hint::black_box;
use wegman_timing::rounds::Cell;

/// A plain read of the buffer, and the vectors it is made with.
pub fn read(bytes: &[u8]) -> (&'static str, Cell<'_>) {
    let (vectors, read) = widest();
    let cell = Cell {
        label: format!("plain read ({vectors}) of {} bytes", bytes.len()),
        work: Box::new(move |calls| {
            (0..calls).fold(0, |sum, _| sum + u128::from(read(black_box(bytes))))
        }),
        expected: Box::new(move |calls| u128::from(calls) * u128::from(read_by_words(bytes))),
        messages: 1,
    };
    (vectors, cell)
}

/// The xor of all words of 8 bytes.
type Read = fn(&[u8]) -> u64;

/// The plain read with the widest vectors of this machine.
fn widest() -> (&'static str, Read) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the machine has AVX-512F.
            return ("avx512", |bytes| unsafe { read_avx512(bytes) });
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has AVX2.
            return ("avx2", |bytes| unsafe { read_avx2(bytes) });
        }
    }
    ("default", read_by_vectors)
}

/// Compiled to AVX-512: eight sums, of one register each.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn read_avx512(bytes: &[u8]) -> u64 {
    use core::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_setzero_si512, _mm512_xor_si512};
    let (lines, rest) = bytes.as_chunks::<512>();
    let mut sums = [_mm512_setzero_si512(); 8];
    for line in lines {
        for (sum, vector) in sums.iter_mut().zip(line.as_chunks::<64>().0) {
            // SAFETY: 64 bytes are read from an array of 64.
            let vector = unsafe { _mm512_loadu_si512(vector.as_ptr().cast::<__m512i>()) };
            *sum = _mm512_xor_si512(*sum, vector);
        }
    }
    let mut words = [0_u64; 8];
    for sum in sums {
        // SAFETY: a vector is eight words, for which any bits will do.
        let sum: [u64; 8] = unsafe { core::mem::transmute(sum) };
        words = std::array::from_fn(|i| words[i] ^ sum[i]);
    }
    words.into_iter().fold(read_by_words(rest), |sum, word| sum ^ word)
}

/// Compiled to AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn read_avx2(bytes: &[u8]) -> u64 {
    read_by_vectors(bytes)
}

/// Eight sums of 32 bytes each, for the compiler to put into vectors.
#[inline(always)]
fn read_by_vectors(bytes: &[u8]) -> u64 {
    let (lines, rest) = bytes.as_chunks::<256>();
    let mut sums = [0_u64; 32];
    for line in lines {
        for (sum, word) in sums.iter_mut().zip(line.as_chunks::<8>().0) {
            *sum ^= u64::from_le_bytes(*word);
        }
    }
    sums.into_iter().fold(read_by_words(rest), |sum, word| sum ^ word)
}

/// Word by word: what the others are checked with.
fn read_by_words(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    words.iter().fold(u64::from_le_bytes(last), |sum, word| sum ^ u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plain_read_reads_every_byte() {
        let mut bytes: Vec<u8> = (0..2000_u32).map(|i| (i * i / 3) as u8).collect();
        for length in [0, 1, 7, 8, 255, 256, 511, 512, 513, 2000] {
            let right = read_by_words(&bytes[..length]);
            assert_eq!(widest().1(&bytes[..length]), right);
            assert_eq!(read_by_vectors(&bytes[..length]), right);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the machine has AVX2.
                assert_eq!(unsafe { read_avx2(&bytes[..length]) }, right);
            }
        }
        let before = widest().1(&bytes);
        for place in [0, 1000, 1999] {
            bytes[place] ^= 1;
            assert_ne!(widest().1(&bytes), before);
            bytes[place] ^= 1;
        }
    }
}
