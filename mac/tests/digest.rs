//! PMAC as the RustCrypto `digest::Mac`: the same tags, and the habits of that trait.

use wegman::cipher::BlockCipher;
use wegman::digest::{FixedOutputReset, InvalidLength, Key, KeyInit, Mac};
use wegman::{Aes128, Aes192, Aes256, pmac};
use wegman_reference::inputs::{LENGTHS, Random, bit_flips, random_pieces};

/// As code for any `Mac` would do it; everything below goes through this or its kin.
fn any_mac_tag<M: Mac + KeyInit>(secret: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    let mut mac = <M as KeyInit>::new_from_slice(secret).expect("a key of the right length");
    pieces.iter().for_each(|piece| mac.update(piece));
    mac.finalize().into_bytes().to_vec()
}

fn check<C: BlockCipher, const N: usize>()
where
    pmac::Mac<C, N>: Mac + KeyInit + Clone + FixedOutputReset,
{
    let secret = Random(30).message(C::KEY_BYTES);
    let key = pmac::Key::<C, N>::from_slice(&secret).unwrap();
    let message = Random(31).message(17409);
    let mut used = <pmac::Mac<C, N> as KeyInit>::new_from_slice(&secret).unwrap();
    for length in LENGTHS {
        let message = &message[..length];
        let expected = key.tag(message).to_bytes();
        let pieces = random_pieces(&mut Random(32), message);
        assert_eq!(any_mac_tag::<pmac::Mac<C, N>>(&secret, &[message]), expected);
        assert_eq!(any_mac_tag::<pmac::Mac<C, N>>(&secret, &pieces), expected);

        // One that has been used before, and gives the same twice in a row.
        for _ in 0..2 {
            Mac::update(&mut used, message);
            let clone = used.clone();
            Mac::update(&mut used, b"x");
            assert_ne!(used.finalize_reset().into_bytes().as_slice(), expected);
            assert_eq!(clone.finalize().into_bytes().as_slice(), expected, "{length}, clone");
            Mac::update(&mut used, message);
            assert_eq!(used.finalize_reset().into_bytes().as_slice(), expected, "{length}");
        }
        Mac::update(&mut used, &message[length / 2..]);
        Mac::reset(&mut used);
        Mac::update(&mut used, message);
        assert_eq!(used.finalize_reset().into_bytes().as_slice(), expected, "{length}, reset");
        used.update(message);
        assert!(used.verify_slice_reset(&expected).is_ok());
        used.update(message);
        assert!(used.verify_slice_reset(&[0x5a; N]).is_err());
    }
}

#[test]
fn macs_are_their_keys() {
    check::<Aes128, 16>();
    check::<Aes128, 4>();
    check::<Aes192, 9>();
    check::<Aes256, 16>(); // not RC6: its crate's cipher has no `Clone`
}

/// Also the methods for truncated tags take a whole one, and nothing shorter: the key fixes the length.
#[test]
fn only_whole_tags_verify() {
    fn check<const N: usize>(message: &[u8])
    where
        pmac::Mac<Aes128, N>: Mac + KeyInit + Clone,
    {
        let secret = b"sixteen byte key";
        let mac = <pmac::Mac<Aes128, N> as KeyInit>::new_from_slice(secret).unwrap();
        let mac = mac.chain_update(message);
        let tag = pmac::Key::<Aes128, N>::new(secret).tag(message).to_bytes();
        let longer = [tag.as_slice(), &[0]].concat();
        for verify in [Mac::verify_slice, Mac::verify_truncated_left, Mac::verify_truncated_right] {
            let is_ok = |tag: &[u8]| verify(mac.clone(), tag).is_ok();
            assert!(is_ok(&tag));
            for length in 0..N {
                assert!(!is_ok(&tag[..length]), "the first {length} of {N} bytes");
                assert!(!is_ok(&tag[N - length..]), "the last {length} of {N} bytes");
            }
            assert!(!is_ok(&longer));
            assert!(bit_flips(&tag).all(|other| !is_ok(&other)));
        }
    }
    check::<16>(b"a message");
    check::<12>(b"");
    check::<4>(&[7; 100]);
}

#[test]
fn keys_of_other_lengths_are_refused() {
    for length in 0..=64 {
        let secret = vec![1; length];
        let made = |mac: Result<(), _>| mac.map_err(|_: InvalidLength| ());
        let aes128 = <pmac::Mac<Aes128, 16> as KeyInit>::new_from_slice(&secret).map(drop);
        assert_eq!(made(aes128).is_ok(), length == 16, "{length} bytes");
        let aes256 = <pmac::Mac<Aes256, 16> as KeyInit>::new_from_slice(&secret).map(drop);
        assert_eq!(made(aes256).is_ok(), length == 32, "{length} bytes");
    }
}

#[test]
fn a_key_becomes_a_mac() {
    let key = pmac::Key::<Aes192, 12>::new(&[5; 24]);
    let mac = pmac::Mac::from(key.clone()).chain_update(b"a message");
    assert_eq!(mac.finalize().into_bytes().as_slice(), key.tag(b"a message").to_bytes());
    assert_eq!(format!("{:?}", pmac::Mac::from(key)), "pmac::Mac<12>");
    assert_eq!(Key::<pmac::Mac<Aes192, 12>>::default().len(), 24);
}
