//! PRG: from the secret to subkeys. SHA-1 or RC6 gets its own output as its next input.

use crate::rc6::Rc6;
use sha1::{Digest, Sha1};
use wegman::InvalidLength;
use wegman::cipher::BlockCipher;
use wegman::cpu::Cpu;
use zeroize::Zeroize;

/// Which subkey.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Index {
    Prf = 0,
    Hash = 1,
}

/// A generator under a secret.
pub trait Prg: Sized {
    /// # Errors
    /// [`InvalidLength`] if the secret does not have the generator's length.
    #[doc(hidden)]
    fn new(cpu: Cpu, secret: &[u8]) -> Result<Self, InvalidLength>;

    /// Fills `out`. The same index gives the same bytes.
    #[doc(hidden)]
    fn fill(&self, index: Index, out: &mut [u8]);
}

/// o = SHA1(secret || o), with a secret of 20 bytes.
pub struct OfSha1([u8; 20]);

impl Prg for OfSha1 {
    fn new(_: Cpu, secret: &[u8]) -> Result<OfSha1, InvalidLength> {
        secret.try_into().map(OfSha1).map_err(|_| InvalidLength)
    }

    fn fill(&self, index: Index, out: &mut [u8]) {
        fill(index, out, |o: &mut [u8; 20]| {
            *o = Sha1::new().chain_update(self.0).chain_update(*o).finalize().into();
        });
    }
}

impl Drop for OfSha1 {
    fn drop(&mut self) {
        let OfSha1(secret) = self;
        secret.zeroize();
    }
}

/// o = RC6(o) under a secret of 16 bytes.
pub struct OfRc6(Rc6);

impl Prg for OfRc6 {
    fn new(cpu: Cpu, secret: &[u8]) -> Result<OfRc6, InvalidLength> {
        Rc6::from_slice(cpu, secret).map(OfRc6)
    }

    fn fill(&self, index: Index, out: &mut [u8]) {
        fill(index, out, |o| self.0.encrypt(o));
    }
}

/// Writes step(o), step(step(o)), ... The first o is zeroes, followed by the index.
fn fill<const N: usize>(index: Index, out: &mut [u8], step: impl Fn(&mut [u8; N])) {
    let mut o = [0; N];
    o[N - 1] = index as u8;
    for part in out.chunks_mut(N) {
        step(&mut o);
        part.copy_from_slice(&o[..part.len()]);
    }
    o.zeroize();
}
