//! The ciphers themselves: AES by each of its kernels and without instructions, and blocks of 64 bits.

use super::{Des, Known};
use crate::cipher::{Aes128, Aes192, Aes256, CipherBlock, Invertible, aes};
use crate::cpu::Cpu;
use crate::tag::InvalidLength;
use wegman_reference::inputs::Random;

/// No instructions, and what each row of AES needs.
fn cpus() -> impl Iterator<Item = Cpu> {
    [Cpu::PORTABLE].into_iter().chain(aes::ROWS.kernels(Cpu::detect()).map(|(_, cpu)| cpu))
}

fn check<C: Known>() {
    let mut random = Random(60);
    for secret in [vec![0; C::KEY_BYTES], vec![0xff; C::KEY_BYTES], random.message(C::KEY_BYTES)] {
        let oracle = C::oracle(&secret);
        let mut message = vec![C::Block::ZERO; 41];
        C::Block::flatten_mut(&mut message).copy_from_slice(&random.message(41 * oracle.n / 8));
        let expected: Vec<Vec<u8>> =
            message.iter().map(|block| (oracle.e)(block.as_ref())).collect();
        for cpu in cpus() {
            let cipher = C::from_slice(cpu, &secret).expect("its length");
            for count in 0..=message.len() {
                let mut blocks = message.clone();
                cipher.encrypt_many(&mut blocks[..count]);
                let (done, others) = C::Block::flatten(&blocks).split_at(count * oracle.n / 8);
                assert_eq!(done, expected[..count].concat(), "{cpu:?}, {count} blocks");
                assert_eq!(others, C::Block::flatten(&message[count..]), "{count}: too many");
            }
            for (plain, expected) in message.iter().zip(&expected) {
                let mut block = *plain;
                cipher.encrypt(&mut block);
                assert_eq!(block.as_ref(), expected, "{cpu:?}");
                cipher.decrypt(&mut block);
                assert_eq!(block.as_ref(), plain.as_ref(), "{cpu:?}, back");
                // What was never encrypted.
                cipher.decrypt(&mut block);
                let of_decrypted = (oracle.e)(block.as_ref());
                assert_eq!(plain.as_ref(), of_decrypted, "{cpu:?}, decrypted");
            }
        }
    }
    for length in (0..=70).filter(|length| *length != C::KEY_BYTES) {
        for cpu in cpus() {
            let result = C::from_slice(cpu, &vec![0; length]);
            assert_eq!(result.err(), Some(InvalidLength), "{length} bytes");
        }
    }
}

#[test]
fn ciphers_are_those_of_the_oracle() {
    check::<Aes128>();
    check::<Aes192>();
    check::<Aes256>();
    check::<Des>();
}

/// FIPS 197, appendix C.
#[test]
fn aes_of_its_standard() {
    fn check<C: Invertible<Block = [u8; 16]>>(ciphertext: u128) {
        let secret: Vec<u8> = (0..C::KEY_BYTES as u8).collect();
        let plaintext = 0x0011_2233_4455_6677_8899_aabb_ccdd_eeff_u128.to_be_bytes();
        for cpu in cpus() {
            let cipher = C::from_slice(cpu, &secret).expect("its length");
            let mut block = plaintext;
            cipher.encrypt(&mut block);
            assert_eq!(block, ciphertext.to_be_bytes(), "{cpu:?}");
            cipher.decrypt(&mut block);
            assert_eq!(block, plaintext, "{cpu:?}");
        }
    }
    check::<Aes128>(0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a);
    check::<Aes192>(0xdda9_7ca4_864c_dfe0_6eaf_70a0_ec0d_7191);
    check::<Aes256>(0x8ea2_b7ca_5167_45bf_eafc_4990_4b49_6089);
}
