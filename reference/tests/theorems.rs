//! The theorems of the UMAC paper (CRYPTO 1999), sections 4 and 5, checked on the oracle at sizes
//! where every key and every pair of messages can be tried.
//!
//! Each test counts, for every pair of different messages of one length, the keys under which they
//! collide, and compares the largest count with the theorem. The largest counts themselves are
//! written down, too: where a bound is not reached, the test shows by how much.

use wegman_reference::universal::products::{mmh_star, nmh_star, sqh};
use wegman_reference::universal::{Sign, nh, nht, nht2};

/// All lists of so many words of w bits.
fn all_lists(w: u32, length: usize) -> Vec<Vec<u64>> {
    all_lists_below(1 << w, length)
}

/// All lists of so many words below a limit.
fn all_lists_below(limit: u64, length: usize) -> Vec<Vec<u64>> {
    let shorter = match length {
        0 => return vec![Vec::new()],
        _ => all_lists_below(limit, length - 1),
    };
    shorter
        .iter()
        .flat_map(|list| (0..limit).map(|word| [list.as_slice(), &[word]].concat()))
        .collect()
}

/// For each pair of messages (numbered as in `messages`), the number of keys under which they have
/// the same hash.
fn collisions<H: Ord>(
    keys: &[Vec<u64>],
    messages: &[Vec<u64>],
    hash: impl Fn(&[u64], &[u64]) -> H,
) -> Vec<Vec<u64>> {
    let mut counts = vec![vec![0; messages.len()]; messages.len()];
    for key in keys {
        // Messages in groups of one hash, so that only colliding pairs are visited.
        let mut hashes: Vec<(H, usize)> = messages
            .iter()
            .enumerate()
            .map(|(number, message)| (hash(key, message), number))
            .collect();
        hashes.sort();
        for group in hashes.chunk_by(|a, b| a.0 == b.0) {
            for (position, (_, a)) in group.iter().enumerate() {
                for (_, b) in &group[position + 1..] {
                    counts[*a][*b] += 1;
                }
            }
        }
    }
    counts
}

/// The number of keys of the worst pair of messages.
fn worst<H: Ord>(
    keys: &[Vec<u64>],
    messages: &[Vec<u64>],
    hash: impl Fn(&[u64], &[u64]) -> H,
) -> u64 {
    collisions(keys, messages, hash).into_iter().flatten().max().expect("a pair of messages")
}

/// The worst pair for a family with keys and messages of so many words of w bits.
fn worst_of<H: Ord>(
    w: u32,
    key_words: usize,
    message_words: usize,
    hash: impl Fn(&[u64], &[u64]) -> H,
) -> u64 {
    worst(&all_lists(w, key_words), &all_lists(w, message_words), hash)
}

/// How many of the keys of so many words of w bits are a share of 2^-exponent.
fn share(w: u32, key_words: usize, exponent: u32) -> u64 {
    1 << (w * key_words as u32 - exponent)
}

// Section 4.3.

/// Theorem 4.2: NH is 2^-w-AU on equal-length strings. The bound is reached at every size, as the
/// remarks after the theorem say.
#[test]
fn theorem_4_2_nh() {
    for (w, l) in [(1, 2), (2, 2), (3, 2), (4, 2), (1, 4), (2, 4), (1, 6)] {
        let worst = worst_of(w, l, l, |key, message| nh(Sign::Unsigned, w, key, message));
        assert_eq!(worst, share(w, l, w), "NH[{l},{w}]");
    }
}

/// Shorter messages than the key allows: the other key words do not matter.
#[test]
fn theorem_4_2_shorter_messages() {
    for (w, n) in [(1, 4), (2, 4), (1, 6)] {
        let worst = worst_of(w, n, 2, |key, message| nh(Sign::Unsigned, w, key, message));
        assert_eq!(worst, share(w, n, w), "two words under NH[{n},{w}]");
    }
}

/// The remarks after theorem 4.2: M = 0 0 and M' = 1 0 collide if k_2 = 0, and so under at least
/// one key in 2^w.
#[test]
fn theorem_4_2_is_tight() {
    for w in 1..=8 {
        let hash = |key: &[u64], message: &[u64]| nh(Sign::Unsigned, w, key, message);
        let colliding: Vec<Vec<u64>> = all_lists(w, 2)
            .into_iter()
            .filter(|key| hash(key, &[0, 0]) == hash(key, &[1, 0]))
            .collect();
        assert!(colliding.iter().all(|key| key[1] == 0));
        assert_eq!(colliding.len() as u64, share(w, 2, w));
    }
}

/// The remarks after theorem 4.2: NH is 2^-w-A-Delta-U, for differences modulo 2^2w.
#[test]
fn nh_is_delta_universal() {
    for (w, l) in [(1, 2), (2, 2), (3, 2), (1, 4)] {
        let worst = worst_difference(w, l, |key, message| nh(Sign::Unsigned, w, key, message));
        assert_eq!(worst, share(w, l, w), "NH[{l},{w}]");
    }
}

/// The number of keys under which the hashes of two messages have one certain difference modulo
/// 2^2w, for the worst pair and difference.
fn worst_difference(w: u32, l: usize, hash: impl Fn(&[u64], &[u64]) -> u128) -> u64 {
    let differences = 1 << (2 * w);
    let keys = all_lists(w, l);
    let messages = all_lists(w, l);
    let mut worst = 0;
    for (number, a) in messages.iter().enumerate() {
        for b in &messages[number + 1..] {
            let mut counts = vec![0; differences];
            for key in &keys {
                let difference = differences as u128 + hash(key, a) - hash(key, b);
                counts[difference as usize % differences] += 1;
            }
            worst = worst.max(counts.into_iter().max().expect("a difference"));
        }
    }
    worst
}

// The variants in the remarks after theorem 4.2.

/// The sum of f(k_{2i-1}, m_{2i-1}) f(k_{2i}, m_{2i}), with another addition inside and outside.
fn nh_variant(
    key: &[u64],
    message: &[u64],
    inner: impl Fn(u64, u64) -> u64,
    outer: impl Fn(u64, u64) -> u64,
) -> u64 {
    let factors: Vec<u64> = key.iter().zip(message).map(|(&k, &m)| inner(k, m)).collect();
    factors.chunks(2).fold(0, |sum, pair| outer(sum, pair[0] * pair[1]))
}

fn xor(a: u64, b: u64) -> u64 {
    a ^ b
}

/// The variant with both additions in place is NH.
#[test]
fn the_variant_without_a_change_is_nh() {
    let (w, l) = (2, 4);
    for key in all_lists(w, l) {
        for message in all_lists(w, l) {
            let sum = nh_variant(&key, &message, |k, m| (k + m) % 4, |a, b| (a + b) % 16);
            assert_eq!(u128::from(sum), nh(Sign::Unsigned, w, &key, &message));
        }
    }
}

/// For a family with two words, and for every m but 0 0: how many keys there are for each
/// difference of the hashes of 0 0 and m.
///
/// The pairs with 0 0 are enough: the keys k and k + m are equally likely, so a pair of messages is
/// as bad as 0 0 and their difference (for xor inside, their xor).
fn histograms(
    w: u32,
    hash: impl Fn(&[u64], &[u64]) -> u64,
    minus: impl Fn(u64, u64) -> u64,
) -> Vec<Vec<u64>> {
    let keys = all_lists(w, 2);
    let histogram = |m: &Vec<u64>| {
        let mut counts = vec![0; 1 << (2 * w)];
        for key in &keys {
            counts[minus(hash(key, &[0, 0]), hash(key, m)) as usize] += 1;
        }
        counts
    };
    all_lists(w, 2)[1..].iter().map(histogram).collect()
}

/// With xor for the inner addition the bound is exceeded from w = 4 on.
#[test]
fn xor_inside_exceeds_the_bound() {
    let collisions = |w: u32| {
        let hash = |key: &[u64], message: &[u64]| nh_variant(key, message, xor, |a, b| a + b);
        let minus = |a: u64, b: u64| a.wrapping_sub(b) % (1 << (2 * w));
        histograms(w, hash, minus).iter().map(|counts| counts[0]).max().expect("a pair")
    };
    // For w = 1 both additions are the same.
    let found = [1, 2, 3, 4, 5, 6].map(|w| (collisions(w), share(w, 2, w)));
    assert_eq!(found, [(2, 2), (4, 4), (8, 8), (20, 16), (36, 32), (88, 64)]);
    // All pairs, without the short cut.
    assert_eq!(worst_of(4, 2, 2, |key, m| nh_variant(key, m, xor, |a, b| (a + b) % 256)), 20);
}

/// The histograms of NH or NHS with xor for the outer addition.
fn xor_outside(w: u32, sign: Sign) -> Vec<Vec<u64>> {
    // With two words there is one product and no outer addition.
    histograms(w, |key, message| nh(sign, w, key, message) as u64, xor)
}

/// With xor for the outer addition NH is no longer universal for differences, from w = 3 on: some
/// xor of two hashes comes too often.
#[test]
fn xor_outside_exceeds_the_bound_on_differences() {
    let found = [1, 2, 3, 4, 5].map(|w| {
        let largest = xor_outside(w, Sign::Unsigned).into_iter().flatten().max();
        (largest.expect("a pair"), share(w, 2, w))
    });
    assert_eq!(found, [(2, 2), (4, 4), (12, 8), (20, 16), (52, 32)]);
}

/// With xor for the outer addition and signed words, two products collide too often from w = 4 on.
///
/// If both products of a pair of messages differ in the same way, the hashes collide if the
/// products' differences are the same; no other two ways are worse (Cauchy and Schwarz).
#[test]
fn xor_outside_exceeds_the_signed_bound() {
    let found = [1, 2, 3, 4, 5].map(|w| (two_products(w, Sign::Signed), share(w, 4, w - 1)));
    assert_eq!(found, [(8, 16), (72, 128), (808, 1024), (9320, 8192), (96104, 65536)]);
    // All pairs, without the short cut. (A product that does not differ is worse for w = 2.)
    let sum = |key: &[u64], message: &[u64]| {
        let product = |i: usize| nh(Sign::Signed, 2, &key[i..i + 2], &message[i..i + 2]);
        product(0) ^ product(2)
    };
    assert_eq!(worst_of(2, 4, 4, sum), 96);
}

fn two_products(w: u32, sign: Sign) -> u64 {
    let collisions = |counts: &Vec<u64>| counts.iter().map(|count| count * count).sum();
    xor_outside(w, sign).iter().map(collisions).max().expect("a pair")
}

/// Unsigned words are different: at these sizes messages of any length collide as seldom as the
/// theorem says, even with xor for the outer addition. More products make it only better.
#[test]
fn xor_outside_keeps_the_unsigned_bound_on_collisions() {
    for w in 1..=5 {
        let one_product = xor_outside(w, Sign::Unsigned).iter().map(|counts| counts[0]).max();
        assert_eq!(one_product, Some(share(w, 2, w)));
        assert!(two_products(w, Sign::Unsigned) <= share(w, 4, w));
    }
    for (w, l) in [(1, 4), (2, 4), (1, 6)] {
        let sum = |a: u64, b: u64| (a + b) % (1 << w);
        let worst = worst_of(w, l, l, |key, message| nh_variant(key, message, sum, xor));
        assert_eq!(worst, share(w, l, w), "w = {w}, l = {l}");
    }
}

/// Without the inner moduli the bound stays.
#[test]
fn without_inner_moduli_the_bound_stays() {
    for (w, l) in [(1, 2), (2, 2), (3, 2), (4, 2), (1, 4), (2, 4), (1, 6)] {
        let whole = |a: u64, b: u64| a + b;
        let modulo = |a: u64, b: u64| (a + b) % (1 << (2 * w));
        let worst = worst_of(w, l, l, |key, message| nh_variant(key, message, whole, modulo));
        assert!(worst <= share(w, l, w), "{worst} for w = {w}, l = {l}");
    }
}

// Section 4.4.

/// Theorem 4.5: NHS is 2^(-w+1)-AU on equal-length strings. Theorem 4.8: some pair is at most
/// 2^(1-2w) away from that. At these sizes the lower bound is what is found.
#[test]
fn theorems_4_5_and_4_8_nhs() {
    let found: Vec<(u64, u64)> = [(1, 2), (2, 2), (3, 2), (4, 2), (1, 4), (2, 4), (1, 6)]
        .into_iter()
        .map(|(w, l)| {
            let worst = worst_of(w, l, l, |key, message| nh(Sign::Signed, w, key, message));
            let bound = share(w, l, w - 1);
            assert!(worst <= bound, "{worst} of {bound} for NHS[{l},{w}]");
            // 2^(-w+1) - 2^(1-2w) of the keys.
            assert!(worst >= bound - share(w, l, 2 * w - 1), "{worst} for NHS[{l},{w}]");
            (worst, bound)
        })
        .collect();
    assert_eq!(found, [(2, 4), (6, 8), (14, 16), (30, 32), (8, 16), (96, 128), (32, 64)]);
}

/// The pair of theorem 4.8, at larger sizes, too.
#[test]
fn theorem_4_8_the_pair() {
    for w in 1..=9 {
        let smallest = 1 << (w - 1);
        let hash = |key: &[u64], message: &[u64]| nh(Sign::Signed, w, key, message);
        let keys = all_lists(w, 2);
        let colliding =
            keys.iter().filter(|key| hash(key, &[0, 0]) == hash(key, &[smallest, smallest]));
        assert_eq!(colliding.count(), (2 << w) - 2, "w = {w}");
    }
}

// Section 5.

/// Theorem 5.1: NHT is 2^-wt-AU on equal-length strings. The bound is reached at every size.
#[test]
fn theorem_5_1_nht() {
    let found: Vec<(u64, u64)> =
        [(1, 2, 2), (1, 2, 3), (2, 2, 2), (3, 2, 2), (1, 4, 2), (1, 4, 3), (1, 6, 2)]
            .into_iter()
            .map(|(w, l, t)| {
                let n = l + 2 * (t - 1);
                let worst =
                    worst_of(w, n, l, |key, message| nht(Sign::Unsigned, w, t, key, message));
                let bound = share(w, n, w * t as u32);
                assert!(worst <= bound, "{worst} of {bound} for NHT[{l},{w},{t}]");
                (worst, bound)
            })
            .collect();
    assert_eq!(found, [(4, 4), (8, 8), (16, 16), (64, 64), (16, 16), (32, 32), (64, 64)]);
}

/// Theorem 5.2: NHST is 2^(t(-w+1))-AU on equal-length strings.
#[test]
fn theorem_5_2_nhst() {
    let found: Vec<(u64, u64)> =
        [(1, 2, 2), (1, 2, 3), (2, 2, 2), (3, 2, 2), (1, 4, 2), (1, 4, 3), (1, 6, 2)]
            .into_iter()
            .map(|(w, l, t)| {
                let n = l + 2 * (t - 1);
                let worst = worst_of(w, n, l, |key, message| nht(Sign::Signed, w, t, key, message));
                let bound = share(w, n, (w - 1) * t as u32);
                assert!(worst <= bound, "{worst} of {bound} for NHST[{l},{w},{t}]");
                (worst, bound)
            })
            .collect();
    assert_eq!(found, [(4, 16), (8, 64), (36, 64), (196, 256), (16, 64), (32, 256), (64, 256)]);
}

/// Theorems 5.3 and 5.4: NHT2 is 2^(-2w+2)-AU and NHST2 2^(-2w+4)-AU on equal-length strings. The
/// smallest sizes are the only ones with few enough keys, and there the signed bound says nothing.
#[test]
fn theorems_5_3_and_5_4() {
    let found: Vec<(u64, u64)> = [(1, 2, 2, 2), (1, 2, 2, 4), (2, 2, 1, 2)]
        .into_iter()
        .flat_map(|(w, n, m, l): (u32, usize, usize, usize)| {
            let key_words = n + 2 + 2 * m + 2;
            [(Sign::Unsigned, 2), (Sign::Signed, 4)].map(|(sign, exponent)| {
                let hash = |key: &[u64], message: &[u64]| {
                    nht2(sign, w, n, &key[..n + 2], &key[n + 2..], message)
                };
                let worst = worst_of(w, key_words, l, hash);
                let keys = 1 << (w * key_words as u32);
                let bound = (keys << exponent) >> (2 * w);
                assert!(worst <= bound, "{worst} of {bound} for w = {w}, {sign:?}");
                (worst, bound)
            })
        })
        .collect();
    assert_eq!(
        found,
        [(576, 1024), (576, 4096), (576, 1024), (576, 4096), (11664, 16384), (16384, 65536)]
    );
}

// The families that NH descends from, modulo a small prime.

/// MMH*, NMH* and the square hash are 1/p-universal; the square hash for odd p.
#[test]
fn mmh_nmh_and_sqh_modulo_small_primes() {
    for (p, l) in [(3, 2), (5, 2), (7, 2), (11, 2), (3, 4)] {
        let keys = all_lists_below(p, l);
        let messages = all_lists_below(p, l);
        let modulus = u128::from(p);
        let bound = keys.len() as u64 / p;
        assert_eq!(worst(&keys, &messages, |key, m| mmh_star(modulus, key, m)), bound);
        assert_eq!(worst(&keys, &messages, |key, m| nmh_star(modulus, key, m)), bound);
        assert_eq!(worst(&keys, &messages, |key, m| sqh(modulus, key, m)), bound);
    }
}
