//! The rare cases, with inputs constructed to reach them: random messages reach most of these
//! with probability 2^-32 or less.

use super::{POLYS, Poly, SECRET, nat, value};
use crate::buffer::{Buffer, not_last};
use crate::umac::{MAX_STREAMS, l2_poly, l3_inner};
use wegman_reference::inputs::Random;
use wegman_reference::umac_rfc4418 as oracle;
use wegman_reference::wide::Nat;

// POLY.

/// These tests compare with the oracle's definition, one step at a time. This test ties the two together.
#[test]
fn a_step_is_the_oracles_poly() {
    let mut random = Random(20);
    for poly in &POLYS {
        let limit = oracle::limit(poly.bits);
        for _ in 0..50 {
            let k = random.wide() & poly.key_mask;
            let top = poly.largest_word() - u128::from(random.word() >> 33);
            let words = [poly.random_word(&mut random), top, poly.random_word(&mut random), 0];
            let y = words.iter().fold(1, |y, &m| poly.expected(k, y, m));
            let expected = oracle::poly(poly.bits, &limit, &nat(k), &words.map(nat));
            assert_eq!(y, value(&expected));
        }
    }
}

/// Keys 0 and 1 let words and accumulators through unchanged; the largest key makes the largest
/// product.
fn edge_keys(poly: &Poly) -> [u128; 5] {
    [0, 1, 2, 0x0123_4567_01ab_cdef & poly.key_mask, poly.key_mask]
}

/// Around the limit, around the prime (which fits in a word) and at both ends.
fn edge_words(poly: &Poly) -> [u128; 12] {
    let (limit, p) = (value(&oracle::limit(poly.bits)), poly.prime());
    let end = poly.largest_word();
    [0, 1, p >> 1, limit - 1, limit, limit + 1, p - 1, p, p + 1, p + 2, end - 1, end]
}

/// Around zero, around the offset, around the prime and at the end: accumulators are not reduced.
fn edge_accumulators(poly: &Poly) -> [u128; 12] {
    let (p, offset, end) = (poly.prime(), poly.offset(), poly.largest_word());
    [0, 1, offset - 1, offset, offset + 1, p >> 1, p - offset, p - 2, p - 1, p, p + 1, end]
}

#[test]
fn poly_at_its_edges() {
    for poly in &POLYS {
        for k in edge_keys(poly) {
            for y in edge_accumulators(poly) {
                edge_words(poly).into_iter().for_each(|m| poly.check(k, y, m));
            }
        }
    }
}

/// The first word without a product is a step from accumulator 1.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[test]
fn the_first_word_at_its_edges() {
    let mut random = Random(21);
    let [poly, _] = &POLYS;
    let mut keys = edge_keys(poly).to_vec();
    keys.extend((0..50).map(|_| random.wide() & poly.key_mask));
    let mut carries = 0;
    for k in keys {
        let key = l2_poly::Key::new(l2_poly::Masked(k as u64), l2_poly::Masked(0));
        let random = (0..20).map(|_| poly.random_word(&mut random));
        for m in edge_words(poly).into_iter().chain(random).collect::<Vec<_>>() {
            let sum = l2_poly::first64(&key, m as u64);
            assert_eq!(
                u128::from(l2_poly::reduce64(sum).0),
                poly.expected(k, 1, m),
                "{k:#x}, {m:#x}"
            );
            carries += usize::from(u128::from(sum.0) < k.min(m));
        }
    }
    assert!(carries > 50, "the sums of words above the limit carry");
}

#[test]
fn the_limits_are_those_of_the_specification() {
    let [limit64, limit128] = POLYS.map(|poly| value(&oracle::limit(poly.bits)));
    assert_eq!(limit64, (1 << 64) - (1 << 32));
    assert_eq!(limit128, !0 << 96);
    // Both sides of each limit by hand, with key 1 and accumulator 5.
    let [p64, p128] = POLYS.map(|poly| poly.prime());
    let [poly64, poly128] = POLYS.map(|poly| poly.library);
    assert_eq!(poly64(1, 5, limit64 - 1), 5 + limit64 - 1);
    assert_eq!(poly64(1, 5, limit64), 4 + limit64 - 59);
    assert_eq!(poly64(1, 5, u64::MAX.into()), (4 + (p64 - 1)) % p64);
    assert_eq!(poly128(1, 5, limit128 - 1), 5 + limit128 - 1);
    assert_eq!(poly128(1, 5, limit128), 4 + limit128 - 159);
    assert_eq!(poly128(1, 5, u128::MAX), 3);
    assert_eq!(p128, u128::MAX - 158);
}

/// The inverse of k mod p: k^(p - 2) (Fermat).
fn inverse(k: u128, p: &Nat) -> Nat {
    let exponent = value(p) - 2;
    (0..128).rev().fold(Nat::from_u64(1), |power, bit| {
        let square = power.mul(&power).rem(p);
        if exponent >> bit & 1 == 1 { square.mul(&nat(k)).rem(p) } else { square }
    })
}

/// The last carry of `k y + m`, which a random accumulator reaches with probability 2^-50. The test solves
/// for the y whose value is a little above B, for words below the limit and for words over it. For the latter
/// the key is k^2 and the word is m - offset - k.
#[test]
fn the_last_fold_carries() {
    let mut random = Random(22);
    for poly in &POLYS {
        let (offset, limit, end) =
            (poly.offset(), value(&oracle::limit(poly.bits)), poly.largest_word());
        let (p, b) = (oracle::prime(poly.bits), Nat::power_of_two(poly.bits));
        let mut carried = [0; 2];
        for (over, m) in [(0, limit - 1), (0, limit >> 1), (1, limit), (1, end)] {
            for i in 0..200 {
                let k = random.wide() & poly.key_mask | 0x01ff << (poly.bits - 16);
                let (factor, word) = match over {
                    0 => (nat(k), nat(m)),
                    _ => (nat(k).mul(&nat(k)).rem(&p), nat(m - offset - k)),
                };
                // factor y + word = B + distance mod p
                let target = b.add(&nat(i % (3 * offset))).sub(&word);
                let y = target.mul(&inverse(value(&factor), &p)).rem(&p);
                poly.check(k, value(&y), m);

                let cut = |x: &Nat| {
                    let bytes = x.to_be_bytes(64);
                    let (high, low) = bytes.split_at(64 - poly.bits / 8);
                    (Nat::from_be_bytes(high), Nat::from_be_bytes(low))
                };
                let (high, low) = cut(&factor.mul(&y));
                let (carries, sum) = cut(&high.mul(&nat(offset)).add(&low).add(&word));
                carried[over] += usize::from(sum.add(&carries.mul(&nat(offset))) >= b);
            }
        }
        assert!(carried.iter().all(|&times| times >= 10), "POLY-{}: {carried:?}", poly.bits);
    }
}

// The switch from POLY-64 to POLY-128.

/// Pairs around the limit of POLY-128 and around its prime, whole pairs and the last half pair.
#[test]
fn states_with_edge_words_after_the_switch() {
    const SWITCH: usize = oracle::POLY64_OUTPUTS;
    const LIMIT: u64 = !0 << 32;
    let bytes = oracle::l2_key(&SECRET, 0);
    let key = l2_poly::Key::from_bytes(&bytes);
    let tails: &[&[u64]] = &[
        &[LIMIT - 1, u64::MAX],              // the largest pair below the limit
        &[LIMIT, 0],                         // the limit
        &[u64::MAX, 0u64.wrapping_sub(160)], // p128 - 1
        &[u64::MAX, 0u64.wrapping_sub(159)], // p128
        &[u64::MAX, u64::MAX],
        &[LIMIT - 1], // the end mark fills the pair, below the limit
        &[LIMIT],
        &[u64::MAX],
        &[u64::MAX; 5],
        &[0],
        &[0, 0],
    ];
    // The edge words right before the switch must still go through POLY-64, whatever its hash is then.
    let random = Random(23).word();
    for before in [[random, 0], [0, u64::MAX], [LIMIT, LIMIT - 1]] {
        let mut words = vec![7; SWITCH - 2];
        words.extend(before);
        let mut state = l2_poly::State::new();
        for &word in &words {
            state.absorb_words(&[key; MAX_STREAMS], &[word]);
        }
        let compare = |state: &l2_poly::State, words: &[u64]| {
            let expected = u128::from_be_bytes(oracle::l2_hash(&bytes, words));
            let case = &words[SWITCH - 2..];
            assert_eq!(state.finish(&key, 0).0, expected, "{case:x?}");
        };
        compare(&state, &words);
        for tail in tails {
            let (mut state, mut words) = (state.clone(), words.clone());
            for &word in *tail {
                state.absorb_words(&[key; MAX_STREAMS], &[word]);
                words.push(word);
            }
            compare(&state, &words);
        }
    }
}

// Level 3.

/// mod36 folds once and subtracts once. Keys and digits here bring its input to each edge:
/// multiples of p36 and of 2^36 and their neighbours, first for a key, then for a sum.
#[test]
fn mod36_at_its_edges() {
    const P36: u64 = (1 << 36) - 5;
    let check = |keys: [u64; 8], word: u128| {
        let mut bytes = [0; 64];
        for (bytes, key) in bytes.as_chunks_mut().0.iter_mut().zip(keys) {
            *bytes = key.to_be_bytes();
        }
        for mask in [[0; 4], [0xff; 4]] {
            let hash = l3_inner::Key::from_bytes(&bytes, &mask).l3_hash(word).to_be_bytes();
            let expected = oracle::l3_hash(&bytes, &mask, &word.to_be_bytes());
            assert_eq!(hash, expected, "{keys:x?}, {word:#x}");
        }
    };
    let neighbours = |x: u64| [x.wrapping_sub(1), x, x.wrapping_add(1)];
    let largest = u64::MAX / P36; // the largest multiple of p36 in a word
    let edges = [0, P36, 1 << 36, 2 * P36, 1 << 37, largest * P36, 1 << 63, !0 << 36];
    for key in edges.into_iter().flat_map(neighbours) {
        // The first digit alone and the last digit alone, small and all ones; then all digits at once.
        for digit in [0, 1, 2, 0xffff] {
            check([key; 8], digit);
            check([key; 8], digit << 112);
        }
        check([key; 8], u128::MAX);
    }

    // Sums: the digits are 1, the keys p36 - 1 and small numbers, so that the sum is close to a multiple of p36.
    let one = |digits: u32| (0..digits).fold(0u128, |word, i| word | 1 << (16 * i));
    for large in 1..=7 {
        for small in [0, large - 1, large, large + 1, large + 4, large + 5, large + 6] {
            let mut keys = [P36 - 1; 8];
            keys[7 - large as usize] = small;
            check(keys, one(large as u32 + 1)); // large (p36 - 1) + small
        }
    }
    // The largest possible sum: all digits 0xffff, all keys p36 - 1.
    check([P36 - 1; 8], u128::MAX);
    // Subtracting p36 changes the low 32 bits by 5. Computed by hand, so that no error is shared with the oracle.
    let mut bytes = [0; 64];
    bytes[56..].copy_from_slice(&(P36 - 1).to_be_bytes());
    bytes[48..56].copy_from_slice(&3u64.to_be_bytes());
    let key = l3_inner::Key::from_bytes(&bytes, &[0; 4]);
    assert_eq!(key.l3_hash(1), (P36 - 1) as u32);
    assert_eq!(key.l3_hash(1 << 16 | 1), 2); // p36 - 1 + 3
}

// The buffer of every stream.

/// Every way to cut every message of up to 11 bytes into pieces, with parts of 3 bytes.
#[test]
fn a_buffer_takes_any_pieces() {
    const SIZE: usize = 3;
    let message: Vec<u8> = (1..=11).collect();
    for length in 0..=message.len() {
        let message = &message[..length];
        for cuts in 0..1u32 << length.saturating_sub(1) {
            let mut buffer = Buffer::<SIZE>::new();
            let mut parts = Vec::new();
            let mut start = 0;
            for end in 1..=length {
                if end == length || cuts >> (end - 1) & 1 == 1 {
                    let piece = &message[start..end];
                    buffer.update(piece, |new| parts.extend_from_slice(new.as_flattened()));
                    buffer.update(&[], |_| panic!("an empty piece completes nothing"));
                    start = end;
                    // The message so far is whole parts and 1 to SIZE bytes held back.
                    assert!(parts.len().is_multiple_of(SIZE));
                    assert!((1..=SIZE).contains(&buffer.last().len()));
                    assert_eq!([&parts, buffer.last()].concat(), message[..end]);
                }
            }
            assert_eq!(buffer.last(), not_last::<SIZE>(message).1, "{length} bytes, {cuts:b}");
        }
    }
}
