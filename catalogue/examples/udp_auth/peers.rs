//! The sender and the receiver, each in its own process, which may be killed at any moment. What must outlive them is in
//! one file each.

use crate::model::Outcome;
use crate::socket::{Result, Socket};
use crate::{BATCH, Form, MESSAGE, SAY};
use std::fs::{self, File};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use wegman::session::{
    Header, Link, LinkKey, Opener, PacketMac, Rejected, Role, SavedOpener, SavedSealer, SealError,
    Sealer,
};
use wegman::{Aes128, Tag, pmac, umac};

/// The algorithms that can be chosen.
pub const ALGORITHMS: &[&str] = &["UMAC-64", "PMAC-AES128"];

/// What the link is for.
const CONTEXT: &[u8] = b"udp_auth";

/// The orders of a process, on its standard input: a secret does not belong in the list of processes.
#[derive(Clone)]
pub struct Orders {
    pub algorithm: String,
    /// 32 bytes as hexadecimal digits.
    pub secret: String,
    pub form: Form,
    /// How many numbers are reserved at a time.
    pub reserve: u64,
    /// Where the files are.
    pub folder: PathBuf,
}

impl Orders {
    pub fn to_line(&self, relay: u16) -> String {
        let Orders { algorithm, secret, form, reserve, folder } = self;
        let head = form.head();
        format!("{relay} {algorithm} {secret} {head} {reserve} {}\n", folder.display())
    }

    fn from_line(line: &str) -> Result<(Orders, u16)> {
        let words: Vec<&str> = line.trim_end().splitn(6, ' ').collect();
        let [relay, algorithm, secret, head, reserve, folder] = words[..] else {
            return Err("these are no orders".into());
        };
        let orders = Orders {
            algorithm: algorithm.into(),
            secret: secret.into(),
            form: if head.parse() == Ok(Form::Long.head()) { Form::Long } else { Form::Short },
            reserve: reserve.parse()?,
            folder: folder.into(),
        };
        Ok((orders, relay.parse()?))
    }

    fn secret(&self) -> Result<[u8; 32]> {
        Ok(self.secret.parse::<Tag<32>>()?.to_bytes()) // a tag reads hexadecimal digits
    }
}

/// Plays a role until the relay ends it.
pub fn play(role: &str) -> Result<()> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let (orders, relay) = Orders::from_line(&line)?;
    let socket = Socket::new()?;
    socket.connect(relay)?;
    match orders.algorithm.as_str() {
        "none" if role == "sender" => send_bare(&orders, socket),
        "none" => receive_bare(&orders, socket),
        "UMAC-64" => play_with::<umac::Key<8>>(role, &orders, socket),
        "PMAC-AES128" => play_with::<pmac::Key<Aes128, 16>>(role, &orders, socket),
        other => Err(format!("there is no {other}").into()),
    }
}

fn play_with<K: LinkKey>(role: &str, orders: &Orders, socket: Socket) -> Result<()> {
    if role == "sender" { send::<K>(orders, socket) } else { receive::<K>(orders, socket) }
}

/// Writes, syncs, renames, and syncs the folder: the file has the old state or the new one, and when this returns, the new
/// one.
fn store(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("draft");
    let mut file = File::create(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(draft, path)?;
    File::open(path.parent().expect("it is in a folder"))?.sync_all()
}

/// What a process before this one has stored. If there is none, no packet was sealed or accepted yet.
fn stored(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

fn send<K: LinkKey>(orders: &Orders, socket: Socket) -> Result<()> {
    let path = orders.folder.join("sealer");
    let mut sealer: Sealer<K> = match stored(&path)? {
        Some(bytes) => Sealer::restore(SavedSealer::from_bytes(&bytes)?)?,
        None => Link::<K>::new(&orders.secret()?, CONTEXT, Role::Initiator).split().0,
    };
    let reserve = |sealer: &mut Sealer<K>| {
        let bytes = orders.reserve * MESSAGE as u64;
        sealer.reserve(orders.reserve, bytes, |saved| store(&path, &*saved.to_bytes()))
    };
    reserve(&mut sealer)?;
    send_all(orders, socket, |epoch, messages| {
        while sealer.epoch() < epoch {
            sealer.rekey()?;
        }
        let parts: Vec<[&[u8]; 1]> = messages.iter().map(|message| [&message[..]]).collect();
        let parts: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
        let mut tags = vec![K::tag_from(&vec![0; K::TAG_BYTES]).expect("its length"); parts.len()];
        let first = match sealer.seal_many(&parts, &mut tags) {
            Err(SealError::NotReserved) => {
                reserve(&mut sealer)?;
                sealer.seal_many(&parts, &mut tags)?
            }
            sealed => sealed?,
        };
        Ok((first, tags.iter().map(|tag| K::tag_bytes(tag).as_ref().to_vec()).collect()))
    })
}

fn send_bare(orders: &Orders, socket: Socket) -> Result<()> {
    let mut next = Header { epoch: 0, number: 0 };
    send_all(orders, socket, |epoch, messages| {
        let first = if epoch == next.epoch { next } else { Header { epoch, number: 0 } };
        next = Header { number: first.number + messages.len() as u64, ..first };
        Ok((first, vec![Vec::new(); messages.len()]))
    })
}

/// Sends what is ordered: an epoch, and from which index to which. `seal` gets an epoch and messages, and returns the first
/// header and the tags.
fn send_all(
    orders: &Orders,
    mut socket: Socket,
    mut seal: impl FnMut(u32, &[[u8; MESSAGE]]) -> Result<(Header, Vec<Vec<u8>>)>,
) -> Result<()> {
    println!("{SAY}{}", socket.port()?);
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split(' ').collect();
        let [epoch, from, to] = words[..] else { return Err("these are no orders".into()) };
        let (from, to): (u64, u64) = (from.parse()?, to.parse()?);
        let mut messages = vec![[b'.'; MESSAGE]; (to - from) as usize];
        for (index, message) in (from..).zip(&mut messages) {
            message[..8].copy_from_slice(&index.to_be_bytes());
        }
        for messages in messages.chunks(BATCH) {
            let (Header { epoch, number }, tags) = seal(epoch.parse()?, messages)?;
            for ((number, message), tag) in (number..).zip(messages).zip(tags) {
                let head = orders.form.bytes(Header { epoch, number });
                socket.send(&[&head[..], &message[..], &tag[..]].concat())?;
            }
        }
    }
    Ok(())
}

fn receive<K: LinkKey>(orders: &Orders, socket: Socket) -> Result<()> {
    let path = orders.folder.join("opener");
    let (mut opener, first): (Opener<K>, Header) = match stored(&path)? {
        Some(bytes) => {
            let saved = SavedOpener::from_bytes(&bytes)?;
            let first = saved.first();
            (Opener::restore(saved)?, first)
        }
        None => {
            let link = Link::<K>::new(&orders.secret()?, CONTEXT, Role::Responder);
            (link.split().1, Header { epoch: 0, number: 0 })
        }
    };
    let reserve = |opener: &mut Opener<K>| {
        // As many forgery attempts, too.
        let (count, bytes) = (orders.reserve, orders.reserve * MESSAGE as u64);
        opener.reserve(count, count, bytes, |saved| store(&path, &*saved.to_bytes()))
    };
    reserve(&mut opener)?;
    receive_all(socket, first, |datagrams| {
        // One by one: the window gives a short header its meaning, and each packet moves it.
        let mut open = |datagram: &Vec<u8>| {
            let Some((header, message, tag)) = parse(datagram, orders.form, &opener) else {
                return Ok(Outcome::Malformed);
            };
            let mut opened = opener.open(header, &message, &tag);
            if opened == Err(Rejected::NotReserved) {
                reserve(&mut opener)?;
                opened = opener.open(header, &message, &tag);
            }
            Ok(match opened {
                Ok(_) => Outcome::Accepted,
                Err(Rejected::Replayed) => Outcome::Replayed,
                Err(Rejected::TooOld) => Outcome::TooOld,
                Err(Rejected::Outside) => Outcome::Outside,
                Err(Rejected::Forged) => Outcome::Forged,
                Err(Rejected::Closed) => Outcome::Closed,
                Err(other) => return Err(other.into()),
            })
        };
        datagrams.iter().map(&mut open).collect()
    })
}

/// Header, message and tag.
type Packet<'d, K> = (Header, [&'d [u8]; 1], <K as PacketMac>::Tag);

/// The packet in a datagram, if it has the right length.
fn parse<'d, K: LinkKey>(
    datagram: &'d [u8],
    form: Form,
    opener: &Opener<K>,
) -> Option<Packet<'d, K>> {
    let (head, rest) = datagram.split_at_checked(form.head())?;
    let (message, tag) = rest.split_at_checked(MESSAGE)?;
    let header = match form {
        Form::Long => Header::from_bytes(head.try_into().ok()?),
        Form::Short => opener.extend(head.try_into().ok()?)?,
    };
    Some((header, [message], K::tag_from(tag)?))
}

fn receive_bare(orders: &Orders, socket: Socket) -> Result<()> {
    receive_all(socket, Header { epoch: 0, number: 0 }, |datagrams| {
        let is_whole = |datagram: &Vec<u8>| datagram.len() == orders.form.head() + MESSAGE;
        let outcome = |is_whole| if is_whole { Outcome::Accepted } else { Outcome::Malformed };
        Ok(datagrams.iter().map(is_whole).map(outcome).collect())
    })
}

/// Passes all datagrams to `open`, one batch after the other, and reports each batch at once. `first` is where this process
/// continues.
fn receive_all(
    mut socket: Socket,
    first: Header,
    mut open: impl FnMut(&[Vec<u8>]) -> Result<Vec<Outcome>>,
) -> Result<()> {
    // Ends with the relay, which then closes the standard input.
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(0)
    });
    println!("{SAY}{} {} {}", socket.port()?, first.epoch, first.number);
    let mut out = io::stdout();
    loop {
        let outcomes = open(&socket.take_some(BATCH)?)?;
        let letters: Vec<u8> = outcomes.into_iter().map(Outcome::letter).collect();
        out.write_all(&letters)?;
        out.flush()?;
    }
}
