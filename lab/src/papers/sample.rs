//! A report to test with.

use crate::papers::resolver::Engines;
use crate::papers::store::{Machine, Measured};
use crate::papers::table::Table;
use crate::papers::view::Report;
use crate::path::{Cost, Mac, Mode, Paths, SIZES};
use crate::timing::rounds::Timing;
use std::collections::HashMap;

/// A report in which everything takes a cycle and a half a byte, and a key a thousand cycles.
pub fn sample(tables: &[Table]) -> Report<'_> {
    let mut figures = HashMap::new();
    for part in tables.iter().flat_map(|table| &table.part) {
        for subject in part.subjects().unwrap() {
            let bytes =
                subject.lengths.iter().sum::<usize>() as f64 / subject.lengths.len().max(1) as f64;
            let cycles = if bytes == 0.0 { 1000.0 } else { 1.5 * bytes };
            let (kernel, origin) = ("portable".to_owned(), "wegman <&>".to_owned());
            let (cell, pass, clock) = (subject.to_string(), 0, Some(3.0));
            let timing = Timing { cycles: Some(cycles), ns: cycles / 3.0, spread: 0.2 };
            let figure = Measured { cell: cell.clone(), pass, kernel, origin, timing, clock };
            figures.insert(cell, figure);
        }
    }
    let (cpu, build) = ("A <CPU>".to_owned(), "00".to_owned());
    let machine = Machine { cpu, features: "sse2".into(), build, quick: true };
    Report::new(tables, machine, &figures, Some(&sample_paths()), &Engines::new()).unwrap()
}

/// A packet path of 1000 ns, in which each MAC but none takes a nanosecond a byte.
pub fn sample_paths() -> Paths {
    let more = |mac, size| if mac == Mac::None { 0.0 } else { size as f64 };
    let mut results = costs(1000.0, more);
    for cost in &mut results {
        cost.cpu_cycles_per_byte = Some(3.0 * cost.cpu_ns_per_byte);
    }
    Paths {
        cpu: "A <CPU>".into(),
        clock: Some(3.0),
        link: "loopback: <&>".into(),
        cpus: "both on CPU 0".into(),
        rounds: 3,
        slice_ms: 40.0,
        absent: Vec::new(),
        results,
    }
}

/// Every cell, with a path of `path` ns and a MAC that takes `more` ns more.
fn costs(path: f64, more: fn(Mac, usize) -> f64) -> Vec<Cost> {
    let mut costs = Vec::new();
    for mode in Mode::ALL {
        for (size, mac) in SIZES.into_iter().flat_map(|size| Mac::ALL.map(|mac| (size, mac))) {
            costs.push(cost(mode, size, mac, path, more(mac, size)));
        }
    }
    costs
}

fn cost(mode: Mode, size: usize, mac: Mac, path: f64, more: f64) -> Cost {
    let cpu_ns = path + more;
    Cost {
        mode,
        size,
        mac,
        sent: 1,
        received: 1,
        lost: 0,
        packets_per_s: 1e6,
        message_mb_per_s: size as f64,
        cpu_ns,
        cpu_ns_per_byte: cpu_ns / size as f64,
        cpu_cycles_per_byte: None,
        spread: 0.0,
        sender_user_ns: 0.0,
        sender_system_ns: 0.0,
        receiver_user_ns: 0.0,
        receiver_system_ns: 0.0,
        softirq_ns: 0.0,
        times_no_mac: cpu_ns / path,
        share: more / cpu_ns,
        mac_ns: Some(more),
        mac_ns_share: Some(more / cpu_ns),
    }
}
