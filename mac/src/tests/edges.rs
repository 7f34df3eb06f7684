//! The rare cases, with inputs constructed to reach them: random messages reach most of these
//! with probability 2^-32 or less.

use super::{POLYS, Poly, SECRET, nat, value};
use crate::buffer::{Buffer, not_last};
use crate::cpu::Cpu;
use crate::nonce::Nonce;
use crate::umac;
use crate::umac::l1_nh::{self, CHUNK};
use crate::umac::packet::{self, Plan};
use crate::umac::{MAX_STREAMS, kdf, l2_poly, l3_inner};
use wegman_reference::inputs::Random;
use wegman_reference::umac_rfc4418 as oracle;
use wegman_reference::wide::Nat;

// POLY.

/// These tests compare with the oracle's definition, one step at a time. This test ties the two together.
#[test]
fn a_step_is_the_oracles_poly() {
    let mut random = Random(20);
    for poly in &POLYS {
        let limit = (poly.limit)();
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
    let (limit, p) = (value(&(poly.limit)()), poly.prime());
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
        let key = l2_poly::Key::new(k as u64, 0);
        let random = (0..20).map(|_| poly.random_word(&mut random));
        for m in edge_words(poly).into_iter().chain(random).collect::<Vec<_>>() {
            let sum = l2_poly::first64(&key, m as u64);
            assert_eq!(
                u128::from(l2_poly::reduce64(sum)),
                poly.expected(k, 1, m),
                "{k:#x}, {m:#x}"
            );
            carries += usize::from(u128::from(sum) < k.min(m));
        }
    }
    assert!(carries > 50, "the sums of words above the limit carry");
}

#[test]
fn the_limits_are_those_of_the_specification() {
    let [limit64, limit128] = POLYS.map(|poly| value(&(poly.limit)()));
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

/// The carries on the way from `k y + m` to the number below p, computed with numbers of any size.
///
/// With B = 2^bits and o = B - p, the library folds the high half of the product (`high o`, which
/// may carry once itself), adds it to the low half, adds m, folds all carries (`carries o`),
/// folds once more if that carried, and subtracts p if the result is not below p.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Path {
    /// `high o` is at least B.
    fold: bool,
    /// Adding it to the low half carries.
    low: bool,
    /// Adding m carries.
    word: bool,
    end: End,
}

use End::{Carry, Plain, Subtract};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The sum of everything is below p.
    Plain,
    /// It is from p to B - 1, and p is subtracted.
    Subtract,
    /// Folding the carries carries once more.
    Carry,
}

impl Path {
    /// The path of one multiplication and addition, and the sum before the last fold.
    fn of(poly: &Poly, k: u128, y: u128, m: u128) -> (Path, u128) {
        let offset = nat(poly.offset());
        let cut = |x: &Nat| {
            let bytes = x.to_be_bytes(64);
            let (high, low) = bytes.split_at(64 - poly.bits / 8);
            (Nat::from_be_bytes(high), Nat::from_be_bytes(low))
        };
        let is_set = |carry: &Nat| {
            assert!(value(carry) < 2, "a carry is one bit");
            value(carry) == 1
        };
        let (high, low) = cut(&nat(k).mul(&nat(y)));
        let (carry0, folded) = cut(&high.mul(&offset));
        let (carry1, sum) = cut(&low.add(&folded));
        let (carry2, sum) = cut(&sum.add(&nat(m)));
        let carries = carry0.add(&carry1).add(&carry2);
        let (carry3, total) = cut(&sum.add(&carries.mul(&offset)));
        let end = match (is_set(&carry3), value(&total) >= poly.prime()) {
            (true, at_least_p) => {
                assert!(!at_least_p, "after the last carry little is left");
                Carry
            }
            (false, true) => Subtract,
            (false, false) => Plain,
        };
        let path = Path { fold: is_set(&carry0), low: is_set(&carry1), word: is_set(&carry2), end };
        (path, value(&sum))
    }

    const fn new(fold: u8, low: u8, word: u8, end: End) -> Path {
        Path { fold: fold == 1, low: low == 1, word: word == 1, end }
    }
}

/// Finds k and y whose product has the given carries before m is added. Random numbers soon have them if
/// the key is near the upper end of its range, which makes both folds large.
fn factors(poly: &Poly, random: &mut Random, fold: bool, low: bool) -> (u128, u128) {
    (0..100_000)
        .map(|_| {
            let k = random.wide() & poly.key_mask | 0x01ff << (poly.bits - 16);
            (k, poly.random_word(random) % poly.prime())
        })
        .find(|&(k, y)| {
            let (path, _) = Path::of(poly, k, y, 0);
            (path.fold, path.low) == (fold, low)
        })
        .expect("one pair in about a thousand has these carries")
}

/// Every carry of `k y + m`, with every end that can follow it; m is chosen to reach each. (The next
/// test has the sums whose last fold carries although m carried.)
#[test]
fn every_carry_of_poly_is_reached() {
    let mut random = Random(21);
    for poly in &POLYS {
        let (offset, limit) = (poly.offset(), value(&(poly.limit)()));
        let mut seen = Vec::new();
        // 59 * high is below 2^63, so only POLY-128 has the first carry.
        let folds: &[bool] = if poly.bits == 64 { &[false] } else { &[false, true] };
        for (&fold, low) in folds.iter().flat_map(|fold| [(fold, false), (fold, true)]) {
            let before = u128::from(fold) + u128::from(low);
            for _ in 0..20 {
                let (k, y) = factors(poly, &mut random, fold, low);
                let (_, sum) = Path::of(poly, k, y, 0);

                // m that brings the sum to `distance` below B without a carry of its own.
                let mut reach = |distance: u128, end: End| {
                    let m = poly.largest_word() - distance + 1 - sum;
                    if m < limit {
                        assert_eq!(Path::of(poly, k, y, m).0, Path { fold, low, word: false, end });
                        poly.check(k, y, m);
                        seen.push(Path { fold, low, word: false, end });
                    }
                };
                // With c carries, the last c o numbers below B carry again, and the o numbers below those
                // are not below p. Both ends of each range, unless it is empty.
                let carry = before * offset;
                for (distance, end) in
                    [(carry + offset + 1, Plain), (carry + offset, Subtract), (carry + 1, Subtract)]
                {
                    reach(distance, end);
                }
                if carry > 0 {
                    reach(carry, Carry);
                    reach(1, Carry);
                }

                // The smallest m that carries, and the largest m below the limit.
                for m in [poly.largest_word() - sum + 1, limit - 1] {
                    if m < limit {
                        let (path, _) = Path::of(poly, k, y, m);
                        poly.check(k, y, m);
                        seen.push(path);
                    }
                }
            }
        }
        let mut wanted = vec![
            Path::new(0, 0, 0, Plain),
            Path::new(0, 0, 0, Subtract),
            Path::new(0, 0, 1, Plain),
            Path::new(0, 1, 0, Plain),
            Path::new(0, 1, 0, Subtract),
            Path::new(0, 1, 0, Carry),
            Path::new(0, 1, 1, Plain),
        ];
        if poly.bits == 128 {
            wanted.extend([
                Path::new(1, 0, 0, Plain),
                Path::new(1, 0, 0, Subtract),
                Path::new(1, 0, 0, Carry),
                Path::new(1, 0, 1, Plain),
                Path::new(1, 1, 0, Plain),
                Path::new(1, 1, 0, Subtract),
                Path::new(1, 1, 0, Carry),
                Path::new(1, 1, 1, Plain),
            ]);
        }
        for path in wanted {
            assert!(seen.contains(&path), "POLY-{} never went {path:?}", poly.bits);
        }
    }
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
        let (offset, limit, end) = (poly.offset(), value(&(poly.limit)()), poly.largest_word());
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
            state.absorb_row(&[key; MAX_STREAMS], &[word]);
        }
        let compare = |state: &l2_poly::State, words: &[u64]| {
            let expected = u128::from_be_bytes(oracle::l2_hash(&bytes, words));
            let case = &words[SWITCH - 2..];
            assert_eq!(state.finish(&key, 0), expected, "{case:x?}");
        };
        compare(&state, &words);
        for tail in tails {
            let (mut state, mut words) = (state.clone(), words.clone());
            for &word in *tail {
                state.absorb_row(&[key; MAX_STREAMS], &[word]);
                words.push(word);
            }
            compare(&state, &words);
        }
    }
}

/// A stream in pieces that end around the switch and around the ends of chunks.
#[test]
fn streams_across_the_switch() {
    const SWITCH: usize = 1 << 24;
    let message = Random(24).message(SWITCH + 4 * CHUNK);
    let nonce = Nonce::counter(24);
    for (name, cpu) in umac::Key::<8>::kernels(Cpu::detect()) {
        let key = umac::Key::<8>::with_cpu(cpu, &SECRET);
        let mut stream = key.stream();
        let mut taken = 0;
        // To places around the switch and around the ends of the first two chunks after it, then to the
        // end of the message.
        for to in [
            SWITCH - 1500,
            SWITCH - 1,
            SWITCH,
            SWITCH + 1,
            SWITCH + CHUNK - 1,
            SWITCH + CHUNK,
            SWITCH + 2 * CHUNK + 1,
            SWITCH + 4 * CHUNK,
        ] {
            stream.update(&message[taken..to]);
            taken = to;
            let expected = oracle::umac(&SECRET, &message[..to], nonce.as_bytes(), 8);
            assert_eq!(
                stream.tag_under(&nonce).to_bytes().as_slice(),
                expected,
                "{name}, {to} bytes"
            );
        }
    }
}

// Level 1 outputs at and above the limit.

/// Changes the first seven words of a chunk so that its level-1 hash in a stream is `target`.
///
/// Three pairs of words give products q (2^32 - 1), 2 h and l; any 64-bit number is such a sum.
fn craft(l1_key: &[u8; CHUNK], chunk: &mut [u8], target: u64) {
    const ONES: u64 = 0xffff_ffff;
    let word = |key_at: usize| u32::from_be_bytes(l1_key.as_chunks().0[key_at]);
    let mut set = |j: usize, left: u64, right: u64| {
        for (at, sum) in [(j, left), (j + 4, right)] {
            let sum = u32::try_from(sum).expect("a sum of words has 32 bits");
            chunk[4 * at..][..4].copy_from_slice(&sum.wrapping_sub(word(at)).to_le_bytes());
        }
        oracle::l1_hash(l1_key, chunk)
    };
    set(0, 0, 0);
    set(1, 0, 0);
    let rest = set(2, 0, 0);

    let wanted = target.wrapping_sub(rest);
    let q = (wanted / ONES).min(ONES);
    let left = wanted - q * ONES;
    set(0, q, ONES);
    set(1, left / 2, 2);
    assert_eq!(set(2, left % 2, 1), target);
}

/// One below the limit of POLY-64, the limit itself, numbers around p64, and both ends of the range.
const L1_TARGETS: [u64; 8] = [
    0xffff_fffe_ffff_ffff,
    0xffff_ffff_0000_0000,
    0xffff_ffff_ffff_ffc4, // p64 - 1
    0xffff_ffff_ffff_ffc5, // p64
    0xffff_ffff_ffff_ffc6,
    0xffff_ffff_ffff_ffff,
    0,
    1,
];

#[test]
fn crafted_level_1_hashes_in_every_stream() {
    let mut random = Random(25);
    let l1_key = l1_nh::Key::derive(&kdf::Kdf::<kdf::Rfc4418>::new(Cpu::detect(), &SECRET), 4);
    for stream in 0..4 {
        let stream_key = oracle::l1_key(&SECRET, stream);
        for target in L1_TARGETS {
            for length in [32, 100, CHUNK] {
                let mut chunk = random.message(length);
                craft(&stream_key, &mut chunk, target);
                for (name, cpu) in packet::kernels(Cpu::detect()) {
                    let mut words = [0; 4];
                    Plan::new(cpu).of(4).words(&l1_key, &chunk, &mut words);
                    assert_eq!(words[stream], target, "{name}, stream {stream}");
                }
            }
        }
    }
}

fn check_crafted_tags<const N: usize>() {
    let mut random = Random(26);
    let nonce = Nonce::counter(26);
    let stream_key = oracle::l1_key(&SECRET, N / 4 - 1);
    for target in L1_TARGETS {
        let mut whole = random.message(CHUNK);
        craft(&stream_key, &mut whole, target);
        let mut short = random.message(200);
        craft(&stream_key, &mut short, target);
        let plain = random.message(CHUNK);
        let messages: [&[&[u8]]; 6] = [
            &[&whole], // one chunk: level 2 is skipped, and so is the limit rule
            &[&short],
            &[&whole, &plain],
            &[&plain, &whole],
            &[&plain, &short],
            &[&whole, &whole, &short],
        ];
        for message in messages {
            let message = message.concat();
            let expected = oracle::umac(&SECRET, &message, nonce.as_bytes(), N);
            for (name, cpu) in umac::Key::<N>::kernels(Cpu::detect()) {
                let tag =
                    umac::Key::<N>::with_cpu(cpu, &SECRET).tag_under(&nonce, &message).to_bytes();
                assert_eq!(tag.as_slice(), expected, "{name}, {target:#x}, {}", message.len());
            }
        }
    }
}

/// The last stream of each tag length is the crafted one.
#[test]
fn tags_over_crafted_chunks() {
    check_crafted_tags::<4>();
    check_crafted_tags::<8>();
    check_crafted_tags::<12>();
    check_crafted_tags::<16>();
}

/// The same right after the switch, where two hashes make one word of POLY-128.
#[test]
fn tags_over_crafted_chunks_after_the_switch() {
    let mut random = Random(27);
    let nonce = Nonce::counter(27);
    let head = random.message(1 << 24);
    let stream_key = oracle::l1_key(&SECRET, 0);
    let mut crafted = |target| {
        let mut chunk = random.message(CHUNK);
        craft(&stream_key, &mut chunk, target);
        chunk
    };
    // The upper half alone decides whether a pair is over the limit.
    let below = [crafted(0xffff_fffe_ffff_ffff), crafted(u64::MAX)].concat();
    let limit = [crafted(0xffff_ffff_0000_0000), crafted(0)].concat();
    let p128 = [crafted(u64::MAX), crafted(u64::MAX - 158)].concat();
    let half = crafted(u64::MAX);
    for (name, cpu) in umac::Key::<4>::kernels(Cpu::detect()) {
        let key = umac::Key::<4>::with_cpu(cpu, &SECRET);
        let mut stream = key.stream();
        stream.update(&head);
        for tail in [&below, &limit, &p128, &half] {
            let mut stream = stream.clone();
            stream.update(tail);
            let message = [head.as_slice(), tail].concat();
            let expected = oracle::umac(&SECRET, &message, nonce.as_bytes(), 4);
            assert_eq!(stream.tag_under(&nonce).to_bytes().as_slice(), expected, "{name}");
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
            let hash = l3_inner::Key::from_bytes(&bytes, &mask).hash(word).to_be_bytes();
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
    assert_eq!(key.hash(1), (P36 - 1) as u32);
    assert_eq!(key.hash(1 << 16 | 1), 2); // p36 - 1 + 3
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
