//! The theorems of docs/carter.md, at sizes where every key can be tried. `carter_nonce_reuse`, an example of
//! `wegman-catalogue`, shows what a repeated nonce gives away.
//!
//! The toy is Carter with words of w bits instead of 64 and fewer pairs: a field of q = 2^2w
//! elements and the same cut of a group into x_j and y_j, the same padding, levels and length. With
//! w = 64, four pairs and sixteen groups it is Carter itself, which the first test checks.

use wegman_reference::carter::{self, BLOCK, Keys, dot, number};
use wegman_reference::wide::Nat;

// The toy.

/// dot(a, b).
type Dot = Box<dyn Fn(u128, u128) -> u128>;

struct Shape {
    /// Bits of a word; an element of the field has two.
    w: u32,
    /// In a group.
    pairs: usize,
    /// In a block.
    groups: usize,
    /// The length of a word, as level 2 counts it.
    unit: u128,
    dot: Dot,
}

/// The product of two polynomials, modulo an irreducible one of degree `bits`.
fn product(bits: u32, modulus: u128, a: u128, b: u128) -> u128 {
    let mut product = (0..bits).filter(|i| (b >> i) & 1 == 1).fold(0, |sum, i| sum ^ (a << i));
    for i in (bits..2 * bits).rev() {
        if (product >> i) & 1 == 1 {
            product ^= modulus << (i - bits);
        }
    }
    product
}

impl Shape {
    /// Fields of 4, 16 and 64 elements, all products in a table.
    fn toy(w: u32, pairs: usize, groups: usize) -> Shape {
        let bits = 2 * w;
        let modulus = [0b111, 0b10011, 0b1000011][w as usize - 1];
        let times = |a, b| product(bits, modulus, a, b);
        let x_power = (0..bits).fold(1, |power, _| times(power, 2));
        let elements = 0..1 << bits;
        let inverse = elements.clone().find(|&a| times(a, x_power) == 1).expect("a field");
        let table: Vec<u128> = elements
            .clone()
            .flat_map(|a| elements.clone().map(move |b| times(times(a, b), inverse)))
            .collect();
        let dot: Dot = Box::new(move |a, b| table[(a << bits | b) as usize]);
        Shape { w, pairs, groups, unit: 1, dot }
    }

    /// Carter, for messages of whole words.
    fn carter() -> Shape {
        Shape { w: 64, pairs: 4, groups: 16, unit: 8, dot: Box::new(dot) }
    }

    /// How many elements the field has.
    fn q(&self) -> usize {
        1 << (2 * self.w)
    }

    /// The words of a block.
    fn block(&self) -> usize {
        4 * self.pairs * self.groups
    }

    /// n, for a message of so many words.
    fn blocks(&self, length: usize) -> usize {
        length.div_ceil(self.block()).max(1)
    }

    fn keys(&self) -> Vec<Vec<u64>> {
        all_lists(self.w, self.block())
    }

    /// The word at i of x_j and the one at the same place of y_j, as an element of the field.
    fn element(&self, string: &[u64], i: usize) -> u128 {
        let word = |i: usize| u128::from(string.get(i).copied().unwrap_or(0));
        word(i) | word(i + 2 * self.pairs) << self.w
    }

    /// Where the x_j begin that hold at least one of so many words.
    fn pairs_of(&self, length: usize) -> impl Iterator<Item = usize> {
        let group = 4 * self.pairs;
        (0..length).filter(move |x| x % 2 == 0 && x % group < group / 2)
    }

    /// L1.
    fn level_1(&self, k: &[u64], block: &[u64]) -> u128 {
        let mut sum = 0;
        for x in self.pairs_of(block.len()) {
            let a = self.element(block, x) ^ self.element(k, x);
            let b = self.element(block, x + 1) ^ self.element(k, x + 1);
            sum ^= (self.dot)(a, b);
        }
        sum
    }

    /// Level 2 of what level 1, or something else, makes of each block.
    fn level_2(&self, r: u128, message: &[u64], level_1: impl Fn(&[u64]) -> u128) -> u128 {
        if message.is_empty() {
            return level_1(message);
        }
        message.chunks(self.block()).fold(0, |y, block| (self.dot)(y, r) ^ level_1(block))
    }

    /// Y_n.
    fn y(&self, k: &[u64], r: u128, message: &[u64]) -> u128 {
        self.level_2(r, message, |block| self.level_1(k, block))
    }

    fn length_term(&self, length: usize, k_l: u128) -> u128 {
        (self.dot)(length as u128 * self.unit, k_l)
    }
}

#[test]
fn with_words_of_64_bits_the_toy_is_carter() {
    let shape = Shape::carter();
    let keys = Keys::new(&[1; 16], 16);
    let words =
        |bytes: &[u8]| -> Vec<u64> { bytes.chunks(8).map(|word| number(word) as u64).collect() };
    for length in [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 255, 256, 257, 300, 511, 512, 513, 700] {
        let message: Vec<u8> = (0..8 * length).map(|i| (i * i / 3) as u8).collect();
        let y = shape.y(&words(&keys.k), keys.r, &words(&message));
        let hash = y ^ shape.length_term(length, keys.k_l);
        assert_eq!(hash, carter::hash_with(&keys, &message), "{length} words");
    }
}

/// All lists of so many words of w bits.
fn all_lists(w: u32, length: usize) -> Vec<Vec<u64>> {
    let mut lists = vec![Vec::new()];
    for _ in 0..length {
        lists = lists
            .iter()
            .flat_map(|list| (0..1 << w).map(|word| [list.as_slice(), &[word]].concat()))
            .collect();
    }
    lists
}

/// How often each xor of two lists of values comes.
fn histogram(q: usize, a: &[u8], b: &[u8]) -> Vec<u64> {
    let mut counts = vec![0; q];
    for (a, b) in a.iter().zip(b) {
        counts[usize::from(a ^ b)] += 1;
    }
    counts
}

/// A message with its Y_n under all keys (k, r).
struct Hashed {
    message: Vec<u64>,
    y: Vec<u8>,
}

/// All messages of a list, by some function of (k, r, message).
fn hashed(
    shape: &Shape,
    messages: Vec<Vec<u64>>,
    y: impl Fn(&[u64], u128, &[u64]) -> u128,
) -> Vec<Hashed> {
    let keys = shape.keys();
    let under_all_keys = |message: &[u64]| {
        let mut values = Vec::with_capacity(keys.len() * shape.q());
        for k in &keys {
            values.extend((0..shape.q()).map(|r| y(k, r as u128, message) as u8));
        }
        values
    };
    messages.into_iter().map(|message| Hashed { y: under_all_keys(&message), message }).collect()
}

/// How many keys (k, r, kL) give each difference of two hashes H.
fn differences(shape: &Shape, a: &Hashed, b: &Hashed) -> Vec<u64> {
    let of_y = histogram(shape.q(), &a.y, &b.y);
    let mut counts = vec![0; shape.q()];
    for k_l in 0..shape.q() as u128 {
        let term = (shape.dot)(a.message.len() as u128 ^ b.message.len() as u128, k_l);
        for (difference, keys) in of_y.iter().enumerate() {
            counts[difference ^ term as usize] += keys;
        }
    }
    counts
}

/// The most keys that give one difference, of all pairs of a list.
fn worst(shape: &Shape, messages: &[Hashed]) -> u64 {
    let mut worst = 0;
    for (number, a) in messages.iter().enumerate() {
        for b in &messages[number + 1..] {
            worst = worst.max(*differences(shape, a, b).iter().max().expect("a difference"));
        }
    }
    worst
}

/// The keys (k, r, kL) of a shape.
fn all_keys(shape: &Shape) -> u64 {
    (shape.keys().len() * shape.q() * shape.q()) as u64
}

// Theorem 2: H.

/// What the bound n / q is in keys, and what the proof gives: one in q for k, and one in q for
/// each of the n - 1 roots if k does not do it.
fn bounds(shape: &Shape, n: usize) -> (u64, u64) {
    let (q, n) = (shape.q() as u64, n as u64);
    (all_keys(shape) / q * n, all_keys(shape) / (q * q) * (n * q - (n - 1)))
}

/// All pairs of messages of one length, of up to three blocks. The proof's number is reached.
#[test]
fn theorem_2_all_pairs_of_one_length() {
    let shape = Shape::toy(1, 1, 1);
    for length in 1..=3 * shape.block() {
        let messages = hashed(&shape, all_lists(1, length), |k, r, m| shape.y(k, r, m));
        let (bound, reached) = bounds(&shape, shape.blocks(length));
        assert!(reached <= bound);
        assert_eq!(worst(&shape, &messages), reached, "{length} words");
    }
}

/// The number of keys (k, r) for each difference of two messages of one length, as "the exact
/// probability" has it.
fn exact(shape: &Shape, m: &[u64], m2: &[u64]) -> Vec<u64> {
    let length = m.len();
    let xor: Vec<u64> = m.iter().zip(m2).map(|(a, b)| a ^ b).collect();
    let no_key = vec![0; shape.block()];
    let keys = shape.keys().len() as u64;
    let mut counts = vec![0; shape.q()];
    for r in 0..shape.q() as u128 {
        let vanishes = shape.pairs_of(length.min(shape.block())).all(|x| {
            let a = shape.level_2(r, &xor, |block| shape.element(block, x));
            let b = shape.level_2(r, &xor, |block| shape.element(block, x + 1));
            (a, b) == (0, 0)
        });
        if vanishes {
            let constant = shape.y(&no_key, r, m) ^ shape.y(&no_key, r, m2);
            counts[constant as usize] += keys;
        } else {
            counts.iter_mut().for_each(|count| *count += keys / shape.q() as u64);
        }
    }
    counts
}

#[test]
fn the_exact_probability() {
    let shape = Shape::toy(1, 1, 1);
    for length in 1..=2 * shape.block() {
        let messages = hashed(&shape, all_lists(1, length), |k, r, m| shape.y(k, r, m));
        for (number, a) in messages.iter().enumerate() {
            for b in &messages[number + 1..] {
                let counted = histogram(shape.q(), &a.y, &b.y);
                assert_eq!(counted, exact(&shape, &a.message, &b.message));
            }
        }
    }
    // Four blocks of a field of 16: s^3 + 1 has three roots there, and so the bound is reached.
    let shape = Shape::toy(2, 1, 1);
    let mut other = vec![0; 16];
    (other[0], other[12]) = (1, 1);
    let counts = exact(&shape, &[0; 16], &other);
    assert_eq!(counts[0] * 16, bounds(&shape, 4).1);
}

// What must not be left out.

/// Y_n, or something else, of (k, r, message).
type Variant<'a> = &'a dyn Fn(&[u64], u128, &[u64]) -> u128;

/// Each variant exceeds the bound of Theorem 2, so the tests above can fail.
#[test]
fn broken_variants_exceed_the_bound() {
    let shape = Shape::toy(2, 1, 1);
    let no_key = vec![0; shape.block()];
    let messages = || vec![vec![], vec![0], vec![0, 0], vec![1, 0], vec![0, 0, 1]];
    let (bound, _) = bounds(&shape, 1);
    let of_carter = hashed(&shape, messages(), |k, r, m| shape.y(k, r, m));
    assert_eq!(worst(&shape, &of_carter), bound);
    // The largest number of keys of the (k, r) there are; these variants have no kL.
    let without_k_l = |y: Variant, messages: Vec<Vec<u64>>| {
        let messages = hashed(&shape, messages, y);
        let pairs = messages.iter().enumerate().flat_map(|(number, a)| {
            messages[number + 1..].iter().map(move |b| histogram(16, &a.y, &b.y))
        });
        pairs.flatten().max().expect("a pair") * 16
    };

    // No length term: 0 and 00 always collide.
    let no_length = without_k_l(&|k, r, m| shape.y(k, r, m), messages());
    assert_eq!(no_length, all_keys(&shape));
    // The length, but no key for it: 0 and 00 always have the same difference.
    let no_k_l = without_k_l(&|k, r, m| shape.y(k, r, m) ^ m.len() as u128, messages());
    assert_eq!(no_k_l, all_keys(&shape));
    // The length as one more coefficient of the polynomial: another root, even for one block.
    let in_polynomial = without_k_l(
        &|k, r, m| (shape.dot)(shape.y(k, r, m) ^ m.len() as u128, r),
        vec![vec![0; 4], vec![0, 1, 0, 0], vec![1, 0, 0, 0]],
    );
    assert_eq!(in_polynomial, bounds(&shape, 2).1);
    // No key added to the words of level 1, but multiplied by one word of it.
    let not_added = hashed(&shape, messages(), |k, r, m| {
        (shape.dot)(shape.y(&no_key, r, m), shape.element(k, 0))
    });
    assert_eq!(worst(&shape, &not_added), all_keys(&shape));
    // The number of pairs by where words end that are not zero: 0 and 00, again, and 1 and 10.
    let by_content = without_k_l(
        &|k, r, m| {
            let end = m.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
            shape.y(k, r, &m[..end])
        },
        messages(),
    );
    assert_eq!(by_content, all_keys(&shape));
    // One key for all words of a block: words change places.
    let one_key =
        without_k_l(&|k, r, m| shape.y(&[k[0]; 4], r, m), vec![vec![0, 1, 0, 0], vec![1, 0, 0, 0]]);
    assert_eq!(one_key, all_keys(&shape));
}

// Theorem 4: derived keys.

/// Of s blocks of the cipher, all different, each outcome is at most 1 + 2^-114 times as likely as
/// of s random ones.
#[test]
fn the_factor_of_theorem_4() {
    let two_to = Nat::power_of_two;
    for (secret_bytes, s) in [(16, 131), (32, 132)] {
        assert_eq!(s, (secret_bytes + BLOCK + 32) / 16);
        let different = (0..s as u64)
            .fold(Nat::from_u64(1), |product, i| product.mul(&two_to(128).sub(&Nat::from_u64(i))));
        for exponent in [110, 114] {
            let factor = two_to(exponent).add(&Nat::from_u64(1));
            assert!(two_to(128 * s + exponent) <= different.mul(&factor));
        }
        let less = two_to(115).add(&Nat::from_u64(1));
        assert!(two_to(128 * s + 115) > different.mul(&less));
    }
}
