//! Variants of NH that keep its bound (UMAC paper, CRYPTO 1999, the remarks after theorem 4.2), at sizes where every key
//! and every pair of messages can be tried. `wegman-yardstick` has those that lose it, and the theorems.

/// All lists of so many words of w bits.
fn all_lists(w: u32, length: u32) -> Vec<Vec<u64>> {
    let word = |list: u64, place: u32| list >> (w * place) & ((1 << w) - 1);
    (0..1 << (w * length)).map(|list| (0..length).map(|i| word(list, i)).collect()).collect()
}

/// How many keys of `l` words of w bits the worst pair of messages collides under. The hash is the sum of
/// f(k_{2i-1}, m_{2i-1}) f(k_{2i}, m_{2i}), with one addition inside and another outside; the bound is one key in 2^w.
fn worst(w: u32, l: u32, inner: fn(u64, u64) -> u64, outer: fn(u64, u64) -> u64) -> u64 {
    let lists = all_lists(w, l);
    let mut counts = vec![0; lists.len() * lists.len()];
    for key in &lists {
        let hash = |message: &Vec<u64>| {
            let factor = |i: usize| inner(key[i], message[i]) % (1 << (2 * w));
            (0..key.len()).step_by(2).fold(0, |sum, i| outer(sum, factor(i) * factor(i + 1)))
        };
        let hashes: Vec<u64> = lists.iter().map(|m| hash(m) % (1 << (2 * w))).collect();
        for (a, one) in hashes.iter().enumerate() {
            for (b, other) in hashes.iter().enumerate().skip(a + 1) {
                counts[a * lists.len() + b] += u64::from(one == other);
            }
        }
    }
    counts.into_iter().max().expect("a pair of messages")
}

const SIZES: [(u32, u32); 6] = [(1, 2), (2, 2), (3, 2), (4, 2), (1, 4), (2, 4)];

/// Unsigned words collide as seldom as the theorem says, even with xor for the outer addition.
#[test]
fn xor_outside_keeps_the_unsigned_bound_on_collisions() {
    for (w, l) in SIZES {
        let plus =
            [|a, b| (a + b) % 2, |a, b| (a + b) % 4, |a, b| (a + b) % 8, |a, b| (a + b) % 16];
        assert_eq!(worst(w, l, plus[w as usize - 1], |a, b| a ^ b), 1 << (w * (l - 1)), "{w}, {l}");
    }
}

/// Without the inner moduli the bound stays.
#[test]
fn without_inner_moduli_the_bound_stays() {
    for (w, l) in SIZES {
        assert!(worst(w, l, |a, b| a + b, |a, b| a + b) <= 1 << (w * (l - 1)), "{w}, {l}");
    }
}

/// With xor inside it does not: the tests above can fail.
#[test]
fn xor_inside_exceeds_the_bound() {
    assert_eq!(worst(4, 2, |a, b| a ^ b, |a, b| a + b), 20);
}
