//! Receives and verifies until the sender ends.

use super::{END, Meter, Report, broken, wait};
use crate::path::guard::BATCH;
use crate::path::{Mode, Orders};
use nix::sys::socket::{self, MsgFlags, MultiHeaders, sockopt};
use std::io::{IoSliceMut, Read};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::Instant;

/// The receive buffer: 8 MiB if this process may ask for it, otherwise what the system allows.
const BUFFER: usize = 8 << 20;

/// Receives and verifies until the sender ends. `ready` is told the port.
pub fn receive(
    orders: &Orders,
    ready: impl FnOnce(u16) -> Result<(), String>,
) -> Result<Report, String> {
    if orders.mode.is_tcp() {
        return receive_stream(orders, ready);
    }
    let socket = UdpSocket::bind((orders.host, 0)).map_err(broken)?;
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
    socket.set_nonblocking(true).map_err(broken)?;
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
            let taken = wait(|| take_many(&socket, &mut headers, &mut buffers, &mut lengths))?;
            for (buffer, length) in buffers.chunks_exact(1 << 11).zip(&lengths[..taken]) {
                add(&buffer[..*length]);
            }
        } else {
            let length = wait(|| socket.recv(&mut buffers))?;
            // One datagram, or several of one length that the kernel kept together.
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
    // The sender repeats its end until it is answered; nothing else can wait here by now.
    let (_, sender) = wait(|| socket.recv_from(&mut end))?;
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
    stream.set_nonblocking(true).map_err(broken)?;
    let mut guard = orders.mac.guard(orders.seed, orders.size);
    let bytes = orders.mac.packet_bytes(orders.size);
    // Reads at most what the sender writes in one call.
    let mut buffer = vec![0; bytes * orders.mode.batch()];
    let (mut filled, mut received, mut began) = (0, 0, None);
    let meter = Meter::start()?;
    loop {
        let length = wait(|| stream.read(&mut buffer[filled..]))?;
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
