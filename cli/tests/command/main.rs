//! The command, run as people run it. One program: sixteen took longer to link.

mod algorithms;
mod audit;
mod big_files;
mod bounds;
mod common;
mod edit;
mod everyday;
mod holes;
mod interrupts;
mod keys;
mod mac;
mod manifest;
mod memory;
mod segment;
mod shards;
mod streams;
mod tag_check;
