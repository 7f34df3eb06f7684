//! What is shown: a section for each way, a row for each MAC in it and one for the MAC alone.

use super::{Cost, Paths};
use crate::speeds::{Note, Place, Speed, Speeds};
use crate::timing::rounds::Timing;

/// For the view.
pub fn table(paths: &Paths) -> Speeds {
    let Paths { cpu, link, cpus, rounds, slice_ms, absent, .. } = paths;
    let mut lines = vec![
        link.clone(),
        cpus.clone(),
        format!("{rounds} rounds of slices of {slice_ms:.0} ms; what else was measured: --json"),
    ];
    lines.extend(absent.iter().map(|absent| format!("not measured: {absent}")));
    let notes = vec![Note { title: "CPU time of both ends for a packet", lines }];
    let results = paths.results.iter().flat_map(speeds).collect();
    Speeds { cpu: cpu.clone(), clock: None, results, notes }
}

/// A packet's CPU time, and that of its sealing and opening alone.
fn speeds(cost: &Cost) -> impl Iterator<Item = Speed> {
    let speed = |from, ns, spread, times| Speed {
        place: Place::at(cost.mode.name(), [cost.mac.name(), "auto", from], "single", cost.size),
        timing: Timing { cycles: None, ns, spread },
        cpb: None,
        times,
    };
    let path = speed("path", cost.cpu_ns, cost.spread, Some(cost.times_no_mac));
    let alone = cost.mac_ns.map(|ns| speed("MAC alone", ns, 0.0, None));
    [path].into_iter().chain(alone)
}
