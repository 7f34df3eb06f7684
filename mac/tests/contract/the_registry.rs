//! What the registry says about its algorithms.

use std::collections::HashSet;
use wegman::registry::{ALGORITHMS, Status, find};

#[test]
fn every_entry_is_complete() {
    for algorithm in ALGORITHMS {
        let texts = [
            algorithm.name.as_str(),
            algorithm.summary,
            algorithm.bound.statement,
            algorithm.bound.assumption,
            algorithm.bound.source,
            algorithm.source.paper,
            algorithm.source.section,
        ];
        assert!(texts.iter().all(|text| !text.trim().is_empty()), "{algorithm:?}");
        assert!(!algorithm.parameters.is_empty());
        let parameters = algorithm.parameters.iter().flat_map(|&(name, value)| [name, value]);
        assert!(parameters.into_iter().all(|text| !text.is_empty()), "{algorithm:?}");
        assert!(!algorithm.tag_bytes.is_empty() && *algorithm.tag_bytes.start() >= 4);
        assert!(matches!(algorithm.key_bytes, 16 | 24 | 32));
    }
}

#[test]
fn names_are_unique_whatever_their_case() {
    let names: HashSet<String> = ALGORITHMS.iter().map(|a| a.name.to_lowercase()).collect();
    assert_eq!(names.len(), ALGORITHMS.len());
    let expected = 7 + usize::from(cfg!(feature = "yardstick"));
    assert!(ALGORITHMS.len() >= expected, "the registry has lost algorithms");
}

#[test]
fn find_ignores_case() {
    for algorithm in ALGORITHMS {
        for name in [algorithm.name.as_str(), &algorithm.name.to_lowercase()] {
            assert_eq!(find(name).expect("found").name, algorithm.name);
        }
    }
    for unknown in ["", "UMAC", "UMAC-64 ", "UMAC-6", "HMAC"] {
        assert!(find(unknown).is_none(), "{unknown}");
    }
}

/// Something is recommended, and comparators are there only for those who ask for them.
#[test]
fn status_tells_what_to_use() {
    let count = |status| ALGORITHMS.iter().filter(|a| a.status == status).count();
    assert!(count(Status::Recommended) > 0);
    assert_eq!(count(Status::Comparator) > 0, cfg!(feature = "yardstick"));
    assert_eq!(format!("{:<12}|", Status::Interop), "interop     |");
}
