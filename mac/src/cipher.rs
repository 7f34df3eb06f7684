//! The block cipher as the MACs need it: a keyed permutation of 16-byte blocks, one or many.

use crate::tag::InvalidLength;
use aes::cipher::array::{Array, ArraySize};
use aes::cipher::consts::U16;
use aes::cipher::typenum::Unsigned;
use aes::cipher::{BlockCipherEncrypt, KeyInit};

/// 16 bytes: the block of AES and of every cipher used here.
pub type Block = [u8; 16];

/// A keyed block cipher of 16-byte blocks. Encryption only: no MAC here needs the inverse.
pub trait BlockCipher: Send + Sync + Sized + 'static {
    /// The key as an array, for example `[u8; 16]`.
    type Key: AsRef<[u8]>;

    /// Length of the key in bytes.
    const KEY_BYTES: usize;

    /// Expands the key.
    fn new(key: &Self::Key) -> Self {
        Self::from_slice(key.as_ref()).expect("its type gives the key the cipher's length")
    }

    /// Expands a key given as a slice.
    ///
    /// # Errors
    /// [`InvalidLength`] if the cipher takes no key of that length.
    fn from_slice(key: &[u8]) -> Result<Self, InvalidLength>;

    /// Encrypts one block in place.
    fn encrypt(&self, block: &mut Block);

    /// Encrypts independent blocks in place, as many side by side as the machine can.
    fn encrypt_many(&self, blocks: &mut [Block]);
}

/// Any cipher of the RustCrypto `cipher` traits that has 16-byte blocks.
///
/// AES comes from the crate `aes`: constant time, with AES-NI, VAES or ARMv8 AES chosen at run
/// time, its round keys wiped on drop.
#[derive(Clone)]
pub struct Keyed<C>(C);

/// AES with a 16-byte key.
pub type Aes128 = Keyed<aes::Aes128Enc>;
/// AES with a 24-byte key.
pub type Aes192 = Keyed<aes::Aes192Enc>;
/// AES with a 32-byte key.
pub type Aes256 = Keyed<aes::Aes256Enc>;
/// RC6-32/20/16, which the papers of 1999 use beside AES. Its crate does not wipe the round keys.
#[cfg(feature = "yardstick")]
pub type Rc6 = Keyed<rc6::RC6<u32, aes::cipher::consts::U20, U16>>;

impl<C> BlockCipher for Keyed<C>
where
    C: BlockCipherEncrypt<BlockSize = U16> + KeyInit + Send + Sync + 'static,
{
    type Key = <C::KeySize as ArraySize>::ArrayType<u8>;

    const KEY_BYTES: usize = C::KeySize::USIZE;

    fn from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        C::new_from_slice(key).map(Keyed).map_err(|_| InvalidLength)
    }

    fn encrypt(&self, block: &mut Block) {
        self.0.encrypt_block(Array::cast_from_core_mut(block));
    }

    fn encrypt_many(&self, blocks: &mut [Block]) {
        self.0.encrypt_blocks(Array::cast_slice_from_core_mut(blocks));
    }
}

#[cfg(feature = "digest")]
impl<C: aes::cipher::KeySizeUser> aes::cipher::KeySizeUser for Keyed<C> {
    type KeySize = C::KeySize;
}

/// The xor of two blocks.
pub(crate) fn xor(a: &Block, b: &Block) -> Block {
    (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes()
}
