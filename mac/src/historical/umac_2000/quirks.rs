//! The ways of old code. The draft contradicts itself in one place, and its authors' code differs from it in
//! another; this module makes keys that do as that code did, **to check or reproduce old tags**. Nothing
//! proves anything about them.

use super::{Key, Parameters};
use crate::cpu::Cpu;
use crate::tag::InvalidLength;

/// What differs from the draft. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// Where the part of a pad is read from.
    pub nonce_index: NonceIndex,
    /// Which layer-3 keys a stream has.
    pub l3_keys: L3Keys,
    /// The block cipher.
    pub cipher: Cipher,
}

/// From where PDF takes the bits that say which part of a block is the pad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NonceIndex {
    /// From the nonce as it is given, as the draft says in words and its authors' code does.
    #[default]
    Unpadded,
    /// From the nonce after zeroes were appended, as the draft's algorithm says. Nonces of less than 16
    /// bytes that differ in those bits alone still have different pads.
    DraftLiteral,
}

/// Which numbers of the layer-3 key string a stream has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum L3Keys {
    /// Eight of its own.
    #[default]
    Draft,
    /// As code 0.05 (October 2000): with words of 4 bytes, stream i has four that begin at number i of the
    /// last four of each eight, laid end to end. Streams share keys, so their errors are not
    /// independent: the bounds of more than one word do not hold.
    Refcode005,
    /// As code 0.01 (August 2000): the same with the first four of each eight; with words of 2 bytes,
    /// the stream's own first four.
    Refcode001,
}

/// The block cipher of all derivations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cipher {
    /// As the draft says.
    #[default]
    Aes,
    /// RC6-32/20: code 0.01, before AES was final.
    Rc6,
}

/// A key that does as old code did. With other than the draft's layer-3 keys it has no keys for what
/// POLY-128 makes of messages, for which that code had no room (16 MiB if words have 4 bytes and chunks
/// 1024): those tags are worth nothing.
///
/// # Errors
/// [`InvalidLength`] if `secret` does not have [`Parameters::key_bytes`].
pub fn key(
    cpu: Cpu,
    parameters: &Parameters,
    secret: &[u8],
    quirks: Quirks,
) -> Result<Key, InvalidLength> {
    Key::with_quirks(cpu, parameters, secret, quirks)
}
