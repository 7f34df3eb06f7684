//! UMAC of 1999.

use crate::secrets::{LENGTHS, Messages, hidden, revealed, revealed_outcome, secret};
use wegman::{Cpu, Tag};
use wegman_historical::{Umac1999, umac_1999};

/// All sets, and the illustrative one.
pub fn check(messages: &Messages) {
    check_umac_1999::<umac_1999::Std30, 20>(messages);
    check_umac_1999::<umac_1999::Std60, 20>(messages);
    check_umac_1999::<umac_1999::Mmx15, 16>(messages);
    check_umac_1999::<umac_1999::Mmx30, 16>(messages);
    check_umac_1999::<umac_1999::Mmx60, 16>(messages);
    check_figure_1(messages);
}

fn check_umac_1999<S: umac_1999::Set<Tag = Tag<N>>, const N: usize>(messages: &Messages) {
    let make = |cpu, secret: &[u8]| {
        Umac1999::<S>::from_slice_with_cpu(cpu, secret).expect("the set's length")
    };
    let portable = make(Cpu::PORTABLE, &secret::<N>());
    for (kernel, cpu) in Umac1999::<S>::kernels(Cpu::detect()) {
        println!("{}: {kernel}", S::NAME);
        let key = make(cpu, &hidden(secret::<N>()));
        for (nonce, length) in (0xfe..).zip(LENGTHS.into_iter().chain([4095, 4096, 8193])) {
            let expected = portable.tag(nonce, &messages.public[..length]).to_bytes();
            let message = &messages.hidden[..length];
            assert_eq!(revealed(key.tag(nonce, message)), expected, "{kernel}, {length} bytes");
            let mut stream = key.stream();
            stream.update(&message[..length / 3]);
            stream.update(&message[length / 3..]);
            assert_eq!(revealed(stream.finish(nonce)), expected, "{kernel}, stream");
            for wrong in [0, 1] {
                let mut received = expected;
                received[N - 1] ^= wrong;
                let outcome = revealed_outcome(&key.verify(nonce, message, &Tag::from(received)));
                assert_eq!(outcome, wrong == 0, "{kernel}, verify");
            }
        }
    }
}

fn check_figure_1(messages: &Messages) {
    println!("Figure 1");
    let (k, a) = (secret::<4096>(), secret::<64>());
    let public = umac_1999::Figure1::new(&k, &a);
    let key = umac_1999::Figure1::new(&hidden(k), &hidden(a));
    for length in LENGTHS.into_iter().chain([4095, 4096, 8193]) {
        let expected = public.tag(7, &messages.public[..length]).to_bytes();
        assert_eq!(revealed(key.tag(7, &messages.hidden[..length])), expected, "{length} bytes");
    }
}
