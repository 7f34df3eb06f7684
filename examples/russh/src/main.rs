//! A client of sshd, with a MAC of its choice. `run` calls it:
//!
//! ```text
//! wegman-ssh hash BYTES                                             the SHA-256 of the file below
//! wegman-ssh PORT USER KEY HOST_KEY MAC transfer BYTES FILE HASH    a file there and back, checked and timed
//! wegman-ssh PORT USER KEY HOST_KEY MAC flip out|in PLACE           one wrong bit, PLACE bytes before a packet's end
//! ```
//!
//! The server is on 127.0.0.1. KEY is a private key, HOST_KEY the server's public one. Exit code 0 means that everything
//! was as it should be: the file the same, or the wrong bit refused.

use russh::client::{self, Handle, Msg};
use russh::keys::{PrivateKeyWithHashAlg, PublicKey, PublicKeyOrCertificate};
use russh::{Channel, ChannelMsg, Preferred, cipher, mac};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What a step that should end soon may take.
const PATIENCE: Duration = Duration::from_secs(20);

struct Client {
    host_key: PublicKey,
}

impl client::Handler for Client {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        offered: &PublicKeyOrCertificate,
    ) -> std::result::Result<bool, russh::Error> {
        Ok(matches!(offered, PublicKeyOrCertificate::PublicKey { key, .. }
            if key.key_data() == self.host_key.key_data()))
    }
}

/// Whom to talk to, and as who.
struct Login {
    user: String,
    key: String,
    host_key: String,
    mac: mac::Name,
}

impl Login {
    /// A session over the port, with the one MAC.
    async fn session(&self, port: u16) -> Result<Handle<Client>> {
        let config = client::Config {
            preferred: Preferred {
                cipher: Cow::Borrowed(&[cipher::AES_128_CTR]),
                mac: Cow::Owned(vec![self.mac]),
                ..Preferred::DEFAULT
            },
            nodelay: true,
            ..client::Config::default()
        };
        let client = Client { host_key: russh::keys::load_public_key(&self.host_key)? };
        let mut session = client::connect(Arc::new(config), ("127.0.0.1", port), client).await?;
        let key = Arc::new(russh::keys::load_secret_key(&self.key, None)?);
        let key = PrivateKeyWithHashAlg::new(key, None);
        let outcome = session.authenticate_publickey(&self.user, key).await?;
        if !outcome.success() {
            return Err("sshd refuses the key".into());
        }
        Ok(session)
    }
}

async fn exec(session: &Handle<Client>, command: &str) -> Result<Channel<Msg>> {
    let channel = session.channel_open_session().await?;
    channel.exec(true, command).await?;
    Ok(channel)
}

/// What a command prints until it ends, and that it ends well.
async fn output(mut channel: Channel<Msg>) -> Result<Vec<u8>> {
    let mut output = Vec::new();
    let mut status = None;
    while let Some(message) = channel.wait().await {
        match message {
            ChannelMsg::Data { data } => output.extend_from_slice(&data),
            ChannelMsg::ExitStatus { exit_status } => status = Some(exit_status),
            _ => {}
        }
    }
    if status != Some(0) {
        return Err(format!("the command on the other side ended with {status:?}").into());
    }
    Ok(output)
}

/// A part of the file: what is lost, repeated or in a wrong place shows.
const PIECE: usize = 1 << 16;

fn fill(piece: &mut [u8; PIECE], number: u64) {
    let words = piece.chunks_exact_mut(8);
    for (word, place) in words.zip(number * (PIECE as u64 / 8)..) {
        word.copy_from_slice(&(place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
    }
}

fn hash(bytes: u64) -> String {
    let mut piece = [0; PIECE];
    let mut hash = Sha256::new();
    for number in 0..bytes / PIECE as u64 {
        fill(&mut piece, number);
        hash.update(piece);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

async fn transfer(login: &Login, port: u16, bytes: u64, file: &str, hash: &str) -> Result<()> {
    let pieces = bytes / PIECE as u64;
    let mut piece = Box::new([0; PIECE]);
    let bytes = pieces * PIECE as u64;
    let rate = |start: Instant| bytes as f64 / 1e6 / start.elapsed().as_secs_f64();

    let session = login.session(port).await?;
    let channel = exec(&session, &format!("cat > '{file}'")).await?;
    let start = Instant::now();
    let mut writer = channel.make_writer();
    for number in 0..pieces {
        fill(&mut piece, number);
        writer.write_all(&piece[..]).await?;
    }
    writer.shutdown().await?;
    output(channel).await?;
    let up = rate(start);

    let said = output(exec(&session, &format!("sha256sum < '{file}'")).await?).await?;
    if !said.starts_with(hash.as_bytes()) {
        return Err("the file arrived with another hash".into());
    }

    let mut channel = exec(&session, &format!("cat '{file}'")).await?;
    let start = Instant::now();
    let mut reader = channel.make_reader();
    let mut arrived = Box::new([0; PIECE]);
    for number in 0..pieces {
        reader.read_exact(&mut arrived[..]).await?;
        fill(&mut piece, number);
        if arrived != piece {
            return Err(format!("piece {number} came back different").into());
        }
    }
    if reader.read(&mut arrived[..]).await? > 0 {
        return Err("more came back than was sent".into());
    }
    let down = rate(start);
    println!("{up:.0} {down:.0}");
    Ok(())
}

/// Passes bytes on. If `flip` is not 0, the next ones get a bit flipped, in the byte so many before their end.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    flip: &AtomicUsize,
) -> io::Result<()> {
    let mut buffer = vec![0; PIECE];
    loop {
        let bytes = from.read(&mut buffer).await?;
        if bytes == 0 {
            return to.shutdown().await;
        }
        let place = flip.swap(0, Ordering::Relaxed);
        if place > 0 {
            buffer[bytes.checked_sub(place).expect("a packet is longer than that")] ^= 1;
        }
        to.write_all(&buffer[..bytes]).await?;
    }
}

/// What a relay flips on the way to sshd, and on the way back.
#[derive(Default)]
struct Flips {
    out: AtomicUsize,
    back: AtomicUsize,
}

/// Starts a relay for one connection; its port.
async fn relay(port: u16, flips: Arc<Flips>) -> Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let own = listener.local_addr()?.port();
    tokio::spawn(async move {
        let (mut client, _) = listener.accept().await?;
        let mut server = TcpStream::connect(("127.0.0.1", port)).await?;
        let (from_client, to_client) = client.split();
        let (from_server, to_server) = server.split();
        tokio::try_join!(
            pass(from_client, to_server, &flips.out),
            pass(from_server, to_client, &flips.back),
        )
    });
    Ok(own)
}

/// Sends a line to `cat`, and whether it comes back.
async fn echo(channel: &mut Channel<Msg>, line: &'static [u8]) -> bool {
    if channel.data(line).await.is_err() {
        return false;
    }
    while let Some(message) = channel.wait().await {
        if let ChannelMsg::Data { data } = message {
            return *data == *line;
        }
    }
    false
}

async fn flip(login: &Login, port: u16, way: &str, place: usize) -> Result<()> {
    let flips = Arc::new(Flips::default());
    let session = login.session(relay(port, Arc::clone(&flips)).await?).await?;
    let mut channel = exec(&session, "cat").await?;
    if !echo(&mut channel, b"a right packet\n").await {
        return Err("a right packet was not answered".into());
    }
    // Nothing is on the way now: what comes next ends with the end of a packet.
    match way {
        "out" => flips.out.store(place, Ordering::Relaxed),
        "in" => flips.back.store(place, Ordering::Relaxed),
        _ => return Err("a bit is flipped `out` or `in`".into()),
    }
    if echo(&mut channel, b"a wrong packet\n").await {
        return Err("a packet with a wrong bit was taken".into());
    }
    match (way, session.await) {
        ("in", Err(russh::Error::PacketAuth)) => println!("russh refuses it"),
        // sshd's reason stands in its log, where `run` looks for it.
        ("out", _) => println!("sshd ended the connection"),
        (_, outcome) => return Err(format!("the connection ended with {outcome:?}").into()),
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["hash", bytes] = arguments[..] {
        println!("{}", hash(bytes.parse()?));
        return Ok(());
    }
    let [port, user, key, host_key, mac, what @ ..] = &arguments[..] else {
        return Err("usage: see src/main.rs".into());
    };
    let port = port.parse()?;
    let login = Login {
        user: (*user).into(),
        key: (*key).into(),
        host_key: (*host_key).into(),
        mac: mac::Name::try_from(*mac).map_err(|()| format!("russh has no MAC {mac}"))?,
    };
    match what {
        ["transfer", bytes, file, hash] => transfer(&login, port, bytes.parse()?, file, hash).await,
        ["flip", way, place] => {
            tokio::time::timeout(PATIENCE, flip(&login, port, way, place.parse()?)).await?
        }
        _ => Err("usage: see src/main.rs".into()),
    }
}
