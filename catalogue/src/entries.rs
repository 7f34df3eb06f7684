//! The entries: one file for each MAC or family, with its entry, its bound and its boxed key.

#[cfg(feature = "every")]
pub(crate) mod carter;
#[cfg(feature = "every")]
pub(crate) mod cbc;
#[cfg(feature = "every")]
mod comparator;
#[cfg(feature = "every")]
pub(crate) mod hash127;
#[cfg(feature = "every")]
pub(crate) mod hmac;
#[cfg(feature = "every")]
pub mod partial;
#[cfg(feature = "every")]
pub(crate) mod pcs;
pub(crate) mod pmac;
#[cfg(feature = "every")]
pub(crate) mod polyval;
pub(crate) mod umac;
#[cfg(feature = "every")]
pub mod umac_1999;
#[cfg(feature = "every")]
pub mod umac_2000;
#[cfg(feature = "every")]
pub mod xor_mac;
