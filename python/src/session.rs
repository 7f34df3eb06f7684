//! [`Sender`], [`Receiver`] and [`SharedSender`]: one direction under one key.

use crate::data::{Data, objects};
use crate::errors;
use crate::names::{found, wrong_key};
use crate::tag::{Tag, received};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use wegman::hazmat::wiped::{MOVED, Wiped, stack_for, with_clean_stack};
use wegman::session::{self, Budget, Counts, LinkKey, Rejected, Saved, SavedReceiver, SealError};
use wegman::{Aes128, Aes256, AnyTag, pmac, umac};
use wegman_carter::Carter128;

/// What numbered packets need, for any MAC.
trait AnySender: Send + Sync {
    fn seal(&mut self, message: &[u8]) -> Result<(u64, AnyTag), SealError>;
    fn seal_many(&mut self, messages: &[&[u8]]) -> Result<(u64, Vec<AnyTag>), SealError>;
    fn reserve(&mut self, messages: u64, bytes: u64, store: Store<'_>) -> PyResult<()>;
    fn next_sequence(&self) -> Option<u64>;
    fn left(&self) -> u64;
}

/// Seals a message under the next number.
type SharedSeal = dyn Fn(&[u8]) -> Result<(u64, AnyTag), SealError> + Send + Sync;

trait AnyReceiver: Send + Sync {
    fn open(&mut self, sequence: u64, message: &[u8], tag: &[u8]) -> Result<(), Rejected>;
    fn reserve(
        &mut self,
        numbers: u64,
        attempts: u64,
        bytes: u64,
        store: Store<'_>,
    ) -> PyResult<()>;
    fn highest(&self) -> Option<u64>;
    fn is_closed(&self) -> bool;
    fn counts(&self) -> Counts;
}

/// Stores bytes, by a function of Python's.
type Store<'a> = &'a mut dyn FnMut(&[u8]) -> PyResult<()>;

fn any<K: LinkKey>(tag: &K::Tag) -> AnyTag {
    AnyTag::new(K::tag_bytes(tag).as_ref()).expect("no tag of a session is longer than AnyTag::MAX")
}

impl<K: LinkKey<Tag: Send + Sync> + Send + Sync> AnySender for Wiped<session::Sender<K>> {
    fn seal(&mut self, message: &[u8]) -> Result<(u64, AnyTag), SealError> {
        session::Sender::seal(self, message).map(|(sequence, tag)| (sequence, any::<K>(&tag)))
    }

    fn seal_many(&mut self, messages: &[&[u8]]) -> Result<(u64, Vec<AnyTag>), SealError> {
        let tag = K::Tag::try_from(&[0; AnyTag::MAX][..K::TAG_BYTES]).ok().expect("its own length");
        let mut tags = vec![tag; messages.len()];
        let first = session::Sender::seal_many(self, messages, &mut tags)?;
        Ok((first, tags.iter().map(any::<K>).collect()))
    }

    fn reserve(&mut self, messages: u64, bytes: u64, store: Store<'_>) -> PyResult<()> {
        let store = |saved: &Saved| store(&saved.to_bytes());
        session::Sender::reserve(self, messages, bytes, store).map_err(errors::reserve)
    }

    fn next_sequence(&self) -> Option<u64> {
        session::Sender::next_sequence(self)
    }

    fn left(&self) -> u64 {
        session::Sender::left(self)
    }
}

impl<K: LinkKey<Tag: Send + Sync> + Send + Sync> AnyReceiver for Wiped<session::Receiver<K>> {
    fn open(&mut self, sequence: u64, message: &[u8], tag: &[u8]) -> Result<(), Rejected> {
        // A tag of another length costs no attempt: nothing has to be computed to refuse it.
        let tag = K::Tag::try_from(tag).map_err(|_| Rejected::TooShort)?;
        session::Receiver::open(self, sequence, message, &tag).map(drop)
    }

    fn reserve(
        &mut self,
        numbers: u64,
        attempts: u64,
        bytes: u64,
        store: Store<'_>,
    ) -> PyResult<()> {
        let store = |saved: &SavedReceiver| store(&saved.to_bytes());
        session::Receiver::reserve(self, numbers, attempts, bytes, store).map_err(errors::reserve)
    }

    fn highest(&self) -> Option<u64> {
        session::Receiver::highest(self)
    }

    fn is_closed(&self) -> bool {
        session::Receiver::is_closed(self)
    }

    fn counts(&self) -> Counts {
        session::Receiver::counts(self)
    }
}

type MakeSender = fn(&[u8], From<'_>) -> PyResult<Box<dyn AnySender>>;
type MakeShared = fn(&[u8], u64) -> PyResult<Box<SharedSeal>>;
type MakeReceiver = fn(&[u8], From<'_>, Budget) -> PyResult<Box<dyn AnyReceiver>>;

/// How the ends of one direction are made with a MAC.
struct Ends {
    /// Its name in the catalogue.
    name: &'static str,
    sender: MakeSender,
    shared: MakeShared,
    receiver: MakeReceiver,
}

/// Where an end begins.
#[derive(Clone, Copy)]
enum From<'a> {
    First(u64),
    Saved(&'a [u8]),
}

/// The MACs of links (`wegman_catalogue::link`), whose keys are types that number packets.
static ENDS: &[Ends] = &[
    Ends::of::<umac::Key<8>>("UMAC-64"),
    Ends::of::<umac::Key<16>>("UMAC-128"),
    Ends::of::<pmac::Key<Aes128, 16>>("PMAC-AES128"),
    Ends::of::<pmac::Key<Aes256, 16>>("PMAC-AES256"),
    Ends::of::<Carter128<Aes128, 12>>("Carter-128"),
];

/// An end with its key, and nothing of the key on the stack.
fn made<K: LinkKey, T>(
    secret: &[u8],
    make: impl FnOnce(K) -> PyResult<T>,
) -> PyResult<Box<Wiped<T>>> {
    with_clean_stack(stack_for::<T>(MOVED), || Wiped::try_boxed(|| make(K::from_secret(secret))))
}

fn not_saved(_: impl std::error::Error) -> PyErr {
    PyValueError::new_err("these bytes were not stored with this MAC and key")
}

impl Ends {
    const fn of<K: LinkKey<Tag: Send + Sync> + Send + Sync + 'static>(name: &'static str) -> Ends {
        Ends {
            name,
            sender: |secret, from| {
                let sender = made(secret, |key| match from {
                    From::First(first) => Ok(session::Sender::<K>::new(key, first)),
                    From::Saved(saved) => {
                        let saved = Saved::from_bytes(saved).map_err(not_saved)?;
                        session::Sender::restore(key, saved).map_err(not_saved)
                    }
                })?;
                Ok(sender)
            },
            shared: |secret, first| {
                let sender = made(secret, |key| {
                    Ok(session::SharedSender::<K>::new(session::Sender::new(key, first)))
                })?;
                Ok(Box::new(move |message| {
                    sender.seal(message).map(|(sequence, tag)| (sequence, any::<K>(&tag)))
                }))
            },
            receiver: |secret, from, budget| {
                let receiver = made(secret, |key| match from {
                    From::First(first) => Ok(session::Receiver::<K>::new(key, first, budget)),
                    From::Saved(saved) => {
                        let saved = SavedReceiver::from_bytes(saved).map_err(not_saved)?;
                        session::Receiver::restore(key, saved, budget).map_err(not_saved)
                    }
                })?;
                Ok(receiver)
            },
        }
    }

    /// The ends of a MAC by name, and the bytes of its key.
    fn with<T>(
        py: Python<'_>,
        name: &str,
        key: &Data<'_>,
        make: impl FnOnce(&Ends, &[u8]) -> PyResult<T>,
    ) -> PyResult<T> {
        let known = ENDS.iter().find(|ends| ends.name.eq_ignore_ascii_case(name));
        let ends = known.ok_or_else(|| unknown_mac(name))?;
        let algorithm = found(ends.name)?;
        let secret = key.as_slice();
        if secret.len() != algorithm.key_bytes {
            return Err(wrong_key(&algorithm, secret.len()));
        }
        errors::warn_of_experiment(py, &algorithm)?;
        make(ends, secret)
    }
}

/// The MAC is none that packets are numbered with.
pub fn unknown_mac(name: &str) -> PyErr {
    let names: Vec<&str> = ENDS.iter().map(|ends| ends.name).collect();
    PyValueError::new_err(format!("packets take {}, not {name:?}", names.join(", ")))
}

/// Counts as Python reads them.
pub fn counted<'py>(py: Python<'py>, counts: &Counts) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (name, count) in [
        ("accepted", counts.accepted),
        ("replayed", counts.replayed),
        ("too old", counts.too_old),
        ("outside", counts.outside),
        ("forged", counts.forged),
        ("closed", counts.closed),
        ("not reserved", counts.not_reserved),
    ] {
        all.set_item(name, count)?;
    }
    Ok(all)
}

/// A budget that Python passes.
pub fn budget_of(exponent: u32) -> PyResult<Budget> {
    errors::require(exponent <= 120, "a budget is 2**0 to 2**-120: pass 0 to 120")?;
    Ok(Budget::close_at(exponent))
}

/// Python's function that stores.
pub fn storing<'a>(store: &'a Bound<'_, PyAny>) -> impl FnMut(&[u8]) -> PyResult<()> + 'a {
    move |bytes| store.call1((PyBytes::new(store.py(), bytes),)).map(drop)
}

/// Numbers and tags the packets of one direction. It owns the counter, so it uses no number twice.
///
/// Sender(mac, key, *, first=1): mac is "UMAC-64", "UMAC-128", "PMAC-AES128", "PMAC-AES256" or, experimental,
/// "Carter-128". The key has one sender, one receiver and no other use. If the key outlives the process, use reserve()
/// and restore(). One thread at a time may use the sender; another gets RuntimeError, and so does a forked process.
///
/// Raises ValueError if there is no such MAC or the key has another length.
#[pyclass(module = "wegman")]
pub struct Sender {
    sender: Box<dyn AnySender>,
}

#[pymethods]
impl Sender {
    #[new]
    #[pyo3(signature = (mac, key, *, first = 1))]
    fn new(py: Python<'_>, mac: &str, key: Data<'_>, first: u64) -> PyResult<Sender> {
        let sender = Ends::with(py, mac, &key, |ends, key| (ends.sender)(key, From::First(first)))?;
        Ok(Sender { sender })
    }

    /// A sender that continues from what reserve() stored last. It must reserve() before it can seal.
    ///
    /// Raises ValueError if the bytes were not stored with this MAC and key.
    #[classmethod]
    fn restore(
        class: &Bound<'_, PyType>,
        mac: &str,
        key: Data<'_>,
        saved: Data<'_>,
    ) -> PyResult<Sender> {
        let from = From::Saved(saved.as_slice());
        let sender = Ends::with(class.py(), mac, &key, |ends, key| (ends.sender)(key, from))?;
        Ok(Sender { sender })
    }

    /// The number of a message, and its tag: send both with it.
    ///
    /// Raises SealError if no number is left, or none is reserved.
    #[pyo3(signature = (message, /))]
    fn seal(&mut self, py: Python<'_>, message: Data<'_>) -> PyResult<(u64, Tag)> {
        let (number, tag) =
            self.sender.seal(message.as_slice()).map_err(|error| errors::seal(py, error))?;
        Ok((number, Tag(tag)))
    }

    /// The number of the first of many messages, and all their tags. Numbers are consecutive.
    ///
    /// Raises SealError if there are not enough numbers; none is used up then.
    #[pyo3(signature = (messages, /))]
    fn seal_many(&mut self, messages: &Bound<'_, PyAny>) -> PyResult<(u64, Vec<Tag>)> {
        let py = messages.py();
        let objects = objects(messages)?;
        let data = objects.iter().map(Data::of).collect::<PyResult<Vec<_>>>()?;
        let slices: Vec<&[u8]> = data.iter().map(Data::as_slice).collect();
        let sealed = self.sender.seal_many(&slices);
        let (first, tags) = sealed.map_err(|error| errors::seal(py, error))?;
        Ok((first, tags.into_iter().map(Tag).collect()))
    }

    /// Reserves `messages` more messages of `size` bytes in all, after store(bytes) has stored what a restart needs.
    /// `store` must be durable: write a new file, sync it, rename it, sync its folder.
    ///
    /// Raises whatever store raises; nothing more is reserved then.
    fn reserve(&mut self, messages: u64, size: u64, store: &Bound<'_, PyAny>) -> PyResult<()> {
        self.sender.reserve(messages, size, &mut storing(store))
    }

    /// The number of the next message; None if there is none.
    #[getter]
    fn next_number(&self) -> Option<u64> {
        self.sender.next_sequence()
    }

    /// How much the key may still seal: messages for UMAC and Carter, blocks of 16 bytes for PMAC.
    #[getter]
    fn left(&self) -> u64 {
        self.sender.left()
    }
}

/// A sender for many threads, each of which takes the next number.
///
/// SharedSender(mac, key, *, first=1): as for Sender. It can't be stored.
#[pyclass(module = "wegman", frozen)]
pub struct SharedSender {
    seal: Box<SharedSeal>,
}

#[pymethods]
impl SharedSender {
    #[new]
    #[pyo3(signature = (mac, key, *, first = 1))]
    fn new(py: Python<'_>, mac: &str, key: Data<'_>, first: u64) -> PyResult<SharedSender> {
        let seal = Ends::with(py, mac, &key, |ends, key| (ends.shared)(key, first))?;
        Ok(SharedSender { seal })
    }

    /// The number of a message, and its tag: send both with it.
    ///
    /// Raises SealError if no number is left.
    #[pyo3(signature = (message, /))]
    fn seal(&self, py: Python<'_>, message: Data<'_>) -> PyResult<(u64, Tag)> {
        let sealed = message.detached(py, |message| (self.seal)(message));
        let (number, tag) = sealed.map_err(|error| errors::seal(py, error))?;
        Ok((number, Tag(tag)))
    }
}

/// Accepts each packet of one direction at most once, and only if its tag is right. Its window of 1024 numbers lets
/// packets arrive in another order.
///
/// Receiver(mac, key, *, first=1, budget=40): mac and key are the sender's, whose first number is `first`. The receiver
/// closes before the probability of an accepted forgery exceeds 2**-budget. One thread at a time may use it; another
/// gets RuntimeError, and so does a forked process.
///
/// Raises ValueError if there is no such MAC, the key has another length or the budget is above 120.
#[pyclass(module = "wegman")]
pub struct Receiver {
    receiver: Box<dyn AnyReceiver>,
}

#[pymethods]
impl Receiver {
    #[new]
    #[pyo3(signature = (mac, key, *, first = 1, budget = 40))]
    fn new(
        py: Python<'_>,
        mac: &str,
        key: Data<'_>,
        first: u64,
        budget: u32,
    ) -> PyResult<Receiver> {
        let budget = budget_of(budget)?;
        let receiver = Ends::with(py, mac, &key, |ends, key| {
            (ends.receiver)(key, From::First(first), budget)
        })?;
        Ok(Receiver { receiver })
    }

    /// A receiver that continues from what reserve() stored last. It must reserve() before it can open.
    ///
    /// Raises ValueError if the bytes were not stored with this MAC and key.
    #[classmethod]
    #[pyo3(signature = (mac, key, saved, *, budget = 40))]
    fn restore(
        class: &Bound<'_, PyType>,
        mac: &str,
        key: Data<'_>,
        saved: Data<'_>,
        budget: u32,
    ) -> PyResult<Receiver> {
        let (from, budget) = (From::Saved(saved.as_slice()), budget_of(budget)?);
        let receiver =
            Ends::with(class.py(), mac, &key, |ends, key| (ends.receiver)(key, from, budget))?;
        Ok(Receiver { receiver })
    }

    /// Returns if the packet is authentic and new. Use the message only then.
    ///
    /// Raises Rejected if it is not; its `reason` says why.
    fn open(
        &mut self,
        py: Python<'_>,
        number: u64,
        message: Data<'_>,
        tag: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let tag = received(tag)?;
        let tag = tag.as_ref().map_or(&[][..], AnyTag::to_bytes);
        let opened = self.receiver.open(number, message.as_slice(), tag);
        opened.map_err(|error| errors::rejected(py, error))
    }

    /// Reserves numbers up to `numbers` above the highest so far, and `attempts` more forged packets of `size` bytes in
    /// all, after store(bytes) has stored what a restart needs. `store` must be durable.
    ///
    /// Raises whatever store raises; nothing more is reserved then.
    fn reserve(
        &mut self,
        numbers: u64,
        attempts: u64,
        size: u64,
        store: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.receiver.reserve(numbers, attempts, size, &mut storing(store))
    }

    /// The highest number accepted so far; None if there is none.
    #[getter]
    fn highest(&self) -> Option<u64> {
        self.receiver.highest()
    }

    /// Whether the budget has no room for another attempt: change the key.
    #[getter]
    fn is_closed(&self) -> bool {
        self.receiver.is_closed()
    }

    /// How many packets had each outcome so far, as a dict: "accepted" and the reasons of Rejected.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        counted(py, &self.receiver.counts())
    }
}

/// Every MAC of links has a sender and a receiver here.
const _: () = assert!(ENDS.len() == wegman_catalogue::link::LINK_MACS.len());
