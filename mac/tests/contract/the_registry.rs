//! What the registry says about its algorithms.

use std::collections::HashSet;
use wegman::Nonce;
use wegman::registry::{ALGORITHMS, FAMILIES, FamilyKind, Status, find};

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
        assert!((16..=48).contains(&algorithm.key_bytes));
        let Some(lengths) = algorithm.nonce_bytes else {
            assert_eq!(algorithm.counter(1), None, "{algorithm:?}");
            continue;
        };
        assert!(lengths.is_sorted_by(|one, next| one < next), "{algorithm:?}");
        assert!(lengths.iter().all(|length| (1..=Nonce::MAX).contains(length)), "{algorithm:?}");
        for count in [0, 1, u64::MAX] {
            let nonce = algorithm.counter(count).expect("one is taken");
            let (zeroes, number) = nonce.as_bytes().split_last_chunk().expect("eight bytes");
            assert_eq!(number, &count.to_be_bytes(), "{algorithm:?}");
            assert!(zeroes.iter().all(|&byte| byte == 0), "{algorithm:?}");
            assert!(lengths.contains(&nonce.as_bytes().len()), "{algorithm:?}");
        }
    }
}

#[test]
fn every_family_is_complete() {
    for family in FAMILIES {
        let (bound, source) = (family.bound, family.source);
        let texts = [
            family.name,
            family.summary,
            bound.statement,
            bound.assumption,
            bound.source,
            source.paper,
            source.section,
        ];
        assert!(texts.iter().all(|text| !text.trim().is_empty()), "{family:?}");
        assert!(!family.parameters.is_empty(), "{family:?}");
        // What is recommended is a key of the registry's.
        assert_ne!(family.status, Status::Recommended);
        assert!(find(family.name).is_none(), "{} is in the other list", family.name);
    }
    let count = |kind| FAMILIES.iter().filter(|family| family.kind == kind).count();
    let found = [
        FamilyKind::UniversalHash,
        FamilyKind::Hash,
        FamilyKind::Cipher,
        FamilyKind::MacFamily,
        FamilyKind::Mac,
    ]
    .map(count);
    let [alloc, yardstick] =
        [cfg!(feature = "alloc"), cfg!(feature = "yardstick")].map(usize::from);
    let expected = [alloc + 19 * yardstick, yardstick, 1 + yardstick, alloc, 4 * yardstick];
    assert_eq!(found, expected);
    assert_eq!(format!("{:<15}|", FamilyKind::UniversalHash), "universal hash |");
}

#[test]
fn names_are_unique_whatever_their_case() {
    let names: HashSet<String> = ALGORITHMS.iter().map(|a| a.name.to_lowercase()).collect();
    assert_eq!(names.len(), ALGORITHMS.len());
    let families: HashSet<String> = FAMILIES.iter().map(|f| f.name.to_lowercase()).collect();
    assert_eq!(families.len(), FAMILIES.len());
    assert!(families.is_disjoint(&names));
    let expected = 13 + usize::from(cfg!(feature = "yardstick"));
    assert!(ALGORITHMS.len() >= expected, "the registry has lost algorithms");
}

#[test]
fn find_ignores_case() {
    for algorithm in ALGORITHMS {
        for name in [algorithm.name.as_str(), &algorithm.name.to_lowercase()] {
            assert_eq!(find(name).expect("found").name, algorithm.name);
        }
    }
    for unknown in ["", "UMAC", "UHASH-4/8", "UMAC-4/33", "UMAC-64 ", "UMAC-6", "HMAC"] {
        assert!(find(unknown).is_none(), "{unknown}");
    }
}

#[cfg(feature = "alloc")]
#[test]
fn every_name_of_the_families_of_2000_is_found() {
    use wegman::Cpu;
    for algorithm in ALGORITHMS {
        // A listed name is the shortest, or it would be found under another.
        if let Ok(parameters) = algorithm.name.parse::<wegman::umac_2000::Parameters>() {
            assert_eq!(algorithm.name, &*parameters.to_string());
            assert_eq!(*algorithm.tag_bytes.end(), parameters.output_bytes());
        }
    }
    for (name, shortest) in [
        ("UMAC-4/8/256/16/UNSIGNED/LITTLE", "UMAC-4/8/256"),
        ("umac-2/1", "UMAC-2/1"),
        ("UMAC-4/8", "UMAC32"),
        ("UMAC-2/8/1024/16/SIGNED/LITTLE", "UMAC16"),
        ("UMAC-2/32/32/32/UNSIGNED/BIG", "UMAC-2/32/32/32/UNSIGNED/BIG"),
    ] {
        let found = find(name).expect("found").clone();
        assert_eq!(found.name, shortest);
        for (kernel, cpu) in found.kernels(Cpu::detect()) {
            let secret = vec![7; found.key_bytes];
            let key = found.key(cpu, &secret, *found.tag_bytes.end()).expect("its lengths");
            assert_eq!(key.kernel(), kernel);
        }
    }
    // The longest name there is.
    let longest = "UMAC-2/32/134217728/32/UNSIGNED/BIG";
    assert_eq!(find(longest).expect("found").name, longest);
}

/// Something is recommended, and comparators are there only for those who ask for them.
#[test]
fn status_tells_what_to_use() {
    let count = |status| ALGORITHMS.iter().filter(|a| a.status == status).count();
    assert!(count(Status::Recommended) > 0);
    assert_eq!(count(Status::Comparator) > 0, cfg!(feature = "yardstick"));
    // Ours, and nobody else has looked at it.
    for algorithm in ALGORITHMS {
        let is_carter = algorithm.name.starts_with("Carter");
        assert_eq!(algorithm.status == Status::Experimental, is_carter, "{}", algorithm.name);
    }
    assert_eq!(format!("{:<12}|", Status::Interop), "interop     |");
    assert_eq!(Status::Experimental.to_string(), "experimental");
}
