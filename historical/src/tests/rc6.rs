//! PMAC of RC6 against the oracle. RC6 itself is compared by `wegman-yardstick`, which has keys of all lengths.

use super::SECRET;
use crate::Rc6;
use wegman::{Cpu, pmac};
use wegman_reference::inputs::Random;
use wegman_reference::pmac as oracle_pmac;

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
