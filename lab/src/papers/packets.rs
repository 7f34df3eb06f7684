//! The packet path as one of the tables. A separate process, `wegman-bench path`, measures it, because only a process
//! with one thread may enter a user namespace. Its output is kept in `path.json`, whole or not at all.

use crate::papers::store::{self, Machine};
use crate::path::Paths;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const FILE: &str = "path.json";

/// The file.
#[derive(Serialize, Deserialize)]
struct Kept {
    machine: Machine,
    paths: Paths,
}

fn read(directory: &Path) -> Result<Option<Kept>, String> {
    let path = directory.join(FILE);
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(&error)),
        Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| at(&error)),
    }
}

/// What was measured by this program on this machine, if it was.
pub fn load(directory: &Path, machine: &Machine) -> Result<Option<Paths>, String> {
    let kept = read(directory)?.filter(|kept| kept.machine == *machine);
    Ok(kept.map(|kept| kept.paths))
}

/// Whether it must be measured. A file of another program or machine is renamed, and its new name is returned.
pub fn is_missing(directory: &Path, machine: &Machine) -> Result<(bool, Option<String>), String> {
    match read(directory) {
        Ok(None) => Ok((true, None)),
        Ok(Some(kept)) if kept.machine == *machine => Ok((false, None)),
        _ => Ok((true, Some(store::put_aside(&directory.join(FILE))?))),
    }
}

/// Keeps what was measured.
pub fn keep(directory: &Path, machine: &Machine, paths: Paths) -> Result<(), String> {
    let kept = Kept { machine: machine.clone(), paths };
    let text = serde_json::to_string_pretty(&kept).expect("numbers and strings") + "\n";
    let (new, path) = (directory.join("path.json.new"), directory.join(FILE));
    let written = fs::write(&new, text).and_then(|()| fs::rename(&new, &path));
    written.map_err(|error| format!("{}: {error}", path.display()))
}

/// Measures for about `time`. The process shows its progress and its errors itself.
pub fn run(time: Duration) -> Result<Paths, String> {
    let at = |error: &dyn std::fmt::Display| format!("the packet path: {error}");
    let program = std::env::current_exe().map_err(|error| at(&error))?;
    let output = Command::new(program)
        .args(["path", "--json", "--seconds", &time.as_secs().to_string()])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| at(&error))?;
    if !output.status.success() {
        return Err(at(&output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| at(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::sample::sample_paths;

    #[test]
    fn it_is_measured_once_by_each_program() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let machine = |build: &str| {
            let (cpu, build) = ("A CPU".to_owned(), build.to_owned());
            Machine { cpu, features: String::new(), build, quick: true }
        };
        let (a, b) = (machine("a"), machine("b"));
        assert_eq!(is_missing(directory, &a), Ok((true, None)));
        assert!(load(directory, &a).unwrap().is_none());
        keep(directory, &a, sample_paths()).unwrap();
        assert_eq!(is_missing(directory, &a), Ok((false, None)));
        let paths = load(directory, &a).unwrap().unwrap();
        assert_eq!(paths.link, sample_paths().link);
        assert_eq!(paths.results.len(), sample_paths().results.len());
        assert!(load(directory, &b).unwrap().is_none());
        let (missing, put_aside) = is_missing(directory, &b).unwrap();
        assert!(missing && put_aside.is_some_and(|name| name.ends_with("path-1.json")));
        assert_eq!(is_missing(directory, &a), Ok((true, None)));
        // A truncated file is no result.
        fs::write(directory.join(FILE), "{\"machine\"").unwrap();
        assert!(load(directory, &a).is_err());
        assert!(is_missing(directory, &a).is_ok_and(|(missing, _)| missing));
        let names = fs::read_dir(directory).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(names, ["path-1.json", "path-2.json"]);
    }
}
