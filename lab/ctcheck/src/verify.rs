//! Verifying: one message, a stream, and batches, by the keys' own types. A boxed key's outcome is a branch.

use crate::secrets::{LENGTHS, Messages, revealed};
use crate::valgrind::unreported;
use wegman::{Aes128, Aes256, Cpu, NonceOf, Tag, pmac, umac};
use wegman_carter::Key as Carter;
use wegman_historical::Umac16;
use wegman_yardstick::Key as Comparator;
use wegman_yardstick::cbc::{Cmac, Xcbc};
use wegman_yardstick::hmac::{HmacMd5, HmacSha1};

/// How many packets are in a batch.
const COUNT: usize = 41;

macro_rules! watched {
    ($key:ident $packets:ident $valid:ident) => {
        _ = $key.verify_many(&$packets, &mut $valid)
    };
}

/// Only its marks are looked at.
macro_rules! marked {
    ($key:ident $packets:ident $valid:ident) => {
        _ = unreported(|| $key.verify_many(&$packets, &mut $valid))
    };
}

macro_rules! one_by_one {
    ($key:ident $packets:ident $valid:ident) => {
        for ((message, tag), valid) in $packets.iter().zip(&mut $valid) {
            *valid = $key.verify(message, tag).is_ok();
        }
    };
}

/// Checks a type with a secret and tags of this many bytes. `$many` verifies a batch.
macro_rules! verifies {
    ($messages:ident, $many:ident, $key:ty, $secret:literal, $tag:literal $(, $nonce:path)?) => {
        let name = concat!(stringify!($key), " verifies");
        let rows = <$key>::kernels(Cpu::detect());
        $messages.compare(name, rows, |_| true, |cpu, secret, message| {
            let key = <$key>::from_slice_with_cpu(cpu, &secret[..$secret]).expect("its length");
            let right = |_i: usize, length: usize| {
                key.tag($($nonce(0xfffd + _i as u64),)? &message[..length])
            };
            let mut outcomes = Vec::new();
            for message in LENGTHS.map(|length| &message[..length]) {
                for wrong in [0, 1] {
                    let mut received = right(0, message.len()).to_bytes();
                    received[$tag - 1] ^= wrong;
                    let received = Tag::from(received);
                    let mut add = |outcome: Result<(), _>| {
                        outcomes.push(revealed(outcome.is_ok()) == (wrong == 0));
                    };
                    add(key.verify($(&$nonce(0xfffd),)? message, &received));
                    $(
                        let mut stream = key.stream();
                        stream.update(message);
                        add(stream.verify(&$nonce(0xfffd), &received));
                    )?
                }
            }
            for length in [|i| i % 65, |i| 1 + 7 * i % 2100, |i| LENGTHS[i % LENGTHS.len()]] {
                let mut packets = Vec::new();
                for i in 0..COUNT {
                    let tag = right(i, length(i));
                    packets.push(($($nonce(0xfffd + i as u64),)? &message[..length(i)], tag));
                }
                for _ in 0..2 {
                    let mut valid = [false; COUNT];
                    $many!(key packets valid);
                    outcomes.extend(valid.map(revealed));
                    packets.reverse();
                }
            }
            assert!(outcomes.into_iter().all(|is_right| is_right), "{name}");
            Vec::new()
        });
    };
}

/// Each way of computing with secrets.
pub fn check(messages: &Messages) {
    verifies!(messages, watched, umac::Key<4>, 16, 4, NonceOf::<8>::counter);
    verifies!(messages, watched, umac::Key<8>, 16, 8, NonceOf::<8>::counter);
    verifies!(messages, watched, umac::Key<12>, 16, 12, NonceOf::<8>::counter);
    verifies!(messages, watched, umac::Key<16>, 16, 16, NonceOf::<8>::counter);
    verifies!(messages, marked, Umac16<8>, 16, 8, NonceOf::<8>::counter);
    verifies!(messages, marked, Carter<Aes128, 16, 12>, 16, 16, NonceOf::<12>::counter);
    verifies!(messages, marked, Carter<Aes256, 12, 12>, 32, 12, NonceOf::<12>::counter);
    verifies!(messages, marked, Carter<Aes128, 8, 16>, 16, 8, NonceOf::<16>::counter);
    verifies!(messages, watched, pmac::Key<Aes128, 16>, 16, 16);
    verifies!(messages, one_by_one, Comparator<Cmac<Aes128>, 16>, 16, 16);
    verifies!(messages, one_by_one, Comparator<Xcbc<Aes128>, 12>, 48, 12);
    verifies!(messages, one_by_one, Comparator<HmacMd5, 16>, 16, 16);
    // Longer than a block: the key is hashed.
    verifies!(messages, one_by_one, Comparator<HmacSha1, 12>, 100, 12);
}
