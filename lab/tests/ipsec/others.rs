//! The programs of others: scapy in a process, asked in lines of JSON, and tshark, which reads a capture.

use crate::packet::{Association, SPI};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Passes on what was looked for. If it is missing, this says that the test is skipped, and in CI fails.
pub fn found<T>(what: Option<T>, test: &str) -> Option<T> {
    if what.is_none() {
        let missing = format!("{test} is skipped: what it needs is missing; run scripts/interop");
        assert!(std::env::var_os("CI").unwrap_or_default().is_empty(), "{missing}");
        say(&missing);
    }
    what
}

/// Prints a line, whether or not the test passes.
pub fn say(line: &str) {
    // Not `println`, whose lines the test harness keeps to itself.
    writeln!(std::io::stdout(), "{line}").expect("standard output");
}

/// A running scapy.
pub struct Scapy {
    process: Child,
    requests: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Scapy {
    /// Starts it, in the environment that scripts/interop has made, if that is there.
    pub fn start() -> Option<Scapy> {
        // Where Cargo builds: the folder of this name is in it.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("Cargo's folder");
        let python = target.join("interop/bin/python");
        if !python.exists() {
            return None;
        }
        let mut process = Command::new(python)
            .args(["-B", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/ipsec/scapy_side.py")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python of target/interop starts");
        let requests = process.stdin.take().expect("it is piped");
        let answers = BufReader::new(process.stdout.take().expect("it is piped")).lines();
        Some(Scapy { process, requests, answers })
    }

    /// Its next line.
    pub fn answer<T: serde::de::DeserializeOwned>(&mut self) -> T {
        let line = self.answers.next().expect("scapy has ended, see above").expect("UTF-8");
        serde_json::from_str(&line).expect("an answer")
    }

    fn ask<T: serde::de::DeserializeOwned>(
        &mut self,
        what: &str,
        end: &End,
        packets: &[(u64, &[u8])],
    ) -> T {
        let packets: Vec<Value> =
            packets.iter().map(|(sequence, bytes)| json!([sequence, to_hex(bytes)])).collect();
        let address = |bytes: [u8; 4]| std::net::Ipv4Addr::from(bytes).to_string();
        let request = json!({
            "do": what,
            "protocol": end.association.protocol.name(),
            "spi": SPI,
            "tunnel": end.association.tunnel.map(|ends| ends.map(address)),
            "extended": end.association.extended,
            "algorithm": end.algorithm,
            "key": to_hex(end.secret),
            "packets": packets,
        });
        writeln!(self.requests, "{request}").expect("scapy reads");
        self.answer()
    }

    /// Each packet, secured under its number.
    pub fn make(&mut self, end: &End, packets: &[(u64, &[u8])]) -> Vec<Vec<u8>> {
        let made: Vec<String> = self.ask("make", end, packets);
        made.iter().map(|hex| from_hex(hex)).collect()
    }

    /// What each secured packet carries, or `None` if its ICV is wrong.
    pub fn check(&mut self, end: &End, packets: &[(u64, &[u8])]) -> Vec<Option<Vec<u8>>> {
        let carried: Vec<Option<String>> = self.ask("check", end, packets);
        carried.iter().map(|hex| hex.as_deref().map(from_hex)).collect()
    }

    /// Waits for its end, which must be a good one.
    pub fn end(mut self) {
        drop(self.requests);
        assert!(self.process.wait().expect("it was started").success());
    }
}

/// One direction of an association: what its other end must know.
pub struct End<'s> {
    pub association: Association,
    /// The algorithm's name, as scapy has it.
    pub algorithm: &'s str,
    pub secret: &'s [u8],
}

fn to_hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

fn from_hex(hex: &str) -> Vec<u8> {
    base16ct::lower::decode_vec(hex).expect("hexadecimal digits")
}

/// tshark's version, if it is installed.
pub fn tshark() -> Option<String> {
    let output = Command::new("tshark").arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().next().map(str::to_owned)
}

/// tshark's verdict on the ICV of each ESP packet. `algorithm` is its name, as tshark has it.
pub fn icv_good(algorithm: &str, secret: &[u8], packets: &[Vec<u8>]) -> Vec<bool> {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = folder.path().join("esp.pcap");
    std::fs::write(&capture, pcap(packets)).expect("written");
    // Of any address and SPI, so that tshark looks at the ICV of a packet whose SPI is wrong.
    let key = to_hex(secret);
    let association = format!(r#"uat:esp_sa:"IPv4","*","*","*","NULL","","{algorithm}","0x{key}""#);
    let output = Command::new("tshark")
        // Without the settings of whoever runs this.
        .env("WIRESHARK_CONFIG_DIR", folder.path())
        .arg("-r")
        .arg(&capture)
        .args(["-o", "esp.enable_encryption_decode:TRUE"])
        .args(["-o", "esp.enable_authentication_check:TRUE", "-o", &association])
        .args(["-T", "fields", "-e", "frame.number", "-e", "esp.icv_good", "-e", "esp.icv_bad"])
        .output()
        .expect("tshark starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut verdicts = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        verdicts.push(match line.split('\t').collect::<Vec<_>>()[..] {
            [frame, "1", "0"] if frame == number.to_string() => true,
            [frame, "0", "1"] if frame == number.to_string() => false,
            _ => panic!("packet {number}: tshark says {line:?}\n{errors}"),
        });
    }
    assert_eq!(verdicts.len(), packets.len(), "{errors}");
    verdicts
}

/// A capture of packets that begin with their IP header.
fn pcap(packets: &[Vec<u8>]) -> Vec<u8> {
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>();
    // The magic number, version 2.4, two words without meaning, the longest packet, LINKTYPE_RAW.
    let mut file = words(&[0xa1b2_c3d4, 0x0002_0004, 0, 0, 0xffff, 101]);
    for packet in packets {
        let length = u32::try_from(packet.len()).expect("a packet of IPv4");
        file.extend(words(&[0, 0, length, length]));
        file.extend(packet);
    }
    file
}
