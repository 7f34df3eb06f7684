//! `wegman algorithms`: the registry, for people and for programs.

use crate::args::Algorithms;
use crate::output::Exit;
use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use wegman::Cpu;
use wegman::registry::{ALGORITHMS, Algorithm};

pub fn run(args: &Algorithms) -> Result<Exit> {
    let text = if args.json {
        let list: Vec<Value> = ALGORITHMS.iter().map(record).collect();
        serde_json::to_string_pretty(&list)? + "\n"
    } else {
        ALGORITHMS.iter().map(paragraph).collect::<Vec<_>>().join("\n")
    };
    io::stdout().write_all(text.as_bytes()).context("standard output")?;
    Ok(Exit::Good)
}

fn record(algorithm: &Algorithm) -> Value {
    let lengths = |lengths: &RangeInclusive<usize>| json!([lengths.start(), lengths.end()]);
    let parameters: Map<String, Value> =
        algorithm.parameters.iter().map(|&(name, value)| (name.into(), value.into())).collect();
    let kernels: Vec<&str> =
        algorithm.kernels(Cpu::detect()).into_iter().map(|(name, _)| name).collect();
    json!({
        "name": algorithm.name.as_str(),
        "summary": algorithm.summary,
        "status": algorithm.status.to_string(),
        "key_bytes": algorithm.key_bytes,
        "nonce_bytes": algorithm.nonce_bytes.as_ref().map(lengths),
        "tag_bytes": lengths(&algorithm.tag_bytes),
        "parameters": parameters,
        "kernels": kernels,
        "bound": {
            "statement": algorithm.bound.statement,
            "assumption": algorithm.bound.assumption,
            "source": algorithm.bound.source,
        },
        "source": { "paper": algorithm.source.paper, "section": algorithm.source.section },
    })
}

fn paragraph(algorithm: &Algorithm) -> String {
    let range = |lengths: &RangeInclusive<usize>| match (lengths.start(), lengths.end()) {
        (min, max) if min == max => min.to_string(),
        (min, max) => format!("{min} to {max}"),
    };
    let nonce = algorithm
        .nonce_bytes
        .as_ref()
        .map_or("no nonce".to_owned(), |lengths| format!("nonce {}", range(lengths)));
    let mut text = format!(
        "{:<13} {:<13}key {}, {nonce}, tag {} bytes\n",
        algorithm.name,
        algorithm.status,
        algorithm.key_bytes,
        range(&algorithm.tag_bytes)
    );
    let parameters = algorithm.parameters.iter().map(|(name, value)| format!("{name} {value}"));
    let details = [
        ("use", algorithm.summary.to_owned()),
        ("made of", parameters.collect::<Vec<_>>().join(", ")),
        ("bound", format!("{}, if {}", algorithm.bound.statement, algorithm.bound.assumption)),
        ("proof", algorithm.bound.source.to_owned()),
        ("defined", format!("{}, {}", algorithm.source.paper, algorithm.source.section)),
    ];
    for (what, detail) in details {
        writeln!(text, "  {what:<8}  {detail}").expect("a string takes all");
    }
    text
}
