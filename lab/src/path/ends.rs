//! The two ends, each a process of its own: they move packets for a slice of time and say what it cost.

use super::guard::BATCH;
use super::{Mode, Orders};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::socket::{self, MsgFlags, MultiHeaders, sockopt};
use nix::sys::time::TimeValLike;
use std::io::{BufRead, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

/// After so long without a packet something is wrong.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a receiver that is not to be woken sleeps when there is nothing for it.
const PAUSE: Duration = Duration::from_micros(100);

/// The last datagrams of a slice, shorter than any packet. They come until the receiver answers.
const END: &[u8; 4] = b"end.";

/// Room for what waits: 8 MiB if this process may ask for it, else what the system allows.
const BUFFER: usize = 8 << 20;

/// What one end has to say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// Packets sent, or received and accepted.
    pub packets: u64,
    /// Nanoseconds from the first to the last.
    pub wall: u64,
    /// Nanoseconds on the CPU, in this program and in the system.
    pub user: u64,
    pub system: u64,
}

impl Report {
    fn to_line(self) -> String {
        let Report { packets, wall, user, system } = self;
        format!("{packets} {wall} {user} {system}")
    }

    pub fn from_line(line: &str) -> Option<Report> {
        let numbers: Option<Vec<u64>> = line.split(' ').map(|word| word.parse().ok()).collect();
        let [packets, wall, user, system] = numbers?[..] else { return None };
        Some(Report { packets, wall, user, system })
    }
}

/// Obeys orders, a line each, until there are no more.
pub fn play(role: &str) -> Result<(), String> {
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let orders = Orders::from_line(&line).ok_or("these are no orders")?;
        let report = match role {
            "sender" => send(&orders),
            "receiver" => receive(&orders, |port| say(&port.to_string())),
            _ => Err("there is no such role".into()),
        };
        say(&report?.to_line())?;
    }
    Ok(())
}

fn say(line: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|error| error.to_string())
}

/// What this process has taken of the CPU, and the time.
struct Meter {
    user: i64,
    system: i64,
    began: Instant,
}

impl Meter {
    fn start() -> Result<Meter, String> {
        let usage = getrusage(UsageWho::RUSAGE_SELF).map_err(|error| error.to_string())?;
        let [user, system] =
            [usage.user_time(), usage.system_time()].map(|time| time.num_microseconds());
        Ok(Meter { user, system, began: Instant::now() })
    }

    fn report(&self, packets: u64, began: Option<Instant>) -> Result<Report, String> {
        let now = Meter::start()?;
        let ns = |from: i64, to: i64| 1000 * u64::try_from(to - from).unwrap_or(0);
        Ok(Report {
            packets,
            wall: (now.began - began.unwrap_or(self.began)).as_nanos() as u64,
            user: ns(self.user, now.user),
            system: ns(self.system, now.system),
        })
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

/// Takes what is there; if nothing is, sleeps or, if the mode is to be woken by each packet, waits for it.
fn wait<T>(mode: Mode, mut take: impl FnMut() -> std::io::Result<T>) -> Result<T, String> {
    let mut pauses = PATIENCE.as_micros() / PAUSE.as_micros();
    loop {
        match take() {
            Err(error)
                if error.kind() == ErrorKind::WouldBlock && !mode.is_woken() && pauses > 0 =>
            {
                pauses -= 1;
                std::thread::sleep(PAUSE);
            }
            taken => return taken.map_err(broken),
        }
    }
}

/// Sends for a slice of time.
pub fn send(orders: &Orders) -> Result<Report, String> {
    if orders.mode.is_tcp() {
        return send_stream(orders);
    }
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).map_err(broken)?;
    socket.connect((orders.host, orders.port)).map_err(broken)?;
    let bytes = orders.mac.packet_bytes(orders.size);
    if orders.mode == Mode::UdpGso {
        segment(&socket, bytes)?;
    }
    let mut headers = MultiHeaders::<()>::preallocate(BATCH, None);
    let report = in_batches(orders, |packets| match orders.mode {
        Mode::UdpBatch => {
            let mut slices = [[IoSlice::new(&[])]; BATCH];
            for (slice, packet) in slices.iter_mut().zip(packets.chunks_exact(bytes)) {
                *slice = [IoSlice::new(packet)];
            }
            let flags = MsgFlags::empty();
            let sent = socket::sendmmsg(
                socket.as_raw_fd(),
                &mut headers,
                &slices,
                [None; BATCH],
                [],
                flags,
            );
            Ok(sent.map_err(broken)?.count() as u64)
        }
        _ => {
            socket.send(packets).map_err(broken)?;
            Ok((packets.len() / bytes) as u64)
        }
    })?;
    // The receiver may have much to do before it comes to this.
    socket.set_read_timeout(Some(Duration::from_millis(1))).map_err(broken)?;
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        socket.send(END).map_err(broken)?;
        if socket.recv(&mut [0; 4]).is_ok() {
            return Ok(report);
        }
    }
    Err("the receiver does not answer".into())
}

/// Seals packets and hands them to `send`, which says how many it sent, one at a time or [`BATCH`].
fn in_batches(
    orders: &Orders,
    mut send: impl FnMut(&[u8]) -> Result<u64, String>,
) -> Result<Report, String> {
    let mut guard = orders.mac.guard(orders.seed, orders.size);
    let bytes = orders.mac.packet_bytes(orders.size);
    let batch = orders.mode.batch();
    let mut packets = vec![b'.'; bytes * batch];
    let mut sent = 0;
    let meter = Meter::start()?;
    // At least once, or a sender that was kept waiting for its whole slice would have sent nothing.
    loop {
        // As seldom a look at the clock in all modes.
        for _ in 0..BATCH / batch {
            guard.seal(&mut packets)?;
            sent += send(&packets)?;
        }
        if meter.began.elapsed() >= orders.slice {
            return meter.report(sent, None);
        }
    }
}

fn send_stream(orders: &Orders) -> Result<Report, String> {
    let mut stream = TcpStream::connect((orders.host, orders.port)).map_err(broken)?;
    stream.set_nodelay(true).map_err(broken)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(broken)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(broken)?;
    let batch = orders.mode.batch() as u64;
    let report =
        in_batches(orders, |packets| stream.write_all(packets).map(|()| batch).map_err(broken))?;
    stream.shutdown(Shutdown::Write).map_err(broken)?;
    // Until the receiver has had all of it.
    stream.read(&mut [0; 1]).map_err(broken)?;
    Ok(report)
}

/// Lets the kernel, or the network card, cut what is sent into datagrams.
fn segment(socket: &UdpSocket, bytes: usize) -> Result<(), String> {
    let bytes = i32::try_from(bytes).map_err(|error| error.to_string())?;
    socket::setsockopt(socket, sockopt::UdpGsoSegment, &bytes).map_err(broken)
}

/// Whether this system has UDP GSO and GRO.
pub fn has_gso() -> Result<(), String> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).map_err(broken)?;
    segment(&socket, 1000)?;
    socket::setsockopt(&socket, sockopt::UdpGroSegment, &true).map_err(broken)
}

/// Receives and verifies until the sender ends. `ready` is told the port.
pub fn receive(
    orders: &Orders,
    ready: impl FnOnce(u16) -> Result<(), String>,
) -> Result<Report, String> {
    if orders.mode.is_tcp() {
        return receive_stream(orders, ready);
    }
    let socket = UdpSocket::bind((orders.host, 0)).map_err(broken)?;
    socket.set_read_timeout(Some(PATIENCE)).map_err(broken)?;
    let forced = socket::setsockopt(&socket, sockopt::RcvBufForce, &BUFFER);
    forced.or_else(|_| socket::setsockopt(&socket, sockopt::RcvBuf, &BUFFER)).map_err(broken)?;
    if orders.mode == Mode::UdpGso {
        socket::setsockopt(&socket, sockopt::UdpGroSegment, &true).map_err(broken)?;
    }
    let mut guard = orders.mac.guard(orders.seed, orders.size);
    let bytes = orders.mac.packet_bytes(orders.size);
    let mut buffers = vec![0; if orders.mode == Mode::UdpBatch { BATCH << 11 } else { 1 << 16 }];
    let mut headers = MultiHeaders::<()>::preallocate(BATCH, None);
    let (mut received, mut began, mut has_ended) = (0, None, false);
    socket.set_nonblocking(!orders.mode.is_woken()).map_err(broken)?;
    ready(socket.local_addr().map_err(broken)?.port())?;
    let meter = Meter::start()?;
    while !has_ended {
        let mut packets = [&[][..]; 2 * BATCH];
        let mut count = 0;
        let mut add = |packet| {
            if packet == END {
                has_ended = true;
            } else {
                packets[count] = packet;
                count += 1;
            }
        };
        if orders.mode == Mode::UdpBatch {
            let mut lengths = [0; BATCH];
            let taken =
                wait(orders.mode, || take_many(&socket, &mut headers, &mut buffers, &mut lengths))?;
            for (buffer, length) in buffers.chunks_exact(1 << 11).zip(&lengths[..taken]) {
                add(&buffer[..*length]);
            }
        } else {
            let length = wait(orders.mode, || socket.recv(&mut buffers))?;
            // One datagram, or many of one length that the kernel left together.
            buffers[..length].chunks(bytes).for_each(add);
        }
        began.get_or_insert_with(Instant::now);
        for packets in packets[..count].chunks(BATCH) {
            guard.open(packets)?;
        }
        received += count as u64;
    }
    let report = meter.report(received, began)?;
    let mut end = [0; 4];
    // The sender goes on saying so until it is answered; whatever waits here by now is that.
    let (_, sender) = wait(orders.mode, || socket.recv_from(&mut end))?;
    socket.send_to(END, sender).map_err(broken)?;
    Ok(report)
}

/// Datagrams with one system call, at least one.
fn take_many(
    socket: &UdpSocket,
    headers: &mut MultiHeaders<()>,
    buffers: &mut [u8],
    lengths: &mut [usize; BATCH],
) -> std::io::Result<usize> {
    let mut chunks = buffers.chunks_exact_mut(1 << 11);
    let mut slices: [_; BATCH] = std::array::from_fn(|_| {
        [IoSliceMut::new(chunks.next().expect("there are as many buffers"))]
    });
    let flags = MsgFlags::MSG_WAITFORONE;
    let taken = socket::recvmmsg(socket.as_raw_fd(), headers, &mut slices, flags, None);
    let mut count = 0;
    for (message, length) in taken?.zip(lengths) {
        *length = message.bytes;
        count += 1;
    }
    Ok(count)
}

fn receive_stream(
    orders: &Orders,
    ready: impl FnOnce(u16) -> Result<(), String>,
) -> Result<Report, String> {
    let listener = TcpListener::bind((orders.host, 0)).map_err(broken)?;
    ready(listener.local_addr().map_err(broken)?.port())?;
    let (mut stream, _) = listener.accept().map_err(broken)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(broken)?;
    stream.set_nonblocking(!orders.mode.is_woken()).map_err(broken)?;
    let mut guard = orders.mac.guard(orders.seed, orders.size);
    let bytes = orders.mac.packet_bytes(orders.size);
    // One record a call, or whatever is there: as much as a sender's call.
    let mut buffer = vec![0; bytes * orders.mode.batch()];
    let (mut filled, mut received, mut began) = (0, 0, None);
    let meter = Meter::start()?;
    loop {
        let length = wait(orders.mode, || stream.read(&mut buffer[filled..]))?;
        if length == 0 {
            break;
        }
        began.get_or_insert_with(Instant::now);
        filled += length;
        let mut packets = [&[][..]; BATCH];
        let mut count = 0;
        for (slot, packet) in packets.iter_mut().zip(buffer[..filled].chunks_exact(bytes)) {
            *slot = packet;
            count += 1;
        }
        if count > 0 {
            guard.open(&packets[..count])?;
            received += count as u64;
            buffer.copy_within(count * bytes..filled, 0);
            filled -= count * bytes;
        }
    }
    if filled > 0 {
        return Err(format!("the stream ended {filled} bytes into a record"));
    }
    meter.report(received, began)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::guard::Mac;
    use std::sync::mpsc;

    fn both(send_orders: Orders, receive_orders: Orders) -> (Result<Report, String>, Report) {
        let (tell, told) = mpsc::channel();
        let receiver = std::thread::spawn(move || {
            receive(&receive_orders, |port| tell.send(port).map_err(|error| error.to_string()))
        });
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
        // A sender of datagrams would wait long for its answer; a stream breaks at once.
        for mode in [Mode::Tcp, Mode::TcpBatch] {
            let (received, _) = both(orders(mode, Mac::Umac64, 1), orders(mode, Mac::Umac64, 2));
            let error = received.unwrap_err();
            assert!(error.contains("its tag is wrong"), "{error}");
        }
    }

    #[test]
    fn reports_come_back() {
        let report = Report { packets: 1, wall: 2, user: 3, system: u64::MAX };
        let again = Report::from_line(&report.to_line()).unwrap();
        assert_eq!(again.to_line(), "1 2 3 18446744073709551615");
        for line in ["", "1 2 3", "1 2 3 4 5", "1 2 3 x"] {
            assert!(Report::from_line(line).is_none(), "{line:?}");
        }
    }
}
