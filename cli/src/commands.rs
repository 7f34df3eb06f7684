//! The subcommands, a file for each.

pub mod algorithms;
pub mod audit;
pub mod bounds;
pub mod check;
pub mod cluster;
pub mod combine;
mod compare;
pub mod edit;
pub mod keygen;
pub mod mac;
pub mod segment;
pub mod tag;
