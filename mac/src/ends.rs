//! The end of a message in registers of 16 bytes, without a copy: what was stored a moment ago would have to be waited
//! for.
//!
//! From 16 bytes on, the last 16 are loaded, wherever they begin, and a byte shuffle moves those that count down to the
//! front, with zeroes behind them. Shorter messages are put together in general registers ([`few`]).

/// Bytes of a register.
const WIDTH: usize = 16;

/// From byte `i` on, the order of a byte shuffle that moves a register's bytes down by `i`. An index of 128 or more
/// brings a zero.
static SLIDE: [u8; WIDTH + 64] = {
    let mut order = [0x80; WIDTH + 64];
    let mut i = 0;
    while i < WIDTH {
        order[i] = i as u8;
        i += 1;
    }
    order
};

/// The order of a byte shuffle that moves a register's bytes down by `by`, which is below 64, and brings in zeroes.
#[inline(always)]
pub fn slide(by: usize) -> &'static [u8; WIDTH] {
    debug_assert!(by < 64);
    SLIDE[by % 64..].first_chunk().expect("16 bytes from each of 64 places")
}

/// At most 15 bytes as a number, the first lowest. The loads overlap; no other byte is read.
#[inline(always)]
pub fn few(bytes: &[u8]) -> u128 {
    debug_assert!(bytes.len() < WIDTH);
    let up = |i: usize| 8 * i as u32;
    if let (Some(head), Some(back)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let back = u64::from_le_bytes(*back).wrapping_shr(up(15 - bytes.len())) >> 8;
        u128::from(u64::from_le_bytes(*head)) | u128::from(back) << 64
    } else if let (Some(head), Some(back)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let back = u64::from(u32::from_le_bytes(*back)) << up(bytes.len() - 4);
        u128::from(u64::from(u32::from_le_bytes(*head)) | back)
    } else if let (Some(&head), Some(&back)) = (bytes.first(), bytes.last()) {
        // One to three bytes.
        let middle = u32::from(bytes[bytes.len() / 2]) << up(bytes.len() / 2);
        u128::from(u32::from(head) | middle | u32::from(back) << up(bytes.len() - 1))
    } else {
        0
    }
}
