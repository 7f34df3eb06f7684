//! UMAC of 2000 by prefixes of tags, and the illustrative UMAC of 1999.

use crate::secrets::{LENGTHS, Messages, SECRET, hidden, reveal_secret, revealed, secret};
use wegman::Cpu;
use wegman_historical::umac_1999::Figure1;
use wegman_historical::{Nonce, Umac2000};

/// Both.
pub fn check(messages: &Messages) {
    check_umac_2000(messages);
    check_figure_1(messages);
}

/// The engine of 2000: each shape of its layers, on both sides of POLY-32, and fronts of tags. Its
/// verification is not checked: it branches on the outcome, which is no secret.
fn check_umac_2000(messages: &Messages) {
    for name in ["UMAC16", "UMAC32", "UMAC-2/3/32", "UMAC-4/32/64/16/SIGNED"] {
        let parameters = name.parse().expect("a name of the family");
        let make = |cpu, secret: &[u8]| {
            Umac2000::with_cpu(cpu, &parameters, secret).expect("a secret of 16 bytes")
        };
        let portable = make(Cpu::PORTABLE, &SECRET);
        let nonce = Nonce::counter(0xfffe);
        for (kernel, cpu) in Umac2000::kernels(Cpu::detect(), &parameters) {
            println!("{name}: {kernel}");
            let key = make(cpu, &hidden(SECRET));
            for length in LENGTHS.into_iter().chain([513 * parameters.l1_key_bytes() + 1]) {
                let message = &messages.hidden[..length];
                let expected = portable.tag(&nonce, &messages.public[..length]);
                for words in 1..=parameters.words() {
                    let mut front = key.tag_prefix(&nonce, message, words).to_bytes().to_vec();
                    let bytes = front.len();
                    reveal_secret(&mut front, bytes);
                    assert_eq!(front, expected.to_bytes()[..front.len()], "{name}, {kernel}");
                }
            }
        }
    }
}

fn check_figure_1(messages: &Messages) {
    println!("Figure 1");
    let (k, a) = (secret::<4096>(), secret::<64>());
    let public = Figure1::new(&k, &a);
    let key = Figure1::new(&hidden(k), &hidden(a));
    for length in LENGTHS {
        let expected = public.tag(7, &messages.public[..length]).to_bytes();
        assert_eq!(revealed(key.tag(7, &messages.hidden[..length])), expected, "{length} bytes");
    }
}
