//! The report: all its files, made of what a directory has.

use crate::papers::markdown::markdown;
use crate::papers::store;
use crate::papers::table::Table;
use crate::papers::view::Report;
use crate::rivals;
use std::fs;
use std::path::Path;

/// Writes all files of the report.
pub fn write(
    directory: &Path,
    tables: &[Table],
    print: &impl Fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    let (machine, figures) = store::load(directory)?;
    let report = Report::new(tables, machine, &figures, &rivals::all(None))?;
    for (name, text) in [("report.md", markdown(&report)), ("report.json", json(&report) + "\n")] {
        let path = directory.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    print(&format!("written: {}", directory.join("report.md").display()))
}

fn json(report: &Report<'_>) -> String {
    serde_json::to_string_pretty(report).expect("numbers and strings")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::table;
    use crate::papers::tests::sample;
    use serde_json::Value;

    #[test]
    fn all_printed_figures_are_in_all_files() {
        let tables = table::all().unwrap();
        let report = sample(&tables);
        let text = markdown(&report);
        for line in [
            "| UMAC16 | wegman <&>, portable | ~1.50 | ~1.50 | ~1.50 | ~1.50 |",
            "| UMAC-STD | theirs: Pentium III, 700 MHz | 52.9 | 12.3 | 3.8 | 1.9 |",
        ] {
            assert!(text.contains(line), "{line}");
        }
        // Lines of a table have as many cells as its head.
        for table in text.split("\n\n").filter(|block| block.starts_with('|')) {
            let cells = |line: &str| line.replace("\\|", "").matches('|').count();
            assert!(table.lines().all(|line| cells(line) == cells(table.lines().next().unwrap())));
        }
        let json: Value = serde_json::from_str(&json(&report)).unwrap();
        // As the project's page and notebook read it.
        let row = &json["tables"][0]["parts"][0]["rows"][0];
        assert_eq!((row["ours"][0].as_f64(), row["spreads"][0].as_f64()), (Some(1.5), Some(0.2)));
        assert_eq!(json["tables"][0]["parts"][0]["rows"][1]["theirs"][0]["values"][0], 52.9);
        assert_eq!(json["tables"][1]["parts"][1]["rows"][0]["theirs"][0]["values"][0], Value::Null);
    }
}
