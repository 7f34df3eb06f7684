//! The contract of the typed interface: keys, streams, batches, nonces and tags.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use wegman::cipher::BlockCipher;
use wegman::hazmat::raw::{self, Nonce};
use wegman::pmac::hazmat::{EditError, Segment, SegmentError, Sum};
use wegman::session::ReserveError;
use wegman::{Aes128, Aes192, Aes256, Bits, Cpu, NonceOf, NoncesExhausted, Tag, TagMismatch};
use wegman::{InvalidHex, InvalidLength, pmac, umac};
use wegman_carter as carter;
use wegman_historical::{Umac16, Umac32, Umac1999, umac_1999};
use wegman_reference::inputs::{LENGTHS, Random, bit_flips, random_pieces};
use wegman_yardstick::{hash127, hmac, pcs, polyval, xor_mac};

const SECRET: &[u8; 16] = b"sixteen byte key";

/// Runs a generic check with every tag length of UMAC.
macro_rules! for_every_umac {
    ($check:ident) => {
        $check::<4>();
        $check::<8>();
        $check::<12>();
        $check::<16>();
    };
}

/// Runs a generic check with every cipher of PMAC, and some tag lengths.
macro_rules! for_every_pmac {
    ($check:ident) => {
        $check::<Aes128, 16>();
        $check::<Aes128, 4>();
        $check::<Aes192, 9>();
        $check::<Aes256, 16>();
        $check::<wegman_historical::Rc6, 16>();
    };
}

fn umac_keys<const N: usize>() -> impl Iterator<Item = umac::Key<N>> {
    umac::Key::<N>::kernels(Cpu::detect()).map(|(name, cpu)| {
        let key = umac::Key::with_cpu(cpu, SECRET);
        assert_eq!(key.kernel(), name);
        key
    })
}

fn pmac_keys<C: BlockCipher, const N: usize>() -> impl Iterator<Item = pmac::Key<C, N>> {
    let secret = Random(20).message(C::KEY_BYTES);
    pmac::Key::<C, N>::kernels(Cpu::detect()).map(move |(name, cpu)| {
        let key = pmac::Key::from_slice_with_cpu(cpu, &secret).expect("the cipher's key length");
        assert_eq!(key.kernel(), name);
        key
    })
}

// Keys.

#[test]
fn keys_made_in_any_way_are_the_same() {
    let message = b"a message";
    let nonce = || NonceOf::counter(1);
    let key = umac::Key::<8>::new(SECRET);
    let tag = key.tag(nonce(), message);
    assert_eq!(key.clone().tag(nonce(), message), tag);
    let portable = umac::Key::<8>::with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(portable.tag(nonce(), message), tag);
    let from_slice = umac::Key::<8>::from_slice(SECRET);
    assert_eq!(from_slice.unwrap().tag(nonce(), message), tag);
    let from_slice = umac::Key::<8>::from_slice_with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(from_slice.as_ref().unwrap().kernel(), "portable");
    assert_eq!(from_slice.unwrap().tag(nonce(), message), tag);

    let key = pmac::Key::<Aes128, 16>::new(SECRET);
    let tag = key.tag(message);
    assert_eq!(key.clone().tag(message), tag);
    assert_eq!(pmac::Key::<Aes128, 16>::with_cpu(Cpu::PORTABLE, SECRET).tag(message), tag);
    let from_slice = pmac::Key::<Aes128, 16>::from_slice(SECRET);
    assert_eq!(from_slice.unwrap().tag(message), tag);
    let from_slice = pmac::Key::<Aes128, 16>::from_slice_with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(from_slice.as_ref().unwrap().kernel(), "portable");
    assert_eq!(from_slice.unwrap().tag(message), tag);
    let short = pmac::Key::<Aes128, 9>::new(SECRET).tag(message);
    assert_eq!(short.to_bytes(), tag.to_bytes()[..9]);

    let nonce = || NonceOf::counter(1);
    let key = carter::Carter96::<Aes128, 12>::new(SECRET);
    let tag = key.tag(nonce(), message);
    assert_eq!(key.clone().tag(nonce(), message), tag);
    let from_slice = carter::Key::<Aes128, 12, 12>::from_slice(SECRET);
    assert_eq!(from_slice.unwrap().tag(nonce(), message), tag);
    let from_slice = carter::Key::<Aes128, 12, 12>::from_slice_with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(from_slice.unwrap().tag(nonce(), message), tag);
}

#[test]
fn ciphers_refuse_other_key_lengths() {
    fn check<C: BlockCipher>() {
        for length in 0..=64 {
            let secret = vec![1; length];
            let expected = if length == C::KEY_BYTES { None } else { Some(InvalidLength) };
            let key = pmac::Key::<C, 16>::from_slice(&secret);
            assert_eq!(key.err(), expected, "{length} bytes");
            let key = pmac::Key::<C, 16>::from_slice_with_cpu(Cpu::PORTABLE, &secret);
            assert_eq!(key.err(), expected, "{length} bytes");
        }
    }
    check::<Aes128>();
    check::<Aes192>();
    check::<Aes256>();
    check::<wegman_historical::Rc6>();
    fn check_carter<C: carter::Cipher>() {
        for length in 0..=64 {
            let secret = vec![1; length];
            let expected = if length == C::KEY_BYTES { None } else { Some(InvalidLength) };
            let key = carter::Key::<C, 16, 12>::from_slice(&secret);
            assert_eq!(key.err(), expected, "{length} bytes");
            let key = carter::Key::<C, 16, 12>::from_slice_with_cpu(Cpu::PORTABLE, &secret);
            assert_eq!(key.err(), expected, "{length} bytes");
        }
    }
    check_carter::<Aes128>();
    check_carter::<Aes256>();
}

/// Secrets of other lengths, for keys whose cipher is not a parameter.
#[test]
fn macs_refuse_other_key_lengths() {
    type Made = Result<(), InvalidLength>;
    /// Both ways from a slice.
    macro_rules! made {
        ($key:ty) => {
            |secret| {
                let with_cpu = <$key>::from_slice_with_cpu(Cpu::PORTABLE, secret).map(drop);
                assert_eq!(<$key>::from_slice(secret).map(drop), with_cpu);
                with_cpu
            }
        };
    }
    type ToTry = (&'static str, usize, fn(&[u8]) -> Made);
    let all: [ToTry; 11] = [
        ("UMAC-32", 16, made!(umac::Key<4>)),
        ("UMAC-128", 16, made!(umac::Key<16, 12>)),
        ("UMAC16", 16, made!(Umac16<8>)),
        ("UMAC32", 16, made!(Umac32<8, 16>)),
        ("UMAC-STD-30", 20, made!(Umac1999<umac_1999::Std30>)),
        ("UMAC-MMX-60", 16, made!(Umac1999<umac_1999::Mmx60>)),
        ("Polyval-AES", 16, made!(polyval::Key<12>)),
        ("hash127-RC6", 32, made!(hash127::Key)),
        ("PCS", 16, made!(wegman_yardstick::Key<pcs::Pcs<Aes128>, 16>)),
        ("XOR MAC", 16, |secret| {
            let layout = xor_mac::Layout::Data;
            let key = xor_mac::Key::<Aes128, 16>::from_slice(layout, secret);
            key.map(drop)
        }),
        ("XOR MAC with a Cpu", 16, |secret| {
            let (cpu, layout) = (Cpu::PORTABLE, xor_mac::Layout::Value);
            let key = xor_mac::Key::<Aes128, 16>::from_slice_with_cpu(cpu, layout, secret);
            key.map(drop)
        }),
    ];
    for (name, bytes, from_slice) in all {
        for length in 0..=64 {
            let expected = if length == bytes { Ok(()) } else { Err(InvalidLength) };
            assert_eq!(from_slice(&vec![1; length]), expected, "{name}, {length} bytes");
        }
    }
    // HMAC takes a secret of any length.
    for length in 0..=64 {
        let secret = vec![1; length];
        assert_eq!(made!(wegman_yardstick::Key<hmac::HmacSha1, 12>)(&secret), Ok(()));
    }
}

/// Debug output has the length of the tag and the kernel, but no byte of a key or message.
#[test]
fn debug_output_is_no_secret() {
    let umac = umac::Key::<8>::with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(format!("{umac:?}"), "umac::Key<8, 8>(portable)");
    assert_eq!(format!("{:?}", umac.stream()), "Stream of umac::Key<8, 8>");
    let pmac = pmac::Key::<Aes128, 16>::with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(format!("{pmac:?}"), "pmac::Key<16>(portable)");
    assert_eq!(format!("{:?}", pmac.stream()), "pmac::Stream<16>");
    let carter = carter::Key::<Aes128, 16, 12>::with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(format!("{carter:?}"), "carter::Key<16, 12>(portable)");
    assert_eq!(format!("{:?}", carter.stream()), "Stream of carter::Key<16, 12>");
    let segment = Segment::new(&pmac, 2, Bits::from(&SECRET[..])).unwrap();
    assert_eq!(format!("{segment:?}"), "Segment(128 bits after 2 blocks)");
    let sum = Sum::new(&pmac, Bits::from(&SECRET[..]));
    assert_eq!(format!("{sum:?}"), "Sum(128 bits)");
}

// Streams.

fn umac_streams<const N: usize>() {
    let message = Random(21).message(17409);
    let nonce = || NonceOf::counter(21);
    let peek = |stream: &umac::Stream<&umac::Key<N>, N>| raw::peek(stream, &Nonce::counter(21));
    for key in umac_keys::<N>() {
        let shared = Arc::new(key.clone());
        let mut used = key.stream();
        for length in LENGTHS {
            let message = &message[..length];
            let expected = key.tag(nonce(), message);
            let mut owned = umac::Stream::<umac::Key<N>, N>::new(key.clone());
            let mut sharing = umac::Stream::<Arc<umac::Key<N>>, N>::new(shared.clone());
            for piece in random_pieces(&mut Random(22), message) {
                // A clone is independent: what it absorbs does not change the original.
                let mut clone = used.clone();
                clone.update(b"something else");
                used.update(piece);
                // A tag of the message so far does not disturb the stream either.
                let so_far = peek(&used);
                assert_eq!(peek(&used), so_far, "{key:?}, {length} bytes, again");
                owned.update(piece);
                sharing.update(piece);
            }
            assert_eq!(peek(&used), expected, "{key:?}, {length} bytes");
            assert_eq!(used.clone().verify(&nonce(), &expected), Ok(()), "{key:?}");
            assert_eq!(used.clone().finish(nonce()), expected, "{key:?}, clone");
            let mut longer = used.clone();
            longer.update(&[0]);
            assert_eq!(longer.verify(&nonce(), &expected), Err(TagMismatch), "{key:?}");
            let other = nonce().next().unwrap();
            assert_eq!(used.clone().verify(&other, &expected), Err(TagMismatch), "{key:?}");
            // Streams that own their key or share it, one of them on another thread.
            assert_eq!(owned.clone().verify(&nonce(), &expected), Ok(()), "{key:?}, owned");
            assert_eq!(owned.finish_reset(nonce()), expected, "{key:?}, owned");
            assert_eq!(owned.finish(nonce()), key.tag(nonce(), &[]), "{key:?}, owned, reset");
            let tag = std::thread::spawn(move || sharing.finish(nonce())).join();
            assert_eq!(tag.expect("it does not panic"), expected, "{key:?}, shared");
            // The next length begins with a stream that was used and reset.
            if length % 2 == 0 {
                assert_eq!(used.finish_reset(nonce()), expected, "{key:?}, finish_reset");
            } else {
                used.reset();
            }
            assert_eq!(peek(&used), key.tag(nonce(), &[]), "{key:?}, reset");
        }
    }
}

#[test]
fn streams_of_umac_clone_and_reset() {
    for_every_umac!(umac_streams);
}

fn pmac_streams<C: BlockCipher, const N: usize>() {
    let message = Random(23).message(17409);
    for key in pmac_keys::<C, N>() {
        let key = Arc::new(key);
        let mut used = key.stream();
        for length in LENGTHS {
            let message = &message[..length];
            let expected = key.tag(message);
            let mut sharing = pmac::Stream::<Arc<pmac::Key<C, N>>, C, N>::new(key.clone());
            for piece in random_pieces(&mut Random(24), message) {
                let mut clone = used.clone();
                clone.update(b"something else");
                used.update(piece);
                let so_far = used.tag();
                assert_eq!(used.tag(), so_far, "{key:?}, {length} bytes, again");
                sharing.update(piece);
            }
            assert_eq!(used.tag(), expected, "{key:?}, {length} bytes");
            assert_eq!(used.clone().verify(&expected), Ok(()), "{key:?}");
            assert_eq!(used.clone().tag(), expected, "{key:?}, clone");
            assert_eq!(used.clone().finish(), expected, "{key:?}, clone");
            assert_eq!(sharing.clone().verify(&expected), Ok(()), "{key:?}, shared");
            assert_eq!(sharing.finish_reset(), expected, "{key:?}, shared");
            assert_eq!(sharing.finish(), key.tag(&[]), "{key:?}, shared, reset");
            let mut longer = used.clone();
            longer.update(&[0]);
            assert_eq!(longer.verify(&expected), Err(TagMismatch), "{key:?}");
            if length % 2 == 0 {
                assert_eq!(used.finish_reset(), expected, "{key:?}, finish_reset");
            } else {
                used.reset();
            }
            assert_eq!(used.tag(), key.tag(&[]), "{key:?}, reset");
        }
    }
}

#[test]
fn streams_of_pmac_clone_and_reset() {
    for_every_pmac!(pmac_streams);
}

/// A stream that owns its key outlives what made it.
#[test]
fn streams_own_their_keys() {
    fn started<const L: usize>(message: &[u8]) -> umac::Stream<umac::Key<8, L>, 8, L> {
        let mut stream = umac::Stream::<_, 8, L>::new(umac::Key::new(SECRET));
        stream.update(message);
        stream
    }
    let tag = umac::Key::<8, 16>::new(SECRET).tag(NonceOf::counter(1), b"a message");
    assert_eq!(started::<16>(b"a message").finish(NonceOf::counter(1)), tag);

    fn pmac_started(message: &[u8]) -> pmac::Stream<pmac::Key<Aes128, 16>, Aes128, 16> {
        let mut stream = pmac::Stream::new(pmac::Key::new(SECRET));
        stream.update(message);
        stream
    }
    let tag = pmac::Key::<Aes128, 16>::new(SECRET).tag(b"a message");
    assert_eq!(pmac_started(b"a message").clone().finish(), tag);
    assert_eq!(pmac_started(b"a message").finish_reset(), tag);

    type Key = carter::Carter128<Aes256, 12>;
    let key = Key::new(b"a secret of thirty-two bytes all");
    let tag = key.tag(NonceOf::counter(1), b"a message");
    let mut stream = carter::Stream::<Box<Key>, Aes256, 16, 12>::new(Box::new(key));
    for _ in 0..2 {
        stream.update(b"a message");
        assert_eq!(stream.finish_reset(NonceOf::counter(1)), tag);
    }
}

/// The length of a key's nonces is in its type alone.
#[test]
fn nonces_of_any_length_under_one_key() {
    fn check<const N: usize, const L: usize>() {
        let message = Random(30).message(1500);
        let bytes = Random(31).bytes::<L>();
        let nonce = || NonceOf::from(bytes);
        for (name, cpu) in umac::Key::<N>::kernels(Cpu::detect()) {
            let key = umac::Key::<N, L>::with_cpu(cpu, SECRET);
            assert_eq!(key.kernel(), name);
            let tag = key.tag(nonce(), &message);
            let of_8 = umac::Key::<N>::with_cpu(cpu, SECRET);
            assert_eq!(raw::tag(&of_8, &Nonce::from(bytes), &message), tag, "{name}, {L}");
            assert_eq!(raw::tag(&key, &Nonce::from(nonce()), &message), tag, "{name}, {L}");
            assert_eq!(key.verify(&nonce(), &message, &tag), Ok(()));
            let mut stream = key.stream();
            stream.update(&message);
            assert_eq!(raw::peek(&stream, &Nonce::from(bytes)), tag, "{name}, {L}");
            assert_eq!(stream.finish(nonce()), tag, "{name}, {L}");
            let mut tags = [Tag::from([0; N]); 2];
            assert_eq!(key.tag_many(nonce(), &[&message, b"two"], &mut tags), Ok(()));
            assert_eq!(tags, [tag, key.tag(nonce().next().unwrap(), b"two")], "{name}, {L}");
        }
    }
    macro_rules! for_every_length {
        ($($length:literal)*) => {
            $(
                check::<4, $length>();
                check::<8, $length>();
                check::<12, $length>();
                check::<16, $length>();
            )*
        };
    }
    for_every_length!(8 9 10 11 12 13 14 15 16);
}

// Verification.

/// Nothing, a part of a block, a block and more, and more than a chunk.
const VERIFIED: [usize; 5] = [0, 1, 16, 33, 1025];

fn tag_flips<const N: usize>(tag: Tag<N>) -> impl Iterator<Item = Tag<N>> {
    bit_flips(&tag.to_bytes())
        .map(|bytes| Tag::try_from(bytes.as_slice()).expect("as long as before"))
        .collect::<Vec<_>>()
        .into_iter()
}

fn umac_verifies<const N: usize>() {
    let bytes = [0x5a, 0xff, 0x00, 0, 1, 2, 0xff, 0xff];
    let nonce = || NonceOf::from(bytes);
    let short = Nonce::from([0x5a, 0xff, 0x00]);
    for key in umac_keys::<N>() {
        for length in VERIFIED {
            let message = Random(25).message(length);
            let tag = key.tag(nonce(), &message);
            assert_eq!(key.verify(&nonce(), &message, &tag), Ok(()));
            for other in tag_flips(tag) {
                assert_eq!(key.verify(&nonce(), &message, &other), Err(TagMismatch), "{key:?}");
            }
            for other in bit_flips(&message) {
                assert_eq!(key.verify(&nonce(), &other, &tag), Err(TagMismatch), "{key:?}");
            }
            for other in bit_flips(&bytes) {
                let other = NonceOf::try_from(&other[..]).unwrap();
                assert_eq!(key.verify(&other, &message, &tag), Err(TagMismatch), "{key:?}");
            }
            // A nonce that has no typed form.
            let tag = raw::tag(&key, &short, &message);
            for other in bit_flips(&message) {
                assert_ne!(raw::tag(&key, &short, &other), tag, "{key:?}");
            }
            for other in bit_flips(short.as_bytes()) {
                let other = Nonce::new(&other).unwrap();
                assert_ne!(raw::tag(&key, &other, &message), tag, "{key:?}");
            }
        }
    }
}

#[test]
fn umac_rejects_every_changed_bit() {
    for_every_umac!(umac_verifies);
}

fn pmac_verifies<C: BlockCipher, const N: usize>() {
    for key in pmac_keys::<C, N>() {
        for length in VERIFIED {
            let message = Random(26).message(length);
            let tag = key.tag(&message);
            assert_eq!(key.verify(&message, &tag), Ok(()));
            for other in tag_flips(tag) {
                assert_eq!(key.verify(&message, &other), Err(TagMismatch), "{key:?}");
            }
            for other in bit_flips(&message) {
                assert_eq!(key.verify(&other, &tag), Err(TagMismatch), "{key:?}");
            }
        }
    }
}

#[test]
fn pmac_rejects_every_changed_bit() {
    for_every_pmac!(pmac_verifies);
}

// Batches.

/// Packets of mixed lengths, in no order.
fn packets() -> Vec<Vec<u8>> {
    let mut random = Random(27);
    [40, 0, 1500, 1, 1024, 1025, 16, 512, 9000, 17].map(|length| random.message(length)).into()
}

fn slices(packets: &[Vec<u8>]) -> Vec<&[u8]> {
    packets.iter().map(Vec::as_slice).collect()
}

fn umac_batches<const N: usize>() {
    let packets = packets();
    // The carry of the nonce's last byte is in the batch.
    let nonce = |i: usize| NonceOf::counter(0xfe + i as u64);
    for key in umac_keys::<N>() {
        assert_eq!(key.tag_many(nonce(0), &[], &mut []), Ok(()));
        assert_eq!(key.verify_many(&[], &mut []), Ok(()));

        for count in 1..=packets.len() {
            let mut tags = vec![Tag::from([0; N]); count];
            assert_eq!(key.tag_many(nonce(0), &slices(&packets[..count]), &mut tags), Ok(()));
            for (i, (packet, tag)) in packets.iter().zip(&tags).enumerate() {
                assert_eq!(*tag, key.tag(nonce(i), packet), "{key:?}, batch of {count}");
            }
        }

        let tags: Vec<_> =
            packets.iter().enumerate().map(|(i, packet)| key.tag(nonce(i), packet)).collect();
        let good = || -> Vec<(NonceOf<8>, &[u8], Tag<N>)> {
            let tagged = |i| (nonce(i), packets[i].as_slice(), tags[i]);
            (0..packets.len()).map(tagged).collect()
        };
        check_verify_many(packets.len(), |valid| key.verify_many(&good(), valid), None);
        for bad in 0..packets.len() {
            let (_, message, tag) = good()[bad];
            let longer = [message, &[0]].concat();
            let last_flip = tag_flips(tag).last().unwrap();
            for packet in [
                (nonce(bad), message, last_flip),
                (nonce(bad), longer.as_slice(), tag),
                (nonce(bad + 100), message, tag),
            ] {
                let mut packets = good();
                packets[bad] = packet;
                let count = packets.len();
                check_verify_many(count, |valid| key.verify_many(&packets, valid), Some(bad));
            }
        }
    }
}

/// All outcomes are overwritten, and exactly the wrong one is flagged.
fn check_verify_many(
    count: usize,
    verify: impl Fn(&mut [bool]) -> Result<(), TagMismatch>,
    bad: Option<usize>,
) {
    for before in [false, true] {
        let mut valid = vec![before; count];
        let expected = if bad.is_some() { Err(TagMismatch) } else { Ok(()) };
        assert_eq!(verify(&mut valid), expected);
        let expected: Vec<bool> = (0..count).map(|i| Some(i) != bad).collect();
        assert_eq!(valid, expected);
    }
}

#[test]
fn batches_of_umac() {
    for_every_umac!(umac_batches);
}

fn pmac_batches<C: BlockCipher, const N: usize>() {
    let packets = packets();
    for key in pmac_keys::<C, N>() {
        key.tag_many(&[], &mut []);
        assert_eq!(key.verify_many(&[], &mut []), Ok(()));

        for count in 1..=packets.len() {
            let mut tags = vec![Tag::from([0; N]); count];
            key.tag_many(&slices(&packets[..count]), &mut tags);
            for (packet, tag) in packets.iter().zip(&tags) {
                assert_eq!(*tag, key.tag(packet), "{key:?}, batch of {count}");
            }
        }

        let good: Vec<_> =
            packets.iter().map(|packet| (packet.as_slice(), key.tag(packet))).collect();
        check_verify_many(good.len(), |valid| key.verify_many(&good, valid), None);
        for bad in 0..good.len() {
            let (message, tag) = good[bad];
            let longer = [message, &[0]].concat();
            let last_flip = tag_flips(tag).last().unwrap();
            for packet in [(message, last_flip), (longer.as_slice(), tag)] {
                let mut packets = good.clone();
                packets[bad] = packet;
                let count = packets.len();
                check_verify_many(count, |valid| key.verify_many(&packets, valid), Some(bad));
            }
        }
    }
}

#[test]
fn batches_of_pmac() {
    for_every_pmac!(pmac_batches);
}

/// At the end of the nonces, either all messages get a tag or none does.
#[test]
fn batches_do_not_wrap_the_nonce() {
    let key = umac::Key::<8>::new(SECRET);
    let messages: [&[u8]; 3] = [b"one", b"two", b"three"];
    let untouched = Tag::from([0xee; 8]);
    for length in [1, 8, 16] {
        for from_end in 0..=3 {
            let mut first = vec![0xff; length];
            first[length - 1] -= from_end;
            let first = Nonce::new(&first).unwrap();
            for count in 0..=messages.len() {
                let mut tags = vec![untouched; count];
                let result = raw::tag_many(&key, &first, &messages[..count], &mut tags);
                if count <= usize::from(from_end) + 1 {
                    assert_eq!(result, Ok(()), "{count} from {first:?}");
                    let mut nonce = Some(first);
                    for (message, tag) in messages.iter().zip(&tags) {
                        assert_eq!(*tag, raw::tag(&key, &nonce.expect("one each"), message));
                        nonce = nonce.and_then(Nonce::next);
                    }
                } else {
                    assert_eq!(result, Err(NoncesExhausted), "{count} from {first:?}");
                    assert!(tags.iter().all(|tag| *tag == untouched), "written all the same");
                }
            }
        }
    }
    fn typed<const L: usize>() {
        let key = umac::Key::<8, L>::new(SECRET);
        let nonce = |from_end| {
            let mut bytes = [0xff; L];
            bytes[L - 1] -= from_end;
            NonceOf::from(bytes)
        };
        let mut tags = [Tag::from([0xee; 8]); 2];
        let result = key.tag_many(nonce(0), &[b"one", b"two"], &mut tags);
        assert_eq!(result, Err(NoncesExhausted), "{L} bytes");
        assert_eq!(tags, [Tag::from([0xee; 8]); 2], "{L} bytes");
        assert_eq!(key.tag_many(nonce(1), &[b"one", b"two"], &mut tags), Ok(()), "{L} bytes");
        assert_eq!(tags, [key.tag(nonce(1), b"one"), key.tag(nonce(0), b"two")], "{L} bytes");
    }
    typed::<8>();
    typed::<12>();
    typed::<16>();
}

#[test]
fn batches_of_unequal_lengths_panic() {
    fn panics(call: impl FnOnce()) {
        assert!(catch_unwind(AssertUnwindSafe(call)).is_err(), "no panic");
    }
    let umac = umac::Key::<8>::new(SECRET);
    let mut tags = [Tag::from([0; 8]); 2];
    panics(|| _ = umac.tag_many(NonceOf::counter(1), &[b"one"], &mut tags));
    panics(|| _ = umac.verify_many(&[(NonceOf::counter(1), b"one", tags[0])], &mut []));
    panics(|| _ = raw::tag_many(&umac, &Nonce::counter(1), &[b"one"], &mut tags));
    let carter = carter::Carter64::<Aes128, 12>::new(SECRET);
    panics(|| _ = carter.tag_many(NonceOf::counter(1), &[b"one"], &mut tags));
    panics(|| _ = carter.verify_many(&[(NonceOf::counter(1), b"one", tags[0])], &mut []));
    let pmac = pmac::Key::<Aes128, 8>::new(SECRET);
    panics(|| pmac.tag_many(&[b"one"], &mut tags));
    panics(|| _ = pmac.verify_many(&[(b"one", tags[0])], &mut [true; 2]));
}

// Nonces.

#[test]
fn nonces_have_1_to_16_bytes() {
    let bytes: Vec<u8> = (1..=17).collect();
    assert_eq!(Nonce::new(&[]), Err(InvalidLength));
    assert_eq!(Nonce::new(&bytes), Err(InvalidLength));
    for length in 1..=Nonce::MAX {
        assert_eq!(Nonce::new(&bytes[..length]).unwrap().as_bytes(), &bytes[..length]);
    }
    assert_eq!(Nonce::from([1, 2, 3]), Nonce::new(&[1, 2, 3]).unwrap());
    assert_eq!(Nonce::from([7; 16]).as_bytes(), [7; 16]);
    // The length is part of a nonce.
    assert_ne!(Nonce::from([1]), Nonce::from([1, 0]));
    assert_eq!(format!("{:?}", Nonce::from([0, 0xab])), "Nonce(00ab)");
}

#[test]
fn counters_are_8_big_endian_bytes() {
    for count in [0, 1, 0xff, 0x100, 0x0123_4567_89ab_cdef, u64::MAX] {
        assert_eq!(Nonce::counter(count).as_bytes(), count.to_be_bytes());
        let next = count.checked_add(1).map(Nonce::counter);
        assert_eq!(Nonce::counter(count).next(), next, "{count}");
        assert_eq!(NonceOf::<8>::counter(count).to_bytes(), count.to_be_bytes());
        let next = count.checked_add(1).map(NonceOf::<8>::counter);
        assert_eq!(NonceOf::<8>::counter(count).next(), next, "{count}");
        let wide = NonceOf::<16>::counter(count);
        assert_eq!(wide.to_bytes(), u128::from(count).to_be_bytes());
        let next = (u128::from(count) + 1).to_be_bytes();
        assert_eq!(wide.next(), Some(NonceOf::from(next)), "{count}");
        for length in 8..=Nonce::MAX {
            let nonce = Nonce::counter_of(length, count);
            assert_eq!(nonce.as_bytes(), &u128::from(count).to_be_bytes()[16 - length..]);
            assert_eq!(nonce.len(), length);
        }
        assert_eq!(Nonce::from(NonceOf::<12>::counter(count)), Nonce::counter_of(12, count));
    }
    assert_eq!(NonceOf::from([0xff; 12]).next(), None);
}

#[test]
fn typed_nonces_print_and_parse() {
    let bytes = [0x01, 0x23, 0xab, 0xff, 0, 0, 0, 0x9d];
    let nonce = || NonceOf::from(bytes);
    assert_eq!(format!("{:x}", nonce()), "0123abff0000009d");
    assert_eq!(format!("{:X}", nonce()), "0123ABFF0000009D");
    assert_eq!(format!("{:?}", nonce()), "NonceOf(0123abff0000009d)");
    assert_eq!("0123abff0000009d".parse(), Ok(nonce()));
    assert_eq!("0123ABfF0000009D".parse(), Ok(nonce()), "either case");
    for wrong in ["", "0123abff0000009", "0123abff0000009d0", "0123abff0000009d00"] {
        let error = wrong.parse::<NonceOf<8>>().unwrap_err();
        assert!(matches!(error, InvalidHex::Length { digits: 16, .. }), "{wrong:?}: {error:?}");
    }
    let error = "0123abff0000x09d".parse::<NonceOf<8>>().unwrap_err();
    assert!(matches!(error, InvalidHex::Digit { at: 12, .. }), "{error:?}");
    let error = "0123abff0000009d".parse::<NonceOf<9>>().unwrap_err();
    assert!(matches!(error, InvalidHex::Length { digits: 18, .. }), "{error:?}");
}

#[test]
fn typed_nonces_come_from_slices_of_their_length_only() {
    fn check<const L: usize>() {
        let bytes: Vec<u8> = (1..=20).collect();
        for length in 0..=bytes.len() {
            let nonce = NonceOf::<L>::try_from(&bytes[..length]);
            if length == L {
                assert_eq!(nonce.unwrap().to_bytes(), bytes[..L]);
            } else {
                assert_eq!(nonce, Err(InvalidLength), "{length} bytes");
            }
        }
    }
    check::<8>();
    check::<12>();
    check::<16>();
}

#[test]
fn advance_is_addition() {
    let mut random = Random(28);
    for length in 1..=16 {
        let end = u128::MAX >> (128 - 8 * length);
        let starts = [0, 1, 0xff, end / 2, end - 0xff, end - 1, end]
            .into_iter()
            .chain((0..20).map(|_| (u128::from(random.word()) << 64 | 0x1234_5678) & end))
            .map(|start| start & end)
            .collect::<Vec<_>>();
        for start in starts {
            let left = u64::try_from(end - start).unwrap_or(u64::MAX);
            let counts = [0, 1, 2, 0xff, 0x100, random.word(), left, left.saturating_add(1)];
            for count in counts.into_iter().chain([left.saturating_sub(1), u64::MAX]) {
                let nonce = |value: u128| {
                    Nonce::new(&value.to_be_bytes()[16 - length..]).expect("1 to 16 bytes")
                };
                let sum = start.checked_add(count.into()).filter(|sum| *sum <= end);
                let advanced = nonce(start).advance(count);
                assert_eq!(advanced, sum.map(nonce), "{start:#x} + {count:#x}, {length} bytes");
                if count == 1 {
                    assert_eq!(nonce(start).next(), advanced);
                }
            }
        }
    }
}

// Tags.

#[test]
fn tags_print_and_parse() {
    let tag = Tag::from([0x01, 0x23, 0xab, 0xff]);
    assert_eq!(tag.to_string(), "0123abff");
    assert_eq!(format!("{tag:x}"), "0123abff");
    assert_eq!(format!("{tag:X}"), "0123ABFF");
    assert_eq!(format!("{tag:?}"), "Tag(0123abff)");
    assert_eq!("0123abff".parse(), Ok(tag));
    assert_eq!("0123ABfF".parse(), Ok(tag), "either case");
    // Too short, too long, half a byte, signs, spaces, a prefix, and letters that are not digits
    // although the number of bytes is right. If that is right, the first wrong byte is named.
    for (wrong, at) in [
        ("", None),
        ("0123abf", None),
        ("0123abff0", None),
        ("0123abff00", None),
        ("0123ab", None),
        ("+123abff", Some(0)),
        ("0123ab+f", Some(6)),
        (" 123abff", Some(0)),
        ("0x23abff", Some(1)),
        ("0123abfg", Some(7)),
        ("0123abé", Some(6)),
        ("é123abf", Some(0)),
        ("０12abf", Some(0)),
    ] {
        let error = wrong.parse::<Tag<4>>().unwrap_err();
        let found = match error {
            InvalidHex::Length { digits, .. } => {
                assert_eq!(digits, 8, "{wrong:?}");
                None
            }
            InvalidHex::Digit { at, .. } => Some(at),
            _ => panic!("{wrong:?}: {error:?}"),
        };
        assert_eq!(found, at, "{wrong:?}");
    }
    for byte in 0..=255 {
        let tag = Tag::from([byte; 16]);
        assert_eq!(tag.to_string().parse(), Ok(tag));
    }
}

#[test]
fn tags_come_from_slices_of_their_length_only() {
    let bytes: Vec<u8> = (1..=20).collect();
    for length in 0..=bytes.len() {
        let tag = Tag::<8>::try_from(&bytes[..length]);
        if length == 8 {
            assert_eq!(tag.unwrap().to_bytes(), bytes[..8]);
        } else {
            assert_eq!(tag, Err(InvalidLength), "{length} bytes");
        }
    }
}

#[test]
fn tags_differ_in_every_bit() {
    let tag = Tag::from([0xa5; 16]);
    assert_eq!(tag, Tag::from([0xa5; 16]));
    assert!(tag_flips(tag).all(|other| other != tag));
}

/// An error does not say where the difference is, and works with `?`.
#[test]
fn errors_are_errors() {
    let digits = "".parse::<Tag<4>>().unwrap_err();
    let digit = "0123abfg".parse::<Tag<4>>().unwrap_err();
    assert_ne!(digits.to_string(), digit.to_string());
    let errors: [Box<dyn std::error::Error>; 7] = [
        Box::new(TagMismatch),
        Box::new(InvalidLength),
        Box::new(NoncesExhausted),
        Box::new(ReserveError::Store(InvalidLength)),
        Box::new(ReserveError::<InvalidLength>::OtherProcess),
        Box::new(digits),
        Box::new(digit),
    ];
    assert!(errors.iter().all(|error| !error.to_string().is_empty()));

    let edit = [EditError::Key, EditError::Range, EditError::Window, EditError::ShortTag];
    let segment = [
        SegmentError::Key,
        SegmentError::Gap,
        SegmentError::Overlap,
        SegmentError::Unaligned,
        SegmentError::TooLong,
        SegmentError::Encoding,
    ];
    let edit = edit.map(|error| Box::<dyn std::error::Error>::from(error).to_string());
    let segment = segment.map(|error| Box::<dyn std::error::Error>::from(error).to_string());
    let texts: HashSet<String> = edit.into_iter().chain(segment).collect();
    assert!(texts.len() == 10 && !texts.contains(""), "each its own: {texts:?}");
}
