//! PMAC of parts and of edited messages.

use crate::data::{Data, detached, objects};
use crate::errors;
use crate::mac::Mac;
use crate::tag::{Tag, received};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::sync::Arc;
use wegman::Bits;
use wegman::hazmat::wiped::Wiped;
use wegman::pmac::hazmat;
use wegman_catalogue::{AnyKey, AnyPmac};
use zeroize::Zeroizing;

/// A PMAC key, which has more to offer than others.
fn pmac(key: &Arc<dyn AnyKey>) -> PyResult<&dyn AnyPmac> {
    key.pmac().ok_or_else(|| {
        PyTypeError::new_err(
            "only PMAC has parts and edits: wegman.Pmac, or wegman.new(\"PMAC-AES256\", key)",
        )
    })
}

/// Lengths are bytes in Python, bits inside.
fn bits(bytes: u64) -> PyResult<u64> {
    bytes
        .checked_mul(8)
        .ok_or_else(|| PyValueError::new_err("no message is longer than 2**61 - 1 bytes"))
}

/// The sum of a segment of a message. It is as secret as the key: encrypt it before you store or send it.
///
/// Segment(mac, data, *, offset=0): data is the message's bytes from `offset` on, a multiple of 16. A segment has a
/// multiple of 16 bytes, except the last of its message. Machines that share a key can make segments in any order.
/// combine() joins them, and their tag is that of the whole message.
///
/// Raises TypeError if mac is not PMAC; ValueError if offset is not such a multiple. (Blocks of triple DES have 8
/// bytes, not 16.)
#[pyclass(module = "wegman.pmac", frozen)]
pub struct Segment {
    key: Arc<dyn AnyKey>,
    /// Bytes of a block.
    block: u64,
    pub segment: Box<Wiped<hazmat::Segment>>,
}

impl Segment {
    /// A segment that was read, as one of the key of `mac`.
    pub fn of(mac: &Mac, segment: hazmat::Segment) -> PyResult<Segment> {
        pmac(&mac.key)?;
        let segment = Wiped::boxed(|| segment);
        Ok(Segment { key: Arc::clone(&mac.key), block: mac.block, segment })
    }
}

/// After how many blocks a part begins.
fn blocks_before(offset: u64, block: u64) -> PyResult<u64> {
    if !offset.is_multiple_of(block) {
        return Err(PyValueError::new_err(format!("a part begins at a multiple of {block} bytes")));
    }
    Ok(offset / block)
}

#[pymethods]
impl Segment {
    #[new]
    #[pyo3(signature = (mac, data, *, offset = 0))]
    fn new(py: Python<'_>, mac: &Bound<'_, Mac>, data: Data<'_>, offset: u64) -> PyResult<Segment> {
        let (mac, pmac) = (mac.get(), pmac(&mac.get().key)?);
        let start = blocks_before(offset, mac.block)?;
        let part = |data: &[u8]| pmac.segment(start, Bits::from(data));
        Segment::of(mac, data.detached(py, part).map_err(errors::value)?)
    }

    /// Makes a segment from what to_bytes wrote under the same key.
    ///
    /// Raises ValueError if the bytes are no segment.
    #[classmethod]
    #[pyo3(signature = (mac, data, /))]
    fn from_bytes(
        _class: &Bound<'_, PyType>,
        mac: &Bound<'_, Mac>,
        data: Data<'_>,
    ) -> PyResult<Segment> {
        let segment = hazmat::Segment::from_bytes(data.as_slice());
        Segment::of(mac.get(), segment.map_err(errors::value)?)
    }

    /// The segment as 68 bytes, as secret as the key.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &*Zeroizing::new(self.segment.to_bytes()))
    }

    /// Where it begins in its message, in bytes.
    #[getter]
    fn offset(&self) -> u64 {
        self.segment.start() * self.block
    }

    /// How many bytes it has.
    fn __len__(&self) -> usize {
        (self.segment.bits() / 8) as usize
    }

    /// The tag of the message that the segment covers. Only you know whether the message is complete: compare len()
    /// with its length.
    ///
    /// Raises ValueError if the segment does not begin with the message.
    fn tag(&self) -> PyResult<Tag> {
        pmac(&self.key)?.tag_of_segment(&self.segment).map(Tag).map_err(errors::value)
    }

    /// The tag of a message that is known to have `length` bytes.
    ///
    /// Raises ValueError if the segment has another length, or does not begin with the message.
    fn tag_of_length(&self, length: u64) -> PyResult<Tag> {
        let tag = pmac(&self.key)?.tag_of_length(&self.segment, bits(length)?);
        tag.map(Tag).map_err(errors::value)
    }

    /// The sum of the message that the segment covers, to edit it.
    ///
    /// Raises ValueError if the segment does not begin with the message, or if tags are shorter than a block.
    fn sum(&self) -> PyResult<Sum> {
        let pmac_key = pmac(&self.key)?;
        let tag = self.tag()?;
        let sum = pmac_key.sum_from_tag(&tag.0, self.segment.bits()).map_err(errors::value)?;
        Ok(Sum { key: Arc::clone(&self.key), sum: Wiped::boxed(|| sum) })
    }

    fn __repr__(&self) -> String {
        format!("<wegman.pmac.Segment: {} bytes from byte {} on>", self.__len__(), self.offset())
    }
}

/// A segment of a message whose bytes arrive in pieces of any length. It is as secret as the key.
///
/// SegmentStream(mac, *, offset=0): the segment begins at byte `offset` of the message, a multiple of 16.
///
/// Raises TypeError if mac is not PMAC; ValueError if offset is not such a multiple.
#[pyclass(module = "wegman.pmac")]
pub struct SegmentStream {
    key: Arc<dyn AnyKey>,
    block: u64,
    stream: Box<Wiped<hazmat::SegmentStream>>,
}

#[pymethods]
impl SegmentStream {
    #[new]
    #[pyo3(signature = (mac, *, offset = 0))]
    fn new(mac: &Bound<'_, Mac>, offset: u64) -> PyResult<SegmentStream> {
        let (key, block) = (Arc::clone(&mac.get().key), mac.get().block);
        let stream = pmac(&key)?.segment_stream(blocks_before(offset, block)?);
        Ok(SegmentStream { key, block, stream: Wiped::boxed(|| stream) })
    }

    /// Appends bytes to the segment.
    #[pyo3(signature = (data, /))]
    fn update(&mut self, py: Python<'_>, data: Data<'_>) -> PyResult<()> {
        let (stream, pmac) = (&mut self.stream, pmac(&self.key)?);
        data.detached(py, |data| pmac.update_segment(stream, data));
        Ok(())
    }

    /// The segment of all bytes so far. More may follow.
    ///
    /// Raises ValueError if they end beyond the longest message.
    fn segment(&self) -> PyResult<Segment> {
        let segment = pmac(&self.key)?.segment_of_stream(&self.stream).map_err(errors::value)?;
        let segment = Wiped::boxed(|| segment);
        Ok(Segment { key: Arc::clone(&self.key), block: self.block, segment })
    }
}

/// Joins segments of a message, in any order, to one.
///
/// Raises ValueError if there is none, if they leave a gap, overlap, or have different keys; TypeError for other objects.
#[pyfunction]
#[pyo3(signature = (segments, /))]
pub fn combine(segments: &Bound<'_, PyAny>) -> PyResult<Segment> {
    let objects = objects(segments)?;
    let segments = objects.iter().map(|object| {
        object
            .cast::<Segment>()
            .map_err(|_| PyTypeError::new_err("segments are joined, nothing else"))
    });
    let segments = segments.collect::<PyResult<Vec<_>>>()?;
    let first = segments.first().ok_or_else(|| PyValueError::new_err("there are no segments"))?;
    let mut parts: Vec<_> = segments.iter().map(|one| (**one.get().segment).clone()).collect();
    let segment = hazmat::Segment::combine(&mut parts).map_err(errors::value)?;
    let first = first.get();
    let segment = Wiped::boxed(|| segment);
    Ok(Segment { key: Arc::clone(&first.key), block: first.block, segment })
}

/// The sum of a message, recovered from its tag. With it, an edit costs what it changes, not the message's length. It
/// is as secret as the key.
///
/// Sum(mac, tag, length): the whole tag of a message of `length` bytes. An edit trusts the old bytes that you pass:
/// edit only what you have verified. Each edit has a window, (start, end) in bytes: the blocks of the message that it
/// changes. It needs their old bytes.
///
/// Raises TypeError if mac is not PMAC; ValueError if the tag is not a whole block.
#[pyclass(module = "wegman.pmac")]
pub struct Sum {
    key: Arc<dyn AnyKey>,
    sum: Box<Wiped<hazmat::Sum>>,
}

#[pymethods]
impl Sum {
    #[new]
    fn new(mac: &Bound<'_, Mac>, tag: &Bound<'_, PyAny>, length: u64) -> PyResult<Sum> {
        let key = Arc::clone(&mac.get().key);
        let tag = received(tag)?.ok_or_else(|| PyValueError::new_err("no tag is that long"))?;
        let is_whole = tag.to_bytes().len() == mac.get().tag_length;
        errors::require(is_whole, "the tag has another length than the key's tags")?;
        let sum = pmac(&key)?.sum_from_tag(&tag, bits(length)?).map_err(errors::value)?;
        Ok(Sum { key, sum: Wiped::boxed(|| sum) })
    }

    /// Bytes of the message after all edits so far.
    #[getter]
    fn length(&self) -> u64 {
        self.sum.bits() / 8
    }

    /// The tag of the message after all edits so far.
    fn tag(&self) -> PyResult<Tag> {
        pmac(&self.key)?.tag_of_sum(&self.sum).map(Tag).map_err(errors::value)
    }

    /// The window of replace() for `length` bytes from byte `at` on.
    fn replace_window(&self, at: u64, length: u64) -> PyResult<(u64, u64)> {
        let window = self.sum.replace_window(bits(at)?, bits(length)?);
        Ok((window.start, window.end))
    }

    /// Overwrites the message's bytes from `at` on with `new`. `old` has the window's bytes before the edit.
    ///
    /// Raises ValueError if the bytes are not all in the message or old is not the window; nothing has changed then.
    fn replace(&mut self, py: Python<'_>, at: u64, new: Data<'_>, old: Data<'_>) -> PyResult<()> {
        let (new, old, sum) = (new.as_slice(), old.as_slice(), &mut self.sum);
        let (pmac, at) = (pmac(&self.key)?, bits(at)?);
        detached(py, old.len(), || pmac.replace(sum, at, Bits::from(new), old))
            .map_err(errors::value)
    }

    /// The window of append().
    fn append_window(&self) -> (u64, u64) {
        let window = self.sum.append_window();
        (window.start, window.end)
    }

    /// Appends bytes to the message. `old` has the window's bytes.
    ///
    /// Raises ValueError if old is not the window; nothing has changed then.
    fn append(&mut self, py: Python<'_>, new: Data<'_>, old: Data<'_>) -> PyResult<()> {
        let (new, old, sum) = (new.as_slice(), old.as_slice(), &mut self.sum);
        let pmac = pmac(&self.key)?;
        detached(py, new.len(), || pmac.append(sum, Bits::from(new), old)).map_err(errors::value)
    }

    /// The window of truncate() to `length` bytes.
    fn truncate_window(&self, length: u64) -> PyResult<(u64, u64)> {
        let window = self.sum.truncate_window(bits(length)?);
        Ok((window.start, window.end))
    }

    /// Truncates the message to its first `length` bytes. `old` has the window's bytes.
    ///
    /// Raises ValueError if the message is shorter, or old is not the window; nothing has changed then.
    fn truncate(&mut self, py: Python<'_>, length: u64, old: Data<'_>) -> PyResult<()> {
        let (old, sum) = (old.as_slice(), &mut self.sum);
        let (pmac, length) = (pmac(&self.key)?, bits(length)?);
        detached(py, old.len(), || pmac.truncate(sum, length, old)).map_err(errors::value)
    }

    fn __repr__(&self) -> String {
        format!("<wegman.pmac.Sum of {} bytes>", self.length())
    }
}
