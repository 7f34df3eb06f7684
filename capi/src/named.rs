//! Every algorithm of the catalogue by name.

use crate::door::door;
use crate::raw::{
    BATCH, Bytes, Place, bytes, check, copy, ensure, in_batches, list, name, not_null, take, write,
    write_growing,
};
use crate::status::{Status, guard};
use crate::typed;
use core::ffi::{c_char, c_void};
use std::sync::Arc;
use wegman::{AnyTag, Cpu};
use wegman_catalogue::{ALGORITHMS, Algorithm, AnyKey, Found, Nonce, SharedStream, find};

/// A key of any algorithm. It fixes the lengths of its tags and nonces.
///
/// Thread safety: any number of threads may use a key at once, but none while or after it is freed.
pub struct NamedKey {
    pub(crate) key: Arc<dyn AnyKey>,
    tag_bytes: usize,
    nonce_bytes: usize,
}

/// An algorithm's name, lengths, and the use that is advised.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct AlgorithmInfo {
    /// Its name.
    pub name: [c_char; 64],
    /// "recommended", "interop", "experimental", "historical" or "comparator".
    pub status: [c_char; 16],
    /// Bytes of a key.
    pub key_length: usize,
    /// Bytes of a nonce unless you ask for another length; 0 if it takes none.
    pub nonce_length: usize,
    /// Bytes of the longest tag, which is the default.
    pub tag_length: usize,
    /// Bytes of the shortest tag.
    pub shortest_tag_length: usize,
}

/// A text as C's, cut if it is too long.
fn text<const L: usize>(text: &str) -> [c_char; L] {
    let mut place = [0; L];
    for (place, byte) in place[..L - 1].iter_mut().zip(text.bytes()) {
        *place = byte as c_char;
    }
    place
}

impl AlgorithmInfo {
    /// Its size in the first version. The texts end where numbers may begin, so there is no padding.
    const FIRST: usize = 80 + 4 * size_of::<usize>();

    fn of(algorithm: &Algorithm) -> AlgorithmInfo {
        AlgorithmInfo {
            name: text(&algorithm.name),
            status: text(algorithm.status.name()),
            key_length: algorithm.key_bytes,
            nonce_length: algorithm.counter(0).map_or(0, |nonce| nonce.len()),
            tag_length: *algorithm.tag_bytes.end(),
            shortest_tag_length: *algorithm.tag_bytes.start(),
        }
    }
}

/// # Safety
/// `wanted` is NULL or a string.
unsafe fn found(wanted: *const c_char) -> Result<Found, Status> {
    // SAFETY: the caller's promise.
    find(unsafe { name(wanted) }?).ok_or(Status::Name)
}

door! {
    /// Describes the algorithm at an index; indices begin at 0. `size` is sizeof(wegman_algorithm), because a later
    /// library may add fields.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_NAME if the index is past the last algorithm; WEGMAN_LENGTH if `size` is below
    /// the first version's.
    /// Thread safety: any thread at any time.
    fn wegman_algorithm_at(index: usize, info: *mut AlgorithmInfo, size: usize) {
        not_null(info)?;
        let algorithm = ALGORITHMS.get(index).ok_or(Status::Name)?;
        write_growing(info, size, AlgorithmInfo::FIRST, &AlgorithmInfo::of(algorithm))?;
    }

    /// Describes the algorithm of a name, such as "UMAC-64", "PMAC-AES256" or "HMAC-SHA256". Upper and lower case are
    /// the same. `size` is sizeof(wegman_algorithm).
    ///
    /// Errors: WEGMAN_NULL, WEGMAN_NAME, WEGMAN_LENGTH as for wegman_algorithm_at.
    /// Thread safety: any thread at any time.
    fn wegman_algorithm_find(algorithm: *const c_char, info: *mut AlgorithmInfo, size: usize) {
        not_null(info)?;
        write_growing(info, size, AlgorithmInfo::FIRST, &AlgorithmInfo::of(&*found(algorithm)?))?;
    }

    /// Writes the name, at most 63 characters and a zero byte, of a kernel that this machine can run. Indices begin
    /// at 0. The last kernel is the fastest and the default.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_NAME if there is no such algorithm, or if the index is past the last kernel.
    /// Thread safety: any thread at any time.
    /// cbindgen:ptrs-as-arrays=[[kernel;64]]
    fn wegman_kernel_at(algorithm: *const c_char, index: usize, kernel: *mut c_char) {
        not_null(kernel)?;
        let kernels = found(algorithm)?.kernels(Cpu::detect());
        let (known, _) = kernels.get(index).ok_or(Status::Name)?;
        write(kernel.cast(), text::<64>(known));
    }
}

/// Makes a key of an algorithm from `length` secret bytes, with the longest tags and the default nonces. Free it with
/// wegman_key_free.
///
/// Errors: WEGMAN_NULL; WEGMAN_NAME if no algorithm has that name; WEGMAN_LENGTH if it takes no key of that length.
/// Thread safety: any thread at any time.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_key_new(
    algorithm: *const c_char,
    secret: *const c_void,
    length: usize,
    out: *mut *mut NamedKey,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { wegman_key_new_with(algorithm, core::ptr::null(), secret, length, 0, 0, out) }
}

door! {
    /// As wegman_key_new, for tags and nonces of the given lengths (0 for the default) and a kernel by name (NULL for
    /// the fastest).
    ///
    /// Errors: as for wegman_key_new; WEGMAN_NAME if this machine has no such kernel; WEGMAN_LENGTH if the algorithm
    /// does not have these lengths.
    /// Thread safety: any thread at any time.
    fn wegman_key_new_with(
        algorithm: *const c_char, kernel: *const c_char, secret: *const c_void, length: usize, tag_length: usize,
        nonce_length: usize; out: *mut *mut NamedKey
    ) {
        let algorithm = found(algorithm)?;
        let cpu = if kernel.is_null() {
            Cpu::detect()
        } else {
            typed::named(kernel, algorithm.kernels(Cpu::detect()).into_iter())?
        };
        let secret = bytes(secret, length)?;
        let tag_bytes = if tag_length == 0 { *algorithm.tag_bytes.end() } else { tag_length };
        let asked = (nonce_length != 0).then_some(nonce_length);
        let key = algorithm.key_with(cpu, secret, tag_bytes, asked)?;
        let usual = || algorithm.counter(0).map_or(0, |nonce| nonce.len());
        Ok(NamedKey { key, tag_bytes, nonce_bytes: asked.unwrap_or_else(usual) })
    }
}

/// Wipes and frees a key. NULL does nothing. Streams made from it still work.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wegman_key_free(key: *mut NamedKey) {
    // SAFETY: the caller's promise.
    unsafe { take(key) };
}

/// Bytes of a tag; 0 for NULL.
///
/// Thread safety: any number of threads with one key.
#[unsafe(no_mangle)]
pub extern "C" fn wegman_key_tag_length(key: Option<&NamedKey>) -> usize {
    key.map_or(0, |key| key.tag_bytes)
}

/// Bytes of a nonce; 0 if the algorithm takes none, and for NULL.
///
/// Thread safety: any number of threads with one key.
#[unsafe(no_mangle)]
pub extern "C" fn wegman_key_nonce_length(key: Option<&NamedKey>) -> usize {
    key.map_or(0, |key| key.nonce_bytes)
}

/// Calls `then` with the nonce that C passes, or with none if the length is 0. The nonce stays where it was made: in an
/// `Option`, its bytes would be stored in pieces, and loading them would wait.
///
/// # Safety
/// As for [`bytes`].
#[inline(always)]
unsafe fn under<T>(
    nonce: *const c_void,
    length: usize,
    then: impl FnOnce(Option<&Nonce>) -> Result<T, Status>,
) -> Result<T, Status> {
    if length == 0 {
        return then(None);
    }
    // SAFETY: the caller's promise.
    let nonce = Nonce::new(unsafe { bytes(nonce, length) }?)?;
    then(Some(&nonce))
}

door! {
    /// Writes the tag of a message under a nonce. If the algorithm takes none, nonce_length is 0. Never use a nonce
    /// for two messages.
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_NONCE if a nonce is missing or not taken; WEGMAN_LENGTH if the nonce or the tag
    /// does not have the key's length.
    /// Thread safety: any number of threads with one key.
    fn wegman_key_tag(
        key: Option<&NamedKey>, nonce: *const c_void, nonce_length: usize, message: *const c_void, length: usize,
        tag: *mut u8, tag_length: usize
    ) {
        let key = key.ok_or(Status::Null)?;
        not_null(tag)?;
        ensure(tag_length == key.tag_bytes, Status::Length)?;
        let mut place = [0; AnyTag::MAX];
        let made = &mut place[..tag_length];
        let message = bytes(message, length)?;
        under(nonce, nonce_length, |nonce| Ok(key.key.tag_into(nonce, message, made)?))?;
        copy(made, tag);
    }

    /// Accepts a message only if the tag is right. The time does not depend on the tag's bytes.
    ///
    /// Errors: WEGMAN_MISMATCH if the message is not authentic or the tag has another length; WEGMAN_NULL;
    /// WEGMAN_NONCE, WEGMAN_LENGTH for a wrong nonce.
    /// Thread safety: any number of threads with one key.
    fn wegman_key_verify(
        key: Option<&NamedKey>, nonce: *const c_void, nonce_length: usize, message: *const c_void, length: usize,
        tag: *const u8, tag_length: usize
    ) {
        let key = key.ok_or(Status::Null)?;
        let message = bytes(message, length)?;
        let tag = AnyTag::new(list(tag, tag_length)?).map_err(|_| Status::Mismatch)?;
        under(nonce, nonce_length, |nonce| Ok(key.key.verify(nonce, message, &tag)?))?;
    }

    /// Writes the tags of `count` messages, one after another. If the algorithm takes nonces, they are consecutive
    /// from first_nonce. tags_length is the length of all tags together. Tags must not overlap what is read
    /// (WEGMAN_OVERLAP).
    ///
    /// Errors: WEGMAN_NULL; WEGMAN_NONCE; WEGMAN_NONCES_EXHAUSTED; WEGMAN_LENGTH, also for another tags_length.
    /// Thread safety: any number of threads with one key.
    fn wegman_key_tag_many(
        key: Option<&NamedKey>, first_nonce: *const c_void, nonce_length: usize, messages: *const Bytes, count: usize,
        tags: *mut u8, tags_length: usize
    ) {
        let key = key.ok_or(Status::Null)?;
        let first = under(first_nonce, nonce_length, |first| Ok(first.copied()))?;
        let messages = list(messages, count)?;
        ensure(messages.len().checked_mul(key.tag_bytes) == Some(tags_length), Status::Length)?;
        let Some(last) = messages.len().checked_sub(1) else { return Ok(()) };
        not_null(tags)?;
        check(messages, Place::new(tags, tags_length))?;
        let nonce = |index: usize| match first {
            None => Ok(None),
            Some(first) => first.advance(index as u64).map(Some).ok_or(Status::NoncesExhausted),
        };
        nonce(last)?;
        in_batches(messages, |index, messages| {
            let mut made = [0; BATCH * AnyTag::MAX];
            let made = &mut made[..messages.len() * key.tag_bytes];
            key.key.tags(nonce(index)?.as_ref(), messages, made)?;
            copy(made, tags.add(index * key.tag_bytes));
            Ok(())
        })?;
    }
}

/// A stream of any algorithm. It keeps its key.
///
/// Thread safety: one thread at a time.
pub struct NamedStream {
    stream: Box<dyn SharedStream>,
    tag_bytes: usize,
}

door! {
    /// Starts a stream. You may free its key before it. Free the stream with wegman_stream_free.
    ///
    /// Errors: WEGMAN_NULL.
    /// Thread safety: any number of threads with one key.
    fn wegman_stream_new(key: Option<&NamedKey>; out: *mut *mut NamedStream) {
        let NamedKey { key, tag_bytes, .. } = key.ok_or(Status::Null)?;
        Ok(NamedStream { stream: Arc::clone(key).shared_stream(), tag_bytes: *tag_bytes })
    }

    /// Appends bytes to the message.
    ///
    /// Errors: WEGMAN_NULL, WEGMAN_LENGTH.
    /// Thread safety: one thread at a time.
    fn wegman_stream_update(stream: Option<&mut NamedStream>, piece: *const c_void, length: usize) {
        let stream = stream.ok_or(Status::Null)?;
        stream.stream.update(bytes(piece, length)?);
    }

    /// Writes the tag of the message under a nonce, and starts an empty message. If the algorithm takes no nonce,
    /// nonce_length is 0.
    ///
    /// Errors: as for wegman_key_tag; the message then stays as it is.
    /// Thread safety: one thread at a time.
    fn wegman_stream_finish(
        stream: Option<&mut NamedStream>, nonce: *const c_void, nonce_length: usize, tag: *mut u8, tag_length: usize
    ) {
        let stream = stream.ok_or(Status::Null)?;
        not_null(tag)?;
        ensure(tag_length == stream.tag_bytes, Status::Length)?;
        let mut place = [0; AnyTag::MAX];
        let made = &mut place[..tag_length];
        under(nonce, nonce_length, |nonce| Ok(stream.stream.finish_reset(nonce, made)?))?;
        copy(made, tag);
    }

    /// Accepts the message so far only if the tag is right. The stream stays as it is.
    ///
    /// Errors: as for wegman_key_verify.
    /// Thread safety: one thread at a time.
    fn wegman_stream_verify(
        stream: Option<&NamedStream>, nonce: *const c_void, nonce_length: usize, tag: *const u8, tag_length: usize
    ) {
        let stream = stream.ok_or(Status::Null)?;
        let tag = AnyTag::new(list(tag, tag_length)?).map_err(|_| Status::Mismatch)?;
        under(nonce, nonce_length, |nonce| Ok(stream.stream.verify(nonce, &tag)?))?;
    }

    /// Copies a stream with its message so far, for messages with the same beginning. Never end both under one nonce.
    ///
    /// Errors: WEGMAN_NULL.
    /// Thread safety: one thread at a time.
    fn wegman_stream_copy(stream: Option<&NamedStream>; out: *mut *mut NamedStream) {
        let NamedStream { stream, tag_bytes } = stream.ok_or(Status::Null)?;
        Ok(NamedStream { stream: stream.copy(), tag_bytes: *tag_bytes })
    }
}

/// Starts an empty message. NULL does nothing.
///
/// Thread safety: one thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wegman_stream_reset(stream: Option<&mut NamedStream>) {
    let _ = guard(|| {
        stream.ok_or(Status::Null)?.stream.reset();
        Ok(())
    });
}

/// Wipes and frees a stream. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wegman_stream_free(stream: *mut NamedStream) {
    // SAFETY: the caller's promise.
    unsafe { take(stream) };
}
