//! `wegman-packages FOLDER`: what the unpacked packages in a folder hold, and that nothing leads out of them.
//! scripts/package calls it.
//!
//! Each package has its licences, its README and its changelog, names no owner and no address, and depends on nothing
//! by a path. Links in documents, pages and vectors that documents and code cite, files that documents name and files
//! that code includes are in the package. What is elsewhere is cited as "`docs/bounds.md` of `wegman-catalogue`", and
//! then it is there, or as "`lab/records` of the repository".
#![forbid(unsafe_code)]

mod manifest;
mod text;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use text::Owner;

const FILES: [&str; 6] =
    ["Cargo.lock", "Cargo.toml", "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// The packages, by their names: the folders' names without the versions.
type Packages = BTreeMap<String, PathBuf>;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: wegman-packages FOLDER");
        return ExitCode::from(2);
    };
    let packages = packages(Path::new(&folder));
    let mut problems = Vec::new();
    for (name, folder) in &packages {
        let mut package = Package { folder, packages: &packages, checked: 0, problems: Vec::new() };
        package.check(name);
        println!("{name}: {} links, names and citations", package.checked);
        problems.append(&mut package.problems);
    }
    for problem in &problems {
        eprintln!("wegman-packages: {problem}");
    }
    ExitCode::from(u8::from(packages.is_empty() || !problems.is_empty()))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    entries.sort();
    entries
}

fn packages(folder: &Path) -> Packages {
    let name = |folder: &PathBuf| {
        let name = folder.file_name().expect("a folder").to_str().expect("UTF-8");
        name.rsplit_once('-').expect("a name and a version").0.to_owned()
    };
    entries(folder).into_iter().map(|folder| (name(&folder), folder)).collect()
}

/// Whether a path leads to something in the folder.
fn is_inside(folder: &Path, path: &Path) -> bool {
    let whole = |path: &Path| fs::canonicalize(path).ok();
    whole(path).zip(whole(folder)).is_some_and(|(path, folder)| path.starts_with(folder))
}

/// A package, and what was found in it.
struct Package<'a> {
    folder: &'a Path,
    packages: &'a Packages,
    checked: usize,
    problems: Vec<String>,
}

impl Package<'_> {
    fn problem(&mut self, file: &Path, what: &str) {
        let file = file.strip_prefix(self.folder).unwrap_or(file).display();
        self.problems.push(format!("{}: {file}: {what}", self.folder.display()));
    }

    fn check(&mut self, name: &str) {
        for file in FILES {
            if fs::read(self.folder.join(file)).is_ok_and(|content| !content.is_empty()) {
                continue;
            }
            self.problem(Path::new(file), "is missing or empty");
        }
        let file = self.folder.join("Cargo.toml");
        let others: Vec<&str> = self.packages.keys().map(String::as_str).collect();
        let manifest = fs::read_to_string(&file).unwrap_or_default();
        for what in manifest::problems(&manifest, name, &others) {
            self.problem(&file, &what);
        }
        self.walk(self.folder);
    }

    fn walk(&mut self, folder: &Path) {
        for path in entries(folder) {
            if path.is_symlink() {
                self.problem(&path, "is a link, where the file should be");
            } else if path.is_dir() {
                self.walk(&path);
            } else if let Some(extension @ ("md" | "rs")) =
                path.extension().and_then(|end| end.to_str())
            {
                let text = fs::read_to_string(&path).expect("UTF-8");
                if extension == "md" {
                    self.document(&path, &text);
                } else {
                    self.source(&path, &text);
                }
            }
        }
    }

    fn document(&mut self, path: &Path, text: &str) {
        for link in text::links(text) {
            self.checked += 1;
            if !is_inside(self.folder, &path.parent().expect("a folder").join(&link)) {
                self.problem(
                    path,
                    &format!("the link {link} leads out of the package, or nowhere"),
                );
            }
        }
        // The changelog is that of the whole project, and tells where things went.
        if path.ends_with("CHANGELOG.md") {
            return;
        }
        self.cited(path, &text::named_in_document(text));
        for name in text::names_of_the_repository(text) {
            self.problem(path, &format!("{name} is in the repository and not in the package"));
        }
    }

    fn source(&mut self, path: &Path, text: &str) {
        let included = text::included(text);
        for file in &included {
            self.checked += 1;
            if !is_inside(self.folder, &path.parent().expect("a folder").join(file)) {
                self.problem(path, &format!("it includes {file}, which is not in the package"));
            }
        }
        for upwards in text::upwards(text) {
            if !included.contains(&upwards) {
                self.problem(path, &format!("{upwards} leads out of the package"));
            }
        }
        self.cited(path, &text::cited_in_source(text));
    }

    fn cited(&mut self, path: &Path, cited: &[(String, Owner)]) {
        for (file, owner) in cited {
            self.checked += 1;
            let folder = match owner {
                Owner::This => self.folder,
                Owner::Repository => continue,
                Owner::Package(name) => match self.packages.get(name) {
                    Some(folder) => folder,
                    None => {
                        self.problem(path, &format!("{file} is of {name}, which is no package"));
                        continue;
                    }
                },
            };
            if !is_inside(folder, &folder.join(file)) {
                self.problem(path, &format!("{file} is not in {}", folder.display()));
            }
        }
    }
}
