//! Block ciphers as the MACs need them: keyed permutations of blocks, one block at a time or many.

pub(crate) mod aes;
mod block;

pub use self::aes::Aes;
pub(crate) use self::aes::Rounds;
pub use self::block::CipherBlock;

use crate::cpu::Cpu;
use crate::tag::InvalidLength;
use ::aes::cipher::array::{Array, ArraySize};
use ::aes::cipher::typenum::Unsigned;
use ::aes::cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use zeroize::ZeroizeOnDrop;

/// A block of 16 bytes: that of AES and of most ciphers.
pub type Block = [u8; 16];

/// A keyed block cipher. Most uses need no inverse; those that do require [`Invertible`].
pub trait BlockCipher: Send + Sync + Sized + 'static {
    /// The key as an array, for example `[u8; 16]`.
    type Key: AsRef<[u8]>;

    /// The block: `[u8; 16]` or `[u8; 8]`.
    type Block: CipherBlock;

    /// Length of the key in bytes.
    const KEY_BYTES: usize;

    /// Whether kernels made for AES may be chosen.
    #[doc(hidden)]
    const IS_AES: bool = false;

    /// Expands the key.
    fn new(key: &Self::Key) -> Self {
        Self::from_slice(Cpu::detect(), key.as_ref())
            .expect("its type gives the key the cipher's length")
    }

    /// Expands a key given as a slice; uses at most the features of `cpu`.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of that length.
    fn from_slice(cpu: Cpu, key: &[u8]) -> Result<Self, InvalidLength>;

    /// Encrypts one block in place.
    fn encrypt(&self, block: &mut Self::Block);

    /// Encrypts independent blocks in place, as many in parallel as the machine can.
    fn encrypt_many(&self, blocks: &mut [Self::Block]);

    /// Continues a CBC chain: xors each block into `sum` and encrypts `sum`.
    fn chain(&self, sum: &mut Self::Block, blocks: &[Self::Block]) {
        for block in blocks {
            *sum = sum.xor(block);
            self.encrypt(sum);
        }
    }

    /// The round keys, if the cipher is AES and a kernel of this machine computes it.
    #[doc(hidden)]
    fn rounds(&self) -> Option<&Rounds> {
        None
    }
}

/// A block cipher with its inverse, which edits from a tag need.
pub trait Invertible: BlockCipher {
    /// Decrypts one block in place.
    fn decrypt(&self, block: &mut Self::Block);
}

/// AES with a 16-byte key.
pub type Aes128 = Aes<::aes::Aes128>;
/// AES with a 24-byte key.
pub type Aes192 = Aes<::aes::Aes192>;
/// AES with a 32-byte key.
pub type Aes256 = Aes<::aes::Aes256>;

/// Any cipher with the RustCrypto `cipher` traits and blocks of 16 or 8 bytes.
#[derive(Clone)]
pub struct Keyed<C>(C);

/// The block type of a cipher with the `cipher` traits.
type BlockOf<C> = <<C as ::aes::cipher::BlockSizeUser>::BlockSize as ArraySize>::ArrayType<u8>;

impl<C> BlockCipher for Keyed<C>
where
    C: BlockCipherEncrypt + KeyInit + Send + Sync + 'static,
    BlockOf<C>: CipherBlock,
{
    type Key = <C::KeySize as ArraySize>::ArrayType<u8>;
    type Block = BlockOf<C>;

    const KEY_BYTES: usize = C::KeySize::USIZE;

    fn from_slice(_: Cpu, key: &[u8]) -> Result<Self, InvalidLength> {
        C::new_from_slice(key).map(Keyed).map_err(|_| InvalidLength)
    }

    fn encrypt(&self, block: &mut Self::Block) {
        self.encrypt_many(core::slice::from_mut(block));
    }

    fn encrypt_many(&self, blocks: &mut [Self::Block]) {
        self.0.encrypt_blocks(Array::slice_as_chunks_mut(CipherBlock::flatten_mut(blocks)).0);
    }
}

impl<C> Invertible for Keyed<C>
where
    Keyed<C>: BlockCipher<Block = BlockOf<C>>,
    C: BlockCipherDecrypt,
    BlockOf<C>: CipherBlock,
{
    fn decrypt(&self, block: &mut BlockOf<C>) {
        self.0.decrypt_blocks(Array::slice_as_chunks_mut(block.as_mut()).0);
    }
}

impl<C: ZeroizeOnDrop> ZeroizeOnDrop for Keyed<C> {}
