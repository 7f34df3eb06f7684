//! Selective assurance in a session: levels, their costs, and what a forgery at a low level cannot do.

use wegman::bound::Units;
use wegman::session::{Budget, END, PacketMac, Receiver, Rejected, SelectiveMac, Sender};
use wegman_catalogue::AnyTag;
use wegman_historical::Umac2000;
use wegman_historical::umac_2000::Parameters;

/// A tag with one bit of word `word` changed.
fn altered(tag: &AnyTag, word: usize) -> AnyTag {
    let mut bytes = tag.to_bytes().to_vec();
    bytes[2 * word + 1] ^= 1;
    AnyTag::new(&bytes).unwrap()
}

#[test]
fn the_front_now_and_the_rest_later() {
    let key = Umac2000::new(&Parameters::UMAC16, b"abcdefghijklmnop").unwrap();
    assert_eq!((key.words(), key.exponent_of(4)), (4, 60));
    let mut sender = Sender::new(&key, 0);
    let mut receiver: Receiver<_> = Receiver::new(&key, 0, Budget::close_at(10));
    let message = [3; 300];
    // 15 bits for each word, and the pads' factor after 2^48 messages, 1 + 2^-33.
    let price = |words| key.prefix_price(words).0;
    for words in 1..=4 {
        let hash = 1_u128 << (127 - 15 * words);
        assert!(hash < price(words) && price(words) - hash - (hash >> 33) < 1 + (hash >> 60) + 4);
        let (sequence, tag) = sender.seal(&message).unwrap();
        for wrong in 0..4 {
            let (sequence, tag) = sender.seal(&message).unwrap();
            let forged = altered(&tag, wrong);
            let Units(before) = receiver.spent();
            let outcome = receiver.open_prefix(sequence, &message, &forged, words);
            if wrong < words {
                assert_eq!(outcome, Err(Rejected::Forged));
                assert_eq!(receiver.spent().0 - before, price(words));
                continue;
            }
            let pending = outcome.unwrap();
            assert_eq!((pending.words(), pending.log2_bound()), (words, 15 * words as u32));
            assert_eq!(pending.sequence(), sequence);
            assert_eq!(pending.message(), message);
            assert_eq!(receiver.finish(pending), Err(Rejected::Forged));
            // 2^-60 and its share of the pads' factor, which is the price of all words but for the last units.
            let spent = receiver.spent().0 - before;
            assert!((1 << 67) < spent && spent.abs_diff(price(4)) <= 4, "{spent:x}");
            assert_eq!(receiver.open(sequence, &message, &tag), Err(Rejected::Replayed));
        }
        let pending = receiver.open_prefix(sequence, &message, &tag, words).unwrap();
        let accepted = receiver.counts().accepted;
        assert_eq!(receiver.finish(pending).unwrap().message(), message);
        assert_eq!(receiver.counts().accepted, accepted);
        let again = receiver.open_prefix(sequence, &message, &tag, words);
        assert_eq!(again, Err(Rejected::Replayed));
    }
    // Each attempt costs 2^-15: 31 of them are less than 2^-10.
    let mut receiver: Receiver<_> = Receiver::new(&key, 0, Budget::close_at(10));
    let tag = altered(&key.tag_packet(0, &message), 0);
    for _ in 0..31 {
        assert_eq!(receiver.open_prefix(0, &message, &tag, 1), Err(Rejected::Forged));
    }
    assert_eq!(receiver.open_prefix(0, &message, &tag, 1), Err(Rejected::Closed));
    // There is room for attempts at a higher level.
    let tag = key.tag_packet(0, &message);
    assert_eq!(receiver.open_prefix(0, &message, &tag, 2).map(|pending| pending.words()), Ok(2));
}

/// A forger who guesses a prefix must not be able to move the window far ahead.
#[test]
fn a_front_does_not_move_the_window_far() {
    let key = Umac2000::new(&Parameters::UMAC16, b"abcdefghijklmnop").unwrap();
    let mut receiver: Receiver<_, 2> = Receiver::new(&key, 0, Budget::close_at(10));
    let mut open = |sequence, words| {
        let forged = altered(&key.tag_packet(sequence, b"far"), 3);
        receiver.open_prefix(sequence, b"far", &forged, words).map(|pending| pending.words())
    };
    assert_eq!(open(64, 1), Ok(1));
    assert_eq!(open(129, 1), Err(Rejected::Forged));
    assert_eq!(open(END - 1, 2), Err(Rejected::Forged));
    assert_eq!(open(128, 1), Ok(1));
    let far = key.tag_packet(1 << 40, b"far");
    let pending = receiver.open_prefix(1 << 40, b"far", &far, 1).unwrap();
    assert_eq!((pending.words(), pending.log2_bound()), (4, 60));
}

/// Not even before the first packet.
#[test]
fn a_front_does_not_begin_far_ahead() {
    let key = Umac2000::new(&Parameters::UMAC16, b"abcdefghijklmnop").unwrap();
    let mut receiver: Receiver<_, 2> = Receiver::new(&key, 1000, Budget::close_at(10));
    let forged = altered(&key.tag_packet(1065, b"far"), 3);
    assert_eq!(receiver.open_prefix(1065, b"far", &forged, 1), Err(Rejected::Forged));
    let forged = altered(&key.tag_packet(1064, b"far"), 3);
    assert!(receiver.open_prefix(1064, b"far", &forged, 1).is_ok());
}

/// A packet that is refused in the end does not count as accepted, and a closed receiver checks nothing.
#[test]
fn finishing_is_counted() {
    let key = Umac2000::new(&Parameters::UMAC16, b"abcdefghijklmnop").unwrap();
    // There is room for one attempt at three words, and then for three at whole tags, each slightly more than 2^-60.
    let room = key.prefix_price(3).0 + (7 << 66);
    let budget = Budget::close_at(44).already_spent(Units((1 << 83) - room));
    let mut receiver: Receiver<_> = Receiver::new(&key, 0, budget);
    let mut pending = Vec::new();
    for sequence in 0..5 {
        // The first three words are right.
        let tag = altered(&key.tag_packet(sequence, b"packet"), 3);
        pending.push(receiver.open_prefix(sequence, b"packet", &tag, 3).unwrap());
    }
    let wrong = altered(&key.tag_packet(5, b"packet"), 0);
    assert_eq!(receiver.open_prefix(5, b"packet", &wrong, 3), Err(Rejected::Forged));
    assert_eq!(receiver.open_prefix(5, b"packet", &wrong, 3), Err(Rejected::Closed));
    let mut counts = receiver.counts();
    assert_eq!((counts.accepted, counts.forged, counts.closed), (5, 1, 1));
    let finish = |one| receiver.finish(one).map(drop);
    let outcomes: Vec<_> = pending.into_iter().map(finish).collect();
    let (forged, closed) = (Err(Rejected::Forged), Err(Rejected::Closed));
    assert_eq!(outcomes, [forged, forged, forged, closed, closed]);
    (counts.accepted, counts.forged, counts.closed) = (2, 4, 3);
    assert_eq!(receiver.counts(), counts);
    assert!(receiver.is_closed());
    assert_eq!(receiver.highest(), Some(4));
}
