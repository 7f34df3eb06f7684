//! UMAC-128 (RFC 4418).

use crate::raw::{Bytes, take};
use crate::status::Status;
use crate::typed;
use core::ffi::{c_char, c_void};
use wegman::umac;

/// A key of UMAC-128 (RFC 4418) for tags of 16 bytes under nonces of 8 bytes. At most v * 2^-120 for v attempts at a forgery,
/// as long as no nonce is used twice (claimed in RFC 4418, section 6; Bernstein, EUROCRYPT 2005).
///
/// Thread safety: any number of threads may use a key at once, except that nobody uses it while and after it is freed.
pub struct Umac128(Inner);

type Inner = umac::Key<16>;

const WORDS: usize = size_of::<Umac128Stream>() / 8;

/// A message under way, in memory that the caller owns: on the stack, in a structure, anywhere. It refers to its key, which must
/// stay until the stream has ended. Start it
/// first, or fill it with zeroes: other functions refuse what was not started, has ended, or was moved or copied to another
/// address, but memory that nobody has written to may look like anything.
///
/// Thread safety: one thread at a time.
#[repr(C)]
pub struct Umac128Stream {
    /// Of no concern to callers.
    words: [u64; 160],
}

/// Makes a key from 16 uniformly random bytes that are used for nothing else, and stores it at `out`. Free it with
/// wegman_umac128_free. Making a key costs thousands of cycles: make it once, and share it.
///
/// Errors: WEGMAN_NULL. Thread safety: any thread at any time.
/// cbindgen:ptrs-as-arrays=[[secret;16]]
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_new(secret: *const u8, out: *mut *mut Umac128) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::new(None, secret, out, Umac128) }
}

/// wegman_umac128_new with the kernel of that name, such as "portable" or "avx2": the same tags in another time. For tests; the
/// usual one is the fastest. wegman_kernel_at lists them.
///
/// Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel. Thread safety: any thread at any time.
/// cbindgen:ptrs-as-arrays=[[secret;16]]
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_new_with(
    kernel: *const c_char,
    secret: *const u8,
    out: *mut *mut Umac128,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::new(Some(kernel), secret, out, Umac128) }
}

/// Wipes and frees a key. NULL is allowed, and nothing happens.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wegman_umac128_free(key: *mut Umac128) {
    // SAFETY: the caller's promise.
    unsafe { take(key) };
}

/// Writes the tag of a message to `tag`, under a nonce of 8 bytes. A nonce is never used for two messages: two tags under one reveal the key. A counter is the best nonce. The tag may overlap the message.
///
/// Errors: WEGMAN_NULL; WEGMAN_LENGTH if no memory is that long. Then nothing is written.
/// Thread safety: any number of threads with one key.
/// cbindgen:ptrs-as-arrays=[[nonce;8], [tag;16]]
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_tag(
    key: Option<&Umac128>,
    nonce: *const u8,
    message: *const c_void,
    length: usize,
    tag: *mut u8,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::tag(key.map(|key| &key.0), nonce, message, length, tag) }
}

/// Accepts a message only with its tag. The time does not depend on the bytes of the tag.
///
/// Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for wegman_umac128_tag.
/// Thread safety: any number of threads with one key.
/// cbindgen:ptrs-as-arrays=[[nonce;8], [tag;16]]
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_verify(
    key: Option<&Umac128>,
    nonce: *const u8,
    message: *const c_void,
    length: usize,
    tag: *const u8,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::verify(key.map(|key| &key.0), nonce, message, length, tag) }
}

/// The tag of a message in `count` parts, one after the other, as in a struct iovec. Where parts end is not authenticated.
///
/// Errors and thread safety: as for wegman_umac128_tag.
/// cbindgen:ptrs-as-arrays=[[nonce;8], [tag;16]]
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_tag_parts(
    key: Option<&Umac128>,
    nonce: *const u8,
    parts: *const Bytes,
    count: usize,
    tag: *mut u8,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::tag_parts(key.map(|key| &key.0), nonce, parts, count, tag) }
}

/// Accepts a message in parts only with its tag.
///
/// Errors and thread safety: as for wegman_umac128_verify.
/// cbindgen:ptrs-as-arrays=[[nonce;8], [tag;16]]
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_verify_parts(
    key: Option<&Umac128>,
    nonce: *const u8,
    parts: *const Bytes,
    count: usize,
    tag: *const u8,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::verify_parts(key.map(|key| &key.0), nonce, parts, count, tag) }
}

/// The tags of `count` messages under consecutive nonces: big-endian numbers from `first_nonce` on. They are written one after another, 16 bytes each. This is faster than one at
/// a time. Tags must not overlap what
/// is read: WEGMAN_OVERLAP.
///
/// Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_NONCES_EXHAUSTED if there are fewer nonces than messages. Then no tag is written.
/// Thread safety: any number of threads with one key.
/// cbindgen:ptrs-as-arrays=[[first_nonce;8]]
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_tag_many(
    key: Option<&Umac128>,
    first_nonce: *const u8,
    messages: *const Bytes,
    count: usize,
    tags: *mut u8,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::tag_many(key.map(|key| &key.0), first_nonce, messages, count, tags) }
}

/// Verifies `count` messages, each with its own nonce of 8 bytes and tag of 16 bytes, one after another. `valid`
/// says for each whether it is authentic; it must not overlap what is read: WEGMAN_OVERLAP.
///
/// Errors: WEGMAN_MISMATCH if one or more are not authentic: `valid` is complete. WEGMAN_NULL, WEGMAN_LENGTH: nothing is
/// written. Thread safety: any number of threads with one key.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_verify_many(
    key: Option<&Umac128>,
    nonces: *const u8,
    messages: *const Bytes,
    tags: *const u8,
    count: usize,
    valid: *mut bool,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::verify_many(key.map(|key| &key.0), nonces, messages, tags, count, valid) }
}

/// Starts a stream in memory of any contents. What was there before is overwritten: end an earlier stream first. No memory is
/// allocated.
///
/// Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
/// Thread safety: one thread at a time for a stream, any number for its key.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_stream_start(
    stream: *mut Umac128Stream,
    key: Option<&'static Umac128>,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::start::<Inner, 16, WORDS>(stream.cast(), key.map(|key| &key.0)) }
}

/// Appends bytes to the message.
///
/// Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_STREAM if the stream was not started, has ended, or was moved.
/// Thread safety: one thread at a time.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_stream_update(
    stream: *mut Umac128Stream,
    piece: *const c_void,
    length: usize,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::update::<Inner, 16, WORDS>(stream.cast(), piece, length) }
}

/// Writes the tag of the message under a nonce, and ends and wipes the stream.
///
/// Errors: WEGMAN_NULL, and the stream goes on; WEGMAN_STREAM. Thread safety: one thread at a time.
/// cbindgen:ptrs-as-arrays=[[nonce;8], [tag;16]]
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_stream_finish(
    stream: *mut Umac128Stream,
    nonce: *const u8,
    tag: *mut u8,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::finish::<Inner, 16, WORDS>(stream.cast(), nonce, tag) }
}

/// Accepts the message so far only with its tag. The stream goes on.
///
/// Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM. Thread safety: one thread at a time.
/// cbindgen:ptrs-as-arrays=[[nonce;8], [tag;16]]
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn wegman_umac128_stream_verify(
    stream: *mut Umac128Stream,
    nonce: *const u8,
    tag: *const u8,
) -> Status {
    // SAFETY: the caller's promises.
    unsafe { typed::stream_verify::<Inner, 16, WORDS>(stream.cast(), nonce, tag) }
}

/// Ends and wipes a stream without a tag. Nothing happens if it was not started or has ended, or is NULL.
/// Thread safety: one thread at a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wegman_umac128_stream_clear(stream: *mut Umac128Stream) {
    // SAFETY: the caller's promise.
    unsafe { typed::clear::<Inner, 16, WORDS>(stream.cast()) }
}
