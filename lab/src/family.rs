//! Every set of parameters that the papers define or measure, and what they measure beside it: the rows of
//! `wegman-bench family`, and the titles of `bench`.

use crate::engine::Engine;
use crate::engines;
use std::rc::Rc;
use wegman_catalogue::ALGORITHMS;

/// The rows under their titles: names for [`engines::find`], apart.
pub const SECTIONS: [(&str, &str); 6] = [
    (
        "UMAC: RFC 4418, October 2000, CRYPTO '99",
        "UMAC-32 UMAC-64 UMAC-96 UMAC-128 UMAC-4/4 UMAC32 UMAC-4/16 UMAC-2/4/1024/16/SIGNED \
         UMAC16 UMAC-2/16/1024/16/SIGNED UMAC-STD-30 UMAC-STD-60 UMAC-MMX-15 UMAC-MMX-30 \
         UMAC-MMX-60 UMAC-FIGURE-1",
    ),
    (
        "ours, experimental, and its like with POLYVAL",
        "Carter-64 Carter-96 Carter-128 Carter-64-AES256 Carter-96-AES256 Carter-128-AES256 \
         Polyval-AES",
    ),
    (
        "MACs of block ciphers",
        "PMAC-AES128 PMAC-RC6-128 CBC-MAC-AES128 CBC-MAC-RC6-128 ECBC-AES128 ECBC-RC6-128 \
         FCBC-AES128 FCBC-RC6-128 XCBC-AES128 XCBC-RC6-128 XORMAC-AES128-BGR XORMAC-AES128-BR \
         PCS-AES128",
    ),
    ("other MACs the papers name", "hash127-RC6 HMAC-SHA1 HMAC-SHA1-96 HMAC-MD5 HMAC-MD5-96"),
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

/// The engines of all sections, and what else the catalogue lists.
pub fn engines() -> Vec<Rc<Engine>> {
    let names = SECTIONS.iter().flat_map(|(_, names)| names.split(' '));
    let listed = ALGORITHMS.iter().map(|algorithm| algorithm.name.as_str());
    let all = names.chain(listed.filter(|name| title(name).is_none()));
    all.map(|name| engines::find(name).expect("a test found them all")).collect()
}

/// The title of the section that has this row.
pub fn title(name: &str) -> Option<&'static str> {
    let has = |(_, names): &&(_, &str)| names.split(' ').any(|other| other == name);
    SECTIONS.iter().find(has).map(|(title, _)| *title)
}

/// What is in none of them: asked for by name, or only listed by the catalogue.
pub const OTHERS: &str = "others of ours";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::speeds;
    use crate::timing::messages::{Messages, Mode};
    use std::collections::BTreeSet;

    #[test]
    fn every_row_is_found_once_under_its_name_and_has_a_definition() {
        let all: Vec<String> = engines().iter().map(|engine| engine.name.clone()).collect();
        let once: BTreeSet<&str> = all.iter().map(String::as_str).collect();
        assert_eq!(once.len(), all.len());
        assert!(ALGORITHMS.iter().all(|algorithm| once.contains(algorithm.name.as_str())));
        for row in SECTIONS.iter().flat_map(|(_, rows)| rows.split(' ')) {
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
        let messages = Messages::new(&[43, 256], &[Mode::Batch]);
        for engine in engines() {
            for length in [43, 256, 43] {
                if engine.takes(Mode::Batch, length) {
                    let cell = engine.cell(messages, Mode::Batch, length);
                    assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
                    assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.label);
                }
            }
        }
    }

    #[test]
    fn a_wrong_tag_ends_the_run() {
        for name in ["UMAC16", "UHASH-4/8", "CBC-MAC-AES128", "NHX-32/2"] {
            let mut engine = engines::find(name).unwrap();
            Rc::get_mut(&mut engine).unwrap().expected = Some(Box::new(|_, _| 0));
            let messages = Messages::new(&[43], &[Mode::Single]);
            let jobs = speeds::of_engines(&[engine], Mode::Single, &[43.into()], messages, |_| "")
                .map(drop);
            assert!(jobs.is_err_and(|error| error.starts_with(name)), "{name}");
        }
    }
}
