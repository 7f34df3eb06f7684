//! Histories of links: two ends, packets that are lost, late, changed or sent back, new epochs, and restarts.

use crate::input::Input;
use std::collections::HashSet;
use wegman::session::{
    Header, Link, LinkKey, Opener, Rejected, Role, SavedOpener, SavedSealer, SealError, Sealer,
};
use wegman::{Aes128, pmac, umac};

/// The first byte chooses the MAC; the rest is a history.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    match input.byte() % 3 {
        0 => history::<umac::Key<16>>(input),
        1 => history::<umac::Key<8>>(input),
        _ => history::<pmac::Key<Aes128, 8>>(input),
    }
}

struct End<K: LinkKey> {
    link: Option<Link<K, 2>>,
    /// What is stored of its halves, if it is.
    sealer: Option<Vec<u8>>,
    opener: Option<Vec<u8>>,
    used: HashSet<Header>,
    accepted: HashSet<Header>,
}

struct Packet<T> {
    from: usize,
    header: Header,
    message: Vec<u8>,
    tag: T,
}

fn history<K: LinkKey>(mut input: Input<'_>) {
    let limit = 1 + input.upto(1 << 33);
    let end = |role| End::<K> {
        link: Some(Link::new(&[7; 32], b"fuzz", role).with_epoch_limit(limit)),
        sealer: None,
        opener: None,
        used: HashSet::new(),
        accepted: HashSet::new(),
    };
    let mut ends = [end(Role::Initiator), end(Role::Responder)];
    // Stored before the first packet, or never.
    for end in &mut ends {
        if input.bool() {
            reserve(end, 1, 1, true);
            reserve_opening(end, 1, true);
        }
    }
    let mut packets: Vec<Packet<K::Tag>> = Vec::new();
    for _ in 0..256 {
        if input.is_empty() {
            break;
        }
        let from = input.below(2);
        let end = &mut ends[from];
        match input.byte() % 12 {
            0..=3 => {
                let message = input.message(200);
                let parts = input.pieces(&message, 4);
                let is_stored = end.sealer.is_some();
                let link = end.link.as_mut().expect("it is there");
                match link.seal(&parts) {
                    Ok((header, tag)) => {
                        assert!(end.used.insert(header), "{header:?} was used twice");
                        packets.push(Packet { from, header, message, tag });
                    }
                    Err(error) => assert!(
                        match error {
                            SealError::NotReserved => is_stored,
                            // A new epoch would help, but not a message that is beyond the limit of any.
                            SealError::Limit | SealError::Exhausted => {
                                K::cost(1, message.len() as u64) > limit
                            }
                            _ => false,
                        },
                        "{error:?}"
                    ),
                }
            }
            4 => end.link.as_mut().expect("it is there").rekey().expect("there are epochs"),
            5 => reserve(end, input.upto(u64::MAX), input.upto(u64::MAX), input.byte() % 4 != 0),
            6 => reserve_opening(end, input.upto(u64::MAX), input.byte() % 4 != 0),
            7 => restart(end, limit, input.bool()),
            _ if packets.is_empty() => {}
            _ => {
                let back = usize::from(input.byte()).min(packets.len() - 1);
                let packet = &packets[packets.len() - 1 - back];
                let (mut header, mut message) = (packet.header, packet.message.clone());
                let mut to = 1 - packet.from;
                let is_changed = match input.byte() % 8 {
                    0 => {
                        header.number ^= input.upto(u64::MAX);
                        header != packet.header
                    }
                    1 => {
                        header.epoch = header.epoch.wrapping_add(input.byte().into());
                        header != packet.header
                    }
                    2 => {
                        message.push(0);
                        true
                    }
                    3 => {
                        to = packet.from;
                        true
                    }
                    _ => false,
                };
                receive(&mut ends[to], header, &message, &packet.tag, is_changed);
            }
        }
    }
}

fn reserve<K: LinkKey>(end: &mut End<K>, count: u64, bytes: u64, works: bool) {
    let (is_first, sealer) = (end.sealer.is_none(), &mut end.sealer);
    if is_first && !(works && end.used.is_empty()) {
        return;
    }
    let link = end.link.as_mut().expect("it is there");
    let _ = link.sealer_mut().reserve(count, bytes, |saved| {
        if works || count & 1 == 1 {
            *sealer = Some(saved.to_bytes().to_vec());
        }
        if works { Ok(()) } else { Err(()) }
    });
}

fn reserve_opening<K: LinkKey>(end: &mut End<K>, count: u64, works: bool) {
    let (is_first, opener) = (end.opener.is_none(), &mut end.opener);
    if is_first && !(works && end.accepted.is_empty()) {
        return;
    }
    let link = end.link.as_mut().expect("it is there");
    let _ = link.opener_mut().reserve(count, count, count, |saved| {
        if works || count & 1 == 1 {
            *opener = Some(saved.to_bytes().to_vec());
        }
        if works { Ok(()) } else { Err(()) }
    });
}

/// Goes on from what is stored, after a crash or a clean exit.
fn restart<K: LinkKey>(end: &mut End<K>, limit: u64, is_clean: bool) {
    let (Some(sealer), Some(opener)) = (&mut end.sealer, &mut end.opener) else { return };
    let link = end.link.take().expect("it is there");
    if is_clean {
        let (seals, opens) = link.split();
        *sealer = seals.into_saved().expect("one process").to_bytes().to_vec();
        *opener = opens.into_saved().expect("one process").to_bytes().to_vec();
    }
    let saved = SavedSealer::from_bytes(sealer).expect("what was stored");
    assert_eq!(saved.to_bytes()[..], sealer[..]);
    let seals = Sealer::restore(saved).expect("its MAC");
    let saved = SavedOpener::from_bytes(opener).expect("what was stored");
    assert_eq!(saved.to_bytes()[..], opener[..]);
    let opens = Opener::restore(saved).expect("its MAC");
    end.link = Some(Link::from_halves(seals, opens).with_epoch_limit(limit));
}

fn receive<K: LinkKey>(
    end: &mut End<K>,
    header: Header,
    message: &[u8],
    tag: &K::Tag,
    is_changed: bool,
) {
    let is_stored = end.opener.is_some();
    let link = end.link.as_mut().expect("it is there");
    let opener = link.opener();
    // Surely fresh, and under a key that is there.
    let is_next =
        header.epoch == opener.epoch() && opener.highest().is_none_or(|top| header.number > top);
    let was_accepted = end.accepted.contains(&header);
    let mut outcome = link.open(header, &[message], tag).map(drop);
    // Without room for an attempt the tag is not looked at, and only an authentic number is reserved.
    for _ in 0..2 {
        if outcome == Err(Rejected::NotReserved) {
            assert!(is_stored);
            reserve_opening(end, 1, true);
            let link = end.link.as_mut().expect("it is there");
            outcome = link.open(header, &[message], tag).map(drop);
        }
    }
    assert_ne!(outcome, Err(Rejected::NotReserved), "twice is enough");
    let link = end.link.as_ref().expect("it is there");
    match outcome {
        Ok(()) => {
            assert!(!is_changed, "a forgery was accepted");
            assert!(end.accepted.insert(header), "{header:?} was accepted twice");
        }
        Err(Rejected::Closed) => {
            assert!(link.opener().is_closed() || header.epoch != link.opener().epoch())
        }
        Err(Rejected::Forged) => assert!(is_changed, "a packet was taken for a forgery"),
        // After a restart, what may have been accepted is too old.
        Err(Rejected::TooOld) => assert!(is_stored || is_changed || !is_next),
        Err(Rejected::Replayed) => assert!(was_accepted),
        Err(Rejected::Outside) => assert!(is_changed || header.epoch > link.opener().epoch()),
        Err(other) => panic!("{other:?}"),
    }
}
