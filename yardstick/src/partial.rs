//! A MAC of randomly chosen parts of the message, after US patent 6,976,168 (Branstad and Carman): the message is
//! divided into regions of several parts, and one part of each region is authenticated.
//!
//! **Bound.** None: a change of one part of `n` is accepted with probability `1 - 1/n`, plus the bound of HMAC-SHA1
//! ([`hmac`](crate::hmac)) for changes of chosen parts.
//!
//! **Weak by design.** A change of parts that were not chosen is never detected: if `d` parts are changed in different
//! regions of `n` parts, it is detected with a probability of about `1 - (1 - 1/n)^d`. The MAC is here for comparison
//! with MACs that need no such compromise; never protect anything with it. It is not constant time either: the key
//! chooses which parts are read, and anyone who shares a cache may see which.
//!
//! No exact definition is published. **This one is ours**: AES-128 of the nonce and a counter chooses the parts, and
//! the tag is the first 12 bytes of HMAC-SHA1 of nonce, message length and chosen parts. (The papers call it "PMAC"; it
//! is not [`pmac`](wegman::pmac).)
//!
//! ```
//! use wegman_yardstick::partial::{Division, Key};
//!
//! let division = Division::new(16, 4); // one part of 16 bytes in four
//! let key = Key::new(division, b"sixteen byte key", b"another key, 20 long");
//! let tag = key.tag(&[0; 8], &[1; 1500]);
//! assert!(key.verify(&[0; 8], &[1; 1500], &tag).is_ok());
//! ```

use crate::hmac::HmacSha1;
use core::fmt;
use core::ops::Range;
use wegman::cipher::BlockCipher;
use wegman::{Aes128, Tag, TagMismatch};

/// How messages are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    part: usize,
    region: usize,
}

/// How many numbers choose among the parts of a region: those of 16 bits.
const CHOICES: u64 = 1 << 16;

impl Division {
    /// Parts of `part` bytes (the last one may be shorter), regions of `region` parts (the last one may be smaller).
    ///
    /// # Panics
    /// If either is 0, or if `region` is more than 65536: 16-bit numbers choose among the parts.
    #[must_use]
    pub const fn new(part: usize, region: usize) -> Division {
        assert!(part > 0 && region > 0, "parts and regions are not empty");
        assert!(region as u64 <= CHOICES, "a region has at most 65536 parts");
        Division { part, region }
    }

    /// The regions of a message of `message_bytes` bytes: the numbers of their parts.
    fn regions(self, message_bytes: usize) -> impl Iterator<Item = Range<usize>> {
        let parts = message_bytes.div_ceil(self.part);
        let firsts = (0..parts).step_by(self.region);
        firsts.map(move |first| first..parts.min(first + self.region))
    }
}

/// A key. One secret chooses the parts, the other authenticates them.
pub struct Key {
    division: Division,
    select: Aes128,
    mac: crate::Key<HmacSha1, 12>,
}

impl Key {
    /// Prepares a key from two independent uniformly random secrets.
    #[must_use]
    pub fn new(division: Division, select: &[u8; 16], mac: &[u8; 20]) -> Key {
        let select = Aes128::new(select);
        Key { division, select, mac: crate::Key::<HmacSha1, 12>::new(mac) }
    }

    /// The numbers of the parts that are authenticated, one for each region. They are secret until the message has
    /// arrived.
    pub fn selected_parts(
        &self,
        nonce: &[u8; 8],
        message_bytes: usize,
    ) -> impl Iterator<Item = usize> {
        let regions = self.division.regions(message_bytes).enumerate();
        let mut block = [0; 16];
        let nonce = u128::from(u64::from_be_bytes(*nonce)) << 64;
        regions.map(move |(i, region)| {
            // Eight numbers for each block.
            if i % 8 == 0 {
                block = (nonce | (i / 8) as u128).to_be_bytes();
                self.select.encrypt(&mut block);
            }
            let (numbers, _) = block.as_chunks();
            let number = u64::from(u16::from_be_bytes(numbers[i % 8]));
            region.start + (number * region.len() as u64 / CHOICES) as usize
        })
    }

    /// The tag of a message. Never use a nonce twice under one key, or a forger knows the parts. The length is
    /// authenticated first, so there are no streams.
    pub fn tag(&self, nonce: &[u8; 8], message: &[u8]) -> Tag<12> {
        let mut stream = self.mac.stream();
        stream.update(nonce);
        stream.update(&(message.len() as u64).to_be_bytes());
        for part in self.selected_parts(nonce, message.len()) {
            let rest = &message[part * self.division.part..];
            stream.update(&rest[..rest.len().min(self.division.part)]);
        }
        stream.tag()
    }

    /// Accepts a message if its length and the chosen parts match the tag: **not** only the message that was tagged.
    ///
    /// # Errors
    /// [`TagMismatch`], without detail, if they do not match.
    pub fn verify(
        &self,
        nonce: &[u8; 8],
        message: &[u8],
        tag: &Tag<12>,
    ) -> Result<(), TagMismatch> {
        TagMismatch::unless(self.tag(nonce, message) == *tag)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "partial::Key({:?})", self.division)
    }
}
