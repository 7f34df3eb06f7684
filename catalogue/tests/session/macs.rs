//! Every MAC that a session takes: packets pass, anything else does not, and tags follow the
//! documented formula.

use std::fmt::Debug;
use wegman::bound::{History, Traffic, Units};
use wegman::session::{Authentic, Budget, PacketMac, Receiver, Rejected, Sender};
use wegman::{Aes128, Aes256, NonceOf, pmac, umac};
use wegman_carter as carter;
use wegman_historical::{Nonce, Umac16, Umac32, Umac1999, Umac2000};

const LENGTHS: [usize; 16] = [0, 1, 8, 15, 16, 17, 25, 40, 48, 55, 56, 64, 255, 1024, 1500, 5000];

fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i * 7 + 3) as u8).collect()
}

/// What an application does with any MAC: seal, open, refuse. `tag` is the formula of the tag.
fn talk<K: PacketMac>(key: &K, tag: impl Fn(u64, &[u8]) -> K::Tag)
where
    K::Tag: Debug,
{
    let first = 0x1_0000_0000 - 3;
    let mut sender = Sender::new(key, first);
    let mut receiver: Receiver<&K, 2> = Receiver::new(key, first, Budget::log_only(0));
    let mut forged = 0;
    for (i, length) in LENGTHS.into_iter().enumerate() {
        let message = message(length);
        let (sequence, sealed) = sender.seal(&message).unwrap();
        assert_eq!(sequence, first + i as u64);
        assert_eq!(sealed, tag(sequence, &message), "{length} bytes");
        assert_eq!(sealed, key.tag_packet(sequence, &message));

        let mut refuse = |receiver: &mut Receiver<&K, 2>, sequence, message: &[u8]| {
            let outcome = receiver.open(sequence, message, &sealed);
            assert_eq!(outcome, Err(Rejected::Forged), "{length} bytes");
            forged += 1;
        };
        // The same message under another number is a replay in disguise.
        refuse(&mut receiver, sequence + 1, &message);
        refuse(&mut receiver, sequence + 64, &message);
        refuse(&mut receiver, sequence, &[&message[..], &[0]].concat());
        refuse(&mut receiver, sequence, &[&[0], &message[..]].concat());
        if let Some((last, rest)) = message.split_last() {
            refuse(&mut receiver, sequence, rest);
            refuse(&mut receiver, sequence, &[rest, &[last ^ 0x80]].concat());
        }
        let opened = receiver.open(sequence, &message, &sealed).unwrap();
        assert!(std::ptr::eq(opened.message(), &message[..]));
        assert_eq!(receiver.open(sequence, &message, &sealed), Err(Rejected::Replayed));
    }
    assert_eq!(receiver.counts().forged, forged);
    assert_eq!(receiver.counts().accepted, LENGTHS.len() as u64);

    // The same in batches of all sizes.
    let messages = LENGTHS.map(message);
    let messages: Vec<&[u8]> = messages.iter().cycle().take(70).map(Vec::as_slice).collect();
    for count in (0..=messages.len()).step_by(7) {
        let messages = &messages[..count];
        let mut tags = vec![tag(0, b""); count];
        let first = sender.next_sequence().unwrap();
        assert_eq!(sender.seal_many(messages, &mut tags), Ok(first));
        let packets: Vec<_> =
            (first..).zip(messages).zip(&tags).map(|((n, m), tag)| (n, *m, *tag)).collect();
        for (sequence, message, sealed) in &packets {
            assert_eq!(*sealed, tag(*sequence, message));
        }
        let mut outcomes = vec![Err(Rejected::Closed); count];
        // One more after the batch: what was made ahead belongs to other numbers.
        let (sequence, sealed) = sender.seal(b"single").unwrap();
        assert_eq!((sequence, sealed), (first + count as u64, tag(sequence, b"single")));
        receiver.open_many(&packets, &mut outcomes);
        for (outcome, message) in outcomes.iter().zip(messages) {
            assert!(std::ptr::eq(outcome.unwrap().message(), *message));
        }
        receiver.open_many(&packets, &mut outcomes);
        let refused = |outcome: &Result<Authentic<'_>, Rejected>| {
            matches!(outcome, Err(Rejected::Replayed | Rejected::TooOld))
        };
        assert!(outcomes.iter().all(refused));
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
fn umac_2000() {
    use wegman_historical::umac_2000::Parameters;
    for name in ["UMAC16", "UMAC32", "UMAC-2/1", "UMAC-4/32/64/32/SIGNED/BIG"] {
        let parameters: Parameters = name.parse().unwrap();
        let key = Umac2000::new(&parameters, &[b'a'; 32][..parameters.key_bytes()]).unwrap();
        if parameters.output_bytes() > 1 {
            talk(&key, |sequence, message| key.tag(&Nonce::counter(sequence), message));
            talk(&std::sync::Arc::new(key), |sequence, message| {
                Umac2000::new(&parameters, &[b'a'; 32][..parameters.key_bytes()])
                    .unwrap()
                    .tag(&Nonce::counter(sequence), message)
            });
        }
    }
}

#[test]
fn comparators() {
    use wegman_historical::umac_1999::{Mmx15, Mmx30, Mmx60, Set, Std30, Std60};
    use wegman_yardstick::{self as yardstick, hmac};
    fn of_1999<S: Set>() {
        let secret = [b'k'; 20];
        let key = Umac1999::<S>::from_slice(&secret[..S::KEY_BYTES]).unwrap();
        talk(&key, |sequence, message| key.tag(sequence, &after(&sequence.to_be_bytes(), message)));
    }
    of_1999::<Std30>();
    of_1999::<Std60>();
    of_1999::<Mmx15>();
    of_1999::<Mmx30>();
    of_1999::<Mmx60>();
    let key = yardstick::Key::<hmac::HmacSha1, 12>::new(b"a secret of 20 bytes");
    talk(&key, |sequence, message| key.tag(&after(&sequence.to_be_bytes(), message)));
    let key = yardstick::Key::<hmac::HmacMd5, 12>::new(b"a secret of 16 b");
    talk(&key, |sequence, message| key.tag(&after(&sequence.to_be_bytes(), message)));
}

/// The price of the first attempt, in units of 2^-127: the bound of the algorithm, rounded up, and what the pads and the
/// subkeys cost.
#[test]
fn what_an_attempt_costs() {
    fn price(key: &impl PacketMac, longest: u64) -> u128 {
        let [none, one] = [0, 1].map(|messages| {
            let tried = Traffic { messages, cost: 0 };
            key.forgery::<Units>(&History { tagged: Traffic::NONE, tried, longest }).0
        });
        one - none
    }
    let hash = |exponent: u32| 1 << (127 - exponent);
    // Without messages, the factors of the pads add less than a unit twice, and that of the subkeys less than one.
    assert_eq!(price(&umac::Key::<4>::new(&[0; 16]), 0), hash(30) + 3);
    assert_eq!(price(&umac::Key::<16>::new(&[0; 16]), u64::MAX), hash(120) + 3);
    // Subkeys in output feedback do not depend on the attempts.
    assert_eq!(price(&Umac16::<2>::new(&[0; 16]), 0), hash(15) + 2);
    assert_eq!(price(&Umac16::<8>::new(&[0; 16]), u64::MAX), hash(60) + 2);
    assert_eq!(price(&pmac::Key::<Aes128, 5>::new(&[0; 16]), 0), hash(40));
    let bits = pmac::hazmat::key_with_tag_bits::<Aes128, 2>(wegman::Cpu::detect(), &[0; 16], 9);
    assert_eq!(price(&bits.unwrap(), 0), hash(9));
    // Messages of up to 32 blocks, and of one block more.
    let key = carter::Key::<Aes128, 8, 12>::new(&[0; 16]);
    assert_eq!(price(&key, 1 << 16), hash(59) + 3);
    assert_eq!(price(&key, (1 << 16) + 1), hash(59) + hash(64) + 3);
    assert_eq!(price(&carter::Key::<Aes128, 16, 16>::new(&[0; 16]), 1 << 16), hash(123) + 3);
}

/// The sets of 1999 count the blocks of their bound, and at least as many for several messages.
#[test]
fn no_block_is_left_out() {
    use wegman_catalogue::bounds::Usage;
    use wegman_historical::umac_1999::{Mmx15, Mmx30, Mmx60, Set, Std30, Std60};
    fn of<S: Set>(name: &str, letter: &str) {
        let algorithm = wegman_catalogue::find(name).unwrap();
        for length in [0, 1, 24, 25, 44, 47, 48, 100, 4087, 4088, 4089, 100_000, 1 << 24] {
            // The number comes before the message.
            let message_bytes = u128::from(length) + 8;
            let tag_bits = if letter == "m" { 160 } else { 128 };
            let usage = Usage { messages: 1, message_bytes, attempts: 0, tag_bits };
            let forgery = algorithm.forgery(&usage).unwrap();
            let blocks = forgery.letters().iter().find(|l| l.name == letter).unwrap().value;
            let cost = u128::from(Umac1999::<S>::cost(1, length));
            // The catalogue's `s` counts all messages, `m` one.
            assert_eq!(cost, blocks, "{name}, {length} bytes");
        }
    }
    of::<Std30>("UMAC-STD-30", "m");
    of::<Std60>("UMAC-STD-60", "m");
    of::<Mmx15>("UMAC-MMX-15", "s");
    of::<Mmx30>("UMAC-MMX-30", "s");
    of::<Mmx60>("UMAC-MMX-60", "s");
}

/// What `PacketMac` promises, for every key of this project.
#[test]
fn all_keys_keep_the_laws() {
    use wegman::session::laws::check;
    use wegman_historical::umac_1999::{Mmx15, Mmx30, Mmx60, Set, Std30, Std60};
    use wegman_historical::umac_2000::Parameters;
    use wegman_yardstick::{self as yardstick, hash127, hmac, polyval};
    fn of_1999<S: Set>() {
        check(&Umac1999::<S>::from_slice(&[b'k'; 20][..S::KEY_BYTES]).unwrap());
    }
    check(&Umac16::<4>::new(&[1; 16]));
    check(&Umac16::<16, 12>::new(&[1; 16]));
    check(&Umac32::<8>::new(&[1; 16]));
    check(&carter::Key::<Aes128, 8, 12>::new(&[1; 16]));
    check(&carter::Key::<Aes256, 16, 16>::new(&[1; 32]));
    check(&pmac::Key::<wegman_yardstick::DesEde3, 8>::from_slice(&[7; 24]).unwrap());
    check(&polyval::Key::<12>::new(&[1; 16]));
    check(&hash127::Key::<16>::new(&[1; 32]));
    check(&yardstick::Key::<hmac::HmacSha1, 12>::new(&[1; 20]));
    check(&yardstick::Key::<hmac::HmacMd5, 16>::new(&[1; 16]));
    check(&yardstick::Key::<hmac::HmacSha256, 32>::new(&[1; 32]));
    for name in ["UMAC16", "UMAC32", "UMAC-2/32", "UMAC-4/5/64/32/SIGNED/BIG"] {
        let parameters: Parameters = name.parse().unwrap();
        check(&Umac2000::new(&parameters, &[b'a'; 32][..parameters.key_bytes()]).unwrap());
    }
    of_1999::<Std30>();
    of_1999::<Std60>();
    of_1999::<Mmx15>();
    of_1999::<Mmx30>();
    of_1999::<Mmx60>();
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
        while link.sealer().epoch() < epoch {
            // A key that has sealed nothing stays.
            let _ = link.seal(&[b""]).unwrap();
            link.rekey().unwrap();
        }
        let (header, tag) = link.seal(&[b"a ", b"message"]).unwrap();
        assert_eq!(header.epoch, epoch);
        let key = Key::new(&key.to_be_bytes());
        assert_eq!(tag, key.tag(NonceOf::counter(header.number), b"a message"));
    }
}
