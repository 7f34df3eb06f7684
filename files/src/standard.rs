//! Standard input and output, and whether there are any. Rust puts `/dev/null` in the place of one that is closed: then
//! a message would be empty, and what is printed would be lost, without an error. So a function that runs before Rust's
//! own start looks at both. (Later nothing tells: others give programs a `/dev/null` that was opened in the same way.)

use crate::names::{shown, steers};
use anyhow::{Context, Result};
use rustix::fd::BorrowedFd;
use rustix::io::fcntl_getfd;
use rustix::stdio::{stdin, stdout};
use std::io::{self, IsTerminal, Stdin, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use zeroize::Zeroizing;

static INPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);
static OUTPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

#[allow(
    unsafe_code,
    reason = "before main, only system calls and atomics: nothing that needs Rust's start"
)]
// SAFETY: it runs before Rust's own start, and needs nothing of that: two system calls and two atomics.
#[ctor::ctor(unsafe)]
fn look() {
    let is_closed = |place: BorrowedFd<'_>| fcntl_getfd(place).is_err();
    INPUT_IS_CLOSED.store(is_closed(stdin()), Ordering::Relaxed);
    OUTPUT_IS_CLOSED.store(is_closed(stdout()), Ordering::Relaxed);
}

/// Whether there is a standard input.
pub fn input_is_open() -> bool {
    !INPUT_IS_CLOSED.load(Ordering::Relaxed)
}

/// Whether there is a standard output.
pub fn output_is_open() -> bool {
    !OUTPUT_IS_CLOSED.load(Ordering::Relaxed)
}

/// Standard input, or an error if it is closed. Whoever reads it as data calls this before any other work.
pub fn input() -> io::Result<Stdin> {
    if input_is_open() {
        Ok(io::stdin())
    } else {
        Err(io::Error::other("standard input is closed"))
    }
}

/// Standard output. Writing to a closed one is an error.
#[derive(Clone, Copy)]
pub struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if output_is_open() {
            io::stdout().write(bytes)
        } else {
            Err(io::Error::other("it is closed"))
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

/// Writes all of it to standard output: an error if not all arrives.
pub fn print(bytes: &[u8]) -> Result<()> {
    write(bytes).context("standard output")
}

/// [`print`] for lines with names, which must not tell a terminal what to do.
pub fn print_lines(lines: &[u8]) -> Result<()> {
    if !io::stdout().is_terminal() {
        return print(lines);
    }
    print(lines_shown(lines).as_bytes())
}

/// [`shown`] for lines, which may be secret: they are in one room, which is wiped.
fn lines_shown(lines: &[u8]) -> Zeroizing<String> {
    // The longest escape has six bytes for one, so nothing is moved and left behind.
    let mut text = Zeroizing::new(String::with_capacity(6 * lines.len()));
    for chunk in lines.utf8_chunks() {
        for c in chunk.valid().chars() {
            if steers(c) && c != '\n' {
                text.extend(c.escape_default());
            } else {
                text.push(c);
            }
        }
        text.extend((!chunk.invalid().is_empty()).then_some(char::REPLACEMENT_CHARACTER));
    }
    text
}

/// [`print`] for a page, of which somebody may read only the top.
pub fn print_page(text: &str) -> Result<()> {
    match write(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("standard output"),
    }
}

fn write(bytes: &[u8]) -> io::Result<()> {
    Output.write_all(bytes).and_then(|()| Output.flush())
}

/// A message on standard error, on one line: files write some of it, not names alone. If that is full or closed, the exit code
/// still tells.
pub fn say(message: &str) {
    let _ = writeln!(io::stderr(), "wegman: {}", shown(message));
}

#[cfg(test)]
mod tests {
    use super::{lines_shown, shown};

    #[test]
    fn shown_lines_stay_in_their_room() {
        for part in ["a", "\u{1}", "\u{7f}", "\u{9b}", "\u{202e}", "\u{10ffff}"] {
            let line = part.repeat(100);
            let text = lines_shown(format!("{line}\n{line}\n").as_bytes());
            assert_eq!(*text, format!("{0}\n{0}\n", shown(&line)));
            assert_eq!(text.capacity(), 6 * (2 * line.len() + 2));
        }
        let text = lines_shown(&[0xff; 100]);
        assert_eq!((&**text, text.capacity()), (&*"\u{fffd}".repeat(100), 600));
    }
}
