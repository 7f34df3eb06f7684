//! A part's segment, from its bytes as they come.

use anyhow::{Context, Result};
use wegman::pmac::hazmat::{Segment, SegmentError, SegmentStream};
use wegman_catalogue::{Absorb, AnyKey, AnyPmac};
use wegman_formats::keyfile::KeyFile;

/// A key that sums parts of objects.
#[derive(Clone, Copy)]
pub struct PartKey<'k> {
    pub pmac: &'k dyn AnyPmac,
    /// Bytes of a block: where one segment may end and another begin.
    pub block: usize,
}

impl<'k> PartKey<'k> {
    /// `file_key` is `key` derived for files.
    pub fn new(key: &KeyFile, file_key: &'k dyn AnyKey) -> Result<PartKey<'k>> {
        let name = key.algorithm.name;
        let pmac = file_key.pmac().with_context(|| {
            format!(
                "{name} can't tag an object in parts: `wegman keygen -o KEY` makes a key that can"
            )
        })?;
        // PMAC's longest tag is a block.
        Ok(PartKey { pmac, block: *key.algorithm.tag_bytes.end() })
    }
}

/// A stream that sums a part of an object.
pub struct Summer<'k> {
    pmac: &'k dyn AnyPmac,
    stream: SegmentStream,
}

impl<'k> Summer<'k> {
    pub fn new(key: PartKey<'k>, start: u64) -> Self {
        Summer { pmac: key.pmac, stream: key.pmac.segment_stream(start) }
    }

    pub fn segment(&self) -> Result<Segment, SegmentError> {
        self.pmac.segment_of_stream(&self.stream)
    }
}

impl Absorb for Summer<'_> {
    fn update(&mut self, piece: &[u8]) {
        self.pmac.update_segment(&mut self.stream, piece);
    }

    fn update_rayon(&mut self, piece: &[u8]) {
        self.pmac.update_segment_rayon(&mut self.stream, piece);
    }
}
