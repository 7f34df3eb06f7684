//! The tag of a file, and its new tag, from one reading.

use super::PIECE;
use crate::stored::journal::in_pieces;
use anyhow::Result;
use std::fs::File;
use std::io;
use wegman_catalogue::{Absorb, AnyKey, AnyStream, AnyTag};

/// A stream of a file's bytes that goes on as two: with the bytes as they are, and with new ones in their place.
pub struct Splice<'a> {
    old: Box<dyn AnyStream + 'a>,
    new: Box<dyn AnyStream + 'a>,
    /// Bytes of the file so far.
    now: u64,
    /// Bytes `at` to `end` of the file are left out; this many `bytes` come instead.
    at: u64,
    end: u64,
    bytes: u64,
    /// How many of them came already.
    done: u64,
    /// The file they are in, and where they begin there.
    source: (&'a File, u64),
    failed: io::Result<()>,
}

type Feed = fn(&mut dyn AnyStream, &[u8]);

impl<'a> Splice<'a> {
    /// From `at` to `end`, bytes of the file are left out; `bytes` of the source come instead.
    pub fn new(
        key: &'a dyn AnyKey,
        source: (&'a File, u64),
        (at, bytes, end): (u64, u64, u64),
    ) -> Self {
        let (old, new) = (key.stream(), key.stream());
        Splice { old, new, now: 0, at, end, bytes, done: 0, source, failed: Ok(()) }
    }

    fn push(&mut self, piece: &[u8], feed: Feed) {
        feed(&mut *self.old, piece);
        let start = self.now;
        self.now += piece.len() as u64;
        let cut = |at: u64| at.clamp(start, self.now) - start;
        let (front, back) = (cut(self.at) as usize, cut(self.end) as usize);
        feed(&mut *self.new, &piece[..front]);
        self.insert(self.bytes.min(self.now.saturating_sub(self.at)), feed);
        feed(&mut *self.new, &piece[back..]);
    }

    /// Puts in new bytes until there are `until` of them.
    fn insert(&mut self, until: u64, feed: Feed) {
        if self.failed.is_ok() && until > self.done {
            let (file, start) = self.source;
            let new = &mut *self.new;
            self.failed = in_pieces(file, start + self.done..start + until, PIECE, |_, piece| {
                feed(new, piece);
                Ok(())
            });
            self.done = until;
        }
    }

    /// Both tags, and how many bytes the file has.
    pub fn tags(mut self) -> Result<(AnyTag, AnyTag, u64)> {
        self.insert(self.bytes, |stream, piece| stream.update(piece));
        self.failed?;
        Ok((self.old.finish(None)?, self.new.finish(None)?, self.now))
    }
}

impl Absorb for Splice<'_> {
    fn update(&mut self, piece: &[u8]) {
        self.push(piece, |stream, piece| stream.update(piece));
    }

    fn update_rayon(&mut self, piece: &[u8]) {
        self.push(piece, |stream, piece| stream.update_rayon(piece));
    }
}
