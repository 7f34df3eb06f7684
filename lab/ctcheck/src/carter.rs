//! Carter by its own key.

use crate::secrets::{LENGTHS, Messages, revealed, revealed_flag, revealed_outcome};
use crate::valgrind::{hide, unreported};
use wegman::{Aes128, Aes256, Cpu, NonceOf, Tag};
use wegman_carter as carter;

/// Ciphers, lengths of tags and of nonces.
pub fn check(messages: &Messages) {
    check_carter::<Aes128, 16, 12>("AES128", messages);
    check_carter::<Aes256, 16, 16>("AES256", messages);
    check_carter::<Aes256, 12, 12>("AES256", messages);
    check_carter::<Aes128, 8, 16>("AES128", messages);
}

/// Carter by its own key: tags and streams around its pairs, groups and blocks, batches of each class of lengths.
fn check_carter<C: carter::Cipher, const N: usize, const L: usize>(
    cipher: &str,
    messages: &Messages,
) {
    let mut secret = vec![0x5a; C::KEY_BYTES];
    let make = |cpu, secret: &[u8]| {
        carter::Key::<C, N, L>::from_slice_with_cpu(cpu, secret).expect("the cipher's length")
    };
    let portable = make(Cpu::PORTABLE, &secret);
    hide(&mut secret);
    let nonce = |i: usize| NonceOf::<L>::counter(0xfffd + i as u64);
    let first = || nonce(0);
    for (name, cpu) in carter::Key::<C, N, L>::kernels(Cpu::detect()) {
        println!("Carter-{}, {cipher}, nonces of {L} bytes: {name}", 8 * N);
        let key = make(cpu, &secret);
        for length in LENGTHS {
            let message = &messages.hidden[..length];
            let expected = portable.tag(first(), &messages.public[..length]).to_bytes();
            assert_eq!(revealed(key.tag(first(), message)), expected, "{name}, {length} bytes");
            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.clone().finish(first())), expected, "{name}, stream");
            for wrong in [0, 1] {
                let mut received = expected;
                received[N - 1] ^= wrong;
                hide(&mut received);
                let received = Tag::from(received);
                let outcome = revealed_outcome(&key.verify(&first(), message, &received));
                assert_eq!(outcome, wrong == 0, "{name}, verify");
                let outcome = revealed_outcome(&stream.clone().verify(&first(), &received));
                assert_eq!(outcome, wrong == 0, "{name}, stream verifies");
            }
        }
        // The longest of eight decides how they are taken, and three are left behind them.
        for longest in [16, 64, 2100] {
            let length = |i: usize| 1 + 7 * i % longest;
            let hidden: Vec<&[u8]> = (0..19).map(|i| &messages.hidden[..length(i)]).collect();
            let mut tags = [Tag::from([0; N]); 19];
            key.tag_many(first(), &hidden, &mut tags).expect("enough nonces");
            let mut packets = Vec::new();
            for (i, tag) in tags.into_iter().enumerate() {
                let expected = portable.tag(nonce(i), &messages.public[..length(i)]);
                assert_eq!(revealed(tag), expected.to_bytes(), "{name}, batch of up to {longest}");
                packets.push((nonce(i), hidden[i], expected));
            }
            // In order, which is a batch, and backwards, which is none.
            for _ in 0..2 {
                let mut valid = [false; 19];
                _ = unreported(|| key.verify_many(&packets, &mut valid));
                assert!(valid.into_iter().all(revealed_flag), "{name}, verify_many");
                packets.reverse();
            }
        }
        // Above what goes to threads, so that their states are joined.
        let mut stream = key.stream();
        stream.update_rayon(&messages.hidden[..(3 << 20) + 7]);
        let expected = portable.tag(first(), &messages.public[..(3 << 20) + 7]).to_bytes();
        assert_eq!(revealed(stream.finish(first())), expected, "{name}, threads");
    }
}
