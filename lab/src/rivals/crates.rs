//! Crates.

use super::definitions;
use crate::class::Class;
use crate::engine::{Engine, Group};
use crate::timing::rounds::number;
use aegis::aegis128l::Aegis128LMac;
use aegis::aegis128x2::Aegis128X2Mac;
use aegis::aegis128x4::Aegis128X4Mac;
use aes::Aes128Enc;
use hmac::digest::FixedOutputReset;
use hmac::{HmacReset, KeyInit, Mac};
use pmac::Pmac;
use poly1305::Poly1305;
use poly1305::universal_hash::UniversalHash;
use sha1::Sha1;
use siphasher::sip;
use std::cell::RefCell;

/// Their names for [`engine`].
pub const NAMES: [&str; 8] = [
    "PMAC-AES128",
    "HMAC-SHA1",
    "BLAKE3 keyed",
    "SipHash-2-4",
    "Poly1305",
    "AEGIS-128L",
    "AEGIS-128X2",
    "AEGIS-128X4",
];

/// A crate's algorithm under the front of a key (HMAC takes all of it), and AEGIS under one nonce: the keyed state is
/// copied, as for a MAC without.
pub fn engine(name: &str, key: &[u8], nonce: &[u8; 16]) -> Option<Engine> {
    let short = || key.first_chunk::<16>().expect("16 bytes");
    let long = || *key.first_chunk::<32>().expect("32 bytes");
    macro_rules! aegis {
        ($mac:ty, $class:expr) => {{
            let keyed = <$mac>::new_with_nonce(short(), nonce);
            rival(name, "aegis 0.9", $class, move |message| {
                let mut mac = keyed.clone();
                mac.update(message);
                number(&mac.finalize())
            })
        }};
    }
    Some(match name {
        "PMAC-AES128" => {
            let keyed = RefCell::new(Pmac::<Aes128Enc>::new(short().into()));
            rival(name, "pmac 0.8, aes 0.9", Class::Avx512, move |message| {
                pmac_tag(&mut keyed.borrow_mut(), message)
            })
            .defined_by(name, short())
        }
        "HMAC-SHA1" => {
            let keyed = HmacReset::<Sha1>::new_from_slice(key).expect("any length will do");
            let keyed = RefCell::new(keyed);
            rival(name, "hmac 0.13, sha1 0.11", Class::Sse, move |message| {
                tag_and_reset(&mut *keyed.borrow_mut(), message)
            })
            .defined_by(name, key)
        }
        "BLAKE3 keyed" => {
            let key = long();
            rival(name, "blake3 1.8", Class::Avx512, move |message| {
                number(&blake3::keyed_hash(&key, message).as_bytes()[..16])
            })
        }
        "SipHash-2-4" => {
            let keyed = sip::SipHasher24::new_with_key(short());
            let [k0, k1] =
                [0, 8].map(|at| u64::from_le_bytes(*key[at..].first_chunk().expect("8")));
            rival(name, "siphasher 1.0", Class::Sse, move |message| keyed.hash(message).into())
                .checked_by(move |_, message| {
                    use std::hash::Hasher;
                    #[expect(deprecated, reason = "the only SipHash-2-4 of the standard library")]
                    let mut other = std::hash::SipHasher::new_with_keys(k0, k1);
                    other.write(message);
                    other.finish().to_le_bytes()
                })
        }
        "Poly1305" => {
            let key = long();
            let tag = move |_, message: &[u8]| {
                let mut hash = Poly1305::new(&key.into());
                let (blocks, last) = poly1305::Block::slice_as_chunks(message);
                hash.update(blocks);
                number(&hash.compute_unpadded(last))
            };
            Engine::new(Group::OneMessage, [name, "auto", "poly1305 0.9"], tag)
                .within(Class::Avx2)
                .checked_by(move |_, message| definitions::poly1305(&key, message))
        }
        "AEGIS-128L" => aegis!(Aegis128LMac<16>, Class::Avx2),
        "AEGIS-128X2" => aegis!(Aegis128X2Mac<16>, Class::Vaes256),
        "AEGIS-128X4" => aegis!(Aegis128X4Mac<16>, Class::Avx512),
        _ => return None,
    })
}

/// A MAC without a nonce.
fn rival(name: &str, origin: &str, reach: Class, tag: impl Fn(&[u8]) -> u128 + 'static) -> Engine {
    Engine::new(Group::NoNonce, [name, "auto", origin], move |_, message| tag(message))
        .within(reach)
}

/// [`tag_and_reset`] in a function that is neither generic nor inlined, as in most programs: otherwise the crate takes half
/// as long again.
#[inline(never)]
fn pmac_tag(mac: &mut Pmac<Aes128Enc>, message: &[u8]) -> u128 {
    Mac::update(mac, message);
    number(&mac.finalize_fixed_reset()[..16])
}

fn tag_and_reset(mac: &mut (impl Mac + FixedOutputReset), message: &[u8]) -> u128 {
    Mac::update(mac, message);
    number(&mac.finalize_fixed_reset()[..16])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::SECRET;

    #[test]
    fn the_origins_are_what_we_depend_on() {
        let manifest = include_str!("../../Cargo.toml");
        for name in NAMES {
            for part in engine(name, SECRET, &[0; 16]).unwrap().origin.split(", ") {
                let (name, version) = part.split_once(' ').unwrap();
                let lines =
                    ["", "{ version = "].map(|open| format!("\n{name} = {open}\"{version}."));
                assert!(lines.iter().any(|line| manifest.contains(line)), "{part}");
            }
        }
    }
}
