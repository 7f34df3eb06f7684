//! [`Header`]: epoch and number of a packet, whole and short. Depends on no module.

/// Which packet of a direction this is: the epoch of its key, and its number under that key. Both begin at 0. It is sent
/// with the packet, and needs no protection of its own.
///
/// ```
/// use wegman::session::Header;
///
/// let header = Header { epoch: 1, number: 0x0102_0304 };
/// assert_eq!(header.to_bytes(), [0, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]);
/// assert_eq!(header.to_short(), [1, 2, 3, 4]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Header {
    /// The epoch: how often the key was changed.
    pub epoch: u32,
    /// The number of the packet under its key.
    pub number: u64,
}

impl Header {
    /// Length of a whole header in bytes.
    pub const BYTES: usize = 12;

    /// Length of a short header in bytes.
    pub const SHORT_BYTES: usize = 4;

    /// The epoch in 4 bytes and the number in 8, big-endian.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; Self::BYTES] {
        let [a, b, c, d] = self.epoch.to_be_bytes();
        let [e, f, g, h, i, j, k, l] = self.number.to_be_bytes();
        [a, b, c, d, e, f, g, h, i, j, k, l]
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    #[must_use]
    pub const fn from_bytes(bytes: &[u8; Self::BYTES]) -> Header {
        let [a, b, c, d, number @ ..] = *bytes;
        Header { epoch: u32::from_be_bytes([a, b, c, d]), number: u64::from_be_bytes(number) }
    }

    /// The lowest 8 bits of the epoch in one byte and the lowest 24 of the number in three, big-endian. The receiver finds
    /// the rest ([`Opener::extend`](super::Opener::extend)), as with the extended sequence numbers of ESP (RFC 4303).
    #[must_use]
    pub const fn to_short(self) -> [u8; Self::SHORT_BYTES] {
        let [.., epoch] = self.epoch.to_be_bytes();
        let [.., a, b, c] = self.number.to_be_bytes();
        [epoch, a, b, c]
    }
}
