//! HMAC (RFC 2104) with SHA-1 and MD5, whole or truncated to 96 bits as in IPsec (RFC 2404, RFC 2403), and with SHA-256
//! (RFC 4231): the crates `hmac`, `sha1`, `md-5` and `sha2` behind the methods of this library.
//!
//! The key may have any length (RFC 2104) and should be as long as the hash. In IPsec it has 20 bytes with SHA-1 and 16
//! with MD5; with SHA-256 it mostly has 32.
//!
//! **Bound.** If the compression function of the hash is a pseudorandom function, so is HMAC, up to an advantage of
//! about `m q^2 / 2^n` for `q` messages of `m` blocks and a hash of `n` bits (Bellare, CRYPTO 2006). That assumption is
//! not refuted even for MD5. But MD5 and SHA-1 are broken as hash functions: HMAC with them is here only for
//! measurements. HMAC-SHA256 is sound, and is here for peers that require it.

use crate::engine::{Engine, Longest, PacketEngine, longest};
use core::fmt;
use hmac::digest::{FixedOutput, OutputSizeUser, Update, typenum::Unsigned};
use hmac::{Hmac, KeyInit};
use wegman::{Cpu, InvalidLength};

/// Defines the engine of one hash. The crates' feature `zeroize` wipes its state.
macro_rules! hmac_with {
    ($(#[$doc:meta])* $name:ident, $hash:ty) => {
        $(#[$doc])*
        pub struct $name(Hmac<$hash>);

        impl Engine for $name {
            type State = Hmac<$hash>;

            const MOST: usize = <$hash as OutputSizeUser>::OutputSize::USIZE;

            fn from_slice(_: Cpu, secret: &[u8]) -> Result<Self, InvalidLength> {
                Ok($name(Hmac::new_from_slice(secret).map_err(|_| InvalidLength)?))
            }

            fn state(&self) -> Self::State {
                self.0.clone()
            }

            fn update(&self, state: &mut Self::State, piece: &[u8]) {
                Update::update(state, piece);
            }

            fn tag(&self, state: &Self::State) -> Longest {
                longest(state.clone().finalize_fixed())
            }
        }

        impl PacketEngine for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

hmac_with! {
    /// HMAC-SHA1: tags of 4 to 20 bytes. HMAC-SHA1-96 is the one of 12.
    HmacSha1, sha1::Sha1
}

hmac_with! {
    /// HMAC-MD5: tags of 4 to 16 bytes. HMAC-MD5-96 is the one of 12.
    HmacMd5, md5::Md5
}

hmac_with! {
    /// HMAC-SHA256: tags of 4 to 32 bytes.
    HmacSha256, sha2::Sha256
}
