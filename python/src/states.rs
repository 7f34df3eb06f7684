//! [`States`]: what the machines of a cluster say to each other, encrypted.

use crate::data::Data;
use crate::errors::{self, InvalidTag};
use crate::keyfile::{KeyFile, has_digits};
use crate::mac::Mac;
use crate::pmac::Segment;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Nonce};
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wegman::hazmat::wiped::{MOVED, Wiped, stack_for, with_clean_stack};
use wegman::pmac::hazmat;
use zeroize::Zeroizing;

/// Bytes of a nonce of AES-GCM. They are random: a run is to seal fewer than 2^32 times.
const NONCE: usize = 12;

/// Encrypts the jobs, results and state file of one run of a cluster, because sums are as secret as the key. It uses
/// AES-256-GCM under a key derived from the key file and the run's id.
///
/// States(key_file, run): the id has 32 hexadecimal digits, random and new for each run.
#[pyclass(module = "wegman", frozen)]
pub struct States(Box<Wiped<Aes256Gcm>>);

#[pymethods]
impl States {
    #[new]
    fn new(key_file: &Bound<'_, KeyFile>, run: &str) -> PyResult<States> {
        let (key_file, run) = (&key_file.get().0, has_digits(run, 32)?);
        Ok(States(with_clean_stack(stack_for::<Aes256Gcm>(MOVED), || {
            let key = key_file.state_key(run);
            Wiped::boxed(|| Aes256Gcm::new_from_slice(&*key).expect("the key has 32 bytes"))
        })))
    }

    /// A segment, encrypted as 96 bytes and bound to `binding`, which says what it belongs to.
    fn seal<'py>(
        &self,
        segment: &Bound<'py, Segment>,
        binding: Data<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let plain = Zeroizing::new(segment.get().segment.to_bytes());
        self.seal_bytes(segment.py(), Data::Bytes(&*plain), binding)
    }

    /// The segment that was sealed under the same run and binding.
    ///
    /// Raises InvalidTag if it was not, ValueError if it is none.
    fn open(&self, mac: &Bound<'_, Mac>, sealed: Data<'_>, binding: Data<'_>) -> PyResult<Segment> {
        let plain = self.opened(&sealed, &binding)?;
        let segment = hazmat::Segment::from_bytes(&plain).map_err(errors::value)?;
        Segment::of(mac.get(), segment)
    }

    /// `seal` of bytes, which are no sum.
    fn seal_bytes<'py>(
        &self,
        py: Python<'py>,
        data: Data<'_>,
        binding: Data<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce)
            .map_err(|error| PyOSError::new_err(format!("no random nonce: {error}")))?;
        let payload = Payload { msg: data.as_slice(), aad: binding.as_slice() };
        let sealed = self.0.encrypt(&Nonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| PyValueError::new_err("too long to seal"))?;
        Ok(PyBytes::new(py, &[&nonce[..], &sealed].concat()))
    }

    /// `open` of bytes.
    fn open_bytes<'py>(
        &self,
        py: Python<'py>,
        sealed: Data<'_>,
        binding: Data<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.opened(&sealed, &binding)?))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "what encrypts states can't be pickled: each machine has its key file",
        ))
    }
}

impl States {
    fn opened(&self, sealed: &Data<'_>, binding: &Data<'_>) -> PyResult<Zeroizing<Vec<u8>>> {
        let invalid =
            || InvalidTag::new_err("damaged, forged, or sealed for another run, object or range");
        let (nonce, sealed) = sealed.as_slice().split_first_chunk::<NONCE>().ok_or_else(invalid)?;
        let payload = Payload { msg: sealed, aad: binding.as_slice() };
        let plain = self.0.decrypt(&Nonce::from(*nonce), payload).map_err(|_| invalid())?;
        Ok(Zeroizing::new(plain))
    }
}
