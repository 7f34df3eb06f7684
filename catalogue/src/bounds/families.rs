//! The bounds of the universal hash families (`wegman_yardstick::universal`) that [`theorems`](super::theorems) does
//! not have. docs/universal.md has the sources, and says which bounds we proved ourselves because the paper was not
//! available.
//!
//! All are for two different messages of one length and, unless stated otherwise, for any difference of their hashes.

use super::Probability;

/// MH of w-bit words, for collisions and differences: 2^-w. (Our bound, by lemma 4.4 of \[1\].)
#[must_use]
pub const fn mh(w: u32) -> Probability {
    Probability::half_to(w)
}

/// MMH\*, NMH\* and SQH modulo the prime p: 1 / p.
///
/// # Panics
/// If `p` is 0.
#[must_use]
pub const fn modulo_prime(p: u64) -> Probability {
    Probability::ONE.share(1, p)
}

/// MMH32: 6 * 2^-32.
#[must_use]
pub const fn mmh32() -> Probability {
    Probability::half_to(32).times(6)
}

/// MMH16: 6 * 2^-16.
#[must_use]
pub const fn mmh16() -> Probability {
    Probability::half_to(16).times(6)
}

/// TMMH/16 with t words of tag, for any lengths: (9 * 2^-16)^t.
#[must_use]
pub const fn tmmh16(t: u32) -> Probability {
    let mut p = Probability::ONE;
    let mut word = 0;
    while word < t {
        p = p.share(9, 1 << 16);
        word += 1;
    }
    p
}

/// Bucket hashing into N buckets: 3312 / N^6, if N is at least 32 and there are at most N (N - 1) (N - 2) / 36
/// words; `None` for fewer buckets. (Rogaway, CRYPTO 1995; quoted from memory, the paper was not available.)
#[must_use]
pub const fn bucket(buckets: u16) -> Option<Probability> {
    if buckets < 32 {
        return None;
    }
    let cube = (buckets as u64).pow(3);
    Some(Probability::ONE.share(3312, cube).share(1, cube))
}

/// The cryptographic CRC of degree n for messages of m bits, collisions: m / 2^(n-1).
#[must_use]
pub const fn crc(message_bits: u128, degree: u32) -> Probability {
    Probability::half_to(degree - 1).times(message_bits)
}

/// The same for any xor of two hashes: (m + n) / 2^(n-1).
#[must_use]
pub const fn crc_differences(message_bits: u128, degree: u32) -> Probability {
    crc(message_bits.saturating_add(degree as u128), degree)
}

/// LFSR-Toeplitz of degree n for messages of m bits: m / 2^(n-1).
#[must_use]
pub const fn lfsr_toeplitz(message_bits: u128, degree: u32) -> Probability {
    crc(message_bits, degree)
}
