//! Threads and segments: whatever the cuts, the state is that of one thread.

use super::SECRET;
use crate::cpu::Cpu;
use crate::nonce::Nonce;
use crate::umac;
use crate::umac::MAX_STREAMS;
use crate::umac::kdf::{Kdf, Rfc4418};
use crate::umac::l2_poly::{Key, Segment, State, WORDS_64};
use wegman_reference::inputs::Random;

/// Random words, one in seven over the limits of both polynomials.
fn lines(random: &mut Random, count: usize) -> Vec<[u64; MAX_STREAMS]> {
    let mut word = |_| match random.word() % 7 {
        0 => random.word() | !0 << 32,
        _ => random.word(),
    };
    (0..count).map(|_| core::array::from_fn(&mut word)).collect()
}

fn assert_same(keys: &[Key; MAX_STREAMS], one: &State, other: &State, case: &str) {
    assert_eq!(one.count(), other.count(), "{case}");
    for (t, key) in keys.iter().enumerate() {
        assert_eq!(one.finish(key, t), other.finish(key, t), "{case}, stream {t}");
    }
}

#[test]
fn segments_join_to_the_state_of_one_thread() {
    let mut keys = [Key::default(); MAX_STREAMS];
    Key::derive(&mut keys, &Kdf::<Rfc4418>::new(Cpu::detect(), &SECRET));
    let mut random = Random(40);
    // Under POLY-64, up to the switch, and under POLY-128.
    for (start, end) in [(1, 700), (WORDS_64 - 300, WORDS_64), (WORDS_64 + 2, WORDS_64 + 600)] {
        let mut state = State::new();
        lines(&mut random, start as usize)
            .iter()
            .for_each(|words| state.absorb_words(&keys, words));
        for cut in [2, 8, 100, 256] {
            let lines = lines(&mut random, (end - start) as usize);
            let (mut serial, mut joined) = (state.clone(), state.clone());
            lines.iter().for_each(|words| serial.absorb_words(&keys, words));
            let mut at = start;
            let segments = lines.chunks(cut).map(|lines| {
                let segment = Segment::new(at, |images| {
                    let take = |image: &mut State| {
                        lines.iter().for_each(|words| image.absorb_words(&keys, words));
                    };
                    images.iter_mut().for_each(take);
                });
                at += lines.len() as u64;
                segment
            });
            let segments: Vec<Segment> = segments.collect();
            // One by one, and first with each other, from the right.
            let case = format!("{start} to {end}, segments of {cut}");
            segments.iter().for_each(|segment| joined.join(segment));
            assert_same(&keys, &serial, &joined, &case);
            let whole = segments.into_iter().rev().reduce(|right, left| left.then(&right));
            let mut joined = state.clone();
            joined.join(&whole.expect("there are segments"));
            assert_same(&keys, &serial, &joined, &case);
        }
    }
}

#[test]
fn room_ends_at_the_switch_and_at_pairs() {
    assert_eq!(Segment::room(0, 5), 5);
    assert_eq!(Segment::room(10, u64::MAX), WORDS_64 - 10);
    assert_eq!(Segment::room(WORDS_64, 9), 0);
    assert_eq!(Segment::room(WORDS_64 + 1, 9), 0);
    assert_eq!(Segment::room(WORDS_64 + 2, 9), 8);
}

/// Through the public door, on every row: a message that crosses the switch, in pieces that do not
/// respect anything.
#[test]
fn update_rayon_gives_the_tag_of_update() {
    fn check<const N: usize>(message: &[u8], cuts: &[usize]) {
        let nonce = Nonce::counter(41);
        for (row, cpu) in umac::Key::<N>::kernels(Cpu::detect()) {
            let key = umac::Key::<N>::with_cpu(cpu, &SECRET);
            let expected = key.tag_under(&nonce, message);
            let mut stream = key.stream();
            let mut rest = message;
            for &cut in cuts {
                let (piece, after) = rest.split_at(cut);
                stream.update_rayon(piece);
                rest = after;
            }
            stream.update_rayon(rest);
            assert_eq!(stream.tag_under(&nonce), expected, "{row}, {N} bytes, cuts {cuts:?}");
        }
    }
    let message = Random(42).message((1 << 24) + (3 << 20) + 12345);
    check::<8>(&message, &[]);
    check::<16>(&message, &[1 << 24]);
    check::<4>(&message, &[(1 << 24) + 1, 1, 1 << 20]);
    check::<12>(&message, &[5, (1 << 24) + 1024, 2047, 1 << 20]);
    check::<8>(&message[..5 << 20], &[1024, 1, 0, 3 << 20]);
    check::<8>(b"short", &[0, 2]);
}
