//! The editions of UMAC before the standard (feature `historical`): to check old tags, and to reproduce the figures of
//! their authors. New designs use [`umac`](crate::umac).
//!
//! | | defined in |
//! |---|---|
//! | [`Umac1999`] | UMAC (CRYPTO '99): UMAC-STD-30 and -60, UMAC-MMX-15, -30 and -60 |
//! | [`Umac2000`] | draft-krovetz-umac-01 (October 2000): UMAC-w/l/n/k/s/e and UHASH, parameters chosen at run time |
//! | [`Umac16`], [`Umac32`] | UMAC16 and UMAC32 of the same draft, tag lengths known at compile time, with kernels for whole messages |
//! | [`Rc6`] | the cipher that the papers of 1999 use besides AES |

pub(crate) mod l1_nh16;
mod rc6;
pub mod umac16;
pub mod umac32;
pub mod umac_1999;
pub mod umac_2000;

pub use crate::nonce::Nonce;
pub use rc6::Rc6;
pub use umac_1999::Umac1999;
pub use umac_2000::Umac2000;
pub use umac16::Umac16;
pub use umac32::Umac32;
