//! Runs the library on secrets that valgrind watches (`make ctcheck`): user keys, hash keys, messages
//! and tags are undefined memory to it; lengths, positions and nonces are not. A branch or an address
//! that depends on a secret is an error with its stack trace.
//!
//! `wegman-ctcheck kernels` names the kernels of this machine, or of the one valgrind imitates.
//! `wegman-ctcheck leak-branch` and `leak-address` do what must be found, with a tag's byte.
//!
//! What this cannot find: instructions whose own time depends on their operands, and code of kernels
//! that valgrind does not execute. Sums are edited on the portable row only, with a cipher that makes
//! the keys' fingerprints public; no cipher here has blocks of 8 bytes.

mod comparators;
mod valgrind;

use std::hint::black_box;
use std::ops::Range;
use valgrind::{hide, is_hidden, reveal, unreported};
use wegman::cipher::{Block, BlockCipher, CipherBlock, Invertible};
use wegman::pmac::hazmat::{LengthPreserving, Segment, Sum, recover};
use wegman::{
    Aes128, Aes192, Aes256, Bits, Cpu, InvalidLength, Nonce, NonceOf, Tag, carter, pmac, umac,
    umac_1999, umac_2000, umac16,
};

const SECRET: [u8; 16] = *b"sixteen byte key";

/// Around everything that is cut into parts, and beyond the switch of level 2.
const LENGTHS: [usize; 25] = [
    0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 257, 511, 512, 513, 1023, 1024, 1025, 2048,
    2049, 3000, 4097, 17413,
];
const LONGEST: usize = (1 << 24) + 1025;

fn hidden_secret() -> [u8; 16] {
    let mut secret = SECRET;
    hide(&mut secret);
    secret
}

/// A tag as everybody may see it, after a look at whether it was secret until now: if not, the
/// secret was lost on the way and nothing was checked.
fn revealed<const N: usize>(tag: Tag<N>) -> [u8; N] {
    let mut bytes = tag.to_bytes();
    assert!(!valgrind::is_running() || is_hidden(&bytes), "the tag does not depend on the secret");
    reveal(&mut bytes);
    bytes
}

/// Whether a message is authentic is told to everybody, but not why.
fn revealed_outcome<E>(outcome: &Result<(), E>) -> bool {
    revealed_flag(outcome.is_ok())
}

fn revealed_flag(flag: bool) -> bool {
    let mut flag = [u8::from(flag)];
    reveal(&mut flag);
    flag[0] == 1
}

/// A message to work with, and the same in public.
struct Messages {
    hidden: Vec<u8>,
    public: Vec<u8>,
}

impl Messages {
    fn new() -> Messages {
        let public: Vec<u8> =
            (0..LONGEST as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        let mut hidden = public.clone();
        hide(&mut hidden);
        Messages { hidden, public }
    }
}

fn check_umac<const N: usize>(messages: &Messages) {
    // The tags, made in public with the same secret.
    let portable = umac::Key::<N>::with_cpu(Cpu::PORTABLE, &SECRET);
    let first = Nonce::counter(0xfffe);
    for (name, cpu) in umac::Key::<N>::kernels(Cpu::detect()) {
        println!("UMAC-{}: {name}", 8 * N);
        let key = umac::Key::<N>::with_cpu(cpu, &hidden_secret());
        for length in LENGTHS.into_iter().chain([LONGEST]) {
            let message = &messages.hidden[..length];
            let expected = portable.tag(&first, &messages.public[..length]).to_bytes();
            let tag = revealed(key.tag(&first, message));
            assert_eq!(tag, expected, "{name}, {length} bytes");

            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.clone().tag(&first)), expected, "{name}, stream");
            if length == LONGEST && N == 8 {
                // On both sides of the switch of polynomials, in segments.
                let mut stream = key.stream();
                stream.update_rayon(message);
                stream.update_rayon(&message[..3 << 20]);
                assert_eq!(
                    revealed(stream.tag(&first)),
                    rayon_tag(&portable, messages),
                    "{name}, threads"
                );
            }

            for wrong in [0, 1] {
                let mut received = expected;
                received[N - 1] ^= wrong;
                let received = Tag::from(received);
                let outcome = revealed_outcome(&key.verify(&first, message, &received));
                assert_eq!(outcome, wrong == 0, "{name}, verify");
                let outcome = revealed_outcome(&stream.verify(&first, &received));
                assert_eq!(outcome, wrong == 0, "{name}, stream verifies");
            }
        }
        check_many(name, &key, &portable, messages);
    }
}

/// UMAC16 by its own key: both sides of POLY-32, streams, batches.
fn check_umac16<const N: usize>(messages: &Messages) {
    let portable = umac16::Key::<N>::with_cpu(Cpu::PORTABLE, &SECRET);
    let first = Nonce::counter(0xfffe);
    for (name, cpu) in umac16::Key::<N>::kernels(Cpu::detect()) {
        println!("UMAC16 of {N} bytes: {name}");
        let key = umac16::Key::<N>::with_cpu(cpu, &hidden_secret());
        for length in LENGTHS.into_iter().chain([513 * 1024 + 1]) {
            let message = &messages.hidden[..length];
            let expected = portable.tag(&first, &messages.public[..length]).to_bytes();
            assert_eq!(revealed(key.tag(&first, message)), expected, "{name}, {length} bytes");

            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.clone().tag(&first)), expected, "{name}, stream");

            let mut tags = [Tag::from([0; N]); 3];
            key.tag_many(&first, &[message; 3], &mut tags).expect("enough nonces");
            assert_eq!(revealed(tags[0]), expected, "{name}, batch");
            let outcome = revealed_outcome(&stream.verify(&first, &Tag::from(expected)));
            assert!(outcome, "{name}, stream verifies");
        }
    }
}

/// The engine of 2000: each shape of its layers, on both sides of POLY-32, and fronts of tags. It is not asked
/// to verify: the level that was reached is made by a branch on the outcome, which is no secret.
fn check_umac_2000(messages: &Messages) {
    for name in ["UMAC16", "UMAC32", "UMAC-2/3/32", "UMAC-4/32/64/16/SIGNED"] {
        let parameters = name.parse().expect("a name of the family");
        let make = |cpu, secret: &[u8]| {
            umac_2000::Key::with_cpu(cpu, &parameters, secret).expect("a secret of 16 bytes")
        };
        let portable = make(Cpu::PORTABLE, &SECRET);
        let nonce = Nonce::counter(0xfffe);
        for (kernel, cpu) in umac_2000::Key::kernels(Cpu::detect(), &parameters) {
            println!("{name}: {kernel}");
            let key = make(cpu, &hidden_secret());
            for length in LENGTHS.into_iter().chain([513 * parameters.l1_key_bytes() + 1]) {
                let message = &messages.hidden[..length];
                let expected = portable.tag(&nonce, &messages.public[..length]);
                for words in 1..=parameters.words() {
                    let mut front = key.tag_prefix(&nonce, message, words).to_bytes().to_vec();
                    assert!(is_hidden(&front), "the tag does not depend on the secret");
                    reveal(&mut front);
                    assert_eq!(front, expected.to_bytes()[..front.len()], "{name}, {kernel}");
                }
            }
        }
    }
}

/// The tag of the longest message and its front once more.
fn rayon_tag<const N: usize>(portable: &umac::Key<N>, messages: &Messages) -> [u8; N] {
    let mut stream = portable.stream();
    stream.update(&messages.public);
    stream.update(&messages.public[..3 << 20]);
    stream.tag(&Nonce::counter(0xfffe)).to_bytes()
}

/// Batches and a tagger, over several groups of pads.
fn check_many<const N: usize>(
    name: &str,
    key: &umac::Key<N>,
    portable: &umac::Key<N>,
    messages: &Messages,
) {
    const COUNT: usize = 41;
    let first = Nonce::counter(0xfffd);
    let short = |i: usize| i % 65;
    let mixed = |i: usize| LENGTHS[i % LENGTHS.len()];
    let lengths: [&dyn Fn(usize) -> usize; 2] = [&short, &mixed];
    for length in lengths {
        let hidden: Vec<&[u8]> = (0..COUNT).map(|i| &messages.hidden[..length(i)]).collect();
        let expected: Vec<[u8; N]> = (0..COUNT)
            .map(|i| {
                let nonce = first.advance(i as u64).expect("enough nonces");
                portable.tag(&nonce, &messages.public[..length(i)]).to_bytes()
            })
            .collect();

        let mut tags = [Tag::from([0; N]); COUNT];
        key.tag_many(&first, &hidden, &mut tags).expect("enough nonces");
        for (tag, expected) in tags.into_iter().zip(&expected) {
            assert_eq!(revealed(tag), *expected, "{name}, batch");
        }

        let mut tagger = key.tagger(first);
        for (message, expected) in hidden.iter().zip(&expected) {
            let (_, tag) = tagger.tag(message).expect("enough nonces");
            assert_eq!(revealed(tag), *expected, "{name}, tagger");
        }

        // In order, which is a batch, and backwards, which is none.
        for backwards in [false, true] {
            let mut packets: Vec<(Nonce, &[u8], Tag<N>)> = (0..COUNT)
                .map(|i| {
                    let nonce = first.advance(i as u64).expect("enough nonces");
                    (nonce, hidden[i], Tag::from(expected[i]))
                })
                .collect();
            if backwards {
                packets.reverse();
            }
            let mut valid = [false; COUNT];
            _ = key.verify_many(&packets, &mut valid);
            assert!(valid.map(revealed_flag).iter().all(|&valid| valid), "{name}, verify_many");
        }
    }
}

/// Carter by its own key: tags and streams around its pairs, groups and blocks, batches of each class of lengths.
fn check_carter<C: carter::Cipher, const N: usize, const L: usize>(
    cipher: &str,
    messages: &Messages,
) {
    let mut secret = vec![0x5a; C::KEY_BYTES];
    let make = |cpu, secret: &[u8]| {
        carter::Key::<C, N, L>::from_slice(cpu, secret).expect("the cipher's length")
    };
    let portable = make(Cpu::PORTABLE, &secret);
    hide(&mut secret);
    let first = NonceOf::<L>::counter(0xfffd);
    for (name, cpu) in carter::Key::<C, N, L>::kernels(Cpu::detect()) {
        println!("Carter-{}, {cipher}, nonces of {L} bytes: {name}", 8 * N);
        let key = make(cpu, &secret);
        for length in LENGTHS {
            let message = &messages.hidden[..length];
            let expected = portable.tag(&first, &messages.public[..length]).to_bytes();
            assert_eq!(revealed(key.tag(&first, message)), expected, "{name}, {length} bytes");
            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.tag(&first)), expected, "{name}, stream");
            for wrong in [0, 1] {
                let mut received = expected;
                received[N - 1] ^= wrong;
                hide(&mut received);
                let received = Tag::from(received);
                let outcome = revealed_outcome(&key.verify(&first, message, &received));
                assert_eq!(outcome, wrong == 0, "{name}, verify");
                let outcome = revealed_outcome(&stream.verify(&first, &received));
                assert_eq!(outcome, wrong == 0, "{name}, stream verifies");
            }
        }
        // The longest of eight decides how they are taken, and three are left behind them.
        for longest in [16, 64, 2100] {
            let length = |i: usize| 1 + 7 * i % longest;
            let hidden: Vec<&[u8]> = (0..19).map(|i| &messages.hidden[..length(i)]).collect();
            let mut tags = [Tag::from([0; N]); 19];
            key.tag_many(&first, &hidden, &mut tags).expect("enough nonces");
            let mut packets = Vec::new();
            for (i, tag) in tags.into_iter().enumerate() {
                let nonce = first.advance(i as u64).expect("enough nonces");
                let expected = portable.tag(&nonce, &messages.public[..length(i)]);
                assert_eq!(revealed(tag), expected.to_bytes(), "{name}, batch of up to {longest}");
                packets.push((nonce, hidden[i], expected));
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
        let expected = portable.tag(&first, &messages.public[..(3 << 20) + 7]).to_bytes();
        assert_eq!(revealed(stream.tag(&first)), expected, "{name}, threads");
    }
}

fn check_pmac<C: Invertible<Block = Block>>(cipher: &str, messages: &Messages) {
    let mut secret = vec![0x5a; C::KEY_BYTES];
    let portable = pmac::Key::<C, 16>::from_slice(Cpu::PORTABLE, &secret).expect("its length");
    hide(&mut secret);
    for (name, cpu) in pmac::Key::<C, 16>::kernels(Cpu::detect()) {
        println!("PMAC-{cipher}: {name}");
        let key = pmac::Key::<C, 16>::from_slice(cpu, &secret).expect("its length");
        let short = pmac::Key::<C, 5>::from_slice(cpu, &secret).expect("its length");
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
        check_segments(name, &key, &portable, messages);
    }
}

/// Lengths in bits: none, parts of a byte, of a block and of a group.
const BITS: [u64; 12] =
    [0, 1, 8, 127, 128, 129, 256, 1000, 8 * 500 + 3, 8 * 512, 8 * 1500 - 1, 9999];

fn bits(bytes: &[u8], bits: u64) -> Bits<'_> {
    Bits::new(&bytes[..bits.div_ceil(8) as usize], bits).expect("as many bytes as the bits need")
}

/// Bits, segments and a lost block.
fn check_segments<C: Invertible<Block = Block>>(
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

/// Where an encoded segment tells of which key it is; everybody may know.
const FINGERPRINT: Range<usize> = 12..20;
/// Where its sum is.
const SUM: Range<usize> = 36..52;

/// The segment as sent to another machine, which may compare keys.
fn received(segment: &Segment) -> Segment {
    let mut bytes = segment.to_bytes();
    reveal(&mut bytes[FINGERPRINT]);
    Segment::try_from(&bytes[..]).expect("well formed")
}

fn revealed_segment(segment: &Segment) -> [u8; Segment::BYTES] {
    let mut bytes = segment.to_bytes();
    // With no whole block the sum is none, and the padding of the end is known.
    let is_checked = segment.bits() < 128 || is_hidden(&bytes[SUM]) || !valgrind::is_running();
    assert!(is_checked, "the segment does not depend on the secret");
    reveal(&mut bytes);
    bytes
}

fn revealed_block(mut block: Block) -> Block {
    assert!(
        !valgrind::is_running() || is_hidden(&block),
        "the block does not depend on the secret"
    );
    reveal(&mut block);
    block
}

/// AES that lets everybody see of which key a sum is, which the library compares as it likes. The sums
/// are those of the portable row, which any other cipher has, too.
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

/// What compares keys, edits, and the cipher that keeps lengths.
fn check_edits<const SOFTWARE: bool>(messages: &Messages) {
    println!(
        "sums and edits, with AES {}",
        if SOFTWARE { "of the crate" } else { "of the machine" }
    );
    let portable = pmac::Key::<Aes128, 16>::with_cpu(Cpu::PORTABLE, &SECRET);
    let key = pmac::Key::<Watched<SOFTWARE>, 16>::new(&hidden_secret());
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
            // The same edits in public. What the bytes were is no matter here.
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

    println!("length-preserving");
    let public = LengthPreserving::<Aes128, 16>::new(&SECRET, &[7; 16]);
    let mut counter = [7; 16];
    hide(&mut counter);
    let cipher = LengthPreserving::<Watched<SOFTWARE>, 16>::new(&hidden_secret(), &counter);
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

/// AES alone, by each of its rows: PMAC's kernels have rounds of their own.
fn check_aes<C: Invertible<Block = Block>>(cipher: &str, messages: &Messages) {
    let mut secret: Vec<u8> = (1..).take(C::KEY_BYTES).collect();
    let public = C::from_slice(Cpu::PORTABLE, &secret).expect("its length");
    hide(&mut secret);
    for (name, cpu) in [("the crate", Cpu::PORTABLE), ("the machine", Cpu::detect())] {
        println!("{cipher} of {name}");
        let aes = C::from_slice(cpu, &secret).expect("its length");
        for count in [1, 2, 3, 8, 19] {
            let mut expected = messages.public.as_chunks().0[..count].to_vec();
            public.encrypt_many(&mut expected);
            let mut blocks = messages.hidden.as_chunks().0[..count].to_vec();
            aes.encrypt_many(&mut blocks);
            let mut single = messages.hidden.as_chunks().0[count - 1];
            aes.encrypt(&mut single);
            assert_eq!(revealed_block(single), expected[count - 1], "{name}");
            aes.decrypt(&mut single);
            let found = blocks.into_iter().map(revealed_block);
            assert!(found.eq(expected), "{name}, {count} blocks");
            assert_eq!(revealed_block(single), messages.public.as_chunks().0[count - 1]);
        }
    }
}

/// A branch or an address that a tag decides, on every kernel: it must be reported.
fn leak(by_address: bool) {
    for (_, cpu) in umac::Key::<8>::kernels(Cpu::detect()) {
        let key = umac::Key::<8>::with_cpu(cpu, &hidden_secret());
        let byte = key.tag(&Nonce::counter(1), b"a message").to_bytes()[0];
        if by_address {
            leak_by_address(byte);
        } else {
            leak_by_branch(byte);
        }
    }
    for (_, cpu) in carter::Carter128::<Aes128, 12>::kernels(Cpu::detect()) {
        let key = carter::Carter128::<Aes128, 12>::from_slice(cpu, &hidden_secret());
        let tag = key.expect("its length").tag(&NonceOf::counter(1), b"a message");
        let byte = tag.to_bytes()[0];
        if by_address {
            leak_by_address(byte);
        } else {
            leak_by_branch(byte);
        }
    }
    for (_, cpu) in pmac::Key::<Aes128, 16>::kernels(Cpu::detect()) {
        let key = pmac::Key::<Aes128, 16>::with_cpu(cpu, &hidden_secret());
        let byte = key.tag(b"a message").to_bytes()[0];
        if by_address {
            leak_by_address(byte);
        } else {
            leak_by_branch(byte);
        }
    }
}

#[inline(never)]
fn leak_by_branch(byte: u8) {
    if byte & 1 == 1 {
        black_box(());
        println!("odd");
    }
}

#[inline(never)]
fn leak_by_address(byte: u8) {
    let table = black_box([7u8; 256]);
    black_box(table[usize::from(byte)]);
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("kernels") => {
            let cpu = Cpu::detect();
            let mut all: Vec<_> = umac::Key::<8>::kernels(cpu)
                .chain(pmac::Key::<Aes128, 16>::kernels(cpu))
                .chain(carter::Carter128::<Aes128, 12>::kernels(cpu))
                .chain(umac_2000::Key::kernels(cpu, &umac_2000::Parameters::UMAC16))
                .chain(umac_1999::Key::<umac_1999::Std60>::kernels(cpu))
                .map(|(name, _)| name)
                .collect();
            all.sort_unstable();
            all.dedup();
            all.iter().for_each(|name| println!("{name}"));
        }
        Some("leak-branch") => leak(false),
        Some("leak-address") => leak(true),
        Some(other) => {
            eprintln!("wegman-ctcheck: {other}? kernels, leak-branch, leak-address or nothing");
            std::process::exit(2);
        }
        None => {
            assert!(valgrind::is_running(), "without valgrind nobody watches: make ctcheck");
            let messages = Messages::new();
            check_umac::<4>(&messages);
            check_umac::<8>(&messages);
            check_umac::<12>(&messages);
            check_umac::<16>(&messages);
            check_umac16::<2>(&messages);
            check_umac16::<8>(&messages);
            check_umac16::<16>(&messages);
            check_umac_2000(&messages);
            check_carter::<Aes128, 16, 12>("AES128", &messages);
            check_carter::<Aes256, 16, 16>("AES256", &messages);
            check_carter::<Aes256, 12, 12>("AES256", &messages);
            check_carter::<Aes128, 8, 16>("AES128", &messages);
            comparators::check(&messages);
            check_aes::<Aes128>("AES128", &messages);
            check_aes::<Aes192>("AES192", &messages);
            check_aes::<Aes256>("AES256", &messages);
            check_pmac::<Aes128>("AES128", &messages);
            check_pmac::<Aes192>("AES192", &messages);
            check_pmac::<Aes256>("AES256", &messages);
            check_edits::<false>(&messages);
            check_edits::<true>(&messages);
        }
    }
}
