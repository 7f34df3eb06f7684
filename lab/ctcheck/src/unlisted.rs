//! What the catalogue has no keys for: AES alone, prefixes of UMAC's tags of 2000, the illustrative UMAC of 1999, CBC-MAC,
//! hash127 and the partial MAC.
//!
//! Not watched: the choice of parts of a partial MAC, because its key selects what is read; and verification of
//! UMAC 2000, which branches on the outcome.

use crate::cases::{Cases, PORTABLE, SECRET};
use crate::valgrind::revealed;
use wegman::cipher::{Block, Invertible};
use wegman::{Aes128, Aes192, Aes256, Cpu};
use wegman_historical::umac_1999::Figure1;
use wegman_historical::umac_2000::Parameters;
use wegman_historical::{Nonce, Umac2000};
use wegman_yardstick::cbc::FixedLength;
use wegman_yardstick::hash127::Hash127;
use wegman_yardstick::partial::{self, Division};

/// Both implementations of AES.
fn rows() -> [(&'static str, Cpu); 2] {
    [("portable", Cpu::PORTABLE), ("the machine", Cpu::detect())]
}

/// All of them.
pub fn add(cases: &mut Cases) {
    add_aes::<Aes128>("AES128", cases);
    add_aes::<Aes192>("AES192", cases);
    add_aes::<Aes256>("AES256", cases);
    // Each shape of its layers, on both sides of POLY-32.
    for name in ["UMAC16", "UMAC32", "UMAC-2/3/32", "UMAC-4/32/64/16/SIGNED"] {
        let parameters: Parameters = name.parse().expect("a name of the family");
        let rows = Umac2000::kernels(Cpu::detect(), &parameters);
        let long = 513 * parameters.l1_key_bytes() + 1;
        let lengths = cases.lengths().iter().copied().chain([long]);
        cases.add(name, rows, move |cpu, secret, message| {
            let key = Umac2000::with_cpu(cpu, &parameters, &secret[..16]).expect("its length");
            let front = |length: usize, words| {
                let tag = key.tag_prefix(&Nonce::counter(0xfffe), &message[..length], words);
                tag.to_bytes().to_vec()
            };
            let all = lengths.clone();
            let all = all.flat_map(|l| (1..=parameters.words()).map(move |words| (l, words)));
            all.map(|(length, words)| front(length, words)).collect()
        });
    }
    let lengths = cases.lengths();
    cases.add("Figure 1", PORTABLE, |_, secret, message| {
        let (k, a) = secret.split_first_chunk().expect("4096 bytes");
        let key = Figure1::new(k, a.first_chunk().expect("64 bytes"));
        lengths.iter().map(|&length| key.tag(7, &message[..length]).to_bytes().to_vec()).collect()
    });

    cases.add("CBC-MAC-AES128", rows(), |cpu, secret, message| {
        let secret = secret.first_chunk().expect("16 bytes");
        let tag = |length| {
            let key = FixedLength::<Aes128, 16>::with_cpu(cpu, secret, length);
            key.tag(&message[..length]).expect("its length").to_bytes().to_vec()
        };
        [16, 32, 1024].map(tag).into()
    });

    // The numbers around which a reduction could have a branch: 0, p, 2p.
    cases.add("hash127", Hash127::kernels(Cpu::detect()), |cpu, secret, message| {
        let of = |byte: u8| std::array::from_fn(|i| secret[i] ^ SECRET[i] ^ byte);
        let secret = *secret.first_chunk().expect("16 bytes");
        let hashes = [of(0), of(0xff), secret].into_iter().flat_map(|r| {
            let hash = Hash127::with_cpu(cpu, &r);
            // A number below 2^127, whose highest bit is known.
            let hash =
                |&length: &usize| hash.hash(message[..length].as_chunks().0, &r)[..15].to_vec();
            lengths.iter().map(hash).collect::<Vec<_>>()
        });
        hashes.collect()
    });

    // The key that chooses the parts is public here.
    cases.add("partial MAC", PORTABLE, |_, secret, message| {
        let (select, mac) = (SECRET.first_chunk(), secret.first_chunk());
        let key = partial::Key::new(Division::new(16, 4), select.expect("16"), mac.expect("20"));
        let tag = |&length: &usize| {
            let tag = key.tag(&[0; 8], &message[..length]);
            let outcome = key.verify(&[0; 8], &message[..length], &tag);
            assert!(revealed(outcome.is_ok()), "{length} bytes");
            tag.to_bytes().to_vec()
        };
        lengths.iter().map(tag).collect()
    });
}

/// One cipher, to and fro: PMAC's kernels have rounds of their own.
fn add_aes<C: Invertible<Block = Block>>(cipher: &str, cases: &mut Cases) {
    cases.add(cipher, rows(), |cpu, secret, message| {
        let aes = C::from_slice(cpu, &secret[..C::KEY_BYTES]).expect("its length");
        let mut results = Vec::new();
        for count in [1, 2, 3, 8, 19] {
            let mut blocks = message.as_chunks().0[..count].to_vec();
            let mut single = blocks[count - 1];
            aes.encrypt_many(&mut blocks);
            aes.encrypt(&mut single);
            blocks.push(single);
            aes.decrypt(&mut single);
            blocks.push(single);
            results.push(blocks.into_flattened());
        }
        results
    });
}
