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
            use crate::door::door;
            use crate::fixed::only;
            use crate::raw::{Bytes, take};
            use crate::status::Status;
            use crate::typed;
            use core::ffi::{c_char, c_void};

            $(#[$doc])*
            ///
            /// Thread safety: any number of threads may use a key at once, but none while or after it is freed.
            pub struct $Key(pub(crate) Inner);

            type Inner = $inner;

            /// A stream in memory that you own: on the stack, in a structure, anywhere. It refers to its key, which must stay until
            /// the stream has ended. Start the stream before any other call, or fill it with zeroes, because unwritten memory may
            /// look like a started stream. Other functions refuse a stream that was not started, has ended, or was moved or copied
            /// to another address.
            ///
            /// Thread safety: one thread at a time.
            #[repr(C)]
            pub struct $Stream {
                /// Private.
                words: [u64; $words],
            }

            door! { $mac:
                /// Makes a key from 16 uniformly random bytes that have no other use, and stores it at `out`. Making a key costs
                #[doc = concat!(" thousands of cycles: make it once and share it. Free it with wegman_", stringify!($mac), "_free.")]
                ///
                /// Errors: WEGMAN_NULL. Thread safety: any thread at any time.
                /// cbindgen:ptrs-as-arrays=[[secret;16]]
                fn new(secret: *const u8, out: *mut *mut $Key) {
                    typed::new(None, secret, out, $Key)
                }

                #[doc = concat!(
                    " Writes the tag of a message to `tag`",
                    $(
                        ", under a nonce of ", $nonce_bytes, " bytes. Never use a nonce for two messages: two tags under one \
                         nonce reveal the hash key. A counter is the best nonce",
                    )?
                    ". The tag may overlap the message."
                )]
                ///
                /// Errors: WEGMAN_NULL; WEGMAN_LENGTH if no message in memory is that long. An error writes nothing.
                /// Thread safety: any number of threads with one key.
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn tag(key: Option<&$Key>, $($nonce: *const u8,)? message: *const c_void, length: usize, tag: *mut u8) {
                    typed::tag(key.map(|key| &key.0), only([$($nonce)?]), message, length, tag)
                }

                /// Accepts a message only if the tag is right. The time does not depend on the tag's bytes.
                ///
                #[doc = concat!(" Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for wegman_", stringify!($mac), "_tag.")]
                /// Thread safety: any number of threads with one key.
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn verify(
                    key: Option<&$Key>, $($nonce: *const u8,)? message: *const c_void, length: usize, tag: *const u8
                ) {
                    typed::verify(key.map(|key| &key.0), only([$($nonce)?]), message, length, tag)
                }
            }

            /// Wipes and frees a key. NULL does nothing.
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_free"))]
            pub unsafe extern "C" fn free(key: *mut $Key) {
                // SAFETY: the caller's promise.
                unsafe { take(key) };
            }

            door! { $mac:
                /// Writes the tag of a message in `count` consecutive parts. The tag does not depend on where parts end.
                ///
                #[doc = concat!(" Errors and thread safety: as for wegman_", stringify!($mac), "_tag.")]
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn tag_parts(
                    key: Option<&$Key>, $($nonce: *const u8,)? parts: *const Bytes, count: usize, tag: *mut u8
                ) {
                    typed::tag_parts(key.map(|key| &key.0), only([$($nonce)?]), parts, count, tag)
                }

                /// Accepts a message in `count` consecutive parts only if the tag is right.
                ///
                #[doc = concat!(" Errors and thread safety: as for wegman_", stringify!($mac), "_verify.")]
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn verify_parts(
                    key: Option<&$Key>, $($nonce: *const u8,)? parts: *const Bytes, count: usize, tag: *const u8
                ) {
                    typed::verify_parts(key.map(|key| &key.0), only([$($nonce)?]), parts, count, tag)
                }

                #[doc = concat!(
                    " Writes the tags of `count` messages to `tags`, one after another, ", $tag_bytes, " bytes each. ",
                    $("Nonces are consecutive big-endian numbers from `", stringify!($first), "`. ",)?
                    "This is faster than one message at a time."
                )]
                /// Tags must not overlap what is read (WEGMAN_OVERLAP).
                ///
                #[doc = concat!(
                    " Errors: WEGMAN_NULL, WEGMAN_LENGTH",
                    $("; WEGMAN_NONCES_EXHAUSTED if there are fewer ", stringify!($nonces), " than messages",)?
                    ". An error writes no tag."
                )]
                /// Thread safety: any number of threads with one key.
                $(#[doc = concat!(" cbindgen:ptrs-as-arrays=[[first_nonce;", $nonce_bytes, "]]")])?
                fn tag_many(
                    key: Option<&$Key>, $($first: *const u8,)? messages: *const Bytes, count: usize, tags: *mut u8
                ) {
                    typed::tag_many(key.map(|key| &key.0), only([$($first)?]), messages, count, tags)
                }

                #[doc = concat!(
                    " Verifies `count` messages, each with its own ",
                    $("nonce of ", $nonce_bytes, " bytes and ",)?
                    "tag of ", $tag_bytes, " bytes, and writes to `valid[i]`"
                )]
                /// whether message i is authentic. `valid` must not overlap what is read (WEGMAN_OVERLAP).
                ///
                /// Errors: WEGMAN_MISMATCH if a message is not authentic; `valid` is complete. WEGMAN_NULL, WEGMAN_LENGTH: nothing is
                /// written.
                /// Thread safety: any number of threads with one key.
                fn verify_many(
                    key: Option<&$Key>, $($nonces: *const u8,)? messages: *const Bytes, tags: *const u8, count: usize,
                    valid: *mut bool
                ) {
                    typed::verify_many(key.map(|key| &key.0), only([$($nonces)?]), messages, tags, count, valid)
                }

                /// Starts a stream, whatever the memory holds. If the memory has an earlier stream, end that first. Nothing is allocated.
                ///
                /// Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
                /// Thread safety: one thread at a time for a stream, any number for its key.
                fn stream_start(stream: *mut $Stream, key: Option<&'static $Key>) {
                    typed::start::<Inner, $tag_bytes, $words>(stream.cast(), key.map(|key| &key.0))
                }

                /// Appends bytes to the message.
                ///
                /// Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_STREAM if the stream was not started, has ended, or was moved.
                /// Thread safety: one thread at a time.
                fn stream_update(stream: *mut $Stream, piece: *const c_void, length: usize) {
                    typed::update::<Inner, $tag_bytes, $words>(stream.cast(), piece, length)
                }

                #[doc = concat!(" Writes the tag of the message", $(" under a ", stringify!($nonce),)? ", and ends and wipes the stream.")]
                ///
                /// Errors: WEGMAN_NULL, and the stream stays as it is; WEGMAN_STREAM.
                /// Thread safety: one thread at a time.
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn stream_finish(stream: *mut $Stream, $($nonce: *const u8,)? tag: *mut u8) {
                    typed::finish::<Inner, $tag_bytes, $words>(stream.cast(), only([$($nonce)?]), tag)
                }

                /// Accepts the message so far only if the tag is right. The stream stays as it is.
                ///
                /// Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM.
                /// Thread safety: one thread at a time.
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn stream_verify(stream: *mut $Stream, $($nonce: *const u8,)? tag: *const u8) {
                    typed::stream_verify::<Inner, $tag_bytes, $words>(stream.cast(), only([$($nonce)?]), tag)
                }
            }

            /// Ends and wipes a stream without a tag. It does nothing for NULL, and for a stream that was not started or has ended.
            ///
            /// Thread safety: one thread at a time.
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_stream_clear"))]
            pub unsafe extern "C" fn stream_clear(stream: *mut $Stream) {
                // SAFETY: the caller's promise.
                unsafe { typed::clear::<Inner, $tag_bytes, $words>(stream.cast()) }
            }

            door! { $mac:
                #[doc = concat!(" As wegman_", stringify!($mac), "_new, with a kernel by name, such as \"portable\" or \"avx2\". It is for tests: kernels")]
                /// give the same tags, and the default is the fastest. wegman_kernel_at lists the names.
                ///
                /// Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel. Thread safety: any thread at any time.
                /// cbindgen:ptrs-as-arrays=[[secret;16]]
                fn new_with(kernel: *const c_char, secret: *const u8, out: *mut *mut $Key) {
                    typed::new(Some(kernel), secret, out, $Key)
                }
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
