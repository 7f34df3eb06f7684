//! Sends for a slice of time.

use super::{Meter, PATIENCE, Report, broken};
use crate::path::guard::BATCH;
use crate::path::{Mode, Orders};
use nix::sys::socket::{self, MsgFlags, MultiHeaders, sockopt};
use std::io::{IoSlice, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;

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
    in_batches(orders, |packets| match orders.mode {
        Mode::UdpBatch => {
            let mut slices = [[IoSlice::new(&[])]; BATCH];
            for (slice, packet) in slices.iter_mut().zip(packets.chunks_exact(bytes)) {
                *slice = [IoSlice::new(packet)];
            }
            let (fd, flags) = (socket.as_raw_fd(), MsgFlags::empty());
            let sent = socket::sendmmsg(fd, &mut headers, &slices, [None; BATCH], [], flags);
            Ok(sent.map_err(broken)?.count() as u64)
        }
        _ => {
            socket.send(packets).map_err(broken)?;
            Ok((packets.len() / bytes) as u64)
        }
    })
}

/// Seals packets, one at a time or [`BATCH`], and passes them to `send`, which returns how many it sent.
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

fn send_stream(orders: &Orders) -> Result<Report, String> {
    let mut stream = TcpStream::connect((orders.host, orders.port)).map_err(broken)?;
    stream.set_nodelay(true).map_err(broken)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(broken)?;
    stream.set_write_timeout(Some(PATIENCE)).map_err(broken)?;
    let batch = orders.mode.batch() as u64;
    let report =
        in_batches(orders, |packets| stream.write_all(packets).map(|()| batch).map_err(broken))?;
    stream.shutdown(Shutdown::Write).map_err(broken)?;
    // Waits until the receiver has read everything.
    stream.read(&mut [0; 1]).map_err(broken)?;
    Ok(report)
}

/// Lets the kernel or the network card split what is sent into datagrams.
pub fn segment(socket: &UdpSocket, bytes: usize) -> Result<(), String> {
    let bytes = i32::try_from(bytes).map_err(|error| error.to_string())?;
    socket::setsockopt(socket, sockopt::UdpGsoSegment, &bytes).map_err(broken)
}
