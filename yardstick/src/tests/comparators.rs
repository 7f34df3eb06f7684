//! What of the comparators the catalogue does not list, beside the oracle.

use crate::Rc6;
use crate::cbc::{Cmac, Ecbc, Fcbc, FixedLength, WrongLength, Xcbc};
use crate::hash127::{self, Hash127};
use crate::hmac::{HmacMd5, HmacSha1, HmacSha256};
use crate::partial::{self, Division};
use crate::pcs::Pcs;
use crate::xor_mac::Value;
use crate::{Engine, Key};
use wegman::cipher::{BlockCipher, Invertible};
use wegman::{Aes128, Cpu, Tag, TagMismatch};
use wegman_reference::cbc_mac::{self as oracle_cbc, Cipher};
use wegman_reference::inputs::Random;
use wegman_reference::{aes, hmac as oracle_hmac, md5, rc6, sha1};
use wegman_reference::{hash127 as oracle_hash127, sum_macs};

/// Lengths around blocks, the 64-byte blocks of hashes and their padding, and the buffers of streams.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=140).chain([191, 192, 193, 255, 256, 257, 1000, 1023, 1024, 1025, 4096])
}

/// Tags of whole messages and of streams on every kernel.
fn check<E: Engine, const N: usize>(secret: &[u8], oracle: &dyn Fn(&[u8]) -> Vec<u8>) {
    let message = Random(80).message(4096 + lengths().count());
    for (kernel, cpu) in Key::<E, N>::kernels(Cpu::detect()) {
        let key = Key::<E, N>::from_slice_with_cpu(cpu, secret).expect("its length");
        assert_eq!(key.kernel(), kernel);
        for (start, length) in lengths().enumerate() {
            let message = &message[start..][..length];
            let tag = oracle(message);
            let tag = Tag::from(*tag.first_chunk::<N>().unwrap());
            assert_eq!(key.tag(message), tag, "{key:?}, {length} bytes");
            let mut stream = key.stream();
            message.chunks(77).for_each(|piece| stream.update(piece));
            assert_eq!(stream.tag(), tag, "{key:?}, {length} bytes in pieces");
        }
    }
}

// CBC-MAC and its variants.

type BoxedCipher = Box<Cipher<'static, 16>>;

fn aes_of(key: &[u8]) -> BoxedCipher {
    let aes = aes::Aes::new(key);
    Box::new(move |block| aes.encrypt(block))
}

fn rc6_of(key: &[u8]) -> BoxedCipher {
    let rc6 = rc6::Rc6::new(key);
    Box::new(move |block| rc6.encrypt(block))
}

#[test]
fn cbc_variants_over_aes() {
    let secret: [u8; 48] = Random(81).bytes();
    let ([k1, k2, k3], _) = secret.as_chunks::<16>() else { panic!("three keys") };
    let [e1, e2, e3] = [k1, k2, k3].map(|key| aes_of(key));
    let ecbc = |message: &[u8]| oracle_cbc::ecbc([&*e1, &*e2, &*e3], message).to_vec();
    check::<Ecbc<Aes128>, 5>(&secret, &ecbc);
    let fcbc = |message: &[u8]| oracle_cbc::fcbc([&*e1, &*e2, &*e3], message).to_vec();
    check::<Fcbc<Aes128>, 16>(&secret, &fcbc);
    let [m2, m3] = oracle_cbc::cmac_subkeys(&*e1);
    let cmac = |message: &[u8]| oracle_cbc::xcbc(&*e1, &m2, &m3, message).to_vec();
    check::<Cmac<Aes128>, 12>(k1, &cmac);
    // A key that is longer than a block.
    let secret: [u8; 64] = Random(82).bytes();
    let (e1, (k2, k3)) = (aes_of(&secret[..32]), secret[32..].split_at(16));
    let (k2, k3) = (k2.try_into().unwrap(), k3.try_into().unwrap());
    let xcbc = |message: &[u8]| oracle_cbc::xcbc(&*e1, k2, k3, message).to_vec();
    check::<Xcbc<wegman::Aes256>, 16>(&secret, &xcbc);
}

/// RC6-32/20/b for every b, one block and several side by side, there and back.
#[test]
fn rc6_with_every_length_of_key() {
    let secret: [u8; 255] = Random(83).bytes();
    let plain: [[u8; 16]; 41] = std::array::from_fn(|i| Random(84 + i as u64).bytes());
    for b in 0..=secret.len() {
        let (cipher, oracle) = (Rc6::with_key(&secret[..b]).unwrap(), rc6::Rc6::new(&secret[..b]));
        let wanted = plain.map(|block| oracle.encrypt(&block));
        let mut blocks = plain;
        cipher.encrypt_many(&mut blocks);
        assert_eq!(blocks, wanted, "{b} bytes of key");
        for length in 0..plain.len() {
            let mut blocks = plain;
            cipher.encrypt_many(&mut blocks[..length]);
            assert_eq!(blocks[..length], wanted[..length], "{length} blocks");
            assert_eq!(blocks[length..], plain[length..], "{length} blocks");
        }
        for (mut block, wanted) in plain.into_iter().zip(wanted) {
            let before = block;
            cipher.encrypt(&mut block);
            assert_eq!(block, wanted);
            cipher.decrypt(&mut block);
            assert_eq!(block, before);
        }
    }
    assert!(Rc6::with_key(&[0; 256]).is_err());
    for length in (0..40).filter(|length| *length != 16) {
        assert!(Rc6::from_slice(Cpu::detect(), &secret[..length]).is_err(), "{length}");
    }
}

fn check_fixed_length<C: BlockCipher<Key = [u8; 16]>>(cipher: fn(&[u8]) -> BoxedCipher) {
    let secret: [u8; 16] = Random(83).bytes();
    let e = cipher(&secret);
    let message = Random(84).message(1024 + 20);
    for length in [16, 32, 48, 64, 80, 96, 112, 128, 144, 1024] {
        for cpu in [Cpu::detect(), Cpu::PORTABLE] {
            let key = FixedLength::<C, 16>::with_cpu(cpu, &secret, length);
            let messages = [&message[..length], &message[1..][..length]];
            let expected = messages.map(|message| Tag::from(oracle_cbc::cbc_mac(&*e, message)));
            assert_eq!(key.tag(messages[0]), Ok(expected[0]));
            assert_eq!(key.verify(messages[1], &expected[1]), Ok(()));
            assert_eq!(key.verify(messages[1], &expected[0]), Err(TagMismatch));
        }
    }
}

#[test]
fn cbc_mac_of_fixed_length() {
    check_fixed_length::<Aes128>(aes_of);
    check_fixed_length::<Rc6>(rc6_of);
    let key = FixedLength::<Aes128, 4>::new(&[0; 16], 32);
    for length in (0..=100).filter(|length| *length != 32) {
        assert_eq!(key.tag(&[0; 100][..length]), Err(WrongLength));
        assert_eq!(key.verify(&[0; 100][..length], &Tag::from([0; 4])), Err(TagMismatch));
    }
}

#[test]
#[should_panic(expected = "whole blocks")]
fn a_fixed_length_is_of_whole_blocks() {
    let _ = FixedLength::<Aes128, 16>::new(&[0; 16], 33);
}

// HMAC.

#[test]
fn hmac() {
    let secret = Random(85).message(200);
    for length in [0, 1, 16, 20, 63, 64, 65, 200] {
        let secret = &secret[..length];
        let sha1 = |message: &[u8]| oracle_hmac::hmac(sha1::sha1, secret, message);
        check::<HmacSha1, 20>(secret, &sha1);
        check::<HmacSha1, 12>(secret, &sha1);
        let md5 = |message: &[u8]| oracle_hmac::hmac(md5::md5, secret, message);
        check::<HmacMd5, 16>(secret, &md5);
        check::<HmacMd5, 12>(secret, &md5);
    }
}

/// A secret, a message and its HMAC-SHA256.
type Answer<'a> = (&'a [u8], &'a [u8], &'a str);

/// RFC 4231, sections 4.2 to 4.8; the fifth tag is cut.
#[test]
fn hmac_sha256_of_rfc_4231() {
    let count: Vec<u8> = (1..=25).collect();
    let large = [0xaa; 131];
    let answers: [Answer<'_>; 7] = [
        (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (
            b"Jefe",
            b"what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        ),
        (&[0xaa; 20], &[0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (&count, &[0xcd; 50], "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        (&[0x0c; 20], b"Test With Truncation", "a3b6167473100ee06e0c796c2955552b"),
        (
            &large,
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
        (
            &large,
            b"This is a test using a larger than block-size key and a larger than block-size data. \
              The key needs to be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        ),
    ];
    for (secret, message, expected) in answers {
        let tag = Key::<HmacSha256, 32>::new(secret).tag(message).to_string();
        assert_eq!(&tag[..expected.len()], expected);
    }
}

// Sums.

#[test]
fn protected_counter_sums() {
    let secret: [u8; 16] = Random(86).bytes();
    check::<Pcs<Aes128>, 8>(&secret, &|message| sum_macs::pcs(&secret, message).to_vec());
}

#[test]
fn values_end() {
    assert!(Value::new([0x7f; 16]).is_some());
    assert_eq!(Value::new([0xff; 16]), None);
}

// hash127.

/// Every kernel's hash with `r`.
fn hashes127(r: &[u8; 16]) -> impl Iterator<Item = Hash127> {
    Hash127::kernels(Cpu::detect()).map(|(kernel, cpu)| {
        let hash = Hash127::with_cpu(cpu, r);
        assert_eq!(hash.kernel(), kernel);
        hash
    })
}

/// Words at both ends of their range.
const EDGE_WORDS: [i32; 7] = [i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX - 1, i32::MAX];

/// Numbers around 0, 2^127 and 2^128, in the form of `r`; those around 2^126 and 2^64, where limbs change sign; and
/// those whose limbs are the greatest of all.
fn edge_numbers(random: &mut Random) -> Vec<[u8; 16]> {
    const BIAS: u128 = 0x8000_0000_8000_0000_8000_0000_8000_0000;
    let mut numbers: Vec<[u8; 16]> = (0..6).map(|_| random.bytes()).collect();
    for top in EDGE_WORDS {
        for low in EDGE_WORDS {
            numbers.push([low, low, low, top].map(i32::to_le_bytes).concat().try_into().unwrap());
            numbers.push([low, 0, -1, top].map(i32::to_le_bytes).concat().try_into().unwrap());
        }
    }
    for edge in [0u128, 1 << 25, 1 << 52, 1 << 63, 1 << 64, 1 << 104, 1 << 126, 1 << 127] {
        for number in [edge.wrapping_sub(1), edge, edge + 1] {
            // Four signed words that are this number.
            numbers.push((number.wrapping_add(BIAS) ^ BIAS).to_le_bytes());
        }
    }
    numbers
}

/// Lengths at which a block, a group or half a group ends.
#[test]
fn hash127_of_edge_numbers() {
    let mut random = Random(89);
    let numbers = edge_numbers(&mut random);
    for (i, r) in numbers.iter().enumerate() {
        let k = numbers[(7 * i + 3) % numbers.len()];
        let (of_r, of_k) = (oracle_hash127::four_words(r), oracle_hash127::four_words(&k));
        let hashes: Vec<Hash127> = hashes127(r).collect();
        for count in (0..=20).chain([31, 32, 33, 63, 64, 65, 127, 128, 129, 256, 257]) {
            for fill in [Some(EDGE_WORDS[i % 7]), Some(EDGE_WORDS[i / 7 % 7]), None] {
                let message: Vec<i32> =
                    (0..count).map(|_| fill.unwrap_or(random.word() as i32)).collect();
                let bytes: Vec<[u8; 4]> = message.iter().map(|word| word.to_le_bytes()).collect();
                let u = oracle_hash127::hash127(&of_r, &message, &of_k);
                for hash in &hashes {
                    let found = hash.hash(&bytes, &k);
                    let case = format!("{hash:?}, r {r:02x?}, {count} words, {fill:?}");
                    assert_eq!(found, u.to_le_bytes(), "{case}");
                    assert_eq!(hash127::out_words(&found), oracle_hash127::out_words(u));
                }
            }
        }
    }
}

/// Every length up to four blocks, of the words whose sums are the greatest and of others, with r = 1, -1, 0, whose
/// powers have the same limbs, with that whose limbs in vectors of 256 bits are the greatest, and with any.
#[test]
fn hash127_of_every_length() {
    let mut random = Random(97);
    let any = random.bytes();
    // Four limbs of 2^25; a fifth would be above the modulus.
    let greatest = (0..4).map(|i| 1i128 << (26 * i + 25)).sum();
    let rs = [1, -1, 0, greatest].map(|mut number: i128| {
        let words: [[u8; 4]; 4] = std::array::from_fn(|_| {
            let word = number as i32;
            number = (number - i128::from(word)) >> 32;
            word.to_le_bytes()
        });
        words.concat().try_into().unwrap()
    });
    for r in rs.into_iter().chain([any]) {
        let k = random.bytes();
        let (of_r, of_k) = (oracle_hash127::four_words(&r), oracle_hash127::four_words(&k));
        let hashes: Vec<Hash127> = hashes127(&r).collect();
        let any: Vec<i32> = (0..520).map(|_| random.word() as i32).collect();
        for words in [vec![i32::MIN; 520], vec![i32::MAX; 520], vec![-1; 520], vec![0; 520], any] {
            let bytes: Vec<[u8; 4]> = words.iter().map(|word| word.to_le_bytes()).collect();
            for count in 0..=words.len() {
                let u = oracle_hash127::hash127(&of_r, &words[..count], &of_k).to_le_bytes();
                for hash in &hashes {
                    let case = format!("{hash:?}, r {r:02x?}, {count} words like {}", words[0]);
                    assert_eq!(hash.hash(&bytes[..count], &k), u, "{case}");
                }
            }
        }
    }
}

/// The pad that takes every hash to 0, which has two forms until the end.
#[test]
fn hash127_is_below_its_modulus() {
    const P: u128 = (1 << 127) - 1;
    const BIAS: u128 = 0x8000_0000_8000_0000_8000_0000_8000_0000;
    let mut random = Random(96);
    for count in (0..40).chain([127, 128, 129, 300]) {
        let message = vec![[0x5a; 4]; count];
        let r: [u8; 16] = if count % 4 == 0 { [0; 16] } else { random.bytes() };
        for (hash, of_zero) in hashes127(&r).zip(hashes127(&[0; 16])) {
            let u = u128::from_le_bytes(hash.hash(&message, &[0; 16]));
            // Four signed words whose number is -u.
            let k = (((P - u) % P + BIAS) ^ BIAS).to_le_bytes();
            assert_eq!(hash.hash(&message, &k), [0; 16], "{hash:?}, {count} words");
            assert_eq!(of_zero.hash(&message, &[0; 16]), [0; 16]);
        }
    }
}

// Partial MAC.

/// One part of each region, and the tag of these; `wegman-answers` has known answers.
#[test]
fn partial_macs() {
    let (ks, km) = (Random(93).bytes::<16>(), Random(94).bytes::<20>());
    let hmac = Key::<HmacSha1, 12>::new(&km);
    let message = Random(95).message(4096);
    for (part, region) in [(1, 1), (1, 8), (3, 5), (16, 4), (64, 100), (5000, 2)] {
        let key = partial::Key::new(Division::new(part, region), &ks, &km);
        for (count, length) in (0u64..).zip(lengths()) {
            let (nonce, message) = (count.to_le_bytes(), &message[..length]);
            let parts: Vec<&[u8]> = message.chunks(part).collect();
            let chosen: Vec<usize> = key.selected_parts(&nonce, length).collect();
            let regions = parts.chunks(region).enumerate();
            let in_each = regions.zip(&chosen).all(|((i, parts), chosen)| {
                (region * i..region * i + parts.len()).contains(chosen)
            });
            assert!(in_each && chosen.len() == parts.len().div_ceil(region), "{chosen:?}");
            let bytes = [nonce, (length as u64).to_be_bytes()].concat();
            let text = chosen.iter().fold(bytes, |text, part| [&text, parts[*part]].concat());
            let tag = hmac.tag(&text);
            assert_eq!(key.tag(&nonce, message), tag, "{key:?}, {length} bytes");
            assert_eq!(key.verify(&nonce, message, &tag), Ok(()));
        }
    }
    let key = partial::Key::new(Division::new(1, 5), &ks, &km);
    let mut times = [0; 5];
    (0u64..5000).for_each(|i| {
        key.selected_parts(&i.to_be_bytes(), 5).for_each(|part| times[part] += 1);
    });
    assert!(times.iter().all(|n| (900..1100).contains(n)), "{times:?}");
}

#[test]
#[should_panic(expected = "at most 65536")]
fn regions_have_no_part_that_is_never_chosen() {
    let _ = Division::new(1, 65537);
}
