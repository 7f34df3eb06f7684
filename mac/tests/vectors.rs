//! Every known answer in ../vectors for a registered algorithm, on every kernel of this machine.
#![cfg(feature = "alloc")]

use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use wegman::cipher::{BlockCipher, CipherBlock, Invertible, Keyed};
use wegman::pmac::hazmat::{LengthPreserving, Segment, Sum, key_with_tag_bits, recover};
use wegman::registry::{AnyKey, AnyTag, Found, find};
use wegman::umac_2000::historical::{self, Cipher, L3Keys, NonceIndex, Quirks};
use wegman::umac_2000::{self, Parameters};
use wegman::{Aes128, Aes192, Aes256, Bits, Cpu, Nonce, Tag, pmac};

// Reading the files.

/// A vector file, as text (to count without the parser's help) and parsed.
struct VectorFile {
    text: String,
    json: Value,
}

impl VectorFile {
    fn read(name: &str) -> VectorFile {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors").join(name);
        let text = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let json = serde_json::from_str(&text).expect("a vector file is JSON");
        VectorFile { text, json }
    }

    /// Checks every entry of a list, side by side on the machine's cores. `mark` is what each entry
    /// has once in the file's text, and `known` how many there were when this test was written.
    fn for_each(&self, list: &str, mark: &str, known: usize, check: fn(&Test)) {
        let entries = self.json[list].as_array().expect("the file has this list");
        let (next, run, left_out) = Default::default();
        let work = || {
            let (next, run, left_out): (&AtomicUsize, &AtomicUsize, &AtomicUsize) =
                (&next, &run, &left_out);
            while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                match Test::of(entry) {
                    Some(test) => {
                        check(&test);
                        run.fetch_add(1, Ordering::Relaxed);
                    }
                    None => {
                        left_out.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            (0..cores).for_each(|_| drop(scope.spawn(work)));
        });
        let (run, left_out) = (run.into_inner(), left_out.into_inner());
        eprintln!("{list}: {run} run, {left_out} left out");

        assert_eq!(run + left_out, self.text.matches(mark).count(), "{list} in the file");
        assert!(run + left_out >= known, "the file has lost {list}");
        let needs_yardstick =
            entries.iter().filter(|entry| text(entry, "algorithm") == "PMAC-RC6-128").count();
        let expected = if cfg!(feature = "yardstick") { 0 } else { needs_yardstick };
        assert_eq!(left_out, expected, "{list} of algorithms that are not registered");
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no text {name} in {value}"))
}

fn number(value: &Value, name: &str) -> usize {
    value[name].as_u64().unwrap_or_else(|| panic!("no number {name} in {value}")) as usize
}

fn hex(value: &Value, name: &str) -> Vec<u8> {
    from_hex(text(value, name))
}

fn from_hex(text: &str) -> Vec<u8> {
    assert!(text.len().is_multiple_of(2), "half a byte in {text}");
    let byte = |i| u8::from_str_radix(&text[i..i + 2], 16).expect("hexadecimal digits");
    (0..text.len()).step_by(2).map(byte).collect()
}

// The message rules that these files use; an entry with any other rule fails.

fn message_of(case: &Value) -> Vec<u8> {
    match case.get("msg") {
        Some(rule) => expand(rule),
        None => hex(case, "msg_hex"),
    }
}

fn expand(rule: &Value) -> Vec<u8> {
    if rule.get("hex").is_some() {
        return hex(rule, "hex");
    }
    match text(rule, "pattern") {
        "repeat" => hex(rule, "unit_hex").repeat(number(rule, "repeat")),
        "affine" => affine(number(rule, "a"), number(rule, "b"), number(rule, "length")),
        "krovetz2000" => {
            (0..number(rule, "length")).map(|i| ((i % 127) * (i % 123) % 127) as u8).collect()
        }
        "concat" => {
            rule["parts"].as_array().expect("concat has parts").iter().flat_map(expand).collect()
        }
        other => panic!("unknown message rule {other}"),
    }
}

/// Byte i is a i + b mod 256, so the bytes come again after 256.
fn affine(a: usize, b: usize, length: usize) -> Vec<u8> {
    let period: Vec<u8> = (0..256).map(|i| (a * i + b) as u8).collect();
    let mut bytes = period.repeat(length.div_ceil(256));
    bytes.truncate(length);
    bytes
}

// Running them.

/// An entry of a file with what it asks for: an algorithm of this build, its key and its nonce.
struct Test<'f> {
    entry: &'f Value,
    algorithm: Found,
    secret: Vec<u8>,
    nonce: Option<Nonce>,
}

impl Test<'_> {
    fn of(entry: &Value) -> Option<Test<'_>> {
        let algorithm = find(text(entry, "algorithm"))?;
        let nonce = entry.get("nonce_hex").map(|_| hex(entry, "nonce_hex"));
        let nonce = nonce.map(|bytes| Nonce::new(&bytes).expect("a nonce of 1 to 16 bytes"));
        Some(Test { entry, algorithm, secret: hex(entry, "key_hex"), nonce })
    }

    /// The key on every kernel of this machine.
    fn keys(&self, tag_bytes: usize) -> impl Iterator<Item = Box<dyn AnyKey>> {
        self.algorithm.kernels(Cpu::detect()).into_iter().map(move |(name, cpu)| {
            let key = self.algorithm.key(cpu, &self.secret, tag_bytes).expect("lengths it takes");
            assert_eq!(key.kernel(), name);
            key
        })
    }

    fn tag(&self, key: &dyn AnyKey, message: &[u8]) -> Vec<u8> {
        let tag = key.tag(self.nonce.as_ref(), message).expect("a nonce if it takes one");
        tag.to_bytes().to_vec()
    }
}

fn check_case(test: &Test) {
    let message = message_of(test.entry);
    let expected = hex(test.entry, "tag_hex");
    for key in test.keys(expected.len()) {
        let tag = test.tag(&*key, &message);
        assert_eq!(tag, expected, "{} on {}", text(test.entry, "id"), key.kernel());
    }
}

/// The hash of the tags of the messages of all lengths; the files use one rule only.
fn check_sweep(test: &Test) {
    let rule = text(test.entry, "msg_rule");
    assert_eq!(rule, "for every length L = 0..4096: affine a=7 b=3 length=L");
    let message = affine(7, 3, 4096);
    let expected = hex(test.entry, "sha256_of_concatenated_tags");
    for key in test.keys(*test.algorithm.tag_bytes.end()) {
        let mut hash = Sha256::new();
        (0..=4096).for_each(|length| hash.update(test.tag(&*key, &message[..length])));
        let hash = hash.finalize();
        assert_eq!(hash.as_slice(), expected, "{} on {}", test.algorithm.name, key.kernel());
    }
}

const CASE: &str = "\"id\":";
const SWEEP: &str = "\"sha256_of_concatenated_tags\":";

#[test]
fn umac_cases() {
    VectorFile::read("umac-rfc4418.json").for_each("cases", CASE, 562, check_case);
}

#[test]
fn umac_sweeps() {
    VectorFile::read("umac-rfc4418.json").for_each("sweeps", SWEEP, 3, check_sweep);
}

#[test]
fn pmac_cases() {
    VectorFile::read("pmac.json").for_each("cases", CASE, 295, check_case);
}

#[test]
fn pmac_sweeps() {
    VectorFile::read("pmac.json").for_each("sweeps", SWEEP, 2, check_sweep);
}

// UMAC of October 2000, with the ways of old code.

/// The `params` of an entry, which must say what its name says. `None` if this build lacks the cipher.
fn quirks(entry: &Value, parameters: &Parameters) -> Option<Quirks> {
    let params = &entry["params"];
    if params.is_null() {
        return Some(Quirks::default());
    }
    let said = format!(
        "UMAC-{}/{}/{}/{}/{}/{}",
        number(params, "word_len"),
        number(params, "output_len"),
        number(params, "l1_key_len"),
        number(params, "key_len"),
        text(params, "sign"),
        text(params, "endian")
    );
    assert_eq!(said.parse(), Ok(*parameters));
    Some(Quirks {
        cipher: match text(params, "cipher") {
            "AES" => Cipher::Aes,
            #[cfg(feature = "yardstick")]
            "RC6" => Cipher::Rc6,
            #[cfg(not(feature = "yardstick"))]
            "RC6" => return None,
            other => panic!("unknown cipher {other}"),
        },
        l3_keys: match text(params, "l3_keys") {
            "draft" => L3Keys::Draft,
            "refcode-0.05" => L3Keys::Refcode005,
            "v0.01" => L3Keys::Refcode001,
            other => panic!("unknown l3_keys {other}"),
        },
        nonce_index: match text(params, "nonce_index") {
            "unpadded-index" => NonceIndex::Unpadded,
            "draft-literal" => NonceIndex::DraftLiteral,
            other => panic!("unknown nonce_index {other}"),
        },
    })
}

/// Runs a check with a key of each entry on each kernel. Returns how many entries were run, and how many
/// on more kernels than the portable one.
fn for_each_of_2000(list: &str, check: fn(&Value, &umac_2000::Key)) -> (usize, usize) {
    let file = VectorFile::read("umac-2000.json");
    let entries = file.json[list].as_array().expect("the file has this list");
    let (next, run, on_several) = Default::default();
    let (next, run, on_several): (&AtomicUsize, &AtomicUsize, &AtomicUsize) =
        (&next, &run, &on_several);
    let work = || {
        while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Some(kernels) = on_each_kernel(list, entry, check) {
                run.fetch_add(1, Ordering::Relaxed);
                on_several.fetch_add(usize::from(kernels > 1), Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (0..cores).for_each(|_| drop(scope.spawn(work)));
    });
    (run.load(Ordering::Relaxed), on_several.load(Ordering::Relaxed))
}

/// How many kernels there are; `None` if this build lacks the cipher.
fn on_each_kernel(list: &str, entry: &Value, check: fn(&Value, &umac_2000::Key)) -> Option<usize> {
    let parameters = text(entry, "algorithm").parse().expect("a name of the family");
    let quirks = quirks(entry, &parameters)?;
    let kernels = umac_2000::Key::kernels(Cpu::detect(), &parameters);
    for &(kernel, cpu) in &kernels {
        let key = historical::key(cpu, &parameters, &hex(entry, "key_hex"), quirks);
        let key = key.expect("its length");
        assert_eq!(key.kernel(), kernel);
        check(entry, &key);
        // The registry's key, which for some parameters is of another engine.
        if quirks == Quirks::default() && list == "cases" {
            let test = Test::of(entry).expect("every name is found");
            let l = parameters.output_bytes();
            let registered = test.algorithm.key(cpu, &test.secret, l).expect("its lengths");
            assert_eq!(registered.kernel(), kernel);
            let tag = test.tag(&*registered, &message_of(entry));
            assert_eq!(tag, hex(entry, "tag_hex"), "{} on {kernel}", text(entry, "id"));
        }
    }
    Some(kernels.len())
}

/// The tag whole, in prefixes and from a stream; the hash.
fn check_case_of_2000(entry: &Value, key: &umac_2000::Key) {
    let case = format_args!("{key:?}, {entry}");
    let nonce = Nonce::new(&hex(entry, "nonce_hex")).expect("a nonce of 1 to 16 bytes");
    let (message, expected) = (message_of(entry), hex(entry, "tag_hex"));
    let tag = AnyTag::new(&expected).expect("at most 32 bytes");
    assert_eq!(key.tag(&nonce, &message), tag, "{case}");
    let mut stream = key.stream();
    let (one, two) = message.split_at(message.len() / 3);
    stream.update(one);
    stream.update(two);
    assert_eq!(stream.tag(&nonce), tag, "{case}");
    // Of the longest messages one front does.
    let step = if message.len() > 1 << 20 { key.parameters().words() } else { 1 };
    for words in (1..=key.parameters().words()).step_by(step) {
        let front = key.tag_prefix(&nonce, &message, words);
        let bytes = front.to_bytes();
        assert_eq!(bytes, &expected[..bytes.len()], "{case}");
        let reached = key.verify_prefix(&nonce, &message, &tag, words).expect("authentic");
        assert_eq!(reached.bits(), 8 * bytes.len());
    }
    let mut hash = vec![0; expected.len()];
    key.uhash().hash(&message, &mut hash);
    assert_eq!(hash, hex(entry, "uhash_hex"), "{case}");
    if entry.get("pad_hex").is_some() {
        let pad: Vec<u8> = hash.iter().zip(&expected).map(|(hash, tag)| hash ^ tag).collect();
        assert_eq!(pad, hex(entry, "pad_hex"));
    }
}

fn check_sweep_of_2000(entry: &Value, key: &umac_2000::Key) {
    let rule = text(entry, "msg_rule");
    assert_eq!(rule, "for every length L = 1..4096: affine a=7 b=3 length=L");
    let nonce = Nonce::new(&hex(entry, "nonce_hex")).expect("a nonce of 1 to 16 bytes");
    let message = affine(7, 3, 4096);
    let mut hash = Sha256::new();
    (1..=4096).for_each(|length| hash.update(key.tag(&nonce, &message[..length]).to_bytes()));
    let expected = hex(entry, "sha256_of_concatenated_tags");
    assert_eq!(hash.finalize().as_slice(), expected, "{key:?}");
}

/// On machines with kernels, most cases have several: all but longer chunks, unsigned words of two bytes and
/// big-endian words of four.
#[test]
fn umac_2000_cases_sweeps_and_intermediates() {
    let of_rc6 = if cfg!(feature = "yardstick") { 0 } else { 2 };
    let (run, on_several) = for_each_of_2000("cases", check_case_of_2000);
    assert_eq!(run, 712 - of_rc6);
    let several = umac_2000::Key::kernels(Cpu::detect(), &Parameters::UMAC16).len() > 1;
    assert_eq!(on_several, if several { 704 - of_rc6 } else { 0 });
    assert_eq!(for_each_of_2000("sweeps", check_sweep_of_2000).0, 2);
    assert_eq!(for_each_of_2000("intermediates", check_case_of_2000).0, 2);
}

// What PMAC has beyond tags of bytes: ../vectors/pmac-ours.json.

type Des = Keyed<des::TdesEde3>;

/// Calls a function with a cipher by its algorithm's name; `None` if this build lacks the cipher.
macro_rules! with_cipher {
    ($algorithm:expr, $function:ident($($argument:expr),*)) => {
        match $algorithm {
            "PMAC-AES128" => Some($function::<Aes128, 16>($($argument),*)),
            "PMAC-AES192" => Some($function::<Aes192, 16>($($argument),*)),
            "PMAC-AES256" => Some($function::<Aes256, 16>($($argument),*)),
            "PMAC-DES-EDE3" => Some($function::<Des, 8>($($argument),*)),
            #[cfg(feature = "yardstick")]
            "PMAC-RC6-128" => Some($function::<wegman::cipher::Rc6, 16>($($argument),*)),
            #[cfg(not(feature = "yardstick"))]
            "PMAC-RC6-128" => None,
            other => panic!("unknown algorithm {other}"),
        }
    };
}

impl VectorFile {
    /// Runs `check` on every entry of a list; it says whether this build has the cipher. `marks` are what
    /// the entries have in the file's text, one each, and `known` is how many there were.
    fn for_each_of_ours(
        &self,
        list: &str,
        marks: &[&str],
        known: usize,
        check: fn(&Value) -> Option<()>,
    ) {
        let entries = self.json[list].as_array().expect("the file has this list");
        let run = entries.iter().filter_map(check).count();
        let left_out = entries.len() - run;
        eprintln!("{list}: {run} run, {left_out} left out");
        let in_text: usize = marks.iter().map(|mark| self.text.matches(mark).count()).sum();
        assert_eq!(entries.len(), in_text, "{list} in the file");
        assert!(entries.len() >= known, "the file has lost {list}");
        let rc6 = entries.iter().filter(|entry| text(entry, "algorithm") == "PMAC-RC6-128").count();
        assert_eq!(left_out, if cfg!(feature = "yardstick") { 0 } else { rc6 }, "{list}");
    }
}

/// The first bits of a message.
fn bits(message: &[u8], count: usize) -> Bits<'_> {
    Bits::new(message, count as u64).expect("bytes for the bits")
}

/// Every way to a tag of `tag_bits` bits, on every kernel.
fn check_tag<C: BlockCipher, const N: usize>(entry: &Value, tag_bits: usize) {
    let (secret, message) = (hex(entry, "key_hex"), message_of(entry));
    let expected = hex(entry, "tag_hex");
    let count = entry.get("bits").map_or(8 * message.len(), |_| number(entry, "bits"));
    let part = bits(&message, count);
    for (kernel, cpu) in pmac::Key::<C, N>::kernels(Cpu::detect()) {
        let case = format_args!("{} on {kernel}", text(entry, "id"));
        let key = key_with_tag_bits::<C, N>(cpu, &secret, tag_bits).expect("lengths it takes");
        assert_eq!(key.kernel(), kernel);
        let tag = key.tag_bits(part);
        assert_eq!(tag.to_bytes().as_slice(), expected, "{case}");
        if count == 8 * message.len() {
            assert_eq!(key.tag(&message), tag, "{case}, bytes");
        }
        let mut stream = key.stream();
        message.chunks(13).for_each(|piece| stream.update(piece));
        let unused = 8 * message.len() - count;
        assert_eq!(stream.tag_without(unused as u32), tag, "{case}, stream");
        let segment = Segment::new(&key, 0, part).expect("it is short");
        assert_eq!(segment.tag(&key), Ok(tag), "{case}, segment");
        assert_eq!(Sum::new(&key, part).tag(&key), Ok(tag), "{case}, sum");
    }
}

/// A cipher with the lengths that its tags can have, which are part of their types.
trait AllTags: BlockCipher {
    fn check(entry: &Value, tag_bits: usize);
}

macro_rules! all_tags {
    ($cipher:ty, $($bytes:literal)*) => {
        impl AllTags for $cipher {
            fn check(entry: &Value, tag_bits: usize) {
                match tag_bits.div_ceil(8) {
                    $($bytes => check_tag::<$cipher, $bytes>(entry, tag_bits),)*
                    other => panic!("a tag of {other} bytes"),
                }
            }
        }
    };
}

all_tags!(Aes128, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
all_tags!(Aes192, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
all_tags!(Aes256, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
all_tags!(Des, 1 2 3 4 5 6 7 8);
#[cfg(feature = "yardstick")]
all_tags!(wegman::cipher::Rc6, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);

fn check_bits_case<C: AllTags, const N: usize>(entry: &Value) {
    C::check(entry, entry.get("tag_bits").map_or(8 * N, |_| number(entry, "tag_bits")));
}

#[test]
fn pmac_cases_of_ours() {
    let marks = ["\"id\": \"pmac-bits-", "\"id\": \"pmac-tag-", "\"id\": \"pmac-des-"];
    VectorFile::read("pmac-ours.json").for_each_of_ours("cases", &marks, 227, |entry| {
        with_cipher!(text(entry, "algorithm"), check_bits_case(entry))
    });
}

/// The hash of the tags of all numbers of bits up to the rule's last.
fn check_bits_sweep<C: BlockCipher, const N: usize>(entry: &Value) {
    let rule = text(entry, "msg_rule");
    let most = rule.strip_prefix("for every bit count N = 0..").and_then(|rule| {
        rule.strip_suffix(": the first N bits of affine a=7 b=3 length=ceil(N/8)")
    });
    let most: usize = most.expect("the files' one rule").parse().expect("a number");
    let message = affine(7, 3, most.div_ceil(8));
    let (secret, expected) = (hex(entry, "key_hex"), hex(entry, "sha256_of_concatenated_tags"));
    for (kernel, cpu) in pmac::Key::<C, N>::kernels(Cpu::detect()) {
        let key = pmac::Key::<C, N>::from_slice(cpu, &secret).expect("the cipher's length");
        let mut hash = Sha256::new();
        for count in 0..=most {
            hash.update(key.tag_bits(bits(&message[..count.div_ceil(8)], count)).to_bytes());
        }
        assert_eq!(hash.finalize().as_slice(), expected, "{rule} on {kernel}");
    }
}

#[test]
fn pmac_sweeps_of_ours() {
    VectorFile::read("pmac-ours.json").for_each_of_ours("sweeps", &[SWEEP], 3, |entry| {
        with_cipher!(text(entry, "algorithm"), check_bits_sweep(entry))
    });
}

fn check_intermediates<C: BlockCipher, const N: usize>(entry: &Value) {
    for cpu in [Cpu::detect(), Cpu::PORTABLE] {
        let cipher = C::from_slice(cpu, &hex(entry, "key_hex")).expect("the cipher's length");
        let mut power = C::Block::ZERO;
        cipher.encrypt(&mut power);
        assert_eq!(power.as_ref(), hex(entry, "L_hex"));
        assert_eq!(power.halve().as_ref(), hex(entry, "L_times_x_inverse_hex"));
        let powers = entry["L_powers_hex"].as_array().expect("a list");
        assert!(powers.len() >= 8);
        for expected in powers {
            assert_eq!(power.as_ref(), from_hex(expected.as_str().expect("text")));
            power = power.double();
        }
    }
}

#[test]
fn pmac_intermediates_of_ours() {
    let file = VectorFile::read("pmac-ours.json");
    file.for_each_of_ours("intermediates", &["\"L_hex\":"], 3, |entry| {
        with_cipher!(text(entry, "algorithm"), check_intermediates(entry))
    });
}

#[test]
fn pmac_keeps_the_length() {
    let file = VectorFile::read("pmac-ours.json");
    file.for_each_of_ours("length_preserving", &["\"id\": \"pmac-lp-"], 31, |entry| {
        assert_eq!(text(entry, "algorithm"), "PMAC-AES128-CTR");
        let key = |name| hex(entry, name).try_into().expect("16 bytes");
        let cipher = LengthPreserving::<Aes128, 16>::new(&key("key1_hex"), &key("key2_hex"));
        let (id, message, expected) =
            (text(entry, "id"), hex(entry, "msg_hex"), hex(entry, "cipher_hex"));
        let count = entry.get("bits").map_or(8 * message.len(), |_| number(entry, "bits"));
        let mut bytes = message.clone();
        assert_eq!(cipher.encrypt_bits(&mut bytes, count as u64), Ok(()), "{id}");
        assert_eq!(bytes, expected, "{id}");
        assert_eq!(cipher.decrypt_bits(&mut bytes, count as u64), Ok(()), "{id}");
        // The bits after the message do not come back.
        let unused = 8 * message.len() - count;
        let mut message = message;
        if let Some(last) = message.last_mut() {
            *last &= 0xff << unused;
        }
        assert_eq!(bytes, message, "{id} back");
        Some(())
    });
}

fn check_recovery<C: Invertible, const N: usize>(entry: &Value) {
    let (secret, message) = (hex(entry, "key_hex"), hex(entry, "msg_hex"));
    let block = number(entry, "block");
    let tag = Tag::<N>::try_from(hex(entry, "tag_hex").as_slice()).expect("a whole tag");
    let others = [&message[..N * (block - 1)], &message[N * block..]].concat();
    for (kernel, cpu) in pmac::Key::<C, N>::kernels(Cpu::detect()) {
        let key = pmac::Key::<C, N>::from_slice(cpu, &secret).expect("the cipher's length");
        assert_eq!(key.tag(&message), tag, "{} on {kernel}", text(entry, "id"));
        let found = recover(&key, &tag, block as u64, Bits::from(&others[..]));
        let found = found.expect("the message has the block");
        let expected = &message[N * (block - 1)..N * block];
        assert_eq!(found.as_ref(), expected, "{} on {kernel}", text(entry, "id"));
    }
}

#[test]
fn pmac_recovers() {
    let file = VectorFile::read("pmac-ours.json");
    file.for_each_of_ours("recover", &["\"id\": \"pmac-rec-"], 28, |entry| {
        with_cipher!(text(entry, "algorithm"), check_recovery(entry))
    });
}

#[cfg(feature = "yardstick")]
#[path = "vectors/umac_1999.rs"]
mod umac_1999;
