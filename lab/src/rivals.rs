//! The rivals: crates always, system libraries where the build found them.
//!
//! Keys are prepared, as ours are, with one exception: Poly1305 takes a new key for every message
//! by its definition, so keying is timed with the message. Rivals that increment their nonces
//! themselves may do so.

mod crates;
#[cfg(has_cryptopp)]
mod cryptopp;
mod definitions;
#[cfg(has_gcrypt)]
mod gcrypt;
#[cfg(has_ipsec_mb)]
mod ipsec_mb;
#[cfg(has_nettle)]
mod nettle;
#[cfg(has_openssl)]
mod openssl;
#[cfg(has_sodium)]
mod sodium;
#[cfg(has_tomcrypt)]
mod tomcrypt;

use crate::engine::Engine;

/// Every rival, and the absent libraries, each with the package that brings it.
pub fn all() -> (Vec<Engine>, Vec<String>) {
    let mut engines = crates::all();
    let mut absent = Vec::new();
    let mut add = |library: &str, found: Option<Vec<Engine>>| match found {
        Some(found) => engines.extend(found),
        None => absent.push(library.to_owned()),
    };
    #[cfg(has_nettle)]
    add("", Some(nettle::all()));
    #[cfg(not(has_nettle))]
    add("Nettle 3 (package nettle-dev): UMAC", None);
    #[cfg(has_openssl)]
    add("", openssl::all());
    #[cfg(not(has_openssl))]
    add("OpenSSL 3 (package libssl-dev): GMAC, HMAC-SHA1, AES-CMAC, Poly1305", None);
    #[cfg(has_gcrypt)]
    add("", gcrypt::all());
    #[cfg(not(has_gcrypt))]
    add("libgcrypt 1 (package libgcrypt20-dev): AES-CMAC", None);
    #[cfg(has_ipsec_mb)]
    add("", ipsec_mb::all());
    #[cfg(not(has_ipsec_mb))]
    add("ipsec-mb 1 (package libipsec-mb-dev): GMAC, AES-CMAC", None);
    #[cfg(has_sodium)]
    add("", sodium::all());
    #[cfg(not(has_sodium))]
    add("libsodium 1 (package libsodium-dev): Poly1305, SipHash", None);
    #[cfg(has_cryptopp)]
    add("", cryptopp::all());
    #[cfg(not(has_cryptopp))]
    add("Crypto++ 8 (package libcrypto++-dev): VMAC", None);
    #[cfg(has_tomcrypt)]
    add("", tomcrypt::all());
    #[cfg(not(has_tomcrypt))]
    add("LibTomCrypt 1 (package libtomcrypt-dev): PMAC", None);
    (engines, absent)
}

/// A counter as a nonce of 12 bytes.
#[cfg(any(has_openssl, has_ipsec_mb))]
fn nonce(count: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&count.to_be_bytes());
    nonce
}

/// Checks the rivals, and the definitions beside them, against the tags their standards print. The
/// error names what is wrong.
pub fn check_published() -> Result<(), String> {
    definitions::check_published()?;
    crates::check_published()?;
    #[cfg(has_cryptopp)]
    cryptopp::check_published()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_tags_come_out() {
        assert_eq!(check_published(), Ok(()));
    }

    #[test]
    fn every_library_is_measured_or_named() {
        let (engines, absent) = all();
        let libraries =
            ["Nettle", "OpenSSL", "libgcrypt", "ipsec-mb", "libsodium", "Crypto++", "LibTomCrypt"];
        for library in libraries {
            let is_there = engines.iter().any(|engine| engine.origin.starts_with(library));
            let is_named = absent.iter().any(|line| line.starts_with(library));
            assert!(is_there != is_named, "{library}");
        }
    }
}
