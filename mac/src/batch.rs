//! Batches of messages: eight share a kernel call when packets come in the order they were sent. Knows no MAC.

use crate::nonce::Nonce;
use crate::pads::{self, Blocks};
use crate::tag::Tag;

/// How many messages a packet kernel takes side by side.
pub const EIGHT: usize = 8;

/// So many messages take longer one by one than in a batch of eight that is filled up.
pub const FEWEST: usize = 6;

/// Tags messages one by one. `blocks` begins with that of the first nonce, and counts on.
#[inline]
pub fn tag_singly<const N: usize>(
    blocks: &mut Blocks,
    pad_bytes: usize,
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
    tag: impl Fn(u128, usize, &[u8]) -> Tag<N>,
) {
    for (message, place) in messages.iter().zip(tags) {
        let (block, start) = blocks.next(pad_bytes);
        *place = tag(block, start, message);
    }
}

/// Tags messages under consecutive nonces: `tag8` tags eight side by side, whose pads begin a block, and `tag` one. What
/// is left is filled up to eight if it is at least [`FEWEST`] messages. Then `tag8` has room for fewer than eight tags.
#[inline]
pub fn tag_in_eights<const N: usize>(
    (first, pad_bytes): (&Nonce, usize),
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
    mut tag8: impl FnMut(&[&[u8]; EIGHT], &Blocks, &mut [Tag<N>]),
    tag: impl Fn(u128, usize, &[u8]) -> Tag<N>,
) {
    let mut blocks = Blocks::new(first, pad_bytes);
    // Messages whose pads share a block stay together.
    let before = pads::before_a_block(first, pad_bytes).min(messages.len());
    let (head, messages) = messages.split_at(before);
    let (head_tags, tags) = tags.split_at_mut(before);
    tag_singly(&mut blocks, pad_bytes, head, head_tags, &tag);
    let (eights, rest) = messages.as_chunks();
    let (eight_tags, rest_tags) = tags.split_at_mut(EIGHT * eights.len());
    for (eight, tags) in eights.iter().zip(eight_tags.chunks_mut(EIGHT)) {
        tag8(eight, &blocks, tags);
        blocks = blocks.after(EIGHT, pad_bytes);
    }
    if rest.len() < FEWEST {
        tag_singly(&mut blocks, pad_bytes, rest, rest_tags, tag);
    } else if let Some(message) = rest.first() {
        // One byte of a message costs little; an empty message has code of its own.
        let mut eight = [&message[..message.len().min(1)]; EIGHT];
        eight[..rest.len()].copy_from_slice(rest);
        tag8(&eight, &blocks, rest_tags);
    }
}

/// Sets `valid` for each packet whose tag is right, and returns whether all are. Eight packets under consecutive numbers,
/// as when they arrive in the order they were sent, go through `tag_many`; any others go through `tag`, one at a time.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_packets<I: Copy, T: Copy + PartialEq>(
    packets: &[(I, &[u8], T)],
    valid: &mut [bool],
    are_in_order: impl Fn(&[I; EIGHT]) -> bool,
    tag_many: impl Fn(I, &[&[u8]; EIGHT], &mut [T; EIGHT]),
    tag: impl Fn(I, &[u8]) -> T,
) -> bool {
    verify_eights(
        packets,
        valid,
        |(.., tag)| *tag,
        |eight, tags| {
            let in_order = are_in_order(&eight.each_ref().map(|packet| packet.0));
            if in_order {
                tag_many(eight[0].0, &eight.each_ref().map(|packet| packet.1), tags);
            }
            in_order
        },
        |(number, message, _)| tag(*number, message),
    )
}

/// [`verify_packets`] for MACs without a nonce. `tag_many` may return false instead of tags if it gains nothing.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_messages<T: Copy + PartialEq>(
    packets: &[(&[u8], T)],
    valid: &mut [bool],
    tag_many: impl Fn(&[&[u8]; EIGHT], &mut [T; EIGHT]) -> bool,
    tag: impl Fn(&[u8]) -> T,
) -> bool {
    verify_eights(
        packets,
        valid,
        |(_, tag)| *tag,
        |eight, tags| tag_many(&eight.each_ref().map(|packet| packet.0), tags),
        |(message, _)| tag(message),
    )
}

/// Compares the received tags of packets with the right ones: those of `tag8`, or of `tag` where it returns false and
/// for fewer than eight packets.
#[inline]
fn verify_eights<P, T: Copy + PartialEq>(
    packets: &[P],
    valid: &mut [bool],
    received: impl Fn(&P) -> T,
    tag8: impl Fn(&[P; EIGHT], &mut [T; EIGHT]) -> bool,
    tag: impl Fn(&P) -> T,
) -> bool {
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    let mut all = true;
    for (packets, valid) in packets.chunks(EIGHT).zip(valid.chunks_mut(EIGHT)) {
        if let Some(eight) = packets.first_chunk()
            && let mut tags = eight.each_ref().map(&received)
            && tag8(eight, &mut tags)
        {
            for ((valid, packet), tag) in valid.iter_mut().zip(eight).zip(&tags) {
                *valid = received(packet) == *tag;
                all &= *valid;
            }
            // The right tags of forgeries are secret.
            tags = [tags[0]; EIGHT];
            core::hint::black_box(&tags);
            continue;
        }
        for (valid, packet) in valid.iter_mut().zip(packets) {
            *valid = received(packet) == tag(packet);
            all &= *valid;
        }
    }
    all
}
