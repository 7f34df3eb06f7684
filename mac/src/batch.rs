//! Batches of messages: eight share a kernel call when packets come in the order they were sent. Knows no MAC.

use crate::nonce::Nonce;
use crate::pads::{self, Blocks};
use crate::tag::Tag;

/// How many messages a packet kernel takes side by side.
pub const EIGHT: usize = 8;

/// Tags messages under consecutive nonces: `tag8` tags eight side by side, whose pads begin a block, and `tag` one. What
/// is left is filled up to eight if it is at least `fewest` messages. Then `tag8` writes only the tags that it has room
/// for, which are fewer than eight.
#[inline]
pub fn tag_in_eights<const N: usize>(
    (first, pad_bytes): (&Nonce, usize),
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
    fewest: usize,
    mut tag8: impl FnMut(&[&[u8]; EIGHT], &Blocks, &mut [Tag<N>]),
    tag: impl Fn(u128, usize, &[u8]) -> Tag<N>,
) {
    let blocks = Blocks::new(first, pad_bytes);
    let before = pads::before_a_block(first, pad_bytes);
    let mut i = 0;
    while i < messages.len() {
        let left = &messages[i..];
        if i < before || left.len() < fewest {
            let (block, start) = blocks.of(i, pad_bytes);
            tags[i] = tag(block, start, left[0]);
            i += 1;
            continue;
        }
        let count = left.len().min(EIGHT);
        let filled;
        let eight = match left.first_chunk() {
            Some(eight) => eight,
            None => {
                // One byte of a message costs little; an empty message has code of its own.
                let mut eight = [&left[0][..left[0].len().min(1)]; EIGHT];
                eight[..count].copy_from_slice(left);
                filled = eight;
                &filled
            }
        };
        tag8(eight, &blocks.after(i, pad_bytes), &mut tags[i..i + count]);
        i += count;
    }
}

/// How many packets are verified as one batch.
pub const BATCH: usize = 32;

/// Sets `valid` for each packet whose tag is right, and returns whether all are. A batch whose numbers are
/// consecutive, as when packets arrive in the order they were sent, goes through `tag_many`; any other goes through
/// `tag`, one packet at a time, and so do a few packets alone.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_packets<I: Copy, T: Copy + PartialEq>(
    packets: &[(I, &[u8], T)],
    valid: &mut [bool],
    is_next: impl Fn(I, I) -> bool,
    mut tag_many: impl FnMut(I, &[&[u8]], &mut [T]),
    tag: impl Fn(I, &[u8]) -> T,
) -> bool {
    verify_batches(
        packets,
        valid,
        |(.., tag)| tag,
        |(_, message, _)| message,
        |(number, message, _)| tag(*number, message),
        |packets| packets.windows(2).all(|pair| is_next(pair[0].0, pair[1].0)),
        |packets, messages, tags| tag_many(packets[0].0, messages, tags),
    )
}

/// [`verify_packets`] for MACs without a nonce: every batch goes through `tag_many`.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_messages<T: Copy + PartialEq>(
    packets: &[(&[u8], T)],
    valid: &mut [bool],
    mut tag_many: impl FnMut(&[&[u8]], &mut [T]),
    tag: impl Fn(&[u8]) -> T,
) -> bool {
    verify_batches(
        packets,
        valid,
        |(_, tag)| tag,
        |(message, _)| message,
        |(message, _)| tag(message),
        |_| true,
        |_, messages, tags| tag_many(messages, tags),
    )
}

/// Compares the received tags of packets with the right ones. Batches of at most [`BATCH`] packets for which `in_batch`
/// holds get them from `tag_batch`, all others from `tag`.
#[inline]
fn verify_batches<'m, P, T: Copy + PartialEq>(
    packets: &[P],
    valid: &mut [bool],
    received: impl Fn(&P) -> &T,
    message: impl Fn(&P) -> &&'m [u8],
    tag: impl Fn(&P) -> T,
    in_batch: impl Fn(&[P]) -> bool,
    mut tag_batch: impl FnMut(&[P], &[&[u8]], &mut [T]),
) -> bool {
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    let mut all = true;
    let mut room = None;
    for (packets, valid) in packets.chunks(BATCH).zip(valid.chunks_mut(BATCH)) {
        if packets.len() < EIGHT || !in_batch(packets) {
            for (valid, packet) in valid.iter_mut().zip(packets) {
                *valid = tag(packet) == *received(packet);
                all &= *valid;
            }
            continue;
        }
        let (messages, tags) =
            room.get_or_insert_with(|| ([&[][..]; BATCH], [*received(&packets[0]); BATCH]));
        let (messages, tags) = (&mut messages[..packets.len()], &mut tags[..packets.len()]);
        messages.iter_mut().zip(packets).for_each(|(slot, packet)| *slot = message(packet));
        tag_batch(packets, messages, tags);
        for ((valid, packet), tag) in valid.iter_mut().zip(packets).zip(&*tags) {
            *valid = tag == received(packet);
            all &= *valid;
        }
        // The right tags of forgeries are secret.
        tags.fill(*received(&packets[0]));
        core::hint::black_box(tags);
    }
    all
}
