//! A part's segment, from its bytes as they come.

use crate::formats::keyfile::KeyFile;
use anyhow::{Result, ensure};
use rayon::prelude::*;
use wegman::Bits;
use wegman::pmac::hazmat::{Segment, SegmentError};
use wegman_catalogue::{Absorb, AnyKey, AnyPmac};

/// Bytes that one thread sums at once.
const SHARE: usize = 256 << 10;

/// A key that sums parts of objects.
#[derive(Clone, Copy)]
pub struct PartKey<'k> {
    key: &'k dyn AnyKey,
    /// Bytes of a block: where one segment may end and another begin.
    pub block: usize,
}

impl<'k> PartKey<'k> {
    /// `file_key` is `key` derived for files.
    pub fn new(key: &KeyFile, file_key: &'k dyn AnyKey) -> Result<PartKey<'k>> {
        let (name, is_pmac) = (key.algorithm.name, file_key.pmac().is_some());
        ensure!(
            is_pmac,
            "{name} can't tag an object in parts: `wegman keygen -o KEY` makes a key that can"
        );
        // PMAC's longest tag is a block.
        Ok(PartKey { key: file_key, block: *key.algorithm.tag_bytes.end() })
    }

    pub fn pmac(self) -> &'k dyn AnyPmac {
        self.key.pmac().expect("checked when it was made")
    }

    /// Sums a part that begins after `start` blocks.
    fn sum(self, start: u64, part: &[u8]) -> Result<Segment, SegmentError> {
        self.pmac().segment(start, Bits::from(part))
    }

    /// [`sum`](Self::sum) on all threads of rayon's current pool.
    fn sum_rayon(self, start: u64, part: &[u8]) -> Result<Segment, SegmentError> {
        let blocks = SHARE / self.block;
        let shares = part.par_chunks(SHARE).enumerate();
        let shares: Vec<_> = shares
            .map(|(i, share)| self.sum(start.saturating_add((i * blocks) as u64), share))
            .collect();
        shares.into_iter().try_fold(self.sum(start, &[])?, |whole, next| whole.then(&next?))
    }
}

/// A stream that sums a part of an object.
pub struct Summer<'k> {
    key: PartKey<'k>,
    /// All whole blocks so far, or why there is no segment.
    whole: Result<Segment, SegmentError>,
    /// The bytes after them, less than a block.
    rest: Vec<u8>,
}

type Sum<'k> = fn(PartKey<'k>, u64, &[u8]) -> Result<Segment, SegmentError>;

impl<'k> Summer<'k> {
    pub fn new(key: PartKey<'k>, start: u64) -> Self {
        Summer { key, whole: key.sum(start, &[]), rest: Vec::new() }
    }

    fn push(&mut self, piece: &[u8], sum_of: Sum<'k>) {
        // Bytes that fill the block begun before.
        let block = self.key.block;
        let missing = if self.rest.is_empty() { 0 } else { block - self.rest.len() };
        let (front, piece) = piece.split_at(missing.min(piece.len()));
        self.rest.extend_from_slice(front);
        if self.rest.len() == block {
            let whole = std::mem::take(&mut self.rest);
            self.then(&whole, PartKey::sum);
        }
        let (blocks, rest) = piece.split_at(piece.len() / block * block);
        if !blocks.is_empty() {
            self.then(blocks, sum_of);
        }
        self.rest.extend_from_slice(rest);
    }

    fn then(&mut self, part: &[u8], sum_of: Sum<'k>) {
        if let Ok(whole) = &self.whole {
            let end = whole.start() + whole.bits() / (8 * self.key.block as u64);
            self.whole = sum_of(self.key, end, part).and_then(|next| whole.then(&next));
        }
    }

    pub fn segment(mut self) -> Result<Segment, SegmentError> {
        let rest = std::mem::take(&mut self.rest);
        self.then(&rest, PartKey::sum);
        self.whole
    }
}

impl Absorb for Summer<'_> {
    fn update(&mut self, piece: &[u8]) {
        self.push(piece, PartKey::sum);
    }

    fn update_rayon(&mut self, piece: &[u8]) {
        self.push(piece, PartKey::sum_rayon);
    }
}
