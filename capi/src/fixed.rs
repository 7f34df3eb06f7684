//! The functions of one MAC with a type of its own, the same for each: wegman.h has them written out. The header's test reads
//! this as the compiler expands it.

/// A module with a key, a stream and their functions. The nonce's names are those of a nonce, the first of several, and a list
/// of them; they and its length are left out for a MAC without one.
macro_rules! mac {
    (
        $(#[$doc:meta])*
        $mac:ident: $Key:ident($inner:ty), $Stream:ident($words:literal words),
        tag $tag_bytes:literal $(, nonce($nonce:ident, $first:ident, $nonces:ident) $nonce_bytes:literal)?
    ) => {
        #[doc = concat!("The functions of [`", stringify!($Key), "`](", stringify!($mac), "::", stringify!($Key), ").")]
        pub mod $mac {
            use crate::fixed::only;
            use crate::raw::{Bytes, take};
            use crate::status::Status;
            use crate::typed;
            use core::ffi::{c_char, c_void};

            $(#[$doc])*
            ///
            /// Thread safety: any number of threads may use a key at once, except that nobody uses it while and after it is freed.
            pub struct $Key(pub(crate) Inner);

            type Inner = $inner;

            /// A message under way, in memory that the caller owns: on the stack, in a structure, anywhere. It refers to its key, which must
            /// stay until the stream has ended. Start it
            /// first, or fill it with zeroes: other functions refuse what was not started, has ended, or was moved or copied to another
            /// address, but memory that nobody has written to may look like anything.
            ///
            /// Thread safety: one thread at a time.
            #[repr(C)]
            pub struct $Stream {
                /// Of no concern to callers.
                words: [u64; $words],
            }

            /// Makes a key from 16 uniformly random bytes that are used for nothing else, and stores it at `out`. Free it with
            #[doc = concat!(" wegman_", stringify!($mac), "_free. Making a key costs thousands of cycles: make it once, and share it.")]
            ///
            /// Errors: WEGMAN_NULL. Thread safety: any thread at any time.
            /// cbindgen:ptrs-as-arrays=[[secret;16]]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_new"))]
            #[must_use]
            pub unsafe extern "C" fn new(secret: *const u8, out: *mut *mut $Key) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::new(None, secret, out, $Key) }
            }

            #[doc = concat!(" wegman_", stringify!($mac), "_new with the kernel of that name, such as \"portable\" or \"avx2\": the same tags in another time. For tests; the")]
            /// usual one is the fastest. wegman_kernel_at lists them.
            ///
            /// Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel. Thread safety: any thread at any time.
            /// cbindgen:ptrs-as-arrays=[[secret;16]]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_new_with"))]
            #[must_use]
            pub unsafe extern "C" fn new_with(
                kernel: *const c_char,
                secret: *const u8,
                out: *mut *mut $Key,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::new(Some(kernel), secret, out, $Key) }
            }

            /// Wipes and frees a key. NULL is allowed, and nothing happens.
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_free"))]
            pub unsafe extern "C" fn free(key: *mut $Key) {
                // SAFETY: the caller's promise.
                unsafe { take(key) };
            }

            #[doc = concat!(
                " Writes the tag of a message to `tag`",
                $(
                    ", under a nonce of ", $nonce_bytes, " bytes. A nonce is never used for two messages: two tags under one \
                     reveal the key. A counter is the best nonce",
                )?
                ". The tag may overlap the message."
            )]
            ///
            /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if no memory is that long. Then nothing is written.
            /// Thread safety: any number of threads with one key.
            #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_tag"))]
            #[must_use]
            pub unsafe extern "C" fn tag(
                key: Option<&$Key>,
                $($nonce: *const u8,)?
                message: *const c_void,
                length: usize,
                tag: *mut u8,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::tag(key.map(|key| &key.0), only([$($nonce)?]), message, length, tag) }
            }

            /// Accepts a message only with its tag. The time does not depend on the bytes of the tag.
            ///
            #[doc = concat!(" Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for wegman_", stringify!($mac), "_tag.")]
            /// Thread safety: any number of threads with one key.
            #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_verify"))]
            #[must_use]
            pub unsafe extern "C" fn verify(
                key: Option<&$Key>,
                $($nonce: *const u8,)?
                message: *const c_void,
                length: usize,
                tag: *const u8,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::verify(key.map(|key| &key.0), only([$($nonce)?]), message, length, tag) }
            }

            /// The tag of a message in `count` parts, one after the other, as in a struct iovec. Where parts end is not authenticated.
            ///
            #[doc = concat!(" Errors and thread safety: as for wegman_", stringify!($mac), "_tag.")]
            #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_tag_parts"))]
            #[must_use]
            pub unsafe extern "C" fn tag_parts(
                key: Option<&$Key>,
                $($nonce: *const u8,)?
                parts: *const Bytes,
                count: usize,
                tag: *mut u8,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::tag_parts(key.map(|key| &key.0), only([$($nonce)?]), parts, count, tag) }
            }

            /// Accepts a message in parts only with its tag.
            ///
            #[doc = concat!(" Errors and thread safety: as for wegman_", stringify!($mac), "_verify.")]
            #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_verify_parts"))]
            #[must_use]
            pub unsafe extern "C" fn verify_parts(
                key: Option<&$Key>,
                $($nonce: *const u8,)?
                parts: *const Bytes,
                count: usize,
                tag: *const u8,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::verify_parts(key.map(|key| &key.0), only([$($nonce)?]), parts, count, tag) }
            }

            #[doc = concat!(
                " The tags of `count` messages",
                $(" under consecutive nonces: big-endian numbers from `", stringify!($first), "` on",)?
                ". They are written one after another, ", $tag_bytes, " bytes each. This is faster than one at"
            )]
            /// a time. Tags must not overlap what
            /// is read: WEGMAN_OVERLAP.
            ///
            #[doc = concat!(
                " Errors: WEGMAN_NULL, WEGMAN_LENGTH",
                $("; WEGMAN_NONCES_EXHAUSTED if there are fewer ", stringify!($nonces), " than messages",)?
                ". Then no tag is written."
            )]
            /// Thread safety: any number of threads with one key.
            $(#[doc = concat!(" cbindgen:ptrs-as-arrays=[[first_nonce;", $nonce_bytes, "]]")])?
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_tag_many"))]
            #[must_use]
            pub unsafe extern "C" fn tag_many(
                key: Option<&$Key>,
                $($first: *const u8,)?
                messages: *const Bytes,
                count: usize,
                tags: *mut u8,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::tag_many(key.map(|key| &key.0), only([$($first)?]), messages, count, tags) }
            }

            #[doc = concat!(
                " Verifies `count` messages, each with its own ",
                $("nonce of ", $nonce_bytes, " bytes and ",)?
                "tag of ", $tag_bytes, " bytes, one after another. `valid`"
            )]
            /// says for each whether it is authentic; it must not overlap what is read: WEGMAN_OVERLAP.
            ///
            /// Errors: WEGMAN_MISMATCH if one or more are not authentic: `valid` is complete. WEGMAN_NULL, WEGMAN_LENGTH: nothing is
            /// written. Thread safety: any number of threads with one key.
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_verify_many"))]
            #[must_use]
            pub unsafe extern "C" fn verify_many(
                key: Option<&$Key>,
                $($nonces: *const u8,)?
                messages: *const Bytes,
                tags: *const u8,
                count: usize,
                valid: *mut bool,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe {
                    let nonces = only([$($nonces)?]);
                    typed::verify_many(key.map(|key| &key.0), nonces, messages, tags, count, valid)
                }
            }

            /// Starts a stream in memory of any contents. What was there before is overwritten: end an earlier stream first. No memory is
            /// allocated.
            ///
            /// Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
            /// Thread safety: one thread at a time for a stream, any number for its key.
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_stream_start"))]
            #[must_use]
            pub unsafe extern "C" fn stream_start(stream: *mut $Stream, key: Option<&'static $Key>) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::start::<Inner, $tag_bytes, $words>(stream.cast(), key.map(|key| &key.0)) }
            }

            /// Appends bytes to the message.
            ///
            /// Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_STREAM if the stream was not started, has ended, or was moved.
            /// Thread safety: one thread at a time.
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_stream_update"))]
            #[must_use]
            pub unsafe extern "C" fn stream_update(
                stream: *mut $Stream,
                piece: *const c_void,
                length: usize,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::update::<Inner, $tag_bytes, $words>(stream.cast(), piece, length) }
            }

            #[doc = concat!(" Writes the tag of the message", $(" under a ", stringify!($nonce),)? ", and ends and wipes the stream.")]
            ///
            /// Errors: WEGMAN_NULL, and the stream goes on; WEGMAN_STREAM. Thread safety: one thread at a time.
            #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_stream_finish"))]
            #[must_use]
            pub unsafe extern "C" fn stream_finish(
                stream: *mut $Stream,
                $($nonce: *const u8,)?
                tag: *mut u8,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::finish::<Inner, $tag_bytes, $words>(stream.cast(), only([$($nonce)?]), tag) }
            }

            /// Accepts the message so far only with its tag. The stream goes on.
            ///
            /// Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM. Thread safety: one thread at a time.
            #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_stream_verify"))]
            #[must_use]
            pub unsafe extern "C" fn stream_verify(
                stream: *mut $Stream,
                $($nonce: *const u8,)?
                tag: *const u8,
            ) -> Status {
                // SAFETY: the caller's promises.
                unsafe { typed::stream_verify::<Inner, $tag_bytes, $words>(stream.cast(), only([$($nonce)?]), tag) }
            }

            /// Ends and wipes a stream without a tag. Nothing happens if it was not started or has ended, or is NULL.
            /// Thread safety: one thread at a time.
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_stream_clear"))]
            pub unsafe extern "C" fn stream_clear(stream: *mut $Stream) {
                // SAFETY: the caller's promise.
                unsafe { typed::clear::<Inner, $tag_bytes, $words>(stream.cast()) }
            }
        }
    };
}
pub(crate) use mac;

/// The nonce that C passes, or NULL for a MAC without one.
#[inline(always)]
pub(crate) fn only<const COUNT: usize>(nonces: [*const u8; COUNT]) -> *const u8 {
    nonces.first().copied().unwrap_or(core::ptr::null())
}
