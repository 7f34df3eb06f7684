//! [`Mac`]: a key of any algorithm.

use crate::data::{Data, detached, objects};
use crate::errors::{self, InvalidTag};
use crate::names::{found, name_of, nonce_length, wrong_key};
use crate::nonce::nonce_of;
use crate::stream::Stream;
use crate::tag::{Tag, received};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;
use wegman::{AnyTag, Cpu};
use wegman_catalogue::{Algorithm, AnyKey, Nonce};

/// A key of any algorithm, from wegman.new(name, key). Making a key is expensive: make it once and share it. Any number
/// of threads may use it at once.
///
/// `name`, `key_length`, `tag_length` (hashlib's `digest_size`), `nonce_length` (0 if it takes no nonce): lengths are
/// in bytes. `kernel` names the code for this machine's instructions.
#[pyclass(module = "wegman", frozen, subclass)]
pub struct Mac {
    pub key: Arc<dyn AnyKey>,
    #[pyo3(get)]
    name: String,
    #[pyo3(get)]
    key_length: usize,
    #[pyo3(get)]
    pub tag_length: usize,
    #[pyo3(get)]
    nonce_length: usize,
    /// The bytes of a block, if this is PMAC: its longest tag is one.
    pub block: u64,
}

/// A key of an algorithm by name, such as "UMAC-64", "PMAC-AES256" or "HMAC-SHA256". Upper and lower case are the same.
/// wegman.algorithms() lists the names.
///
/// key: random bytes that have no other use, from wegman.generate_key(name). tag_length, nonce_length: bytes, if not
/// the default.
///
/// Raises ValueError if there is no such algorithm or it does not have these lengths, TypeError if key has no bytes.
/// Warns of an experimental algorithm (ExperimentalWarning), once in a process.
#[pyfunction]
#[pyo3(signature = (name, key, *, tag_length = None, nonce_length = None))]
pub fn new(
    py: Python<'_>,
    #[pyo3(from_py_with = name_of)] name: String,
    key: Data<'_>,
    tag_length: Option<usize>,
    nonce_length: Option<usize>,
) -> PyResult<Mac> {
    Mac::new(py, &name, &key, tag_length, nonce_length)
}

impl Mac {
    fn new(
        py: Python<'_>,
        name: &str,
        key: &Data<'_>,
        tag_length: Option<usize>,
        nonce_bytes: Option<usize>,
    ) -> PyResult<Mac> {
        let algorithm = found(name)?;
        let (secret, name) = (key.as_slice(), &algorithm.name);
        if !algorithm.takes_key_of(secret.len()) {
            return Err(wrong_key(&algorithm, secret.len()));
        }
        let tag_length = tag_length.unwrap_or(*algorithm.tag_bytes.end());
        if !algorithm.tag_bytes.contains(&tag_length) {
            let (least, most) = (algorithm.tag_bytes.start(), algorithm.tag_bytes.end());
            return Err(PyValueError::new_err(format!(
                "tags of {name} have {least} to {most} bytes, not {tag_length}"
            )));
        }
        let made = algorithm.key_with(Cpu::detect(), secret, tag_length, nonce_bytes);
        let nonce_length = nonce_bytes.unwrap_or_else(|| nonce_length(&algorithm));
        let key_of = |_| {
            PyValueError::new_err(match algorithm.nonce_bytes {
                Some(lengths) => {
                    format!("nonces of {name} have {lengths:?} bytes, not {nonce_length}")
                }
                None => format!("{name} takes no nonce: leave nonce_length out"),
            })
        };
        let made = made.map_err(key_of)?;
        errors::warn_of_experiment(py, &algorithm)?;
        Ok(Mac::of(&algorithm, made, secret.len(), tag_length, nonce_length))
    }

    /// A key that was made already.
    pub fn of(
        algorithm: &Algorithm,
        key: Arc<dyn AnyKey>,
        key_length: usize,
        tag_length: usize,
        nonce_length: usize,
    ) -> Mac {
        let (name, block) = (algorithm.name.to_string(), *algorithm.tag_bytes.end() as u64);
        Mac { key, name, key_length, tag_length, nonce_length, block }
    }
}

#[pymethods]
impl Mac {
    /// The name of the key's kernel, after the instructions it needs, such as "avx512".
    #[getter]
    fn kernel(&self) -> &'static str {
        self.key.kernel()
    }

    #[getter]
    fn digest_size(&self) -> usize {
        self.tag_length
    }

    /// The tag of a message.
    ///
    /// data: bytes, or another object with the buffer protocol whose bytes are contiguous. nonce: a number from 0 to
    /// 2**64 - 1, which stands for nonce_length big-endian bytes, or that many bytes. Never use a nonce for two
    /// messages: two tags under one nonce reveal the hash key. Omit it if the algorithm takes none.
    ///
    /// Raises TypeError if the nonce is missing or not taken, ValueError if it has another length or data is not
    /// contiguous.
    #[pyo3(signature = (data, nonce = None))]
    fn tag(
        &self,
        py: Python<'_>,
        data: Data<'_>,
        nonce: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Tag> {
        let nonce = nonce_of(nonce, self.nonce_length)?;
        let tagged = data.detached(py, |data| self.key.tag(nonce.as_ref(), data));
        tagged.map(Tag).map_err(errors::nonce)
    }

    /// Returns if the message is authentic: if tag is its tag under this key and nonce.
    ///
    /// tag: a Tag or bytes. The time does not depend on its contents.
    ///
    /// Raises InvalidTag if it is not, or if the tag has another length; TypeError and ValueError as tag does.
    #[pyo3(signature = (data, tag, nonce = None))]
    fn verify(
        &self,
        py: Python<'_>,
        data: Data<'_>,
        tag: &Bound<'_, PyAny>,
        nonce: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let nonce = nonce_of(nonce, self.nonce_length)?;
        let Some(tag) = received(tag)? else { return Err(errors::mismatch()) };
        data.detached(py, |data| self.key.verify(nonce.as_ref(), data, &tag))
            .map_err(errors::verify)
    }

    /// The tags of a list of messages, as a list. This is faster than one at a time if they are short. If the algorithm
    /// takes nonces, they are consecutive from first_nonce, and all are then used up.
    ///
    /// Raises TypeError and ValueError as tag does, and ValueError if there are fewer nonces from first_nonce on
    /// than messages.
    #[pyo3(signature = (messages, first_nonce = None))]
    fn tag_many(
        &self,
        py: Python<'_>,
        messages: &Bound<'_, PyAny>,
        first_nonce: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Tag>> {
        let first = nonce_of(first_nonce, self.nonce_length)?;
        let tags = self.tags(py, first.as_ref(), &objects(messages)?)?;
        let tag = |tag| Tag(AnyTag::new(tag).expect("it is the key's tag length"));
        Ok(tags.chunks_exact(self.tag_length).map(tag).collect())
    }

    /// Returns if every message of a list is authentic. tags is a list, too. Nonces are consecutive from first_nonce,
    /// or the list nonces has one for each message.
    ///
    /// Raises InvalidTag if a message is not authentic; its attribute `valid` is a list with True for those that are.
    /// Raises ValueError if the lists have different lengths; TypeError and ValueError as tag_many does.
    #[pyo3(signature = (messages, tags, first_nonce = None, *, nonces = None))]
    fn verify_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        tags: &Bound<'py, PyAny>,
        first_nonce: Option<&Bound<'py, PyAny>>,
        nonces: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let objects = objects(messages)?;
        let tags = tags.try_iter()?.map(|tag| received(&tag?)).collect::<PyResult<Vec<_>>>()?;
        one_for_each(objects.len(), tags.len(), "tags")?;
        let right = match nonces {
            None => self.tags(py, nonce_of(first_nonce, self.nonce_length)?.as_ref(), &objects)?,
            Some(_) if first_nonce.is_some() => {
                return Err(PyTypeError::new_err("pass first_nonce or nonces, not both"));
            }
            Some(nonces) => {
                let nonces = nonces.try_iter()?.collect::<PyResult<Vec<_>>>()?;
                one_for_each(objects.len(), nonces.len(), "nonces")?;
                let mut right = Vec::with_capacity(objects.len() * self.tag_length);
                for (object, nonce) in objects.iter().zip(&nonces) {
                    let tag = self.tag(py, Data::of(object)?, Some(nonce))?;
                    right.extend_from_slice(tag.0.to_bytes());
                }
                right
            }
        };
        let right = right.chunks_exact(self.tag_length);
        let valid = tags.iter().zip(right);
        let valid: Vec<bool> = valid.map(|(tag, right)| *tag == AnyTag::new(right).ok()).collect();
        let wrong = valid.iter().filter(|valid| !**valid).count();
        if wrong == 0 {
            return Ok(());
        }
        let error = InvalidTag::new_err(format!(
            "{wrong} of {} tags do not match their messages",
            valid.len()
        ));
        error.value(py).setattr("valid", valid)?;
        Err(error)
    }

    /// Starts a message whose bytes arrive in pieces.
    fn stream(&self) -> Stream {
        let stream = Arc::clone(&self.key).shared_stream();
        Stream::new(stream, self.name.clone(), self.tag_length, self.nonce_length)
    }

    fn __repr__(&self) -> String {
        format!("<wegman key: {}, {}-bit tags>", self.name, 8 * self.tag_length)
    }
}

impl Mac {
    /// The tags of all messages, one after another.
    fn tags(
        &self,
        py: Python<'_>,
        first: Option<&Nonce>,
        objects: &[Bound<'_, PyAny>],
    ) -> PyResult<Vec<u8>> {
        let data = objects.iter().map(Data::of).collect::<PyResult<Vec<_>>>()?;
        let slices: Vec<&[u8]> = data.iter().map(Data::as_slice).collect();
        let bytes = slices.iter().map(|slice| slice.len()).sum();
        let mut tags = vec![0; slices.len() * self.tag_length];
        detached(py, bytes, || self.key.tags(first, &slices, &mut tags)).map_err(errors::nonce)?;
        Ok(tags)
    }
}

/// Refuses another number of tags or nonces than of messages.
fn one_for_each(messages: usize, others: usize, what: &str) -> PyResult<()> {
    if messages == others {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("there are {messages} messages and {others} {what}")))
}

/// A class for one algorithm, by its name in the catalogue.
macro_rules! typed {
    ($(#[$doc:meta])* $class:ident, $name:literal) => {
        $(#[$doc])*
        #[pyclass(module = "wegman", frozen, extends = Mac)]
        pub struct $class;

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (key, /))]
            fn new(py: Python<'_>, key: Data<'_>) -> PyResult<PyClassInitializer<$class>> {
                let mac = Mac::new(py, $name, &key, None, None)?;
                Ok(PyClassInitializer::from(mac).add_subclass($class))
            }
        }
    };
}

typed!(
    /// UMAC with tags of 8 bytes (RFC 4418): for packets, records, RPC and SSH.
    ///
    /// Umac64(key): key has 16 random bytes, for example from wegman.generate_key(). Each message needs a nonce, a
    /// number that this key never uses again, such as a counter.
    ///
    /// Bound: at least one of v forgery attempts succeeds with probability at most v * 2**-60, plus twice the advantage
    /// of telling AES-128 from a random permutation.
    Umac64,
    "UMAC-64"
);
typed!(
    /// UMAC with tags of 16 bytes (RFC 4418), where Umac64's bound is not enough.
    ///
    /// Umac128(key): key has 16 random bytes. Each message needs a nonce, a number that this key never uses again.
    ///
    /// Bound: at least one of v forgery attempts succeeds with probability at most v * 2**-120, plus twice the
    /// advantage of telling AES-128 from a random permutation.
    Umac128,
    "UMAC-128"
);
typed!(
    /// PMAC over AES-128 with tags of 16 bytes, without a nonce: for files, objects and disk images. wegman.pmac sums
    /// segments and edits messages.
    ///
    /// Pmac(key): key has 16 random bytes. wegman.new("PMAC-AES256", key) takes 32.
    ///
    /// Bound: for s blocks of 16 bytes in all, at least one of v forgery attempts succeeds with probability at most (s
    /// + 1)**2 * 2**-127 + v * 2**-128, plus the advantage of telling AES-128 from a random permutation.
    Pmac,
    "PMAC-AES128"
);
typed!(
    /// Carter with tags of 16 bytes: experimental. It is the project's own MAC, and no outsider has reviewed it. The
    /// first key warns of that (ExperimentalWarning).
    ///
    /// Carter128(key): key has 16 random bytes. Each message needs a nonce that this key never uses again.
    /// wegman.find("Carter-128") has its bound.
    Carter128,
    "Carter-128"
);
