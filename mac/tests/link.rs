//! Links against a model that remembers every packet: both directions at once, loss, reordering, replay, forgery, reflection,
//! rekeys, lost rekeys, restarts from storage that fails; and what is forged is never accepted, whatever the model says.

use std::collections::{HashMap, HashSet, VecDeque};
use wegman::bound::{History, Probability, Traffic, Units};
use wegman::session::{
    Authentic, Budget, Header, Link, LinkKey, Opener, Rejected, Role, SavedOpener, SavedSealer,
    SealError, Sealer,
};
use wegman::{Aes128, pmac, umac};
use wegman_reference::inputs::Random;

const SECRET: [u8; 32] = *b"thirty-two bytes, for tests only";
const AHEAD: u32 = 8;

type Short<K> = Opener<K, 2>;

/// A packet on its way: what was sealed, or something like it.
#[derive(Clone)]
struct Packet<T> {
    header: Header,
    message: [u8; 24],
    cut: usize,
    tag: T,
}

/// The behavior of a half that opens, in the simplest form.
#[derive(Default)]
struct Model {
    present: u32,
    previous: Option<u32>,
    /// The smallest number that an epoch takes, and the largest that it has accepted.
    first: HashMap<u32, u64>,
    top: HashMap<u32, u64>,
    /// Since the last restart.
    accepted: HashSet<Header>,
    /// Attempts in each epoch since the epoch began.
    tried: HashMap<u32, Traffic>,
    /// What was stored as spent elsewhere at the last restart, the epoch that was stored, and what may have been tried
    /// before in it and in others.
    before: u128,
    restored: Option<u32>,
    floors: [Traffic; 2],
    /// Attempts at other epochs than the stored one that are left.
    left: u64,
    covered: Option<Stored>,
    wanted: Option<u64>,
}

#[derive(Clone, Copy)]
struct Stored {
    epoch: u32,
    end: u64,
    tried: Traffic,
    elsewhere: Units,
    floors: [Traffic; 2],
}

const SIZE: u64 = 64;

impl Model {
    fn first_of(&self, epoch: u32) -> u64 {
        *self.first.get(&epoch).unwrap_or(&0)
    }

    fn tried_in(&self, epoch: u32) -> Traffic {
        *self.tried.get(&epoch).unwrap_or(&self.floor_of(epoch))
    }

    fn floor_of(&self, epoch: u32) -> Traffic {
        self.floors[usize::from(self.restored != Some(epoch))]
    }

    /// What is spent in all epochs but one, by a function that prices an epoch.
    fn elsewhere(&self, epoch: u32, price: &impl Fn(Traffic) -> Units) -> Units {
        let others = self.tried.iter().filter(|(other, _)| **other != epoch);
        others.fold(Units(self.before), |sum, (epoch, tried)| {
            let Units(base) = price(self.floor_of(*epoch));
            sum.plus(Units(price(*tried).0 - base))
        })
    }

    fn open(
        &mut self,
        header: Header,
        is_right: bool,
        attempt: Traffic,
        price: &impl Fn(Traffic) -> Units,
    ) -> Result<(), Rejected> {
        let Header { epoch, number } = header;
        if epoch > self.present.saturating_add(AHEAD) {
            return Err(Rejected::Outside);
        }
        if epoch < self.present && self.previous != Some(epoch) {
            return Err(Rejected::TooOld);
        }
        if number >= wegman::session::END {
            return Err(Rejected::Outside);
        }
        let behind = self.top.get(&epoch).is_some_and(|top| number + SIZE <= *top);
        if number < self.first_of(epoch) || behind {
            return Err(Rejected::TooOld);
        }
        if self.accepted.contains(&header) {
            return Err(Rejected::Replayed);
        }
        let then = self.tried_in(epoch).plus(attempt);
        if let Some(stored) = self.covered {
            let is_reserved = if stored.epoch == epoch {
                then.messages <= stored.tried.messages && then.cost <= stored.tried.cost
            } else {
                let Units(now) = price(self.tried_in(epoch));
                let more = Units(price(then).0 - now);
                self.left > 0 && self.elsewhere(stored.epoch, price).plus(more) <= stored.elsewhere
            };
            if !is_reserved {
                return Err(Rejected::NotReserved);
            }
        }
        if !is_right {
            self.tried.insert(epoch, then);
            self.left -= u64::from(self.covered.is_some_and(|stored| stored.epoch != epoch));
            return Err(Rejected::Forged);
        }
        if epoch > self.present {
            self.previous = Some(self.present);
            self.present = epoch;
            self.wanted = None;
        }
        if let Some(stored) = self.covered {
            let is_stored =
                if stored.epoch == epoch { number < stored.end } else { epoch < stored.epoch };
            if !is_stored {
                if epoch == self.present {
                    self.wanted = self.wanted.max(Some(number));
                }
                return Err(Rejected::NotReserved);
            }
        }
        self.accepted.insert(header);
        let top = self.top.entry(epoch).or_insert(number);
        *top = number.max(*top);
        if epoch == self.present && *top >= SIZE {
            self.previous = None;
        }
        Ok(())
    }
}

/// One direction: who seals, who opens, and what is between them.
struct Direction<K: LinkKey> {
    sealer: Sealer<K>,
    opener: Short<K>,
    model: Model,
    disk: [Option<Vec<u8>>; 2],
    under_way: VecDeque<Packet<K::Tag>>,
    /// Packets that once arrived, to be replayed.
    old: VecDeque<Packet<K::Tag>>,
    /// Everything that was ever sealed, and ever accepted, over all restarts.
    sealed: HashSet<Header>,
    ever: HashSet<Header>,
}

#[derive(Default, Debug)]
struct Seen {
    events: u64,
    sealed: u64,
    accepted: u64,
    replayed: u64,
    too_old: u64,
    forged: u64,
    outside: u64,
    not_reserved: u64,
    rekeys: u64,
    restarts: u64,
    skipped: u64,
    reflected: u64,
    short: u64,
    short_before_skipped: u64,
}

fn price<K: LinkKey>(key: &K, limit: u64) -> impl Fn(Traffic) -> Units {
    move |tried| {
        let tagged = Traffic { messages: limit, cost: limit };
        key.forgery::<Units>(&History { tagged, tried, longest: K::LONGEST })
    }
}

/// Both directions of a link, for so many events. `stored`: with storage and restarts.
fn talk<K: LinkKey>(seed: u64, events: u64, stored: bool) -> Seen {
    let random = &mut Random(seed);
    let limit = 5_000;
    let key = K::from_secret(&[1; 64][..K::KEY_BYTES]);
    let price = price(&key, limit);
    let mut seen = Seen::default();
    let end = |role| Link::<K, 2>::new(&SECRET, b"model", role).with_epoch_limit(limit);
    let (a, b) = (end(Role::Initiator), end(Role::Responder));
    let direction = |sealer, opener: Short<K>| Direction::<K> {
        sealer,
        opener: opener.with_budget(Budget::log_only(120)),
        model: Model::default(),
        disk: [None, None],
        under_way: VecDeque::new(),
        old: VecDeque::new(),
        sealed: HashSet::new(),
        ever: HashSet::new(),
    };
    let mut directions = [direction(a.sealer, b.opener), direction(b.sealer, a.opener)];
    if stored {
        for direction in &mut directions {
            let [sealer, opener] = &mut direction.disk;
            let keep = |disk: &mut Option<Vec<u8>>, bytes: &[u8]| {
                *disk = Some(bytes.to_vec());
                Ok::<_, ()>(())
            };
            direction.sealer.reserve(0, 0, |saved| keep(sealer, &*saved.to_bytes())).unwrap();
            direction.opener.reserve(0, 0, 0, |saved| keep(opener, &*saved.to_bytes())).unwrap();
            let elsewhere = Units(0);
            direction.model.covered = Some(Stored {
                epoch: 0,
                end: 0,
                tried: Traffic::NONE,
                elsewhere,
                floors: [Traffic::NONE; 2],
            });
        }
    }
    for _ in 0..events {
        seen.events += 1;
        let i = random.upto(1);
        let other_old = {
            let other = &directions[1 - i];
            let count = other.old.len();
            (count > 0).then(|| other.old[random.upto(count - 1)].clone())
        };
        let direction = &mut directions[i];
        match random.upto(999) {
            0..=429 => seal(direction, random, &mut seen),
            430..=859 => arrive(direction, random, &price, &mut seen, None),
            860..=869 => arrive(direction, random, &price, &mut seen, other_old),
            // Some are lost at once.
            870..=877 => {
                let lost = random.upto(direction.under_way.len());
                direction.under_way.drain(..lost).count();
            }
            878..=879 => {
                // Now and then several in a row, of which the other end sees only the last.
                let many = if random.upto(9) == 0 { random.upto(3) } else { 1 };
                for _ in 0..many {
                    let before = direction.sealer.epoch();
                    direction.sealer.rekey().unwrap();
                    seen.rekeys += u64::from(direction.sealer.epoch() > before);
                    // Lost: the next rekey has something to change.
                    if let Ok((header, _)) = direction.sealer.seal(&[b"lost"]) {
                        assert!(direction.sealed.insert(header), "{header:?} twice");
                    }
                }
            }
            880..=881 if random.upto(9) == 0 => {
                direction.opener.forget_previous();
                direction.model.previous = None;
            }
            882..=959 if stored => reserve(direction, random, &price),
            960 if stored => {
                seen.restarts += 1;
                restart(direction, random, limit, price(Traffic::NONE));
            }
            _ => burst(direction, random, &price, &mut seen),
        }
    }
    for direction in &directions {
        let model = &direction.model;
        let base = price(Traffic::NONE);
        let attempts = model.elsewhere(u32::MAX, &price);
        let bases = base.times(u128::from(model.present + 1 + AHEAD));
        assert_eq!(direction.opener.spent(), attempts.plus(bases));
    }
    seen
}

fn seal<K: LinkKey>(direction: &mut Direction<K>, random: &mut Random, seen: &mut Seen) {
    let message: [u8; 24] = random.bytes();
    let cut = random.upto(24);
    let (start, rest) = message.split_at(cut);
    let epoch = direction.sealer.epoch();
    match direction.sealer.seal(&[start, rest]) {
        Ok((header, tag)) => {
            assert!(direction.sealed.insert(header), "{header:?} twice");
            seen.sealed += 1;
            seen.rekeys += u64::from(header.epoch > epoch);
            direction.under_way.push_back(Packet { header, message, cut, tag });
        }
        Err(SealError::NotReserved) => {}
        Err(error) => panic!("{error}"),
    }
}

/// A packet arrives: genuine, late, again, forged, or from the other direction.
fn arrive<K: LinkKey>(
    direction: &mut Direction<K>,
    random: &mut Random,
    price: &impl Fn(Traffic) -> Units,
    seen: &mut Seen,
    reflected: Option<Packet<K::Tag>>,
) {
    let Direction { opener, model, under_way, old, .. } = direction;
    let is_reflected = reflected.is_some();
    let mut packet = match (reflected, random.upto(9)) {
        (Some(packet), _) => packet,
        (None, 0..=1) if !old.is_empty() => old[random.upto(old.len() - 1)].clone(),
        (None, _) => {
            let near = under_way.len().min(if random.upto(20) == 0 { 200 } else { 5 });
            let Some(packet) = (near > 0).then(|| under_way.remove(random.upto(near - 1)).unwrap())
            else {
                return;
            };
            old.push_back(packet.clone());
            if old.len() > 500 {
                old.pop_front();
            }
            packet
        }
    };
    let mut is_right = !is_reflected;
    let original = (packet.header, packet.message);
    if !is_reflected && random.upto(9) == 0 {
        match random.upto(7) {
            0 => packet.message[random.upto(23)] ^= 1 << random.upto(7),
            1 => packet.header.number ^= 1 << random.upto(62),
            2 => packet.header.epoch ^= 1 << random.upto(31),
            3 => packet.header.epoch = packet.header.epoch.wrapping_add(1 + random.upto(9) as u32),
            4 => packet.header.epoch = packet.header.epoch.wrapping_sub(1),
            5 => packet.header.number = packet.header.number.wrapping_sub(1),
            6 => packet.header.number = random.word(),
            _ => {
                packet.message[random.upto(23)] =
                    packet.message[0].wrapping_add(1 + random.upto(200) as u8);
            }
        }
        // What was changed to the same is right.
        is_right = (packet.header, packet.message) == original;
    } else if !is_reflected && random.upto(1) == 0 {
        // A header that travels short is found again, if it is not too far away.
        let near = model.top.get(&packet.header.epoch).copied().unwrap_or(0);
        let is_near = packet.header.number + SIZE > near && packet.header.number < near + (1 << 20);
        let epoch = packet.header.epoch;
        // The epoch before may be one that was followed by lost ones.
        let is_known =
            model.previous == Some(epoch) || (model.present..model.present + 200).contains(&epoch);
        if is_near && packet.header.number >= model.first_of(epoch) && is_known {
            assert_eq!(opener.extend(packet.header.to_short()), Some(packet.header));
            seen.short += 1;
            seen.short_before_skipped += u64::from(epoch + 1 < model.present);
        }
    }
    deliver(direction, &packet, is_right, price, seen);
    seen.reflected += u64::from(is_reflected);
}

fn deliver<K: LinkKey>(
    direction: &mut Direction<K>,
    packet: &Packet<K::Tag>,
    is_right: bool,
    price: &impl Fn(Traffic) -> Units,
    seen: &mut Seen,
) {
    let Packet { header, message, cut, tag } = packet;
    let attempt = Traffic { messages: 1, cost: K::cost(1, 24) };
    let before = direction.model.present;
    let expected = direction.model.open(*header, is_right, attempt, price);
    seen.skipped += u64::from(direction.model.present > before + 1);
    let (start, rest) = message.split_at(*cut);
    let outcome = direction.opener.open(*header, &[start, rest], tag);
    assert_eq!(outcome.map(Authentic::parts), expected.map(|()| [start, rest]), "{header:?}");
    judge(direction, *header, expected, seen);
    assert_eq!(direction.opener.epoch(), direction.model.present);
}

/// Whatever the model says: nothing is accepted that was not sealed, and nothing twice.
fn judge<K: LinkKey>(
    direction: &mut Direction<K>,
    header: Header,
    outcome: Result<(), Rejected>,
    seen: &mut Seen,
) {
    match outcome {
        Ok(()) => {
            assert!(
                direction.sealed.contains(&header) && direction.ever.insert(header),
                "{header:?}"
            );
            seen.accepted += 1;
        }
        Err(Rejected::Replayed) => seen.replayed += 1,
        Err(Rejected::TooOld) => seen.too_old += 1,
        Err(Rejected::Forged) => seen.forged += 1,
        Err(Rejected::Outside) => seen.outside += 1,
        Err(Rejected::NotReserved) => seen.not_reserved += 1,
        Err(other) => panic!("{other}"),
    }
}

/// Packets arrive as a batch of whole messages.
fn burst<K: LinkKey>(
    direction: &mut Direction<K>,
    random: &mut Random,
    price: &impl Fn(Traffic) -> Units,
    seen: &mut Seen,
) {
    let count = random.upto(40).min(direction.under_way.len());
    let mut packets: Vec<Packet<K::Tag>> = direction.under_way.drain(..count).collect();
    let mut are_right = vec![true; count];
    for (packet, is_right) in packets.iter_mut().zip(&mut are_right) {
        if random.upto(19) == 0 {
            packet.message[random.upto(23)] ^= 0x10;
            *is_right = false;
        }
    }
    if count > 2 && random.upto(1) == 0 {
        let again = random.upto(count - 1);
        packets.push(packets[again].clone());
        are_right.push(are_right[again]);
    }
    let attempt = Traffic { messages: 1, cost: K::cost(1, 24) };
    let batch: Vec<_> =
        packets.iter().map(|packet| (packet.header, &packet.message[..], packet.tag)).collect();
    let mut outcomes = vec![Err(Rejected::Closed); batch.len()];
    direction.opener.open_many(&batch, &mut outcomes);
    for ((packet, is_right), outcome) in packets.iter().zip(are_right).zip(outcomes) {
        let expected = direction.model.open(packet.header, is_right, attempt, price);
        assert_eq!(outcome.map(Authentic::message), expected.map(|()| &packet.message[..]));
        judge(direction, packet.header, expected, seen);
    }
}

/// Either half reserves; now and then storage fails, before or after it has stored.
fn reserve<K: LinkKey>(
    direction: &mut Direction<K>,
    random: &mut Random,
    price: &impl Fn(Traffic) -> Units,
) {
    let (fails, stores) = (random.upto(5) == 0, random.upto(1) == 0);
    let mut disk = None;
    let store = |bytes: &[u8]| {
        if !fails || stores {
            disk = Some(bytes.to_vec());
        }
        if fails { Err(()) } else { Ok(()) }
    };
    let numbers = random.word() % 300;
    if random.upto(1) == 0 {
        let outcome = direction.sealer.reserve(numbers, 0, |saved| {
            let mut store = store;
            store(&*saved.to_bytes())
        });
        let enough = direction.sealer.reserve(0, 0, |_| Err(())).is_err();
        assert!(outcome.is_err() == fails && enough);
        if let Some(bytes) = disk {
            direction.disk[0] = Some(bytes);
        }
        return;
    }
    let attempts = random.word() % 20;
    let bytes = 24 * attempts;
    let outcome = direction.opener.reserve(numbers, attempts, bytes, |saved| {
        let mut store = store;
        store(&*saved.to_bytes())
    });
    assert_eq!(outcome.is_err(), fails);
    if let Some(bytes) = disk {
        direction.disk[1] = Some(bytes);
    }
    if fails {
        return;
    }
    let (spent, opener) = (direction.opener.spent(), &direction.opener);
    assert_eq!(opener.spent(), spent);
    let bytes = direction.disk[1].as_ref().expect("just stored");
    let stored = what_is_stored(bytes);
    let model = &mut direction.model;
    assert_eq!(stored.epoch, model.present);
    let first = model.first_of(model.present);
    let fresh = model.top.get(&model.present).map_or(first, |top| first.max(top + 1));
    let covered = model.covered.expect("stored from the beginning");
    let same = if covered.epoch == model.present { covered.end } else { 0 };
    let wanted = model.wanted.map_or(0, |number| number + 1);
    assert_eq!(stored.end, (fresh.max(wanted) + numbers).max(same));
    // At least what is spent, and what the attempts may spend.
    let tried = model.tried_in(model.present);
    assert!(stored.tried.messages >= tried.messages + attempts);
    let more = Traffic { messages: attempts, cost: K::cost(attempts, 24 * attempts) };
    let allowance = price(more).0 - price(Traffic::NONE).0;
    // Differences of rounded numbers.
    assert!(stored.elsewhere.0 + 4 >= model.elsewhere(model.present, price).0 + allowance);
    // In any other epoch, no more has been tried than what is stored, and what may be until the next time.
    for (epoch, tried) in &model.tried {
        let most = stored.floors[1];
        assert!(*epoch <= model.present || tried.messages + attempts <= most.messages);
    }
    assert_eq!(stored.floors[0], model.floor_of(model.present));
    // More is stored than is allowed: if storing had failed, what was allowed before would be.
    let before = if covered.epoch == model.present { covered.tried } else { Traffic::NONE };
    model.covered = Some(Stored { tried: tried.plus(more).max(before), ..stored });
    model.left = attempts;
}

/// Reads the words of a stored opener at their places.
fn what_is_stored(bytes: &[u8]) -> Stored {
    let word = |i: usize| u64::from_be_bytes(bytes[8 * i..][..8].try_into().unwrap());
    // Kind, epoch, four of the chain, sum; kind, key, first, end, messages, cost, two of prefixes, limit, longest, sum;
    // elsewhere, floors.
    Stored {
        epoch: word(1) as u32,
        end: word(9),
        tried: Traffic { messages: word(11), cost: word(12) },
        elsewhere: Units(u128::from(word(18)) << 64 | u128::from(word(19))),
        floors: [20, 22].map(|i| Traffic { messages: word(i), cost: word(i + 1) }),
    }
}

/// One of the halves crashes and continues from what is stored.
fn restart<K: LinkKey>(direction: &mut Direction<K>, random: &mut Random, limit: u64, base: Units) {
    let Direction { sealer, opener, model, disk: [of_sealer, of_opener], .. } = direction;
    if random.upto(1) == 0 {
        let saved = SavedSealer::from_bytes(of_sealer.as_ref().unwrap()).unwrap();
        *sealer = Sealer::restore(saved).unwrap().with_epoch_limit(limit);
        assert!(matches!(sealer.seal(&[]), Err(SealError::NotReserved)));
        return;
    }
    let bytes = of_opener.as_ref().unwrap();
    let before = opener.spent();
    *opener = Opener::restore(SavedOpener::from_bytes(bytes).unwrap())
        .unwrap()
        .with_budget(Budget::log_only(120))
        .with_epoch_limit(limit);
    let stored = what_is_stored(bytes);
    // The base of an epoch that began after the last store counts again when it begins again.
    let Units(base) = base;
    let bases = base * u128::from(model.present - stored.epoch);
    assert!(opener.spent().0 + bases >= before.0, "what was spent is not forgotten");
    *model = Model { present: stored.epoch, ..Model::default() };
    model.first.insert(stored.epoch, stored.end);
    model.tried.insert(stored.epoch, stored.tried);
    model.before = stored.elsewhere.0;
    model.restored = Some(stored.epoch);
    model.floors = stored.floors;
    model.covered = Some(stored);
}

fn in_threads(events: u64, seeds: core::ops::Range<u64>, stored: bool) {
    let total = std::thread::scope(|scope| {
        let threads: Vec<_> = seeds
            .map(|seed| scope.spawn(move || talk::<umac::Key<8>>(seed, events, stored)))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for seen in &total {
        println!("{seen:?}");
        assert!(seen.events == events && seen.accepted > events / 5, "{seen:?}");
        assert!(seen.forged > events / 200 && seen.replayed > events / 200, "{seen:?}");
        assert!(seen.too_old > 0 && seen.outside > 0 && seen.reflected > 0, "{seen:?}");
        assert!(seen.rekeys > events / 2000 && seen.skipped > 0, "{seen:?}");
        assert!(seen.short > 0 && seen.short_before_skipped > 0, "{seen:?}");
        assert_eq!(stored, seen.restarts > 0 && seen.not_reserved > 0, "{seen:?}");
    }
}

#[test]
fn ten_million_events() {
    in_threads(2_500_000, 0..2, false);
    in_threads(2_500_000, 2..4, true);
}

#[test]
fn other_macs() {
    talk::<umac::Key<16, 12>>(10, 100_000, true);
    talk::<pmac::Key<Aes128, 16>>(11, 100_000, false);
    talk::<pmac::Key<Aes128, 12>>(12, 100_000, true);
}

/// Bytes may be reserved without messages. After a crash they count, and the key has no room for its first message.
/// Fuzzing found a half that could then never seal again, because a key without messages was never replaced.
#[test]
fn a_key_without_room_for_its_first_message_is_left() {
    type Key = pmac::Key<Aes128, 8>;
    let link = Link::<Key>::new(&SECRET, b"context", Role::Initiator).with_epoch_limit(100);
    let mut sealer = link.sealer;
    let mut kept = Vec::new();
    let store = |saved: &SavedSealer| {
        kept = saved.to_bytes().to_vec();
        Ok::<_, ()>(())
    };
    sealer.reserve(0, 1 << 20, store).unwrap();
    let mut sealer = Sealer::<Key>::restore(SavedSealer::from_bytes(&kept).unwrap()).unwrap();
    let refused = sealer.seal(&[b"a message"]).map(|(header, _)| header);
    assert_eq!(refused, Err(SealError::NotReserved), "the next key needs numbers, too");
    sealer.reserve(1, 9, |_| Ok::<_, ()>(())).unwrap();
    let sealed = sealer.seal(&[b"a message"]).map(|(header, _)| header);
    assert_eq!(sealed, Ok(Header { epoch: 1, number: 0 }));
}

/// Whatever forged headers have named before, no epoch takes longer messages than the present one of that time.
#[test]
fn a_forged_header_lengthens_no_message() {
    let new = |role| Link::<umac::Key<8>>::new(&SECRET, b"x", role);
    let (mut alice, mut bob) = (new(Role::Initiator), new(Role::Responder));
    let (_, tag) = alice.sealer.seal(&[b"a"]).unwrap();
    assert!(bob.opener.open(Header { epoch: 1, number: 0 }, &[b"x"], &tag).is_err());
    bob = bob.with_longest(100);
    for epoch in 1..4 {
        alice.sealer.rekey().unwrap();
        let (header, tag) = alice.sealer.seal(&[b"b"]).unwrap();
        assert!(bob.opener.open(header, &[b"b"], &tag).is_ok());
        let (header, tag) = alice.sealer.seal(&[&[5; 200]]).unwrap();
        let found = bob.opener.open(header, &[&[5; 200]], &tag).err();
        // The epoch that was attacked keeps what the attempt was charged for.
        assert_eq!(found, (epoch > 1).then_some(Rejected::TooLong), "epoch {epoch}");
    }
}

/// What a half could examine before it still examines if storing fails, and that is not forgotten if it was stored.
#[test]
fn attempts_after_storing_has_failed_are_not_forgotten() {
    let new = |role| Link::<umac::Key<8>>::new(&SECRET, b"x", role);
    let (mut alice, mut bob) = (new(Role::Initiator), new(Role::Responder).opener);
    let mut disk = Vec::new();
    bob.reserve(10, 5, 0, |_| Ok::<_, ()>(())).unwrap();
    _ = alice.sealer.seal(&[b"lost"]).unwrap();
    alice.sealer.rekey().unwrap();
    let (header, tag) = alice.sealer.seal(&[b"a"]).unwrap();
    assert_eq!(bob.open(header, &[b"a"], &tag).err(), Some(Rejected::NotReserved));
    let fails = |saved: &SavedOpener| {
        disk = saved.to_bytes().to_vec();
        Err(())
    };
    assert!(bob.reserve(10, 0, 0, fails).is_err());
    let mut forge = |epoch| bob.open(Header { epoch, number: 7 }, &[b"x"], &tag).err();
    // Five of epoch 0, and at least four of others: prices are rounded.
    let found = [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2].map(&mut forge);
    assert!(found.iter().filter(|found| **found == Some(Rejected::Forged)).count() >= 9);
    let restored = Opener::<umac::Key<8>>::restore(SavedOpener::from_bytes(&disk).unwrap());
    assert!(restored.unwrap().spent() >= bob.spent());
}
