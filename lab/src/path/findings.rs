//! What the figures say about the post's three claims. Every number and every verdict is computed.

use super::guard::Mac;
use super::{Cost, Mode};

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
    costs: impl Iterator<Item = &'c Cost> + Clone,
    value: fn(&Cost) -> f64,
) -> Option<[&'c Cost; 2]> {
    let least = costs.clone().min_by(|a, b| value(a).total_cmp(&value(b)))?;
    Some([least, costs.max_by(|a, b| value(a).total_cmp(&value(b)))?])
}

/// "udp 10/100, udp-gso 1400".
fn places<'c>(costs: impl IntoIterator<Item = &'c Cost>) -> String {
    let costs: Vec<&Cost> = costs.into_iter().collect();
    let of_mode = costs.chunk_by(|a, b| a.mode == b.mode).map(|costs| {
        let sizes: Vec<String> = costs.iter().map(|cost| cost.size.to_string()).collect();
        format!("{} {}", costs[0].mode.name(), sizes.join("/"))
    });
    of_mode.collect::<Vec<_>>().join(", ")
}

/// Claim 1: HMAC-SHA1-96 triples and HMAC-MD5-96 doubles the CPU time of moving IP packets.
fn moving(costs: &[Cost]) -> Option<String> {
    let claim = |mac, factor: f64, verb| {
        let cells = of_mac(costs, mac).filter(|cost| !cost.mode.is_tcp());
        let ends = by(cells.clone(), |cost| cost.times_no_mac)?;
        let [least, most] =
            ends.map(|cost| format!("{:.2} ({})", cost.times_no_mac, places([cost])));
        let (all, holds) =
            (cells.clone().count(), cells.filter(|cost| cost.times_no_mac >= factor));
        let verdict = match holds.clone().count() {
            0 => "nowhere, the claim does not hold".to_owned(),
            count if count == all => "everywhere, the claim holds".to_owned(),
            count => {
                format!("in {count} of {all} cells, the claim holds only for {}", places(holds))
            }
        };
        let name = mac.name();
        Some(format!(
            "{name} multiplies the CPU time of a UDP packet by {least} to {most}: it {verb} it {verdict}"
        ))
    };
    let sha1 = claim(Mac::HmacSha1, 3.0, "triples")?;
    let md5 = claim(Mac::HmacMd5, 2.0, "doubles")?;
    Some(format!("Claim 1, moving packets: {sha1}. {md5}."))
}

/// Claim 2: TCP hides the MAC below 1000 bytes.
fn tcp(costs: &[Cost]) -> Option<String> {
    let part = |mode, how: &str| {
        let small = costs.iter().filter(|cost| cost.mode == mode && cost.size < LARGE);
        let [_, worst] = by(small.clone(), own_share)?;
        let shown: Vec<String> = Mac::ALL
            .into_iter()
            .filter_map(|mac| {
                let of_it = small.clone().filter(|cost| cost.mac == mac);
                let of_it = of_it.filter(|cost| own_share(cost) >= HIDDEN);
                let sizes: Vec<String> = of_it.map(|cost| cost.size.to_string()).collect();
                (!sizes.is_empty()).then(|| format!("{} at {}", mac.name(), sizes.join("/")))
            })
            .collect();
        let verdict = if shown.is_empty() {
            "so TCP hides them all".to_owned()
        } else {
            format!("and TCP does not hide {}", shown.join(", "))
        };
        let text = format!(
            "with {how} the dearest MAC, {} at {} bytes, is {:.0} % of the CPU time, {verdict}",
            worst.mac.name(),
            worst.size,
            100.0 * own_share(worst)
        );
        Some((text, shown.is_empty()))
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
    let part = |mac: Mac| {
        let first = |mode| {
            let cells = of_mac(costs, mac).filter(|cost| cost.mode == mode);
            let first = cells.filter(|cost| own_share(cost) >= HIDDEN).min_by_key(|cost| cost.size);
            first.map(|first| format!("{} ({:.0})", places([first]), 1e6 / first.cpu_ns))
        };
        let from: Vec<String> = Mode::ALL.into_iter().filter_map(first).collect();
        let from = if from.is_empty() { "nowhere".to_owned() } else { from.join(", ") };
        format!("{}: {from}", mac.name())
    };
    let macs = Mac::ALL.into_iter().filter(|mac| *mac != Mac::None);
    (!costs.is_empty()).then(|| {
        format!(
            "Boundary: these are the smallest sizes at which a MAC takes {:.0} % of the CPU time (in brackets \
             thousands of packets a second of CPU time, both ends together): {}.",
            100.0 * HIDDEN,
            macs.map(part).collect::<Vec<_>>().join("; ")
        )
    })
}

/// Claim 3: no application shows it. Computes how much work per packet would hide the MAC.
fn application(costs: &[Cost]) -> Option<String> {
    let largest = costs.iter().map(|cost| cost.size).max()?;
    let part = |(mac, mode)| {
        let cell = of_mac(costs, mac).find(|cost| (cost.mode, cost.size) == (mode, largest))?;
        // MAC / (path with MAC + work) = UNSEEN
        let work = cell.cpu_ns * own_share(cell) / UNSEEN - cell.cpu_ns;
        let what = format!("{} {}", mac.name(), mode.name());
        Some(if work > 0.0 {
            format!("{what} {:.1} us ({:.1} ns a byte)", work / 1e3, work / largest as f64)
        } else {
            format!("{what} none")
        })
    };
    let macs = [Mac::HmacSha1, Mac::HmacMd5, Mac::Umac64];
    let cells = macs.map(|mac| [Mode::Udp, Mode::UdpGso, Mode::Tcp].map(|mode| (mac, mode)));
    Some(format!(
        "Claim 3, applications: none was run. At {largest} bytes a MAC is under {:.0} % of all CPU time if the \
         application itself takes so much for a packet: {}.",
        100.0 * UNSEEN,
        cells.into_iter().flatten().filter_map(part).collect::<Vec<_>>().join("; ")
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
