//! What the library gives back to the allocator holds no secret: keys, streams, segments, sums and links of every listed
//! algorithm on every kernel. Each block is looked at as it is freed.
//!
//! A word is taken for a secret if any of its upper 16 bits is set: a round key, a hash key and a buffered message look
//! like that but for one time in 65,536. Addresses, lengths and choices of kernels do not.
//!
//! Segments, sums and links are values that the caller puts where he likes. Between their fields, and behind the shorter
//! variants of an enum, a block has bytes that nobody writes. What was on the stack where a value was made is moved with
//! it, so some words there are allowed.
#![cfg(target_pointer_width = "64")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;
use wegman::session::Role;
use wegman::{Bits, Cpu};
use wegman_catalogue::link::LINK_MACS;
use wegman_catalogue::{ALGORITHMS, Status};
use wegman_reference::inputs::Random;

thread_local! {
    /// Words like secrets in blocks that this thread has freed.
    static LEFT: Cell<usize> = const { Cell::new(0) };
    /// The bytes that it has freed.
    static FREED: Cell<usize> = const { Cell::new(0) };
}

struct Looking;

#[global_allocator]
static ALLOCATOR: Looking = Looking;

// SAFETY: the system's allocator does the work; the counters allocate nothing and need no destructor.
unsafe impl GlobalAlloc for Looking {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // So that what was never written is 0.
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        if layout.align() >= 8 {
            let words = pointer.cast::<u64>();
            // SAFETY: whole words of the block, which nobody else has any more.
            let word = |i| unsafe { words.add(i).read_volatile() };
            let left = (0..layout.size() / 8).filter(|&i| word(i) >> 48 != 0).count();
            LEFT.set(LEFT.get() + left);
            FREED.set(FREED.get() + layout.size());
        }
        // SAFETY: likewise; the memory came from that allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Drops it. Returns how many words like secrets were in what it freed, and the number of all words.
fn freed(what: impl Sized) -> (usize, usize) {
    let (left, freed) = (LEFT.get(), FREED.get());
    drop(what);
    (LEFT.get() - left, (FREED.get() - freed) / 8)
}

/// Fills the stack below the caller with zeroes, so that a value that is made next has no remains between its fields.
#[inline(never)]
fn clean() {
    std::hint::black_box([0_u64; 1 << 13]);
}

/// No more words than those are left in what it freed.
fn wiped(name: &str, what: impl Sized, most: usize) {
    let (left, words) = freed(what);
    assert!(words > 4, "{name}: nothing was freed");
    assert!(left <= most, "{name}: {left} of {words} words were not wiped");
}

#[test]
fn what_is_not_wiped_is_noticed() {
    assert_eq!(freed(Box::new([0x0123_4567_89ab_cdef_u64; 9])), (9, 9));
}

#[test]
fn keys_and_streams_are_wiped() {
    let message = Random(3).message((1 << 24) + 1100);
    for algorithm in ALGORITHMS {
        let secret = Random(1).message(algorithm.key_bytes);
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            let name = |what| format!("{what} of {} on {kernel}", algorithm.name);
            let key = algorithm.key(cpu, &secret, *algorithm.tag_bytes.end()).unwrap();
            // Within the first block, at its end, behind it, and where UMAC hashes by POLY-128.
            // Of what hashes more slowly, and has no such place, shorter messages are enough.
            let is_fast = !matches!(algorithm.status, Status::Comparator | Status::Historical);
            let longest = if is_fast { message.len() } else { 5000 };
            for length in [1, 16, 100, 1024, 1500, 2048, 2100, 5000, longest] {
                clean();
                let mut stream = key.stream();
                stream.update(&message[..length]);
                wiped(&name("a stream"), stream, 0);
                clean();
                let mut stream = Arc::clone(&key).shared_stream();
                stream.update(&message[..length]);
                clean();
                let copy = stream.copy();
                wiped(&name("a copy"), copy, 0);
                clean();
                stream.reset();
                wiped(&name("a stream that started again"), stream, 0);
            }
            if let Some(pmac) = key.pmac() {
                let mut part = Box::new(pmac.segment_stream(3));
                pmac.update_segment(&mut part, &message[..1234]);
                wiped(&name("a segment's stream"), part, 2);
                let segment = pmac.segment(0, Bits::from(&message[..5000]));
                wiped(&name("a segment"), Box::new(segment), 2);
                let tag = key.tag(None, &message[..longest]).unwrap();
                if let Ok(sum) = pmac.sum_from_tag(&tag, 8 * longest as u64) {
                    wiped(&name("a sum"), Box::new(sum), 2);
                }
            }
            wiped(&name("a key"), key, 0);
        }
    }
}

#[test]
fn links_are_wiped() {
    for mac in LINK_MACS {
        let secret = Random(1).message(32).try_into().unwrap();
        let mut link = mac.link(&secret, b"context", Role::Initiator);
        let mut tag = vec![0; link.tag_bytes()];
        for _ in 0..3 {
            link.seal(&[b"a message"], &mut tag).unwrap();
            link.rekey().unwrap();
        }
        // Its budgets are large numbers, too.
        wiped(mac.name, link, 40);
    }
}
