//! UMAC32 of October 2000 (draft-krovetz-umac-01): UMAC-4/4, 4/8, 4/12 and 4/16. The draft derives its subkeys in
//! another way than RFC 4418 (section 4.1), in output feedback; all else is [`umac`](wegman::umac), its kernels included.
//!
//! **Bound.** That of [`umac`](wegman::umac) and about 2^-115 for the subkeys: of `v` forgery attempts at least one succeeds
//! with probability at most about `v * 2^-(30 N / 4) + 2^-115`, plus twice the advantage of telling AES-128 from a random
//! permutation, *if no nonce is used twice under one key* (draft, section 8.2).
//!
//! ```
//! use wegman::NonceOf;
//! use wegman_historical::Umac32;
//!
//! let key = Umac32::<8>::new(b"sixteen byte key"); // 8-byte tags
//! let tag = key.tag(NonceOf::counter(1), b"a message"); // a nonce: never twice under one key
//! assert!(key.verify(&NonceOf::counter(1), b"a message", &tag).is_ok());
//! ```

use crate::feedback;
use wegman::cipher::{Aes128, BlockCipher};
use wegman::hazmat::umac::{Edition, Index, Umac};
use wegman::nonce_mac;

/// A UMAC32 key for tags of `T` bytes and nonces of `L` bytes. `T` is 4, 8, 12 or 16 and `L` is 8 to 16 (other lengths do
/// not compile).
pub type Umac32<const T: usize, const L: usize = 8> = nonce_mac::Key<Umac<T, Draft2000>, T, L>;

/// A message under way: any split of a message into pieces gives the same tag.
pub type Stream<K, const T: usize, const L: usize = 8> =
    nonce_mac::Stream<K, Umac<T, Draft2000>, T, L>;

/// The draft's derivation of subkeys: E(index) || E(E(index)) || ... (draft, section 4.1)
#[derive(Clone)]
pub struct Draft2000;

impl Edition for Draft2000 {
    const NAME: &'static str = "Umac32";
    const FAMILY: &'static str = "UMAC32";
    const FED_BACK: bool = true;

    fn fill(aes: &Aes128, index: Index, out: &mut [u8]) {
        let index = match index {
            Index::Pad => 128,
            other => other as u8 - 1, // the same order, from 0 on
        };
        feedback::fill(index, out, |block| aes.encrypt(block));
    }
}
