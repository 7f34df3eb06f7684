//! Verifying: one message, whole and in parts, a stream, and batches, by the keys' own types. A boxed key's outcome is a branch.

use crate::cases::Cases;
use crate::valgrind::{revealed, unreported};
use wegman::{Aes128, Aes256, Cpu, NonceOf, Tag, pmac, umac};
use wegman_carter::Key as Carter;
use wegman_historical::Umac16;
use wegman_yardstick::Key as Comparator;
use wegman_yardstick::cbc::{Cmac, Xcbc};
use wegman_yardstick::hmac::{HmacMd5, HmacSha1};

macro_rules! batch {
    (reported $key:ident $packets:ident $valid:ident) => {
        _ = $key.verify_many(&$packets, &mut $valid)
    };
    (unreported $key:ident $packets:ident $valid:ident) => {
        _ = unreported(|| $key.verify_many(&$packets, &mut $valid))
    };
    (singly $key:ident $packets:ident $valid:ident) => {
        for ((message, tag), valid) in $packets.iter().zip(&mut $valid) {
            *valid = $key.verify(message, tag).is_ok();
        }
    };
}

/// Verifies a message in two parts, if such keys take them.
macro_rules! in_parts {
    (singly $($_:tt)*) => {};
    ($how:ident $add:ident $key:ident ($($nonce:expr)?) $message:ident $received:ident) => {
        let (head, rest) = $message.split_at($message.len().min(12));
        $add($key.verify_parts($(&$nonce,)? &[head, rest], &$received));
    };
}

/// Checks a type with a secret and tags of this many bytes. A batch's outcome is `reported`, `unreported` (only its marks
/// are looked at), or that of each message `singly`.
macro_rules! verifies {
    ($cases:ident, $how:ident, $key:ty, $secret:literal, $tag:literal $(, $nonce:path)?) => {
        let name = concat!(stringify!($key), " verifies");
        let rows = <$key>::kernels(Cpu::detect());
        let lengths = $cases.lengths();
        let (singly, count) =
            if $cases.are_traced { (&[100, 1500][..], 11) } else { (lengths, 41) };
        $cases.add(name, rows, move |cpu, secret, message| {
            let key = <$key>::from_slice_with_cpu(cpu, &secret[..$secret]).expect("its length");
            let right = |_i: usize, length: usize| {
                key.tag($($nonce(0xfffd + _i as u64),)? &message[..length])
            };
            let mut outcomes = Vec::new();
            for message in singly.iter().map(|&length| &message[..length]) {
                for is_wrong in [false, true] {
                    let tag = right(0, message.len());
                    let received = if is_wrong { wrong(tag, secret) } else { tag };
                    let mut add = |outcome: Result<(), _>| {
                        outcomes.push(revealed(outcome.is_ok()) != is_wrong);
                    };
                    add(key.verify($(&$nonce(0xfffd),)? message, &received));
                    in_parts!($how add key ($($nonce(0xfffd))?) message received);
                    $(
                        let mut stream = key.stream();
                        stream.update(message);
                        add(stream.verify(&$nonce(0xfffd), &received));
                    )?
                }
            }
            let batches: [&dyn Fn(usize) -> usize; 3] =
                [&|i| i % 65, &|i| 1 + 7 * i % 2100, &|i| lengths[i % lengths.len()]];
            for length in batches {
                let mut packets = Vec::new();
                for i in 0..count {
                    let tag = right(i, length(i));
                    // The one in the middle, from either side.
                    let tag = if i == count / 2 { wrong(tag, secret) } else { tag };
                    packets.push(($($nonce(0xfffd + i as u64),)? &message[..length(i)], tag));
                }
                for _ in 0..2 {
                    let mut valid = vec![false; count];
                    batch!($how key packets valid);
                    let marks = (0..).zip(valid.into_iter().map(revealed));
                    outcomes.extend(marks.map(|(i, valid)| valid == (i != count / 2)));
                    packets.reverse();
                }
            }
            assert!(outcomes.into_iter().all(|is_right| is_right), "{name}");
            Vec::new()
        });
    };
}

/// A tag that is wrong at the end, and elsewhere under each secret.
fn wrong<const N: usize>(tag: Tag<N>, secret: &[u8]) -> Tag<N> {
    let mut bytes = tag.to_bytes();
    bytes.iter_mut().zip(secret).for_each(|(byte, change)| *byte ^= change & 0xfe);
    bytes[N - 1] ^= 1;
    Tag::from(bytes)
}

/// Each way of computing with secrets.
pub fn add(cases: &mut Cases) {
    verifies!(cases, reported, umac::Key<4>, 16, 4, NonceOf::<8>::counter);
    verifies!(cases, reported, umac::Key<8>, 16, 8, NonceOf::<8>::counter);
    verifies!(cases, reported, umac::Key<12>, 16, 12, NonceOf::<8>::counter);
    verifies!(cases, reported, umac::Key<16>, 16, 16, NonceOf::<8>::counter);
    verifies!(cases, unreported, Umac16<8>, 16, 8, NonceOf::<8>::counter);
    verifies!(cases, unreported, Carter<Aes128, 16, 12>, 16, 16, NonceOf::<12>::counter);
    verifies!(cases, unreported, Carter<Aes256, 12, 12>, 32, 12, NonceOf::<12>::counter);
    verifies!(cases, unreported, Carter<Aes128, 8, 16>, 16, 8, NonceOf::<16>::counter);
    verifies!(cases, reported, pmac::Key<Aes128, 16>, 16, 16);
    verifies!(cases, singly, Comparator<Cmac<Aes128>, 16>, 16, 16);
    verifies!(cases, singly, Comparator<Xcbc<Aes128>, 12>, 48, 12);
    verifies!(cases, singly, Comparator<HmacMd5, 16>, 16, 16);
    // Longer than a block: the key is hashed.
    verifies!(cases, singly, Comparator<HmacSha1, 12>, 100, 12);
}
