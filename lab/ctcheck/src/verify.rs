//! Verifying: one message, a stream, and batches, by the keys' own types. A boxed key's outcome is a branch.

use crate::secrets::{LENGTHS, Messages, revealed_flag, revealed_outcome};
use crate::valgrind::{hide, unreported};
use wegman::{Aes128, Aes256, Cpu, NonceOf, Tag, pmac, umac};
use wegman_carter::Key as Carter;
use wegman_historical::Umac16;
use wegman_yardstick::Key as Comparator;
use wegman_yardstick::cbc::{Cmac, Xcbc};
use wegman_yardstick::hmac::{HmacMd5, HmacSha1};

/// How many packets are in a batch.
const COUNT: usize = 41;

/// Checks a type with a secret and tags of this many bytes. `$many` calls `verify_many`: with [`unreported`], only its
/// marks are looked at.
macro_rules! verifies {
    ($messages:ident, $many:path, $key:ty, $secret:literal, $tag:literal $(, $nonce:path)?) => {
        let mut secret: Vec<u8> = (1..).take($secret).collect();
        let make = |cpu, secret: &[u8]| <$key>::from_slice_with_cpu(cpu, secret).expect("its length");
        let portable = make(Cpu::PORTABLE, &secret);
        let right = |_i: usize, length: usize| -> [u8; $tag] {
            portable.tag($($nonce(0xfffd + _i as u64),)? &$messages.public[..length]).to_bytes()
        };
        hide(&mut secret);
        for (kernel, cpu) in <$key>::kernels(Cpu::detect()) {
            let name = concat!(stringify!($key), " verifies");
            println!("{name}: {kernel}");
            let key = make(cpu, &secret);
            for length in LENGTHS {
                let message = &$messages.hidden[..length];
                for wrong in [0, 1] {
                    let mut received = right(0, length);
                    received[$tag - 1] ^= wrong;
                    hide(&mut received);
                    let received = Tag::from(received);
                    let outcome = key.verify($(&$nonce(0xfffd),)? message, &received);
                    assert_eq!(revealed_outcome(&outcome), wrong == 0, "{name}, {kernel}");
                    $(
                        let mut stream = key.stream();
                        stream.update(message);
                        let outcome = stream.verify(&$nonce(0xfffd), &received);
                        assert_eq!(revealed_outcome(&outcome), wrong == 0, "{name}, {kernel}, stream");
                    )?
                }
            }
            for length in [|i| i % 65, |i| 1 + 7 * i % 2100, |i| LENGTHS[i % LENGTHS.len()]] {
                let mut packets = Vec::new();
                for i in 0..COUNT {
                    let (message, tag) = (&$messages.hidden[..length(i)], Tag::from(right(i, length(i))));
                    packets.push(($($nonce(0xfffd + i as u64),)? message, tag));
                }
                for _ in 0..2 {
                    let mut valid = [false; COUNT];
                    _ = $many(|| key.verify_many(&packets, &mut valid));
                    assert!(valid.into_iter().all(revealed_flag), "{name}, {kernel}, batch");
                    packets.reverse();
                }
            }
        }
    };
}

fn watched<T>(verify: impl FnOnce() -> T) -> T {
    verify()
}

/// Each way of computing with secrets.
pub fn check(messages: &Messages) {
    verifies!(messages, watched, umac::Key<4>, 16, 4, NonceOf::<8>::counter);
    verifies!(messages, watched, umac::Key<8>, 16, 8, NonceOf::<8>::counter);
    verifies!(messages, watched, umac::Key<12>, 16, 12, NonceOf::<8>::counter);
    verifies!(messages, watched, umac::Key<16>, 16, 16, NonceOf::<8>::counter);
    verifies!(messages, unreported, Umac16<8>, 16, 8, NonceOf::<8>::counter);
    verifies!(messages, unreported, Carter<Aes128, 16, 12>, 16, 16, NonceOf::<12>::counter);
    verifies!(messages, unreported, Carter<Aes256, 12, 12>, 32, 12, NonceOf::<12>::counter);
    verifies!(messages, unreported, Carter<Aes128, 8, 16>, 16, 8, NonceOf::<16>::counter);
    verifies!(messages, watched, pmac::Key<Aes128, 16>, 16, 16);
    verifies!(messages, unreported, Comparator<Cmac<Aes128>, 16>, 16, 16);
    verifies!(messages, unreported, Comparator<Xcbc<Aes128>, 12>, 48, 12);
    verifies!(messages, unreported, Comparator<HmacMd5, 16>, 16, 16);
    // Longer than a block: the key is hashed.
    verifies!(messages, unreported, Comparator<HmacSha1, 12>, 100, 12);
}
