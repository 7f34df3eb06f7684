//! Secrets from the system's random bytes (feature `getrandom`). Knows no MAC.

use zeroize::{Zeroize, Zeroizing};

/// A secret that can be filled in: an array of bytes.
pub trait Secret: AsMut<[u8]> + Default + Zeroize {}

impl<S: AsMut<[u8]> + Default + Zeroize> Secret for S {}

pub fn secret<S: Secret>() -> Result<Zeroizing<S>, getrandom::Error> {
    let mut secret = Zeroizing::new(S::default());
    getrandom::fill(secret.as_mut())?;
    Ok(secret)
}
