//! What is watched: every algorithm of the catalogue on every kernel, and batches that are verified.

use crate::leaks::{LEAKS, Leak};
use std::hint::black_box;
use std::sync::Arc;
use wegman::{Aes128, Bits, NonceOf, Tag, pmac, umac};
use wegman_carter::Carter128;
use wegman_catalogue::{ALGORITHMS, Algorithm, AnyKey, AnyTag, Cpu, Nonce};
use wegman_reference::inputs::{self, Random};
use wegman_reference::umac_rfc4418 as oracle;

/// Around everything that is cut into parts: blocks, registers, chunks, groups of chunks.
const LENGTHS: [usize; 14] = [0, 1, 16, 17, 43, 64, 100, 257, 513, 1024, 1025, 1500, 2049, 4097];
const LONGEST: usize = 4097;
/// Batches: how many messages, and the longest. Eight go side by side.
const BATCHES: [(usize, usize); 6] = [(16, 0), (11, 43), (8, 100), (16, 256), (2, 1500), (9, 1500)];

/// The secrets of one process.
pub struct Secrets {
    /// More than any key has.
    key: Vec<u8>,
    message: Vec<u8>,
}

impl Secrets {
    /// How many there are.
    pub const COUNT: usize = 4;

    /// All are made in every process, so that each asks for the same memory in the same order.
    pub fn new(number: usize) -> Secrets {
        let mut chosen = Secrets { key: vec![0; 256], message: vec![0; LONGEST] };
        for other in 0..Secrets::COUNT {
            let made = Secrets::make(other);
            if other == number {
                chosen.key.copy_from_slice(&made.key);
                chosen.message.copy_from_slice(&made.message);
            }
        }
        chosen
    }

    fn make(number: usize) -> Secrets {
        let filled = |byte| Secrets { key: vec![byte; 256], message: vec![byte; LONGEST] };
        let mut random = Random(number as u64);
        let random = Secrets { key: random.message(256), message: random.message(LONGEST) };
        match number {
            0 => filled(0),
            1 => filled(0xff),
            2 => random.at_the_limit(),
            _ => random,
        }
    }

    /// Every other chunk hashes to the first number that POLY-64 escapes.
    fn at_the_limit(mut self) -> Secrets {
        let l1_key = oracle::l1_key(self.key.first_chunk().expect("256 bytes"), 0);
        let special = inputs::chunk_with_output(&l1_key, !0 << 32);
        let (chunks, _) = self.message.as_chunks_mut::<1024>();
        chunks.iter_mut().step_by(2).for_each(|chunk| chunk.copy_from_slice(&special));
        self
    }
}

/// One thing that is watched.
pub struct Case {
    pub kernel: &'static str,
    pub name: String,
    /// Makes what need not be watched.
    pub prepare: Box<dyn for<'s> Fn(&'s Secrets) -> Prepared<'s>>,
}

/// What runs watched.
type Prepared<'s> = Box<dyn FnOnce() + 's>;

/// The cases of one algorithm on one kernel.
struct Cases {
    algorithm: &'static Algorithm,
    kernel: &'static str,
    cpu: Cpu,
    all: Vec<Case>,
}

impl Cases {
    fn add(&mut self, what: &str, prepare: impl for<'s> Fn(&'s Secrets) -> Prepared<'s> + 'static) {
        let name = format!("{} on {}, {what}", self.algorithm.name, self.kernel);
        self.all.push(Case { kernel: self.kernel, name, prepare: Box::new(prepare) });
    }

    /// Under a key, and with a nonce if the algorithm takes one.
    fn under_key(
        &mut self,
        what: &str,
        prepare: impl for<'s> Fn(Arc<dyn AnyKey>, Option<Nonce>, &'s Secrets) -> Prepared<'s> + 'static,
    ) {
        let (algorithm, cpu) = (self.algorithm, self.cpu);
        self.add(what, move |secrets| {
            prepare(key(algorithm, cpu, secrets), algorithm.counter(7), secrets)
        });
    }

    /// Keys, tags, streams, verification, batches and segments.
    fn add_all(&mut self) {
        let (algorithm, cpu) = (self.algorithm, self.cpu);
        self.add("a key", move |secrets| {
            Box::new(move || drop(black_box(key(algorithm, cpu, secrets))))
        });
        for length in LENGTHS {
            self.under_key(&format!("{length} bytes"), move |key, nonce, secrets| {
                let message = &secrets.message[..length];
                Box::new(move || _ = black_box(key.tag(nonce.as_ref(), message)))
            });
        }
        for length in [100, 1500] {
            self.under_key(&format!("a stream of {length} bytes"), move |key, nonce, secrets| {
                let message = &secrets.message[..length];
                Box::new(move || {
                    let mut stream = key.stream();
                    message.chunks(600).for_each(|piece| stream.update(piece));
                    _ = black_box(stream.finish(nonce.as_ref()));
                })
            });
            for (flipped, which) in [(0, "right"), (1, "wrong")] {
                let what = format!("a {which} tag of {length} bytes");
                self.under_key(&what, move |key, nonce, secrets| {
                    let message = &secrets.message[..length];
                    let tag = key.tag(nonce.as_ref(), message).expect("the right kind of nonce");
                    let mut received = tag.to_bytes().to_vec();
                    // Elsewhere under each secret.
                    let place = usize::from(secrets.key[77]) % received.len();
                    received[place] ^= flipped;
                    let tag = AnyTag::try_from(&*received).expect("its length");
                    Box::new(move || {
                        let outcome = key.verify(nonce.as_ref(), message, &tag);
                        assert_eq!(outcome.is_ok(), flipped == 0);
                    })
                });
            }
        }
        for (count, longest) in BATCHES {
            let what = format!("a batch of {count} with up to {longest} bytes");
            self.under_key(&what, move |key, nonce, secrets| {
                let message = |i| &secrets.message[i..][..longest - 7 * i % (longest.min(16) + 1)];
                let messages: Vec<&[u8]> = (0..count).map(message).collect();
                let mut tags = vec![0; count * algorithm.tag_bytes.end()];
                Box::new(move || {
                    let done = key.tags(nonce.as_ref(), &messages, &mut tags);
                    done.expect("enough nonces");
                    black_box(&tags);
                })
            });
        }
        if key(algorithm, cpu, &Secrets::new(0)).pmac().is_some() {
            self.under_key("a segment", |key, _, secrets| {
                Box::new(move || {
                    let pmac = key.pmac().expect("PMAC");
                    let part = Bits::from(&secrets.message[..3000]);
                    let part = pmac.segment(0, part).expect("short");
                    _ = black_box(pmac.tag_of_segment(&part)).expect("the beginning");
                })
            });
        }
        let verified_many = match &*algorithm.name {
            "UMAC-64" => verified_umac_64,
            "UMAC-128" => verified_umac_128,
            "Carter-128" => verified_carter,
            "PMAC-AES128" => verified_pmac,
            _ => return,
        };
        for length in [16, 100, 1500] {
            self.add(&format!("16 tags of {length} bytes in a batch"), move |secrets| {
                verified_many(cpu, secrets, &secrets.message[..length])
            });
        }
    }
}

/// Cases of these algorithms on the kernels that are asked for; on all if none is.
fn cases_of(
    algorithms: impl Iterator<Item = &'static Algorithm>,
    kernels: &[&str],
    add: impl Fn(&mut Cases),
) -> Vec<Case> {
    let mut all = Vec::new();
    for algorithm in algorithms {
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            if kernels.is_empty() || kernels.contains(&kernel) {
                let mut cases = Cases { algorithm, kernel, cpu, all };
                add(&mut cases);
                all = cases.all;
            }
        }
    }
    all
}

/// All cases of these kernels.
pub fn cases(kernels: &[&str]) -> Vec<Case> {
    cases_of(ALGORITHMS.iter(), kernels, Cases::add_all)
}

/// A tag that leaks in each way, after each kernel.
pub fn leaking(kernels: &[&str]) -> Vec<Case> {
    let is_one = |algorithm: &&Algorithm| {
        ["UMAC-64", "PMAC-AES128", "Carter-128"].contains(&&*algorithm.name)
    };
    cases_of(ALGORITHMS.iter().filter(is_one), kernels, |cases| {
        for Leak { name, leak, .. } in LEAKS.iter().filter(|leak| (leak.runs)()) {
            cases.under_key(name, move |key, nonce, secrets| {
                Box::new(move || {
                    let tag = key.tag(nonce.as_ref(), &secrets.message[..100]);
                    leak(tag.expect("the right kind of nonce").to_bytes()[3]);
                })
            });
        }
    })
}

fn key(algorithm: &Algorithm, cpu: Cpu, secrets: &Secrets) -> Arc<dyn AnyKey> {
    let secret = &secrets.key[..algorithm.key_bytes];
    algorithm.key(cpu, secret, *algorithm.tag_bytes.end()).expect("the lengths it asks for")
}

/// What [`AnyKey`] does not have: tags under a typed key, verified at once.
macro_rules! verified {
    ($verified:ident, $key:ty $(, $nonce:ty)?) => {
        fn $verified<'s>(cpu: Cpu, secrets: &'s Secrets, message: &'s [u8]) -> Prepared<'s> {
            many(
                <$key>::with_cpu(cpu, secrets.key.first_chunk().expect("256 bytes")),
                |key, i| {
                    let tag = key.tag($(<$nonce>::counter(i),)? message);
                    ($(<$nonce>::counter(i),)? message, received(tag, i))
                },
                |key, packets, valid| _ = key.verify_many(packets, valid),
            )
        }
    };
}

verified!(verified_umac_64, umac::Key<8>, NonceOf<8>);
verified!(verified_umac_128, umac::Key<16>, NonceOf<8>);
verified!(verified_carter, Carter128<Aes128, 12>, NonceOf<12>);
verified!(verified_pmac, pmac::Key<Aes128, 16>);

/// Packets under a key, verified at once; the sixth is wrong.
fn many<'s, K: 's, P: 's>(
    key: K,
    packet: impl Fn(&K, u64) -> P,
    verify: fn(&K, &[P], &mut [bool]),
) -> Prepared<'s> {
    let packets: Vec<P> = (0..16).map(|i| packet(&key, i)).collect();
    let mut valid = [false; 16];
    Box::new(move || {
        verify(&key, &packets, &mut valid);
        assert_eq!(valid, std::array::from_fn(|i| i != 5));
    })
}

/// A wrong tag, if it is the sixth.
fn received<const N: usize>(tag: Tag<N>, i: u64) -> Tag<N> {
    let mut bytes = tag.to_bytes();
    bytes[N - 1] ^= u8::from(i == 5);
    Tag::from(bytes)
}
