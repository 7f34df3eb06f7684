//! PRF(HASH) without a nonce fails at the birthday bound (UMAC, CRYPTO '99, full version, section 8.3):
//! `cargo run --release --example hash_without_nonce -p wegman-catalogue`.
//!
//! The hash is NH of two words of w bits. The function applied to it is PMAC with AES and whole tags: tag =
//! PMAC(NH(message)), compared with tag = PMAC(NH(message), nonce). The forger asks for tags of messages (i, -i). Their
//! hash is (a + i)(b - i) with secret a and b and sums modulo 2^w. So (i, -i) and (j, -j) collide if i + j = b - a:
//! then they have the same two factors, exchanged. (Only then: the proof for NH leaves one such sum.)
//!
//! For each pair this has probability epsilon = 2^-w. After epsilon^(-1/2) messages, two equal tags are likely. They
//! reveal i + j, which gives every message its partner. The forger asks for the tag of a third message (m, -m) and has
//! the tag of (i + j - m, m - i - j), which nobody ever tagged.
//!
//! With the nonce, no tag repeats. All that is left is guessing the sum: probability epsilon, after any number of
//! messages.

use std::collections::{HashMap, HashSet};
use wegman::{Aes128, Tag, pmac};
use wegman_reference::inputs::Random;
use wegman_yardstick::universal::{Nh, Sign};

struct Mac {
    w: u32,
    key: [u64; 2],
    prf: pmac::Key<Aes128, 16>,
}

impl Mac {
    fn new(w: u32, random: &mut Random) -> Mac {
        let key = [random.below(1 << w), random.below(1 << w)];
        Mac { w, key, prf: pmac::Key::new(&random.wide().to_be_bytes()) }
    }

    /// The tag of the message (i, -i), with a nonce or without.
    fn tag(&self, i: u64, nonce: Option<u64>) -> Tag<16> {
        let nh = Nh::new(Sign::Unsigned, self.w, &self.key).expect("two words of w bits");
        let hash = nh.hash(&[i, modulo(self.w, i.wrapping_neg())]).expect("two words of w bits");
        let mut input = [0; 24];
        input[..16].copy_from_slice(&hash.to_be_bytes());
        match nonce {
            None => self.prf.tag(&input[..16]),
            Some(nonce) => {
                input[16..].copy_from_slice(&nonce.to_be_bytes());
                self.prf.tag(&input)
            }
        }
    }
}

fn modulo(w: u32, i: u64) -> u64 {
    i & ((1 << w) - 1)
}

/// Asks for at most `most` tags. If one repeats, it forges. Returns whether the forgery was accepted.
fn without_nonce(w: u32, most: usize, random: &mut Random) -> Option<bool> {
    let mac = Mac::new(w, random);
    let (mut asked, mut seen) = (HashSet::new(), HashMap::new());
    while asked.len() < most {
        let i = random.below(1 << w);
        if !asked.insert(i) {
            continue;
        }
        let Some(j) = seen.insert(mac.tag(i, None).to_bytes(), i) else { continue };
        let partner = |m: u64| modulo(w, i.wrapping_add(j).wrapping_sub(m));
        let is_new =
            |m: &u64| !asked.contains(m) && !asked.contains(&partner(*m)) && partner(*m) != *m;
        let third = (0..1 << w).find(is_new).expect("most messages were not asked for");
        let tag = mac.tag(third, None); // asked for
        return Some(mac.tag(partner(third), None) == tag); // never asked for
    }
    None
}

/// The same with a nonce, which is the number of the message. Returns whether any tag repeated, and whether a forgery
/// with a guessed sum was accepted.
fn with_nonce(w: u32, most: usize, random: &mut Random) -> (bool, bool) {
    let mac = Mac::new(w, random);
    let (mut asked, mut seen) = (HashSet::new(), HashSet::new());
    let mut last = None;
    while asked.len() < most {
        let i = random.below(1 << w);
        if asked.insert(i) {
            let nonce = asked.len() as u64;
            let tag = mac.tag(i, Some(nonce));
            seen.insert(tag.to_bytes());
            last = Some((i, nonce, tag));
        }
    }
    let (i, nonce, tag) = last.expect("at least one message");
    let guess = modulo(w, i + 1 + random.below((1 << w) - 1)); // another message
    (seen.len() < asked.len(), mac.tag(guess, Some(nonce)) == tag)
}

/// How many attacks had each outcome. Each has its own key.
struct Counts {
    keys: u32,
    collided: u32,
    forged: u32,
    repeated: u32,
    guessed: u32,
}

fn count(w: u32, messages: usize, keys: u32) -> Counts {
    let mut random = Random(u64::from(w) << 32 | messages as u64);
    let mut counts = Counts { keys, collided: 0, forged: 0, repeated: 0, guessed: 0 };
    for _ in 0..keys {
        let forgery = without_nonce(w, messages, &mut random);
        let (repeated, guessed) = with_nonce(w, messages, &mut random);
        counts.collided += u32::from(forgery.is_some());
        counts.forged += u32::from(forgery == Some(true));
        counts.repeated += u32::from(repeated);
        counts.guessed += u32::from(guessed);
    }
    counts
}

fn main() {
    println!("tag = PRF(NH(message)), two words of w bits, epsilon = 2^-w, tags of 128 bits.");
    println!("Share of keys under which a forgery was accepted:\n");
    println!("                      without a nonce                          with a nonce");
    println!(
        "   w  messages   keys  two tags equal  forged  q^2 epsilon  two tags equal   forged  epsilon"
    );
    for (w, keys) in [(8, 100_000), (16, 2_000), (32, 50)] {
        for messages in [1 << (w / 2 - 1), 1 << (w / 2), 1 << (w / 2 + 1)] {
            let counts = count(w, messages, keys);
            let share = |count: u32| f64::from(count) / f64::from(counts.keys);
            let epsilon = 0.5f64.powi(w as i32);
            println!(
                "{w:4}  {messages:8}  {keys:5}  {:14.4}  {:6.4}  {:11.2}  {:14.4}  {:7.5}  {epsilon:.1e}",
                share(counts.collided),
                share(counts.forged),
                (messages as f64).powi(2) * epsilon,
                share(counts.repeated),
                share(counts.guessed),
            );
        }
    }
    println!("\nEvery pair of equal tags gave a forgery. With the nonce there was no such pair.");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After epsilon^(-1/2) messages, about 1 - e^(-1/2) or 39 % of the keys are broken; after twice as many, 86 %. The
    /// share is never above the bound.
    #[test]
    fn it_falls_at_the_birthday_bound() {
        for (messages, expected) in [(128, 0.1175), (256, 0.3935), (512, 0.8647)] {
            let counts = count(16, messages, 400);
            let share = f64::from(counts.forged) / 400.0;
            assert!((share - expected).abs() < 0.1, "{messages} messages: {share}");
            assert!(share <= (messages as f64).powi(2) / 65536.0, "{messages} messages: {share}");
        }
    }

    #[test]
    fn equal_tags_always_give_a_forgery() {
        for (w, messages) in [(8, 32), (16, 512)] {
            let counts = count(w, messages, 200);
            assert!(counts.collided > 100, "w = {w}");
            assert_eq!(counts.forged, counts.collided, "w = {w}");
        }
    }

    /// With the nonce, the share is epsilon, whether one message was tagged or 32: the expected number is 39 of 10,000,
    /// with a standard deviation of 6.2.
    #[test]
    fn with_a_nonce_messages_tell_nothing() {
        for messages in [1, 32] {
            let mut random = Random(messages as u64);
            let mut guessed = 0;
            for _ in 0..10_000 {
                let (repeated, right) = with_nonce(8, messages, &mut random);
                assert!(!repeated);
                guessed += u32::from(right);
            }
            assert!((10..=70).contains(&guessed), "{messages} messages: {guessed}");
        }
    }

    /// The bound without a nonce holds for one message. Only the number of messages breaks it.
    #[test]
    fn two_messages_are_not_enough() {
        assert_eq!(count(32, 2, 1000).collided, 0);
    }
}
