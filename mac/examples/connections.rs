//! A hundred thousand connections, each with its key, and the memory that they take.
//!
//! `cargo run --release --example connections`

use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use wegman::{NonceOf, umac};

const CONNECTIONS: u64 = 100_000;

/// The system's allocator, with a count of the bytes in use.
struct Counted;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the rules of this function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the rules of this function.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// The secret of a connection. Here it is a number; a real one is random.
fn secret(connection: u64) -> [u8; 16] {
    (u128::from(connection) << 64 | 0x1234_5678).to_be_bytes()
}

fn main() {
    let text = b"a packet of some connection";
    let before = IN_USE.load(Ordering::Relaxed);
    let mut keys = HashMap::with_capacity(CONNECTIONS as usize);
    keys.extend(
        (0..CONNECTIONS)
            .map(|connection| (connection, umac::CompactKey::<8>::new(&secret(connection)))),
    );
    let bytes = IN_USE.load(Ordering::Relaxed) - before;
    for connection in (0..CONNECTIONS).step_by(9973) {
        let tag = keys[&connection].tag(NonceOf::counter(7), text);
        let key = umac::Key::<8>::new(&secret(connection));
        assert!(key.verify(&NonceOf::counter(7), text, &tag).is_ok());
    }
    let each = size_of::<umac::Key<8>>();
    println!("{CONNECTIONS} keys of {} bytes: {bytes} bytes", size_of::<umac::CompactKey<8>>());
    println!("the same as umac::Key<8>, {each} bytes each: {} bytes", each as u64 * CONNECTIONS);
    // The table has 2^17 places for a number and a key each, and a byte more for each place.
    assert!(bytes < 5 << 20, "{bytes} bytes");
}

#[test]
fn it_runs() {
    main();
}
