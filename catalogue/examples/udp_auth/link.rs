//! Sockets that lose nothing: a sender waits for credit, so the buffers of the operating system never overflow, and
//! only the relay loses datagrams. Credits go the other way: the number of datagrams received so far, as 8 bytes.

use crate::CREDIT;
use std::io::ErrorKind;
use std::net::UdpSocket;
use std::time::Duration;

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// After this long without a datagram, something is wrong.
const PATIENCE: Duration = Duration::from_secs(30);

/// One end of a link.
pub struct Link {
    socket: UdpSocket,
    sent: u64,
    /// How many of those the other end has received.
    taken: u64,
}

impl Link {
    pub fn new() -> Result<Link> {
        let socket = UdpSocket::bind(("127.0.0.1", 0))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(Link { socket, sent: 0, taken: 0 })
    }

    pub fn port(&self) -> Result<u16> {
        Ok(self.socket.local_addr()?.port())
    }

    pub fn connect(&self, port: u16) -> Result<()> {
        Ok(self.socket.connect(("127.0.0.1", port))?)
    }

    /// Receives the next datagram and returns its length.
    pub fn take(&self, datagram: &mut [u8]) -> Result<usize> {
        self.socket.recv(datagram).map_err(|error| match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                format!("no datagram came for {} seconds", PATIENCE.as_secs()).into()
            }
            _ => error.into(),
        })
    }

    /// Sends as soon as there is credit.
    pub fn send(&mut self, datagram: &[u8]) -> Result<()> {
        self.wait_for((self.sent + 1).saturating_sub(CREDIT))?;
        self.socket.send(datagram)?;
        self.sent += 1;
        Ok(())
    }

    /// Waits until `count` datagrams were received.
    pub fn wait_for(&mut self, count: u64) -> Result<()> {
        while self.taken < count {
            self.taken = self.take_number()?;
        }
        Ok(())
    }

    /// Sends a number: a credit, or the number of datagrams. It needs no credit.
    pub fn send_number(&self, number: u64) -> Result<()> {
        self.socket.send(&number.to_be_bytes())?;
        Ok(())
    }

    pub fn take_number(&self) -> Result<u64> {
        let mut number = [0; 8];
        if self.take(&mut number)? != 8 {
            return Err("a credit has 8 bytes".into());
        }
        Ok(u64::from_be_bytes(number))
    }

    pub fn sent(&self) -> u64 {
        self.sent
    }
}

/// How many nanoseconds this thread has run; 0 if the operating system does not say.
pub fn cpu_time() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or(0)
}
