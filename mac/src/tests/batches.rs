//! Batches against the oracle: every number of messages around the groups of 8 and 32,
//! every way a counter can carry, and the end of the nonces.

use super::{SECRET, for_every_length, keys, oracle_tag};
use crate::nonce::{Nonce, NonceOf, NoncesExhausted};
#[cfg(feature = "session")]
use crate::session::Sender;
use crate::tag::{Tag, TagMismatch};
use crate::umac;
use std::sync::OnceLock;
use wegman_reference::inputs::{Placed, Random};
use wegman_reference::umac_rfc4418 as oracle;

/// Messages and the oracle's hash of each.
struct Hashed {
    name: &'static str,
    messages: Vec<Vec<u8>>,
    hashes: Vec<Vec<u8>>,
}

impl Hashed {
    fn new(name: &'static str, lengths: impl Iterator<Item = usize>) -> Hashed {
        let whole = Placed::new(&Random(40).message(5000));
        let messages: Vec<Vec<u8>> =
            lengths.enumerate().map(|(i, length)| whole.at(i, length).to_vec()).collect();
        let hashes = messages.iter().map(|m| oracle::uhash(&SECRET, m, 16)).collect();
        Hashed { name, messages, hashes }
    }

    fn slices(&self, count: usize) -> Vec<&[u8]> {
        self.messages[..count].iter().map(Vec::as_slice).collect()
    }
}

/// More than two groups of 32.
const MOST: usize = 70;

/// Kinds of batches: short messages only, messages of at most one chunk, and longer messages among them.
fn batches() -> &'static [Hashed; 4] {
    static BATCHES: OnceLock<[Hashed; 4]> = OnceLock::new();
    BATCHES.get_or_init(|| {
        [
            Hashed::new("short", (0..MOST).map(|i| 37 * i % 65)),
            Hashed::new("one chunk", (0..MOST).map(|i| 411 * i % 1025)),
            Hashed::new("mixed", (0..MOST).map(|i| [40, 0, 1025, 1500, 64, 65, 4097][i % 7] + i)),
            // In one group of 32 a single message is long; in the next group all are short.
            Hashed::new("one long", (0..MOST).map(|i| if i == 13 { 3000 } else { i % 65 })),
        ]
    })
}

/// The nonces from this one on, counted by hand, up to the last nonce of the same length.
fn nonces(first: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    std::iter::successors(Some(first.to_vec()), |nonce| {
        let mut next = nonce.clone();
        for byte in next.iter_mut().rev() {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                return Some(next);
            }
        }
        None
    })
}

fn nonce(bytes: &[u8]) -> Nonce {
    Nonce::new(bytes).expect("1 to 16 bytes")
}

/// The tags that are expected.
fn expected<const N: usize>(batch: &Hashed, first: &[u8], count: usize) -> Vec<[u8; N]> {
    let tags = nonces(first).zip(&batch.hashes).take(count);
    tags.map(|(nonce, hash)| oracle_tag(hash, &nonce, N).try_into().expect("N bytes")).collect()
}

fn tag_many<const N: usize>(
    key: &umac::Key<N>,
    first: &[u8],
    messages: &[&[u8]],
) -> Result<Vec<[u8; N]>, NoncesExhausted> {
    // The tags are between two others that must not change.
    let mut tags = vec![Tag::from([0xee; N]); messages.len() + 2];
    let last = tags.len() - 1;
    let result = key.tag_from(&nonce(first), messages, &mut tags[1..last]);
    let tags: Vec<[u8; N]> = tags.into_iter().map(Tag::to_bytes).collect();
    assert_eq!([tags[0], tags[last]], [[0xee; N]; 2], "{key:?}: written outside");
    if result.is_err() {
        assert!(tags.iter().all(|tag| *tag == [0xee; N]), "{key:?}: written all the same");
    }
    result.map(|()| tags[1..last].to_vec())
}

/// Every number of messages, from every place in a block of pads.
fn check_counts<const N: usize>() {
    for batch in batches() {
        let messages = batch.slices(MOST);
        for low in 0..4 {
            // The last byte of the counter carries within the batch.
            let first = [0x5a, 0, 0, 0, 0, 0, 0x07, 0xe4 + low];
            let expected = expected::<N>(batch, &first, MOST);
            for key in keys::<N>() {
                for count in 0..=MOST {
                    let tags = tag_many(&key, &first, &messages[..count]);
                    let name = batch.name;
                    assert_eq!(
                        tags.as_deref(),
                        Ok(&expected[..count]),
                        "{key:?}, {name}, {count} from {low}"
                    );
                }
            }
        }
    }
}

#[test]
fn batches_of_every_number_of_messages() {
    for_every_length!(check_counts);
}

/// A batch of short messages in which one message, at each place, has a length around the edges of registers.
fn check_one_other_length<const N: usize>() {
    let short = &batches()[0];
    let first = [0, 0, 0, 4];
    let plain = expected::<N>(short, &first, 40);
    let whole = Random(41).message(1100);
    let keys = keys::<N>();
    for length in [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025] {
        let hash = oracle::uhash(&SECRET, &whole[..length], 16);
        for place in (0..40).step_by(3).chain(32..40) {
            let mut messages = short.slices(40);
            messages[place] = &whole[..length];
            let mut expected = plain.clone();
            let its_nonce = nonces(&first).nth(place).expect("enough nonces");
            expected[place] = oracle_tag(&hash, &its_nonce, N).try_into().expect("N bytes");
            for key in &keys {
                let tags = tag_many(key, &first, &messages);
                assert_eq!(tags.as_ref(), Ok(&expected), "{key:?}, {length} bytes at {place}");
            }
        }
    }
}

#[test]
fn batches_with_one_other_length() {
    for_every_length!(check_one_other_length);
}

/// Nonces of every length that carry from each byte into the next within the batch. With 16 bytes,
/// one of them carries from the lower half of the block into the upper half.
fn check_carries<const N: usize>() {
    const COUNT: usize = 45;
    let mut random = Random(42);
    for length in 1..=Nonce::MAX {
        for carried in 1..=length {
            let mut first = random.message(length);
            first[length - carried..].fill(0xff);
            first[length - 1] = 0xff - (random.word() % 40) as u8;
            match carried {
                _ if carried == length => first[0] = 0, // no carry out of the nonce
                _ => first[length - carried - 1] &= 0x7f, // and this byte takes it
            }
            let batch = &batches()[carried % 2];
            let messages = batch.slices(COUNT);
            let expected = expected::<N>(batch, &first, COUNT);
            for key in keys::<N>() {
                let tags = tag_many(&key, &first, &messages);
                assert_eq!(tags.as_ref(), Ok(&expected), "{key:?}, from {first:02x?}");
            }
        }
    }
}

#[test]
fn batches_whose_nonces_carry() {
    for_every_length!(check_carries);
    // By hand: the carry between the halves, and one through all bytes below the first.
    let halves = [0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255];
    let after = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(nonces(&halves).nth(1).unwrap(), after);
    for key in keys::<16>() {
        let tags = tag_many(&key, &halves, &[&[][..]; 40]).unwrap();
        assert_eq!(tags[1], key.tag_under(&nonce(&after), &[]).to_bytes());
    }
}

/// A sender makes the pads of 32 numbers at a time where no packet kernel makes them, wherever it begins.
#[cfg(feature = "session")]
#[test]
fn senders_across_their_pads() {
    fn check<const N: usize>() {
        for batch in batches() {
            for first in (0_u64..8).chain(29..36).map(|start| 0x0102_0304_0506_ffd0 + start) {
                let expected = expected::<N>(batch, &first.to_be_bytes(), MOST);
                for key in keys::<N>() {
                    let mut sender = Sender::new(&key, first);
                    for (i, message) in batch.messages.iter().enumerate() {
                        let (number, tag) = sender.seal(message).expect("enough numbers");
                        assert_eq!(number, first + i as u64);
                        assert_eq!(tag.to_bytes(), expected[i], "{key:?}, {i} from {first:x}");
                    }
                }
            }
        }
    }
    for_every_length!(check);
}

/// Close to the end of the nonces, either all messages get a tag, up to the very last nonce, or none
/// does.
fn check_the_end<const N: usize>() {
    let batch = &batches()[2];
    for length in 1..=Nonce::MAX {
        for left in [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 34, 35, 40, 63, 64, 65] {
            let mut first = vec![0xff; length];
            first[length - 1] = (0x100 - left) as u8;
            assert_eq!(nonces(&first).count(), left);
            let messages = batch.slices(left + 1);
            let expected = expected::<N>(batch, &first, left);
            for key in keys::<N>() {
                let tags = tag_many(&key, &first, &messages[..left]);
                assert_eq!(tags.as_ref(), Ok(&expected), "{key:?}, {left} left of {length} bytes");
                let tags = tag_many(&key, &first, &messages);
                assert_eq!(tags, Err(NoncesExhausted), "{key:?}, {left} left of {length} bytes");
            }
        }
    }
}

#[test]
fn batches_at_the_last_nonce() {
    for_every_length!(check_the_end);
}

/// A message that reaches POLY-128 among short ones, at the beginning, in the middle and at the end.
fn check_beyond_16_mib<const N: usize>(long: &[u8], hash: &[u8]) {
    let short = &batches()[0];
    let first = [0, 0xfd];
    for key in keys::<N>() {
        for place in [0, 6, 39] {
            let mut messages = short.slices(40);
            let mut expected = expected::<N>(short, &first, 40);
            messages[place] = long;
            let its_nonce = nonces(&first).nth(place).expect("enough nonces");
            expected[place] = oracle_tag(hash, &its_nonce, N).try_into().expect("N bytes");
            assert_eq!(tag_many(&key, &first, &messages), Ok(expected), "{key:?} at {place}");
        }
    }
}

#[test]
fn batches_with_a_message_beyond_16_mib() {
    let long = Random(43).message((1 << 24) + 77);
    let hash = oracle::uhash(&SECRET, &long, 16);
    check_beyond_16_mib::<4>(&long, &hash);
    check_beyond_16_mib::<8>(&long, &hash);
    check_beyond_16_mib::<12>(&long, &hash);
    check_beyond_16_mib::<16>(&long, &hash);
}

/// Nonces as packets may have them: consecutive, with one left out, backwards, far apart, all the same,
/// and consecutive in their last byte alone.
fn orders(count: usize) -> Vec<(String, Vec<Nonce>)> {
    let run = |from: u64| (0..count as u64).map(move |i| Nonce::counter(from + i));
    let mut orders = vec![
        ("in order".to_owned(), run(0xf3).collect()),
        ("backwards".to_owned(), run(0xf2).rev().collect()),
        (
            "apart".to_owned(),
            (0..count as u64).map(|i| Nonce::counter((i << 40) + 7 * i)).collect(),
        ),
        ("the same".to_owned(), vec![Nonce::counter(9); count]),
        (
            "consecutive in the last byte".to_owned(),
            (0..count as u64).map(|i| Nonce::counter(((i % 3) << 8) | i)).collect(),
        ),
    ];
    for lost in [1, count / 2, count.saturating_sub(1)] {
        let after_loss = |i: usize| if i < lost { 0 } else { 1 };
        let nonces = (0..count).map(|i| Nonce::counter((0xf1 + i + after_loss(i)) as u64));
        orders.push((format!("without number {lost}"), nonces.collect()));
    }
    orders
}

fn check_verify_many<const N: usize>() {
    for batch in batches() {
        for count in [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 65] {
            for (order, nonces) in orders(count) {
                let packets = nonces.iter().zip(&batch.messages).zip(&batch.hashes);
                let packets = || {
                    packets.clone().map(|((nonce, message), hash)| {
                        let tag = oracle_tag(hash, nonce.as_bytes(), N);
                        let nonce = NonceOf::try_from(nonce.as_bytes()).expect("a counter");
                        (nonce, message.as_slice(), Tag::try_from(tag.as_slice()).unwrap())
                    })
                };
                let tags: Vec<_> = packets().map(|(.., tag)| tag).collect();
                let mut packets: Vec<_> = packets().collect();
                for key in keys::<N>() {
                    let case = format!("{key:?}, {count} {} {order}", batch.name);
                    for bad in (0..count).map(Some).chain([None]) {
                        packets.iter_mut().zip(&tags).for_each(|(packet, tag)| packet.2 = *tag);
                        if let Some(bad) = bad {
                            let mut tag = packets[bad].2.to_bytes();
                            tag[bad % N] ^= 1 << (bad % 8);
                            packets[bad].2 = Tag::from(tag);
                        }
                        // Old contents must not count.
                        let mut valid = vec![bad.is_some(); count];
                        let result = key.verify_many(&packets, &mut valid);
                        let found: Vec<usize> = (0..count).filter(|&i| !valid[i]).collect();
                        assert_eq!(found, Vec::from_iter(bad), "{case}");
                        assert_eq!(result, bad.map_or(Ok(()), |_| Err(TagMismatch)), "{case}");
                    }
                }
            }
        }
    }
}

#[test]
fn verify_many() {
    for_every_length!(check_verify_many);
}
