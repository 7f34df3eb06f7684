//! Protected counter sums, XOR MAC in both layouts, and hash127-RC6.

use crate::fields::{array, bytes, has, same};
use crate::macs::{check_if_it_fits, nonce, tag};
use crate::{Answer, Kernel, Runner, macs, message};
use anyhow::{Context, Result, anyhow, ensure};
use wegman::{Cpu, Tag};
use wegman_catalogue::Nonce;
use wegman_yardstick::hash127;
use wegman_yardstick::xor_mac::{self, Layout, Value};

pub(crate) fn of(name: &str, cpu: Cpu) -> Option<Runner> {
    let xor_mac = |check| Some(Runner::new(xor_mac::Key::kernels(cpu), check));
    match name {
        "PCS-AES128" => Some(Runner::new(wegman_catalogue::find(name)?.kernels(cpu), pcs)),
        "XORMAC-AES128 (BGR prefix bits)" => {
            xor_mac(|answer, kernel| check_xor_mac(answer, kernel, Layout::Data))
        }
        "XORMAC-AES128 (seed 003 layout)" => {
            xor_mac(|answer, kernel| check_xor_mac(answer, kernel, Layout::Value))
        }
        "hash127-RC6" => Some(Runner::new(<hash127::Key>::kernels(cpu), hash127_rc6)),
        _ => None,
    }
}

fn pcs(answer: &Answer, kernel: Kernel) -> Result<()> {
    let (secret, message) = (bytes(&answer.body, "key_hex")?, message::of_case(&answer.body)?);
    let tag = tag(answer)?;
    // The first 8 bytes are the paper's value.
    let front = tag.get(..8).with_context(|| format!("a tag of {} bytes", tag.len()))?;
    check_if_it_fits(&answer.algorithm, kernel, &secret, None, &message, front)?;
    macs::check(answer, kernel)
}

fn check_xor_mac(answer: &Answer, kernel: Kernel, layout: Layout) -> Result<()> {
    let (secret, message) = (bytes(&answer.body, "key_hex")?, message::of_case(&answer.body)?);
    let value: [u8; 16] = array(&answer.body, "value127_hex")?;
    let wanted = tag(answer)?;
    let z = Tag::try_from(&*wanted).map_err(|_| anyhow!("a tag of {} bytes", wanted.len()))?;
    let key = xor_mac::Key::from_slice_with_cpu(kernel.cpu, layout, &secret)
        .map_err(|_| anyhow!("it takes no key of {} bytes", secret.len()))?;
    kernel.is(key.kernel())?;
    let sent = Value::new(value).context("value127_hex has more than 127 bits")?;
    same("z", &key.tag(&sent, &message).to_bytes(), &wanted)?;
    ensure!(key.verify(&sent, &message, &z).is_ok(), "z is not accepted");
    let mut stream = key.stream();
    message.chunks(13).for_each(|piece| stream.update(piece));
    same("the stream's z", &stream.finish_reset(&sent).to_bytes(), &wanted)?;
    // The catalogue takes values of 8 bytes: counters.
    match value {
        [0, 0, 0, 0, 0, 0, 0, 0, count @ ..] => {
            let name = match layout {
                Layout::Data => "XORMAC-AES128-BGR",
                _ => "XORMAC-AES128-BR",
            };
            let nonce = Nonce::from(count);
            check_if_it_fits(name, kernel, &secret, Some(&nonce), &message, &wanted)
        }
        _ => Ok(()),
    }
}

fn hash127_rc6(answer: &Answer, kernel: Kernel) -> Result<()> {
    if !has(&answer.body, "r_hex") {
        return macs::check(answer, kernel); // `key_hex` is both
    }
    let (secret, r): ([u8; 16], [u8; 16]) =
        (array(&answer.body, "key_hex")?, array(&answer.body, "r_hex")?);
    let both = [secret, r].concat();
    let (nonce, message) =
        (nonce(answer)?.context("no nonce_hex")?, message::of_case(&answer.body)?);
    let wanted = tag(answer)?;
    check_if_it_fits(&answer.algorithm, kernel, &both, Some(&nonce), &message, &wanted)
}
