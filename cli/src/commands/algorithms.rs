//! `wegman algorithms`: the catalogue's two lists, for people and for programs. The MACs that every other command
//! takes come first; then what else the papers define or measure.

use crate::args::Algorithms;
use crate::names::algorithm;
use crate::output::Exit;
use crate::standard::print;
use anyhow::{Result, ensure};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use wegman::Cpu;
use wegman_catalogue::{ALGORITHMS, Algorithm, Bound, FAMILIES, Family, Found, Source, Status};

/// Columns of a line.
const COLUMNS: usize = 100;

pub fn run(args: &Algorithms) -> Result<Exit> {
    let mut chosen =
        if args.names.is_empty() { Chosen::all() } else { Chosen::named(&args.names)? };
    let is_choice = args.all || args.json || !args.names.is_empty();
    match args.status {
        Some(status) => chosen.keep(|other| other == status),
        None if is_choice => {}
        None => {
            chosen.keep(|status| matches!(status, Status::Recommended | Status::Interop));
        }
    }
    if let Some(status) = args.status {
        ensure!(
            !chosen.is_empty(),
            "{}: none of them has the status {status}",
            args.names.join(", ")
        );
    }
    let text = if args.json {
        serde_json::to_string_pretty(&chosen.records())? + "\n"
    } else if chosen.in_detail {
        chosen.paragraphs()
    } else {
        chosen.lines()
    };
    print(text.as_bytes()).map(|()| Exit::Good)
}

/// What is listed.
#[derive(Default)]
struct Chosen {
    macs: Vec<Found>,
    families: Vec<&'static Family>,
    /// Whether each was named by itself: then everything is said about it.
    in_detail: bool,
}

impl Chosen {
    fn all() -> Chosen {
        let macs = ALGORITHMS.iter().map(Found::from).collect();
        Chosen { macs, families: FAMILIES.iter().collect(), in_detail: false }
    }

    fn named(names: &[String]) -> Result<Chosen> {
        let mut chosen = Chosen { in_detail: true, ..Chosen::default() };
        for name in names {
            let more = Chosen::one_named(name).map_or_else(|| Chosen::beginning_with(name), Ok)?;
            chosen.in_detail &= more.in_detail;
            for mac in more.macs {
                if !chosen.macs.iter().any(|other| other.name == mac.name) {
                    chosen.macs.push(mac);
                }
            }
            for family in more.families {
                if !chosen.families.iter().any(|other| other.name == family.name) {
                    chosen.families.push(family);
                }
            }
        }
        Ok(chosen)
    }

    /// The one of that name.
    fn one_named(name: &str) -> Option<Chosen> {
        let family = FAMILIES.iter().find(|family| family.name.eq_ignore_ascii_case(name));
        let mac = wegman_catalogue::find(name).filter(|_| family.is_none());
        let is_there = family.is_some() || mac.is_some();
        is_there.then(|| Chosen {
            macs: mac.into_iter().collect(),
            families: family.into_iter().collect(),
            in_detail: true,
        })
    }

    /// Those whose names begin so; if there are none, the error says what was meant.
    fn beginning_with(start: &str) -> Result<Chosen> {
        let begins = |name: &str| {
            let front = name.get(..start.len());
            !start.is_empty() && front.is_some_and(|front| front.eq_ignore_ascii_case(start))
        };
        let macs: Vec<_> =
            ALGORITHMS.iter().filter(|mac| begins(&mac.name)).map(Found::from).collect();
        let families: Vec<_> = FAMILIES.iter().filter(|family| begins(family.name)).collect();
        match macs.len() + families.len() {
            0 => {
                let mac = algorithm::find(start)?;
                Ok(Chosen { macs: vec![mac], families, in_detail: true })
            }
            count => Ok(Chosen { macs, families, in_detail: count == 1 }),
        }
    }

    fn keep(&mut self, is_wanted: impl Fn(Status) -> bool) {
        self.macs.retain(|mac| is_wanted(mac.status));
        self.families.retain(|family| is_wanted(family.status));
    }

    fn is_empty(&self) -> bool {
        self.macs.is_empty() && self.families.is_empty()
    }

    fn records(&self) -> Vec<Value> {
        let families = self.families.iter().map(|family| record_of_family(family));
        self.macs.iter().map(|mac| record(mac)).chain(families).collect()
    }

    /// The length of the longest name, so that what follows the names is in columns, too.
    fn width(&self) -> usize {
        let names = self.macs.iter().map(|mac| mac.name.len());
        names.chain(self.families.iter().map(|family| family.name.len())).max().unwrap_or(0)
    }

    fn paragraphs(&self) -> String {
        let width = self.width();
        let heading = (!self.macs.is_empty() && !self.families.is_empty())
            .then(|| "Families and building blocks:\n".to_owned());
        let macs = self.macs.iter().map(|mac| paragraph(width, mac));
        let families = self.families.iter().map(|family| paragraph_of_family(width, family));
        macs.chain(heading).chain(families).collect::<Vec<_>>().join("\n")
    }

    /// One line for each.
    fn lines(&self) -> String {
        let width = self.width().max(4);
        let mut text =
            line(width, "name", "status", &sizes("key", "nonce", "tag"), "lengths are in bytes");
        for mac in &self.macs {
            let nonce = mac.nonce_bytes.map_or("none".to_owned(), algorithm::nonce_lengths);
            let sizes = sizes(&mac.key_bytes.to_string(), &nonce, &range(&mac.tag_bytes));
            text += &line(width, &mac.name, &mac.status.to_string(), &sizes, mac.summary);
        }
        for Family { name, status, kind, summary, .. } in &self.families {
            text += &line(width, name, &status.to_string(), &kind.to_string(), summary);
        }
        text
    }
}

fn sizes(key: &str, nonce: &str, tag: &str) -> String {
    format!("{key:>3}  {nonce:<8}  {tag:<7}")
}

/// A line of the list, of which the last part is cut if it is too long.
fn line(width: usize, name: &str, status: &str, sizes: &str, summary: &str) -> String {
    let front = format!("{name:<width$}  {status:<12}  {sizes:<22}  ");
    let summary = shortened(summary, COLUMNS.saturating_sub(front.len()));
    format!("{front}{summary}\n")
}

/// The words of a text that fit, and dots if that is not all.
fn shortened(text: &str, room: usize) -> String {
    if text.len() <= room {
        return text.to_owned();
    }
    let ends = text.match_indices(' ').map(|(at, _)| at);
    let end = ends.take_while(|end| end + 4 <= room).last().unwrap_or(0);
    format!("{} ...", text[..end].trim_end_matches([',', ';']))
}

fn record(algorithm: &Algorithm) -> Value {
    let lengths = |lengths: &RangeInclusive<usize>| json!([lengths.start(), lengths.end()]);
    let kernels: Vec<&str> =
        algorithm.kernels(Cpu::detect()).into_iter().map(|(name, _)| name).collect();
    json!({
        "kind": "MAC",
        "name": algorithm.name.as_str(),
        "summary": algorithm.summary,
        "status": algorithm.status.to_string(),
        "key_bytes": algorithm.key_bytes,
        "other_key_lengths": algorithm.other_key_lengths,
        "nonce_bytes": algorithm.nonce_bytes,
        "tag_bytes": lengths(&algorithm.tag_bytes),
        "parameters": parameters(algorithm.parameters),
        "kernels": kernels,
        "bound": bound(&algorithm.bound),
        "source": source(&algorithm.source),
    })
}

/// Without lengths and kernels: they depend on a member's parameters.
fn record_of_family(family: &Family) -> Value {
    json!({
        "kind": family.kind.to_string(),
        "name": family.name,
        "summary": family.summary,
        "status": family.status.to_string(),
        "parameters": parameters(family.parameters),
        "bound": bound(&family.bound),
        "source": source(&family.source),
    })
}

fn parameters(parameters: &[(&str, &str)]) -> Map<String, Value> {
    parameters.iter().map(|&(name, value)| (name.into(), value.into())).collect()
}

fn bound(bound: &Bound) -> Value {
    json!({
        "statement": bound.statement,
        "assumption": bound.assumption,
        "source": bound.source,
    })
}

fn source(source: &Source) -> Value {
    json!({ "paper": source.paper, "section": source.section })
}

/// `width` is that of the longest name, so that what follows the names is in columns, too.
fn paragraph(width: usize, algorithm: &Algorithm) -> String {
    let nonce = algorithm.nonce_bytes.map_or("no nonce".to_owned(), |lengths| {
        format!("nonce {}", algorithm::nonce_lengths(lengths))
    });
    let head = format!(
        "{:<width$}  {:<12}  key {}{}, {nonce}, tag {} bytes\n",
        algorithm.name,
        algorithm.status,
        algorithm.key_bytes,
        if algorithm.other_key_lengths { " (others too)" } else { "" },
        range(&algorithm.tag_bytes)
    );
    let Algorithm { summary, parameters, bound, source, .. } = algorithm;
    head + &details(summary, parameters, bound, source)
}

fn range(lengths: &RangeInclusive<usize>) -> String {
    match (lengths.start(), lengths.end()) {
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min} to {max}"),
    }
}

fn paragraph_of_family(width: usize, family: &Family) -> String {
    let Family { name, kind, summary, status, parameters, bound, source, .. } = family;
    format!("{name:<width$}  {status:<12}  {kind}\n") + &details(summary, parameters, bound, source)
}

fn details(summary: &str, parameters: &[(&str, &str)], bound: &Bound, source: &Source) -> String {
    let parameters = parameters.iter().map(|(name, value)| format!("{name} {value}"));
    let mut text = String::new();
    for (what, detail) in [
        ("use", summary.to_owned()),
        ("made of", parameters.collect::<Vec<_>>().join(", ")),
        ("bound", format!("{}, if {}", bound.statement, bound.assumption)),
        ("proof", bound.source.to_owned()),
        ("defined", format!("{}, {}", source.paper, source.section)),
    ] {
        writeln!(text, "  {what:<8}  {detail}").expect("a string takes all");
    }
    text
}
