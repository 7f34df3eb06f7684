//! RC6 and its PMAC against the oracle.

use super::SECRET;
use crate::Rc6;
use wegman::cipher::{BlockCipher, Invertible};
use wegman::{Cpu, InvalidLength, pmac};
use wegman_reference::inputs::Random;
use wegman_reference::{pmac as oracle_pmac, rc6 as oracle};

#[test]
fn blocks_are_those_of_the_oracle() {
    let mut random = Random(60);
    for secret in [[0; 16], [0xff; 16], random.bytes()] {
        let (rc6, oracle) = (Rc6::with_key(&secret).unwrap(), oracle::Rc6::new(&secret));
        let message: Vec<[u8; 16]> = (0..41).map(|_| random.bytes()).collect();
        for count in 0..=message.len() {
            let mut blocks = message.clone();
            rc6.encrypt_many(&mut blocks[..count]);
            for (i, (block, plain)) in blocks.iter().zip(&message).enumerate() {
                let expected = if i < count { oracle.encrypt(plain) } else { *plain };
                assert_eq!(*block, expected, "block {i} of {count}");
            }
        }
        for plain in &message {
            let mut block = *plain;
            rc6.decrypt(&mut block);
            assert_eq!(block, oracle.decrypt(plain));
            rc6.encrypt(&mut block);
            assert_eq!(block, *plain);
        }
    }
    for length in (0..=70).filter(|length| *length != 16) {
        let result = <Rc6 as BlockCipher>::from_slice(Cpu::detect(), &vec![0; length]);
        assert_eq!(result.err(), Some(InvalidLength), "{length} bytes");
    }
}

#[test]
fn pmac_of_rc6() {
    let message = Random(15).message(2100);
    for (name, cpu) in pmac::Key::<Rc6, 16>::kernels(Cpu::detect()) {
        let key = pmac::Key::<Rc6, 16>::with_cpu(cpu, &SECRET);
        for length in (0..=530).chain(1020..=1040).chain(2030..=2100) {
            let expected = oracle_pmac::pmac_rc6(&SECRET, &message[..length], 16);
            let tag = key.tag(&message[..length]).to_bytes();
            assert_eq!(tag.as_slice(), expected, "{name}, {length} bytes");
        }
    }
}
