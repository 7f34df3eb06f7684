//! The secrets, and the comparison of what is computed from them with the same in public.

use crate::valgrind::{self, hide, reveal};
use wegman::Cpu;

/// Around everything that is cut into parts, and beyond the switch of level 2.
pub const LENGTHS: [usize; 28] = [
    0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 257, 511, 512, 513, 1023, 1024, 1025, 2048,
    2049, 3000, 4095, 4096, 4097, 8193, 17413,
];

/// The longest message.
pub const LONGEST: usize = (1 << 24) + 1025;

/// The only row, where there is no choice.
pub const PORTABLE: [(&str, Cpu); 1] = [("portable", Cpu::PORTABLE)];

/// The bytes 1, 2, 3, ...: keys begin with them.
pub const SECRET: [u8; 5000] = {
    let mut secret = [0; 5000];
    let mut i = 0;
    while i < secret.len() {
        secret[i] = (i as u8).wrapping_add(1);
        i += 1;
    }
    secret
};

/// A secret and a message, and the same in public.
pub struct Messages {
    secret: Vec<u8>,
    hidden: Vec<u8>,
    pub public: Vec<u8>,
}

impl Messages {
    /// The hidden ones are watched from here on.
    pub fn new() -> Messages {
        let public: Vec<u8> =
            (0..LONGEST as u32).map(|i| (i.wrapping_mul(0x9e37_79b9) >> 24) as u8).collect();
        let (mut secret, mut hidden) = (SECRET.to_vec(), public.clone());
        hide(&mut secret);
        hide(&mut hidden);
        Messages { secret, hidden, public }
    }

    /// Runs code on the secret and the message, on each row, and compares its results with those of portable code in
    /// public. If a result was not secret, the secret was lost on the way and nothing was checked.
    pub fn compare<'r>(
        &self,
        name: &str,
        rows: impl IntoIterator<Item = (&'r str, Cpu)>,
        is_secret: fn(&[u8]) -> bool,
        run: impl Fn(Cpu, &[u8], &[u8]) -> Vec<Vec<u8>>,
    ) {
        let expected = run(Cpu::PORTABLE, &SECRET, &self.public);
        for (row, cpu) in rows {
            println!("{name}: {row}");
            let found = run(cpu, &self.secret, &self.hidden);
            assert_eq!(found.len(), expected.len(), "{name}, {row}");
            for (i, (mut found, expected)) in found.into_iter().zip(&expected).enumerate() {
                let is_checked = !valgrind::is_running() || is_secret(&found);
                assert!(is_checked, "{name}, {row}: result {i} does not depend on the secret");
                reveal(&mut found);
                assert_eq!(found, *expected, "{name}, {row}, result {i}");
            }
        }
    }
}

/// Makes a flag public, such as the outcome of a verification.
pub fn revealed(flag: bool) -> bool {
    let mut flag = [u8::from(flag)];
    reveal(&mut flag);
    flag[0] == 1
}
