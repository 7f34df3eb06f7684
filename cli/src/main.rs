//! The command `wegman`.

use std::process::ExitCode;

fn main() -> ExitCode {
    wegman_cli::main()
}
