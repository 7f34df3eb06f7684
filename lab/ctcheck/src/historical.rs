//! UMAC of 2000 by prefixes of tags, and the illustrative UMAC of 1999.

use crate::secrets::{LENGTHS, Messages, PORTABLE};
use crate::valgrind::is_hidden;
use wegman::Cpu;
use wegman_historical::umac_1999::Figure1;
use wegman_historical::umac_2000::Parameters;
use wegman_historical::{Nonce, Umac2000};

/// Both. Of 2000: each shape of its layers, on both sides of POLY-32, and fronts of tags. Its verification is not checked:
/// it branches on the outcome, which is no secret.
pub fn check(messages: &Messages) {
    for name in ["UMAC16", "UMAC32", "UMAC-2/3/32", "UMAC-4/32/64/16/SIGNED"] {
        let parameters: Parameters = name.parse().expect("a name of the family");
        let rows = Umac2000::kernels(Cpu::detect(), &parameters);
        messages.compare(name, rows, is_hidden, |cpu, secret, message| {
            let key = Umac2000::with_cpu(cpu, &parameters, &secret[..16]).expect("its length");
            let front = |length: usize, words| {
                let tag = key.tag_prefix(&Nonce::counter(0xfffe), &message[..length], words);
                tag.to_bytes().to_vec()
            };
            let lengths = LENGTHS.into_iter().chain([513 * parameters.l1_key_bytes() + 1]);
            let all = lengths.flat_map(|l| (1..=parameters.words()).map(move |words| (l, words)));
            all.map(|(length, words)| front(length, words)).collect()
        });
    }
    messages.compare("Figure 1", PORTABLE, is_hidden, |_, secret, message| {
        let (k, a) = secret.split_first_chunk().expect("4096 bytes");
        let key = Figure1::new(k, a.first_chunk().expect("64 bytes"));
        LENGTHS.map(|length| key.tag(7, &message[..length]).to_bytes().to_vec()).into()
    });
}
