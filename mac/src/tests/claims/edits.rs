//! Edits: thousands of random ones equal to recomputation, from the tag alone and from a kept sum; their
//! windows, their errors, their cost, and what a wrong old block does.

use super::{Des, in_bytes, keys, random_bits, secret};
use crate::bits::Bits;
use crate::cipher::{Aes128, Aes192, Aes256, BlockCipher, Invertible};
use crate::cpu::Cpu;
use crate::pmac::Key;
use crate::pmac::hazmat::{EditError, Segment, SegmentError, Sum, key_with_tag_bits};
use crate::tag::{InvalidLength, Tag};
use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use wegman_reference::inputs::Random;

/// Positions and lengths in bits.
enum Edit {
    Replace { at: usize, new: Vec<bool> },
    Append { new: Vec<bool> },
    Truncate { to: usize },
}

impl Edit {
    /// One that fits a message of so many bits.
    fn random(random: &mut Random, bits: usize) -> Edit {
        match random.word() % 5 {
            0 if bits < 8 * 1900 => Edit::Append { new: new_bits(random, 8 * 100) },
            0 | 1 => Edit::Truncate { to: bits - length(random, bits) },
            2 if bits < 8 * 1000 => Edit::Append { new: new_bits(random, 8 * 1000) },
            _ => {
                let at = place(random, bits);
                Edit::Replace { at, new: new_bits(random, bits - at) }
            }
        }
    }

    /// What it does to a message.
    fn on(&self, message: &[bool]) -> Vec<bool> {
        match self {
            Edit::Replace { at, new } => {
                [&message[..*at], new, &message[at + new.len()..]].concat()
            }
            Edit::Append { new } => [message, new].concat(),
            Edit::Truncate { to } => message[..*to].to_vec(),
        }
    }

    fn window(&self, sum: &Sum) -> Range<usize> {
        let window = match self {
            Edit::Replace { at, new } => sum.replace_window(*at as u64, new.len() as u64),
            Edit::Append { .. } => sum.append_window(),
            Edit::Truncate { to } => sum.truncate_window(*to as u64),
        };
        window.start as usize..window.end as usize
    }

    /// The edit itself; the unused bits of `new` are set.
    fn make<C: BlockCipher, const N: usize>(
        &self,
        key: &Key<C, N>,
        sum: &mut Sum,
        old: &[u8],
    ) -> Result<(), EditError> {
        match self {
            Edit::Replace { at, new } => {
                let bytes = in_bytes(new, 0xff);
                let bits = Bits::new(&bytes, new.len() as u64).unwrap();
                sum.replace(key, *at as u64, bits, old)
            }
            Edit::Append { new } => {
                let bytes = in_bytes(new, 0xff);
                sum.append(key, Bits::new(&bytes, new.len() as u64).unwrap(), old)
            }
            Edit::Truncate { to } => sum.truncate(key, *to as u64, old),
        }
    }
}

impl fmt::Debug for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Edit::Replace { at, new } => write!(f, "{} bits replaced at {at}", new.len()),
            Edit::Append { new } => write!(f, "{} bits appended", new.len()),
            Edit::Truncate { to } => write!(f, "truncated to {to} bits"),
        }
    }
}

/// Anywhere from 0 to `most`, at a whole byte or at a block's border.
fn place(random: &mut Random, most: usize) -> usize {
    let unit = [1, 8, 64, 128][random.upto(3)];
    random.upto(most / unit) * unit
}

/// Mostly short.
fn length(random: &mut Random, most: usize) -> usize {
    let limit = [0, 9, 130, 400, most][random.upto(4)];
    place(random, most.min(limit))
}

fn new_bits(random: &mut Random, most: usize) -> Vec<bool> {
    let length = length(random, most);
    random_bits(random, length)
}

fn tag_of<C: BlockCipher, const N: usize>(key: &Key<C, N>, message: &[bool]) -> Tag<N> {
    key.tag_bits(Bits::new(&in_bytes(message, 0), message.len() as u64).unwrap())
}

/// Sequences of 50 edits on messages of up to 2000 bytes.
fn check_edits<C: Invertible, const N: usize>(sequences: u64) {
    let keys = keys::<C, N>();
    let fastest = keys.last().expect("there is a portable row");
    for (row, key) in keys.iter().enumerate() {
        for sequence in 0..sequences {
            let mut random = Random(1000 * row as u64 + sequence);
            let bits = [0, 1, 8, 200, 8 * 600, 8 * 2000][random.upto(5)];
            let mut message = random_bits(&mut random, bits);
            let mut tag = tag_of(fastest, &message);
            let mut kept =
                Sum::new(key, Bits::new(&in_bytes(&message, 0xff), bits as u64).unwrap());
            for step in 0..50 {
                let edit = Edit::random(&mut random, message.len());
                let case = format_args!("{key:?}, {sequence}, step {step}: {edit:?}");
                let window = edit.window(&kept);
                let old = &in_bytes(&message, random.word() as u8)[window.clone()];
                let mut opened = Sum::from_tag(key, &tag, message.len() as u64).unwrap();
                assert_eq!(edit.window(&opened), window, "{case}");

                message = edit.on(&message);
                let expected = tag_of(fastest, &message);
                assert_eq!(edit.make(key, &mut opened, old), Ok(()), "{case}");
                tag = opened.tag(key).unwrap();
                assert_eq!(tag, expected, "{case}, from the tag");
                assert_eq!(edit.make(key, &mut kept, old), Ok(()), "{case}");
                assert_eq!(kept.tag(key), Ok(expected), "{case}, from the sum");
                assert_eq!([kept.bits(), opened.bits()], [message.len() as u64; 2], "{case}");
            }
        }
    }
}

#[test]
fn thousands_of_edits_are_recomputations() {
    check_edits::<Aes128, 16>(30);
    check_edits::<Aes256, 16>(10);
    check_edits::<Des, 8>(12);
}

/// Sums that are kept need no whole tags.
#[test]
fn edits_of_sums_with_short_tags() {
    let mut random = Random(70);
    let key = Key::<Aes192, 7>::from_slice(&secret::<Aes192>()).unwrap();
    let mut message = random_bits(&mut random, 1000);
    let bytes = in_bytes(&message, 0);
    let segment = Segment::new(&key, 0, Bits::from(&bytes[..])).unwrap();
    let mut sum = Sum::from_segment(&key, &segment).unwrap();
    for _ in 0..200 {
        let edit = Edit::random(&mut random, message.len());
        let old = &in_bytes(&message, 0)[edit.window(&sum)];
        edit.make(&key, &mut sum, old).unwrap();
        message = edit.on(&message);
        assert_eq!(sum.tag(&key), Ok(tag_of(&key, &message)), "{edit:?}");
    }
}

/// Every edit by a few bits around the ends of blocks and of messages.
fn check_edges<C: Invertible, const N: usize>() {
    let key = keys::<C, N>().pop().unwrap();
    let n = 8 * N;
    let near = |edge: usize| edge.saturating_sub(1)..=edge + 1;
    let places: Vec<usize> = [0, 8, n, n + 8, 2 * n].into_iter().flat_map(near).collect();
    let message = random_bits(&mut Random(71), 2 * n + 1);
    for &before in &places {
        let message = &message[..before];
        let tag = tag_of(&key, message);
        let check = |edit: Edit| {
            let mut sum = Sum::from_tag(&key, &tag, before as u64).unwrap();
            let old = &in_bytes(message, 0xff)[edit.window(&sum)];
            assert_eq!(edit.make(&key, &mut sum, old), Ok(()), "{edit:?} of {before}");
            let expected = tag_of(&key, &edit.on(message));
            assert_eq!(sum.tag(&key), Ok(expected), "{edit:?} of {before}");
        };
        let flipped: Vec<bool> = message.iter().map(|bit| !bit).collect();
        for &after in &places {
            if after <= before {
                check(Edit::Truncate { to: after });
                for &at in places.iter().filter(|at| **at <= after) {
                    check(Edit::Replace { at, new: flipped[at..after].to_vec() });
                }
            } else {
                check(Edit::Append { new: random_bits(&mut Random(72), after - before) });
            }
        }
        (0..=9).for_each(|bits| check(Edit::Append { new: vec![true; bits] }));
    }
}

#[test]
fn edits_at_the_ends_of_blocks() {
    check_edges::<Aes128, 16>();
    check_edges::<Des, 8>();
}

// Windows.

fn check_windows<C: Invertible, const N: usize>() {
    let key = keys::<C, N>().pop().unwrap();
    let n = 8 * N;
    for bits in (0..=2 * n + 9).step_by(3).chain([1, n, n + 1, 2 * n, 3 * n - 1]) {
        let bytes = bits.div_ceil(8);
        let sum = Sum::from_tag(&key, &Tag::from([0; N]), bits as u64).unwrap();
        // The bytes of the message's blocks with these numbers, from 0.
        let blocks = |blocks: Range<usize>| {
            (N * blocks.start).min(bytes) as u64..(N * blocks.end).min(bytes) as u64
        };
        let last = bits.saturating_sub(1) / n;
        for at in 0..=bits {
            for len in 0..=bits - at {
                let window = sum.replace_window(at as u64, len as u64);
                if len == 0 {
                    assert!(window.is_empty(), "{bits}, nothing at {at}");
                    continue;
                }
                let touched = at / n..(at + len - 1) / n + 1;
                assert_eq!(window, blocks(touched), "{bits}, {len} at {at}");
            }
            let will_be_last = at.saturating_sub(1) / n;
            assert_eq!(sum.truncate_window(at as u64), blocks(will_be_last..last + 1), "{bits}");
        }
        assert_eq!(sum.append_window(), blocks(last..last + 1), "{bits}");
        // Beyond the end: clipped.
        let whole = 0..bytes as u64;
        assert_eq!(sum.replace_window(0, u64::MAX), whole, "{bits}");
        for at in [bits as u64, bits as u64 + 1, u64::MAX] {
            let window = sum.replace_window(at, u64::MAX);
            assert!(window.start <= window.end && window.end <= whole.end, "{bits}: {window:?}");
            assert_eq!(sum.truncate_window(at), sum.append_window(), "{bits}");
        }
    }
}

#[test]
fn windows_are_the_blocks_that_an_edit_touches() {
    check_windows::<Aes128, 16>();
    check_windows::<Des, 8>();
}

// Errors.

/// The edit is refused, and the sum is as before.
fn refused<C: BlockCipher, const N: usize>(
    key: &Key<C, N>,
    sum: &Sum,
    error: EditError,
    edit: impl Fn(&mut Sum) -> Result<(), EditError>,
) {
    let mut tried = sum.clone();
    assert_eq!(edit(&mut tried), Err(error));
    assert_eq!((tried.bits(), tried.tag(key)), (sum.bits(), sum.tag(key)), "{error:?}");
}

#[test]
fn refused_edits_change_nothing() {
    let key = Key::<Aes128, 16>::new(b"sixteen byte key");
    let message = [7; 100];
    let sum = Sum::new(&key, Bits::from(&message[..]));
    let new = |bytes: usize| Bits::from(&[9; 200][..bytes]);

    let refuses = |error, edit: &dyn Fn(&mut Sum) -> Result<(), EditError>| {
        refused(&key, &sum, error, edit);
    };
    for at in [793, 800, 801, u64::MAX - 7, u64::MAX] {
        refuses(EditError::Range, &|sum| sum.replace(&key, at, new(1), &message[96..]));
    }
    refuses(EditError::Range, &|sum| sum.replace(&key, 801, new(0), &[]));
    refuses(EditError::Range, &|sum| sum.replace(&key, 0, new(101), &message));
    refuses(EditError::Range, &|sum| sum.truncate(&key, 801, &message[96..]));
    for wrong in (0..=100).filter(|length| *length != 16) {
        let old = &message[..wrong];
        refuses(EditError::Window, &|sum| sum.replace(&key, 130, new(3), old));
    }
    for wrong in (0..=100).filter(|length| *length != 4) {
        refuses(EditError::Window, &|sum| sum.append(&key, new(3), &message[..wrong]));
        refuses(EditError::Window, &|sum| sum.replace(&key, 770, new(1), &message[..wrong]));
    }
    for wrong in (0..=99).chain([101]) {
        refuses(EditError::Window, &|sum| sum.truncate(&key, 128, &[7; 101][..wrong]));
    }
    refuses(EditError::Window, &|sum| sum.replace(&key, 130, new(0), &message[..1]));

    // Other keys, ciphers, blocks and tag lengths.
    fn other<C: BlockCipher, const N: usize>(sum: &Sum, key: &Key<C, N>, other: &Key<Aes128, 16>) {
        let (new, old) = (Bits::from(&[1][..]), [7; 100]);
        refused(other, sum, EditError::Key, |sum| sum.replace(key, 8, new, &old[..16]));
        refused(other, sum, EditError::Key, |sum| sum.replace(key, 8, Bits::from(&[][..]), &[]));
        refused(other, sum, EditError::Key, |sum| sum.append(key, new, &old[..4]));
        refused(other, sum, EditError::Key, |sum| sum.truncate(key, 8, &old));
        refused(other, sum, EditError::Key, |sum| sum.tag(key).map(|_| ()));
    }
    let secret = b"sixteen byte key";
    other(&sum, &Key::<Aes128, 16>::new(b"another 16 bytes"), &key);
    other(&sum, &Key::<Aes128, 15>::new(secret), &key);
    let short = key_with_tag_bits::<Aes128, 16>(Cpu::detect(), secret, 127).unwrap();
    other(&sum, &short, &key);
    other(&sum, &Key::<Aes192, 16>::new(&[1; 24]), &key);
    other(&sum, &Key::<Des, 8>::new(&[1; 24]), &key);

    // Tags that do not tell the sum.
    let tag = Tag::from([0; 16]);
    assert_eq!(Sum::from_tag(&short, &tag, 8).err(), Some(EditError::ShortTag));
    let short = Key::<Aes128, 15>::new(secret);
    let tag = Tag::from([0; 15]);
    assert_eq!(Sum::from_tag(&short, &tag, 8).err(), Some(EditError::ShortTag));

    // Segments that are not all of a message.
    let segment = Segment::new(&key, 1, new(3)).unwrap();
    assert_eq!(Sum::from_segment(&key, &segment).err(), Some(SegmentError::Gap));
    let segment = Segment::new(&key, 0, new(3)).unwrap();
    assert_eq!(Sum::from_segment(&short, &segment).err(), Some(SegmentError::Key));
}

/// The longest message there is.
#[test]
fn edits_at_the_end_of_all_numbers() {
    let key = Key::<Aes128, 16>::new(b"sixteen byte key");
    let tag = Tag::from([5; 16]);
    let mut sum = Sum::from_tag(&key, &tag, u64::MAX).unwrap();
    let bit = |bit: bool| Bits::new(if bit { &[0x80] } else { &[0] }, 1).unwrap();
    let end = 1u64 << 61;
    assert_eq!(sum.append_window(), end - 16..end);
    refused(&key, &sum, EditError::Range, |sum| sum.append(&key, bit(true), &[0; 16]));
    refused(&key, &sum, EditError::Range, |sum| sum.replace(&key, u64::MAX, bit(true), &[]));

    assert_eq!(sum.replace_window(u64::MAX - 1, 1), end - 16..end);
    sum.replace(&key, u64::MAX - 1, bit(true), &[0; 16]).unwrap();
    assert_ne!(sum.tag(&key), Ok(tag));
    let mut old = [0; 16];
    old[15] = 2; // the last bit but the one that is not there
    sum.replace(&key, u64::MAX - 1, bit(false), &old).unwrap();
    assert_eq!(sum.tag(&key), Ok(tag));

    // A bit away and back.
    sum.truncate(&key, u64::MAX - 1, &[0; 16]).unwrap();
    assert_ne!(sum.tag(&key), Ok(tag));
    sum.append(&key, bit(false), &[0; 16]).unwrap();
    assert_eq!((sum.tag(&key), sum.bits()), (Ok(tag), u64::MAX));
}

// Wrong old bytes.

/// One wrong bit among those that an edit takes out: the tag is not the message's, and does not become
/// it again by right edits.
#[test]
fn a_wrong_old_bit_fails_every_later_check() {
    let key = Key::<Aes128, 16>::new(b"sixteen byte key");
    let mut random = Random(73);
    for round in 0..60 {
        let mut message = random_bits(&mut random, 8 * 700);
        let mut sum = Sum::from_tag(&key, &tag_of(&key, &message), message.len() as u64).unwrap();
        let (edit, wrong) = match round % 3 {
            0 => {
                let (at, length) = (random.upto(8 * 600), 1 + random.upto(600));
                let wrong = at + random.upto(length - 1);
                (Edit::Replace { at, new: random_bits(&mut random, length) }, wrong)
            }
            1 => {
                let to = random.upto(message.len() - 1);
                (Edit::Truncate { to }, to + random.upto(message.len() - to - 1))
            }
            // Beyond the block, which was the last one and is not any more.
            _ => (Edit::Append { new: vec![true; 129] }, message.len() - 1 - random.upto(50)),
        };
        let window = edit.window(&sum);
        let mut old = in_bytes(&message, 0)[window.clone()].to_vec();
        old[wrong / 8 - window.start] ^= 0x80 >> (wrong % 8);
        edit.make(&key, &mut sum, &old).unwrap();
        message = edit.on(&message);
        for later in 0..20 {
            let case = format_args!("{edit:?}, bit {wrong} wrong, {later} edits later");
            let tag = sum.tag(&key).unwrap();
            assert_ne!(tag, tag_of(&key, &message), "{case}");
            let edit = Edit::random(&mut random, message.len());
            // From the tag alone, as the next one who edits has it.
            sum = Sum::from_tag(&key, &tag, message.len() as u64).unwrap();
            let old = &in_bytes(&message, 0)[edit.window(&sum)];
            edit.make(&key, &mut sum, old).unwrap();
            message = edit.on(&message);
        }
    }
}

// Cost.

/// AES that counts the blocks it is given on this thread.
struct Counting(Aes128);

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

impl BlockCipher for Counting {
    type Key = [u8; 16];
    type Block = [u8; 16];
    const KEY_BYTES: usize = 16;

    fn from_slice(cpu: Cpu, key: &[u8]) -> Result<Self, InvalidLength> {
        Aes128::from_slice(cpu, key).map(Counting)
    }

    fn encrypt(&self, block: &mut [u8; 16]) {
        self.encrypt_many(std::slice::from_mut(block));
    }

    fn encrypt_many(&self, blocks: &mut [[u8; 16]]) {
        CALLS.set(CALLS.get() + blocks.len());
        self.0.encrypt_many(blocks);
    }
}

impl Invertible for Counting {
    fn decrypt(&self, block: &mut [u8; 16]) {
        CALLS.set(CALLS.get() + 1);
        self.0.decrypt(block);
    }
}

/// From the tag of a message of a million blocks to the tag after an edit of `blocks`: each is
/// encrypted at most twice, as it was and as it is.
#[test]
fn edits_cost_what_they_change() {
    let key = Key::<Counting, 16>::new(b"sixteen byte key");
    const BITS: u64 = 128 << 20;
    for blocks in [0, 1, 2, 10, 100, 1000] {
        let part = vec![0; 16 * (blocks + 2)];
        let bits = 128 * blocks as u64;
        let new = Bits::from(&part[..16 * blocks]);
        let check = |name: &str, edit: &dyn Fn(&mut Sum)| {
            CALLS.set(0);
            let mut sum = Sum::from_tag(&key, &Tag::from([1; 16]), BITS).unwrap();
            edit(&mut sum);
            let _ = sum.tag(&key).unwrap();
            let calls = CALLS.get();
            assert!(calls <= 2 * (blocks + 2) + 5, "{name} {blocks} blocks: {calls} calls");
            assert!(calls >= blocks, "{name} {blocks} blocks: {calls} calls"); // it does count
        };
        for at in [0, 128, BITS / 2, BITS / 2 + 3, BITS - bits - 1, BITS - bits] {
            check("replaced", &|sum| {
                let window = sum.replace_window(at, bits);
                let old = &part[..(window.end - window.start) as usize];
                sum.replace(&key, at, new, old).unwrap();
            });
        }
        check("appended", &|sum| sum.append(&key, new, &part[..16]).unwrap());
        check("cut off", &|sum| {
            let window = sum.truncate_window(BITS - bits);
            let old = &part[..(window.end - window.start) as usize];
            sum.truncate(&key, BITS - bits, old).unwrap();
        });
    }
}
