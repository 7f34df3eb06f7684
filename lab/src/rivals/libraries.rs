//! Libraries in C and C++, each reached through a file beside this one, with the interface of `rival.h`.
#![allow(unsafe_code, reason = "libraries in C")]

use super::{Rivals, definitions};
use crate::class::Class;
use crate::engine::{Engine, Group, secret};
use crate::timing::rounds::number;
use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr::NonNull;

/// `struct rival`.
#[repr(C)]
struct Rival {
    version: unsafe extern "C" fn() -> *const c_char,
    uses: unsafe extern "C" fn(c_uint) -> *const c_char,
    key: unsafe extern "C" fn(c_uint, c_uint, *const u8) -> *mut c_void,
    tag: unsafe extern "C" fn(*mut c_void, u64, *const u8, usize, *mut u8) -> bool,
}

/// An algorithm, and the bytes of its tags.
type Algorithm = (Group, &'static str, usize);

struct Library {
    /// The package that brings it; its first word names the library.
    package: &'static str,
    /// If the build found it.
    rival: Option<&'static Rival>,
    /// The class of its code, if it is the same in all; otherwise whether what it says it uses is in a class.
    is_in: Result<Class, fn(&str, Class) -> bool>,
    algorithms: &'static [Algorithm],
}

/// A library: the mark of the build that found it, the table of its file, its package, its class, and for each
/// algorithm group, name and bytes of a tag.
macro_rules! library {
    (
        $has:ident $table:ident $package:literal $is_in:expr,
        $($group:ident $algorithm:literal $bytes:literal)*
    ) => {{
        #[cfg($has)]
        unsafe extern "C" {
            static $table: Rival;
        }
        #[cfg($has)]
        // SAFETY: a constant of this type.
        let rival = Some(unsafe { &$table });
        #[cfg(not($has))]
        let rival = None;
        let algorithms = &[$((Group::$group, $algorithm, $bytes)),*];
        Library { package: $package, rival, is_in: $is_in, algorithms }
    }};
}

fn libraries() -> [Library; 5] {
    [
        // Code for 128-bit vectors, and AES instructions.
        library! {
            has_nettle wegman_bench_nettle "Nettle 3 (package nettle-dev): UMAC" Ok(Class::Sse),
            ShortNonce "UMAC-32" 4 ShortNonce "UMAC-64" 8 LongNonce "UMAC-96" 12 LongNonce "UMAC-128" 16
        },
        library! {
            has_openssl wegman_bench_openssl
            "OpenSSL 3 (package libssl-dev): GMAC, HMAC-SHA1, AES-CMAC, Poly1305" Err(hides),
            LongNonce "GMAC" 16 NoNonce "HMAC-SHA1" 16 NoNonce "AES-CMAC" 16 OneMessage "Poly1305" 16
        },
        library! {
            has_gcrypt wegman_bench_gcrypt "libgcrypt 1 (package libgcrypt20-dev): AES-CMAC" Err(|_, _| true),
            NoNonce "AES-CMAC" 16
        },
        library! {
            has_ipsec_mb wegman_bench_ipsec_mb "ipsec-mb 1 (package libipsec-mb-dev): GMAC" Err(|_, _| true),
            LongNonce "GMAC" 16
        },
        // Products of 64-bit numbers, and AES instructions.
        library! {
            has_cryptopp wegman_bench_cryptopp "Crypto++ 8 (package libcrypto++-dev): VMAC" Ok(Class::Sse),
            LongNonce "VMAC-128" 16
        },
    ]
}

/// Adds every library, told to use no more than a class.
pub fn add(class: Class, rivals: &mut Rivals, mut add: impl FnMut(&mut Rivals, Engine)) {
    for Library { package, rival, is_in, algorithms } in libraries() {
        let Some(rival) = rival else {
            rivals.absent.push(package.to_owned());
            continue;
        };
        // SAFETY: both return null or a string of the library's own that ends in a zero byte.
        let [version, uses] =
            unsafe { [text((rival.version)()), text((rival.uses)(class as c_uint))] };
        let (name, _) = package.split_once(' ').expect("a name and more");
        let origin = format!("{name} {}", version.unwrap_or_default());
        let reach = is_in.unwrap_or_else(|is_in| {
            let is_held = uses.as_deref().is_some_and(|uses| is_in(uses, class));
            if is_held { class } else { Class::Avx512 }
        });
        let uses = uses.filter(|_| class < Class::Avx512);
        rivals.reports.extend(uses.map(|uses| format!("{origin}: {uses}")));
        for (of, &(group, name, bytes)) in (0..).zip(algorithms) {
            // SAFETY: it reads the 32 bytes of the secret, which stay; the key that it makes is never freed.
            let key = unsafe { (rival.key)(of, class as c_uint, secret::<32>().as_ptr()) };
            let Some(key) = NonNull::new(key) else {
                rivals.absent.push(format!("{package}, without {name}"));
                continue;
            };
            let engine = Engine::new(group, [name, "auto", &origin], move |count, message| {
                let mut tag = [0; 32];
                let (start, length, out) = (message.as_ptr(), message.len(), tag.as_mut_ptr());
                // SAFETY: only this closure, which is not `Sync`, uses the key; it reads the message, and writes at most
                // 32 bytes of tag.
                let done = unsafe { (rival.tag)(key.as_ptr(), count, start, length, out) };
                assert!(done, "a library failed");
                number(&tag[..bytes])
            });
            add(rivals, defined(name, engine).within(reach));
        }
    }
}

/// Adds the definition, if there is one.
fn defined(name: &str, engine: Engine) -> Engine {
    match name {
        "GMAC" => engine
            .checked_by(|count, message| definitions::aes_gmac(secret(), count.into(), message)),
        "Poly1305" => engine.checked_by(|_, message| definitions::poly1305(secret(), message)),
        "AES-CMAC" => engine.defined_by("CMAC-AES128", secret::<16>()),
        "VMAC-128" => engine,
        name => engine.defined_by(name, secret::<16>()),
    }
}

/// # Safety
/// It must be null, or end in a zero byte.
unsafe fn text(text: *const c_char) -> Option<String> {
    // SAFETY: the caller's.
    let text = NonNull::new(text.cast_mut()).map(|text| unsafe { CStr::from_ptr(text.as_ptr()) });
    text.map(|text| text.to_string_lossy().trim().trim_end_matches(':').to_owned())
}

/// Whether OpenSSL's settings have none of the bits that the class hides.
fn hides(settings: &str, class: Class) -> bool {
    let registers = settings.strip_prefix("OPENSSL_ia32cap=").unwrap_or_default();
    // Later versions have more registers behind these two.
    let mut bits = registers.split([':', ' ']).map(|text| text.trim_start_matches("0x"));
    class.hidden_from_openssl().into_iter().all(|hidden| {
        let bits = bits.next().and_then(|bits| u64::from_str_radix(bits, 16).ok());
        bits.is_some_and(|bits| bits & hidden == 0)
    })
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
