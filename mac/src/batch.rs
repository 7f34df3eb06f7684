//! Batches: packets in the order they were sent go through kernels for eight messages. Knows no MAC.

/// How many messages the kernels for packets take side by side.
pub const EIGHT: usize = 8;

/// How many packets are looked at together.
pub const BATCH: usize = 32;

/// Says which packets have the right tag, and whether all have. Packets that come in the order they were sent have
/// consecutive numbers and go through `tag_many`, others one by one through `tag`.
#[inline]
pub fn verify_packets<I: Copy, T: Copy + PartialEq>(
    packets: &[(I, &[u8], T)],
    valid: &mut [bool],
    is_next: impl Fn(I, I) -> bool,
    mut tag_many: impl FnMut(I, &[&[u8]], &mut [T]),
    tag: impl Fn(I, &[u8]) -> T,
) -> bool {
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    let Some(&(_, _, filler)) = packets.first() else { return true };
    let mut expected = [filler; BATCH];
    for (packets, valid) in packets.chunks(BATCH).zip(valid.chunks_mut(BATCH)) {
        let expected = &mut expected[..packets.len()];
        if packets.windows(2).all(|pair| is_next(pair[0].0, pair[1].0)) {
            let mut messages = [&[][..]; BATCH];
            for (slot, (_, message, _)) in messages.iter_mut().zip(packets) {
                *slot = message;
            }
            tag_many(packets[0].0, &messages[..packets.len()], expected);
        } else {
            for ((number, message, _), expected) in packets.iter().zip(&mut *expected) {
                *expected = tag(*number, message);
            }
        }
        for ((valid, (.., received)), expected) in valid.iter_mut().zip(packets).zip(expected) {
            *valid = received == expected;
        }
    }
    // The tags that forgeries should have had are secret.
    expected = [filler; BATCH];
    core::hint::black_box(&expected);
    valid.iter().fold(true, |all, valid| all & valid)
}
