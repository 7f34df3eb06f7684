//! The two ends, each its own thread: they move packets for a slice of time and report the cost.

mod receiver;
mod sender;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::socket::{self, sockopt};
use nix::sys::time::TimeValLike;
use sender::segment;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, UdpSocket};
use std::time::{Duration, Instant};

pub use receiver::receive;
pub use sender::send;

/// Without a packet for this long, something is wrong.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a polling receiver sleeps when nothing waits.
const PAUSE: Duration = Duration::from_micros(100);

/// The last datagrams of a slice, shorter than any packet. They come until the receiver answers.
const END: &[u8; 4] = b"end.";

/// What one end reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// Packets sent, or received and accepted.
    pub packets: u64,
    /// Nanoseconds from the first to the last.
    pub wall: u64,
    /// Nanoseconds on the CPU, in this program and in the system.
    pub cpu: u64,
}

/// The CPU time of this thread, and the wall-clock time.
struct Meter {
    cpu_us: i64,
    began: Instant,
}

impl Meter {
    fn start() -> Result<Meter, String> {
        let usage = getrusage(UsageWho::RUSAGE_THREAD).map_err(|error| error.to_string())?;
        let cpu_us = (usage.user_time() + usage.system_time()).num_microseconds();
        Ok(Meter { cpu_us, began: Instant::now() })
    }

    fn report(&self, packets: u64, began: Option<Instant>) -> Result<Report, String> {
        let now = Meter::start()?;
        let wall = (now.began - began.unwrap_or(self.began)).as_nanos() as u64;
        let cpu = 1000 * u64::try_from(now.cpu_us - self.cpu_us).unwrap_or(0);
        Ok(Report { packets, wall, cpu })
    }
}

/// An error of a socket, in words.
fn broken(error: impl Into<std::io::Error>) -> String {
    let error = error.into();
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            format!("no packet came for {} seconds", PATIENCE.as_secs())
        }
        _ => error.to_string(),
    }
}

/// Takes what is there. If nothing is, polls ten times in a millisecond, as with interrupt moderation.
fn wait<T>(mut take: impl FnMut() -> std::io::Result<T>) -> Result<T, String> {
    let mut pauses = PATIENCE.as_micros() / PAUSE.as_micros();
    loop {
        match take() {
            Err(error) if error.kind() == ErrorKind::WouldBlock && pauses > 0 => {
                pauses -= 1;
                std::thread::sleep(PAUSE);
            }
            taken => return taken.map_err(broken),
        }
    }
}

/// Whether this system has UDP GSO and GRO.
pub fn has_gso() -> Result<(), String> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).map_err(broken)?;
    segment(&socket, 1000)?;
    socket::setsockopt(&socket, sockopt::UdpGroSegment, &true).map_err(broken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::guard::Mac;
    use crate::path::{Mode, Orders};
    use std::sync::mpsc;

    fn both(send_orders: Orders, receive_orders: Orders) -> (Result<Report, String>, Report) {
        let (tell, told) = mpsc::channel();
        let receiver = std::thread::spawn(move || receive(&receive_orders, &tell));
        let sent = send(&Orders { port: told.recv().unwrap(), ..send_orders }).unwrap_or_default();
        (receiver.join().unwrap(), sent)
    }

    #[test]
    fn a_slice_that_is_over_at_once_has_packets() {
        for mode in [Mode::Udp, Mode::UdpBatch, Mode::Tcp] {
            let orders = Orders { slice: Duration::ZERO, ..orders(mode, Mac::None, 1) };
            let (received, sent) = both(orders, orders);
            assert_eq!((received.unwrap().packets, sent.packets), (32, 32), "{}", mode.name());
        }
    }

    fn orders(mode: Mode, mac: Mac, seed: u64) -> Orders {
        let (host, slice) = (Ipv4Addr::LOCALHOST, Duration::from_millis(3));
        Orders { mode, size: 100, mac, seed, slice, host, port: 0 }
    }

    #[test]
    fn every_mode_moves_packets_under_every_mac() {
        for mode in Mode::ALL {
            for mac in Mac::ALL {
                let (received, sent) = both(orders(mode, mac, 1), orders(mode, mac, 1));
                let (received, what) = (received.unwrap(), (mode.name(), mac.name()));
                assert!(received.packets > 0 && received.packets <= sent.packets, "{what:?}");
                assert!(!mode.is_tcp() || received.packets == sent.packets, "{what:?}");
                assert!(sent.wall >= 3_000_000 && received.wall > 0);
            }
        }
    }

    #[test]
    fn a_wrong_tag_ends_it() {
        // A sender of datagrams would wait long for the answer; a stream breaks at once.
        for mode in [Mode::Tcp, Mode::TcpBatch] {
            let (received, _) = both(orders(mode, Mac::Umac64, 1), orders(mode, Mac::Umac64, 2));
            let error = received.unwrap_err();
            assert!(error.contains("its tag is wrong"), "{error}");
        }
    }
}
