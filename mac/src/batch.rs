//! Batches of messages: eight share a kernel call when packets come in the order they were sent. Knows no MAC.

/// How many messages a packet kernel takes side by side.
pub const EIGHT: usize = 8;

/// So many messages take longer one by one than in a batch of eight that is filled up.
pub const FEWEST: usize = 6;

/// Sets `valid` for each packet whose tag is right, and returns whether all are. The right tags of eight packets come
/// from `tag8`, and from `tag` if it returns false and for fewer than eight packets.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_eights<P, T: Copy + PartialEq>(
    packets: &[P],
    valid: &mut [bool],
    received: impl Fn(&P) -> T,
    tag8: impl Fn(&[P; EIGHT], &mut [T; EIGHT]) -> bool,
    tag: impl Fn(&P) -> T,
) -> bool {
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    let mut all = true;
    for (packets, valid) in packets.chunks(EIGHT).zip(valid.chunks_mut(EIGHT)) {
        if let (Some(eight), Some(valid)) = (packets.first_chunk(), valid.first_chunk_mut()) {
            let mut tags = eight.each_ref().map(&received);
            if tag8(eight, &mut tags) {
                let valid: &mut [bool; EIGHT] = valid;
                for i in 0..EIGHT {
                    valid[i] = received(&eight[i]) == tags[i];
                    all &= valid[i];
                }
                tags = [tags[0]; EIGHT]; // the right tags of forgeries are secret
                core::hint::black_box(&tags);
                continue;
            }
        }
        for (valid, packet) in valid.iter_mut().zip(packets) {
            *valid = received(packet) == tag(packet);
            all &= *valid;
        }
    }
    all
}
