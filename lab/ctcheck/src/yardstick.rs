//! What the catalogue has no keys for: CBC-MAC, hash127 and the partial MAC.
//!
//! Not watched: the choice of parts of a partial MAC, because its key selects what is read.

use crate::secrets::{
    LENGTHS, Messages, SECRET, hidden, reveal_secret, revealed, revealed_outcome, secret,
};
use wegman::{Aes128, Cpu, Tag};
use wegman_yardstick::cbc::FixedLength;
use wegman_yardstick::hash127::Hash127;
use wegman_yardstick::partial::{self, Division};

/// All of them.
pub fn check(messages: &Messages) {
    check_fixed_length(messages);
    check_hash127(messages);
    check_partial(messages);
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

fn check_hash127(messages: &Messages) {
    // The numbers around which a reduction could have a branch: 0, p, 2p.
    let r = hidden([[0; 16], [0xff; 16], secret()].as_flattened().try_into().expect("48 bytes"));
    let r: [u8; 48] = r;
    for (kernel, cpu) in Hash127::kernels(Cpu::detect()) {
        println!("hash127: {kernel}");
        for length in LENGTHS {
            let words = messages.hidden[..length].as_chunks().0;
            for r in r.as_chunks().0 {
                // A number below 2^127, whose highest bit is known.
                reveal_secret(&mut Hash127::with_cpu(cpu, r).hash(words, r), 15);
            }
        }
    }
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
