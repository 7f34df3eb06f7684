//! [`Name`]: the name of an algorithm. Depends on no module.

use core::fmt;
use core::ops::Deref;

/// The name of an algorithm, for example `UMAC-64`. It can be in a static and is copied with its algorithm, since not
/// every algorithm is listed in a static.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Name {
    /// Zeroes come after the name.
    bytes: [u8; Name::MAX],
    len: usize,
}

impl Name {
    /// The longest name in bytes. The longest of UMAC 2000 has 38.
    pub const MAX: usize = 40;

    /// A name of at most [`MAX`](Self::MAX) bytes.
    ///
    /// # Panics
    /// If it is longer. In a static, that is a compile error.
    #[must_use]
    pub const fn new(name: &str) -> Name {
        let mut bytes = [0; Name::MAX];
        let (room, _) = bytes.split_at_mut(name.len());
        room.copy_from_slice(name.as_bytes());
        Name { bytes, len: name.len() }
    }

    /// The name as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).expect("made from a string")
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl<S: AsRef<str> + ?Sized> PartialEq<S> for Name {
    fn eq(&self, other: &S) -> bool {
        **self == *other.as_ref()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
