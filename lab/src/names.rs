//! `wegman-bench names`: what a tag costs by name, under the catalogue's boxed keys, and through the functions for C,
//! beside one under a typed key.

use crate::engine::{Engine, Group, Way};
use crate::speeds::{Job, Place};
use crate::timing::messages::{Messages, Mode, Size};
use crate::timing::number::number;
use crate::timing::ours::SECRET;
use crate::typed::{self, Typed};
use std::rc::Rc;
use std::sync::Arc;
use wegman::hazmat::raw::Nonce;
use wegman::{Cpu, NonceOf};
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

/// The first way, which the others are compared with.
const TYPED: &str = "typed key";

/// The four ways to a tag of each MAC that has a typed key, on its best row.
pub fn jobs(messages: &Messages) -> Vec<Job<'_>> {
    let mut jobs = Vec::new();
    typed::each!(of(messages, &mut jobs));
    jobs
}

fn of<'m, K: Typed<N>, const N: usize>(messages: &'m Messages, jobs: &mut Vec<Job<'m>>) {
    let (kernel, cpu) = *K::rows(Cpu::detect()).last().expect("there is a portable row");
    let engines = ways::<K, N>(kernel, cpu).map(Rc::new);
    for size in SIZES {
        for engine in &engines {
            let section = format!("{} ({kernel})", K::NAME);
            let place = Place::new(section, engine, Mode::Single, size).beside(TYPED);
            jobs.push((place, engine.cell(messages, Mode::Single, size)));
        }
    }
}

/// The ways to a tag, each checked with streams of the portable row.
fn ways<K: Typed<N>, const N: usize>(kernel: &'static str, cpu: Cpu) -> [Engine; 4] {
    let secret = SECRET.first_chunk().expect("32 bytes");
    let found = wegman_catalogue::find(K::NAME).expect("the catalogue has it");
    let key = || found.key(cpu, secret, N).expect("its lengths");
    let nonce_bytes = found.counter(0).map_or(0, |nonce| nonce.as_bytes().len());
    let (typed, c) = (K::on(cpu, secret), K::through_c(kernel, secret));
    let into = |key: &dyn AnyKey, nonce: Option<&Nonce>, message: &[u8]| {
        let mut tag = [0; N];
        key.tag_into(nonce, message, &mut tag).expect("a nonce of its length");
        number(&tag)
    };
    let any = |key: &dyn AnyKey, nonce: Option<&Nonce>, message: &[u8]| {
        let tag = key.tag(nonce, message).expect("a nonce of its length");
        number(tag.to_bytes().first_chunk::<N>().expect("as long"))
    };
    let ways: [(&str, Box<dyn Way>); 4] = [
        (TYPED, Box::new(move |n, message: &[u8]| number(&typed.tag(n, message).to_bytes()))),
        ("tag_into", by_name(nonce_bytes, key(), into)),
        ("tag", by_name(nonce_bytes, key(), any)),
        ("C", Box::new(move |n, message: &[u8]| number(&c(n, message).to_bytes()))),
    ];
    ways.map(|(name, way)| {
        let portable = K::on(Cpu::PORTABLE, secret);
        Engine::new(Group::NoNonce, K::NAME, kernel, name, way).summed_by(move |count, message| {
            let (one, two) = message.split_at(1);
            number(&portable.stream(count, one, two).to_bytes())
        })
    })
}

/// `tag` is a call of a boxed key. The nonce's length is a constant in each loop.
fn by_name(
    nonce_bytes: usize,
    key: Arc<dyn AnyKey>,
    tag: impl Fn(&dyn AnyKey, Option<&Nonce>, &[u8]) -> u128 + 'static,
) -> Box<dyn Way> {
    match nonce_bytes {
        0 => Box::new(move |_, message: &[u8]| tag(&*key, None, message)),
        8 => Box::new(move |count, message: &[u8]| {
            tag(&*key, Some(&NonceOf::<8>::counter(count).into()), message)
        }),
        _ => Box::new(move |count, message: &[u8]| {
            tag(&*key, Some(&NonceOf::<12>::counter(count).into()), message)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_all_ways_and_all_make_the_same_tags() {
        fn check<K: Typed<N>, const N: usize>(messages: &Messages) {
            for (kernel, cpu) in K::rows(Cpu::detect()) {
                for engine in ways::<K, N>(kernel, cpu).map(Rc::new) {
                    for cell in SIZES.map(|size| engine.cell(messages, Mode::Single, size)) {
                        assert_eq!((cell.work)(2), (cell.expected)(2), "{}", cell.label);
                        assert_ne!((cell.work)(1), (cell.expected)(2), "{}", cell.label);
                    }
                }
            }
        }
        let messages = Messages::new(&SIZES, &[Mode::Single]);
        typed::each!(check(&messages));
        assert_eq!(jobs(&messages).len(), 4 * 4 * SIZES.len());
    }
}
