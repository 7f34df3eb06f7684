//! AES (FIPS 197) with the machine's instructions, or bitsliced in WebAssembly's vectors; else by the crate `aes`, which is
//! constant-time software.
//!
//! That crate does not expose its round keys, and kernels that run AES in one loop with a MAC need them.

#[cfg(target_arch = "x86_64")]
mod aesni;
#[cfg(target_arch = "aarch64")]
mod armv8;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;
#[cfg(target_arch = "x86_64")]
mod vaes256;

use crate::cipher::{Block, BlockCipher, CipherBlock, Invertible};
use crate::cpu::Cpu;
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128"),
))]
use crate::cpu::Needs;
use crate::ct::wipe;
#[allow(unused_imports, reason = "`Row`, where there is none")]
use crate::rows::{Row, Rows, functions};
use crate::tag::InvalidLength;
use aes::cipher::array::{Array, ArraySize};
use aes::cipher::consts::U16;
use aes::cipher::typenum::Unsigned;
use aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use zeroize::ZeroizeOnDrop;

/// Round keys, in the order of encryption.
#[derive(Clone)]
pub struct Rounds {
    /// AES-128 uses 11 of them, AES-192 13 and AES-256 15.
    keys: [Block; Rounds::MOST],
    /// The number of rounds: one less than that of keys.
    count: usize,
    /// Bit `b` of each byte of a key, spread over the byte.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    planes: [[Block; 8]; Rounds::MOST],
}

impl Rounds {
    const MOST: usize = 15;

    const ZERO: Rounds = Rounds {
        keys: [[0; 16]; Rounds::MOST],
        count: 0,
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        planes: [[[0; 16]; 8]; Rounds::MOST],
    };

    /// The key schedule (FIPS 197, section 5.2). `sub_word` applies the S-box to each byte.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        allow(dead_code, reason = "no row uses it")
    )]
    #[inline(always)] // with the instructions that `sub_word` uses
    fn expand(key: &[u8], sub_word: impl Fn(u32) -> u32) -> Rounds {
        match key.len() {
            16 => Self::of_words::<4>(key, sub_word),
            24 => Self::of_words::<6>(key, sub_word),
            _ => Self::of_words::<8>(key, sub_word),
        }
    }

    /// The key schedule of a key of `WORDS` words. The last ones, which optimised code keeps in registers, are not wiped.
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        allow(dead_code, reason = "no row uses it")
    )]
    #[inline(always)]
    fn of_words<const WORDS: usize>(key: &[u8], sub_word: impl Fn(u32) -> u32) -> Rounds {
        let (bytes, _) = key.as_chunks();
        let mut words: [u32; WORDS] = core::array::from_fn(|i| u32::from_le_bytes(bytes[i]));
        let mut rounds = Rounds::ZERO;
        rounds.count = WORDS + 6;
        let places = rounds.keys[..=WORDS + 6].as_flattened_mut().as_chunks_mut().0;
        let mut constant = 1;
        for places in places.chunks_mut(WORDS) {
            for (place, word) in places.iter_mut().zip(words) {
                *place = word.to_le_bytes();
            }
            let mut word = sub_word(words[WORDS - 1].rotate_right(8)) ^ constant;
            constant = if constant == 0x80 { 0x1b } else { constant << 1 };
            for (i, next) in words.iter_mut().enumerate() {
                if WORDS > 6 && i == 4 {
                    word = sub_word(word);
                }
                word ^= *next;
                *next = word;
            }
        }
        rounds
    }

    /// The round keys in use: the first one, and the one for each round.
    pub(crate) fn keys(&self) -> &[Block] {
        &self.keys[..=self.count]
    }
}

impl Drop for Rounds {
    fn drop(&mut self) {
        let Rounds {
            keys,
            count: _,
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            planes,
        } = self;
        wipe(keys);
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        wipe(planes);
    }
}

functions! {
    /// AES with the instructions of one kind of machine, or in its vectors.
    pub(crate) struct Functions {
        unsafe fn expand(key: &[u8]) -> Rounds;
        unsafe fn encrypt(rounds: &Rounds, blocks: &mut [Block]);
        /// Keeps the sum in a register: storing and reloading it would cost half as long as AES itself.
        unsafe fn chain(rounds: &Rounds, sum: &mut Block, blocks: &[Block]);
    }
}

/// One row for each file in `aes/`.
pub(crate) static ROWS: Rows<Functions> = Rows::new(&[
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "aesni",
        needs: Needs::listed("aes"),
        functions: Functions {
            expand: aesni::expand,
            encrypt: aesni::encrypt,
            chain: aesni::chain,
        },
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        name: "vaes256",
        needs: Needs::listed("avx2,aes,vaes"),
        functions: Functions {
            expand: aesni::expand,
            encrypt: vaes256::encrypt,
            chain: aesni::chain,
        },
    },
    #[cfg(target_arch = "aarch64")]
    Row {
        name: "armv8",
        needs: Needs::listed("neon,aes"),
        functions: Functions {
            expand: armv8::expand,
            encrypt: armv8::encrypt,
            chain: armv8::chain,
        },
    },
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Row {
        name: "simd128",
        needs: Needs::listed("simd128"),
        functions: Functions {
            expand: simd128::expand,
            encrypt: simd128::encrypt,
            chain: simd128::chain,
        },
    },
]);

/// AES over `C`, a type of the crate `aes`. Its round keys are wiped on drop.
#[derive(Clone)]
pub struct Aes<C>(Engine<C>);

#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "the other one is the crate's, and no smaller")]
enum Engine<C> {
    Hardware(&'static Functions, Rounds),
    Software(C),
}

impl<C> BlockCipher for Aes<C>
where
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + Send + Sync + 'static,
{
    type Key = <C::KeySize as ArraySize>::ArrayType<u8>;
    type Block = Block;

    const KEY_BYTES: usize = C::KeySize::USIZE;
    const IS_AES: bool = true;

    fn from_slice(cpu: Cpu, key: &[u8]) -> Result<Self, InvalidLength> {
        if key.len() != Self::KEY_BYTES {
            return Err(InvalidLength);
        }
        Ok(Aes(match ROWS.last(cpu).map(|row| &row.functions) {
            Some(functions) => Engine::Hardware(functions, functions.expand(key)),
            None => Engine::Software(C::new_from_slice(key).map_err(|_| InvalidLength)?),
        }))
    }

    #[inline]
    fn encrypt(&self, block: &mut Block) {
        self.encrypt_many(core::slice::from_mut(block));
    }

    #[inline]
    fn encrypt_many(&self, blocks: &mut [Block]) {
        match &self.0 {
            Engine::Hardware(functions, rounds) => functions.encrypt(rounds, blocks),
            Engine::Software(aes) => aes.encrypt_blocks(Array::cast_slice_from_core_mut(blocks)),
        }
    }

    fn chain(&self, sum: &mut Block, blocks: &[Block]) {
        match &self.0 {
            Engine::Hardware(functions, rounds) => functions.chain(rounds, sum, blocks),
            Engine::Software(aes) => {
                for block in blocks {
                    *sum = sum.xor(block);
                    aes.encrypt_block(Array::cast_from_core_mut(sum));
                }
            }
        }
    }

    fn rounds(&self) -> Option<&Rounds> {
        match &self.0 {
            Engine::Hardware(_, rounds) => Some(rounds),
            Engine::Software(_) => None,
        }
    }
}

impl<C> Invertible for Aes<C>
where
    C: BlockCipherEncrypt<BlockSize = U16> + BlockCipherDecrypt + KeyInit + Send + Sync + 'static,
{
    fn decrypt(&self, block: &mut Block) {
        let block = Array::cast_from_core_mut(block);
        match &self.0 {
            Engine::Hardware(_, rounds) => {
                // Rare, so no inverse schedule is kept; the round keys begin with the key.
                let key = &rounds.keys.as_flattened()[..Self::KEY_BYTES];
                let aes = C::new_from_slice(key).expect("a key of this cipher");
                aes.decrypt_block(block);
            }
            Engine::Software(aes) => aes.decrypt_block(block),
        }
    }
}

// The round keys wipe themselves.
impl<C: ZeroizeOnDrop> ZeroizeOnDrop for Aes<C> {}
