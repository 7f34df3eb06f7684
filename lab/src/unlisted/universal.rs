//! The families of `wegman::universal`, plain code, each under a key for messages of up to 4096 bytes:
//! what UMAC of 1999 hashes at a time.
//!
//! | name | what |
//! |---|---|
//! | `NH32`, `NH16`, `MH32`, `MH16` | NH and MH of one output in words of their own size, compiled as `MMH32` is |
//! | `NHS-16` | NH of signed words of 16 bits |
//! | `NHT-32`, `NHT2-32` | NH of words of 32 bits twice: one level, and two as in UMAC-STD |
//! | `NHST-16`, `NHST2-16` | the same of signed words of 16 bits, one level four times, two twice |
//! | `NHX-w/t`, `NHSX-w/t` | t times NH of words of w = 8, 16, 32, 64 bits, and its signed form |
//! | `MH-32`, `MH-16`, `MMH32`, `MMH16`, `NMH32` | sums of products, and their reductions |
//! | `TMMH/16` | MMH16 four times |
//! | `MMH*`, `NMH*`, `SQH` | words of 32 bits modulo 2^32 + 15 |
//! | `Bucket-32/140` | words of 32 bits into 140 buckets, every word visiting every bucket |
//! | `Bucket-32/140-indexed` | the same with the key's buckets as places in memory, as the paper means it: not constant time |
//! | `CRC-64`, `LFSR-Toeplitz-64` | modulo x^64 + x^4 + x^3 + x + 1 |
//!
//! Making words of the message's bytes, with zeroes for what is missing to a pair, is timed with the hash.

use crate::engines::{Engine, Group};
use std::cell::RefCell;
use std::collections::BTreeSet;
use wegman::Bits;
use wegman::universal::{
    Bucket, Crc, LfsrToeplitz, Mh, Mmh16, Mmh32, MmhStar, Nh, Nht, Nht2, Nhx, Nmh32, NmhStar,
    Polynomial, Prime, Sign, Sqh, Tmmh16,
};
use wegman_bench::ours::number;
use wegman_reference::pmac::bits::bits_of;
use wegman_reference::umac_rfc4418::zero_pad;
use wegman_reference::universal::{self as oracle, linear, products};

/// The longest message.
const LONGEST: usize = 4096;

/// What every word and length here is.
const TAKEN: &str = "a message the family takes";

/// One of them by name, in upper case.
pub fn find(name: &str) -> Option<Engine> {
    let (k32, k16) = (key(32, LONGEST), key(16, LONGEST));
    let p = Prime::P32;
    let modulus = u128::from(p.value());
    Some(match name {
        "MH-32" => {
            let f = Mh::new(32, k32).ok()?;
            let oracle = move |m: &[u64]| products::mh(32, k32, m);
            family(name, wide_32, move |m| f.hash(m).expect(TAKEN), oracle)
        }
        "MH-16" => {
            let f = Mh::new(16, k16).ok()?;
            let oracle = move |m: &[u64]| products::mh(16, k16, m);
            family(name, wide_16, move |m| f.hash(m).expect(TAKEN), oracle)
        }
        "NH32" => {
            let key = narrow(k32, |word| word as u32);
            let oracle = move |m: &[u64]| oracle::nh(oracle::Sign::Unsigned, 32, k32, m);
            family(name, u32::from_le_bytes, move |m| nh32(key, m).into(), oracle)
        }
        "NH16" => {
            let key = narrow(k16, |word| word as u16);
            let oracle = move |m: &[u64]| oracle::nh(oracle::Sign::Unsigned, 16, k16, m);
            family(name, u16::from_le_bytes, move |m| nh16(key, m).into(), oracle)
        }
        "MH32" => {
            let key = narrow(k32, |word| word as u32);
            let oracle = move |m: &[u64]| products::mh(32, k32, m);
            family(name, u32::from_le_bytes, move |m| mh32(key, m).into(), oracle)
        }
        "MH16" => {
            let key = narrow(k16, |word| word as u16);
            let oracle = move |m: &[u64]| products::mh(16, k16, m);
            family(name, u16::from_le_bytes, move |m| mh16(key, m).into(), oracle)
        }
        "NHT-32" => {
            let k = key(32, LONGEST + 8);
            let f = Nht::new(Sign::Unsigned, 32, 2, k).ok()?;
            let hash = move |m: &[u64]| {
                let mut out = [0; 2];
                f.hash(m, &mut out).expect(TAKEN);
                two(out)
            };
            let oracle = move |m: &[u64]| {
                let out = oracle::nht(oracle::Sign::Unsigned, 32, 2, k, m);
                two([out[0], out[1]])
            };
            family(name, wide_32, hash, oracle)
        }
        "NHS-16" => {
            let f = Nh::new(Sign::Signed, 16, k16).ok()?;
            let oracle = move |m: &[u64]| oracle::nh(oracle::Sign::Signed, 16, k16, m);
            family(name, wide_16, move |m| f.hash(m).expect(TAKEN), oracle)
        }
        "NHST-16" => {
            let k = key(16, LONGEST + 12);
            let f = Nht::new(Sign::Signed, 16, 4, k).ok()?;
            let hash = move |m: &[u64]| {
                let mut out = [0; 4];
                f.hash(m, &mut out).expect(TAKEN);
                side_by_side(&out)
            };
            let oracle =
                move |m: &[u64]| side_by_side(&oracle::nht(oracle::Sign::Signed, 16, 4, k, m));
            family(name, wide_16, hash, oracle)
        }
        // Blocks of 64 words and 32 of them: a key of 268 bytes.
        "NHST2-16" => {
            let (k, l) = (&k16[..64 + 2], &k16[66..][..2 * 32 + 2]);
            let f = Nht2::new(Sign::Signed, 16, k, l).ok()?;
            let hash = move |m: &[u64]| two(f.hash(m).expect(TAKEN));
            let signed = oracle::Sign::Signed;
            family(name, wide_16, hash, move |m| two(oracle::nht2(signed, 16, 64, k, l, m)))
        }
        // Blocks of 64 words and 16 of them: a key of 400 bytes.
        "NHT2-32" => {
            let (k, l) = (&k32[..64 + 2], &k32[66..][..2 * 16 + 2]);
            let f = Nht2::new(Sign::Unsigned, 32, k, l).ok()?;
            let hash = move |m: &[u64]| two(f.hash(m).expect(TAKEN));
            let unsigned = oracle::Sign::Unsigned;
            family(name, wide_32, hash, move |m| two(oracle::nht2(unsigned, 32, 64, k, l, m)))
        }
        "MMH32" => {
            let f = Mmh32::new(narrow(k32, |word| word as u32));
            let oracle = move |m: &[u64]| products::mmh32(k32, m).into();
            family(name, u32::from_le_bytes, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "MMH16" => {
            let f = Mmh16::new(narrow(k16, |word| word as u16));
            let oracle = move |m: &[u64]| products::mmh16(k16, m).into();
            family(name, u16::from_le_bytes, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "NMH32" => {
            let f = Nmh32::new(narrow(k32, |word| word as u32));
            let oracle = move |m: &[u64]| products::nmh32(k32, m).into();
            family(name, u32::from_le_bytes, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "MMH*" => {
            let f = MmhStar::new(p, k32).ok()?;
            let oracle = move |m: &[u64]| products::mmh_star(modulus, k32, m);
            family(name, wide_32, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "NMH*" => {
            let f = NmhStar::new(p, k32).ok()?;
            let oracle = move |m: &[u64]| products::nmh_star(modulus, k32, m);
            family(name, wide_32, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "SQH" => {
            let f = Sqh::new(p, k32).ok()?;
            let oracle = move |m: &[u64]| products::sqh(modulus, k32, m);
            family(name, wide_32, move |m| f.hash(m).expect(TAKEN).into(), oracle)
        }
        "TMMH/16" => {
            let key = bytes(LONGEST + 8).leak();
            let f = Tmmh16::new(key).ok()?;
            of_bytes(name, move |message| {
                let mut out = [0; 8];
                f.hash(message, &mut out).expect(TAKEN);
                number(&out)
            })
            .checked_by(|_, message| products::tmmh16(key, message, 4))
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
                let (used, _) = buckets.split_first_chunk::<BUCKETS>().expect("256");
                all_buckets(used.map(u64::from))
            };
            family("Bucket-32/140-indexed", u32::from_le_bytes, hash, definition)
        }
        "CRC-64" => {
            let f = Crc::new(polynomial());
            of_bytes(name, move |message| f.hash(bits(message)))
                .checked_by(|_, message| bits_hash(linear::crc(&coefficients(), &bools(message))))
        }
        "LFSR-TOEPLITZ-64" => {
            let state = 0x0123_4567_89ab_cdef_u64;
            let f = LfsrToeplitz::new(polynomial(), state.into()).ok()?;
            of_bytes("LFSR-Toeplitz-64", move |message| f.hash(bits(message))).checked_by(
                move |_, message| {
                    let state = bools(&state.to_be_bytes());
                    bits_hash(linear::lfsr_toeplitz(&coefficients(), &state, &bools(message)))
                },
            )
        }
        _ => return nhx(name),
    })
}

fn nhx(name: &str) -> Option<Engine> {
    let (family, parts) = name.split_once('-')?;
    let (sign, oracle_sign) = match family {
        "NHX" => (Sign::Unsigned, oracle::Sign::Unsigned),
        "NHSX" => (Sign::Signed, oracle::Sign::Signed),
        _ => return None,
    };
    let (w, t) = parts.split_once('/')?;
    let w: u32 = w.parse().ok().filter(|w| matches!(w, 8 | 16 | 32 | 64))?;
    let t: usize = t.parse().ok().filter(|t| (1..=8).contains(t))?;
    let key = key(w, LONGEST + 2 * (t - 1) * w as usize / 8);
    let nhx = Nhx::new(sign, w, t, key, 2).ok()?;
    let hash = move |message: &[u8]| {
        let mut out = [0; 8 * 16 + 2];
        let out = &mut out[..nhx.hash_bytes(message.len())];
        nhx.hash(message, out).expect(TAKEN);
        number(&out[..out.len().min(16)])
    };
    let definition = move |_, message: &[u8]| oracle::nhx(oracle_sign, w, t, key, 2, message);
    Some(of_bytes(name, hash).checked_by(definition))
}

fn nh32(key: &[u32], message: &[u32]) -> u64 {
    let pairs = key.as_chunks().0.iter().zip(message.as_chunks().0);
    pairs.fold(0, |sum, (&[k, l], &[m, n])| {
        sum.wrapping_add(u64::from(m.wrapping_add(k)) * u64::from(n.wrapping_add(l)))
    })
}

fn nh16(key: &[u16], message: &[u16]) -> u32 {
    let pairs = key.as_chunks().0.iter().zip(message.as_chunks().0);
    pairs.fold(0, |sum, (&[k, l], &[m, n])| {
        sum.wrapping_add(u32::from(m.wrapping_add(k)) * u32::from(n.wrapping_add(l)))
    })
}

fn mh32(key: &[u32], message: &[u32]) -> u64 {
    let pairs = key.iter().zip(message);
    pairs.fold(0, |sum, (&k, &m)| sum.wrapping_add(u64::from(k) * u64::from(m)))
}

fn mh16(key: &[u16], message: &[u16]) -> u32 {
    let pairs = key.iter().zip(message);
    pairs.fold(0, |sum, (&k, &m)| sum.wrapping_add(u32::from(k) * u32::from(m)))
}

/// Two hashes of 64 bits as one number.
fn two(hashes: [u128; 2]) -> u128 {
    hashes[0] | hashes[1] << 64
}

/// Hashes of 32 bits as one number.
fn side_by_side(hashes: &[u128]) -> u128 {
    hashes.iter().rev().fold(0, |number, hash| number << 32 | hash)
}

/// Buckets of bucket hashing: as many as make the bound, 3312 N^-6, 2^-31.
const BUCKETS: usize = 140;

/// A key of bucket hashing: different sets of three buckets, one for each word of the longest message.
fn sets() -> Vec<[u16; 3]> {
    let random = bytes(4 * LONGEST);
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

/// The hash is too long for a number: two sums of all buckets, of which one knows their places.
fn all_buckets(buckets: [u64; BUCKETS]) -> u128 {
    let sums = (1..).zip(buckets).fold([0_u64; 2], |[plain, placed], (place, bucket)| {
        [plain.wrapping_add(bucket), placed.wrapping_add(bucket.wrapping_mul(place))]
    });
    two(sums.map(u128::from))
}

/// A family that takes words of `W` bytes.
fn family<const W: usize, T: 'static>(
    name: &str,
    // No pointer to a function: a call for each word would cost more than the hash.
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
    Engine::unlisted(Group::OneMessage, name, "portable", hash).up_to(LONGEST)
}

fn wide_32(word: [u8; 4]) -> u64 {
    u32::from_le_bytes(word).into()
}

fn wide_16(word: [u8; 2]) -> u64 {
    u16::from_le_bytes(word).into()
}

/// Key bytes without a pattern.
pub fn bytes(count: usize) -> Vec<u8> {
    let mut state = 2_u64;
    let random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    };
    std::iter::repeat_with(random).take(count).collect()
}

/// A key of words of w bits. The families borrow theirs, so it stays to the end of the program.
fn key(w: u32, count: usize) -> &'static [u64] {
    oracle::words(w, &bytes(count)).leak()
}

fn narrow<T>(key: &[u64], word: fn(u64) -> T) -> &'static [T] {
    key.iter().map(|&wide| word(wide)).collect::<Vec<T>>().leak()
}

fn polynomial() -> Polynomial {
    Polynomial::new(64, 0b11011).expect("irreducible")
}

/// The same polynomial for the oracle, the lowest coefficient first.
fn coefficients() -> Vec<bool> {
    (0..=64).map(|k| matches!(k, 0 | 1 | 3 | 4 | 64)).collect()
}

fn bits(message: &[u8]) -> Bits<'_> {
    Bits::new(message, 8 * message.len() as u64).expect("whole bytes")
}

fn bools(bytes: &[u8]) -> Vec<bool> {
    bits_of(bytes, 8 * bytes.len())
}

/// The oracle's bits, the highest first, as the hash's number.
fn bits_hash(bits: Vec<bool>) -> [u8; 16] {
    bits.into_iter().fold(0, |hash, bit| hash << 1 | u128::from(bit)).to_le_bytes()
}
