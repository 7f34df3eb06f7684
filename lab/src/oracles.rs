//! What our algorithms are checked with: the definitions of the oracle, which shares no code with the
//! library, by the names of [`engines::find`](crate::engines::find).

use crate::engine::random_bytes;
use crate::timing::ours::{self, THREE_SECRETS};
use wegman_reference::aes::Aes;
use wegman_reference::rc6::Rc6;
use wegman_reference::sum_macs::Layout;
use wegman_reference::umac_1999::{self, Mode, Set};
use wegman_reference::umac_2000::{self, Function, Params};
use wegman_reference::umac_rfc4418;
use wegman_reference::{carter, cbc_mac, hash127, hmac, md5, pmac, polyval_aes, sha1, sum_macs};

/// The tag of message number `count` by its definition.
pub type Definition = Box<dyn Fn(u64, &[u8]) -> Vec<u8>>;

type OfMessage = Box<dyn Fn(&[u8]) -> Vec<u8>>;

type Cipher = Box<dyn Fn(&[u8; 16]) -> [u8; 16]>;

/// The definition of an algorithm under the key the engines have; `None` if the oracle has none.
pub fn find(name: &str) -> Option<Definition> {
    let without_nonce = || {
        let tag = of_message(name)?;
        Some(Box::new(move |_, message: &[u8]| tag(message)) as Definition)
    };
    of_nonce_and_message(name).or_else(without_nonce)
}

/// The first three keys of 16 bytes; most algorithms use only the first.
fn keys() -> [[u8; 16]; 3] {
    let (keys, _) = THREE_SECRETS.as_chunks();
    [keys[0], keys[1], keys[2]]
}

fn of_nonce_and_message(name: &str) -> Option<Definition> {
    let [key, k2, _] = keys();
    let rfc4418 = |bytes| -> Option<Definition> {
        Some(Box::new(move |count, message| {
            umac_rfc4418::umac(&key, message, &count.to_be_bytes(), bytes)
        }))
    };
    let xor_mac = |layout| -> Option<Definition> {
        Some(Box::new(move |count, message| {
            let value = u128::from(count).to_be_bytes();
            sum_macs::xor_mac(layout, &key, &value, message).into()
        }))
    };
    match name {
        "UMAC-32" => return rfc4418(4),
        "UMAC-64" => return rfc4418(8),
        "UMAC-96" => return rfc4418(12),
        "UMAC-128" => return rfc4418(16),
        "Carter-128" | "Carter-96" | "Carter-64" | "Carter-128-AES256" | "Carter-96-AES256"
        | "Carter-64-AES256" => {
            let algorithm = wegman_catalogue::find(name)?;
            let (secret, bytes) = (ours::secret(&algorithm), *algorithm.tag_bytes.end());
            let keys = carter::Keys::new(secret, bytes);
            return Some(Box::new(move |count, message| {
                let nonce = u128::from(count).to_be_bytes();
                carter::tag_with(&keys, bytes, &nonce[4..], message)
            }));
        }
        "Polyval-AES" => {
            let algorithm = wegman_catalogue::find(name)?;
            let secret = ours::secret(&algorithm);
            return Some(Box::new(move |count, message| {
                let nonce = u128::from(count).to_be_bytes();
                polyval_aes::tag(secret, &nonce[4..], message)
            }));
        }
        "XORMAC-AES128-BGR" => return xor_mac(Layout::Data),
        "XORMAC-AES128-BR" => return xor_mac(Layout::Value),
        "UMAC-FIGURE-1" => {
            let (k, a) = (random_bytes(4096), random_bytes(64));
            return Some(Box::new(move |count, message| {
                let (k, a) = (k.first_chunk().expect("as many"), a.first_chunk().expect("as many"));
                umac_1999::figure_1(k, a, message, &count.to_be_bytes())
            }));
        }
        "hash127-RC6" => {
            return Some(Box::new(move |count, message| {
                let nonce = (u128::from(count) << 64).to_be_bytes();
                sum_macs::hash127_rc6(&key, &k2, &nonce, message).into()
            }));
        }
        _ => {}
    }
    if let Some(set) = Set::parse(name) {
        let key = &THREE_SECRETS[..set.key_len()];
        return Some(Box::new(move |count, message| {
            umac_1999::umac_1999(set, Mode::Paper, key, message, &count.to_be_bytes())
        }));
    }
    let (function, params) = Params::parse(name)?;
    let key = &THREE_SECRETS[..params.key_len];
    Some(Box::new(move |count, message| match function {
        Function::Umac => umac_2000::umac(&params, key, message, &count.to_be_bytes()),
        Function::Uhash => umac_2000::uhash(&params, key, message),
    }))
}

fn of_message(name: &str) -> Option<OfMessage> {
    let [key, k2, k3] = keys();
    Some(match name {
        "PMAC-AES128" | "PMAC-AES192" | "PMAC-AES256" => {
            let secret = ours::secret(&*wegman_catalogue::find(name)?);
            Box::new(move |message| pmac::pmac_aes(secret, message, 16))
        }
        "PMAC-AES128-SERIAL" => Box::new(move |message| pmac::pmac_aes(&key, message, 16)),
        "PMAC-RC6-128" => Box::new(move |message| pmac::pmac_rc6(&key, message, 16)),
        "CBC-MAC-AES128" | "CBC-MAC-RC6-128" => {
            let e = cipher(name, &key);
            Box::new(move |message| cbc_mac::cbc_mac(&*e, &zero_padded(message, 16)).into())
        }
        "ECBC-AES128" | "ECBC-RC6-128" => {
            let [e1, e2, e3] = [key, k2, k3].map(|key| cipher(name, &key));
            Box::new(move |message| cbc_mac::ecbc(&*e1, &*e2, &*e3, message).into())
        }
        "FCBC-AES128" | "FCBC-RC6-128" => {
            let [e1, e2, e3] = [key, k2, k3].map(|key| cipher(name, &key));
            Box::new(move |message| cbc_mac::fcbc(&*e1, &*e2, &*e3, message).into())
        }
        "XCBC-AES128" => {
            let [k1, k2, k3] = cbc_mac::rfc3566_keys(&*cipher(name, &key));
            let e1 = cipher(name, &k1);
            Box::new(move |message| cbc_mac::xcbc(&*e1, &k2, &k3, message).into())
        }
        "XCBC-RC6-128" => {
            let e1 = cipher(name, &key);
            Box::new(move |message| cbc_mac::xcbc(&*e1, &k2, &k3, message).into())
        }
        "PCS-AES128" => Box::new(move |message| sum_macs::pcs(&key, message).into()),
        "HMAC-SHA1" | "HMAC-SHA1-96" | "HMAC-MD5" | "HMAC-MD5-96" => {
            let algorithm = wegman_catalogue::find(name)?;
            let (secret, bytes) = (ours::secret(&algorithm), *algorithm.tag_bytes.end());
            let hash = if name.starts_with("HMAC-SHA1") { sha1::sha1 } else { md5::md5 };
            Box::new(move |message| hmac::hmac(hash, secret, message)[..bytes].to_vec())
        }
        "SHA-1" => Box::new(sha1::sha1),
        "hash127" => {
            let [r, k] = [key, k2].map(|number| hash127::four_words(&number));
            Box::new(move |message| {
                let words = hash127::words(&zero_padded(message, 4));
                hash127::hash127(&r, &words, &k).to_le_bytes().into()
            })
        }
        _ => return None,
    })
}

/// AES or RC6, as the name says.
fn cipher(name: &str, key: &[u8; 16]) -> Cipher {
    if name.contains("RC6") {
        let rc6 = Rc6::new(key);
        Box::new(move |block| rc6.encrypt(block))
    } else {
        let aes = Aes::new(key);
        Box::new(move |block| aes.encrypt(block))
    }
}

/// The message, padded with zeroes to a multiple of `multiple` bytes.
fn zero_padded(message: &[u8], multiple: usize) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.resize(message.len().next_multiple_of(multiple), 0);
    padded
}
