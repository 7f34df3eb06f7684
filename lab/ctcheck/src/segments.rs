//! PMAC of bits, its segments, and a lost block found again.

use crate::cases::Cases;
use crate::valgrind::reveal;
use std::ops::Range;
use wegman::cipher::{Block, Invertible};
use wegman::pmac::hazmat::{Segment, recover};
use wegman::{Aes128, Aes192, Aes256, Bits, Cpu, pmac};

/// Lengths in bits: none, parts of a byte, of a block and of a group.
pub const BITS: [u64; 12] =
    [0, 1, 8, 127, 128, 129, 256, 1000, 8 * 500 + 3, 8 * 512, 8 * 1500 - 1, 9999];

/// Any places of the kernels' groups.
const STARTS: [u64; 7] = [0, 1, 30, 31, 32, 77, 1 << 40];

/// The first bits of a message.
pub fn bits(bytes: &[u8], bits: u64) -> Bits<'_> {
    Bits::new(&bytes[..bits.div_ceil(8) as usize], bits).expect("as many bytes as the bits need")
}

/// Bits, segments and a lost block.
pub fn add(cases: &mut Cases) {
    add_cipher::<Aes128>("segments, AES128", cases);
    add_cipher::<Aes192>("segments, AES192", cases);
    add_cipher::<Aes256>("segments, AES256", cases);
}

fn add_cipher<C: Invertible<Block = Block>>(name: &str, cases: &mut Cases) {
    let rows = pmac::Key::<C, 16>::kernels(Cpu::detect());
    let (lengths, starts) =
        if cases.are_traced { (&BITS[10..11], &STARTS[..1]) } else { (&BITS[..], &STARTS[..]) };
    cases.add(name, rows, move |cpu, secret, message| {
        let secret = &secret[..C::KEY_BYTES];
        let key = pmac::Key::<C, 16>::from_slice_with_cpu(cpu, secret).expect("its length");
        lengths.iter().flat_map(|&length| of_length(&key, message, length, starts)).collect()
    });
}

fn of_length<C: Invertible<Block = Block>>(
    key: &pmac::Key<C, 16>,
    message: &[u8],
    length: u64,
    starts: &[u64],
) -> Vec<Vec<u8>> {
    let whole = bits(message, length);
    let tag = key.tag_bits(whole);
    let mut stream = key.stream();
    stream.update(&message[..length.div_ceil(8) as usize]);
    let streamed = stream.tag_without((length.wrapping_neg() % 8) as u32);
    let mut results = vec![tag.to_bytes().to_vec(), streamed.to_bytes().to_vec()];

    // In one piece and in two.
    for &start in starts {
        let (front, back) = message.split_at((length / 3 / 128 * 16) as usize);
        let after = front.len() as u64 / 16;
        let front = Segment::new(key, start, Bits::from(front)).expect("short");
        let back = Segment::new(key, start + after, bits(back, length - 128 * after));
        let (front, back) = (received(&front), received(&back.expect("short")));
        let all = [
            Segment::new(key, start, whole).expect("short"),
            front.then(&back).expect("side by side"),
            Segment::combine(&mut [back, front]).expect("side by side"),
        ];
        // Without a whole block there is no sum, and the padding of the end is known.
        let sums = all.iter().filter(|segment| segment.bits() >= 128);
        results.extend(sums.map(|segment| segment.to_bytes()[SUM].to_vec()));
    }
    for lost in [1, 3, 33].into_iter().filter(|lost| 128 * lost <= length) {
        let (front, back) = (16 * (lost - 1) as usize, 16 * lost as usize);
        let others = [&message[..front], &message[back..2000]].concat();
        let found = recover(key, &tag, lost, bits(&others, length - 128));
        results.push(found.expect("a whole block").into());
    }
    results
}

/// The place of the key's fingerprint in an encoded segment; it is public.
const FINGERPRINT: Range<usize> = 12..20;
/// The place of its sum.
const SUM: Range<usize> = 36..52;

/// The segment as sent to another machine, which may compare keys.
fn received(segment: &Segment) -> Segment {
    let mut bytes = segment.to_bytes();
    reveal(&mut bytes[FINGERPRINT]);
    Segment::from_bytes(&bytes[..]).expect("well formed")
}
