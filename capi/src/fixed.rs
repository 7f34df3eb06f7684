//! The functions of one MAC with a type of its own, the same for each: wegman.h has them written out. The header's test reads
//! this as the compiler expands it.

/// A module with a key, a stream and their functions. The nonce's names are those of a nonce, the first of several, and a list
/// of them; they and its length are left out for a MAC without one.
macro_rules! mac {
    (
        $(#[$doc:meta])*
        $mac:ident: $Key:ident($inner:ty), $Stream:ident($words:literal words: $stream:ty),
        tag $tag_bytes:literal $(, nonce($nonce:ident, $first:ident, $nonces:ident) $nonce_bytes:literal)?
    ) => {
        #[doc = concat!("The functions of [`", stringify!($Key), "`](", stringify!($mac), "::", stringify!($Key), ").")]
        pub mod $mac {
            use crate::door::door;
            use crate::raw::{
                BATCH, Bytes, Place, array, bytes, check, copy, in_batches, list, not_null, take, with_parts, write,
            };
            use crate::slot::Slot;
            use crate::status::{Status, guard};
            #[allow(unused_imports, reason = "some are for nonces")]
            use crate::typed::{Made, advance, make, named, nonce, nonce_at};
            use core::ffi::{c_char, c_void};
            use wegman::hazmat::wiped;
            use wegman::{Cpu, Tag};

            $(#[$doc])*
            ///
            /// Thread safety: any number of threads may use a key at once, but none while or after it is freed.
            pub struct $Key(pub(crate) Inner);

            type Inner = $inner;

            fn put(cpu: Cpu, secret: &[u8; 16], place: wiped::Place<'_, $Key>) {
                Inner::made(cpu, secret, |key| &mut place.put($Key(key)).0);
            }

            type InnerStream = $stream;

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

            /// Makes a key from 16 uniformly random bytes that have no other use, and stores it at `out`. Making a key costs
            #[doc = concat!(" thousands of cycles: make it once and share it. Free it with wegman_", stringify!($mac), "_free.")]
            ///
            /// Errors: WEGMAN_NULL. Thread safety: any thread at any time.
            /// cbindgen:ptrs-as-arrays=[[secret;16]]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_new"))]
            #[must_use]
            pub unsafe extern "C" fn new(secret: *const u8, out: *mut *mut $Key) -> Status {
                // SAFETY: the caller's promises.
                unsafe { make(|| Ok(Cpu::detect()), secret, out, Inner::COPIES, put) }
            }

            door! { $mac:
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
                    let $Key(key) = key.ok_or(Status::Null)?;
                    not_null(tag)?;
                    let made = key.tag($(nonce_at($nonce)?,)? bytes(message, length)?);
                    write(tag.cast(), made.to_bytes());
                }

                /// Accepts a message only if the tag is right. The time does not depend on the tag's bytes.
                ///
                #[doc = concat!(" Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_LENGTH as for wegman_", stringify!($mac), "_tag.")]
                /// Thread safety: any number of threads with one key.
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn verify(
                    key: Option<&$Key>, $($nonce: *const u8,)? message: *const c_void, length: usize, tag: *const u8
                ) {
                    let $Key(key) = key.ok_or(Status::Null)?;
                    let tag = Tag::from(array(tag)?);
                    key.verify($(&nonce_at($nonce)?,)? bytes(message, length)?, &tag)?;
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
                    let $Key(key) = key.ok_or(Status::Null)?;
                    not_null(tag)?;
                    $(let $nonce = nonce_at($nonce)?;)?
                    let made = with_parts(parts, count, |parts| Ok(key.tag_parts($($nonce,)? parts)))?;
                    write(tag.cast(), made.to_bytes());
                }

                /// Accepts a message in `count` consecutive parts only if the tag is right.
                ///
                #[doc = concat!(" Errors and thread safety: as for wegman_", stringify!($mac), "_verify.")]
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn verify_parts(
                    key: Option<&$Key>, $($nonce: *const u8,)? parts: *const Bytes, count: usize, tag: *const u8
                ) {
                    let $Key(key) = key.ok_or(Status::Null)?;
                    $(let $nonce = nonce_at($nonce)?;)?
                    let tag = Tag::from(array(tag)?);
                    with_parts(parts, count, |parts| Ok(key.verify_parts($(&$nonce,)? parts, &tag)?))?;
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
                    let $Key(key) = key.ok_or(Status::Null)?;
                    $(let $first = nonce_at($first)?;)?
                    let messages = list(messages, count)?;
                    if messages.is_empty() {
                        return Ok(());
                    }
                    // All of it is checked before the first tag is written.
                    not_null(tags)?;
                    $(advance(&$first, messages.len() - 1)?;)?
                    check(messages, Place::new(tags, messages.len().saturating_mul($tag_bytes)))?;
                    in_batches(messages, |index, messages| {
                        let mut made = [Tag::from([0; $tag_bytes]); BATCH];
                        let made = &mut made[..messages.len()];
                        key.tag_many($(advance(&$first, index)?,)? messages, made)
                            $(.map_err(|$nonces| Status::from($nonces))?)?;
                        for (i, tag) in made.iter().enumerate() {
                            copy(&tag.to_bytes(), tags.add((index + i) * $tag_bytes));
                        }
                        Ok(())
                    })?;
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
                    let $Key(key) = key.ok_or(Status::Null)?;
                    let (messages, tags) = (list(messages, count)?, list(tags.cast::<[u8; $tag_bytes]>(), count)?);
                    if messages.is_empty() {
                        return Ok(());
                    }
                    not_null(valid)?;
                    let written = Place::new(valid, messages.len());
                    $(not_null($nonces)?;)?
                    check(messages, written)?;
                    written.is_apart(Place::new(tags.as_ptr(), size_of_val(tags)))?;
                    $(written.is_apart(Place::new($nonces, messages.len().saturating_mul($nonce_bytes)))?;)?
                    let mut all = Ok(());
                    in_batches(messages, |index, messages| {
                        // Places after the last message have it, too, and are not looked at.
                        let packets: [_; BATCH] = core::array::from_fn(|i| {
                            let i = i.min(messages.len() - 1);
                            ($(nonce($nonces, index + i),)? messages[i], Tag::from(tags[index + i]))
                        });
                        let mut right = [false; BATCH];
                        let right = &mut right[..messages.len()];
                        if key.verify_many(&packets[..messages.len()], right).is_err() {
                            all = Err(Status::Mismatch);
                        }
                        for (i, right) in right.iter().enumerate() {
                            write(valid.add(index + i), *right);
                        }
                        Ok(())
                    })?;
                    all?;
                }

                /// Starts a stream, whatever the memory holds. If the memory has an earlier stream, end that first, or
                /// some of its message stays there. Nothing is allocated.
                ///
                /// Errors: WEGMAN_NULL; WEGMAN_STREAM if the memory is not aligned to 8 bytes.
                /// Thread safety: one thread at a time for a stream, any number for its key.
                fn stream_start(stream: *mut $Stream, key: Option<&'static $Key>) {
                    let slot = Slot::<InnerStream, $words>::at(stream.cast())?;
                    let $Key(key) = key.ok_or(Status::Null)?;
                    slot.put(key.stream());
                }

                /// Appends bytes to the message.
                ///
                /// Errors: WEGMAN_NULL, WEGMAN_LENGTH; WEGMAN_STREAM if the stream was not started, has ended, or was moved.
                /// Thread safety: one thread at a time.
                fn stream_update(stream: *mut $Stream, piece: *const c_void, length: usize) {
                    let slot = Slot::<InnerStream, $words>::at(stream.cast())?;
                    slot.get()?.update(bytes(piece, length)?);
                }

                #[doc = concat!(" Writes the tag of the message", $(" under a ", stringify!($nonce),)? ", and ends and wipes the stream.")]
                ///
                /// Errors: WEGMAN_NULL, and the stream stays as it is; WEGMAN_STREAM.
                /// Thread safety: one thread at a time.
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn stream_finish(stream: *mut $Stream, $($nonce: *const u8,)? tag: *mut u8) {
                    let slot = Slot::<InnerStream, $words>::at(stream.cast())?;
                    let stream = slot.get()?;
                    $(let $nonce = nonce_at($nonce)?;)?
                    not_null(tag)?;
                    let made = stream.finish_reset($($nonce)?);
                    slot.clear();
                    write(tag.cast(), made.to_bytes());
                }

                /// Accepts the message so far only if the tag is right. The stream stays as it is.
                ///
                /// Errors: WEGMAN_MISMATCH if the message is not authentic; WEGMAN_NULL, WEGMAN_STREAM.
                /// Thread safety: one thread at a time.
                #[doc = concat!(" cbindgen:ptrs-as-arrays=[", $("[nonce;", $nonce_bytes, "], ",)? "[tag;", $tag_bytes, "]]")]
                fn stream_verify(stream: *mut $Stream, $($nonce: *const u8,)? tag: *const u8) {
                    let slot = Slot::<InnerStream, $words>::at(stream.cast())?;
                    $(let $nonce = nonce_at($nonce)?;)?
                    let tag = Tag::from(array(tag)?);
                    slot.get()?.verify($(&$nonce,)? &tag)?;
                }
            }

            /// Ends and wipes a stream without a tag. It does nothing for NULL, and for a stream that was not started or has ended.
            ///
            /// Thread safety: one thread at a time.
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_stream_clear"))]
            pub unsafe extern "C" fn stream_clear(stream: *mut $Stream) {
                let _ = guard(|| {
                    // SAFETY: the caller's promise.
                    unsafe { Slot::<InnerStream, $words>::at(stream.cast())?.clear() };
                    Ok(())
                });
            }

            #[doc = concat!(" As wegman_", stringify!($mac), "_new, with a kernel by name, such as \"portable\" or \"avx2\". It is for tests: kernels")]
            /// give the same tags, and the default is the fastest. wegman_kernel_at lists the names.
            ///
            /// Errors: WEGMAN_NULL; WEGMAN_NAME if this machine has no such kernel. Thread safety: any thread at any time.
            /// cbindgen:ptrs-as-arrays=[[secret;16]]
            #[unsafe(export_name = concat!("wegman_", stringify!($mac), "_new_with"))]
            #[must_use]
            pub unsafe extern "C" fn new_with(kernel: *const c_char, secret: *const u8, out: *mut *mut $Key) -> Status {
                // SAFETY: the caller's promises.
                unsafe {
                    let cpu = || named(kernel, Inner::kernels(Cpu::detect()));
                    make(cpu, secret, out, Inner::COPIES, put)
                }
            }
        }
    };
}
pub(crate) use mac;
