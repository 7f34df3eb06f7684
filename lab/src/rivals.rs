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
    crates::all().into_iter().for_each(|engine| add(&mut rivals, engine));
    #[cfg(target_arch = "x86_64")]
    rounds::all().into_iter().for_each(|engine| add(&mut rivals, engine));
    libraries::add(class.unwrap_or(Class::Avx512), &mut rivals, add);
    rivals
}

impl Rivals {
    /// Checks the rivals, and the definitions beside them, against the tags their standards print. The error names
    /// what is wrong.
    pub fn check_published(&self) -> Result<(), String> {
        definitions::check_published()?;
        crates::check_published()?;
        #[cfg(target_arch = "x86_64")]
        rounds::check_published()?;
        libraries::check_published(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_tags_come_out() {
        assert_eq!(all(None).check_published(), Ok(()));
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
