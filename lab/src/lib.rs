//! The lab of `wegman`: what the command `wegman bench` and the program `wegman-bench` share.
//!
//! | module | what it knows |
//! |---|---|
//! | [`measure`] | the clock and the statistics |
//! | [`rounds`] | timing many things in turn, every answer checked |
//! | [`messages`] | what is tagged, in which order: the modes |
//! | [`ours`] | the algorithms of the catalogue, on any row of kernels |
//! | [`report`] | what a run prints |
//!
//! The rivals, and the crates and system libraries they come from, belong to the program alone
//! (feature `rivals`): nothing of them is built for the command.
#![deny(unsafe_code)]

pub mod measure;
pub mod messages;
pub mod ours;
pub mod report;
pub mod rounds;
