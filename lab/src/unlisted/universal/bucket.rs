//! Bucket hashing.

use super::{LONGEST, TAKEN, family, two, wide_32};
use crate::engine::{Engine, random_bytes};
use std::collections::BTreeSet;
use wegman_reference::universal::linear;
use wegman_yardstick::universal::Bucket;

/// One of them by name, in upper case.
pub fn find(name: &str) -> Option<Engine> {
    Some(match name {
        "BUCKET-32/140" => {
            let key = sets().leak();
            let f = Bucket::new(BUCKETS as u16, key).ok()?;
            let hash = move |m: &[u64]| {
                let mut buckets = [0; BUCKETS];
                f.hash(m, &mut buckets).expect(TAKEN);
                all_buckets(buckets)
            };
            family("Bucket-32/140", wide_32, hash, bucket_hash(key))
        }
        "BUCKET-32/140-INDEXED" => {
            let key = sets();
            let definition = bucket_hash(&key);
            let key: Vec<[u8; 3]> = key.iter().map(|set| set.map(|b| b as u8)).collect();
            let hash = move |m: &[u32]| {
                let mut buckets = [0_u32; 256]; // room for any byte, so that none is checked
                for (word, set) in m.iter().zip(&key) {
                    for &b in set {
                        buckets[usize::from(b)] ^= word;
                    }
                }
                let (used, _) = buckets.split_first_chunk::<BUCKETS>().expect("256");
                all_buckets(used.map(u64::from))
            };
            family("Bucket-32/140-indexed", u32::from_le_bytes, hash, definition)
        }
        _ => return None,
    })
}

/// The number N of buckets, for which the bound, 3312 N^-6, is 2^-31.
const BUCKETS: usize = 140;

/// A key of bucket hashing: different sets of three buckets, one for each word of the longest message.
fn sets() -> Vec<[u16; 3]> {
    let random = random_bytes(4 * LONGEST);
    let mut numbers = random.iter().map(|&byte| u16::from(byte)).filter(|b| *b < BUCKETS as u16);
    let mut known = BTreeSet::new();
    let mut sets = Vec::new();
    while sets.len() < LONGEST / 4 {
        let set = [(); 3].map(|()| numbers.next().expect("bytes enough"));
        let sorted = BTreeSet::from(set);
        if sorted.len() == 3 && known.insert(sorted) {
            sets.push(set);
        }
    }
    sets
}

/// Bucket hashing by the oracle.
fn bucket_hash(key: &[[u16; 3]]) -> impl Fn(&[u64]) -> u128 + use<> {
    let key: Vec<[usize; 3]> = key.iter().map(|set| set.map(usize::from)).collect();
    move |m| {
        let buckets = linear::bucket(BUCKETS, &key, m);
        all_buckets(buckets.try_into().expect("as many"))
    }
}

/// The hash is too long for a number. This is two sums over all buckets, one of them weighted by place.
fn all_buckets(buckets: [u64; BUCKETS]) -> u128 {
    let sums = (1..).zip(buckets).fold([0_u64; 2], |[plain, placed], (place, bucket)| {
        [plain.wrapping_add(bucket), placed.wrapping_add(bucket.wrapping_mul(place))]
    });
    two(sums.map(u128::from))
}
