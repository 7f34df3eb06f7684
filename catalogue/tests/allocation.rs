//! Sessions allocate nothing once their keys exist. Every call of the allocator is counted, for each MAC, one by one
//! and in batches, for packets that are accepted and for those that are not.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use wegman::session::{Authentic, Budget, PacketMac, Receiver, Rejected, Saved, Sender};
use wegman::{Aes128, Aes256, pmac, umac};
use wegman_carter as carter;
use wegman_historical::Umac16;
use wegman_yardstick::{self as yardstick, hmac};

thread_local! {
    /// How often this thread has asked for memory.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does the work; the counter allocates nothing and needs no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.set(CALLS.get() + 1);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: likewise; the memory came from that allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Panics if `path` allocates.
fn without_memory(name: &str, path: impl FnOnce()) {
    let before = CALLS.get();
    path();
    assert_eq!(CALLS.get() - before, 0, "{name}");
}

const LENGTHS: [usize; 8] = [0, 1, 16, 100, 256, 1500, 5000, 70_000];
const LONGEST: u64 = 70_000;
const BATCH: usize = 40;

/// A whole session with an existing key.
fn session<K: PacketMac>(name: &str, key: &K) {
    let message = vec![7; 70_000];
    without_memory(name, || {
        let saved = Saved::from_bytes(&Saved::starting_at(key, 1).to_bytes()).unwrap();
        let mut sender = Sender::restore(key, saved).unwrap().with_longest(LONGEST);
        sender.reserve(1000, 1 << 20, |_| Ok::<_, ()>(())).unwrap();
        let mut receiver: Receiver<&K> =
            Receiver::new(key, 1, Budget::log_only(0)).with_longest(LONGEST);
        for length in LENGTHS {
            let message = &message[..length];
            let (sequence, tag) = sender.seal(message).unwrap();
            assert_eq!(receiver.extend(sequence as u32), Some(sequence));
            assert_eq!(receiver.check(sequence), Ok(()), "{name} {length}");
            assert_eq!(receiver.open(sequence + 1, message, &tag), Err(Rejected::Forged));
            let opened = receiver.open(sequence, message, &tag).map(Authentic::message);
            assert_eq!(opened, Ok(message), "{name} {length} {sequence}");
            assert_eq!(receiver.open(sequence, message, &tag), Err(Rejected::Replayed));
        }
        for length in [16, 256] {
            let messages = [&message[..length]; BATCH];
            let mut tags = [key.tag_packet(0, b""); BATCH];
            let first = sender.seal_many(&messages, &mut tags).unwrap();
            let packet = |i: usize| (first + i as u64, messages[i], tags[i]);
            let mut packets: [_; BATCH] = std::array::from_fn(packet);
            // One is forged, one comes twice, two come in reverse order.
            packets[3].2 = tags[4];
            packets[7] = packets[6];
            packets.swap(10, 11);
            let mut outcomes = [Err(Rejected::Closed); BATCH];
            receiver.open_many(&packets, &mut outcomes);
            assert_eq!(outcomes[3], Err(Rejected::Forged));
            assert_eq!(outcomes[7], Err(Rejected::Replayed));
            assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), BATCH - 2);
        }
        let _ = sender.into_saved().unwrap().to_bytes();
    });
}

#[test]
fn sessions_allocate_nothing() {
    session("UMAC-32", &umac::Key::<4>::new(b"abcdefghijklmnop"));
    session("UMAC-128", &umac::Key::<16>::new(b"abcdefghijklmnop"));
    session("UMAC16", &Umac16::<8>::new(b"abcdefghijklmnop"));
    session("Carter-128", &carter::Key::<Aes128, 16, 12>::new(b"abcdefghijklmnop"));
    session("PMAC", &pmac::Key::<Aes128, 16>::new(b"abcdefghijklmnop"));
    session("PMAC-AES256", &pmac::Key::<Aes256, 16>::new(b"abcdefghijklmnopabcdefghijklmnop"));
    session("HMAC-SHA1-96", &yardstick::Key::<hmac::HmacSha1, 12>::new(&[1; 20]));
    session("HMAC-MD5", &yardstick::Key::<hmac::HmacMd5, 16>::new(&[1; 16]));
}

/// The counter works.
#[test]
#[should_panic(expected = "a vector")]
fn an_allocation_is_seen() {
    without_memory("a vector", || drop(std::hint::black_box(vec![1_u8])));
}
