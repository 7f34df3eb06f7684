//! A process that seals packets with a counter in a file is killed at any moment, again and again: no number is
//! ever used twice.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use wegman::session::{Saved, SealError, Sender};

const FILE: &str = "WEGMAN_TEST_COUNTER";
const KILLS: u64 = 60;

/// Writes, syncs, renames, and syncs the folder: the file has the old counter or the new one, and when this returns,
/// the new one. (A kill is not a power failure: this test does not show that the syncs are needed.)
fn store(path: &Path, saved: &Saved) -> io::Result<()> {
    let draft = path.with_extension("draft");
    let mut file = File::create(&draft)?;
    file.write_all(&saved.to_bytes())?;
    file.sync_all()?;
    fs::rename(draft, path)?;
    File::open(path.parent().expect("it is in a folder"))?.sync_all()
}

/// The process that is killed. It prints each number before anyone could see the tag.
fn seal_until_killed(path: &Path) {
    let key = super::key();
    let saved = Saved::from_bytes(&fs::read(path).unwrap()).unwrap();
    let mut sender = Sender::restore(&key, saved).unwrap();
    let mut out = io::stdout();
    loop {
        match sender.seal(b"a packet") {
            Ok((sequence, _)) => writeln!(out, "sealed {sequence}.").unwrap(),
            Err(SealError::NotReserved) => {
                sender.reserve(16, 1000, |saved| store(path, saved)).unwrap();
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn killed_at_any_moment() {
    if let Some(path) = std::env::var_os(FILE) {
        return seal_until_killed(path.as_ref());
    }
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crash-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("counter");
    store(&path, &Saved::starting_at(&super::key(), 1)).unwrap();
    let (mut used, mut runs) = (HashSet::new(), 0_u64);
    for i in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::killed_at_any_moment", "--nocapture"])
            .env(FILE, &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut sealed = 0_u64;
        for line in out.lines() {
            let line = line.unwrap();
            // The last line may be incomplete.
            let digits = line.strip_prefix("sealed ").and_then(|line| line.strip_suffix('.'));
            let Some(digits) = digits else { continue };
            let number: u64 = digits.parse().unwrap();
            sealed += 1;
            if sealed == 1 + i * 7 % 40 {
                // Pause, then kill. What it wrote until then is still in the pipe.
                std::thread::sleep(Duration::from_micros(i * 97 % 3000));
                child.kill().unwrap();
            }
            assert!(used.insert(number), "{number} was used twice");
        }
        child.wait().unwrap();
        runs += u64::from(sealed > 0);
    }
    fs::remove_dir_all(folder).unwrap();
    assert_eq!(runs, KILLS, "each run sealed something");
    assert!(used.len() > 16 * KILLS as usize, "many numbers were reserved more than once a run");
}
