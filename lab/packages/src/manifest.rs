//! The manifest as Cargo writes it into a package: each dependency is a table of its own.

/// A publisher adds these, who knows them.
const INVENTED: [&str; 4] = ["authors", "repository", "homepage", "documentation"];
const REQUIRED: [&str; 8] = [
    "name",
    "version",
    "description",
    "license",
    "readme",
    "categories",
    "keywords",
    "rust-version",
];

/// What is wrong with the manifest of the package `name`.
pub fn problems(manifest: &str, name: &str, packages: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    let package: Vec<(&str, &str)> = tables(manifest)
        .into_iter()
        .filter(|(header, _)| *header == "package")
        .flat_map(|(_, keys)| keys)
        .collect();
    let value = |of: &str| package.iter().find(|(key, _)| *key == of).map(|(_, value)| *value);
    problems.extend(INVENTED.iter().filter_map(|key| {
        value(key).filter(|v| *v != "[]" && *v != "false").map(|v| format!("{key} is {v}"))
    }));
    problems
        .extend(REQUIRED.iter().filter(|key| value(key).is_none()).map(|key| format!("no {key}")));
    if value("name") != Some(&format!("\"{name}\"")) {
        problems.push(format!("the name is not {name}"));
    }
    for (header, keys) in tables(manifest) {
        let Some((_, dependency)) = header.rsplit_once("dependencies.") else { continue };
        let has = |of: &str| keys.iter().any(|(key, _)| *key == of);
        if has("path") || has("git") || !has("version") {
            problems.push(format!("{dependency} is not of a registry"));
        }
        if dependency.starts_with("wegman") && !packages.contains(&dependency) {
            problems.push(format!("{dependency} is not packaged"));
        }
    }
    problems
}

/// The tables with their keys, and values as far as they stand on the key's line.
fn tables(manifest: &str) -> Vec<(&str, Vec<(&str, &str)>)> {
    let mut tables = vec![("", Vec::new())];
    for line in manifest.lines() {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            tables.push((header.trim_matches(['[', ']']), Vec::new()));
        } else if let Some((key, value)) = line.split_once(" = ") {
            tables.last_mut().expect("one at least").1.push((key, value));
        }
    }
    tables
}

#[cfg(test)]
#[test]
fn wrong_manifests_are_reported() {
    let right = "[package]\nname = \"a\"\nversion = \"1\"\nauthors = []\nhomepage = false\ndescription = \"d\"\n\
        license = \"MIT\"\nreadme = \"README.md\"\nkeywords = [\nrust-version = \"1.89\"\ncategories = [\n\
        [dependencies.wegman]\nversion = \"=0.1.0\"\n[target.'cfg(unix)'.dependencies.libc]\nversion = \"1\"\n";
    assert_eq!(problems(right, "a", &["wegman"]), [""; 0]);
    assert_eq!(problems(right, "b", &[]), ["the name is not b", "wegman is not packaged"]);
    let wrong = right
        .replace("authors = []", "authors = [\"A. Nobody\"]")
        .replace("license = \"MIT\"\n", "")
        .replace("readme", "homepage = \"https://example.org\"\nreadme")
        .replace("version = \"1\"\n[dep", "[dep")
        .replace("version = \"=0.1.0\"", "path = \"../mac\"")
        .replace("homepage = false\n", "");
    let found = [
        "authors is [\"A. Nobody\"]",
        "homepage is \"https://example.org\"",
        "no license",
        "wegman is not of a registry",
    ];
    assert_eq!(problems(&wrong, "a", &["wegman"]), found);
}
