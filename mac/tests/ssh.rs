//! The MACs of SSH: known answers, parts, and what is refused. The repository's examples/russh talks to OpenSSH.

use wegman::{TagMismatch, ssh};

const KEY: [u8; 16] = *b"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f";

/// A packet of `bytes` bytes: its length, and byte i = 7 i + 3.
fn packet(bytes: usize) -> Vec<u8> {
    let length = u32::try_from(bytes - 4).expect("a short packet").to_be_bytes();
    let rest = (4..bytes).map(|i| (7 * i + 3) as u8);
    length.into_iter().chain(rest).collect()
}

fn macs() -> [ssh::Mac; 4] {
    ssh::NAMES.map(|name| ssh::Mac::new(name, &KEY).expect("a name and a key"))
}

/// From Nettle 3.8.1: `umac64` and `umac128` under [`KEY`], with the sequence number as a nonce of 8 bytes, big-endian.
/// A row has the number, the packet's bytes and the two tags.
const ANSWERS: [(u32, usize, &str, &str); 8] = [
    (0, 16, "50d500d10492bfd0", "50d500d10492bfd0b2b19c3a7947e118"),
    (1, 20, "1afe1316553dbe16", "6c4d409cd5739ab667ae3d216dc95791"),
    (2, 36, "c29715d92b8852e6", "c29715d92b8852e6a355c743fc3b44de"),
    (3, 52, "01391471087e3732", "01f8a3fbbdad3ece944eee02ace5e1fe"),
    (7, 1044, "c7ab1203364996d1", "7e00592ec609b810dd16535bdee69096"),
    (0x7fff_ffff, 32_788, "91431abd08aae576", "cd1be89ba34c2595689837e6b0614eef"),
    (0x8000_0000, 68, "7af6be811ac770a5", "7af6be811ac770a524b2b5c62a5bd680"),
    (0xffff_ffff, 35_004, "ad36893fdef50ee3", "625737e9cc45f5e6d2f5b45282f81eec"),
];

#[test]
fn known_answers() {
    for mac in macs() {
        for (seq, bytes, umac_64, umac_128) in ANSWERS {
            let right = if mac.tag_bytes() == 8 { umac_64 } else { umac_128 };
            let tag = mac.tag(seq, &[&packet(bytes)]);
            assert_eq!(tag.to_string(), right, "{} of packet {seq}, {bytes} bytes", mac.name());
        }
    }
}

#[test]
fn names_say_what_a_mac_is() {
    let are = macs().map(|mac| (mac.name(), mac.is_etm(), mac.tag_bytes()));
    let should_be = [
        ("umac-64-etm@openssh.com", true, 8),
        ("umac-128-etm@openssh.com", true, 16),
        ("umac-64@openssh.com", false, 8),
        ("umac-128@openssh.com", false, 16),
    ];
    assert_eq!(are, should_be);
    for mac in macs() {
        assert_eq!(mac.tag(0, &[]).to_bytes().len(), mac.tag_bytes());
        assert_eq!(format!("{mac:?}"), format!("Mac({})", mac.name()));
    }
}

#[test]
fn parts_are_one_packet() {
    for mac in macs() {
        for bytes in [16, 20, 1023, 1024, 1025, 4096, 35_004] {
            let packet = packet(bytes);
            let whole = mac.tag(9, &[&packet]).to_string();
            for cut in [0, 1, 4, 5, bytes - 1, bytes] {
                let (first, second) = packet.split_at(cut);
                assert_eq!(mac.tag(9, &[first, second]).to_string(), whole, "{cut} of {bytes}");
                let parts: [&[u8]; 4] = [first, &[], second, &[]];
                assert_eq!(mac.tag(9, &parts).to_string(), whole, "{cut} of {bytes}");
            }
            let singly: Vec<&[u8]> = packet.chunks(1).collect();
            assert_eq!(mac.tag(9, &singly).to_string(), whole, "{bytes} parts");
        }
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    for mac in macs() {
        let packet = packet(68);
        let tag = mac.tag(5, &[&packet]);
        assert_eq!(mac.verify(5, &[&packet], tag.to_bytes()), Ok(()));
        assert_eq!(mac.verify(5, &[&packet[..4], &packet[4..]], tag.to_bytes()), Ok(()));
        for bit in 0..8 * tag.to_bytes().len() {
            let mut wrong = tag.to_bytes().to_vec();
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(mac.verify(5, &[&packet], &wrong), Err(TagMismatch), "bit {bit} of a tag");
        }
        for bit in 0..8 * packet.len() {
            let mut wrong = packet.clone();
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(mac.verify(5, &[&wrong], tag.to_bytes()), Err(TagMismatch), "bit {bit}");
        }
        for bit in 0..32 {
            let wrong = 5 ^ (1 << bit);
            assert_eq!(mac.verify(wrong, &[&packet], tag.to_bytes()), Err(TagMismatch), "{wrong}");
        }
    }
}

#[test]
fn a_tag_of_another_length_is_wrong() {
    for mac in macs() {
        let mut tag = mac.tag(5, &[b"a packet"]).to_bytes().to_vec();
        let right = tag.len();
        tag.resize(40, 0);
        for bytes in 0..=tag.len() {
            let outcome = mac.verify(5, &[b"a packet"], &tag[..bytes]);
            assert_eq!(outcome.is_ok(), bytes == right, "{bytes} bytes for {}", mac.name());
        }
    }
}

#[test]
fn errors_name_what_is_wrong_and_what_is_right() {
    let error = |name: &str, key: &[u8]| ssh::Mac::new(name, key).expect_err("no such MAC");
    for name in
        ["", "umac-64", "umac-96@openssh.com", "UMAC-64@openssh.com", "umac-64@openssh.com,"]
    {
        assert_eq!(error(name, &KEY), ssh::Error::UnknownName);
    }
    let said = error("hmac-sha1", &KEY).to_string();
    assert!(ssh::NAMES.iter().all(|name| said.contains(name)), "{said}");
    for name in ssh::NAMES {
        for bytes in [0, 15, 17, 32] {
            let error = error(name, &vec![0; bytes]);
            assert_eq!(error, ssh::Error::KeyLength(bytes));
            assert_eq!(error.to_string(), format!("the key of a MAC has 16 bytes and not {bytes}"));
        }
    }
}
