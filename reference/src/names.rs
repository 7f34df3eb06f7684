//! The definitions by the names that the catalogue and the papers' tables have for them.

use crate::aes::Aes;
use crate::rc6::Rc6;
use crate::umac_1999::{self, Mode, Set, zero_pad};
use crate::umac_2000::{self, Function, Params};
use crate::{carter, cbc_mac, hash127, hmac, md5, pmac, polyval_aes, sha1, sum_macs, umac_rfc4418};

pub use crate::sum_macs::Definition;

/// The definition of an algorithm under a key of the length that it takes; `None` if there is none by that name.
pub fn find(name: &str, key: &[u8]) -> Option<Definition> {
    let key = key.to_vec();
    // Of UMAC, Carter and PMAC-AES, the number behind the first hyphen or the cipher.
    let bytes = |prefix: &str| -> Option<usize> {
        let number = name.strip_prefix(prefix)?.split('-').next()?;
        Some(number.parse::<usize>().ok()? / 8)
    };
    let part = |i: usize| -> [u8; 16] { key[16 * i..][..16].try_into().expect("16 bytes") };
    Some(match name {
        "UMAC-32" | "UMAC-64" | "UMAC-96" | "UMAC-128" => {
            let (key, bytes) = (part(0), bytes("UMAC-")?);
            Box::new(move |nonce, message| umac_rfc4418::umac(&key, message, nonce, bytes))
        }
        "Polyval-AES" => Box::new(move |nonce, message| polyval_aes::tag(&key, nonce, message)),
        "hash127" => {
            let [r, k] = [part(0), part(1)].map(|number| hash127::four_words(&number));
            Box::new(move |_, message| {
                let words = hash127::words(&zero_pad(message, 4));
                hash127::hash127(&r, &words, &k).to_le_bytes().into()
            })
        }
        "PMAC-RC6-128" => Box::new(move |_, message| pmac::pmac_rc6(&key, message, 16)),
        "HMAC-SHA1" | "HMAC-SHA1-96" => {
            Box::new(move |_, message| hmac::hmac(sha1::sha1, &key, message))
        }
        "HMAC-MD5" | "HMAC-MD5-96" => {
            Box::new(move |_, message| hmac::hmac(md5::md5, &key, message))
        }
        "SHA-1" => Box::new(|_, message| sha1::sha1(message)),
        _ if name.starts_with("PMAC-AES") => {
            let key = key[..bytes("PMAC-AES")?].to_vec();
            Box::new(move |_, message| pmac::pmac_aes(&key, message, 16))
        }
        _ if name.starts_with("Carter-") => {
            let bytes = bytes("Carter-")?;
            let keys = carter::Keys::new(&key, bytes);
            Box::new(move |nonce, message| carter::tag_with(&keys, bytes, nonce, message))
        }
        _ if name.contains("CBC") || name.starts_with("CMAC") => return of_cbc(name, &key),
        _ => {
            if let Some(set) = Set::parse(name) {
                return Some(Box::new(move |nonce, message| {
                    let nonce = nonce.try_into().expect("8 bytes");
                    umac_1999::umac_1999(set, Mode::Paper, &key, message, nonce)
                }));
            }
            let Some((function, params)) = Params::parse(name) else {
                return sum_macs::find(name, &key);
            };
            let key = key[..params.key_len].to_vec();
            Box::new(move |nonce, message| match function {
                Function::Umac => umac_2000::umac(&params, &key, message, nonce),
                Function::Uhash => umac_2000::uhash(&params, &key, message),
            })
        }
    })
}

/// CBC-MAC and its like.
fn of_cbc(name: &str, key: &[u8]) -> Option<Definition> {
    let part = |i: usize| -> [u8; 16] { key[16 * i..][..16].try_into().expect("16 bytes") };
    let cipher = |key: &[u8]| cipher(name, key);
    let three = || [part(0), part(1), part(2)].map(|key| cipher(&key));
    Some(match name {
        "CBC-MAC-AES128" | "CBC-MAC-RC6-128" => {
            let e = cipher(&part(0));
            Box::new(move |_, message| cbc_mac::cbc_mac(&*e, &zero_pad(message, 16)).into())
        }
        "ECBC-AES128" | "ECBC-RC6-128" => {
            let [e1, e2, e3] = three();
            Box::new(move |_, message| cbc_mac::ecbc([&*e1, &*e2, &*e3], message).into())
        }
        "FCBC-AES128" | "FCBC-RC6-128" => {
            let [e1, e2, e3] = three();
            Box::new(move |_, message| cbc_mac::fcbc([&*e1, &*e2, &*e3], message).into())
        }
        "CMAC-AES128" | "CMAC-AES256" => {
            let e = cipher(key);
            let [k2, k3] = cbc_mac::cmac_subkeys(&*e);
            xcbc(e, k2, k3)
        }
        "XCBC-AES128" => {
            let [k1, k2, k3] = cbc_mac::rfc3566_keys(&*cipher(&part(0)));
            xcbc(cipher(&k1), k2, k3)
        }
        "XCBC-RC6-128" => xcbc(cipher(&part(0)), part(1), part(2)),
        _ => return None,
    })
}

type Cipher = Box<dyn Fn(&[u8; 16]) -> [u8; 16]>;

/// AES or RC6, as the name says.
fn cipher(name: &str, key: &[u8]) -> Cipher {
    if name.contains("RC6") {
        let rc6 = Rc6::new(key);
        Box::new(move |block| rc6.encrypt(block))
    } else {
        let aes = Aes::new(key);
        Box::new(move |block| aes.encrypt(block))
    }
}

fn xcbc(e: Cipher, k2: [u8; 16], k3: [u8; 16]) -> Definition {
    Box::new(move |_, message| cbc_mac::xcbc(&*e, &k2, &k3, message).into())
}
