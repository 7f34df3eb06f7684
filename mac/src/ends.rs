//! The end of a message, loaded into registers without a copy in memory: a load of bytes that were just stored in other
//! pieces would stall. No byte outside the message is read.
//!
//! A message of at least 16 bytes has whole blocks to load: the last of them ends where the message ends, and a shuffle
//! moves its bytes to where they belong. Fewer bytes go through general registers.

/// At the start of a cache line: shuffles that move a block by 48 bytes or fewer never touch two.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", feature = "hazmat"))]
#[repr(align(64))]
struct Slide([u8; 80]);

/// The numbers of the bytes of a block, and behind them numbers that stand for a zero in byte shuffles (PSHUFB, TBL). A
/// constant: the proofs see it in each crate that uses it.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", feature = "hazmat"))]
const SLIDE: &Slide = &Slide({
    let mut order = [0x80; 80];
    let mut i = 0;
    while i < 16 {
        order[i] = i as u8;
        i += 1;
    }
    order
});

/// The byte shuffle that moves a block down by `shift` bytes, fewer than 64, and fills it up with zeroes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", feature = "hazmat"))]
#[inline(always)]
#[must_use]
pub fn slide(shift: usize) -> &'static [u8; 16] {
    debug_assert!(shift < 64);
    SLIDE.0[shift % 64..].first_chunk().expect("16 bytes from each of 64 places")
}

/// Fewer than 16 bytes as a number, the first byte lowest.
#[inline(always)]
#[must_use]
pub fn short_number(bytes: &[u8]) -> u128 {
    let len = bytes.len();
    debug_assert!(len < 16);
    // The loads of the first and of the last bytes overlap: the bytes in both are the same.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // 8 to 15 bytes: a shift by 1 to 8 of them.
        let high = u64::from_le_bytes(*last) >> 8 >> (8 * (15_usize.wrapping_sub(len) % 8));
        u128::from(high) << 64 | u128::from(u64::from_le_bytes(*first))
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (len.wrapping_sub(4) % 8));
        u128::from(u64::from(u32::from_le_bytes(*first)) | last)
    } else if let (Some(first), Some(last)) = (bytes.first(), bytes.last()) {
        let middle = u32::from(bytes[len / 2]) << (8 * (len / 2 % 4));
        let last = u32::from(*last) << (8 * (len.wrapping_sub(1) % 4));
        u128::from(u32::from(*first) | middle | last)
    } else {
        0
    }
}

/// The block that begins at byte `at` of a message, or the message's last 16 bytes if it ends before that block does, and
/// how many bytes earlier they begin. `None` if the message has fewer bytes.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
pub(crate) fn block(message: &[u8], at: usize) -> Option<(&[u8; 16], usize)> {
    let from = at.min(message.len().checked_sub(16)?);
    Some((message[from..].first_chunk()?, at - from))
}
