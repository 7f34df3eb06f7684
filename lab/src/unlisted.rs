//! Algorithms of ours that the catalogue lacks: bare hashes, and MACs whose keys have another shape. Those
//! whose definition the oracle does not have by name have it here.
//!
//! | name | what |
//! |---|---|
//! | `UHASH-w/l/n/k/s/e` | UMAC of October 2000 without its pad; up to n bytes that is NH and level 3 |
//! | `hash127`, `SHA-1` | the hashes of hash127-RC6 and HMAC-SHA1 |
//! | `CBC-MAC-AES128`, `CBC-MAC-RC6-128` | of messages of one length, with zeroes up to whole blocks |
//! | `PMAC-AES128-serial` | PMAC as the paper's own code made it: one block after the other |
//! | `UMAC-Figure-1` | the illustrative case of CRYPTO '99: one level of hashing, then HMAC-SHA1 |
//! | [`universal`] | families of hash functions |

pub mod universal;

use crate::engine::{Engine, Group, OURS, SECRET};
use crate::timing::rounds::number;
use sha1::{Digest, Sha1};
use std::cell::RefCell;
use wegman::Aes128;
use wegman::cipher::{BlockCipher, CipherBlock};
use wegman_historical::Rc6;
use wegman_historical::umac_1999::Figure1;
use wegman_historical::umac_2000::{Parameters, Uhash};
use wegman_reference::inputs::Random;
use wegman_reference::umac_1999;
use wegman_yardstick::cbc::FixedLength;
use wegman_yardstick::hash127::Hash127;

/// What the catalogue lacks, under titles: names for [`find`], apart.
pub const TITLES: [(&str, &str); 3] = [
    ("MACs that the catalogue lacks", "UMAC-FIGURE-1 CBC-MAC-AES128 CBC-MAC-RC6-128"),
    (
        "hashes alone; UHASH has a stream for each word",
        "UHASH-4/4 UHASH-4/8 UHASH-4/12 UHASH-4/16 UHASH-2/2/1024/16/SIGNED \
         UHASH-2/4/1024/16/SIGNED UHASH-2/8/1024/16/SIGNED UHASH-2/16/1024/16/SIGNED hash127 \
         SHA-1",
    ),
    (
        "families of hash functions in plain code",
        "NH32 NH16 NHT-32 NHT2-32 MH32 MH16 NHX-32/1 NHX-32/2 NHX-64/1 NHX-16/4 \
         MMH32 MMH16 Bucket-32/140 Bucket-32/140-indexed CRC-64",
    ),
];

/// One of them by name.
pub fn find(name: &str) -> Option<Engine> {
    let name = &*name.to_ascii_uppercase();
    Some(match name {
        "HASH127" => hash127(),
        "SHA-1" => Engine::new(Group::OneMessage, [name, "auto", "sha1 0.11"], |_, message| {
            number(&Sha1::digest(message)[..16])
        }),
        "CBC-MAC-AES128" => cbc_mac::<Aes128>(name),
        "CBC-MAC-RC6-128" => cbc_mac::<Rc6>(name),
        "PMAC-AES128-SERIAL" => serial_pmac(name),
        "UMAC-FIGURE-1" => figure_1(name),
        _ => return uhash(name).or_else(|| universal::find(name)),
    })
}

/// The two keys of 16 bytes that begin all others.
fn keys() -> [&'static [u8; 16]; 2] {
    let (keys, _) = SECRET.as_chunks();
    [&keys[0], &keys[1]]
}

fn uhash(name: &str) -> Option<Engine> {
    let parameters = Parameters::of_uhash(name).ok()?;
    let hash = Uhash::new(&parameters, &SECRET[..parameters.key_bytes()]).ok()?;
    let bytes = parameters.output_bytes();
    Some(Engine::new(Group::OneMessage, [name, hash.kernel(), OURS], move |_, message| {
        let mut out = [0; 32];
        hash.hash(message, &mut out[..bytes]);
        number(&out[..bytes.min(16)])
    }))
}

/// The last word is filled up with zeroes.
fn hash127() -> Engine {
    let [r, k] = keys();
    let hash = Hash127::new(r);
    let scratch = RefCell::new(Vec::new());
    Engine::new(Group::OneMessage, ["hash127", hash.kernel(), OURS], move |_, message| {
        let scratch = &mut *scratch.borrow_mut();
        number(&hash.hash(padded::<4>(message, scratch).as_chunks().0, k))
    })
}

/// The key is for one length and is made again for another: once in a block of timed calls.
fn cbc_mac<C: BlockCipher<Key = [u8; 16]> + 'static>(name: &str) -> Engine {
    let key = |length| FixedLength::<C, 16>::new(keys()[0], length);
    let kernel = key(16).kernel();
    let state = RefCell::new((key(16), Vec::new()));
    Engine::new(Group::NoNonce, [name, kernel, OURS], move |_, message| {
        let (kept, scratch) = &mut *state.borrow_mut();
        let message = padded::<16>(message, scratch);
        if kept.length() != message.len() {
            *kept = key(message.len());
        }
        number(&kept.tag(message).expect("its length").to_bytes())
    })
}

/// The work of `pmac`'s kernels, but one block at a time. The processor may still overlap the blocks: only the
/// last one waits for the others.
fn serial_pmac(name: &str) -> Engine {
    let (aes, kernel) =
        (Aes128::new(keys()[0]), FixedLength::<Aes128, 16>::new(keys()[0], 16).kernel());
    let mut l = [0; 16];
    aes.encrypt(&mut l);
    // L times x, x^2, ..., and L divided by x.
    let mut of_zeroes = [l; 64];
    for i in 1..64 {
        of_zeroes[i] = of_zeroes[i - 1].double();
    }
    let halved = l.halve();
    let encrypt = move |mut block: [u8; 16]| {
        aes.encrypt(&mut block);
        block
    };
    Engine::new(Group::NoNonce, [name, kernel, OURS], move |_, message| {
        let whole = message.len().saturating_sub(1) / 16;
        let (blocks, last) = message.split_at(16 * whole);
        let (mut offset, mut sum) = ([0; 16], [0; 16]);
        for (i, block) in (1_u64..).zip(blocks.as_chunks().0) {
            offset = xor(offset, of_zeroes[i.trailing_zeros() as usize]);
            sum = xor(sum, encrypt(xor(*block, offset)));
        }
        let mut block = [0; 16];
        block[..last.len()].copy_from_slice(last);
        if last.len() == 16 {
            sum = xor(sum, halved);
        } else {
            block[last.len()] = 0x80;
        }
        number(&encrypt(xor(sum, block)))
    })
}

/// Byte by byte, so that blocks stay in whole registers: halves stored one after the other make a load of both wait.
fn xor(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// Its keys are bytes without a pattern, because the paper does not say where they come from.
fn figure_1(name: &str) -> Engine {
    let k: &[u8; 4096] = Random(2).message(4096).leak().first_chunk().expect("as many");
    let a: &[u8; 64] = Random(2).message(64).leak().first_chunk().expect("as many");
    let key = Figure1::new(k, a);
    Engine::new(Group::ShortNonce, [name, "portable", OURS], move |count, message| {
        number(&key.tag(count, message).to_bytes()[..16])
    })
    .checked_by(|count, message| umac_1999::figure_1(k, a, message, &count.to_be_bytes()))
}

/// The message, or a copy with zeroes up to a multiple of `N` bytes.
fn padded<'m, const N: usize>(message: &'m [u8], scratch: &'m mut Vec<u8>) -> &'m [u8] {
    if message.len().is_multiple_of(N) {
        return message;
    }
    scratch.clear();
    scratch.extend_from_slice(message);
    scratch.resize(message.len().next_multiple_of(N), 0);
    scratch
}

#[cfg(test)]
mod tests {
    use crate::engines;

    /// The others are rows of the family, which has the same test.
    const OF_THE_LAB: [&str; 3] = ["PMAC-AES128-serial", "MH32", "MH16"];

    #[test]
    fn what_only_the_lab_measures_is_right_where_lengths_are_awkward() {
        let message: Vec<u8> = (0..4096).map(|i| (i * i / 7) as u8).collect();
        for name in OF_THE_LAB {
            let engine = engines::find(name).unwrap();
            assert!(engine.expected.is_some());
            for length in [1, 2, 15, 16, 17, 32, 43, 255, 256, 257, 1024, 1500, 4095, 4096] {
                for count in [0, 5] {
                    engine.check(count, &message[..length]).unwrap();
                }
            }
        }
    }
}
