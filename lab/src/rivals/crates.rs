//! Rivals that are crates.
//!
//! The end of each message resets the MACs of RustCrypto. (A copy of the keyed state for each
//! message would be unfair: our own library turns on the wiping of AES keys for the whole build.)
//!
//! Crates look at the processor themselves, and can't be told what to use. So each says here what its code may use at
//! most; `aes` uses the widest registers of the machine.
//!
//! `aegis` is its default, C code that chooses its instructions at run time. Its Rust code has AES
//! instructions only in a build for a processor that has them, and others pay for such a build.

use super::definitions;
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use crate::timing::ours::SECRET;
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

/// All of them.
pub fn all() -> Vec<Engine> {
    vec![pmac_aes128(), hmac_sha1(KEY), blake3_keyed(SECRET), siphash(KEY), poly1305(SECRET)]
        .into_iter()
        .chain(aegis(KEY, &[0; 16]))
        .collect()
}

fn hmac_sha1(key: &[u8]) -> Engine {
    let keyed = RefCell::new(HmacReset::<Sha1>::new_from_slice(key).expect("any length will do"));
    Engine::rival(Group::NoNonce, "HMAC-SHA1", "hmac 0.13, sha1 0.11", move |_, message| {
        tag_and_reset(&mut *keyed.borrow_mut(), message)
    })
    .within(Class::Sse)
    .defined_by("HMAC-SHA1", key)
}

fn pmac_aes128() -> Engine {
    let keyed = RefCell::new(Pmac::<Aes128Enc>::new(KEY.into()));
    Engine::rival(Group::NoNonce, "PMAC-AES128", "pmac 0.8, aes 0.9", move |_, message| {
        tag_and_reset(&mut *keyed.borrow_mut(), message)
    })
    .defined_by("PMAC-AES128", KEY)
}

fn tag_and_reset(mac: &mut (impl Mac + FixedOutputReset), message: &[u8]) -> u128 {
    Mac::update(mac, message);
    number(&mac.finalize_fixed_reset()[..16])
}

fn blake3_keyed(key: &[u8; 32]) -> Engine {
    let key = *key;
    Engine::rival(Group::NoNonce, "BLAKE3 keyed", "blake3 1.8", move |_, message| {
        number(&blake3::keyed_hash(&key, message).as_bytes()[..16])
    })
}

/// As MACs without a nonce, which is AEGIS under one nonce: the keyed state is copied.
fn aegis(key: &[u8; 16], nonce: &[u8; 16]) -> [Engine; 3] {
    macro_rules! engine {
        ($mac:ty, $name:literal, $class:expr) => {{
            let keyed = <$mac>::new_with_nonce(key, nonce);
            Engine::rival(Group::NoNonce, $name, "aegis 0.9", move |_, message| {
                let mut mac = keyed.clone();
                mac.update(message);
                number(&mac.finalize())
            })
            .within($class)
        }};
    }
    [
        engine!(Aegis128LMac<16>, "AEGIS-128L", Class::Avx2),
        engine!(Aegis128X2Mac<16>, "AEGIS-128X2", Class::Vaes256),
        engine!(Aegis128X4Mac<16>, "AEGIS-128X4", Class::Avx512),
    ]
}

fn siphash(key: &[u8; 16]) -> Engine {
    let keyed = sip::SipHasher24::new_with_key(key);
    let [k0, k1] =
        [&key[..8], &key[8..]].map(|half| u64::from_le_bytes(half.try_into().expect("8 bytes")));
    Engine::rival(Group::NoNonce, "SipHash-2-4", "siphasher 1.0", move |_, message| {
        keyed.hash(message).into()
    })
    .within(Class::Sse)
    .checked_by(move |_, message| {
        use std::hash::Hasher;
        #[expect(deprecated, reason = "the only SipHash-2-4 of the standard library")]
        let mut other = std::hash::SipHasher::new_with_keys(k0, k1);
        other.write(message);
        other.finish().to_le_bytes()
    })
}

fn poly1305(key: &[u8; 32]) -> Engine {
    let key = *key;
    Engine::rival(Group::OneMessage, "Poly1305", "poly1305 0.9", move |_, message| {
        let mut hash = Poly1305::new(&key.into());
        let (blocks, last) = poly1305::Block::slice_as_chunks(message);
        hash.update(blocks);
        number(&hash.compute_unpadded(last))
    })
    .within(Class::Avx2)
    .checked_by(move |_, message| definitions::poly1305(&key, message))
}

/// Checks all of them against the tags that standards and authors print.
pub fn check_published() -> Result<(), String> {
    let mut all = published().into_iter();
    all.try_for_each(|(engine, message, tag, source)| {
        engine.has_published(0, &message, tag, source)
    })
}

/// Bytes from their digits.
pub fn hex<const N: usize>(digits: &str) -> [u8; N] {
    let byte = |i: usize| u8::from_str_radix(&digits[2 * i..][..2], 16).expect("hexadecimal");
    std::array::from_fn(byte)
}

/// Engines under published keys, messages, tags, and where these are from: RFC 2202, section 3, test cases 1, 2, 3 and 6;
/// BLAKE3's test_vectors.json; AEGISMAC of
/// draft-irtf-cfrg-aegis-aead, appendix A; SipHash's vectors.h; RFC 8439, section 2.5.2.
fn published() -> Vec<(Engine, Vec<u8>, &'static str, &'static str)> {
    let long_key: &[u8] = b"Test Using Larger Than Block-Size Key - Hash Key First";
    let hmac: [(&[u8], &[u8], _); 4] = [
        (&[0x0b; 20], b"Hi There", "b617318655057264e28bc0b6fb378c8e"),
        (b"Jefe", b"what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c"),
        (&[0xaa; 20], &[0xdd; 50], "125d7342b9ac11cd91a39af48aa17b4f"),
        (&[0xaa; 80], long_key, "aa4ae5e15272d00e95705637ce8a3b55"),
    ];
    let hmac = hmac.map(|(key, message, tag)| (hmac_sha1(key), message.into(), tag, "RFC 2202"));
    let blake3 = [
        (0, "92b2b75604ed3c761f9d6f62392c8a92"),
        (1, "6d7878dfff2f485635d39013278ae14f"),
        (1024, "75c46f6f3d9eb4f55ecaaee480db732e"),
        (1025, "357dc55de0c7e382c900fd6e320acc04"),
    ];
    let blake3 = blake3.map(|(length, tag)| {
        let message = (0..length).map(|i: u32| (i % 251) as u8).collect();
        (blake3_keyed(b"whats the Elvish word for friend"), message, tag, "BLAKE3's test vectors")
    });
    let upwards: [u8; 35] = std::array::from_fn(|i| i as u8);
    let (key, nonce) = ([0x1001_u128 << 112, 0x10_0002 << 104]).map(u128::to_be_bytes).into();
    let tags = [
        "d3f09b2842ad301687d6902c921d7818",
        "6873ee34e6b5c59143b6d35c5e4f2c6e",
        "c45a98fd9ab8956ce616eb008cfe4e53",
    ];
    let aegis = aegis(&key, &nonce).into_iter().zip(tags);
    let aegis =
        aegis.map(|(engine, tag)| (engine, upwards.to_vec(), tag, "draft-irtf-cfrg-aegis-aead"));
    let key = std::array::from_fn(|i| i as u8);
    let siphash = [(siphash(&key), 0, "310e0edd47db6f72"), (siphash(&key), 15, "e545be4961ca29a1")];
    let siphash = siphash.map(|(engine, length, tag)| {
        (engine, upwards[..length].to_vec(), tag, "SipHash's vectors.h")
    });
    let key = hex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
    let message = b"Cryptographic Forum Research Group".to_vec();
    let poly = (poly1305(&key), message, "a8061dc1305136c6c22b8baf0c0127a9", "RFC 8439");
    let lists = hmac.into_iter().chain(blake3).chain(aegis).chain(siphash);
    lists.chain([poly]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_origins_are_what_we_depend_on() {
        let manifest = include_str!("../../Cargo.toml");
        for engine in all() {
            for part in engine.origin.split(", ") {
                let (name, version) = part.split_once(' ').unwrap();
                let lines =
                    ["", "{ version = "].map(|open| format!("\n{name} = {open}\"{version}."));
                assert!(lines.iter().any(|line| manifest.contains(line)), "{part}");
            }
        }
    }
}
