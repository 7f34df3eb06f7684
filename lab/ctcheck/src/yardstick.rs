//! What the papers measure against: the CBC family, HMAC, PCS, XOR MAC, hash127 and the partial MAC.
//!
//! Not watched: triple DES, whose crate uses tables; and the choice of parts of a partial MAC, because its key
//! selects what is read.

use crate::secrets::{
    LENGTHS, Messages, SECRET, hidden, revealed, revealed_flag, revealed_outcome, secret,
};
use crate::valgrind::{hide, is_hidden, is_running, reveal, unreported};
use wegman::{Aes128, Cpu, NonceOf, Tag};
use wegman_historical::Rc6;
use wegman_yardstick::cbc::{Cmac, Ecbc, Fcbc, FixedLength, Xcbc};
use wegman_yardstick::hash127::{self, Hash127};
use wegman_yardstick::hmac::{HmacMd5, HmacSha1, HmacSha256};
use wegman_yardstick::partial::{self, Division};
use wegman_yardstick::pcs::Pcs;
use wegman_yardstick::xor_mac::{self, Layout, Value};
use wegman_yardstick::{Engine, Key};

/// All of them.
pub fn check(messages: &Messages) {
    check_engine::<Ecbc<Aes128>, 16>("ECBC-AES128", 48, messages);
    check_engine::<Fcbc<Aes128>, 16>("FCBC-AES128", 48, messages);
    check_engine::<Xcbc<Aes128>, 16>("XCBC-AES128", 16, messages);
    check_engine::<Cmac<Aes128>, 16>("CMAC-AES128", 16, messages);
    check_engine::<Xcbc<Aes128>, 12>("XCBC-AES128 of three keys", 48, messages);
    check_engine::<Fcbc<Rc6>, 16>("FCBC-RC6", 48, messages);
    check_engine::<HmacSha1, 20>("HMAC-SHA1", 20, messages);
    check_engine::<HmacSha1, 12>("HMAC-SHA1-96 of a long key", 100, messages);
    check_engine::<HmacMd5, 16>("HMAC-MD5", 16, messages);
    check_engine::<HmacSha256, 32>("HMAC-SHA256", 32, messages);
    check_engine::<Pcs<Aes128>, 16>("PCS-AES128", 16, messages);
    check_fixed_length(messages);
    check_xor_mac(messages);
    check_hash127(messages);
    check_partial(messages);
}

/// Tags, streams, batches of messages of one length and of many, and their verification.
fn check_engine<E: Engine, const N: usize>(name: &str, key_bytes: usize, messages: &Messages) {
    let mut secret: Vec<u8> = (1..).take(key_bytes).collect();
    let portable = Key::<E, N>::from_slice_with_cpu(Cpu::PORTABLE, &secret).expect("its length");
    hide(&mut secret);
    for (kernel, cpu) in Key::<E, N>::kernels(Cpu::detect()) {
        println!("{name}: {kernel}");
        let key = Key::<E, N>::from_slice_with_cpu(cpu, &secret).expect("its length");
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
            xor_mac::Key::<Aes128, 16>::from_slice_with_cpu(cpu, layout, secret).expect("16 bytes")
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
    for (kernel, cpu) in <hash127::Key>::kernels(Cpu::detect()) {
        println!("hash127, hash127-RC6: {kernel}");
        check_hash127_on(cpu, messages);
    }
}

fn check_hash127_on(cpu: Cpu, messages: &Messages) {
    let public = <hash127::Key>::with_cpu(Cpu::PORTABLE, &secret::<32>());
    let key = <hash127::Key>::with_cpu(cpu, &hidden(secret::<32>()));
    // The numbers around which a reduction could have a branch: 0, p, 2p.
    let r = hidden([[0; 16], [0xff; 16], secret()].as_flattened().try_into().expect("48 bytes"));
    let r: [u8; 48] = r;
    for (count, length) in (1..).zip(LENGTHS) {
        let nonce = || NonceOf::counter(count);
        let expected = public.tag(nonce(), &messages.public[..length]);
        let message = &messages.hidden[..length];
        let tag = revealed_number(key.tag(nonce(), message).to_bytes());
        assert_eq!(tag, expected.to_bytes(), "{length} bytes");
        assert!(revealed_outcome(&key.verify(&nonce(), message, &expected)), "{length} bytes");
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
