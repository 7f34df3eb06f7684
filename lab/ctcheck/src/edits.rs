//! What compares keys: sums, their edits, and the cipher that keeps lengths.

use crate::secrets::{Messages, SECRET, hidden, revealed, revealed_block};
use crate::segments::{BITS, bits};
use crate::valgrind::{hide, reveal};
use std::ops::Range;
use wegman::cipher::{Block, BlockCipher, CipherBlock, Invertible};
use wegman::pmac::hazmat::{LengthPreserving, Segment, Sum};
use wegman::{Aes128, Cpu, InvalidLength, Tag, pmac};

/// With AES of the machine, and of the crate.
pub fn check(messages: &Messages) {
    check_edits::<false>(messages);
    check_edits::<true>(messages);
}

/// AES that makes the fingerprint of a sum's key public, because the library compares fingerprints by
/// branches. The sums are those of the portable row, as for any other cipher.
struct Watched<const SOFTWARE: bool>(Aes128);

impl<const SOFTWARE: bool> Watched<SOFTWARE> {
    /// What is encrypted to the fingerprint of [`SECRET`]: `E(0) / x^2`.
    fn fingerprint() -> Block {
        let mut l = [0; 16];
        Aes128::new(&SECRET).encrypt(&mut l);
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
fn check_edits<const SOFTWARE: bool>(messages: &Messages) {
    println!(
        "sums and edits, with AES {}",
        if SOFTWARE { "of the crate" } else { "of the machine" }
    );
    let portable = pmac::Key::<Aes128, 16>::with_cpu(Cpu::PORTABLE, &SECRET);
    let key = pmac::Key::<Watched<SOFTWARE>, 16>::new(&hidden(SECRET));
    let check = |sum: &Sum, public: &Sum| {
        let expected = public.tag(&portable).expect("its key").to_bytes();
        assert_eq!(revealed(sum.tag(&key).expect("its key")), expected, "{sum:?}");
    };
    for length in BITS {
        let (hidden, public) = (bits(&messages.hidden, length), bits(&messages.public, length));
        let mut tag = portable.tag_bits(public).to_bytes();
        hide(&mut tag);
        let segment = Segment::new(&key, 0, hidden).expect("short");
        let tag_of_segment = revealed(segment.tag(&key).expect("whole"));
        assert_eq!(tag_of_segment, portable.tag_bits(public).to_bytes());
        let beginning = Sum::new(&portable, public);
        for sum in [
            Sum::new(&key, hidden),
            Sum::from_tag(&key, &Tag::from(tag), length).expect("a whole tag"),
            Sum::from_segment(&key, &segment).expect("whole"),
        ] {
            check(&sum, &beginning);
            // The same edits in public. The old bytes do not matter here.
            let (mut sum, mut public) = (sum, beginning.clone());
            let old = |window: Range<u64>| window.start as usize..window.end as usize;
            for (at, len) in [(0, 1), (3, 130), (length / 2, length / 3), (length / 3, 0)] {
                if at + len > length {
                    continue;
                }
                let window = old(sum.replace_window(at, len));
                let new = bits(&messages.hidden[100..], len);
                sum.replace(&key, at, new, &messages.hidden[window.clone()]).expect("inside");
                let new = bits(&messages.public[100..], len);
                public.replace(&portable, at, new, &messages.public[window]).expect("inside");
                check(&sum, &public);
            }
            for len in [0, 3, 8 * 40, 8 * 600 + 1] {
                let window = old(sum.append_window());
                let new = bits(&messages.hidden[7..], len);
                sum.append(&key, new, &messages.hidden[window.clone()]).expect("short");
                let new = bits(&messages.public[7..], len);
                public.append(&portable, new, &messages.public[window]).expect("short");
                check(&sum, &public);
            }
            for len in [length + 64, length, length / 2, 0] {
                let window = old(sum.truncate_window(len));
                sum.truncate(&key, len, &messages.hidden[window.clone()]).expect("shorter");
                public.truncate(&portable, len, &messages.public[window]).expect("shorter");
                check(&sum, &public);
            }
        }
    }
    check_length_preserving::<SOFTWARE>(messages);
}

/// The cipher that keeps lengths.
fn check_length_preserving<const SOFTWARE: bool>(messages: &Messages) {
    println!("length-preserving");
    let public = LengthPreserving::<Aes128, 16>::new(&SECRET, &[7; 16]);
    let mut counter = [7; 16];
    hide(&mut counter);
    let cipher = LengthPreserving::<Watched<SOFTWARE>, 16>::new(&hidden(SECRET), &counter);
    for length in BITS.into_iter().filter(|&bits| bits >= 128) {
        let bytes = length.div_ceil(8) as usize;
        let mut expected = messages.public[..bytes].to_vec();
        public.encrypt_bits(&mut expected, length).expect("a block at least");
        let mut record = messages.hidden[..bytes].to_vec();
        cipher.encrypt_bits(&mut record, length).expect("a block at least");
        let front = *record.first_chunk().expect("a block");
        assert_eq!(revealed_block(front), expected[..16], "{length} bits");
        reveal(&mut record);
        assert_eq!(record, expected, "{length} bits");
        hide(&mut record);
        cipher.decrypt_bits(&mut record, length).expect("a block at least");
        assert_eq!(revealed_block(*record.first_chunk().expect("a block")), messages.public[..16]);
    }
}
