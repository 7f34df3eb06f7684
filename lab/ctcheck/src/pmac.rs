//! PMAC: tags, streams, batches, threads.

use crate::secrets::{LENGTHS, Messages, revealed, revealed_flag, revealed_outcome};
use crate::segments;
use crate::valgrind::hide;
use wegman::cipher::{Block, Invertible};
use wegman::{Aes128, Aes192, Aes256, Cpu, Tag, pmac};

/// All ciphers.
pub fn check(messages: &Messages) {
    check_pmac::<Aes128>("AES128", messages);
    check_pmac::<Aes192>("AES192", messages);
    check_pmac::<Aes256>("AES256", messages);
}

fn check_pmac<C: Invertible<Block = Block>>(cipher: &str, messages: &Messages) {
    let mut secret = vec![0x5a; C::KEY_BYTES];
    let portable =
        pmac::Key::<C, 16>::from_slice_with_cpu(Cpu::PORTABLE, &secret).expect("its length");
    hide(&mut secret);
    for (name, cpu) in pmac::Key::<C, 16>::kernels(Cpu::detect()) {
        println!("PMAC-{cipher}: {name}");
        let key = pmac::Key::<C, 16>::from_slice_with_cpu(cpu, &secret).expect("its length");
        let short = pmac::Key::<C, 5>::from_slice_with_cpu(cpu, &secret).expect("its length");
        for length in LENGTHS {
            let message = &messages.hidden[..length];
            let expected = portable.tag(&messages.public[..length]).to_bytes();
            assert_eq!(revealed(key.tag(message)), expected, "{name}, {length} bytes");
            assert_eq!(revealed(short.tag(message)), expected[..5], "{name}, short tag");
            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.tag()), expected, "{name}, stream");
            for wrong in [0, 1] {
                let mut received = expected;
                received[15] ^= wrong;
                let outcome = revealed_outcome(&key.verify(message, &Tag::from(received)));
                assert_eq!(outcome, wrong == 0, "{name}, verify");
            }

            // Two go one after the other, eleven beside empty ones.
            for count in [2, 11, 16] {
                let mut tags = vec![Tag::from([0; 16]); count];
                key.tag_many(&vec![message; count], &mut tags);
                assert!(tags.into_iter().all(|tag| revealed(tag) == expected), "{name}, batch");
                let mut valid = vec![false; count];
                _ = key.verify_many(&vec![(message, Tag::from(expected)); count], &mut valid);
                assert!(valid.into_iter().all(revealed_flag), "{name}, verify_many");
            }
        }
        // The longest of a batch decides how it is taken.
        for longest in [16, 32, 48, 80, 600] {
            let length = |i: usize| longest - 7 * i % (longest.min(16) + 1);
            let hidden: Vec<&[u8]> = (0..16).map(|i| &messages.hidden[..length(i)]).collect();
            let mut tags = [Tag::from([0; 16]); 16];
            key.tag_many(&hidden, &mut tags);
            for (i, tag) in tags.into_iter().enumerate() {
                let expected = portable.tag(&messages.public[..length(i)]).to_bytes();
                assert_eq!(revealed(tag), expected, "{name}, batch of up to {longest} bytes");
            }
        }
        let mut stream = key.stream();
        stream.update_rayon(&messages.hidden[..(1 << 20) + 7]);
        let expected = portable.tag(&messages.public[..(1 << 20) + 7]).to_bytes();
        assert_eq!(revealed(stream.tag()), expected, "{name}, threads");
        segments::check(name, &key, &portable, messages);
    }
}
