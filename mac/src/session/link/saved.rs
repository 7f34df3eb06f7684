//! [`SavedSealer`] and [`SavedOpener`]: the halves of a link as bytes, for storage.

use super::super::saved::{read, whole, write, write_sum};
use super::super::{InvalidSaved, Saved, SavedReceiver};
use super::Header;
use super::schedule::Chain;
use crate::bound::{Traffic, Units};
use core::fmt;
use zeroize::Zeroizing;

/// A [`Sealer`](super::Sealer) for storage. **It is secret**: it makes the keys of its epoch and of all later ones. Wiped on
/// drop. Restoring an old one, or one twice, reuses nonces.
pub struct SavedSealer {
    pub(super) epoch: u32,
    pub(super) chain: Chain,
    pub(super) sender: Saved,
}

/// An [`Opener`](super::Opener) for storage. **It is secret**: it makes the keys of its epoch and of all later ones. Wiped
/// on drop. Restoring an old one accepts packets again.
pub struct SavedOpener {
    pub(super) epoch: u32,
    pub(super) chain: Chain,
    pub(super) receiver: SavedReceiver,
    /// What was spent on other epochs.
    pub(super) elsewhere: Units,
    /// What may have been tried in this epoch, and in any other, before the last restart and the next.
    pub(super) floors: [Traffic; 2],
}

/// The first bytes: format and version.
const SEALER: u64 = u64::from_be_bytes(*b"wegmanA1");
const OPENER: u64 = u64::from_be_bytes(*b"wegmanB1");

/// Bytes of kind, epoch, chain and checksum.
const COMMON: usize = 8 + 8 + 32 + 8;

impl SavedSealer {
    /// Length of the bytes.
    pub const BYTES: usize = COMMON + Saved::BYTES;

    /// The bytes to store, where only this end can read them. Replace the old ones as a whole: write another file, sync
    /// it, rename it, sync the folder.
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; Self::BYTES]> {
        let mut bytes = Zeroizing::new([0; Self::BYTES]);
        let (common, sender) = bytes.split_at_mut(COMMON);
        write_common(common, SEALER, self.epoch, &self.chain);
        sender.copy_from_slice(&self.sender.to_bytes());
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`InvalidSaved`] if the bytes are not those of a saved sealer.
    pub fn from_bytes(bytes: &[u8]) -> Result<SavedSealer, InvalidSaved> {
        let (common, sender) = bytes.split_at_checked(COMMON).ok_or(InvalidSaved)?;
        let (epoch, chain) = read_common(common, SEALER)?;
        Ok(SavedSealer { epoch, chain, sender: Saved::from_bytes(sender)? })
    }
}

impl SavedOpener {
    /// Length of the bytes.
    pub const BYTES: usize = COMMON + SavedReceiver::BYTES + 56;

    /// The first packet that a half restored from it accepts: all those before are refused.
    #[must_use]
    pub const fn first(&self) -> Header {
        Header { epoch: self.epoch, number: self.receiver.first }
    }

    /// The bytes to store, as for [`SavedSealer::to_bytes`].
    #[must_use]
    pub fn to_bytes(&self) -> Zeroizing<[u8; Self::BYTES]> {
        let mut bytes = Zeroizing::new([0; Self::BYTES]);
        let (common, rest) = bytes.split_at_mut(COMMON);
        write_common(common, OPENER, self.epoch, &self.chain);
        let (receiver, elsewhere) = rest.split_at_mut(SavedReceiver::BYTES);
        receiver.copy_from_slice(&self.receiver.to_bytes());
        let Units(units) = self.elsewhere;
        let [[a, b], [c, d]] = self.floors.map(|floor| [floor.messages, floor.cost]);
        write(elsewhere, &[(units >> 64) as u64, units as u64, a, b, c, d]);
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// [`InvalidSaved`] if the bytes are not those of a saved opener.
    pub fn from_bytes(bytes: &[u8]) -> Result<SavedOpener, InvalidSaved> {
        let (common, rest) = bytes.split_at_checked(COMMON).ok_or(InvalidSaved)?;
        let (epoch, chain) = read_common(common, OPENER)?;
        let (receiver, elsewhere) =
            rest.split_at_checked(SavedReceiver::BYTES).ok_or(InvalidSaved)?;
        let receiver = SavedReceiver::from_bytes(receiver)?;
        let [high, low, a, b, c, d] = read(elsewhere)?;
        let elsewhere = Units(u128::from(high) << 64 | u128::from(low));
        let floors = [(a, b), (c, d)].map(|(messages, cost)| Traffic { messages, cost });
        Ok(SavedOpener { epoch, chain, receiver, elsewhere, floors })
    }
}

fn write_common(bytes: &mut [u8], kind: u64, epoch: u32, chain: &Chain) {
    let places: &mut [_; COMMON / 8] = bytes.as_chunks_mut().0.try_into().expect("all of it");
    let [of_kind, of_epoch, secret @ .., _] = places;
    *of_kind = kind.to_be_bytes();
    *of_epoch = u64::from(epoch).to_be_bytes();
    secret.as_flattened_mut().copy_from_slice(&**chain.0);
    write_sum(bytes);
}

fn read_common(bytes: &[u8], kind: u64) -> Result<(u32, Chain), InvalidSaved> {
    let [of_kind, epoch, secret @ ..] = whole::<6>(bytes)?;
    // From its place to its place: it is a secret.
    let mut chain = Chain::empty();
    chain.0.copy_from_slice(secret.as_flattened());
    match u32::try_from(u64::from_be_bytes(*epoch)) {
        Ok(epoch) if *of_kind == kind.to_be_bytes() => Ok((epoch, chain)),
        _ => Err(InvalidSaved),
    }
}

impl fmt::Debug for SavedSealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SavedSealer(epoch {}, {:?})", self.epoch, self.sender)
    }
}

impl fmt::Debug for SavedOpener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SavedOpener(epoch {}, {:?})", self.epoch, self.receiver)
    }
}
