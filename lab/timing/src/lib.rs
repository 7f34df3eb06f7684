//! Times the MACs of the catalogue. The command `wegman bench` and the lab of the project share it.
//!
//! | module | what it knows |
//! |---|---|
//! | [`measure`] | the clock and the statistics |
//! | [`rounds`] | timing many things in turn, every answer checked |
//! | [`messages`] | what is tagged, in which order: the modes |
//! | [`ours`] | the algorithms of the catalogue, on any row of kernels |
//! | [`report`] | what a run prints |
//!
//! Rivals, and the crates and system libraries they come from, are the lab's: nothing of them is built for the command.
#![deny(unsafe_code)]

pub mod measure;
pub mod messages;
pub mod ours;
pub mod report;
pub mod rounds;
