//! Batches of messages: eight share a kernel call when packets come in the order they were sent. Knows no MAC.

/// How many messages a packet kernel takes side by side.
pub const EIGHT: usize = 8;

/// Sets `valid` for each packet whose tag is right, and returns whether all are. The right tags of eight packets come
/// from `tag8`, and from `tag` if it returns false and for fewer than eight packets.
///
/// # Panics
/// If `packets` and `valid` differ in length.
#[inline]
pub fn verify_eights<P, T: Copy + PartialEq>(
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
pub fn verify_singly<P, T: PartialEq>(
    packets: &[P],
    valid: &mut [bool],
    received: impl Fn(&P) -> &T,
    tag: impl Fn(&P) -> T,
) -> bool {
    assert_eq!(packets.len(), valid.len(), "one outcome for each packet");
    valid.iter_mut().zip(packets).fold(true, |all, (valid, packet)| {
        *valid = tag(packet) == *received(packet);
        all & *valid
    })
}

/// Compares the tags of eight packets, or returns false. A function of its own: its memory costs a few packets nothing.
#[inline(never)]
fn verify_eight<P, T: Copy + PartialEq>(
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
            valid[i] = *received(&eight[i]) == tags[i];
            *all &= valid[i];
        }
        // The right tags of forgeries are secret.
        tags = eight.each_ref().map(|packet| *received(packet));
        core::hint::black_box(&tags);
    }
    is_done
}
