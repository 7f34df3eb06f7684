//! UMAC32 of October 2000 (draft-krovetz-umac-01): UMAC-4/4, 4/8, 4/12 and 4/16. The draft derives its subkeys in
//! another way than RFC 4418 (section 4.1); all else is [`umac`](crate::umac), its kernels and its bound included.
//!
//! **Bound.** That of [`umac`](crate::umac): of `v` forgery attempts at least one succeeds with probability at most
//! about `v * 2^-(30 N / 4)`, plus the advantage of telling AES-128 from a random function, *if no nonce is used twice under
//! one key* (draft, section 8.2).
//!
//! ```
//! use wegman::Nonce;
//! use wegman::historical::umac32;
//!
//! let key = umac32::Key::<8>::new(b"sixteen byte key"); // UMAC32: 8-byte tags
//! let nonce = Nonce::counter(1); // never twice under one key
//! let tag = key.tag(&nonce, b"a message");
//! assert!(key.verify(&nonce, b"a message", &tag).is_ok());
//! ```

use crate::nonce_mac;
use crate::umac::Umac;
use crate::umac::kdf::{Edition, Index};

/// A UMAC32 key for tags of `N` bytes; `N` is 4, 8, 12 or 16 (other lengths do not compile).
pub type Key<const N: usize> = nonce_mac::Key<Umac<N, Draft2000>, N>;

/// A message under way: any split of a message into pieces gives the same tag.
pub type Stream<'k, const N: usize> = nonce_mac::Stream<'k, Umac<N, Draft2000>, N>;

/// Output feedback: E(index) || E(E(index)) || ... (draft, section 4.1)
pub struct Draft2000;

impl Edition for Draft2000 {
    const NAME: &'static str = "umac32";

    fn next(index: Index, i: u64, block: &mut [u8; 16]) {
        if i == 0 {
            block[15] = match index {
                Index::L1 => 0,
                Index::L2 => 1,
                Index::L3 => 2,
                Index::L3Mask => 3,
                Index::Pad => 128,
            };
        }
    }
}
