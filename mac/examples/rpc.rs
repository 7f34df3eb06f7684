//! A server of remote procedure calls, generic over `digest::Mac`: PMAC and HMAC-SHA256 serve alike.
//!
//! `cargo run --example rpc --features digest`

use hmac::Hmac;
use sha2::Sha256;
use wegman::digest::{KeyInit, Mac};
use wegman::{Aes128, pmac};

/// A call: its arguments, and the tag behind them.
struct Call {
    body: Vec<u8>,
    tag: Vec<u8>,
}

#[derive(Debug, PartialEq)]
struct Refused;

/// A server that adds the bytes of a call, and tags its answer.
struct Server<M> {
    mac: M,
}

impl<M: Mac + KeyInit + Clone> Server<M> {
    fn new(secret: &[u8]) -> Self {
        Server { mac: <M as KeyInit>::new_from_slice(secret).expect("a key of the MAC's length") }
    }

    fn sign(&self, direction: u8, body: Vec<u8>) -> Call {
        let mac = self.mac.clone().chain_update([direction]).chain_update(&body);
        Call { tag: mac.finalize().into_bytes().to_vec(), body }
    }

    fn answer(&self, call: &Call) -> Result<Call, Refused> {
        let mac = self.mac.clone().chain_update([0]).chain_update(&call.body);
        mac.verify_slice(&call.tag).map_err(|_| Refused)?;
        let sum: u64 = call.body.iter().map(|&byte| u64::from(byte)).sum();
        Ok(self.sign(1, sum.to_be_bytes().to_vec()))
    }
}

fn run<M: Mac + KeyInit + Clone>(name: &str, secret: &[u8]) {
    let server = Server::<M>::new(secret);
    let mut call = server.sign(0, vec![1, 2, 3]); // a client, with the same secret
    let answer = server.answer(&call).expect("the call is authentic");
    assert_eq!(answer.body, 6_u64.to_be_bytes());
    call.body[0] ^= 1;
    assert_eq!(server.answer(&call).err(), Some(Refused));
    println!("{name}: a tag of {} bytes, and the altered call was refused", call.tag.len());
}

fn main() {
    run::<pmac::Mac<Aes128, 16>>("PMAC-AES128", b"sixteen byte key");
    run::<Hmac<Sha256>>("HMAC-SHA256", b"a secret of any length");
}

#[test]
fn it_runs() {
    main();
}
