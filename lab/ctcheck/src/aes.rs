//! AES alone, by each of its rows: PMAC's kernels have rounds of their own.

use crate::secrets::Messages;
use crate::valgrind::is_hidden;
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
    let rows = [("the crate", Cpu::PORTABLE), ("the machine", Cpu::detect())];
    messages.compare(cipher, rows, is_hidden, |cpu, secret, message| {
        let aes = C::from_slice(cpu, &secret[..C::KEY_BYTES]).expect("its length");
        let mut results = Vec::new();
        for count in [1, 2, 3, 8, 19] {
            let mut blocks = message.as_chunks().0[..count].to_vec();
            let mut single = blocks[count - 1];
            aes.encrypt_many(&mut blocks);
            aes.encrypt(&mut single);
            blocks.push(single);
            aes.decrypt(&mut single);
            blocks.push(single);
            results.push(blocks.into_flattened());
        }
        results
    });
}
