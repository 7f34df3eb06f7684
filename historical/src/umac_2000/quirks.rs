//! The behaviour of old code. The draft contradicts itself in one place, and its authors' code differs from it in
//! another. This module makes keys that work as that code does, **to check or reproduce old tags**. There is no
//! security proof for such keys.

use super::{Parameters, Umac2000};
use wegman::InvalidLength;
use wegman::cpu::Cpu;

/// The differences from the draft; by default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Quirks {
    /// Which nonce selects the part of a block that is the pad.
    pub nonce_index: NonceIndex,
    /// Which level-3 keys a stream has.
    pub l3_keys: L3Keys,
    /// The block cipher.
    pub cipher: Cipher,
}

/// Where PDF takes the bits that say which part of a block is the pad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NonceIndex {
    /// From the nonce as given, as in the draft's text and the authors' code.
    #[default]
    Unpadded,
    /// From the nonce with zeroes appended, as in the draft's algorithm. Nonces of less than 16 bytes that differ in
    /// the low bits alone still have different pads.
    DraftLiteral,
}

/// Which numbers of the level-3 key string a stream has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum L3Keys {
    /// Eight keys of its own.
    #[default]
    Draft,
    /// As in code 0.05 (October 2000). With words of 4 bytes, take the last four numbers of each eight and lay them end
    /// to end: stream i has four of these, from number i on. Streams share keys, so their errors are not independent,
    /// and the bounds for more than one word do not hold.
    Refcode005,
    /// As in code 0.01 (August 2000): the same with the first four of each eight. With words of 2 bytes, each stream
    /// has the first four of its own.
    Refcode001,
}

/// The block cipher of all derivations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cipher {
    /// AES, as in the draft.
    #[default]
    Aes,
    /// RC6-32/20, as in code 0.01, which is older than the AES standard.
    Rc6,
}

/// A key that works as old code does. That code has no room for messages that reach POLY-128 (more than 16 MiB if
/// words have 4 bytes and chunks 1024). With level-3 keys other than the draft's, such messages have no keys for the
/// upper digits of POLY-128's output: their tags are worth nothing.
///
/// # Errors
/// [`InvalidLength`] if `secret` does not have [`Parameters::key_bytes`].
pub fn key(
    cpu: Cpu,
    parameters: &Parameters,
    secret: &[u8],
    quirks: Quirks,
) -> Result<Umac2000, InvalidLength> {
    Umac2000::with_quirks(cpu, parameters, secret, quirks)
}
