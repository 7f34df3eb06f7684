//! `libwegman`: the library for C. Every exported function is written out, and `include/wegman.h` is made from this text.
#![allow(clippy::missing_safety_doc, reason = "wegman.h says once what holds for all")]

pub mod carter128;
pub mod library;
pub mod link;
mod mac;
pub mod named;
pub mod pmac_aes128;
pub mod pmac_edit;
pub mod raw;
mod slot;
pub mod status;
mod typed;
pub mod umac128;
pub mod umac64;
