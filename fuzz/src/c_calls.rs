//! Calls of the C library, in valid use: what it answers is what the library in Rust says. Buffers have exactly the length
//! that is passed, so that AddressSanitizer sees what is read or written beside them. Single messages of typed keys, and
//! edits of sums, are called by `scripts/capi fuzz`.

use crate::input::Input;
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;
use wegman_c::Bytes;
use wegman_c::link::*;
use wegman_c::named::*;
use wegman_c::pmac_aes128::{self, PmacAes128};
use wegman_c::pmac_edit::*;
use wegman_c::status::Status;
use wegman_catalogue::{ALGORITHMS, AnyKey, Cpu, Nonce, find};

/// A list of calls.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let mut named = Vec::new();
    let mut streams = Vec::new();
    for _ in 0..24 {
        if input.is_empty() {
            break;
        }
        match input.byte() % 10 {
            0 => named.extend(Named::new(&mut input)),
            1 if !named.is_empty() => named[input.below(named.len())].calls(&mut input),
            2 if !named.is_empty() => streams.push(Stream::new(&named[input.below(named.len())])),
            3 if !streams.is_empty() => {
                let which = input.below(streams.len());
                let copy = streams[which].calls(&mut input);
                streams.extend(copy);
            }
            // Streams keep their keys.
            4 if !named.is_empty() => drop(named.swap_remove(input.below(named.len()))),
            5 => match input.byte() % 4 {
                0 => umac64(&mut input),
                1 => umac128(&mut input),
                2 => carter128(&mut input),
                _ => pmac_aes128(&mut input),
            },
            6 => segments(&mut input),
            7 | 8 => links(&mut input),
            _ => names(&mut input),
        }
    }
}

fn ok(status: Status) {
    assert_eq!(status, Status::Ok);
}

fn at(bytes: &[u8]) -> *const c_void {
    // C may pass NULL for nothing.
    if bytes.is_empty() { null() } else { bytes.as_ptr().cast() }
}

fn list(pieces: &[&[u8]]) -> Vec<Bytes> {
    pieces.iter().map(|piece| Bytes { data: at(piece), length: piece.len() }).collect()
}

fn names(input: &mut Input<'_>) {
    let (index, size) = (input.upto(u64::MAX) as usize, size_of::<AlgorithmInfo>());
    // SAFETY: places for what is written, and strings; the structure has numbers only.
    unsafe {
        let mut info = std::mem::zeroed();
        let status = wegman_algorithm_at(index, &mut info, size);
        assert_eq!(status == Status::Ok, index < ALGORITHMS.len());
        let length = input.below(40);
        let text: Vec<u8> = input.bytes(length).into_iter().filter(|byte| *byte != 0).collect();
        let known = std::str::from_utf8(&text).ok().and_then(find).is_some();
        let name = CString::new(text).expect("without zero");
        assert_eq!(wegman_algorithm_find(name.as_ptr(), &mut info, size) == Status::Ok, known);
        let mut kernel = [0; 64];
        let status = wegman_kernel_at(name.as_ptr(), input.below(9), kernel.as_mut_ptr());
        assert!(known || status == Status::Name);
    }
}

/// A key by name, and the same key in Rust.
struct Named {
    key: *mut NamedKey,
    model: Arc<dyn AnyKey>,
    nonce: Option<usize>,
    tag: usize,
}

impl Drop for Named {
    fn drop(&mut self) {
        // SAFETY: it was made by the library, and is used no more.
        unsafe { wegman_key_free(self.key) };
    }
}

impl Named {
    fn new(input: &mut Input<'_>) -> Option<Named> {
        let algorithm = &ALGORITHMS[input.below(ALGORITHMS.len())];
        let kernels = algorithm.kernels(Cpu::detect());
        let (kernel, cpu) = kernels[input.below(kernels.len())];
        let name = CString::new(&*algorithm.name).expect("without zero");
        let kernel = CString::new(kernel).expect("without zero");
        let length = if input.byte() & 3 == 0 { input.below(70) } else { algorithm.key_bytes };
        let secret = input.bytes(length);
        let tag = if input.bool() { *algorithm.tag_bytes.end() } else { input.below(40) };
        let nonce = input.below(18);
        let nonce = match algorithm.nonce_bytes {
            Some(lengths) if input.bool() => lengths[input.below(lengths.len())],
            _ => nonce,
        };
        let mut key = null_mut();
        // SAFETY: strings, bytes, and a place for the key.
        let status = unsafe {
            let (name, kernel) = (name.as_ptr(), kernel.as_ptr());
            wegman_key_new_with(name, kernel, at(&secret), length, tag, nonce, &mut key)
        };
        let tag = if tag == 0 { *algorithm.tag_bytes.end() } else { tag };
        let nonce = (nonce != 0).then_some(nonce);
        let model = algorithm.key_with(cpu, &secret, tag, nonce);
        assert_eq!(status == Status::Ok, model.is_ok(), "{}", algorithm.name);
        let nonce = nonce.or(algorithm.counter(0).map(|nonce| nonce.len()));
        // SAFETY: a key, if it was made.
        let lengths =
            unsafe { (wegman_key_tag_length(key.as_ref()), wegman_key_nonce_length(key.as_ref())) };
        let model = model.ok()?;
        assert_eq!(lengths, (tag, nonce.unwrap_or(0)));
        Some(Named { key, model, nonce, tag })
    }

    fn nonce(&self, input: &mut Input<'_>) -> (Vec<u8>, Option<Nonce>) {
        let length = if input.byte() & 7 == 0 { input.below(18) } else { self.nonce.unwrap_or(0) };
        let bytes = input.bytes(length);
        let nonce = Nonce::new(&bytes).ok();
        (bytes, nonce)
    }

    fn calls(&self, input: &mut Input<'_>) {
        let (bytes, nonce) = self.nonce(input);
        let message = input.message(3000);
        let wanted = match bytes.len() {
            17 => None,
            _ => self.model.tag(nonce.as_ref(), &message).ok(),
        };
        let length = if input.byte() & 7 == 0 { input.below(40) } else { self.tag };
        let mut tag = vec![0xa5; length];
        // SAFETY: the key is there; bytes of these lengths.
        unsafe {
            let key = &*self.key;
            let place = tag.as_mut_ptr();
            let (n, m) = ((at(&bytes), bytes.len()), (at(&message), message.len()));
            let status = wegman_key_tag(Some(key), n.0, n.1, m.0, m.1, place, length);
            assert_eq!(status == Status::Ok, wanted.is_some() && length == self.tag);
            match (status, wanted) {
                (Status::Ok, Some(wanted)) => assert_eq!(wanted.to_bytes(), tag),
                _ => assert!(tag.iter().all(|byte| *byte == 0xa5)),
            }
            if status == Status::Ok {
                ok(wegman_key_verify(Some(key), n.0, n.1, m.0, m.1, tag.as_ptr(), length));
                let place = input.below(length);
                tag[place] ^= 1 << input.below(8);
                let wrong = wegman_key_verify(Some(key), n.0, n.1, m.0, m.1, tag.as_ptr(), length);
                assert_eq!(wrong, Status::Mismatch);
            }
            let messages = input.pieces(&message, 40);
            let mut tags = vec![0xa5; messages.len() * self.tag];
            let mut model = tags.clone();
            let (many, room) = (list(&messages), tags.len());
            let place = tags.as_mut_ptr();
            let status =
                wegman_key_tag_many(Some(key), n.0, n.1, many.as_ptr(), many.len(), place, room);
            let done =
                bytes.len() < 17 && self.model.tags(nonce.as_ref(), &messages, &mut model).is_ok();
            assert_eq!(status == Status::Ok, done);
            assert!(!done || tags == model);
            assert!(done || tags.iter().all(|byte| *byte == 0xa5));
        }
    }
}

/// A stream by name, and its message.
struct Stream {
    stream: *mut NamedStream,
    model: Arc<dyn AnyKey>,
    nonce: Option<usize>,
    tag: usize,
    message: Vec<u8>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: it was made by the library, and is used no more.
        unsafe { wegman_stream_free(self.stream) };
    }
}

impl Stream {
    fn new(key: &Named) -> Stream {
        let mut stream = null_mut();
        // SAFETY: the key is there, and a place for the stream.
        ok(unsafe { wegman_stream_new(key.key.as_ref(), &mut stream) });
        let (nonce, tag) = (key.nonce, key.tag);
        Stream { stream, model: Arc::clone(&key.model), nonce, tag, message: Vec::new() }
    }

    /// One call; perhaps there is a copy then.
    fn calls(&mut self, input: &mut Input<'_>) -> Option<Stream> {
        // SAFETY: the stream is there; bytes of these lengths.
        unsafe {
            match input.byte() % 8 {
                0..=3 => {
                    let piece = input.message(1500);
                    ok(wegman_stream_update(self.stream.as_mut(), at(&piece), piece.len()));
                    self.message.extend_from_slice(&piece);
                }
                4 | 5 => {
                    let bytes = input.bytes(self.nonce.unwrap_or(0));
                    let nonce = Nonce::new(&bytes).ok();
                    let wanted = self.model.tag(nonce.as_ref(), &self.message).expect("its nonce");
                    let n = (at(&bytes), bytes.len());
                    let mut tag = vec![0; self.tag];
                    let (stream, good) = (self.stream, wanted.to_bytes());
                    ok(wegman_stream_verify(stream.as_ref(), n.0, n.1, good.as_ptr(), self.tag));
                    let place = tag.as_mut_ptr();
                    ok(wegman_stream_finish(stream.as_mut(), n.0, n.1, place, self.tag));
                    assert_eq!(tag, good);
                    self.message.clear();
                }
                6 => {
                    wegman_stream_reset(self.stream.as_mut());
                    self.message.clear();
                }
                _ => {
                    let mut stream = null_mut();
                    ok(wegman_stream_copy(self.stream.as_ref(), &mut stream));
                    let (model, message) = (Arc::clone(&self.model), self.message.clone());
                    return Some(Stream { stream, model, message, ..*self });
                }
            }
        }
        None
    }
}

/// Batches of a typed key, compared with those of the key by name. `$nonce` is a nonce's length in braces, or nothing.
macro_rules! typed {
    ($mac:ident, $name:literal, $tag:literal, {$($nonce:literal)?}) => {
        fn $mac(input: &mut Input<'_>) {
            use wegman_c::$mac as c;
            let secret = input.bytes(16);
            let algorithm = find($name).expect($name);
            let model = algorithm.key(Cpu::detect(), &secret, $tag).expect("its lengths");
            let nonce = input.bytes(0 $(+ $nonce)?);
            let first = Nonce::new(&nonce).ok();
            let message = input.message(3000);
            let pieces = input.pieces(&message, 40);
            let (parts, n) = (list(&pieces), pieces.len());
            let mut tags = vec![0xa5; n * $tag];
            let mut made = tags.clone();
            let mut key = null_mut();
            // SAFETY: bytes of the lengths of the MAC; the key is freed last.
            unsafe {
                ok(c::new(secret.as_ptr(), &mut key));
                let key_ref = key.as_ref();
                let status = c::tag_many(key_ref, $({ let _ = $nonce; nonce.as_ptr() },)? parts.as_ptr(), n, tags.as_mut_ptr());
                let done = model.tags(first.as_ref(), &pieces, &mut made).is_ok();
                assert_eq!(status == Status::Ok, done);
                if done {
                    assert_eq!(tags, made);
                    #[allow(unused_variables, reason = "not if there is no nonce")]
                    let nonces: Vec<u8> = (0..n as u64)
                        .filter_map(|i| first?.advance(i))
                        .flat_map(|nonce| nonce.as_bytes().to_vec())
                        .collect();
                    let bad = input.below(n + 1);
                    if bad < n {
                        tags[bad * $tag] ^= 1;
                    }
                    let mut valid = vec![false; n];
                    let status = c::verify_many(
                        key_ref, $({ let _ = $nonce; nonces.as_ptr() },)? parts.as_ptr(), tags.as_ptr(), n, valid.as_mut_ptr(),
                    );
                    assert_eq!(status == Status::Ok, bad == n);
                    assert!(valid.iter().enumerate().all(|(i, valid)| *valid == (i != bad)));
                }
                c::free(key);
            }
        }
    };
}

typed!(umac64, "UMAC-64", 8, { 8 });
typed!(umac128, "UMAC-128", 16, { 8 });
typed!(carter128, "Carter-128", 16, { 12 });
typed!(pmac_aes128, "PMAC-AES128", 16, {});

/// The tag of a message, by the function for whole messages.
fn pmac(key: &PmacAes128, message: &[u8]) -> [u8; 16] {
    let mut tag = [0; 16];
    // SAFETY: bytes of these lengths.
    ok(unsafe { pmac_aes128::tag(Some(key), at(message), message.len(), tag.as_mut_ptr()) });
    tag
}

fn segments(input: &mut Input<'_>) {
    let secret = input.bytes(16);
    let message = input.message(4000);
    let mut key = null_mut();
    let (mut all, mut start) = (Vec::new(), 0);
    // SAFETY: bytes of these lengths, places for what is made; all is freed once, at the end.
    unsafe {
        ok(pmac_aes128::new(secret.as_ptr(), &mut key));
        loop {
            let end = (start + 16 * input.below(60)).min(message.len());
            let end = if all.len() == 8 { message.len() } else { end };
            let part = &message[start..end];
            let (mut segment, mut again, mut encoded) = (null_mut(), null_mut(), vec![0; 68]);
            let (block, length) = ((start / 16) as u64, part.len());
            ok(wegman_pmac_segment_new(key.as_ref(), block, at(part), length, &mut segment));
            assert_eq!(wegman_pmac_segment_length(segment.as_ref()), length as u64);
            ok(wegman_pmac_segment_encode(segment.as_ref(), encoded.as_mut_ptr()));
            ok(wegman_pmac_segment_decode(encoded.as_ptr(), &mut again));
            wegman_pmac_segment_free(segment);
            all.push(again.cast_const());
            start = end;
            if start == message.len() {
                break;
            }
        }
        for i in (1..all.len()).rev() {
            all.swap(i, input.below(i + 1));
        }
        let (mut whole, mut tag) = (null_mut(), vec![0; 16]);
        ok(wegman_pmac_segment_combine(all.as_ptr(), all.len(), &mut whole));
        ok(wegman_pmac_segment_tag(whole.as_ref(), key.as_ref(), tag.as_mut_ptr()));
        assert_eq!(tag, pmac(&*key, &message));
        // After the whole there is room for nothing but what begins where it ends.
        let before = wegman_pmac_segment_length(whole.as_ref());
        if wegman_pmac_segment_append(whole, all[0]) != Status::Ok {
            assert_eq!(wegman_pmac_segment_length(whole.as_ref()), before);
        }
        wegman_pmac_segment_free(whole);
        all.iter().for_each(|segment| wegman_pmac_segment_free(segment.cast_mut()));
        pmac_aes128::free(key);
    }
}

/// Keeps what is stored.
unsafe extern "C" fn store(user: *mut c_void, stored: *const u8, length: usize) -> i32 {
    assert!(length < 512);
    // SAFETY: `user` is the vector that was passed, and nothing else uses it during the call; so many bytes are there.
    unsafe { *user.cast::<Vec<u8>>() = std::slice::from_raw_parts(stored, length).to_vec() };
    0
}

fn links(input: &mut Input<'_>) {
    let mac = [c"UMAC-64", c"UMAC-128", c"PMAC-AES128", c"PMAC-AES256"][input.below(4)];
    let (secret, context) = (input.bytes(32), input.message(40));
    let (mut one, mut two) = (null_mut(), null_mut());
    // SAFETY: strings, bytes of these lengths, places for what is made; each link is freed once.
    unsafe {
        let c = (at(&context), context.len());
        ok(wegman_link_new(mac.as_ptr(), secret.as_ptr(), c.0, c.1, true, &mut one));
        ok(wegman_link_new(mac.as_ptr(), secret.as_ptr(), c.0, c.1, false, &mut two));
        let (mut sealing, mut opening) = (Vec::<u8>::new(), Vec::<u8>::new());
        let is_stored = input.bool();
        let tag_bytes = wegman_link_tag_length(one.as_ref());
        let mut accepted = 0;
        let mut seen = std::collections::HashSet::new();
        for _ in 0..input.below(24) {
            if is_stored {
                let user = (&raw mut sealing).cast();
                ok(wegman_link_reserve_sealing(one.as_mut(), 2, 10_000, Some(store), user));
                let user = (&raw mut opening).cast();
                ok(wegman_link_reserve_opening(one.as_mut(), 2, 2, 10_000, Some(store), user));
            }
            let message = input.message(300);
            let pieces = input.pieces(&message, 5);
            let parts = list(&pieces);
            let (mut header, mut tag) = (vec![0; 12], vec![0; tag_bytes]);
            let p = (parts.as_ptr(), parts.len());
            let (h, t) = (header.as_mut_ptr(), tag.as_mut_ptr());
            ok(wegman_link_seal(one.as_mut(), p.0, p.1, h, t, tag_bytes));
            assert!(seen.insert(header.clone()), "a header was used twice");
            let short = [header[3], header[9], header[10], header[11]].to_vec();
            let mut whole = vec![0; 12];
            ok(wegman_link_extend(two.as_ref(), short.as_ptr(), whole.as_mut_ptr()));
            assert_eq!(whole, header);
            let open = |tag: &[u8]| {
                wegman_link_open(two.as_mut(), header.as_ptr(), p.0, p.1, tag.as_ptr(), tag_bytes)
            };
            if input.byte() & 3 == 0 {
                let mut wrong = tag.clone();
                wrong[input.below(tag_bytes)] ^= 1 << input.below(8);
                assert_eq!(open(&wrong), Status::Mismatch);
            }
            ok(open(&tag));
            assert_eq!(open(&tag), Status::Replayed);
            accepted += 1;
            match input.byte() % 6 {
                0 => ok(wegman_link_rekey(one.as_mut())),
                1 if is_stored => {
                    wegman_link_free(one);
                    let (s, o) = ((at(&sealing), sealing.len()), (at(&opening), opening.len()));
                    ok(wegman_link_restore(mac.as_ptr(), s.0, s.1, o.0, o.1, &mut one));
                }
                _ => {}
            }
        }
        let mut counts = LinkCounts::default();
        ok(wegman_link_counts(two.as_ref(), &mut counts, size_of::<LinkCounts>()));
        assert_eq!((counts.accepted, counts.replayed), (accepted, accepted));
        wegman_link_free(one);
        wegman_link_free(two);
    }
}
