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
//! | `run` | the slices, and the figures they give: a section for each way, and two for the MACs alone; a row for each MAC |

mod ends;
mod guard;
mod link;
mod run;

use crate::named::named;
use guard::BATCH;
use std::net::Ipv4Addr;
use std::time::Duration;

use guard::Mac;
pub use run::run;

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
