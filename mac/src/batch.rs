//! Batches of messages: eight share a kernel call when packets come in the order they were sent. Knows no MAC.

/// How many messages a packet kernel takes side by side.
pub const EIGHT: usize = 8;

/// How many packets are verified as one batch.
pub const BATCH: usize = 32;

/// Sets `valid` for each packet whose tag is right, and returns whether all are. A batch whose numbers are
/// consecutive, as when packets arrive in the order they were sent, goes through `tag_many`; any other goes through
/// `tag`, one packet at a time.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_packets<I, T: Copy + PartialEq>(
    packets: &[(I, &[u8], T)],
    valid: &mut [bool],
    is_next: impl Fn(&I, &I) -> bool,
    mut tag_many: impl FnMut(&I, &[&[u8]], &mut [T]),
    tag: impl Fn(&I, &[u8]) -> T,
) -> bool {
    verify_batches(
        packets,
        valid,
        |(.., tag)| tag,
        |packets, tags| {
            if packets.windows(2).all(|pair| is_next(&pair[0].0, &pair[1].0)) {
                let messages = gather(packets.iter().map(|(_, message, _)| *message));
                tag_many(&packets[0].0, &messages[..packets.len()], tags);
            } else {
                for ((number, message, _), slot) in packets.iter().zip(tags) {
                    *slot = tag(number, message);
                }
            }
        },
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
) -> bool {
    verify_batches(
        packets,
        valid,
        |(_, tag)| tag,
        |packets, tags| {
            let messages = gather(packets.iter().map(|(message, _)| *message));
            tag_many(&messages[..packets.len()], tags);
        },
    )
}

/// Compares the received tags of packets with the right ones, which `tag_batch` writes for at most [`BATCH`] packets at
/// a time.
#[inline]
fn verify_batches<P, T: Copy + PartialEq>(
    packets: &[P],
    valid: &mut [bool],
    received: impl Fn(&P) -> &T,
    mut tag_batch: impl FnMut(&[P], &mut [T]),
) -> bool {
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    let Some(first) = packets.first() else { return true };
    let filler = *received(first);
    let mut expected = [filler; BATCH];
    for (packets, valid) in packets.chunks(BATCH).zip(valid.chunks_mut(BATCH)) {
        let expected = &mut expected[..packets.len()];
        tag_batch(packets, expected);
        for ((valid, packet), expected) in valid.iter_mut().zip(packets).zip(expected) {
            *valid = received(packet) == expected;
        }
    }
    // The right tags of forgeries are secret.
    expected = [filler; BATCH];
    core::hint::black_box(&expected);
    valid.iter().fold(true, |all, valid| all & valid)
}

/// The messages of a batch, and empty ones after them.
#[inline]
fn gather<'m>(batch: impl Iterator<Item = &'m [u8]>) -> [&'m [u8]; BATCH] {
    let mut messages = [&[][..]; BATCH];
    messages.iter_mut().zip(batch).for_each(|(slot, message)| *slot = message);
    messages
}
