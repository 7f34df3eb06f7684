//! Times the MACs of the catalogue. Every command of the lab measures with it.
//!
//! | module | what it knows |
//! |---|---|
//! | [`measure`] | the machine, the clock and the statistics |
//! | [`rounds`] | timing many things in turn, every answer checked |
//! | [`messages`] | what is tagged, in which order: the modes |

pub mod measure;
pub mod messages;
pub mod rounds;
