//! Receivers against a model that remembers every packet: loss, reordering, duplicates, far jumps, floods of
//! forgeries, and numbers at both ends; one by one and in batches.

use super::{Key, Random, key};
use std::collections::BTreeSet;
use wegman::Tag;
use wegman::bound::Units;
use wegman::session::{
    Authentic, Budget, Counts, END, PacketMac, Receiver, Rejected, Sender, Window,
};

/// The behavior of a receiver, in the simplest form.
struct Model {
    size: u64,
    first: u64,
    accepted: BTreeSet<u64>,
    /// How many attempts are left.
    attempts: u64,
    counts: Counts,
}

impl Model {
    fn open(&mut self, sequence: u64, is_right: bool) -> Result<(), Rejected> {
        let counts = &mut self.counts;
        let behind = |top: &u64| u128::from(sequence) + u128::from(self.size) <= u128::from(*top);
        let (outcome, count) = if sequence >= END {
            (Err(Rejected::Outside), &mut counts.outside)
        } else if sequence < self.first || self.accepted.last().is_some_and(behind) {
            (Err(Rejected::TooOld), &mut counts.too_old)
        } else if self.accepted.contains(&sequence) {
            (Err(Rejected::Replayed), &mut counts.replayed)
        } else if self.attempts == 0 {
            (Err(Rejected::Closed), &mut counts.closed)
        } else if is_right {
            self.accepted.insert(sequence);
            (Ok(()), &mut counts.accepted)
        } else {
            self.attempts -= 1;
            (Err(Rejected::Forged), &mut counts.forged)
        };
        *count += 1;
        outcome
    }
}

fn bytes(message: Authentic<'_>) -> &[u8] {
    message.message()
}

/// The next packet: its number, and whether its tag is right.
fn packet(random: &mut Random, model: &Model) -> (u64, bool) {
    let top = model.accepted.last().copied().unwrap_or(model.first);
    let near = |random: &mut Random, most: u64| random.word() % most;
    let sequence = match random.upto(15) {
        0..=6 => top.saturating_add(1),
        7..=9 => top.saturating_sub(near(random, model.size + 70)),
        10 => top.saturating_sub(model.size).saturating_add(near(random, 3)).saturating_sub(1),
        11 | 12 => top.saturating_add(near(random, 5)),
        13 => top.saturating_add(near(random, 70)),
        14 if near(random, 20) == 0 => top.saturating_add(near(random, 3 * model.size)),
        14 => top,
        _ if near(random, 500) == 0 => random.word(),
        _ => model.first.saturating_sub(near(random, 2)),
    };
    (sequence, random.upto(9) > 0)
}

/// A run of some packets, one by one and in batches. Returns how many had each outcome.
fn run<const WORDS: usize>(seed: u64, first: u64, closes: bool) -> Counts {
    let (random, key) = (&mut Random(seed), &key());
    let size = Window::<WORDS>::SIZE;
    assert_eq!(size, 64 * (WORDS as u64 - 1));
    // Each attempt costs slightly more than 2^-30: 255 together are below 2^-22, but one more is not.
    let (budget, attempts) =
        if closes { (Budget::close_at(22), 255) } else { (Budget::log_only(0), u64::MAX) };
    let mut receiver: Receiver<&Key, WORDS> = Receiver::new(key, first, budget);
    let counts = Counts::default();
    let mut model = Model { size, first, accepted: BTreeSet::new(), attempts, counts };
    for _ in 0..1000 {
        let message = random.word().to_be_bytes();
        let count = if random.upto(1) == 0 { 1 } else { random.upto(70) };
        let (mut packets, mut expected) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (sequence, is_right) = packet(random, &model);
            let right = key.tag_packet(sequence, &message);
            let tag = if is_right { right } else { Tag::from([0xa5; 4]) };
            let asked = receiver.check(sequence);
            expected.push(model.open(sequence, tag == right));
            packets.push((sequence, &message[..], tag));
            if count == 1 {
                let judged = expected[0].or_else(|error| match error {
                    Rejected::Forged => Ok(()),
                    other => Err(other),
                });
                assert_eq!((asked, receiver.check(sequence)), (judged, judged));
            }
        }
        let mut outcomes = vec![Err(Rejected::NotReserved); packets.len()];
        match packets[..] {
            [(sequence, message, ref tag)] => outcomes[0] = receiver.open(sequence, message, tag),
            _ => receiver.open_many(&packets, &mut outcomes),
        }
        for (outcome, expected) in outcomes.into_iter().zip(expected) {
            assert_eq!(outcome.map(bytes), expected.map(|()| &message[..]));
        }
        assert_eq!(receiver.highest().as_ref(), model.accepted.last());
        assert_eq!(receiver.is_closed(), model.attempts == 0);
    }
    assert_eq!(receiver.counts(), model.counts);
    // Each attempt is 2^-30, and all together up to 2^-32 times as much more, after 2^48 messages; then a few units.
    let hash = u128::from(model.counts.forged) << 97;
    let Units(spent) = receiver.spent();
    assert!(hash <= spent && spent <= hash + (hash >> 32) + 3, "{spent:x} for {hash:x}");
    model.counts
}

#[test]
fn receivers_do_what_the_model_does() {
    let mut all = [0; 6];
    for (seed, first) in (0..).zip([0, 1, (1 << 32) - 700, END - 3000, END - 70]) {
        for counts in [
            run::<2>(seed, first, false),
            run::<3>(seed + 10, first, false),
            run::<17>(seed + 20, first, false),
            run::<1025>(seed + 30, first, false),
            run::<2>(seed + 40, first, true),
            run::<17>(seed + 50, first, true),
        ] {
            let Counts { accepted, replayed, too_old, outside, forged, closed, .. } = counts;
            let one = [accepted, replayed, too_old, outside, forged, closed];
            all.iter_mut().zip(one).for_each(|(sum, count)| *sum += count);
        }
    }
    // No outcome was rare.
    assert!(all.iter().all(|&count| count > 1000), "{all:?}");
}

/// Senders that share a key have a receiver each, and none accepts the packets of another.
#[test]
fn ranges() {
    let key = key();
    let mut low = Sender::new(&key, 1);
    let mut high = low.split(1000).unwrap();
    let receiver = |numbers| Receiver::<_, 2>::of_range(&key, numbers, Budget::log_only(0));
    let (mut of_low, mut of_high) = (receiver(1..1000), receiver(1000..END));
    for _ in 0..999 {
        let (a, b) = (low.seal(b"a").unwrap(), high.seal(b"b").unwrap());
        assert_eq!(of_low.open(b.0, b"b", &b.1), Err(Rejected::Outside));
        assert_eq!(of_high.open(a.0, b"a", &a.1), Err(Rejected::TooOld));
        assert_eq!(of_low.open(a.0, b"a", &a.1).map(bytes), Ok(&b"a"[..]));
        assert_eq!(of_high.open(b.0, b"b", &b.1).map(bytes), Ok(&b"b"[..]));
    }
    assert!(low.seal(b"a").is_err());
    assert_eq!((of_low.counts().outside, of_high.counts().too_old), (999, 999));
}

/// Attempts at the lowest price, 2^-128, until a budget is spent exactly.
#[test]
fn a_budget_may_be_spent_whole() {
    let key = wegman_carter::Key::<wegman::Aes128, 16, 12>::new(b"abcdefghijklmnop");
    let receiver = |budget| {
        let receiver: Receiver<_> = Receiver::new(&key, 0, budget);
        receiver.with_limit(1).with_longest(2048)
    };
    let mut closing = receiver(Budget::close_at(120));
    let mut open = receiver(Budget::log_only(120));
    for v in 1..400_u128 {
        // Half a unit each, and three units for the factors of pads and subkeys. The budget is 128.
        let expected = if v <= 250 { Rejected::Forged } else { Rejected::Closed };
        assert_eq!(closing.open(5, b"", &Tag::from([1; 16])), Err(expected), "{v}");
        assert_eq!(open.open(5, b"", &Tag::from([1; 16])), Err(Rejected::Forged));
        assert_eq!(open.spent(), Units(v.div_ceil(2) + 3));
        assert_eq!(open.is_overspent(), v > 250, "{v}");
    }
    assert_eq!(closing.spent(), Units(128));
    // The amount spent is carried over a restart.
    let mut again = receiver(Budget::close_at(120).already_spent(closing.spent()));
    let right = key.tag_packet(5, b"packet");
    assert_eq!(again.open(5, b"packet", &right).map(bytes), Err(Rejected::Closed));
    assert_eq!(open.open(5, b"packet", &right).map(bytes), Ok(&b"packet"[..]));
}

/// RFC 4303, appendix A2.2, case by case: the upper half of a number from its lower half, T and W.
fn by_the_rfc(top: u64, window: u64, low: u32) -> Option<u64> {
    let (th, tl, low) = ((top >> 32) as i64, i64::from(top as u32), i64::from(low));
    let w = window as i64;
    let high = if tl >= w - 1 {
        if low > tl - w { th } else { th + 1 }
    } else if low > tl - w + (1 << 32) {
        th - 1
    } else {
        th
    };
    u32::try_from(high).ok().map(|high| u64::from(high) << 32 | low as u64)
}

#[test]
fn extended_sequence_numbers() {
    fn with<const WORDS: usize>(random: &mut Random, key: &Key) -> u32 {
        let (mut tried, size) = (0, Window::<WORDS>::SIZE);
        let around = [0, 1 << 31, 1 << 32, 3 << 32, (1 << 40) + 12_345, u64::MAX];
        for near in around {
            for distance in [0, 1, 2, size - 2, size - 1, size, size + 1, 3 * size] {
                for top in [near.saturating_sub(distance), near.saturating_add(distance)] {
                    let mut receiver: Receiver<&Key, WORDS> =
                        Receiver::new(key, 0, Budget::log_only(0));
                    let top = top.min(END - 1); // the last number
                    let _ = receiver.open(top, b"", &key.tag_packet(top, b"")).unwrap();
                    let bottom = (top as u32).wrapping_sub(size as u32);
                    let lows = (0..40).map(|_| random.word() as u32);
                    let edges = (0..4).flat_map(|i| {
                        [bottom, top as u32, 0, u32::MAX].map(|low| low.wrapping_add(i))
                    });
                    for low in lows.chain(edges) {
                        let expected = by_the_rfc(top, size, low);
                        assert_eq!(receiver.extend(low), expected, "top {top:#x}, low {low:#x}");
                        tried += 1;
                    }
                    // Numbers in the window or not far ahead are found.
                    for ahead in [0, 1, size, 1 << 31, (1 << 32) - size] {
                        let Some(sequence) = top.checked_add(ahead) else { continue };
                        assert_eq!(receiver.extend(sequence as u32), Some(sequence));
                    }
                    for behind in [1, size / 2, size - 1] {
                        let Some(sequence) = top.checked_sub(behind) else { continue };
                        assert_eq!(receiver.extend(sequence as u32), Some(sequence));
                    }
                }
            }
        }
        tried
    }
    let (random, key) = (&mut Random(7), key());
    let tried = with::<2>(random, &key) + with::<17>(random, &key) + with::<1025>(random, &key);
    assert!(tried > 10_000);
    // Before the first packet, from the receiver's first number.
    let receiver: Receiver<&Key> = Receiver::new(&key, 7 << 32, Budget::log_only(0));
    assert_eq!(receiver.extend(3), Some(7 << 32 | 3));
    assert_eq!(receiver.extend(u32::MAX), Some((7 << 32) - 1));
}
