//! The shapes of MACs that a session takes: packets pass, anything else does not, and tags follow the
//! documented formula. `prices.rs` has every MAC.

use std::fmt::Debug;
use wegman::session::{Budget, PacketMac, Receiver, Rejected, Sender, laws};
use wegman::{Aes128, Aes256, NonceOf, pmac, umac};
use wegman_carter as carter;
use wegman_historical::{Umac16, Umac32};

fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + 3) as u8).collect()
}

/// What every MAC promises a session, and what an application does with it. `tag` is the formula of the tag.
fn talk<K: PacketMac>(key: &K, tag: impl Fn(u64, &[u8]) -> K::Tag)
where
    K::Tag: Debug + PartialEq,
{
    laws::check(key);
    let first = 0x1_0000_0000 - 3;
    let mut sender = Sender::new(key, first);
    let mut receiver: Receiver<&K, 2> = Receiver::new(key, first, Budget::log_only(0));
    for length in [0, 1, 8, 15, 16, 17, 25, 40, 48, 55, 56, 64, 255, 1024, 1500, 5000] {
        let message = message(length);
        let (sequence, sealed) = sender.seal(&message).unwrap();
        assert_eq!(sealed, tag(sequence, &message), "{length} bytes");
        // The same message under another number is a replay in disguise.
        for other in [sequence + 1, sequence + 64] {
            assert_eq!(receiver.open(other, &message, &sealed), Err(Rejected::Forged));
        }
        let opened = receiver.open(sequence, &message, &sealed).unwrap();
        assert!(std::ptr::eq(opened.message(), &message[..]));
        assert_eq!(receiver.open(sequence, &message, &sealed), Err(Rejected::Replayed));

        // In batches, and one more after the batch: what was made ahead belongs to other numbers.
        let count = length % 34;
        let messages = vec![&message[..]; count];
        let mut tags = vec![sealed; count];
        let first = sender.seal_many(&messages, &mut tags).unwrap();
        let packets: Vec<_> = (first..).zip(tags).map(|(n, tag)| (n, &message[..], tag)).collect();
        assert!(packets.iter().all(|(number, message, sealed)| *sealed == tag(*number, message)));
        let (sequence, sealed) = sender.seal(b"single").unwrap();
        assert_eq!((sequence, sealed), (first + count as u64, tag(sequence, b"single")));
        let mut outcomes = vec![Err(Rejected::Closed); count];
        receiver.open_many(&packets, &mut outcomes);
        assert!(outcomes.iter().all(Result::is_ok));
        receiver.open_many(&packets, &mut outcomes);
        assert!(outcomes.iter().all(Result::is_err), "replays");
    }
}

/// A number before the message.
fn after(block: &[u8], message: &[u8]) -> Vec<u8> {
    [block, message].concat()
}

#[test]
fn umac() {
    fn of<const N: usize, const L: usize>() {
        let key = umac::Key::<N, L>::new(b"abcdefghijklmnop");
        talk(&key, |sequence, message| key.tag(NonceOf::counter(sequence), message));
        let key = Umac32::<N, L>::new(b"abcdefghijklmnop");
        talk(&key, |sequence, message| key.tag(NonceOf::counter(sequence), message));
    }
    of::<4, 8>();
    of::<8, 8>();
    of::<12, 8>();
    of::<16, 8>();
    of::<8, 12>();
    of::<16, 16>();
    fn of_16<const N: usize, const L: usize>() {
        let key = Umac16::<N, L>::new(b"abcdefghijklmnop");
        talk(&key, |sequence, message| key.tag(NonceOf::counter(sequence), message));
    }
    of_16::<4, 8>();
    of_16::<8, 8>();
    of_16::<16, 8>();
    of_16::<8, 16>();
}

#[test]
fn carter() {
    fn of<C: carter::Cipher, const N: usize, const L: usize>(secret: &[u8]) {
        for cpu in [wegman::Cpu::detect(), wegman::Cpu::PORTABLE] {
            let key = carter::Key::<C, N, L>::from_slice_with_cpu(cpu, secret).unwrap();
            talk(&key, |sequence, message| key.tag(NonceOf::counter(sequence), message));
        }
    }
    let secret = b"a secret of thirty-two bytes all";
    of::<Aes128, 16, 12>(&secret[..16]);
    of::<Aes128, 12, 16>(&secret[..16]);
    of::<Aes128, 8, 12>(&secret[..16]);
    of::<Aes256, 16, 16>(secret);
}

#[test]
fn pmac_has_the_number_in_its_first_block() {
    fn of<const N: usize>() {
        let key = pmac::Key::<Aes128, N>::new(b"abcdefghijklmnop");
        let block = |sequence| u128::from(sequence).to_be_bytes();
        talk(&key, |sequence: u64, message| key.tag(&after(&block(sequence), message)));
        let portable = pmac::Key::<Aes128, N>::with_cpu(wegman::Cpu::PORTABLE, b"abcdefghijklmnop");
        talk(&portable, |sequence: u64, message| key.tag(&after(&block(sequence), message)));
        let shared = std::rc::Rc::new(portable);
        talk(&shared, |sequence: u64, message| key.tag(&after(&block(sequence), message)));
    }
    of::<16>();
    of::<12>();
}

#[test]
fn comparators() {
    use wegman_yardstick::{self as yardstick, hmac};
    let key = yardstick::Key::<hmac::HmacSha1, 12>::new(b"a secret of 20 bytes");
    talk(&key, |sequence, message| key.tag(&after(&sequence.to_be_bytes(), message)));
    let key = yardstick::Key::<hmac::HmacMd5, 12>::new(b"a secret of 16 b");
    talk(&key, |sequence, message| key.tag(&after(&sequence.to_be_bytes(), message)));
}

/// Carter's keys in a link are those of docs/sessions.md of `wegman`.
#[test]
fn links_of_carter() {
    use wegman::session::{Link, Role};
    type Key = carter::Key<Aes128, 16, 12>;
    let secret = std::array::from_fn(|i| i as u8);
    let known = [
        (Role::Initiator, 0, 0x5ebe_2dee_f787_72a0_9aad_a786_9c01_023f_u128),
        (Role::Responder, 2, 0x03f3_81b2_7aec_5ab9_74ea_75c2_e90c_dfaa),
    ];
    for (role, epoch, key) in known {
        let mut link = Link::<Key>::new(&secret, b"example 1", role);
        while link.sealer.epoch() < epoch {
            // A key that has sealed nothing stays.
            let _ = link.sealer.seal(&[b""]).unwrap();
            link.sealer.rekey().unwrap();
        }
        let (header, tag) = link.sealer.seal(&[b"a ", b"message"]).unwrap();
        assert_eq!(header.epoch, epoch);
        let key = Key::new(&key.to_be_bytes());
        assert_eq!(tag, key.tag(NonceOf::counter(header.number), b"a message"));
    }
}
