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

/// What was measured by this program on this machine, if it was.
pub fn load(directory: &Path, machine: &Machine) -> Result<Option<Paths>, String> {
    let path = directory.join(FILE);
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| at(&error))?,
    };
    let kept: Kept = serde_json::from_str(&text).map_err(|error| at(&error))?;
    Ok((kept.machine == *machine).then_some(kept.paths))
}

/// Keeps what was measured. A file that is there, of another program or machine or damaged, is renamed, and its new name
/// is returned.
pub fn keep(directory: &Path, machine: &Machine, paths: Paths) -> Result<Option<String>, String> {
    let kept = Kept { machine: machine.clone(), paths };
    let text = serde_json::to_string_pretty(&kept).expect("numbers and strings") + "\n";
    let (new, path) = (directory.join("path.json.new"), directory.join(FILE));
    let at = |error| format!("{}: {error}", path.display());
    fs::write(&new, text).map_err(at)?;
    let put_aside = path.exists().then(|| store::put_aside(&path)).transpose()?;
    fs::rename(&new, &path).map_err(at)?;
    Ok(put_aside)
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
        assert!(load(directory, &a).unwrap().is_none());
        assert_eq!(keep(directory, &a, sample_paths()), Ok(None));
        let paths = load(directory, &a).unwrap().unwrap();
        assert_eq!(paths.link, sample_paths().link);
        assert_eq!(paths.results.len(), sample_paths().results.len());
        assert!(load(directory, &b).unwrap().is_none());
        let put_aside = keep(directory, &b, sample_paths()).unwrap();
        assert!(put_aside.is_some_and(|name| name.ends_with("path-1.json")));
        assert!(load(directory, &a).unwrap().is_none() && load(directory, &b).unwrap().is_some());
        // A truncated file is no result.
        fs::write(directory.join(FILE), "{\"machine\"").unwrap();
        assert!(load(directory, &b).is_err());
        keep(directory, &b, sample_paths()).unwrap();
        let names = fs::read_dir(directory).unwrap().map(|file| file.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(names, ["path-1.json", "path-2.json", "path.json"]);
    }
}
