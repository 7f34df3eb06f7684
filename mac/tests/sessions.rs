//! Sessions in detail: what a link derives and refuses, senders that threads share, other MACs, and the laws that all keep.

use hmac::{Hmac, KeyInit};
use sha2::Sha256;
use std::collections::HashSet;
use std::sync::Mutex;
use wegman::bound::Units;
use wegman::session::{
    Budget, Header, InvalidSaved, Link, LinkKey, Opener, PacketMac, Prefixed, Receiver, Rejected,
    ReserveError, Role, Saved, SavedOpener, SavedReceiver, SavedSealer, SealError, Sealer, Sender,
    SharedSender, WrongKey, laws,
};
use wegman::{Aes128, Aes256, pmac, umac};

type Umac64 = umac::Key<8>;

/// What storage does, for a variable.
macro_rules! kept {
    ($disk:ident: $Saved:ty) => {
        |saved: &$Saved| {
            $disk = saved.to_bytes().to_vec();
            Ok::<_, ()>(())
        }
    };
}

const SECRET: [u8; 32] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    26, 27, 28, 29, 30, 31,
];

fn link<K: LinkKey>(context: &[u8], role: Role) -> Link<K> {
    Link::new(&SECRET, context, role)
}

fn ends() -> (Link<Umac64>, Link<Umac64>) {
    (link(b"test", Role::Initiator), link(b"test", Role::Responder))
}

/// The keys of docs/sessions.md, which another implementation of HKDF has made: the tags are theirs.
#[test]
fn derived_as_documented() {
    fn check<K: LinkKey>(context: &str, role: &str, epoch: u32, secret: &[u8])
    where
        K::Tag: PartialEq,
    {
        let role = if role == "I" { Role::Initiator } else { Role::Responder };
        let mut sealer = link::<K>(context.as_bytes(), role).sealer;
        for _ in 0..epoch {
            // A key that has sealed nothing stays.
            sealer.rekey().unwrap();
            let _ = sealer.seal(&[b""]).unwrap();
            sealer.rekey().unwrap();
        }
        let key = K::from_secret(secret);
        for number in 0..3 {
            let (header, tag) = sealer.seal(&[b"a message"]).unwrap();
            assert_eq!(header, Header { epoch, number });
            assert_eq!(tag, key.tag_packet(number, b"a message"));
        }
    }
    let rows = include_str!("../docs/sessions.md").lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.split('|').map(str::trim).collect();
        let [family, lengths, context, role @ ("I" | "R"), epoch, key, ""] = cells[..] else {
            return None;
        };
        Some((family, lengths, context, role, epoch.parse().unwrap(), unhex(key)))
    });
    let mut count = 0;
    for (family, lengths, context, role, epoch, key) in rows {
        count += 1;
        match (family, lengths) {
            ("UMAC", "8 8 16") => check::<Umac64>(context, role, epoch, &key),
            ("UMAC", "16 8 16") => check::<umac::Key<16>>(context, role, epoch, &key),
            ("PMAC-AES", "16 0 16") => check::<pmac::Key<Aes128, 16>>(context, role, epoch, &key),
            ("Carter", "16 12 16") => {} // in the crate that has it
            other => panic!("{other:?} is no row that this test knows"),
        }
    }
    assert_eq!(count, 10);
}

fn unhex(digits: &str) -> Vec<u8> {
    let digit = |i: usize| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(digit).collect()
}

/// Every pair of links that differ in anything has nothing in common.
#[test]
fn nothing_in_common() {
    fn tag<K: LinkKey>(secret: &[u8; 32], context: &[u8], role: Role) -> Vec<u8> {
        let (_, tag) = Link::<K>::new(secret, context, role).sealer.seal(&[b"the same"]).unwrap();
        K::tag_bytes(&tag).as_ref()[..4].to_vec()
    }
    let mut other = SECRET;
    other[31] ^= 1;
    let tags = [
        tag::<Umac64>(&SECRET, b"test", Role::Initiator),
        tag::<Umac64>(&SECRET, b"test", Role::Responder),
        tag::<Umac64>(&SECRET, b"test1", Role::Initiator),
        tag::<Umac64>(&SECRET, b"", Role::Initiator),
        tag::<Umac64>(&SECRET, b"\0test", Role::Initiator),
        tag::<Umac64>(&other, b"test", Role::Initiator),
        tag::<umac::Key<4>>(&SECRET, b"test", Role::Initiator),
        tag::<umac::Key<16>>(&SECRET, b"test", Role::Initiator),
        tag::<umac::Key<8, 12>>(&SECRET, b"test", Role::Initiator),
        tag::<pmac::Key<Aes128, 8>>(&SECRET, b"test", Role::Initiator),
        tag::<pmac::Key<Aes256, 8>>(&SECRET, b"test", Role::Initiator),
        tag::<Prefixed<Hmac<Sha256>, 8>>(&SECRET, b"test", Role::Initiator),
    ];
    assert_eq!(tags.iter().collect::<HashSet<_>>().len(), tags.len(), "{tags:x?}");
}

/// Nothing but an authentic packet moves the epoch, and the old key goes after a window.
#[test]
fn epochs() {
    let (mut alice, mut bob) = ends();
    let early: Vec<_> = (0..4).map(|_| alice.sealer.seal(&[b"early"]).unwrap()).collect();
    alice.sealer.rekey().unwrap();
    let (mut header, mut tag) = alice.sealer.seal(&[b"later"]).unwrap();
    for epoch in 1..=9 {
        let forged = Header { epoch, number: 7 };
        let expected = if epoch > 8 { Rejected::Outside } else { Rejected::Forged };
        assert_eq!(bob.opener.open(forged, &[b"later"], &tag), Err(expected));
        assert_eq!(bob.opener.epoch(), 0);
    }
    assert!(bob.opener.open(early[0].0, &[b"early"], &early[0].1).is_ok());
    assert!(bob.opener.open(header, &[b"later"], &tag).is_ok());
    // The one before is still there.
    assert!(bob.opener.open(early[1].0, &[b"early"], &early[1].1).is_ok());
    assert_eq!(bob.opener.open(early[1].0, &[b"early"], &early[1].1), Err(Rejected::Replayed));
    while header.number < 1023 {
        (header, tag) = alice.sealer.seal(&[b"later"]).unwrap();
    }
    assert!(bob.opener.open(header, &[b"later"], &tag).is_ok());
    assert!(bob.opener.open(early[2].0, &[b"early"], &early[2].1).is_ok());
    (header, tag) = alice.sealer.seal(&[b"later"]).unwrap();
    assert!(bob.opener.open(header, &[b"later"], &tag).is_ok());
    assert_eq!(bob.opener.open(early[3].0, &[b"early"], &early[3].1), Err(Rejected::TooOld));
    // Lost rekeys.
    for _ in 0..8 {
        alice.sealer.rekey().unwrap();
        alice.sealer.rekey().unwrap();
        let _ = alice.sealer.seal(&[b"lost"]).unwrap();
    }
    (header, tag) = alice.sealer.seal(&[b"found"]).unwrap();
    assert!(bob.opener.open(header, &[b"found"], &tag).is_ok());
    assert_eq!((header.epoch, bob.opener.epoch()), (9, 9));
    for _ in 0..9 {
        alice.sealer.rekey().unwrap();
        let _ = alice.sealer.seal(&[b"lost"]).unwrap();
    }
    (header, tag) = alice.sealer.seal(&[b"too many"]).unwrap();
    assert_eq!(bob.opener.open(header, &[b"too many"], &tag), Err(Rejected::Outside));
}

/// A key that has sealed what it may is changed without being asked.
#[test]
fn limits_move_the_epoch() {
    let mut alice = link::<pmac::Key<Aes128, 16>>(b"", Role::Initiator).with_epoch_limit(10);
    let mut bob = link::<pmac::Key<Aes128, 16>>(b"", Role::Responder).with_epoch_limit(10);
    let mut headers = Vec::new();
    for _ in 0..6 {
        let (header, tag) = alice.sealer.seal(&[&[7; 48]]).unwrap();
        assert!(bob.opener.open(header, &[&[7; 48]], &tag).is_ok());
        headers.push((header.epoch, header.number));
    }
    // Four blocks each: two in an epoch.
    assert_eq!(headers, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
    // What never fits is refused, and moves nothing.
    assert_eq!(alice.sealer.seal(&[&[7; 160]]).map(|(header, _)| header), Err(SealError::Limit));
    let (header, tag) = alice.sealer.seal(&[&[7; 144]]).unwrap();
    assert_eq!((header, alice.sealer.left()), (Header { epoch: 3, number: 0 }, 0));
    assert!(bob.opener.open(header, &[&[7; 144]], &tag).is_ok());
    let mut tags = [tag; 6];
    assert_eq!(alice.sealer.seal_many(&[&b"no room"[..]; 6], &mut tags), Err(SealError::Limit));
    assert_eq!(
        alice.sealer.seal_many(&[&b"5"[..]; 5], &mut tags[..5]),
        Ok(Header { epoch: 4, number: 0 })
    );
}

/// The budget is for all epochs together, and a link without room for an attempt examines nothing.
#[test]
fn budgets_close() {
    let (mut alice, mut bob) = ends();
    // Each attempt costs slightly more than 2^-60: seven fit.
    bob.opener = bob.opener.with_budget(Budget::close_at(57));
    let (header, tag) = alice.sealer.seal(&[b"good"]).unwrap();
    for epoch in [0, 1, 0, 5, 8, 1, 0] {
        let forged = Header { epoch, number: 0 };
        assert_eq!(bob.opener.open(forged, &[b"bad"], &tag), Err(Rejected::Forged));
    }
    assert!(bob.opener.is_closed());
    assert!(bob.opener.spent() >= Units(7 << 67) && bob.opener.spent() < Units(8 << 67));
    assert_eq!(bob.opener.open(header, &[b"good"], &tag), Err(Rejected::Closed));
    assert_eq!(
        bob.opener.open(Header { epoch: 2, ..header }, &[b"good"], &tag),
        Err(Rejected::Closed)
    );
    assert_eq!(bob.opener.counts().forged, 7);
    // What a link has without being told.
    let attempts = |exponent: u32, spent: Units| spent <= Units(Units::ONE.0 >> exponent);
    let mut short = link::<umac::Key<4>>(b"", Role::Responder);
    let tag = umac::Key::<4>::new(&[0; 16]).tag_packet(0, b"");
    while short.opener.open(Header { epoch: 0, number: 0 }, &[b""], &tag) == Err(Rejected::Forged) {
    }
    assert_eq!(short.opener.counts().forged, 1023);
    assert!(short.opener.is_closed() && attempts(20, short.opener.spent()));
    assert!(!link::<pmac::Key<Aes128, 16>>(b"", Role::Responder).opener.is_closed());
    assert!(!link::<Prefixed<Hmac<Sha256>, 16>>(b"", Role::Responder).opener.is_closed());
}

#[test]
fn packets_with_everything_in_one() {
    let (mut alice, mut bob) = ends();
    let mut packet = b"before".to_vec();
    alice.sealer.seal_packet(&[b"head", b"payload"], &mut packet).unwrap();
    let packet = &packet[6..];
    assert_eq!(packet.len(), 11 + Link::<Umac64>::OVERHEAD);
    assert_eq!(packet[..16], *b"\0\0\0\0\0\0\0\0\0\0\0\0head");
    for length in 0..packet.len() {
        let expected = if length < 20 { Rejected::TooShort } else { Rejected::Forged };
        assert_eq!(bob.opener.open_packet(&packet[..length]), Err(expected), "{length}");
    }
    for bit in 0..8 * packet.len() {
        let mut other = packet.to_vec();
        other[bit / 8] ^= 1 << (bit % 8);
        let expected =
            if bit < 24 || (28..32).contains(&bit) { Rejected::Outside } else { Rejected::Forged };
        assert_eq!(bob.opener.open_packet(&other), Err(expected), "{bit}");
    }
    assert_eq!(bob.opener.open_packet(packet).unwrap().message(), b"headpayload");
    assert_eq!(bob.opener.open_packet(packet), Err(Rejected::Replayed));
}

/// What `read` takes is refused if a bit is another, if it is cut or torn, and if there is more of it.
fn is_whole_or_refused<S>(bytes: &[u8], read: impl Fn(&[u8]) -> Result<S, InvalidSaved>) {
    let is_refused = |other: &[u8]| read(other).err() == Some(InvalidSaved);
    assert!(read(bytes).is_ok());
    for bit in 0..8 * bytes.len() {
        let mut other = bytes.to_vec();
        other[bit / 8] ^= 1 << (bit % 8);
        assert!(is_refused(&other), "bit {bit}");
    }
    for length in 0..bytes.len() {
        let torn = [&bytes[..length], &vec![0; bytes.len() - length]].concat();
        assert!(is_refused(&bytes[..length]) && (torn == bytes || is_refused(&torn)), "{length}");
    }
    assert!(is_refused(&[bytes, &[0]].concat()));
}

/// What is stored is whole, is of its kind, and belongs to its key.
#[test]
fn stored_halves() {
    let (alice, bob) = ends();
    let (mut sealer, mut opener) = (alice.sealer, bob.opener);
    let (mut of_sealer, mut of_opener) = (Vec::new(), Vec::new());
    sealer.reserve(5, 100, kept!(of_sealer: SavedSealer)).unwrap();
    opener.reserve(5, 5, 100, kept!(of_opener: SavedOpener)).unwrap();
    assert_eq!((of_sealer.len(), of_opener.len()), (SavedSealer::BYTES, SavedOpener::BYTES));
    is_whole_or_refused(&of_opener, SavedOpener::from_bytes);
    is_whole_or_refused(&of_sealer, SavedSealer::from_bytes);
    let key = Umac64::new(&[1; 16]);
    is_whole_or_refused(&Saved::starting_at(&key, 77).to_bytes(), Saved::from_bytes);
    let of_receiver = SavedReceiver::starting_at(&key, 77).to_bytes();
    is_whole_or_refused(&of_receiver, SavedReceiver::from_bytes);
    for length in 0..of_opener.len() {
        assert!(SavedSealer::from_bytes(&of_opener[..length]).is_err());
    }
    // The beginning of one kind before the end of the other, each of them whole.
    let (sealers, sender) = of_sealer.split_at(SavedSealer::BYTES - Saved::BYTES);
    let (openers, receiver) = of_opener.split_at(sealers.len());
    assert!(SavedSealer::from_bytes(&[openers, sender].concat()).is_err());
    assert!(SavedOpener::from_bytes(&[sealers, receiver].concat()).is_err());
    let sealer = || SavedSealer::from_bytes(&of_sealer).unwrap();
    let opener = || SavedOpener::from_bytes(&of_opener).unwrap();
    assert_eq!(Sealer::<umac::Key<16>>::restore(sealer()).err(), Some(WrongKey));
    assert_eq!(Opener::<umac::Key<16>>::restore(opener()).err(), Some(WrongKey));
    let sealer = Sealer::<Umac64>::restore(sealer()).unwrap();
    let opener: Opener<Umac64> = Opener::restore(opener()).unwrap();
    let mut link = Link { sealer, opener };
    assert_eq!(link.sealer.seal(&[b""]).map(|(header, _)| header), Err(SealError::NotReserved));
}

#[test]
fn other_keys_are_refused() {
    let (one, other) = (Umac64::new(&[1; 16]), Umac64::new(&[2; 16]));
    assert_ne!(one.key_id(), other.key_id());
    let saved = || Saved::from_bytes(&Saved::starting_at(&one, 7).to_bytes()).unwrap();
    assert_eq!(Sender::restore(&other, saved()).err(), Some(WrongKey));
    assert!(Sender::restore(&one, saved()).is_ok());
    let saved = || SavedReceiver::starting_at(&one, 7);
    let saved = || SavedReceiver::from_bytes(&saved().to_bytes()).unwrap();
    let budget = Budget::close_at(40);
    assert_eq!(Receiver::<_, 17>::restore(&other, saved(), budget).err(), Some(WrongKey));
    assert!(Receiver::<_, 17>::restore(&one, saved(), budget).is_ok());
    // Short tags have ids of 8 bytes, too.
    let (one, other) = (umac::Key::<4>::new(&[1; 16]), umac::Key::<4>::new(&[2; 16]));
    let differ =
        |range: std::ops::Range<usize>| one.key_id()[range.clone()] != other.key_id()[range];
    assert!(differ(0..4) && differ(4..8));
}

/// Threads that share a counter: each number once, none skipped, and not one beyond what may be used.
#[test]
fn threads_share_a_counter() {
    fn share<K: PacketMac + Sync>(key: &K, message: &[u8], threads: usize, limit: u64)
    where
        K::Tag: PartialEq + Send,
    {
        let sender = Sender::new(key, 5).with_limit(limit);
        let shared = SharedSender::new(sender);
        let sealed = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    let mut mine = Vec::new();
                    while let Ok(packet) = shared.seal(message) {
                        mine.push(packet);
                    }
                    assert_eq!(shared.seal(message).err(), Some(SealError::Limit));
                    sealed.lock().unwrap().extend(mine);
                });
            }
        });
        let mut sealed = sealed.into_inner().unwrap();
        sealed.sort_by_key(|(number, _)| *number);
        let count = sealed.len() as u64;
        let numbers: Vec<u64> = sealed.iter().map(|(number, _)| *number).collect();
        let distinct: HashSet<u64> = numbers.iter().copied().collect();
        assert_eq!(distinct.len(), numbers.len(), "a number twice");
        for (number, tag) in sealed {
            assert_eq!(tag, key.tag_packet(number, message));
        }
        let cost = K::cost(1, message.len() as u64);
        assert!(count * cost <= limit && count * cost + 2 * threads as u64 * cost > limit);
        let mut sender = shared.into_sender();
        assert!(sender.next_sequence().unwrap() >= 5 + count);
        assert!(sender.left() < cost || sender.seal(message).is_ok());
    }
    let umac = Umac64::new(&[1; 16]);
    let pmac = pmac::Key::<Aes128, 16>::new(&[1; 16]);
    for threads in [1, 2, 5] {
        share(&umac, b"a packet", threads, 3000);
        share(&pmac, &[7; 100], threads, 3000);
    }
}

/// A shared sender goes no further than what is stored.
#[test]
fn shared_senders_reserve() {
    let key = Umac64::new(&[1; 16]);
    let sender = Sender::restore(&key, Saved::starting_at(&key, 0)).unwrap();
    let mut shared = SharedSender::new(sender);
    assert_eq!(shared.seal(b"").err(), Some(SealError::NotReserved));
    let mut disk = Vec::new();
    let mut reserve = |shared: &mut SharedSender<_>, count| {
        let store = kept!(disk: Saved);
        shared.reserve(count, 0, store).unwrap();
        Saved::from_bytes(&disk).unwrap().next()
    };
    assert_eq!(reserve(&mut shared, 10), 10);
    let sealed: Vec<u64> = (0..).map_while(|_| Some(shared.seal(b"").ok()?.0)).collect();
    assert_eq!(sealed, (0..10).collect::<Vec<_>>());
    assert_eq!(shared.seal_parts(&[b"", b""]).err(), Some(SealError::NotReserved));
    assert_eq!(reserve(&mut shared, 2), 12);
    assert_eq!(shared.seal(b"").map(|(number, _)| number), Ok(10));
    let mut sender = shared.into_sender();
    assert_eq!(sender.seal(b"").map(|(number, _)| number), Ok(11));
    assert_eq!(sender.seal(b"").map(|(number, _)| number), Err(SealError::NotReserved));
}

/// The tests of the catalogue have the other keys.
#[test]
fn keys_keep_the_laws() {
    laws::check(&pmac::Key::<Aes256, 5>::new(&[1; 32]));
    laws::check(&Prefixed::<Hmac<Sha256>, 16>::from_slice(&[1; 32]).unwrap());
    laws::check(&std::sync::Arc::new(Umac64::new(&[1; 16])));
}

/// What breaks a law is found.
#[test]
fn broken_keys_are_found() {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    #[derive(Clone, Copy)]
    enum Fault {
        None,
        NoNumber,
        NoParts,
        Batch,
        Cheap,
        NoPrice,
    }
    struct Broken(Umac64, Fault);
    impl PacketMac for Broken {
        type Tag = wegman::Tag<8>;
        type Ahead = ();
        const LIMIT: u64 = 1 << 40;
        fn cost(messages: u64, bytes: u64) -> u64 {
            wegman::bound::blocks(messages, bytes, 0, 16)
        }
        fn forgery<P: wegman::bound::Probability>(&self, history: &wegman::bound::History) -> P {
            let attempts = match self.1 {
                Fault::NoPrice => 0,
                Fault::Cheap => history.tried.messages.min(100),
                _ => history.tried.messages,
            };
            wegman::bound::guesses(attempts.into(), 60)
        }
        fn key_id(&self) -> [u8; 8] {
            self.0.key_id()
        }
        fn tag_packet(&self, sequence: u64, message: &[u8]) -> Self::Tag {
            let number = if matches!(self.1, Fault::NoNumber) { 1 } else { sequence };
            self.0.tag_packet(number, message)
        }
        fn tag_packet_parts(&self, sequence: u64, parts: &[&[u8]]) -> Self::Tag {
            match self.1 {
                Fault::NoParts => self.tag_packet(sequence, parts.first().unwrap_or(&&[][..])),
                _ => self.tag_packet(sequence, &parts.concat()),
            }
        }
        fn tag_packets(&self, first: u64, messages: &[&[u8]], tags: &mut [Self::Tag]) {
            let shift = u64::from(matches!(self.1, Fault::Batch) && messages.len() > 7);
            for ((count, message), tag) in (shift..).zip(messages).zip(tags) {
                *tag = self.tag_packet(first + count, message);
            }
        }
        fn ahead(&self) {}
    }
    let holds = |fault| {
        let key = Broken(Umac64::new(&[1; 16]), fault);
        catch_unwind(AssertUnwindSafe(|| laws::check(&key))).is_ok()
    };
    assert!(holds(Fault::None));
    for fault in [Fault::NoNumber, Fault::NoParts, Fault::Batch, Fault::Cheap, Fault::NoPrice] {
        assert!(!holds(fault));
    }
}

/// HMAC of the crate, with the number before the message.
#[test]
fn prefixed_is_the_crates_mac() {
    use hmac::Mac;
    let key = Prefixed::<Hmac<Sha256>, 16>::from_slice(&[7; 32]).unwrap();
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&[7; 32]).unwrap();
    mac.update(&[0, 0, 0, 0, 0, 0, 0, 5]);
    mac.update(b"a message");
    let whole = mac.finalize().into_bytes();
    assert_eq!(key.tag_packet(5, b"a message").to_bytes(), whole[..16]);
    let mut sender = Sender::new(&key, 1);
    let mut receiver: Receiver<_> = Receiver::new(&key, 1, Budget::close_at(40));
    let (number, tag) = sender.seal_parts(&[b"a ", b"message"]).unwrap();
    assert_eq!(receiver.open(number, b"a message", &tag).unwrap().message(), b"a message");
}

/// At the ends of numbers and limits, a shared sender goes no further than its sender, and gives it back as it was.
#[test]
fn shared_senders_at_the_end() {
    let umac = Umac64::new(&[1; 16]);
    let pmac = pmac::Key::<Aes128, 16>::new(&[1; 16]);
    fn near_the_end<K: PacketMac>(key: &K) {
        let first = u64::MAX - (1 << 32);
        let mut sender = Sender::new(key, first);
        for _ in 0..10 {
            let _ = sender.seal(b"").unwrap();
        }
        let shared = SharedSender::new(sender);
        assert!(shared.seal(b"").is_err());
        assert_eq!(shared.into_sender().next_sequence(), Some(first + 10));
    }
    near_the_end(&umac);
    near_the_end(&pmac);
    // A reservation that is larger than the limit, and a limit below what is spent.
    let mut disk = Vec::new();
    let sender = Sender::restore(&umac, Saved::starting_at(&umac, 0)).unwrap();
    let mut sender = sender.with_limit(500);
    let mut store = kept!(disk: Saved);
    sender.reserve(1000, 0, &mut store).unwrap();
    let saved = Saved::from_bytes(&disk).unwrap();
    let mut shared = SharedSender::new(Sender::restore(&umac, saved).unwrap());
    shared.reserve(100_000, 0, |_| Ok::<_, ()>(())).unwrap();
    assert_eq!(shared.seal(b"").err(), Some(SealError::Limit));
    for limit in [0, 5, 10] {
        let mut sender = Sender::new(&pmac, 0);
        for _ in 0..5 {
            let _ = sender.seal(&[7; 16]).unwrap();
        }
        let shared = SharedSender::new(sender.with_limit(limit));
        assert_eq!(shared.seal(b"").err(), Some(SealError::Limit));
        assert_eq!(shared.into_sender().left(), 0);
    }
}

/// A packet is opened after two reservations more: if it is longer than what was reserved for attempts, and then, being
/// authentic, if its number is not reserved. Fuzzing found that wegman.h promised one.
#[test]
fn long_packets_are_examined() {
    type Pmac = pmac::Key<Aes128, 16>;
    let mut alice = link::<Pmac>(b"", Role::Initiator);
    let mut bob = link::<Pmac>(b"", Role::Responder);
    let _ = alice.sealer.seal(&[]).unwrap();
    let long = [7; 60_000];
    let (header, tag) = alice.sealer.seal(&[&long]).unwrap();
    for _ in 0..2 {
        bob.opener.reserve(1, 10, 100, |_| Ok::<_, ()>(())).unwrap();
        assert_eq!(bob.opener.open(header, &[&long], &tag), Err(Rejected::NotReserved));
    }
    bob.opener.reserve(1, 10, 100, |_| Ok::<_, ()>(())).unwrap();
    assert!(bob.opener.open(header, &[&long], &tag).is_ok());
    // What never fits begins no epoch.
    let mut alice = alice.with_epoch_limit(100);
    for _ in 0..9 {
        assert_eq!(alice.sealer.seal(&[&long]).map(|(header, _)| header), Err(SealError::Limit));
    }
    assert_eq!(alice.sealer.epoch(), 0);
    for _ in 0..20 {
        alice.sealer.rekey().unwrap();
    }
    assert_eq!(alice.sealer.epoch(), 1);
}

/// The bound of PMAC grows with the square of what is tried: restarts must not begin it again.
#[test]
fn restarts_keep_the_bound() {
    use wegman::bound::{History, Traffic};
    type Pmac = pmac::Key<Aes128, 16>;
    let budget = Budget::close_at(110);
    let opener = link::<Pmac>(b"", Role::Responder).with_epoch_limit(1).opener;
    let mut opener = opener.with_budget(budget);
    let tag = pmac::Key::<Aes128, 16>::new(&[0; 16]).tag_packet(0, b"");
    let mut disk = Vec::new();
    let mut tried = 0_u64;
    for _ in 0..40 {
        let store = kept!(disk: SavedOpener);
        opener.reserve(0, 32, 32 * 16, store).unwrap();
        // All at one epoch ahead.
        let header = Header { epoch: 3, number: 5 };
        while opener.open(header, &[&[1; 16]], &tag) == Err(Rejected::Forged) {
            tried += 1;
        }
        let saved = SavedOpener::from_bytes(&disk).unwrap();
        opener = Opener::restore(saved).unwrap().with_budget(budget);
    }
    let key = pmac::Key::<Aes128, 16>::new(&[0; 16]);
    let history = History {
        tagged: Traffic { messages: 1, cost: 1 },
        tried: Traffic { messages: tried, cost: tried * Pmac::cost(1, 16) },
        longest: u64::MAX,
    };
    assert!(tried > 30, "{tried}");
    assert!(key.forgery::<Units>(&history) <= Units(Units::ONE.0 >> 110), "{tried}");
}

/// A batch that would take a number above those that are stored is refused, as one message is.
#[test]
fn batches_keep_to_what_is_reserved() {
    let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
    let mut sender = Sender::new(&key, 0);
    let mut stored = Vec::new();
    let mut reserve = |sender: &mut Sender<_>| sender.reserve(10, 1 << 20, kept!(stored: Saved));
    reserve(&mut sender).unwrap();
    for number in 0..9 {
        assert_eq!(sender.seal(b"a message").map(|(number, _)| number), Ok(number));
    }
    let mut tags = [key.tag(b""); 2];
    assert_eq!(sender.seal_many(&[b"a", b"b"], &mut tags), Err(SealError::NotReserved));
    assert_eq!(tags, [key.tag(b""); 2]);
    assert_eq!(sender.seal(b"a message").map(|(number, _)| number), Ok(9));
    assert_eq!(sender.seal(b"a message").map(drop), Err(SealError::NotReserved));
}

/// A limit that is lowered after a reservation is stored before anything is sealed under it.
#[test]
fn a_lowered_limit_is_stored() {
    let key = Umac64::new(b"sixteen byte key");
    let mut stored = Vec::new();
    let mut reserve = |sender: &mut Sender<_>| sender.reserve(100, 1 << 20, kept!(stored: Saved));
    let mut sender = Sender::new(&key, 0);
    reserve(&mut sender).unwrap();
    assert!(sender.seal(b"a message").is_ok());
    let mut sender = sender.with_limit(2);
    assert_eq!(sender.seal(b"a message").map(drop), Err(SealError::NotReserved));
    reserve(&mut sender).unwrap();
    assert_eq!(sender.seal(b"a message").map(|(number, _)| number), Ok(1));
    let saved = Saved::from_bytes(&stored).unwrap();
    let mut restored = Sender::restore(&key, saved).unwrap();
    restored.reserve(100, 1 << 20, |_| Ok::<_, ()>(())).unwrap();
    assert_eq!(restored.seal(b"a message").map(drop), Err(SealError::Limit));
}

/// A number under PMAC, whose attempts cost by the block.
fn pmac_receiver(key: &pmac::Key<Aes128, 16>) -> Receiver<&pmac::Key<Aes128, 16>> {
    Receiver::new(key, 0, Budget::log_only(0))
}

#[test]
fn a_receiver_whose_first_reservation_failed_tries_nothing() {
    let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
    let mut receiver = pmac_receiver(&key);
    let forged = key.tag(b"another message");
    assert_eq!(receiver.open(0, b"a message", &forged), Err(Rejected::Forged));
    assert_eq!(receiver.reserve(10, 10, 1000, |_| Err(())), Err(ReserveError::Store(())));
    assert_eq!(receiver.open(1, b"a message", &forged), Err(Rejected::NotReserved));
}

#[test]
fn a_packet_that_was_put_off_is_covered_by_the_next_reservation() {
    let key = pmac::Key::<Aes128, 16>::new(b"sixteen byte key");
    let mut receiver = pmac_receiver(&key);
    let reserve = |receiver: &mut Receiver<_>, numbers, attempts| {
        receiver.reserve(numbers, attempts, 16, |_| Ok::<_, ()>(())).unwrap();
    };
    // By its length: attempts of 16 bytes were reserved, and one of 5000 costs more.
    reserve(&mut receiver, 100, 1);
    let long = [7; 5000];
    let forged = key.tag(b"another message");
    assert_eq!(receiver.open(1, &long, &forged), Err(Rejected::NotReserved));
    reserve(&mut receiver, 100, 1);
    assert_eq!(receiver.open(1, &long, &forged), Err(Rejected::Forged));
    // By its number, even if no further ones are asked for.
    reserve(&mut receiver, 100, 9);
    let tag = PacketMac::tag_packet(&key, 5000, b"far ahead");
    assert_eq!(receiver.open(5000, b"far ahead", &tag).map(drop), Err(Rejected::NotReserved));
    reserve(&mut receiver, 0, 9);
    assert_eq!(receiver.open(5000, b"far ahead", &tag).map(drop), Ok(()));
}
