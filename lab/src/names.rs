//! `wegman-bench names`: what a tag costs by name, under the catalogue's boxed keys, and through the functions for C,
//! beside one under a typed key.

use crate::speeds::{Job, Place};
use crate::timing::messages::{Messages, Mode, Size};
use crate::timing::ours::{SECRET, number};
use crate::timing::rounds::{Cell, Work};
use crate::typed::Typed;
use std::hint::black_box;
use wegman::cipher::Aes128;
use wegman::hazmat::raw::Nonce;
use wegman::{Cpu, NonceOf, pmac, umac};
use wegman_carter::Carter128;
use wegman_catalogue::AnyKey;

/// What is tagged.
pub const SIZES: [Size; 6] = [
    Size::Bytes(16),
    Size::Bytes(43),
    Size::Bytes(64),
    Size::Bytes(256),
    Size::Bytes(1500),
    Size::Uniform,
];

/// The four ways to a tag of each MAC that has a typed key, on its best row or on every one.
pub fn jobs(messages: &Messages, every_row: bool) -> Vec<Job<'_>> {
    let mut jobs = of::<umac::Key<8>, 8>(messages, every_row);
    jobs.extend(of::<umac::Key<16>, 16>(messages, every_row));
    jobs.extend(of::<Carter128<Aes128, 12>, 16>(messages, every_row));
    jobs.extend(of::<pmac::Key<Aes128, 16>, 16>(messages, every_row));
    jobs
}

fn of<K: Typed<N>, const N: usize>(messages: &Messages, every_row: bool) -> Vec<Job<'_>> {
    let rows = K::rows(Cpu::detect());
    let skipped = if every_row { 0 } else { rows.len() - 1 };
    rows.into_iter()
        .skip(skipped)
        .flat_map(|(kernel, cpu)| of_row::<K, N>(messages, kernel, cpu))
        .collect()
}

fn of_row<'m, K: Typed<N>, const N: usize>(
    messages: &'m Messages,
    kernel: &'static str,
    cpu: Cpu,
) -> Vec<Job<'m>> {
    let secret = SECRET.first_chunk().expect("32 bytes");
    let found = wegman_catalogue::find(K::NAME).expect("the catalogue has it");
    let nonce_bytes = found.counter(0).map_or(0, |nonce| nonce.as_bytes().len());
    let mut jobs = Vec::new();
    for size in SIZES {
        let boxed = || found.key(cpu, secret, N).expect("its lengths");
        let (typed, c) = (K::on(cpu, secret), K::through_c(kernel, secret));
        let (into, any) = (boxed(), boxed());
        let ways: [(&str, Work<'m>); 4] = [
            (
                "typed key",
                Box::new(move |calls| {
                    let key = black_box(&typed);
                    messages.single(size, calls, |count, message| {
                        number(&key.tag(count, message).to_bytes())
                    })
                }),
            ),
            (
                "tag_into",
                Box::new(move |calls| {
                    by_name(nonce_bytes, messages, size, calls, &*into, |key, nonce, message| {
                        let mut tag = [0; N];
                        key.tag_into(nonce, message, &mut tag).expect("a nonce of its length");
                        number(&tag)
                    })
                }),
            ),
            (
                "tag",
                Box::new(move |calls| {
                    by_name(nonce_bytes, messages, size, calls, &*any, |key, nonce, message| {
                        let tag = key.tag(nonce, message).expect("a nonce of its length");
                        number(tag.to_bytes().first_chunk::<N>().expect("as long"))
                    })
                }),
            ),
            (
                "C",
                Box::new(move |calls| {
                    messages
                        .single(size, calls, |count, message| number(&c(count, message).to_bytes()))
                }),
            ),
        ];
        for (way, work) in ways {
            let portable = K::on(Cpu::PORTABLE, secret);
            // One by one, the last first.
            let expected = move |calls| {
                let tag = |count| {
                    let (one, two) = messages.number(count, Mode::Single, size).split_at(1);
                    number(&portable.stream(count, one, two).to_bytes())
                };
                let count = calls * messages.in_a_call(Mode::Single, size);
                (0..count).rev().map(tag).fold(0, u128::wrapping_add)
            };
            let place = Place {
                section: format!("{} ({kernel})", K::NAME),
                algorithm: K::NAME.to_owned(),
                kernel: kernel.to_owned(),
                from: way.to_owned(),
                mode: Mode::Single.name(),
                length: size,
                beside: (way != "typed key").then(|| (K::NAME.to_owned(), "typed key".to_owned())),
            };
            let label = format!("{} ({kernel}) of {size} bytes, {way}", K::NAME);
            let in_a_call = messages.in_a_call(Mode::Single, size);
            jobs.push((
                place,
                Cell { label, work, expected: Box::new(expected), messages: in_a_call },
            ));
        }
    }
    jobs
}

/// The timed loop over a boxed key. `tag` is a call of it. The nonce's length is a constant in each loop.
fn by_name(
    nonce_bytes: usize,
    messages: &Messages,
    size: Size,
    calls: u64,
    key: &dyn AnyKey,
    tag: impl Fn(&dyn AnyKey, Option<&Nonce>, &[u8]) -> u128,
) -> u128 {
    let key = black_box(key);
    match nonce_bytes {
        0 => messages.single(size, calls, |_, message| tag(key, None, message)),
        8 => messages.single(size, calls, |count, message| {
            tag(key, Some(&NonceOf::<8>::counter(count).into()), message)
        }),
        _ => messages.single(size, calls, |count, message| {
            tag(key, Some(&NonceOf::<12>::counter(count).into()), message)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_all_ways_and_all_make_the_same_tags() {
        let messages = Messages::new(&SIZES, &[Mode::Single]);
        for (_, cell) in jobs(&messages, true) {
            assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
            assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.label);
        }
        assert_eq!(jobs(&messages, false).len(), 4 * 4 * SIZES.len());
    }
}
