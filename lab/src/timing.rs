//! Times the MACs of the catalogue. Every command of the lab measures with it.
//!
//! | module | what it knows |
//! |---|---|
//! | [`measure`] | the clock and the statistics |
//! | [`rounds`] | timing many things in turn, every answer checked |
//! | [`messages`] | what is tagged, in which order: the modes |
//! | [`number`] | tags as numbers |
//! | [`ours`] | the algorithms of the catalogue, on any row of kernels |
//! | [`report`] | what a run prints |

pub mod measure;
pub mod messages;
pub mod number;
pub mod ours;
pub mod report;
pub mod rounds;
