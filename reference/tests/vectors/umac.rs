//! Every case, sweep and intermediate value of vectors/{umac-2000,umac-1999}.json.

use super::files::{VectorFile, from_hex, hex, message_of, number, sweep_hash, text};
use serde_json::Value;
use wegman_reference::umac_1999::{
    Mode, Set, hash_key, hash_message, prf, prf_key, tag_input, umac_1999,
};
use wegman_reference::umac_2000::{
    Cipher, Endian, Function, L3Keys, NonceIndex, Params, Sign, kdf, l1, l1_key, l2, l2_key, l3,
    l3_keys, l3_mask, pad_key, pdf, uhash, umac,
};

// UMAC 2000.

/// The parameters of the name, which must be those that `params` repeats, and the readings.
fn params_2000(vector: &Value) -> Params {
    let (function, named) = Params::parse(text(vector, "algorithm")).expect("a name");
    assert_eq!(function, Function::Umac);
    let Some(listed) = vector.get("params") else { return named };
    fn one_of<T: Copy, const N: usize>(listed: &Value, field: &str, all: [(&str, T); N]) -> T {
        let value = text(listed, field);
        all.iter().find(|(name, _)| *name == value).expect("it is known").1
    }
    let draft = ("draft", L3Keys::Draft);
    let refcode = [("refcode-0.05", L3Keys::Refcode005), ("v0.01", L3Keys::Refcode001)];
    let indices = [
        ("unpadded-index", NonceIndex::UnpaddedIndex),
        ("draft-literal", NonceIndex::DraftLiteral),
    ];
    let signs = [("SIGNED", Sign::Signed), ("UNSIGNED", Sign::Unsigned)];
    let params = Params {
        word_len: number(listed, "word_len"),
        output_len: number(listed, "output_len"),
        l1_key_len: number(listed, "l1_key_len"),
        key_len: number(listed, "key_len"),
        sign: one_of(listed, "sign", signs),
        endian: one_of(listed, "endian", [("LITTLE", Endian::Little), ("BIG", Endian::Big)]),
        cipher: one_of(listed, "cipher", [("AES", Cipher::Aes), ("RC6", Cipher::Rc6)]),
        l3_keys: one_of(listed, "l3_keys", [draft, refcode[0], refcode[1]]),
        nonce_index: one_of(listed, "nonce_index", indices),
    };
    assert_eq!(listed.as_object().expect("a list of parameters").len(), 9);
    let readings = Params {
        cipher: params.cipher,
        l3_keys: params.l3_keys,
        nonce_index: params.nonce_index,
        ..named
    };
    assert_eq!(params, readings, "the name says otherwise");
    params
}

#[test]
fn umac_2000_cases() {
    VectorFile::read("umac-2000.json").for_each_case(|case| {
        let id = text(case, "id");
        let params = params_2000(case);
        let key = hex(case, "key_hex");
        let message = message_of(case);
        let hash = uhash(&params, &key, &message);
        assert_eq!(hash, hex(case, "uhash_hex"), "{id}");
        // The tag without hashing twice.
        let pad = pdf(&params, &key, &hex(case, "nonce_hex"));
        let tag: Vec<u8> = hash.iter().zip(&pad).map(|(hash, pad)| hash ^ pad).collect();
        assert_eq!(tag, hex(case, "tag_hex"), "{id}");
    });
}

#[test]
fn umac_2000_sweeps() {
    VectorFile::read("umac-2000.json").for_each_sweep(|sweep| {
        let params = params_2000(sweep);
        let key = hex(sweep, "key_hex");
        let nonce = hex(sweep, "nonce_hex");
        let hash = sweep_hash(sweep, |message| umac(&params, &key, message, &nonce));
        assert_eq!(hash, hex(sweep, "sha256_of_concatenated_tags"), "{sweep}");
    });
}

#[test]
fn umac_2000_intermediates() {
    let file = VectorFile::read("umac-2000.json");
    file.for_each("intermediates", "pdf_key_hex", check_2000_intermediate);
}

fn check_2000_intermediate(intermediate: &Value) {
    let params = params_2000(intermediate);
    let key = hex(intermediate, "key_hex");
    let nonce = hex(intermediate, "nonce_hex");
    let message = message_of(intermediate);
    let fields = intermediate.as_object().expect("an intermediate has fields");
    assert_eq!(fields.len(), 13, "a field that this test does not know");

    for index in 0..3 {
        let expected = hex(intermediate, &format!("kdf{index}_first64_hex"));
        assert_eq!(kdf(&params, &key, index, 64), expected);
    }
    assert_eq!(kdf(&params, &key, 3, 16), hex(intermediate, "kdf3_first16_hex"));
    assert_eq!(pad_key(&params, &key), hex(intermediate, "pdf_key_hex"));
    assert_eq!(pdf(&params, &key, &nonce), hex(intermediate, "pad_hex"));

    let streams = intermediate["streams"].as_array().expect("a list of streams");
    assert_eq!(streams.len(), params.streams());
    let mut hash = Vec::new();
    for (stream, expected) in streams.iter().enumerate() {
        assert_eq!(expected.as_object().expect("a stream has fields").len(), 5);
        let outputs = expected["l1_out_hex"].as_array().expect("a list");
        let outputs = outputs.iter().flat_map(|y| from_hex(y.as_str().expect("hexadecimal")));
        let a = l1(&params, &l1_key(&params, &key, stream), &message);
        assert_eq!(a, outputs.collect::<Vec<u8>>());

        let l2_key = l2_key(&params, &key, stream);
        assert_eq!(l2_key, hex(expected, "l2_key_hex"));
        let b = l2(&params, &l2_key, &a);
        assert_eq!(b.to_vec(), hex(expected, "l2_out_hex"));

        let l3_keys = l3_keys(&params, &key, stream);
        assert_eq!(Value::from(l3_keys.to_vec()), expected["l3_keys"]);
        let l3_mask = l3_mask(&params, &key, stream);
        assert_eq!(l3_mask, hex(expected, "l3_mask_hex"));
        hash.extend(l3(&params, &l3_keys, &l3_mask, &b));
    }
    assert_eq!(hash, hex(intermediate, "uhash_hex"));
    assert_eq!(umac(&params, &key, &message, &nonce), hex(intermediate, "tag_hex"));
}

// UMAC 1999.

fn set_1999(vector: &Value) -> Set {
    Set::parse(text(vector, "algorithm")).expect("a name")
}

/// The STD sets have no such padding; any mode will do.
fn modes_1999(vector: &Value) -> &'static [Mode] {
    match text(vector, "cbc_padding") {
        "n/a" => &[Mode::Paper, Mode::Ref02505],
        "paper" => &[Mode::Paper],
        "ref-0.25.05" => &[Mode::Ref02505],
        other => panic!("unknown padding {other}"),
    }
}

fn nonce_1999(vector: &Value) -> [u8; 8] {
    hex(vector, "nonce_hex").try_into().expect("8 bytes")
}

#[test]
fn umac_1999_cases() {
    VectorFile::read("umac-1999.json").for_each_case(|case| {
        let set = set_1999(case);
        let key = hex(case, "key_hex");
        let message = message_of(case);
        for &mode in modes_1999(case) {
            let tag = umac_1999(set, mode, &key, &message, &nonce_1999(case));
            assert_eq!(tag, hex(case, "tag_hex"), "{}", text(case, "id"));
        }
    });
}

#[test]
fn umac_1999_sweeps() {
    VectorFile::read("umac-1999.json").for_each_sweep(|sweep| {
        let set = set_1999(sweep);
        let key = hex(sweep, "key_hex");
        let nonce = nonce_1999(sweep);
        let mode = modes_1999(sweep)[0];
        let hash = sweep_hash(sweep, |message| umac_1999(set, mode, &key, message, &nonce));
        assert_eq!(hash, hex(sweep, "sha256_of_concatenated_tags"), "{sweep}");
    });
}

#[test]
fn umac_1999_intermediates() {
    let file = VectorFile::read("umac-1999.json");
    file.for_each("intermediates", "prf_input_hex", check_1999_intermediate);
}

fn check_1999_intermediate(intermediate: &Value) {
    let set = set_1999(intermediate);
    let key = hex(intermediate, "key_hex");
    let nonce = nonce_1999(intermediate);
    let message = message_of(intermediate);
    let fields = intermediate.as_object().expect("an intermediate has fields");
    assert_eq!(fields.len(), 10, "a field that this test does not know");

    let hash_key = hash_key(set, &key);
    assert_eq!(hash_key.len(), number(intermediate, "hash_key_len"));
    assert_eq!(hash_key[..64], hex(intermediate, "hash_key_first64_hex"));
    let prf_key = prf_key(set, &key);
    assert_eq!(prf_key, hex(intermediate, "prf_key_hex"));

    let hm = hash_message(set, &hash_key, &message);
    assert_eq!(hm, hex(intermediate, "hashed_message_hex"));
    let x = hex(intermediate, "prf_input_hex");
    assert_eq!(tag_input(set, &key, &message, &nonce), (0, x.clone()));

    let expected = hex(intermediate, "tag_paper_padding_hex");
    assert_eq!(prf(set, Mode::Paper, &prf_key, 0, &x), expected);
    assert_eq!(umac_1999(set, Mode::Paper, &key, &message, &nonce), expected);
}
