//! Batches of messages: eight share a kernel call when packets come in the order they were sent. Knows no MAC.

use crate::ct::wipe;
use crate::tag::Tag;
use core::any::Any;
use subtle::ConstantTimeEq;

/// How many messages a packet kernel takes side by side.
pub const EIGHT: usize = 8;

/// Makes the tags of messages: eight at a time where that gains, and the others singly, in as few runs as possible. The
/// first `head` messages are no part of an eight. `eight` gets the number of its first message and returns false if it
/// gains nothing; `singly` gets the number of the first message of a run.
///
/// # Panics
/// If `messages` and `tags` differ in length.
#[inline(always)] // numbers that were stored a moment ago would have to be loaded
pub(crate) fn tag_eights<T>(
    messages: &[&[u8]],
    tags: &mut [T],
    head: usize,
    eight: impl Fn(usize, &[&[u8]; EIGHT], &mut [T; EIGHT]) -> bool,
    singly: impl Fn(usize, &[&[u8]], &mut [T]),
) {
    // Messages up to `done` have their tags; those from there up to `i` wait to be tagged singly.
    let (mut done, mut i) = (0, head);
    while let Some(messages_here) = messages.get(i..).and_then(<[_]>::first_chunk) {
        let tags_here = tags[i..].first_chunk_mut().expect("a tag for each message");
        if eight(i, messages_here, tags_here) {
            if done < i {
                singly(done, &messages[done..i], &mut tags[done..i]);
            }
            done = i + EIGHT;
        }
        i += EIGHT;
    }
    singly(done, &messages[done..], &mut tags[done..]);
}

/// Sets `valid` for each packet whose tag is right, and returns whether all are. The right tags of eight packets come
/// from `tag8`, and from `tag` if it returns false and for fewer than eight packets.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_eights<P, T: Copy + ConstantTimeEq>(
    packets: &[P],
    valid: &mut [bool],
    received: impl Fn(&P) -> &T,
    tag8: impl Fn(&[P; EIGHT], &mut [T; EIGHT]) -> bool,
    tag: impl Fn(&P) -> T,
) -> bool {
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    let ((eights, rest), (eight_valid, rest_valid)) = (packets.as_chunks(), valid.as_chunks_mut());
    let mut all = true;
    for (eight, valid) in eights.iter().zip(eight_valid) {
        if !verify_eight(eight, valid, &received, &tag8, &mut all) {
            all &= verify_singly(eight, valid, &received, &tag);
        }
    }
    all & verify_singly(rest, rest_valid, received, tag)
}

/// [`verify_eights`] by `tag` alone.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_singly<P, T: ConstantTimeEq>(
    packets: &[P],
    valid: &mut [bool],
    received: impl Fn(&P) -> &T,
    tag: impl Fn(&P) -> T,
) -> bool {
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    valid.iter_mut().zip(packets).fold(true, |all, (valid, packet)| {
        *valid = tag(packet).ct_eq(received(packet)).into();
        all & *valid
    })
}

/// Compares the tags of eight packets, or returns false. A function of its own: its memory costs a few packets nothing.
#[inline(never)]
fn verify_eight<P, T: Copy + ConstantTimeEq>(
    eight: &[P; EIGHT],
    valid: &mut [bool; EIGHT],
    received: impl Fn(&P) -> &T,
    tag8: impl Fn(&[P; EIGHT], &mut [T; EIGHT]) -> bool,
    all: &mut bool,
) -> bool {
    let mut tags = eight.each_ref().map(|packet| *received(packet));
    let is_done = tag8(eight, &mut tags);
    if is_done {
        for i in 0..EIGHT {
            valid[i] = received(&eight[i]).ct_eq(&tags[i]).into();
            *all &= valid[i];
        }
        // The right tags of forgeries are secret.
        tags = eight.each_ref().map(|packet| *received(packet));
        core::hint::black_box(&tags);
    }
    is_done
}

/// Has `kernel` write the `M` bytes that each of eight tags is the beginning of. Tags of `M` bytes are written in their
/// places: each way to them from elsewhere would be a quarter of what a short message costs.
#[inline(always)]
#[allow(unsafe_code)]
pub fn eight_tags<const N: usize, const M: usize, R>(
    tags: &mut [Tag<N>; EIGHT],
    kernel: impl FnOnce(&mut [[u8; M]; EIGHT]) -> R,
) -> R {
    if let Some(tags) = (tags as &mut dyn Any).downcast_mut::<[Tag<M>; EIGHT]>() {
        // SAFETY: a tag is its bytes and nothing else, also by its representation.
        return kernel(unsafe { &mut *tags.as_mut_ptr().cast() });
    }
    let mut whole = [[0; M]; EIGHT];
    let result = kernel(&mut whole);
    for (tag, whole) in tags.iter_mut().zip(&whole) {
        *tag = Tag::from(*whole.first_chunk().expect("at most as many"));
    }
    whole.iter_mut().for_each(wipe); // the right tags of forgeries are secret
    result
}
