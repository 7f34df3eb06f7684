//! A UDP socket to one other, whose datagrams arrive in order: each carries a ticket, its number on this socket. An
//! operating system may change the order even on 127.0.0.1; here, only the relay does.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::UdpSocket;
use std::time::Duration;

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// After this long without a datagram, something is wrong.
const PATIENCE: Duration = Duration::from_secs(30);

/// After this long, nothing more comes from a process that is gone.
const GONE: Duration = Duration::from_millis(20);

const TICKET: usize = 8;

pub struct Socket {
    socket: UdpSocket,
    sent: u64,
    taken: u64,
    /// What came before its turn.
    early: BTreeMap<u64, Vec<u8>>,
}

impl Socket {
    pub fn new() -> Result<Socket> {
        let socket = UdpSocket::bind(("127.0.0.1", 0))?;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(Socket { socket, sent: 0, taken: 0, early: BTreeMap::new() })
    }

    pub fn port(&self) -> Result<u16> {
        Ok(self.socket.local_addr()?.port())
    }

    pub fn connect(&self, port: u16) -> Result<()> {
        Ok(self.socket.connect(("127.0.0.1", port))?)
    }

    pub fn send(&mut self, datagram: &[u8]) -> Result<()> {
        self.socket.send(&[&self.sent.to_be_bytes(), datagram].concat())?;
        self.sent += 1;
        Ok(())
    }

    /// The next datagram.
    pub fn take(&mut self) -> Result<Vec<u8>> {
        self.next()?.ok_or_else(|| format!("no datagram came for {PATIENCE:?}").into())
    }

    /// The next datagrams: at least one, and as many as are here, up to `most`.
    pub fn take_some(&mut self, most: usize) -> Result<Vec<Vec<u8>>> {
        let mut datagrams = vec![self.take()?];
        self.socket.set_nonblocking(true)?;
        while datagrams.len() < most
            && let Some(datagram) = self.next()?
        {
            datagrams.push(datagram);
        }
        self.socket.set_nonblocking(false)?;
        Ok(datagrams)
    }

    /// All that a process has sent that is gone.
    pub fn take_rest(&mut self) -> Result<Vec<Vec<u8>>> {
        self.socket.set_read_timeout(Some(GONE))?;
        std::iter::from_fn(|| self.next().transpose()).collect()
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let mut buffer = [0; 512];
        loop {
            if let Some(datagram) = self.early.remove(&self.taken) {
                self.taken += 1;
                return Ok(Some(datagram));
            }
            let length = match self.socket.recv(&mut buffer) {
                Ok(length) => length,
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => return Ok(None),
                    // The answer to a datagram for a process that is gone.
                    ErrorKind::ConnectionRefused => continue,
                    _ => return Err(error.into()),
                },
            };
            let (ticket, datagram) = buffer[..length]
                .split_first_chunk::<TICKET>()
                .ok_or("a datagram without ticket")?;
            self.early.insert(u64::from_be_bytes(*ticket), datagram.to_vec());
        }
    }
}
