//! The sender and the receiver, each in its own process.

use crate::fate::Tally;
use crate::link::{Link, Result, cpu_time};
use crate::{BATCH, MESSAGE, SAY};
use std::io::BufRead;
use std::time::{Duration, Instant};
use wegman::session::{Budget, Counts, PacketMac, Receiver, Rejected, Sender};
use wegman::{Aes128, Tag, pmac, umac};

/// The orders of a process, on its standard input: a key does not belong in the list of processes.
pub struct Orders {
    pub algorithm: String,
    /// 32 bytes as hexadecimal digits.
    pub key: String,
    pub relay: u16,
    pub count: u64,
    /// The first number, and how many of its bytes are on the wire.
    pub first: u64,
    pub head: usize,
}

impl Orders {
    pub fn to_line(&self) -> String {
        let Orders { algorithm, key, relay, count, first, head } = self;
        format!("{algorithm} {key} {relay} {count} {first} {head}\n")
    }

    fn from_line(line: &str) -> Result<Orders> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [algorithm, key, relay, count, first, head] = words[..] else {
            return Err("these are no orders".into());
        };
        Ok(Orders {
            algorithm: algorithm.into(),
            key: key.into(),
            relay: relay.parse()?,
            count: count.parse()?,
            first: first.parse()?,
            head: head.parse()?,
        })
    }
}

/// The algorithms that can be chosen.
pub const ALGORITHMS: &[&str] = &["UMAC-64", "PMAC-AES128", "HMAC-SHA1-96"];

/// Plays a role and reports the result. Ends early if the process that started this one is gone, which closes the
/// standard input.
pub fn play(role: &str) -> Result<()> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    let orders = Orders::from_line(&line)?;
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(2)
    });
    let mut link = Link::new()?;
    link.connect(orders.relay)?;
    let key = orders.key.parse::<Tag<32>>()?.to_bytes(); // a tag reads hexadecimal digits
    let short = key.first_chunk().expect("it has 32 bytes");
    match orders.algorithm.as_str() {
        "none" if role == "sender" => send_bare(&orders, &mut link),
        "none" => receive_bare(&orders, &link),
        "UMAC-64" => play_with(role, umac::Key::<8>::new(short), &orders, &mut link),
        "PMAC-AES128" => play_with(role, pmac::Key::<Aes128, 16>::new(short), &orders, &mut link),
        "HMAC-SHA1-96" => {
            use wegman_yardstick::{Key, hmac::HmacSha1};
            play_with(role, Key::<HmacSha1, 12>::new(&key[..20]), &orders, &mut link)
        }
        other => Err(format!("there is no {other}").into()),
    }
}

fn play_with<K, const N: usize>(role: &str, key: K, orders: &Orders, link: &mut Link) -> Result<()>
where
    K: PacketMac<Tag = Tag<N>>,
{
    if role == "sender" { send(key, orders, link) } else { receive(key, orders, link) }
}

fn send<K, const N: usize>(key: K, orders: &Orders, link: &mut Link) -> Result<()>
where
    K: PacketMac<Tag = Tag<N>>,
{
    let mut sender = Sender::new(key, orders.first);
    let mut tags = [Tag::from([0; N]); BATCH];
    send_all(orders, link, |messages, datagrams| {
        let tags = &mut tags[..messages.len()];
        let first = sender.seal_many(messages, tags)?;
        for (((number, message), tag), datagram) in (first..).zip(messages).zip(tags).zip(datagrams)
        {
            write(datagram, orders.head, number, message, &tag.to_bytes());
        }
        Ok(())
    })
}

fn send_bare(orders: &Orders, link: &mut Link) -> Result<()> {
    let mut next = orders.first;
    send_all(orders, link, |messages, datagrams| {
        for (message, datagram) in messages.iter().zip(datagrams) {
            write(datagram, orders.head, next, message, &[]);
            next += 1;
        }
        Ok(())
    })
}

/// Number, message, tag.
fn write(datagram: &mut Vec<u8>, head: usize, number: u64, message: &[u8], tag: &[u8]) {
    datagram.clear();
    datagram.extend_from_slice(&number.to_be_bytes()[8 - head..]);
    datagram.extend_from_slice(message);
    datagram.extend_from_slice(tag);
}

/// Sends all datagrams that `seal` makes of messages.
fn send_all(
    orders: &Orders,
    link: &mut Link,
    mut seal: impl FnMut(&[&[u8]], &mut [Vec<u8>]) -> Result<()>,
) -> Result<()> {
    let mut messages = [[b'.'; MESSAGE]; BATCH];
    let mut datagrams = vec![Vec::new(); BATCH];
    println!("{SAY}{}", link.port()?);
    link.take_number()?; // the start
    let (start, mut sealing) = (cpu_time(), Duration::ZERO);
    while link.sent() < orders.count {
        let count = BATCH.min((orders.count - link.sent()) as usize);
        for (index, message) in (link.sent()..).zip(&mut messages) {
            message[..8].copy_from_slice(&index.to_be_bytes());
        }
        let batch = messages.each_ref().map(|message| &message[..]);
        let before = Instant::now();
        seal(&batch[..count], &mut datagrams[..count])?;
        sealing += before.elapsed();
        for datagram in &datagrams[..count] {
            link.send(datagram)?;
        }
    }
    link.wait_for(orders.count)?;
    println!("{SAY}{} {} {}", link.sent(), cpu_time() - start, sealing.as_nanos());
    Ok(())
}

fn receive<K, const N: usize>(key: K, orders: &Orders, link: &Link) -> Result<()>
where
    K: PacketMac<Tag = Tag<N>>,
{
    // 2^-32 leaves room for 2^28 forgeries even with UMAC-64.
    let mut receiver: Receiver<K> = Receiver::new(key, orders.first, Budget::close_at(32));
    let (mut malformed, mut sum) = (0, 0u64);
    let times = receive_all(link, |datagrams| {
        let mut packets = Vec::with_capacity(BATCH);
        for datagram in datagrams {
            match parse(datagram, orders.head, |low| receiver.extend(low)) {
                Some(packet) => packets.push(packet),
                None => malformed += 1,
            }
        }
        let mut outcomes = [Err(Rejected::Closed); BATCH];
        receiver.open_many(&packets, &mut outcomes[..packets.len()]);
        for ((number, ..), outcome) in packets.iter().zip(outcomes) {
            if outcome.is_ok() {
                sum = sum.wrapping_add(*number);
            }
        }
    })?;
    let Counts { accepted, replayed, too_old, forged, closed, .. } = receiver.counts();
    report(&Tally { accepted, replayed, too_old, forged, closed, malformed, sum }, times);
    Ok(())
}

/// The number, message and tag of a datagram, if it has their length.
fn parse<const N: usize>(
    datagram: &[u8],
    head: usize,
    extend: impl Fn(u32) -> Option<u64>,
) -> Option<(u64, &[u8], Tag<N>)> {
    let (number, rest) = datagram.split_at_checked(head)?;
    let (message, tag) = rest.split_at_checked(MESSAGE)?;
    let number = match number.try_into() {
        Ok(low) => extend(u32::from_be_bytes(low))?,
        Err(_) => u64::from_be_bytes(number.try_into().ok()?),
    };
    Some((number, message, Tag::try_from(tag).ok()?))
}

fn receive_bare(orders: &Orders, link: &Link) -> Result<()> {
    let mut tally = Tally::default();
    let times = receive_all(link, |datagrams| {
        for datagram in datagrams {
            let is_whole = datagram.len() == orders.head + MESSAGE;
            *if is_whole { &mut tally.accepted } else { &mut tally.malformed } += 1;
        }
    })?;
    report(&tally, times);
    Ok(())
}

/// Passes all datagrams to `open` in batches. Returns the nanoseconds of CPU time, and those in `open`.
fn receive_all(link: &Link, mut open: impl FnMut(&[&[u8]])) -> Result<[u64; 2]> {
    let mut buffers = [[0; 512]; BATCH];
    let mut lengths = [0; BATCH];
    let (mut waiting, mut taken, mut all) = (0, 0, None);
    println!("{SAY}{}", link.port()?);
    let (start, mut opening) = (cpu_time(), Duration::ZERO);
    while all != Some(taken) {
        let length = link.take(&mut buffers[waiting])?;
        match buffers[waiting][..length].try_into() {
            Ok(number) => all = Some(u64::from_be_bytes(number)),
            Err(_) => {
                lengths[waiting] = length;
                waiting += 1;
                taken += 1;
            }
        }
        if waiting == BATCH || all == Some(taken) {
            let mut datagrams = [&[][..]; BATCH];
            for ((datagram, buffer), length) in datagrams.iter_mut().zip(&buffers).zip(lengths) {
                *datagram = &buffer[..length];
            }
            let before = Instant::now();
            open(&datagrams[..waiting]);
            opening += before.elapsed();
            waiting = 0;
            link.send_number(taken)?;
        }
    }
    Ok([cpu_time() - start, opening.as_nanos() as u64])
}

fn report(tally: &Tally, [cpu, opening]: [u64; 2]) {
    let numbers = tally.to_array().map(|number| number.to_string());
    println!("{SAY}{} {cpu} {opening}", numbers.join(" "));
}
