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
use std::borrow::Borrow;
use std::cell::RefCell;
use std::ops::Deref;
use std::sync::Arc;
use wegman::hazmat::wiped::{self, MOVED, Wiped};
use wegman::pmac::hazmat::{Segment, SegmentStream, Sum};
use wegman::{Aes128, Bits, NonceOf, Tag, pmac, umac};
use zeroize::{Zeroize, Zeroizing};

/// How many bytes go in at once: few enough to stay in a processor's second cache.
const BUFFER: usize = 256 << 10;
/// The longest message that goes in as a whole, with a tag and a nonce before it.
const MESSAGE: usize = BUFFER - 32;
/// More than any of these functions needs of the stack.
const STACK: usize = 16 << 10;
const SECRET: usize = 32;

type PmacKey = pmac::Key<Aes128, 16>;

/// A key and its streams share it. Also what lies between its fields is wiped: making it leaves something there.
struct Held<T>(Arc<Wiped<T>>);

impl<T> Held<T> {
    fn new(make: impl FnOnce() -> T) -> Self {
        Held(Wiped::key(MOVED, |place| {
            place.put(make());
        }))
    }
}

impl<T> Clone for Held<T> {
    fn clone(&self) -> Self {
        Held(self.0.clone())
    }
}

impl<T> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Borrow<T> for Held<T> {
    fn borrow(&self) -> &T {
        self
    }
}

enum Object {
    Pmac(Held<PmacKey>),
    PmacStream(Box<Wiped<pmac::Stream<Held<PmacKey>, Aes128, 16>>>),
    PmacPart(Held<PmacKey>, Box<Wiped<SegmentStream>>),
    Umac(Box<dyn UmacKey>),
    UmacStream(Box<dyn UmacStream>),
}

/// A key of UMAC, whatever its lengths. The nonce lies at the buffer's start, then the tag to check, then the message.
trait UmacKey {
    fn tag(&self, buffer: &mut [u8], bytes: usize) -> usize;
    fn check(&self, buffer: &[u8], bytes: usize) -> bool;
    fn stream(&self) -> Box<dyn UmacStream>;
}

trait UmacStream {
    fn update(&mut self, piece: &[u8]);
    fn finish(&mut self, buffer: &mut [u8]) -> usize;
    fn check(&self, buffer: &[u8]) -> bool;
}

impl<const N: usize, const L: usize> UmacKey for Held<umac::Key<N, L>> {
    fn tag(&self, buffer: &mut [u8], bytes: usize) -> usize {
        let nonce = NonceOf::from(first::<L>(buffer, 0));
        let tag = (**self).tag(nonce, &buffer[L..L + bytes]);
        buffer[..N].copy_from_slice(&tag.to_bytes());
        N
    }

    fn check(&self, buffer: &[u8], bytes: usize) -> bool {
        let nonce = NonceOf::from(first::<L>(buffer, 0));
        let tag = Tag::from(first::<N>(buffer, L));
        self.verify(&nonce, &buffer[L + N..L + N + bytes], &tag).is_ok()
    }

    fn stream(&self) -> Box<dyn UmacStream> {
        Wiped::boxed(|| umac::Stream::<_, N, L>::new(self.clone()))
    }
}

impl<const N: usize, const L: usize> UmacStream
    for Wiped<umac::Stream<Held<umac::Key<N, L>>, N, L>>
{
    fn update(&mut self, piece: &[u8]) {
        (**self).update(piece);
    }

    fn finish(&mut self, buffer: &mut [u8]) -> usize {
        let nonce = NonceOf::from(first::<L>(buffer, 0));
        buffer[..N].copy_from_slice(&self.finish_reset(nonce).to_bytes());
        N
    }

    fn check(&self, buffer: &[u8]) -> bool {
        let nonce = NonceOf::from(first::<L>(buffer, 0));
        self.verify(&nonce, &Tag::from(first::<N>(buffer, L))).is_ok()
    }
}

/// In a frame of its own: the keys of all lengths together need more of the stack than is wiped.
#[inline(never)]
fn umac_key<const N: usize, const L: usize>(secret: &[u8; 16]) -> Object {
    Object::Umac(Box::new(Held::new(|| umac::Key::<N, L>::new(secret))))
}

/// The tag of the message that the first `count` segments make, if it has so many bytes.
fn joined(key: &PmacKey, room: &[u8], count: usize, size: u64) -> Option<Tag<16>> {
    let segments = room.get(..count.checked_mul(Segment::BYTES)?)?;
    // In its place at once: a vector that grows leaves segments behind.
    let mut all = Vec::with_capacity(count);
    for segment in segments.chunks_exact(Segment::BYTES) {
        all.push(Segment::from_bytes(segment).ok()?);
    }
    let whole = Segment::combine(&mut all).ok()?;
    whole.tag_of_length(key, size.checked_mul(8)?).ok()
}

struct State {
    buffer: Box<[u8; BUFFER]>,
    /// Each in a place that is wiped as a whole: a short kind of object has something beside it.
    objects: Vec<Option<Box<Wiped<Object>>>>,
    /// The places without an object.
    free: Vec<usize>,
}

impl State {
    fn add(&mut self, object: Object) -> usize {
        let at = self.free.pop().unwrap_or_else(|| {
            self.objects.push(None);
            self.objects.len() - 1
        });
        self.objects[at] = Some(Wiped::boxed(|| object));
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

/// Moved values leave copies on the stack. Whoever makes a key or frees it leaves none, and takes along nothing from before.
fn with_clean_stack<T>(work: impl FnOnce(&mut State) -> T) -> T {
    wiped::with_clean_stack(STACK, || ());
    wiped::with_clean_stack(STACK, || with(work))
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

    /// A key from the buffer's first 16 bytes, which are wiped: 1 for PMAC-AES128, 2 for UMAC-64 with nonces of 8 bytes,
    /// and 100 and the tag's bytes for UMAC with nonces of 16 bytes, as the command gives files.
    #[unsafe(no_mangle)]
    pub extern "C" fn key(algorithm: u32) -> usize {
        with_clean_stack(|state| {
            let secret = Zeroizing::new(first::<16>(&state.buffer[..], 0));
            state.buffer[..16].zeroize();
            match algorithm {
                1 => state.add(Object::Pmac(Held::new(|| PmacKey::new(&secret)))),
                2 => state.add(umac_key::<8, 8>(&secret)),
                104 => state.add(umac_key::<4, 16>(&secret)),
                108 => state.add(umac_key::<8, 16>(&secret)),
                112 => state.add(umac_key::<12, 16>(&secret)),
                116 => state.add(umac_key::<16, 16>(&secret)),
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
            Some((buffer, Object::Umac(key))) => key.tag(&mut buffer[..], bytes),
            _ => 0,
        })
    }

    /// Whether a message that fits in the buffer is authentic, in constant time. Before it is PMAC's tag, or UMAC's nonce and
    /// tag.
    #[unsafe(no_mangle)]
    pub extern "C" fn check(key: usize, bytes: usize) -> u32 {
        with(|state| match state.find(key) {
            _ if bytes > MESSAGE => 0,
            Some((buffer, Object::Pmac(key))) => {
                let tag = Tag::from(first::<16>(&buffer[..], 0));
                key.verify(&buffer[16..16 + bytes], &tag).is_ok().into()
            }
            Some((buffer, Object::Umac(key))) => key.check(&buffer[..], bytes).into(),
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
                Some((_, Object::Umac(key))) => Object::UmacStream(key.stream()),
                _ => return 0,
            };
            state.add(object)
        })
    }

    /// A stream for a part of a message that has so many whole blocks before it. `finish` gives its segment, which is as
    /// secret as the key.
    #[unsafe(no_mangle)]
    pub extern "C" fn part(key: usize, start: u64) -> usize {
        with_clean_stack(|state| {
            let Some((_, Object::Pmac(key))) = state.find(key) else { return 0 };
            let key = key.clone();
            let part = Wiped::boxed(|| SegmentStream::new(&key, start));
            state.add(Object::PmacPart(key, part))
        })
    }

    /// The tag of a message of `size` bytes from the segments of all its parts, in the buffer.
    #[unsafe(no_mangle)]
    pub extern "C" fn join(key: usize, segments: usize, size: u64) -> usize {
        with_clean_stack(|state| {
            let Some((buffer, Object::Pmac(key))) = state.find(key) else { return 0 };
            let Some(tag) = joined(key, &buffer[..], segments, size) else { return 0 };
            buffer[..16].copy_from_slice(&tag.to_bytes());
            16
        })
    }

    /// Whether that is the tag before the segments, in constant time.
    #[unsafe(no_mangle)]
    pub extern "C" fn check_join(key: usize, segments: usize, size: u64) -> u32 {
        with_clean_stack(|state| {
            let Some((buffer, Object::Pmac(key))) = state.find(key) else { return 0 };
            let expected = Tag::from(first::<16>(&buffer[..], 0));
            let tag = joined(key, &buffer[16..16 + MESSAGE], segments, size);
            tag.is_some_and(|tag| tag == expected).into()
        })
    }

    /// Takes the buffer's first bytes in, which stay there.
    #[unsafe(no_mangle)]
    pub extern "C" fn update(stream: usize, bytes: usize) -> u32 {
        with(|state| {
            let Some((buffer, object)) = state.find(stream) else { return 0 };
            let Some(piece) = buffer.get(..bytes) else { return 0 };
            match object {
                Object::PmacStream(stream) => stream.update(piece),
                Object::PmacPart(key, stream) => stream.update(key, piece),
                Object::UmacStream(stream) => stream.update(piece),
                _ => return 0,
            }
            1
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
            Some((buffer, Object::PmacPart(key, stream))) => {
                let Ok(segment) = stream.segment(key) else { return 0 };
                let mut bytes = segment.to_bytes();
                buffer[..Segment::BYTES].copy_from_slice(&bytes);
                bytes.zeroize();
                Segment::BYTES
            }
            Some((buffer, Object::UmacStream(stream))) => stream.finish(&mut buffer[..]),
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
            Some((buffer, Object::UmacStream(stream))) => stream.check(&buffer[..]).into(),
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
