//! What other crates rely on: traits, conversions, errors and formats of keys, streams, tags and nonces.

use std::io::{self, Read, Write};
use std::sync::Arc;
use wegman::{Aes128, Aes256, AnyTag, InvalidHex, InvalidLength, NonceOf, Tag, pmac, ssh, umac};
use zeroize::ZeroizeOnDrop;

static_assertions::assert_impl_all!(umac::Key<8>: Clone, Send, Sync, ZeroizeOnDrop, Unpin);
static_assertions::assert_impl_all!(umac::Key<16, 12>: Clone, Send, Sync, ZeroizeOnDrop);
static_assertions::assert_impl_all!(umac::CompactKey<8>: Clone, Send, Sync, ZeroizeOnDrop);
static_assertions::assert_impl_all!(ssh::Mac: Clone, Send, Sync, ZeroizeOnDrop, Unpin);
static_assertions::assert_impl_all!(pmac::Key<Aes128, 16>: Clone, Send, Sync, ZeroizeOnDrop);
static_assertions::assert_impl_all!(pmac::Key<Aes256, 4>: Clone, Send, Sync, ZeroizeOnDrop);
static_assertions::assert_impl_all!(umac::Stream<Arc<umac::Key<8>>, 8>: Clone, Send, Write);
static_assertions::assert_impl_all!(umac::Stream<umac::Key<8>, 8>: Clone, Send, Sync, Write);
static_assertions::assert_impl_all!(pmac::Stream<Arc<pmac::Key<Aes128, 16>>, Aes128, 16>: Clone, Send, Sync, Write);
static_assertions::assert_not_impl_any!(NonceOf<8>: Clone, Copy);
static_assertions::assert_not_impl_any!(Tag<8>: std::hash::Hash, PartialOrd, AsRef<[u8]>, std::ops::Deref);
static_assertions::assert_not_impl_any!(AnyTag: std::hash::Hash, PartialOrd, AsRef<[u8]>, std::ops::Deref);

const SECRET: &[u8; 16] = b"abcdefghijklmnop";

#[test]
fn generated_keys_come_with_their_secrets() {
    let (key, secret) = umac::Key::<8>::generate().unwrap();
    let tag = key.tag(NonceOf::counter(1), b"a message");
    assert_eq!(umac::Key::<8>::new(&secret).tag(NonceOf::counter(1), b"a message"), tag);
    let (other, another) = umac::Key::<8>::generate().unwrap();
    assert_ne!(*secret, *another, "two secrets of 16 random bytes");
    assert_ne!(other.tag(NonceOf::counter(1), b"a message"), tag);
    let (key, secret) = pmac::Key::<Aes256, 16>::generate().unwrap();
    assert_eq!(pmac::Key::<Aes256, 16>::new(&secret).tag(b"x"), key.tag(b"x"));
    let (key, secret) = umac::CompactKey::<16, 16>::generate().unwrap();
    let nonce = || NonceOf::from([9; 16]);
    assert_eq!(umac::Key::<16, 16>::new(&secret).tag(nonce(), b"x"), key.tag(nonce(), b"x"));
}

/// Streams that borrow, own and share their keys, on other threads too.
#[test]
fn streams_keep_their_keys_in_any_way() {
    let key = umac::Key::<8>::new(SECRET);
    let message: Vec<u8> = (0..5000).map(|i| i as u8).collect();
    let tag = key.tag(NonceOf::counter(1), &message);
    let mut borrowed = key.stream();
    let mut owned = umac::Stream::new(key.clone());
    let mut shared = umac::Stream::new(Arc::new(key.clone()));
    let mut boxed = umac::Stream::new(Box::new(key.clone()));
    for piece in message.chunks(999) {
        borrowed.update(piece);
        owned.update(piece);
        shared.update(piece);
        boxed.update(piece);
    }
    assert_eq!(borrowed.clone().finish(NonceOf::counter(1)), tag);
    let moved = move || owned.finish(NonceOf::counter(1));
    #[cfg(not(target_family = "wasm"))]
    let moved = || std::thread::spawn(moved).join().unwrap();
    assert_eq!(moved(), tag);
    assert_eq!(shared.finish_reset(NonceOf::counter(1)), tag);
    shared.update(&message);
    assert!(shared.verify(&NonceOf::counter(1), &tag).is_ok(), "after another message");
    assert!(boxed.verify(&NonceOf::counter(2), &tag).is_err());
}

/// The compact key has the tags of the whole one, in every way there is.
#[test]
fn compact_keys_are_the_same_keys() {
    fn check<const N: usize>() {
        let (key, compact) = (umac::Key::<N>::new(SECRET), umac::CompactKey::<N>::new(SECRET));
        assert_eq!(key.kernel(), compact.kernel());
        let text: Vec<u8> = (0..5000).map(|i| (i * 7) as u8).collect();
        for length in [0, 1, 43, 64, 1024, 1025, 5000] {
            let message = &text[..length];
            for count in [0, 1, 2, 5] {
                let nonce = || NonceOf::counter(count);
                let tag = key.tag(nonce(), message);
                assert_eq!(compact.tag(nonce(), message), tag, "{N}, {length} bytes");
                assert!(compact.verify(&nonce(), message, &tag).is_ok());
                let mut stream = compact.stream();
                message.chunks(700).for_each(|piece| stream.update(piece));
                assert_eq!(stream.finish(nonce()), tag, "{N}, {length} bytes in pieces");
            }
        }
        let messages: Vec<&[u8]> = (0..40).map(|i| &text[..31 * i]).collect();
        let (mut one, mut other) = (vec![Tag::from([0; N]); 40], vec![Tag::from([1; N]); 40]);
        key.tag_many(NonceOf::counter(5), &messages, &mut one).unwrap();
        compact.tag_many(NonceOf::counter(5), &messages, &mut other).unwrap();
        assert_eq!(one, other);
    }
    check::<4>();
    check::<8>();
    check::<12>();
    check::<16>();
}

/// A reader that yields its bytes in odd pieces, is interrupted in between, and may break off.
struct Odd<'a> {
    rest: &'a [u8],
    calls: usize,
    breaks_off: bool,
}

impl Read for Odd<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.breaks_off && self.rest.len() < 1000 {
            return Err(io::Error::other("the line is dead"));
        }
        let count = self.rest.len().min(out.len()).min(1 + self.calls * 77 % 3000);
        let (piece, rest) = self.rest.split_at(count);
        out[..count].copy_from_slice(piece);
        self.rest = rest;
        Ok(count)
    }
}

#[test]
fn streams_read_readers_and_are_writers() {
    let message: Vec<u8> = (0..200_001_u32).map(|i| (i % 251) as u8).collect();
    let key = pmac::Key::<Aes128, 16>::new(SECRET);
    let tag = key.tag(&message);
    let mut stream = key.stream();
    let odd = Odd { rest: &message, calls: 0, breaks_off: false };
    assert_eq!(stream.update_reader(odd).unwrap(), 200_001);
    assert_eq!(stream.finish(), tag);
    let mut stream = key.stream();
    assert_eq!(io::copy(&mut &message[..], &mut stream).unwrap(), 200_001);
    stream.flush().unwrap();
    assert_eq!(stream.finish(), tag);

    let key = umac::Key::<8>::new(SECRET);
    let mut stream = key.stream();
    stream.update_reader(&message[..]).unwrap();
    assert_eq!(stream.finish(NonceOf::counter(1)), key.tag(NonceOf::counter(1), &message));
    let mut stream = key.stream();
    stream.write_all(&message).unwrap();
    assert_eq!(stream.finish(NonceOf::counter(2)), key.tag(NonceOf::counter(2), &message));
    let broken = Odd { rest: &message, calls: 0, breaks_off: true };
    assert_eq!(key.stream().update_reader(broken).unwrap_err().to_string(), "the line is dead");
}

#[test]
fn tags_and_nonces_are_hexadecimal_texts() {
    let tag = Tag::from([0x01, 0xab, 0x00, 0xff]);
    assert_eq!(format!("{tag} {tag:x} {tag:?}"), "01ab00ff 01ab00ff Tag(01ab00ff)");
    assert_eq!("01aB00Ff".parse(), Ok(tag));
    let nonce = NonceOf::<8>::counter(0xabc);
    assert_eq!(format!("{nonce:x}"), "0000000000000abc");
    assert_eq!("0000000000000aBc".parse::<NonceOf<8>>(), Ok(nonce));

    let error = |text: &str| text.parse::<Tag<4>>().unwrap_err();
    for text in ["", "01ab00f", "01ab00fff", "01ab00ff\n"] {
        assert!(matches!(error(text), InvalidHex::Length { digits: 8, .. }), "{text:?}");
    }
    // Signs, spaces, a prefix, and letters that are no digits although the number of bytes is right.
    for (text, place) in [
        ("g1ab00ff", 0),
        ("+1ab00ff", 0),
        (" 1ab00ff", 0),
        ("0x1ab00f", 1),
        ("01ab 0ff", 4),
        ("01ab00f-", 7),
        ("01ab00\u{e9}", 6),
        ("\u{ff10}12ab0", 0),
    ] {
        assert!(matches!(error(text), InvalidHex::Digit { at, .. } if at == place), "{text:?}");
    }
    assert_eq!(error("01").to_string(), "not 8 hexadecimal digits");
    assert_eq!(error("x1ab00ff").to_string(), "no hexadecimal digit at byte 0");
    assert_eq!(Tag::<4>::try_from(&[1, 2, 3][..]), Err(InvalidLength));
    assert_eq!(NonceOf::<8>::try_from(&[1; 9][..]), Err(InvalidLength));
    assert_eq!(InvalidLength.to_string(), "not of a length this type takes");
}

#[test]
fn serde_writes_digits_for_people_and_bytes_for_programs() {
    let tag = Tag::from([1, 2, 3, 0xfe]);
    let text = serde_json::to_string(&tag).unwrap();
    assert_eq!(text, "\"010203fe\"");
    assert_eq!(serde_json::from_str::<Tag<4>>(&text).unwrap(), tag);
    for wrong in ["\"010203f\"", "\"010203fx\"", "\"010203fe00\"", "[1,2,3,254]", "7", "null"] {
        assert!(serde_json::from_str::<Tag<4>>(wrong).is_err(), "{wrong}");
    }
    let error = serde_json::from_str::<Tag<4>>("\"010203fx\"").unwrap_err().to_string();
    assert!(error.starts_with("no hexadecimal digit at byte 7"), "{error}");

    let bytes = postcard::to_stdvec(&tag).unwrap();
    assert_eq!(bytes, [4, 1, 2, 3, 0xfe]);
    assert_eq!(postcard::from_bytes::<Tag<4>>(&bytes).unwrap(), tag);
    assert!(postcard::from_bytes::<Tag<4>>(&[3, 1, 2, 3]).is_err());
    assert!(postcard::from_bytes::<Tag<4>>(&[5, 1, 2, 3, 4, 5]).is_err());

    let nonce = NonceOf::<12>::counter(77);
    let text = serde_json::to_string(&nonce).unwrap();
    assert_eq!(text, "\"00000000000000000000004d\"");
    assert_eq!(serde_json::from_str::<NonceOf<12>>(&text).unwrap(), nonce);
    let bytes = postcard::to_stdvec(&nonce).unwrap();
    assert_eq!(postcard::from_bytes::<NonceOf<12>>(&bytes).unwrap(), nonce);
}

/// Nonces of two lengths share a pad: why the length is in a key's type.
#[test]
fn nonces_of_two_lengths_share_a_pad() {
    use wegman::hazmat::raw::{self, Nonce};
    let key = umac::Key::<8>::new(SECRET);
    let tag = |nonce: &[u8]| raw::tag(&key, &Nonce::new(nonce).unwrap(), b"a message");
    assert_eq!(tag(&[2]), tag(&[2, 0]));
    // The low bit selects the half of the block, and leaves before the zeroes come: [1] is half 1 of block 0, and so is
    // [0, 1].
    assert_eq!(tag(&[1]), tag(&[0, 1]));
    assert_ne!(tag(&[1]), tag(&[0, 2]));
}
