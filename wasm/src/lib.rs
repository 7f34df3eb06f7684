//! The WebAssembly module of the npm package `wegman`: plain functions over one buffer, called by `npm/index.js`.
//!
//! Everything goes through one buffer of [`BUFFER`] bytes, whose place `buffer` gives: the caller writes the input there
//! and reads the output there. So no function takes an address, and there is no `unsafe` block here. Objects are
//! numbers from 1 on; 0 says that an argument is not accepted. Results of `verify` are 1 for authentic and 0 for not.
#![deny(unsafe_code)]
#![allow(
    missing_docs,
    reason = "what the functions do is documented for JavaScript, in npm/index.d.ts"
)]

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::cell::RefCell;
use std::rc::Rc;
use wegman::hazmat::wiped::Wiped;
use wegman::pmac::hazmat::Sum;
use wegman::{Aes128, Bits, NonceOf, Tag, nonce_mac, pmac, umac};
use zeroize::{Zeroize, Zeroizing};

/// How many bytes go in at once: few enough to stay in a processor's second cache.
const BUFFER: usize = 256 << 10;
/// The longest message that goes in as a whole, with a tag and a nonce before it.
const MESSAGE: usize = BUFFER - 16;
/// More than any of these functions needs of the stack.
const STACK: usize = 16 << 10;
const SECRET: usize = 32;

type PmacKey = pmac::Key<Aes128, 16>;
type UmacKey = umac::Key<8>;

enum Object {
    Pmac(Rc<PmacKey>),
    PmacStream(Box<Wiped<pmac::Stream<Rc<PmacKey>, Aes128, 16>>>),
    Umac(Rc<UmacKey>),
    UmacStream(Box<Wiped<nonce_mac::Stream<Rc<UmacKey>, umac::Umac<8>, 8, 8>>>),
}

struct State {
    buffer: Box<[u8; BUFFER]>,
    objects: Vec<Option<Object>>,
    /// The places without an object.
    free: Vec<usize>,
}

impl State {
    fn add(&mut self, object: Object) -> usize {
        let at = self.free.pop().unwrap_or_else(|| {
            self.objects.push(None);
            self.objects.len() - 1
        });
        self.objects[at] = Some(object);
        at + 1
    }

    /// The buffer, and the object with this number.
    fn find(&mut self, number: usize) -> Option<(&mut [u8; BUFFER], &mut Object)> {
        let object = self.objects.get_mut(number.checked_sub(1)?)?.as_mut()?;
        Some((&mut self.buffer, object))
    }
}

thread_local! {
    /// A module instance has one thread.
    static STATE: RefCell<State> =
        RefCell::new(State { buffer: Box::new([0; BUFFER]), objects: Vec::new(), free: Vec::new() });
}

fn with<T>(work: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(work)
}

/// Moved values leave copies on the stack. Whoever makes a key or frees it leaves none.
fn with_clean_stack<T>(work: impl FnOnce(&mut State) -> T) -> T {
    wipe_stack();
    let result = below(work);
    wipe_stack();
    result
}

/// In a frame of its own, in the part of the stack that is wiped.
#[inline(never)]
fn below<T>(work: impl FnOnce(&mut State) -> T) -> T {
    with(work)
}

#[inline(never)]
fn wipe_stack() {
    std::hint::black_box(&mut [0_u8; STACK]);
}

/// The first so many bytes as an array: a nonce, a tag.
fn first<const N: usize>(buffer: &[u8], from: usize) -> [u8; N] {
    buffer[from..from + N].try_into().expect("a range of N bytes")
}

#[allow(unsafe_code, reason = "names that JavaScript calls; no body has unsafe code")]
mod exported {
    use super::*;

    #[unsafe(no_mangle)]
    pub extern "C" fn buffer() -> *mut u8 {
        with(|state| state.buffer.as_mut_ptr())
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn buffer_bytes() -> usize {
        BUFFER
    }

    /// A key from the buffer's first 16 bytes, which are wiped: 1 for PMAC-AES128, 2 for UMAC-64.
    #[unsafe(no_mangle)]
    pub extern "C" fn key(algorithm: u32) -> usize {
        with_clean_stack(|state| {
            let secret = Zeroizing::new(first::<16>(&state.buffer[..], 0));
            state.buffer[..16].zeroize();
            match algorithm {
                1 => state.add(Object::Pmac(Rc::new(PmacKey::new(&secret)))),
                2 => state.add(Object::Umac(Rc::new(UmacKey::new(&secret)))),
                _ => 0,
            }
        })
    }

    /// The tag of a message that fits in the buffer, as `finish` gives it. For UMAC its nonce comes before it.
    #[unsafe(no_mangle)]
    pub extern "C" fn tag(key: usize, bytes: usize) -> usize {
        with(|state| match state.find(key) {
            _ if bytes > MESSAGE => 0,
            Some((buffer, Object::Pmac(key))) => {
                let tag = key.tag(&buffer[..bytes]);
                buffer[..16].copy_from_slice(&tag.to_bytes());
                16
            }
            Some((buffer, Object::Umac(key))) => {
                let nonce = NonceOf::from(first::<8>(&buffer[..], 0));
                let tag = key.tag(nonce, &buffer[8..8 + bytes]);
                buffer[..8].copy_from_slice(&tag.to_bytes());
                8
            }
            _ => 0,
        })
    }

    /// Whether a message that fits in the buffer is authentic, in constant time. Before it are 16 bytes: PMAC's tag; UMAC's
    /// nonce and tag.
    #[unsafe(no_mangle)]
    pub extern "C" fn check(key: usize, bytes: usize) -> u32 {
        with(|state| match state.find(key) {
            _ if bytes > MESSAGE => 0,
            Some((buffer, Object::Pmac(key))) => {
                let tag = Tag::from(first::<16>(&buffer[..], 0));
                key.verify(&buffer[16..16 + bytes], &tag).is_ok().into()
            }
            Some((buffer, Object::Umac(key))) => {
                let nonce = NonceOf::from(first::<8>(&buffer[..], 0));
                let tag = Tag::from(first::<8>(&buffer[..], 8));
                key.verify(&nonce, &buffer[16..16 + bytes], &tag).is_ok().into()
            }
            _ => 0,
        })
    }

    #[unsafe(no_mangle)]
    pub extern "C" fn stream(key: usize) -> usize {
        with_clean_stack(|state| {
            let object = match state.find(key) {
                Some((_, Object::Pmac(key))) => {
                    Object::PmacStream(Wiped::boxed(|| pmac::Stream::new(key.clone())))
                }
                Some((_, Object::Umac(key))) => {
                    Object::UmacStream(Wiped::boxed(|| nonce_mac::Stream::new(key.clone())))
                }
                _ => return 0,
            };
            state.add(object)
        })
    }

    /// Takes the buffer's first bytes in, which stay there.
    #[unsafe(no_mangle)]
    pub extern "C" fn update(stream: usize, bytes: usize) -> u32 {
        with(|state| match state.find(stream) {
            _ if bytes > BUFFER => 0,
            Some((buffer, Object::PmacStream(stream))) => {
                stream.update(&buffer[..bytes]);
                1
            }
            Some((buffer, Object::UmacStream(stream))) => {
                stream.update(&buffer[..bytes]);
                1
            }
            _ => 0,
        })
    }

    /// The tag of what has come, at the buffer's start; for UMAC with the nonce from there. How many bytes it has. The stream
    /// begins again, so UMAC gives one nonce one tag.
    #[unsafe(no_mangle)]
    pub extern "C" fn finish(stream: usize) -> usize {
        with(|state| match state.find(stream) {
            Some((buffer, Object::PmacStream(stream))) => {
                buffer[..16].copy_from_slice(&stream.finish_reset().to_bytes());
                16
            }
            Some((buffer, Object::UmacStream(stream))) => {
                let nonce = NonceOf::from(first::<8>(&buffer[..], 0));
                buffer[..8].copy_from_slice(&stream.finish_reset(nonce).to_bytes());
                8
            }
            _ => 0,
        })
    }

    /// Whether the tag is right, in constant time: of PMAC at the buffer's start; of UMAC after the nonce there.
    #[unsafe(no_mangle)]
    pub extern "C" fn verify(stream: usize) -> u32 {
        with(|state| match state.find(stream) {
            Some((buffer, Object::PmacStream(stream))) => {
                stream.verify(&Tag::from(first::<16>(&buffer[..], 0))).is_ok().into()
            }
            Some((buffer, Object::UmacStream(stream))) => {
                let nonce = NonceOf::from(first::<8>(&buffer[..], 0));
                stream.verify(&nonce, &Tag::from(first::<8>(&buffer[..], 8))).is_ok().into()
            }
            _ => 0,
        })
    }

    /// PMAC's tag after an edit: of a message of `size` bytes, those from `at` on are replaced. The buffer has the tag
    /// before, then the bytes of the touched blocks before, then the new bytes. The new tag takes the place of the old one.
    #[unsafe(no_mangle)]
    pub extern "C" fn replace(key: usize, size: u64, at: u64, before: usize, new: usize) -> u32 {
        with(|state| {
            let Some((buffer, Object::Pmac(key))) = state.find(key) else { return 0 };
            let end = 16_usize.checked_add(before).and_then(|end| end.checked_add(new));
            let (Some(bits), Some(at), Some(..=BUFFER)) =
                (size.checked_mul(8), at.checked_mul(8), end)
            else {
                return 0;
            };
            let tag = Tag::from(first::<16>(&buffer[..], 0));
            let (before, new) = buffer[16..16 + before + new].split_at(before);
            let edited = Sum::from_tag(&**key, &tag, bits).and_then(|mut sum| {
                sum.replace(key, at, Bits::from(new), before)?;
                sum.tag(key)
            });
            let Ok(tag) = edited else { return 0 };
            buffer[..16].copy_from_slice(&tag.to_bytes());
            1
        })
    }

    /// Wipes the object. A key's own bytes go with its last stream.
    #[unsafe(no_mangle)]
    pub extern "C" fn free(object: usize) {
        with_clean_stack(|state| {
            let Some(at) = object.checked_sub(1) else { return };
            if state.objects.get_mut(at).and_then(Option::take).is_some() {
                state.free.push(at);
            }
        });
    }

    /// Wipes the buffer's first bytes.
    #[unsafe(no_mangle)]
    pub extern "C" fn wipe(bytes: usize) {
        with(|state| state.buffer[..bytes.min(BUFFER)].zeroize());
    }

    /// HKDF-SHA256 as cli/docs/keys.md derives keys: from a secret of 32 bytes and the info after it, which are wiped. The
    /// first 32 bytes of output replace them; a shorter output is their prefix.
    #[unsafe(no_mangle)]
    pub extern "C" fn derive(info_bytes: usize) -> u32 {
        with_clean_stack(|state| {
            if info_bytes > 256 {
                return 0;
            }
            let hmac =
                |key: &[u8]| Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
            let end = SECRET + info_bytes;
            let extracted = Zeroizing::new(<[u8; 32]>::from(
                hmac(b"wegman key 1").chain_update(&state.buffer[..SECRET]).finalize().into_bytes(),
            ));
            let mut expand = hmac(&extracted[..]);
            expand.update(&state.buffer[SECRET..end]);
            expand.update(&[1]);
            let output = Zeroizing::new(<[u8; 32]>::from(expand.finalize().into_bytes()));
            state.buffer[..end].zeroize();
            state.buffer[..32].copy_from_slice(&output[..]);
            1
        })
    }
}
