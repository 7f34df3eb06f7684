//! Messages made so that an output of level 1 lies exactly where POLY-64 begins to escape words, or where its prime is:
//! random messages come there once in 2^32 words. They go through the public functions, on every row.

use super::{SECRET, for_every_length, keys, oracle_tag};
use crate::nonce::Nonce;
use crate::umac::l1_nh::CHUNK;
use wegman_reference::inputs::{Random, chunk_with_output};
use wegman_reference::umac_rfc4418 as oracle;

/// Where POLY-64 begins to escape words.
const LIMIT: u64 = u64::MAX - u32::MAX as u64;
/// The largest prime below 2^64.
const PRIME: u64 = u64::MAX - 58;

fn check<const N: usize>() {
    let (keys, nonce) = (keys::<N>(), [7; 8]);
    let check = |message: &[u8], what: &str| {
        let expected = oracle_tag(&oracle::uhash(&SECRET, message, N), &nonce, N);
        for key in &keys {
            let tag = key.tag_under(&Nonce::from(nonce), message).to_bytes();
            assert_eq!(tag.as_slice(), expected, "{key:?}: {what}");
        }
    };
    let targets = [LIMIT - 1, LIMIT, LIMIT + 1, PRIME - 1, PRIME, PRIME + 1, u64::MAX, 0, 1];
    for stream in 0..N / 4 {
        let l1_key = oracle::l1_key(&SECRET, stream);
        for target in targets {
            let special = chunk_with_output(&l1_key, target);
            // The same in fewer bytes, since the length is added.
            let in_96 = chunk_with_output(&l1_key, target.wrapping_add(8 * (CHUNK as u64 - 96)));
            let short = &in_96[..96];
            for chunk in [&special, short] {
                assert_eq!(oracle::l1_hash(&l1_key, chunk), target);
                // Without a chunk before it there is no level 2, and so no limit.
                check(chunk, &format!("{target:x} in stream {stream}, alone"));
                let last = [&Random(1).message(CHUNK), chunk].concat();
                check(&last, &format!("{target:x} in stream {stream}, at the end"));
            }
            // Beside each other, and wherever a group of chunks begins or ends.
            for (count, places) in
                [(2, vec![0]), (3, vec![1]), (18, (0..18).collect()), (33, vec![15, 16, 32])]
            {
                for place in places {
                    let mut message = Random(place as u64).message(count * CHUNK);
                    message[place * CHUNK..][..CHUNK].copy_from_slice(&special);
                    let what = format!("{target:x} in stream {stream}, chunk {place} of {count}");
                    check(&message, &what);
                }
            }
            check(&special.repeat(20), &format!("{target:x} in stream {stream}, always"));
        }
    }
}

#[test]
fn outputs_at_the_limit_of_poly_64() {
    for_every_length!(check);
}

/// The same right after the switch, where two outputs make one word of POLY-128.
#[test]
fn outputs_at_the_limit_of_poly_128() {
    let nonce = [8; 8];
    let head = Random(27).message(1 << 24);
    let of = |target| chunk_with_output(&oracle::l1_key(&SECRET, 0), target);
    // The upper half alone decides whether a pair is over the limit.
    let below = [of(LIMIT - 1), of(u64::MAX)].concat();
    let limit = [of(LIMIT), of(0)].concat();
    let p128 = [of(u64::MAX), of(u64::MAX - 158)].concat();
    for tail in [below, limit, p128, of(u64::MAX)] {
        let message = [head.as_slice(), &tail].concat();
        let expected = oracle::umac(&SECRET, &message, &nonce, 4);
        for key in keys::<4>() {
            let tag = key.tag_under(&Nonce::from(nonce), &message).to_bytes();
            assert_eq!(tag.as_slice(), expected, "{key:?}");
        }
    }
}
