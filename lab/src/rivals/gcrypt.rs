//! AES-CMAC of libgcrypt.
#![allow(unsafe_code, reason = "a library in C")]

use super::Found;
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::{NonNull, null, null_mut};

/// `GCRY_MAC_CMAC_AES`: the key's length says which AES.
const CMAC_AES: c_int = 201;

/// `GCRYCTL_RESET`: what `gcry_mac_reset`, which is a macro, asks for.
const RESET: c_int = 4;

/// `GCRYCTL_DISABLE_SECMEM` and `GCRYCTL_INITIALIZATION_FINISHED`.
const DISABLE_SECMEM: c_int = 37;
const INITIALIZATION_FINISHED: c_int = 38;

/// `GCRYCTL_DISABLE_HWF`.
const DISABLE_FEATURE: c_int = 63;

#[link(name = "gcrypt")]
unsafe extern "C" {
    fn gcry_check_version(wanted: *const c_char) -> *const c_char;
    fn gcry_control(command: c_int, ...) -> c_uint;
    fn gcry_get_config(mode: c_int, what: *const c_char) -> *mut c_char;
    fn gcry_mac_open(
        mac: *mut *mut c_void,
        algorithm: c_int,
        flags: c_uint,
        context: *mut c_void,
    ) -> c_uint;
    fn gcry_mac_setkey(mac: *mut c_void, key: *const u8, length: usize) -> c_uint;
    fn gcry_mac_ctl(mac: *mut c_void, command: c_int, buffer: *mut c_void, length: usize)
    -> c_uint;
    fn gcry_mac_write(mac: *mut c_void, message: *const u8, length: usize) -> c_uint;
    fn gcry_mac_read(mac: *mut c_void, tag: *mut u8, length: *mut usize) -> c_uint;
}

/// AES-CMAC; `None` if the library does not run on this machine or was built without it. A class is told before
/// anything else.
pub fn all(class: Class) -> Found {
    for feature in class.hidden_from_gcrypt() {
        let feature = CString::new(*feature).expect("no zero byte in it");
        // SAFETY: it reads a name that ends in a zero byte, and a null pointer ends the arguments. Names that it does
        // not know are an error, which is as good; once the library is ready it changes nothing.
        unsafe { gcry_control(DISABLE_FEATURE, feature.as_ptr(), null::<c_void>()) };
    }
    // SAFETY: the three make the library ready, in the order its manual gives; no version is asked
    // for, and the numbers are all these two commands need. Doing it again changes nothing.
    let ready = unsafe {
        !gcry_check_version(null()).is_null()
            && gcry_control(DISABLE_SECMEM, 0 as c_int) == 0
            && gcry_control(INITIALIZATION_FINISHED, 0 as c_int) == 0
    };
    ready.then_some(())?;
    let mut mac = null_mut();
    // SAFETY: it writes the new object, which is never freed, where it is told to.
    let opened = unsafe { gcry_mac_open(&mut mac, CMAC_AES, 0, null_mut()) };
    (opened == 0).then_some(())?;
    let mac = NonNull::new(mac)?;
    // SAFETY: it reads the key, and keeps no reference to it.
    let keyed = unsafe { gcry_mac_setkey(mac.as_ptr(), KEY.as_ptr(), KEY.len()) };
    (keyed == 0).then_some(())?;
    let tag = move |_, message: &[u8]| {
        let (mac, mut tag) = (mac.as_ptr(), [0; 16]);
        let mut length = tag.len();
        // SAFETY: only this closure, which is not `Sync`, uses the object. They read the message and
        // write at most `length` bytes of tag.
        let failed = unsafe {
            gcry_mac_ctl(mac, RESET, null_mut(), 0)
                | gcry_mac_write(mac, message.as_ptr(), message.len())
                | gcry_mac_read(mac, tag.as_mut_ptr(), &mut length)
        };
        assert!(failed == 0 && length == 16, "libgcrypt failed");
        number(&tag)
    };
    let origin = concat!("libgcrypt ", env!("GCRYPT_VERSION"));
    let features = features();
    let is_held = features.as_deref().is_some_and(|features| {
        features.split(':').all(|name| !class.hidden_from_gcrypt().contains(&name))
    });
    let engine = Engine::rival(Group::NoNonce, "AES-CMAC", origin, tag)
        .defined_by("CMAC-AES128", KEY)
        .within(if is_held { class } else { Class::Avx512 });
    let report = features.filter(|_| class < Class::Avx512);
    Some((vec![engine], report.map(|features| format!("{origin}: {features}"))))
}

/// The features that the library uses: `hwflist:intel-cpu:...`.
fn features() -> Option<String> {
    // SAFETY: it reads the name, and returns null or a string that ends in a zero byte. That is never freed.
    let list = NonNull::new(unsafe { gcry_get_config(0, c"hwflist".as_ptr()) })?;
    // SAFETY: as above.
    let list = unsafe { CStr::from_ptr(list.as_ptr()) };
    Some(list.to_string_lossy().trim().trim_end_matches(':').to_owned())
}
