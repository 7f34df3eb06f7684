//! What is stored of a receiver is enough: it is lost at any moment, again and again, and no packet is accepted twice, and no
//! forgery attempt is forgotten. `mac/tests/link.rs` restarts both halves of links, and `sender` senders.

use super::Random;
use std::collections::HashSet;
use wegman::bound::Units;
use wegman::session::{
    Budget, Header, Link, PacketMac, Receiver, Rejected, Role, SavedOpener, SavedReceiver,
};
use wegman::{Tag, umac};

/// With 64-bit tags, so that the budget is never at its end.
type Key = umac::Key<8>;

const MESSAGE: &[u8] = b"a packet";
/// How many numbers are reserved at a time.
const NUMBERS: u64 = 16;

/// The tag, or another one.
fn tag_or_not(tag: Tag<8>, is_wrong: bool) -> Tag<8> {
    let mut bytes = tag.to_bytes();
    bytes[3] ^= u8::from(is_wrong);
    Tag::from(bytes)
}

fn restored<'a>(key: &'a Key, disk: &[u8]) -> Receiver<&'a Key> {
    let saved = SavedReceiver::from_bytes(disk).unwrap();
    Receiver::restore(key, saved, Budget::close_at(40)).unwrap()
}

#[test]
fn a_receiver_lost_at_any_moment_forgets_nothing() {
    let (random, key) = (&mut Random(9), Key::new(b"abcdefghijklmnop"));
    let mut disk = SavedReceiver::starting_at(&key, 0).to_bytes().to_vec();
    let (mut accepted, mut top, mut spent, mut more) = (HashSet::new(), 0, Units(0), 0);
    for _ in 0..1000 {
        let mut receiver = restored(&key, &disk);
        assert!(receiver.spent() >= spent, "{:?} after {spent:?}", receiver.spent());
        more += u32::from(receiver.spent() > spent);
        'life: for _ in 0..random.upto(60) {
            // Most are new, some late, some come again, some of them after a restart.
            let late = random.word() % [6, 60][random.upto(1)];
            let number = (top + random.word() % 4).saturating_sub(late);
            let tag = tag_or_not(key.tag_packet(number, MESSAGE), random.upto(2) == 0);
            let mut outcome = receiver.open(number, MESSAGE, &tag).map(drop);
            // Attempts end before numbers, or numbers before attempts: both may be asked for, one after the other.
            for _ in 0..2 {
                if outcome != Err(Rejected::NotReserved) {
                    break;
                }
                // It may be lost before the write or after it.
                let (is_lost, is_stored) = (random.upto(9) == 0, random.upto(1) == 0);
                let attempts = [5, 40][random.upto(1)];
                let reserved = receiver.reserve(NUMBERS, attempts, 1000, |saved| {
                    if !is_lost || is_stored {
                        disk = saved.to_bytes().to_vec();
                    }
                    if is_lost { Err(()) } else { Ok(()) }
                });
                if reserved.is_err() {
                    break 'life;
                }
                outcome = receiver.open(number, MESSAGE, &tag).map(drop);
            }
            match outcome {
                Ok(()) => assert!(accepted.insert(number), "{number} was accepted twice"),
                Err(error) => assert!(!matches!(error, Rejected::NotReserved | Rejected::Closed)),
            }
            top = accepted.iter().max().map_or(0, |top| top + 1).max(top);
            spent = receiver.spent();
        }
        // After a restart, numbers begin above those that were reserved.
        top += NUMBERS;
    }
    assert!(accepted.len() > 5000 && more > 500, "{} accepted, {more}", accepted.len());
}

/// A reservation is for numbers above the largest authentic one. If each came on top of the last, forged packets, which use
/// up attempts and no number, would move what a restart refuses as far as their sender likes.
#[test]
fn attempts_do_not_move_what_a_restart_refuses() {
    let key = Key::new(b"abcdefghijklmnop");
    let tag = |number| key.tag_packet(number, MESSAGE);
    let mut of_receiver = SavedReceiver::starting_at(&key, 0).to_bytes().to_vec();
    let mut receiver = restored(&key, &of_receiver);
    let mut opener = Link::<Key>::new(&[7; 32], b"restart", Role::Responder).opener;
    let mut of_opener = Vec::new();
    for number in 0..100 {
        // The attempts are used up after five of these.
        let wrong = tag_or_not(tag(number % 16), true);
        let header = Header { epoch: 0, number: number % 16 };
        if number % 5 == 0 {
            let keep = |saved: &SavedReceiver| {
                of_receiver = saved.to_bytes().to_vec();
                Ok::<_, ()>(())
            };
            receiver.reserve(NUMBERS, 5, 100, keep).unwrap();
            let keep = |saved: &SavedOpener| {
                of_opener = saved.to_bytes().to_vec();
                Ok::<_, ()>(())
            };
            opener.reserve(NUMBERS, 5, 100, keep).unwrap();
        }
        assert_eq!(receiver.open(header.number, MESSAGE, &wrong), Err(Rejected::Forged));
        assert_eq!(opener.open(header, &[MESSAGE], &wrong), Err(Rejected::Forged));
    }
    let saved = SavedOpener::from_bytes(&of_opener).unwrap();
    assert_eq!(saved.first(), Header { epoch: 0, number: NUMBERS });
    let mut receiver = restored(&key, &of_receiver);
    receiver.reserve(NUMBERS, 5, 100, |_| Ok::<_, ()>(())).unwrap();
    let mut open = |number| receiver.open(number, MESSAGE, &tag(number)).map(drop);
    assert_eq!((open(NUMBERS - 1), open(NUMBERS)), (Err(Rejected::TooOld), Ok(())));
}
