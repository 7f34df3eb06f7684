//! Senders against a model: which numbers they use, when they refuse, what they save.

use super::{Key, Random, key};
use std::collections::HashSet;
use wegman::bound::{History, Probability};
use wegman::session::{END, PacketMac, Saved, SealError, Sender};
use wegman::{Aes128, pmac};

/// Senders that are split, saved, lost in crashes and restored, thousands of times: no number is ever used
/// twice. A crash may come before, during or after the write to storage.
#[test]
fn no_number_is_spent_twice() {
    let (random, key) = (&mut Random(1), key());
    let mut seals = 0;
    for first in [0, 1, END - 20_000] {
        let mut spent = HashSet::new();
        // The bytes on the disk, which may be read more than once.
        let mut disk = vec![Saved::starting_at(&key, first).to_bytes()];
        let read = |bytes: &[u8]| Saved::from_bytes(bytes).unwrap();
        let mut senders = vec![Sender::restore(&key, read(&disk[0])).unwrap()];
        for _ in 0..20_000 {
            let count = senders.len();
            let i = random.upto(count - 1);
            let sender = &mut senders[i];
            match random.upto(19) {
                0..=3 => {
                    // The write fails, and it is unknown whether the new state is stored.
                    let fails = random.upto(2) == 0;
                    let stored = !fails || random.upto(1) == 0;
                    let outcome = sender.reserve(random.word() % 60, 1 << 20, |saved| {
                        if stored {
                            disk[i] = saved.to_bytes();
                        }
                        if fails { Err(()) } else { Ok(()) }
                    });
                    assert_eq!(outcome.is_err(), fails);
                }
                4 => senders[i] = Sender::restore(&key, read(&disk[i])).unwrap(),
                5 if count < 5 => {
                    let left = read(&disk[i]).next();
                    assert!(matches!(sender.split(left + 1), Err(SealError::NotReserved)));
                    if let Some((lower, upper)) =
                        read(&disk[i]).split(left.saturating_add(random.word() % 5000))
                    {
                        disk[i] = lower.to_bytes();
                        disk.push(upper.to_bytes());
                        senders[i] = Sender::restore(&key, lower).unwrap();
                        senders.push(Sender::restore(&key, upper).unwrap());
                    }
                }
                6 => {
                    let messages = vec![&b"many"[..]; random.upto(5)];
                    let mut tags = vec![key.tag_packet(0, b""); messages.len()];
                    if let Ok(first) = sender.seal_many(&messages, &mut tags) {
                        for (sequence, tag) in (first..).zip(tags) {
                            assert_eq!(tag, key.tag_packet(sequence, b"many"));
                            assert!(spent.insert(sequence), "{sequence} twice");
                        }
                    }
                }
                _ => {
                    let next = sender.next_sequence();
                    match sender.seal(b"one") {
                        Ok((sequence, tag)) => {
                            assert_eq!(Some(sequence), next);
                            assert_eq!(tag, key.tag_packet(sequence, b"one"));
                            assert!(spent.insert(sequence), "{sequence} twice");
                            seals += 1;
                        }
                        Err(SealError::Exhausted) => assert_eq!(next, None),
                        Err(SealError::NotReserved) => assert_eq!(sender.next_sequence(), next),
                        Err(other) => panic!("{other:?}, but the limit is far"),
                    }
                }
            }
        }
        assert!(spent.iter().all(|sequence| (first..END).contains(sequence)));
    }
    assert!(seals > 10_000, "{seals}");
}

#[test]
fn numbers_end() {
    let key = key();
    assert_eq!(END, u64::MAX - 7);
    let mut sender = Sender::new(&key, END - 3);
    let (messages, mut tags) = ([&b""[..]; 4], [key.tag_packet(0, b""); 4]);
    assert_eq!(sender.seal_many(&messages, &mut tags), Err(SealError::Exhausted));
    assert_eq!(sender.seal_many(&messages[..2], &mut tags[..2]), Ok(END - 3));
    assert_eq!(sender.seal(b"").unwrap().0, END - 1);
    assert_eq!(sender.next_sequence(), None);
    assert_eq!(sender.seal(b""), Err(SealError::Exhausted));
    assert_eq!(sender.seal_many(&messages[..1], &mut tags[..1]), Err(SealError::Exhausted));
    assert_eq!(sender.seal_many(&[], &mut []), Err(SealError::Exhausted));
    for first in [END, u64::MAX] {
        assert_eq!(Sender::new(&key, first).seal(b""), Err(SealError::Exhausted));
    }
    for middle in [9, END] {
        assert!(matches!(Sender::new(&key, 10).split(middle), Err(SealError::Exhausted)));
    }
}

#[test]
fn the_keys_limit_holds() {
    let key = key();
    let mut sender = Sender::new(&key, 1).with_limit(10).with_limit(1000);
    let (messages, mut tags) = ([&b"a message"[..]; 8], [key.tag_packet(0, b""); 8]);
    assert_eq!(sender.seal_many(&messages, &mut tags), Ok(1));
    assert_eq!(sender.seal_many(&messages, &mut tags), Err(SealError::Limit));
    assert_eq!(sender.left(), 2);
    assert!(sender.seal(b"").is_ok() && sender.seal(b"").is_ok());
    assert_eq!(sender.seal(b""), Err(SealError::Limit));
    // Neither a restart nor a split raises the limit.
    let saved = Saved::from_bytes(&sender.into_saved().unwrap().to_bytes()).unwrap();
    let mut sender = Sender::restore(&key, saved).unwrap();
    sender.reserve(5, 0, |_| Ok::<_, ()>(())).unwrap();
    assert_eq!(sender.seal(b""), Err(SealError::Limit));

    let mut lower = Sender::new(&key, 0).with_limit(10);
    let _ = lower.seal(b"").unwrap();
    let mut upper = lower.split(100).unwrap();
    let seal_all =
        |sender: &mut Sender<&Key>| (0..).take_while(|_| sender.seal(b"").is_ok()).count();
    assert_eq!(seal_all(&mut lower) + seal_all(&mut upper), 9);
    assert_eq!(upper.next_sequence(), Some(104));

    // PMAC counts blocks: that of the number and those of the message.
    let key = pmac::Key::<Aes128, 16>::new(b"abcdefghijklmnop");
    let mut sender = Sender::new(&key, 1).with_limit(100);
    let _ = sender.seal(&[0; 16 * 50]).unwrap();
    assert_eq!(sender.left(), 49);
    assert_eq!(sender.seal(&[0; 16 * 48 + 1]), Err(SealError::Limit));
    assert!(sender.seal(&[0; 16 * 48]).is_ok());
    assert_eq!(sender.left(), 0);
}

/// Not even a state with a higher limit raises that of the key's type.
#[test]
fn what_is_saved_lifts_no_limit() {
    /// The same tags and the same id with a higher limit.
    struct Lifted<K>(K);

    impl<K: PacketMac> PacketMac for Lifted<K> {
        type Tag = K::Tag;
        type Ahead = K::Ahead;
        const LIMIT: u64 = u64::MAX;

        fn cost(messages: u64, bytes: u64) -> u64 {
            K::cost(messages, bytes)
        }

        fn forgery<P: Probability>(&self, history: &History) -> P {
            self.0.forgery(history)
        }

        fn key_id(&self) -> [u8; 8] {
            self.0.key_id()
        }

        fn tag_packet(&self, sequence: u64, message: &[u8]) -> K::Tag {
            self.0.tag_packet(sequence, message)
        }

        fn tag_packet_parts(&self, sequence: u64, parts: &[&[u8]]) -> K::Tag {
            self.0.tag_packet_parts(sequence, parts)
        }

        fn ahead(&self) -> K::Ahead {
            self.0.ahead()
        }
    }

    let key = pmac::Key::<wegman_yardstick::DesEde3, 8>::from_slice(&[7; 24]);
    let key = key.unwrap();
    let saved = Saved::starting_at(&Lifted(&key), 1);
    let mut sender = Sender::restore(&key, saved).unwrap();
    assert_eq!(sender.left(), 1 << 16);
    sender.reserve(1 << 20, 1 << 30, |_| Ok::<_, ()>(())).unwrap();
    assert_eq!(sender.seal(&[0; 8 << 16]), Err(SealError::Limit));
}

/// A reservation in bytes holds too, and a smaller one later never takes it back.
#[test]
fn bytes_are_reserved() {
    let key = pmac::Key::<Aes128, 16>::new(b"abcdefghijklmnop");
    let mut sender = Sender::restore(&key, Saved::starting_at(&key, 1)).unwrap();
    sender.reserve(10, 0, |_| Ok::<_, ()>(())).unwrap();
    assert!(sender.seal(&[0; 16 * 19]).is_ok());
    assert_eq!(sender.seal(b""), Err(SealError::NotReserved));
    let reserve = |sender: &mut Sender<_>, messages, bytes| {
        let mut stored = None;
        let store = |saved: &Saved| {
            stored = Some(saved.to_bytes());
            Ok::<_, ()>(())
        };
        sender.reserve(messages, bytes, store).unwrap();
        stored
    };
    let stored = reserve(&mut sender, 5, 16 * 10);
    assert_eq!(reserve(&mut sender, 1, 0), stored);
    assert!(sender.seal(&[0; 16 * 19]).is_ok());
    assert_eq!(sender.seal(b""), Err(SealError::NotReserved));
    // After a crash all of it counts as used.
    let restored = Sender::restore(&key, Saved::from_bytes(&stored.unwrap()).unwrap()).unwrap();
    assert_eq!(restored.left(), sender.left());
    assert_eq!(restored.next_sequence(), Some(11));
}
