//! What texts link, name, cite and include.

/// Whose file a citation names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The package's that cites it.
    This,
    /// "of `wegman-catalogue`"
    Package(String),
    /// "of the repository"
    Repository,
}

/// The folders that a document of a package may name, and a source.
const FOLDERS: [&str; 5] = ["docs/", "vectors/", "src/", "tests/", "examples/"];
const CITED: [&str; 2] = ["docs/", "vectors/"];

/// The repository's folders, which no package has.
const OUTSIDE: [&str; 9] = [
    "mac/",
    "historical/",
    "carter/",
    "yardstick/",
    "catalogue/",
    "cli/",
    "reference/",
    "lab/",
    "scripts/",
];

/// A document without its blocks of code.
fn prose(document: &str) -> String {
    document.split("```").step_by(2).collect()
}

/// A text in one line and without the marks of comments, since citations go over the ends of lines.
fn one_line(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start());
    let lines = lines.map(|line| {
        line.strip_prefix("//").map_or(line, |line| line.trim_start_matches(['/', '!']))
    });
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// The files that a document links.
pub fn links(document: &str) -> Vec<String> {
    // Outside code spans, in which brackets are no links.
    let text: String = prose(document).split('`').step_by(2).collect();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let files = targets.map(|(target, _)| target.split('#').next().unwrap_or_default());
    files.filter(|file| !file.is_empty() && !file.contains("://")).map(str::to_owned).collect()
}

fn is_of_path(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_./".contains(c)
}

/// The paths in a text (in one line) that begin with one of the folders, with what stands before and after them.
fn paths<'a>(text: &'a str, folders: &[&str]) -> Vec<(&'a str, &'a str, &'a str)> {
    let mut found = Vec::new();
    for folder in folders {
        for (at, _) in text.match_indices(folder) {
            let (before, rest) = text.split_at(at);
            if before.ends_with(|c: char| is_of_path(c)) {
                continue;
            }
            let length = rest.find(|c| !is_of_path(c)).unwrap_or(rest.len());
            let path = rest[..length].trim_end_matches('.');
            found.push((before, path, &rest[path.len()..]));
        }
    }
    found
}

fn owner(after: &str) -> Owner {
    let after = after.strip_prefix('`').unwrap_or(after);
    let Some(name) = after.strip_prefix(" of ") else { return Owner::This };
    if name.starts_with("the repository") {
        return Owner::Repository;
    }
    let name = name.strip_prefix('`').unwrap_or(name);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
    if name.starts_with("wegman") { Owner::Package(name[..end].to_owned()) } else { Owner::This }
}

fn owned(found: Vec<(&str, &str, &str)>) -> Vec<(String, Owner)> {
    found.into_iter().map(|(_, path, after)| (path.to_owned(), owner(after))).collect()
}

fn is_page(path: &str) -> bool {
    path.ends_with(".md") || path.ends_with(".json")
}

/// The pages and vectors that a source cites.
pub fn cited_in_source(source: &str) -> Vec<(String, Owner)> {
    let text = one_line(source);
    let mut found = paths(&text, &CITED);
    found.retain(|(_, path, _)| is_page(path));
    owned(found)
}

/// The pages and vectors that a document cites, and the files and folders that it names in code spans.
pub fn named_in_document(document: &str) -> Vec<(String, Owner)> {
    let text = one_line(&prose(document));
    let mut found = paths(&text, &FOLDERS);
    found.retain(|(before, path, after)| {
        let is_span = before.ends_with('`') && after.starts_with('`');
        is_span
            || CITED.iter().any(|folder| path.starts_with(folder))
                && is_page(path)
                && !before.ends_with("](")
    });
    owned(found)
}

/// Files and folders of the repository that a document names in code spans, as if they were the package's.
pub fn names_of_the_repository(document: &str) -> Vec<String> {
    let text = one_line(&prose(document));
    let mut found = paths(&text, &OUTSIDE);
    found.retain(|(before, _, after)| {
        before.ends_with('`') && after.starts_with('`') && owner(after) != Owner::Repository
    });
    found.into_iter().map(|(_, path, _)| path.to_owned()).collect()
}

/// The files that a source includes.
pub fn included(source: &str) -> Vec<String> {
    let begins = ["include_str!(", "include_bytes!(", "include!(", "#[path ="];
    let after = begins.iter().flat_map(|begin| source.split(begin).skip(1));
    let literals = after.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split_once('"'));
    literals.map(|(path, _)| path.to_owned()).collect()
}

/// The paths that lead upwards in a source that begins paths at the package's folder. What other sources open is seen
/// by their tests, which run where nothing else is.
pub fn upwards(source: &str) -> Vec<String> {
    if !source.contains("CARGO_MANIFEST_DIR") {
        return Vec::new();
    }
    let literals = source.lines().flat_map(|line| line.split('"').skip(1).step_by(2));
    literals
        .filter(|literal| literal.contains("../") || *literal == "..")
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str) -> Owner {
        Owner::Package(name.to_owned())
    }

    #[test]
    fn citations_are_found_with_their_owners() {
        let source = "//! See docs/a.md, docs/b.md of `wegman-b`, and docs/c.md of\n    //! wegman-c. Not x/docs/d.md.\n\
            let text = \"docs/e.md\"; // vectors/f.json of the repository, docs/g.md of old, docs/ and docs/h.rs\n";
        let found = [
            ("docs/a.md", Owner::This),
            ("docs/b.md", package("wegman-b")),
            ("docs/c.md", package("wegman-c")),
            ("docs/e.md", Owner::This),
            ("docs/g.md", Owner::This),
            ("vectors/f.json", Owner::Repository),
        ];
        assert_eq!(cited_in_source(source), found.map(|(path, owner)| (path.to_owned(), owner)));
    }

    #[test]
    fn names_in_documents_are_found_with_their_owners() {
        let document = "Files: `src/a.rs`, `src/b/` of `wegman-b`, `tests/c.rs` of\nthe repository, docs/d.md, src/e.rs,\n\
            [f](docs/f.md), `docs/g.md`.\n```sh\ncat `src/h.rs` docs/i.md\n```\n`mac/src/j.rs`, `lab/k` of the repository";
        let found = [
            ("docs/d.md", Owner::This),
            ("docs/g.md", Owner::This),
            ("src/a.rs", Owner::This),
            ("src/b/", package("wegman-b")),
            ("tests/c.rs", Owner::Repository),
        ];
        assert_eq!(
            named_in_document(document),
            found.map(|(path, owner)| (path.to_owned(), owner))
        );
        assert_eq!(names_of_the_repository(document), ["mac/src/j.rs"]);
    }

    #[test]
    fn links_are_found() {
        let document =
            "[a](a.md) and [b](../b.md#part), [c](#part), `[d](d)`, [e](https://example.org)\n";
        assert_eq!(links(document), ["a.md", "../b.md"]);
    }

    #[test]
    fn files_of_sources_are_found() {
        let source = "#[path = \"a/b.rs\"]\nmod b;\n#[doc = include_str!(\"../c.md\")]\nlet d = include_bytes!(\n    \"d\");\n\
            let e = include!(concat!(env!(\"OUT_DIR\"), \"/e.rs\"));\n";
        assert_eq!(included(source), ["../c.md", "d", "a/b.rs"]);
        assert_eq!(upwards(source), [""; 0]);
        let source = "concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../vectors\"); join(\"..\"); join(\"vectors\"); \"a...\"";
        assert_eq!(upwards(source), ["/../vectors", ".."]);
    }
}
