//! The cipher RC6, there and back.

use crate::fields::{array, bytes, number, same};
use crate::{Answer, Kernel, Runner};
use anyhow::{Result, anyhow, ensure};
use wegman::Cpu;
use wegman::cipher::{BlockCipher, Invertible};
use wegman_historical::Rc6;

pub(crate) fn of(name: &str, _: Cpu) -> Option<Runner> {
    key_bytes(name).map(|_| Runner::portable(check))
}

/// The last number of `RC6-32/20/b`.
fn key_bytes(name: &str) -> Option<usize> {
    let b = name.strip_prefix("RC6-32/20/")?.parse().ok()?;
    (b <= 255 && name == format!("RC6-32/20/{b}")).then_some(b)
}

/// The most iterations an answer may ask for.
const MOST: u64 = 1 << 24;

fn check(answer: &Answer, _: Kernel) -> Result<()> {
    let (body, key) = (&answer.body, bytes(&answer.body, "key_hex")?);
    let found = key.len();
    let wanted = key_bytes(&answer.algorithm);
    ensure!(wanted == Some(found), "key_hex has {found} bytes, not those of the name");
    let cipher = Rc6::with_key(&key).map_err(|_| anyhow!("it takes no key of {found} bytes"))?;
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
