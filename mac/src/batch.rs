//! Batches of messages: eight share a kernel call when packets come in the order they were sent. Knows no MAC.

use crate::nonce::Nonce;
use crate::pads::{self, Blocks};
use crate::tag::Tag;

/// How many messages a packet kernel takes side by side.
pub const EIGHT: usize = 8;

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
/// is left is filled up to eight if it is at least `fewest` messages. Then `tag8` has room for fewer than eight tags.
#[inline]
pub fn tag_in_eights<const N: usize>(
    (first, pad_bytes): (&Nonce, usize),
    messages: &[&[u8]],
    tags: &mut [Tag<N>],
    fewest: usize,
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
    if rest.len() < fewest {
        tag_singly(&mut blocks, pad_bytes, rest, rest_tags, tag);
    } else if let Some(message) = rest.first() {
        // One byte of a message costs little; an empty message has code of its own.
        let mut eight = [&message[..message.len().min(1)]; EIGHT];
        eight[..rest.len()].copy_from_slice(rest);
        tag8(&eight, &blocks, rest_tags);
    }
}

/// How many packets are verified as one batch.
const BATCH: usize = 2 * EIGHT;

/// Sets `valid` for each packet whose tag is right, and returns whether all are. Batches whose numbers are consecutive,
/// as when packets arrive in the order they were sent, go through `tag_many`; any others go through `tag`, one packet at a
/// time, and so do a few packets alone.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_packets<I: Copy, T: Copy + PartialEq>(
    packets: &[(I, &[u8], T)],
    valid: &mut [bool],
    is_in_order: impl Fn(&[(I, &[u8], T)]) -> bool,
    mut tag_many: impl FnMut(I, &[&[u8]], &mut [T]),
    tag: impl Fn(I, &[u8]) -> T,
) -> bool {
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    let mut all = true;
    for (packets, valid) in packets.chunks(BATCH).zip(valid.chunks_mut(BATCH)) {
        all &= if packets.len() >= EIGHT && is_in_order(packets) {
            let of = |i| packets.get(i).map(|(_, message, tag)| (*message, tag));
            verify_batch(of, valid, |messages, tags| tag_many(packets[0].0, messages, tags))
        } else {
            verify_singly(
                packets.iter().map(|(i, message, right)| tag(*i, message) == *right),
                valid,
            )
        };
    }
    all
}

/// [`verify_packets`] for MACs without a nonce: all batches go through `tag_many`.
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
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    let mut all = true;
    for (packets, valid) in packets.chunks(BATCH).zip(valid.chunks_mut(BATCH)) {
        all &= if packets.len() >= EIGHT {
            let of = |i| packets.get(i).map(|(message, tag)| (*message, tag));
            verify_batch(of, valid, &mut tag_many)
        } else {
            verify_singly(packets.iter().map(|(message, right)| tag(message) == *right), valid)
        };
    }
    all
}

/// Writes the outcomes, and returns whether all are true.
#[inline]
fn verify_singly(outcomes: impl Iterator<Item = bool>, valid: &mut [bool]) -> bool {
    valid.iter_mut().zip(outcomes).fold(true, |all, (valid, outcome)| {
        *valid = outcome;
        all & outcome
    })
}

/// Compares the received tags of at most [`BATCH`] packets with the right ones, which `tag_many` makes.
#[inline]
fn verify_batch<'m, T: Copy + PartialEq + 'm>(
    packet: impl Fn(usize) -> Option<(&'m [u8], &'m T)>,
    valid: &mut [bool],
    tag_many: impl FnOnce(&[&[u8]], &mut [T]),
) -> bool {
    let Some((_, first)) = packet(0) else { return true };
    let messages: [&[u8]; BATCH] =
        core::array::from_fn(|i| packet(i).map_or(&[][..], |(message, _)| message));
    let mut tags = [*first; BATCH];
    tag_many(&messages[..valid.len()], &mut tags[..valid.len()]);
    let is_right = |(i, right): (usize, &T)| packet(i).is_some_and(|(_, tag)| tag == right);
    let all = verify_singly(tags.iter().enumerate().map(is_right), valid);
    // The right tags of forgeries are secret.
    tags = [*first; BATCH];
    core::hint::black_box(&tags);
    all
}
