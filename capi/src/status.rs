//! [`Status`]: what every function returns, and the guard around every body.

use core::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use wegman::pmac::hazmat::{EditError, SegmentError};
use wegman::session::{InvalidSaved, Rejected, ReserveError, SealError, WrongKey};
use wegman::{InvalidLength, NoncesExhausted, TagMismatch};
use wegman_catalogue::link::NotStored;
use wegman_catalogue::{NonceError, VerifyError};

/// What a function returns: WEGMAN_OK, which is 0, or a negative code. wegman_strerror explains each in a sentence.
/// Later versions may add codes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success. After a function that verifies: the message is authentic.
    Ok = 0,
    /// The message is not authentic: wrong key, nonce, message or tag.
    Mismatch = -1,
    /// A pointer is NULL where something is required.
    Null = -2,
    /// A key, nonce, tag, message or buffer has a length that the function does not take.
    Length = -3,
    /// No algorithm, kernel of this machine or MAC of a link has that name.
    Name = -4,
    /// The algorithm needs a nonce and got none, or takes none and got one.
    Nonce = -5,
    /// Fewer nonces follow the first than there are messages.
    NoncesExhausted = -6,
    /// The stream was not started, has ended, or was moved in memory.
    Stream = -7,
    /// Segments or sums belong to different keys, leave a gap, or overlap.
    Segment = -8,
    /// The edit lies outside the message, or does not have exactly the old bytes that it needs.
    Edit = -9,
    /// The bytes are not what this library stored, or belong to another version or MAC.
    Saved = -10,
    /// A packet of this number was accepted before.
    Replayed = -11,
    /// The packet's number is behind the window, or its epoch is over.
    TooOld = -12,
    /// The packet's number or epoch is too far ahead.
    Outside = -13,
    /// The budget for forgery attempts has no room for another attempt.
    Closed = -14,
    /// The call needs more than is reserved: reserve first.
    NotReserved = -15,
    /// The message is longer than both ends have agreed.
    TooLong = -16,
    /// No epoch is left: make a link from a new secret.
    Exhausted = -17,
    /// The function that stores reported a failure.
    Store = -18,
    /// The system has no random bytes.
    Random = -19,
    /// A batch would write over what it reads.
    Overlap = -20,
    /// There is not enough memory.
    Memory = -21,
    /// This process was forked, and its parent still uses these numbers: make a new link in each process.
    OtherProcess = -22,
    /// The library has a bug. Nothing was done.
    Internal = -127,
}

impl Status {
    const ALL: [(Status, &CStr); 24] = [
        (Status::Ok, c"done"),
        (Status::Mismatch, c"the tag does not match the message"),
        (Status::Null, c"a pointer is NULL where something is required"),
        (Status::Length, c"a key, nonce, tag, message or buffer has a length that is not accepted"),
        (Status::Name, c"no algorithm, kernel or MAC of a link has that name"),
        (Status::Nonce, c"the algorithm needs a nonce and got none, or takes none and got one"),
        (Status::NoncesExhausted, c"there are fewer nonces than messages"),
        (Status::Stream, c"the stream was not started, has ended, or was moved in memory"),
        (Status::Segment, c"segments or sums do not fit the key or each other"),
        (Status::Edit, c"the edit lies outside the message, or lacks the old bytes that it needs"),
        (Status::Saved, c"not what was stored, or from another version or MAC"),
        (Status::Replayed, c"a packet of this number was accepted before"),
        (Status::TooOld, c"the packet's number is behind the window, or its epoch is over"),
        (Status::Outside, c"the packet's number or epoch is too far ahead"),
        (
            Status::Closed,
            c"the budget for forgery attempts is spent: make a link from a new secret",
        ),
        (Status::NotReserved, c"more is needed than is reserved: reserve first"),
        (Status::TooLong, c"the message is longer than both ends have agreed"),
        (Status::Exhausted, c"no epoch is left: make a link from a new secret"),
        (Status::Store, c"the function that stores failed"),
        (Status::Random, c"the system has no random bytes"),
        (Status::Overlap, c"what is written overlaps what is read"),
        (Status::Memory, c"there is not enough memory"),
        (
            Status::OtherProcess,
            c"this process was forked, and its parent still uses these numbers: make a new link",
        ),
        (Status::Internal, c"a bug in the library; nothing was done"),
    ];
}

/// An English sentence for a status, without a full stop; for other numbers, that they are none. It stays in memory:
/// do not free it.
///
/// Thread safety: any thread at any time.
#[unsafe(no_mangle)]
pub extern "C" fn wegman_strerror(status: c_int) -> *const c_char {
    let text = Status::ALL.iter().find(|(known, _)| *known as c_int == status);
    text.map_or(c"not a status of this library", |(_, text)| text).as_ptr()
}

impl From<TagMismatch> for Status {
    fn from(_: TagMismatch) -> Status {
        Status::Mismatch
    }
}

impl From<InvalidLength> for Status {
    fn from(_: InvalidLength) -> Status {
        Status::Length
    }
}

impl From<NoncesExhausted> for Status {
    fn from(_: NoncesExhausted) -> Status {
        Status::NoncesExhausted
    }
}

impl From<NonceError> for Status {
    fn from(error: NonceError) -> Status {
        match error {
            NonceError::Missing | NonceError::NotTaken => Status::Nonce,
            NonceError::Exhausted => Status::NoncesExhausted,
            _ => Status::Length,
        }
    }
}

impl From<VerifyError> for Status {
    fn from(error: VerifyError) -> Status {
        match error {
            VerifyError::Nonce(error) => error.into(),
            _ => Status::Mismatch,
        }
    }
}

impl From<SegmentError> for Status {
    fn from(error: SegmentError) -> Status {
        match error {
            SegmentError::TooLong => Status::Length,
            SegmentError::Encoding => Status::Saved,
            _ => Status::Segment,
        }
    }
}

impl From<EditError> for Status {
    fn from(error: EditError) -> Status {
        match error {
            EditError::Key => Status::Segment,
            _ => Status::Edit,
        }
    }
}

impl From<SealError> for Status {
    fn from(error: SealError) -> Status {
        match error {
            SealError::NotReserved => Status::NotReserved,
            // A link that reaches its limit changes the key: only what no key takes is above it.
            SealError::TooLong | SealError::Limit => Status::TooLong,
            SealError::OtherProcess => Status::OtherProcess,
            _ => Status::Exhausted,
        }
    }
}

impl From<Rejected> for Status {
    fn from(rejected: Rejected) -> Status {
        match rejected {
            Rejected::Replayed => Status::Replayed,
            Rejected::TooOld => Status::TooOld,
            Rejected::Forged => Status::Mismatch,
            Rejected::Closed => Status::Closed,
            Rejected::NotReserved => Status::NotReserved,
            Rejected::TooLong => Status::TooLong,
            Rejected::TooShort => Status::Length,
            Rejected::OtherProcess => Status::OtherProcess,
            _ => Status::Outside,
        }
    }
}

impl From<ReserveError<NotStored>> for Status {
    fn from(error: ReserveError<NotStored>) -> Status {
        match error {
            ReserveError::Store(NotStored) => Status::Store,
            ReserveError::OtherProcess => Status::OtherProcess,
        }
    }
}

impl From<InvalidSaved> for Status {
    fn from(_: InvalidSaved) -> Status {
        Status::Saved
    }
}

impl From<WrongKey> for Status {
    fn from(_: WrongKey) -> Status {
        Status::Saved
    }
}

/// Runs the body of an exported function. A panic ends here: it must not reach C.
#[inline(always)]
pub(crate) fn guard(body: impl FnOnce() -> Result<(), Status>) -> Status {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => Status::Ok,
        Ok(Err(status)) => status,
        Err(_) => Status::Internal,
    }
}
