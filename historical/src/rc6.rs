//! RC6-32/20/b (Rivest, Robshaw, Sidney, Yin, "The RC6 block cipher", 1998, section 2), which the papers of
//! 1999 use besides AES.
//!
//! It is written here because the crate `rc6` fixes the key's length by a type, has no key of 0 bytes, does not wipe
//! the round keys and takes one block at a time. Sums and products are mod 2^32 by definition. RC6 rotates by secret
//! amounts: this takes constant time on machines whose rotations do, such as x86-64 and AArch64.

use wegman::InvalidLength;
use wegman::cipher::{Block, BlockCipher, Invertible};
use wegman::cpu::Cpu;
use zeroize::Zeroize;

const ROUNDS: usize = 20;

/// The longest key, in bytes.
const LONGEST: usize = 255;

/// How many blocks are encrypted side by side: a single block would wait for its own multiplications.
const BLOCKS: usize = 4;

/// RC6-32/20/16, which the papers use, as a [`BlockCipher`]. [`with_key`](Self::with_key) takes keys of other lengths.
#[derive(Clone)]
pub struct Rc6 {
    /// Two keys before the rounds, two for each round, two after the rounds.
    round_keys: [[u32; 2]; ROUNDS + 2],
}

impl Rc6 {
    /// RC6-32/20/b: expands a key of b bytes, 0 to 255.
    ///
    /// ```
    /// use wegman::cipher::BlockCipher;
    /// use wegman_historical::Rc6;
    ///
    /// let (mut one, mut other) = ([7; 16], [7; 16]);
    /// Rc6::new(&[1; 16]).encrypt(&mut one);
    /// Rc6::with_key(&[1; 16])?.encrypt(&mut other);
    /// assert_eq!(one, other);
    /// assert!(Rc6::with_key(&[1; 5]).is_ok() && Rc6::with_key(&[1; 256]).is_err());
    /// # Ok::<(), wegman::InvalidLength>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidLength`] for a longer key.
    pub fn with_key(key: &[u8]) -> Result<Rc6, InvalidLength> {
        if key.len() > LONGEST {
            return Err(InvalidLength);
        }
        let mut words = [0_u32; LONGEST.div_ceil(4)];
        for (i, &byte) in key.iter().enumerate() {
            words[i / 4] |= u32::from(byte) << (8 * (i % 4));
        }
        let count = key.len().div_ceil(4).max(1);
        let mut rc6 = Rc6 { round_keys: [[0; 2]; ROUNDS + 2] };
        let schedule = rc6.round_keys.as_flattened_mut();
        let mut constant = 0xb7e1_5163_u32;
        for word in &mut *schedule {
            *word = constant;
            constant = constant.wrapping_add(0x9e37_79b9);
        }
        let (mut a, mut b, mut i, mut j) = (0_u32, 0_u32, 0, 0);
        for _ in 0..3 * count.max(schedule.len()) {
            a = schedule[i].wrapping_add(a).wrapping_add(b).rotate_left(3);
            schedule[i] = a;
            let sum = a.wrapping_add(b);
            b = words[j].wrapping_add(sum).rotate_left(sum);
            words[j] = b;
            i = if i + 1 < schedule.len() { i + 1 } else { 0 };
            j = if j + 1 < count { j + 1 } else { 0 };
        }
        words.zeroize();
        Ok(rc6)
    }

    fn encrypt_side_by_side<const N: usize>(&self, blocks: &mut [Block; N]) {
        let [before, rounds @ .., after] = &self.round_keys;
        let mut states = blocks.map(|block| words(&block));
        for [_, b, _, d] in &mut states {
            (*b, *d) = (b.wrapping_add(before[0]), d.wrapping_add(before[1]));
        }
        // After four rounds every word is back in its place.
        for four in rounds.as_chunks::<4>().0 {
            for keys in four {
                for state in &mut states {
                    let [a, b, c, d] = *state;
                    let (t, u) = (f(b), f(d));
                    let a = (a ^ t).rotate_left(u).wrapping_add(keys[0]);
                    let c = (c ^ u).rotate_left(t).wrapping_add(keys[1]);
                    *state = [b, c, d, a];
                }
            }
        }
        for ([a, b, c, d], block) in states.into_iter().zip(blocks) {
            *block = bytes([a.wrapping_add(after[0]), b, c.wrapping_add(after[1]), d]);
        }
    }
}

/// x (2x + 1), rotated by five bits, the logarithm of the word's width.
fn f(x: u32) -> u32 {
    x.wrapping_mul(x.wrapping_mul(2).wrapping_add(1)).rotate_left(5)
}

/// The words A, B, C, D of a block.
fn words(block: &Block) -> [u32; 4] {
    let (words, _) = block.as_chunks();
    [0, 1, 2, 3].map(|i| u32::from_le_bytes(words[i]))
}

fn bytes(words: [u32; 4]) -> Block {
    let mut block = [0; 16];
    for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    block
}

impl BlockCipher for Rc6 {
    type Key = [u8; 16];
    type Block = Block;

    const KEY_BYTES: usize = 16;

    fn from_slice(_: Cpu, key: &[u8]) -> Result<Self, InvalidLength> {
        if key.len() == Self::KEY_BYTES { Rc6::with_key(key) } else { Err(InvalidLength) }
    }

    fn encrypt(&self, block: &mut Block) {
        self.encrypt_side_by_side::<1>(core::array::from_mut(block));
    }

    fn encrypt_many(&self, blocks: &mut [Block]) {
        let (many, rest) = blocks.as_chunks_mut::<BLOCKS>();
        many.iter_mut().for_each(|blocks| self.encrypt_side_by_side(blocks));
        rest.iter_mut().for_each(|block| self.encrypt(block));
    }
}

impl Invertible for Rc6 {
    fn decrypt(&self, block: &mut Block) {
        let [before, rounds @ .., after] = &self.round_keys;
        let [a, b, c, d] = words(block);
        let mut state = [a.wrapping_sub(after[0]), b, c.wrapping_sub(after[1]), d];
        for keys in rounds.iter().rev() {
            let [b, c, d, a] = state;
            let (t, u) = (f(b), f(d));
            let a = a.wrapping_sub(keys[0]).rotate_right(u) ^ t;
            let c = c.wrapping_sub(keys[1]).rotate_right(t) ^ u;
            state = [a, b, c, d];
        }
        let [a, b, c, d] = state;
        *block = bytes([a, b.wrapping_sub(before[0]), c, d.wrapping_sub(before[1])]);
    }
}

impl Drop for Rc6 {
    fn drop(&mut self) {
        let Rc6 { round_keys } = self;
        round_keys.as_flattened_mut().zeroize();
    }
}
