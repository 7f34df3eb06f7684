//! Messages made so that an output of level 1 lies exactly where POLY-64 begins to escape words, or where its prime is:
//! random messages come there once in 2^32 words. They go through the public functions, on every row.

use super::{SECRET, keys, oracle_tag};
use crate::nonce::Nonce;
use crate::umac::l1_nh::CHUNK;
use wegman_reference::inputs::{Random, chunk_with_output};
use wegman_reference::umac_rfc4418 as oracle;

/// Where POLY-64 begins to escape words.
const LIMIT: u64 = u64::MAX - u32::MAX as u64;
/// The largest prime below 2^64.
const PRIME: u64 = u64::MAX - 58;

fn check<const N: usize>(streams: usize) {
    let keys = keys::<N>();
    let nonce = [7; 8];
    let targets = [LIMIT - 1, LIMIT, LIMIT + 1, PRIME - 1, PRIME, PRIME + 1, u64::MAX, 0];
    for stream in 0..streams {
        let l1_key = oracle::l1_key(&SECRET, stream);
        for target in targets {
            let special = chunk_with_output(&l1_key, target);
            assert_eq!(oracle::l1_hash(&l1_key, &special), target);
            // Beside each other, and wherever a group of chunks begins or ends.
            for (count, places) in
                [(2, vec![0, 1]), (3, vec![1]), (18, (0..18).collect()), (33, vec![15, 16, 32])]
            {
                for place in places {
                    let mut message = Random(place as u64).message(count * CHUNK);
                    message[place * CHUNK..][..CHUNK].copy_from_slice(&special);
                    let hash = oracle::uhash(&SECRET, &message, N);
                    let expected = oracle_tag(&hash, &nonce, N);
                    let what = format!("{target:x} in stream {stream}, chunk {place} of {count}");
                    for key in &keys {
                        let nonce = Nonce::new(&nonce).unwrap();
                        let tag = key.tag_under(&nonce, &message).to_bytes();
                        assert_eq!(tag.as_slice(), expected, "{key:?}: {what}");
                    }
                }
            }
            // All of them.
            let message = special.repeat(20);
            let expected = oracle_tag(&oracle::uhash(&SECRET, &message, N), &nonce, N);
            for key in &keys {
                let tag = key.tag_under(&Nonce::new(&nonce).unwrap(), &message).to_bytes();
                assert_eq!(
                    tag.as_slice(),
                    expected,
                    "{key:?}: {target:x} in stream {stream}, always"
                );
            }
        }
    }
}

#[test]
fn outputs_at_the_limit_of_poly_64() {
    check::<4>(1);
    check::<8>(2);
    check::<16>(4);
}
