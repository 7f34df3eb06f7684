//! `wegman algorithms`: the catalogue's two lists, for people and for programs. The MACs that every other command
//! takes come first; then what else the papers define or measure.

use crate::args::Algorithms;
use crate::names::algorithm;
use crate::output::Exit;
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use wegman::Cpu;
use wegman_catalogue::{ALGORITHMS, Algorithm, Bound, FAMILIES, Family, Found, Source};

pub fn run(args: &Algorithms) -> Result<Exit> {
    let (mut macs, mut families) = (Vec::new(), Vec::new());
    for name in &args.names {
        match FAMILIES.iter().find(|family| family.name.eq_ignore_ascii_case(name)) {
            Some(family) => families.push(family),
            None => macs.push(algorithm::find(name)?),
        }
    }
    if args.names.is_empty() {
        macs = ALGORITHMS.iter().map(Found::from).collect();
        families = FAMILIES.iter().collect();
    }
    let text = if args.json {
        let families = families.into_iter().map(record_of_family);
        let list: Vec<Value> = macs.iter().map(|mac| record(mac)).chain(families).collect();
        serde_json::to_string_pretty(&list)? + "\n"
    } else {
        let names = macs.iter().map(|mac| mac.name.as_str());
        let names = names.chain(families.iter().map(|family| family.name));
        let width = names.map(str::len).max().unwrap_or(0);
        let heading = "Families and building blocks:\n".to_owned();
        let heading = (!macs.is_empty() && !families.is_empty()).then_some(heading);
        let macs = macs.iter().map(|mac| paragraph(width, mac));
        let families = families.iter().map(|family| paragraph_of_family(width, family));
        macs.chain(heading).chain(families).collect::<Vec<_>>().join("\n")
    };
    io::stdout().write_all(text.as_bytes()).context("standard output")?;
    Ok(Exit::Good)
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
    let range = |lengths: &RangeInclusive<usize>| match (lengths.start(), lengths.end()) {
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min} to {max}"),
    };
    let nonce = algorithm.nonce_bytes.map_or("no nonce".to_owned(), |lengths| {
        format!("nonce {}", algorithm::nonce_lengths(lengths))
    });
    let head = format!(
        "{:<width$}  {:<12}  key {}, {nonce}, tag {} bytes\n",
        algorithm.name,
        algorithm.status,
        algorithm.key_bytes,
        range(&algorithm.tag_bytes)
    );
    let Algorithm { summary, parameters, bound, source, .. } = algorithm;
    head + &details(summary, parameters, bound, source)
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
