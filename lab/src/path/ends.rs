//! The two ends, each its own thread: they move packets for a slice of time and report the cost.

use super::guard::BATCH;
use super::{Mode, Orders};
use anyhow::{Context, Error, Result, anyhow, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::socket::{self, MsgFlags, MultiHeaders, SockaddrIn, sockopt};
use nix::sys::time::TimeValLike;
use std::io::{ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

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
    fn start() -> Result<Meter> {
        let usage = getrusage(UsageWho::RUSAGE_THREAD)?;
        let cpu_us = (usage.user_time() + usage.system_time()).num_microseconds();
        Ok(Meter { cpu_us, began: Instant::now() })
    }

    fn report(&self, packets: u64, began: Option<Instant>) -> Result<Report> {
        let now = Meter::start()?;
        let wall = (now.began - began.unwrap_or(self.began)).as_nanos() as u64;
        let cpu = 1000 * u64::try_from(now.cpu_us - self.cpu_us).unwrap_or(0);
        Ok(Report { packets, wall, cpu })
    }
}

/// An error in words, of a socket that waited for too long.
pub fn in_words(error: Error) -> Error {
    let kind = error.downcast_ref().map(std::io::Error::kind);
    match kind {
        Some(ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            anyhow!("no packet came for {} seconds", PATIENCE.as_secs())
        }
        _ => error,
    }
}

/// Takes what is there. If nothing is, polls ten times in a millisecond, as with interrupt moderation.
fn wait<T>(mut take: impl FnMut() -> std::io::Result<T>) -> std::io::Result<T> {
    let mut pauses = PATIENCE.as_micros() / PAUSE.as_micros();
    loop {
        match take() {
            Err(error) if error.kind() == ErrorKind::WouldBlock && pauses > 0 => {
                pauses -= 1;
                std::thread::sleep(PAUSE);
            }
            taken => return taken,
        }
    }
}

/// Whether this system has UDP GSO and GRO.
pub fn has_gso() -> Result<()> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    segment(&socket, 1000)?;
    Ok(socket::setsockopt(&socket, sockopt::UdpGroSegment, &true)?)
}

/// Sends for a slice of time.
pub fn send(orders: &Orders) -> Result<Report> {
    if orders.mode.is_tcp() {
        return send_stream(orders);
    }
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.connect((orders.host, orders.port))?;
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
            let (fd, flags) = (socket.as_raw_fd(), MsgFlags::empty());
            let sent = socket::sendmmsg(fd, &mut headers, &slices, [None; BATCH], [], flags);
            Ok(sent?.count() as u64)
        }
        _ => {
            socket.send(packets)?;
            Ok((packets.len() / bytes) as u64)
        }
    })?;
    end(&socket).map(|()| report)
}

/// Tells the receiver of the end until it answers. It may still have many packets to process.
fn end(socket: &UdpSocket) -> Result<()> {
    socket.set_read_timeout(Some(Duration::from_millis(1)))?;
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        // Once the receiver has answered, an end finds nobody, and that error comes before the answer.
        let _ = socket.send(END);
        if (0..2).any(|_| socket.recv(&mut [0; 4]).is_ok()) {
            return Ok(());
        }
    }
    bail!("the receiver does not answer")
}

/// Seals packets, one at a time or [`BATCH`], and passes them to `send`, which returns how many it sent.
fn in_batches(orders: &Orders, mut send: impl FnMut(&[u8]) -> Result<u64>) -> Result<Report> {
    let mut guard = orders.mac.guard(orders.seed, orders.size);
    let bytes = orders.mac.packet_bytes(orders.size);
    let batch = orders.mode.batch();
    let mut packets = vec![b'.'; bytes * batch];
    let mut sent = 0;
    let meter = Meter::start()?;
    // At least once: a sender that was preempted for its whole slice would send nothing.
    loop {
        // Every mode reads the clock equally seldom.
        for _ in 0..BATCH / batch {
            guard.seal(&mut packets)?;
            sent += send(&packets)?;
        }
        if meter.began.elapsed() >= orders.slice {
            return meter.report(sent, None);
        }
    }
}

fn send_stream(orders: &Orders) -> Result<Report> {
    let mut stream = TcpStream::connect((orders.host, orders.port))?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let batch = orders.mode.batch() as u64;
    let report = in_batches(orders, |packets| Ok(stream.write_all(packets).map(|()| batch)?))?;
    stream.shutdown(Shutdown::Write)?;
    // Waits until the receiver has read everything.
    let _ = stream.read(&mut [0; 1])?;
    Ok(report)
}

/// Lets the kernel or the network card split what is sent into datagrams.
pub fn segment(socket: &UdpSocket, bytes: usize) -> Result<()> {
    let bytes = i32::try_from(bytes)?;
    Ok(socket::setsockopt(socket, sockopt::UdpGsoSegment, &bytes)?)
}

/// The receive buffer: 8 MiB if this process may ask for it, otherwise what the system allows.
const BUFFER: usize = 8 << 20;

/// Receives and verifies until the sender ends. `ready` is told the port.
pub fn receive(orders: &Orders, ready: &Sender<u16>) -> Result<Report> {
    let is_tcp = orders.mode.is_tcp();
    let socket = open(orders, ready)?;
    let fd = socket.as_raw_fd();
    let mut guard = orders.mac.guard(orders.seed, orders.size);
    let bytes = orders.mac.packet_bytes(orders.size);
    // What the sender passes to one call, or a datagram, or several of one length that the kernel kept together.
    let is_one = matches!(orders.mode, Mode::Udp | Mode::UdpGso);
    let mut buffer = vec![0; if is_one { 1 << 16 } else { bytes * orders.mode.batch() }];
    let mut headers = MultiHeaders::<()>::preallocate(BATCH, None);
    let (mut filled, mut received, mut began) = (0, 0, None);
    let meter = Meter::start()?;
    loop {
        let length = wait(|| match orders.mode {
            Mode::UdpBatch => take_many(&socket, &mut headers, &mut buffer, bytes),
            _ => Ok(socket::recv(fd, &mut buffer[filled..], MsgFlags::empty())?),
        })?;
        began.get_or_insert_with(Instant::now);
        filled += length;
        let whole = filled / bytes * bytes;
        buffer[..whole].chunks(bytes * BATCH).try_for_each(|packets| guard.open(packets))?;
        received += (whole / bytes) as u64;
        match &buffer[whole..filled] {
            rest if if is_tcp { length == 0 && rest.is_empty() } else { rest == END } => break,
            [] => {}
            rest if !is_tcp || length == 0 => {
                bail!("{} bytes came that are no packet", rest.len());
            }
            _ => {}
        }
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
    }
    let report = meter.report(received, began)?;
    if !is_tcp {
        // The sender repeats its end until it is answered; nothing else can wait here by now.
        let (_, sender) = wait(|| Ok(socket::recvfrom::<SockaddrIn>(fd, &mut [0; 4])?))?;
        let sender = sender.context("the sender has no address")?;
        socket::sendto(fd, END, &sender, MsgFlags::empty())?;
    }
    Ok(report)
}

/// A socket of the mode; for a stream, the one that the sender has connected to.
fn open(orders: &Orders, ready: &Sender<u16>) -> Result<OwnedFd> {
    if orders.mode.is_tcp() {
        let listener = TcpListener::bind((orders.host, 0))?;
        ready.send(listener.local_addr()?.port())?;
        let (stream, _) = listener.accept()?;
        stream.set_nonblocking(true)?;
        return Ok(stream.into());
    }
    let socket = UdpSocket::bind((orders.host, 0))?;
    let forced = socket::setsockopt(&socket, sockopt::RcvBufForce, &BUFFER);
    forced.or_else(|_| socket::setsockopt(&socket, sockopt::RcvBuf, &BUFFER))?;
    if orders.mode == Mode::UdpGso {
        socket::setsockopt(&socket, sockopt::UdpGroSegment, &true)?;
    }
    socket.set_nonblocking(true)?;
    ready.send(socket.local_addr()?.port())?;
    Ok(socket.into())
}

/// Datagrams with one system call, at least one, side by side: only the last is shorter than a packet.
fn take_many(
    socket: &OwnedFd,
    headers: &mut MultiHeaders<()>,
    buffer: &mut [u8],
    bytes: usize,
) -> std::io::Result<usize> {
    let mut places = buffer.chunks_exact_mut(bytes);
    let mut slices: [_; BATCH] = std::array::from_fn(|_| {
        [IoSliceMut::new(places.next().expect("there are as many places"))]
    });
    let flags = MsgFlags::MSG_WAITFORONE;
    let taken = socket::recvmmsg(socket.as_raw_fd(), headers, &mut slices, flags, None)?;
    let mut length = 0;
    for message in taken {
        length += message.bytes;
        if message.bytes < bytes {
            break;
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::guard::Mac;
    use std::sync::mpsc;

    fn both(send_orders: Orders, receive_orders: Orders) -> (Result<Report>, Report) {
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
            let error = format!("{:#}", received.unwrap_err());
            assert!(error.contains("its tag is wrong"), "{error}");
        }
    }

    #[test]
    fn an_answer_from_a_receiver_that_is_gone_is_read() {
        let [receiver, sender] =
            [(); 2].map(|()| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        sender.connect(receiver.local_addr().unwrap()).unwrap();
        receiver.send_to(END, sender.local_addr().unwrap()).unwrap();
        drop(receiver);
        end(&sender).unwrap();
    }
}
