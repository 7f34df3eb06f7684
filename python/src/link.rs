//! [`Link`]: both directions of a channel.

use crate::data::{Data, detached, objects};
use crate::errors;
use crate::session::{budget_of, counted, storing, unknown_mac};
use crate::tag::{Tag, received};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use wegman::AnyTag;
use wegman::session::{Budget, Header, Rejected, ReserveError, Role};
use wegman_catalogue::link::{AnyLink, LinkMac, NotStored, Store, link_mac};

/// One end of a channel. It numbers packets, refuses replays, changes keys, and keeps the probability of a forgery
/// below a budget.
///
/// Link(mac, secret, context=b"", *, initiator, budget=40, longest=None, epoch_limit=None): both ends have the same
/// secret of 32 random bytes, from a key exchange, and the same context, such as the protocol's name. Never make a
/// second channel from the same secret and context. One end is the initiator, the other is not. mac is "UMAC-64",
/// "UMAC-128", "PMAC-AES128", "PMAC-AES256" or, experimental, "Carter-128". The end closes before the probability of an
/// accepted forgery exceeds 2**-budget. longest (bytes of a message) and epoch_limit (messages under one key, or blocks
/// of 16 bytes for PMAC) are the same at both ends.
///
/// seal_packet() and open_packet() use whole packets: header, message, tag. seal() and open() take the three apart.
/// seal_parts() and open_parts() take a message as a list of parts, and seal where each part ends; a link that uses them
/// refuses the other four with ValueError, and the other way round. If the channel outlives its process, store it:
/// reserve_sealing(), reserve_opening(), restore().
///
/// One thread at a time may use it; another gets RuntimeError, and so does a forked process. From 128 KiB on, other
/// Python threads run meanwhile.
///
/// Raises ValueError if there is no such MAC, or the secret does not have 32 bytes.
#[pyclass(module = "wegman")]
pub struct Link {
    link: Box<dyn AnyLink>,
    /// How messages are given, from the first one on.
    form: Option<Form>,
}

/// How messages are given: whole, or as parts whose lengths are sealed. A link has one form, because a whole message
/// may end like the lengths of parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Whole,
    Parts,
}

/// Bytes of a header.
const HEADER: usize = Header::BYTES;

impl Link {
    /// A link with these settings.
    fn with(mut link: Box<dyn AnyLink>, budget: Option<Budget>, longest: Option<u64>) -> Link {
        if let Some(budget) = budget {
            link = link.with_budget(budget);
        }
        if let Some(longest) = longest {
            link = link.with_longest(longest);
        }
        Link { link, form: None }
    }

    /// The link, for messages of this form.
    fn get_for(&mut self, form: Form) -> PyResult<&mut (dyn AnyLink + 'static)> {
        errors::require(
            *self.form.get_or_insert(form) == form,
            "a link seals and opens either whole messages or parts: make another link for the other",
        )?;
        Ok(&mut *self.link)
    }

    /// Calls what stores with Python's function, whose exception it keeps.
    fn store(
        store: &Bound<'_, PyAny>,
        reserve: impl FnOnce(Store<'_>) -> Result<(), ReserveError<NotStored>>,
    ) -> PyResult<()> {
        let (mut stored, mut raised) = (storing(store), None);
        let outcome = reserve(&mut |bytes| {
            stored(bytes).map_err(|error| {
                raised = Some(error);
                NotStored
            })
        });
        match (outcome, raised) {
            (Ok(()), None) => Ok(()),
            (_, Some(error)) => Err(error),
            (Err(ReserveError::OtherProcess), None) => Err(errors::other_process()),
            (Err(ReserveError::Store(NotStored)), None) => {
                Err(PyRuntimeError::new_err("it was not stored"))
            }
        }
    }
}

fn mac_of(py: Python<'_>, name: &str) -> PyResult<&'static LinkMac> {
    let mac = link_mac(name).ok_or_else(|| unknown_mac(name))?;
    errors::warn_of_experiment(py, &*crate::names::found(mac.name)?)?;
    Ok(mac)
}

/// Up to so many bytes, parts are put together: as one piece a link takes them faster.
const SHORT: usize = 2048;

/// Calls `with` with the message that parts are: they, their lengths, and their number. Read from its end, it says where
/// each part ends.
fn with_parts<R>(objects: &[Bound<'_, PyAny>], with: impl FnOnce(&[&[u8]]) -> R) -> PyResult<R> {
    let data = objects.iter().map(Data::of).collect::<PyResult<Vec<_>>>()?;
    let lengths = data.iter().map(|part| part.as_slice().len()).chain([data.len()]);
    let add = |mut to: Vec<u8>| {
        lengths.for_each(|number| to.extend_from_slice(&(number as u64).to_be_bytes()));
        to
    };
    if data.iter().map(|part| part.as_slice().len()).sum::<usize>() <= SHORT {
        let mut whole = Vec::with_capacity(SHORT);
        data.iter().for_each(|part| whole.extend_from_slice(part.as_slice()));
        return Ok(with(&[&add(whole)]));
    }
    let end = add(Vec::new());
    let slices: Vec<&[u8]> = data.iter().map(Data::as_slice).chain([&end[..]]).collect();
    Ok(with(&slices))
}

fn bytes(message: &[&[u8]]) -> usize {
    message.iter().map(|part| part.len()).sum()
}

/// The header and the tag of a message in parts.
fn sealed(
    py: Python<'_>,
    link: &mut dyn AnyLink,
    message: &[&[u8]],
) -> PyResult<([u8; HEADER], AnyTag)> {
    let mut place = [0; AnyTag::MAX];
    let tag = &mut place[..link.tag_bytes()];
    let sealed = detached(py, bytes(message), || link.seal(message, tag));
    let header = sealed.map_err(|error| errors::seal(py, error))?;
    Ok((header.to_bytes(), AnyTag::new(tag).expect("it is the link's tag length")))
}

fn seal<'py>(
    py: Python<'py>,
    link: &mut dyn AnyLink,
    message: &[&[u8]],
) -> PyResult<(Bound<'py, PyBytes>, Tag)> {
    let (header, tag) = sealed(py, link, message)?;
    Ok((PyBytes::new(py, &header), Tag(tag)))
}

fn open(
    py: Python<'_>,
    link: &mut dyn AnyLink,
    header: &Data<'_>,
    message: &[&[u8]],
    tag: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let header: &[u8; HEADER] =
        header.as_slice().try_into().map_err(|_| PyValueError::new_err("a header has 12 bytes"))?;
    let header = Header::from_bytes(header);
    let tag = received(tag)?;
    let tag = tag.as_ref().map_or(&[][..], AnyTag::to_bytes);
    let opened = detached(py, bytes(message), || link.open(header, message, tag));
    opened.map_err(|error| errors::rejected(py, error))
}

#[pymethods]
impl Link {
    #[new]
    #[pyo3(signature = (mac, secret, context = None, *, initiator, budget = None, longest = None, epoch_limit = None))]
    #[expect(clippy::too_many_arguments, reason = "Python names them")]
    fn new(
        py: Python<'_>,
        mac: &str,
        secret: Data<'_>,
        context: Option<Data<'_>>,
        initiator: bool,
        budget: Option<u32>,
        longest: Option<u64>,
        epoch_limit: Option<u64>,
    ) -> PyResult<Link> {
        let mac = mac_of(py, mac)?;
        let budget = budget.map(budget_of).transpose()?;
        let text = "epoch_limit is 1 or more: no message fits under 0";
        errors::require(epoch_limit != Some(0), text)?;
        let secret = secret.as_slice().try_into().map_err(|_| {
            PyValueError::new_err(
                "the secret has 32 bytes: secrets.token_bytes(32), or a key exchange's",
            )
        })?;
        let context = context.as_ref().map_or(&[][..], Data::as_slice);
        let role = if initiator { Role::Initiator } else { Role::Responder };
        let mut link = mac.link(secret, context, role);
        if let Some(limit) = epoch_limit {
            link = link.with_epoch_limit(limit);
        }
        Ok(Link::with(link, budget, longest))
    }

    /// An end that continues from what reserve_sealing() and reserve_opening() stored last. Reserve both again before
    /// the first packet. An older state repeats nonces, or accepts packets again. budget and longest are not stored: pass
    /// them again.
    ///
    /// Raises ValueError if the bytes are not those of a link with that MAC.
    #[classmethod]
    #[pyo3(signature = (mac, sealing, opening, *, budget = None, longest = None))]
    fn restore(
        class: &Bound<'_, PyType>,
        mac: &str,
        sealing: Data<'_>,
        opening: Data<'_>,
        budget: Option<u32>,
        longest: Option<u64>,
    ) -> PyResult<Link> {
        let mac = mac_of(class.py(), mac)?;
        let budget = budget.map(budget_of).transpose()?;
        let restored = mac.restore(sealing.as_slice(), opening.as_slice());
        Ok(Link::with(restored.map_err(errors::value)?, budget, longest))
    }

    /// The packet to send: a header of 12 bytes, the message and its tag.
    ///
    /// Raises SealError.
    #[pyo3(signature = (message, /))]
    fn seal_packet<'py>(
        &mut self,
        py: Python<'py>,
        message: Data<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let message = message.as_slice();
        let (header, tag) = sealed(py, self.get_for(Form::Whole)?, &[message])?;
        let tag = tag.to_bytes();
        PyBytes::new_with(py, HEADER + message.len() + tag.len(), |packet| {
            let (front, back) = packet.split_at_mut(HEADER);
            let (middle, end) = back.split_at_mut(message.len());
            front.copy_from_slice(&header);
            middle.copy_from_slice(message);
            end.copy_from_slice(tag);
            Ok(())
        })
    }

    /// The message of a packet that is authentic and new.
    ///
    /// Raises Rejected if it is not; its `reason` says why.
    #[pyo3(signature = (packet, /))]
    fn open_packet<'py>(
        &mut self,
        py: Python<'py>,
        packet: Data<'_>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let link = self.get_for(Form::Whole)?;
        let short = || errors::rejected(py, Rejected::TooShort);
        let (header, rest) = packet.as_slice().split_first_chunk::<HEADER>().ok_or_else(short)?;
        let end = rest.len().checked_sub(link.tag_bytes()).ok_or_else(short)?;
        let (message, tag) = rest.split_at(end);
        // Python's own copy is what is checked, and what is given out: nobody can change it in between.
        let message = PyBytes::new(py, message);
        let (header, bytes) = (Header::from_bytes(header), message.as_bytes());
        let opened = detached(py, bytes.len(), || link.open(header, &[bytes], tag));
        opened.map_err(|error| errors::rejected(py, error))?;
        Ok(message)
    }

    /// The header, of 12 bytes, and the tag of a message.
    ///
    /// Raises SealError.
    #[pyo3(signature = (message, /))]
    fn seal<'py>(
        &mut self,
        py: Python<'py>,
        message: Data<'_>,
    ) -> PyResult<(Bound<'py, PyBytes>, Tag)> {
        seal(py, self.get_for(Form::Whole)?, &[message.as_slice()])
    }

    /// The header, of 12 bytes, and the tag of a message whose parts are the objects of a list. Nothing is copied. After
    /// the parts, their lengths and their number are sealed, each in 8 bytes, big-endian: other parts with the same
    /// bytes are refused.
    ///
    /// Raises SealError.
    #[pyo3(signature = (parts, /))]
    fn seal_parts<'py>(
        &mut self,
        parts: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyBytes>, Tag)> {
        let (py, objects) = (parts.py(), objects(parts)?);
        let link = self.get_for(Form::Parts)?;
        with_parts(&objects, |message| seal(py, link, message))?
    }

    /// Returns if the packet is authentic and new. Use the message only then.
    ///
    /// Raises Rejected if it is not; its `reason` says why. Raises ValueError if the header does not have 12 bytes.
    fn open(
        &mut self,
        py: Python<'_>,
        header: Data<'_>,
        message: Data<'_>,
        tag: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        open(py, self.get_for(Form::Whole)?, &header, &[message.as_slice()], tag)
    }

    /// Returns if the packet is authentic and new, and its parts are those that were sealed. Use them only then, and let
    /// nobody change them from this call on.
    ///
    /// Raises Rejected if not; its `reason` says why. Raises ValueError if the header does not have 12 bytes.
    fn open_parts(
        &mut self,
        header: Data<'_>,
        parts: &Bound<'_, PyAny>,
        tag: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (py, objects) = (parts.py(), objects(parts)?);
        let link = self.get_for(Form::Parts)?;
        with_parts(&objects, |message| open(py, link, &header, message, tag))?
    }

    /// Starts the next epoch: seals under its key and wipes the present one.
    ///
    /// Raises SealError after the last epoch.
    fn rekey(&mut self, py: Python<'_>) -> PyResult<()> {
        self.link.rekey().map_err(|error| errors::seal(py, error))
    }

    /// How many packets had each outcome so far, as a dict: "accepted" and the reasons of Rejected.
    fn counts<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counted(py, &self.link.counts())
    }

    /// Stores the half that seals by store(bytes), and reserves `messages` more messages of `size` bytes in all. The
    /// bytes are secret. `store` must be durable, and must not use the link.
    ///
    /// Raises whatever store raises.
    fn reserve_sealing(
        &mut self,
        messages: u64,
        size: u64,
        store: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        Self::store(store, |store| self.link.reserve_sealer(messages, size, store))
    }

    /// Stores the half that opens by store(bytes), and reserves numbers up to `numbers` above the highest so far, and
    /// `attempts` more forged packets of `size` bytes in all. The bytes are secret. `store` must be durable, and must
    /// not use the link.
    ///
    /// Raises whatever store raises.
    fn reserve_opening(
        &mut self,
        numbers: u64,
        attempts: u64,
        size: u64,
        store: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        Self::store(store, |store| self.link.reserve_opener(numbers, attempts, size, store))
    }
}
