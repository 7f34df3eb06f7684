//! What the provider offers: the catalogue's algorithms, under the names by which OpenSSL asks for them.

use core::ffi::CStr;
use wegman_catalogue::{ALGORITHMS, Algorithm};

/// An algorithm, known by its place in [`OFFERED`].
pub(crate) struct Offered {
    pub(crate) name: &'static CStr,
    pub(crate) properties: &'static CStr,
    pub(crate) description: &'static CStr,
}

const PLAIN: &CStr = c"provider=wegman";
/// A program that wants only what others have examined asks for `wegman.experimental!=yes`.
const EXPERIMENTAL: &CStr = c"provider=wegman,wegman.experimental=yes";

const fn umac(name: &'static CStr) -> Offered {
    let description =
        c"UMAC (RFC 4418): a key of 16 bytes, and a fresh nonce (iv) for each message";
    Offered { name, properties: PLAIN, description }
}

const fn pmac(name: &'static CStr) -> Offered {
    let description = c"PMAC (EUROCRYPT 2002): no nonce; tags (size) of 4 to 16 bytes";
    Offered { name, properties: PLAIN, description }
}

/// All of them.
pub(crate) const OFFERED: [Offered; 8] = [
    umac(c"UMAC-32"),
    umac(c"UMAC-64"),
    umac(c"UMAC-96"),
    umac(c"UMAC-128"),
    pmac(c"PMAC-AES128"),
    pmac(c"PMAC-AES192"),
    pmac(c"PMAC-AES256"),
    Offered {
        name: c"CARTER-128",
        properties: EXPERIMENTAL,
        description: c"Carter-128, experimental: a key of 16 bytes, and a fresh nonce (iv) of 12 bytes for each message",
    },
];

impl Offered {
    /// The catalogue's entry.
    pub(crate) fn algorithm(&self) -> Option<&'static Algorithm> {
        let name = self.name.to_str().ok()?;
        ALGORITHMS.iter().find(|algorithm| algorithm.name.eq_ignore_ascii_case(name))
    }
}
