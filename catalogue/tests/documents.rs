//! What the documents name exists. Of CONTRIBUTING.md, RELEASING.md and docs/design.md: every path in a code span, and
//! every item that is said to be in a file. Of all documents: every link to a file. Of Carter's draft: every test
//! vector. It reads the whole repository, so the package goes without it; scripts/package-contents checks what is in the
//! packages.
//!
//! A span is a path if it has no space and a `/`, or the end of a file's name. An item is a span directly followed by
//! "in" and the span of a path: it must stand in that file, in whole words. Spans with NAME are patterns for the reader
//! to fill in and are not checked.

use std::fs;
use std::path::{Path, PathBuf};
use wegman_reference::carter::{Keys, dot, hash_with, level_1, number, pad};

/// The documents whose spans are checked, with the fewest paths and the fewest items that they name.
const CHECKED: [(&str, usize, usize); 3] =
    [("CONTRIBUTING.md", 50, 12), ("RELEASING.md", 5, 0), ("docs/design.md", 30, 5)];

/// The folders with documents.
const FOLDERS: &str = ". docs mac mac/docs historical historical/docs carter carter/docs \
                       yardstick yardstick/docs catalogue catalogue/docs formats files cli \
                       cli/docs reference reference/docs lab lab/answers capi python wasm/npm \
                       examples/russh";

const PLACEHOLDER: &str = "NAME";

const ENDS: [&str; 4] = [".rs", ".md", ".toml", ".json"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap_or_else(|error| panic!("{document}: {error}"))
}

/// A document's code spans, each with the text that follows it, in words with one space between them. Blocks of code
/// are left out.
fn spans(document: &str) -> Vec<(String, String)> {
    let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = document.split("```").step_by(2).collect();
    let mut spans = Vec::new();
    for paragraph in text.split("\n\n") {
        let parts: Vec<String> = paragraph.split('`').map(words).collect();
        assert!(parts.len() % 2 == 1, "a code span without an end: {paragraph}");
        spans.extend(parts[1..].chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())));
    }
    spans
}

fn is_path(span: &str) -> bool {
    !span.contains(' ') && (span.contains('/') || ENDS.iter().any(|end| span.ends_with(end)))
}

/// What a document names.
#[derive(Default)]
struct Named {
    paths: Vec<String>,
    /// An item and the path of its file.
    items: Vec<(String, String)>,
}

fn named(document: &str) -> Named {
    let spans = spans(document);
    let mut named = Named::default();
    for (i, (span, after)) in spans.iter().enumerate() {
        if span.contains(PLACEHOLDER) {
            continue;
        }
        if is_path(span) {
            named.paths.push(span.clone());
        }
        if after == "in"
            && let Some((path, _)) = spans.get(i + 1)
            && is_path(path)
            && !path.contains(PLACEHOLDER)
        {
            named.items.push((span.clone(), path.clone()));
        }
    }
    named
}

/// What a document names that does not exist.
fn missing(document: &str) -> Vec<String> {
    let Named { paths, items } = named(document);
    let paths = paths.into_iter().filter(|path| !root().join(path).exists());
    let items = items.into_iter().filter(|(item, path)| {
        !fs::read_to_string(root().join(path)).is_ok_and(|text| has_words(&text, item))
    });
    paths.chain(items.map(|(item, path)| format!("{item} in {path}"))).collect()
}

/// Whether `item` stands in the text and is not a part of longer words.
fn has_words(text: &str, item: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(item).any(|(at, _)| {
        !text[..at].ends_with(is_of_word) && !text[at + item.len()..].starts_with(is_of_word)
    })
}

/// The links of a document to files that do not exist.
fn broken_links(document: &str, directory: &Path) -> Vec<String> {
    // Outside code spans, in which brackets are no links.
    let text: String = document.split("```").step_by(2).collect();
    let text: String = text.split('`').step_by(2).collect();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let files = targets.map(|(target, _)| target.split('#').next().unwrap_or_default());
    files
        .filter(|file| !file.is_empty() && !file.contains("://"))
        .filter(|file| !directory.join(file).exists())
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_the_documents_name_exists() {
    for (name, least_paths, least_items) in CHECKED {
        let document = read(name);
        assert_eq!(missing(&document), [""; 0], "{name} names what does not exist");
        // The check must find them, or it could not fail.
        let Named { paths, items } = named(&document);
        eprintln!("{name}: {} paths, {} items", paths.len(), items.len());
        assert!(paths.len() >= least_paths, "{name}: only {} paths", paths.len());
        assert!(items.len() >= least_items, "{name}: only {} items", items.len());
    }
}

#[test]
fn what_does_not_exist_is_reported() {
    let document = "Wrong: `mac/src/gone.rs`, `gone.md`, `gone/`; `fn gone` in `mac/src/nonce_mac.rs`,\n\
                    `fn tag_ru` in\n`mac/src/nonce_mac.rs`, `tag` in `mac/src/gone.rs`.\n\n\
                    Right: `mac/src/`, `Cargo.toml`, `fn tag_many` in\n  `mac/src/nonce_mac.rs`, not checked: `a / b`,\n\
                    `reference/src/NAME.rs`, `fn new` in `mac/src/NAME.rs`, `mod NAME` in `mac/src/lib.rs`.\n\n\
                    ```sh\necho `gone.rs`\n```\n";
    let wrong = [
        "mac/src/gone.rs",
        "gone.md",
        "gone/",
        "mac/src/gone.rs",
        "fn gone in mac/src/nonce_mac.rs",
        "fn tag_ru in mac/src/nonce_mac.rs",
        "tag in mac/src/gone.rs",
    ];
    assert_eq!(missing(document), wrong);
    let items = [
        ("fn gone", "mac/src/nonce_mac.rs"),
        ("fn tag_ru", "mac/src/nonce_mac.rs"),
        ("tag", "mac/src/gone.rs"),
        ("fn tag_many", "mac/src/nonce_mac.rs"),
    ];
    let found = named(document).items;
    assert!(found.iter().map(|(item, path)| (item.as_str(), path.as_str())).eq(items));
}

#[test]
#[should_panic(expected = "a code span without an end")]
fn spans_without_an_end_are_reported() {
    named("One `span` and `half of another.\n\nThe next `paragraph`.");
}

#[test]
fn links_lead_to_files() {
    let mut count = 0;
    for folder in FOLDERS.split(' ') {
        let directory = root().join(folder);
        for file in fs::read_dir(&directory).expect(folder) {
            let path = file.expect("readable").path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let document = fs::read_to_string(&path).expect("readable");
                assert_eq!(broken_links(&document, &directory), [""; 0], "{}", path.display());
                count += 1;
            }
        }
    }
    assert!(count >= 40, "only {count} documents");
}

/// `wegman`'s package tests the examples of its README; those of the repository's README are among them.
#[test]
fn the_readmes_examples_are_the_librarys() {
    let [front, library] = ["README.md", "mac/README.md"].map(read);
    let examples: Vec<&str> =
        front.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty());
    for example in examples {
        assert!(library.contains(&format!("```rust\n{example}```")), "{example}");
    }
}

#[test]
fn broken_links_are_reported() {
    let document = "[a](docs/gone.md) and [b](README.md), [c](docs/gone.md#part), [d](#part), `[e](gone)`,\n\
                    [f](https://example.org/gone), [g](docs/design.md#part), [h](mac/gone/)";
    assert_eq!(broken_links(document, &root()), ["docs/gone.md", "docs/gone.md", "mac/gone/"]);
}

/// A block of vectors in Carter's draft.
fn of_the_draft(name: &str) -> String {
    let draft = read("carter/draft-wegman-carter-00.xml");
    let start = format!("<sourcecode type=\"test-vectors\" name=\"{name}\">\n");
    let (_, block) = draft.split_once(&start).expect(name);
    block.split_once("\n</sourcecode>").expect(name).0.to_owned()
}

/// The case with this name in vectors/carter.json, as text.
fn case(id: &str) -> String {
    let file = read("vectors/carter.json");
    let cases = file.split("\"id\": ").skip(1);
    cases.filter(|case| case.starts_with(&format!("\"{id}\""))).map(str::to_owned).collect()
}

/// A value of a case: the rest of the line that begins with its name.
fn value<'a>(case: &'a str, name: &str) -> &'a str {
    let (_, rest) = case.split_once(&format!("\"{name}\": ")).expect(name);
    rest.lines().next().expect(name).trim_end_matches(',').trim_matches('"')
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().collect();
    let byte = |pair: &[char]| u8::from_str_radix(&String::from_iter(pair), 16).expect("digits");
    digits.chunks(2).map(byte).collect()
}

#[test]
fn the_drafts_tags_are_those_of_the_vectors() {
    let tags = of_the_draft("tags");
    for vector in tags.split("\n\n") {
        let id = vector.split(' ').next().expect("a name");
        let case = case(id);
        let of = |name| value(&case, name);
        assert_eq!(of("pattern"), "affine");
        let expected = format!(
            "{id}   {}\nK  {}\nN  {}\nM  a = {}, b = {}, |M| = {}\nT  {}",
            of("algorithm"),
            of("key_hex"),
            of("nonce_hex"),
            of("a"),
            of("b"),
            of("length"),
            of("tag_hex"),
        );
        assert_eq!(vector, expected);
    }
    assert_eq!(tags.split("\n\n").count(), 14);
}

#[test]
fn the_drafts_other_values_are_the_oracles() {
    let lines = |values: &[(&str, &[u8])]| {
        let lines = values.iter().map(|(name, bytes)| format!("{name:<15}{}", hex(bytes)));
        lines.collect::<Vec<_>>().join("\n")
    };
    let a: Vec<u8> = (0..16).collect();
    let b: Vec<u8> = (16..32).collect();
    let product = dot(number(&a), number(&b)).to_le_bytes();
    assert_eq!(of_the_draft("field"), lines(&[("a", &a), ("b", &b), ("dot(a, b)", &product)]));

    let case = case("carter-0048");
    assert_eq!((value(&case, "a"), value(&case, "b")), ("1", "0"));
    let length: usize = value(&case, "length").parse().expect("a number");
    let message: Vec<u8> = (0..length).map(|i| i as u8).collect();
    let keys = Keys::new(&from_hex(value(&case, "key_hex")), 16);
    let expected = lines(&[
        ("Kp", &keys.pad),
        ("k[0:16]", &keys.k[..16]),
        ("k[2032:2048]", &keys.k[2032..]),
        ("r", &keys.r.to_le_bytes()),
        ("kL", &keys.k_l.to_le_bytes()),
        ("L1(M_1)", &level_1(&keys.k, &message[..2048]).to_le_bytes()),
        ("L1(M_2)", &level_1(&keys.k, &message[2048..]).to_le_bytes()),
        ("dot(|M|, kL)", &dot(length as u128, keys.k_l).to_le_bytes()),
        ("HASH(M)", &hash_with(&keys, &message).to_le_bytes()),
        ("PAD(N)", &pad(&keys.pad, &from_hex(value(&case, "nonce_hex")))),
    ]);
    assert_eq!(of_the_draft("intermediates"), expected);
}
