//! The vectors for other projects in vectors/wycheproof, in Wycheproof's schemas: made here, from this oracle.
//! Wycheproof's own `vectorgen lint` (August 2026) accepts them; `vectorgen fmt` writes them over more lines.
//!
//! `WEGMAN_WRITE=1 cargo test -p wegman-reference --test wycheproof` writes them. A flag names the fault that its
//! vectors catch. Each fault that makes tags wrong is planted here, as a model of it.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use wegman_reference::inputs::{Random, chunk_with_output};
use wegman_reference::pmac::pmac_aes;
use wegman_reference::umac_rfc4418::{
    k64, l1_key, l1_outputs, l2_hash, l2_key, l3_hash, l3_key, mask, nh, pdf, poly, prime, umac,
};
use wegman_reference::wide::Nat;

type Umac = dyn Fn(&[u8; 16], &[u8], &[u8], usize) -> Vec<u8>;

const NOTES: [(&str, &str, &str, &str); 8] = [
    ("Normal", "BASIC", "A message of one length.", ""),
    (
        "ModifiedTag",
        "MODIFIED_PARAMETER",
        "A tag that differs from the right one, in one bit or in all.",
        "",
    ),
    (
        "Padding",
        "KNOWN_BUG",
        "The last block of 32 bytes is not whole. ProFTPD's UMAC, miscompiled because of strict aliasing, gave wrong \
         tags at some lengths. These catch a padding that keeps older bytes.",
        "https://github.com/proftpd/proftpd/issues/1111",
    ),
    (
        "PadCache",
        "KNOWN_BUG",
        "Successive nonces under one key: use one key object for all, in order. The notes of OpenSSH's umac.c say that \
         gcc -O3 sometimes gives wrong results, and give no cause. Its cache of pads compares and copies \
         nonces as words of another type. These catch a cache that misses a change of the nonce.",
        "https://github.com/openssh/openssh-portable/blob/master/umac.c",
    ),
    (
        "FourStreams",
        "KNOWN_BUG",
        "Tags of 16 bytes: umac-128 of OpenSSH for Windows with LibreSSL did not agree with others; we know no \
         cause. These catch a program that uses the two streams of UMAC-64 twice.",
        "https://github.com/PowerShell/Win32-OpenSSH/issues/1359",
    ),
    (
        "ManyUpdates",
        "KNOWN_BUG",
        "Feed these one byte at a time: each update of PyPI's umac 2.0 gives back a reference to None that it never \
         had, so before Python 3.12 the interpreter stops in the end, with right tags. Repeat them, 2^16 updates in all.",
        "https://pypi.org/project/umac/2.0/",
    ),
    (
        "LargeWord",
        "EDGE_CASE",
        "An output of level 1 from 2^64 - 2^32 on: POLY takes two steps.",
        "",
    ),
    (
        "LastBlock",
        "EDGE_CASE",
        "The last block of PMAC is whole, so L / x replaces the padding.",
        "",
    ),
];

struct Case {
    key: [u8; 16],
    iv: Vec<u8>,
    msg: Vec<u8>,
    tag: Vec<u8>,
    valid: bool,
    flags: Vec<&'static str>,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes all");
        text
    })
}

/// Adds a case and, if asked, wrong tags for it.
fn push(cases: &mut Vec<Case>, case: Case, wrong: bool) {
    let all = 8 * case.tag.len();
    let flips = if wrong { vec![0, 7, all / 2 - 1, all / 2, all - 8, all - 1] } else { Vec::new() };
    let mut tags: Vec<Vec<u8>> = Vec::new();
    for bit in flips {
        let mut tag = case.tag.clone();
        tag[bit / 8] ^= 1 << (bit % 8);
        tags.push(tag);
    }
    if wrong {
        tags.push(case.tag.iter().map(|byte| !byte).collect());
        tags.push(vec![0; case.tag.len()]);
    }
    let others = tags.into_iter().map(|tag| Case {
        tag,
        valid: false,
        flags: vec!["ModifiedTag"],
        iv: case.iv.clone(),
        msg: case.msg.clone(),
        ..case
    });
    let others: Vec<_> = others.collect();
    cases.push(case);
    cases.extend(others);
}

const LONG: [usize; 16] =
    [96, 127, 128, 129, 255, 256, 511, 512, 768, 1000, 1023, 1024, 1025, 1056, 2048, 2049];

fn umac_cases(tag_len: usize) -> Vec<Case> {
    let random = &mut Random(tag_len as u64);
    let mut cases = Vec::new();
    let case = |key: [u8; 16], iv: Vec<u8>, msg: Vec<u8>, mut flags: Vec<&'static str>| {
        if tag_len == 16 {
            flags.push("FourStreams");
        }
        Case { tag: umac(&key, &msg, &iv, tag_len), key, iv, msg, valid: true, flags }
    };
    for length in (0..=80).chain(LONG) {
        let (key, iv) = (random.bytes(), random.message(8));
        let flag = if length > 32 && length % 32 != 0 { "Padding" } else { "Normal" };
        push(&mut cases, case(key, iv, random.message(length), vec![flag]), length % 10 == 3);
    }
    let key = random.bytes();
    for nonce in [
        0u64,
        1,
        2,
        3,
        0xff,
        0x100,
        0xffff_ffff,
        0x1_0000_0000,
        0x1_0000_0001,
        u64::MAX - 1,
        u64::MAX,
    ] {
        push(
            &mut cases,
            case(key, nonce.to_be_bytes().into(), random.message(43), vec!["PadCache"]),
            false,
        );
    }
    for length in 1..=16 {
        let iv = random.message(length);
        push(
            &mut cases,
            case(random.bytes(), iv, random.message(20), vec!["Normal"]),
            length % 5 == 1,
        );
    }
    for output in
        [(1 << 32) - 1, 1 << 32, (1 << 32) - 60, 0, 58, 59].map(|back: u64| u64::MAX - back)
    {
        let key = random.bytes();
        let chunk = chunk_with_output(&l1_key(&key, 0), output);
        let large = if output >= u64::MAX - ((1 << 32) - 1) { "LargeWord" } else { "Normal" };
        let msg = [chunk, random.message(32)].concat();
        push(&mut cases, case(key, random.message(8), msg, vec![large]), false);
    }
    for byte in [0, 0xff] {
        push(&mut cases, case([byte; 16], vec![byte; 8], vec![byte; 1024], vec!["Normal"]), true);
    }
    push(
        &mut cases,
        case(random.bytes(), random.message(8), random.message(4096), vec!["ManyUpdates"]),
        false,
    );
    cases
}

fn pmac_cases() -> Vec<Case> {
    let random = &mut Random(2002);
    let mut cases = Vec::new();
    for length in (0..=260).chain(LONG).chain([4095, 4096]) {
        let (key, msg) = (random.bytes(), random.message(length));
        let flag = if length > 0 && length % 16 == 0 { "LastBlock" } else { "Normal" };
        let tag = pmac_aes(&key, &msg, 16);
        let case = Case { key, iv: Vec::new(), msg, tag, valid: true, flags: vec![flag] };
        push(&mut cases, case, length < 260 && length % 8 == 5);
    }
    cases
}

fn file(algorithm: &str, schema: &str, cases: &[Case]) -> String {
    let used = |flag| cases.iter().any(|case| case.flags.contains(flag));
    let notes: BTreeMap<_, Value> = NOTES
        .iter()
        .filter(|(flag, ..)| used(flag))
        .map(|(flag, kind, description, link)| {
            let mut note = json!({ "bugType": kind, "description": description });
            if !link.is_empty() {
                note["links"] = json!([link]);
            }
            (flag, note)
        })
        .collect();
    let mut groups: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    for (i, case) in cases.iter().enumerate() {
        let mut test = json!({
            "tcId": i + 1, "comment": format!("{} bytes", case.msg.len()), "key": hex(&case.key),
            "msg": hex(&case.msg), "tag": hex(&case.tag),
            "result": if case.valid { "valid" } else { "invalid" }, "flags": case.flags,
        });
        if !case.iv.is_empty() {
            test["iv"] = json!(hex(&case.iv));
        }
        groups.entry((case.tag.len(), case.iv.len())).or_default().push(format!("    {test}"));
    }
    let groups: Vec<String> = groups
        .into_iter()
        .map(|((tag, iv), tests)| {
            let kind = if iv > 0 { format!("MacWithIvTest\",\"ivSize\":{}", 8 * iv) } else { "MacTest\"".into() };
            format!(
                "  {{\"type\":\"{kind},\"source\":{{\"name\":\"wegman-reference\",\"version\":\"1\"}},\"keySize\":128,\
                 \"tagSize\":{},\"tests\":[\n{}\n  ]}}",
                8 * tag,
                tests.join(",\n")
            )
        })
        .collect();
    let header =
        json!([format!("{algorithm}: made from a slow implementation of the definition.")]);
    format!(
        "{{\"algorithm\":\"{algorithm}\",\"schema\":\"{schema}\",\"numberOfTests\":{},\"header\":{header},\n\
         \"notes\":{},\n\"testGroups\":[\n{}\n]}}\n",
        cases.len(),
        json!(notes),
        groups.join(",\n")
    )
}

fn all_umac() -> Vec<Case> {
    [umac_cases(8), umac_cases(16)].into_iter().flatten().collect()
}

#[test]
fn the_files_are_made_here() {
    for (name, algorithm, schema, cases) in [
        ("umac_test.json", "UMAC", "mac_with_iv_test_schema_v1.json", all_umac()),
        ("pmac_test.json", "PMAC-AES128", "mac_test_schema_v1.json", pmac_cases()),
    ] {
        assert!(cases.len() >= 500, "{name}: {} cases", cases.len());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/wycheproof").join(name);
        let text = file(algorithm, schema, &cases);
        serde_json::from_str::<Value>(&text).expect("JSON");
        if std::env::var_os("WEGMAN_WRITE").is_some() {
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("a file");
        } else {
            assert!(
                fs::read_to_string(&path).expect("a file") == text,
                "{name} is not what this test makes"
            );
        }
    }
}

/// Level 1 with a padding that keeps the bytes of the block before.
fn stale_padding(key: &[u8; 16], msg: &[u8], iv: &[u8], tag_len: usize) -> Vec<u8> {
    let last = msg.len() / 32 * 32;
    if msg.len() > 1024 || last == 0 || last == msg.len() {
        return umac(key, msg, iv, tag_len);
    }
    let padded = [msg, &msg[last - 32 + msg.len() % 32..last]].concat();
    by_layers(key, iv, tag_len, |t| vec![nh(&l1_key(key, t), &padded) + 8 * msg.len() as u64], true)
}

fn by_layers(
    key: &[u8; 16],
    iv: &[u8],
    tag_len: usize,
    level1: impl Fn(usize) -> Vec<u64>,
    escapes: bool,
) -> Vec<u8> {
    let streams = (0..tag_len / 4).flat_map(|t| {
        let (outputs, l2) = (level1(t), l2_key(key, t));
        let b = if escapes || outputs.len() == 1 {
            l2_hash(&l2, &outputs)
        } else {
            let words: Vec<_> = outputs.iter().copied().map(Nat::from_u64).collect();
            let y = poly(64, &prime(64), &k64(&l2), &words).to_be_bytes(16);
            std::array::from_fn(|i| y[i])
        };
        l3_hash(&l3_key(key, t), &mask(key, t), &b)
    });
    streams.zip(pdf(key, iv, tag_len)).map(|(a, b)| a ^ b).collect()
}

/// A planted fault changes the tag of at least one vector with its flag, and leaves others right.
fn catches(flag: &str, planted: &Umac) {
    let cases = all_umac();
    let wrong = |case: &&Case| {
        case.valid && planted(&case.key, &case.msg, &case.iv, case.tag.len()) != case.tag
    };
    let caught: Vec<_> = cases.iter().filter(wrong).collect();
    assert!(!caught.is_empty(), "no vector catches the fault of {flag}");
    assert!(
        caught.iter().any(|case| case.flags.contains(&flag)),
        "no vector of {flag} catches its fault"
    );
    let right = cases.iter().filter(|case| case.valid).count() - caught.len();
    assert!(right > 0, "{flag}: the planted fault makes every tag wrong");
}

#[test]
fn each_flag_catches_its_planted_fault() {
    catches("Padding", &stale_padding);
    catches("LargeWord", &|key, msg, iv, tag_len| {
        by_layers(key, iv, tag_len, |t| l1_outputs(&l1_key(key, t), msg), false)
    });
    catches("FourStreams", &|key, msg, iv, tag_len| {
        let hash = by_layers(key, &[0; 16], tag_len, |t| l1_outputs(&l1_key(key, t), msg), true);
        let zero = pdf(key, &[0; 16], tag_len);
        let pad = pdf(key, iv, tag_len);
        (0..tag_len).map(|i| hash[i % 8] ^ zero[i % 8] ^ pad[i]).collect()
    });
    // The pad of the nonce before, if only the last four bytes have changed.
    let cache = std::cell::RefCell::new((Vec::new(), [0; 16]));
    catches("PadCache", &move |key, msg, iv, tag_len| {
        let mut cached = cache.borrow_mut();
        let same = cached.1 == *key
            && cached.0.len() == iv.len()
            && iv.len() == 8
            && cached.0[..4] == iv[..4];
        if !same {
            *cached = (iv.to_vec(), *key);
        }
        umac(key, msg, &cached.0, tag_len)
    });
}
