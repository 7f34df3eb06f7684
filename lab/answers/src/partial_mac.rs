//! The MAC of some parts of the message.

use crate::fields::{array, list, same, size};
use crate::macs::tag;
use crate::{Answer, Kernel, Runner, message};
use anyhow::{Context, Result, anyhow, ensure};
use wegman::{Cpu, Tag};
use wegman_yardstick::partial::{Division, Key};

pub(crate) fn of(name: &str, _: Cpu) -> Option<Runner> {
    (name == "PartialMac-HMAC-SHA1-96").then(|| Runner::portable(check))
}

/// The number of chosen parts an answer lists; the tag covers the others.
const PARTS: usize = 32;

fn check(answer: &Answer, _: Kernel) -> Result<()> {
    let body = &answer.body;
    let (part, region) = (size(body, "part_len")?, size(body, "region_parts")?);
    ensure!(part > 0 && (1..=1 << 16).contains(&region), "{region} parts of {part} bytes");
    let (select, mac) = (array(body, "select_key_hex")?, array(body, "mac_key_hex")?);
    let (nonce, message, wanted) =
        (array(body, "nonce_hex")?, message::of_case(body)?, tag(answer)?);
    let key = Key::new(Division::new(part, region), &select, &mac);
    let parts = list(body, "selected_parts")?.iter().map(|part| part.as_u64());
    let parts = parts.collect::<Option<Vec<_>>>().context("selected_parts: not all are numbers")?;
    let chosen = key.selected_parts(&nonce, message.len()).take(PARTS);
    let chosen: Vec<u64> = chosen.map(|part| part as u64).collect();
    ensure!(chosen == parts, "the first chosen parts are {chosen:?}");
    same("the tag", &key.tag(&nonce, &message).to_bytes(), &wanted)?;
    let tag = Tag::try_from(&*wanted).map_err(|_| anyhow!("a tag of {} bytes", wanted.len()))?;
    ensure!(key.verify(&nonce, &message, &tag).is_ok(), "the tag is not accepted");
    Ok(())
}
