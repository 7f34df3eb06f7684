//! The tables as data: the files of `lab/tables`, one a table of the papers or ours, each of one or more parts.

use crate::papers::subject::{Doing, Subject};
use crate::papers::unit::Unit;
use crate::path::{self, Mac, Mode};
use crate::timing::messages::{self, MAX_LENGTH};
use serde::{Deserialize, Serialize};
use std::num::NonZero;
use std::thread;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

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
    #[serde(skip_serializing)]
    pub part: Vec<Part>,
}

/// What the columns of a part are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Lengths of messages.
    Lengths,
    /// One message alone, and sizes of batches of messages of its length.
    Batches,
    /// Numbers of threads over one message.
    Threads,
    /// Lengths of messages that go a way through the network, under the MACs of the rows.
    Packets,
    /// The ways through the network, for messages of one length.
    Ways,
    /// No columns: each row is a statement of the paper, and a figure made of several measured ones.
    Experiments,
}

/// Rows of one kind.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its heading.
    pub title: String,
    /// What its columns are.
    pub kind: Kind,
    /// What its figures are in.
    pub unit: Unit,
    /// Columns of [`Kind::Lengths`], or the one length of the others. `43+256+1500` is a mix, one of each
    /// in turn.
    #[serde(default)]
    pub lengths: Vec<String>,
    /// That of [`Kind::Packets`].
    pub way: Option<Mode>,
    /// Columns of [`Kind::Batches`].
    #[serde(default)]
    pub sizes: Vec<usize>,
    /// Whether it has a figure.
    #[serde(default)]
    pub figure: bool,
    /// The rows the figure shows; all if there are none.
    #[serde(default)]
    pub show: Vec<String>,
    /// The rows, but for experiments.
    #[serde(default, skip_serializing)]
    pub row: Vec<Row>,
    /// The rows of [`Kind::Experiments`].
    #[serde(default, skip_serializing)]
    pub experiment: Vec<Experiment>,
}

/// An algorithm, and what the paper prints of it.
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
}

impl Row {
    /// Its name for the resolver.
    pub fn engine(&self) -> &str {
        self.engine.as_deref().unwrap_or(&self.name)
    }
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
    #[serde(skip_serializing)]
    pub unit: Option<Unit>,
    /// The measured figures that are added up; one that begins with a minus is subtracted.
    pub of: Vec<String>,
    /// Those the sum is compared with; none where the unit needs none.
    #[serde(default)]
    pub to: Vec<String>,
}

/// A figure that an experiment adds or subtracts.
pub struct Term {
    pub is_minus: bool,
    pub subject: Subject,
}

impl Experiment {
    /// What is added up, and what that is compared with.
    pub fn terms(&self) -> Result<[Vec<Term>; 2], String> {
        let term = |text: &String| {
            let subject = text.strip_prefix('-').unwrap_or(text).parse()?;
            Ok(Term { is_minus: text.starts_with('-'), subject })
        };
        let terms = |list: &[String]| list.iter().map(term).collect::<Result<_, String>>();
        Ok([terms(&self.of)?, terms(&self.to)?])
    }
}

impl Table {
    /// Whether it shows what the packet path measures.
    pub fn is_of_packets(&self) -> bool {
        self.part.iter().any(Part::is_of_packets)
    }
}

impl Part {
    /// Whether it shows what the packet path measures.
    pub fn is_of_packets(&self) -> bool {
        matches!(self.kind, Kind::Packets | Kind::Ways)
    }

    /// The columns of such a part: what they are called, the way and the bytes of a message.
    pub fn packets(&self) -> Result<Vec<(String, Mode, usize)>, String> {
        let lengths: Vec<usize> =
            self.lengths.iter().map(|text| messages::length(text)).collect::<Result<_, _>>()?;
        if let Some(length) = lengths.iter().find(|length| !path::SIZES.contains(length)) {
            return Err(format!("no packets have messages of {length} bytes"));
        }
        match (self.kind, self.way, &lengths[..]) {
            (Kind::Packets, Some(way), lengths) => {
                Ok(lengths.iter().map(|&length| (length.to_string(), way, length)).collect())
            }
            (Kind::Ways, None, &[length]) => {
                Ok(Mode::ALL.map(|way| (way.name().to_owned(), way, length)).to_vec())
            }
            _ => Err("lengths and a way, or one length and no way".to_owned()),
        }
    }

    /// The columns: what they are called, and what is done there with a row.
    pub fn columns(&self) -> Result<Vec<(String, Doing, Vec<usize>)>, String> {
        let lengths = |text: &str| text.split('+').map(messages::length).collect::<Result<_, _>>();
        let of_length = |text: &String| {
            let lengths: Vec<usize> = lengths(text)?;
            let doing = if lengths.len() > 1 { Doing::Mix } else { Doing::Tag };
            Ok((text.clone(), doing, lengths))
        };
        let all: Vec<(String, Doing, Vec<usize>)> =
            self.lengths.iter().map(of_length).collect::<Result<_, String>>()?;
        if !matches!(self.kind, Kind::Batches | Kind::Threads) {
            return Ok(all);
        }
        let [(_, Doing::Tag, length)] = &all[..] else {
            return Err("one length, please".to_owned());
        };
        let column =
            |n: usize, doing: fn(usize) -> Doing| (n.to_string(), doing(n), length.clone());
        if self.kind == Kind::Threads {
            let cores = thread::available_parallelism().map_or(1, NonZero::get);
            return Ok((1..=cores).map(|n| column(n, Doing::Threads)).collect());
        }
        let alone = ("alone".to_owned(), Doing::Tag, length.clone());
        let batches = self.sizes.iter().map(|&n| column(n, Doing::Batch));
        Ok([alone].into_iter().chain(batches).collect())
    }

    /// What a row's column measures.
    pub fn subject(row: &Row, (_, doing, lengths): &(String, Doing, Vec<usize>)) -> Subject {
        Subject {
            doing: *doing,
            algorithm: row.engine().to_owned(),
            from: row.from.clone(),
            lengths: lengths.clone(),
        }
    }

    /// Everything it measures.
    pub fn subjects(&self) -> Result<Vec<Subject>, String> {
        if self.is_of_packets() {
            return Ok(Vec::new());
        }
        let columns = self.columns()?;
        let of_row = |row| columns.iter().map(move |column| Part::subject(row, column));
        let mut subjects: Vec<Subject> = self.row.iter().flat_map(of_row).collect();
        for experiment in &self.experiment {
            let terms = experiment.terms()?.into_iter().flatten();
            subjects.extend(terms.map(|term| term.subject));
        }
        Ok(subjects)
    }

    fn check(&self) -> Result<(), String> {
        let columns =
            if self.is_of_packets() { self.packets()?.len() } else { self.columns()?.len() };
        let is_mac = |row: &Row| Mac::from_name(&row.name).is_some();
        if self.is_of_packets() && !self.row.iter().all(is_mac) {
            return Err("a row that is no MAC of packets".to_owned());
        }
        let is_experiments = self.kind == Kind::Experiments;
        if is_experiments != self.row.is_empty() || is_experiments == self.experiment.is_empty() {
            return Err("rows, or experiments".to_owned());
        }
        for row in &self.row {
            if row.printed.iter().any(|printed| printed.values.len() != columns) {
                return Err(format!("{}: as many printed figures as columns", row.name));
            }
        }
        for experiment in &self.experiment {
            let needs = match experiment.unit.unwrap_or(self.unit) {
                Unit::PercentMore | Unit::PercentSlower | Unit::Percent | Unit::Times => 1,
                _ => 0,
            };
            if experiment.to.len().min(1) != needs || experiment.of.is_empty() {
                return Err(format!("{}: what is compared with what?", experiment.name));
            }
        }
        if self.subjects()?.iter().flat_map(|subject| &subject.lengths).any(|&l| l > MAX_LENGTH) {
            return Err("too long".to_owned());
        }
        let has = |name: &String| self.row.iter().any(|row| row.name == *name);
        self.show.iter().all(has).then_some(()).ok_or("it shows a row it does not have".to_owned())
    }
}

/// A table from the text of its file.
fn parse(file: &str, text: &str) -> Result<Table, String> {
    let mut table: Table = toml::from_str(text).map_err(|error| format!("{file}: {error}"))?;
    table.name = file.split_once('-').map_or(file, |(_, name)| name).to_owned();
    for part in &table.part {
        part.check().map_err(|error| format!("{file}, {:?}: {error}", part.title))?;
    }
    Ok(table)
}

/// All tables, in order.
pub fn all() -> Result<Vec<Table>, String> {
    FILES.iter().map(|(file, text)| parse(file, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::READ;
    use crate::papers::resolver::Engines;

    #[test]
    fn every_row_of_every_table_is_found_with_its_definition() {
        let engines = Engines::new();
        for table in all().unwrap() {
            for part in &table.part {
                let rows = part.row.iter().filter(|_| !part.is_of_packets());
                for row in rows {
                    let is_absent = engines.absent(row.from.as_deref()).is_some();
                    if is_absent || row.engine() == READ {
                        continue;
                    }
                    let found = engines.find(row.engine(), row.from.as_deref()).unwrap();
                    // Some rivals have published tags instead.
                    let is_checked = found.expected.is_some() || row.from.is_some();
                    assert!(is_checked, "{}: {}", table.name, row.name);
                }
                for subject in part.subjects().unwrap() {
                    // The one there is, as the table of rivals has always had it.
                    let is_too_long = subject.to_string() == "AES-CMAC from ipsec-mb @ 256K"
                        && engines.absent(subject.from.as_deref()).is_none();
                    assert!(engines.takes(&subject) != is_too_long, "{}: {subject}", table.name);
                }
            }
        }
    }

    #[test]
    fn every_printed_figure_of_the_papers_is_there() {
        let tables = all().unwrap();
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
    fn bad_tables_of_packets_are_refused() {
        let head = "title='t'\nsource='s'\nmeasured='m'\ndeviations='d'\n[[part]]\ntitle='p'\n";
        let ok = "kind='packets'\nunit='ns/packet'\nway='udp-gso'\nlengths=['10','1400']\n\
                  row=[{name='UMAC-64'}]\n";
        let table = parse("8-x", &format!("{head}{ok}")).unwrap();
        assert!(table.is_of_packets() && table.part[0].subjects().unwrap().is_empty());
        for text in [
            &ok.replace("way='udp-gso'\n", ""),
            &ok.replace("udp-gso", "sctp"),
            &ok.replace("1400", "1401"),
            &ok.replace("UMAC-64", "UMAC-65"),
            &ok.replace("packets'", "ways'"),
            &ok.replace("}]", ", printed=[{on='a', values=[1]}]}]"),
        ] {
            assert!(parse("8-x", &format!("{head}{text}")).is_err(), "{text}");
        }
    }

    #[test]
    fn bad_tables_are_refused() {
        let head = "title='t'\nsource='s'\nmeasured='m'\ndeviations='d'\n[[part]]\ntitle='p'\n";
        let ok = "kind='lengths'\nunit='cycles/byte'\nlengths=['43','1K']\n\
                  [[part.row]]\nname='UMAC-64'\n";
        assert!(parse("1-x", &format!("{head}{ok}")).is_ok_and(|table| table.name == "x"));
        let printed = "printed=[{on='a', values=[1]}]\n";
        for text in [
            &ok.replace("43", "0"),
            &ok.replace("lengths'", "widths'"),
            &ok.replace("cycles/byte", "bytes"),
            &ok.replace("[[part.row]]", "[[part.experiment]]"),
            &format!("show=['HMAC']\n{ok}"),
            &format!("{ok}{printed}"),
            &format!("{ok}extra=1\n"),
        ] {
            assert!(parse("1-x", &format!("{head}{text}")).is_err(), "{text}");
        }
    }
}
