//! Messages in parts, as they lie in memory: a header here, a payload there.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;
#[cfg(target_arch = "x86_64")]
use core::hint::black_box;
#[cfg(target_arch = "x86_64")]
use core::mem::MaybeUninit;

use crate::cpu::Needs;
use crate::ct::wipe;
use crate::ends::short_number;
#[cfg(target_arch = "x86_64")]
use crate::simd::store512;

/// The bytes of all parts.
#[inline]
pub(crate) fn length(parts: &[&[u8]]) -> usize {
    parts.iter().map(|part| part.len()).sum()
}

/// The first block of a message in two parts, as a number with the first byte lowest, and the rest. `None` if the first part
/// is longer than a block, if it is shorter and the second one is, too, or if there is no rest.
#[inline]
pub(crate) fn first_block<'m>(parts: &[&'m [u8]]) -> Option<(u128, &'m [u8])> {
    let [head, last] = parts else { return None };
    let (block, rest) = match head.len() {
        count @ ..16 => {
            let next = u128::from_le_bytes(*last.first_chunk()?);
            (short_number(head) | next << (8 * count), &last[16 - count..])
        }
        16 => (u128::from_le_bytes(*head.first_chunk()?), *last),
        _ => return None,
    };
    if rest.is_empty() { None } else { Some((block, rest)) }
}

/// The last byte that is put together on the stack. Copying up to it costs less than a stream, which copies as much.
const LONG: usize = 2048;

/// The bytes of a line: the first of a message may lie elsewhere.
pub(crate) const LINE: usize = 64;

/// A line, in pieces that [`wipe`] takes.
#[derive(Default)]
#[repr(align(64))] // a store to two lines of a cache would delay a load of it
pub(crate) struct Line([[u8; 32]; LINE / 32]);

/// What a key may use, for its parts to be joined in registers.
pub(crate) const MASKS: Needs = Needs::AVX512F.and(Needs::AVX512BW).and(Needs::BMI2);

/// Calls `one` with the message in one piece, which begins at byte `start` of a line. So a kernel loads whole lines, also
/// those behind a block that the kernel has from elsewhere. `None` if the message ends behind byte [`LONG`]. `masked`: the
/// key may use [`MASKS`].
#[inline]
pub(crate) fn together<R>(
    masked: bool,
    start: usize,
    parts: &[&[u8]],
    one: impl FnOnce(&[u8]) -> R,
) -> Option<R> {
    Some(match start + length(parts) {
        ..=128 => in_lines::<2, R>(masked, start, parts, one),
        129..=512 => in_lines::<8, R>(masked, start, parts, one),
        513..=LONG => in_lines::<{ LONG / LINE }, R>(masked, start, parts, one),
        _ => return None,
    })
}

/// [`together`] in so many lines.
#[inline]
#[cfg_attr(target_arch = "x86_64", allow(unsafe_code))]
fn in_lines<const LINES: usize, R>(
    masked: bool,
    start: usize,
    parts: &[&[u8]],
    one: impl FnOnce(&[u8]) -> R,
) -> R {
    #[cfg(target_arch = "x86_64")]
    if masked && crate::cpu::has_byte_masks() {
        // SAFETY: so the machine has them.
        return unsafe { in_registers::<LINES, R>(start, parts, one) };
    }
    let _ = masked; // other processors have no such registers
    copied::<LINES, R>(start, parts, one)
}

/// [`in_lines`] on any machine.
#[inline(always)]
fn copied<const LINES: usize, R>(start: usize, parts: &[&[u8]], one: impl FnOnce(&[u8]) -> R) -> R {
    let mut room = [[[0_u8; 32]; 2]; LINES];
    let bytes = room.as_flattened_mut().as_flattened_mut();
    let mut end = start;
    for part in parts {
        bytes[end..][..part.len()].copy_from_slice(part);
        end += part.len();
    }
    let result = one(&bytes[start..end]);
    wipe(&mut room);
    result
}

/// [`in_lines`], where a load of a kernel never crosses what one store wrote: it would have to wait.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn in_registers<const LINES: usize, R>(
    start: usize,
    parts: &[&[u8]],
    one: impl FnOnce(&[u8]) -> R,
) -> R {
    let mut room = [const { MaybeUninit::<__m512i>::uninit() }; LINES];
    let (mut line, mut filled, mut lines) = (_mm512_setzero_si512(), start, 0);
    for part in parts {
        let mut rest = *part;
        while let Some((now, after)) = rest.split_at_checked(64 - filled) {
            room[lines].write(with_bytes(line, now, filled));
            (rest, lines, filled) = (after, lines + 1, 0);
        }
        line = with_bytes(line, rest, filled);
        filled += rest.len();
    }
    let end = 64 * lines + filled;
    if filled > 0 {
        room[lines].write(line);
    }
    // SAFETY: these bytes have been written.
    let whole = unsafe { core::slice::from_raw_parts(room.as_ptr().cast(), end) };
    let result = one(&whole[start..]);
    let used = if LINES > 2 { end.div_ceil(64) } else { LINES };
    for line in &mut room[..used] {
        line.write(_mm512_setzero_si512());
    }
    black_box(&mut room);
    result
}

impl Line {
    /// Fills in the first bytes of a message in these parts, all but the last of which fit the line. Returns how many there
    /// are, and what is left of the last part. It is one store, which a kernel's load need not wait for. The caller wipes it.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,bmi2")]
    pub(crate) fn join_by_masks<'m>(
        &mut self,
        first: &[u8],
        more: &[&[u8]],
        last: &'m [u8],
    ) -> (usize, &'m [u8]) {
        let (mut line, mut filled) = (with_bytes(_mm512_setzero_si512(), first, 0), first.len());
        for part in more {
            line = with_bytes(line, part, filled);
            filled += part.len();
        }
        let (now, rest) = last.split_at(last.len().min(LINE - filled));
        store512(&mut self.0, with_bytes(line, now, filled));
        (filled + now.len(), rest)
    }

    /// The same on any machine, by several stores.
    pub(crate) fn join_by_copies<'m>(
        &mut self,
        first: &[u8],
        more: &[&[u8]],
        last: &'m [u8],
    ) -> (usize, &'m [u8]) {
        let bytes = self.0.as_flattened_mut();
        let (now, rest) = last.split_at(last.len().min(LINE - first.len() - length(more)));
        let mut filled = 0;
        for part in [&[first], more, &[now]].into_iter().flatten() {
            bytes[filled..][..part.len()].copy_from_slice(part);
            filled += part.len();
        }
        (filled, rest)
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8; LINE] {
        self.0.as_flattened().first_chunk().expect("as many")
    }

    #[inline]
    pub(crate) fn wipe(&mut self) {
        wipe(&mut self.0);
    }
}

/// A line with bytes, which end in it, in place of its own from number `at` on.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[inline]
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
fn with_bytes(line: __m512i, bytes: &[u8], at: usize) -> __m512i {
    debug_assert!(at + bytes.len() <= 64);
    let at = at % 64;
    let mask = _bzhi_u64(u64::MAX, bytes.len() as u32) << at;
    // SAFETY: only these bytes are read: the mask has at most as many bits, from `at` on.
    unsafe { _mm512_mask_loadu_epi8(line, mask, bytes.as_ptr().wrapping_sub(at).cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wegman_reference::inputs::{Random, random_pieces};

    /// On every machine, also as a machine without masks joins them.
    #[test]
    fn parts_of_every_length_are_joined() {
        let message = Random(41).message(2048);
        let mut random = Random(42);
        for length in 0..=message.len() {
            let message = &message[..length];
            for parts in
                [vec![message], random_pieces(&mut random, message), vec![&[], message, &[]]]
            {
                for start in [0, 16] {
                    let same = |found: &[u8]| assert_eq!(found, message);
                    let fits = start + length <= LONG;
                    assert_eq!(together(true, start, &parts, same).is_some(), fits);
                    copied::<33, _>(start, &parts, same);
                }
            }
        }
    }

    /// The first block of a head and the last part, and what is left of that.
    #[test]
    fn first_blocks() {
        let message = Random(43).message(40);
        for (head, length) in
            (0..=17).flat_map(|head| (0..=20).map(move |last| (head, head + last)))
        {
            let (first, last) = message[..length].split_at(head);
            let found = first_block(&[first, last]);
            // Behind a short head, at least a block is loaded.
            let taken =
                head == 16 && !last.is_empty() || head < 16 && last.len() >= 16 && length > 16;
            assert_eq!(found.is_some(), taken, "{head} of {length} bytes");
            if let Some((block, rest)) = found {
                assert_eq!(block.to_le_bytes(), message[..16], "{head} of {length} bytes");
                assert_eq!(rest, &message[16..length]);
            }
        }
        assert!(first_block(&[&message[..1], &[], &message[1..]]).is_none());
    }
}
