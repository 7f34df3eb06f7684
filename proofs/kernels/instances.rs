//! The constructors of keys are generic: a crate that uses them compiles them. This one does, for proofs/kernels/keys.py.
use wegman_carter::Carter128;
use wegman::{Aes128, Aes192, Aes256, pmac, umac};

#[unsafe(no_mangle)]
pub fn umac_32(secret: &[u8; 16]) -> umac::Key<4> {
    umac::Key::new(secret)
}

#[unsafe(no_mangle)]
pub fn umac_64(secret: &[u8; 16]) -> umac::Key<8> {
    umac::Key::new(secret)
}

#[unsafe(no_mangle)]
pub fn umac_96(secret: &[u8; 16]) -> umac::Key<12> {
    umac::Key::new(secret)
}

#[unsafe(no_mangle)]
pub fn umac_128(secret: &[u8; 16]) -> umac::Key<16> {
    umac::Key::new(secret)
}

#[unsafe(no_mangle)]
pub fn pmac_10(secret: &[u8; 16]) -> pmac::Key<Aes128, 16> {
    pmac::Key::new(secret)
}

#[unsafe(no_mangle)]
pub fn pmac_12(secret: &[u8; 24]) -> pmac::Key<Aes192, 16> {
    pmac::Key::new(secret)
}

#[unsafe(no_mangle)]
pub fn pmac_14(secret: &[u8; 32]) -> pmac::Key<Aes256, 16> {
    pmac::Key::new(secret)
}

#[unsafe(no_mangle)]
pub fn carter_10(secret: &[u8; 16]) -> Carter128<wegman_carter::wegman::Aes128, 12> {
    Carter128::new(secret)
}

#[unsafe(no_mangle)]
pub fn carter_14(secret: &[u8; 32]) -> Carter128<wegman_carter::wegman::Aes256, 12> {
    Carter128::new(secret)
}
