//! Parts and edits of messages under PMAC: segments and sums.

use crate::door::door;
use crate::pmac_aes128::PmacAes128;
use crate::raw::{array, bytes, copy, list, not_null, room, take, write};
use crate::status::Status;
use core::ffi::c_void;
use core::ops::Range;
use wegman::pmac::hazmat::{Segment, Sum};
use wegman::{Bits, Tag};

/// The sum of a segment of a message, from which its tag follows. It is as secret as the key: encrypt it before you
/// store or send it. Machines that share a key can sum the segments of a message in any order. The joined tag is that
/// of the whole message.
///
/// Thread safety: any number of threads may read it at once; only one may change or free it.
pub struct PmacSegment(Segment);

/// The sum of a message, kept when it was tagged or recovered from its tag. With it, an edit costs what it changes,
/// not the message's length. It is as secret as the key. An edit trusts the old bytes that you pass: edit only what
/// you have verified.
///
/// Thread safety: any number of threads may read it at once; only one may change or free it.
pub struct PmacSum(Sum);

/// Lengths are bytes here, bits inside.
fn bits(bytes: u64) -> Result<u64, Status> {
    bytes.checked_mul(8).ok_or(Status::Length)
}

door! {
    /// Sums a segment that begins after start_block blocks of 16 bytes. A segment consists of whole blocks, except
    /// the last of its message.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if the message would exceed 2^61 bytes.
    /// Thread safety: any number of threads with one key.
    fn wegman_pmac_segment_new(
        key: Option<&PmacAes128>, start_block: u64, part: *const c_void, length: usize; out: *mut *mut PmacSegment
    ) {
        let PmacAes128(key) = key.ok_or(Status::Null)?;
        let part = bytes(part, length)?;
        bits(length as u64)?;
        Ok(PmacSegment(Segment::new(key, start_block, Bits::from(part))?))
    }

    /// Appends the segment `next` to `segment`. It must begin where `segment` ends.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_SEGMENT if `next` begins elsewhere or has another key, or if `segment` does not
    /// end with a whole block.
    /// Thread safety: one thread at a time for `segment`.
    fn wegman_pmac_segment_append(segment: *mut PmacSegment, next: *const PmacSegment) {
        let joined = {
            let segment = segment.as_ref().ok_or(Status::Null)?;
            segment.0.then(&next.as_ref().ok_or(Status::Null)?.0)?
        };
        (*segment).0 = joined;
    }

    /// Joins `count` segments of a message, in any order, to a new one. The old ones stay as they are.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_SEGMENT if there is none, or if they leave a gap, overlap or have different keys.
    /// Thread safety: any number of threads.
    fn wegman_pmac_segment_combine(segments: *const *const PmacSegment, count: usize; out: *mut *mut PmacSegment) {
        let segments = list(segments, count)?;
        let mut all = room(segments.len())?;
        for one in segments {
            all.push(one.as_ref().ok_or(Status::Null)?.0.clone());
        }
        Ok(PmacSegment(Segment::combine(&mut all)?))
    }

    /// Writes the tag of the message that the segment covers. Compare wegman_pmac_segment_length with the message's
    /// length: only you know whether the message is complete.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_SEGMENT if the segment does not begin at block 0, or is of another key.
    /// Thread safety: any number of threads.
    /// cbindgen:ptrs-as-arrays=[[tag;16]]
    fn wegman_pmac_segment_tag(segment: Option<&PmacSegment>, key: Option<&PmacAes128>, tag: *mut u8) {
        let (segment, key) = (segment.ok_or(Status::Null)?, key.ok_or(Status::Null)?);
        not_null(tag)?;
        let made = segment.0.tag(&key.0)?;
        copy(&made.to_bytes(), tag);
    }
}

/// Bytes of the segment; 0 for NULL.
///
/// Thread safety: any number of threads.
#[unsafe(no_mangle)]
pub extern "C" fn wegman_pmac_segment_length(segment: Option<&PmacSegment>) -> u64 {
    segment.map_or(0, |segment| segment.0.bits() / 8)
}

door! {
    /// Writes the segment as 68 bytes, the same on every machine and in every language. They are as secret as the
    /// key.
    ///
    /// Errors: WEGMAN_NULL.
    /// Thread safety: any number of threads.
    /// cbindgen:ptrs-as-arrays=[[encoded;68]]
    fn wegman_pmac_segment_encode(segment: Option<&PmacSegment>, encoded: *mut u8) {
        let segment = segment.ok_or(Status::Null)?;
        not_null(encoded)?;
        copy(&*zeroize::Zeroizing::new(segment.0.to_bytes()), encoded);
    }

    /// Makes a segment from what wegman_pmac_segment_encode wrote.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_SAVED if the bytes are not a segment.
    /// Thread safety: any thread at any time.
    /// cbindgen:ptrs-as-arrays=[[encoded;68]]
    fn wegman_pmac_segment_decode(encoded: *const u8; out: *mut *mut PmacSegment) {
        let encoded = zeroize::Zeroizing::new(array::<{ Segment::BYTES }>(encoded)?);
        Segment::from_bytes(&*encoded).map(PmacSegment).map_err(|_| Status::Saved)
    }
}

/// Wipes and frees a segment. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wegman_pmac_segment_free(segment: *mut PmacSegment) {
    // SAFETY: the caller's promise.
    unsafe { take(segment) };
}

door! {
    /// The sum of a message of `length` bytes, from its tag alone.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message is that long.
    /// Thread safety: any number of threads with one key.
    /// cbindgen:ptrs-as-arrays=[[tag;16]]
    fn wegman_pmac_sum_from_tag(key: Option<&PmacAes128>, tag: *const u8, length: u64; out: *mut *mut PmacSum) {
        let PmacAes128(key) = key.ok_or(Status::Null)?;
        let (tag, bits) = (Tag::from(array(tag)?), bits(length)?);
        Ok(PmacSum(Sum::from_tag(key, &tag, bits)?))
    }

    /// The sum of the message that a segment covers.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_SEGMENT as for wegman_pmac_segment_tag.
    /// Thread safety: any number of threads with one key.
    fn wegman_pmac_sum_from_segment(key: Option<&PmacAes128>, segment: Option<&PmacSegment>; out: *mut *mut PmacSum) {
        let (PmacAes128(key), segment) = (key.ok_or(Status::Null)?, segment.ok_or(Status::Null)?);
        Ok(PmacSum(Sum::from_segment(key, &segment.0)?))
    }
}

/// Bytes of the message after all edits so far; 0 for NULL.
///
/// Thread safety: any number of threads.
#[unsafe(no_mangle)]
pub extern "C" fn wegman_pmac_sum_length(sum: Option<&PmacSum>) -> u64 {
    sum.map_or(0, |sum| sum.0.bits() / 8)
}

door! {
    /// Writes the tag of the message after all edits so far.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_SEGMENT if the sum has another key.
    /// Thread safety: any number of threads.
    /// cbindgen:ptrs-as-arrays=[[tag;16]]
    fn wegman_pmac_sum_tag(sum: Option<&PmacSum>, key: Option<&PmacAes128>, tag: *mut u8) {
        let (sum, key) = (sum.ok_or(Status::Null)?, key.ok_or(Status::Null)?);
        not_null(tag)?;
        let made = sum.0.tag(&key.0)?;
        copy(&made.to_bytes(), tag);
    }

    /// Gives the window of old bytes that replacing `length` bytes from offset `at` on needs: from `start` up to, but not
    /// including, `end`. If the replacement goes beyond the message, `end` is the message's end.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message is that long.
    /// Thread safety: any number of threads.
    fn wegman_pmac_sum_replace_window(sum: Option<&PmacSum>, at: u64, length: u64, start: *mut u64, end: *mut u64) {
        let window = sum.ok_or(Status::Null)?.0.replace_window(bits(at)?, bits(length)?);
        write_window(window, start, end)?;
    }

    /// Overwrites `length` bytes from offset `at` on with new_bytes. `old` has the bytes of the window before the edit.
    ///
    /// Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_SEGMENT if the sum has another key; WEGMAN_EDIT if the bytes are
    /// not all in the message, or if `old` does not have the window's length. The sum then stays as it is.
    /// Thread safety: one thread at a time for `sum`.
    fn wegman_pmac_sum_replace(
        sum: Option<&mut PmacSum>, key: Option<&PmacAes128>, at: u64, new_bytes: *const c_void, length: usize,
        old: *const c_void, old_length: usize
    ) {
        let (sum, key) = (sum.ok_or(Status::Null)?, key.ok_or(Status::Null)?);
        let (new, old) = (bytes(new_bytes, length)?, bytes(old, old_length)?);
        bits(length as u64)?;
        sum.0.replace(&key.0, bits(at)?, Bits::from(new), old)?;
    }

    /// Which old bytes wegman_pmac_sum_append needs: those from `start` to before `end`, the last block.
    ///
    /// Errors: WEGMAN_NULL.
    /// Thread safety: any number of threads.
    fn wegman_pmac_sum_append_window(sum: Option<&PmacSum>, start: *mut u64, end: *mut u64) {
        let window = sum.ok_or(Status::Null)?.0.append_window();
        write_window(window, start, end)?;
    }

    /// Appends bytes to the message. `old` has the bytes of the window.
    ///
    /// Errors and thread safety: as for wegman_pmac_sum_replace.
    fn wegman_pmac_sum_append(
        sum: Option<&mut PmacSum>, key: Option<&PmacAes128>, new_bytes: *const c_void, length: usize,
        old: *const c_void, old_length: usize
    ) {
        let (sum, key) = (sum.ok_or(Status::Null)?, key.ok_or(Status::Null)?);
        let (new, old) = (bytes(new_bytes, length)?, bytes(old, old_length)?);
        bits(length as u64)?;
        sum.0.append(&key.0, Bits::from(new), old)?;
    }

    /// Gives the window of old bytes that truncating the message to `length` bytes needs: from `start` up to, but not
    /// including, `end`. It begins with the block that will be the last.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message is that long.
    /// Thread safety: any number of threads.
    fn wegman_pmac_sum_truncate_window(sum: Option<&PmacSum>, length: u64, start: *mut u64, end: *mut u64) {
        let window = sum.ok_or(Status::Null)?.0.truncate_window(bits(length)?);
        write_window(window, start, end)?;
    }

    /// Truncates the message to its first `length` bytes. `old` has the bytes of the window.
    ///
    /// Errors and thread safety: as for wegman_pmac_sum_replace.
    fn wegman_pmac_sum_truncate(
        sum: Option<&mut PmacSum>, key: Option<&PmacAes128>, length: u64, old: *const c_void, old_length: usize
    ) {
        let (sum, key) = (sum.ok_or(Status::Null)?, key.ok_or(Status::Null)?);
        let old = bytes(old, old_length)?;
        sum.0.truncate(&key.0, bits(length)?, old)?;
    }
}

/// Wipes and frees a sum. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wegman_pmac_sum_free(sum: *mut PmacSum) {
    // SAFETY: the caller's promise.
    unsafe { take(sum) };
}

/// # Safety
/// Both point to a number, or are NULL.
unsafe fn write_window(window: Range<u64>, start: *mut u64, end: *mut u64) -> Result<(), Status> {
    not_null(start)?;
    not_null(end)?;
    // SAFETY: not NULL, and the caller's promises.
    unsafe {
        write(start, window.start);
        write(end, window.end);
    }
    Ok(())
}
