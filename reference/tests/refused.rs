//! Arguments outside the definitions are refused.

use wegman_reference::aes::Aes;
use wegman_reference::carter;
use wegman_reference::cbc_mac::cbc_mac;
use wegman_reference::pmac::bits::pmac_aes as pmac_of_bits;
use wegman_reference::pmac::{pmac_aes, pmac_rc6};
use wegman_reference::rc6::Rc6;
use wegman_reference::sum_macs::{Layout, xor_mac};
use wegman_reference::umac_2000::{L3Keys, Params, UMAC32, uhash, umac as umac_2000};
use wegman_reference::umac_rfc4418::umac;
use wegman_reference::universal::{Sign, nh};
use wegman_reference::wide::Nat;

const KEY: [u8; 16] = [0x5a; 16];

/// A part of the message of the panic, and what panics.
type Refused = (&'static str, fn());

const REFUSED: [Refused; 25] = [
    ("16, 24 or 32", || _ = Aes::new(&[0; 20])),
    ("at most 255", || _ = Rc6::new(&[0; 256])),
    ("does not fit", || _ = Nat::from_u64(256).to_be_bytes(1)),
    ("number is too large", || _ = Nat::from_be_bytes(&[0; 65])),
    ("sum is too large", || _ = Nat::from_be_bytes(&[0xff; 64]).add(&Nat::from_u64(1))),
    ("product is too large", || _ = Nat::power_of_two(511).mul(&Nat::from_u64(2))),
    ("cannot be negative", || _ = Nat::from_u64(1).sub(&Nat::power_of_two(64))),
    ("division by zero", || _ = Nat::from_u64(1).rem(&Nat::from_u64(0))),
    ("4, 8, 12 or 16", || _ = umac(&KEY, b"", b"nonce", 5)),
    ("1 to 16 bytes", || _ = umac(&KEY, b"", b"", 8)),
    ("1 to 16 bytes", || _ = umac(&KEY, b"", &[0; 17], 8)),
    ("1 to 16 bytes", || _ = umac_2000(&UMAC32, &KEY, b"", b"")),
    ("the draft does not have", || {
        _ = umac_2000(&Params { word_len: 8, ..UMAC32 }, &KEY, b"", b"nonce");
    }),
    // The authors' code ends before POLY-128.
    ("too long for the authors' code", || {
        let params = Params { l3_keys: L3Keys::Refcode005, l1_key_len: 32, ..UMAC32 };
        _ = uhash(&params, &KEY, &[0; (32 << 14) + 1]);
    }),
    ("1 to 16 bytes", || _ = pmac_aes(&KEY, b"message", 0)),
    ("1 to 16 bytes", || _ = pmac_rc6(&KEY, b"message", 17)),
    ("1 to 128 bits", || _ = pmac_of_bits(&KEY, b"message", 56, 0)),
    ("1 to 128 bits", || _ = pmac_of_bits(&KEY, b"message", 56, 129)),
    ("in so many bytes", || _ = pmac_of_bits(&KEY, b"message", 57, 128)),
    ("even number", || _ = nh(Sign::Unsigned, 8, &[0; 4], &[0; 3])),
    ("below 2^w", || _ = nh(Sign::Unsigned, 8, &[256, 0], &[0; 2])),
    ("whole blocks", || _ = cbc_mac(&|block: &[u8; 2]| *block, &[1, 2, 3])),
    ("127 bits", || _ = xor_mac(Layout::Value, &KEY, &[0x80; 16], &[])),
    ("12 or 16 bytes", || _ = carter::tag(&KEY, 16, &[0; 8], &[])),
    ("16, 12 or 8 bytes", || _ = carter::tag(&KEY, 4, &[0; 16], &[])),
];

#[test]
fn arguments_outside_the_definitions_panic() {
    for (place, (expected, refused)) in REFUSED.into_iter().enumerate() {
        let panic = std::panic::catch_unwind(refused).expect_err(expected);
        let message = panic.downcast_ref::<String>().map_or_else(
            || panic.downcast_ref::<&str>().copied().unwrap_or_default(),
            String::as_str,
        );
        assert!(message.contains(expected), "{place}: {message}");
    }
}
