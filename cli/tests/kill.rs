//! Edits killed (SIGKILL) at many moments: file and manifest agree, or `wegman check` says how to finish.

mod common;
use common::Sandbox;
use std::fs::File;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const FILE: usize = 6 << 20;
const EDIT: usize = 2 << 20;
const AT: usize = 3_000_001;
const KILLS: u32 = 105;

#[test]
fn killed_at_any_moment_nothing_is_lost() {
    let sandbox = Sandbox::with_key("PMAC-AES128");
    let mut content = vec![0; FILE];
    sandbox.write("file", &content);
    sandbox.wegman(&["tag", "-k", "key", "-o", "m", "file"]).exits(0);
    for byte in [1, 2] {
        sandbox.write(format!("new{byte}"), vec![byte; EDIT]);
    }
    let at = AT.to_string();
    let start = |byte: u8| {
        let args = ["edit", "-k", "key", "-m", "m", "file", "--at", &at];
        let mut command = sandbox.command(&args);
        command.stdin(File::open(sandbox.path(format!("new{byte}"))).unwrap());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let check = || sandbox.wegman(&["check", "-k", "key", "m"]);

    let journal = sandbox.path("m.wegman-edit");
    let wait = |child: &mut Child, there| {
        while journal.exists() != there && child.try_wait().unwrap().is_none() {
            std::hint::spin_loop();
        }
    };
    // How long one takes that is left alone, until its journal is there and until it is gone. Later ones may
    // take longer: then some are killed earlier.
    let times = [1, 2, 1].map(|byte| {
        let (begin, mut child) = (Instant::now(), start(byte));
        wait(&mut child, true);
        let before = begin.elapsed();
        wait(&mut child, false);
        let with = begin.elapsed() - before;
        assert!(child.wait().unwrap().success());
        (before, with)
    });
    let before = times.iter().map(|time| time.0).min().unwrap();
    let with = times.iter().map(|time| time.1).max().unwrap();
    content[AT..][..EDIT].fill(1);

    let (mut untouched, mut finished, mut done) = (0, 0, 0);
    for i in 0..KILLS {
        let byte = 3 - content[AT]; // other bytes than those there
        let mut child = start(byte);
        // A third of them before there is a journal, the others while it is there and a little after.
        if i % 3 == 0 {
            sleep(before * i / KILLS);
        } else {
            wait(&mut child, true);
            sleep(with * 5 / 4 * i / KILLS);
        }
        child.kill().unwrap();
        let ended = child.wait().unwrap().success();
        let old = content.clone();
        content[AT..][..EDIT].fill(byte);
        let checked = check();
        if checked.code == 0 {
            let now = sandbox.read("file");
            if now == content {
                done += 1;
            } else {
                assert!(!ended && now == old, "kill {i}: torn, and it passed");
                untouched += 1;
                content = old;
            }
            continue;
        }
        let checked = checked.exits(1);
        checked.says("file: an edit of it was interrupted").says("`wegman finish -k key m`");
        // Killed while finishing, it can be finished still.
        let mut finish = sandbox.command(&["finish", "-k", "key", "m"]);
        let mut child = finish.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(u64::from(i % 20)));
        child.kill().unwrap();
        child.wait().unwrap();
        sandbox.wegman(&["finish", "-k", "key", "m"]).exits(0);
        check().exits(0).prints(&["file: OK"]);
        assert!(sandbox.read("file") == content, "kill {i}");
        assert!(!sandbox.path("m.wegman-edit").exists());
        finished += 1;
    }
    println!("{untouched} untouched, {finished} to be finished, {done} done");
    assert!(untouched >= 5 && finished >= 5, "{untouched}, {finished}, {done}: killed too rarely");
}
