//! The cipher RC6, there and back.

use crate::fields::{array, bytes, number, same};
use crate::{Answer, Kernel, Runner};
use anyhow::{Result, anyhow, ensure};
use wegman::Cpu;
use wegman::cipher::{Invertible, Rc6, Rc6With8, Rc6With24, Rc6With32};

pub(crate) fn of(name: &str, _: Cpu) -> Option<Runner> {
    match name {
        "RC6-32/20/8" => Some(Runner::portable(check::<Rc6With8>)),
        "RC6-32/20/16" => Some(Runner::portable(check::<Rc6>)),
        "RC6-32/20/24" => Some(Runner::portable(check::<Rc6With24>)),
        "RC6-32/20/32" => Some(Runner::portable(check::<Rc6With32>)),
        _ => None,
    }
}

/// So often a block may be encrypted in a row.
const MOST: u64 = 1 << 24;

fn check<C: Invertible<Block = [u8; 16]>>(answer: &Answer, kernel: Kernel) -> Result<()> {
    let body = &answer.body;
    let cipher = C::from_slice(kernel.cpu, &bytes(body, "key_hex")?)
        .map_err(|_| anyhow!("key_hex has not {} bytes", C::KEY_BYTES))?;
    let iterations = number(body, "iterations")?.unwrap_or(1);
    ensure!(iterations <= MOST, "{iterations} iterations take too long");
    let (plain, encrypted): ([u8; 16], [u8; 16]) =
        (array(body, "plaintext_hex")?, array(body, "ciphertext_hex")?);
    let mut block = plain;
    (0..iterations).for_each(|_| cipher.encrypt(&mut block));
    same("the encrypted block", &block, &encrypted)?;
    (0..iterations).for_each(|_| cipher.decrypt(&mut block));
    same("the decrypted block", &block, &plain)
}
