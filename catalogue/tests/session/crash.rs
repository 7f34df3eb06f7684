//! What is stored of a receiver and of the halves of a link is enough: their processes are killed at any moment, again and
//! again, and no packet is accepted twice, no number is sealed twice under one key, and no forgery attempt is forgotten.
//! (A kill is not a power failure: this does not show that the syncs are needed.)

use std::collections::HashSet;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use wegman::bound::Units;
use wegman::session::{
    Budget, Header, Link, Opener, PacketMac, Receiver, Rejected, Role, SavedOpener, SavedReceiver,
    SavedSealer, SealError, Sealer,
};
use wegman::{Tag, umac};

/// With 64-bit tags, so that the budget is never at its end.
type Key = umac::Key<8>;

const FILE: &str = "WEGMAN_TEST_STATE";
/// How far the processes before came, as a position.
const FROM: &str = "WEGMAN_TEST_FROM";
const KILLS: u64 = 60;

/// How many numbers are reserved at a time: fewer than a run has.
const NUMBERS: u64 = 16;
/// How many attempts are reserved with them, at some positions too few, so that they end before the numbers do.
fn attempts(position: u64) -> u64 {
    if (position / 20).is_multiple_of(2) { 5 } else { 40 }
}

/// Packets of an epoch. A position is the epoch times this and the number.
const EPOCH: u64 = 30;

/// What storage does, for a variable.
macro_rules! kept {
    ($place:ident: $Saved:ty) => {
        |saved: &$Saved| -> Result<(), ()> {
            $place = saved.to_bytes().to_vec();
            Ok(())
        }
    };
}

const SECRET: [u8; 32] = [7; 32];
const MESSAGE: &[u8] = b"a packet";

/// Writes, syncs, renames, and syncs the folder.
fn store(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("draft");
    let mut file = File::create(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(draft, path)?;
    File::open(path.parent().expect("it is in a folder"))?.sync_all()
}

/// In the process that is killed: the path of its state, and how far those before it came.
fn killed() -> Option<(PathBuf, u64)> {
    let from = std::env::var(FROM).ok()?;
    Some((std::env::var_os(FILE)?.into(), from.parse().unwrap()))
}

/// One line. The last one of a killed process may be incomplete, so each has an end.
fn say(what: &str, value: impl Display) {
    println!("{what} {value}.");
}

/// Starts the test `name` of this module again as a process, with the state `first`, kills it after a number of lines, and
/// does that again and again. `hears` gets its lines and says how far it came.
fn kill_again_and_again(name: &str, first: &[u8], mut hears: impl FnMut(&str, u128) -> u64) {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crash-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("state");
    store(&path, first).unwrap();
    let mut from = 0;
    for i in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &format!("crash::{name}"), "--nocapture"])
            .env(FILE, &path)
            .env(FROM, from.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut lines = 0;
        for line in out.lines() {
            let line = line.unwrap();
            let Some((what, value)) = line.strip_suffix('.').and_then(|line| line.split_once(' '))
            else {
                continue;
            };
            // The test harness writes lines, too.
            let Ok(value) = value.parse() else { continue };
            from = from.max(hears(what, value));
            lines += 1;
            if lines == 1 + i * 7 % 60 {
                // Pause, then kill. What it wrote until then is still in the pipe.
                std::thread::sleep(Duration::from_micros(i * 97 % 3000));
                child.kill().unwrap();
            }
        }
        let status = child.wait().unwrap();
        assert!(status.code().is_none(), "run {i} was not killed but ended: {status}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// What receiving processes say: no position twice, and never less spent than before.
#[derive(Default)]
struct Heard {
    accepted: HashSet<u128>,
    spent: u128,
    top: u128,
    /// How often a process had to continue with attempts of the one before.
    continued: u64,
}

impl Heard {
    fn hears(&mut self, what: &str, value: u128) -> u64 {
        match what {
            "accepted" => {
                assert!(self.accepted.insert(value), "{value} was accepted twice");
                self.top = self.top.max(value);
            }
            "restored" | "spent" => {
                assert!(value >= self.spent, "{what}: {value} units after {}", self.spent);
                self.continued += u64::from(what == "restored" && self.spent > 0);
                self.spent = value;
            }
            other => panic!("it said {other}"),
        }
        self.top as u64
    }

    fn check(&self) {
        assert!(self.accepted.len() as u64 > 8 * KILLS, "{} accepted", self.accepted.len());
        assert!(self.continued > KILLS * 3 / 4, "{} continued", self.continued);
    }
}

/// Opens packets around position `from` and all later ones until it is killed: each one twice, some of them late, and
/// before it a forgery. `try_open` gets a position and whether the tag must be wrong.
fn open_until_killed(from: u64, mut try_open: impl FnMut(u64, bool) -> (bool, Units)) -> ! {
    let mut spent = 0;
    for position in from.saturating_sub(EPOCH + 15).. {
        let Units(now) = try_open(position, true).1;
        if now != spent {
            say("spent", now);
            spent = now;
        }
        // A fifth of the packets come first when others were first.
        let now = if position % 5 == 0 { None } else { Some(position) };
        for again in [now, position.checked_sub(7), now] {
            if let Some(again) = again
                && try_open(again, false).0
            {
                say("accepted", again);
            }
        }
    }
    unreachable!("it is killed before")
}

/// The tag, or another one.
fn tag_or_not(tag: Tag<8>, is_wrong: bool) -> Tag<8> {
    let mut bytes = tag.to_bytes();
    bytes[3] ^= u8::from(is_wrong);
    Tag::from(bytes)
}

#[test]
fn receiver_killed_at_any_moment() {
    let key = Key::new(b"abcdefghijklmnop");
    if let Some((path, from)) = killed() {
        let saved = SavedReceiver::from_bytes(&fs::read(&path).unwrap()).unwrap();
        let mut receiver: Receiver<_> =
            Receiver::restore(&key, saved, Budget::close_at(40)).unwrap();
        let Units(spent) = receiver.spent();
        say("restored", spent);
        open_until_killed(from, |number, is_wrong| {
            let tag = tag_or_not(key.tag_packet(number, MESSAGE), is_wrong);
            let mut outcome = receiver.open(number, MESSAGE, &tag).map(drop);
            if outcome == Err(Rejected::NotReserved) {
                receiver
                    .reserve(NUMBERS, attempts(number), 1000, |saved| {
                        store(&path, &saved.to_bytes())
                    })
                    .unwrap();
                outcome = receiver.open(number, MESSAGE, &tag).map(drop);
            }
            assert!(!matches!(outcome, Err(Rejected::NotReserved | Rejected::Closed)));
            (outcome.is_ok(), receiver.spent())
        })
    }
    let mut heard = Heard::default();
    let first = SavedReceiver::starting_at(&key, 0).to_bytes();
    kill_again_and_again("receiver_killed_at_any_moment", &first, |what, value| {
        heard.hears(what, value)
    });
    heard.check();
}

fn link(role: Role) -> (Sealer<Key>, Opener<Key>) {
    Link::new(&SECRET, b"crash", role).split()
}

#[test]
fn opener_killed_at_any_moment() {
    if let Some((path, from)) = killed() {
        let saved = SavedOpener::from_bytes(&fs::read(&path).unwrap()).unwrap();
        let mut opener = Opener::<Key>::restore(saved).unwrap();
        let Units(spent) = opener.spent();
        say("restored", spent);
        // The other end: it has sealed all from the beginning, and is asked for some of it again.
        let mut sealer = link(Role::Initiator).0;
        let mut sealed = Vec::new();
        open_until_killed(from, |position, is_wrong| {
            while sealed.len() as u64 <= position {
                if sealed.len() as u64 / EPOCH > sealer.epoch().into() {
                    sealer.rekey().unwrap();
                }
                sealed.push(sealer.seal(&[MESSAGE]).unwrap());
            }
            let (header, tag) = sealed[position as usize];
            assert_eq!(u64::from(header.epoch) * EPOCH + header.number, position);
            let tag = tag_or_not(tag, is_wrong);
            let mut outcome = opener.open(header, &[MESSAGE], &tag).map(drop);
            if outcome == Err(Rejected::NotReserved) {
                opener
                    .reserve(NUMBERS, attempts(position), 1000, |saved| {
                        store(&path, &*saved.to_bytes())
                    })
                    .unwrap();
                outcome = opener.open(header, &[MESSAGE], &tag).map(drop);
            }
            let is_good = !matches!(outcome, Err(Rejected::NotReserved | Rejected::Closed));
            assert!(is_good, "{header:?}: {outcome:?}");
            (outcome.is_ok(), opener.spent())
        })
    }
    let mut first = Vec::new();
    link(Role::Responder).1.reserve(0, 0, 0, kept!(first: SavedOpener)).unwrap();
    let mut heard = Heard::default();
    kill_again_and_again("opener_killed_at_any_moment", &first, |what, value| {
        heard.hears(what, value)
    });
    heard.check();
    assert!(heard.top as u64 / EPOCH > 10, "{} epochs", heard.top as u64 / EPOCH);
}

#[test]
fn sealer_killed_at_any_moment() {
    if let Some((path, _)) = killed() {
        let saved = SavedSealer::from_bytes(&fs::read(&path).unwrap()).unwrap();
        let mut sealer = Sealer::<Key>::restore(saved).unwrap();
        for count in 1.. {
            let Header { epoch, number } = loop {
                match sealer.seal(&[MESSAGE]) {
                    Ok((header, _)) => break header,
                    Err(SealError::NotReserved) => sealer
                        .reserve(NUMBERS, 1000, |saved| store(&path, &*saved.to_bytes()))
                        .unwrap(),
                    Err(error) => panic!("{error}"),
                }
            };
            say("sealed", u128::from(epoch) << 64 | u128::from(number));
            if count % 23 == 0 {
                sealer.rekey().unwrap();
            }
        }
    }
    let mut first = Vec::new();
    link(Role::Initiator).0.reserve(0, 0, kept!(first: SavedSealer)).unwrap();
    let (mut sealed, mut epochs) = (HashSet::new(), HashSet::new());
    kill_again_and_again("sealer_killed_at_any_moment", &first, |what, value| {
        assert_eq!(what, "sealed");
        assert!(sealed.insert(value), "{} of epoch {} twice", value as u64, value >> 64);
        epochs.insert(value >> 64);
        0
    });
    assert!(sealed.len() as u64 > NUMBERS * KILLS, "numbers were reserved more than once a run");
    assert!(epochs.len() as u64 > KILLS / 2, "{} epochs", epochs.len());
}

/// A reservation is for numbers above the largest authentic one. If each came on top of the last, forged packets, which use
/// up attempts and no number, would move what a restart refuses as far as their sender likes.
#[test]
fn attempts_do_not_move_what_a_restart_refuses() {
    let key = Key::new(b"abcdefghijklmnop");
    let tag = |number| key.tag_packet(number, MESSAGE);
    let saved = SavedReceiver::starting_at(&key, 0);
    let mut receiver: Receiver<_> = Receiver::restore(&key, saved, Budget::close_at(40)).unwrap();
    let mut opener = link(Role::Responder).1;
    let (mut of_receiver, mut of_opener) = (Vec::new(), Vec::new());
    for number in 0..100 {
        // The attempts are used up after five of these.
        let wrong = tag_or_not(tag(number % 16), true);
        let header = Header { epoch: 0, number: number % 16 };
        if number % 5 == 0 {
            receiver.reserve(NUMBERS, 5, 100, kept!(of_receiver: SavedReceiver)).unwrap();
            opener.reserve(NUMBERS, 5, 100, kept!(of_opener: SavedOpener)).unwrap();
        }
        assert_eq!(receiver.open(header.number, MESSAGE, &wrong), Err(Rejected::Forged));
        assert_eq!(opener.open(header, &[MESSAGE], &wrong), Err(Rejected::Forged));
    }
    let saved = SavedOpener::from_bytes(&of_opener).unwrap();
    assert_eq!(saved.first(), Header { epoch: 0, number: NUMBERS });
    let saved = SavedReceiver::from_bytes(&of_receiver).unwrap();
    let mut receiver: Receiver<_> = Receiver::restore(&key, saved, Budget::close_at(40)).unwrap();
    receiver.reserve(NUMBERS, 5, 100, |_| Ok::<_, ()>(())).unwrap();
    let mut open = |number| receiver.open(number, MESSAGE, &tag(number)).map(drop);
    assert_eq!((open(NUMBERS - 1), open(NUMBERS)), (Err(Rejected::TooOld), Ok(())));
}
