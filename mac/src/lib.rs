//! UMAC and PMAC: provably secure message authentication at the speed of the machine.
#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod buffer;
pub mod cipher;
pub mod cpu;
mod nonce;
pub mod pmac;
pub mod registry;
mod tag;
pub mod umac;

pub use cipher::{Aes128, Aes192, Aes256};
pub use cpu::Cpu;
#[cfg(feature = "digest")]
pub use digest;
pub use nonce::{Nonce, NoncesExhausted};
pub use tag::{InvalidLength, Tag, TagMismatch};
