//! Deliberate leaks, which a run of the checker must find.

use crate::secrets::SECRET;
use crate::valgrind::hide;
use std::hint::black_box;
use wegman::Cpu;

/// A branch or an address that depends on a tag, on every kernel.
pub fn leak(by: fn(u8)) {
    for name in ["UMAC-64", "Carter-128", "PMAC-AES128"] {
        let found = wegman_catalogue::find(name).expect("it is listed");
        for (_, cpu) in found.kernels(Cpu::detect()) {
            let mut secret = SECRET[..16].to_vec();
            hide(&mut secret);
            let key = found.key(cpu, &secret, *found.tag_bytes.end()).expect("its lengths");
            let tag = key.tag(found.counter(1).as_ref(), b"a message").expect("its nonce");
            by(tag.to_bytes()[0]);
        }
    }
}

#[inline(never)]
pub fn leak_by_branch(byte: u8) {
    if byte & 1 == 1 {
        black_box(());
        println!("odd");
    }
}

#[inline(never)]
pub fn leak_by_address(byte: u8) {
    let table = black_box([7u8; 256]);
    black_box(table[usize::from(byte)]);
}
