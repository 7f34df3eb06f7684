//! What the provider offers: names of the catalogue's algorithms, under which it is asked for them.

use crate::ffi::{Algorithm as Entry, Dispatch, NO_ALGORITHM};
use crate::mac::functions;
use core::ffi::CStr;
use wegman_catalogue::{ALGORITHMS, Algorithm};

/// An algorithm, and its place in [`OFFERED`].
pub(crate) struct Offered {
    name: &'static CStr,
    properties: &'static CStr,
    description: &'static CStr,
    functions: [Dispatch; 11],
}

const PLAIN: &CStr = c"provider=wegman";
/// A program that wants only what others have examined asks for `wegman.experimental!=yes`.
const EXPERIMENTAL: &CStr = c"provider=wegman,wegman.experimental=yes";

const fn umac<const I: usize>(name: &'static CStr) -> Offered {
    let description =
        c"UMAC (RFC 4418): a key of 16 bytes, and a fresh nonce (iv) for each message";
    Offered { name, properties: PLAIN, description, functions: functions::<I>(true) }
}

const fn pmac<const I: usize>(name: &'static CStr) -> Offered {
    let description = c"PMAC (EUROCRYPT 2002): no nonce; tags (size) of 4 to 16 bytes";
    Offered { name, properties: PLAIN, description, functions: functions::<I>(false) }
}

/// All of them.
pub(crate) static OFFERED: [Offered; 8] = [
    umac::<0>(c"UMAC-32"),
    umac::<1>(c"UMAC-64"),
    umac::<2>(c"UMAC-96"),
    umac::<3>(c"UMAC-128"),
    pmac::<4>(c"PMAC-AES128"),
    pmac::<5>(c"PMAC-AES192"),
    pmac::<6>(c"PMAC-AES256"),
    Offered {
        name: c"CARTER-128",
        properties: EXPERIMENTAL,
        description: c"Carter-128, experimental: a key of 16 bytes, and a fresh nonce (iv) of 12 bytes for each message",
        functions: functions::<7>(true),
    },
];

impl Offered {
    /// The catalogue's entry.
    pub(crate) fn algorithm(&self) -> Option<&'static Algorithm> {
        let name = self.name.to_str().ok()?;
        ALGORITHMS.iter().find(|algorithm| algorithm.name.eq_ignore_ascii_case(name))
    }

    const fn entry(&'static self) -> Entry {
        Entry {
            names: self.name.as_ptr(),
            properties: self.properties.as_ptr(),
            functions: self.functions.as_ptr(),
            description: self.description.as_ptr(),
        }
    }
}

/// As OpenSSL wants it.
pub(crate) static ENTRIES: [Entry; OFFERED.len() + 1] = {
    let mut entries = [NO_ALGORITHM; OFFERED.len() + 1];
    let mut i = 0;
    while i < OFFERED.len() {
        entries[i] = OFFERED[i].entry();
        i += 1;
    }
    entries
};
