//! Edits killed while they work: file and manifest agree, or `wegman check` says how to finish.

mod common;
use common::{Output, Sandbox};
use std::fs;

const FILE: usize = 5 << 20;
/// Several pieces.
const EDIT: usize = (2 << 20) + 1;
/// So far into the file that the journal, which comes first, is shorter.
const AT: usize = 2_500_001;
/// What the system counts a file's length in, for `ulimit -f`.
const UNIT: usize = 512;

/// A file, another name of it, the manifest of both, and what is written into it in turns.
struct Scene {
    sandbox: Sandbox,
    content: Vec<u8>,
}

/// What a kill left.
#[derive(Debug, PartialEq)]
enum Left {
    Untouched,
    ToFinish,
    Done,
}

impl Scene {
    fn new() -> Scene {
        let sandbox = Sandbox::with_key("PMAC-AES128");
        let content = vec![0; FILE];
        sandbox.write("file", &content);
        fs::hard_link(sandbox.path("file"), sandbox.path("other name")).unwrap();
        sandbox.wegman(&["tag", "-k", "key", "-o", "m", "other name", "file"]).exits(0);
        for byte in [1, 2] {
            sandbox.write(format!("new{byte}"), vec![byte; EDIT]);
        }
        Scene { sandbox, content }
    }

    /// The byte that the next edit writes: another one than is there.
    fn byte(&self) -> u8 {
        if self.content[AT] == 1 { 2 } else { 1 }
    }

    /// Runs a command that the system kills (SIGXFSZ) when it writes more than so many bytes into a file.
    fn limited(&self, command: &str, units: usize) -> Output {
        self.sandbox.shell(&format!("ulimit -c 0 && ulimit -f {units} && exec wegman {command}"))
    }

    fn edit_limited(&self, units: usize) -> Output {
        let byte = self.byte();
        self.limited(&format!("edit -k key -m m file --at {AT} < new{byte}"), units)
    }

    /// What must hold after a kill, wherever it came.
    fn look(&mut self) -> Left {
        let mut new = self.content.clone();
        new[AT..][..EDIT].fill(self.byte());
        let check = self.sandbox.run("check m");
        if check.code == 0 {
            let now = self.sandbox.read("file");
            if now == self.content {
                return Left::Untouched;
            }
            assert!(now == new, "torn, and it passed");
            self.content = new;
            return Left::Done;
        }
        let check = check.exits(1);
        check.says("file: an edit of it was interrupted").says("`wegman finish -k key m`");
        Left::ToFinish
    }

    fn finish(&mut self) {
        let byte = self.byte();
        self.content[AT..][..EDIT].fill(byte);
        self.sandbox.run("finish m").exits(0);
        self.sandbox.run("check m").exits(0).prints(&["other name: OK", "file: OK"]);
        assert!(self.sandbox.read("file") == self.content);
        assert!(!self.sandbox.path("m.wegman-edit").exists());
        assert!(!self.sandbox.has_unfinished());
    }
}

/// The system kills it at a byte of the journal or of the file, the same one each time.
#[test]
fn killed_while_it_writes_nothing_is_lost() {
    let mut scene = Scene::new();
    // In the journal, of which no part is in its place then.
    for units in [0, 1, 16, 2048, 4095, EDIT / UNIT] {
        assert_eq!(scene.edit_limited(units).code, -1, "{units}: it was killed");
        assert_eq!(scene.look(), Left::Untouched, "{units}");
    }
    // At the file's first new byte and in each piece.
    let (first, last) = (AT.div_ceil(UNIT), (AT + EDIT) / UNIT);
    for units in [EDIT / UNIT + 8, first - 1, first, first + 1, first + 2048, first + 2050, last] {
        assert_eq!(scene.edit_limited(units).code, -1, "{units}: it was killed");
        let reached = |units: usize| (units * UNIT).max(AT);
        let mut torn = scene.content.clone();
        torn[AT..reached(units)].fill(scene.byte());
        assert!(scene.sandbox.read("file") == torn, "{units}");
        assert_eq!(scene.look(), Left::ToFinish, "{units}");
        // Killed while finishing, earlier or later, it can be finished still.
        for other in [first - 1, first + 2047, last] {
            assert_eq!(scene.limited("finish -k key m", other).code, -1, "{units}, {other}");
            assert_eq!(scene.look(), Left::ToFinish, "{units}, {other}");
        }
        scene.finish();
    }
    scene.edit_limited(last + 1).exits(0);
    assert_eq!(scene.look(), Left::Done);
    assert!(!scene.sandbox.has_unfinished());
}
