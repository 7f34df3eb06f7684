//! GMAC, HMAC-SHA1, AES-CMAC and Poly1305 of OpenSSL 3.
//!
//! GMAC is AES-128-GCM without a plaintext, the cheaper of OpenSSL's two ways to it; the others go
//! through `EVP_MAC`.
#![allow(unsafe_code, reason = "a library in C")]

use super::{Found, definitions, nonce};
use crate::class::Class;
use crate::engine::{Engine, Group, KEY};
use crate::timing::number::number;
use crate::timing::ours::SECRET;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{NonNull, null, null_mut};

/// `OSSL_PARAM`: a name and a value.
#[repr(C)]
struct Parameter {
    key: *const c_char,
    data_type: u32,
    data: *const c_void,
    data_size: usize,
    return_size: usize,
}

/// `OSSL_PARAM_UTF8_STRING` and `EVP_CTRL_AEAD_GET_TAG`.
const UTF8_STRING: u32 = 4;
const GET_TAG: c_int = 0x10;

/// `OPENSSL_INFO_CPU_SETTINGS`.
const CPU_SETTINGS: c_int = 1008;

#[link(name = "crypto")]
unsafe extern "C" {
    fn OPENSSL_info(what: c_int) -> *const c_char;
    fn EVP_MAC_fetch(
        library: *mut c_void,
        name: *const c_char,
        query: *const c_char,
    ) -> *mut c_void;
    fn EVP_MAC_CTX_new(mac: *mut c_void) -> *mut c_void;
    fn EVP_MAC_init(
        context: *mut c_void,
        key: *const u8,
        length: usize,
        parameters: *const Parameter,
    ) -> c_int;
    fn EVP_MAC_update(context: *mut c_void, message: *const u8, length: usize) -> c_int;
    fn EVP_MAC_final(context: *mut c_void, tag: *mut u8, length: *mut usize, room: usize) -> c_int;
    fn EVP_aes_128_gcm() -> *const c_void;
    fn EVP_CIPHER_CTX_new() -> *mut c_void;
    fn EVP_EncryptInit_ex(
        context: *mut c_void,
        cipher: *const c_void,
        engine: *mut c_void,
        key: *const u8,
        nonce: *const u8,
    ) -> c_int;
    fn EVP_EncryptUpdate(
        context: *mut c_void,
        out: *mut u8,
        written: *mut c_int,
        text: *const u8,
        length: c_int,
    ) -> c_int;
    fn EVP_EncryptFinal_ex(context: *mut c_void, out: *mut u8, written: *mut c_int) -> c_int;
    fn EVP_CIPHER_CTX_ctrl(context: *mut c_void, what: c_int, length: c_int, tag: *mut u8)
    -> c_int;
}

const ORIGIN: &str = concat!("OpenSSL ", env!("OPENSSL_VERSION"));

/// Those of its MACs that it has; `None` if it has none of them. A class is told in the variable OPENSSL_ia32cap, which
/// the library reads before `main`.
pub fn all(class: Class) -> Found {
    let settings = cpu_settings();
    // Unrestricted it may use everything.
    let is_held = settings.as_deref().is_some_and(|settings| hides(settings, class));
    let reach = if is_held { class } else { Class::Avx512 };
    let hmac = mac(Group::NoNonce, "HMAC-SHA1", c"HMAC", Some((c"digest", c"SHA1")), KEY, false)
        .map(|engine| engine.defined_by("HMAC-SHA1", KEY));
    let cipher = Some((c"cipher", c"AES-128-CBC"));
    let cmac = mac(Group::NoNonce, "AES-CMAC", c"CMAC", cipher, KEY, false)
        .map(|engine| engine.defined_by("CMAC-AES128", KEY));
    let poly1305 = mac(Group::OneMessage, "Poly1305", c"POLY1305", None, SECRET, true)
        .map(|engine| engine.checked_by(|_, message| definitions::poly1305(SECRET, message)));
    let found: Vec<Engine> = [gmac(), hmac, cmac, poly1305].into_iter().flatten().collect();
    let found: Vec<Engine> = found.into_iter().map(|engine| engine.within(reach)).collect();
    let report = settings.filter(|_| class < Class::Avx512);
    (!found.is_empty()).then(|| (found, report.map(|settings| format!("{ORIGIN}: {settings}"))))
}

/// What it takes this processor for: `OPENSSL_ia32cap=0x...:0x...`, and what the variable says.
fn cpu_settings() -> Option<String> {
    // SAFETY: it returns null or a string of the library's own that ends in a zero byte.
    let settings = unsafe { OPENSSL_info(CPU_SETTINGS) };
    let settings = NonNull::new(settings.cast_mut())?;
    // SAFETY: as above.
    Some(unsafe { CStr::from_ptr(settings.as_ptr()) }.to_string_lossy().into_owned())
}

/// Whether these settings have none of the bits that the class hides.
fn hides(settings: &str, class: Class) -> bool {
    let bits = settings.strip_prefix("OPENSSL_ia32cap=").and_then(|rest| rest.split(' ').next());
    let Some((leaf_1, leaf_7)) = bits.and_then(|bits| bits.split_once(':')) else { return false };
    let number = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok();
    // Later versions have more registers behind these.
    let leaf_7 = leaf_7.split(':').next().unwrap_or(leaf_7);
    let [hidden_1, hidden_7] = class.hidden_from_openssl();
    number(leaf_1).is_some_and(|bits| bits & hidden_1 == 0)
        && number(leaf_7).is_some_and(|bits| bits & hidden_7 == 0)
}

/// A MAC by name, keyed once, or for each message if its keys are for one.
fn mac(
    group: Group,
    name: &'static str,
    fetched: &CStr,
    made_of: Option<(&'static CStr, &'static CStr)>,
    key: &'static [u8],
    key_each: bool,
) -> Option<Engine> {
    let text = |name: &CStr, value: &CStr| Parameter {
        key: name.as_ptr(),
        data_type: UTF8_STRING,
        data: value.as_ptr().cast(),
        data_size: value.count_bytes(),
        return_size: 0,
    };
    let end = Parameter { key: null(), data_type: 0, data: null(), data_size: 0, return_size: 0 };
    let parameters: Vec<Parameter> =
        made_of.map(|(name, value)| text(name, value)).into_iter().chain([end]).collect();
    // SAFETY: the name ends in a zero byte; null stands for the default library and no query.
    let mac = NonNull::new(unsafe { EVP_MAC_fetch(null_mut(), fetched.as_ptr(), null()) })?;
    // SAFETY: the MAC was just fetched. Neither it nor its context is ever freed.
    let context = NonNull::new(unsafe { EVP_MAC_CTX_new(mac.as_ptr()) })?;
    // SAFETY: it reads the key, and the parameters up to the one without a name.
    let keyed =
        unsafe { EVP_MAC_init(context.as_ptr(), key.as_ptr(), key.len(), parameters.as_ptr()) };
    (keyed == 1).then_some(())?;
    Some(Engine::rival(group, name, ORIGIN, move |_, message| {
        let (mut tag, mut length) = ([0; 32], 0);
        let (key, key_length) = if key_each { (key.as_ptr(), key.len()) } else { (null(), 0) };
        // SAFETY: only this closure, which is not `Sync`, uses the context; no key means the one
        // it has. They read key and message, and write at most 32 bytes of tag.
        let done = unsafe {
            EVP_MAC_init(context.as_ptr(), key, key_length, null()) == 1
                && EVP_MAC_update(context.as_ptr(), message.as_ptr(), message.len()) == 1
                && EVP_MAC_final(context.as_ptr(), tag.as_mut_ptr(), &mut length, 32) == 1
        };
        assert!(done && length >= 16, "OpenSSL failed");
        number(&tag[..16])
    }))
}

/// GMAC.
fn gmac() -> Option<Engine> {
    // SAFETY: it only makes an object, which is never freed.
    let context = NonNull::new(unsafe { EVP_CIPHER_CTX_new() })?;
    // SAFETY: it reads the 16 bytes of the key.
    let keyed = unsafe {
        let (cipher, engine) = (EVP_aes_128_gcm(), null_mut());
        EVP_EncryptInit_ex(context.as_ptr(), cipher, engine, KEY.as_ptr(), null())
    };
    (keyed == 1).then_some(())?;
    let tag = move |count: u64, message: &[u8]| {
        let context = context.as_ptr();
        let (nonce, mut tag, mut written) = (nonce(count), [0; 16], 0);
        let length = c_int::try_from(message.len()).expect("no message is longer than 1 GiB");
        // SAFETY: only this closure, which is not `Sync`, uses the context. They read 12 bytes of
        // nonce and the message, which is no plaintext since there is no place to write to; nothing
        // is written at the end but the 16 bytes of tag.
        let done = unsafe {
            EVP_EncryptInit_ex(context, null(), null_mut(), null(), nonce.as_ptr()) == 1
                && EVP_EncryptUpdate(context, null_mut(), &mut written, message.as_ptr(), length)
                    == 1
                && EVP_EncryptFinal_ex(context, tag.as_mut_ptr(), &mut written) == 1
                && EVP_CIPHER_CTX_ctrl(context, GET_TAG, 16, tag.as_mut_ptr()) == 1
        };
        assert!(done, "OpenSSL failed");
        number(&tag)
    };
    Some(
        Engine::rival(Group::LongNonce, "GMAC", ORIGIN, tag)
            .checked_by(|count, message| definitions::aes_gmac(KEY, &nonce(count), message)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read() {
        let avx2 = "OPENSSL_ia32cap=0x7ffaf3ffffebffff:0x27ab env:~0x0:~0x0";
        assert!(
            hides(avx2, Class::Avx2) && hides(avx2, Class::Vaes256) && !hides(avx2, Class::Sse)
        );
        let avx512 = "OPENSSL_ia32cap=0x7ffaf3ffffebffff:0x405f46f1bf27ab:0x1";
        assert!(!hides(avx512, Class::Vaes256) && hides(avx512, Class::Avx512));
        for text in ["", "OPENSSL_ia32cap=", "OPENSSL_ia32cap=0x1", "OPENSSL_ia32cap=0x1:x"] {
            assert!(!hides(text, Class::Avx512), "{text:?}");
        }
    }
}
