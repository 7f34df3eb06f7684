//! The slices, their order, and the figures they give.

use super::guard::{BATCH, Mac};
use super::link::{Link, Slice};
use super::{Cost, Mode, Orders, Paths, SIZES, ends};
use crate::speeds::progress;
use crate::timing::measure::{Clock, Summary};
use crate::timing::rounds::{self, Cell};
use std::cell::RefCell;
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

/// The least number of rounds; there are more if slices would be longer than this.
const ROUNDS: u32 = 3;
const LONGEST_SLICE: Duration = Duration::from_millis(100);

type Alone = HashMap<(usize, usize, Mac), f64>;

/// Measures for about `time`.
pub fn run(clock: &Clock, time: Duration, loopback: bool) -> Result<Paths, String> {
    let link = Link::start(loopback)?;
    let mut modes = Mode::ALL.to_vec();
    let mut absent = Vec::new();
    if let Err(why) = ends::has_gso() {
        modes.retain(|mode| *mode != Mode::UdpGso);
        absent.push(format!("udp-gso: {why}"));
    }
    let (clock_ghz, alone) = alone(clock, time / 10)?;

    let cells: Vec<(Mode, usize, Mac)> = modes
        .iter()
        .flat_map(|&mode| SIZES.map(|size| Mac::ALL.map(|mac| (mode, size, mac))))
        .flatten()
        .collect();
    let (time, began) = (time * 9 / 10, Instant::now());
    let slice = (time / ROUNDS / cells.len() as u32).min(LONGEST_SLICE);
    let mut slices: Vec<Vec<Slice>> = vec![Vec::new(); cells.len()];
    let mut rounds = 0;
    while rounds < ROUNDS as usize || began.elapsed() < time {
        for (index, (&(mode, size, mac), slices)) in cells.iter().zip(&mut slices).enumerate() {
            let seed = (rounds * cells.len() + index) as u64;
            let (host, port) = (Ipv4Addr::UNSPECIFIED, 0);
            let orders = Orders { mode, mac, size, seed, slice, host, port };
            let what = |why: String| format!("{} {size} {}: {why}", mode.name(), mac.name());
            let slice = link.run(&orders).map_err(what)?;
            check(mode, &slice).map_err(what)?;
            slices.push(slice);
            let of_time = began.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9);
            progress(of_time.min(0.99));
        }
        rounds += 1;
    }
    progress(1.0);

    let mut results = Vec::new();
    for (cells, slices) in cells.chunks(Mac::ALL.len()).zip(slices.chunks(Mac::ALL.len())) {
        for (&(mode, size, mac), of_mac) in cells.iter().zip(slices) {
            let mac_ns = alone.get(&(mode.batch(), size, mac)).copied();
            // The first of them is without a MAC.
            results.push(cost((mode, size, mac), of_mac, &slices[0], mac_ns));
        }
    }
    Ok(Paths {
        cpu: crate::timing::report::cpu_model(),
        clock: clock_ghz,
        link: link.name.clone(),
        cpus: link.cpus.clone(),
        rounds,
        slice_ms: slice.as_secs_f64() * 1e3,
        absent,
        results,
    })
}

/// Whether the counts of a slice can be true.
fn check(mode: Mode, slice: &Slice) -> Result<(), String> {
    let (sent, received) = (slice.sent.packets, slice.received.packets);
    match received {
        0 => Err("nothing was received".into()),
        _ if received > sent => Err(format!("{sent} packets were sent and {received} received")),
        _ if mode.is_tcp() && received < sent => {
            Err(format!("{sent} records were sent and {received} received"))
        }
        _ => Ok(()),
    }
}

/// CPU nanoseconds a packet: the sender's per packet sent, the others' per packet received.
fn cpu_ns(slice: &Slice) -> f64 {
    let Slice { sent, received, softirq } = slice;
    sent.cpu as f64 / sent.packets as f64
        + (received.cpu + softirq) as f64 / received.packets as f64
}

fn cost(
    (mode, size, mac): (Mode, usize, Mac),
    slices: &[Slice],
    without: &[Slice],
    mac_ns: Option<f64>,
) -> Cost {
    let summary = |of: fn(&Slice) -> f64| Summary::of(slices.iter().map(of).collect());
    let median = |of| summary(of).median;
    let sum = |of: fn(&Slice) -> u64| slices.iter().map(of).sum::<u64>();
    let cpu = summary(cpu_ns);
    let ratios = slices.iter().zip(without).map(|(slice, without)| cpu_ns(slice) / cpu_ns(without));
    let times_no_mac = Summary::of(ratios.collect()).median;
    let packets_per_s = median(|s| s.received.packets as f64 * 1e9 / s.received.wall as f64);
    let (sent, received) = (sum(|s| s.sent.packets), sum(|s| s.received.packets));
    Cost {
        mode,
        size,
        mac,
        sent,
        received,
        lost: sent - received,
        packets_per_s,
        cpu_ns: cpu.median,
        spread: cpu.spread,
        times_no_mac,
        mac_ns,
    }
}

/// The MACs without a path: the clock, and nanoseconds to seal and open a packet, by batch, size and MAC.
fn alone(clock: &Clock, time: Duration) -> Result<(Option<f64>, Alone), String> {
    let cells: Vec<(usize, usize, Mac)> = [1, BATCH]
        .into_iter()
        .flat_map(|batch| SIZES.map(|size| Mac::ALL.map(|mac| (batch, size, mac))))
        .flatten()
        .filter(|(.., mac)| *mac != Mac::None)
        .collect();
    let timed: Vec<Cell<'_>> = cells
        .iter()
        .map(|&(batch, size, mac)| {
            let bytes = mac.packet_bytes(size);
            let state = RefCell::new((mac.guard(0, size), vec![b'.'; bytes * batch]));
            // The answer is the number of accepted packets.
            let work = move |calls: u64| {
                let (guard, packets) = &mut *state.borrow_mut();
                let mut accepted = 0;
                for _ in 0..calls {
                    let mut opened = [&[][..]; BATCH];
                    let sealed = guard.seal(packets);
                    for (slot, packet) in opened.iter_mut().zip(packets.chunks_exact(bytes)) {
                        *slot = packet;
                    }
                    let done = sealed.and_then(|()| guard.open(&opened[..batch]));
                    accepted += u128::from(done.is_ok());
                }
                accepted
            };
            Cell {
                label: format!("{} {size}", mac.name()),
                work: Box::new(work),
                expected: Box::new(u128::from),
                messages: batch as u64,
            }
        })
        .collect();
    let run = rounds::run(clock, &timed, time, |_| ())?;
    let timings = cells.into_iter().zip(run.timings.iter().map(|timing| timing.ns));
    Ok((run.clock_ghz, timings.collect()))
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
        let cost = cost(cell, &[slice(10, 8)], &[slice(10, 10)], Some(225.0));
        assert_eq!((cost.sent, cost.received, cost.lost), (10, 8, 2));
        assert_eq!((cost.cpu_ns, cost.packets_per_s), (2250.0, 4000.0));
        assert_eq!((cost.times_no_mac, cost.mac_ns), (1.125, Some(225.0)));
    }

    #[test]
    fn the_macs_alone_are_timed_at_every_length() {
        let (_, alone) = alone(&Clock::start(), Duration::ZERO).unwrap();
        for mode in Mode::ALL {
            for (size, mac) in SIZES.into_iter().flat_map(|size| Mac::ALL.map(|mac| (size, mac))) {
                let ns = alone.get(&(mode.batch(), size, mac));
                assert_eq!(ns.is_some_and(|ns| *ns > 0.0), mac != Mac::None);
            }
        }
    }
}
