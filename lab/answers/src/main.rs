//! `wegman-answers FILE...`: see [`wegman_answers::command`].

use std::path::PathBuf;
use std::process::ExitCode;
use wegman_answers::command;

fn main() -> ExitCode {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if files.is_empty() || files.iter().any(|file| file.to_string_lossy().starts_with("--")) {
        eprintln!("usage: wegman-answers FILE...");
        return command::ERROR.into();
    }
    match command::run(&files) {
        Ok(code) => code.into(),
        Err(error) => {
            eprintln!("{error:#}");
            command::ERROR.into()
        }
    }
}
