//! The contract of the typed interface: keys, streams, batches, nonces and tags.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use wegman::hazmat::raw::{self, Nonce};
use wegman::pmac::hazmat::{EditError, Segment, SegmentError, Sum};
use wegman::session::ReserveError;
use wegman::{Aes128, Bits, Cpu, NonceOf, NoncesExhausted, Tag, TagMismatch};
use wegman::{InvalidLength, pmac, umac};
use wegman_carter as carter;
use wegman_reference::inputs::Random;

const SECRET: &[u8; 16] = b"sixteen byte key";

// Keys.

/// The catalogue makes all keys but these from a slice.
#[test]
fn compact_keys_refuse_other_key_lengths() {
    for length in 0..=64 {
        let secret = vec![1; length];
        let keys = [
            umac::CompactKey::<8>::from_slice(&secret).map(drop),
            umac::CompactKey::<8>::from_slice_with_cpu(Cpu::PORTABLE, &secret).map(drop),
        ];
        assert_eq!(keys, [if length == 16 { Ok(()) } else { Err(InvalidLength) }; 2], "{length}");
    }
}

/// Debug output has the length of the tag and the kernel, but no byte of a key or message.
#[test]
fn debug_output_is_no_secret() {
    let umac = umac::Key::<8>::with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(format!("{umac:?}"), "umac::Key<8, 8>(portable)");
    assert_eq!(format!("{:?}", umac.stream()), "Stream of umac::Key<8, 8>");
    let compact = umac::CompactKey::<8>::with_cpu(Cpu::PORTABLE, SECRET);
    assert_eq!(format!("{compact:?}"), "umac::CompactKey<8, 8>(portable)");
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
    check::<4, 8>();
    check::<8, 9>();
    check::<12, 11>();
    check::<8, 12>();
    check::<4, 13>();
    check::<16, 15>();
    check::<8, 16>();
}

// Batches.

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
fn nonces_and_tags_come_from_slices_of_their_length_only() {
    fn check<T>(right: usize, bytes_of: fn(T) -> Vec<u8>)
    where
        T: for<'a> TryFrom<&'a [u8], Error = InvalidLength>,
    {
        let bytes: Vec<u8> = (1..=20).collect();
        for length in 0..=bytes.len() {
            let bytes = &bytes[..length];
            let expected = if length == right { Ok(bytes.to_vec()) } else { Err(InvalidLength) };
            assert_eq!(T::try_from(bytes).map(bytes_of), expected, "{length} of {right} bytes");
        }
    }
    check::<NonceOf<8>>(8, |nonce| nonce.to_bytes().to_vec());
    check::<NonceOf<12>>(12, |nonce| nonce.to_bytes().to_vec());
    check::<NonceOf<16>>(16, |nonce| nonce.to_bytes().to_vec());
    check::<Tag<8>>(8, |tag| tag.to_bytes().to_vec());
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

// Errors.

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
