//! Ours that the registry does not have: hashes alone, and MACs of another shape than its keys. All but the
//! universal families are checked with [`oracles`](crate::oracles).
//!
//! | name | what |
//! |---|---|
//! | `UHASH-w/l/n/k/s/e` | UMAC of October 2000 without its pad; up to n bytes that is NH and level 3 |
//! | `hash127`, `SHA-1` | the hashes of hash127-RC6 and HMAC-SHA1 |
//! | `CBC-MAC-AES128`, `CBC-MAC-RC6-128` | of messages of one length, with zeroes up to whole blocks |
//! | `partial-MAC` | one part of 16 bytes in four |
//! | [`universal`] | families of hash functions |

mod universal;

use crate::engines::{Engine, Group};
use sha1::{Digest, Sha1};
use std::cell::RefCell;
use wegman::cipher::{BlockCipher, Rc6};
use wegman::umac_2000::{Parameters, Uhash};
use wegman::yardstick::cbc::{Ecbc, FixedLength};
use wegman::yardstick::hash127::Hash127;
use wegman::yardstick::{self, partial};
use wegman::{Aes128, Cpu, Tag};
use wegman_bench::ours::{THREE_SECRETS, number};

/// One of them by name.
pub fn find(name: &str) -> Option<Engine> {
    let name = &*name.to_ascii_uppercase();
    match name {
        "HASH127" => Some(hash127()),
        "SHA-1" => Some(sha1()),
        "CBC-MAC-AES128" => Some(cbc_mac::<Aes128>(name)),
        "CBC-MAC-RC6-128" => Some(cbc_mac::<Rc6>(name)),
        "PARTIAL-MAC" => Some(partial_mac()),
        _ => uhash(name).or_else(|| universal::find(name)),
    }
}

/// The two keys of 16 bytes that begin all others.
fn keys() -> [&'static [u8; 16]; 2] {
    let (keys, _) = THREE_SECRETS.as_chunks();
    [&keys[0], &keys[1]]
}

fn uhash(name: &str) -> Option<Engine> {
    let parameters = Parameters::of_uhash(name).ok()?;
    let hash = Uhash::new(&parameters, &THREE_SECRETS[..parameters.key_bytes()]).ok()?;
    let bytes = parameters.output_bytes();
    Some(Engine::unlisted(Group::OneMessage, name, hash.kernel(), move |_, message| {
        let mut out = [0; 32];
        hash.hash(message, &mut out[..bytes]);
        number(&out[..bytes.min(16)])
    }))
}

/// With zeroes for what is missing to a word.
fn hash127() -> Engine {
    let [r, k] = keys();
    let hash = Hash127::new(r);
    let scratch = RefCell::new(Vec::new());
    Engine::unlisted(Group::OneMessage, "hash127", "portable", move |_, message| {
        let scratch = &mut *scratch.borrow_mut();
        number(&hash.hash(padded::<4>(message, scratch).as_chunks().0, k))
    })
}

fn sha1() -> Engine {
    Engine::rival(Group::OneMessage, "SHA-1", "sha1 0.11", |_, message| {
        number(&Sha1::digest(message)[..16])
    })
}

/// The key is for one length, and made anew when another one comes: once a block of timed calls.
fn cbc_mac<C: BlockCipher<Key = [u8; 16]> + 'static>(name: &str) -> Engine {
    type State<C> = RefCell<(FixedLength<C, 16>, Vec<u8>)>;
    fn key<C: BlockCipher<Key = [u8; 16]>>(length: usize) -> FixedLength<C, 16> {
        FixedLength::new(keys()[0], length)
    }
    fn of_length<C: BlockCipher<Key = [u8; 16]>>(kept: &mut FixedLength<C, 16>, length: usize) {
        if kept.length() != length {
            *kept = key(length);
        }
    }
    let kernels = yardstick::Key::<Ecbc<C>, 16>::kernels(Cpu::detect());
    let kernel = kernels.last().expect("one runs everywhere").0;
    let one: State<C> = RefCell::new((key(16), Vec::new()));
    let many: State<C> = RefCell::new((key(16), Vec::new()));
    Engine::unlisted(Group::NoNonce, name, kernel, move |_, message| {
        let (key, scratch) = &mut *one.borrow_mut();
        let message = padded::<16>(message, scratch);
        of_length(key, message.len());
        number(&key.tag(message).expect("its length").to_bytes())
    })
    .with_batches(move |messages, out| {
        let (key, scratch) = &mut *many.borrow_mut();
        let length = messages[0].len().next_multiple_of(16);
        of_length(key, length);
        let mut tags = vec![Tag::from([0; 16]); messages.len()];
        if messages[0].len() == length {
            key.tag_many(messages, &mut tags)
        } else {
            scratch.clear();
            for message in messages {
                scratch.extend_from_slice(message);
                scratch.resize(scratch.len().next_multiple_of(16), 0);
            }
            let messages: Vec<&[u8]> = scratch.chunks_exact(length).collect();
            key.tag_many(&messages, &mut tags)
        }
        .expect("all of one length");
        out.iter_mut().zip(&tags).for_each(|(out, tag)| *out = tag.to_bytes());
    })
}

fn partial_mac() -> Engine {
    let mac = THREE_SECRETS[16..].first_chunk().expect("20 bytes of 32");
    let key = partial::Key::new(partial::Division::new(16, 4), keys()[0], mac);
    Engine::unlisted(Group::LongNonce, "partial-MAC", "auto", move |count, message| {
        number(&key.tag(&count.to_be_bytes(), message).to_bytes())
    })
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
