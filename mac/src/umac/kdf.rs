//! KDF: from the user key to subkeys, by AES (RFC 4418, section 3.2).

use crate::cipher::{Aes128, BlockCipher};
use crate::cpu::Cpu;
use crate::ct::wipe;
use core::marker::PhantomData;

/// Which subkey. In the RFC it is the first eight bytes of every block that the KDF encrypts.
#[derive(Clone, Copy)]
#[repr(u64)]
pub enum Index {
    /// The key of the pads.
    Pad = 0,
    /// The keys of level 1.
    L1 = 1,
    /// The keys of level 2.
    L2 = 2,
    /// The keys of level 3.
    L3 = 3,
    /// The masks of level 3.
    L3Mask = 4,
}

/// How an edition of UMAC derives its subkeys.
pub trait Edition: Clone + Send + Sync + 'static {
    /// The name of the edition's keys.
    const NAME: &'static str;

    /// The name of its family of MACs.
    const FAMILY: &'static str;

    /// Whether each block of a subkey is the cipher's next input.
    const FED_BACK: bool;

    /// Fills `out` with the subkey, cut to its length.
    fn fill(aes: &Aes128, index: Index, out: &mut [u8]);
}

/// What is encrypted for each subkey, index after index. It is copied in whole registers: the cipher would have to wait
/// for blocks that were stored in halves.
static COUNTERS: [[u8; 16]; STARTS[5]] = {
    let mut counters = [[0; 16]; STARTS[5]];
    let (mut index, mut i) = (0, 0);
    while i < STARTS[5] {
        index += (i == STARTS[index + 1]) as usize;
        counters[i] = ((index as u128) << 64 | (i - STARTS[index] + 1) as u128).to_be_bytes();
        i += 1;
    }
    counters
};

/// Where each index begins. Subkeys of four streams have 1, 67, 6, 16 and 1 blocks.
const STARTS: [usize; 6] = [0, 1, 68, 74, 90, 91];

/// Counter mode: E(index || 1) || E(index || 2) || ...
#[derive(Clone)]
pub struct Rfc4418;

impl Edition for Rfc4418 {
    const NAME: &'static str = "umac::Key";
    const FAMILY: &'static str = "UMAC";
    const FED_BACK: bool = false;

    fn fill(aes: &Aes128, index: Index, out: &mut [u8]) {
        let (blocks, rest) = out.as_chunks_mut::<16>();
        let counters = &COUNTERS[STARTS[index as usize]..];
        let mut last = [[0; 16]];
        blocks.copy_from_slice(&counters[..blocks.len()]);
        aes.encrypt_many(blocks);
        if !rest.is_empty() {
            last[0] = counters[blocks.len()];
            aes.encrypt_many(&mut last);
            rest.copy_from_slice(&last[0][..rest.len()]);
            wipe(&mut last);
        }
    }
}

/// The subkeys of an edition from its secret, 16 bytes.
pub struct Kdf<E> {
    aes: Aes128,
    cpu: Cpu,
    edition: PhantomData<E>,
}

impl<E: Edition> Kdf<E> {
    /// # Panics
    /// If the secret does not have 16 bytes.
    #[must_use]
    pub fn new(cpu: Cpu, secret: &[u8]) -> Self {
        Kdf { aes: keyed(cpu, secret), cpu, edition: PhantomData }
    }

    /// Fills `out` with the subkey, cut to its length.
    pub fn fill(&self, index: Index, out: &mut [u8]) {
        E::fill(&self.aes, index, out);
    }

    /// The cipher of the pads.
    #[must_use]
    pub fn pad_key(&self) -> Aes128 {
        let mut key = [0; 16];
        self.fill(Index::Pad, &mut key);
        let pad = keyed(self.cpu, &key);
        wipe(&mut key);
        pad
    }
}

fn keyed(cpu: Cpu, key: &[u8]) -> Aes128 {
    Aes128::from_slice(cpu, key).expect("a key of AES-128 has 16 bytes")
}
