//! AES alone, by each of its rows: PMAC's kernels have rounds of their own.

use crate::secrets::{Messages, revealed_block};
use crate::valgrind::hide;
use wegman::cipher::{Block, Invertible};
use wegman::{Aes128, Aes192, Aes256, Cpu};

/// All lengths of keys.
pub fn check(messages: &Messages) {
    check_aes::<Aes128>("AES128", messages);
    check_aes::<Aes192>("AES192", messages);
    check_aes::<Aes256>("AES256", messages);
}

/// One cipher, to and fro.
fn check_aes<C: Invertible<Block = Block>>(cipher: &str, messages: &Messages) {
    let mut secret: Vec<u8> = (1..).take(C::KEY_BYTES).collect();
    let public = C::from_slice(Cpu::PORTABLE, &secret).expect("its length");
    hide(&mut secret);
    for (name, cpu) in [("the crate", Cpu::PORTABLE), ("the machine", Cpu::detect())] {
        println!("{cipher} of {name}");
        let aes = C::from_slice(cpu, &secret).expect("its length");
        for count in [1, 2, 3, 8, 19] {
            let mut expected = messages.public.as_chunks().0[..count].to_vec();
            public.encrypt_many(&mut expected);
            let mut blocks = messages.hidden.as_chunks().0[..count].to_vec();
            aes.encrypt_many(&mut blocks);
            let mut single = messages.hidden.as_chunks().0[count - 1];
            aes.encrypt(&mut single);
            assert_eq!(revealed_block(single), expected[count - 1], "{name}");
            aes.decrypt(&mut single);
            let found = blocks.into_iter().map(revealed_block);
            assert!(found.eq(expected), "{name}, {count} blocks");
            assert_eq!(revealed_block(single), messages.public.as_chunks().0[count - 1]);
        }
    }
}
