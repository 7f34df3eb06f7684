//! UMAC of 1999, in the padding that an answer is for.

use crate::fields::{bytes, has, text};
use crate::macs::{check_key, nonce, registered};
use crate::{Answer, Kernel, Runner};
use anyhow::{Result, bail};
use std::sync::Arc;
use wegman::Cpu;
use wegman_catalogue::AnyKey;
use wegman_catalogue::entries::umac_1999::boxed;
use wegman_historical::umac_1999::quirks::{Padding, key};
use wegman_historical::umac_1999::{Mmx15, Mmx30, Mmx60, Std30, Std60};

pub(crate) fn of(name: &str, cpu: Cpu) -> Option<Runner> {
    let is_set = name.starts_with("UMAC-STD-") || name.starts_with("UMAC-MMX-");
    let algorithm = wegman_catalogue::find(name).filter(|_| is_set)?;
    Some(Runner::new(algorithm.kernels(cpu), check))
}

/// Runs an answer with the catalogue's key and with a key of the padding it names; where the padding makes no
/// difference, with both paddings.
fn check(answer: &Answer, kernel: Kernel) -> Result<()> {
    let secret = bytes(&answer.body, "key_hex")?;
    let named = has(&answer.body, "cbc_padding").then(|| text(&answer.body, "cbc_padding"));
    let is_std = answer.algorithm.starts_with("UMAC-STD-");
    let (is_registered, padding) = match (named.transpose()?, is_std) {
        (None, _) | (Some("paper"), false) => (true, Padding::Paper),
        (Some("ref-0.25.05"), false) => (false, Padding::Ref02505),
        (Some("n/a"), true) => (true, Padding::Ref02505),
        (Some(other), _) => bail!("{} has no cbc_padding {other:?}", answer.algorithm),
    };
    if is_registered {
        let nonce = nonce(answer)?;
        check_key(answer, &*registered(&answer.algorithm, kernel, &secret, None, nonce.as_ref())?)?;
    }
    let key = padded(&answer.algorithm, kernel.cpu, &secret, padding)?;
    kernel.is(key.kernel())?;
    check_key(answer, &*key)
}

fn padded(name: &str, cpu: Cpu, secret: &[u8], padding: Padding) -> Result<Arc<dyn AnyKey>> {
    Ok(match name {
        "UMAC-STD-30" => boxed(key::<Std30>(cpu, secret, padding)?),
        "UMAC-STD-60" => boxed(key::<Std60>(cpu, secret, padding)?),
        "UMAC-MMX-15" => boxed(key::<Mmx15>(cpu, secret, padding)?),
        "UMAC-MMX-30" => boxed(key::<Mmx30>(cpu, secret, padding)?),
        "UMAC-MMX-60" => boxed(key::<Mmx60>(cpu, secret, padding)?),
        other => bail!("there is no set {other}"),
    })
}
