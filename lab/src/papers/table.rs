//! The tables as data: the files of `lab/tables`, one a table of the papers or ours, each of one or more parts.

use crate::named::named;
use crate::papers::subject::Subject;
use serde::{Deserialize, Serialize};

/// The files, each after its name.
macro_rules! files {
    ($($name:literal)*) => { &[$(($name, include_str!(concat!("../../tables/", $name, ".toml")))),*] };
}

static FILES: &[(&str, &str)] = files!(
    "1-note" "2-page" "3-crypto-99" "4-experiments" "5-pmac" "6-growth" "7-rivals"
);

named! {
    /// What the figures are in.
    pub enum Unit {
        CyclesPerByte = "cycles/byte",
        Cycles = "cycles",
        GbitPerSecond = "Gbit/s",
        /// At the clock of the paper's Pentium II.
        GbitAt350 = "Gbit/s at 350 MHz",
        Packets = "million packets/s",
        /// So much more time.
        PercentMore = "% more",
        /// So much less speed.
        PercentSlower = "% slower",
        /// So much of it.
        Percent = "%",
        /// So many times it.
        Times = "times",
    }
}

/// A table of a paper, or one of ours.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its name on the command line: that of its file, without the number that orders the files.
    #[serde(skip_deserializing)]
    pub name: String,
    /// Its heading.
    pub title: String,
    /// Paper, table or section.
    pub source: String,
    /// What they measured, and how: key set-up, cache, clock.
    pub measured: String,
    /// Where we deviate.
    pub deviations: String,
    /// Its parts, in order.
    #[serde(rename(serialize = "parts"))]
    pub part: Vec<Part>,
    /// What the whole table says; none if nothing was measured.
    #[serde(skip_deserializing)]
    pub findings: Vec<String>,
}

/// Rows, or statements of the paper, each with a figure made of several measured ones.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its heading.
    pub title: String,
    /// What its figures are in.
    pub unit: Unit,
    /// The columns of rows: lengths of messages. `43+256+1500` is a mix, one of each in turn.
    #[serde(default, rename(serialize = "columns"))]
    pub lengths: Vec<String>,
    /// The rows.
    #[serde(default, rename(serialize = "rows"))]
    pub row: Vec<Row>,
    /// The statements.
    #[serde(default, rename(serialize = "experiments"))]
    pub experiment: Vec<Experiment>,
}

/// An algorithm, what the paper prints of it, and what was measured.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// What the paper, or we, call it.
    pub name: String,
    /// Its name for [`engines::find`](crate::engines::find), if another.
    #[serde(skip_serializing)]
    pub engine: Option<String>,
    /// The library a rival is from.
    pub from: Option<String>,
    /// What the paper prints.
    #[serde(default, rename(serialize = "theirs"))]
    pub printed: Vec<Printed>,
    #[serde(skip_deserializing)]
    pub kernel: String,
    #[serde(skip_deserializing)]
    pub origin: String,
    /// A column each; none where it was not measured.
    #[serde(skip_deserializing)]
    pub ours: Vec<Option<f64>>,
    #[serde(skip_deserializing)]
    pub spreads: Vec<Option<f64>>,
    /// Why there is nothing, if the library is absent.
    #[serde(skip_deserializing)]
    pub absent: Option<String>,
}

/// A line of a paper's table.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// Their machine.
    pub on: String,
    /// A figure a column; `nan` where the paper has none.
    pub values: Vec<f64>,
}

/// A statement of a paper, and what says here whether it holds.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    /// What is compared.
    pub name: String,
    /// The paper's words for it.
    pub paper: String,
    /// The paper's figure, or both ends of its range; empty if the paper has only words.
    #[serde(default, rename(serialize = "theirs"))]
    pub printed: Vec<f64>,
    /// Its unit, if not the part's.
    pub unit: Option<Unit>,
    /// The measured figures that are added up; one that begins with a minus is subtracted.
    pub of: Vec<String>,
    /// Those the sum is compared with; none where the unit needs none.
    #[serde(default)]
    pub to: Vec<String>,
    #[serde(skip_deserializing)]
    pub ours: Option<f64>,
    #[serde(skip_deserializing)]
    pub spread: Option<f64>,
}

/// What a name in a table stands for: a test reads them all.
pub fn subject(name: &str) -> Subject {
    name.parse().unwrap_or_else(|why| panic!("{why}"))
}

impl Row {
    /// Its name for [`engines::find`](crate::engines::find).
    pub fn engine(&self) -> &str {
        self.engine.as_deref().unwrap_or(&self.name)
    }

    /// The names of what each column measures.
    fn names(&self, lengths: &[String]) -> impl Iterator<Item = String> {
        let from = self.from.as_ref().map_or(String::new(), |from| format!(" from {from}"));
        lengths.iter().map(move |length| format!("{}{from} @ {length}", self.engine()))
    }

    /// What each column measures.
    pub fn subjects(&self, lengths: &[String]) -> Vec<Subject> {
        self.names(lengths).map(|name| subject(&name)).collect()
    }
}

impl Part {
    /// The names of everything it measures.
    fn names(&self) -> impl Iterator<Item = String> {
        let rows = self.row.iter().flat_map(|row| row.names(&self.lengths));
        let terms = self.experiment.iter().flat_map(|one| one.of.iter().chain(&one.to));
        rows.chain(terms.map(|term| term.trim_start_matches('-').to_owned()))
    }

    /// Everything it measures.
    pub fn subjects(&self) -> Vec<Subject> {
        self.names().map(|name| subject(&name)).collect()
    }
}

/// A table from the text of its file.
fn parse(file: &str, text: &str) -> Result<Table, toml::de::Error> {
    let (_, name) = file.split_once('-').expect("its number, and its name");
    Ok(Table { name: name.to_owned(), ..toml::from_str(text)? })
}

/// All tables, in order.
pub fn all() -> Vec<Table> {
    let parse = |(file, text): &(&str, &str)| parse(file, text).expect("a test reads them all");
    FILES.iter().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Class;
    use crate::rivals;

    /// What a table's file may not say.
    fn check(part: &Part) -> Result<(), String> {
        let columns = part.lengths.len();
        if part.row.is_empty() == part.experiment.is_empty()
            || part.row.is_empty() != (columns == 0)
        {
            return Err("rows with lengths, or experiments".to_owned());
        }
        for row in &part.row {
            if row.printed.iter().any(|printed| printed.values.len() != columns) {
                return Err(format!("{}: as many printed figures as columns", row.name));
            }
        }
        for experiment in &part.experiment {
            let needs = match experiment.unit.unwrap_or(part.unit) {
                Unit::PercentMore | Unit::PercentSlower | Unit::Percent | Unit::Times => 1,
                _ => 0,
            };
            if experiment.to.len().min(1) != needs || experiment.of.is_empty() {
                return Err(format!("{}: what is compared with what?", experiment.name));
            }
        }
        part.names().try_for_each(|name| name.parse::<Subject>().map(drop))
    }

    /// A table from the text of its file, if it may say that.
    fn checked(file: &str, text: &str) -> Result<Table, String> {
        let table = parse(file, text).map_err(|error| error.to_string())?;
        table.part.iter().try_for_each(check)?;
        Ok(table)
    }

    /// Whether this machine has not the instructions that a rival in Rust is written in.
    fn lacks(name: &str) -> bool {
        let class = match name {
            "HiAE" | "LeMac" => Class::Avx2,
            "HiAEx2" => Class::Vaes256,
            "HiAEx4" => Class::Avx512,
            _ => return false,
        };
        !class.is_here()
    }

    #[test]
    fn every_row_of_every_table_is_found_with_its_definition() {
        let engines = rivals::all(None);
        for table in all() {
            for part in &table.part {
                check(part).unwrap_or_else(|why| panic!("{}, {}: {why}", table.name, part.title));
                for row in &part.row {
                    if engines.missing(row.from.as_deref()).is_some() || lacks(row.engine()) {
                        continue;
                    }
                    let found = engines.find(row.engine(), row.from.as_deref()).unwrap();
                    // Some rivals have published tags instead.
                    let is_checked = found.expected.is_some() || row.from.is_some();
                    assert!(is_checked, "{}: {}", table.name, row.name);
                }
                for subject in part.subjects() {
                    let is_absent = engines.missing(subject.from.as_deref()).is_some();
                    let is_there = engines.engine(&subject).is_some();
                    let is_known = is_there || is_absent || lacks(&subject.algorithm);
                    assert!(is_known, "{}: {subject}", table.name);
                }
            }
        }
    }

    #[test]
    fn every_printed_figure_of_the_papers_is_there() {
        let tables = all();
        let values = |name: &str| -> Vec<f64> {
            let table = tables.iter().find(|table| table.name == name).unwrap();
            let rows = table.part.iter().flat_map(|part| &part.row);
            let of_rows = rows.flat_map(|row| &row.printed).flat_map(|printed| &printed.values);
            let experiments = table.part.iter().flat_map(|part| &part.experiment);
            let of_experiments = experiments.flat_map(|experiment| &experiment.printed);
            let all = of_rows.chain(of_experiments).copied();
            all.filter(|value| !value.is_nan()).collect()
        };
        let note =
            [16.3, 3.8, 2.1, 1.9, 52.9, 12.3, 3.8, 1.9, 14.0, 2.7, 1.2, 1.0, 35.9, 4.5, 1.7, 1.0];
        assert_eq!(values("note"), note);
        let page = [
            12.6, 3.0, 2.1, 1.8, 10.7, 2.2, 1.2, 0.9, 8.3, 2.4, 2.0, 1.8, 14.3, 4.7, 3.9, 3.6, 7.7,
            1.7, 1.1, 0.9, 7.9, 1.7, 1.1, 0.9, 18.0, 17.7, 17.7, 17.7, 50.3, 21.5, 14.5, 13.8,
            13.3, 17.0, 6.2, 4.6, 4.4, 5.7, 25.4, 17.2, 13.8, 13.5, 13.3, 10.8, 5.2, 4.4, 4.3, 5.7,
            1.1,
        ];
        assert_eq!(values("page"), page);
        let pmac = [22.1, 18.7, 18.4, 18.9, 17.4, 17.1];
        assert!(values("pmac").starts_with(&pmac));
        let experiments = values("experiments");
        for value in [24.0, 5.0, 26.0, 47.0, 66.0, 85.0, 50.0, 7.0, 158_000.0, 46_000.0, 2.2, 4.3] {
            assert!(experiments.contains(&value), "{value}");
        }
    }

    #[test]
    fn bad_tables_are_refused() {
        let head = "title='t'\nsource='s'\nmeasured='m'\ndeviations='d'\n[[part]]\ntitle='p'\n";
        let ok = "unit='cycles/byte'\nlengths=['43','1K']\n[[part.row]]\nname='UMAC-64'\n";
        assert!(checked("1-x", &format!("{head}{ok}")).is_ok_and(|table| table.name == "x"));
        let printed = "printed=[{on='a', values=[1]}]\n";
        for text in [
            &ok.replace("43", "0"),
            &ok.replace("lengths=['43','1K']\n", ""),
            &ok.replace("cycles/byte", "bytes"),
            &ok.replace("[[part.row]]", "[[part.experiment]]"),
            &format!("{ok}{printed}"),
            &format!("{ok}extra=1\n"),
        ] {
            assert!(checked("1-x", &format!("{head}{text}")).is_err(), "{text}");
        }
    }
}
