//! What is printed: a row for each MAC, in groups of one way and length.

use super::guard::Mac;
use super::{Cost, Paths};
use crate::timing::report::{self, digits, digits_or_dash};
use std::fmt::Write as _;

/// For people.
pub fn table(paths: &Paths) -> String {
    let mut text = format!(
        "\n{}; {}\n{} rounds of slices of {:.0} ms; CPU time in ns a packet; cycles at {} GHz\n",
        paths.link,
        paths.cpus,
        paths.rounds,
        paths.slice_ms,
        digits_or_dash(paths.clock)
    );
    for absent in &paths.absent {
        let _ = writeln!(text, "not measured: {absent}");
    }
    for of_mode in paths.results.chunk_by(|a, b| a.mode == b.mode) {
        let _ = writeln!(
            text,
            "\n{:<19}{:>8}{:>8}{:>8}{:>8}{:>8}{:>7}{:>8}{:>7}{:>8}{:>7}",
            of_mode[0].mode.name(),
            "kpkt/s",
            "MB/s",
            "lost %",
            "sender",
            "receiv.",
            "sys %",
            "CPU ns",
            "cyc/B",
            "x none",
            "MAC ns",
        );
        for of_size in of_mode.chunk_by(|a, b| a.size == b.size) {
            let _ = writeln!(text, "{} bytes", of_size[0].size);
            for cost in of_size {
                row(&mut text, cost);
            }
        }
    }
    if paths.results.iter().any(|cost| cost.spread > report::UNQUIET) {
        let _ = writeln!(text, "\n{}", report::UNQUIET_NOTE);
    }
    for finding in &paths.findings {
        let _ = writeln!(text, "\n{finding}");
    }
    text
}

fn row(text: &mut String, cost: &Cost) {
    let sender = cost.sender_user_ns + cost.sender_system_ns;
    let receiver = cost.receiver_user_ns + cost.receiver_system_ns;
    let system = cost.sender_system_ns + cost.receiver_system_ns + cost.softirq_ns;
    let name = if cost.mac == Mac::Partial { "PartialMac" } else { cost.mac.name() };
    let _ = writeln!(
        text,
        "  {name:<17}{:>8.1}{:>8.1}{:>8.1}{sender:>8.0}{receiver:>8.0}{:>7.0}{:>8.0}{:>7}{:>8.2}{:>7}",
        cost.packets_per_s / 1e3,
        cost.message_mb_per_s,
        100.0 * cost.lost as f64 / cost.sent as f64,
        100.0 * system / (sender + receiver + cost.softirq_ns),
        cost.cpu_ns,
        cost.cpu_cycles_per_byte
            .map_or("-".to_owned(), |cycles| digits(cycles).chars().take(5).collect()),
        cost.times_no_mac,
        cost.mac_ns.map_or("-".to_owned(), |ns| format!("{ns:.0}")),
    );
}
