//! What is watched: every algorithm of the catalogue on every kernel, and batches that are verified.

use crate::leaks::{LEAKS, Leak};
use std::hint::black_box;
use std::sync::Arc;
use wegman::{Bits, NonceOf, Tag, pmac, umac};
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

/// What is prepared, and then runs watched.
type Prepared<'s> = Box<dyn FnOnce() + 's>;

/// One thing that is watched.
pub struct Case {
    pub kernel: &'static str,
    pub name: String,
    prepare: Box<dyn for<'s> Fn(&'s Secrets) -> Prepared<'s>>,
}

impl Case {
    fn new<F>(kernel: &'static str, name: String, prepare: F) -> Case
    where
        F: for<'s> Fn(&'s Secrets) -> Prepared<'s> + 'static,
    {
        Case { kernel, name, prepare: Box::new(prepare) }
    }

    pub fn prepare<'s>(&self, secrets: &'s Secrets) -> Prepared<'s> {
        (self.prepare)(secrets)
    }
}

/// Whether the kernel is among those asked for; all are if none is.
fn is_asked(kernels: &[&str], kernel: &str) -> bool {
    kernels.is_empty() || kernels.contains(&kernel)
}

/// All cases of these kernels.
pub fn cases(kernels: &[&str]) -> Vec<Case> {
    let mut cases = Vec::new();
    for algorithm in ALGORITHMS {
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            if is_asked(kernels, kernel) {
                of_algorithm(algorithm, kernel, cpu, &mut cases);
            }
        }
    }
    verified_in_batches(kernels, &mut cases);
    cases
}

/// A tag that leaks in each way, after each kernel.
pub fn leaking(kernels: &[&str]) -> Vec<Case> {
    let mut cases = Vec::new();
    for algorithm in ["UMAC-64", "PMAC-AES128", "Carter-128"] {
        let algorithm = ALGORITHMS.iter().find(|other| *other.name == *algorithm).expect("listed");
        for (kernel, cpu) in algorithm.kernels(Cpu::detect()) {
            for Leak { name, leak, .. } in LEAKS.iter().filter(|leak| (leak.runs)()) {
                if is_asked(kernels, kernel) {
                    let name = format!("{} on {kernel}, {name}", algorithm.name);
                    cases.push(Case::new(kernel, name, move |secrets| {
                        let key = key(algorithm, cpu, secrets);
                        Box::new(move || {
                            let tag =
                                key.tag(algorithm.counter(7).as_ref(), &secrets.message[..100]);
                            leak(tag.expect("the right kind of nonce").to_bytes()[3]);
                        })
                    }));
                }
            }
        }
    }
    cases
}

fn key(algorithm: &Algorithm, cpu: Cpu, secrets: &Secrets) -> Arc<dyn AnyKey> {
    let secret = &secrets.key[..algorithm.key_bytes];
    algorithm.key(cpu, secret, *algorithm.tag_bytes.end()).expect("the lengths it asks for")
}

/// A key and what it needs for messages.
struct Subject {
    key: Arc<dyn AnyKey>,
    nonce: Option<Nonce>,
}

impl Subject {
    fn tag(&self, message: &[u8]) -> AnyTag {
        self.key.tag(self.nonce.as_ref(), message).expect("the right kind of nonce")
    }
}

fn of_algorithm(
    algorithm: &'static Algorithm,
    kernel: &'static str,
    cpu: Cpu,
    cases: &mut Vec<Case>,
) {
    let subject = move |secrets: &Secrets| Subject {
        key: key(algorithm, cpu, secrets),
        nonce: algorithm.counter(7),
    };
    let mut case = |what: String, prepare: Box<dyn for<'s> Fn(&'s Secrets) -> Prepared<'s>>| {
        cases.push(Case {
            kernel,
            name: format!("{} on {kernel}, {what}", algorithm.name),
            prepare,
        });
    };
    case(
        "a key".into(),
        Box::new(move |secrets| Box::new(move || drop(black_box(key(algorithm, cpu, secrets))))),
    );
    for length in LENGTHS {
        case(
            format!("{length} bytes"),
            Box::new(move |secrets| {
                let subject = subject(secrets);
                Box::new(move || {
                    _ = black_box(subject.tag(&secrets.message[..length]));
                })
            }),
        );
    }
    for length in [100, 1500] {
        case(
            format!("a stream of {length} bytes"),
            Box::new(move |secrets| {
                let subject = subject(secrets);
                Box::new(move || {
                    let mut stream = subject.key.stream();
                    secrets.message[..length].chunks(600).for_each(|piece| stream.update(piece));
                    _ = black_box(stream.finish(subject.nonce.as_ref()))
                        .expect("the right kind of nonce");
                })
            }),
        );
        for flipped in [0, 1] {
            let what = if flipped == 0 { "right" } else { "wrong" };
            case(
                format!("a {what} tag of {length} bytes"),
                Box::new(move |secrets| {
                    let subject = subject(secrets);
                    let message = &secrets.message[..length];
                    let mut tag = subject.tag(message).to_bytes().to_vec();
                    // Elsewhere under each secret.
                    let place = usize::from(secrets.key[77]) % tag.len();
                    tag[place] ^= flipped;
                    let tag = AnyTag::try_from(&*tag).expect("its length");
                    Box::new(move || {
                        let outcome = subject.key.verify(subject.nonce.as_ref(), message, &tag);
                        assert_eq!(outcome.is_ok(), flipped == 0);
                    })
                }),
            );
        }
    }
    for (count, length) in BATCHES {
        case(
            format!("a batch of {count} with up to {length} bytes"),
            Box::new(move |secrets| {
                let subject = subject(secrets);
                let messages: Vec<&[u8]> = (0..count)
                    .map(|i| &secrets.message[i..][..length - 7 * i % (length.min(16) + 1)])
                    .collect();
                let mut tags = vec![0; count * algorithm.tag_bytes.end()];
                Box::new(move || {
                    let done = subject.key.tags(subject.nonce.as_ref(), &messages, &mut tags);
                    done.expect("enough nonces");
                    black_box(&tags);
                })
            }),
        );
    }
    if key(algorithm, cpu, &Secrets::new(0)).pmac().is_some() {
        case(
            "a segment".into(),
            Box::new(move |secrets| {
                let subject = subject(secrets);
                Box::new(move || {
                    let pmac = subject.key.pmac().expect("PMAC");
                    let part =
                        pmac.segment(0, Bits::from(&secrets.message[..3000])).expect("short");
                    _ = black_box(pmac.tag_of_segment(&part)).expect("the beginning");
                })
            }),
        );
    }
}

/// What [`AnyKey`] does not have.
fn verified_in_batches(kernels: &[&str], cases: &mut Vec<Case>) {
    macro_rules! of_key {
        ($name:literal, $key:ty, $bytes:literal, $nonce:expr, $packet:expr) => {
            for (kernel, cpu) in <$key>::kernels(Cpu::detect()) {
                for length in [16, 100, 1500].into_iter().filter(|_| is_asked(kernels, kernel)) {
                    let name =
                        format!("{} on {kernel}, 16 tags of {length} bytes in a batch", $name);
                    cases.push(Case::new(kernel, name, move |secrets| {
                        let key =
                            <$key>::with_cpu(cpu, secrets.key.first_chunk().expect("256 bytes"));
                        let message = &secrets.message[..length];
                        #[allow(
                            clippy::redundant_closure_call,
                            reason = "each key has its packets"
                        )]
                        let packets: Vec<_> = (0..16).map(|i| $packet(&key, i, message)).collect();
                        let mut valid = [false; 16];
                        Box::new(move || {
                            _ = key.verify_many(&packets, &mut valid);
                            assert_eq!(valid, std::array::from_fn(|i| i != 5));
                        })
                    }));
                }
            }
        };
    }
    /// A wrong one, if it is the sixth.
    fn received<const N: usize>(tag: Tag<N>, i: u64) -> Tag<N> {
        let mut bytes = tag.to_bytes();
        bytes[N - 1] ^= u8::from(i == 5);
        Tag::from(bytes)
    }
    of_key!("UMAC-64", umac::Key<8>, 8, 8, |key: &umac::Key<8>, i, message| {
        let nonce = || NonceOf::<8>::counter(i);
        (nonce(), message, received(key.tag(nonce(), message), i))
    });
    of_key!("UMAC-128", umac::Key<16>, 16, 8, |key: &umac::Key<16>, i, message| {
        let nonce = || NonceOf::<8>::counter(i);
        (nonce(), message, received(key.tag(nonce(), message), i))
    });
    of_key!("Carter-128", Carter128<wegman::Aes128, 12>, 16, 12, |key: &Carter128<_, 12>, i, message| {
        let nonce = || NonceOf::<12>::counter(i);
        (nonce(), message, received(key.tag(nonce(), message), i))
    });
    of_key!("PMAC-AES128", pmac::Key<wegman::Aes128, 16>, 16, 0, |key: &pmac::Key<_, 16>, i, message| {
        (message, received(key.tag(message), i))
    });
}
