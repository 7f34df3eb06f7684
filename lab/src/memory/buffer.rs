//! The buffer that is read or tagged.

#![allow(unsafe_code, reason = "huge pages")]

use wegman_reference::inputs::Random;

/// From this length on a buffer lies in huge pages if the system grants them, and so do the shorter
/// buffers, which are its prefixes. This measures the memory, not the page tables.
pub const HUGE: usize = 64 << 20;
const HUGE_PAGE: usize = 2 << 20;

/// Bytes without a pattern, in huge pages where the system gives them; `None` if there is not so much memory. They stay to
/// the end of the program.
pub fn buffer(length: usize) -> Option<&'static [u8]> {
    let mut room: Vec<u8> = Vec::new();
    room.try_reserve_exact(length + HUGE_PAGE).ok()?;
    let first = room.as_ptr().align_offset(HUGE_PAGE);
    #[cfg(target_os = "linux")]
    if length >= HUGE {
        // Before the pages are touched: otherwise they would start as small ones.
        let start = room.as_mut_ptr().wrapping_add(first).cast();
        // SAFETY: these pages are inside the room; the advice does not change what is in them. Systems that ignore it
        // use small pages.
        unsafe { libc::madvise(start, length, libc::MADV_HUGEPAGE) };
    }
    let mut random = Random(1);
    room.resize(first, 0);
    (0..length / 8).for_each(|_| room.extend_from_slice(&random.word().to_le_bytes()));
    Some(&room.leak()[first..])
}
