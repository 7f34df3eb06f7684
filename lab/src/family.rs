//! Every set of parameters that the papers define or measure, and what they measure beside it: the rows of
//! `wegman-bench family`, and the titles of `bench`. A row of the catalogue needs no line here.

use crate::engine::Engine;
use wegman_catalogue::ALGORITHMS;

/// What the catalogue lacks, under titles: names for [`engines::find`], apart.
pub const UNLISTED: [(&str, &str); 3] = [
    ("MACs that the catalogue lacks", "UMAC-FIGURE-1 CBC-MAC-AES128 CBC-MAC-RC6-128"),
    (
        "hashes alone; UHASH has a stream for each word",
        "UHASH-4/4 UHASH-4/8 UHASH-4/12 UHASH-4/16 UHASH-2/2/1024/16/SIGNED \
         UHASH-2/4/1024/16/SIGNED UHASH-2/8/1024/16/SIGNED UHASH-2/16/1024/16/SIGNED hash127 \
         SHA-1",
    ),
    (
        "families of hash functions in plain code",
        "NH32 NH16 NHT-32 NHT2-32 MH32 MH16 NHX-32/1 NHX-32/2 NHX-64/1 NHX-16/4 \
         MMH32 MMH16 Bucket-32/140 Bucket-32/140-indexed CRC-64",
    ),
];

/// The names of the catalogue, and of all sections.
pub fn names() -> Vec<&'static str> {
    let names = UNLISTED.iter().flat_map(|(_, names)| names.split(' '));
    ALGORITHMS.iter().map(|algorithm| algorithm.name.as_str()).chain(names).collect()
}

/// The title of an engine's section: in the catalogue, when to use it.
pub fn title(engine: &Engine) -> &'static str {
    let is_it = |(_, names): &&(_, &str)| names.split(' ').any(|name| name == engine.name);
    match wegman_catalogue::find(&engine.name) {
        Some(found) => found.status.name(),
        None => UNLISTED.iter().find(is_it).map_or("others of ours", |(title, _)| title),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engines;
    use crate::speeds;
    use crate::timing::messages::{Messages, Mode};
    use std::collections::BTreeSet;
    use std::rc::Rc;

    fn engines() -> Vec<Rc<Engine>> {
        names().into_iter().map(|name| engines::find(name).expect(name)).collect()
    }

    #[test]
    fn every_row_is_found_once_under_its_name_and_has_a_definition() {
        let all: Vec<String> = engines().iter().map(|engine| engine.name.clone()).collect();
        let once: BTreeSet<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(once.len(), all.len());
        assert!(ALGORITHMS.iter().all(|algorithm| once.contains(algorithm.name.as_str())));
        for row in UNLISTED.iter().flat_map(|(_, rows)| rows.split(' ')) {
            let engine = engines::find(row).unwrap_or_else(|| panic!("{row}"));
            assert_eq!(engine.name, row);
            assert!(engine.expected.is_some(), "{row}");
        }
    }

    #[test]
    fn every_row_is_right_where_lengths_are_awkward() {
        let message: Vec<u8> = (0..4096).map(|i| (i * i / 7) as u8).collect();
        for engine in engines() {
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
        for engine in engines() {
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
            let mut engine = engines::find(name).unwrap();
            Rc::get_mut(&mut engine).unwrap().expected = Some(Box::new(|_, _| 0));
            let mode = (Mode::Single, vec![43.into()]);
            let jobs = speeds::of_engines(&[engine], &mode, 0, |_| "").map(drop);
            assert!(jobs.is_err_and(|error| error.starts_with(name)), "{name}");
        }
    }
}
