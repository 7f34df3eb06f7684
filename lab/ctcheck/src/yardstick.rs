//! What the catalogue has no keys for: CBC-MAC, hash127 and the partial MAC.
//!
//! Not watched: the choice of parts of a partial MAC, because its key selects what is read.

use crate::secrets::{LENGTHS, Messages, PORTABLE, SECRET, revealed};
use crate::valgrind::is_hidden;
use wegman::{Aes128, Cpu};
use wegman_yardstick::cbc::FixedLength;
use wegman_yardstick::hash127::Hash127;
use wegman_yardstick::partial::{self, Division};

/// All of them.
pub fn check(messages: &Messages) {
    let rows = [("portable", Cpu::PORTABLE), ("the machine", Cpu::detect())];
    messages.compare("CBC-MAC-AES128", rows, is_hidden, |cpu, secret, message| {
        let secret = secret.first_chunk().expect("16 bytes");
        let tag = |length| {
            let key = FixedLength::<Aes128, 16>::with_cpu(cpu, secret, length);
            key.tag(&message[..length]).expect("its length").to_bytes().to_vec()
        };
        [16, 32, 1024].map(tag).into()
    });

    // The numbers around which a reduction could have a branch: 0, p, 2p.
    let rows = Hash127::kernels(Cpu::detect());
    messages.compare("hash127", rows, is_hidden, |cpu, secret, message| {
        let of = |byte: u8| std::array::from_fn(|i| secret[i] ^ SECRET[i] ^ byte);
        let secret = *secret.first_chunk().expect("16 bytes");
        let hashes = [of(0), of(0xff), secret].into_iter().flat_map(|r| {
            let hash = Hash127::with_cpu(cpu, &r);
            // A number below 2^127, whose highest bit is known.
            LENGTHS.map(|length| hash.hash(message[..length].as_chunks().0, &r)[..15].to_vec())
        });
        hashes.collect()
    });

    // The key that chooses the parts is public here.
    messages.compare("partial MAC", PORTABLE, is_hidden, |_, secret, message| {
        let (select, mac) = (SECRET.first_chunk(), secret.first_chunk());
        let key = partial::Key::new(Division::new(16, 4), select.expect("16"), mac.expect("20"));
        let tag = |length: usize| {
            let tag = key.tag(&[0; 8], &message[..length]);
            let outcome = key.verify(&[0; 8], &message[..length], &tag);
            assert!(revealed(outcome.is_ok()), "{length} bytes");
            tag.to_bytes().to_vec()
        };
        LENGTHS.map(tag).into()
    });
}
