//! `wegman cluster`: the Python package's `wegman-cluster`.

use crate::output::Exit;
use anyhow::{Result, bail};
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::process::Command;

const PROGRAM: &str = "wegman-cluster";

/// Becomes that program, so that signals and exit codes are its own.
pub fn run(arguments: &[OsString]) -> Result<Exit> {
    // The one that was installed with this command, if there is one.
    let beside = env::current_exe().ok().map(|path| path.with_file_name(PROGRAM));
    let program = beside.filter(|path| path.is_file());
    let program = program.as_ref().map_or(OsStr::new(PROGRAM), |path| path.as_os_str());
    let error = Command::new(program).args(arguments).exec();
    if error.kind() == ErrorKind::NotFound {
        bail!("{PROGRAM} is not installed: docs/cluster.md of the repository says how");
    }
    bail!("{PROGRAM}: {error}")
}
