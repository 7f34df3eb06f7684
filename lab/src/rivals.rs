//! The rivals: crates always, system libraries where the build found them.
//!
//! Keys are prepared, as ours are, with one exception: Poly1305 takes a new key for every message
//! by its definition, so keying is timed with the message. Rivals that increment their nonces
//! themselves may do so.

mod crates;
mod definitions;
mod libraries;
#[cfg(target_arch = "x86_64")]
mod rounds;

use crate::class::Class;
use crate::engine::{Engine, secret};
use crate::timing::rounds::number;
use anyhow::Result;
use serde::Deserialize;
use std::collections::HashMap;
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

/// Every rival; held to a class, if the process is ([`Class::of_process`]).
pub fn all(class: Option<Class>) -> Rivals {
    let add = |rivals: &mut Rivals, engine: Engine| {
        let Engine { name, origin, reach, .. } = &engine;
        if class.is_none_or(|class| *reach <= class) {
            rivals.engines.push(Rc::new(engine));
        } else {
            let line = format!("{name} ({origin}): may use {reach}, and can't be told not to");
            rivals.left_out.push(line);
        }
    };
    let mut rivals = Rivals::default();
    let in_rust = crates::NAMES.iter().chain(&ROUNDS);
    let in_rust = in_rust.filter_map(|name| keyed(name, secret::<32>(), &[0; 16]));
    in_rust.for_each(|engine| add(&mut rivals, engine));
    libraries::add(class.unwrap_or(Class::Avx512), &mut rivals, add);
    rivals
}

/// Those of the module `rounds`, for the machines that have its instructions.
const ROUNDS: [&str; 4] = ["LeMac", "HiAE", "HiAEx2", "HiAEx4"];

/// A rival in Rust under any key and nonce, if this machine can run it.
fn keyed(name: &str, key: &[u8], nonce: &[u8; 16]) -> Option<Engine> {
    let engine = crates::engine(name, key, nonce);
    #[cfg(target_arch = "x86_64")]
    let engine = engine.or_else(|| rounds::engine(name, key, nonce));
    engine
}

/// A tag of `published.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Published {
    rival: String,
    source: String,
    key: String,
    #[serde(default)]
    nonce: String,
    message: String,
    tag: String,
}

impl Rivals {
    /// Checks the rivals against the tags their standards print. The error names what is
    /// wrong.
    pub fn check_published(&self) -> Result<()> {
        let file: HashMap<String, Vec<Published>> =
            toml::from_str(include_str!("rivals/published.toml")).expect("a list of tags");
        file["tag"].iter().try_for_each(|published| self.check(published))
    }

    fn check(&self, published: &Published) -> Result<()> {
        let Published { rival, source, .. } = published;
        let [key, nonce, message, tag] =
            [&published.key, &published.nonce, &published.message, &published.tag]
                .map(|text| bytes(text));
        let under = std::array::from_fn(|i| nonce.get(i).copied().unwrap_or(0));
        let (engines, count) = match keyed(rival, &key, &under) {
            Some(engine) => (vec![Rc::new(engine)], 0),
            // A library's, which may be absent, under the key that all have; or the machine lacks its instructions.
            None => {
                let named = self.engines.iter().filter(|engine| engine.name == *rival);
                let count = nonce.iter().fold(0, |count, &byte| count << 8 | u64::from(byte));
                (named.cloned().collect(), count)
            }
        };
        engines.iter().try_for_each(|engine| {
            engine.is(count, &message, number(&tag), source)?;
            engine.check(count, &message)
        })
    }
}

/// Bytes from their digits.
fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal");
    (0..digits.len()).step_by(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_tags_come_out() {
        all(None).check_published().unwrap();
    }

    /// Machines without their instructions are not told that a rival is unknown.
    #[test]
    fn every_published_tag_is_of_a_known_rival() {
        let file: HashMap<String, Vec<Published>> =
            toml::from_str(include_str!("rivals/published.toml")).unwrap();
        for Published { rival, .. } in &file["tag"] {
            let is_known = crates::NAMES.iter().chain(&ROUNDS).any(|name| name == rival);
            assert!(is_known || rival == "VMAC-128", "{rival}");
        }
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
