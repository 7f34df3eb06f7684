//! The bodies of the functions that every [`Mac`] has. The exported functions are written out, one by one, in the modules of
//! the MACs: the header is made from them.
//!
//! Safety of all of them: what wegman.h says under "Memory". A MAC without a nonce does not look at `nonce`.

use crate::door::door;
use crate::mac::{Mac, Nonce};
use crate::raw::{
    BATCH, Bytes, Place, array, bytes, check, copy, give, in_batches, list, with_parts, writable,
    write,
};
use crate::slot::Slot;
use crate::status::{Status, guard};
use core::ffi::{CStr, c_char, c_void};
use wegman::hazmat::wiped::{stack_for, with_clean_stack};
use wegman::{Cpu, Tag};
use zeroize::Zeroizing;

/// Makes a key `T` for C from a secret: with the fastest kernel, or with that of a name.
pub(crate) unsafe fn new<M: Mac<N>, T, const N: usize>(
    kernel: Option<*const c_char>,
    secret: *const u8,
    out: *mut *mut T,
    wrap: impl FnOnce(M) -> T,
) -> Status {
    let make = || {
        // SAFETY: the caller's promises.
        unsafe {
            let cpu = match kernel {
                Some(name) => named(name, M::kernels(Cpu::detect()))?,
                None => Cpu::detect(),
            };
            let secret = Zeroizing::new(array(secret)?);
            Ok(wrap(M::with_cpu(cpu, &secret)))
        }
    };
    // SAFETY: the caller's promise.
    with_clean_stack(stack_for::<T>(), || unsafe { give(out, make) })
}

/// The machine's features for the kernel that C names.
pub(crate) unsafe fn named(
    name: *const c_char,
    mut kernels: impl Iterator<Item = (&'static str, Cpu)>,
) -> Result<Cpu, Status> {
    if name.is_null() {
        return Err(Status::Null);
    }
    // SAFETY: not NULL, and the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    let found = kernels.find(|(known, _)| known.as_bytes() == name);
    found.map(|(_, cpu)| cpu).ok_or(Status::Name)
}

door! {
    #[inline(always)]
    fn tag[M: Mac<N>, const N: usize](
        key: Option<&M>, nonce: *const u8, message: *const c_void, length: usize, tag: *mut u8
    ) {
        let key = key.ok_or(Status::Null)?;
        writable(tag)?;
        let made = key.tag(nonce_at(nonce)?, bytes(message, length)?);
        write(tag.cast(), made.to_bytes());
    }

    #[inline(always)]
    fn verify[M: Mac<N>, const N: usize](
        key: Option<&M>, nonce: *const u8, message: *const c_void, length: usize, tag: *const u8
    ) {
        let key = key.ok_or(Status::Null)?;
        let tag = Tag::from(array(tag)?);
        key.verify(&nonce_at(nonce)?, bytes(message, length)?, &tag)?;
    }

    fn tag_parts[M: Mac<N>, const N: usize](
        key: Option<&M>, nonce: *const u8, parts: *const Bytes, count: usize, tag: *mut u8
    ) {
        let key = key.ok_or(Status::Null)?;
        writable(tag)?;
        let nonce = nonce_at(nonce)?;
        let made = with_parts(parts, count, |parts| Ok(key.tag_parts(nonce, parts)))?;
        write(tag.cast(), made.to_bytes());
    }

    fn verify_parts[M: Mac<N>, const N: usize](
        key: Option<&M>, nonce: *const u8, parts: *const Bytes, count: usize, tag: *const u8
    ) {
        let key = key.ok_or(Status::Null)?;
        let (nonce, tag) = (nonce_at(nonce)?, Tag::from(array(tag)?));
        with_parts(parts, count, |parts| Ok(key.verify_parts(&nonce, parts, &tag)?))?;
    }

    fn tag_many[M: Mac<N>, const N: usize](
        key: Option<&M>, first_nonce: *const u8, messages: *const Bytes, count: usize, tags: *mut u8
    ) {
        let key = key.ok_or(Status::Null)?;
        let (first, messages) = (nonce_at::<M::Nonce>(first_nonce)?, list(messages, count)?);
        let Some(last) = messages.len().checked_sub(1) else { return Ok(()) };
        // All of it is checked before the first tag is written.
        writable(tags)?;
        first.advance(last)?;
        check(messages, Place::new(tags, N.saturating_mul(messages.len())))?;
        in_batches(messages, |index, messages| {
            let mut made = [Tag::from([0; N]); BATCH];
            let made = &mut made[..messages.len()];
            key.tag_many(first.advance(index)?, messages, made)?;
            for (i, tag) in made.iter().enumerate() {
                copy(&tag.to_bytes(), tags.add((index + i) * N));
            }
            Ok(())
        })?;
    }

    fn verify_many[M: Mac<N>, const N: usize](
        key: Option<&M>, nonces: *const u8, messages: *const Bytes, tags: *const u8, count: usize, valid: *mut bool
    ) {
        let key = key.ok_or(Status::Null)?;
        let (messages, tags) = (list(messages, count)?, list(tags.cast::<[u8; N]>(), count)?);
        if messages.is_empty() {
            return Ok(());
        }
        writable(valid)?;
        M::Nonce::check(nonces)?;
        let written = Place::new(valid, messages.len());
        check(messages, written)?;
        written.is_apart(Place::new(tags.as_ptr(), size_of_val(tags)))?;
        let nonces_bytes = M::Nonce::BYTES.saturating_mul(messages.len());
        written.is_apart(Place::new(nonces, nonces_bytes))?;
        let mut all = Ok(());
        in_batches(messages, |index, messages| {
            // Places after the last message have it, too, and are not looked at.
            let packets: [_; BATCH] = core::array::from_fn(|i| {
                let i = i.min(messages.len() - 1);
                let nonce = M::Nonce::read(nonces, index + i);
                M::packet(nonce, messages[i], Tag::from(tags[index + i]))
            });
            let mut right = [false; BATCH];
            let right = &mut right[..messages.len()];
            if key.verify_many(&packets[..messages.len()], right).is_err() {
                all = Err(Status::Mismatch);
            }
            for (i, right) in right.iter().enumerate() {
                write(valid.add(index + i), *right);
            }
            Ok(())
        })?;
        all?;
    }

    fn start[M: Mac<N>, const N: usize, const WORDS: usize](stream: *mut [u64; WORDS], key: Option<&'static M>) {
        let (slot, key) = (Slot::at(stream)?, key.ok_or(Status::Null)?);
        slot.put(key.stream());
    }

    fn update[M: Mac<N>, const N: usize, const WORDS: usize](
        stream: *mut [u64; WORDS], piece: *const c_void, length: usize
    ) {
        let slot = Slot::<M::Stream, WORDS>::at(stream)?;
        M::update(slot.get()?, bytes(piece, length)?);
    }

    fn finish[M: Mac<N>, const N: usize, const WORDS: usize](
        stream: *mut [u64; WORDS], nonce: *const u8, tag: *mut u8
    ) {
        let slot = Slot::<M::Stream, WORDS>::at(stream)?;
        let stream = slot.get()?;
        let nonce = nonce_at(nonce)?;
        writable(tag)?;
        let made = M::finish(stream, nonce);
        slot.clear();
        write(tag.cast(), made.to_bytes());
    }

    fn stream_verify[M: Mac<N>, const N: usize, const WORDS: usize](
        stream: *mut [u64; WORDS], nonce: *const u8, tag: *const u8
    ) {
        let slot = Slot::<M::Stream, WORDS>::at(stream)?;
        let (nonce, tag) = (nonce_at(nonce)?, Tag::from(array(tag)?));
        M::verify_stream(slot.get()?, &nonce, &tag)?;
    }
}

pub(crate) unsafe fn clear<M: Mac<N>, const N: usize, const WORDS: usize>(
    stream: *mut [u64; WORDS],
) {
    let _ = guard(|| {
        // SAFETY: the caller's promise.
        unsafe { Slot::<M::Stream, WORDS>::at(stream)?.clear() };
        Ok(())
    });
}

/// The nonce at `place`.
#[inline(always)]
unsafe fn nonce_at<T: Nonce>(place: *const u8) -> Result<T, Status> {
    T::check(place)?;
    // SAFETY: not NULL, and the caller's promise.
    Ok(unsafe { T::read(place, 0) })
}
