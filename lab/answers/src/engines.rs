//! MACs whose typed keys are `yardstick::Key` of some engine: HMAC, for secrets of any length, and the variants of
//! CBC-MAC with three keys or the one of RFC 3566. Tags are whole or cut to 96 bits.

use crate::fields::{bytes, has, same};
use crate::macs::{Tagged, tag, typed};
use crate::{Answer, Kernel, Runner, message};
use anyhow::{Context, Result, anyhow, bail, ensure};
use wegman::{Aes128, Cpu};
use wegman_historical::Rc6;
use wegman_yardstick::cbc::{Ecbc, Fcbc, Xcbc};
use wegman_yardstick::hmac::{HmacMd5, HmacSha1};
use wegman_yardstick::{Engine, Key};

pub(crate) fn of(name: &str, cpu: Cpu) -> Option<Runner> {
    fn of<E: Engine, const N: usize>(cpu: Cpu) -> Option<Runner> {
        Some(Runner::new(Key::<E, N>::kernels(cpu), check::<E, N>))
    }
    match name {
        "HMAC-MD5" | "HMAC-MD5-96" => of::<HmacMd5, 16>(cpu),
        "HMAC-SHA1" | "HMAC-SHA1-96" => of::<HmacSha1, 20>(cpu),
        "ECBC-AES128" => of::<Ecbc<Aes128>, 16>(cpu),
        "ECBC-RC6-128" => of::<Ecbc<Rc6>, 16>(cpu),
        "FCBC-AES128" => of::<Fcbc<Aes128>, 16>(cpu),
        "FCBC-RC6-128" => of::<Fcbc<Rc6>, 16>(cpu),
        "XCBC-AES128" => of::<Xcbc<Aes128>, 16>(cpu),
        "XCBC-RC6-128" => of::<Xcbc<Rc6>, 16>(cpu),
        _ => None,
    }
}

/// The tag, and those that the answer has besides: the uncut one of `N` bytes, or those under the key of RFC 3566.
fn check<E: Engine, const N: usize>(answer: &Answer, kernel: Kernel) -> Result<()> {
    let (body, message, wanted) = (&answer.body, message::of_case(&answer.body)?, tag(answer)?);
    let check = |name: &str, secret: &[u8], tag: &[u8]| {
        let tagged = Tagged { secret, nonce: None, message: &message, tag };
        match tag.len() {
            12 => check_typed::<E, 12>(kernel, tagged)?,
            n if n == N => check_typed::<E, N>(kernel, tagged)?,
            other => bail!("a tag of {other} bytes"),
        }
        tagged.check_if_it_fits(name, kernel)
    };
    let secret = if has(body, "key_hex") {
        bytes(body, "key_hex")?
    } else {
        let keys = ["k1_hex", "k2_hex", "k3_hex"].map(|field| bytes(body, field));
        keys.into_iter().collect::<Result<Vec<_>>>()?.concat()
    };
    check(&answer.algorithm, &secret, &wanted)?;
    if has(body, "full_mac_hex") {
        let uncut = answer.algorithm.trim_end_matches("-96");
        check(uncut, &secret, &bytes(body, "full_mac_hex")?)?;
    }
    if has(body, "rfc3566_key_hex") {
        let secret = bytes(body, "rfc3566_key_hex")?;
        check(&answer.algorithm, &secret, &wanted)?;
        let front = wanted.get(..12).ok_or_else(|| anyhow!("a tag of {} bytes", wanted.len()))?;
        check(&answer.algorithm, &secret, front)?;
    }
    Ok(())
}

/// A tag of `N` bytes in every way there is.
fn check_typed<E: Engine, const N: usize>(kernel: Kernel, tagged: Tagged<'_>) -> Result<()> {
    let Tagged { secret, message, tag: wanted, .. } = tagged;
    let tag = typed::<N>(wanted)?;
    let key = Key::<E, N>::from_slice_with_cpu(kernel.cpu, secret);
    let key = key.with_context(|| format!("a key of {} bytes", secret.len()))?;
    kernel.is(key.kernel())?;
    same("the tag", &key.tag(message).to_bytes(), wanted)?;
    ensure!(key.verify(message, &tag).is_ok(), "the tag is not accepted");
    let mut stream = key.stream();
    message.chunks(13).for_each(|piece| stream.update(piece));
    same("the stream's tag", &stream.tag().to_bytes(), wanted)
}
