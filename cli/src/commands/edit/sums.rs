//! A file's new tag, from its old one and the bytes that change.

use anyhow::{Context, Result, bail};
use indicatif::ProgressBar;
use std::fs::File;
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use wegman::Bits;
use wegman::pmac::hazmat::Sum;
use wegman_catalogue::{AnyPmac, AnyTag};
use wegman_formats::manifest::Stamp;

/// Bytes of PMAC's longest block: no window begins further before its edit.
const BLOCK: usize = 16;

/// The sum of a file as it will be, while its edit is being prepared: on disk it is as before.
pub struct Sums<'f> {
    pmac: &'f dyn AnyPmac,
    sum: Sum,
    file: &'f File,
    /// Its size on disk.
    size: u64,
    /// The last new bytes, at most a block, and where they end: the next window may begin in them.
    tail: Vec<u8>,
    tail_end: u64,
}

impl<'f> Sums<'f> {
    pub fn new(pmac: &'f dyn AnyPmac, file: &'f File, size: u64, old: &Stamp) -> Result<Sums<'f>> {
        let bits = size.checked_mul(8).context("the file is too long")?;
        let sum = pmac.sum_from_tag(&old.tag, bits)?;
        Ok(Sums { pmac, sum, file, size, tail: Vec::new(), tail_end: 0 })
    }

    /// Writes bytes from `at` on, which is where the last ones ended.
    pub fn write(&mut self, at: u64, new: &[u8]) -> Result<()> {
        let inside = self.size.saturating_sub(at).min(new.len() as u64);
        let (over, beyond) = new.split_at(inside as usize);
        if !over.is_empty() {
            let (bit, bits) = (8 * at, Bits::from(over));
            let old = self.window(self.sum.replace_window(bit, bits.len()))?;
            self.pmac.replace(&mut self.sum, bit, bits, &old)?;
            self.remember(at + inside, over);
        }
        if !beyond.is_empty() {
            let old = self.window(self.sum.append_window())?;
            self.pmac.append(&mut self.sum, Bits::from(beyond), &old)?;
            self.remember(at + new.len() as u64, beyond);
        }
        Ok(())
    }

    /// Cuts to `to` bytes, step by step from the end.
    pub fn truncate(&mut self, to: u64, step: u64, bar: &ProgressBar) -> Result<()> {
        if to == 0 {
            // Nothing is kept, so nothing that was there matters.
            let empty = self.pmac.tag_bits(Bits::from(&[][..]));
            self.sum = self.pmac.sum_from_tag(&empty, 0)?;
            return Ok(());
        }
        let mut now = self.size;
        while now > to {
            let next = to.max((now - 1) / step * step);
            let old = self.window(self.sum.truncate_window(8 * next))?;
            self.pmac.truncate(&mut self.sum, 8 * next, &old)?;
            bar.inc(now - next);
            now = next;
        }
        Ok(())
    }

    /// The tag of the file as it will be.
    pub fn tag(&self) -> Result<AnyTag> {
        Ok(self.pmac.tag_of_sum(&self.sum)?)
    }

    fn remember(&mut self, end: u64, new: &[u8]) {
        self.tail.extend_from_slice(&new[new.len().saturating_sub(BLOCK)..]);
        self.tail.drain(..self.tail.len().saturating_sub(BLOCK));
        self.tail_end = end;
    }

    /// Bytes of the file as it will be: those on disk, with the last new ones over them.
    fn window(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start)?];
        let on_disk = range.end.min(self.size).saturating_sub(range.start);
        let read = self.file.read_exact_at(&mut bytes[..on_disk as usize], range.start);
        match read {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                bail!("it was truncated while it was read: nothing was edited; run this again")
            }
            read => read?,
        }
        let tail_start = self.tail_end - self.tail.len() as u64;
        for (at, byte) in (tail_start..).zip(&self.tail) {
            if range.contains(&at) {
                bytes[(at - range.start) as usize] = *byte;
            }
        }
        Ok(bytes)
    }
}
