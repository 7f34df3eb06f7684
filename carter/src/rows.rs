//! The table of rows, between keys and the kernels of the levels and of the tag (docs/carter.md): what a row has, how a key
//! chooses one, the calls.
//!
//! | function | where | does |
//! |---|---|---|
//! | `absorb`, `finish` | all rows | levels 1 and 2 of blocks; the hash. In the oracle, `hash_with` |
//! | `tag`, `tag_after` | all rows but portable | take a whole message. In the oracle, `tag_with` |
//! | `tag8` | vpclmul, avx512, pmull | takes eight messages |

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::armv8::Pmull;
use crate::kernel::{self, ALIKE, ANY, FEW, Registers as _, SHORT};
use crate::key::{BLOCK, Key, PartialSums};
use crate::portable;
#[cfg(target_arch = "x86_64")]
use crate::x86::{Avx512, Pclmul, Vpclmul};
use wegman::Tag;
use wegman::cipher::{Block, BlockCipher};
use wegman::cpu::Needs;
use wegman::hazmat::batch::{EIGHT, eight_tags};
use wegman::hazmat::pads::Blocks;
use wegman::hazmat::rows::{Row, Rows, functions};

functions! {
    pub(crate) struct Functions {
        /// Absorbs blocks, none of which is the message's last.
        unsafe fn absorb(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]);
        /// The hash of a message of `length` bytes, given its last block. Reads no byte outside `last`.
        unsafe fn finish(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128;
        // For AES with keys of 16 and of 32 bytes.
        + whole: Option<[Whole; 2]>,
    }
}

functions! {
    /// The kernels for whole messages of any length, pads included. A tag of fewer than 16 bytes is a prefix of these.
    pub(crate) struct Whole {
        /// The tag of a message under the nonce whose block is `block`.
        unsafe fn tag(key: &Key, block: u128, message: &[u8], tag: &mut Block);
        /// The same of a message of more than [`SHORT`] bytes: its first ones, and the rest, which may lie elsewhere.
        unsafe fn tag_after(key: &Key, block: u128, head: &[u8; SHORT], rest: &[u8], tag: &mut Block);
        + tag8: Option<Tag8>,
    }
}

functions! {
    #[derive(Clone, Copy)]
    struct Tag8 {
        /// The tags of eight messages under the nonces of these blocks. `longest` is the length of the longest, at most a
        /// block.
        unsafe fn tag8(
            key: &Key,
            messages: &[&[u8]; EIGHT],
            longest: usize,
            blocks: &Blocks,
            tags: &mut [Block; EIGHT],
        );
    }
}

/// A row over the registers of `$isa`: functions for which the compiler may use its features. `tag` and `tag8` jump to
/// functions that call no other: across calls, vectors would go through memory.
macro_rules! row {
    (name: $name:literal, needs: $features:literal, $isa:ty) => {{
        #[target_feature(enable = $features)]
        fn absorb(key: &Key, partial: &mut PartialSums, blocks: &[[u8; BLOCK]]) {
            kernel::absorb(<$isa>::new(), key, partial, blocks);
        }
        #[target_feature(enable = $features)]
        fn finish(key: &Key, partial: &PartialSums, last: &[u8], length: u64) -> u128 {
            kernel::finish(<$isa>::new(), key, partial, last, length)
        }
        #[target_feature(enable = $features)]
        fn tag<const ROUNDS: usize>(key: &Key, block: u128, message: &[u8], tag: &mut Block) {
            if message.len() <= SHORT {
                return kernel::tag_of_short::<_, ROUNDS>(<$isa>::new(), key, block, message, tag);
            }
            let (head, rest) = message.split_first_chunk().expect("more");
            tag_after::<ROUNDS>(key, block, head, rest, tag);
        }
        #[target_feature(enable = $features)]
        fn tag_after<const ROUNDS: usize>(
            key: &Key,
            block: u128,
            head: &[u8; SHORT],
            rest: &[u8],
            tag: &mut Block,
        ) {
            if rest.len() <= BLOCK - SHORT {
                long::<ROUNDS, false>(key, block, head, rest, tag);
            } else {
                long::<ROUNDS, true>(key, block, head, rest, tag);
            }
        }
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn long<const ROUNDS: usize, const MORE: bool>(
            key: &Key,
            block: u128,
            head: &[u8; SHORT],
            rest: &[u8],
            tag: &mut Block,
        ) {
            kernel::tag_of_long::<_, ROUNDS, MORE>(<$isa>::new(), key, block, head, rest, tag);
        }
        #[target_feature(enable = $features)]
        fn tag8<const ROUNDS: usize>(
            key: &Key,
            messages: &[&[u8]; EIGHT],
            longest: usize,
            blocks: &Blocks,
            tags: &mut [Block; EIGHT],
        ) {
            if longest > SHORT {
                return eight::<ROUNDS, ANY>(key, messages, (0, longest), blocks, tags);
            }
            if <$isa>::ALIKE {
                let shortest =
                    messages.iter().map(|message| message.len()).fold(longest, usize::min);
                if shortest.div_ceil(16) == longest.div_ceil(16) && longest > 0 {
                    return eight::<ROUNDS, ALIKE>(
                        key,
                        messages,
                        (shortest, longest),
                        blocks,
                        tags,
                    );
                }
            }
            eight::<ROUNDS, FEW>(key, messages, (0, longest), blocks, tags);
        }
        #[inline(never)]
        #[target_feature(enable = $features)]
        fn eight<const ROUNDS: usize, const KIND: u8>(
            key: &Key,
            messages: &[&[u8]; EIGHT],
            range: (usize, usize),
            blocks: &Blocks,
            tags: &mut [Block; EIGHT],
        ) {
            kernel::tag8::<_, ROUNDS, KIND>(<$isa>::new(), key, messages, range, blocks, tags);
        }
        const fn whole<const ROUNDS: usize>() -> Whole {
            let tag8 = if <$isa>::EIGHT { Some(Tag8 { tag8: tag8::<ROUNDS> }) } else { None };
            Whole { tag: tag::<ROUNDS>, tag_after: tag_after::<ROUNDS>, tag8 }
        }
        let whole = Some([whole::<10>(), whole::<14>()]);
        let needs = Needs::listed($features);
        Row { name: $name, needs, functions: Functions { absorb, finish, whole } }
    }};
}

// A static: the functions of a constant are compiled anew in every crate that names it.
static TABLE: &[Row<Functions>] = &[
    Row {
        name: "portable",
        needs: Needs::NONE,
        functions: Functions { absorb: portable::absorb, finish: portable::finish, whole: None },
    },
    #[cfg(target_arch = "x86_64")]
    row! { name: "pclmul", needs: "sse2,ssse3,aes,pclmulqdq", Pclmul },
    #[cfg(target_arch = "x86_64")]
    row! { name: "vpclmul", needs: "avx2,bmi2,aes,vaes,pclmulqdq,vpclmulqdq", Vpclmul },
    #[cfg(target_arch = "x86_64")]
    row! {
        name: "avx512",
        needs: "sse2,avx512f,avx512bw,avx512vl,bmi2,aes,vaes,pclmulqdq,vpclmulqdq",
        Avx512
    },
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    row! { name: "pmull", needs: "neon,aes", Pmull },
];

pub(crate) static ROWS: Rows<Functions> = Rows::new(TABLE);

impl Functions {
    /// The kernels for whole messages, if the row has them and the cipher uses the machine's AES instructions. Copies
    /// the round keys into `key`.
    pub(crate) fn whole(&self, pad: &impl BlockCipher, key: &mut Key) -> Option<&Whole> {
        let [of_128, of_256] = self.whole.as_ref()?;
        Some(if key.set_rounds(pad)? == 10 { of_128 } else { of_256 })
    }
}

impl Whole {
    /// The tags of eight messages under the nonces of these blocks; or false if they take no less time one by one.
    #[inline]
    pub(crate) fn tag8<const N: usize>(
        &self,
        key: &Key,
        messages: &[&[u8]; EIGHT],
        blocks: &Blocks,
        tags: &mut [Tag<N>; EIGHT],
    ) -> bool {
        let Some(kernel) = self.tag8 else { return false };
        let longest = messages.iter().map(|message| message.len()).fold(0, usize::max);
        if longest > BLOCK {
            return false;
        }
        eight_tags(tags, |tags| kernel.tag8(key, messages, longest, blocks, tags));
        true
    }
}
