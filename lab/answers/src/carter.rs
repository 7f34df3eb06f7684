//! Carter. An answer's algorithm does not name the cipher; the key's length tells it.

use crate::fields::{bytes, same};
use crate::macs::{check_if_it_fits, tag};
use crate::{Answer, Kernel, Runner, message};
use anyhow::{Context, Result, anyhow, bail, ensure};
use wegman::{Aes128, Aes256, Cpu, NonceOf, Tag};
use wegman_carter::{Cipher, Key};
use wegman_catalogue::Nonce;

pub(crate) fn of(name: &str, cpu: Cpu) -> Option<Runner> {
    let check = match name {
        "Carter-128" => check::<16>,
        "Carter-96" => check::<12>,
        "Carter-64" => check::<8>,
        _ => return None,
    };
    Some(Runner::new(Key::<Aes128, 16, 16>::kernels(cpu), check))
}

fn check<const N: usize>(answer: &Answer, kernel: Kernel) -> Result<()> {
    let [secret, nonce] = ["key_hex", "nonce_hex"].map(|field| bytes(&answer.body, field));
    let (secret, nonce) = (secret?, nonce?);
    match (secret.len(), nonce.len()) {
        (16, 12) => check_key::<Aes128, N, 12>(answer, kernel, &secret, &nonce),
        (16, 16) => check_key::<Aes128, N, 16>(answer, kernel, &secret, &nonce),
        (32, 12) => check_key::<Aes256, N, 12>(answer, kernel, &secret, &nonce),
        (32, 16) => check_key::<Aes256, N, 16>(answer, kernel, &secret, &nonce),
        (key, nonce) => bail!("a key of {key} bytes and a nonce of {nonce}"),
    }
}

fn check_key<C: Cipher, const N: usize, const L: usize>(
    answer: &Answer,
    kernel: Kernel,
    secret: &[u8],
    nonce: &[u8],
) -> Result<()> {
    let (message, wanted) = (message::of_case(&answer.body)?, tag(answer)?);
    let tag = Tag::<N>::try_from(&wanted[..]).map_err(|_| anyhow!("the tag has not {N} bytes"))?;
    let bytes = <[u8; L]>::try_from(nonce).context("the nonce")?;
    let nonce = || NonceOf::<L>::from(bytes);
    let key =
        Key::<C, N, L>::from_slice_with_cpu(kernel.cpu, secret).map_err(|_| anyhow!("the key"))?;
    kernel.is(key.kernel())?;
    same("the tag", &key.tag(nonce(), &message).to_bytes(), &wanted)?;
    ensure!(key.verify(&nonce(), &message, &tag).is_ok(), "the tag is not accepted");
    let mut stream = key.stream();
    message.chunks(13).for_each(|piece| stream.update(piece));
    ensure!(stream.clone().verify(&nonce(), &tag).is_ok(), "the stream's tag is not accepted");
    same("the stream's tag", &stream.finish(nonce()).to_bytes(), &wanted)?;
    // In a batch its nonce is the first; after the last nonce there is none.
    let mut tags = [Tag::from([0; N]); 9];
    let count = if Nonce::from(bytes).advance(8).is_some() { tags.len() } else { 1 };
    let tags = &mut tags[..count];
    key.tag_many(nonce(), &[&message[..]; 9][..count], tags)?;
    same("the batch's tag", &tags[0].to_bytes(), &wanted)?;
    ensure!(key.verify_many(&[(nonce(), &message, tag)], &mut [false]).is_ok(), "not in a batch");

    let name = &answer.algorithm;
    let of_256 = format!("{name}-AES256");
    let name = if C::KEY_BYTES == 32 { &of_256 } else { name };
    check_if_it_fits(name, kernel, secret, Some(&bytes.into()), &message, &wanted)
}
