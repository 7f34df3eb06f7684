//! What the catalogue says about its algorithms, and which kernels it reaches.

use std::collections::BTreeSet;
use std::collections::HashSet;
use wegman::Cpu;
use wegman_catalogue::{ALGORITHMS, FAMILIES, FamilyKind, Nonce, Status, find};
use wegman_reference::inputs::{LENGTHS, Random};
use wegman_reference::sum_macs;

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
        // Recommended MACs have keys in the catalogue.
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
    assert_eq!(found, [20, 1, 2, 1, 4]);
    assert_eq!(format!("{:<15}|", FamilyKind::UniversalHash), "universal hash |");
}

#[test]
fn names_are_unique_whatever_their_case() {
    let names: HashSet<String> = ALGORITHMS.iter().map(|a| a.name.to_lowercase()).collect();
    assert_eq!(names.len(), ALGORITHMS.len());
    let families: HashSet<String> = FAMILIES.iter().map(|f| f.name.to_lowercase()).collect();
    assert_eq!(families.len(), FAMILIES.len());
    assert!(families.is_disjoint(&names));
    assert!(ALGORITHMS.len() >= 44, "the catalogue has lost algorithms");
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

#[test]
fn every_name_of_the_families_of_2000_is_found() {
    for algorithm in ALGORITHMS {
        // A listed name is the shortest, or it would be found under another.
        if let Ok(parameters) = algorithm.name.parse::<wegman_historical::umac_2000::Parameters>() {
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

/// At least one algorithm is recommended.
#[test]
fn status_tells_what_to_use() {
    let count = |status| ALGORITHMS.iter().filter(|a| a.status == status).count();
    assert!(count(Status::Recommended) > 0);
    assert!(count(Status::Comparator) > 0);
    assert_eq!(Status::ALL.map(count).iter().sum::<usize>(), ALGORITHMS.len());
    // Our own design, without outside review.
    for algorithm in ALGORITHMS {
        let is_carter = algorithm.name.starts_with("Carter");
        assert_eq!(algorithm.status == Status::Experimental, is_carter, "{}", algorithm.name);
    }
    assert_eq!(format!("{:<12}|", Status::Interop), "interop     |");
    assert_eq!(Status::Experimental.to_string(), "experimental");
}

/// Through the catalogue, the value is a nonce of 8 bytes.
#[test]
fn xor_macs_by_name() {
    let secret: [u8; 16] = Random(87).bytes();
    let message = Random(88).message(17409);
    for (name, layout) in [
        ("XORMAC-AES128-BGR", sum_macs::Layout::Data),
        ("XORMAC-AES128-BR", sum_macs::Layout::Value),
    ] {
        let algorithm = find(name).unwrap();
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            let key = algorithm.key(cpu, &secret, 16).unwrap();
            for (count, length) in [0, 1, u64::MAX].into_iter().cycle().zip(LENGTHS) {
                let message = &message[..length];
                let value = u128::from(count).to_be_bytes();
                let z = sum_macs::xor_mac(layout, &secret, &value, message);
                let tag = key.tag(Some(&Nonce::counter(count)), message).unwrap();
                assert_eq!(tag.to_bytes(), z, "{name} on {kernel}, {length} bytes");
            }
        }
    }
}

/// With `WEGMAN_REQUIRE_KERNELS=avx2,vaes256` it fails unless both are kernels of some algorithm here: a kernel that
/// was not tested is a failure, not a pass.
#[test]
fn the_required_kernels_run_here() {
    let cpu = Cpu::detect();
    let here: BTreeSet<&str> = ALGORITHMS
        .iter()
        .flat_map(|algorithm| algorithm.kernels(cpu))
        .map(|(kernel, _)| kernel)
        .collect();
    eprintln!("kernels of this machine: {here:?}");
    assert!(here.contains("portable"), "the last resort");
    let required = std::env::var("WEGMAN_REQUIRE_KERNELS").unwrap_or_default();
    let missing: Vec<&str> = required
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty() && !here.contains(name))
        .collect();
    assert!(missing.is_empty(), "required but not run here: {missing:?}, of {cpu:?}");
}
