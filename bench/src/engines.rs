//! What is measured: each engine is a name and a closure that makes one tag of one message, and
//! beside it another way to the same tag, by which its answers are checked.
//!
//! Ours are made from the registry, by name. The rivals are RustCrypto's crates, keyed once; the
//! end of each message resets them. (A copy of the keyed state for each message would be unfair:
//! our own library turns on the wiping of AES keys for the whole build, and wiping the copy takes
//! longer than the CMAC of 43 bytes.)
//!
//! All choose their instructions at run time, so the bench must be built for the default processor.
//! Built with `-C target-cpu=native` on a machine with AVX-512, `hmac` runs a hundred times slower:
//! the old-style SHA instructions get inlined among 512-bit code that leaves the upper halves of
//! the vector registers in use. The price falls on `cmac` 0.8: in a default build it xors a block
//! into its state byte by byte, and long messages take twice the ten AES rounds they wait for.

use aes::Aes128Enc;
use cmac::Cmac;
use hmac::digest::FixedOutputReset;
use hmac::{HmacReset, KeyInit, Mac};
use sha1::{Digest, Sha1};
use std::cell::RefCell;
use wegman::{Cpu, Nonce, registry};
use wegman_reference::{aes as oracle_aes, pmac as oracle_pmac, umac_rfc4418};

/// The key of every engine but those that check published tags.
const KEY: &[u8; 16] = b"abcdefghijklmnop";

/// Makes the tag of message number `count`, as a number: its first 16 bytes, the first one highest.
/// It comes back in registers, so nothing a caller does with it disturbs the next call.
pub type TagOf = Box<dyn Fn(u64, &[u8]) -> u128>;

/// One algorithm as one library computes it.
pub struct Engine {
    /// The algorithm.
    pub name: &'static str,
    /// The kernel it runs, as far as it says so.
    pub kernel: &'static str,
    /// The crates it comes from, with their versions.
    pub origin: &'static str,
    /// What is timed. `count` is the nonce of the algorithms that take one.
    pub tag: TagOf,
    /// The same tag from other code.
    pub expected: TagOf,
}

/// Every engine, in the order of the table.
pub fn all() -> Vec<Engine> {
    vec![
        ours::<8>("UMAC-64", |count, message| {
            number::<8>(&umac_rfc4418::umac(KEY, message, &count.to_be_bytes(), 8))
        }),
        ours::<16>("PMAC-AES128", |_, message| {
            number::<16>(&oracle_pmac::pmac_aes(KEY, message, 16))
        }),
        hmac_sha1(KEY),
        aes_cmac(KEY),
    ]
}

/// An algorithm of the registry with tags of `N` bytes, against the oracle.
fn ours<const N: usize>(name: &str, oracle: fn(u64, &[u8]) -> u128) -> Engine {
    let algorithm = registry::find(name).expect("the registry has it");
    let key = algorithm.key(Cpu::detect(), KEY, N).expect("both lengths are the algorithm's");
    let takes_nonce = algorithm.nonce_bytes.is_some();
    Engine {
        name: algorithm.name,
        kernel: key.kernel(),
        origin: concat!("wegman ", env!("CARGO_PKG_VERSION")), // one version for the workspace
        tag: Box::new(move |count, message| {
            let nonce = takes_nonce.then(|| Nonce::counter(count));
            let tag = key.tag(nonce.as_ref(), message).expect("a nonce if it takes one");
            number::<N>(tag.to_bytes())
        }),
        expected: Box::new(oracle),
    }
}

/// HMAC-SHA1, against its definition over the plain hash.
fn hmac_sha1(key: &[u8]) -> Engine {
    let keyed = RefCell::new(HmacReset::<Sha1>::new_from_slice(key).expect("any length will do"));
    let key = key.to_vec();
    Engine {
        name: "HMAC-SHA1",
        kernel: "auto",
        origin: "hmac 0.13, sha1 0.11",
        tag: Box::new(move |_, message| tag_and_reset(&mut *keyed.borrow_mut(), message)),
        expected: Box::new(move |_, message| number::<16>(&hmac_by_definition(&key, message))),
    }
}

/// AES-CMAC with a 16-byte key, against its definition over the oracle's cipher.
fn aes_cmac(key: &[u8; 16]) -> Engine {
    let keyed = RefCell::new(Cmac::<Aes128Enc>::new(key.into()));
    let key = *key;
    Engine {
        name: "AES-CMAC",
        kernel: "auto",
        origin: "cmac 0.8, aes 0.9",
        tag: Box::new(move |_, message| tag_and_reset(&mut *keyed.borrow_mut(), message)),
        expected: Box::new(move |_, message| {
            u128::from_be_bytes(cmac_by_definition(&key, message))
        }),
    }
}

fn tag_and_reset(mac: &mut (impl Mac + FixedOutputReset), message: &[u8]) -> u128 {
    Mac::update(mac, message);
    number::<16>(&mac.finalize_fixed_reset())
}

/// The first `N` bytes, at most 16, as a number.
fn number<const N: usize>(tag: &[u8]) -> u128 {
    let mut bytes = [0; 16];
    bytes[16 - N..].copy_from_slice(&tag[..N]);
    u128::from_be_bytes(bytes)
}

/// RFC 2104, section 2.
fn hmac_by_definition(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0; 64];
    if key.len() > block.len() {
        block[..20].copy_from_slice(&Sha1::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha1::digest([&block.map(|byte| byte ^ 0x36), message].concat());
    Sha1::digest([&block.map(|byte| byte ^ 0x5c)[..], &inner].concat()).to_vec()
}

/// RFC 4493, section 2.4.
fn cmac_by_definition(key: &[u8; 16], message: &[u8]) -> [u8; 16] {
    let aes = oracle_aes::Aes::new(key);
    let k1 = oracle_pmac::double(&aes.encrypt(&[0; 16]));
    let k2 = oracle_pmac::double(&k1);

    let whole_blocks_before_last = message.len().saturating_sub(1) / 16;
    let (before, last) = message.split_at(16 * whole_blocks_before_last);
    let last = if last.len() == 16 { xor(last, &k1) } else { xor(&oracle_pmac::pad(last), &k2) };
    let chain = before.chunks(16).fold([0; 16], |x, block| aes.encrypt(&xor(block, &x)));
    aes.encrypt(&xor(&last, &chain))
}

fn xor(a: &[u8], b: &[u8; 16]) -> [u8; 16] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// Checks the rivals, and the definitions above, against the tags their standards print. The error
/// names what is wrong.
pub fn check_published() -> Result<(), String> {
    // RFC 2202, section 3: test cases 1, 2, 3 and 6; the first 16 of the 20 bytes.
    let hmac: [(&[u8], &[u8], u128); 4] = [
        (&[0x0b; 20], b"Hi There", 0xb617318655057264e28bc0b6fb378c8e),
        (b"Jefe", b"what do ya want for nothing?", 0xeffcdf6ae5eb2fa2d27416d5f184df9c),
        (&[0xaa; 20], &[0xdd; 50], 0x125d7342b9ac11cd91a39af48aa17b4f),
        (
            &[0xaa; 80],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            0xaa4ae5e15272d00e95705637ce8a3b55,
        ),
    ];
    for (key, message, tag) in hmac {
        let engine = hmac_sha1(key);
        same(&engine, 0, message, tag, "RFC 2202")?;
        check(&engine, 0, message)?;
    }

    // RFC 4493, section 4: examples 1 to 4 are the first 0, 16, 40 and 64 bytes of one message.
    let key = 0x2b7e151628aed2a6abf7158809cf4f3c_u128.to_be_bytes();
    let message = [
        0x6bc1bee22e409f96e93d7e117393172a_u128.to_be_bytes(),
        0xae2d8a571e03ac9c9eb76fac45af8e51_u128.to_be_bytes(),
        0x30c81c46a35ce411e5fbc1191a0a52ef_u128.to_be_bytes(),
        0xf69f2445df4f9b17ad2b417be66c3710_u128.to_be_bytes(),
    ];
    let cmac = [
        (0, 0xbb1d6929e95937287fa37d129b756746),
        (16, 0x070a16b46b4d4144f79bdd9dd04a287c),
        (40, 0xdfa66747de9ae63030ca32611497c827),
        (64, 0x51f0bebf7e3b9d92fc49741779363cfe),
    ];
    for (length, tag) in cmac {
        let (engine, message) = (aes_cmac(&key), &message.as_flattened()[..length]);
        same(&engine, 0, message, tag, "RFC 4493")?;
        check(&engine, 0, message)?;
    }
    Ok(())
}

/// Checks an engine's tag of a message against its other way.
pub fn check(engine: &Engine, count: u64, message: &[u8]) -> Result<(), String> {
    let right = (engine.expected)(count, message);
    same(engine, count, message, right, "its definition")
}

/// Checks that an engine's tag of a message is `right`, as `source` says.
fn same(
    engine: &Engine,
    count: u64,
    message: &[u8],
    right: u128,
    source: &str,
) -> Result<(), String> {
    let got = (engine.tag)(count, message);
    if got == right {
        return Ok(());
    }
    let Engine { name, kernel, origin, .. } = engine;
    let length = message.len();
    Err(format!(
        "{name} ({kernel}; {origin}) of {length} bytes, nonce {count}: got {got:032x}, but \
         {source} gives {right:032x}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_tags_come_out() {
        assert_eq!(check_published(), Ok(()));
    }

    #[test]
    fn every_engine_is_right_where_lengths_are_awkward() {
        let message: Vec<u8> = (0..3000).map(|i| (i * i / 7) as u8).collect();
        for engine in all() {
            for length in [0, 1, 15, 16, 17, 43, 63, 64, 65, 1023, 1024, 1025, 3000] {
                assert_eq!(check(&engine, 5, &message[..length]), Ok(()));
            }
        }
    }

    #[test]
    fn a_wrong_engine_is_named() {
        let mut engine = hmac_sha1(KEY);
        engine.tag = Box::new(|_, _| 1);
        let error = check(&engine, 3, b"message").unwrap_err();
        assert!(
            error.starts_with("HMAC-SHA1 (auto; hmac 0.13, sha1 0.11) of 7 bytes, nonce 3"),
            "{error}"
        );
    }

    #[test]
    fn the_origins_are_what_we_depend_on() {
        let manifest = include_str!("../Cargo.toml");
        for part in all().iter().skip(2).flat_map(|engine| engine.origin.split(", ")) {
            let (name, version) = part.split_once(' ').unwrap();
            assert!(manifest.contains(&format!("\n{name} = \"{version}.")), "{part}");
        }
    }
}
