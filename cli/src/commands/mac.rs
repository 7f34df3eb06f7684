//! `wegman mac`: one raw MAC, the algorithm and nothing around it.

use crate::args::Mac;
use crate::files::STDIN;
use crate::files::tree::Tree;
use crate::hex;
use crate::names::algorithm::{self, nonce_lengths};
use crate::names::shown;
use crate::output::Exit;
use crate::output::screen::progress_bar;
use crate::reader::alone;
use crate::standard::{self, print};
use crate::stored::keyfile::{open_private, read_small};
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use wegman::Cpu;
use wegman_catalogue::{Algorithm, Found, Nonce};
use zeroize::Zeroizing;

/// The algorithm, the bytes of its tags, and the nonce.
pub fn chosen(args: &Mac) -> Result<(Found, usize, Option<Nonce>)> {
    let algorithm = algorithm::find(&args.name)?;
    let tag_bytes = algorithm::tag_bytes(&algorithm, args.tag_bits).context("--tag-bits")?;
    let nonce = nonce(&algorithm, args.nonce.as_deref()).context("--nonce")?;
    Ok((algorithm, tag_bytes, nonce))
}

pub fn run(args: &Mac) -> Result<Exit> {
    let (algorithm, tag_bytes, nonce) = chosen(args)?;
    let file = args.file.as_deref().map_or(OsStr::new(STDIN), |path| path.as_os_str());
    ensure!(
        args.key_hex_file.as_os_str() != STDIN || file != STDIN,
        "standard input can't be both the key and the message"
    );
    if file == STDIN {
        standard::input()?;
    }
    let secret = secret(args)?;
    let nonce_bytes = nonce.as_ref().map(Nonce::len);
    let key = algorithm.key_with(Cpu::detect(), &secret, tag_bytes, nonce_bytes);
    let key = key.map_err(|_| {
        let (name, bytes) = (algorithm.name, algorithm.key_bytes);
        anyhow!(
            "{}: a {name} key has {bytes} bytes, {} hexadecimal digits; there are {}",
            shown(&args.key_hex_file),
            2 * bytes,
            2 * secret.len()
        )
    })?;

    let size = args.file.as_ref().and_then(|path| path.metadata().ok()).map(|m| m.len());
    let bar = progress_bar(size, !io::stderr().is_terminal());
    let tag = alone(args.speed, &Tree::typed(true), |reader| {
        Ok(reader.fed(&*key, file, &bar)?.finish(nonce.as_ref())?)
    });
    let tag = tag.with_context(|| shown(file))?;
    bar.finish_and_clear();
    let digits = format!("{tag}\n");
    print(if args.raw { tag.to_bytes() } else { digits.as_bytes() }).map(|()| Exit::Good)
}

fn secret(args: &Mac) -> Result<Zeroizing<Vec<u8>>> {
    let path = &args.key_hex_file;
    let read = || -> Result<_> {
        let text = if path.as_os_str() == STDIN {
            read_small(standard::input()?)?
        } else {
            read_small(open_private(path, args.insecure_permissions)?.0)?
        };
        hex::decode_groups(&text)
    };
    read().with_context(|| format!("{}: can't read the key in hexadecimal", shown(path)))
}

/// The nonce the algorithm asks for.
fn nonce(algorithm: &Algorithm, digits: Option<&str>) -> Result<Option<Nonce>> {
    let name = algorithm.name;
    match (algorithm.nonce_bytes, digits) {
        (None, None) => Ok(None),
        (None, Some(_)) => bail!("{name} takes no nonce"),
        (Some(lengths), None) => {
            bail!("{name} needs a nonce of {} bytes", nonce_lengths(lengths))
        }
        (Some(lengths), Some(digits)) => {
            let bytes = hex::decode(digits.as_bytes())?;
            let nonce = Nonce::new(&bytes).ok().filter(|_| lengths.contains(&bytes.len()));
            Ok(Some(nonce.with_context(|| {
                let lengths = nonce_lengths(lengths);
                format!("{name} takes a nonce of {lengths} bytes, not {}", bytes.len())
            })?))
        }
    }
}
