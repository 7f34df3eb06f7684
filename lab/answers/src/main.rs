//! `wegman-answers [--json] FILE...`: see [`wegman_answers::command`].

use std::path::PathBuf;
use std::process::ExitCode;
use wegman_answers::command;

fn main() -> ExitCode {
    let (options, files): (Vec<PathBuf>, Vec<PathBuf>) = std::env::args_os()
        .skip(1)
        .map(PathBuf::from)
        .partition(|word| word.to_string_lossy().starts_with("--"));
    if files.is_empty() || options.iter().any(|option| option.as_os_str() != "--json") {
        eprintln!("usage: wegman-answers [--json] FILE...");
        return command::ERROR.into();
    }
    match command::run(&files, !options.is_empty()) {
        Ok(code) => code.into(),
        Err(error) => {
            eprintln!("{error:#}");
            command::ERROR.into()
        }
    }
}
