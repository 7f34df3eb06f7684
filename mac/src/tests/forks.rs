//! Forks: what a child does with the counters of its parent, and with its own.

#![allow(unsafe_code)] // calls to the system

use crate::nonce::NonceOf;
use crate::session::{Budget, OtherProcess, Receiver, Rejected, SealError, Sender, SharedSender};
use crate::umac;
use std::panic::{AssertUnwindSafe, catch_unwind};

unsafe extern "C" {
    safe fn fork() -> i32;
    safe fn _exit(code: i32) -> !;
    fn waitpid(child: i32, status: *mut i32, options: i32) -> i32;
}

/// Runs `checks` in a child of this process. Which of them is the first that does not hold, from 1 on, if there is one.
pub fn in_child<const N: usize>(checks: impl FnOnce() -> [bool; N]) -> Option<usize> {
    const PANICKED: i32 = 100;
    match fork() {
        0 => {
            let held = catch_unwind(AssertUnwindSafe(checks));
            let wrong = |held: [bool; N]| held.iter().position(|held| !held);
            _exit(held.map_or(PANICKED, |held| wrong(held).map_or(0, |i| i as i32 + 1)))
        }
        child => {
            let mut status = 0;
            // SAFETY: a place for a number.
            assert_eq!(unsafe { waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(status & 0x7f, 0, "a signal ended the child");
            (status != 0).then_some((status >> 8) as usize)
        }
    }
}

type Key = umac::Key<8>;

const REFUSED: SealError = SealError::OtherProcess;

/// Whether what a child makes itself works.
fn makes_its_own() -> bool {
    let key = Key::new(&[2; 16]);
    let mut receiver = Receiver::<_>::new(&key, 0, Budget::close_at(40));
    let sealed = Sender::new(&key, 0).seal(b"a packet");
    sealed.is_ok_and(|(number, tag)| receiver.open(number, b"a packet", &tag).is_ok())
}

#[test]
fn a_child_seals_nothing_with_its_parents_numbers() {
    let key = Key::new(&[1; 16]);
    let mut sender = Sender::new(&key, 1);
    let shared = SharedSender::new(Sender::new(&key, 100));
    let moved = (Sender::new(&key, 150), SharedSender::new(Sender::new(&key, 160)));
    let wrong = in_child(|| {
        let mut tags = [key.tag(NonceOf::counter(0), b"")];
        [
            sender.seal(b"another").err() == Some(REFUSED),
            sender.seal_parts(&[b"another", b""]).err() == Some(REFUSED),
            sender.seal_many(&[b"another"], &mut tags).err() == Some(REFUSED),
            sender.split(50).err() == Some(REFUSED),
            shared.seal(b"another").err() == Some(REFUSED),
            shared.seal_parts(&[b"another", b""]).err() == Some(REFUSED),
            makes_its_own(),
            in_child(|| [sender.seal(b"another").is_err(), makes_its_own()]).is_none(),
            sender.reserve(10, 100, |_| -> Result<(), ()> { panic!("it is stored") }).is_err(),
            moved.0.into_saved() == Err(OtherProcess),
            moved.1.into_sender().seal(b"another").err() == Some(REFUSED),
        ]
    });
    assert_eq!(wrong, None);
    // The parent goes on, and so does a child with what is its own.
    assert_eq!(sender.seal(b"another").unwrap().0, 1);
    assert_eq!(shared.seal(b"another").unwrap().0, 100);
}

#[test]
fn a_child_accepts_nothing_for_its_parent() {
    let key = Key::new(&[1; 16]);
    let (number, tag) = Sender::new(&key, 0).seal(b"a packet").unwrap();
    let mut receiver = Receiver::<_>::new(&key, 0, Budget::close_at(40));
    let moved = Receiver::<_>::new(&key, 0, Budget::close_at(40));
    let counts = receiver.counts();
    let wrong = in_child(|| {
        let mut outcomes = [Err(Rejected::Closed)];
        receiver.open_many(&[(number, b"a packet", tag)], &mut outcomes);
        let refused = Some(Rejected::OtherProcess);
        [
            outcomes[0].err() == refused,
            receiver.check(number).err() == refused,
            receiver.open(number, b"a packet", &tag).err() == refused,
            receiver.open_parts(number, &[b"a", b" packet"], &tag).err() == refused,
            receiver.counts() == counts,
            receiver.reserve(1, 1, 100, |_| -> Result<(), ()> { panic!("it is stored") }).is_err(),
            moved.into_saved() == Err(OtherProcess),
        ]
    });
    assert_eq!(wrong, None);
    assert!(receiver.open(number, b"a packet", &tag).is_ok());
}

#[cfg(feature = "link")]
#[test]
fn the_halves_of_a_link_stay_with_their_process() {
    use crate::session::{Link, Role};
    let link = |role| Link::<Key>::new(&[7; 32], b"a test", role);
    let (mut alice, mut bob) = (link(Role::Initiator), link(Role::Responder));
    let (header, tag) = alice.sealer.seal(&[b"a packet"]).unwrap();
    let Link { sealer, opener } = link(Role::Initiator);
    let wrong = in_child(|| {
        let (mut tags, mut packet) = ([tag], Vec::new());
        let mut outcomes = [Err(Rejected::Closed)];
        bob.opener.open_many(&[(header, b"a packet", tag)], &mut outcomes);
        let refused = Some(Rejected::OtherProcess);
        let another: &[&[u8]] = &[b"another"];
        [
            alice.sealer.seal(another).err() == Some(REFUSED),
            alice.sealer.seal_many(&[b"another"], &mut tags).err() == Some(REFUSED),
            alice.sealer.seal_packet(another, &mut packet).err() == Some(REFUSED)
                && packet.is_empty(),
            alice.sealer.rekey().err() == Some(REFUSED),
            alice.sealer.seal(another).err() == Some(REFUSED),
            outcomes[0].err() == refused,
            bob.opener.open(header, &[b"a packet"], &tag).err() == refused,
            bob.opener.accept(header, &[b"a", b" packet"], &tag).err() == refused,
            bob.opener.counts().accepted == 0,
            alice.sealer.reserve(1, 1, |_| -> Result<(), ()> { panic!("stored") }).is_err(),
            bob.opener.reserve(1, 1, 1, |_| -> Result<(), ()> { panic!("stored") }).is_err(),
            sealer.into_saved().is_err() && opener.into_saved().is_err(),
            link(Role::Initiator).sealer.seal(another).is_ok(),
        ]
    });
    assert_eq!(wrong, None);
    assert!(bob.opener.open(header, &[b"a packet"], &tag).is_ok());
    alice.sealer.rekey().unwrap();
    let (header, tag) = alice.sealer.seal(&[b"another"]).unwrap();
    assert!(bob.opener.open(header, &[b"another"], &tag).is_ok());
}
