//! The contract of the typed interface: keys, streams, batches, nonces and tags.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use wegman::cipher::BlockCipher;
use wegman::pmac::hazmat::{EditError, Segment, SegmentError, Sum};
use wegman::{Aes128, Aes192, Aes256, Bits, Cpu, Nonce, NoncesExhausted, Tag, TagMismatch};
use wegman::{InvalidLength, NonceOf, pmac, umac};
use wegman_carter as carter;
use wegman_reference::inputs::{LENGTHS, Random, bit_flips, random_pieces};

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
        $check::<wegman::historical::Rc6, 16>();
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
        let key = pmac::Key::from_slice(cpu, &secret).expect("the cipher's key length");
        assert_eq!(key.kernel(), name);
        key
    })
}

// Keys.

#[test]
fn keys_made_in_any_way_are_the_same() {
    let message = b"a message";
    let nonce = Nonce::counter(1);
    let tag = umac::Key::<8>::new(SECRET).tag(&nonce, message);
    assert_eq!(umac::Key::<8>::with_cpu(Cpu::PORTABLE, SECRET).tag(&nonce, message), tag);

    let key = pmac::Key::<Aes128, 16>::new(SECRET);
    let tag = key.tag(message);
    assert_eq!(key.clone().tag(message), tag);
    assert_eq!(pmac::Key::<Aes128, 16>::with_cpu(Cpu::PORTABLE, SECRET).tag(message), tag);
    let from_slice = pmac::Key::<Aes128, 16>::from_slice(Cpu::detect(), SECRET);
    assert_eq!(from_slice.unwrap().tag(message), tag);
    let short = pmac::Key::<Aes128, 9>::new(SECRET).tag(message);
    assert_eq!(short.to_bytes(), tag.to_bytes()[..9]);

    let nonce = NonceOf::counter(1);
    let tag = carter::Carter96::<Aes128, 12>::new(SECRET).tag(&nonce, message);
    let from_slice = carter::Key::<Aes128, 12, 12>::from_slice(Cpu::PORTABLE, SECRET);
    assert_eq!(from_slice.unwrap().tag(&nonce, message), tag);
}

#[test]
fn ciphers_refuse_other_key_lengths() {
    fn check<C: BlockCipher>() {
        for length in 0..=64 {
            let key = pmac::Key::<C, 16>::from_slice(Cpu::detect(), &vec![1; length]);
            assert_eq!(key.is_ok(), length == C::KEY_BYTES, "{length} bytes");
        }
    }
    check::<Aes128>();
    check::<Aes192>();
    check::<Aes256>();
    check::<wegman::historical::Rc6>();
    fn check_carter<C: carter::Cipher>() {
        for length in 0..=64 {
            let key = carter::Key::<C, 16, 12>::from_slice(Cpu::detect(), &vec![1; length]);
            assert_eq!(key.is_ok(), length == C::KEY_BYTES, "{length} bytes");
        }
    }
    check_carter::<Aes128>();
    check_carter::<Aes256>();
}

/// Debug output has the length of the tag and the kernel, but no byte of a key or message.
#[test]
fn debug_output_is_no_secret() {
    let umac = umac::Key::<8>::with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(format!("{umac:?}"), "umac::Key<8>(portable)");
    assert_eq!(format!("{:?}", umac.stream()), "umac::Stream<8>");
    let pmac = pmac::Key::<Aes128, 16>::with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(format!("{pmac:?}"), "pmac::Key<16>(portable)");
    assert_eq!(format!("{:?}", pmac.stream()), "pmac::Stream<16>");
    let carter = carter::Key::<Aes128, 16, 12>::from_slice(Cpu::PORTABLE, SECRET).unwrap();
    assert_eq!(format!("{carter:?}"), "carter::Key<16>(portable)");
    assert_eq!(format!("{:?}", carter.stream()), "carter::Stream<16>");
    let segment = Segment::new(&pmac, 2, Bits::from(&SECRET[..])).unwrap();
    assert_eq!(format!("{segment:?}"), "Segment(128 bits after 2 blocks)");
    let sum = Sum::new(&pmac, Bits::from(&SECRET[..]));
    assert_eq!(format!("{sum:?}"), "Sum(128 bits)");
}

// Streams.

fn umac_streams<const N: usize>() {
    let message = Random(21).message(17409);
    let nonce = Nonce::counter(21);
    for key in umac_keys::<N>() {
        let mut used = key.stream();
        for length in LENGTHS {
            let message = &message[..length];
            let expected = key.tag(&nonce, message);
            for piece in random_pieces(&mut Random(22), message) {
                // A clone is independent: what it absorbs does not change the original.
                let mut clone = used.clone();
                clone.update(b"something else");
                used.update(piece);
            }
            assert_eq!(used.tag(&nonce), expected, "{key:?}, {length} bytes");
            assert_eq!(used.verify(&nonce, &expected), Ok(()), "{key:?}");
            assert_eq!(used.clone().tag(&nonce), expected, "{key:?}, clone");
            let mut longer = used.clone();
            longer.update(&[0]);
            assert_eq!(longer.verify(&nonce, &expected), Err(TagMismatch), "{key:?}");
            let other = nonce.next().unwrap();
            assert_eq!(used.verify(&other, &expected), Err(TagMismatch), "{key:?}");
            // The next length begins with a stream that was used and reset.
            used.reset();
            assert_eq!(used.tag(&nonce), key.tag(&nonce, &[]), "{key:?}, reset");
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
        let mut used = key.stream();
        for length in LENGTHS {
            let message = &message[..length];
            let expected = key.tag(message);
            for piece in random_pieces(&mut Random(24), message) {
                let mut clone = used.clone();
                clone.update(b"something else");
                used.update(piece);
            }
            assert_eq!(used.tag(), expected, "{key:?}, {length} bytes");
            assert_eq!(used.verify(&expected), Ok(()), "{key:?}");
            assert_eq!(used.clone().tag(), expected, "{key:?}, clone");
            let mut longer = used.clone();
            longer.update(&[0]);
            assert_eq!(longer.verify(&expected), Err(TagMismatch), "{key:?}");
            used.reset();
            assert_eq!(used.tag(), key.tag(&[]), "{key:?}, reset");
        }
    }
}

#[test]
fn streams_of_pmac_clone_and_reset() {
    for_every_pmac!(pmac_streams);
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
    let nonce = Nonce::from([0x5a, 0xff, 0x00]);
    for key in umac_keys::<N>() {
        for length in VERIFIED {
            let message = Random(25).message(length);
            let tag = key.tag(&nonce, &message);
            assert_eq!(key.verify(&nonce, &message, &tag), Ok(()));
            for other in tag_flips(tag) {
                assert_eq!(key.verify(&nonce, &message, &other), Err(TagMismatch), "{key:?}");
            }
            for other in bit_flips(&message) {
                assert_eq!(key.verify(&nonce, &other, &tag), Err(TagMismatch), "{key:?}");
            }
            for other in bit_flips(nonce.as_bytes()) {
                let other = Nonce::new(&other).unwrap();
                assert_eq!(key.verify(&other, &message, &tag), Err(TagMismatch), "{key:?}");
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
    let first = Nonce::counter(0xfe); // the carry of the nonce's last byte is in the batch
    let nonces: Vec<Nonce> = (0..packets.len()).map(|i| Nonce::counter(0xfe + i as u64)).collect();
    for key in umac_keys::<N>() {
        assert_eq!(key.tag_many(&first, &[], &mut []), Ok(()));
        assert_eq!(key.verify_many(&[], &mut []), Ok(()));

        for count in 1..=packets.len() {
            let mut tags = vec![Tag::from([0; N]); count];
            assert_eq!(key.tag_many(&first, &slices(&packets[..count]), &mut tags), Ok(()));
            for ((nonce, packet), tag) in nonces.iter().zip(&packets).zip(&tags) {
                assert_eq!(*tag, key.tag(nonce, packet), "{key:?}, batch of {count}");
            }
        }

        let tagged = |(&nonce, packet)| (nonce, Vec::as_slice(packet), key.tag(&nonce, packet));
        let good: Vec<_> = nonces.iter().zip(&packets).map(tagged).collect();
        check_verify_many(good.len(), |valid| key.verify_many(&good, valid), None);
        for bad in 0..good.len() {
            let (nonce, message, tag) = good[bad];
            let longer = [message, &[0]].concat();
            let last_flip = tag_flips(tag).last().unwrap();
            for packet in [
                (nonce, message, last_flip),
                (nonce, longer.as_slice(), tag),
                (nonce.advance(100).unwrap(), message, tag),
            ] {
                let mut packets = good.clone();
                packets[bad] = packet;
                check_verify_many(good.len(), |valid| key.verify_many(&packets, valid), Some(bad));
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
                check_verify_many(good.len(), |valid| key.verify_many(&packets, valid), Some(bad));
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
                let result = key.tag_many(&first, &messages[..count], &mut tags);
                if count <= usize::from(from_end) + 1 {
                    assert_eq!(result, Ok(()), "{count} from {first:?}");
                    let mut nonce = Some(first);
                    for (message, tag) in messages.iter().zip(&tags) {
                        assert_eq!(*tag, key.tag(&nonce.expect("one each"), message));
                        nonce = nonce.and_then(Nonce::next);
                    }
                } else {
                    assert_eq!(result, Err(NoncesExhausted), "{count} from {first:?}");
                    assert!(tags.iter().all(|tag| *tag == untouched), "written all the same");
                }
            }
        }
    }
}

#[test]
fn batches_of_unequal_lengths_panic() {
    fn panics(call: impl FnOnce()) {
        assert!(catch_unwind(AssertUnwindSafe(call)).is_err(), "no panic");
    }
    let umac = umac::Key::<8>::new(SECRET);
    let nonce = Nonce::counter(1);
    let mut tags = [Tag::from([0; 8]); 2];
    panics(|| _ = umac.tag_many(&nonce, &[b"one"], &mut tags));
    panics(|| _ = umac.verify_many(&[(nonce, b"one", tags[0])], &mut []));
    let carter = carter::Carter64::<Aes128, 12>::new(SECRET);
    let nonce = NonceOf::counter(1);
    panics(|| _ = carter.tag_many(&nonce, &[b"one"], &mut tags));
    panics(|| _ = carter.verify_many(&[(nonce, b"one", tags[0])], &mut []));
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
    }
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
    assert_eq!(format!("{tag:?}"), "Tag(0123abff)");
    assert_eq!("0123abff".parse(), Ok(tag));
    assert_eq!("0123ABfF".parse(), Ok(tag), "either case");
    // Too short, too long, half a byte, signs, spaces, a prefix, and letters that are not digits
    // although the number of bytes is right.
    for wrong in [
        "",
        "0123abf",
        "0123abff0",
        "0123abff00",
        "0123ab",
        "+123abff",
        "0123ab+f",
        " 123abff",
        "0x23abff",
        "0123abfg",
        "0123abé",
        "é123abf",
        "０12abf",
    ] {
        assert_eq!(wrong.parse::<Tag<4>>(), Err(InvalidLength), "{wrong:?}");
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
    let errors: [Box<dyn std::error::Error>; 3] =
        [Box::new(TagMismatch), Box::new(InvalidLength), Box::new(NoncesExhausted)];
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
