//! Partial sums: however a message is cut, wherever its parts are summed and in whatever order they are
//! combined, the tag is the serial one; what does not fit is refused; and the encoding stays as it is.

use super::{Des, keys};
use crate::bits::Bits;
use crate::cipher::{Aes128, Aes192, BlockCipher};
use crate::cpu::Cpu;
use crate::pmac::Key;
use crate::pmac::hazmat::{Segment, SegmentError, SegmentStream, Sum, key_with_tag_bits};
use wegman_reference::inputs::Random;

/// Through its encoding and back.
fn sent(segment: &Segment) -> Segment {
    let bytes = segment.to_bytes();
    let received = Segment::from_bytes(&bytes[..]).expect("what was encoded can be decoded");
    assert_eq!(received.to_bytes(), bytes);
    received
}

/// The segments of a message that is cut into parts at random blocks, empty ones among them; each is
/// made on one of the keys.
fn cut<C: BlockCipher, const N: usize>(
    random: &mut Random,
    keys: &[Key<C, N>],
    message: Bits<'_>,
    block: usize,
) -> Vec<Segment> {
    let bytes = message.bytes();
    let blocks = bytes.len().div_ceil(block);
    let mut ends: Vec<usize> = (0..random.upto(9)).map(|_| random.upto(blocks)).collect();
    ends.sort_unstable();
    ends.push(blocks);
    let mut start = 0;
    let segment = |end: usize| {
        let place = |blocks: usize| bytes.len().min(blocks * block);
        let part = &bytes[place(start)..place(end)];
        let bits = message.len().min(8 * place(end) as u64).saturating_sub(8 * place(start) as u64);
        let key = &keys[random.upto(keys.len() - 1)];
        let part = Bits::new(part, bits).unwrap();
        let segment = sent(&Segment::new(key, start as u64, part).unwrap());
        assert_eq!((segment.start(), segment.bits()), (start as u64, bits));
        start = end;
        segment
    };
    ends.into_iter().map(segment).collect()
}

/// Combined in any order that keeps the sequence.
fn join(random: &mut Random, segments: &[Segment]) -> Segment {
    match segments {
        [one] => one.clone(),
        _ => {
            let (left, right) = segments.split_at(1 + random.upto(segments.len() - 2));
            sent(&join(random, left).then(&join(random, right)).expect("they lie side by side"))
        }
    }
}

fn shuffle(random: &mut Random, segments: &mut [Segment]) {
    (1..segments.len()).for_each(|i| segments.swap(i, random.upto(i)));
}

fn check_segmentations<C: BlockCipher, const N: usize>(
    count: u64,
    keys: &[Key<C, N>],
    block: usize,
    longest: usize,
) {
    let mut random = Random(80);
    let serial = keys.last().expect("a key");
    for i in 0..count {
        let bits = random.upto(8 * longest) / [1, 8, 8 * block][random.upto(2)];
        let message = random.message(bits.div_ceil(8));
        let message = Bits::new(&message, bits as u64).unwrap();
        let expected = serial.tag_bits(message);
        let mut segments = cut(&mut random, keys, message, block);
        let joined = join(&mut random, &segments);
        assert_eq!(joined.bits(), bits as u64, "number {i}");
        assert_eq!(joined.tag(serial), Ok(expected), "number {i}: {segments:?}");
        shuffle(&mut random, &mut segments);
        let combined = Segment::combine(&mut segments).expect("all of a message");
        assert_eq!(combined.to_bytes(), joined.to_bytes(), "number {i}: {segments:?}");
        let sum = Sum::from_segment(serial, &combined).unwrap();
        assert_eq!(sum.tag(serial), Ok(expected), "number {i}");
    }
}

#[test]
fn ten_thousand_segmentations_have_the_serial_tag() {
    let keys = keys::<Aes128, 16>();
    // The portable row is slow; where it is the only one, it makes all of them.
    let fast = &keys[1.min(keys.len() - 1)..];
    check_segmentations(9000, fast, 16, 3000);
    check_segmentations(500, &keys, 16, 1500);
    check_segmentations(500, &super::keys::<Aes192, 6>(), 16, 1500);
    check_segmentations(500, &super::keys::<Des, 8>(), 8, 400);
}

/// However its bytes arrive, a part has the segment that it has in one piece.
fn check_pieces<C: BlockCipher, const N: usize>(keys: &[Key<C, N>], longest: usize) {
    let mut random = Random(82);
    for length in (0..longest).chain([511, 512, 513, 1024, 1025, 9000]) {
        let part = random.message(length);
        let start = [0, 1, 7, 1 << 40][random.upto(3)];
        let key = &keys[random.upto(keys.len() - 1)];
        let expected = Segment::new(key, start, Bits::from(&part[..])).unwrap();
        let mut stream = SegmentStream::new(key, start);
        let mut rest = &part[..];
        while !rest.is_empty() {
            let most = [1, 20, 600, rest.len()][random.upto(3)].min(rest.len());
            let (piece, after) = rest.split_at(random.upto(most));
            stream.update(key, piece);
            rest = after;
        }
        let segment = stream.segment(key).unwrap();
        assert_eq!(segment.to_bytes(), expected.to_bytes(), "{length} bytes after {start} blocks");
        stream.update(key, b"and more");
        let longer = [&part[..], b"and more"].concat();
        let longer = Segment::new(key, start, Bits::from(&longer[..])).unwrap();
        assert_eq!(stream.segment(key).unwrap().to_bytes(), longer.to_bytes());
    }
}

#[test]
fn a_part_in_pieces_has_the_segment_of_the_whole() {
    check_pieces(&keys::<Aes128, 16>(), 300);
    check_pieces(&keys::<Aes192, 6>(), 70);
    check_pieces(&keys::<Des, 8>(), 70);
}

#[cfg(feature = "parallel")]
#[test]
fn a_part_in_pieces_on_threads() {
    let key = Key::<Aes128, 16>::new(b"sixteen byte key");
    let part = Random(83).message((3 << 20) + 5);
    let expected = Segment::new(&key, 9, Bits::from(&part[..])).unwrap();
    let mut stream = SegmentStream::new(&key, 9);
    for piece in [&part[..3], &part[3..(1 << 20) - 1], &part[(1 << 20) - 1..]] {
        stream.update_rayon(&key, piece);
    }
    assert_eq!(stream.segment(&key).unwrap().to_bytes(), expected.to_bytes());
}

#[test]
fn pieces_that_do_not_fit_are_refused() {
    let key = Key::<Aes128, 16>::new(b"sixteen byte key");
    let other = Key::<Aes128, 16>::new(b"another 16 bytes");
    let most = u64::MAX / 128;
    // The last block may have 15 bytes. One that is held back, and one that is not.
    for length in [0, 15, 16, 600] {
        let mut stream = SegmentStream::new(&key, most);
        stream.update(&key, &vec![1; length]);
        let expected = if length < 16 { Ok(8 * length as u64) } else { Err(SegmentError::TooLong) };
        assert_eq!(stream.segment(&key).map(|segment| segment.bits()), expected, "{length}");
        stream.update(&key, &[1; 16]);
        assert_eq!(stream.segment(&key).err(), Some(SegmentError::TooLong), "{length} and 16");
    }
    let beyond = SegmentStream::new(&key, most + 1);
    assert_eq!(beyond.segment(&key).err(), Some(SegmentError::TooLong));

    let mut stream = SegmentStream::new(&key, 0);
    stream.update(&key, &[1; 600]);
    assert_eq!(stream.segment(&other).err(), Some(SegmentError::Key));
    stream.update(&other, &[1; 600]);
    assert_eq!(stream.segment(&key).err(), Some(SegmentError::Key));
}

#[test]
fn a_tag_is_of_the_whole_message_or_of_none() {
    let key = Key::<Aes128, 16>::new(b"sixteen byte key");
    let message = [5; 40];
    let whole = Segment::new(&key, 0, Bits::from(&message[..])).unwrap();
    assert_eq!(whole.tag_of_length(&key, 320), Ok(key.tag(&message)));
    for bits in [0, 312, 319, 321, 384] {
        assert_eq!(whole.tag_of_length(&key, bits), Err(SegmentError::Length));
    }
    let back = Segment::new(&key, 1, Bits::from(&message[16..])).unwrap();
    assert_eq!(back.tag_of_length(&key, 192), Err(SegmentError::Gap));
}

/// Two whole blocks, then what is left.
fn front_and_back<C: BlockCipher, const N: usize>(
    key: &Key<C, N>,
    message: &[u8],
) -> (Segment, Segment) {
    let (front, back) = message.split_at(2 * N);
    let segment = |start, part: &[u8]| Segment::new(key, start, Bits::from(part)).unwrap();
    (segment(0, front), segment(2, back))
}

#[test]
fn segments_that_do_not_fit_are_refused() {
    let secret = b"sixteen byte key";
    let key = Key::<Aes128, 16>::new(secret);
    let segment = |start, bits: u64| {
        let part = vec![3; bits.div_ceil(8) as usize];
        Segment::new(&key, start, Bits::new(&part, bits).unwrap()).unwrap()
    };
    let then = |a: &Segment, b: &Segment| a.then(b).map(|whole| whole.bits());
    let combined = |segments: &[&Segment]| {
        let mut segments: Vec<Segment> =
            segments.iter().map(|segment| (*segment).clone()).collect();
        Segment::combine(&mut segments).map(|whole| whole.bits())
    };
    let (first, second, third) = (segment(0, 256), segment(2, 384), segment(5, 128));
    assert_eq!(combined(&[&third, &first, &second]), Ok(768));

    assert_eq!(combined(&[]), Err(SegmentError::Gap));
    assert_eq!(then(&first, &third), Err(SegmentError::Gap));
    assert_eq!(combined(&[&first, &third]), Err(SegmentError::Gap));
    assert_eq!(then(&first, &segment(3, 0)), Err(SegmentError::Gap));
    for wrong in [&first, &segment(1, 128), &segment(1, 1000), &segment(0, 128), &segment(0, 0)] {
        assert_eq!(then(&first, wrong), Err(SegmentError::Overlap), "{wrong:?}");
    }
    assert_eq!(then(&second, &first), Err(SegmentError::Overlap), "backwards");
    // Twice, next to each other and apart.
    assert_eq!(combined(&[&second, &first, &second]), Err(SegmentError::Overlap));
    assert_eq!(combined(&[&first, &second, &third, &first]), Err(SegmentError::Overlap));
    assert_eq!(combined(&[&first, &segment(1, 512), &third]), Err(SegmentError::Overlap));
    // Only the last one may end within a block.
    for bits in [1, 8, 120, 127, 129, 255] {
        let short = segment(0, bits);
        let (next, after) = (segment(bits.div_ceil(128), 5), segment(bits.div_ceil(128), 0));
        assert_eq!(then(&short, &next), Err(SegmentError::Unaligned), "{bits} bits");
        assert_eq!(then(&short, &after), Ok(bits), "nothing after {bits} bits");
        assert_eq!(after.tag(&key).err(), Some(SegmentError::Gap));
    }
    for start in [1, 2, 1 << 56] {
        assert_eq!(segment(start, 0).tag(&key), Err(SegmentError::Gap), "not from the start");
    }
    assert_eq!(second.tag(&key), Err(SegmentError::Gap));

    fn mixed<C: BlockCipher, const N: usize>(first: &Segment, other: &Key<C, N>) {
        let second = Segment::new(other, 2, Bits::from(&[3; 48][..])).unwrap();
        assert_eq!(first.then(&second).err(), Some(SegmentError::Key), "{other:?}");
        let mut all = [second, first.clone()];
        assert_eq!(Segment::combine(&mut all).err(), Some(SegmentError::Key), "{other:?}");
        assert_eq!(first.tag(other).err(), Some(SegmentError::Key), "{other:?}");
    }
    mixed(&first, &Key::<Aes128, 16>::new(b"another 16 bytes"));
    mixed(&first, &Key::<Aes128, 15>::new(secret));
    mixed(&first, &key_with_tag_bits::<Aes128, 16>(Cpu::detect(), secret, 127).unwrap());
    mixed(&first, &Key::<Aes192, 16>::new(&[1; 24]));
    mixed(&first, &Key::<Des, 8>::new(&[1; 24]));
}

/// A message ends with bit 2^64 - 1 at the latest.
#[test]
fn segments_end_where_numbers_end() {
    fn check<C: BlockCipher, const N: usize>(key: &Key<C, N>) {
        let block = 8 * N as u64;
        let most = u64::MAX / block; // whole blocks, and room for one bit less than another
        let part = [0; 16];
        let new = |start, bits: u64| {
            let part = Bits::new(&part[..bits.div_ceil(8) as usize], bits).unwrap();
            Segment::new(key, start, part).map(|segment| sent(&segment).bits())
        };
        assert_eq!(new(most, 0), Ok(0));
        assert_eq!(new(most, block - 1), Ok(block - 1));
        assert_eq!(new(most, block), Err(SegmentError::TooLong));
        assert_eq!(new(most - 1, block), Ok(block));
        assert_eq!(new(most + 1, 0), Err(SegmentError::TooLong));
        assert_eq!(new(u64::MAX, 0), Err(SegmentError::TooLong));
        assert_eq!(new(u64::MAX, 1), Err(SegmentError::TooLong));
        // The same of bytes that nobody encoded.
        let mut bytes = Segment::new(key, 0, Bits::from(&part[..1])).unwrap().to_bytes();
        bytes[20..28].copy_from_slice(&(most + 1).to_be_bytes());
        assert_eq!(Segment::from_bytes(&bytes[..]).err(), Some(SegmentError::TooLong));
    }
    check(&Key::<Aes128, 16>::new(b"sixteen byte key"));
    check(&Key::<Des, 8>::new(&[1; 24]));
}

// The encoding.

/// The bytes as they were when version 1 was made; those of other versions are another format.
#[test]
fn the_encoding_does_not_change() {
    let key = Key::<Aes128, 16>::new(b"sixteen byte key");
    let part = Bits::new(b"nineteen bytes, less", 8 * 19 + 3).unwrap();
    let segment = Segment::new(&key, 0x0102_0304, part).unwrap();
    let hex: String = segment.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let expected = concat!(
        "7765676d616e5331", // wegmanS1
        "10108000",         // 16 bytes a block, 16 a key, 128 bits a tag
        "f57310a20da4e92d", // the key
        "0000000001020304", // the start
        "000000000000009b", // the bits
        "2d4fddad75f568ba53670fb98034cadc",
        "6c657370000000000000000000000000", // "les", its last bit exchanged for the padding
    );
    assert_eq!(hex, expected);
}

#[test]
fn segments_of_other_lengths_and_versions_are_refused() {
    let key = Key::<Aes128, 16>::new(b"sixteen byte key");
    let bytes = Segment::new(&key, 0, Bits::from(&[1; 40][..])).unwrap().to_bytes();
    let longer = [&bytes[..], &[0; 5]].concat();
    for length in (0..longer.len()).filter(|length| *length != Segment::BYTES) {
        let result = Segment::from_bytes(&longer[..length]);
        assert_eq!(result.err(), Some(SegmentError::Encoding), "{length} bytes");
    }
    for (place, values) in [
        (7, &b"023S"[..]),              // the version
        (8, &[0, 1, 7, 9, 15, 17, 32]), // bytes of a block
        (10, &[0, 129, 255]),           // bits of a tag
        (11, &[1, 128]),
    ] {
        for &value in values {
            let mut other = bytes;
            other[place] = value;
            let result = Segment::from_bytes(&other[..]);
            assert_eq!(result.err(), Some(SegmentError::Encoding), "{value} at {place}");
        }
    }
    // Blocks of 8 bytes have zeroes after them, and shorter tags.
    let key = Key::<Des, 8>::new(&[1; 24]);
    let bytes = Segment::new(&key, 0, Bits::from(&[1; 40][..])).unwrap().to_bytes();
    for (place, value) in (44..52).chain(60..68).map(|place| (place, 1)).chain([(10, 65)]) {
        let mut other = bytes;
        other[place] = value;
        let result = Segment::from_bytes(&other[..]);
        assert_eq!(result.err(), Some(SegmentError::Encoding), "{value} at {place}");
    }
    // An empty segment has no sum.
    let bytes = Segment::new(&key, 3, Bits::from(&[][..])).unwrap().to_bytes();
    assert!(Segment::from_bytes(&bytes[..]).is_ok());
    for places in [&[36][..], &[52], &[36, 52]] {
        let mut other = bytes;
        places.iter().for_each(|&place| other[place] = 1);
        let result = Segment::from_bytes(&other[..]);
        assert_eq!(result.err(), Some(SegmentError::Encoding), "a sum at {places:?}");
    }
}

/// No changed bit goes unnoticed: it is refused, or the tag or the length is another.
#[test]
fn every_changed_bit_shows() {
    const END: usize = 8 * 52;
    fn check<C: BlockCipher, const N: usize>(key: &Key<C, N>, message: &[u8]) {
        let (front, back) = front_and_back(key, message);
        let right = (8 * message.len() as u64, key.tag(message));
        let result = |front: &Segment, back: &Segment| {
            let whole = front.then(back)?;
            Ok::<_, SegmentError>((whole.bits(), whole.tag(key)?))
        };
        assert_eq!(result(&front, &back), Ok(right));
        let whole = front.then(&back).unwrap();
        for bit in 0..8 * Segment::BYTES {
            let flipped = |segment: &Segment| {
                let mut bytes = segment.to_bytes();
                bytes[bit / 8] ^= 0x80 >> (bit % 8);
                Segment::from_bytes(&bytes[..])
            };
            // What only counts if the message ends there is of no account in the front.
            if let Ok(front) = flipped(&front)
                && bit < END
            {
                assert_ne!(result(&front, &back), Ok(right), "bit {bit} of the front");
            }
            if let Ok(back) = flipped(&back) {
                assert_ne!(result(&front, &back), Ok(right), "bit {bit} of the back");
            }
            if let Ok(whole) = flipped(&whole) {
                let result = whole.tag(key).map(|tag| (whole.bits(), tag));
                assert_ne!(result, Ok(right), "bit {bit} of the whole");
            }
        }
    }
    check(&Key::<Aes128, 16>::new(b"sixteen byte key"), &[5; 77]);
    check(&Key::<Aes128, 16>::new(b"sixteen byte key"), &[5; 80]);
    check(&Key::<Des, 8>::new(&[1; 24]), &[5; 40]);
}
