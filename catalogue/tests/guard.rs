//! No byte before or after a message is read, and none of it is written: messages are at the very end and at the very
//! beginning of memory that can only be read, between pages that cannot be accessed. Any other access ends the test with a
//! signal. This covers every length up to a chunk and more, every kernel, and every public function that takes messages.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

#[path = "guard/comparators.rs"]
mod comparators;

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use wegman::cipher::{Aes128, Aes256, BlockCipher};
use wegman::hazmat::nonce_mac::HashAndPads;
use wegman::hazmat::raw;
use wegman::pmac::hazmat::{Segment, Sum};
use wegman::umac::Umac;
use wegman::{Bits, Cpu, NonceOf, Tag, nonce_mac, pmac};
use wegman_carter::Carter;
use wegman_historical::umac16;

const SECRET: &[u8; 16] = b"sixteen byte key";

/// Pages that can be read, and written only by [`place`](Self::place), between two that cannot be accessed.
struct Guarded {
    map: *mut u8,
    page: usize,
    /// The number of bytes between them.
    room: usize,
}

impl Guarded {
    fn new(at_least: usize) -> Guarded {
        // SAFETY: `sysconf` has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let page = usize::try_from(page).expect("a page has a size");
        let room = at_least.next_multiple_of(page);
        // SAFETY: a new mapping at an address that the system chooses touches nothing existing.
        let map = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            libc::mmap(std::ptr::null_mut(), room + 2 * page, libc::PROT_NONE, flags, -1, 0)
        };
        assert_ne!(map, libc::MAP_FAILED, "no memory");
        Guarded { map: map.cast(), page, room }
    }

    fn allow(&mut self, access: i32) {
        // SAFETY: these pages are part of the mapping. What was placed there before has borrowed `self`, and nothing
        // writes to what has just been placed.
        let result = unsafe { libc::mprotect(self.map.add(self.page).cast(), self.room, access) };
        assert_eq!(result, 0, "no access");
    }

    /// A copy of the message that ends where the readable pages end.
    fn at_end(&mut self, message: &[u8]) -> &[u8] {
        self.place(self.room - message.len(), message)
    }

    /// A copy of the message that begins where the readable pages begin.
    fn at_start(&mut self, message: &[u8]) -> &[u8] {
        self.place(0, message)
    }

    fn place(&mut self, start: usize, message: &[u8]) -> &[u8] {
        assert!(start + message.len() <= self.room);
        self.allow(libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: the bytes lie in the readable pages, and `self` is borrowed for as long as they
        // are. An empty message has an address at the end of them or inside.
        let place = unsafe {
            std::slice::from_raw_parts_mut(self.map.add(self.page + start), message.len())
        };
        place.copy_from_slice(message);
        self.allow(libc::PROT_READ);
        place
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: this is the whole mapping; what was placed in it has borrowed `self`.
        unsafe { libc::munmap(self.map.cast(), self.room + 2 * self.page) };
    }
}

type Place = for<'g> fn(&'g mut Guarded, &[u8]) -> &'g [u8];
const ENDS: [Place; 2] = [Guarded::at_end, Guarded::at_start];

const LONGEST: usize = 5200;

/// Bytes of a header that lies elsewhere.
const HEADER: usize = 12;

/// Every length up to a chunk and a few registers, then around the next chunks.
fn lengths() -> impl Iterator<Item = usize> {
    let around = [2048, 3000, 4096, 5120].into_iter().flat_map(|edge| edge - 34..=edge + 34);
    (0..=1100).chain(around)
}

fn message() -> Vec<u8> {
    (0..LONGEST as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect()
}

/// A MAC with nonces: keys, messages and tags at both ends of memory; whole, in pieces, and in batches.
fn check_nonces<H: HashAndPads<N>, const N: usize, const L: usize>(secret: &[u8]) {
    let [mut guarded, mut headers, mut payloads] = [LONGEST, HEADER, LONGEST].map(Guarded::new);
    let (mut secrets, mut received) = (Guarded::new(secret.len()), Guarded::new(N));
    let message = message();
    let new = |cpu, secret: &[u8]| {
        nonce_mac::Key::<H, N, L>::from_slice_with_cpu(cpu, secret).expect("its length")
    };
    let portable = new(Cpu::PORTABLE, secret);
    let nonce = || NonceOf::counter(8);
    // The messages beside the guarded one decide how a group of eight is taken.
    let companions = [0, 1, 16, 64, 700, 1500].map(|length| &message[..length]);
    for (name, cpu) in nonce_mac::Key::<H, N, L>::kernels(Cpu::detect()) {
        let key = new(cpu, secrets.at_start(secret));
        let from_end = new(cpu, secrets.at_end(secret));
        for length in lengths() {
            let expected = portable.tag(nonce(), &message[..length]);
            for at in ENDS {
                let (header, payload) = message[..length].split_at(length.min(HEADER));
                let (header, payload) = (at(&mut headers, header), at(&mut payloads, payload));
                let message = at(&mut guarded, &message[..length]);
                let case = format_args!("{} {N} on {name}, {length} bytes", H::NAME);
                assert_eq!(key.tag_parts(nonce(), &[header, payload]), expected, "{case}, parts");
                assert_eq!(key.tag(nonce(), message), expected, "{case}");
                assert_eq!(from_end.tag(nonce(), message), expected, "{case}, the other key");
                let tag = at(&mut received, &expected.to_bytes());
                let tag = Tag::try_from(tag).expect("its length");
                assert_eq!(key.verify(&nonce(), message, &tag), Ok(()), "{case}");

                let mut stream = key.stream();
                let (head, tail) = message.split_at(length / 3);
                stream.update(head);
                stream.update(tail);
                assert_eq!(raw::peek(&stream, &nonce().into()), expected, "{case}, peek");
                assert_eq!(stream.finish(nonce()), expected, "{case}, stream");

                // In all eight places, then in each, beside others.
                let mut tags = [Tag::from([0; N]); 8];
                key.tag_many(nonce(), &[message; 8], &mut tags).expect("enough nonces");
                assert_eq!(tags[0], expected, "{case}, batch");
                let place = length % 8;
                let expected = portable.tag(NonceOf::counter(8 + place as u64), message);
                for companion in companions {
                    let mut messages = [companion; 8];
                    messages[place] = message;
                    // Whole groups of eight, and an incomplete one at the end.
                    for count in [8, place + 1] {
                        let tags = &mut tags[..count];
                        key.tag_many(nonce(), &messages[..count], tags).expect("enough nonces");
                        assert_eq!(tags[place], expected, "{case}, place {place} of {count}");
                    }
                }
            }
        }
    }
}

#[test]
fn umac() {
    check_nonces::<Umac<4>, 4, 8>(SECRET);
    check_nonces::<Umac<8>, 8, 8>(SECRET);
    check_nonces::<Umac<12>, 12, 8>(SECRET);
    check_nonces::<Umac<16>, 16, 8>(SECRET);
}

#[test]
fn umac16() {
    check_nonces::<umac16::Levels<4>, 4, 8>(SECRET);
    check_nonces::<umac16::Levels<8>, 8, 8>(SECRET);
    check_nonces::<umac16::Levels<16>, 16, 8>(SECRET);
}

#[test]
fn carter() {
    check_nonces::<Carter<Aes128, 16>, 16, 12>(SECRET);
    check_nonces::<Carter<Aes256, 12>, 12, 16>(&SECRET.repeat(2));
    check_nonces::<Carter<Aes128, 8>, 8, 16>(SECRET);
}

/// PMAC: whole and in pieces; batches, bits, sums and segments of every length up to some registers.
fn check_pmac<C: BlockCipher, const N: usize>() {
    let [mut guarded, mut headers, mut payloads] = [LONGEST, HEADER, LONGEST].map(Guarded::new);
    let message = message();
    let secret: Vec<u8> = (1..=C::KEY_BYTES as u8).collect();
    let new =
        |cpu| pmac::Key::<C, N>::from_slice_with_cpu(cpu, &secret).expect("the cipher's length");
    let portable = new(Cpu::PORTABLE);
    // The messages beside the guarded one decide how a group of 16 is taken.
    let companions = [0, 16, 32, 48, 80, 700].map(|length| &message[..length]);
    for (name, cpu) in pmac::Key::<C, N>::kernels(Cpu::detect()) {
        let key = new(cpu);
        for length in lengths() {
            let expected = key.tag(&message[..length]);
            for at in ENDS {
                let (header, payload) = message[..length].split_at(length.min(HEADER));
                let (header, payload) = (at(&mut headers, header), at(&mut payloads, payload));
                let message = at(&mut guarded, &message[..length]);
                let case = format_args!("{name}, {length} bytes");
                assert_eq!(key.tag_parts(&[header, payload]), expected, "{case}, parts");
                assert_eq!(key.tag(message), expected, "{case}");
                let mut stream = key.stream();
                stream.update(message);
                assert_eq!(stream.finish(), expected, "{case}, stream");
                if length > 200 {
                    continue;
                }
                assert_eq!(portable.tag(message), expected, "{case}, portable");
                assert_eq!(key.tag_bits(Bits::from(message)), expected, "{case}, bits");

                let mut tags = [Tag::from([0; N]); 16];
                key.tag_many(&[message; 16], &mut tags);
                assert_eq!(tags, [expected; 16], "{case}, batch");
                let place = length % 16;
                for companion in companions {
                    let mut messages = [companion; 16];
                    messages[place] = message;
                    key.tag_many(&messages, &mut tags);
                    assert_eq!(tags[place], expected, "{case}, place {place}");
                }
                assert_eq!(key.verify_many(&[(message, expected); 11], &mut [false; 11]), Ok(()));

                assert_eq!(Sum::new(&key, Bits::from(message)).tag(&key), Ok(expected), "{case}");
                // The second half, from another position in the kernels' groups.
                let (head, tail) = message.split_at(length / 2 / N * N);
                let start = head.len() / N;
                for moved in [0, 30, 31] {
                    let segment = |key, start, part| Segment::new(key, start, Bits::from(part));
                    let its_start = (start + moved) as u64;
                    let (ours, theirs) =
                        (segment(&key, its_start, tail), segment(&portable, its_start, tail));
                    let (ours, theirs) = (ours.expect("short"), theirs.expect("short"));
                    assert_eq!(ours.to_bytes(), theirs.to_bytes(), "{case}, from {its_start}");
                }
            }
        }
    }
}

#[test]
fn pmac() {
    check_pmac::<Aes128, 16>();
    check_pmac::<Aes256, 16>();
}

// The guard itself.

/// Reads a byte before or after the readable pages. Only [`other_accesses_end_the_process`] runs it.
#[test]
#[ignore = "ends the process"]
fn reads_after() {
    let mut guarded = Guarded::new(1);
    let place = guarded.at_end(&[1, 2, 3]).as_ptr();
    // SAFETY: none. It must fault.
    unsafe { std::hint::black_box(place.add(3).read_volatile()) };
}

/// The same as [`reads_after`].
#[test]
#[ignore = "ends the process"]
fn reads_before() {
    let mut guarded = Guarded::new(1);
    let place = guarded.at_start(&[1, 2, 3]).as_ptr();
    // SAFETY: none. It must fault.
    unsafe { std::hint::black_box(place.sub(1).read_volatile()) };
}

/// Writes a byte of the message.
#[test]
#[ignore = "ends the process"]
fn writes_inside() {
    let mut guarded = Guarded::new(1);
    let place = guarded.at_end(&[1, 2, 3]).as_ptr().cast_mut();
    // SAFETY: none. It must fault.
    unsafe { place.add(1).write_volatile(2) };
}

#[test]
fn other_accesses_end_the_process() {
    let this = std::env::current_exe().expect("this test is a program");
    for test in ["reads_after", "reads_before", "writes_inside"] {
        let output = Command::new(&this).args(["--exact", test, "--ignored"]).output();
        let status = output.expect("it starts").status;
        assert_eq!(status.signal(), Some(libc::SIGSEGV), "{test}: {status}");
    }
}
