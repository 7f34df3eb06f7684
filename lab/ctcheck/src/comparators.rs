//! UMAC of 1999, the comparators and the families of universal hash functions (feature `yardstick`).
//!
//! Not watched: triple DES, whose crate looks in tables; which parts a partial MAC reads, since its key
//! chooses them; primes without a name, by which is divided; and the refusal of a word, a set, a
//! polynomial or a state, which everybody may know.

use super::valgrind::{has_hidden, hide, is_hidden, is_running, reveal, unreported};
use super::{LENGTHS, Messages, SECRET, revealed, revealed_flag, revealed_outcome};
use wegman::universal::{
    Bucket, Crc, LfsrToeplitz, Mh, Mmh16, Mmh32, MmhStar, Nh, Nht, Nht2, Nhx, Nmh32, NmhStar,
    Polynomial, Prime, Sign, Sqh, Tmmh16,
};
use wegman::yardstick::cbc::{Ecbc, Fcbc, FixedLength, Xcbc};
use wegman::yardstick::hash127::{self, Hash127};
use wegman::yardstick::hmac::{HmacMd5, HmacSha1};
use wegman::yardstick::partial::{self, Division};
use wegman::yardstick::pcs::Pcs;
use wegman::yardstick::xor_mac::{self, Layout, Value};
use wegman::yardstick::{Engine, Key};
use wegman::{Aes128, Bits, Cpu, Nonce, Tag, cipher::Rc6, umac_1999};

pub fn check(messages: &Messages) {
    check_umac_1999::<umac_1999::Std30, 20>(messages);
    check_umac_1999::<umac_1999::Std60, 20>(messages);
    check_umac_1999::<umac_1999::Mmx15, 16>(messages);
    check_umac_1999::<umac_1999::Mmx30, 16>(messages);
    check_umac_1999::<umac_1999::Mmx60, 16>(messages);
    check_figure_1(messages);

    check_engine::<Ecbc<Aes128>, 16>("ECBC-AES128", 48, messages);
    check_engine::<Fcbc<Aes128>, 16>("FCBC-AES128", 48, messages);
    check_engine::<Xcbc<Aes128>, 16>("XCBC-AES128", 16, messages);
    check_engine::<Xcbc<Aes128>, 12>("XCBC-AES128 of three keys", 48, messages);
    check_engine::<Fcbc<Rc6>, 16>("FCBC-RC6", 48, messages);
    check_engine::<HmacSha1, 20>("HMAC-SHA1", 20, messages);
    check_engine::<HmacSha1, 12>("HMAC-SHA1-96 of a long key", 100, messages);
    check_engine::<HmacMd5, 16>("HMAC-MD5", 16, messages);
    check_engine::<Pcs<Aes128>, 16>("PCS-AES128", 16, messages);
    check_fixed_length(messages);
    check_xor_mac(messages);
    check_hash127(messages);
    check_partial(messages);
    check_universal(messages);
}

/// The bytes 1, 2, 3, ...
fn secret<const N: usize>() -> [u8; N] {
    std::array::from_fn(|i| i as u8 + 1)
}

fn hidden<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    hide(&mut bytes);
    bytes
}

fn check_umac_1999<S: umac_1999::Set<Tag = Tag<N>>, const N: usize>(messages: &Messages) {
    let make = |cpu, secret: &[u8]| {
        umac_1999::Key::<S>::from_slice(cpu, secret).expect("the set's length")
    };
    let portable = make(Cpu::PORTABLE, &secret::<N>());
    for (kernel, cpu) in umac_1999::Key::<S>::kernels(Cpu::detect()) {
        println!("{}: {kernel}", S::NAME);
        let key = make(cpu, &hidden(secret::<N>()));
        for (nonce, length) in (0xfe..).zip(LENGTHS.into_iter().chain([4095, 4096, 8193])) {
            let expected = portable.tag(nonce, &messages.public[..length]).to_bytes();
            let message = &messages.hidden[..length];
            assert_eq!(revealed(key.tag(nonce, message)), expected, "{kernel}, {length} bytes");
            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.tag(nonce)), expected, "{kernel}, stream");
            for wrong in [0, 1] {
                let mut received = expected;
                received[N - 1] ^= wrong;
                let outcome = revealed_outcome(&key.verify(nonce, message, &Tag::from(received)));
                assert_eq!(outcome, wrong == 0, "{kernel}, verify");
            }
        }
    }
}

fn check_figure_1(messages: &Messages) {
    println!("Figure 1");
    let (k, a) = (secret::<4096>(), secret::<64>());
    let public = umac_1999::figure_1::Key::new(&k, &a);
    let key = umac_1999::figure_1::Key::new(&hidden(k), &hidden(a));
    for length in LENGTHS.into_iter().chain([4095, 4096, 8193]) {
        let expected = public.tag(7, &messages.public[..length]).to_bytes();
        assert_eq!(revealed(key.tag(7, &messages.hidden[..length])), expected, "{length} bytes");
    }
}

/// Tags, streams, batches of messages of one length and of many, and their verification.
fn check_engine<E: Engine, const N: usize>(name: &str, key_bytes: usize, messages: &Messages) {
    let mut secret: Vec<u8> = (1..).take(key_bytes).collect();
    let portable = Key::<E, N>::from_slice(Cpu::PORTABLE, &secret).expect("its length");
    hide(&mut secret);
    for (kernel, cpu) in Key::<E, N>::kernels(Cpu::detect()) {
        println!("{name}: {kernel}");
        let key = Key::<E, N>::from_slice(cpu, &secret).expect("its length");
        let expected = LENGTHS.map(|length| portable.tag(&messages.public[..length]).to_bytes());
        for (length, expected) in LENGTHS.into_iter().zip(expected) {
            let message = &messages.hidden[..length];
            assert_eq!(revealed(key.tag(message)), expected, "{kernel}, {length} bytes");
            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.tag()), expected, "{kernel}, stream");
            for wrong in [0, 1] {
                let mut received = expected;
                received[N - 1] ^= wrong;
                let outcome = revealed_outcome(&key.verify(message, &Tag::from(received)));
                assert_eq!(outcome, wrong == 0, "{kernel}, verify");
            }
        }
        let hidden = LENGTHS.map(|length| &messages.hidden[..length]);
        let mut tags = [Tag::from([0; N]); LENGTHS.len()];
        key.tag_many(&hidden, &mut tags);
        assert_eq!(tags.map(revealed), expected, "{kernel}, batch");
        let packets: Vec<_> = hidden.into_iter().zip(expected.map(Tag::from)).collect();
        let mut valid = [false; LENGTHS.len()];
        _ = unreported(|| key.verify_many(&packets, &mut valid));
        assert!(valid.into_iter().all(revealed_flag), "{kernel}, verify_many");
    }
}

fn check_fixed_length(messages: &Messages) {
    for (name, cpu) in [("portable", Cpu::PORTABLE), ("the machine", Cpu::detect())] {
        println!("CBC-MAC-AES128: {name}");
        for length in [16, 32, 1024] {
            let public = FixedLength::<Aes128, 16>::new(&SECRET, length);
            let key = FixedLength::<Aes128, 16>::with_cpu(cpu, &hidden(SECRET), length);
            let expected = public.tag(&messages.public[..length]).expect("its length");
            let tag = key.tag(&messages.hidden[..length]).expect("its length");
            assert_eq!(revealed(tag), expected.to_bytes(), "{name}, {length} bytes");
            let mut tags = [Tag::from([0; 16]); 11];
            key.tag_many(&[&messages.hidden[..length]; 11], &mut tags).expect("their length");
            assert!(tags.into_iter().all(|tag| revealed(tag) == expected.to_bytes()), "{name}");
        }
    }
}

fn check_xor_mac(messages: &Messages) {
    for layout in [Layout::Data, Layout::Value] {
        let make = |cpu, secret: &[u8]| {
            xor_mac::Key::<Aes128, 16>::from_slice(cpu, layout, secret).expect("16 bytes")
        };
        let portable = make(Cpu::PORTABLE, &SECRET);
        for (kernel, cpu) in xor_mac::Key::<Aes128, 16>::kernels(Cpu::detect()) {
            println!("XOR MAC, {layout:?}: {kernel}");
            let key = make(cpu, &hidden(SECRET));
            for (count, length) in (1..).zip(LENGTHS) {
                let value = Value::counter(count);
                let expected = portable.tag(&value, &messages.public[..length]);
                let message = &messages.hidden[..length];
                let tag = revealed(key.tag(&value, message));
                assert_eq!(tag, expected.to_bytes(), "{kernel}, {length} bytes");
                assert!(revealed_outcome(&key.verify(&value, message, &expected)), "{kernel}");
            }
        }
    }
}

fn check_hash127(messages: &Messages) {
    for (kernel, cpu) in hash127::Key::kernels(Cpu::detect()) {
        println!("hash127, hash127-RC6: {kernel}");
        check_hash127_on(cpu, messages);
    }
}

fn check_hash127_on(cpu: Cpu, messages: &Messages) {
    let public = hash127::Key::from_slice(Cpu::PORTABLE, &secret::<32>()).expect("32 bytes");
    let key = hash127::Key::from_slice(cpu, &hidden(secret::<32>())).expect("32 bytes");
    // The numbers around which a reduction could have a branch: 0, p, 2p.
    let r = hidden([[0; 16], [0xff; 16], secret()].as_flattened().try_into().expect("48 bytes"));
    let r: [u8; 48] = r;
    for (count, length) in (1..).zip(LENGTHS) {
        let nonce = Nonce::counter(count);
        let expected = public.tag(&nonce, &messages.public[..length]);
        let message = &messages.hidden[..length];
        let tag = revealed_number(key.tag(&nonce, message).to_bytes());
        assert_eq!(tag, expected.to_bytes(), "{length} bytes");
        assert!(revealed_outcome(&key.verify(&nonce, message, &expected)), "{length} bytes");
        for r in r.as_chunks().0 {
            _ = revealed_number(Hash127::with_cpu(cpu, r).hash(message.as_chunks().0, r));
        }
    }
}

/// A number below 2^127, whose highest bit is known.
fn revealed_number(mut bytes: [u8; 16]) -> [u8; 16] {
    let is_checked = is_hidden(&bytes[..15]) || !is_running();
    assert!(is_checked, "the hash does not depend on the secret");
    reveal(&mut bytes);
    bytes
}

/// The key that chooses the parts is public here.
fn check_partial(messages: &Messages) {
    println!("partial MAC");
    let division = Division::new(16, 4);
    let public = partial::Key::new(division, &SECRET, &secret());
    let key = partial::Key::new(division, &SECRET, &hidden(secret()));
    for length in LENGTHS {
        let expected = public.tag(&[0; 8], &messages.public[..length]);
        let message = &messages.hidden[..length];
        let tag = revealed(key.tag(&[0; 8], message));
        assert_eq!(tag, expected.to_bytes(), "{length} bytes");
        assert!(revealed_outcome(&key.verify(&[0; 8], message, &expected)), "{length} bytes");
    }
}

/// A key and a message of each family in words of so many bits.
struct Words {
    key: Vec<u64>,
    message: Vec<u64>,
}

impl Words {
    /// The bits above w are zero, which valgrind knows.
    fn new(bytes: &[u8], w: u32) -> Words {
        let words = |bytes: &[u8]| -> Vec<u64> {
            bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word) >> (64 - w)).collect()
        };
        Words { key: words(&bytes[..8 * 34]), message: words(&bytes[1000..][..8 * 16]) }
    }
}

/// Hashes of the secret and of the same in public, as everybody may see them.
fn compare(name: &str, messages: &Messages, hash: impl Fn(&[u8]) -> Vec<u8>) {
    let expected = hash(&messages.public);
    let mut found = hash(&messages.hidden);
    assert!(!is_running() || has_hidden(&found), "{name} does not depend on the secret");
    reveal(&mut found);
    assert_eq!(found, expected, "{name}");
}

fn bytes_of(numbers: &[u128]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn check_universal(messages: &Messages) {
    for w in [1, 7, 8, 16, 31, 32, 63, 64] {
        println!("NH, NHT, NHT2, MH of {w} bits");
        for sign in [Sign::Unsigned, Sign::Signed] {
            compare("NH", messages, |bytes| {
                let Words { key, message } = Words::new(bytes, w);
                bytes_of(&[Nh::new(sign, w, &key).unwrap().hash(&message).unwrap()])
            });
            compare("NHT", messages, |bytes| {
                let Words { key, message } = Words::new(bytes, w);
                let mut out = [0; 3];
                Nht::new(sign, w, 3, &key).unwrap().hash(&message, &mut out).unwrap();
                bytes_of(&out)
            });
            compare("NHT2", messages, |bytes| {
                let Words { key, message } = Words::new(bytes, w);
                let (k, l) = key.split_at(10);
                bytes_of(&Nht2::new(sign, w, k, l).unwrap().hash(&message).unwrap())
            });
            if w % 8 == 0 {
                compare("NHX", messages, |bytes| {
                    let Words { key, .. } = Words::new(bytes, w);
                    let nhx = Nhx::new(sign, w, 2, &key, 2).unwrap();
                    let message = &bytes[..777];
                    let mut out = vec![0; nhx.hash_bytes(message.len())];
                    nhx.hash(message, &mut out).unwrap();
                    out
                });
            }
        }
        compare("MH", messages, |bytes| {
            let Words { key, message } = Words::new(bytes, w);
            bytes_of(&[Mh::new(w, &key).unwrap().hash(&message).unwrap()])
        });
    }

    // The message is public: a word of p or more is refused, and that is a branch.
    for (prime, w) in [(Prime::P16, 16), (Prime::P32, 32), (Prime::P61, 60)] {
        println!("MMH*, NMH*, SQH modulo {}", prime.value());
        compare("MMH*, NMH*, SQH", messages, |bytes| {
            let Words { key, .. } = Words::new(bytes, w);
            let Words { message, .. } = Words::new(&messages.public, w);
            let (mmh, nmh, sqh) = unreported(|| {
                let (mmh, nmh) = (MmhStar::new(prime, &key), NmhStar::new(prime, &key));
                (mmh.unwrap(), nmh.unwrap(), Sqh::new(prime, &key).unwrap())
            });
            let hashes = [mmh.hash(&message), nmh.hash(&message), sqh.hash(&message)];
            hashes.into_iter().flat_map(|hash| hash.unwrap().to_le_bytes()).collect()
        });
    }
    println!("MMH32, NMH32, MMH16, TMMH/16");
    compare("MMH32, NMH32", messages, |bytes| {
        let words = |bytes: &[u8]| -> Vec<u32> {
            bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
        };
        let (key, message) = (words(&bytes[..400]), words(&bytes[500..900]));
        let hashes = [Mmh32::new(&key).hash(&message), Nmh32::new(&key).hash(&message)];
        hashes.into_iter().flat_map(|hash| hash.unwrap().to_le_bytes()).collect()
    });
    compare("MMH16", messages, |bytes| {
        let words = |bytes: &[u8]| -> Vec<u16> {
            bytes.as_chunks().0.iter().map(|word| u16::from_le_bytes(*word)).collect()
        };
        let (key, message) = (words(&bytes[..400]), words(&bytes[500..900]));
        Mmh16::new(&key).hash(&message).unwrap().to_le_bytes().into()
    });
    compare("TMMH/16", messages, |bytes| {
        let mut out = vec![0; 8];
        Tmmh16::new(&bytes[..400]).unwrap().hash(&bytes[500..777], &mut out).unwrap();
        out
    });

    println!("bucket hashing, CRC, LFSR-Toeplitz");
    compare("bucket hashing", messages, |bytes| {
        // Different sets of three, some from the secret: what stands there is 0 to 31.
        let key: Vec<[u16; 3]> = bytes[..16]
            .iter()
            .zip(0..)
            .map(|(byte, i)| [i, 16 + i, 32 + u16::from(byte & 31)])
            .collect();
        let bucket = unreported(|| Bucket::new(64, &key).unwrap());
        let words = Words::new(bytes, 64);
        let mut out = [0; 64];
        bucket.hash(&words.message, &mut out).unwrap();
        out.into_iter().flat_map(u64::to_le_bytes).collect()
    });
    for (degree, low) in [(8_u32, 0x1b), (61, 0x27), (64, 0x1b), (128, 0x87)] {
        let polynomial = |secret: bool| {
            let mut low = u128::to_le_bytes(low);
            if secret {
                hide(&mut low[..degree.div_ceil(8) as usize]);
            }
            unreported(|| Polynomial::new(degree, u128::from_le_bytes(low)).unwrap())
        };
        for bits in [0, 1, 127, 1001] {
            let hash = |bytes: &[u8], secret| {
                let message = Bits::new(&bytes[..u64::div_ceil(bits, 8) as usize], bits).unwrap();
                let state = bytes.first_chunk().map(|bytes| u128::from_le_bytes(*bytes)).unwrap();
                let state = state >> (128 - degree);
                let lfsr = unreported(|| LfsrToeplitz::new(polynomial(secret), state).unwrap());
                bytes_of(&[Crc::new(polynomial(secret)).hash(message), lfsr.hash(message)])
            };
            let mut found = hash(&messages.hidden, true);
            assert!(!is_running() || bits == 0 || has_hidden(&found), "{degree}, {bits} bits");
            reveal(&mut found);
            assert_eq!(found, hash(&messages.public, false), "{degree}, {bits} bits");
        }
    }
}
