//! Every algorithm of ours by its name, with the definition of the oracle that checks it.

use crate::engine::Engine;
use crate::timing::ours::{self, THREE_SECRETS};
use crate::unlisted;
use std::rc::Rc;
use wegman::Cpu;
use wegman_catalogue::ALGORITHMS;
use wegman_reference::names;

/// Finds one of our algorithms by name, in the catalogue or among the unlisted ones, and adds its
/// definition. Every table that names its rows gets them here.
pub fn find(name: &str) -> Option<Rc<Engine>> {
    find_on(Cpu::detect(), name)
}

/// The same on the kernel that this `Cpu` gives it; unlisted ones have no choice.
pub fn find_on(cpu: Cpu, name: &str) -> Option<Rc<Engine>> {
    let listed = wegman_catalogue::find(name).map(|found| ours::engine(found, cpu));
    let engine = listed.or_else(|| unlisted::find(name))?;
    Some(Rc::new(match definition(&engine.name) {
        Some(definition) => engine.checked_by(definition),
        None => engine,
    }))
}

/// The tag of message number `count` by the oracle, under the key that the engines have; `None` if it has none by this
/// name.
pub fn definition(name: &str) -> Option<impl Fn(u64, &[u8]) -> Vec<u8> + use<>> {
    let listed = wegman_catalogue::find(name);
    let secret = listed.as_deref().map_or(&THREE_SECRETS[..], ours::secret);
    let longest = listed.as_deref().map_or(usize::MAX, |listed| *listed.tag_bytes.end());
    let tag = names::find(name, secret)?;
    Some(move |count, message: &[u8]| {
        let nonce = listed.as_deref().and_then(|listed| listed.counter(count));
        let mut tag = tag(nonce.as_ref().map_or(&[], |nonce| nonce.as_bytes()), message);
        tag.truncate(longest);
        tag
    })
}

/// These engines on rows by their names, or on every row (`all`), for those that have a choice.
///
/// # Errors
/// The rows there are, if none of the engines has one of these here.
pub fn on_rows(engines: &[Rc<Engine>], rows: &[String]) -> Result<Vec<Rc<Engine>>, String> {
    let mut found = Vec::new();
    let mut known = Vec::new();
    for engine in engines {
        let Some(listed) = wegman_catalogue::find(&engine.name) else { continue };
        for (name, cpu) in listed.kernels(Cpu::detect()) {
            if rows.iter().any(|row| row == "all" || row.eq_ignore_ascii_case(name)) {
                found.extend(find_on(cpu, &engine.name));
            }
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    let is_known =
        |row: &&String| *row == "all" || known.iter().any(|name| row.eq_ignore_ascii_case(name));
    match rows.iter().find(|row| !is_known(row)) {
        Some(row) => {
            Err(format!("none of these has a row {row:?} here, only {}", known.join(", ")))
        }
        None => Ok(found),
    }
}

/// The algorithms of ours that are compared with rivals, on the kernels that this `Cpu` gives them.
pub fn ours_on(cpu: Cpu) -> Vec<Rc<Engine>> {
    let names = "UMAC-32 UMAC-64 UMAC-96 UMAC-128 Carter-64 Carter-128 Polyval-AES PMAC-AES128";
    names.split(' ').map(|name| find_on(cpu, name).expect("the catalogue has it")).collect()
}

/// The names of the catalogue, and of all sections.
pub fn family() -> Vec<&'static str> {
    let names = unlisted::TITLES.iter().flat_map(|(_, names)| names.split(' '));
    ALGORITHMS.iter().map(|algorithm| algorithm.name.as_str()).chain(names).collect()
}

/// The title of an engine's section: in the catalogue, when to use it.
pub fn title(engine: &Engine) -> &'static str {
    let is_it = |(_, names): &&(_, &str)| names.split(' ').any(|name| name == engine.name);
    match wegman_catalogue::find(&engine.name) {
        Some(found) => found.status.name(),
        None => unlisted::TITLES.iter().find(is_it).map_or("others of ours", |(title, _)| title),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rivals;
    use crate::speeds;
    use crate::timing::messages::{Messages, Mode};
    use std::collections::BTreeSet;

    #[test]
    fn every_engine_is_right_where_lengths_are_awkward() {
        let message: Vec<u8> = (0..3000).map(|i| (i * i / 7) as u8).collect();
        for engine in ours_on(Cpu::detect()).iter().chain(&rivals::all(None).engines) {
            for length in [0, 1, 15, 16, 17, 43, 63, 64, 65, 255, 256, 1023, 1024, 1025, 3000] {
                for count in [5, 6, 0] {
                    assert_eq!(engine.check(count, &message[..length]), Ok(()));
                }
            }
        }
    }

    #[test]
    fn every_mode_makes_the_sum_the_untimed_loop_makes() {
        let messages = Messages::new(43, Mode::Batch, 0);
        for engine in ours_on(Cpu::detect()).iter().chain(&rivals::all(None).engines) {
            for mode in Mode::ALL.into_iter().filter(|&mode| engine.takes(mode, 43)) {
                let cell = engine.cell("", messages, mode, 43);
                assert_eq!((cell.work)(9), (cell.expected)(9), "{}", cell.place);
                assert_ne!((cell.work)(8), (cell.expected)(9), "{}", cell.place);
            }
        }
    }

    #[test]
    fn all_of_ours_take_batches() {
        assert!(ours_on(Cpu::detect()).iter().all(|engine| engine.takes(Mode::Batch, usize::MAX)));
    }

    #[test]
    fn rows_are_found_by_name_and_others_named() {
        let engines = [find("UMAC-64").unwrap(), find("SHA-1").unwrap()];
        let kernels = |row: &str| -> Vec<String> {
            let found = on_rows(&engines, &[row.into()]).unwrap();
            found.iter().map(|engine| engine.kernel.clone()).collect()
        };
        assert_eq!(kernels("Portable"), ["portable"]);
        let listed = wegman_catalogue::find("UMAC-64").unwrap().kernels(Cpu::detect());
        assert!(kernels("all").iter().eq(listed.iter().map(|(name, _)| name)));
        let error = on_rows(&engines, &["portable".into(), "abacus".into()]).err().unwrap();
        assert!(error.contains("abacus") && error.contains("portable"), "{error}");
    }

    #[test]
    fn names_are_found_in_any_case_and_others_are_not() {
        for (name, found) in [("umac-64", "UMAC-64"), ("sha-1", "SHA-1"), ("UMAC-4/8", "UMAC32")] {
            assert_eq!(find(name).map(|engine| engine.name.clone()).as_deref(), Some(found));
        }
        for name in ["", "UMAC", "UHASH-3/8", "NHX-32/0", "CBC-MAC"] {
            assert!(find(name).is_none(), "{name:?}");
        }
    }

    fn of_the_family() -> Vec<Rc<Engine>> {
        family().into_iter().map(|name| find(name).expect(name)).collect()
    }

    #[test]
    fn every_row_is_found_once_under_its_name_and_has_a_definition() {
        let all: Vec<String> = of_the_family().iter().map(|engine| engine.name.clone()).collect();
        let once: BTreeSet<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(once.len(), all.len());
        assert!(ALGORITHMS.iter().all(|algorithm| once.contains(algorithm.name.as_str())));
        for row in unlisted::TITLES.iter().flat_map(|(_, rows)| rows.split(' ')) {
            let engine = find(row).unwrap_or_else(|| panic!("{row}"));
            assert_eq!(engine.name, row);
            assert!(engine.expected.is_some(), "{row}");
        }
    }

    #[test]
    fn every_row_is_right_where_lengths_are_awkward() {
        let message: Vec<u8> = (0..4096).map(|i| (i * i / 7) as u8).collect();
        for engine in of_the_family() {
            for length in [1, 2, 3, 4, 15, 16, 17, 43, 55, 56, 63, 64, 65, 1023, 1024, 1025, 4096] {
                for count in [0, 5, 1 << 40] {
                    assert_eq!(engine.check(count, &message[..length]), Ok(()));
                }
            }
        }
    }

    #[test]
    fn every_batch_is_its_messages_one_by_one() {
        let messages = Messages::new(256, Mode::Batch, 0);
        for engine in of_the_family() {
            for length in [43, 256, 43] {
                if engine.takes(Mode::Batch, length) {
                    let cell = engine.cell("", messages, Mode::Batch, length);
                    assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.place);
                    assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.place);
                }
            }
        }
    }

    #[test]
    fn a_wrong_tag_ends_the_run() {
        for name in ["UMAC16", "UHASH-4/8", "CBC-MAC-AES128", "NHX-32/2"] {
            let mut engine = find(name).unwrap();
            Rc::get_mut(&mut engine).unwrap().expected = Some(Box::new(|_, _| 0));
            let mode = (Mode::Single, vec![43.into()]);
            let jobs = speeds::of_engines(&[engine], &mode, 0, |_| "").map(drop);
            assert!(jobs.is_err_and(|error| error.starts_with(name)), "{name}");
        }
    }
}
