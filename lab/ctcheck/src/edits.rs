//! What compares keys: sums, their edits, and the cipher that keeps lengths.

use crate::cases::{Cases, SECRET};
use crate::segments::{BITS, bits};
use crate::valgrind::reveal;
use std::ops::Range;
use wegman::cipher::{Block, BlockCipher, CipherBlock, Invertible};
use wegman::pmac::hazmat::{LengthPreserving, Segment, Sum};
use wegman::{Aes128, Cpu, InvalidLength, pmac};

/// With AES of the machine, and of the crate.
pub fn add(cases: &mut Cases) {
    add_edits::<false>(cases);
    add_edits::<true>(cases);
}

/// AES that makes the fingerprint of a sum's key public, because the library compares fingerprints by
/// branches. The sums are those of the portable row, as for any other cipher.
struct Watched<const SOFTWARE: bool>(Aes128);

impl<const SOFTWARE: bool> Watched<SOFTWARE> {
    /// What is encrypted to the fingerprint of [`SECRET`]: `E(0) / x^2`.
    fn fingerprint() -> Block {
        let mut l = [0; 16];
        Aes128::new(SECRET.first_chunk().expect("16 bytes")).encrypt(&mut l);
        l.halve().halve()
    }
}

impl<const SOFTWARE: bool> BlockCipher for Watched<SOFTWARE> {
    type Key = [u8; 16];
    type Block = Block;
    const KEY_BYTES: usize = 16;

    fn from_slice(cpu: Cpu, key: &[u8]) -> Result<Self, InvalidLength> {
        Aes128::from_slice(if SOFTWARE { Cpu::PORTABLE } else { cpu }, key).map(Watched)
    }

    fn encrypt(&self, block: &mut Block) {
        let mut public = *block;
        reveal(&mut public);
        self.0.encrypt(block);
        if public == Self::fingerprint() {
            reveal(block);
        }
    }

    fn encrypt_many(&self, blocks: &mut [Block]) {
        self.0.encrypt_many(blocks);
    }
}

impl<const SOFTWARE: bool> Invertible for Watched<SOFTWARE> {
    fn decrypt(&self, block: &mut Block) {
        self.0.decrypt(block);
    }
}

/// Sums and their edits, and the cipher that keeps lengths, both under [`Watched`] AES.
fn add_edits<const SOFTWARE: bool>(cases: &mut Cases) {
    let of = if SOFTWARE { "with AES of the crate" } else { "with AES of the machine" };
    let rows = [(of, Cpu::PORTABLE)];
    cases.add("sums and edits", rows, |_, secret, message| {
        let secret = secret.first_chunk().expect("16 bytes");
        let key = pmac::Key::<Watched<SOFTWARE>, 16>::new(secret);
        BITS.iter().flat_map(|&length| edited(&key, message, length)).collect()
    });
    cases.add("length-preserving", rows, |_, secret, message| {
        let keys = [&secret[..16], &secret[16..32]].map(|key| key.try_into().expect("16 bytes"));
        let cipher = LengthPreserving::<Watched<SOFTWARE>, 16>::new(keys[0], keys[1]);
        let mut results = Vec::new();
        for length in BITS.into_iter().filter(|&bits| bits >= 128) {
            let mut record = message[..length.div_ceil(8) as usize].to_vec();
            cipher.encrypt_bits(&mut record, length).expect("a block at least");
            // Of a part of a byte, the other bits are known.
            results.push(record[..length as usize / 8].to_vec());
            cipher.decrypt_bits(&mut record, length).expect("a block at least");
            results.push(record[..length as usize / 8].to_vec());
        }
        results
    });
}

/// The tags of sums of these bits after edits. The old bytes do not matter here.
fn edited<const SOFTWARE: bool>(
    key: &pmac::Key<Watched<SOFTWARE>, 16>,
    message: &[u8],
    length: u64,
) -> Vec<Vec<u8>> {
    let whole = bits(message, length);
    let segment = Segment::new(key, 0, whole).expect("short");
    let mut results = vec![segment.tag(key).expect("whole").to_bytes().to_vec()];
    let mut add = |sum: &Sum| results.push(sum.tag(key).expect("its key").to_bytes().to_vec());
    let old = |window: Range<u64>| &message[window.start as usize..window.end as usize];
    for mut sum in [
        Sum::new(key, whole),
        Sum::from_tag(key, &key.tag_bits(whole), length).expect("a whole tag"),
        Sum::from_segment(key, &segment).expect("whole"),
    ] {
        add(&sum);
        for (at, len) in [(0, 1), (3, 130), (length / 2, length / 3), (length / 3, 0)] {
            if at + len <= length {
                let window = old(sum.replace_window(at, len));
                sum.replace(key, at, bits(&message[100..], len), window).expect("inside");
                add(&sum);
            }
        }
        for len in [0, 3, 8 * 40, 8 * 600 + 1] {
            let window = old(sum.append_window());
            sum.append(key, bits(&message[7..], len), window).expect("short");
            add(&sum);
        }
        for len in [length + 64, length, length / 2, 0] {
            let window = old(sum.truncate_window(len));
            sum.truncate(key, len, window).expect("shorter");
            add(&sum);
        }
    }
    results
}
