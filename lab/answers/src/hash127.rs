//! hash127 by itself.

use crate::fields::{array, list, same};
use crate::{Answer, Kernel, Runner, message};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use wegman::Cpu;
use wegman_yardstick::hash127::{Hash127, out_words};

pub(crate) fn of(name: &str, cpu: Cpu) -> Option<Runner> {
    (name == "hash127").then(|| Runner::new(Hash127::kernels(cpu), check))
}

fn check(answer: &Answer, kernel: Kernel) -> Result<()> {
    let body = &answer.body;
    let message = message::of_case(body)?;
    let (words, rest) = message.as_chunks();
    ensure!(rest.is_empty(), "the message must have whole words of 4 bytes");
    let hash = Hash127::with_cpu(kernel.cpu, &array(body, "r_hex")?);
    kernel.is(hash.kernel())?;
    let u = hash.hash(words, &array(body, "k_hex")?);
    same("the hash", &u, &array::<16>(body, "u_hex_le")?)?;
    let wanted = list(body, "out_words_signed")?.iter().map(Value::as_i64);
    let wanted: Vec<i64> = wanted.collect::<Option<_>>().context("out_words_signed: no numbers")?;
    let found = out_words(&u).map(i64::from);
    ensure!(found == *wanted, "the signed words are {found:?}");
    Ok(())
}
