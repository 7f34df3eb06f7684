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
    let is_all = args.names.is_empty();
    let (mut items, in_detail) =
        if is_all { (all().collect(), false) } else { named(&args.names)? };
    if let Some(status) = args.status {
        items.retain(|item| item.status == status);
        let names = args.names.join(", ");
        ensure!(!items.is_empty(), "{names}: none of them has the status {status}");
    } else if is_all && !args.all && !args.json {
        items.retain(|item| matches!(item.status, Status::Recommended | Status::Interop));
    }
    let text = if args.json {
        serde_json::to_string_pretty(&items.iter().map(record).collect::<Value>())? + "\n"
    } else if in_detail {
        paragraphs(&items)
    } else {
        lines(&items)
    };
    print(text.as_bytes()).map(|()| Exit::Good)
}

/// An entry of one of the two lists.
struct Item {
    name: String,
    kind: String,
    status: Status,
    summary: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    bound: Bound,
    source: Source,
    /// If it is a MAC. A family's lengths and kernels depend on a member's parameters.
    mac: Option<Found>,
}

impl From<Found> for Item {
    fn from(mac: Found) -> Item {
        let &Algorithm { ref name, status, summary, parameters, bound, source, .. } = &*mac;
        let (name, kind) = (name.to_string(), "MAC".to_owned());
        Item { name, kind, status, summary, parameters, bound, source, mac: Some(mac) }
    }
}

impl From<&Family> for Item {
    fn from(family: &Family) -> Item {
        let &Family { name, kind, status, summary, parameters, bound, source, .. } = family;
        let (name, kind) = (name.to_owned(), kind.to_string());
        Item { name, kind, status, summary, parameters, bound, source, mac: None }
    }
}

fn all() -> impl Iterator<Item = Item> {
    let macs = ALGORITHMS.iter().map(|mac| Item::from(Found::from(mac)));
    macs.chain(FAMILIES.iter().map(Item::from))
}

/// What is listed, MACs first, and whether each was named by itself: then everything is said about it.
fn named(names: &[String]) -> Result<(Vec<Item>, bool)> {
    let (mut chosen, mut in_detail) = (Vec::<Item>::new(), true);
    for name in names {
        let family = FAMILIES.iter().find(|family| family.name.eq_ignore_ascii_case(name));
        let mac = || wegman_catalogue::find(name).map(Item::from);
        let more = match family.map(Item::from).or_else(mac) {
            Some(item) => vec![item],
            None => beginning_with(name)?,
        };
        in_detail &= more.len() == 1;
        for item in more {
            if !chosen.iter().any(|other| other.name == item.name) {
                chosen.push(item);
            }
        }
    }
    chosen.sort_by_key(|item| item.mac.is_none());
    Ok((chosen, in_detail))
}

/// Those whose names begin so; if there are none, the error says what was meant.
fn beginning_with(start: &str) -> Result<Vec<Item>> {
    let items: Vec<Item> = all().filter(|item| algorithm::begins_with(&item.name, start)).collect();
    if items.is_empty() { Ok(vec![algorithm::find(start)?.into()]) } else { Ok(items) }
}

/// The length of the longest name, so that what follows the names is in columns, too.
fn width(items: &[Item]) -> usize {
    items.iter().map(|item| item.name.len()).max().unwrap_or(0)
}

/// One line for each.
fn lines(items: &[Item]) -> String {
    let width = width(items).max(4);
    let mut text =
        line(width, "name", "status", &sizes("key", "nonce", "tag"), "lengths are in bytes");
    for Item { name, kind, status, summary, mac, .. } in items {
        let sizes = mac.as_ref().map(|mac| {
            let nonce = mac.nonce_bytes.map_or("none".to_owned(), algorithm::nonce_lengths);
            sizes(&mac.key_bytes.to_string(), &nonce, &range(&mac.tag_bytes))
        });
        text += &line(width, name, &status.to_string(), sizes.as_ref().unwrap_or(kind), summary);
    }
    text
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

fn record(item: &Item) -> Value {
    let Item { name, kind, status, summary, parameters, bound, source, mac } = item;
    let parameters = parameters.iter().map(|&(name, value)| (name.into(), value.into()));
    let mut record = json!({
        "kind": kind, "name": name, "summary": summary, "status": status.to_string(),
        "parameters": parameters.collect::<Map<String, Value>>(),
        "bound": {
            "statement": bound.statement,
            "assumption": bound.assumption,
            "source": bound.source,
        },
        "source": { "paper": source.paper, "section": source.section },
    });
    if let Some(mac) = mac {
        let kernels = mac.kernels(Cpu::detect()).into_iter().map(|(name, _)| name);
        record["key_bytes"] = mac.key_bytes.into();
        record["other_key_lengths"] = mac.other_key_lengths.into();
        record["nonce_bytes"] = json!(mac.nonce_bytes);
        record["tag_bytes"] = json!([mac.tag_bytes.start(), mac.tag_bytes.end()]);
        record["kernels"] = kernels.collect();
    }
    record
}

/// Everything about each.
fn paragraphs(items: &[Item]) -> String {
    let width = width(items);
    let mut paragraphs: Vec<String> = items.iter().map(|item| paragraph(width, item)).collect();
    let macs = items.iter().filter(|item| item.mac.is_some()).count();
    if 0 < macs && macs < items.len() {
        paragraphs.insert(macs, "Families and building blocks:\n".to_owned());
    }
    paragraphs.join("\n")
}

fn paragraph(width: usize, item: &Item) -> String {
    let Item { name, kind, status, summary, parameters, bound, source, mac } = item;
    let lengths = mac.as_ref().map(|mac| {
        let nonce = mac.nonce_bytes.map_or("no nonce".to_owned(), |lengths| {
            format!("nonce {}", algorithm::nonce_lengths(lengths))
        });
        let others = if mac.other_key_lengths { " (others too)" } else { "" };
        format!("key {}{others}, {nonce}, tag {} bytes", mac.key_bytes, range(&mac.tag_bytes))
    });
    let lengths = lengths.as_ref().unwrap_or(kind);
    let mut text = format!("{name:<width$}  {status:<12}  {lengths}\n");
    let parameters = parameters.iter().map(|(name, value)| format!("{name} {value}"));
    for (what, detail) in [
        ("use", (*summary).to_owned()),
        ("made of", parameters.collect::<Vec<_>>().join(", ")),
        ("bound", format!("{}, if {}", bound.statement, bound.assumption)),
        ("proof", bound.source.to_owned()),
        ("defined", format!("{}, {}", source.paper, source.section)),
    ] {
        writeln!(text, "  {what:<8}  {detail}").expect("a string takes all");
    }
    text
}

fn range(lengths: &RangeInclusive<usize>) -> String {
    match (lengths.start(), lengths.end()) {
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min} to {max}"),
    }
}
