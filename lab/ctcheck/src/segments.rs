//! PMAC of bits, its segments, and a lost block found again.

use crate::secrets::{Messages, revealed, revealed_block};
use crate::valgrind::{self, hide, is_hidden, reveal};
use std::ops::Range;
use wegman::cipher::{Block, Invertible};
use wegman::pmac::hazmat::{Segment, recover};
use wegman::{Aes128, Aes192, Aes256, Bits, Cpu, Tag, pmac};

/// Lengths in bits: none, parts of a byte, of a block and of a group.
pub const BITS: [u64; 12] =
    [0, 1, 8, 127, 128, 129, 256, 1000, 8 * 500 + 3, 8 * 512, 8 * 1500 - 1, 9999];

/// The first bits of a message.
pub fn bits(bytes: &[u8], bits: u64) -> Bits<'_> {
    Bits::new(&bytes[..bits.div_ceil(8) as usize], bits).expect("as many bytes as the bits need")
}

/// Bits, segments and a lost block.
pub fn check(messages: &Messages) {
    check_cipher::<Aes128>("AES128", messages);
    check_cipher::<Aes192>("AES192", messages);
    check_cipher::<Aes256>("AES256", messages);
}

fn check_cipher<C: Invertible<Block = Block>>(cipher: &str, messages: &Messages) {
    let mut secret = vec![0x5a; C::KEY_BYTES];
    let make = |cpu, secret: &[u8]| {
        pmac::Key::<C, 16>::from_slice_with_cpu(cpu, secret).expect("its length")
    };
    let portable = make(Cpu::PORTABLE, &secret);
    hide(&mut secret);
    for (name, cpu) in pmac::Key::<C, 16>::kernels(Cpu::detect()) {
        println!("segments, {cipher}: {name}");
        check_key(name, &make(cpu, &secret), &portable, messages);
    }
}

fn check_key<C: Invertible<Block = Block>>(
    name: &str,
    key: &pmac::Key<C, 16>,
    portable: &pmac::Key<C, 16>,
    messages: &Messages,
) {
    for length in BITS {
        let (hidden, public) = (bits(&messages.hidden, length), bits(&messages.public, length));
        let expected = portable.tag_bits(public);
        assert_eq!(revealed(key.tag_bits(hidden)), expected.to_bytes(), "{name}, {length} bits");
        let mut stream = key.stream();
        stream.update(&messages.hidden[..length.div_ceil(8) as usize]);
        let tag = stream.tag_without((length.wrapping_neg() % 8) as u32);
        assert_eq!(revealed(tag), expected.to_bytes(), "{name}, {length} bits, stream");

        // From any place of the kernels' groups, in one piece and in two.
        for start in [0, 1, 30, 31, 32, 77, 1 << 40] {
            let expected = Segment::new(portable, start, public).expect("short").to_bytes();
            let whole = Segment::new(key, start, hidden).expect("short");
            assert_eq!(revealed_segment(&whole), expected, "{name}, {length} bits from {start}");
            let (front, back) = messages.hidden.split_at((length / 3 / 128 * 16) as usize);
            let after = front.len() as u64 / 16;
            let front = Segment::new(key, start, Bits::from(front)).expect("short");
            let back = Segment::new(key, start + after, bits(back, length - 128 * after));
            let (front, back) = (received(&front), received(&back.expect("short")));
            let both = front.then(&back).expect("side by side");
            assert_eq!(revealed_segment(&both), expected, "{name}, {length} bits, then");
            let both = Segment::combine(&mut [back, front]).expect("side by side");
            assert_eq!(revealed_segment(&both), expected, "{name}, {length} bits, combined");
        }

        let mut tag = expected.to_bytes();
        hide(&mut tag);
        for lost in [1, 3, 33].into_iter().filter(|lost| 128 * lost <= length) {
            let (front, back) = (16 * (lost - 1) as usize, 16 * lost as usize);
            let others = [&messages.hidden[..front], &messages.hidden[back..2000]].concat();
            let found = recover(key, &Tag::from(tag), lost, bits(&others, length - 128));
            let found = revealed_block(found.expect("a whole block"));
            assert_eq!(
                found,
                messages.public[front..back],
                "{name}, block {lost} of {length} bits"
            );
        }
    }
}

/// The place of the key's fingerprint in an encoded segment; it is public.
const FINGERPRINT: Range<usize> = 12..20;
/// The place of its sum.
const SUM: Range<usize> = 36..52;

/// The segment as sent to another machine, which may compare keys.
fn received(segment: &Segment) -> Segment {
    let mut bytes = segment.to_bytes();
    reveal(&mut bytes[FINGERPRINT]);
    Segment::try_from(&bytes[..]).expect("well formed")
}

fn revealed_segment(segment: &Segment) -> [u8; Segment::BYTES] {
    let mut bytes = segment.to_bytes();
    // Without a whole block there is no sum, and the padding of the end is known.
    let is_checked = segment.bits() < 128 || is_hidden(&bytes[SUM]) || !valgrind::is_running();
    assert!(is_checked, "the segment does not depend on the secret");
    reveal(&mut bytes);
    bytes
}
