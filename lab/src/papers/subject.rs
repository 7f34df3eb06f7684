//! What is measured, by the names that people write and the store keeps: `UMAC-64 @ 43`,
//! `HMAC-SHA1 from OpenSSL @ 1500`, `key of UMAC16`, `16 bits of UMAC16 @ 1500`, `UMAC-64 @ 43+256+1500`.

use crate::timing::messages;
use crate::timing::report;
use std::fmt;
use std::str::FromStr;

/// What is done with an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Doing {
    /// Its tags are made, one message a call.
    Tag,
    /// The same, the messages of several lengths in turn.
    Mix,
    /// The first bits of its tags are verified.
    Front(usize),
    /// Its keys are made.
    Key,
}

/// One thing to be measured.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    pub doing: Doing,
    pub algorithm: String,
    /// The library of a rival.
    pub from: Option<String>,
    /// Of its messages: one, but for a mix; none for a key.
    pub lengths: Vec<usize>,
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.doing {
            Doing::Tag | Doing::Mix => {}
            Doing::Front(bits) => write!(f, "{bits} bits of ")?,
            Doing::Key => write!(f, "key of ")?,
        }
        f.write_str(&self.algorithm)?;
        if let Some(from) = &self.from {
            write!(f, " from {from}")?;
        }
        if !self.lengths.is_empty() {
            let lengths: Vec<String> = self.lengths.iter().map(|&l| report::bytes(l)).collect();
            write!(f, " @ {}", lengths.join("+"))?;
        }
        Ok(())
    }
}

impl FromStr for Subject {
    type Err = String;

    fn from_str(text: &str) -> Result<Subject, String> {
        let (rest, lengths) = match text.split_once(" @ ") {
            Some((rest, lengths)) => (rest, lengths.split('+').map(messages::length).collect()),
            None => (text, Ok(Vec::new())),
        };
        let lengths: Vec<usize> = lengths.map_err(|error| format!("{text:?}: {error}"))?;
        let (doing, rest) = match rest.rsplit_once(" of ") {
            Some((doing, rest)) => (Some(doing), rest),
            None => (None, rest),
        };
        let (algorithm, from) = match rest.split_once(" from ") {
            Some((algorithm, from)) => (algorithm, Some(from.to_owned())),
            None => (rest, None),
        };
        let wrong = || format!("{text:?} is nothing to measure");
        let doing = match doing.map(|doing| doing.split_once(' ').unwrap_or((doing, ""))) {
            None if lengths.len() > 1 => Doing::Mix,
            None => Doing::Tag,
            Some(("key", "")) => Doing::Key,
            Some((n, "bits")) => {
                Doing::Front(n.parse().ok().filter(|&n: &usize| n > 0).ok_or_else(wrong)?)
            }
            Some(_) => return Err(wrong()),
        };
        let fits = match doing {
            Doing::Key => lengths.is_empty(),
            Doing::Mix => lengths.len() > 1,
            _ => lengths.len() == 1,
        };
        if algorithm.is_empty() || !fits {
            return Err(wrong());
        }
        Ok(Subject { doing, algorithm: algorithm.to_owned(), from, lengths })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in [
            "UMAC-64 @ 43",
            "HMAC-SHA1 from OpenSSL @ 256K",
            "BLAKE3 keyed from blake3 @ 1G",
            "key of UMAC-2/8/512/16/SIGNED",
            "16 bits of UMAC16 @ 1500",
            "UMAC-64 @ 43+256+1500",
        ] {
            assert_eq!(name.parse::<Subject>().unwrap().to_string(), name);
        }
        for name in ["", "UMAC-64", "key of UMAC-64 @ 43", " @ 43", "0 bits of UMAC16 @ 43"] {
            assert!(name.parse::<Subject>().is_err(), "{name:?}");
        }
    }
}
