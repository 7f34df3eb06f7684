//! [`Status`]: what every function returns, and the guard around every body.

use core::ffi::{CStr, c_char, c_int};
use core::panic::PanicInfo;
use std::io::{Write, stderr};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use wegman::pmac::hazmat::{EditError, SegmentError};
use wegman::session::{InvalidSaved, Rejected, ReserveError, SealError, WrongKey};
use wegman::{InvalidLength, NoncesExhausted, TagMismatch};
use wegman_catalogue::link::NotStored;
use wegman_catalogue::{NonceError, VerifyError};

/// Each status: its meaning, its number, and what `wegman_strerror` says.
macro_rules! statuses {
    ($(#[$doc:meta])* enum $($(#[$of:meta])* $name:ident = $code:literal: $text:literal,)*) => {
        $(#[$doc])*
        pub enum Status {
            $($(#[$of])* $name = $code,)*
        }

        impl Status {
            const ALL: &[(Status, &CStr)] = &[$((Status::$name, $text)),*];
        }
    };
}

statuses! {
    /// What a function returns: `WEGMAN_OK`, which is 0, or a negative code. `wegman_strerror` has a sentence for each.
    /// Later versions may add codes.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum

    /// Success. After a function that verifies: the message is authentic.
    Ok = 0: c"done",
    /// The message is not authentic: wrong key, nonce, message or tag.
    Mismatch = -1: c"the tag does not match the message",
    /// A pointer is NULL where something is required.
    Null = -2: c"a pointer is NULL where something is required",
    /// A key, nonce, tag, message or buffer has a length that the function does not take.
    Length = -3: c"a key, nonce, tag, message or buffer has a length that is not accepted",
    /// No algorithm, kernel of this machine or MAC of a link has that name.
    Name = -4: c"no algorithm, kernel or MAC of a link has that name",
    /// The algorithm needs a nonce and got none, or takes none and got one.
    Nonce = -5: c"the algorithm needs a nonce and got none, or takes none and got one",
    /// Too few nonces are left for the messages.
    NoncesExhausted = -6: c"there are fewer nonces than messages",
    /// The stream was not started, has ended, or was moved in memory.
    Stream = -7: c"the stream was not started, has ended, or was moved in memory",
    /// Segments or sums belong to different keys, leave a gap, or overlap.
    Segment = -8: c"segments or sums do not fit the key or each other",
    /// The edit lies outside the message, or does not have exactly the old bytes that it needs.
    Edit = -9: c"the edit lies outside the message, or lacks the old bytes that it needs",
    /// The bytes are not what this library stored, or belong to another version or MAC.
    Saved = -10: c"not what was stored, or from another version or MAC",
    /// A packet of this number was accepted before.
    Replayed = -11: c"a packet of this number was accepted before",
    /// The packet's number is behind the window, or its epoch is over.
    TooOld = -12: c"the packet's number is behind the window, or its epoch is over",
    /// The packet's number or epoch is too far ahead.
    Outside = -13: c"the packet's number or epoch is too far ahead",
    /// The budget for forgery attempts has no room for another attempt.
    Closed = -14: c"the budget for forgery attempts is spent: make a link from a new secret",
    /// The call needs more than is reserved: reserve first.
    NotReserved = -15: c"more is needed than is reserved: reserve first",
    /// The message is longer than both ends have agreed.
    TooLong = -16: c"the message is longer than both ends have agreed",
    /// No epoch is left: make a link from a new secret.
    Exhausted = -17: c"no epoch is left: make a link from a new secret",
    /// Your function of type wegman_store reported a failure.
    Store = -18: c"the function that stores failed",
    /// The system has no random bytes.
    Random = -19: c"the system has no random bytes",
    /// A batch would write over what it reads.
    Overlap = -20: c"what is written overlaps what is read",
    /// There is not enough memory.
    Memory = -21: c"there is not enough memory",
    /// This process was forked, and its parent still uses these numbers: make a new link in each process.
    OtherProcess = -22: c"this process was forked, and its parent still uses these numbers: make a new link",
    /// The library has a bug. Nothing was done.
    Internal = -127: c"a bug in the library; nothing was done",
}

/// Returns an English sentence for a status, without a full stop. For any other number, the sentence says that it is
/// no status. It stays in memory: do not free it.
///
/// Thread safety: any thread at any time.
#[unsafe(no_mangle)]
pub extern "C" fn wegman_strerror(status: c_int) -> *const c_char {
    let text = Status::ALL.iter().find(|(known, _)| *known as c_int == status);
    text.map_or(c"not a status of this library", |(_, text)| text).as_ptr()
}

/// The status of each error.
macro_rules! from {
    ($($Error:ty: $($pattern:pat => $status:ident),+;)*) => {$(
        impl From<$Error> for Status {
            fn from(error: $Error) -> Status {
                match error {
                    $($pattern => Status::$status),+
                }
            }
        }
    )*};
}

from! {
    TagMismatch: _ => Mismatch;
    InvalidLength: _ => Length;
    NoncesExhausted: _ => NoncesExhausted;
    NonceError: NonceError::Missing | NonceError::NotTaken => Nonce, NonceError::Exhausted => NoncesExhausted, _ => Length;
    SegmentError: SegmentError::TooLong => Length, SegmentError::Encoding => Saved, _ => Segment;
    EditError: EditError::Key => Segment, _ => Edit;
    // A link that reaches its limit changes the key: only what no key takes is above it.
    SealError: SealError::NotReserved => NotReserved, SealError::TooLong | SealError::Limit => TooLong,
        SealError::OtherProcess => OtherProcess, _ => Exhausted;
    Rejected: Rejected::Replayed => Replayed, Rejected::TooOld => TooOld, Rejected::Forged => Mismatch,
        Rejected::Closed => Closed, Rejected::NotReserved => NotReserved, Rejected::TooLong => TooLong,
        Rejected::TooShort => Length, Rejected::OtherProcess => OtherProcess, _ => Outside;
    ReserveError<NotStored>: ReserveError::Store(NotStored) => Store, ReserveError::OtherProcess => OtherProcess;
    InvalidSaved: _ => Saved;
    WrongKey: _ => Saved;
}

impl From<VerifyError> for Status {
    fn from(error: VerifyError) -> Status {
        match error {
            VerifyError::Nonce(error) => error.into(),
            _ => Status::Mismatch,
        }
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

/// What core calls for a panic in what scripts/capi ships, in place of std's handler, whose backtraces would be a fifth of
/// libwegman.
#[unsafe(no_mangle)]
fn panicked(info: &PanicInfo) -> ! {
    // Not eprintln, which panics if it fails.
    let _ = writeln!(stderr(), "libwegman: {info}");
    if std::thread::panicking() {
        std::process::abort();
    }
    resume_unwind(Box::new(()))
}

/// What alloc calls where running out of memory is no error, in place of std's handler, likewise.
#[unsafe(no_mangle)]
fn out_of_memory() -> ! {
    let _ = writeln!(stderr(), "libwegman: out of memory");
    std::process::abort();
}
