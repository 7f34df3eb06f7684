//! What the figures say about the post's three claims. Every number and every verdict is computed.

use super::guard::Mac;
use super::{Cost, Mode};
use std::fmt::Write as _;

/// Below this share of the CPU time a MAC is hidden.
const HIDDEN: f64 = 0.2;

/// Below this share an application does not show the MAC.
const UNSEEN: f64 = 0.05;

/// The MAC's own share of the CPU time. It is not computed as a difference: with one call a packet, the difference
/// of two paths is often more noise than MAC.
fn own_share(cost: &Cost) -> f64 {
    cost.mac_ns_share.unwrap_or(0.0)
}

/// The post's "packets on the order of at least 1000 bytes".
const LARGE: usize = 1000;

/// The sentences, one for each claim and one for the boundary.
pub fn findings(costs: &[Cost]) -> Vec<String> {
    [moving(costs), tcp(costs), boundary(costs), application(costs)].into_iter().flatten().collect()
}

fn of_mac(costs: &[Cost], mac: Mac) -> impl Iterator<Item = &Cost> + Clone {
    costs.iter().filter(move |cost| cost.mac == mac)
}

fn by<'c>(
    costs: impl Iterator<Item = &'c Cost>,
    value: fn(&Cost) -> f64,
) -> Option<(&'c Cost, &'c Cost)> {
    let mut sorted: Vec<&Cost> = costs.collect();
    sorted.sort_by(|a, b| value(a).total_cmp(&value(b)));
    Some((*sorted.first()?, *sorted.last()?))
}

/// "udp 10 and 100, udp-gso 1400".
fn places<'c>(costs: impl IntoIterator<Item = &'c Cost>) -> String {
    let mut text = String::new();
    let mut last = None;
    for cost in costs {
        let mode = cost.mode.name();
        let _ = match last {
            None => write!(text, "{mode} {}", cost.size),
            Some(other) if other == cost.mode => write!(text, "/{}", cost.size),
            Some(_) => write!(text, ", {mode} {}", cost.size),
        };
        last = Some(cost.mode);
    }
    text
}

/// Claim 1: HMAC-SHA1-96 triples and HMAC-MD5-96 doubles the CPU time of moving IP packets.
fn moving(costs: &[Cost]) -> Option<String> {
    let claim = |mac, factor: f64, verb| {
        let cells = of_mac(costs, mac).filter(|cost| !cost.mode.is_tcp());
        let (least, most) = by(cells.clone(), |cost| cost.times_no_mac)?;
        let name = mac.name();
        let mut text = format!(
            "{name} multiplies the CPU time of a UDP packet by {:.2} ({}) to {:.2} ({})",
            least.times_no_mac,
            places([least]),
            most.times_no_mac,
            places([most])
        );
        let (all, holds) =
            (cells.clone().count(), cells.filter(|cost| cost.times_no_mac >= factor));
        let verdict = match holds.clone().count() {
            0 => format!(": it {verb} it nowhere, the claim does not hold"),
            count if count == all => format!(": it {verb} it everywhere, the claim holds"),
            count => {
                format!(
                    ": it {verb} it in {count} of {all} cells, the claim holds only for {}",
                    places(holds)
                )
            }
        };
        text += &verdict;
        Some(text)
    };
    let sha1 = claim(Mac::HmacSha1, 3.0, "triples")?;
    let md5 = claim(Mac::HmacMd5, 2.0, "doubles")?;
    Some(format!("Claim 1, moving packets: {sha1}. {md5}."))
}

/// Claim 2: TCP hides the MAC below 1000 bytes.
fn tcp(costs: &[Cost]) -> Option<String> {
    let small = |mode| move |cost: &&Cost| cost.mode == mode && cost.size < LARGE;
    let part = |mode, how: &str| {
        let (_, worst) = by(costs.iter().filter(small(mode)), own_share)?;
        let shown = costs.iter().filter(small(mode)).filter(|cost| own_share(cost) >= HIDDEN);
        let mut text = format!(
            "with {how} the dearest MAC, {} at {} bytes, is {:.0} % of the CPU time, ",
            worst.mac.name(),
            worst.size,
            100.0 * own_share(worst)
        );
        let mut names: Vec<String> = Vec::new();
        for mac in Mac::ALL {
            let of_it: Vec<&Cost> = shown.clone().filter(|cost| cost.mac == mac).collect();
            if !of_it.is_empty() {
                let sizes: Vec<String> = of_it.iter().map(|cost| cost.size.to_string()).collect();
                names.push(format!("{} at {}", mac.name(), sizes.join("/")));
            }
        }
        text += &if names.is_empty() {
            "so TCP hides them all".to_owned()
        } else {
            format!("and TCP does not hide {}", names.join(", "))
        };
        Some((text, names.is_empty()))
    };
    let (one, hides_one) = part(Mode::Tcp, "one record a call")?;
    let (many, hides_many) = part(Mode::TcpBatch, "32 records a call")?;
    let verdict = match (hides_one, hides_many) {
        (true, true) => "the claim holds",
        (true, false) => "the claim holds for one record a call only",
        (false, true) => "the claim holds for 32 records a call only",
        (false, false) => "the claim does not hold",
    };
    Some(format!(
        "Claim 2, TCP below {LARGE} bytes (hidden: sealing and opening take less than {:.0} % of the CPU \
         time): {one}; {many}: {verdict}.",
        100.0 * HIDDEN
    ))
}

/// The size, and the packets a second, at which each MAC reaches a fifth of the CPU time.
fn boundary(costs: &[Cost]) -> Option<String> {
    let percent = 100.0 * HIDDEN;
    let mut parts = Vec::new();
    for mac in Mac::ALL.into_iter().filter(|mac| *mac != Mac::None) {
        let mut from = Vec::new();
        for mode in Mode::ALL {
            let mut cells: Vec<&Cost> =
                of_mac(costs, mac).filter(|cost| cost.mode == mode).collect();
            cells.sort_by_key(|cost| cost.size);
            if let Some(first) = cells.iter().find(|cost| own_share(cost) >= HIDDEN) {
                let rate = 1e6 / first.cpu_ns;
                from.push(format!("{} {} ({rate:.0})", mode.name(), first.size));
            }
        }
        let from = if from.is_empty() { "nowhere".to_owned() } else { from.join(", ") };
        parts.push(format!("{}: {from}", mac.name()));
    }
    (!costs.is_empty()).then(|| {
        format!(
            "Boundary: these are the smallest sizes at which a MAC takes {percent:.0} % of the CPU time (in brackets \
             thousands of packets a second of CPU time, both ends together): {}.",
            parts.join("; ")
        )
    })
}

/// Claim 3: no application shows it. Computes how much work per packet would hide the MAC.
fn application(costs: &[Cost]) -> Option<String> {
    let needed = |cost: &Cost| {
        // MAC / (path with MAC + work) = UNSEEN
        (cost.cpu_ns * own_share(cost) / UNSEEN - cost.cpu_ns).max(0.0)
    };
    let largest = costs.iter().map(|cost| cost.size).max()?;
    let mut parts = Vec::new();
    for mac in [Mac::HmacSha1, Mac::HmacMd5, Mac::Umac64] {
        for mode in [Mode::Udp, Mode::UdpGso, Mode::Tcp] {
            let cell = of_mac(costs, mac).find(|cost| (cost.mode, cost.size) == (mode, largest));
            if let Some(cell) = cell {
                let work = needed(cell);
                let what = format!("{} {}", mac.name(), mode.name());
                parts.push(if work > 0.0 {
                    format!("{what} {:.1} us ({:.1} ns a byte)", work / 1e3, work / largest as f64)
                } else {
                    format!("{what} none")
                });
            }
        }
    }
    Some(format!(
        "Claim 3, applications: none was run. At {largest} bytes a MAC is under {:.0} % of all CPU time if the \
         application itself takes so much for a packet: {}.",
        100.0 * UNSEEN,
        parts.join("; ")
    ))
}

#[cfg(test)]
pub mod tests {
    use super::super::SIZES;
    use super::*;

    /// Every cell, with a path of `path` ns and a MAC that takes `more` ns more.
    pub fn costs(path: fn(Mode, usize) -> f64, more: fn(Mac, usize) -> f64) -> Vec<Cost> {
        let mut costs = Vec::new();
        for mode in Mode::ALL {
            for (size, mac) in SIZES.into_iter().flat_map(|size| Mac::ALL.map(|mac| (size, mac))) {
                let (path, more) = (path(mode, size), more(mac, size));
                costs.push(cell(mode, size, mac, path, more));
            }
        }
        costs
    }

    fn cell(mode: Mode, size: usize, mac: Mac, path: f64, more: f64) -> Cost {
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

    fn hmac_only(mac: Mac, ns: f64) -> f64 {
        if matches!(mac, Mac::HmacSha1 | Mac::HmacMd5) { ns } else { 0.0 }
    }

    #[test]
    fn the_post_as_it_was() {
        // Moving 1000 ns; SHA-1 two times as much again, MD5 as much again; TCP 100 times as much.
        let path = |mode: Mode, _| if mode.is_tcp() { 100_000.0 } else { 1000.0 };
        let more = |mac, _| match mac {
            Mac::HmacSha1 => 2000.0,
            Mac::HmacMd5 => 1000.0,
            _ => 0.0,
        };
        let [moving, tcp, boundary, application] = &findings(&costs(path, more))[..] else {
            panic!("four sentences")
        };
        assert!(moving.contains("triples it everywhere, the claim holds"), "{moving}");
        assert!(moving.contains("doubles it everywhere, the claim holds"), "{moving}");
        assert!(
            tcp.ends_with("2 % of the CPU time, so TCP hides them all: the claim holds."),
            "{tcp}"
        );
        assert!(boundary.contains("HMAC-SHA1-96: udp 10 (333), udp-batch 10 (333)"), "{boundary}");
        assert!(!boundary.contains("tcp") && boundary.contains("UMAC-64: nowhere"), "{boundary}");
        // 2000 ns are 5 % of 40,000, of which 3000 are there.
        assert!(application.contains("HMAC-SHA1-96 udp 37.0 us (26.4 ns a byte)"), "{application}");
        assert!(application.contains("UMAC-64 udp none"), "{application}");
    }

    #[test]
    fn faster_macs_than_paths() {
        let sentences = findings(&costs(|_, _| 1000.0, |mac, _| hmac_only(mac, 100.0)));
        assert!(sentences[0].contains("triples it nowhere, the claim does not hold"));
        assert!(sentences[0].contains("doubles it nowhere, the claim does not hold"));
        assert!(sentences[1].ends_with("the claim holds."));
        assert!(sentences[2].contains("HMAC-SHA1-96: nowhere"));
    }

    #[test]
    fn the_claims_hold_in_part() {
        // Batches are ten times as cheap, and the MACs take 1 ns a byte.
        let path = |mode: Mode, _| if mode.batch() > 1 { 100.0 } else { 1000.0 };
        let more = |mac, size| hmac_only(mac, size as f64);
        let sentences = findings(&costs(path, more));
        let only = "triples it in 4 of 16 cells, the claim holds only for udp-batch 1000/1400, udp-gso \
                    1000/1400";
        assert!(sentences[0].contains(only), "{}", sentences[0]);
        assert!(sentences[1].contains("does not hide HMAC-MD5-96 at 100, HMAC-SHA1-96 at 100"));
        assert!(sentences[1].ends_with("the claim holds for one record a call only."));
        assert!(sentences[2].contains("HMAC-MD5-96: udp 1000 (500), udp-batch 100 (5000)"));
    }

    #[test]
    fn tcp_that_hides_nothing() {
        let sentences = findings(&costs(|_, _| 1000.0, |mac, _| hmac_only(mac, 4000.0)));
        assert!(sentences[1].ends_with("the claim does not hold."), "{}", sentences[1]);
        let path = |mode: Mode, _| if mode.batch() > 1 { 1e6 } else { 1000.0 };
        let sentences = findings(&costs(path, |mac, _| hmac_only(mac, 4000.0)));
        assert!(sentences[1].ends_with("the claim holds for 32 records a call only."));
    }

    #[test]
    fn no_figures_no_findings() {
        assert!(findings(&[]).is_empty());
    }
}
