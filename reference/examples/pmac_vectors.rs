//! Prints `vectors/pmac-ours.json`: known answers of our own, for what `vectors/pmac.json` lacks.
//!
//! ```sh
//! cargo run -p wegman-reference --example pmac_vectors > vectors/pmac-ours.json
//! ```
//!
//! Everything is computed from rules, so it prints the same each time.

use std::fmt::Write;

use des::TdesEde3;
use des::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use sha2::{Digest, Sha256};
use wegman_reference::aes::Aes;
use wegman_reference::pmac::bits::{
    bits_of, bytes_of, decipher_aes, double, encipher_aes, halve, l, pmac_bytes, recover,
};
use wegman_reference::rc6::Rc6;

fn main() {
    print!("{}", file());
}

// The ciphers, under the names of the algorithms that use them.

type Direction = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// A block cipher under its key, with n, the bits of its block.
struct Cipher {
    e: Direction,
    d: Direction,
    n: usize,
}

const AES: [(&str, usize); 3] = [("PMAC-AES128", 16), ("PMAC-AES192", 24), ("PMAC-AES256", 32)];
const RC6: (&str, usize) = ("PMAC-RC6-128", 16);
const DES: (&str, usize) = ("PMAC-DES-EDE3", 24);

fn cipher(algorithm: &str, key: &[u8]) -> Cipher {
    match algorithm {
        "PMAC-DES-EDE3" => {
            let des = TdesEde3::new_from_slice(key).expect("24 bytes");
            let inverse = des.clone();
            let e = Box::new(move |block: &[u8]| {
                let mut block = block.try_into().expect("8 bytes");
                des.encrypt_block(&mut block);
                block.to_vec()
            });
            let d = Box::new(move |block: &[u8]| {
                let mut block = block.try_into().expect("8 bytes");
                inverse.decrypt_block(&mut block);
                block.to_vec()
            });
            Cipher { e, d, n: 64 }
        }
        "PMAC-RC6-128" => {
            let rc6 = Rc6::new(key);
            let inverse = rc6.clone();
            let e = Box::new(move |block: &[u8]| rc6.encrypt(&sixteen(block)).to_vec());
            let d = Box::new(move |block: &[u8]| inverse.decrypt(&sixteen(block)).to_vec());
            Cipher { e, d, n: 128 }
        }
        _ => {
            let aes = Aes::new(key);
            let inverse = aes.clone();
            let e = Box::new(move |block: &[u8]| aes.encrypt(&sixteen(block)).to_vec());
            let d = Box::new(move |block: &[u8]| inverse.decrypt(&sixteen(block)).to_vec());
            Cipher { e, d, n: 128 }
        }
    }
}

fn sixteen(block: &[u8]) -> [u8; 16] {
    block.try_into().expect("16 bytes")
}

fn origin(algorithm: &str) -> String {
    let oracle = "computed only by the oracle, reference/src/pmac/bits.rs";
    match algorithm {
        "PMAC-RC6-128" => format!("{oracle}, with RC6 from reference/src/rc6.rs"),
        "PMAC-DES-EDE3" => format!("{oracle}, with triple DES from the crate des 0.9"),
        _ => oracle.to_owned(),
    }
}

// Keys and messages.

/// One key for each number. DES keys get their parity bits: each byte has an odd number of ones.
fn key((algorithm, key_len): (&str, usize), number: usize) -> Vec<u8> {
    let hash = Sha256::digest(format!("{algorithm} key {number}"));
    let mut key = hash[..key_len].to_vec();
    if algorithm == DES.0 {
        for byte in &mut key {
            *byte ^= u8::from(byte.count_ones() % 2 == 0);
        }
    }
    key
}

fn affine(a: usize, b: usize, length: usize) -> Vec<u8> {
    (0..length).map(|i| (a * i + b) as u8).collect()
}

/// What the bits of the last byte are that are not the message's.
#[derive(Clone, Copy)]
enum Unused {
    Clear,
    Set,
}

/// `bits` bits in as many bytes as they need.
fn message(bits: usize, unused: Unused) -> Vec<u8> {
    let mut message = affine(29, 7 * bits + 1, bits.div_ceil(8));
    if let Some(last) = message.last_mut().filter(|_| !bits.is_multiple_of(8)) {
        let rest = 0xff >> (bits % 8);
        match unused {
            Unused::Clear => *last &= !rest,
            Unused::Set => *last |= rest,
        }
    }
    message
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes everything");
        hex
    })
}

// Cases.

/// Numbers the cases of one kind.
struct Cases {
    kind: &'static str,
    lines: Vec<String>,
}

impl Cases {
    fn new(kind: &'static str) -> Cases {
        Cases { kind, lines: Vec::new() }
    }

    fn push(&mut self, fields: &str) {
        let id = format!("pmac-{}-{:03}", self.kind, self.lines.len());
        self.lines.push(format!("{{\"id\": \"{id}\", {fields}}}"));
    }

    /// A tag of the first `bits` bits of a message, or of all of it; of `tag_bits` bits, or whole.
    /// `rule` says how the file describes the message.
    fn push_tag(
        &mut self,
        algorithm: (&str, usize),
        (message, rule): (&[u8], &str),
        bits: Option<usize>,
        tag_bits: Option<usize>,
    ) {
        // Messages of one length have one key, so that they can be compared.
        let key = key(algorithm, message.len());
        let cipher = cipher(algorithm.0, &key);
        let all_bits = 8 * message.len();
        let tau = tag_bits.unwrap_or(cipher.n);
        let tag = pmac_bytes(&cipher.e, cipher.n, message, bits.unwrap_or(all_bits), tau);

        let mut fields = start(algorithm.0, &[("key_hex", &key)]);
        fields += rule;
        for (name, number) in [("bits", bits), ("tag_bits", tag_bits)] {
            if let Some(number) = number {
                fields += &format!(", \"{name}\": {number}");
            }
        }
        self.push(&(fields + &end(algorithm.0, &[("tag_hex", &tag)])));
    }

    fn push_plain_tag(
        &mut self,
        algorithm: (&str, usize),
        message: &[u8],
        bits: Option<usize>,
        tag_bits: Option<usize>,
    ) {
        let rule = format!("\"msg_hex\": \"{}\"", hex(message));
        self.push_tag(algorithm, (message, &rule), bits, tag_bits);
    }

    /// A message long enough to be described by its rule.
    fn push_affine_tag(&mut self, algorithm: (&str, usize), length: usize, bits: Option<usize>) {
        let rule = format!(
            "\"msg\": {{\"pattern\": \"affine\", \"a\": 7, \"b\": 3, \"length\": {length}}}"
        );
        self.push_tag(algorithm, (&affine(7, 3, length), &rule), bits, None);
    }

    fn push_length_preserving(
        &mut self,
        (key1, key2): (&[u8], &[u8]),
        message: &[u8],
        bits: Option<usize>,
        ciphertext: &[u8],
    ) {
        let name = "PMAC-AES128-CTR";
        let mut fields = start(name, &[("key1_hex", key1), ("key2_hex", key2)]);
        fields += &format!("\"msg_hex\": \"{}\"", hex(message));
        if let Some(bits) = bits {
            fields += &format!(", \"bits\": {bits}");
        }
        self.push(&(fields + &end(name, &[("cipher_hex", ciphertext)])));
    }
}

fn start(algorithm: &str, keys: &[(&str, &[u8])]) -> String {
    let mut fields = format!("\"algorithm\": \"{algorithm}\", ");
    for (name, key) in keys {
        fields += &format!("\"{name}\": \"{}\", ", hex(key));
    }
    fields
}

fn end(algorithm: &str, results: &[(&str, &[u8])]) -> String {
    let mut fields =
        format!(", \"origin\": \"ours\", \"origin_detail\": \"{}\"", origin(algorithm));
    for (name, result) in results {
        fields += &format!(", \"{name}\": \"{}\"", hex(result));
    }
    fields
}

/// Messages of any number of bits. Where the number is no multiple of 8, the unused bits are set in
/// every other message.
fn bit_cases() -> Cases {
    let mut cases = Cases::new("bits");
    let dense = (0..=17).chain((24..112).step_by(7)).chain(119..=137).chain((144..240).step_by(11));
    let dense = dense.chain(247..=265).chain((271..300).step_by(6));
    for bits in dense.chain([300, 383, 384, 385, 511, 512, 513]) {
        let unused = if bits % 2 == 1 { Unused::Set } else { Unused::Clear };
        cases.push_plain_tag(AES[0], &message(bits, unused), Some(bits), None);
    }
    // The same message with the unused bits set and clear: the tags are equal.
    for bits in [1, 7, 121, 127, 129, 135, 250, 255, 257] {
        for unused in [Unused::Clear, Unused::Set] {
            cases.push_plain_tag(AES[1], &message(bits, unused), Some(bits), None);
        }
    }
    for algorithm in [AES[2], RC6] {
        for bits in [0, 1, 4, 8, 63, 127, 128, 129, 131, 255, 256, 257, 300] {
            cases.push_plain_tag(algorithm, &message(bits, Unused::Set), Some(bits), None);
        }
    }
    for bits in [32768, 32769, 32775, 32776] {
        cases.push_affine_tag(AES[0], usize::div_ceil(bits, 8), Some(bits));
    }
    cases
}

/// Tags of any number of bits, over messages of whole bytes and of bits.
fn tag_cases() -> Cases {
    let mut cases = Cases::new("tag");
    let near_words = [24, 32, 48, 64, 80, 96, 112].into_iter().flat_map(|at| at - 1..=at + 1);
    for tag_bits in (1..=17).chain(near_words).chain(120..=128) {
        let algorithm = [AES[0], AES[1], AES[2], RC6][tag_bits % 4];
        let bits = tag_bits * 7 % 301;
        if tag_bits % 3 == 0 {
            let message = message(bits, Unused::Set);
            cases.push_plain_tag(algorithm, &message, Some(bits), Some(tag_bits));
        } else {
            let message = message(bits / 8 * 8, Unused::Clear);
            cases.push_plain_tag(algorithm, &message, None, Some(tag_bits));
        }
    }
    cases
}

/// Blocks of 64 bits.
fn des_cases() -> Cases {
    let mut cases = Cases::new("des");
    for bytes in [0, 1, 7, 8, 9, 15, 16, 17, 24, 40] {
        cases.push_plain_tag(DES, &message(8 * bytes, Unused::Clear), None, None);
    }
    let edges = [0, 64, 128, 256].into_iter().flat_map(|at: usize| at.saturating_sub(1)..=at + 1);
    for bits in edges.chain([4, 31, 55, 57, 71, 191, 192, 193, 300]) {
        cases.push_plain_tag(DES, &message(bits, Unused::Set), Some(bits), None);
    }
    for tag_bits in [1, 7, 8, 9, 31, 32, 33, 63, 64] {
        cases.push_plain_tag(DES, &message(72, Unused::Clear), None, Some(tag_bits));
    }
    cases.push_plain_tag(DES, &message(133, Unused::Set), Some(133), Some(13));
    cases.push_affine_tag(DES, 1000, None);
    cases.push_affine_tag(DES, 4097, Some(32770));
    cases
}

fn length_preserving_cases() -> Cases {
    let mut cases = Cases::new("lp");
    let whole_bytes = [16, 17, 24, 31, 32, 33, 47, 48, 49, 64, 100, 500];
    let whole_bytes = whole_bytes.map(|bytes| (8 * bytes, None));
    let bits = [128, 129, 130, 135, 137, 255, 256, 257, 300, 383, 385, 1001];
    let bits = bits.map(|bits| (bits, Some(bits)));
    for (bits, shown) in whole_bytes.into_iter().chain(bits) {
        let (key1, key2) = (key(AES[0], bits), key(AES[0], bits + 10_000));
        let message = message(bits, Unused::Set);
        let ciphertext = encipher_aes(&key1, &key2, &message, bits);
        // Deciphering can't know the unused bits.
        let back = decipher_aes(&key1, &key2, &ciphertext, bits);
        assert_eq!(back, bytes_of(&bits_of(&message, bits)));
        cases.push_length_preserving((&key1, &key2), &message, shown, &ciphertext);
    }
    // Ciphertexts made first, for the counters they start with: each carries as far as it can, the
    // last one back to zero.
    for (zero_bytes, last) in
        [(16, 0x00), (15, 0xff), (12, 0xff), (12, 0xfe), (8, 0xff), (0, 0xfe), (0, 0xff)]
    {
        let bits = 16 * 8 * 4 + 8 * 5;
        let mut ciphertext = message(bits, Unused::Clear);
        ciphertext[..16].fill(0xff);
        ciphertext[..zero_bytes].fill(0);
        ciphertext[15] = last;
        let (key1, key2) = (key(AES[0], zero_bytes), key(AES[0], 20_000 + usize::from(last)));
        let message = decipher_aes(&key1, &key2, &ciphertext, bits);
        assert_eq!(encipher_aes(&key1, &key2, &message, bits), ciphertext);
        cases.push_length_preserving((&key1, &key2), &message, None, &ciphertext);
    }
    cases
}

/// One full block is lost, and comes back from the tag and the other blocks.
fn recover_cases() -> Cases {
    let mut cases = Cases::new("rec");
    let messages: [((&str, usize), usize, &[usize]); 12] = [
        (AES[0], 16, &[1]),
        (AES[0], 17, &[1]),
        (AES[0], 32, &[1, 2]),
        (AES[0], 33, &[1, 2]),
        (AES[0], 48, &[1, 2, 3]),
        (AES[0], 520, &[1, 16, 31, 32]),
        (AES[1], 100, &[1, 4, 6]),
        (AES[2], 64, &[1, 4]),
        (RC6, 50, &[1, 3]),
        (DES, 8, &[1]),
        (DES, 24, &[1, 2, 3]),
        (DES, 100, &[1, 7, 8, 12]),
    ];
    for (algorithm, bytes, lost) in messages {
        let key = key(algorithm, bytes);
        let Cipher { e, d, n } = cipher(algorithm.0, &key);
        let message = message(8 * bytes, Unused::Clear);
        let tag = pmac_bytes(&e, n, &message, 8 * bytes, n);
        for &block in lost {
            let place = n / 8 * (block - 1)..n / 8 * block;
            let others = [&message[..place.start], &message[place.end..]].concat();
            let others = bits_of(&others, 8 * others.len());
            let recovered = recover(&e, &d, n, &others, block, &bits_of(&tag, n));
            assert_eq!(bytes_of(&recovered), message[place]);

            let mut fields = start(algorithm.0, &[("key_hex", &key)]);
            fields += &format!("\"msg_hex\": \"{}\", \"block\": {block}", hex(&message));
            cases.push(&(fields + &end(algorithm.0, &[("tag_hex", &tag)])));
        }
    }
    cases
}

/// The hash of the tags for every number of bits of one message.
fn sweep(algorithm: (&str, usize), most: usize) -> String {
    let key = key(algorithm, most);
    let cipher = cipher(algorithm.0, &key);
    let mut hash = Sha256::new();
    for bits in 0..=most {
        let message = affine(7, 3, bits.div_ceil(8));
        hash.update(pmac_bytes(&cipher.e, cipher.n, &message, bits, cipher.n));
    }
    let rule = format!(
        "for every bit count N = 0..{most}: the first N bits of affine a=7 b=3 length=ceil(N/8)"
    );
    let mut fields = start(algorithm.0, &[("key_hex", &key)]);
    fields += &format!("\"msg_rule\": \"{rule}\"");
    let hash = hash.finalize();
    format!("{{{fields}{}}}", end(algorithm.0, &[("sha256_of_concatenated_tags", &hash)]))
}

fn intermediate(algorithm: (&str, usize), number: usize) -> String {
    let key = key(algorithm, number);
    let cipher = cipher(algorithm.0, &key);
    let l = l(&cipher.e, cipher.n);
    let mut power = l.clone();
    let mut powers = Vec::new();
    for _ in 0..8 {
        powers.push(format!("\"{}\"", hex(&bytes_of(&power))));
        power = double(&power);
    }
    let mut fields = start(algorithm.0, &[("key_hex", &key)]);
    fields += &format!("\"L_hex\": \"{}\", ", hex(&bytes_of(&l)));
    fields += &format!("\"L_times_x_inverse_hex\": \"{}\", ", hex(&bytes_of(&halve(&l))));
    fields += &format!("\"L_powers_hex\": [{}]", powers.join(", "));
    format!("{{{fields}{}}}", end(algorithm.0, &[]))
}

// The file.

const HEAD: &str = r#"{
 "algorithm": "pmac",
 "source": "reference/examples/pmac_vectors.rs prints this file",
 "message_rules": {
  "affine": "byte i = (a*i + b) mod 256, for i = 0..length-1"
 },
 "notes": [
  "origin: ours = computed only by the oracle.",
  "bits: the message is the first `bits` bits of its ceil(bits/8) bytes, the most significant bit of a byte first; the bits after them are ignored and set in some cases. Without it the message is all its bytes.",
  "tag_bits: the tag is the first `tag_bits` bits, in ceil(tag_bits/8) bytes, the unused bits zero. Without it the tag is the whole block.",
  "PMAC-DES-EDE3: blocks of 64 bits; a key is three DES keys with odd parity.",
  "length_preserving: with X the first 128 bits of the message M and R the rest, Tag = PMAC_key1(M) and the ciphertext is Tag || (R xor (E_key2(Tag), E_key2(Tag + 1), ..)), Tag + i being a big-endian number mod 2^128.",
  "recover: `block` is the number, from 1, of a full block of the message, which comes back from the tag and the other blocks."
 ],
"#;

fn file() -> String {
    let cases = [bit_cases(), tag_cases(), des_cases()].map(|cases| cases.lines).concat();
    let sections = [
        ("sweeps", vec![sweep(AES[0], 1100), sweep(RC6, 600), sweep(DES, 1100)]),
        ("intermediates", vec![intermediate(DES, 0), intermediate(DES, 1), intermediate(RC6, 0)]),
        ("cases", cases),
        ("length_preserving", length_preserving_cases().lines),
        ("recover", recover_cases().lines),
    ];
    let sections = sections.map(|(name, lines)| {
        let lines: Vec<String> = lines.iter().map(|line| format!("  {line}")).collect();
        format!(" \"{name}\": [\n{}\n ]", lines.join(",\n"))
    });
    format!("{HEAD}{}\n}}\n", sections.join(",\n"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    #[test]
    fn the_file_is_what_this_prints() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/pmac-ours.json");
        let kept = std::fs::read_to_string(path).expect("the file is there");
        let printed = file();
        for (number, (kept, printed)) in kept.lines().zip(printed.lines()).enumerate() {
            assert_eq!(kept, printed, "line {}", number + 1);
        }
        assert!(kept == printed, "one of them is longer");
    }

    #[test]
    fn it_is_json_and_every_case_has_its_own_id() {
        let text = file();
        let json: Value = serde_json::from_str(&text).expect("JSON");
        let mut ids = HashSet::new();
        for (section, known) in [("cases", 200), ("length_preserving", 31), ("recover", 28)] {
            let cases = json[section].as_array().expect("a list");
            assert!(cases.len() >= known, "{section} has {}", cases.len());
            for case in cases {
                assert!(ids.insert(case["id"].as_str().expect("a text").to_owned()), "{case}");
            }
        }
        assert_eq!(ids.len(), text.matches("\"id\":").count());
    }

    /// NIST SP 800-67, appendix B.1.
    #[test]
    fn triple_des_at_the_example_of_the_standard() {
        let key: Vec<u8> = [0x0123456789abcdef_u64, 0x23456789abcdef01, 0x456789abcdef0123]
            .iter()
            .flat_map(|key| key.to_be_bytes())
            .collect();
        let Cipher { e, d, .. } = cipher(DES.0, &key);
        let plaintext = b"The qufck brown fox jump";
        let ciphertext = [0xa826fd8ce53b855f_u64, 0xcce21c8112256fe6, 0x68d5c05dd9b6b900];
        for (plaintext, ciphertext) in plaintext.chunks(8).zip(ciphertext) {
            assert_eq!(e(plaintext), ciphertext.to_be_bytes());
            assert_eq!(d(&ciphertext.to_be_bytes()), plaintext);
        }
    }
}
