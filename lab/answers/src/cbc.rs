//! CBC-MAC for messages of one length, and its variants with three keys or the one of RFC 3566.

use crate::fields::{array, bytes, has, same};
use crate::macs::{check_if_it_fits, tag};
use crate::{Answer, Kernel, Runner, message, typed_keys};
use anyhow::{Result, anyhow, bail, ensure};
use wegman::cipher::BlockCipher;
use wegman::{Aes128, Cpu};
use wegman_historical::Rc6;
use wegman_yardstick::cbc::{Ecbc, Fcbc, FixedLength, Xcbc};
use wegman_yardstick::{Engine, Key};

pub(crate) fn of(name: &str, cpu: Cpu) -> Option<Runner> {
    Some(match name {
        "CBC-MAC-AES128" => fixed_length::<Aes128>(cpu),
        "CBC-MAC-RC6-128" => fixed_length::<Rc6>(cpu),
        "ECBC-AES128" => three_keys::<Ecbc<Aes128>>(cpu),
        "ECBC-RC6-128" => three_keys::<Ecbc<Rc6>>(cpu),
        "FCBC-AES128" => three_keys::<Fcbc<Aes128>>(cpu),
        "FCBC-RC6-128" => three_keys::<Fcbc<Rc6>>(cpu),
        "XCBC-AES128" => three_keys::<Xcbc<Aes128>>(cpu),
        "XCBC-RC6-128" => three_keys::<Xcbc<Rc6>>(cpu),
        _ => return None,
    })
}

fn fixed_length<C: BlockCipher<Block = [u8; 16], Key = [u8; 16]>>(cpu: Cpu) -> Runner {
    Runner::new(FixedLength::<C, 16>::kernels(cpu), check_fixed_length::<C>)
}

fn check_fixed_length<C: BlockCipher<Block = [u8; 16], Key = [u8; 16]>>(
    answer: &Answer,
    kernel: Kernel,
) -> Result<()> {
    let (message, wanted) = (message::of_case(&answer.body)?, tag(answer)?);
    let whole = !message.is_empty() && message.len().is_multiple_of(16);
    ensure!(whole, "the message must have whole blocks, and at least one");
    let secret = array(&answer.body, "k1_hex")?;
    let key = FixedLength::<C, 16>::with_cpu(kernel.cpu, &secret, message.len());
    kernel.is(key.kernel())?;
    same("the tag", &key.tag(&message)?.to_bytes(), &wanted)
}

fn three_keys<E: Engine>(cpu: Cpu) -> Runner {
    Runner::new(Key::<E, 16>::kernels(cpu), check_three_keys::<E>)
}

fn check_three_keys<E: Engine>(answer: &Answer, kernel: Kernel) -> Result<()> {
    let (body, message, tag) = (&answer.body, message::of_case(&answer.body)?, tag(answer)?);
    let check = |secret: &[u8], tag: &[u8]| {
        match tag.len() {
            12 => typed_keys::check::<E, 12>(kernel, secret, &message, tag)?, // AES-XCBC-MAC-96
            16 => typed_keys::check::<E, 16>(kernel, secret, &message, tag)?,
            other => bail!("a tag of {other} bytes"),
        }
        check_if_it_fits(&answer.algorithm, kernel, secret, None, &message, tag)
    };
    if has(body, "key_hex") {
        return check(&bytes(body, "key_hex")?, &tag);
    }
    let [k1, k2, k3] = ["k1_hex", "k2_hex", "k3_hex"].map(|field| bytes(body, field));
    check(&[k1?, k2?, k3?].concat(), &tag)?;
    if has(body, "rfc3566_key_hex") {
        let secret = bytes(body, "rfc3566_key_hex")?;
        check(&secret, &tag)?;
        let front = tag.get(..12).ok_or_else(|| anyhow!("a tag of {} bytes", tag.len()))?;
        check(&secret, front)?;
    }
    Ok(())
}
