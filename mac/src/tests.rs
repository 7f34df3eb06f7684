//! Tests that see the inner functions, so that nothing is made public for their sake. What they
//! share: secrets, and one step of POLY from its definition.

mod batches;
mod batches_pmac;
#[cfg(feature = "hazmat")]
mod claims;
mod edges;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
))]
mod ends;
mod features;
#[cfg(all(unix, feature = "session", not(target_family = "wasm")))]
pub mod forks;
mod limits;
mod oracle;
mod packets;
#[cfg(feature = "parallel")]
mod parallel;
mod tags;

use crate::cpu::Cpu;
use crate::umac;
use crate::umac::l2_poly::{self, Lazy, Masked, poly64, poly128, reduce64, reduce128};
use wegman_reference::inputs::Random;
use wegman_reference::umac_rfc4418 as oracle_umac;
use wegman_reference::wide::Nat;

/// Runs a generic check with every tag length.
macro_rules! for_every_length {
    ($check:ident) => {
        $check::<4>();
        $check::<8>();
        $check::<12>();
        $check::<16>();
    };
}

use for_every_length;

/// The secret of every test that has no reason for another.
const SECRET: [u8; 16] = *b"abcdefghijklmnop";

/// A key of each row of this machine.
fn keys<const N: usize>() -> Vec<umac::Key<N>> {
    let key = |(name, cpu)| {
        let key = umac::Key::with_cpu(cpu, &SECRET);
        assert_eq!(key.kernel(), name);
        key
    };
    umac::Key::<N>::kernels(Cpu::detect()).map(key).collect()
}

/// The oracle's tag from its hash of 16 bytes: shorter hashes are the beginning of the longest,
/// which saves computing them.
fn oracle_tag(hash: &[u8], nonce: &[u8], tag_bytes: usize) -> Vec<u8> {
    let pad = oracle_umac::pdf(&SECRET, nonce, tag_bytes);
    hash.iter().zip(pad).map(|(hash, pad)| hash ^ pad).collect()
}

fn nat(value: u128) -> Nat {
    Nat::from_be_bytes(&value.to_be_bytes())
}

fn value(nat: &Nat) -> u128 {
    let bytes = nat.to_be_bytes(16);
    u128::from_be_bytes(core::array::from_fn(|i| bytes[i]))
}

/// POLY-64 or POLY-128 at one width, and its numbers as the oracle knows them.
struct Poly {
    bits: usize,
    /// `k y + m` of the library, the limit rule included.
    library: fn(k: u128, y: u128, m: u128) -> u128,
    /// The bits a key may have.
    key_mask: u128,
}

const POLYS: [Poly; 2] = [
    Poly {
        bits: 64,
        library: |k, y, m| {
            let key = l2_poly::Key::new(Masked(k as u64), Masked(0));
            reduce64(poly64(&key, Lazy(y as u64), m as u64)).0.into()
        },
        key_mask: 0x01ff_ffff_01ff_ffff,
    },
    Poly {
        bits: 128,
        library: |k, y, m| {
            reduce128(poly128(&l2_poly::Key::new(Masked(0), Masked(k)), Lazy(y), m)).0
        },
        key_mask: 0x01ff_ffff_01ff_ffff_01ff_ffff_01ff_ffff,
    },
];

impl Poly {
    fn prime(&self) -> u128 {
        value(&oracle_umac::prime(self.bits))
    }

    /// 2^bits - p: 59 or 159.
    fn offset(&self) -> u128 {
        value(&Nat::power_of_two(self.bits).sub(&oracle_umac::prime(self.bits)))
    }

    fn largest_word(&self) -> u128 {
        u128::MAX >> (128 - self.bits)
    }

    fn random_word(&self, random: &mut Random) -> u128 {
        random.wide() & self.largest_word()
    }

    /// One word from the definition, for any accumulator below p. The oracle's own `poly` always
    /// begins with accumulator 1; `edges::a_step_is_the_oracles_poly` ties the two together.
    fn expected(&self, k: u128, y: u128, m: u128) -> u128 {
        let p = oracle_umac::prime(self.bits);
        let mul_add = |y: &Nat, m: &Nat| nat(k).mul(y).add(m).rem(&p);
        let (y, m) = (nat(y), nat(m));
        value(&if m >= oracle_umac::limit(self.bits) {
            let y = mul_add(&y, &p.sub(&Nat::from_u64(1)));
            mul_add(&y, &m.sub(&nat(self.offset())))
        } else {
            mul_add(&y, &m)
        })
    }

    /// Compares one word with the definition; the result must be the one number below p.
    fn check(&self, k: u128, y: u128, m: u128) {
        let result = (self.library)(k, y, m);
        let case = format_args!("POLY-{}, k = {k:#x}, y = {y:#x}, m = {m:#x}", self.bits);
        assert!(result < self.prime(), "not below p: {case}");
        assert_eq!(result, self.expected(k, y, m), "{case}");
    }
}
