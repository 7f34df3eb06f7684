//! The PRF, for inputs of any length: HMAC-SHA1 (STD), or a CBC-MAC of RC6 with three keys (MMX; paper, section
//! 8.4). Each is two functions, which differ in what comes before the input. The same primitive, SHA-1 or RC6, makes
//! the subkeys.

use super::quirks::Padding;
use crate::feedback;
use crate::rc6::Rc6;
use hmac::{Hmac, KeyInit, Mac};
use sha1::{Digest, Sha1};
use wegman::cipher::{Block, BlockCipher};
use wegman::cpu::Cpu;
use wegman::hazmat::buffer::Buffer;
use wegman::{InvalidLength, Tag};
use zeroize::{Zeroize, Zeroizing};

/// Which subkey.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Index {
    Prf = 0,
    Hash = 1,
}

/// Which of the two functions.
#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Input {
    /// The hash of a message, its length, and the nonce.
    Hashed = 0,
    /// A message too short to hash.
    Short = 1,
}

/// A keyed function whose input may arrive in pieces.
pub trait Prf: Clone + Send + Sync {
    type Output;

    /// An input under way.
    type State: Clone + Send + Sync;

    /// PRG, the generator of subkeys: it fills a slice with those of an index.
    ///
    /// # Errors
    /// [`InvalidLength`] if the secret does not have the generator's length.
    fn generator(cpu: Cpu, secret: &[u8]) -> Result<impl Fn(Index, &mut [u8]), InvalidLength>;

    /// A function with the key bytes that `fill` writes.
    fn derive(cpu: Cpu, padding: Padding, fill: impl FnOnce(&mut [u8])) -> Self;

    fn start(&self, which: Input) -> Self::State;

    fn update(&self, state: &mut Self::State, piece: &[u8]);

    fn finish(&self, state: Self::State) -> Self::Output;
}

/// HMAC-SHA1 with a key of a whole block. A whole block comes before each input: 63 zero bytes and the byte that says
/// which function it is. SHA-1 uses the instructions of the machine, whatever the `Cpu`.
#[derive(Clone)]
pub struct HmacSha1 {
    /// The states after that first block.
    started: [Hmac<Sha1>; 2],
}

impl Prf for HmacSha1 {
    type Output = Tag<20>;
    type State = Hmac<Sha1>;

    /// o = SHA1(secret || o), with a secret of 20 bytes.
    fn generator(_: Cpu, secret: &[u8]) -> Result<impl Fn(Index, &mut [u8]), InvalidLength> {
        let secret = <[u8; 20]>::try_from(secret).map_err(|_| InvalidLength);
        let secret = Zeroizing::new(secret?);
        Ok(move |index, out: &mut [u8]| {
            feedback::fill(index as u8, out, |o: &mut [u8; 20]| {
                *o = Sha1::new().chain_update(*secret).chain_update(*o).finalize().into();
            });
        })
    }

    fn derive(_: Cpu, _: Padding, fill: impl FnOnce(&mut [u8])) -> HmacSha1 {
        let mut key = [0; 64];
        fill(&mut key);
        let hmac = Hmac::<Sha1>::new(&key.into());
        key.zeroize();
        let started = [Input::Hashed, Input::Short].map(|which| {
            let mut first = [0; 64];
            first[63] = which as u8;
            hmac.clone().chain_update(first)
        });
        HmacSha1 { started }
    }

    fn start(&self, which: Input) -> Hmac<Sha1> {
        self.started[which as usize].clone()
    }

    fn update(&self, state: &mut Hmac<Sha1>, piece: &[u8]) {
        state.update(piece);
    }

    fn finish(&self, state: Hmac<Sha1>) -> Tag<20> {
        Tag::from(<[u8; 20]>::from(state.finalize().into_bytes()))
    }
}

/// The CBC-MAC. The key for full last blocks (section 8.4 of the paper) is the third key here, as in the authors' code.
#[derive(Clone)]
pub struct CbcRc6 {
    chain: Rc6,
    padded: Rc6,
    full: Rc6,
    padding: Padding,
}

/// A CBC-MAC under way.
#[derive(Clone)]
pub struct Cbc {
    chain: Block,
    /// The last 1 to 16 bytes of the input.
    buffer: Buffer<16>,
    /// The length of the input with its first block. Saturates: only short lengths matter.
    len: usize,
}

impl Prf for CbcRc6 {
    type Output = Tag<16>;
    type State = Cbc;

    /// o = RC6(o) under a secret of 16 bytes.
    fn generator(cpu: Cpu, secret: &[u8]) -> Result<impl Fn(Index, &mut [u8]), InvalidLength> {
        let rc6 = Rc6::from_slice(cpu, secret)?;
        Ok(move |index, out: &mut [u8]| {
            feedback::fill(index as u8, out, |o| rc6.encrypt(o));
        })
    }

    fn derive(cpu: Cpu, padding: Padding, fill: impl FnOnce(&mut [u8])) -> CbcRc6 {
        let mut keys = [0; 48];
        fill(&mut keys);
        let rc6 =
            |i: usize| Rc6::from_slice(cpu, &keys[16 * i..][..16]).expect("RC6 takes 16 bytes");
        let prf = CbcRc6 { chain: rc6(0), padded: rc6(1), full: rc6(2), padding };
        keys.zeroize();
        prf
    }

    fn start(&self, which: Input) -> Cbc {
        let mut state = Cbc { chain: [0; 16], buffer: Buffer::new(), len: 0 };
        let mut first = [0; 16];
        first[15] = which as u8;
        self.update(&mut state, &first);
        state
    }

    fn update(&self, state: &mut Cbc, piece: &[u8]) {
        let Cbc { chain, buffer, len } = state;
        *len = len.saturating_add(piece.len());
        buffer.update(piece, |blocks| self.chain.chain(chain, blocks));
    }

    fn finish(&self, mut state: Cbc) -> Tag<16> {
        let Cbc { chain, buffer, len } = &mut state;
        let last = buffer.last();
        add(chain, last);
        if last.len() == 16 {
            self.full.encrypt(chain);
        } else {
            if self.padding.has_one_bit(*len - 16) {
                chain[last.len()] ^= 0x80;
            }
            self.padded.encrypt(chain);
        }
        Tag::from(*chain)
    }
}

/// Xors `bytes` into the first bytes of a block.
fn add(block: &mut Block, bytes: &[u8]) {
    block.iter_mut().zip(bytes).for_each(|(block, byte)| *block ^= byte);
}

impl Drop for Cbc {
    fn drop(&mut self) {
        let Cbc { chain, buffer: _, len: _ } = self; // `buffer` wipes itself
        chain.zeroize();
    }
}
