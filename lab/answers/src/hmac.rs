//! HMAC, whose typed keys take secrets of any length, and tags cut to 96 bits or not.

use crate::fields::{bytes, has};
use crate::macs::{check_if_it_fits, tag};
use crate::{Answer, Kernel, Runner, message, typed_keys};
use anyhow::{Result, bail};
use wegman::Cpu;
use wegman_yardstick::Engine;
use wegman_yardstick::hmac::{HmacMd5, HmacSha1};

pub(crate) fn of(name: &str, _: Cpu) -> Option<Runner> {
    match name {
        "HMAC-MD5" | "HMAC-MD5-96" => Some(Runner::portable(check::<HmacMd5, 16>)),
        "HMAC-SHA1" | "HMAC-SHA1-96" => Some(Runner::portable(check::<HmacSha1, 20>)),
        _ => None,
    }
}

/// The tag, and the uncut one of `N` bytes if the answer has it.
fn check<E: Engine, const N: usize>(answer: &Answer, kernel: Kernel) -> Result<()> {
    let (secret, message) = (bytes(&answer.body, "key_hex")?, message::of_case(&answer.body)?);
    let check = |name: &str, tag: &[u8]| {
        match tag.len() {
            12 => typed_keys::check::<E, 12>(kernel, &secret, &message, tag)?,
            n if n == N => typed_keys::check::<E, N>(kernel, &secret, &message, tag)?,
            other => bail!("a tag of {other} bytes"),
        }
        check_if_it_fits(name, kernel, &secret, None, &message, tag)
    };
    check(&answer.algorithm, &tag(answer)?)?;
    if has(&answer.body, "full_mac_hex") {
        let uncut = answer.algorithm.trim_end_matches("-96");
        check(uncut, &bytes(&answer.body, "full_mac_hex")?)?;
    }
    Ok(())
}
