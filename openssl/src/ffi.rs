//! OpenSSL's side: its structures and numbers, from provider(7), provider-base(7), provider-mac(7), OSSL_PARAM(3) and
//! OSSL_ALGORITHM(3). All reading and writing through its pointers is here.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::mem::transmute;
use core::panic::Location;
use core::ptr::{null, null_mut};
use core::slice;
use std::ffi::CString;

/// A function and its number in a table; the last entry of a table is [`END`].
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Dispatch {
    id: c_int,
    function: *const c_void,
}

impl Dispatch {
    pub(crate) const fn new(id: c_int, function: *const c_void) -> Dispatch {
        Dispatch { id, function }
    }
}

// SAFETY: tables are constants, and functions can be called from any thread.
unsafe impl Sync for Dispatch {}

/// The end of a table.
pub(crate) const END: Dispatch = Dispatch { id: 0, function: null() };

// Numbers of the core's functions.
const NEW_ERROR: c_int = 5;
const SET_ERROR_DEBUG: c_int = 6;
const VSET_ERROR: c_int = 7;

/// The operation of MACs.
pub(crate) const OPERATION_MAC: c_int = 3;

/// An algorithm of a provider.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Algorithm {
    pub(crate) names: *const c_char,
    pub(crate) properties: *const c_char,
    pub(crate) functions: *const Dispatch,
    pub(crate) description: *const c_char,
}

// SAFETY: it points to constants.
unsafe impl Sync for Algorithm {}

/// The end of a list of algorithms.
pub(crate) const NO_ALGORITHM: Algorithm =
    Algorithm { names: null(), properties: null(), functions: null(), description: null() };

/// A number and what it stands for.
#[repr(C)]
pub(crate) struct Item {
    pub(crate) id: c_uint,
    pub(crate) text: *const c_char,
}

// SAFETY: it points to constants.
unsafe impl Sync for Item {}

/// A parameter that goes in or comes out.
#[repr(C)]
pub struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *mut c_void,
    data_size: usize,
    return_size: usize,
}

// SAFETY: as constants, parameters describe types and point to names.
unsafe impl Sync for Param {}

const SIGNED: c_uint = 1;
const UNSIGNED: c_uint = 2;
const OCTETS: c_uint = 5;
const TEXT_POINTER: c_uint = 6;
const UNMODIFIED: usize = usize::MAX;

impl Param {
    const fn described(key: &'static CStr, data_type: c_uint, data_size: usize) -> Param {
        let data = null_mut();
        Param { key: key.as_ptr(), data_type, data, data_size, return_size: UNMODIFIED }
    }

    /// A number as wide as `size_t`. With width 0, `openssl mac` would make it one byte wide.
    pub(crate) const fn number(key: &'static CStr) -> Param {
        Param::described(key, UNSIGNED, size_of::<usize>())
    }

    /// Bytes.
    pub(crate) const fn octets(key: &'static CStr) -> Param {
        Param::described(key, OCTETS, 0)
    }

    /// A pointer to text.
    pub(crate) const fn text(key: &'static CStr) -> Param {
        Param::described(key, TEXT_POINTER, 0)
    }

    /// The end of a list.
    pub(crate) const END: Param =
        Param { key: null(), data_type: 0, data: null_mut(), data_size: 0, return_size: 0 };

    /// Whether it has this name. Most differ in the first byte, so no string is measured before.
    pub(crate) fn is(&self, name: &CStr) -> bool {
        let bytes = name.to_bytes_with_nul();
        // SAFETY: names end with a zero byte, and reading stops at the first byte that differs.
        (0..bytes.len()).all(|i| unsafe { self.key.cast::<u8>().add(i).read() } == bytes[i])
    }

    /// The bytes that came in; `None` if it has others.
    pub(crate) fn as_octets(&self) -> Option<&[u8]> {
        match self.data_type {
            OCTETS if self.data_size == 0 => Some(&[]),
            // SAFETY: the data of such a parameter are that many bytes.
            OCTETS => unsafe { bytes(self.data.cast(), self.data_size) },
            _ => None,
        }
    }

    /// The number that came in, whatever its width; `None` if there is none, a negative one, or one too great.
    pub(crate) fn as_number(&self) -> Option<usize> {
        if !matches!(self.data_type, SIGNED | UNSIGNED) || self.data.is_null() {
            return None;
        }
        // SAFETY: the data of a number are its bytes, in the machine's order.
        let bytes = unsafe { bytes(self.data.cast(), self.data_size) }?;
        let mut highest_first = (0..bytes.len()).rev().map(|i| bytes[place(i, bytes.len())]);
        if self.data_type == SIGNED && highest_first.clone().next().is_some_and(|byte| byte >= 0x80)
        {
            return None;
        }
        highest_first.try_fold(0_usize, |all, byte| Some(all.checked_mul(256)? + usize::from(byte)))
    }

    /// Answers with a number; false if there is no place for it. Without a place at all, the answer is its width.
    pub(crate) fn answer_number(&mut self, number: usize) -> bool {
        self.return_size = size_of::<usize>();
        if self.data.is_null() {
            return true;
        }
        let width = self.data_size;
        let bits = match self.data_type {
            UNSIGNED => width.saturating_mul(8),
            SIGNED => width.saturating_mul(8).saturating_sub(1),
            _ => 0,
        };
        let fits = bits >= usize::BITS as usize || bits > 0 && number >> bits == 0;
        if !fits {
            return false;
        }
        self.return_size = width;
        if width == size_of::<usize>() {
            // OpenSSL's own width, for each tag.
            // SAFETY: the data have `width` bytes.
            unsafe { self.data.cast::<usize>().write_unaligned(number) };
            return true;
        }
        for i in 0..width {
            // Byte i of the number, the lowest first.
            let byte = number.checked_shr(8 * i as u32).unwrap_or(0) as u8;
            // SAFETY: the data have `width` bytes.
            unsafe { self.data.cast::<u8>().add(place(i, width)).write(byte) };
        }
        true
    }

    /// Answers with a text that stays.
    pub(crate) fn answer_text(&mut self, text: &'static CStr) -> bool {
        self.return_size = text.to_bytes().len();
        if self.data_type != TEXT_POINTER {
            return false;
        }
        if !self.data.is_null() {
            // SAFETY: the data of such a parameter are a pointer.
            unsafe { self.data.cast::<*const c_char>().write(text.as_ptr()) };
        }
        true
    }
}

/// Where byte `i` of a number is, the lowest being byte 0.
fn place(i: usize, width: usize) -> usize {
    if cfg!(target_endian = "big") { width - 1 - i } else { i }
}

/// The elements of a list up to one that ends it; none for NULL.
///
/// # Safety
/// `first` is NULL or begins such a list.
unsafe fn list<T>(first: *mut T, is_end: fn(&T) -> bool) -> impl Iterator<Item = *mut T> {
    core::iter::successors(Some(first), |next| Some(next.wrapping_add(1)))
        // SAFETY: the caller's promise; the end was not reached yet.
        .take_while(move |next| !next.is_null() && !is_end(unsafe { &**next }))
}

/// The parameters of a list that ends with one without a name; none for NULL.
///
/// # Safety
/// `first` is NULL or begins such a list, which stays and does not change.
pub(crate) unsafe fn params<'a>(first: *const Param) -> impl Iterator<Item = &'a Param> {
    // SAFETY: the caller's promise.
    unsafe { list(first.cast_mut(), |param| param.key.is_null()).map(|param| &*param) }
}

/// Calls `answer` with each parameter of a list, until it returns false.
///
/// # Safety
/// As for [`params`], and the list is used by nobody else.
pub(crate) unsafe fn answer_params(
    first: *mut Param,
    mut answer: impl FnMut(&mut Param) -> bool,
) -> bool {
    // SAFETY: the caller's promise.
    unsafe { list(first, |param| param.key.is_null()).all(|param| answer(&mut *param)) }
}

/// The bytes at `data`; `None` for NULL.
///
/// # Safety
/// Unless it is NULL, `data` points to `length` bytes that stay and do not change.
pub(crate) unsafe fn bytes<'a>(data: *const u8, length: usize) -> Option<&'a [u8]> {
    if length == 0 {
        return Some(&[]);
    }
    if data.is_null() || length > isize::MAX as usize {
        return None;
    }
    // SAFETY: not NULL, and the caller's promise.
    Some(unsafe { slice::from_raw_parts(data, length) })
}

type NewError = unsafe extern "C" fn(*const c_void);
type SetDebug = unsafe extern "C" fn(*const c_void, *const c_char, c_int, *const c_char);
/// The last argument is a `va_list`. With no format nobody reads an argument from it, but where it is a structure that is
/// passed by its address (ARM64), the core copies it: so it is never NULL.
type SetError = unsafe extern "C" fn(*const c_void, u32, *const c_char, *mut c_void);

/// How the core is told of errors.
#[derive(Clone, Copy)]
pub(crate) struct Core {
    handle: *const c_void,
    new_error: Option<NewError>,
    set_debug: Option<SetDebug>,
    set_error: Option<SetError>,
}

impl Core {
    /// # Safety
    /// `functions` is the table that the core passes with `handle`.
    pub(crate) unsafe fn new(handle: *const c_void, functions: *const Dispatch) -> Core {
        // SAFETY: the table ends with 0; a number says which type its function has, and NULL is none.
        unsafe {
            let find = |id| {
                let mut entries = list(functions.cast_mut(), |entry| entry.id == 0);
                entries.find(|entry| (**entry).id == id).map_or(null(), |entry| (*entry).function)
            };
            let [new_error, set_debug, set_error] =
                [NEW_ERROR, SET_ERROR_DEBUG, VSET_ERROR].map(find);
            Core {
                handle,
                new_error: transmute::<*const c_void, Option<NewError>>(new_error),
                set_debug: transmute::<*const c_void, Option<SetDebug>>(set_debug),
                set_error: transmute::<*const c_void, Option<SetError>>(set_error),
            }
        }
    }

    /// Puts an error on the thread's queue, with the line that found it.
    pub(crate) fn raise(&self, reason: u32, place: &Location<'_>) {
        let Core { handle, new_error: Some(new_error), set_debug, set_error: Some(set_error) } =
            *self
        else {
            return;
        };
        // The core copies it.
        let file = CString::new(place.file()).unwrap_or_default();
        // As large as any machine's `va_list`.
        let mut none = [0_u64; 8];
        // SAFETY: the core's functions with the core's handle, and room where the core expects a `va_list`.
        unsafe {
            new_error(handle);
            if let Some(set_debug) = set_debug {
                set_debug(handle, file.as_ptr(), place.line() as c_int, null());
            }
            set_error(handle, reason, null(), none.as_mut_ptr().cast());
        }
    }
}
