//! Deliberate leaks, which a run of the checker must find.

use crate::secrets::{SECRET, hidden};
use std::hint::black_box;
use wegman::{Aes128, Cpu, NonceOf, pmac, umac};
use wegman_carter as carter;

/// What must be reported.
#[derive(Clone, Copy)]
pub enum Leak {
    Branch,
    Address,
}

/// A branch or an address that depends on a tag, on every kernel.
pub fn leak(by: Leak) {
    let leak = |byte: u8| match by {
        Leak::Branch => leak_by_branch(byte),
        Leak::Address => leak_by_address(byte),
    };
    for (_, cpu) in umac::Key::<8>::kernels(Cpu::detect()) {
        let key = umac::Key::<8>::with_cpu(cpu, &hidden(SECRET));
        leak(key.tag(NonceOf::counter(1), b"a message").to_bytes()[0]);
    }
    for (_, cpu) in carter::Carter128::<Aes128, 12>::kernels(Cpu::detect()) {
        let key = carter::Carter128::<Aes128, 12>::with_cpu(cpu, &hidden(SECRET));
        leak(key.tag(NonceOf::counter(1), b"a message").to_bytes()[0]);
    }
    for (_, cpu) in pmac::Key::<Aes128, 16>::kernels(Cpu::detect()) {
        let key = pmac::Key::<Aes128, 16>::with_cpu(cpu, &hidden(SECRET));
        leak(key.tag(b"a message").to_bytes()[0]);
    }
}

#[inline(never)]
fn leak_by_branch(byte: u8) {
    if byte & 1 == 1 {
        black_box(());
        println!("odd");
    }
}

#[inline(never)]
fn leak_by_address(byte: u8) {
    let table = black_box([7u8; 256]);
    black_box(table[usize::from(byte)]);
}
