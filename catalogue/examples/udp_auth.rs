//! Authenticated datagrams over a bad network: `cargo run --release --example udp_auth -p wegman-catalogue`.
//!
//! ```text
//! sender: Sealer <- file ---> loses, repeats, forges ---> receiver: Opener <- file      two threads, UDP on 127.0.0.1
//! ```
//!
//! A datagram is a header of 4 bytes, a message and the tag of both. Halfway both ends stop, as if they were killed. They
//! go on from what each has stored, and the sender takes a new key. What is stored says which numbers may have been used,
//! so no number is used twice and no old packet is accepted again.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::UdpSocket;
use std::path::Path;
use std::thread;
use std::time::Duration;
use wegman::session::{
    Header, Link, Opener, Rejected, Role, SavedOpener, SavedSealer, SealError, Sealer,
};
use wegman::{Tag, umac};
use wegman_reference::inputs::Random;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
type Key = umac::Key<8>;

const PACKETS: u64 = 20_000;
const MESSAGE: usize = 256;
/// How many numbers each end reserves at a time, and for how many bytes.
const RESERVED: u64 = 1024;
const BYTES: u64 = RESERVED * MESSAGE as u64;
/// From the seed of this demonstration: a real secret comes from a key exchange.
const SEED: u64 = 1;

/// Of how many datagrams what has become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    accepted: u64,
    replayed: u64,
    forged: u64,
}

fn main() -> Result<()> {
    let (sent, received) = run(PACKETS)?;
    println!("                   accepted    replayed      forged");
    for (name, Counts { accepted, replayed, forged }) in [("sent", sent), ("received", received)] {
        println!("  {name:10}{accepted:15}{replayed:12}{forged:12}");
    }
    if sent == received { Ok(()) } else { Err("the counts differ".into()) }
}

/// Sends so many packets. What the network made of them, and what the receiver took them for.
fn run(packets: u64) -> Result<(Counts, Counts)> {
    let folder = std::env::temp_dir().join(format!("udp_auth-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let (here, there) = (UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);
    here.connect(there.local_addr()?)?;
    there.connect(here.local_addr()?)?;
    here.set_read_timeout(Some(Duration::from_secs(30)))?;
    let (mut network, mut received) = (Network::new(here), Counts::default());
    for half in [0..packets / 2, packets / 2..packets] {
        let counts = thread::scope(|scope| {
            let receiver = scope.spawn(|| receive(&folder, &there));
            // After the restart the network first repeats a packet that was accepted before it.
            let sent = network.repeat().and_then(|()| send(&folder, &mut network, half));
            // An empty datagram ends the receiver.
            network.socket.send(&[])?;
            sent?;
            receiver.join().expect("it does not panic")
        })?;
        received.accepted += counts.accepted;
        received.replayed += counts.replayed;
        received.forged += counts.forged;
    }
    fs::remove_dir_all(folder)?;
    Ok((network.counts, received))
}

fn link(role: Role) -> Link<Key> {
    Link::new(&Random(SEED).bytes(), b"udp_auth", role)
}

fn send(folder: &Path, network: &mut Network, packets: std::ops::Range<u64>) -> Result<()> {
    let path = folder.join("sealer");
    let mut sealer = match fs::read(&path) {
        Ok(stored) => Sealer::restore(SavedSealer::from_bytes(&stored)?)?,
        Err(_) => link(Role::Initiator).sealer,
    };
    let reserve = |sealer: &mut Sealer<Key>| {
        sealer.reserve(RESERVED, BYTES, |saved| store(&path, &*saved.to_bytes()))
    };
    reserve(&mut sealer)?;
    if packets.start > 0 {
        sealer.rekey()?;
    }
    for index in packets {
        let mut message = [b'.'; MESSAGE];
        message[..8].copy_from_slice(&index.to_be_bytes());
        let (header, tag) = match sealer.seal(&[&message]) {
            Err(SealError::NotReserved) => {
                reserve(&mut sealer)?;
                sealer.seal(&[&message])?
            }
            sealed => sealed?,
        };
        network.pass_on(&[&header.to_short()[..], &message, &tag.to_bytes()].concat())?;
    }
    Ok(())
}

fn receive(folder: &Path, socket: &UdpSocket) -> Result<Counts> {
    let path = folder.join("opener");
    let mut opener = match fs::read(&path) {
        Ok(stored) => Opener::restore(SavedOpener::from_bytes(&stored)?)?,
        Err(_) => link(Role::Responder).opener,
    };
    let reserve = |opener: &mut Opener<Key>| {
        opener.reserve(RESERVED, RESERVED, BYTES, |saved| store(&path, &*saved.to_bytes()))
    };
    reserve(&mut opener)?;
    let mut counts = Counts::default();
    let mut room = [0; 2048];
    loop {
        let bytes = socket.recv(&mut room)?;
        if bytes == 0 {
            return Ok(counts);
        }
        let (head, rest) = room[..bytes].split_at(Header::SHORT_BYTES);
        let (message, tag) = rest.split_at(MESSAGE);
        let header = opener.extend(head.try_into()?).ok_or("a header of no epoch")?;
        let tag = Tag::<8>::from(<[u8; 8]>::try_from(tag)?);
        let mut opened = opener.open(header, &[message], &tag);
        if opened == Err(Rejected::NotReserved) {
            reserve(&mut opener)?;
            opened = opener.open(header, &[message], &tag);
        }
        match opened {
            Ok(_) => counts.accepted += 1,
            // An opener that was restored takes all it may have accepted for too old.
            Err(Rejected::Replayed | Rejected::TooOld) => counts.replayed += 1,
            Err(Rejected::Forged) => counts.forged += 1,
            Err(other) => return Err(other.into()),
        }
        socket.send(b"next")?;
    }
}

/// Writes, syncs, renames: the file has the old state or the new one, and when this returns, the new one.
fn store(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("draft");
    let mut file = File::create(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(draft, path)
}

/// Of a hundred packets it loses two, repeats two, and before two others comes one with a bit turned.
struct Network {
    socket: UdpSocket,
    random: Random,
    counts: Counts,
    /// The last packet that it did not change.
    last: Option<Vec<u8>>,
}

impl Network {
    fn new(socket: UdpSocket) -> Network {
        Network { socket, random: Random(!SEED), counts: Counts::default(), last: None }
    }

    fn pass_on(&mut self, packet: &[u8]) -> Result<()> {
        let draw = self.random.below(100);
        if draw < 2 {
            return Ok(());
        }
        if draw < 4 {
            let mut forged = packet.to_vec();
            // Not in the header: that would be another number's packet, or one of no epoch.
            let bit = self.random.below(8 * (packet.len() - Header::SHORT_BYTES) as u64) as usize;
            forged[Header::SHORT_BYTES + bit / 8] ^= 1 << (bit % 8);
            self.deliver(&forged)?;
            self.counts.forged += 1;
        }
        self.deliver(packet)?;
        self.counts.accepted += 1;
        self.last = Some(packet.to_vec());
        if draw >= 98 { self.repeat() } else { Ok(()) }
    }

    fn repeat(&mut self) -> Result<()> {
        let Some(packet) = self.last.clone() else { return Ok(()) };
        self.deliver(&packet)?;
        self.counts.replayed += 1;
        Ok(())
    }

    /// Waits until the receiver has judged it: it would lose packets that come faster than it takes them.
    fn deliver(&mut self, packet: &[u8]) -> Result<()> {
        self.socket.send(packet)?;
        self.socket.recv(&mut [0; 4])?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_packet_is_taken_for_what_it_is() {
        let (sent, received) = run(3000).unwrap();
        assert_eq!(sent, received);
        let Counts { accepted, replayed, forged } = received;
        assert!(accepted > 2800 && replayed > 20 && forged > 20, "{received:?}");
    }
}
