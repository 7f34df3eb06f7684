//! The list of all entries, and one file for each MAC or family, with its entry, its bound and its boxed key.

#[cfg(feature = "every")]
mod carter;
#[cfg(feature = "every")]
mod cbc;
#[cfg(feature = "every")]
mod comparator;
#[cfg(feature = "every")]
mod hash127;
#[cfg(feature = "every")]
mod hmac;
#[cfg(feature = "every")]
pub mod partial;
#[cfg(feature = "every")]
mod pcs;
mod pmac;
#[cfg(feature = "every")]
mod polyval;
mod umac;
#[cfg(feature = "every")]
pub mod umac_1999;
#[cfg(feature = "every")]
pub mod umac_2000;
#[cfg(feature = "every")]
pub mod xor_mac;

use crate::{Algorithm, Status};
use wegman::Aes128;
#[cfg(feature = "every")]
use wegman::{Aes192, Aes256};
#[cfg(feature = "every")]
use wegman_historical::{umac_1999 as sets, umac_2000::Parameters};
#[cfg(feature = "every")]
use wegman_yardstick::{DesEde3, Rc6};

/// A list with the algorithms of the npm package, and others.
macro_rules! list {
    ($($other:expr,)*) => {
        &[
            umac::entry::<4>("UMAC-32", Status::Interop, "v * 2^-30 for v forgery attempts"),
            umac::entry::<8>("UMAC-64", Status::Recommended, "v * 2^-60 for v forgery attempts"),
            umac::entry::<12>("UMAC-96", Status::Interop, "v * 2^-90 for v forgery attempts"),
            umac::entry::<16>("UMAC-128", Status::Recommended, "v * 2^-120 for v forgery attempts"),
            pmac::entry::<Aes128, 16>("PMAC-AES128", Status::Recommended, &[("cipher", "AES-128")]),
            $($other,)*
        ]
    };
}

/// All algorithms that are listed: those of the npm package.
#[cfg(not(feature = "every"))]
pub static ALGORITHMS: &[Algorithm] = list![];

/// All algorithms that are listed.
// A static, not a constant: every crate that names a constant would compile its functions again.
#[cfg(feature = "every")]
pub static ALGORITHMS: &[Algorithm] = list![
    pmac::entry::<Aes192, 16>("PMAC-AES192", Status::Recommended, &[("cipher", "AES-192")]),
    pmac::entry::<Aes256, 16>("PMAC-AES256", Status::Recommended, &[("cipher", "AES-256")]),
    carter::entry::<Aes128, 16>("Carter-128"),
    carter::entry::<Aes128, 12>("Carter-96"),
    carter::entry::<Aes128, 8>("Carter-64"),
    carter::entry::<Aes256, 16>("Carter-128-AES256"),
    carter::entry::<Aes256, 12>("Carter-96-AES256"),
    carter::entry::<Aes256, 8>("Carter-64-AES256"),
    umac_2000::entry("UMAC16", &umac_2000::with_output(Parameters::UMAC16, 8)),
    umac_2000::entry("UMAC-2/4/1024/16/SIGNED", &umac_2000::with_output(Parameters::UMAC16, 4)),
    umac_2000::entry("UMAC-2/16/1024/16/SIGNED", &umac_2000::with_output(Parameters::UMAC16, 16)),
    umac_2000::entry("UMAC32", &umac_2000::with_output(Parameters::UMAC32, 8)),
    umac_2000::entry("UMAC-4/4", &umac_2000::with_output(Parameters::UMAC32, 4)),
    umac_2000::entry("UMAC-4/16", &umac_2000::with_output(Parameters::UMAC32, 16)),
    umac_1999::entry::<sets::Std30, 20>(
        &umac_1999::std("1"),
        "v * (2^-30 + 2^-160) for v forgery attempts",
    ),
    umac_1999::entry::<sets::Std60, 20>(
        &umac_1999::std("2"),
        "v * (2^-60 + 2^-160) for v forgery attempts",
    ),
    umac_1999::entry::<sets::Mmx15, 16>(
        &umac_1999::mmx("1"),
        "v * (2^-15 + 2^-128) for v forgery attempts",
    ),
    umac_1999::entry::<sets::Mmx30, 16>(
        &umac_1999::mmx("2"),
        "v * (2^-30 + 2^-128) for v forgery attempts",
    ),
    umac_1999::entry::<sets::Mmx60, 16>(
        &umac_1999::mmx("4"),
        "v * (2^-60 + 2^-128) for v forgery attempts",
    ),
    pmac::entry::<Rc6, 16>("PMAC-RC6-128", Status::Comparator, &[("cipher", "RC6-32/20/16")]),
    pmac::entry::<DesEde3, 8>(
        "PMAC-DES-EDE3",
        Status::Comparator,
        &[("cipher", "triple DES, three keys")],
    ),
    cbc::CMAC_AES128,
    cbc::CMAC_AES256,
    hmac::HMAC_SHA256,
    cbc::ECBC_AES128,
    cbc::ECBC_RC6,
    cbc::FCBC_AES128,
    cbc::FCBC_RC6,
    cbc::XCBC_AES128,
    cbc::XCBC_RC6,
    hmac::HMAC_SHA1,
    hmac::HMAC_SHA1_96,
    hmac::HMAC_MD5,
    hmac::HMAC_MD5_96,
    pcs::PCS_AES128,
    xor_mac::XOR_MAC_BGR,
    xor_mac::XOR_MAC_BR,
    hash127::HASH127_RC6,
    polyval::POLYVAL_AES,
];
