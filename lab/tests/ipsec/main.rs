//! Packets of IPsec that others check, and theirs that we check: ESP without encryption and AH over IPv4, with
//! HMAC-SHA1-96, HMAC-MD5-96 (RFC 2404, RFC 2403) and AES-CMAC-96 (RFC 4494). The others are scapy and tshark, which
//! scripts/interop installs. tshark has no AES-CMAC-96, no verdict on AH and, in version 4.0, no extended sequence
//! numbers.

mod others;
mod packet;

use others::{End, Scapy, found, icv_good, say, tshark};
use packet::{
    Association, HEADER_OF_ESP, ICV, ICV_OF_AH, IP, IcvKey, Protocol, header, set_length,
};
use wegman::Aes128;
use wegman::session::{Budget, Receiver, Rejected, Sender};
use wegman_reference::inputs::Random;
use wegman_yardstick::Engine;
use wegman_yardstick::cbc::Cmac;
use wegman_yardstick::hmac::{HmacMd5, HmacSha1};

/// The ends of the tunnel, and of what goes through it.
const TUNNEL: [[u8; 4]; 2] = [[192, 0, 2, 1], [198, 51, 100, 2]];
const ENDS: [[u8; 4]; 2] = [[10, 1, 2, 3], [10, 9, 8, 7]];

/// A number for experiments (RFC 3692), which no program dissects.
const EXPERIMENT: u8 = 253;

/// The bytes that the packets carry: 101 lengths from 0 to 1500, with every remainder by 64.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=1500).step_by(15)
}

/// A packet of IPv4 for each length.
fn some_packets(random: &mut Random) -> Vec<Vec<u8>> {
    let original = |length| {
        let mut packet = header(ENDS[0], ENDS[1]);
        packet[9] = EXPERIMENT;
        packet.extend(random.message(length));
        set_length(&mut packet);
        packet
    };
    lengths().map(original).collect()
}

/// The packet as a router may leave it.
fn routed(random: &mut Random, packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet[1] = random.word() as u8;
    packet[6] ^= 0x40; // "don't fragment"
    packet[8] -= 1 + random.upto(30) as u8;
    set_length(&mut packet);
    packet
}

/// The packets as they arrive: of AH, every second one as a router may leave it.
fn on_the_way(random: &mut Random, protocol: Protocol, packets: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let arrive = |(count, packet): (usize, &Vec<u8>)| match protocol {
        Protocol::Ah if count % 2 == 1 => routed(random, packet),
        _ => packet.clone(),
    };
    packets.iter().enumerate().map(arrive).collect()
}

/// The ways to forge a packet, in the order in which they are counted.
const WAYS: [&str; 5] = ["header", "payload", "ICV", "cut", "high half"];

/// Forgeries of a packet by the first four ways: a bit flipped in the header, in what it carries, in the ICV; and four
/// bytes cut out of the middle of what it carries. A packet that carries too little has fewer.
fn forgeries(random: &mut Random, protocol: Protocol, packet: &[u8]) -> Vec<(usize, Vec<u8>)> {
    let end = packet.len();
    let parts: [Vec<usize>; 3] = match protocol {
        Protocol::Esp => {
            let (header, icv) = (IP + HEADER_OF_ESP, end - ICV);
            [(IP..header).collect(), (header..icv).collect(), (icv..end).collect()]
        }
        Protocol::Ah => {
            // Of the IP header what routers must not change: identification and addresses. With another protocol or
            // length there, scapy would find no AH.
            let header = (4..6).chain(12..ICV_OF_AH.start).collect();
            [header, (ICV_OF_AH.end..end).collect(), ICV_OF_AH.collect()]
        }
    };
    let mut forgeries = Vec::new();
    for (way, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
        let mut forgery = packet.to_vec();
        forgery[part[random.upto(part.len() - 1)]] ^= 1 << random.upto(7);
        forgeries.push((way, forgery));
    }
    let middle = parts[1].len() / 2;
    if let Some(&[place, ..]) = parts[1].get(middle..middle + 4) {
        let mut forgery = packet.to_vec();
        forgery.drain(place..place + 4);
        set_length(&mut forgery);
        forgeries.push((3, forgery));
    }
    forgeries
}

/// How many packets there were of each kind. Each was what it had to be, or the test has ended.
#[derive(Default)]
struct Counts {
    /// Ours, accepted by scapy, which found in them what we had put there.
    ours: usize,
    /// Scapy's, accepted by us.
    theirs: usize,
    /// Accepted by either side although routers had changed them.
    routed: usize,
    /// Forgeries of ours, refused by scapy, by [`WAYS`].
    refused_by_scapy: [usize; WAYS.len()],
    /// Forgeries of scapy's, refused by us.
    refused_by_us: [usize; WAYS.len()],
    /// Scapy's again, refused by us.
    replays: usize,
}

/// The first number of a direction. Of extended numbers, the low half goes round: then the high half is 5, and no packet
/// says so.
fn first(association: &Association) -> u64 {
    if association.extended { (5 << 32) - 50 } else { 1 }
}

/// Our packets, and forgeries of them, to scapy.
fn to_scapy<E: Engine>(scapy: &mut Scapy, end: &End, random: &mut Random, counts: &mut Counts) {
    let association = end.association;
    let mut sender = Sender::new(IcvKey::<E>::new(end.secret, &association), first(&association));
    let originals = some_packets(random);
    let (numbers, ours): (Vec<u64>, Vec<Vec<u8>>) =
        originals.iter().map(|original| association.seal(&mut sender, original)).unzip();

    let arrived = on_the_way(random, association.protocol, &ours);
    let carried = scapy.check(end, &numbered(&numbers, &arrived));
    assert_eq!(carried.len(), arrived.len());
    for ((original, arrived), carried) in originals.iter().zip(&arrived).zip(carried) {
        assert_eq!(carried, Some(association.carried(original, arrived)), "{association:?}");
    }
    counts.ours += arrived.len();
    counts.routed += changed(&ours, &arrived);

    let (mut forged_numbers, mut forged) = (Vec::new(), Vec::new());
    for (&number, packet) in numbers.iter().zip(&ours) {
        for (way, forgery) in forgeries(random, association.protocol, packet) {
            counts.refused_by_scapy[way] += 1;
            forged_numbers.push(number);
            forged.push(forgery);
        }
        if association.extended {
            counts.refused_by_scapy[4] += 1;
            forged_numbers.push(number + (1 << 32));
            forged.push(packet.clone());
        }
    }
    let carried = scapy.check(end, &numbered(&forged_numbers, &forged));
    assert_eq!(carried, vec![None; forged.len()], "{association:?}");
}

/// Scapy's packets, and forgeries of them, to us.
fn from_scapy<E: Engine>(scapy: &mut Scapy, end: &End, random: &mut Random, counts: &mut Counts) {
    let association = end.association;
    let receiver = |first| {
        let key = IcvKey::<E>::new(end.secret, &association);
        Receiver::<_>::new(key, first, Budget::close_at(40))
    };
    let originals = some_packets(random);
    let numbers: Vec<u64> = (first(&association)..).take(originals.len()).collect();
    let theirs = scapy.make(end, &numbered(&numbers, &originals));
    assert_eq!(theirs.len(), originals.len());

    // A flipped bit of a number may take 2048 from it, which is then still one of the receiver's, or 4096, which is
    // then behind the window and so comes out 2^32 higher. So no forgery is too old, and the ICV must tell.
    let from = first(&association).saturating_sub(2048);
    let mut us = receiver(from);
    for packet in &theirs {
        for (way, forgery) in forgeries(random, association.protocol, packet) {
            assert_eq!(association.open(&mut us, &forgery), Err(Rejected::Forged), "{forgery:x?}");
            counts.refused_by_us[way] += 1;
        }
    }
    assert_eq!(us.highest(), None);

    let arrived = on_the_way(random, association.protocol, &theirs);
    // Eight at a time the wrong way round, so that some numbers from before the low half's end come after it.
    let mut order: Vec<usize> = (0..arrived.len()).collect();
    order.chunks_mut(8).for_each(<[usize]>::reverse);
    for i in order {
        let carried = association.open(&mut us, &arrived[i]);
        assert_eq!(carried, Ok(association.carried(&originals[i], &arrived[i])));
    }
    for packet in &arrived {
        assert_eq!(association.open(&mut us, packet), Err(Rejected::Replayed));
    }
    assert_eq!(us.highest(), numbers.last().copied());
    counts.theirs += arrived.len();
    counts.replays += arrived.len();
    counts.routed += changed(&theirs, &arrived);

    if association.extended {
        // To a receiver elsewhere, the same low halves are other numbers.
        let mut elsewhere = receiver(from + (1 << 32));
        for packet in &theirs {
            assert_eq!(association.open(&mut elsewhere, packet), Err(Rejected::Forged));
            counts.refused_by_us[4] += 1;
        }
    }
}

/// How many packets do not arrive as they were sent.
fn changed(sent: &[Vec<u8>], arrived: &[Vec<u8>]) -> usize {
    sent.iter().zip(arrived).filter(|(sent, arrived)| sent != arrived).count()
}

fn numbered<'p>(numbers: &[u64], packets: &'p [Vec<u8>]) -> Vec<(u64, &'p [u8])> {
    assert_eq!(numbers.len(), packets.len());
    numbers.iter().copied().zip(packets.iter().map(Vec::as_slice)).collect()
}

/// All associations with one algorithm: its name, which is the same in scapy, and the length of its key.
fn exchange<E: Engine>(scapy: &mut Scapy, random: &mut Random, algorithm: &str, key_bytes: usize) {
    for protocol in [Protocol::Esp, Protocol::Ah] {
        let mut counts = Counts::default();
        for tunnel in [None, Some(TUNNEL)] {
            for extended in [false, true] {
                let association = Association { protocol, tunnel, extended };
                // Each direction has a key of its own.
                for direction in [to_scapy::<E>, from_scapy::<E>] {
                    let secret = random.message(key_bytes);
                    let end = End { association, algorithm, secret: &secret };
                    direction(scapy, &end, random, &mut counts);
                }
            }
        }
        let Counts { ours, theirs, routed, refused_by_scapy, refused_by_us, replays } = counts;
        let refused = refused_by_scapy.iter().chain(&refused_by_us).sum::<usize>();
        say(&format!(
            "{} {algorithm}: {ours} of ours accepted by scapy, {theirs} of scapy's accepted by ours ({routed} of these \
             changed by routers), {refused} forged refused, {replays} replays refused\n    \
             forged, refused by scapy: {}; by ours: {}",
            protocol.name(),
            by_ways(refused_by_scapy),
            by_ways(refused_by_us),
        ));
    }
}

fn by_ways(counts: [usize; WAYS.len()]) -> String {
    let tried = WAYS.iter().zip(counts).filter(|(_, count)| *count > 0);
    let of_ways = tried.map(|(way, count)| format!("{way} {count}"));
    of_ways.collect::<Vec<_>>().join(", ")
}

#[test]
fn scapy_and_we_accept_and_refuse_the_same() {
    let Some(mut scapy) = found(Scapy::start(), "IPsec with scapy") else { return };
    let version: String = scapy.answer();
    say(&format!("IPsec with {version}"));
    let mut random = Random(1);
    exchange::<HmacSha1>(&mut scapy, &mut random, "HMAC-SHA1-96", 20);
    exchange::<HmacMd5>(&mut scapy, &mut random, "HMAC-MD5-96", 16);
    exchange::<Cmac<Aes128>>(&mut scapy, &mut random, "AES-CMAC-96", 16);
    scapy.end();
}

/// What tshark dissects of an ESP packet before it tells its verdict, of which there is none if that is malformed. So
/// forgeries must not change it: in a tunnel all that is carried, otherwise the protocol, which no program dissects.
fn dissected<'p>(association: &Association, packet: &'p [u8]) -> &'p [u8] {
    let end = packet.len() - ICV;
    let start = if association.tunnel.is_some() { IP + HEADER_OF_ESP } else { end - 1 };
    &packet[start..end]
}

/// ESP of ours with one algorithm: its name, its name in tshark, the length of its key.
fn show<E: Engine>(random: &mut Random, algorithm: &str, theirs: &str, key_bytes: usize) {
    let (mut good, mut bad) = (0, [0; WAYS.len()]);
    for tunnel in [None, Some(TUNNEL)] {
        let association = Association { protocol: Protocol::Esp, tunnel, extended: false };
        let secret = random.message(key_bytes);
        let key = IcvKey::<E>::new(&secret, &association);
        let mut sender = Sender::new(key, first(&association));
        let (mut packets, mut right) = (Vec::new(), Vec::new());
        for original in some_packets(random) {
            let (_, packet) = association.seal(&mut sender, &original);
            let forgeries = forgeries(random, Protocol::Esp, &packet);
            let before = dissected(&association, &packet).to_vec();
            packets.push(packet);
            right.push(true);
            good += 1;
            for (way, forgery) in forgeries {
                if dissected(&association, &forgery) == before {
                    packets.push(forgery);
                    right.push(false);
                    bad[way] += 1;
                }
            }
        }
        assert_eq!(icv_good(theirs, &secret, &packets), right, "{association:?}");
    }
    say(&format!(
        "ESP {algorithm}: {good} of ours with a good ICV in tshark, {} forged with a bad one ({})",
        bad.iter().sum::<usize>(),
        by_ways(bad),
    ));
}

#[test]
fn tshark_finds_our_icvs_good_and_those_of_forgeries_bad() {
    let Some(version) = found(tshark(), "IPsec with tshark") else { return };
    say(&format!("IPsec with {version}"));
    let mut random = Random(2);
    show::<HmacSha1>(&mut random, "HMAC-SHA1-96", "HMAC-SHA-1-96 [RFC2404]", 20);
    show::<HmacMd5>(&mut random, "HMAC-MD5-96", "HMAC-MD5-96 [RFC2403]", 16);
}
