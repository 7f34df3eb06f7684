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
#[cfg(target_arch = "x86_64")]
mod rounds;

use crate::class::Class;
use crate::engine::Engine;
use std::rc::Rc;

/// The rivals of a build on a machine.
#[derive(Default)]
pub struct Rivals {
    /// Those that can be measured.
    pub engines: Vec<Rc<Engine>>,
    /// The absent libraries, each with the package that brings it.
    pub absent: Vec<String>,
    /// Those that may use more than the class has, each with what it may use.
    pub left_out: Vec<String>,
    /// What libraries say they use, now that they were told.
    pub reports: Vec<String>,
}

/// What a library has: its engines, and what it says it uses if it was told. `None` if it does not run here.
type Found = Option<(Vec<Engine>, Option<String>)>;

/// Every rival; held to a class, if the process is ([`Class::of_process`]).
pub fn all(class: Option<Class>) -> Rivals {
    let mut rivals = Rivals::default();
    let mut add = |absent: &str, found: Found| match found {
        Some((engines, report)) => {
            rivals.reports.extend(report);
            for engine in engines {
                let Engine { name, origin, reach, .. } = &engine;
                if class.is_none_or(|class| *reach <= class) {
                    rivals.engines.push(Rc::new(engine));
                } else {
                    let line =
                        format!("{name} ({origin}): may use {reach}, and can't be told not to");
                    rivals.left_out.push(line);
                }
            }
        }
        None => rivals.absent.push(absent.to_owned()),
    };
    macro_rules! library {
        ($has:ident, $found:expr, $absent:literal) => {
            #[cfg($has)]
            add($absent, $found);
            #[cfg(not($has))]
            add($absent, None);
        };
    }
    add("", Some((crates::all(), None)));
    #[cfg(target_arch = "x86_64")]
    add("", Some((rounds::all(), None)));
    library!(has_nettle, nettle::all(), "Nettle 3 (package nettle-dev): UMAC");
    library!(
        has_openssl,
        openssl::all(class.unwrap_or(Class::Avx512)),
        "OpenSSL 3 (package libssl-dev): GMAC, HMAC-SHA1, AES-CMAC, Poly1305"
    );
    library!(
        has_gcrypt,
        gcrypt::all(class.unwrap_or(Class::Avx512)),
        "libgcrypt 1 (package libgcrypt20-dev): AES-CMAC"
    );
    library!(
        has_ipsec_mb,
        ipsec_mb::all(class.unwrap_or(Class::Avx512)),
        "ipsec-mb 1 (package libipsec-mb-dev): GMAC"
    );
    library!(has_cryptopp, cryptopp::all(), "Crypto++ 8 (package libcrypto++-dev): VMAC");
    rivals
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
    #[cfg(target_arch = "x86_64")]
    rounds::check_published()?;
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
        let Rivals { engines, absent, .. } = all(None);
        for library in ["Nettle", "OpenSSL", "libgcrypt", "ipsec-mb", "Crypto++"] {
            let is_there = engines.iter().any(|engine| engine.origin.starts_with(library));
            let is_named = absent.iter().any(|line| line.starts_with(library));
            assert!(is_there != is_named, "{library}");
        }
    }

    #[test]
    fn in_a_class_every_rival_is_measured_or_left_out() {
        let everyone = all(None).engines.len();
        // This process was not held to a class, so libraries that look before `main` must be found out.
        for class in Class::ALL {
            let rivals = all(Some(class));
            assert_eq!(rivals.engines.len() + rivals.left_out.len(), everyone, "{class}");
            assert!(rivals.engines.iter().all(|engine| engine.reach <= class));
            let all_that_is_here = class == Class::Avx512;
            assert_eq!(rivals.left_out.is_empty(), all_that_is_here, "{:?}", rivals.left_out);
        }
    }
}
