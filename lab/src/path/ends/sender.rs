//! Sends for a slice of time.

use super::{END, Meter, PATIENCE, Report, broken};
use crate::path::guard::BATCH;
use crate::path::{Mode, Orders};
use nix::sys::socket::{self, MsgFlags, MultiHeaders, sockopt};
use std::io::{IoSlice, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

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
            let (fd, flags) = (socket.as_raw_fd(), MsgFlags::empty());
            let sent = socket::sendmmsg(fd, &mut headers, &slices, [None; BATCH], [], flags);
            Ok(sent.map_err(broken)?.count() as u64)
        }
        _ => {
            socket.send(packets).map_err(broken)?;
            Ok((packets.len() / bytes) as u64)
        }
    })?;
    end(&socket).map(|()| report)
}

/// Tells the receiver of the end until it answers. It may still have many packets to process.
fn end(socket: &UdpSocket) -> Result<(), String> {
    socket.set_read_timeout(Some(Duration::from_millis(1))).map_err(broken)?;
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        // Once the receiver has answered, an end finds nobody, and that error comes before the answer.
        let _ = socket.send(END);
        if (0..2).any(|_| socket.recv(&mut [0; 4]).is_ok()) {
            return Ok(());
        }
    }
    Err("the receiver does not answer".into())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_from_a_receiver_that_is_gone_is_read() {
        let [receiver, sender] =
            [(); 2].map(|()| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        sender.connect(receiver.local_addr().unwrap()).unwrap();
        receiver.send_to(END, sender.local_addr().unwrap()).unwrap();
        drop(receiver);
        assert_eq!(end(&sender), Ok(()));
    }
}
