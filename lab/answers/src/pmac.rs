//! PMAC over each cipher: tags of any number of bits of messages of any number of bits, the powers of L, the
//! cipher that keeps the length, and blocks that come back from a tag.

use crate::fields::{array, bytes, decode, list, number, same, size};
use crate::macs::{bits_of, cut, tag, typed};
use crate::{Answer, Check, Kernel, Runner, macs, message};
use anyhow::{Context, Result, ensure};
use wegman::cipher::{BlockCipher, CipherBlock, Invertible};
use wegman::pmac::Key;
use wegman::pmac::hazmat::{LengthPreserving, Segment, Sum, recover as recovered};
use wegman::{Aes128, Aes192, Aes256, Bits, Cpu};
use wegman_historical::Rc6;
use wegman_yardstick::DesEde3;

/// The field that intermediates of PMAC have.
pub(crate) const L: &str = "L_hex";

/// A check of PMAC over a cipher, by its algorithm's name, on every kernel.
macro_rules! runner {
    ($name:expr, $cpu:expr, $check:ident) => {
        match $name {
            "PMAC-AES128" => runner::<Aes128, 16>($cpu, $check::<Aes128, 16>),
            "PMAC-AES192" => runner::<Aes192, 16>($cpu, $check::<Aes192, 16>),
            "PMAC-AES256" => runner::<Aes256, 16>($cpu, $check::<Aes256, 16>),
            "PMAC-RC6-128" => runner::<Rc6, 16>($cpu, $check::<Rc6, 16>),
            "PMAC-DES-EDE3" => runner::<DesEde3, 8>($cpu, $check::<DesEde3, 8>),
            _ => None,
        }
    };
}

fn runner<C: BlockCipher, const N: usize>(cpu: Cpu, check: Check) -> Option<Runner> {
    Some(Runner::new(Key::<C, N>::kernels(cpu), check))
}

pub(crate) fn of(name: &str, cpu: Cpu) -> Option<Runner> {
    runner!(name, cpu, check)
}

pub(crate) fn recover(name: &str, cpu: Cpu) -> Option<Runner> {
    runner!(name, cpu, check_recovery)
}

pub(crate) fn powers_of_l(name: &str, cpu: Cpu) -> Option<Runner> {
    runner!(name, cpu, check_powers)
}

pub(crate) fn length_preserving(name: &str) -> Option<Runner> {
    (name == "PMAC-AES128-CTR").then(|| Runner::portable(check_length_preserving))
}

/// By the catalogue's key, and in every way of the typed one. Shorter tags are prefixes.
fn check<C: BlockCipher, const N: usize>(answer: &Answer, kernel: Kernel) -> Result<()> {
    macs::check(answer, kernel)?;
    if answer.is_sweep {
        return Ok(());
    }
    let (body, message, wanted) = (&answer.body, message::of_case(&answer.body)?, tag(answer)?);
    let tag_bits = number(body, "tag_bits")?.unwrap_or(8 * wanted.len() as u64);
    let all = 8 * message.len() as u64;
    let bits = number(body, "bits")?.unwrap_or(all);
    let part = bits_of(&message, bits)?;
    let key = Key::<C, N>::from_slice_with_cpu(kernel.cpu, &bytes(body, "key_hex")?)?;
    kernel.is(key.kernel())?;
    let mut stream = key.stream();
    message.chunks(13).for_each(|piece| stream.update(piece));
    for (what, tag) in [
        ("the tag of bits", key.tag_bits(part)),
        ("the tag of bytes", if bits == all { key.tag(&message) } else { key.tag_bits(part) }),
        ("the stream's tag", stream.tag_without(u32::try_from(all - bits)?)),
        ("the segment's tag", Segment::new(&key, 0, part)?.tag(&key)?),
        ("the sum's tag", Sum::new(&key, part).tag(&key)?),
    ] {
        same(what, &cut(&tag.to_bytes(), tag_bits)?, &wanted)?;
    }
    Ok(())
}

fn check_powers<C: BlockCipher, const N: usize>(answer: &Answer, kernel: Kernel) -> Result<()> {
    let body = &answer.body;
    let cipher = C::from_slice(kernel.cpu, &bytes(body, "key_hex")?)?;
    let mut power = C::Block::ZERO;
    cipher.encrypt(&mut power);
    same("L", power.as_ref(), &bytes(body, L)?)?;
    same("L / x", power.halve().as_ref(), &bytes(body, "L_times_x_inverse_hex")?)?;
    let powers = list(body, "L_powers_hex")?;
    ensure!(!powers.is_empty(), "there are no powers of L");
    for (i, wanted) in powers.iter().enumerate() {
        let wanted = decode(wanted.as_str().context("L_powers_hex: not all are text")?)?;
        same(&format!("L x^{i}"), power.as_ref(), &wanted)?;
        power = power.double();
    }
    Ok(())
}

fn check_length_preserving(answer: &Answer, _: Kernel) -> Result<()> {
    let body = &answer.body;
    let (key1, key2) = (array(body, "key1_hex")?, array(body, "key2_hex")?);
    let cipher = LengthPreserving::<Aes128, 16>::new(&key1, &key2);
    let mut message = message::of_case(body)?;
    let all = 8 * message.len() as u64;
    let bits = number(body, "bits")?.unwrap_or(all);
    bits_of(&message, bits)?; // the message is long enough
    let mut block = message.clone();
    cipher.encrypt_bits(&mut block, bits)?;
    same("the encrypted message", &block, &bytes(body, "cipher_hex")?)?;
    cipher.decrypt_bits(&mut block, bits)?;
    // The bits after the message do not come back.
    if let Some(last) = message.last_mut() {
        *last &= 0xff << (all - bits);
    }
    same("the decrypted message", &block, &message)
}

fn check_recovery<C: Invertible, const N: usize>(answer: &Answer, kernel: Kernel) -> Result<()> {
    let body = &answer.body;
    let (message, wanted, number) = (message::of_case(body)?, tag(answer)?, size(body, "block")?);
    let tag = typed::<N>(&wanted)?;
    let (blocks, _) = message.as_chunks::<N>();
    ensure!((1..=blocks.len()).contains(&number), "the message has no full block {number}");
    let others = [&message[..N * (number - 1)], &message[N * number..]].concat();
    let key = Key::<C, N>::from_slice_with_cpu(kernel.cpu, &bytes(body, "key_hex")?)?;
    kernel.is(key.kernel())?;
    same("the tag", &key.tag(&message).to_bytes(), &wanted)?;
    let found = recovered(&key, &tag, number as u64, Bits::from(&others[..]))?;
    same("the block", found.as_ref(), &blocks[number - 1])
}
