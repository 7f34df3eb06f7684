//! Tests that see the inner functions, so that nothing is made public for their sake.

mod adoption;
mod features;
mod nh16;
mod rc6;
mod umac16;
mod umac_1999;
mod umac_2000;

use wegman_reference::wide::Nat;

/// The secret of every test that has no reason for another.
const SECRET: [u8; 16] = *b"abcdefghijklmnop";

fn nat(value: u128) -> Nat {
    Nat::from_be_bytes(&value.to_be_bytes())
}

fn value(nat: &Nat) -> u128 {
    let bytes = nat.to_be_bytes(16);
    u128::from_be_bytes(core::array::from_fn(|i| bytes[i]))
}
