//! Stored states of sessions and links.

use crate::input::Input;
use std::convert::Infallible;
use wegman::session::{
    Budget, END, Link, Opener, PacketMac, Receiver, Role, Saved, SavedOpener, SavedReceiver,
    SavedSealer, Sealer, Sender,
};
use wegman::umac;

type Key = umac::Key<8>;

fn key() -> Key {
    Key::new(b"sixteen byte key")
}

fn link() -> Link<Key> {
    Link::new(&[7; 32], b"states", Role::Initiator)
}

/// The first byte says which kind; the rest is a state, or what differs in a good one.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (kind, differs) = (input.byte() % 4, input.bool());
    let rest = input.rest();
    let bytes = |good: &[u8]| {
        if !differs {
            return rest.to_vec();
        }
        let mut bytes = good.to_vec();
        bytes.iter_mut().zip(rest).for_each(|(byte, other)| *byte ^= other);
        bytes
    };
    match kind {
        0 => sender(&bytes(&Saved::starting_at(&key(), 5).to_bytes())),
        1 => receiver(&bytes(&SavedReceiver::starting_at(&key(), 5).to_bytes())),
        2 => sealer(&bytes(&*link().sealer.into_saved().expect("one process").to_bytes())),
        _ => opener(&bytes(&*link().opener.into_saved().expect("one process").to_bytes())),
    }
}

/// Seals only what is reserved, under numbers from the stored one on.
fn sender(bytes: &[u8]) {
    let Ok(saved) = Saved::from_bytes(bytes) else { return };
    assert_eq!(saved.to_bytes()[..], *bytes);
    let Ok(mut sender) = Sender::restore(key(), saved) else { return };
    assert!(sender.seal(b"too early").is_err());
    let (next, left) = (sender.next_sequence(), sender.left());
    let mut stored = None;
    let store = |saved: &Saved| Ok::<_, Infallible>(stored = Some(saved.to_bytes()));
    sender.reserve(3, 100, store).expect("it is stored");
    for count in 0..4 {
        match sender.seal(b"a message") {
            Ok((number, tag)) => {
                assert!(count < 3 && Some(number) == next.map(|next| next + count) && number < END);
                assert_eq!(tag, key().tag_packet(number, b"a message"));
                assert_eq!(sender.left(), left - count - 1);
            }
            Err(_) => {
                let room = next.map_or(0, |_| left);
                assert!(count >= room.min(3) || sender.next_sequence().is_none());
            }
        }
    }
    let after = Saved::from_bytes(&stored.expect("it was called")).expect("a state");
    let after = Sender::restore(key(), after).expect("its key");
    let end = |sender: &Sender<_>| sender.next_sequence().unwrap_or(u64::MAX);
    assert!(end(&after) >= end(&sender));
}

/// Accepts nothing below the stored number.
fn receiver(bytes: &[u8]) {
    let Ok(saved) = SavedReceiver::from_bytes(bytes) else { return };
    assert_eq!(saved.to_bytes()[..], *bytes);
    let budget = Budget::close_at(40);
    let Ok(mut receiver) = Receiver::<_, 2>::restore(key(), saved, budget) else { return };
    let first = u64::from_be_bytes(bytes[16..24].try_into().expect("8 bytes"));
    let tag = |number| key().tag_packet(number, b"a message");
    assert!(receiver.open(first, b"a message", &tag(first)).is_err());
    let store = |_: &SavedReceiver| Ok::<_, Infallible>(());
    receiver.reserve(10, 10, 1000, store).expect("it is stored");
    if let Some(below) = first.checked_sub(1) {
        assert!(receiver.open(below, b"a message", &tag(below)).is_err());
    }
    if receiver.open(first, b"a message", &tag(first)).is_ok() {
        assert!(receiver.open(first, b"a message", &tag(first)).is_err());
    }
    let _ = receiver.open(first.saturating_add(1), b"another", &tag(first));
    let again = receiver.into_saved().expect("one process").to_bytes();
    SavedReceiver::from_bytes(&again).expect("a state");
}

fn sealer(bytes: &[u8]) {
    let Ok(saved) = SavedSealer::from_bytes(bytes) else { return };
    assert_eq!(saved.to_bytes()[..], *bytes);
    let Ok(mut sealer) = Sealer::<Key>::restore(saved) else { return };
    assert!(sealer.seal(&[b"too early"]).is_err());
    let mut last = None;
    for _ in 0..3 {
        sealer.reserve(1, 100, |_| Ok::<_, Infallible>(())).expect("it is stored");
        if let Ok((header, _)) = sealer.seal(&[b"a message"]) {
            assert!(last < Some(header));
            last = Some(header);
        }
        let _ = sealer.rekey();
    }
    let saved = sealer.into_saved().expect("one process");
    SavedSealer::from_bytes(&*saved.to_bytes()).expect("a state");
}

fn opener(bytes: &[u8]) {
    let Ok(saved) = SavedOpener::from_bytes(bytes) else { return };
    assert_eq!(saved.to_bytes()[..], *bytes);
    let Ok(mut opener) = Opener::<Key>::restore(saved) else { return };
    let mut other = Link::<Key>::new(&[7; 32], b"states", Role::Responder).sealer;
    let mut accepted = std::collections::HashSet::new();
    for round in 0..12 {
        let (header, tag) = other.seal(&[b"a message"]).expect("there is room");
        for tag in [umac::Key::<8>::new(&[9; 16]).tag_packet(0, b""), tag, tag] {
            if opener.open(header, &[b"a message"], &tag).is_ok() {
                assert!(accepted.insert(header));
            }
            if round % 3 == 1 {
                let stored = opener.reserve(2, 2, 100, |saved| {
                    SavedOpener::from_bytes(&*saved.to_bytes()).map(drop)
                });
                stored.expect("a state");
            }
        }
        if round % 4 == 3 {
            other.rekey().expect("there are epochs");
        }
    }
    let saved = opener.into_saved().expect("one process");
    SavedOpener::from_bytes(&*saved.to_bytes()).expect("a state");
}
