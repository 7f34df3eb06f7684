//! What C passes: pointers, lengths and lists of parts. All reading and writing through them is here.

use crate::status::{Status, guard};
use core::ffi::{CStr, c_char, c_void};
use core::mem::MaybeUninit;
use core::slice;
use wegman::hazmat::wiped::{self, Wiped};

/// A range of memory, with the layout of `struct iovec`. A list of them is a message in parts, or a list of messages.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    /// Its first byte. It may be NULL if `length` is 0.
    pub data: *const c_void,
    /// Its number of bytes.
    pub length: usize,
}

/// How many messages or parts are looked at together. They are on the stack.
pub(crate) const BATCH: usize = 32;

/// Refuses NULL.
#[inline(always)]
pub(crate) fn not_null<T>(place: *const T) -> Result<(), Status> {
    ensure(!place.is_null(), Status::Null)
}

/// `Ok` if the condition holds, otherwise the status.
#[inline(always)]
pub(crate) fn ensure(holds: bool, status: Status) -> Result<(), Status> {
    if holds { Ok(()) } else { Err(status) }
}

/// The name that C passes.
///
/// # Safety
/// `name` is NULL or a string.
pub(crate) unsafe fn name<'a>(name: *const c_char) -> Result<&'a str, Status> {
    not_null(name)?;
    // SAFETY: not NULL, and the caller's promise.
    unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Status::Name)
}

/// The bytes at `data`.
///
/// # Safety
/// Unless it is NULL, `data` points to `length` bytes that stay and do not change for as long as the result is used.
#[inline(always)]
pub(crate) unsafe fn bytes<'a>(data: *const c_void, length: usize) -> Result<&'a [u8], Status> {
    if length == 0 {
        // In memory: a masked load of nothing where there is none takes as long as six short tags.
        static NOTHING: [u8; 64] = [0; 64];
        return Ok(&NOTHING[..0]);
    }
    not_null(data)?;
    ensure(length <= isize::MAX as usize, Status::Length)?;
    // SAFETY: not NULL, and the caller's promise.
    Ok(unsafe { slice::from_raw_parts(data.cast(), length) })
}

/// The `N` bytes at `data`.
///
/// # Safety
/// Unless it is NULL, `data` points to `N` bytes.
#[inline(always)]
pub(crate) unsafe fn array<const N: usize>(data: *const u8) -> Result<[u8; N], Status> {
    not_null(data)?;
    // SAFETY: not NULL, and the caller's promise; arrays of bytes are not aligned.
    Ok(unsafe { data.cast::<[u8; N]>().read() })
}

/// Writes a value, which C may have declared without initialising it.
///
/// # Safety
/// `out` points to a place for a `T`.
#[inline(always)]
pub(crate) unsafe fn write<T>(out: *mut T, value: T) {
    // SAFETY: the caller's promise.
    unsafe { out.write(value) };
}

/// Writes as much of a structure as C has room for in its own of `size` bytes, which may be that of another version: `first` in
/// the first one, more fields at the end in later ones. Fields that this version does not know are 0.
///
/// # Safety
/// `out` points to `size` bytes, and every byte of the value is initialised.
pub(crate) unsafe fn write_growing<T: Copy>(
    out: *mut T,
    size: usize,
    first: usize,
    value: &T,
) -> Result<(), Status> {
    not_null(out)?;
    ensure(size >= first, Status::Length)?;
    let known = size.min(size_of::<T>());
    // SAFETY: the caller's promises.
    unsafe {
        core::ptr::from_ref(value).cast::<u8>().copy_to(out.cast(), known);
        out.cast::<u8>().add(known).write_bytes(0, size - known);
    }
    Ok(())
}

/// Copies bytes to C. What `from` was read from may lie where they go.
///
/// # Safety
/// `out` points to as many bytes.
#[inline(always)]
pub(crate) unsafe fn copy(from: &[u8], out: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { from.as_ptr().copy_to(out, from.len()) };
}

/// `count` elements at `first`; none if `count` is 0.
///
/// # Safety
/// Unless it is NULL, `first` points to `count` elements that stay and do not change for as long as the result is used.
#[inline(always)]
pub(crate) unsafe fn list<'a, T>(first: *const T, count: usize) -> Result<&'a [T], Status> {
    if count == 0 {
        return Ok(&[]);
    }
    not_null(first)?;
    ensure(count <= isize::MAX as usize / size_of::<T>(), Status::Length)?;
    // SAFETY: not NULL, and the caller's promise.
    Ok(unsafe { slice::from_raw_parts(first, count) })
}

/// Where a function with many messages writes. What it reads must not be there: it reads some of it after it has written.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    first: usize,
    length: usize,
}

impl Place {
    /// `length` bytes at `first`.
    pub(crate) fn new<T>(first: *const T, length: usize) -> Place {
        Place { first: first as usize, length }
    }

    /// Refuses something to read if a byte of it is in this place.
    pub(crate) fn is_apart(self, other: Place) -> Result<(), Status> {
        let is_before = |one: Place, two: Place| one.first.saturating_add(one.length) <= two.first;
        let is_empty = self.length == 0 || other.length == 0;
        ensure(is_empty || is_before(self, other) || is_before(other, self), Status::Overlap)
    }
}

/// Checks all pieces, so that nothing is done if one is wrong: not there, too long, or where the function will write.
///
/// # Safety
/// As for [`bytes`], for each piece.
pub(crate) unsafe fn check(pieces: &[Bytes], written: Place) -> Result<(), Status> {
    written.is_apart(Place::new(pieces.as_ptr(), size_of_val(pieces)))?;
    for piece in pieces {
        // SAFETY: the caller's promise.
        unsafe { bytes(piece.data, piece.length) }?;
        written.is_apart(Place::new(piece.data, piece.length))?;
    }
    Ok(())
}

/// Calls `each` with up to [`BATCH`] pieces at a time, in order, and with the index of the first of them. The pieces have
/// been [checked](check).
///
/// # Safety
/// As for [`bytes`], for each piece, except that pieces may change after the call that received them.
#[inline]
pub(crate) unsafe fn in_batches(
    pieces: &[Bytes],
    mut each: impl FnMut(usize, &[&[u8]]) -> Result<(), Status>,
) -> Result<(), Status> {
    for (number, pieces) in pieces.chunks(BATCH).enumerate() {
        let mut batch = [&[][..]; BATCH];
        for (place, piece) in batch.iter_mut().zip(pieces) {
            // SAFETY: the caller's promise.
            *place = unsafe { bytes(piece.data, piece.length) }?;
        }
        each(number * BATCH, &batch[..pieces.len()])?;
    }
    Ok(())
}

/// The message in parts as slices: up to [`BATCH`] of them on the stack, more in a list.
///
/// # Safety
/// As for [`list`] and [`bytes`].
pub(crate) unsafe fn with_parts<T>(
    parts: *const Bytes,
    count: usize,
    then: impl FnOnce(&[&[u8]]) -> Result<T, Status>,
) -> Result<T, Status> {
    // SAFETY: the caller's promise.
    let parts = unsafe { list(parts, count) }?;
    let slice = |part: &Bytes| {
        // SAFETY: the caller's promise.
        unsafe { bytes(part.data, part.length) }
    };
    if parts.len() <= BATCH {
        let mut few = [&[][..]; BATCH];
        for (place, part) in few.iter_mut().zip(parts) {
            *place = slice(part)?;
        }
        return then(&few[..parts.len()]);
    }
    let mut many = room(parts.len())?;
    for part in parts {
        many.push(slice(part)?);
    }
    then(&many)
}

/// A list with room for so many, or an error where others would end the process.
pub(crate) fn room<T>(count: usize) -> Result<Vec<T>, Status> {
    let mut list = Vec::new();
    list.try_reserve_exact(count).map_err(|_| Status::Memory)?;
    Ok(list)
}

/// Gives an object to C, or NULL if it can't be made. It is written at the end: `out` may lie where `make` reads.
///
/// # Safety
/// `out` points to a place for a pointer, or is NULL.
pub(crate) unsafe fn give<T>(out: *mut *mut T, make: impl FnOnce() -> Result<T, Status>) -> Status {
    let put = |place: wiped::Place<'_, T>| {
        place.put(make()?);
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { give_put(out, put) }
}

/// [`give`], where `make` puts the object in its place.
///
/// # Safety
/// As for [`give`].
pub(crate) unsafe fn give_put<T>(
    out: *mut *mut T,
    make: impl FnOnce(wiped::Place<'_, T>) -> Result<(), Status>,
) -> Status {
    let mut object = core::ptr::null_mut();
    let status = guard(|| {
        not_null(out)?;
        object = alone(make)?;
        Ok(())
    });
    if !out.is_null() {
        // SAFETY: not NULL, and the caller's promise.
        unsafe { write(out, object) };
    }
    status
}

/// Makes an object in memory of its own.
fn alone<T>(
    make: impl FnOnce(wiped::Place<'_, T>) -> Result<(), Status>,
) -> Result<*mut T, Status> {
    let mut one = room(1)?;
    one.push(MaybeUninit::<Wiped<T>>::uninit());
    // A list of one has the layout of what is in it.
    let one: Box<[_; 1]> = one.into_boxed_slice().try_into().map_err(|_| Status::Internal)?;
    // SAFETY: likewise, and it comes from a box.
    let place = unsafe { Box::from_raw(Box::into_raw(one).cast()) };
    Ok(Box::into_raw(Wiped::fill(place, make)?).cast())
}

/// Takes an object back from C, drops and wipes it. Nothing happens if it is NULL.
///
/// # Safety
/// `object` is NULL or was [given](give) and is used by nobody any more.
pub(crate) unsafe fn take<T>(object: *mut T) {
    let _ = guard(|| {
        if !object.is_null() {
            // SAFETY: the caller's promise.
            drop(unsafe { Box::from_raw(object.cast::<Wiped<T>>()) });
        }
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_structure_is_written_as_far_as_the_caller_knows_it() {
        for (size, wanted) in [
            (8, Err(Status::Length)),
            (16, Ok([1, 2, 9, 9])),
            (24, Ok([1, 2, 3, 9])),
            (32, Ok([1, 2, 3, 0])),
        ] {
            let mut place = [9_u64; 4];
            // It had two fields, and now has three.
            // SAFETY: the place has up to 32 bytes, and numbers have no padding.
            let written =
                unsafe { write_growing(place.as_mut_ptr().cast(), size, 16, &[1_u64, 2, 3]) };
            assert_eq!(written.map(|()| place), wanted);
            assert!(written.is_ok() || place == [9; 4]);
        }
    }
}
