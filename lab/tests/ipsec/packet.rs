//! ESP without encryption (RFC 4303 with the NULL cipher of RFC 2410) and AH (RFC 4302) over IPv4, on sessions.

use wegman::Tag;
use wegman::bound::{self, History, Probability};
use wegman::session::{PacketMac, Receiver, Rejected, Sender, key_id};
use wegman_yardstick::{Engine, Key};

/// Length of an integrity check value (ICV) in bytes: every algorithm here is cut to 96 bits.
pub const ICV: usize = 12;

/// Length of an IPv4 header without options.
pub const IP: usize = 20;

/// Where AH's ICV is in a packet, behind AH's fixed fields. What AH carries follows it.
pub const ICV_OF_AH: std::ops::Range<usize> = IP + 12..IP + 12 + ICV;

/// Length of what stands before the payload of ESP: SPI and sequence number.
pub const HEADER_OF_ESP: usize = 8;

pub const SPI: u32 = 0x5765_676d;

/// The number by which a header says that IPv4 follows.
const IPV4: u8 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Esp,
    Ah,
}

impl Protocol {
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Esp => "ESP",
            Protocol::Ah => "AH",
        }
    }

    fn number(self) -> u8 {
        match self {
            Protocol::Esp => 50,
            Protocol::Ah => 51,
        }
    }
}

/// What both ends agree on, but for the algorithm and its key.
#[derive(Clone, Copy, Debug)]
pub struct Association {
    pub protocol: Protocol,
    /// The ends of the tunnel; `None` in transport mode.
    pub tunnel: Option<[[u8; 4]; 2]>,
    /// Whether sequence numbers have 64 bits, of which a packet carries the low half.
    pub extended: bool,
}

/// A key for ICVs. A packet's header carries the low half of its sequence number, so the message already has it. The
/// high half, if there is one, follows the message.
pub struct IcvKey<E: Engine> {
    key: Key<E, ICV>,
    extended: bool,
}

impl<E: Engine> IcvKey<E> {
    pub fn new(secret: &[u8], association: &Association) -> Self {
        IcvKey { key: Key::new(secret), extended: association.extended }
    }
}

impl<E: Engine> PacketMac for IcvKey<E> {
    type Tag = Tag<ICV>;
    type Ahead = ();
    const LIMIT: u64 = 1 << 32;

    /// At least the blocks of all these MACs.
    fn cost(messages: u64, bytes: u64) -> u64 {
        bound::blocks(messages, bytes, 17, 16)
    }

    /// CMAC's, which is more than HMAC's.
    fn forgery<P: Probability>(&self, history: &History) -> P {
        let (_, blocks) = history.seen();
        let attempts = history.tried.messages.into();
        bound::cmac::<P>(blocks, 128).plus(bound::guesses(attempts, 8 * ICV as u32))
    }

    fn key_id(&self) -> [u8; 8] {
        key_id(|sequence, message| self.tag_packet(sequence, message).to_bytes())
    }

    fn tag_packet(&self, sequence: u64, message: &[u8]) -> Tag<ICV> {
        self.tag_packet_parts(sequence, &[message])
    }

    fn tag_packet_parts(&self, sequence: u64, parts: &[&[u8]]) -> Tag<ICV> {
        let mut stream = self.key.stream();
        parts.iter().for_each(|part| stream.update(part));
        if self.extended {
            stream.update(&sequence.to_be_bytes()[..4]);
        }
        stream.tag()
    }

    fn ahead(&self) {}
}

impl Association {
    /// Secures a packet under the sender's next number, and returns both.
    pub fn seal<E: Engine>(
        &self,
        sender: &mut Sender<IcvKey<E>>,
        original: &[u8],
    ) -> (u64, Vec<u8>) {
        let sequence = sender.next_sequence().expect("numbers are left");
        let (mut packet, next, payload) = match self.tunnel {
            Some([source, destination]) => (header(source, destination), IPV4, original),
            None => (original[..IP].to_vec(), original[9], &original[IP..]),
        };
        packet[9] = self.protocol.number();
        let spi_and_number = [SPI.to_be_bytes(), (sequence as u32).to_be_bytes()].concat();
        let sealed = match self.protocol {
            Protocol::Esp => {
                packet.extend(spi_and_number);
                packet.extend(payload);
                // Up to a multiple of four bytes with the two that follow.
                let padding = (payload.len() + 2).wrapping_neg() as u8 % 4;
                packet.extend(1..=padding);
                packet.extend([padding, next]);
                let sealed = sender.seal(&packet[IP..]).expect("no limit is near");
                packet.extend(sealed.1.to_bytes());
                set_length(&mut packet);
                sealed
            }
            Protocol::Ah => {
                // The length of AH in words of four bytes, less two.
                packet.extend([next, 4, 0, 0]);
                packet.extend(spi_and_number);
                packet.extend([0; ICV]);
                packet.extend(payload);
                set_length(&mut packet);
                let sealed = sender.seal(&immutable(&packet)).expect("no limit is near");
                packet[ICV_OF_AH].copy_from_slice(&sealed.1.to_bytes());
                sealed
            }
        };
        assert_eq!(sealed.0, sequence);
        (sequence, packet)
    }

    /// What a packet carries, if it is authentic and new. Nothing is refused for its form or its SPI: the ICV must
    /// tell.
    pub fn open<E: Engine>(
        &self,
        receiver: &mut Receiver<IcvKey<E>>,
        packet: &[u8],
    ) -> Result<Vec<u8>, Rejected> {
        match self.protocol {
            Protocol::Esp => {
                let (message, icv) = packet[IP..].split_last_chunk::<ICV>().expect("an ICV");
                let sequence = self.sequence(receiver, &message[4..])?;
                let _ = receiver.open(sequence, message, &Tag::from(*icv))?;
                let (rest, [padding, next]) = message.split_last_chunk().expect("a trailer");
                let (payload, padding) = rest[HEADER_OF_ESP..]
                    .split_at(rest.len() - HEADER_OF_ESP - usize::from(*padding));
                assert!(padding.iter().copied().eq(1..=padding.len() as u8), "{padding:?}");
                Ok(self.original(packet, *next, payload))
            }
            Protocol::Ah => {
                let sequence = self.sequence(receiver, &packet[IP + 8..])?;
                let icv: [u8; ICV] = packet[ICV_OF_AH].try_into().expect("as long");
                let _ = receiver.open(sequence, &immutable(packet), &Tag::from(icv))?;
                assert_eq!(packet[IP + 1], 4, "the length of AH");
                Ok(self.original(packet, packet[IP], &packet[ICV_OF_AH.end..]))
            }
        }
    }

    /// The whole number of a packet, whose low half `bytes` begins with.
    fn sequence<E: Engine>(
        &self,
        receiver: &Receiver<IcvKey<E>>,
        bytes: &[u8],
    ) -> Result<u64, Rejected> {
        let low = u32::from_be_bytes(*bytes.first_chunk().expect("four bytes"));
        if !self.extended {
            return Ok(u64::from(low));
        }
        receiver.extend(low).ok_or(Rejected::Outside)
    }

    /// The packet that was secured.
    fn original(&self, secured: &[u8], next: u8, payload: &[u8]) -> Vec<u8> {
        if self.tunnel.is_some() {
            assert_eq!(next, IPV4);
            return payload.to_vec();
        }
        let mut original = [&secured[..IP], payload].concat();
        original[9] = next;
        set_length(&mut original);
        original
    }

    /// What a receiver finds in place of `original` if `secured` arrives: in transport mode, with what routers changed.
    pub fn carried(&self, original: &[u8], secured: &[u8]) -> Vec<u8> {
        let mut original = original.to_vec();
        if self.tunnel.is_none() {
            for place in MUTABLE {
                original[place] = secured[place];
            }
            set_length(&mut original);
        }
        original
    }
}

/// The bytes of the IPv4 header that routers may change: type of service, flags and offset, time to live, checksum.
const MUTABLE: [usize; 6] = [1, 6, 7, 8, 10, 11];

/// What AH authenticates: the packet with zeros for what routers may change and for the ICV.
fn immutable(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    for place in MUTABLE {
        packet[place] = 0;
    }
    packet[ICV_OF_AH].fill(0);
    packet
}

/// An IPv4 header whose protocol, length and checksum are still missing.
pub fn header(source: [u8; 4], destination: [u8; 4]) -> Vec<u8> {
    // Version 4 with five words; an identification; 64 hops at most.
    let fixed = [0x45, 0, 0, 0, 0x12, 0x34, 0, 0, 64, 0, 0, 0];
    [&fixed[..], &source, &destination].concat()
}

/// Sets length and checksum (RFC 791, RFC 1071) of a whole packet.
pub fn set_length(packet: &mut [u8]) {
    let length = u16::try_from(packet.len()).expect("a packet of IPv4");
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    packet[10..12].fill(0);
    let words = packet[..IP].as_chunks().0.iter().map(|word| u32::from(u16::from_be_bytes(*word)));
    let sum: u32 = words.sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    packet[10..12].copy_from_slice(&sum.to_be_bytes());
}
