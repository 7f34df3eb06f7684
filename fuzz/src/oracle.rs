//! The oracle by name, under any key.

use wegman_catalogue::Algorithm;
use wegman_reference::aes::Aes;
use wegman_reference::rc6::Rc6;
use wegman_reference::sum_macs::Layout;
use wegman_reference::umac_1999::{self, Mode, Set};
use wegman_reference::umac_2000::{self, Params};
use wegman_reference::{
    carter, cbc_mac, hmac, md5, pmac, polyval_aes, sha1, sum_macs, umac_rfc4418,
};

/// The longest tag of a message by the algorithm's definition; `None` if the oracle does not have it.
pub fn tag(algorithm: &Algorithm, key: &[u8], nonce: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    let name = &*algorithm.name;
    let bytes = *algorithm.tag_bytes.end();
    let cut = |mut tag: Vec<u8>| {
        tag.truncate(bytes);
        Some(tag)
    };
    let keys = || key.as_chunks::<16>().0;
    match name {
        "UMAC-32" | "UMAC-64" | "UMAC-96" | "UMAC-128" => {
            let key = key.try_into().expect("16 bytes");
            return Some(umac_rfc4418::umac(key, message, nonce, bytes));
        }
        "Polyval-AES" => return Some(polyval_aes::tag(key, nonce, message)),
        "XORMAC-AES128-BGR" => return cut(xor_mac(Layout::Data, key, nonce, message)),
        "XORMAC-AES128-BR" => return cut(xor_mac(Layout::Value, key, nonce, message)),
        "hash127-RC6" => {
            let mut whole = [0; 16];
            whole[..nonce.len()].copy_from_slice(nonce);
            return cut(sum_macs::hash127_rc6(&keys()[0], &keys()[1], &whole, message).into());
        }
        "PMAC-RC6-128" => return Some(pmac::pmac_rc6(key, message, 16)),
        "PCS-AES128" => return cut(sum_macs::pcs(&keys()[0], message).into()),
        "HMAC-SHA1" | "HMAC-SHA1-96" => return cut(hmac::hmac(sha1::sha1, key, message)),
        "HMAC-MD5" | "HMAC-MD5-96" => return cut(hmac::hmac(md5::md5, key, message)),
        "HMAC-SHA256" => return cut(hmac::hmac(sha256, key, message)),
        "CMAC-AES128" | "CMAC-AES256" => {
            let e = cipher(name, key);
            let [k2, k3] = cbc_mac::cmac_subkeys(&*e);
            return cut(cbc_mac::xcbc(&*e, &k2, &k3, message).into());
        }
        "XCBC-AES128" => {
            let [k1, k2, k3] = cbc_mac::rfc3566_keys(&*cipher(name, key));
            return cut(cbc_mac::xcbc(&*cipher(name, &k1), &k2, &k3, message).into());
        }
        "XCBC-RC6-128" => {
            let e = cipher(name, &keys()[0]);
            return cut(cbc_mac::xcbc(&*e, &keys()[1], &keys()[2], message).into());
        }
        _ => {}
    }
    let three = || {
        let e = |i: usize| cipher(name, &keys()[i]);
        [e(0), e(1), e(2)]
    };
    if name.starts_with("ECBC") {
        let [e1, e2, e3] = three();
        return cut(cbc_mac::ecbc(&*e1, &*e2, &*e3, message).into());
    }
    if name.starts_with("FCBC") {
        let [e1, e2, e3] = three();
        return cut(cbc_mac::fcbc(&*e1, &*e2, &*e3, message).into());
    }
    if name.starts_with("PMAC-AES") {
        return Some(pmac::pmac_aes(key, message, 16));
    }
    if name.starts_with("Carter") {
        return Some(carter::tag(key, bytes, nonce, message));
    }
    if let Some(set) = Set::parse(name) {
        let nonce = nonce.try_into().expect("8 bytes");
        return Some(umac_1999::umac_1999(set, Mode::Paper, key, message, nonce));
    }
    let (_, params) = Params::parse(name)?;
    Some(umac_2000::umac(&params, key, message, nonce))
}

fn xor_mac(layout: Layout, key: &[u8], nonce: &[u8], message: &[u8]) -> Vec<u8> {
    let mut value = [0; 16];
    value[16 - nonce.len()..].copy_from_slice(nonce);
    sum_macs::xor_mac(layout, key.try_into().expect("16 bytes"), &value, message).into()
}

fn sha256(message: &[u8]) -> Vec<u8> {
    use sha2::Digest;
    sha2::Sha256::digest(message).to_vec()
}

/// AES or RC6, as the name says.
fn cipher(name: &str, key: &[u8]) -> Box<dyn Fn(&[u8; 16]) -> [u8; 16]> {
    if name.contains("RC6") {
        let rc6 = Rc6::new(key);
        Box::new(move |block| rc6.encrypt(block))
    } else {
        let aes = Aes::new(key);
        Box::new(move |block| aes.encrypt(block))
    }
}
