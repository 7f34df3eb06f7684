//! A sender of authenticated packets, and a receiver that has nothing but the secret.
//!
//! `cargo run --example packets --features getrandom,session`

use std::error::Error;
use std::net::UdpSocket;
use wegman::session::{Budget, Receiver, Sender};
use wegman::{Tag, umac};

fn main() -> Result<(), Box<dyn Error>> {
    let (key, secret) = umac::Key::<8>::generate()?; // the secret is for the receiver alone
    let (socket, peer) = (UdpSocket::bind("127.0.0.1:0")?, UdpSocket::bind("127.0.0.1:0")?);

    // The sender.
    let mut sender = Sender::new(&key, 1);
    for text in ["one", "two", "three"] {
        let (number, tag) = sender.seal(text.as_bytes())?;
        let packet = [&number.to_be_bytes()[..], &tag.to_bytes(), text.as_bytes()].concat();
        socket.send_to(&packet, peer.local_addr()?)?;
    }

    // The receiver.
    let key = umac::Key::<8>::new(&secret);
    let mut receiver: Receiver<_> = Receiver::new(&key, 1, Budget::close_at(40));
    for text in ["one", "two", "three"] {
        let mut room = [0; 1500];
        let length = peer.recv(&mut room)?;
        let (number, rest) = room[..length].split_first_chunk::<8>().ok_or("too short")?;
        let (tag, message) = rest.split_first_chunk::<8>().ok_or("too short")?;
        let message = receiver.open(u64::from_be_bytes(*number), message, &Tag::from(*tag))?;
        assert_eq!(*message, *text.as_bytes());
    }
    println!("accepted {}, refused {}", receiver.counts().accepted, receiver.counts().forged);
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
