//! That bounds of the UMAC paper (CRYPTO '99) are attained, which of its variants are broken, and the other families'
//! bounds, at sizes where every key and every pair of messages can be tried. (The bounds of NH, NHS and NHT are proved in
//! Coq, and that NHS attains its own.)
//!
//! Each test finds the pair of messages that collides under the most keys, compares it with the bound, and
//! has the number itself, so that a bound that is not reached is seen to be missed by how much.

use super::{nh, nht};
use Sign::{Signed, Unsigned};
use std::iter::successors;
use wegman::Bits;
use wegman_yardstick::universal::{
    Crc, LfsrToeplitz, Mh, MmhStar, NmhStar, Polynomial, Prime, Sign, Sqh,
};

/// All lists of so many words below a limit.
fn lists_below(limit: u64, length: usize) -> Vec<Vec<u64>> {
    let digit = |number: u64, i: usize| number / limit.pow(i as u32) % limit;
    let list = |number| (0..length).map(|i| digit(number, i)).collect();
    (0..limit.pow(length as u32)).map(list).collect()
}

/// All lists of so many words of w bits.
fn lists(w: u32, length: usize) -> Vec<Vec<u64>> {
    lists_below(1 << w, length)
}

/// The number of keys under which the worst pair of messages collides.
fn worst<H: Ord>(
    keys: &[Vec<u64>],
    messages: &[Vec<u64>],
    hash: impl Fn(&[u64], &[u64]) -> H,
) -> u64 {
    let mut counts = vec![vec![0; messages.len()]; messages.len()];
    for key in keys {
        // Messages in groups of one hash, so that only colliding pairs are visited.
        let numbered = messages.iter().enumerate();
        let mut hashes: Vec<(H, usize)> = numbered.map(|(i, m)| (hash(key, m), i)).collect();
        hashes.sort_unstable();
        for group in hashes.chunk_by(|a, b| a.0 == b.0) {
            for (position, (_, a)) in group.iter().enumerate() {
                for (_, b) in &group[position + 1..] {
                    counts[*a][*b] += 1;
                }
            }
        }
    }
    counts.into_iter().flatten().max().unwrap()
}

/// The same for keys and messages of so many words of w bits.
fn worst_of<H: Ord>(w: u32, n: usize, l: usize, hash: impl Fn(&[u64], &[u64]) -> H) -> u64 {
    worst(&lists(w, n), &lists(w, l), hash)
}

/// How many of the keys of n words of w bits are a share of 2^-exponent.
fn share(w: u32, n: usize, exponent: u32) -> u64 {
    1 << (w * n as u32 - exponent)
}

/// Theorems 4.2 and 5.1, attained.
#[test]
fn nh_and_nht_attain_their_bounds() {
    for (w, l) in [(1, 2), (3, 2), (2, 4)] {
        let worst = worst_of(w, l, l, |key, m| nh(Unsigned, w, key, m));
        assert_eq!(worst, share(w, l, w), "NH[{l},{w}]");
    }
    for (w, l) in [(1, 4), (3, 2)] {
        let worst = worst_of(w, l + 2, l, |key, m| nht::<2>(Unsigned, w, key, m));
        assert_eq!(worst, share(w, l + 2, 2 * w), "NHT[{l},{w},2]");
    }
}

/// UMAC and the MMX sets multiply words that are half a unit apart, and move the key by half a unit: by one word where NHT
/// moves it by two. The proof of theorem 5.1 moves whole pairs, so this is tried: the same worst pair of messages for words
/// without signs, and less than the bound for those with.
#[test]
fn keys_moved_by_half_a_pair() {
    fn found<const T: usize>(w: u32, l: usize) -> [u64; 2] {
        let n = l + T - 1;
        let worst = |sign| {
            worst_of(w, n, l, |key, m| -> [u128; T] {
                std::array::from_fn(|t| nh(sign, w, &key[t..][..l], m))
            })
        };
        let (unsigned, signed) = (worst(Unsigned), worst(Signed));
        assert_eq!(unsigned, share(w, n, w * T as u32), "{l} words of {w} bits, {T} times");
        assert!(signed <= share(w, n, (w - 1) * T as u32), "{l} words of {w} bits, {T} times");
        [unsigned, signed]
    }
    assert_eq!([found::<2>(1, 4), found::<3>(1, 6)], [[8, 8], [32, 32]]);
    let small = [found::<2>(2, 2), found::<3>(2, 2), found::<2>(3, 2)];
    assert_eq!(small, [[4, 10], [4, 18], [8, 26]]);
    assert_eq!(found::<2>(2, 4), [64, 160]);
}

// The variants that the remarks after theorem 4.2 call broken.

/// For two words and every m but 0 0: how many keys there are for each difference of the hashes of 0 0 and m.
///
/// These pairs are enough: the keys k and k + m are equally likely, so a pair of messages is as bad as
/// 0 0 and their difference (for xor inside, their xor).
fn histograms(
    w: u32,
    hash: impl Fn(&[u64], &[u64]) -> u64,
    minus: impl Fn(u64, u64) -> u64,
) -> Vec<Vec<u64>> {
    let keys = lists(w, 2);
    let of_zero: Vec<u64> = keys.iter().map(|key| hash(key, &[0, 0])).collect();
    let histogram = |m: &Vec<u64>| {
        let mut counts = vec![0; 1 << (2 * w)];
        for (key, &zero) in keys.iter().zip(&of_zero) {
            counts[minus(zero, hash(key, m)) as usize] += 1;
        }
        counts
    };
    lists(w, 2)[1..].iter().map(histogram).collect()
}

/// With xor for the inner addition, from w = 4 on.
#[test]
fn xor_inside_exceeds_the_bound() {
    let collisions = |w: u32| {
        // k xor m is what NH adds up if its key is k and its message what k lacks.
        let hash = |key: &[u64], m: &[u64]| {
            let add = |i: usize| (key[i] ^ m[i]).wrapping_sub(key[i]) % (1 << w);
            nh(Unsigned, w, key, &[add(0), add(1)]) as u64
        };
        let minus = |a: u64, b: u64| a.wrapping_sub(b) % (1 << (2 * w));
        histograms(w, hash, minus).iter().map(|counts| counts[0]).max().unwrap()
    };
    // For w = 1 both additions are the same.
    let found = [1, 2, 3, 4, 5].map(|w| (collisions(w), share(w, 2, w)));
    assert_eq!(found, [(2, 2), (4, 4), (8, 8), (20, 16), (36, 32)]);
}

/// Of one product, as the outer addition sees it.
fn xor_outside(w: u32, sign: Sign) -> Vec<Vec<u64>> {
    histograms(w, |key, m| nh(sign, w, key, m) as u64, |a, b| a ^ b)
}

/// With xor for the outer addition some xor of two hashes comes too often, from w = 3 on.
#[test]
fn xor_outside_exceeds_the_bound_on_differences() {
    let found = [1, 2, 3, 4]
        .map(|w| (xor_outside(w, Unsigned).into_iter().flatten().max().unwrap(), share(w, 2, w)));
    assert_eq!(found, [(2, 2), (4, 4), (12, 8), (20, 16)]);
}

/// With xor for the outer addition and signed words, two products collide too often from w = 4 on; unsigned
/// ones do not.
///
/// Two products of which both differ in the same way collide if their differences are equal; no other two
/// ways are worse (Cauchy and Schwarz).
#[test]
fn xor_outside_exceeds_the_signed_bound() {
    let two_products = |w: u32, sign: Sign| -> u64 {
        let collisions = |counts: &Vec<u64>| counts.iter().map(|count| count * count).sum();
        xor_outside(w, sign).iter().map(collisions).max().unwrap()
    };
    let found = [1, 2, 3, 4, 5].map(|w| (two_products(w, Signed), share(w, 4, w - 1)));
    assert_eq!(found, [(8, 16), (72, 128), (808, 1024), (9320, 8192), (96104, 65536)]);
    for w in 1..=5 {
        assert!(two_products(w, Unsigned) <= share(w, 4, w), "w = {w}");
    }
}

// The other families.

/// MH: 2^-w, as its page says.
#[test]
fn mh_keeps_its_bound() {
    for (w, l) in [(1, 2), (2, 2), (3, 2), (4, 2), (1, 4), (2, 4)] {
        let hash = |key: &[u64], m: &[u64]| Mh::new(w, key).unwrap().hash(m).unwrap();
        assert_eq!(worst_of(w, l, l, hash), share(w, l, w), "w = {w}, l = {l}");
    }
}

#[test]
fn mmh_nmh_and_sqh_modulo_small_primes() {
    for (p, l) in [(3, 2), (5, 2), (7, 2), (11, 2), (3, 4)] {
        let all = lists_below(p, l);
        let bound = all.len() as u64 / p;
        let p = Prime::new(p).unwrap();
        let mmh = |key: &[u64], m: &[u64]| MmhStar::new(p, key).unwrap().hash(m).unwrap();
        let nmh = |key: &[u64], m: &[u64]| NmhStar::new(p, key).unwrap().hash(m).unwrap();
        let sqh = |key: &[u64], m: &[u64]| Sqh::new(p, key).unwrap().hash(m).unwrap();
        assert_eq!(worst(&all, &all, mmh), bound);
        assert_eq!(worst(&all, &all, nmh), bound);
        assert_eq!(worst(&all, &all, sqh), bound);
    }
}

/// The keys for which a message that is not 0 has one certain hash, for the worst of both; since these hashes
/// are linear, two messages are as bad as their xor and 0.
fn worst_of_linear(m: u32, n: u32, hashes: &[impl Fn(Bits<'_>) -> u128]) -> (u64, u64) {
    let (mut equal, mut any) = (0, 0);
    for number in 1..1_u32 << m {
        let bytes = (number << (32 - m)).to_be_bytes();
        let message = Bits::new(&bytes[..m.div_ceil(8) as usize], m.into()).unwrap();
        let mut counts = vec![0; 1 << n];
        for hash in hashes {
            counts[hash(message) as usize] += 1;
        }
        equal = equal.max(counts[0]);
        any = any.max(counts.into_iter().max().unwrap());
    }
    (equal, any)
}

fn polynomials(n: u32) -> Vec<Polynomial> {
    (0..1 << n).filter_map(|low| Polynomial::new(n, low).ok()).collect()
}

#[test]
fn crc_keeps_its_bound() {
    let found = [(8, 3), (8, 4), (10, 5), (12, 6)].map(|(m, n)| {
        let hashes = polynomials(n).into_iter().map(Crc::new);
        let hashes: Vec<_> = hashes.map(|crc| move |message: Bits<'_>| crc.hash(message)).collect();
        let keys = hashes.len() as u64;
        let (equal, any) = worst_of_linear(m, n, &hashes);
        assert!(equal << (n - 1) <= u64::from(m) * keys, "{equal} of {keys}");
        assert!(any << (n - 1) <= u64::from(m + n) * keys, "{any} of {keys}");
        (equal, any, keys)
    });
    assert_eq!(found, [(2, 2, 2), (1, 2, 3), (1, 2, 6), (1, 2, 9)]);
}

#[test]
fn lfsr_toeplitz_keeps_its_bound() {
    let found = [(4, 3), (6, 4), (8, 5)].map(|(m, n)| {
        let states = successors(Some(1), |state| Some(state + 1)).take((1 << n) - 1);
        let keys: Vec<_> = states
            .flat_map(|state| polynomials(n).into_iter().map(move |p| (p, state)))
            .map(|(p, state)| LfsrToeplitz::new(p, state).unwrap())
            .map(|lfsr| move |message: Bits<'_>| lfsr.hash(message))
            .collect();
        let (_, any) = worst_of_linear(m, n, &keys);
        assert!(any << (n - 1) <= u64::from(m) * keys.len() as u64, "{any} of {}", keys.len());
        (any, keys.len())
    });
    assert_eq!(found, [(7, 14), (15, 45), (31, 186)]);
}
