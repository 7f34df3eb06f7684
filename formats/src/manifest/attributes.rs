//! Mode, owner and a link's target, which `tag --mode` writes into a manifest.

use crate::hex;
use anyhow::{Context, Result, ensure};
use std::fmt;

/// A file's attributes in the file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    /// Permissions, setuid, setgid and sticky bits.
    pub mode: u32,
    pub user: u32,
    pub group: u32,
    /// A link's target.
    pub target: Option<Vec<u8>>,
}

impl Attributes {
    /// Reads what `Display` writes.
    pub fn parse(text: &[u8]) -> Result<Attributes> {
        let parse = || -> Option<Attributes> {
            let mut words = str::from_utf8(text).ok()?.split(' ');
            let mode = words.next()?.strip_prefix("mode=")?;
            let (user, group) = words.next()?.strip_prefix("owner=")?.split_once(':')?;
            let target = match words.next() {
                Some(word) => Some(hex::decode(word.strip_prefix("target=")?.as_bytes()).ok()?),
                None => None,
            };
            let mode = u32::from_str_radix(mode, 8).ok()?;
            let (user, group) = (user.parse().ok()?, group.parse().ok()?);
            Some(Attributes { mode, user, group, target: target.map(|target| target.to_vec()) })
        };
        let attributes = parse().context("its mode and owner are malformed")?;
        ensure!(attributes.to_string().as_bytes() == text, "its mode and owner are malformed");
        Ok(attributes)
    }

    /// The differences to `other`, in words.
    pub fn difference(&self, other: &Attributes) -> Option<String> {
        let mut words = Vec::new();
        if self.mode != other.mode {
            words.push(format!("mode {:04o}, was {:04o}", other.mode, self.mode));
        }
        if (self.user, self.group) != (other.user, other.group) {
            let (now, was) = ((other.user, other.group), (self.user, self.group));
            words.push(format!("owner {}:{}, was {}:{}", now.0, now.1, was.0, was.1));
        }
        if self.target != other.target {
            words.push("points elsewhere".to_owned());
        }
        (!words.is_empty()).then(|| words.join(", "))
    }
}

impl fmt::Display for Attributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mode={:04o} owner={}:{}", self.mode, self.user, self.group)?;
        match &self.target {
            Some(target) => write!(f, " target={}", hex::encode(target)),
            None => Ok(()),
        }
    }
}
