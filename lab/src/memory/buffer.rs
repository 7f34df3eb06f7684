//! The buffer that is read or tagged.

#![allow(unsafe_code, reason = "huge pages")]

use crate::timing::messages::words_without_pattern;
use std::alloc::{self, Layout};
use std::ptr::NonNull;

/// From this length on a buffer lies in huge pages if the system grants them, and so do the shorter
/// buffers, which are its prefixes. This measures the memory, not the page tables.
pub const HUGE: usize = 64 << 20;
const HUGE_PAGE: usize = 2 << 20;

/// Bytes without a pattern, in huge pages where the system gives them.
pub struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

impl Buffer {
    /// `None` if there is not so much memory.
    pub fn new(length: usize) -> Option<Buffer> {
        let layout = Layout::from_size_align(length, HUGE_PAGE).ok()?;
        // SAFETY: the layout's size is not zero: no buffer is empty.
        let start = NonNull::new(unsafe { alloc::alloc(layout) })?;
        #[cfg(target_os = "linux")]
        if length >= HUGE {
            // Before the pages are touched: otherwise they would start as small ones.
            // SAFETY: these are the pages just allocated; the advice does not change what is in
            // them. Systems that ignore it use small pages.
            unsafe { libc::madvise(start.as_ptr().cast(), length, libc::MADV_HUGEPAGE) };
        }
        // SAFETY: allocated with this size.
        unsafe { start.write_bytes(0, length) };
        let mut buffer = Buffer { start, layout };
        let mut words = words_without_pattern();
        for word in buffer.bytes_mut().as_chunks_mut::<8>().0 {
            *word = words();
        }
        Some(buffer)
    }

    /// All of it.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: allocated with this size, filled with zeroes and then more, and never written
        // to while shared.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and `self` is borrowed by nobody else.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed only here.
        unsafe { alloc::dealloc(self.start.as_ptr(), self.layout) };
    }
}
