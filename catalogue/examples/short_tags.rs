//! A forger finds a tag of one byte in 256 tries, and a receiver that counts them closes first:
//! `cargo run --release --example short_tags -p wegman-catalogue`.
//!
//! Short tags are acceptable where a few forgeries in a thousand do no harm, as in speech. The mistake is to allow any
//! number of tries: then a bound of 2^-8 for one attempt is worth nothing.
//! [`session::Receiver`](Receiver) has a [`Budget`], the probability of a forgery that its user accepts in all.

use core::ops::ControlFlow;
use wegman::pmac::hazmat::key_with_tag_bits;
use wegman::session::{Budget, PacketMac, Receiver, Rejected, Sender};
use wegman::{Aes128, Cpu, Tag, pmac};
use wegman_reference::inputs::Random;

const MESSAGE: &[u8] = b"pay Mallory 1000";

type Key = pmac::Key<Aes128, 1>;

/// PMAC with tags of 8 bits: one attempt succeeds with probability 2^-8.
fn key(secret: &[u8; 16]) -> Key {
    key_with_tag_bits(Cpu::detect(), secret, 8).expect("8 bits are one byte")
}

/// How many tags a plain `verify` refuses or accepts until one is right, if all are tried in order.
fn bare(key: &Key) -> Option<usize> {
    let right = key.tag_packet(1, MESSAGE);
    (0..=255).position(|byte| Tag::from([byte]) == right).map(|tries| tries + 1)
}

/// The outcome of the same attack on a receiver.
struct Outcome {
    /// How many packets the receiver checked.
    tries: u64,
    forged: bool,
    overspent: bool,
    /// The outcome of a genuine packet after the attack.
    genuine: Result<(), Rejected>,
}

fn against_a_receiver(key: &Key, budget: Budget) -> Outcome {
    let mut receiver: Receiver<&Key> = Receiver::new(key, 1, budget);
    let end = (0..=255).try_for_each(|byte| match receiver.open(1, MESSAGE, &Tag::from([byte])) {
        Err(Rejected::Forged) => ControlFlow::Continue(()),
        other => ControlFlow::Break(other),
    });
    let forged = matches!(end, ControlFlow::Break(Ok(_)));
    let (sequence, genuine) = Sender::new(key, 2).seal(b"pay Alice 10").expect("the first");
    Outcome {
        tries: receiver.counts().forged + receiver.counts().accepted,
        forged,
        overspent: receiver.is_overspent(),
        genuine: receiver.open(sequence, b"pay Alice 10", &genuine).map(drop),
    }
}

fn main() {
    const KEYS: u32 = 20_000;
    println!("A forger tries all 256 tags of one message on a receiver.\n");
    let mut random = Random(8);
    let all: Vec<Key> = (0..KEYS).map(|_| key(&random.wide().to_be_bytes())).collect();
    let tries = all.iter().map(|key| bare(key).expect("one of 256 is right"));
    let (sum, most) = tries.fold((0, 0), |(sum, most), tries| (sum + tries, most.max(tries)));
    println!("PMAC-AES128, 8 bits, {KEYS} keys");
    println!(
        "  verify alone:    forged under every key, after {:.1} tries on average, {most} at most",
        sum as f64 / f64::from(KEYS)
    );
    type New = fn(u32) -> Budget;
    for (what, new, exponent) in [
        ("close_at", Budget::close_at as New, 3),
        ("close_at", Budget::close_at, 4),
        ("log_only", Budget::log_only, 4),
    ] {
        let outcomes: Vec<Outcome> =
            all.iter().map(|key| against_a_receiver(key, new(exponent))).collect();
        let count =
            |is: fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| is(outcome)).count();
        println!(
            "  {what}({exponent}):     forged under {:6.2} % of the keys, budget {:5.2} %; \
             {:3} tries at most; genuine packets refused under {}, overspent {}",
            100.0 * count(|outcome| outcome.forged) as f64 / f64::from(KEYS),
            100.0 * 0.5f64.powi(exponent as i32),
            outcomes.iter().map(|outcome| outcome.tries).max().expect("there are keys"),
            count(|outcome| outcome.genuine == Err(Rejected::Closed)),
            count(|outcome| outcome.overspent),
        );
    }
    println!();
    println!("A closed receiver refuses the genuine packets, too, until it has another key.");
    println!("One that only logs lets the forgery in, and says so.");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(count: usize) -> impl Iterator<Item = [u8; 16]> {
        let mut random = Random(1);
        (0..count).map(move |_| random.wide().to_be_bytes())
    }

    #[test]
    fn one_byte_falls_to_256_tries() {
        for secret in secrets(200) {
            assert!(bare(&key(&secret)).is_some());
        }
    }

    /// A budget of 2^-4 is enough for 15 attempts of 2^-8 (the prices are rounded up a little). After that, nothing is
    /// checked, neither wrong tags nor the right one.
    #[test]
    fn the_receiver_closes_first() {
        let mut forged = 0;
        for secret in secrets(2000) {
            let key = key(&secret);
            let outcome = against_a_receiver(&key, Budget::close_at(4));
            let right = key.tag_packet(1, MESSAGE).to_bytes()[0];
            assert_eq!(outcome.forged, right < 15);
            assert_eq!(outcome.tries, u64::from(right).min(14) + 1);
            let genuine = if outcome.forged { Ok(()) } else { Err(Rejected::Closed) };
            assert_eq!(outcome.genuine, genuine);
            assert!(!outcome.overspent);
            forged += u32::from(outcome.forged);
        }
        assert!(forged > 0 && forged <= 2000 / 16, "{forged} of 2000"); // 117 are expected
    }

    #[test]
    fn log_only_counts_and_lets_in() {
        for secret in secrets(200) {
            let key = key(&secret);
            let outcome = against_a_receiver(&key, Budget::log_only(4));
            let wrong = key.tag_packet(1, MESSAGE).to_bytes()[0];
            assert!(outcome.forged);
            assert_eq!(outcome.tries, u64::from(wrong) + 1);
            assert_eq!(outcome.overspent, wrong > 15);
            assert_eq!(outcome.genuine, Ok(()));
        }
    }
}
