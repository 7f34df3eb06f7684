//! Those families of `wegman_yardstick::universal` that the papers' tables measure, in plain code, each under a key for
//! messages of up to 4096 bytes, the block that UMAC of 1999 hashes at once.
//!
//! | name | what |
//! |---|---|
//! | `NH32`, `NH16`, `MH32`, `MH16` | NH and MH of one output in words of their own size, compiled as `MMH32` is |
//! | `NHT-32`, `NHT2-32` | NH of words of 32 bits twice: one level, and two as in UMAC-STD |
//! | `NHX-w/t` | t times NH of words of w = 8, 16, 32, 64 bits |
//! | `MMH32`, `MMH16` | MH and a reduction |
//! | `Bucket-32/140` | words of 32 bits into 140 buckets, every word visiting every bucket |
//! | `Bucket-32/140-indexed` | the same with the key's buckets as places in memory, as the paper means it: not constant time |
//! | `CRC-64` | modulo x^64 + x^4 + x^3 + x + 1 |
//!
//! Converting the message's bytes to words, zero-padded to a whole pair, is timed with the hash.

use crate::engine::{Engine, Group, OURS};
use crate::timing::rounds::number;
use std::cell::RefCell;
use std::collections::BTreeSet;
use wegman::Bits;
use wegman_reference::inputs::Random;
use wegman_reference::pmac::bits::bits_of;
use wegman_reference::umac_rfc4418::zero_pad;
use wegman_reference::universal::{self as oracle, linear, products};
use wegman_yardstick::universal::{Bucket, Crc, Mmh16, Mmh32, Nht, Nht2, Nhx, Polynomial, Sign};

/// The longest message.
const LONGEST: usize = 4096;

/// What every word and length here is.
const TAKEN: &str = "a message the family takes";

/// One of them by name, in upper case.
pub fn find(name: &str) -> Option<Engine> {
    let unsigned = oracle::Sign::Unsigned;
    Some(match name {
        "NH32" | "MH32" | "MMH32" => of_32(name),
        "NH16" | "MH16" | "MMH16" => of_16(name),
        "NHT-32" => {
            let k = key(32, LONGEST + 8);
            let f = Nht::new(Sign::Unsigned, 32, 2, k).ok()?;
            let hash = move |m: &[u64]| {
                let mut out = [0; 2];
                f.hash(m, &mut out).expect(TAKEN);
                two(&out)
            };
            family(name, wide_32, hash, move |m| two(&oracle::nht(unsigned, 32, 2, k, m)))
        }
        // Blocks of 64 words and 16 of them: a key of 400 bytes.
        "NHT2-32" => {
            let (k, l) = key(32, 4 * (64 + 2 + 2 * 16 + 2)).split_at(64 + 2);
            let f = Nht2::new(Sign::Unsigned, 32, k, l).ok()?;
            let hash = move |m: &[u64]| two(&f.hash(m).expect(TAKEN));
            family(name, wide_32, hash, move |m| two(&oracle::nht2(unsigned, 32, 64, k, l, m)))
        }
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
                all_buckets(buckets[..BUCKETS].iter().copied().map(u64::from))
            };
            family("Bucket-32/140-indexed", u32::from_le_bytes, hash, definition)
        }
        "CRC-64" => {
            let f = Crc::new(Polynomial::new(64, 0b11011).expect("irreducible"));
            // The lowest coefficient first; of the hash the highest.
            let coefficients: Vec<bool> =
                (0..=64).map(|k| matches!(k, 0 | 1 | 3 | 4 | 64)).collect();
            of_bytes(name, move |m| f.hash(Bits::from(m))).checked_by(move |_, m| {
                let hash = linear::crc(&coefficients, &bits_of(m, 8 * m.len()));
                hash.into_iter().fold(0, |hash, bit| hash << 1 | u128::from(bit)).to_le_bytes()
            })
        }
        _ => return nhx(name),
    })
}

fn nhx(name: &str) -> Option<Engine> {
    let (w, t) = name.strip_prefix("NHX-")?.split_once('/')?;
    let w: u32 = w.parse().ok().filter(|w| matches!(w, 8 | 16 | 32 | 64))?;
    let t: usize = t.parse().ok().filter(|t| (1..=8).contains(t))?;
    let key = key(w, LONGEST + 2 * (t - 1) * w as usize / 8);
    let nhx = Nhx::new(Sign::Unsigned, w, t, key, 2).ok()?;
    let hash = move |message: &[u8]| {
        let mut out = [0; 8 * 16 + 2];
        let out = &mut out[..nhx.hash_bytes(message.len())];
        nhx.hash(message, out).expect(TAKEN);
        number(&out[..out.len().min(16)])
    };
    let unsigned = oracle::Sign::Unsigned;
    let definition = move |_, message: &[u8]| oracle::nhx(unsigned, w, t, key, 2, message);
    Some(of_bytes(name, hash).checked_by(definition))
}

/// NH, MH and MMH in words of one type, which are compiled alike.
macro_rules! of_words {
    ($of:ident, $word:ty, $wide:ty, $mmh:ident, $mmh_of_the_oracle:path) => {
        fn $of(name: &str) -> Engine {
            let wide = key(<$word>::BITS, LONGEST);
            let k: Vec<$word> = wide.iter().map(|&word| word as $word).collect();
            let word = <$word>::from_le_bytes;
            match name.trim_end_matches(char::is_numeric) {
                "NH" => {
                    let nh = move |message: &[$word]| {
                        let pairs = k.as_chunks().0.iter().zip(message.as_chunks().0);
                        let sum = pairs.fold(0, |sum: $wide, (&[k, l], &[m, n])| {
                            let (left, right) = (m.wrapping_add(k), n.wrapping_add(l));
                            sum.wrapping_add(<$wide>::from(left) * <$wide>::from(right))
                        });
                        sum.into()
                    };
                    let unsigned = oracle::Sign::Unsigned;
                    family(name, word, nh, move |m| oracle::nh(unsigned, <$word>::BITS, wide, m))
                }
                "MH" => {
                    let mh = move |message: &[$word]| {
                        let sum = k.iter().zip(message).fold(0, |sum: $wide, (&k, &m)| {
                            sum.wrapping_add(<$wide>::from(k) * <$wide>::from(m))
                        });
                        sum.into()
                    };
                    family(name, word, mh, move |m| products::mh(<$word>::BITS, wide, m))
                }
                _ => {
                    let mmh = move |m: &[$word]| $mmh::new(&k).hash(m).expect(TAKEN).into();
                    family(name, word, mmh, move |m| $mmh_of_the_oracle(wide, m).into())
                }
            }
        }
    };
}

of_words!(of_32, u32, u64, Mmh32, products::mmh32);
of_words!(of_16, u16, u32, Mmh16, products::mmh16);

/// A family that takes words of `W` bytes.
fn family<const W: usize, T: 'static>(
    name: &str,
    // Not a function pointer: a call for each word would cost more than the hash.
    word: impl Fn([u8; W]) -> T + 'static,
    hash: impl Fn(&[T]) -> u128 + 'static,
    definition: impl Fn(&[u64]) -> u128 + 'static,
) -> Engine {
    let scratch = RefCell::new(Vec::new());
    of_bytes(name, move |message| {
        let mut words = scratch.borrow_mut();
        words.clear();
        let (whole, rest) = message.as_chunks();
        words.extend(whole.iter().copied().map(&word));
        if !rest.is_empty() {
            words.push(word(std::array::from_fn(|i| rest.get(i).copied().unwrap_or(0))));
        }
        if words.len() % 2 == 1 {
            words.push(word([0; W]));
        }
        hash(&words)
    })
    .checked_by(move |_, message| {
        let words = oracle::words(8 * W as u32, &zero_pad(message, 2 * W));
        definition(&words).to_le_bytes()
    })
}

fn of_bytes(name: &str, hash: impl Fn(&[u8]) -> u128 + 'static) -> Engine {
    let hash = move |_, message: &[u8]| hash(message);
    Engine::new(Group::OneMessage, [name, "portable", OURS], hash).up_to(LONGEST)
}

fn wide_32(word: [u8; 4]) -> u64 {
    u32::from_le_bytes(word).into()
}

/// A key of words of w bits. The families borrow theirs, so it stays to the end of the program.
fn key(w: u32, bytes: usize) -> &'static [u64] {
    oracle::words(w, &Random(2).message(bytes)).leak()
}

/// Two hashes of 64 bits as one number.
fn two(hashes: &[u128]) -> u128 {
    hashes[0] | hashes[1] << 64
}

/// The number N of buckets, for which the bound, 3312 N^-6, is 2^-31.
const BUCKETS: usize = 140;

/// A key of bucket hashing: different sets of three buckets, one for each word of the longest message.
fn sets() -> Vec<[u16; 3]> {
    let (mut random, mut known, mut sets) = (Random(2), BTreeSet::new(), Vec::new());
    while sets.len() < LONGEST / 4 {
        let set = [(); 3].map(|()| random.upto(BUCKETS - 1) as u16);
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
    move |m| all_buckets(linear::bucket(BUCKETS, &key, m))
}

/// The hash is too long for a number. This is two sums over all buckets, one of them weighted by place.
fn all_buckets(buckets: impl IntoIterator<Item = u64>) -> u128 {
    let sums = (1..).zip(buckets).fold([0_u64; 2], |[plain, placed], (place, bucket)| {
        [plain.wrapping_add(bucket), placed.wrapping_add(bucket.wrapping_mul(place))]
    });
    two(&sums.map(u128::from))
}
