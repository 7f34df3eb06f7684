//! The typed keys of `yardstick::Key`, whatever the engine.

use crate::Kernel;
use crate::fields::same;
use anyhow::{Result, anyhow, ensure};
use wegman::Tag;
use wegman_yardstick::{Engine, Key};

/// A tag of `N` bytes in every way there is.
pub(crate) fn check<E: Engine, const N: usize>(
    kernel: Kernel,
    secret: &[u8],
    message: &[u8],
    wanted: &[u8],
) -> Result<()> {
    let tag = Tag::<N>::try_from(wanted).map_err(|_| anyhow!("the tag has not {N} bytes"))?;
    let key = Key::<E, N>::from_slice_with_cpu(kernel.cpu, secret)
        .map_err(|_| anyhow!("it takes no key of {} bytes", secret.len()))?;
    kernel.is(key.kernel())?;
    same("the tag", &key.tag(message).to_bytes(), wanted)?;
    ensure!(key.verify(message, &tag).is_ok(), "the tag is not accepted");
    let mut stream = key.stream();
    message.chunks(13).for_each(|piece| stream.update(piece));
    same("the stream's tag", &stream.tag().to_bytes(), wanted)
}
