//! The files that hold what is written for later: opened, locked, replaced. Their formats are `wegman-formats`'.

pub mod journal;
pub mod keyfile;
pub mod leftovers;
pub mod manifest;
pub mod shards;
