//! Messages in parts, as they lie in memory: a header here, a payload there.

use crate::ct::wipe;

/// The bytes of all parts.
#[inline]
pub(crate) fn length(parts: &[&[u8]]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}

/// The longest message that is put together on the stack. Copying it costs less than a stream, which copies as much.
pub(crate) const LONG: usize = 2048;

/// Calls `one` with the message in one piece: itself if it is one part, put together in a buffer of `ROOM` bytes if not.
/// `first` comes before the parts.
#[inline]
pub(crate) fn together<const ROOM: usize, R>(
    first: &[u8],
    parts: &[&[u8]],
    one: impl FnOnce(&[u8]) -> R,
) -> R {
    let mut room = [0; ROOM];
    let mut rest = &mut room[..];
    for part in core::iter::once(&first).chain(parts) {
        let (place, after) = rest.split_at_mut(part.len());
        place.copy_from_slice(part);
        rest = after;
    }
    let len = ROOM - rest.len();
    let result = one(&room[..len]);
    wipe(&mut room);
    result
}
