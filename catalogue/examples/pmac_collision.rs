//! Collisions in PMAC (EUROCRYPT 2002, Theorem 1), with blocks so small that they occur:
//! `cargo run --release --example pmac_collision -p wegman-catalogue`.
//!
//! The bound of PMAC is sigma-bar^2 / 2^(n-1) for messages of sigma-bar - 1 blocks of n bits in all. With n = 128
//! nobody comes near it. Here PMAC of Figure 1 uses a random permutation of 8, 12 or 16 bits, and three things are
//! counted over many of them:
//!
//! - **Inside**: the number of blocks until two inputs of the permutation are equal, in one message of random blocks:
//!   about 1.25 * 2^(n/2).
//! - **Forgery**: ask for the tags of messages (A, B) of two random blocks. If two tags are equal, so are those of
//!   (A, B + D) and (A', B' + D) for every D (+ is xor): ask for the first, and the second is forged.
//! - **Distinguishing**: the tags of one-block messages are all different, but those of a random function are not.
//!
//! Both advantages stay below the bound, the second by a factor of 4. So the proof is tight up to such a factor.
//! Messages here have whole blocks.

use std::collections::{HashMap, HashSet};
use wegman_reference::inputs::Random;

/// PMAC of Figure 1 over any permutation, for messages of whole blocks of n bits, at least one. Tags have n bits.
struct Pmac<E> {
    n: u32,
    e: E,
    l: u128,
}

impl<E: Fn(u128) -> u128> Pmac<E> {
    fn new(n: u32, e: E) -> Self {
        Pmac { n, l: e(0), e }
    }

    fn tag(&self, message: &[u128]) -> u128 {
        (self.e)(*self.inputs(message).last().expect("one block at least"))
    }

    /// X[1] to X[m]: the inputs of the permutation.
    fn inputs(&self, message: &[u128]) -> Vec<u128> {
        let (last, blocks) = message.split_last().expect("one block at least");
        let (mut offset, mut sum) = (0, *last);
        let mut inputs = Vec::with_capacity(message.len());
        for (i, block) in (1u32..).zip(blocks) {
            let by = (0..i.trailing_zeros()).fold(self.l, |l, _| self.times_x(l));
            offset ^= by; // gamma_i * L
            inputs.push(block ^ offset);
            sum ^= (self.e)(block ^ offset);
        }
        inputs.push(sum ^ self.by_x(self.l));
        inputs
    }

    /// The first irreducible polynomial with the fewest terms, as in section 2, without x^n.
    fn polynomial(&self) -> u128 {
        match self.n {
            8 => 0x1b,
            12 => 0x09,
            16 => 0x2b,
            64 => 0x1b,
            128 => 0x87,
            n => panic!("no polynomial for {n} bits"),
        }
    }

    fn times_x(&self, a: u128) -> u128 {
        let all = u128::MAX >> (128 - self.n);
        (a << 1 & all) ^ if a >> (self.n - 1) & 1 == 1 { self.polynomial() } else { 0 }
    }

    /// Divides by x.
    fn by_x(&self, a: u128) -> u128 {
        let quotient = (self.polynomial() >> 1) | 1 << (self.n - 1);
        (a >> 1) ^ if a & 1 == 1 { quotient } else { 0 }
    }
}

/// A random permutation of n bits, at most 16.
fn permutation(n: u32, random: &mut Random) -> impl Fn(u128) -> u128 + use<> {
    let mut table: Vec<u16> = (0..=u16::MAX >> (16 - n)).collect();
    for i in (1..table.len()).rev() {
        table.swap(i, random.below(i as u64 + 1) as usize);
    }
    move |x| table[x as usize].into()
}

/// The number of the first block of one random message whose input to the permutation occurred before, or is 0, the
/// input that gives L.
fn first_collision(n: u32, random: &mut Random) -> usize {
    let pmac = Pmac::new(n, permutation(n, random));
    let message: Vec<u128> = (0..1 << n).map(|_| random.below(1 << n).into()).collect();
    let mut seen = HashSet::from([0]);
    1 + pmac.inputs(&message).into_iter().take_while(|input| seen.insert(*input)).count()
}

/// Whether the tags of `messages` different two-block messages led to a forgery. The sigma of the bound is two for each
/// of them, for the message that is then asked for, and for the forged one.
fn forges(n: u32, messages: u64, random: &mut Random) -> bool {
    let pmac = Pmac::new(n, permutation(n, random));
    let block = |random: &mut Random| u128::from(random.below(1 << n));
    let (mut asked, mut seen) = (HashSet::new(), HashMap::new());
    while (asked.len() as u64) < messages {
        let message = [block(random), block(random)];
        if !asked.insert(message) {
            continue;
        }
        let [a, b] = message;
        let Some([other_a, other_b]) = seen.insert(pmac.tag(&message), message) else { continue };
        let forgery = |d| [other_a, other_b ^ d];
        let Some(d) = (1..1 << n).find(|d| !asked.contains(&forgery(*d))) else { continue };
        let tag = pmac.tag(&[a, b ^ d]); // asked for, or known already
        return pmac.tag(&forgery(d)) == tag;
    }
    false
}

/// Whether the tags of `messages` different one-block messages are all different: for PMAC, and for a random function.
fn all_different(n: u32, messages: u64, random: &mut Random) -> [bool; 2] {
    let pmac = Pmac::new(n, permutation(n, random));
    let (mut tags, mut values) = (HashSet::new(), HashSet::new());
    let pmac_is = (0..messages.into()).all(|message| tags.insert(pmac.tag(&[message])));
    let function_is = (0..messages).all(|_| values.insert(random.below(1 << n)));
    [pmac_is, function_is]
}

/// sigma-bar^2 / 2^(n-1).
fn bound(n: u32, sigma: u64) -> f64 {
    ((sigma + 1) as f64).powi(2) / 2f64.powi(n as i32 - 1)
}

/// The share of `keys` keys for which the outcome is true.
fn share(keys: u32, mut of: impl FnMut() -> bool) -> f64 {
    f64::from((0..keys).map(|_| u32::from(of())).sum::<u32>()) / f64::from(keys)
}

/// The advantage of distinguishing PMAC from a random function by equal tags of one-block messages.
fn advantage(n: u32, messages: u64, keys: u32, random: &mut Random) -> f64 {
    let mut counts = [0u32; 2];
    for _ in 0..keys {
        for (count, is) in counts.iter_mut().zip(all_different(n, messages, random)) {
            *count += u32::from(is);
        }
    }
    (f64::from(counts[0]) - f64::from(counts[1])) / f64::from(keys)
}

fn main() {
    let mut random = Random(2002);
    println!("PMAC over random permutations of n bits; every key is another one.\n");
    println!("Blocks of one message until two inputs of the permutation meet:");
    for (n, keys) in [(8, 4000), (12, 1000), (16, 200)] {
        let sum: usize = (0..keys).map(|_| first_collision(n, &mut random)).sum();
        let mean = sum as f64 / f64::from(keys);
        println!(
            "  n = {n:2}: {mean:6.1} on average, {:.2} * 2^(n/2)",
            mean / 2f64.powi(n as i32 / 2)
        );
    }

    println!("\nForgery from the first two equal tags of messages of two blocks:");
    println!("   n  messages  sigma   keys   forged    bound");
    for (n, keys) in [(8, 10_000), (12, 4000), (16, 1000)] {
        for messages in [1u64 << (n / 2 - 3), 1 << (n / 2 - 2), 1 << (n / 2 - 1), 1 << (n / 2)] {
            let sigma = 2 * messages + 4;
            let measured = share(keys, || forges(n, messages, &mut random));
            let bound = bound(n, sigma) + 0.5f64.powi(n as i32);
            println!("{n:4}  {messages:8}  {sigma:5}  {keys:5}  {measured:7.4}  {bound:7.3}");
        }
    }

    println!("\nTelling PMAC from a random function by equal tags of one-block messages:");
    println!("   n  messages  sigma   keys  advantage   bound");
    for (n, keys) in [(8, 10_000), (12, 4000), (16, 1000)] {
        for messages in [1 << (n / 2 - 2), 1 << (n / 2 - 1), 1 << (n / 2)] {
            let measured = advantage(n, messages, keys, &mut random);
            let bound = bound(n, messages);
            println!("{n:4}  {messages:8}  {messages:5}  {keys:5}  {measured:9.4}  {bound:6.3}");
        }
    }
    println!(
        "\nA bound of 1 and more says nothing. With n = 128 it is 2^-31 after 2^48 blocks, 4 PiB."
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use wegman::cipher::BlockCipher;
    use wegman::{Aes128, pmac};

    /// The small PMAC with 128 bits is PMAC.
    #[test]
    fn with_aes_it_is_the_librarys() {
        let secret = b"sixteen byte key";
        let key = pmac::Key::<Aes128, 16>::new(secret);
        let aes = Aes128::new(secret);
        let toy = Pmac::new(128, |x| {
            let mut block = x.to_be_bytes();
            aes.encrypt(&mut block);
            u128::from_be_bytes(block)
        });
        let mut random = Random(1);
        for blocks in 1..70 {
            let message: Vec<u128> = (0..blocks).map(|_| random.wide()).collect();
            let bytes: Vec<u8> = message.iter().flat_map(|block| block.to_be_bytes()).collect();
            assert_eq!(toy.tag(&message).to_be_bytes(), key.tag(&bytes).to_bytes(), "{blocks}");
        }
    }

    #[test]
    fn the_first_collision_comes_after_about_2_to_the_n_half_blocks() {
        let mut random = Random(2);
        for (n, keys) in [(8, 400), (12, 200)] {
            let sum: usize = (0..keys).map(|_| first_collision(n, &mut random)).sum();
            let mean = sum as f64 / f64::from(keys) / 2f64.powi(n as i32 / 2);
            assert!((1.0..1.5).contains(&mean), "n = {n}: {mean} * 2^(n/2)");
        }
    }

    /// Whenever two tags are equal, the forgery is accepted: for 39 % of the keys after 2^(n/2) messages. The share is
    /// never above the bound.
    #[test]
    fn the_forgery_is_below_the_bound() {
        let mut random = Random(3);
        let n = 12;
        for (messages, expected) in [(8, 0.007), (16, 0.029), (32, 0.117), (64, 0.394)] {
            let measured = share(1000, || forges(n, messages, &mut random));
            assert!((measured - expected).abs() < 0.07, "{messages} messages: {measured}");
            assert!(measured <= bound(n, 2 * messages + 4), "{messages} messages: {measured}");
        }
    }

    #[test]
    fn the_advantage_is_below_the_bound() {
        let mut random = Random(4);
        for (messages, expected) in [(16, 0.029), (32, 0.114), (64, 0.386)] {
            let measured = advantage(12, messages, 1000, &mut random);
            assert!((measured - expected).abs() < 0.07, "{messages} messages: {measured}");
            assert!(measured <= bound(12, messages), "{messages} messages: {measured}");
        }
    }
}
