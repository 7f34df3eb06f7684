//! The editions of UMAC before the standard: to check old tags, and to reproduce the figures of their authors. New
//! designs use [`umac`](wegman::umac).
//!
//! | | defined in |
//! |---|---|
//! | [`Umac1999`] | UMAC (CRYPTO '99): UMAC-STD-30 and -60, UMAC-MMX-15, -30 and -60 |
//! | [`Umac2000`] | draft-krovetz-umac-01 (October 2000): UMAC-w/l/n/k/s/e and UHASH, parameters chosen at run time |
//! | [`Umac16`], [`Umac32`] | UMAC16 and UMAC32 of the same draft, tag lengths known at compile time, with kernels for whole messages |
//! | [`Rc6`] | the cipher that the papers of 1999 use besides AES |

#![cfg_attr(not(test), no_std)]
// docs.rs shows beside each item the feature that it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

extern crate alloc;

mod feedback;
mod l1_nh16;
mod rc6;
#[cfg(test)]
mod tests;
pub mod umac16;
pub mod umac32;
pub mod umac_1999;
pub mod umac_2000;

pub use rc6::Rc6;
pub use umac_1999::Umac1999;
pub use umac_2000::Umac2000;
pub use umac16::Umac16;
pub use umac32::Umac32;
pub use wegman;
pub use wegman::hazmat::raw::Nonce;

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
