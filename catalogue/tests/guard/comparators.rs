//! The same for UMAC of 2000 and of 1999, and for the comparators.

use super::{Guarded, message};
use wegman::{Aes128, Cpu, NonceOf, Tag};
use wegman_historical::umac_1999::{self, Set};
use wegman_historical::{Nonce, Rc6, Umac1999, Umac2000};
use wegman_yardstick::cbc::{Cmac, Ecbc, Fcbc, FixedLength, Xcbc};
use wegman_yardstick::hmac::{HmacMd5, HmacSha1, HmacSha256};
use wegman_yardstick::partial::{self, Division};
use wegman_yardstick::pcs::Pcs;
use wegman_yardstick::xor_mac::{self, Layout, Value};
use wegman_yardstick::{Engine, Key, hash127, polyval};

/// Every length up to some registers, then around the chunks, steps and blocks of all of these.
fn lengths() -> impl Iterator<Item = usize> {
    let edges = [256, 512, 1024, 2048, 3072, 4096, 5120];
    (0..=200).chain(edges.into_iter().flat_map(|edge| edge - 34..=edge + 34))
}

/// Three pieces, or fewer.
fn pieces(message: &[u8]) -> impl Iterator<Item = &[u8]> {
    message.chunks(1 + message.len() / 3)
}

/// Tags of messages at the ends of memory equal those of the portable kernel elsewhere.
fn check<T: PartialEq + std::fmt::Debug>(
    name: &str,
    portable: impl Fn(&[u8]) -> T,
    tag: impl Fn(&[u8]) -> T,
) {
    let message = message();
    let mut guarded = Guarded::new(message.len());
    for length in lengths() {
        let message = &message[..length];
        let expected = portable(message);
        assert_eq!(tag(guarded.at_end(message)), expected, "{name}, {length} bytes at the end");
        assert_eq!(tag(guarded.at_start(message)), expected, "{name}, {length} at the start");
    }
}

#[test]
fn umac_of_2000() {
    let nonce = Nonce::counter(5);
    let names = "UMAC16 UMAC-2/16/1024/16/SIGNED UMAC32 UMAC-2/32/32/16/SIGNED UMAC-2/3/64 \
                 UMAC-4/32/64 UMAC-4/12/1024/16/SIGNED UMAC-2/6/1024/16/SIGNED/BIG";
    for name in names.split(' ') {
        let parameters = name.parse().expect("a name of the family");
        let new = |cpu| Umac2000::with_cpu(cpu, &parameters, super::SECRET).expect("16 bytes");
        let portable = new(Cpu::PORTABLE);
        for (kernel, cpu) in Umac2000::kernels(Cpu::detect(), &parameters) {
            let key = new(cpu);
            let case = format!("{name}, {kernel}");
            let expected = |message: &[u8]| portable.tag(&nonce, message);
            check(&case, expected, |message| key.tag(&nonce, message));
            check(&format!("{case}, stream"), expected, |message| {
                let mut stream = key.stream();
                pieces(message).for_each(|piece| stream.update(piece));
                stream.finish(&nonce)
            });
            for words in 1..parameters.words() {
                check(
                    &format!("{case}, {words} words"),
                    |message| portable.tag_prefix(&nonce, message, words),
                    |message| key.tag_prefix(&nonce, message, words),
                );
            }
        }
    }
}

fn check_set<S: Set>() {
    let secret = &b"a secret of 20 bytes"[..S::KEY_BYTES];
    let new = |cpu| Umac1999::<S>::from_slice_with_cpu(cpu, secret).expect("the set's length");
    let portable = new(Cpu::PORTABLE);
    for (kernel, cpu) in Umac1999::<S>::kernels(Cpu::detect()) {
        let key = new(cpu);
        let case = format!("{}, {kernel}", S::NAME);
        let expected = |message: &[u8]| portable.tag(5, message);
        check(&case, expected, |message| key.tag(5, message));
        check(&format!("{case}, stream"), expected, |message| {
            let mut stream = key.stream();
            pieces(message).for_each(|piece| stream.update(piece));
            stream.finish(5)
        });
    }
}

#[test]
fn umac_of_1999() {
    check_set::<umac_1999::Std30>();
    check_set::<umac_1999::Std60>();
    check_set::<umac_1999::Mmx15>();
    check_set::<umac_1999::Mmx30>();
    check_set::<umac_1999::Mmx60>();
    let key = umac_1999::Figure1::new(&[5; 4096], &[6; 64]);
    let here = |message: &[u8]| key.tag(5, message);
    check("Figure 1", here, here);
    check("Figure 1, stream", here, |message| {
        let mut stream = key.stream(5);
        pieces(message).for_each(|piece| stream.update(piece));
        stream.finish()
    });
}

/// One message, a stream, a full batch, and each place of a batch beside others.
fn check_engine<E: Engine>(name: &str, key_bytes: usize) {
    let secret: Vec<u8> = (1..).take(key_bytes).collect();
    let new = |cpu| Key::<E, 12>::from_slice_with_cpu(cpu, &secret).expect("its length");
    let portable = new(Cpu::PORTABLE);
    let expected = |message: &[u8]| portable.tag(message);
    for (kernel, cpu) in Key::<E, 12>::kernels(Cpu::detect()) {
        let key = new(cpu);
        let case = format!("{name}, {kernel}");
        check(&case, expected, |message| key.tag(message));
        check(&format!("{case}, stream"), expected, |message| {
            let mut stream = key.stream();
            pieces(message).for_each(|piece| stream.update(piece));
            stream.tag()
        });
        check(&format!("{case}, batch"), expected, |message| {
            let mut messages = [&b"another"[..]; 8];
            let place = message.len() % 8;
            messages[place] = message;
            messages[(place + 3) % 8] = message;
            let mut tags = [Tag::from([0; 12]); 8];
            key.tag_many(&messages, &mut tags);
            assert_eq!(tags[place], tags[(place + 3) % 8]);
            tags[place]
        });
    }
}

#[test]
fn cbc_macs() {
    check_engine::<Ecbc<Aes128>>("ECBC", 48);
    check_engine::<Fcbc<Aes128>>("FCBC", 48);
    check_engine::<Xcbc<Aes128>>("XCBC", 16);
    check_engine::<Cmac<Aes128>>("CMAC", 16);
    check_engine::<Fcbc<Rc6>>("FCBC-RC6", 48);
    let message = message();
    let mut guarded = Guarded::new(message.len());
    for length in [16, 32, 64, 4096] {
        let expected = FixedLength::<Aes128, 16>::with_cpu(Cpu::PORTABLE, super::SECRET, length);
        let key = FixedLength::<Aes128, 16>::new(super::SECRET, length);
        let message = &message[..length];
        assert_eq!(key.tag(guarded.at_end(message)), expected.tag(message));
        assert_eq!(key.tag(guarded.at_start(message)), expected.tag(message));
    }
}

#[test]
fn hmacs_and_sums() {
    check_engine::<HmacSha1>("HMAC-SHA1", 20);
    check_engine::<HmacMd5>("HMAC-MD5", 16);
    check_engine::<HmacSha256>("HMAC-SHA256", 32);
    check_engine::<Pcs<Aes128>>("PCS", 16);
    for layout in [Layout::Data, Layout::Value] {
        type XorMac = xor_mac::Key<Aes128, 16>;
        let new = |cpu| XorMac::from_slice_with_cpu(cpu, layout, super::SECRET).expect("16 bytes");
        let (portable, value) = (new(Cpu::PORTABLE), Value::counter(5));
        for (kernel, cpu) in XorMac::kernels(Cpu::detect()) {
            let key = new(cpu);
            check(
                &format!("XOR MAC, {layout:?}, {kernel}"),
                |message| portable.tag(&value, message),
                |message| key.tag(&value, message),
            );
        }
    }
}

#[test]
fn hash127_and_partial_macs() {
    let nonce = || NonceOf::counter(5);
    let new = |cpu| <hash127::Key>::from_slice_with_cpu(cpu, &[7; 32]).expect("32 bytes");
    let portable = new(Cpu::PORTABLE);
    for (kernel, cpu) in <hash127::Key>::kernels(Cpu::detect()) {
        let key = new(cpu);
        check(
            &format!("hash127-RC6, {kernel}"),
            |message| portable.tag(nonce(), message),
            |message| key.tag(nonce(), message),
        );
    }
    for division in [Division::new(16, 4), Division::new(3, 5)] {
        let key = partial::Key::new(division, super::SECRET, &[7; 20]);
        let here = |message: &[u8]| key.tag(&[5; 8], message);
        check("partial MAC", here, here);
    }
}

#[test]
fn polyval_aes() {
    let nonce = || NonceOf::counter(5);
    let new = |cpu| polyval::Key::<12>::with_cpu(cpu, super::SECRET);
    let portable = new(Cpu::PORTABLE);
    for (kernel, cpu) in polyval::Key::<12>::kernels(Cpu::detect()) {
        let key = new(cpu);
        let case = format!("Polyval-AES, {kernel}");
        let expected = |message: &[u8]| portable.tag(nonce(), message);
        check(&case, expected, |message| key.tag(nonce(), message));
        check(&format!("{case}, eight"), expected, |message| {
            let mut tags = [Tag::from([0; 16]); 8];
            key.tag_many(nonce(), &[message; 8], &mut tags).expect("enough nonces");
            tags[0]
        });
        check(&format!("{case}, stream"), expected, |message| {
            let mut stream = key.stream();
            pieces(message).for_each(|piece| stream.update(piece));
            stream.finish(nonce())
        });
    }
}
