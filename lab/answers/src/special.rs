//! What has fields of its own: CBC-MAC for messages of one length, protected counter sums, XOR MAC in both layouts, hash127
//! and hash127-RC6, the MAC of some parts of the message, and the cipher RC6.
//! And MACs whose typed keys are `yardstick::Key` of some engine: HMAC, for secrets of any length, and the variants of
//! CBC-MAC with three keys or the one of RFC 3566. Tags are whole or cut to 96 bits.

use crate::fields::{array, bytes, has, number, same, size};
use crate::macs::{self, Tagged, nonce, tag, typed};
use crate::{Answer, Kernel, Runner, message};
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde_json::{Value, json};
use wegman::cipher::{BlockCipher, Invertible};
use wegman::{Aes128, Cpu};
use wegman_catalogue::Nonce;
use wegman_historical::Rc6;
use wegman_yardstick::cbc::{Ecbc, Fcbc, FixedLength, Xcbc};
use wegman_yardstick::hash127::{self, Hash127, out_words};
use wegman_yardstick::hmac::{HmacMd5, HmacSha1};
use wegman_yardstick::partial::{self, Division};
use wegman_yardstick::xor_mac::{self, Layout};
use wegman_yardstick::{Engine, Key};

pub(crate) fn of(name: &str, cpu: Cpu) -> Option<Runner> {
    let xor_mac = |check| Runner::new(xor_mac::Key::kernels(cpu), check);
    Some(match name {
        "CBC-MAC-AES128" => fixed_length::<Aes128>(cpu),
        "CBC-MAC-RC6-128" => fixed_length::<Rc6>(cpu),
        "PCS-AES128" => Runner::new(wegman_catalogue::find(name)?.kernels(cpu), check_pcs),
        "XORMAC-AES128 (BGR prefix bits)" => {
            xor_mac(|answer, kernel| check_xor_mac(answer, kernel, Layout::Data))
        }
        "XORMAC-AES128 (seed 003 layout)" => {
            xor_mac(|answer, kernel| check_xor_mac(answer, kernel, Layout::Value))
        }
        "hash127" => Runner::new(Hash127::kernels(cpu), check_hash127),
        "hash127-RC6" => Runner::new(<hash127::Key>::kernels(cpu), check_hash127_rc6),
        "PartialMac-HMAC-SHA1-96" => Runner::portable(check_partial),
        _ => key_bytes(name).map(|_| Runner::portable(check_rc6))?,
    })
}

fn fixed_length<C: BlockCipher<Block = [u8; 16], Key = [u8; 16]>>(cpu: Cpu) -> Runner {
    Runner::new(FixedLength::<C, 16>::kernels(cpu), |answer, kernel| {
        let (message, wanted) = (message::of_case(&answer.body)?, tag(answer)?);
        let whole = !message.is_empty() && message.len().is_multiple_of(16);
        ensure!(whole, "the message must have whole blocks, and at least one");
        let secret = array(&answer.body, "k1_hex")?;
        let key = FixedLength::<C, 16>::with_cpu(kernel.cpu, &secret, message.len());
        kernel.is(key.kernel())?;
        same("the tag", &key.tag(&message)?.to_bytes(), &wanted)
    })
}

fn check_pcs(answer: &Answer, kernel: Kernel) -> Result<()> {
    let (secret, message) = (bytes(&answer.body, "key_hex")?, message::of_case(&answer.body)?);
    let tag = tag(answer)?;
    // The first 8 bytes are the paper's value.
    let tag = tag.get(..8).with_context(|| format!("a tag of {} bytes", tag.len()))?;
    let front = Tagged { secret: &secret, nonce: None, message: &message, tag };
    front.check_if_it_fits(&answer.algorithm, kernel)?;
    macs::check(answer, kernel)
}

fn check_xor_mac(answer: &Answer, kernel: Kernel, layout: Layout) -> Result<()> {
    let (secret, message) = (bytes(&answer.body, "key_hex")?, message::of_case(&answer.body)?);
    let value: [u8; 16] = array(&answer.body, "value127_hex")?;
    let wanted = tag(answer)?;
    let z = typed(&wanted)?;
    let key = xor_mac::Key::from_slice_with_cpu(kernel.cpu, layout, &secret);
    let key = key.with_context(|| format!("a key of {} bytes", secret.len()))?;
    kernel.is(key.kernel())?;
    let sent = xor_mac::Value::new(value).context("value127_hex has more than 127 bits")?;
    same("z", &key.tag(&sent, &message).to_bytes(), &wanted)?;
    ensure!(key.verify(&sent, &message, &z).is_ok(), "z is not accepted");
    let mut stream = key.stream();
    message.chunks(13).for_each(|piece| stream.update(piece));
    same("the stream's z", &stream.finish_reset(&sent).to_bytes(), &wanted)?;
    // The catalogue takes values of 8 bytes: counters.
    let [0, 0, 0, 0, 0, 0, 0, 0, count @ ..] = value else { return Ok(()) };
    let name = if layout == Layout::Data { "XORMAC-AES128-BGR" } else { "XORMAC-AES128-BR" };
    let nonce = Some(Nonce::from(count));
    let tagged = Tagged { secret: &secret, nonce, message: &message, tag: &wanted };
    tagged.check_if_it_fits(name, kernel)
}

fn check_hash127_rc6(answer: &Answer, kernel: Kernel) -> Result<()> {
    if !has(&answer.body, "r_hex") {
        return macs::check(answer, kernel); // `key_hex` is both
    }
    let [key, r] = ["key_hex", "r_hex"].map(|field| array::<16>(&answer.body, field));
    let (secret, nonce) = ([key?, r?].concat(), nonce(answer)?);
    let (message, tag) = (message::of_case(&answer.body)?, tag(answer)?);
    let tagged = Tagged { secret: &secret, nonce, message: &message, tag: &tag };
    tagged.check_if_it_fits(&answer.algorithm, kernel)
}

/// hash127 by itself.
fn check_hash127(answer: &Answer, kernel: Kernel) -> Result<()> {
    let body = &answer.body;
    let message = message::of_case(body)?;
    let (words, rest) = message.as_chunks();
    ensure!(rest.is_empty(), "the message must have whole words of 4 bytes");
    let hash = Hash127::with_cpu(kernel.cpu, &array(body, "r_hex")?);
    kernel.is(hash.kernel())?;
    let u = hash.hash(words, &array(body, "k_hex")?);
    same("the hash", &u, &array::<16>(body, "u_hex_le")?)?;
    let found = json!(out_words(&u));
    ensure!(found == body["out_words_signed"], "the signed words are {found}");
    Ok(())
}

/// The number of chosen parts an answer lists; the tag covers the others.
const PARTS: usize = 32;

fn check_partial(answer: &Answer, _: Kernel) -> Result<()> {
    let body = &answer.body;
    let (part, region) = (size(body, "part_len")?, size(body, "region_parts")?);
    ensure!(part > 0 && (1..=1 << 16).contains(&region), "{region} parts of {part} bytes");
    let (select, mac) = (array(body, "select_key_hex")?, array(body, "mac_key_hex")?);
    let (nonce, message, wanted) =
        (array(body, "nonce_hex")?, message::of_case(body)?, tag(answer)?);
    let key = partial::Key::new(Division::new(part, region), &select, &mac);
    let chosen: Value = key.selected_parts(&nonce, message.len()).take(PARTS).collect();
    ensure!(chosen == body["selected_parts"], "the first chosen parts are {chosen}");
    same("the tag", &key.tag(&nonce, &message).to_bytes(), &wanted)?;
    let tag = typed(&wanted)?;
    ensure!(key.verify(&nonce, &message, &tag).is_ok(), "the tag is not accepted");
    Ok(())
}

/// The last number of `RC6-32/20/b`.
fn key_bytes(name: &str) -> Option<usize> {
    let b = name.strip_prefix("RC6-32/20/")?.parse().ok()?;
    (b <= 255 && name == format!("RC6-32/20/{b}")).then_some(b)
}

/// The most iterations an answer may ask for.
const MOST: u64 = 1 << 24;

fn check_rc6(answer: &Answer, _: Kernel) -> Result<()> {
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

pub(crate) fn comparator(name: &str, cpu: Cpu) -> Option<Runner> {
    fn of<E: Engine, const N: usize>(cpu: Cpu) -> Option<Runner> {
        Some(Runner::new(Key::<E, N>::kernels(cpu), check_comparator::<E, N>))
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
fn check_comparator<E: Engine, const N: usize>(answer: &Answer, kernel: Kernel) -> Result<()> {
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
