//! Batches of PMAC against single tags of the portable row: every number of messages around the groups of
//! eight, every length on its own and among others.

use super::SECRET;
use crate::cipher::{Aes128, Aes256, BlockCipher};
use crate::cpu::Cpu;
use crate::pmac::Key;
use crate::tag::{Tag, TagMismatch};
use wegman_reference::inputs::{Placed, Random};

/// More than four groups of 16.
const MOST: usize = 70;

/// A key of each row, and the secret.
fn keys<C: BlockCipher, const N: usize>() -> Vec<Key<C, N>> {
    let secret = SECRET.repeat(2);
    let new =
        |(_, cpu)| Key::from_slice_with_cpu(cpu, &secret[..C::KEY_BYTES]).expect("its length");
    Key::<C, N>::kernels(Cpu::detect()).map(new).collect()
}

/// The tags of messages that the portable row tagged one by one, from every row; then one bit of one
/// tag is wrong.
fn check<C: BlockCipher, const N: usize>(
    keys: &[Key<C, N>],
    batch: &[(&[u8], Tag<N>)],
    case: &str,
) {
    let count = batch.len();
    let (messages, expected): (Vec<&[u8]>, Vec<Tag<N>>) = batch.iter().copied().unzip();
    for key in keys {
        // Between others that must stay as they are.
        let mut tags = vec![Tag::from([0xee; N]); count + 2];
        key.tag_many(&messages, &mut tags[1..=count]);
        assert_eq!(tags[1..=count], expected, "{key:?}, {count} {case}");
        assert_eq!([tags[0], tags[count + 1]], [Tag::from([0xee; N]); 2], "{key:?}: outside");

        let mut valid = vec![false; count];
        assert_eq!(key.verify_many(batch, &mut valid), Ok(()), "{key:?}, {count} {case}");
        assert_eq!(valid, vec![true; count], "{key:?}, {count} {case}");
        if let Some(bad) = count.checked_sub(1).map(|last| 7 * count % (last + 1)) {
            let mut batch = batch.to_vec();
            let mut tag = batch[bad].1.to_bytes();
            tag[count % N] ^= 1 << (count % 8);
            batch[bad].1 = Tag::from(tag);
            assert_eq!(key.verify_many(&batch, &mut valid), Err(TagMismatch), "{key:?}");
            assert!(valid.iter().enumerate().all(|(i, &valid)| valid == (i != bad)), "{key:?}");
        }
    }
}

/// Messages at every alignment, and the portable row's tag of each.
struct Messages<const N: usize> {
    message: Placed,
    tags: Vec<Tag<N>>,
}

impl<const N: usize> Messages<N> {
    /// More than what runs side by side.
    const LONGEST: usize = 4300;

    fn new<C: BlockCipher>(portable: &Key<C, N>) -> Self {
        assert_eq!(portable.kernel(), "portable");
        let message = Random(90).message(Self::LONGEST);
        // All lengths up to a few registers; others as they come.
        let tags = (0..=Self::LONGEST).map(|length| portable.tag(&message[..length])).collect();
        Messages { message: Placed::new(&message), tags }
    }

    fn batch(&self, lengths: impl Iterator<Item = usize>) -> Vec<(&[u8], Tag<N>)> {
        let packet = |(i, length)| (self.message.at(i, length), self.tags[length]);
        lengths.enumerate().map(packet).collect()
    }
}

fn check_all<C: BlockCipher, const N: usize>() {
    let keys = keys::<C, N>();
    let messages = Messages::new(&keys[0]);
    let check = |lengths: &mut dyn Iterator<Item = usize>, case| {
        check(&keys, &messages.batch(lengths), case);
    };
    for length in 0..=130 {
        for count in [1, 7, 8, 9, 15, 16, 17, 33] {
            check(&mut (0..count).map(|_| length), "of one length");
        }
        // One of this length, in each lane, among others of each class.
        for others in [0, 16, 32, 48, 80, 200] {
            let lane = (length + others) % 16;
            check(&mut (0..16).map(|i| if i == lane { length } else { others }), "but one");
        }
    }
    // Every number of blocks that runs side by side, and more: of one length, and of all lengths with as many blocks.
    for blocks in 0..=Messages::<N>::LONGEST / 16 - 1 {
        let last = |i| 16 * blocks + 1 + i % 16;
        check(&mut (0..8).map(|_| last(blocks)), "of one length");
        check(&mut (0..8).map(|i| last(5 * i + blocks)), "with as many blocks");
        // As many but for one message, and nothing in common with any other.
        let lane = blocks % 8;
        check(&mut (0..8).map(|i| if i == lane { last(3) } else { i * last(i) / 8 }), "up to");
    }
    // One long message, in each place of a batch, among those of each class.
    for count in [7, 8, 9, 16, 17] {
        for (place, others) in (0..count).flat_map(|place| [0, 16, 43, 80].map(|o| (place, o))) {
            for long in [81, 400, 1024, 1025, Messages::<N>::LONGEST] {
                let length = |i| if i == place { long } else { others };
                check(&mut (0..count).map(length), "and one long");
            }
        }
    }
    let mut random = Random(91);
    for count in 0..=MOST {
        // The kernels take these classes of lengths apart.
        for longest in [0, 16, 32, 48, 80, 130, 600, 1024, Messages::<N>::LONGEST] {
            let mut length = || (random.word() % (longest as u64 + 1)) as usize;
            check(&mut (0..count).map(|_| length()), "mixed");
            // At the class's end.
            check(&mut (0..count).map(|i| longest - (i * i) % (longest.min(16) + 1)), "long");
        }
    }
}

#[test]
fn batches_of_pmac_are_single_tags() {
    check_all::<Aes128, 16>();
    check_all::<Aes256, 5>();
}
