//! The report: all its files, made of what a directory has.

use crate::papers::markdown::markdown;
use crate::papers::resolver::Engines;
use crate::papers::table::Table;
use crate::papers::view::Report;
use crate::papers::{packets, store};
use std::fs;
use std::path::Path;

/// Writes all files of the report.
pub fn write(
    directory: &Path,
    tables: &[Table],
    print: &impl Fn(&str) -> Result<(), String>,
) -> Result<(), String> {
    let (machine, figures) = store::load(directory)?;
    let paths = packets::load(directory, &machine)?;
    let report = Report::new(tables, machine, &figures, paths.as_ref(), &Engines::new())?;
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
    use crate::papers::sample::{sample, sample_paths};
    use crate::papers::table;
    use crate::path::Mode;
    use serde_json::Value;
    use std::collections::HashMap;

    #[test]
    fn packets_have_their_claims_and_what_is_absent() {
        let tables = table::all().unwrap();
        let machine = sample(&tables).machine;
        let mut paths = sample_paths();
        paths.results.retain(|cost| cost.mode != Mode::UdpGso);
        paths.absent = vec!["udp-gso: it is <not> there".into()];
        let report =
            Report::new(&tables, machine, &HashMap::new(), Some(&paths), &Engines::new()).unwrap();
        let view = report.tables.last().unwrap();
        assert_eq!(view.table.name, "path");
        for claim in
            ["typically triple", "HMAC-MD5-96 can double", "almost irrelevant", "no application"]
        {
            assert!(view.table.measured.contains(claim), "{claim}");
        }
        assert_eq!(view.notes[1], "Not measured: udp-gso: it is <not> there.");
        let part = |title: &str| {
            view.parts.iter().find(|part| part.part.title.starts_with(title)).unwrap()
        };
        assert!(!part("CPU time of a packet, udp-gso").is_measured());
        let udp = part("CPU time beside no MAC, udp:");
        assert_eq!(udp.rows[2].row.printed[0].values, [3.0; 4]);
        assert_eq!(udp.rows[2].ours[3].map(|value| value.value), Some(2.4));
        let tcp = part("CPU time of a byte, tcp");
        assert_eq!(tcp.rows[0].ours[0].map(|value| value.value), Some(300.0));
        let share = part("A MAC's share of the CPU time, 1000 bytes");
        let share = share.rows[0].ours.iter().map(|value| value.map(|value| value.value));
        let half = Some(50.0);
        assert_eq!(share.collect::<Vec<_>>(), [half, half, None, half, half, half, half]);
        let text = markdown(&report);
        let section = text.split("## What a MAC costs in a packet path").nth(1).unwrap();
        for there in ["typically triple", "it is <not> there", "| UMAC-64 | wegman | 1010 |"] {
            assert!(section.contains(there), "{there}");
        }
        let json: Value = serde_json::from_str(&json(&report)).unwrap();
        assert!(json["tables"][7]["measured"].as_str().unwrap().contains("typically triple"));
    }

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
