//! Regular files, opened without waiting for anybody. A socket or a device is refused, and a pipe that nobody writes to.

use anyhow::{Result, ensure};
use rustix::event::{PollFd, PollFlags, poll};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file.
pub fn open(path: &Path) -> Result<(File, Metadata)> {
    // Before it is opened, since opening a device may do something; and after, should it have been exchanged.
    require(&path.metadata()?)?;
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let metadata = file.metadata()?;
    require(&metadata)?;
    Ok((file, metadata))
}

/// [`open`], or what others write to a pipe, such as a shell's `<(command)`.
pub fn open_or_pipe(path: &Path) -> Result<(Patient, Metadata)> {
    if !path.metadata()?.file_type().is_fifo() {
        let (file, metadata) = open(path)?;
        return Ok((Patient { file, begun: true }, metadata));
    }
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let metadata = file.metadata()?;
    ensure!(metadata.file_type().is_fifo(), "it was replaced while it was opened: run this again");
    Ok((Patient { file, begun: false }, metadata))
}

/// Waits for whoever writes to a pipe, but not for somebody to come and do so.
pub struct Patient {
    file: File,
    begun: bool,
}

impl Read for Patient {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.file.read(room) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.begun = true;
                    poll(&mut [PollFd::new(&self.file, PollFlags::IN)], None)?;
                }
                Ok(0) if !self.begun => {
                    return Err(io::Error::other("it is a pipe without a writer"));
                }
                done => {
                    self.begun = true;
                    return done;
                }
            }
        }
    }
}

fn require(metadata: &Metadata) -> Result<()> {
    let kind = metadata.file_type();
    ensure!(!kind.is_dir(), "it is a directory");
    ensure!(!kind.is_fifo(), "it is a pipe, not a file");
    ensure!(!kind.is_socket(), "it is a socket, not a file");
    ensure!(kind.is_file(), "it is a device, not a file");
    Ok(())
}
