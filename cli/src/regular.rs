//! Regular files, opened without waiting for anybody. A pipe, a socket or a device is refused.

use anyhow::{Result, ensure};
use std::fs::{File, Metadata, OpenOptions};
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

fn require(metadata: &Metadata) -> Result<()> {
    let kind = metadata.file_type();
    ensure!(!kind.is_dir(), "it is a directory");
    ensure!(!kind.is_fifo(), "it is a pipe, not a file");
    ensure!(!kind.is_socket(), "it is a socket, not a file");
    ensure!(kind.is_file(), "it is a device, not a file");
    Ok(())
}
