//! `wegman-bench path`: what a MAC costs in a packet path.
//!
//! A sender and a receiver, each a thread on its own CPU, move packets for a slice of time: UDP and TCP, one packet a
//! system call or 32. Both report their CPU time. A *cell* is a way, a length and a MAC; a round runs a slice of each,
//! the MACs of one way and length next to each other, and figures are medians over the rounds. The receiver verifies
//! every packet: a wrong tag ends the run. docs/packet-path.md explains the figures.
//!
//! | module | what it knows |
//! |---|---|
//! | `guard` | number and tag around a message, for each MAC |
//! | `ends` | the two threads: sender and receiver |
//! | `link` | namespaces, processors |
//! | this one | the slices, and the figures they give: a section for each way, and two for the MACs alone; a row for each MAC |

mod ends;
mod guard;
mod link;

use crate::named::named;
use crate::speeds::{self, Note, Speed, Speeds, progress};
use crate::timing::measure::{Clock, Summary, cpu_model};
use crate::timing::rounds::{Cell, Place, Timing};
use anyhow::{Context, Result, ensure};
use guard::{BATCH, Mac};
use link::{Link, Slice};
use std::cell::RefCell;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

/// Lengths of messages: those of the post, and the longest that fits a frame.
const SIZES: [usize; 4] = [10, 100, 1000, 1400];

named! {
    /// How packets are moved.
    pub enum Mode {
        /// A datagram a system call.
        Udp = "udp",
        /// 32 datagrams a system call: `sendmmsg`, `recvmmsg`.
        UdpBatch = "udp-batch",
        /// 32 datagrams as one through the kernel: segmentation offload (GSO) and its reverse (GRO).
        UdpGso = "udp-gso",
        /// A stream of records, one a system call, sent at once (`TCP_NODELAY`).
        Tcp = "tcp",
        /// 32 records a system call.
        TcpBatch = "tcp-batch",
    }
}

impl Mode {
    /// Packets a system call.
    fn batch(self) -> usize {
        match self {
            Mode::Udp | Mode::Tcp => 1,
            Mode::UdpBatch | Mode::UdpGso | Mode::TcpBatch => BATCH,
        }
    }

    fn is_tcp(self) -> bool {
        matches!(self, Mode::Tcp | Mode::TcpBatch)
    }
}

/// The orders for one end.
#[derive(Clone, Copy)]
struct Orders {
    mode: Mode,
    mac: Mac,
    size: usize,
    /// The key follows from it.
    seed: u64,
    slice: Duration,
    /// The receiver's. The receiver chooses the port and reports it.
    host: Ipv4Addr,
    port: u16,
}

/// The least number of rounds; there are more if slices would be longer than this.
const ROUNDS: u32 = 3;
const LONGEST_SLICE: Duration = Duration::from_millis(100);

/// A way, a length and a MAC.
type Moved = (Mode, usize, Mac);

/// Measures for about `time`.
pub fn run(clock: &Clock, time: Duration, loopback: bool) -> Result<Speeds> {
    let link = Link::start(loopback)?;
    let mut modes = Mode::ALL.to_vec();
    let mut absent = Vec::new();
    if let Err(why) = ends::has_gso() {
        modes.retain(|mode| *mode != Mode::UdpGso);
        absent.push(format!("not measured: udp-gso: {why:#}"));
    }
    let alone = alone(clock, time / 10)?;

    let of_mode = |&mode: &Mode| SIZES.map(|size| Mac::ALL.map(|mac| (mode, size, mac)));
    let cells: Vec<Moved> = modes.iter().flat_map(of_mode).flatten().collect();
    let (time, began) = (time * 9 / 10, Instant::now());
    let slice = (time / ROUNDS / cells.len() as u32).min(LONGEST_SLICE);
    let mut slices: Vec<Vec<Slice>> = vec![Vec::new(); cells.len()];
    let mut rounds = 0;
    while rounds < ROUNDS as usize || began.elapsed() < time {
        for (index, (&(mode, size, mac), slices)) in cells.iter().zip(&mut slices).enumerate() {
            let seed = (rounds * cells.len() + index) as u64;
            let (host, port) = (Ipv4Addr::UNSPECIFIED, 0);
            let orders = Orders { mode, mac, size, seed, slice, host, port };
            let slice = link.run(&orders).and_then(|slice| check(mode, &slice).map(|()| slice));
            let slice = slice.with_context(|| format!("{mode} {size} {mac}"))?;
            slices.push(slice);
            let of_time = began.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9);
            progress(of_time.min(0.99));
        }
        rounds += 1;
    }
    progress(1.0);

    let mut results = alone;
    for (cells, slices) in cells.chunks(Mac::ALL.len()).zip(slices.chunks(Mac::ALL.len())) {
        for (&(mode, size, mac), of_mac) in cells.iter().zip(slices) {
            // The first of them is without a MAC.
            results.push(cost((mode, size, mac), of_mac, &slices[0]));
        }
    }
    let slice_ms = slice.as_secs_f64() * 1e3;
    let rounds =
        format!("{rounds} rounds of slices of {slice_ms:.0} ms; what else was measured: --json");
    let lines = [link.name, link.cpus, rounds].into_iter().chain(absent).collect();
    let notes = vec![Note { title: "CPU time of both ends for a packet", lines }];
    Ok(Speeds { cpu: cpu_model(), clock: None, results, notes })
}

/// Whether the counts of a slice can be true.
fn check(mode: Mode, slice: &Slice) -> Result<()> {
    let (sent, received) = (slice.sent.packets, slice.received.packets);
    let can_be = received > 0 && received <= sent && (received == sent || !mode.is_tcp());
    ensure!(can_be, "{sent} packets or records were sent and {received} received");
    Ok(())
}

/// CPU nanoseconds a packet: the sender's per packet sent, the others' per packet received.
fn cpu_ns(slice: &Slice) -> f64 {
    let Slice { sent, received, softirq } = slice;
    sent.cpu as f64 / sent.packets as f64
        + (received.cpu + softirq) as f64 / received.packets as f64
}

/// Medians over the rounds; the times of that without a MAC are of the same round.
fn cost((mode, size, mac): Moved, slices: &[Slice], without: &[Slice]) -> Speed {
    let summary = |of: fn(&Slice) -> f64| Summary::of(slices.iter().map(of).collect());
    let sum = |of: fn(&Slice) -> u64| slices.iter().map(of).sum::<u64>() as f64;
    let Summary { median, spread } = summary(cpu_ns);
    let ratios = slices.iter().zip(without).map(|(slice, without)| cpu_ns(slice) / cpu_ns(without));
    let (sent, received) = (sum(|s| s.sent.packets), sum(|s| s.received.packets));
    let in_a_second = |s: &Slice| s.received.packets as f64 * 1e9 / s.received.wall as f64;
    let more = [
        ("sent", sent),
        ("received", received),
        ("lost", sent - received),
        ("packets_per_s", summary(in_a_second).median),
    ];
    let timing = Timing { cycles: None, ns: median, spread };
    let times = Some(Summary::of(ratios.collect()).median);
    let place = Place::new(mode.name(), [mac.name(), "auto", "path"], mode.name(), size.into());
    Speed { times, more: more.into(), ..Speed::new(place, timing) }
}

/// Nanoseconds to seal and open a packet without a path, one or [`BATCH`] at a time.
fn alone(clock: &Clock, time: Duration) -> Result<Vec<Speed>> {
    let mut cells = Vec::new();
    for (batch, mode) in [(1, "single"), (BATCH, "batch")] {
        for (size, mac) in SIZES.into_iter().flat_map(|size| Mac::ALL.map(|mac| (size, mac))) {
            let state = (mac.guard(0, size), vec![b'.'; mac.packet_bytes(size) * batch]);
            let state = RefCell::new(state);
            // The answer is the number of calls whose packets were accepted.
            let work = move |calls: u64| {
                let (guard, packets) = &mut *state.borrow_mut();
                let mut call = || guard.seal(packets).and_then(|()| guard.open(packets));
                (0..calls).map(|_| u128::from(call().is_ok())).sum()
            };
            let section = format!("without a path, packets at a time: {batch}");
            let place = Place::new(&section, [mac.name(), "auto", "MAC alone"], mode, size.into());
            let (work, expected) = (Box::new(work), Box::new(u128::from));
            cells.push(Cell { place, work, expected, messages: batch as u64 });
        }
    }
    let speeds = speeds::run(clock, vec![cells], time)?;
    let in_ns = |Speed { place, timing, .. }| Speed::new(place, Timing { cycles: None, ..timing });
    Ok(speeds.results.into_iter().map(in_ns).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::ends::Report;

    fn slice(sent: u64, received: u64) -> Slice {
        let sent = Report { packets: sent, wall: 1_000_000, cpu: 10_000 };
        let received = Report { packets: received, wall: 2_000_000, cpu: 8_000 };
        Slice { sent, received, softirq: 2_000 }
    }

    #[test]
    fn counts_that_cannot_be_true_are_errors() {
        assert!(check(Mode::Udp, &slice(10, 8)).is_ok());
        assert!(check(Mode::Tcp, &slice(10, 10)).is_ok());
        for (mode, slice) in [
            (Mode::Udp, slice(10, 11)),
            (Mode::Udp, slice(10, 0)),
            (Mode::Tcp, slice(10, 9)),
            (Mode::TcpBatch, slice(10, 9)),
        ] {
            assert!(check(mode, &slice).is_err());
        }
    }

    #[test]
    fn a_cost_is_of_what_was_sent_and_of_what_came() {
        // 10 us for 10 sent, 8 + 2 us for 8 received: 1000 + 1250 ns; without a MAC 1000 + 1000.
        let cell = (Mode::Udp, 100, Mac::Umac64);
        let cost = cost(cell, &[slice(10, 8)], &[slice(10, 10)]);
        let more = ["sent", "received", "lost", "packets_per_s"].map(|name| cost.more[name]);
        assert_eq!(more, [10.0, 8.0, 2.0, 4000.0]);
        assert_eq!((cost.timing.ns, cost.times), (2250.0, Some(1.125)));
    }

    #[test]
    fn the_macs_alone_are_timed_at_every_length() {
        let alone = alone(&Clock::start(), Duration::ZERO).unwrap();
        assert_eq!(alone.len(), 2 * SIZES.len() * Mac::ALL.len());
        assert!(alone.iter().all(|speed| speed.timing.ns > 0.0 && speed.cpb.is_none()));
    }
}
