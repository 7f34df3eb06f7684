//! Receives and verifies until the sender ends.

use super::{END, Meter, Report, broken, wait};
use crate::path::guard::BATCH;
use crate::path::{Mode, Orders};
use nix::sys::socket::{self, MsgFlags, MultiHeaders, SockaddrIn, sockopt};
use std::io::IoSliceMut;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::mpsc::Sender;
use std::time::Instant;

/// The receive buffer: 8 MiB if this process may ask for it, otherwise what the system allows.
const BUFFER: usize = 8 << 20;

/// Receives and verifies until the sender ends. `ready` is told the port.
pub fn receive(orders: &Orders, ready: &Sender<u16>) -> Result<Report, String> {
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
                return Err(format!("{} bytes came that are no packet", rest.len()));
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
        let sender = sender.ok_or("the sender has no address")?;
        socket::sendto(fd, END, &sender, MsgFlags::empty()).map_err(broken)?;
    }
    Ok(report)
}

/// A socket of the mode; for a stream, the one that the sender has connected to.
fn open(orders: &Orders, ready: &Sender<u16>) -> Result<OwnedFd, String> {
    let told = |address: std::io::Result<SocketAddr>| {
        ready.send(address.map_err(broken)?.port()).map_err(|error| error.to_string())
    };
    if orders.mode.is_tcp() {
        let listener = TcpListener::bind((orders.host, 0)).map_err(broken)?;
        told(listener.local_addr())?;
        let (stream, _) = listener.accept().map_err(broken)?;
        stream.set_nonblocking(true).map_err(broken)?;
        return Ok(stream.into());
    }
    let socket = UdpSocket::bind((orders.host, 0)).map_err(broken)?;
    let forced = socket::setsockopt(&socket, sockopt::RcvBufForce, &BUFFER);
    forced.or_else(|_| socket::setsockopt(&socket, sockopt::RcvBuf, &BUFFER)).map_err(broken)?;
    if orders.mode == Mode::UdpGso {
        socket::setsockopt(&socket, sockopt::UdpGroSegment, &true).map_err(broken)?;
    }
    socket.set_nonblocking(true).map_err(broken)?;
    told(socket.local_addr())?;
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
