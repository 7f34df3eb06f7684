//! Histories of senders and receivers, against a list of what was sealed and what was accepted.

use crate::input::Input;
use std::collections::HashSet;
use wegman::session::{
    Budget, END, PacketMac, Place, Receiver, Rejected, ReserveError, Saved, SavedReceiver,
    SealError, Sender, Window,
};
use wegman::{Aes128, pmac, umac};

/// Numbers of the smallest window.
const SIZE: u64 = Window::<2>::SIZE;

/// The first byte chooses the MAC; the rest is a history.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    match input.byte() % 4 {
        0 => window(input),
        1 => history(&umac::Key::<4>::new(b"sixteen byte key"), input),
        2 => history(&umac::Key::<8>::new(b"sixteen byte key"), input),
        _ => history(&pmac::Key::<Aes128, 8>::new(b"sixteen byte key"), input),
    }
}

/// Numbers close to one another, to the ends, and to where the ring turns.
fn near(input: &mut Input<'_>, middle: u64) -> u64 {
    match input.byte() % 4 {
        0 => middle.saturating_add(input.byte().into()),
        1 => middle.saturating_sub(input.byte().into()),
        2 => middle.saturating_add(64 * u64::from(input.byte())),
        _ => input.upto(u64::MAX),
    }
}

/// What the place of a number should be.
fn place(accepted: &HashSet<u64>, first: u64, number: u64) -> Place {
    match accepted.iter().max() {
        _ if number < first => Place::TooOld,
        Some(top) if top.checked_sub(number).is_some_and(|behind| behind >= SIZE) => Place::TooOld,
        _ if accepted.contains(&number) => Place::Replayed,
        _ => Place::Fresh,
    }
}

fn window(mut input: Input<'_>) {
    let first = input.upto(u64::MAX);
    let (mut window, mut accepted) = (Window::<2>::new(first), HashSet::new());
    let mut last = first;
    while !input.is_empty() {
        let number = near(&mut input, last);
        let expected = place(&accepted, first, number);
        assert_eq!(window.place(number), expected);
        assert_eq!(window.accept(number), expected == Place::Fresh);
        if expected == Place::Fresh {
            accepted.insert(number);
            last = number;
        }
        assert_eq!(window.top(), accepted.iter().max().copied());
    }
}

/// A packet as it was sealed.
struct Packet<T> {
    number: u64,
    message: Vec<u8>,
    tag: T,
}

/// A sender, and what is stored of it.
struct Sending<K: PacketMac> {
    sender: Option<Sender<K>>,
    stored: Option<[u8; Saved::BYTES]>,
}

/// A receiver, and what is stored of it.
struct Receiving<K: PacketMac> {
    receiver: Option<Receiver<K, 2>>,
    stored: Option<[u8; SavedReceiver::BYTES]>,
    /// What it began with, now and at its last start.
    first: u64,
    /// What it has accepted since then.
    since: HashSet<u64>,
}

fn history<K: PacketMac + Clone>(key: &K, mut input: Input<'_>)
where
    K::Tag: std::fmt::Debug,
{
    let first = input.upto(END);
    let limit = if input.bool() { K::LIMIT } else { input.upto(K::LIMIT) };
    let is_stored = input.bool();
    let mut senders = vec![if is_stored {
        let saved = Saved::starting_at(key, first);
        let stored = Some(saved.to_bytes());
        let sender = Sender::restore(key.clone(), saved).expect("its key").with_limit(limit);
        // A limit counts once it is stored.
        let mut sending = Sending { sender: Some(sender), stored };
        reserve(&mut sending, 0, 0, true).expect("it is stored");
        sending
    } else {
        Sending { sender: Some(Sender::new(key.clone(), first).with_limit(limit)), stored: None }
    }];
    let budget = if input.bool() { Budget::close_at(20) } else { Budget::log_only(20) };
    let is_closing = budget == Budget::close_at(20);
    let receives_stored = input.bool();
    let mut receiving =
        Receiving::<K> { receiver: None, stored: None, first, since: HashSet::new() };
    if receives_stored {
        receiving.stored = Some(SavedReceiver::starting_at(key, first).to_bytes());
        restart(&mut receiving, key, budget);
    } else {
        receiving.receiver = Some(Receiver::new(key.clone(), first, budget));
    }

    let mut packets: Vec<Packet<K::Tag>> = Vec::new();
    let (mut used, mut accepted) = (HashSet::new(), HashSet::new());
    let mut spent = 0_u64;
    for _ in 0..256 {
        if input.is_empty() {
            break;
        }
        let which = input.below(senders.len());
        match input.byte() % 12 {
            0..=2 => {
                let message = input.message(300);
                let Some(sender) = &mut senders[which].sender else { continue };
                let (next, left) = (sender.next_sequence(), sender.left());
                match sender.seal(&message) {
                    Ok((number, tag)) => {
                        assert_eq!(Some(number), next);
                        let cost = K::cost(1, message.len() as u64);
                        assert_eq!(sender.left(), left - cost);
                        spent += cost;
                        assert!(used.insert(number), "number {number} was used twice");
                        packets.push(Packet { number, message, tag });
                    }
                    Err(error) => {
                        assert_eq!((sender.next_sequence(), sender.left()), (next, left));
                        assert!(is_stored || error != SealError::NotReserved);
                    }
                }
            }
            3 => {
                let count = input.below(40);
                let message = input.message(120);
                let messages = vec![&message[..]; count];
                let mut tags = vec![key.tag_packet(0, b""); count];
                let Some(sender) = &mut senders[which].sender else { continue };
                if let Ok(number) = sender.seal_many(&messages, &mut tags) {
                    for (number, tag) in (number..).zip(tags) {
                        spent += K::cost(1, message.len() as u64);
                        assert!(used.insert(number), "number {number} was used twice");
                        packets.push(Packet { number, message: message.clone(), tag });
                    }
                }
            }
            4 if is_stored => {
                let (messages, bytes) = (input.upto(u64::MAX), input.upto(u64::MAX));
                let works = input.byte() % 4 != 0;
                let _ = reserve(&mut senders[which], messages, bytes, works);
            }
            // A crash, and a clean exit.
            5 if is_stored => {
                let sending = &mut senders[which];
                if input.bool()
                    && let Some(sender) = sending.sender.take()
                {
                    let saved = sender.into_saved().expect("one process");
                    sending.stored = Some(saved.to_bytes());
                }
                let saved = Saved::from_bytes(&sending.stored.expect("it is stored"));
                let saved = saved.expect("what was stored");
                sending.sender = Some(Sender::restore(key.clone(), saved).expect("its key"));
            }
            6 if senders.len() < 4 => {
                let Some(sender) = &mut senders[which].sender else { continue };
                let at = sender.next_sequence().map(|next| near(&mut input, next)).unwrap_or(0);
                if is_stored {
                    assert!(matches!(sender.split(at), Err(SealError::NotReserved)));
                    let sender = senders[which].sender.take().expect("it is there");
                    let saved = sender.into_saved().expect("one process");
                    let bytes = saved.to_bytes();
                    let parts = match saved.split(at) {
                        Some((lower, upper)) => vec![lower.to_bytes(), upper.to_bytes()],
                        None => vec![bytes],
                    };
                    senders.remove(which);
                    for stored in parts {
                        let saved = Saved::from_bytes(&stored).expect("what was stored");
                        let sender = Sender::restore(key.clone(), saved).expect("its key");
                        senders.push(Sending { sender: Some(sender), stored: Some(stored) });
                    }
                } else if let Ok(upper) = sender.split(at) {
                    senders.push(Sending { sender: Some(upper), stored: None });
                }
            }
            // A packet arrives: as it was, or changed.
            7..=9 if !packets.is_empty() => {
                let back = usize::from(input.byte()).min(packets.len() - 1);
                let packet = &packets[packets.len() - 1 - back];
                let (mut number, mut message) = (packet.number, packet.message.clone());
                let change = input.byte() % 4;
                if change == 0 {
                    number = near(&mut input, number);
                }
                if change == 1 {
                    message.push(0);
                }
                let packet = (number, &message[..], packet.tag);
                receive(key, &mut receiving, packet, is_closing, &mut accepted);
            }
            10 if receives_stored => {
                let (numbers, attempts) = (input.upto(u64::MAX), input.upto(u64::MAX));
                reserve_receiver(&mut receiving, numbers, attempts, input.byte() % 4 != 0);
            }
            11 if receives_stored => {
                if input.bool()
                    && let Some(receiver) = receiving.receiver.take()
                {
                    let saved = receiver.into_saved().expect("one process");
                    receiving.stored = Some(saved.to_bytes());
                }
                restart(&mut receiving, key, budget);
            }
            _ => {}
        }
        assert!(spent <= limit, "more was tagged than the limit");
    }
}

/// Reserves; the store may fail, after it has stored or before.
fn reserve<K: PacketMac>(
    sending: &mut Sending<K>,
    messages: u64,
    bytes: u64,
    works: bool,
) -> Result<(), ReserveError<()>> {
    let Some(sender) = &mut sending.sender else { return Ok(()) };
    let stored = &mut sending.stored;
    sender.reserve(messages, bytes, |saved| {
        if works || messages & 1 == 1 {
            *stored = Some(saved.to_bytes());
        }
        if works { Ok(()) } else { Err(()) }
    })
}

fn reserve_receiver<K: PacketMac>(
    receiving: &mut Receiving<K>,
    numbers: u64,
    attempts: u64,
    works: bool,
) {
    let Some(receiver) = &mut receiving.receiver else { return };
    let stored = &mut receiving.stored;
    let _ = receiver.reserve(numbers, attempts, 1 << 20, |saved| {
        if works || numbers & 1 == 1 {
            *stored = Some(saved.to_bytes());
        }
        if works { Ok(()) } else { Err(()) }
    });
}

fn restart<K: PacketMac + Clone>(receiving: &mut Receiving<K>, key: &K, budget: Budget) {
    let stored = receiving.stored.expect("it is stored");
    let saved = SavedReceiver::from_bytes(&stored).expect("what was stored");
    receiving.first = u64::from_be_bytes(stored[16..24].try_into().expect("8 bytes"));
    receiving.since.clear();
    receiving.receiver = Some(Receiver::restore(key.clone(), saved, budget).expect("its key"));
}

fn receive<K: PacketMac + Clone>(
    key: &K,
    receiving: &mut Receiving<K>,
    (number, message, tag): (u64, &[u8], K::Tag),
    is_closing: bool,
    accepted: &mut HashSet<u64>,
) {
    let is_stored = receiving.stored.is_some();
    let is_right = key.tag_packet(number, message) == tag;
    let expected = match place(&receiving.since, receiving.first, number) {
        _ if number >= END => Err(Rejected::Outside),
        Place::Replayed => Err(Rejected::Replayed),
        Place::TooOld => Err(Rejected::TooOld),
        _ if is_right => Ok(()),
        _ => Err(Rejected::Forged),
    };
    let Some(receiver) = &mut receiving.receiver else { return };
    let before = receiver.counts();
    let mut outcome = receiver.open(number, message, &tag).map(drop);
    assert!(receiver.counts() != before);
    // Without room for an attempt the tag is not looked at, and only an authentic number is reserved.
    for _ in 0..2 {
        if outcome == Err(Rejected::NotReserved) {
            assert!(is_stored);
            reserve_receiver(receiving, 1, 1, true);
            let receiver = receiving.receiver.as_mut().expect("it is there");
            outcome = receiver.open(number, message, &tag).map(drop);
        }
    }
    assert_ne!(outcome, Err(Rejected::NotReserved), "twice is enough");
    if outcome == Err(Rejected::Closed) {
        let receiver = receiving.receiver.as_ref().expect("it is there");
        assert!(is_closing && receiver.is_closed());
    } else {
        assert_eq!(outcome, expected, "number {number}");
    }
    if outcome.is_ok() {
        receiving.since.insert(number);
        assert!(accepted.insert(number), "number {number} was accepted twice");
    }
}
