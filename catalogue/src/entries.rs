//! The entries: one file for each MAC or family, with its entry, its bound and its boxed key.

pub(crate) mod carter;
pub(crate) mod cbc;
mod comparator;
pub(crate) mod hash127;
pub(crate) mod hmac;
pub mod partial;
pub(crate) mod pcs;
pub(crate) mod pmac;
pub(crate) mod polyval;
pub(crate) mod umac;
pub mod umac_1999;
pub mod umac_2000;
pub mod xor_mac;
